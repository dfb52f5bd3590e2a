// A golden screen as a picture for the documents: what a terminal with that theme would show, as SVG.
// Threads: pure function.
#pragma once

#include <string>
#include <string_view>

#include "tui/terminal/theme.hpp"

namespace tessera::test {

// `golden`: the text of a file of tests/tui/golden (golden.hpp). Rows at the end that are empty are left out.
std::string svg_of(std::string_view golden, const tui::Theme& theme);

}  // namespace tessera::test
