#include "tui/language/pattern.hpp"

#include <algorithm>

namespace tessera::tui {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Place {
  std::size_t length = 0;  // with both braces
  std::optional<std::size_t> argument;
};

// "{}", "{1}", "{:>5}"; names and places inside of places are text.
std::optional<Place> take_place(std::string_view text) {
  const std::size_t end = text.find('}');
  if (!text.starts_with('{') || end == std::string_view::npos) return std::nullopt;
  const std::string_view inside = text.substr(1, end - 1);
  const std::string_view name = inside.substr(0, inside.find(':'));
  const bool number = std::all_of(name.begin(), name.end(), is_digit) && name.size() < 3;
  if (!number || inside.find('{') != std::string_view::npos) return std::nullopt;
  Place place{end + 1, std::nullopt};
  if (!name.empty()) place.argument = static_cast<std::size_t>(std::stoul(std::string(name)));
  return place;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0; }

constexpr std::string_view kComma = ", ";

// Lists stand before counts ("of alice, frank, 12 GPUs"): the commas in front of the last one belong to the
// list. `text` begins behind the first comma, `at` is where its place ends in it; returns where it ends then.
std::size_t behind_list(std::string_view& text, std::size_t at, std::string_view& list) {
  const std::size_t comma = text.substr(0, at).rfind(kComma);
  if (comma == std::string_view::npos) return at;
  const std::size_t taken = comma + kComma.size();
  list = {list.data(), list.size() + kComma.size() + comma};
  text.remove_prefix(taken);
  return at - taken;
}

}  // namespace

Pattern::Pattern(std::string_view text) {
  literals_.emplace_back();
  std::size_t next = 0;
  while (true) {
    // Up to the next brace at once: a catalogue has thousands of texts, and a console reads all of them as it
    // starts.
    const std::size_t plain = std::min(text.find_first_of("{}"), text.size());
    literals_.back() += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    if (text.starts_with("{{") || text.starts_with("}}")) {
      literals_.back() += text.front();
      text.remove_prefix(2);
    } else if (const auto place = take_place(text)) {
      order_.push_back(place->argument.value_or(next));
      ++next;
      literals_.emplace_back();
      text.remove_prefix(place->length);
    } else {
      literals_.back() += text.front();
      text.remove_prefix(1);
    }
  }
  for (const std::string& literal : literals_)
    weight_ += static_cast<std::size_t>(std::count_if(literal.begin(), literal.end(), is_letter));
}

std::optional<std::vector<std::string_view>> Pattern::match(std::string_view text) const {
  const std::string& last = literals_.back();
  if (!text.starts_with(first())) return std::nullopt;
  text.remove_prefix(first().size());
  if (order_.empty()) return text.empty() ? std::optional(std::vector<std::string_view>()) : std::nullopt;
  if (!text.ends_with(last)) return std::nullopt;
  std::vector<std::string_view> found;
  for (std::size_t i = 0; i + 1 < order_.size(); ++i) {
    const std::string& literal = literals_[i + 1];
    std::size_t at = text.find(literal);
    if (at == std::string_view::npos || at + literal.size() + last.size() > text.size()) return std::nullopt;
    if (i > 0 && literals_[i] == kComma) at = behind_list(text, at, found.back());
    found.push_back(text.substr(0, at));
    text.remove_prefix(at + literal.size());
  }
  std::size_t end = text.size() - last.size();
  if (!found.empty() && !last.empty() && literals_[found.size()] == kComma)
    end = behind_list(text, end, found.back());
  found.push_back(text.substr(0, end));
  const std::size_t most = *std::max_element(order_.begin(), order_.end());
  std::vector<std::string_view> arguments(most + 1);
  std::vector<bool> seen(most + 1);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (seen[order_[i]] && arguments[order_[i]] != found[i]) return std::nullopt;
    arguments[order_[i]] = found[i], seen[order_[i]] = true;
  }
  return arguments;
}

std::string Pattern::fill(const std::vector<std::string>& arguments) const {
  std::string text = literals_.front();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (order_[i] < arguments.size()) text += arguments[order_[i]];
    text += literals_[i + 1];
  }
  return text;
}

}  // namespace tessera::tui
