// A page of lines made of styled pieces, some of which the cursor can rest on: facts, help, about.
// Threads: pure drawing.
#pragma once

#include <string>
#include <vector>

#include "tui/language/wrap.hpp"
#include "tui/widgets/paint.hpp"

namespace tessera::tui {

struct Span {
  std::string text;
  Style style;
  int at = -1;  // column to start in, unless the line is beyond it already; -1: right behind
};
struct DocLine {
  std::vector<Span> spans;
  std::string id;  // what the cursor holds on to; empty: it passes over
};
using Document = std::vector<DocLine>;

// Small builders, so that the screens read like what they show.
DocLine heading_line(std::string text, std::string aside = {});
DocLine fact_line(std::string label, std::string value, Style style = {});
// A fact whose value may need several lines.
void add_wrapped_fact(Document& document, const std::string& label, std::string_view value, int width,
                      Style style = {});
inline constexpr int kLabelWidth = 16;
// Ends in the last of the `width` columns from x on.
void put_right(DocLine& line, std::string text, int x, int width, Style style);

// Draws from line `top` on; the line with `cursor` as its id is the selected one.
void draw_document(Canvas& canvas, Rect area, const Document& document, int top, const std::string& cursor,
                   bool ascii);

}  // namespace tessera::tui
