// Reads settings one by one, each checked, and keeps the first complaint. For the files that turn settings
// into values; nothing else. Threads: one owner.
#pragma once

#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "engine/error.hpp"
#include "engine/text.hpp"
#include "tui/cli/settings.hpp"

namespace tessera::cli {

inline constexpr std::string_view kReadingSettings = "cannot use this setting";
inline constexpr Duration kShortest{1000};  // between two looks at a cluster
inline constexpr Duration kDay{24LL * 3'600'000};
inline constexpr Duration kLongest{24LL * 3'600'000};
// What may last so long is thought of in days: `--keep 30` as 30 seconds would delete a recording.
inline constexpr Duration kInDays = 365 * kDay;

inline Error bad(const std::string& name, const Setting& setting, const std::string& hint) {
  // A flag is its own name; of a file or a variable it is said which setting is meant.
  const std::string which = setting.from == "--" + name ? setting.from : setting.from + ": " + name;
  return Error{std::string(kReadingSettings), which + ": \"" + clean(setting.value, 200) + "\"", hint};
}

inline std::optional<bool> switch_value(std::string_view text) {
  std::string folded = lower(text);
  if (folded == "true" || folded == "yes" || folded == "on" || folded == "1") return true;
  if (folded == "false" || folded == "no" || folded == "off" || folded == "0") return false;
  return std::nullopt;
}

// Reads settings one by one and keeps the first complaint.
class SettingReader {
 public:
  explicit SettingReader(const Settings& settings) : settings_(settings) {}

  const Setting* find(const std::string& name) const {
    auto it = settings_.find(name);
    return it == settings_.end() || it->second.value.empty() ? nullptr : &it->second;
  }
  std::string text(const std::string& name) const {
    const Setting* setting = find(name);
    return setting ? setting->value : "";
  }
  bool on(const std::string& name) {
    const Setting* setting = find(name);
    if (!setting) return false;
    auto value = switch_value(setting->value);
    if (!value) complain(bad(name, *setting, "true or false"));
    return value.value_or(false);
  }
  // yes, no, or not given.
  std::optional<bool> choice(const std::string& name) {
    const Setting* setting = find(name);
    if (!setting) return std::nullopt;
    auto value = switch_value(setting->value);
    if (!value) complain(bad(name, *setting, "yes or no"));
    return value;
  }
  std::optional<Duration> duration(const std::string& name, Duration longest = kLongest,
                                   const std::string& hint = "a time from 1s to 24h, like 10, 30s or 2m") {
    const Setting* setting = find(name);
    if (!setting) return std::nullopt;
    auto value = parse_duration(setting->value);
    if (!value || *value < kShortest || *value > longest)
      complain(bad(name, *setting, hint));
    else if (longest >= kInDays && std::isdigit(static_cast<unsigned char>(setting->value.back())))
      complain(bad(name, *setting, "a time with its unit, like 30d for days or 12h for hours"));
    return value;
  }
  template <class Number>
  std::optional<Number> number(const std::string& name, const std::string& hint) {
    const Setting* setting = find(name);
    if (!setting) return std::nullopt;
    const std::string& text = setting->value;
    Number value{};
    auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool good = problem == std::errc{} && end == text.data() + text.size() && value >= Number{};
    if constexpr (std::is_floating_point_v<Number>) good = good && std::isfinite(value);
    if (!good) {
      complain(bad(name, *setting, hint));
      return std::nullopt;
    }
    return value;
  }
  std::optional<int> whole(const std::string& name, int least, int most, const std::string& hint) {
    const std::optional<int> value = number<int>(name, hint);
    if (!value || (*value >= least && *value <= most)) return value;
    complain(bad(name, *find(name), hint));
    return std::nullopt;
  }
  // "20", "20 %" or "20%", within these bounds.
  std::optional<double> percent(const std::string& name, double least, double most, const std::string& hint) {
    const Setting* setting = find(name);
    if (!setting) return std::nullopt;
    std::string_view text = setting->value;
    if (text.ends_with('%')) text.remove_suffix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool good = problem == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
    if (good && value >= least && value <= most) return value;
    complain(bad(name, *setting, hint));
    return std::nullopt;
  }
  void complain(Error error) {
    if (!error_) error_ = std::move(error);
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const Settings& settings_;
  std::optional<Error> error_;
};

}  // namespace tessera::cli
