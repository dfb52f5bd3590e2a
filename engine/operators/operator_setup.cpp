#include "engine/operators/operator_setup.hpp"

namespace tessera::operators {

MigFilePtr mig_file(std::string text) {
  if (text.empty()) return nullptr;
  Result<MigDocument> document = parse_mig_document(text, "config.yaml");
  return std::make_shared<const MigFile>(MigFile{std::move(text), std::move(document)});
}

}  // namespace tessera::operators
