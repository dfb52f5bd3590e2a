#include "engine/slurmconf/minors.hpp"

#include "engine/number.hpp"
#include "engine/text.hpp"

namespace tessera::slurmconf {
namespace {

constexpr int kMostLines = 100'000;

// Takes `word` and a number behind it off the front.
bool take(std::string_view& text, std::string_view word, int& value) {
  if (!text.starts_with(word)) return false;
  std::string_view rest = text.substr(word.size());
  const auto number = take_number(rest);
  if (!number) return false;
  value = *number;
  text = rest;
  return true;
}

Error unreadable(int number, std::string_view line) {
  return {"cannot read mig-minors", "line " + std::to_string(number) + ": " + clean(line, 80),
          "expected /proc/driver/nvidia-caps/mig-minors, lines like \"gpu0/gi7/access 66\""};
}

}  // namespace

Result<Minors> Minors::parse(std::string_view text) {
  Minors minors;
  for (int number = 1; !text.empty(); ++number) {
    std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (!line.starts_with("gpu")) {
      if (line.empty() || line.starts_with("config ") || line.starts_with("monitor ")) continue;
      return unreadable(number, line);
    }
    std::string_view rest = line;
    int gpu = 0, gi = 0, ci = -1, minor = 0;
    bool read = take(rest, "gpu", gpu) && take(rest, "/gi", gi);
    if (read && rest.starts_with("/ci")) read = take(rest, "/ci", ci);
    if (!read || !take(rest, "/access ", minor) || !rest.empty() || number > kMostLines)
      return unreadable(number, line);
    minors.minors_[{gpu, gi, ci}] = minor;
  }
  return minors;
}

std::optional<int> Minors::find(int gpu, int gi, int ci) const {
  auto found = minors_.find({gpu, gi, ci});
  if (found == minors_.end()) return std::nullopt;
  return found->second;
}

std::optional<int> usual_instance_id(int units, Placement at) {
  if (units <= 0 || at.size <= 0 || at.start < 0 || at.start + at.size > units || units % at.size != 0 ||
      at.start % at.size != 0)
    return std::nullopt;
  return units / at.size - 1 + at.start / at.size;
}

}  // namespace tessera::slurmconf
