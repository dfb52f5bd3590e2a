#include "tui/version.hpp"

namespace tessera::tui {

std::string_view version() { return TESSERA_VERSION; }

}  // namespace tessera::tui
