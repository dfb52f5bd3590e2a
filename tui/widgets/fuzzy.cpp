#include "tui/widgets/fuzzy.hpp"

#include <algorithm>

namespace tessera::tui {
namespace {

constexpr int kExact = 1000, kStart = 500, kWord = 300, kInside = 200;
constexpr int kTogether = 8, kWordStart = 12, kLetter = 1;

char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool same(char a, char b) { return folded(a) == folded(b); }

bool starts_word(std::string_view name, std::size_t at) {
  if (at == 0) return true;
  const char before = name[at - 1];
  return before == '-' || before == '_' || before == '/' || before == '.' || before == ' ' || before == ':';
}

// Where `typed` stands in one piece, at the start of a word if it does so anywhere.
std::size_t piece(std::string_view typed, std::string_view name) {
  std::size_t found = std::string_view::npos;
  for (auto from = name.begin(); from != name.end();) {
    from = std::search(from, name.end(), typed.begin(), typed.end(), same);
    if (from == name.end()) break;
    const auto at = static_cast<std::size_t>(from - name.begin());
    if (starts_word(name, at)) return at;
    if (found == std::string_view::npos) found = at;
    ++from;
  }
  return found;
}

// Letters in their order with others between them.
std::optional<int> scattered(std::string_view typed, std::string_view name) {
  int score = 0;
  std::size_t at = 0, last = std::string_view::npos;
  for (char wanted : typed) {
    while (at < name.size() && !same(name[at], wanted)) ++at;
    if (at == name.size()) return std::nullopt;
    score += kLetter;
    if (last != std::string_view::npos && at == last + 1) score += kTogether;
    if (starts_word(name, at)) score += kWordStart;
    last = at++;
  }
  return score;
}

}  // namespace

std::optional<int> fuzzy_score(std::string_view typed, std::string_view name) {
  if (typed.empty()) return 0;
  if (typed.size() > name.size()) return std::nullopt;
  const int length = static_cast<int>(std::min<std::size_t>(name.size(), 99));
  const std::size_t at = piece(typed, name);
  if (at == 0) return (typed.size() == name.size() ? kExact : kStart) - length;
  if (at != std::string_view::npos) return (starts_word(name, at) ? kWord : kInside) - length;
  const std::optional<int> score = scattered(typed, name);
  return score ? std::optional(std::min(*score, kInside - 100)) : std::nullopt;
}

}  // namespace tessera::tui
