// Screens as files: tests/tui/golden/NAME.txt holds the text, then the roles, of a screen that was looked at.
//
// TESSERA_UPDATE_GOLDEN=1 writes them again; look at the difference before it is committed.
// Threads: the test's.
#pragma once

#include <string>

#include "tui/terminal/canvas.hpp"

namespace tessera::test {

// Fails with both texts when the canvas differs from the file.
void expect_golden(const std::string& name, const tui::Canvas& canvas);

}  // namespace tessera::test
