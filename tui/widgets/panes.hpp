// A page in up to three parts: a list, a second list beside it where there is room, and below both what there
// is to say about the line under the cursor.
//
// The lines with an id are stops; the cursor goes down the first list, then the second.
// Threads: pure drawing.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tui/widgets/document.hpp"

namespace tessera::tui {

// Lines of a long list that stand in a document without words and id where they are out of view: their ids.
struct ListIds {
  std::size_t first = 0;                                // the line of the document on which the list begins
  std::shared_ptr<const std::vector<std::string>> ids;  // one a line; null: there is no such list
};

struct Panes {
  Document main;
  ListIds list;             // in `main`
  Document side;            // empty: one column
  int split = 0;            // where the side begins, in cells from the left; 0: below the main list
  std::string start;        // the stop on which the cursor rests until it is moved; empty: the first
  bool follows = false;     // once back there, the cursor moves on with it
  Document foot;            // pinned at the bottom
  bool foot_first = false;  // the foot keeps all its lines, the lists get what is left
};

// The areas for a body of that size; the foot has a rule above it, which belongs to it.
struct PaneAreas {
  Rect main, side, foot;
};
PaneAreas areas_of(const Panes& panes, Rect body);

struct Stop {
  std::string id;
  bool side = false;
  int line = 0;
};
std::vector<Stop> stops_of(const Panes& panes);
// The stop that it finds there, empty: none. Without a list of all of them: each picture asks.
std::string rests_on(const Panes& panes, const std::string& cursor);
// The position of `cursor` among them; where the cursor starts when it is not there; -1: there is none.
int stop_of(const Panes& panes, const std::vector<Stop>& stops, const std::string& cursor);

// The first line of the side list that is shown, so that the cursor is in view.
int first_shown(const Document& document, const std::string& cursor, int height);

// top: the first line of the main list that is shown. The side keeps the cursor in view by itself.
void draw_panes(Canvas& canvas, Rect body, const Panes& panes, int top, const std::string& cursor,
                bool ascii);

}  // namespace tessera::tui
