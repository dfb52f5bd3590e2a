#include "tui/screens/folded_foot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace tessera::tui {
namespace {

constexpr int kAround = 4;   // rows of the title, of the keys and of the rules beside them
constexpr int kFewest = 2;   // lines: a first one, and that there are more
constexpr int kMargins = 3;  // cells beside a sentence

// Whether a text goes on in the next line: a fact does where that has no label, a sentence where it ends for
// want of room for a word.
bool goes_on(const DocLine& line, const DocLine& next, int width) {
  if (line.spans.empty() || next.spans.empty()) return false;
  const std::string& text = next.spans.front().text;
  if (next.spans.size() > 1) return text.find_first_not_of(' ') == std::string::npos;
  if (line.spans.size() > 1) return false;
  const std::string word = text.substr(0, text.find(' '));
  return display_width(line.spans.front().text) + 1 + display_width(word) > width - kMargins;
}

}  // namespace

// The rule above the foot belongs to it.
std::size_t most_foot_lines(const UiState& state, Lists lists) {
  const int body = std::max(0, state.size.rows - kAround);
  const int part = lists == Lists::one ? body * 2 / 5 : body / 5;
  return static_cast<std::size_t>(std::max(kFewest, part - 1));
}

void fold_foot(Document& foot, std::size_t most, Document& list, int width, const UiState& state,
               const std::string& id) {
  if (foot.size() <= most) return;
  const auto rest = foot.begin() + static_cast<std::ptrdiff_t>(most - 1);
  const auto count = static_cast<std::size_t>(foot.end() - rest);
  // What follows here is another sentence.
  const bool cut = most > 1 && goes_on(foot[most - 2], *rest, width);
  if (!list.empty()) list.push_back({});
  for (auto line = rest; line != foot.end(); ++line) {
    if (!id.empty()) line->id = fmt::format("{}{}", id, line - foot.begin());
    list.push_back(std::move(*line));
  }
  foot.erase(rest, foot.end());
  if (cut) foot.back().spans.push_back({state.ascii ? "~" : "…", Role::dim});
  foot.push_back(
      {{{told(state, fmt::format("{} more lines stand at the end of the list", count)), Role::dim, 1}}, {}});
}

}  // namespace tessera::tui
