#include "tui/widgets/document.hpp"

#include <algorithm>

namespace tessera::tui {
DocLine heading_line(std::string text, std::string aside) {
  DocLine line{{{std::move(text), Style(Role::heading).with_bold(), 1}}, {}};
  if (!aside.empty()) line.spans.push_back({"  " + aside, Role::dim});
  return line;
}

DocLine fact_line(std::string label, std::string value, Style style) {
  return {{{label + "  ", Role::dim, 3}, {std::move(value), style, 3 + kLabelWidth}}, {}};
}

void add_wrapped_fact(Document& document, const std::string& label, std::string_view value, int width,
                      Style style) {
  bool first = true;
  for (std::string& line : wrap(value, width - 4 - kLabelWidth)) {
    document.push_back(fact_line(first ? label : "", std::move(line), style));
    first = false;
  }
}

void put_right(DocLine& line, std::string text, int x, int width, Style style) {
  const int pad = std::max(0, width - display_width(text));
  line.spans.push_back({std::move(text), style, x + pad});
}

void draw_document(Canvas& canvas, Rect area, const Document& document, int top, const std::string& cursor,
                   bool ascii) {
  top = std::clamp(top, 0, std::max(0, static_cast<int>(document.size()) - area.height));
  for (int y = 0; y < area.height && top + y < static_cast<int>(document.size()); ++y) {
    const DocLine& line = document[static_cast<std::size_t>(top + y)];
    bool selected = !line.id.empty() && line.id == cursor;
    Pen pen(canvas, area.x + 1, area.y + y, area.right() - 1, ascii);
    bool ends_blank = true;
    for (const Span& span : line.spans) {
      // Columns never touch: a text that is longer than its column is wide pushes the next one on.
      const bool full = span.at >= 0 && pen.x() > area.x + 1 && pen.x() >= area.x + span.at;
      if (full && !ends_blank && !span.text.starts_with(' ')) pen.skip(1);
      if (span.at >= 0) pen.to(area.x + span.at);
      ends_blank = span.text.empty() ? ends_blank : span.text.ends_with(' ');
      pen.put(span.text, selected ? span.style.with_bold() : span.style);
    }
    if (!selected) continue;
    canvas.mark_selected(area.x + 1, area.y + y, area.width - 1);
    canvas.put(area.x, area.y + y, glyphs(ascii).pointer, Style(Role::accent).with_bold());
  }
}

}  // namespace tessera::tui
