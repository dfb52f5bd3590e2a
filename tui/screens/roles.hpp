// What the words of the model mean to the eye: one mapping from facts to roles for every screen.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/model/model.hpp"
#include "tui/terminal/canvas.hpp"

namespace tessera::tui {

Role role_of(Health health);
Role role_of(Severity severity);
Role role_of(WorkloadState state);
// "!!", "! ", "i ": severity without colour.
std::string_view sign_of(Severity severity);

// The role of a table cell by its column's key and text: "?" and "n/a" look unknown everywhere.
Role cell_role(std::string_view key, std::string_view text);

// query::strip with each glyph in its role.
void draw_strip(Canvas& canvas, int x, int y, int width, std::string_view strip, bool ascii,
                Style held = Role::held);
// The same for a line of a page: parts of one role each, which together are all of it.
struct StripPart {
  std::string text;
  Role role;
};
std::vector<StripPart> strip_parts(std::string_view strip);

}  // namespace tessera::tui
