// Theme and keymap by name or by file, as --theme and --keys give them.
// Threads: reads files; no other state.
#pragma once

#include <string>
#include <string_view>

#include "engine/error.hpp"
#include "engine/guide/texts.hpp"
#include "tui/app.hpp"
#include "tui/cli/options.hpp"
#include "tui/keymap.hpp"

namespace tessera::cli {

// A shipped name, the name of a keys-NAME.yaml in a tessera folder, or a path with a slash.
Result<tui::Keymap> load_keymap(const std::string& name, const Environment& environment);

// The guide's texts, with the flowchart.yaml of a tessera folder in place of ours where there is one.
Result<std::shared_ptr<const guide::Texts>> load_guide_texts(const Environment& environment);

// What the console needs to know of the options; the rest of its state is its own.
tui::ConsoleOptions console_options(const Options& options, const Environment& environment);

}  // namespace tessera::cli
