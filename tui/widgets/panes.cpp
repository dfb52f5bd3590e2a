#include "tui/widgets/panes.hpp"

#include <algorithm>

namespace tessera::tui {
namespace {

constexpr int kLeastList = 5;  // lines that the foot leaves to the lists

const std::string& id_at(const Document& document, const ListIds& list, std::size_t line) {
  const bool listed = list.ids && line >= list.first && line - list.first < list.ids->size();
  return listed ? (*list.ids)[line - list.first] : document[line].id;
}

void add_stops(std::vector<Stop>& stops, const Document& document, const ListIds& list, bool side) {
  for (std::size_t i = 0; i < document.size(); ++i)
    if (const std::string& id = id_at(document, list, i); !id.empty())
      stops.push_back({id, side, static_cast<int>(i)});
}

// Empty `wanted`: any.
const std::string* find_stop(const Panes& panes, const std::string& wanted) {
  const auto in = [&](const Document& document, const ListIds& list) -> const std::string* {
    for (std::size_t i = 0; i < document.size(); ++i)
      if (const std::string& id = id_at(document, list, i); !id.empty() && (wanted.empty() || id == wanted))
        return &id;
    return nullptr;
  };
  const std::string* found = in(panes.main, panes.list);
  return found ? found : in(panes.side, {});
}

}  // namespace

// Two thirds down, so that what comes before a line is seen more than what follows it.
int first_shown(const Document& document, const std::string& cursor, int height) {
  auto at = std::find_if(document.begin(), document.end(),
                         [&](const DocLine& line) { return !line.id.empty() && line.id == cursor; });
  int line = at == document.end() ? 0 : static_cast<int>(at - document.begin());
  return std::clamp(line - height * 2 / 3, 0, std::max(0, static_cast<int>(document.size()) - height));
}

PaneAreas areas_of(const Panes& panes, Rect body) {
  int wanted = panes.foot.empty() ? 0 : static_cast<int>(panes.foot.size()) + 1;
  int most =
      panes.foot_first ? body.height - kLeastList : std::max(body.height / 3, body.height - kLeastList - 12);
  int foot = std::clamp(wanted, 0, std::max(0, most));
  int height = body.height - foot;
  PaneAreas areas;
  areas.main = {body.x, body.y, body.width, height};
  if (!panes.side.empty() && panes.split > 0) {
    areas.main.width = panes.split;
    areas.side = {body.x + panes.split, body.y, body.width - panes.split, height};
  } else if (!panes.side.empty()) {
    // The main list has what it needs, but for half of the room; a blank line keeps them apart.
    areas.main.height = std::clamp(static_cast<int>(panes.main.size()), std::min(height, kLeastList),
                                   std::max(height / 2, std::min(height, kLeastList)));
    areas.side = body.below(areas.main.height + 1);
    areas.side.height = std::max(0, height - areas.main.height - 1);
  }
  areas.foot = {body.x, body.y + height, body.width, foot};
  return areas;
}

std::vector<Stop> stops_of(const Panes& panes) {
  std::vector<Stop> stops;
  add_stops(stops, panes.main, panes.list, false);
  add_stops(stops, panes.side, {}, true);
  return stops;
}

std::string rests_on(const Panes& panes, const std::string& cursor) {
  for (const std::string& id : {cursor, panes.start})
    if (const std::string* found = id.empty() ? nullptr : find_stop(panes, id)) return *found;
  const std::string* first = find_stop(panes, {});
  return first ? *first : std::string();
}

int stop_of(const Panes& panes, const std::vector<Stop>& stops, const std::string& cursor) {
  for (const std::string& id : {cursor, panes.start})
    for (std::size_t i = 0; i < stops.size(); ++i)
      if (stops[i].id == id) return static_cast<int>(i);
  return stops.empty() ? -1 : 0;
}

void draw_panes(Canvas& canvas, Rect body, const Panes& panes, int top, const std::string& cursor,
                bool ascii) {
  PaneAreas areas = areas_of(panes, body);
  draw_document(canvas, areas.main, panes.main, top, cursor, ascii);
  if (areas.side.width > 0 && areas.side.height > 0) {
    canvas.fill(areas.side.x, areas.side.y, areas.side.width, areas.side.height, " ");
    draw_document(canvas, areas.side, panes.side, first_shown(panes.side, cursor, areas.side.height), cursor,
                  ascii);
  }
  if (areas.foot.height == 0) return;
  canvas.fill(areas.foot.x, areas.foot.y, areas.foot.width, areas.foot.height, " ");
  draw_rule(canvas, areas.foot.x, areas.foot.y, areas.foot.width, ascii);
  const Rect lines = areas.foot.below(1);
  draw_document(canvas, lines, panes.foot, 0, {}, ascii);
  // A foot does not scroll: that it goes on is told at its end.
  if (lines.height > 0 && panes.foot.size() > static_cast<std::size_t>(lines.height))
    canvas.put(lines.right() - 2, lines.bottom() - 1, ascii ? "~" : "…", Role::dim, lines.right());
}

}  // namespace tessera::tui
