#include "tui/screens/frame/overlays.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tui/language/wrap.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/frame/palette.hpp"
#include "tui/screens/plan/arm.hpp"
#include "tui/screens/preview.hpp"
#include "tui/screens/rows.hpp"

namespace tessera::tui {
namespace {

constexpr int kNameCells = 40;
constexpr int kRoomForAll = 20;  // lines from which a list has some for all that is said of its line
constexpr int kBelowTitle = 2;   // the title and its rule: a list that reaches them needs no rule of its own

// Lines of a list above the prompt in line y: the screen behind it stays in view.
int most_shown(int y) {
  constexpr int kFew = 10;
  return std::max(kFew, y * 2 / 5);
}

// The first line shown of `count`: the chosen one is in view, and the list stands where the mouse left it.
// Were it to scroll under a click, the second one would take another line.
int first_shown(int top, int chosen, int shown, int count) {
  const int last = std::max(0, count - shown), least = std::clamp(chosen - shown + 1, 0, last);
  return std::clamp(top, least, std::max(least, std::min(chosen, last)));
}

// The lines of a list that are shown above the prompt, from line `y` on.
struct ListShown {
  int y = 0, first = 0, shown = 0;
};

// How many candidates there is room for above the prompt in line y.
ListShown candidates_shown(const InputLine& input, int count, int y) {
  const int shown = std::min({count, most_shown(y), y - 3});
  return {y - shown, first_shown(input.top, input.chosen, shown, count), shown};
}

// Candidates in a column above the line, the chosen one marked; a window over long lists.
void draw_candidates(Canvas& canvas, int y, const UiState& state, const UiContext& ui) {
  const InputLine& input = state.input;
  std::vector<std::string> names = input.completions;
  if (names.empty()) names = completions(state, ui, input.text);
  if (names.empty()) return;
  int count = static_cast<int>(names.size());
  const auto [begin, first, shown] = candidates_shown(input, count, y);
  if (shown <= 0) return;
  int width = 0;
  for (const std::string& name : names) width = std::max(width, display_width(name));
  int columns = canvas.size().columns;
  draw_rule(canvas, 0, begin - 1, columns, state.ascii);
  for (int i = 0; i < shown; ++i) {
    int line = begin + i, index = first + i;
    const std::string& name = names[static_cast<std::size_t>(index)];
    canvas.fill(0, line, columns, 1, " ");
    bool chosen = index == input.chosen;
    Pen pen(canvas, 1, line, columns - 1, state.ascii);
    pen.put(name, chosen ? Style(Role::accent).with_bold() : Style(Role::text))
        .to(1 + std::min(width, 40))
        .skip(2);
    pen.put(told(state, command_help(name)), Role::dim);
    if (chosen) canvas.put(0, line, glyphs(state.ascii).pointer, Style(Role::accent).with_bold());
  }
}

// The offer that Enter takes, or what is typed stands for; -1: none.
int offer_marked(const UiState& state) {
  if (state.input.chosen >= 0) return state.input.chosen;
  if (offer_to_take(state)) return 0;
  const std::optional<std::size_t> typed = offer_as_typed(state);
  return typed ? static_cast<int>(*typed) : -1;
}

// How many lines of the list there is room for above line y: a menu is read, a palette leaves the screen in
// view.
ListShown offers_shown(const UiState& state, int y) {
  const InputLine& input = state.input;
  const int count = static_cast<int>(input.offers.size());
  const int shown = std::min({count, input.kind == InputKind::menu ? count : most_shown(y), y - kBelowTitle});
  return {y - shown, first_shown(input.top, offer_marked(state), shown, count), shown};
}

// What stands behind the name of an offer: what it does, or why not now.
std::string said_of(const Offer& offer, const UiState& state) {
  return told(state, offer.reason.empty() ? offer.help : offer.reason);
}

// Where names and what is said of them begin.
struct OfferColumns {
  int key = 0, name = 0;
  int said(bool menu) const { return 1 + (menu ? key + 1 : 0) + name + 2; }
};
OfferColumns columns_of(const InputLine& input) {
  OfferColumns cells;
  for (const Offer& offer : input.offers) {
    cells.name = std::max(cells.name, display_width(offer.name));
    cells.key = std::max(cells.key, display_width(offer.key));
  }
  cells.name = std::min(cells.name, kNameCells);
  return cells;
}

// Lines under a menu for all of what is said of its chosen line, where that is cut for some of them; as many
// for each of them, so that the list keeps its place. With a rule above.
int lines_said(const UiState& state, int columns, int y) {
  const InputLine& input = state.input;
  if (input.kind != InputKind::menu || y < kRoomForAll) return 0;
  const int room = columns - 1 - columns_of(input).said(true);
  int lines = 0;
  for (const Offer& offer : input.offers) {
    const std::string said = said_of(offer, state);
    if (display_width(said) > room) lines = std::max(lines, static_cast<int>(wrap(said, columns - 2).size()));
  }
  return lines > 0 ? lines + 1 : 0;
}

void draw_said(Canvas& canvas, int y, int lines, const Offer& offer, const UiState& state) {
  const int columns = canvas.size().columns;
  draw_rule(canvas, 0, y, columns, state.ascii);
  canvas.fill(0, y + 1, columns, lines - 1, " ");
  const std::vector<std::string> said = wrap(said_of(offer, state), columns - 2);
  for (int i = 0; i + 1 < lines && i < static_cast<int>(said.size()); ++i)
    canvas.put(1, y + 1 + i, said[static_cast<std::size_t>(i)],
               offer.reason.empty() ? Role::text : Role::warning);
}

// The keys of a menu stand first, as in the help; those of a palette last, to be learned in passing.
void draw_offer(Canvas& canvas, int y, const Offer& offer, int name_cells, int key_cells, bool menu,
                const UiState& state) {
  const int columns = canvas.size().columns;
  const bool usable = offer.reason.empty();
  int end = columns - 1;
  Pen pen(canvas, 1, y, end, state.ascii);
  if (menu) pen.put(offer.key, usable ? Role::key : Role::dim).to(2 + key_cells);
  if (!menu && !offer.key.empty()) end = put_right(canvas, end, y, offer.key, Role::key) - 1;
  Pen words(canvas, pen.x(), y, end, state.ascii);
  words.put(offer.name, usable ? Role::text : Role::dim).to(pen.x() + name_cells).skip(2);
  if (offer.recent) words.put(told(state, "again") + ": ", Role::dim);
  words.put(said_of(offer, state), usable ? Role::dim : Role::warning);
}

void draw_offers(Canvas& canvas, int y, const UiState& state) {
  const InputLine& input = state.input;
  const int said = lines_said(state, canvas.size().columns, y);
  y -= said;
  const auto [begin, first, shown] = offers_shown(state, y);
  if (shown <= 0) return;
  const bool menu = input.kind == InputKind::menu;
  const int taken = offer_marked(state);
  const OfferColumns cells = columns_of(input);
  const int columns = canvas.size().columns;
  const int above = begin - 1;
  if (above > kBelowTitle)
    draw_rule(canvas, 0, above, columns, state.ascii);
  else
    draw_rule(canvas, 0, kBelowTitle - 1, columns, state.ascii);  // which names the page beside a list
  if (above == kBelowTitle) canvas.fill(0, above, columns, 1, " ");
  for (int i = 0; i < shown; ++i) {
    const int line = begin + i, index = first + i;
    canvas.fill(0, line, columns, 1, " ");
    draw_offer(canvas, line, input.offers[static_cast<std::size_t>(index)], cells.name, cells.key, menu,
               state);
    if (index != taken) continue;
    canvas.mark_selected(1, line, columns - 1);
    canvas.put(0, line, glyphs(state.ascii).pointer, Style(Role::accent).with_bold());
  }
  if (said > 0) draw_said(canvas, y, said, input.offers[static_cast<std::size_t>(std::max(0, taken))], state);
}

}  // namespace

void draw_prompt(Canvas& canvas, int y, const UiState& state, const UiContext& ui) {
  const InputLine& input = state.input;
  int width = canvas.size().columns;
  const bool offers = input.kind == InputKind::command || input.kind == InputKind::menu;
  if (offers && input.completions.empty())
    draw_offers(canvas, y, state);
  else if (offers || input.chosen >= 0)
    draw_candidates(canvas, y, state, ui);
  canvas.fill(0, y, width, 1, " ");
  int end = width - 1;
  if (!input.error.empty()) {
    int room = std::max(10, width / 2);
    end =
        put_right(canvas, end, y, shorten(told(state, input.error), room, state.ascii), Style(Role::danger)) -
        1;
  } else if (input.kind == InputKind::filter && is_table(state.top().kind)) {
    const DerivedRows& derived = state.top().derived;
    std::string found = std::to_string(derived.rows.size()) + " of " + std::to_string(derived.total);
    end = put_right(canvas, end, y, found, Role::dim) - 1;
  }
  if (offers && input.error.empty() && input.offered_of > 0)  // "0 of 98" where nothing matches
    end =
        put_right(canvas, end, y, fmt::format("{} of {}", input.offers.size(), input.offered_of), Role::dim) -
        1;
  std::string lead = input.kind == InputKind::filter ? "/"
                     : input.kind == InputKind::menu ? " " + told(state, "actions") + " "
                                                     : ":";
  if (input.kind == InputKind::arm && state.arming) {
    lead = " " + told(state, arming_prompt(*state.arming)) + ": ";
    if (input.error.empty())
      end = put_right(canvas, end, y, told(state, first_key(state, Action::input_cancel) + " cancels"),
                      Role::dim) -
            1;
  }
  int start_x = canvas.put(0, y, lead, Style(Role::accent).with_bold());
  // A line longer than its room shows the part around the cursor.
  std::string_view text = input.text;
  int room = std::max(1, end - start_x - 1);
  std::size_t start = 0;
  while (display_width(text.substr(start, input.cursor - start)) >= room) {
    ++start;
    while (start < text.size() && (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80) ++start;
  }
  canvas.put(start_x, y, text.substr(start), Role::input, end);
  canvas.show_cursor(start_x + display_width(text.substr(start, input.cursor - start)), y);
}

namespace {

constexpr int kChoiceHelp = 19;      // where the help of a column begins
constexpr int kChoiceHelpLines = 2;  // for that of the row under the cursor

// Where the help of a column is cut beside it, that of the one under the cursor stands in full below the
// list: the lines that this takes.
int choice_help_lines(Rect area, const UiState& state) {
  std::span<const ColumnInfo> columns = column_infos(state.top().kind);
  const int room = area.width - kChoiceHelp - 1;
  const auto is_cut = [&](const ColumnInfo& one) { return display_width(told(state, one.help)) > room; };
  if (area.height < 12 || std::none_of(columns.begin(), columns.end(), is_cut)) return 0;
  return kChoiceHelpLines + 1;
}

void draw_choice_help(Canvas& canvas, Rect area, const UiState& state) {
  if (choice_help_lines(area, state) == 0) return;
  std::span<const ColumnInfo> columns = column_infos(state.top().kind);
  const ColumnInfo& under = columns[static_cast<std::size_t>(state.choice.cursor)];
  std::vector<std::string> lines = wrap(told(state, under.help), area.width - 4);
  keep_lines(lines, kChoiceHelpLines);
  int y = area.bottom() - kChoiceHelpLines;
  draw_rule(canvas, area.x + 1, y - 1, area.width - 1, state.ascii);
  for (const std::string& line : lines) canvas.put(area.x + 2, y++, line, Role::text);
}

// How wide the list of columns is: as what the columns are said to hold, where the table keeps room beside
// it; where a page stands beside the table, the list takes the place of that.
int choice_width(Rect body, const UiState& state) {
  constexpr int kNarrowest = 58, kWidest = 84;
  const int page = body.width - list_width(state);
  if (page > kNarrowest) return page;
  return std::min(body.width, std::clamp(body.width * 3 / 5, kNarrowest, kWidest));
}

// The list of columns at the right edge of the body; its heading stands in the first line of `area`.
struct ChoiceShown {
  Rect area;
  int top = 0, height = 0;
};
ChoiceShown choice_shown(Rect body, const UiState& state) {
  const int width = choice_width(body, state),
            count = static_cast<int>(column_infos(state.top().kind).size());
  const Rect area{body.right() - width, body.y, width, body.height};
  const int height = body.height - 1 - choice_help_lines(area, state);
  return {area, first_shown(state.choice.top, state.choice.cursor, height, count), height};
}

// What the list covers of a cell goes on behind it: a number without its last digits is another number.
void mark_cut_cells(Canvas& canvas, Rect covered, bool ascii) {
  const int last = covered.x - 1;
  if (last < 0) return;
  for (int y = covered.y; y < covered.bottom(); ++y) {
    const Cell &left = canvas.at(last, y), &right = canvas.at(covered.x, y);
    if (left.glyph != " " && right.glyph != " ") canvas.put(last, y, ascii ? "~" : "…", left.style);
  }
}

}  // namespace

void draw_choice(Canvas& canvas, Rect body, const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  std::span<const ColumnInfo> columns = column_infos(screen.kind);
  int count = static_cast<int>(columns.size());
  const auto [area, top, height] = choice_shown(body, state);
  const int width = area.width, x = area.x;
  mark_cut_cells(canvas, area, state.ascii);
  canvas.fill(x, body.y, width, body.height, " ");
  for (int y = 0; y < body.height; ++y) canvas.put(x, body.y + y, glyphs(state.ascii).wall, Role::rule);
  bool sorting = state.choice.kind == ChoiceKind::sort;
  Pen head(canvas, x + 2, body.y, body.right(), state.ascii);
  head.put(sorting ? "SORT BY" : "COLUMNS", Style(Role::heading).with_bold()).skip(2);
  head.put(told(state, sorting ? "Enter sorts, again turns around"
                               : first_key(state, Action::choice_toggle) + " shows or hides"),
           Role::dim);
  std::vector<int> shown = shown_columns(state, ui, screen);
  draw_choice_help(canvas, area, state);
  if (count > height)
    put_right(canvas, body.right() - 1, body.y, fmt::format("{}-{} of {}", top + 1, top + height, count),
              Role::dim);
  for (int i = 0; i < height && top + i < count; ++i) {
    int index = top + i, y = body.y + 1 + i;
    const ColumnInfo& column = columns[static_cast<std::size_t>(index)];
    bool on = std::find(shown.begin(), shown.end(), index) != shown.end();
    bool sorted = !screen.sorts.empty() && screen.sorts.front().column == index;
    std::string_view box = on ? "[x] " : "[ ] ";
    if (sorting) {
      const Glyphs& shapes = glyphs(state.ascii);
      box = !sorted                           ? std::string_view(" ")
            : screen.sorts.front().descending ? shapes.descending
                                              : shapes.ascending;
    }
    bool selected = index == state.choice.cursor;
    Pen pen(canvas, x + 2, y, body.right() - 1, state.ascii);
    pen.put(box, on || sorted ? Role::accent : Role::dim);
    pen.to(x + 6).put(column.title, selected ? Style(Role::text).with_bold() : Style(Role::text));
    pen.to(x + kChoiceHelp).put(told(state, column.help), Role::dim);
    if (!selected) continue;
    canvas.mark_selected(x + 2, y, width - 2);
    canvas.put(x + 1, y, glyphs(state.ascii).pointer, Style(Role::accent).with_bold());
  }
}

ListHit choice_at(Rect body, const UiState& state, int x, int y) {
  const auto [area, top, height] = choice_shown(body, state);
  ListHit hit{x >= area.x && x < area.right() && y >= area.y && y < area.bottom(), {}, top};
  const int line = y - area.y - 1, count = static_cast<int>(column_infos(state.top().kind).size());
  if (hit.inside && line >= 0 && line < height && top + line < count) hit.entry = top + line;
  return hit;
}

ListHit candidate_at(const UiState& state, int prompt, int y) {
  const InputLine& input = state.input;
  const int completions = static_cast<int>(input.completions.size());
  const ListShown list = completions > 0
                             ? candidates_shown(input, completions, prompt)
                             : offers_shown(state, prompt - lines_said(state, state.size.columns, prompt));
  ListHit hit{y >= list.y - 1, {}, list.first};  // with the rule above it
  if (y >= list.y && y < list.y + list.shown) hit.entry = list.first + y - list.y;
  return hit;
}

}  // namespace tessera::tui
