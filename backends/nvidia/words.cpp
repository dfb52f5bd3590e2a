#include "backends/nvidia/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/ascii.hpp"
#include "engine/number.hpp"
#include "engine/text.hpp"

namespace tessera::nvidia {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

bool has(std::string_view text, std::string_view folded) { return contains_folded(text, folded); }

std::string hint_for(std::string_view words) {
  if (has(words, "insufficient permissions")) return "nvidia-smi must run as root to see MIG instances";
  if (has(words, "couldn't communicate") || has(words, "driver/library version"))
    return "the driver on the node is not loaded, or another version than its tools: reload it or reboot";
  if (has(words, "not found") || has(words, "no such file"))
    return "install the NVIDIA driver on the node, or say where nvidia-smi is";
  return "";
}

}  // namespace

bool Lines::next() {
  if (rest_.data() == nullptr || rest_.empty()) return false;
  std::size_t end = std::min(rest_.find('\n'), rest_.size());
  line_ = trimmed(rest_.substr(0, end));
  rest_.remove_prefix(std::min(rest_.size(), end + 1));
  ++number_;
  return true;
}

std::string_view trimmed(std::string_view text) { return tessera::trimmed(text, kBlanks); }

Words words_of(std::string_view line) {
  Words words;
  while (!line.empty()) {
    std::size_t begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) break;
    std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
  return words;
}

std::optional<int> number(std::string_view word, int most) { return whole_number(word, most); }

std::optional<double> decimal(std::string_view word) {
  double value = 0;
  auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value, std::chars_format::fixed);
  if (code != std::errc() || end != word.data() + word.size()) return std::nullopt;
  if (!(value >= 0 && value <= 1e9)) return std::nullopt;
  return value;
}

std::optional<int> number_after(const Words& words, std::span<const std::string_view> these) {
  auto at = std::search(words.begin(), words.end(), these.begin(), these.end());
  if (at == words.end()) return std::nullopt;
  at += static_cast<std::ptrdiff_t>(these.size());
  if (at == words.end()) return std::nullopt;
  std::string_view word = *at;
  while (!word.empty() && (word.back() == ':' || word.back() == ')' || word.back() == '.'))
    word.remove_suffix(1);
  return number(word);
}

std::optional<StartSize> start_size(std::string_view word) {
  std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::optional<int> start = number(word.substr(0, colon), 255), size = number(word.substr(colon + 1), 255);
  if (!start || !size || *size == 0) return std::nullopt;
  return StartSize{*start, *size};
}

Error unreadable(std::string_view command, int line, std::string_view why, std::string_view text) {
  return {fmt::format("cannot read what {} printed", command),
          fmt::format("line {}: {}: {}", line, why, clean(text, 200)),
          "another version of the driver may print it differently: please report the text"};
}

Error refused(std::string_view command, std::string_view words) {
  std::string said = clean(words, 400);
  return {fmt::format("{} gives no listing", command), said, hint_for(said)};
}

std::optional<Error> no_answer(std::string_view command, std::string_view text) {
  if (text.size() > kMostText)
    return Error{fmt::format("cannot read what {} printed", command),
                 fmt::format("it is {} MiB long", text.size() >> 20), ""};
  if (text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos)
    return Error{fmt::format("{} gives no listing", command), "it printed nothing", ""};
  return std::nullopt;
}

}  // namespace tessera::nvidia
