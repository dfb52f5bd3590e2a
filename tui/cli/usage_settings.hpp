// Settings of `tessera usage` and `tessera waste`: how far back, from where, and from when on something
// counts as wasted. Threads: pure functions.
#pragma once

#include "tui/cli/options.hpp"
#include "tui/cli/setting_reader.hpp"

namespace tessera::cli {

void read_usage(SettingReader& reader, Options& options);

}  // namespace tessera::cli
