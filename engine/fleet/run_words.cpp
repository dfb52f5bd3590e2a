#include "engine/fleet/run_words.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "engine/time.hpp"

namespace tessera::fleet {
namespace {

std::string name_in(const std::string& path) { return path.substr(path.rfind('/') + 1); }  // npos + 1 is 0

constexpr std::string_view kAs = "as ", kSays = " says", kSaysFrom = " says from ";

}  // namespace

std::string words_of(const std::string& file) { return fmt::format("as {} says", file); }
std::string words_of(const OfWindow& window) {
  return fmt::format("as {} says from {}", window.file, utc_text(window.from));
}

std::optional<std::string> file_of(const RunHead& head) {
  if (auto window = window_of(head)) return std::move(window->file);
  if (!head.words.starts_with(kAs) || !head.words.ends_with(kSays)) return std::nullopt;
  if (head.words.size() <= kAs.size() + kSays.size()) return std::nullopt;
  return head.words.substr(kAs.size(), head.words.size() - kAs.size() - kSays.size());
}

std::optional<OfWindow> window_of(const std::string& words) {
  const std::size_t at = words.rfind(kSaysFrom);
  if (at == std::string::npos || at < kAs.size() || !words.starts_with(kAs)) return std::nullopt;
  const auto from = parse_utc(words.substr(at + kSaysFrom.size()));
  if (!from) return std::nullopt;
  return OfWindow{words.substr(kAs.size(), at - kAs.size()), *from};
}

std::optional<OfWindow> window_of(const RunHead& head) { return window_of(head.words); }

bool is_for_a_window(const RunHead& head) {
  const auto window = window_of(head);
  return window && window->file.starts_with('/') && head.undoes.empty();
}

bool may_be_of(const RunHead& head, const std::string& path) {
  const std::optional<std::string> file = file_of(head);
  if (!file) return false;
  const bool whole = file->starts_with('/') && path.starts_with('/');
  return whole ? *file == path : name_in(*file) == name_in(path);
}

}  // namespace tessera::fleet
