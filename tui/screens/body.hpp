// The bodies that screens have (screens.hpp), and what they share: how far an action moves, and lists of
// lines of which only some can hold the cursor. Threads: the UI thread.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tui/screens/screens.hpp"

namespace tessera::tui {

extern const Body kTableBody, kPageBody, kPanesBody, kOverviewBody, kNodeBody, kLayoutBody, kGuideBody;

// The body of the screen on top.
Rect body_of(const UiState& state, const UiContext& ui);
// How far an action moves in a list of `page` visible lines; first and last are far beyond either end.
int distance(Action action, int page);
int moved(int from, int by, int count);
void keep_in_view(Screen& screen, int first, int last, int height, int total);
// "rows 1-19 of 132"
std::string range_text(std::string_view what, int top, int height, int count);

struct LineStops {
  std::vector<std::string> ids;
  std::vector<int> lines;
};
LineStops stops_in(const Document& document);
// The position of the cursor's stop, or where it was.
int stop_at(const LineStops& stops, const Screen& screen);
void rest_on(Screen& screen, const LineStops& stops, int at);
// False: the cursor cannot rest on that line.
bool rest_on_line(Screen& screen, const LineStops& stops, int line);

// The lines of a page: those that the cursor walks, and on a wide page those beside them.
struct PageColumns {
  Document main, side;
  int main_width = 0;  // of the page without a side all of it

  // Moving down reaches the end of either. One that has less stays at its own end.
  int lines() const { return static_cast<int>(std::max(main.size(), side.size())); }
};
PageColumns page_columns(const UiContext& ui, const UiState& state, int width);
void draw_columns(Canvas& canvas, Rect area, const PageColumns& page, const Screen& screen, bool ascii);

// Settles and draws panes that stand beside a list, and have nothing beside them: what they hold is made
// once, and again only where settling moved it (panes_body.cpp).
void draw_settled_panes(Canvas& canvas, Rect body, const UiContext& ui, UiState& state);

// Pages of lines in an area of their own (page_body.cpp).
void move_page(UiState& state, const UiContext& ui, Rect page, Action action);
bool click_page(UiState& state, const UiContext& ui, Rect page, int x, int y);

// Tables (table_body.cpp).
void refresh_table(UiState& state, Screen& screen, const UiContext& ui);
CellTexts table_cells(const UiState& state, const UiContext& ui);
std::optional<TimePoint> table_next_change(const UiState& state, const UiContext& ui);
Effects open_row(UiState& state, const UiContext& ui);
std::string why_no_row(const UiState& state, const UiContext& ui);
std::optional<Screen> facts_of_row(const UiState& state, const UiContext& ui);
std::string why_no_row_facts(const UiState& state, const UiContext& ui);
std::string copy_rows(const UiState& state, const UiContext& ui);

}  // namespace tessera::tui
