#include "tests/support/paths.hpp"

namespace tessera::test {

std::string source_dir() { return TESSERA_SOURCE_DIR; }
std::string binary() { return TESSERA_BINARY; }
std::string simulator() { return TESSERA_SIMULATOR; }

}  // namespace tessera::test
