// gettext's compiled catalogue (.mo), read with bounds: what msgfmt makes of po/ja.po at build time.
// Threads: pure functions; the entries look into the text that was read.
#pragma once

#include <string_view>
#include <vector>

#include "engine/error.hpp"

namespace tessera::tui {

struct CatalogueEntry {
  std::string_view original;     // the English text, or a pattern with places in braces
  std::string_view translation;  // never empty
};

// The entry without an original, which describes the file, is left out, and so is what has no translation.
// Errors say at which byte it breaks off. Both byte orders.
Result<std::vector<CatalogueEntry>> read_catalogue(std::string_view bytes);

}  // namespace tessera::tui
