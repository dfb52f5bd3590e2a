// Cells without the words that every row of a column would begin with. Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace tessera::tui {

// "NVIDIA H100 80GB HBM3" -> "H100 80GB HBM3", "gpu:1g.10gb:1" -> "1g.10gb", "nvidia.com/mig-1g.10gb:2" ->
// "mig-1g.10gb:2"; other columns as they are. For the console alone: files and filters keep the whole words.
std::string short_cell(std::string_view column, std::string text);

}  // namespace tessera::tui
