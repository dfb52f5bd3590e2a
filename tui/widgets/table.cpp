#include "tui/widgets/table.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tui/widgets/cells_of.hpp"

namespace tessera::tui {
namespace {

constexpr int kGap = 2;      // blank cells between columns
constexpr int kMargins = 2;  // pointer at the left, a blank or the more-marker at the right

int least_width(const ColumnInfo& column) {
  return std::max(column.min_width, display_width(column.title) + 1);  // room for the sort marker
}

int total_width(std::span<const ColumnInfo> columns, const std::vector<int>& shown) {
  int width = 0;
  for (int column : shown) width += least_width(columns[static_cast<std::size_t>(column)]) + kGap;
  return width > 0 ? width - kGap : 0;
}

// With every cell in full.
int wanted_width(std::span<const ColumnInfo> columns, const TableLook& look, const std::vector<int>& shown) {
  int width = 0;
  for (int column : shown) {
    const auto index = static_cast<std::size_t>(column);
    const int wanted = index < look.wanted.size() ? look.wanted[index] : 0;
    width += std::max(least_width(columns[index]), wanted) + kGap;
  }
  return width > 0 ? width - kGap : 0;
}

bool is_in(const std::vector<int>& columns, int column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

// Names in full, up to here, are worth more than a column of least use.
constexpr int kFullName = 20;

int width_with_names(std::span<const ColumnInfo> columns, const TableLook& look,
                     const std::vector<int>& shown) {
  int width = total_width(columns, shown);
  for (int column : look.names) {
    const auto index = static_cast<std::size_t>(column);
    if (!is_in(shown, column) || index >= look.wanted.size()) continue;
    width += std::max(0, std::min(look.wanted[index], kFullName) - least_width(columns[index]));
  }
  return width;
}

// What the last text of a row wants, up to here, comes before columns of less use; so do the other texts up
// to theirs before trends.
constexpr int kReadText = 40, kSeenText = 24;

int lacks_of(std::span<const ColumnInfo> columns, const TableLook& look, int column, int most) {
  const auto index = static_cast<std::size_t>(column);
  if (column < 0 || index >= look.wanted.size()) return 0;
  return std::max(0, std::min(look.wanted[index], most) - least_width(columns[index]));
}

bool is_text(std::span<const ColumnInfo> columns, int column) {
  return columns[static_cast<std::size_t>(column)].align == query::Align::left;
}

int last_text(std::span<const ColumnInfo> columns, const std::vector<int>& shown) {
  int last = -1;
  for (int column : shown)
    if (is_text(columns, column)) last = std::max(last, column);
  return last;
}

// Of the last text, and of the others that are always shown: names are counted with the columns' widths.
int lacks_of_kept_texts(std::span<const ColumnInfo> columns, const TableLook& look,
                        const std::vector<int>& shown) {
  const int last = last_text(columns, shown);
  int lacks = lacks_of(columns, look, last, kReadText);
  for (int column : shown) {
    const bool always = columns[static_cast<std::size_t>(column)].show == query::Show::always;
    if (column != last && always && is_text(columns, column) && !is_in(look.names, column))
      lacks += lacks_of(columns, look, column, kSeenText);
  }
  return lacks;
}

// Without those that yield.
int lacks_of_texts(std::span<const ColumnInfo> columns, const TableLook& look,
                   const std::vector<int>& shown) {
  const int last = last_text(columns, shown);
  int lacks = 0;
  for (int column : shown)
    if (column == last || (is_text(columns, column) && !is_in(look.yielding, column)))
      lacks += lacks_of(columns, look, column, column == last ? kReadText : kSeenText);
  return lacks;
}

// Adds the trends to what is always shown, and takes away what yields to them: as many, the first first, as
// have room then beside what the texts say. Where none has, nothing yields. What tells rows apart, and what
// does not ask for it, comes before those texts.
void add_early(std::span<const ColumnInfo> columns, const TableLook& look, int width,
               std::vector<int>& shown) {
  for (std::size_t count = look.early.size(); count > 0; --count) {
    std::vector<int> all = shown;
    for (std::size_t i = 0; i < count; ++i)
      if (!is_in(look.empty, look.early[i]) && !is_in(all, look.early[i])) all.push_back(look.early[i]);
    for (int column : look.yielding) {
      if (width_with_names(columns, look, all) <= width) break;
      std::erase(all, column);
    }
    const int last = look.early[count - 1];
    const bool first = is_in(look.names, last) || is_in(look.unasked, last);
    if (total_width(columns, all) + (first ? 0 : lacks_of_texts(columns, look, all)) > width) continue;
    shown = std::move(all);
    return;
  }
}

// As many columns as fit: all that are always shown, then the roomy ones, then the wide ones, each in order.
// The later ones leave some cells to spare, so that what is shown is not all cut short.
std::vector<int> choose(std::span<const ColumnInfo> columns, const TableLook& look, int width, bool all) {
  const bool with_early = !all && !look.early.empty() && width + kMargins >= kEarlyFrom;
  std::vector<int> shown;
  // Where trends are not shown early, they come behind what else has room.
  const auto add = [&](query::Show show, bool trends) {
    for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
      if ((!with_early && is_in(look.early, i)) != trends) continue;
      query::Show own = columns[static_cast<std::size_t>(i)].show;
      if (own == query::Show::always && is_in(look.demoted, i)) own = query::Show::roomy;
      if (is_in(look.kept, i) && width + kMargins >= kEarlyFrom) own = query::Show::always;
      if (own != show || i == look.skip || (!all && is_in(look.empty, i)) || is_in(shown, i)) continue;
      std::vector<int> more = shown;
      more.push_back(i);
      const int kept_free = std::max(show == query::Show::wide ? width / 4 : width / 6,
                                     lacks_of_kept_texts(columns, look, more));
      bool fits = width_with_names(columns, look, more) <= width - kept_free ||
                  (!look.wanted.empty() && wanted_width(columns, look, more) <= width);
      if (show == query::Show::always || all || fits) shown = more;
    }
  };
  for (query::Show show : {query::Show::always, query::Show::roomy, query::Show::wide}) {
    add(show, false);
    add(show, true);
    if (show == query::Show::always && with_early) add_early(columns, look, width, shown);
  }
  std::sort(shown.begin(), shown.end());
  return shown;
}

std::vector<int> candidates(std::span<const ColumnInfo> columns, const TableLook& look, int room) {
  if (look.chosen) {
    std::vector<int> shown = *look.chosen;
    std::erase_if(shown, [&](int i) { return i < 0 || static_cast<std::size_t>(i) >= columns.size(); });
    return shown;
  }
  // Scrolling reaches every column, also those that this width leaves out.
  return choose(columns, look, room, look.wide || look.left > 0);
}

// Puts the columns that tell rows apart in front; how many there are.
std::ptrdiff_t put_names_first(std::span<const ColumnInfo> columns, std::vector<int>& shown,
                               const TableLook& look) {
  auto is_name = [&](int i) {
    return std::find(look.names.begin(), look.names.end(), i) != look.names.end();
  };
  auto end = std::stable_partition(shown.begin(), shown.end(), is_name);
  if (end != shown.begin()) return end - shown.begin();
  auto first = std::find_if(shown.begin(), shown.end(), [&](int i) {
    return columns[static_cast<std::size_t>(i)].show == query::Show::always;
  });
  if (first == shown.end()) first = shown.begin();
  std::rotate(shown.begin(), first, first + 1);
  return 1;
}

// Takes columns away behind those that tell rows apart, which stay. Returns how many it took.
int scroll(std::span<const ColumnInfo> columns, std::vector<int>& shown, const TableLook& look) {
  if (look.left <= 0) return 0;
  const std::ptrdiff_t names = put_names_first(columns, shown, look);
  const auto rest = static_cast<std::ptrdiff_t>(shown.size()) - names;
  const std::ptrdiff_t left = std::clamp<std::ptrdiff_t>(look.left, 0, rest);
  shown.erase(shown.begin() + names, shown.begin() + names + left);
  return static_cast<int>(left);
}

constexpr int kWholeText = 32;
constexpr int kMostName = 24;  // two pods of one deployment differ in the end of their names

void widen_whole(std::vector<PlacedColumn>& placed, const std::vector<int>& columns,
                 const std::vector<int>& wanted, int most, int& spare) {
  for (PlacedColumn& column : placed) {
    const auto index = static_cast<std::size_t>(column.column);
    if (!is_in(columns, column.column) || index >= wanted.size()) continue;
    const int more = std::clamp(std::min(wanted[index], most) - column.width, 0, spare);
    column.width += more;
    spare -= more;
  }
}

// The last text of a row is what a person reads to its end: it has spare cells before the texts left of it,
// up to here.
constexpr int kLastText = 20;

void widen_last(std::vector<PlacedColumn>& placed, std::span<const ColumnInfo> columns,
                const std::vector<int>& wanted, int& spare) {
  const auto last = std::find_if(placed.rbegin(), placed.rend(), [&](const PlacedColumn& column) {
    return columns[static_cast<std::size_t>(column.column)].align == query::Align::left;
  });
  if (last == placed.rend() || static_cast<std::size_t>(last->column) >= wanted.size()) return;
  const int needs = std::min(wanted[static_cast<std::size_t>(last->column)], kLastText) - last->width;
  const int more = std::clamp(needs, 0, spare);
  last->width += more;
  spare -= more;
}

// Spare cells go to figures first, since a figure that is cut is worse than none, then to the texts that are
// cut shortest, one cell at a time, until none needs more.
void widen(std::vector<PlacedColumn>& placed, std::span<const ColumnInfo> columns,
           const std::vector<int>& wanted, int& spare, query::Align align) {
  while (spare > 0) {
    PlacedColumn* neediest = nullptr;
    for (PlacedColumn& column : placed) {
      std::size_t index = static_cast<std::size_t>(column.column);
      if (index >= wanted.size() || wanted[index] <= column.width) continue;
      if (columns[index].align != align) continue;
      if (!neediest || column.width < neediest->width) neediest = &column;
    }
    if (!neediest) return;
    ++neediest->width;
    --spare;
  }
}

void draw_heading(Canvas& canvas, Rect area, std::span<const ColumnInfo> columns, const TableLayout& layout,
                  const TableLook& look) {
  const Glyphs& shapes = glyphs(look.ascii);
  for (const PlacedColumn& placed : layout.columns) {
    const ColumnInfo& column = columns[static_cast<std::size_t>(placed.column)];
    std::string title(column.title);
    bool sorted = !look.sorts.empty() && look.sorts.front().column == placed.column;
    if (sorted) title += look.sorts.front().descending ? shapes.descending : shapes.ascending;
    Style style = sorted ? Style(Role::heading).with_bold() : Style(Role::heading);
    put_cell(canvas, area.x + placed.x, area.y, placed.width, title, style, look.ascii,
             column.align == query::Align::right);
  }
  if (layout.hidden_left > 0) canvas.put(area.x, area.y, shapes.more_left, Role::accent);
  if (layout.hidden_right > 0) canvas.put(area.right() - 1, area.y, shapes.more_right, Role::accent);
}

void draw_row(Canvas& canvas, Rect area, int y, int row, const TableRows& rows, const TableLayout& layout,
              const TableLook& look) {
  const Glyphs& shapes = glyphs(look.ascii);
  bool selected = row == look.cursor;
  int end = 0;  // of what is drawn: what lies before it says nothing
  // A text that is longer than its cells asks whether those behind it are empty: each is made once.
  std::vector<std::optional<std::string>> texts(rows.columns().size());
  const auto text_of = [&](int column) -> const std::string& {
    std::optional<std::string>& text = texts[static_cast<std::size_t>(column)];
    if (!text) text = rows.text(row, column);
    return *text;
  };
  for (std::size_t place = 0; place < layout.columns.size(); ++place) {
    PlacedColumn placed = layout.columns[place];
    if (placed.x + placed.width <= end) continue;
    if (placed.x < end) placed.width -= end - placed.x, placed.x = end;  // blanks before a figure
    const int x = area.x + placed.x;
    if (rows.paint(canvas, x, y, placed.width, row, placed.column)) continue;
    const std::string& text = text_of(placed.column);
    Style style = rows.style(row, placed.column, text);
    if (selected) style = style.with_bold();
    bool right = rows.columns()[static_cast<std::size_t>(placed.column)].align == query::Align::right;
    const int cells = cells_of(rows.columns(), layout, place, text, std::ref(text_of));
    put_cell(canvas, x, y, cells, text, style, look.ascii, right);
    end = placed.x + cells;
  }
  if (rows.marked(row)) canvas.put(area.x, y, shapes.mark, Style(Role::accent).with_bold());
  if (!selected) return;
  canvas.mark_selected(area.x + 1, y, area.width - 1);
  if (!rows.marked(row)) canvas.put(area.x, y, shapes.pointer, Style(Role::accent).with_bold());
}

}  // namespace

TableLayout lay_out(std::span<const ColumnInfo> columns, const TableLook& look, int width) {
  TableLayout layout;
  int room = width - kMargins;
  std::vector<int> shown = candidates(columns, look, room);
  layout.candidates = static_cast<int>(shown.size());
  if (shown.empty()) return layout;
  layout.hidden_left = scroll(columns, shown, look);
  int used = 0;
  for (int index : shown) {
    int needs = least_width(columns[static_cast<std::size_t>(index)]);
    if (!layout.columns.empty() && used + kGap + needs > room) break;
    used += needs + (layout.columns.empty() ? 0 : kGap);
    layout.columns.push_back({index, 0, std::min(needs, room)});
  }
  layout.hidden_right = static_cast<int>(shown.size() - layout.columns.size());
  int spare = room - used;
  widen(layout.columns, columns, look.wanted, spare, query::Align::right);
  if (width >= kEarlyFrom) widen_whole(layout.columns, look.names, look.wanted, kFullName, spare);
  widen_whole(layout.columns, look.whole, look.wanted, kWholeText, spare);
  widen_last(layout.columns, columns, look.wanted, spare);
  widen_whole(layout.columns, look.names, look.wanted, kMostName, spare);
  widen(layout.columns, columns, look.wanted, spare, query::Align::left);
  int x = 1;
  for (PlacedColumn& placed : layout.columns) {
    placed.x = x;
    x += placed.width + kGap;
  }
  return layout;
}

int cells_of(std::span<const ColumnInfo> columns, const TableLayout& layout, std::size_t place,
             std::string_view text, const std::function<std::string(int column)>& text_of) {
  const PlacedColumn& own = layout.columns[place];
  int cells = own.width;
  if (columns[static_cast<std::size_t>(own.column)].align != query::Align::left) return cells;
  const int wanted = display_width(text);
  for (std::size_t next = place + 1; next < layout.columns.size() && cells < wanted; ++next) {
    const PlacedColumn& other = layout.columns[next];
    const std::string said = text_of(other.column);
    if (said.empty()) {
      cells = other.x + other.width - own.x;
      continue;
    }
    // Blanks before a figure are taken by what is whole then, so that no text ends in another cell of each
    // row.
    const int blanks = other.x + other.width - display_width(said) - kGap - own.x;
    if (columns[static_cast<std::size_t>(other.column)].align == query::Align::right && wanted <= blanks)
      cells = wanted;
    break;
  }
  return cells;
}

TableLayout draw_table(Canvas& canvas, Rect area, const TableRows& rows, const TableLook& look) {
  TableLayout layout = lay_out(rows.columns(), look, area.width);
  if (area.height < 1) return layout;
  draw_heading(canvas, area, rows.columns(), layout, look);
  int count = rows.count();
  for (int line = 1; line < area.height; ++line) {
    int row = look.top + line - 1;
    if (row < 0 || row >= count) break;
    draw_row(canvas, area, area.y + line, row, rows, layout, look);
  }
  return layout;
}

}  // namespace tessera::tui
