// A time zone as the system's database has it (TZif, RFC 8536): what clocks show there at a moment, and when
// they show a time. Who reads the file passes its bytes in.
// Threads: plain values, pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/units.hpp"

namespace tessera::fleet {

// Wall time: days since 1970-01-01 and minutes of that day.
struct LocalTime {
  std::chrono::sys_days day{};
  int minutes = 0;
  friend auto operator<=>(const LocalTime&, const LocalTime&) = default;
};

class Zone {
 public:
  Zone() = default;  // UTC
  std::chrono::seconds offset_at(TimePoint at) const;
  LocalTime local(TimePoint at) const;
  // When clocks show that time first; where they leap over it, the moment at which they do. minutes may be
  // 1440: the next midnight.
  TimePoint moment(LocalTime local) const;

 private:
  friend Result<Zone> read_zone(std::string_view bytes, std::string_view name);
  // A day on which the clocks change, each year: the `week`th (5: the last) `weekday` of `month`, or a day of
  // the year.
  struct Switch {
    enum class Kind : std::uint8_t { month, julian, zero_based } kind = Kind::month;
    int month = 1, week = 1, day = 0;
    int seconds = 7200;  // after that day's midnight, by the clocks before
  };
  struct Rule {
    int standard = 0, summer = 0;  // seconds east of Greenwich
    std::optional<Switch> begin, end;
  };
  static std::optional<Rule> parse_rule(std::string_view text);
  static std::int64_t seconds_of(const Switch& when, std::chrono::year year);
  std::int64_t offset(std::int64_t at) const;
  std::int64_t offset_by_rule(std::int64_t at) const;

  std::vector<std::int64_t> changes_;  // seconds since 1970, rising
  std::vector<std::int32_t> offsets_;  // from each change on
  std::int32_t first_ = 0;             // before them
  std::optional<Rule> rule_;           // after them
};

// name: for messages. Errors: not a file of that form, cut off, or with times out of order.
Result<Zone> read_zone(std::string_view bytes, std::string_view name);

}  // namespace tessera::fleet
