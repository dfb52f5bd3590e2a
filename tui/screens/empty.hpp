// Screens that have nothing to show yet, and say what to do about it.
// Threads: pure drawing.
#pragma once

#include <string>

#include "tui/update.hpp"
#include "tui/widgets/paint.hpp"

namespace tessera::tui {

// No cluster at all.
void draw_no_cluster(Canvas& canvas, Rect area, const UiState& state);
// True while the first load is under way and the user has not left it.
bool is_loading(const UiState& state, const Model& model);
void draw_loading(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state);
// A table without rows: because of the filter, of "only mine", or because there is nothing.
void draw_empty_table(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state);
// What stands where no finding is listed: that all is well only of clusters that are read.
struct NoFindings {
  std::string text;
  Role role = Role::good;
};
NoFindings no_findings(const UiContext& ui, const UiState& state);
// The subject of the screen has left the cluster.
void draw_gone(Canvas& canvas, Rect area, const std::string& what, const UiState& state);
// The terminal is too small for anything else.
void draw_too_small(Canvas& canvas);

}  // namespace tessera::tui
