#include "engine/plan/facts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::plan {
namespace {

constexpr std::string_view kSign = "tessera ";
constexpr std::size_t kLongestFact = 120;

bool is_plain(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.';
}
bool plain(std::string_view text) {
  return !text.empty() && text.size() <= kLongestFact && std::all_of(text.begin(), text.end(), is_plain);
}

// User names of a domain carry a backslash or '@'; what stands in free text must be found again in it.
std::string fit(std::string_view text) {
  std::string fitted(text.substr(0, kLongestFact));
  for (char& c : fitted)
    if (!is_plain(static_cast<unsigned char>(c))) c = '_';
  return fitted.empty() ? "unknown" : fitted;
}

}  // namespace

std::string to_text(const RunMark& mark) {
  return fmt::format("{}{} {}@{}", kSign, fit(mark.run), fit(mark.who), fit(mark.from));
}

std::optional<RunMark> parse_mark(std::string_view text) {
  if (!text.starts_with(kSign)) return std::nullopt;
  text.remove_prefix(kSign.size());
  auto blank = text.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  RunMark mark;
  mark.run = text.substr(0, blank);
  text.remove_prefix(blank + 1);
  // Words may follow after a blank or a colon.
  text = text.substr(0, text.find_first_of(" :"));
  auto at = text.find('@');
  if (at == std::string_view::npos) return std::nullopt;
  mark.who = text.substr(0, at);
  mark.from = text.substr(at + 1);
  if (!plain(mark.run) || !plain(mark.who) || !plain(mark.from)) return std::nullopt;
  return mark;
}

}  // namespace tessera::plan
