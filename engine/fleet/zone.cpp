#include "engine/fleet/zone.hpp"

#include <algorithm>

#include "engine/text.hpp"

namespace tessera::fleet {
namespace {

constexpr std::int64_t kDay = 86'400;
constexpr std::size_t kHeader = 44;
constexpr std::uint32_t kMostEntries = 100'000;
constexpr std::int32_t kMostOffset = 26 * 3600;  // RFC 8536, 3.2: at most 25:59:59 east

// Numbers of the file, most significant byte first.
class Bytes {
 public:
  explicit Bytes(std::string_view text) : text_(text) {}
  bool has(std::size_t count) const { return text_.size() - at_ >= count; }
  void skip(std::size_t count) { at_ += count; }
  std::uint64_t number(std::size_t bytes) {  // precondition: has(bytes)
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | static_cast<unsigned char>(text_[at_++]);
    return value;
  }
  std::string_view rest() const { return text_.substr(at_); }
  std::string_view take(std::size_t count) {
    at_ += count;
    return text_.substr(at_ - count, count);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

struct Header {
  int version = 1;
  std::uint32_t isut = 0, isstd = 0, leaps = 0, times = 0, types = 0, chars = 0;
  std::size_t size(std::size_t width) const {
    return times * (width + 1) + types * 6 + chars + leaps * (width + 4) + isstd + isut;
  }
};

std::optional<Header> read_header(Bytes& bytes) {
  if (!bytes.has(kHeader) || bytes.take(4) != "TZif") return std::nullopt;
  Header header;
  const auto version = static_cast<char>(bytes.number(1));
  header.version = version == '\0' ? 1 : version - '0';
  bytes.skip(15);
  for (std::uint32_t* count :
       {&header.isut, &header.isstd, &header.leaps, &header.times, &header.types, &header.chars}) {
    *count = static_cast<std::uint32_t>(bytes.number(4));
    if (*count > kMostEntries) return std::nullopt;
  }
  if (header.types == 0) return std::nullopt;
  return header;
}

// The parts of "CET-1CEST,M3.5.0,M10.5.0/3" one after the other.
class RuleText {
 public:
  explicit RuleText(std::string_view text) : text_(text) {}
  bool done() const { return text_.empty(); }
  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool name() {
    if (take('<')) {
      const std::size_t end = text_.find('>');
      if (end == std::string_view::npos) return false;
      text_.remove_prefix(end + 1);
      return true;
    }
    std::size_t letters = 0;
    while (letters < text_.size() && ((text_[letters] | 32) >= 'a' && (text_[letters] | 32) <= 'z'))
      ++letters;
    text_.remove_prefix(letters);
    return letters >= 3;
  }
  std::optional<int> number(int most) {
    int value = 0;
    std::size_t digits = 0;
    while (digits < text_.size() && digits < 4 && text_[digits] >= '0' && text_[digits] <= '9')
      value = value * 10 + (text_[digits++] - '0');
    text_.remove_prefix(digits);
    if (digits == 0 || value > most) return std::nullopt;
    return value;
  }
  // [+-]hh[:mm[:ss]] in seconds.
  std::optional<int> time(int most_hours) {
    const bool minus = take('-');
    if (!minus) take('+');
    const auto hours = number(most_hours);
    if (!hours) return std::nullopt;
    int seconds = *hours * 3600;
    for (int unit : {60, 1}) {
      if (!take(':')) break;
      const auto part = number(59);
      if (!part) return std::nullopt;
      seconds += *part * unit;
    }
    return minus ? -seconds : seconds;
  }

 private:
  std::string_view text_;
};

std::int64_t floor_day(std::int64_t seconds) {
  return seconds >= 0 ? seconds / kDay : -((-seconds + kDay - 1) / kDay);
}

std::int64_t seconds_at(TimePoint at) {
  return std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
}

}  // namespace

std::optional<Zone::Rule> Zone::parse_rule(std::string_view text) {
  RuleText parts(text);
  Rule rule;
  if (!parts.name()) return std::nullopt;
  auto standard = parts.time(24);
  if (!standard) return std::nullopt;
  rule.standard = rule.summer = -*standard;  // POSIX counts to the west
  if (parts.done()) return rule;
  if (!parts.name()) return std::nullopt;
  rule.summer = rule.standard + 3600;
  if (!parts.take(',')) {
    auto summer = parts.time(24);
    if (!summer || !parts.take(',')) return std::nullopt;
    rule.summer = -*summer;
  }
  for (std::optional<Switch>* into : {&rule.begin, &rule.end}) {
    if (into == &rule.end && !parts.take(',')) return std::nullopt;
    Switch when;
    if (parts.take('M')) {
      auto month = parts.number(12);
      if (!month || *month < 1 || !parts.take('.')) return std::nullopt;
      auto week = parts.number(5);
      if (!week || *week < 1 || !parts.take('.')) return std::nullopt;
      auto day = parts.number(6);
      if (!day) return std::nullopt;
      when.month = *month, when.week = *week, when.day = *day;
    } else {
      when.kind = parts.take('J') ? Switch::Kind::julian : Switch::Kind::zero_based;
      auto day = parts.number(365);
      if (!day || (when.kind == Switch::Kind::julian && *day < 1)) return std::nullopt;
      when.day = *day;
    }
    if (parts.take('/')) {
      auto time = parts.time(167);
      if (!time) return std::nullopt;
      when.seconds = *time;
    }
    *into = when;
  }
  return parts.done() ? std::optional(rule) : std::nullopt;
}

// That day's switch, in seconds since 1970 by the clocks before it.
std::int64_t Zone::seconds_of(const Switch& when, std::chrono::year year) {
  using namespace std::chrono;
  sys_days day{};
  if (when.kind == Switch::Kind::month) {
    const auto month = std::chrono::month(static_cast<unsigned>(when.month));
    const weekday of(static_cast<unsigned>(when.day));
    day = when.week == 5 ? sys_days(year_month_weekday_last(year, month, weekday_last(of)))
                         : sys_days(year_month_weekday(year, month, of[static_cast<unsigned>(when.week)]));
  } else {
    day = sys_days(year / January / 1);
    const bool after_february = when.kind == Switch::Kind::julian && when.day >= 60 && year.is_leap();
    day += days(when.day - (when.kind == Switch::Kind::julian ? 1 : 0) + (after_february ? 1 : 0));
  }
  return day.time_since_epoch().count() * kDay + when.seconds;
}

std::int64_t Zone::offset_by_rule(std::int64_t at) const {
  if (!rule_->begin) return rule_->standard;
  const std::chrono::sys_days day{std::chrono::days(floor_day(at + rule_->standard))};
  const std::chrono::year year = std::chrono::year_month_day(day).year();
  const std::int64_t begin = seconds_of(*rule_->begin, year) - rule_->standard;
  const std::int64_t end = seconds_of(*rule_->end, year) - rule_->summer;
  const bool summer = begin < end ? at >= begin && at < end : at >= begin || at < end;
  return summer ? rule_->summer : rule_->standard;
}

std::int64_t Zone::offset(std::int64_t at) const {
  if (changes_.empty()) return rule_ ? offset_by_rule(at) : first_;
  if (at < changes_.front()) return first_;
  if (at >= changes_.back() && rule_) return offset_by_rule(at);
  const auto next = std::upper_bound(changes_.begin(), changes_.end(), at);
  return offsets_[static_cast<std::size_t>(next - changes_.begin()) - 1];
}

std::chrono::seconds Zone::offset_at(TimePoint at) const {
  return std::chrono::seconds(offset(seconds_at(at)));
}

LocalTime Zone::local(TimePoint at) const {
  const std::int64_t seconds = seconds_at(at) + offset(seconds_at(at));
  const std::int64_t day = floor_day(seconds);
  return {std::chrono::sys_days(std::chrono::days(day)), static_cast<int>((seconds - day * kDay) / 60)};
}

TimePoint Zone::moment(LocalTime local) const {
  const std::int64_t wanted =
      std::int64_t{local.day.time_since_epoch().count()} * kDay + std::int64_t{local.minutes} * 60;
  // Clocks never differ from UTC by more than a day: the first moment that shows the time or a later one.
  std::int64_t before = wanted - 2 * kDay, after = wanted + 2 * kDay;
  const std::int64_t early = offset(wanted - kDay), late = offset(wanted + kDay);
  for (std::int64_t one : {std::max(early, late), std::min(early, late)})
    if (offset(wanted - one) == one) return TimePoint(std::chrono::seconds(wanted - one));
  while (after - before > 1) {
    const std::int64_t middle = before + (after - before) / 2;
    (middle + offset(middle) >= wanted ? after : before) = middle;
  }
  return TimePoint(std::chrono::seconds(after));
}

Result<Zone> read_zone(std::string_view text, std::string_view name) {
  const Error bad{"cannot read the time zone " + clean(name, 100),
                  "its file is not one of a time zone, or cut off",
                  "install the tzdata of your distribution again, or name another zone"};
  Bytes bytes(text);
  auto header = read_header(bytes);
  if (!header) return bad;
  std::size_t width = 4;
  if (header->version >= 2) {
    if (!bytes.has(header->size(4))) return bad;
    bytes.skip(header->size(4));
    header = read_header(bytes);
    width = 8;
  }
  if (!header || !bytes.has(header->size(width))) return bad;
  Zone zone;
  for (std::uint32_t i = 0; i < header->times; ++i) {
    const std::uint64_t raw = bytes.number(width);
    const std::int64_t at = width == 8 ? static_cast<std::int64_t>(raw) : static_cast<std::int32_t>(raw);
    if (!zone.changes_.empty() && at <= zone.changes_.back()) return bad;
    zone.changes_.push_back(at);
  }
  std::vector<std::size_t> kinds;
  for (std::uint32_t i = 0; i < header->times; ++i) kinds.push_back(bytes.number(1));
  std::vector<std::int32_t> offsets;
  for (std::uint32_t i = 0; i < header->types; ++i) {
    offsets.push_back(static_cast<std::int32_t>(bytes.number(4)));
    if (offsets.back() > kMostOffset || offsets.back() < -kMostOffset) return bad;
    bytes.skip(2);
  }
  zone.first_ = offsets.front();
  for (std::size_t kind : kinds) {
    if (kind >= offsets.size()) return bad;
    zone.offsets_.push_back(offsets[kind]);
  }
  bytes.skip(header->chars + header->leaps * (width + 4) + header->isstd + header->isut);
  if (width == 4) return zone;
  std::string_view rest = bytes.rest();
  if (rest.empty() || rest.front() != '\n') return bad;
  rest.remove_prefix(1);
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) return bad;
  if (end == 0) return zone;
  zone.rule_ = Zone::parse_rule(rest.substr(0, end));
  if (!zone.rule_) return bad;
  return zone;
}

}  // namespace tessera::fleet
