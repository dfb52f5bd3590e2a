// Help for the screen that one came from, made from the action table, with what the shapes mean.
#include <algorithm>

#include "engine/query/signs.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/screens.hpp"
#include "tui/widgets/tiles.hpp"

namespace tessera::tui {
namespace {

constexpr int kLeastColumn = 58;  // cells of one column of help

void add_action(Document& document, const UiState& state, const ActionInfo& action, int width) {
  std::string keys = keys_of(state, action.action);
  if (keys.empty()) keys = ":" + std::string(action.id);
  bool first = true;
  for (std::string& line : wrap(told(state, action.help), width - 20)) {
    DocLine entry;
    if (first) entry.spans.push_back({shorten(keys, 16, state.ascii), Role::key, 2});
    entry.spans.push_back({std::move(line), Role::text, 19});
    document.push_back(std::move(entry));
    first = false;
  }
}

Document legend(const UiState& state, int width) {
  const Glyphs& shapes = glyphs(state.ascii);
  auto bar = [](std::string_view glyph) {
    std::string text;
    for (int i = 0; i < 4; ++i) text += glyph;
    return text;
  };
  Document document{heading_line(told(state, "SHAPES"))};
  const auto add = [&](std::string sample, Style style, std::string_view meaning) {
    for (std::string& text : wrap(told(state, meaning), width - 20)) {
      document.push_back({{{std::move(sample), style, 2}, {std::move(text), Role::text, 19}}, {}});
      sample.clear();
    }
  };
  add(bar(shapes.held) + " 2g", Role::held, "held, with its holder");
  add(bar(shapes.free) + " 2g", Role::free, "a slice that is cut and free");
  add(bar(query::kNotCut), Role::dim, "not cut: room for another slice");
  add(bar(shapes.stranded), Role::stranded, "stranded: nothing fits while the rest stays");
  add(bar(shapes.created) + " + 2g", Role::created, "wanted: in a layout being edited");
  add(bar(shapes.closed), Role::dim, "closed: not held, and its node takes no jobs or pods");
  add(bar(shapes.unknown), Role::unknown, "not known");
  add("?", Role::unknown, "not reported yet");
  add("n/a", Role::dim, "not available from this source; never a zero");
  add("!! !", Role::danger, "broken, and worth a look");
  const bool ascii = state.ascii;
  add(ascii ? "3=== 1" : "3━━━ 1", Role::held, "held MIG slices: 3g of four cells, 1g of one");
  add(ascii ? "3--- o" : "③─── ○", Role::free, "free MIG slices");
  add(ascii ? ";3:: ;" : "▒3░░ ▒", Role::dim, "closed MIG slices");
  add("w m t s v", Role::text, "whole, MPS, time-slicing, shard, vGPU");
  document.push_back({});
  document.push_back(heading_line(told(state, "FILTERS")));
  add("alice", Role::input, "any column has it; !alice: none has");
  add("user=alice", Role::input, "that column is it; != : ~ as well");
  add("since>2h", Role::input, "numbers, times, memory: < <= > >=");
  add("a b | c", Role::input, "both of a and b, or c; \"two words\"");
  return document;
}

// Columns side by side: the second column's lines are written behind the first one's.
Document side_by_side(const std::vector<Document>& sections, int columns, int apart) {
  std::size_t total = 0;
  for (const Document& section : sections) total += section.size() + 1;
  std::size_t goal = (total + static_cast<std::size_t>(columns) - 1) / static_cast<std::size_t>(columns);
  std::vector<Document> stacks(1);
  for (const Document& section : sections) {
    bool full = stacks.back().size() + section.size() / 2 > goal;
    if (full && static_cast<int>(stacks.size()) < columns) stacks.emplace_back();
    if (!stacks.back().empty()) stacks.back().push_back({});
    stacks.back().insert(stacks.back().end(), section.begin(), section.end());
  }
  Document document;
  for (std::size_t column = 0; column < stacks.size(); ++column) {
    int shift = static_cast<int>(column) * apart;
    if (document.size() < stacks[column].size()) document.resize(stacks[column].size());
    for (std::size_t y = 0; y < stacks[column].size(); ++y)
      for (Span span : stacks[column][y].spans) {
        if (span.at >= 0) span.at += shift;
        document[y].spans.push_back(std::move(span));
      }
  }
  return document;
}

}  // namespace

Document help_document(const UiContext&, const UiState& state, int width) {
  const ScreenRow& about = row_of(state.top().about);
  std::vector<Document> sections;
  const int columns = std::max(1, width / kLeastColumn), apart = width / columns;
  const int column_width = columns > 1 ? apart - 2 : width;
  Document here{heading_line(told(state, "ON THIS SCREEN"), std::string(about.word))};
  for (Action action : about.hints) add_action(here, state, info(action), column_width);
  for (std::span<const Scope> scopes : {about.scopes, about.asks})
    for (Scope scope : scopes)
      for (const ActionInfo& action : actions())
        if (action.scope == scope) add_action(here, state, action, column_width);
  if (here.size() > 1) sections.push_back(std::move(here));
  sections.push_back(legend(state, column_width));
  for (std::size_t group = 0; group < static_cast<std::size_t>(Group::count_); ++group) {
    std::string title_text(title(static_cast<Group>(group)));
    for (char& c : title_text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
    Document section{heading_line(told(state, title_text))};
    for (const ActionInfo& action : actions()) {
      // What works only on some screens, or only where a question waits, is told there.
      const bool everywhere =
          action.scope == Scope::global || action.scope == Scope::choice || action.scope == Scope::input;
      if (action.group == static_cast<Group>(group) && everywhere)
        add_action(section, state, action, column_width);
    }
    if (section.size() > 1) sections.push_back(std::move(section));
  }
  return side_by_side(sections, columns, apart);
}

}  // namespace tessera::tui
