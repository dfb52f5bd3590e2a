#include "engine/operators/site.hpp"

#include "engine/operators/labels.hpp"

namespace tessera::operators {

MigFilePtr mig_file(std::string text) {
  if (text.empty()) return nullptr;
  Result<MigDocument> document = parse_mig_document(text, "config.yaml");
  return std::make_shared<const MigFile>(MigFile{std::move(text), std::move(document)});
}

namespace {

void join(MigFilePtr& one, const MigFilePtr& other) {
  if (one && other && one->text == other->text) one = other;
}

void forget_what_changes_by_itself(Site& site) {
  site.kept_back.clear();
  for (auto& [node, labels] : site.labels)
    for (std::string_view state : {kMigState, kVgpuState}) labels.erase(std::string(state));
}

}  // namespace

bool alike(Site one, Site other) {
  join(one.mig_config, other.mig_config);
  for (auto& [node, file] : one.node_config)
    if (auto same = other.node_config.find(node); same != other.node_config.end()) join(file, same->second);
  for (Site* site : {&one, &other}) forget_what_changes_by_itself(*site);
  return one == other;
}

}  // namespace tessera::operators
