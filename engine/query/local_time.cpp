#include "engine/query/local_time.hpp"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

namespace tessera::query {
namespace {

constexpr std::time_t kAround = 3 * 3'600;  // clocks are set back by less

std::tm local(std::time_t seconds) {
  std::tm parts{};
  localtime_r(&seconds, &parts);
  return parts;
}

std::time_t seconds_of(TimePoint at) {
  return std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
}

// " CEST" of a time that clocks show twice; else empty.
std::string zone_text(std::time_t at, const std::tm& parts) {
  const auto offset = [](std::time_t when) { return local(when).tm_gmtoff; };
  const auto here = parts.tm_gmtoff, before = offset(at - kAround), after = offset(at + kAround);
  const bool came = before > here && offset(at - (before - here)) == before;
  const bool comes = after < here && offset(at + (here - after)) == after;
  return came || comes ? std::string(" ") + parts.tm_zone : std::string();
}

}  // namespace

std::string local_text(TimePoint at) {
  const std::time_t seconds = seconds_of(at);
  const std::tm parts = local(seconds);
  return fmt::format("{}-{:02}-{:02} {:02}:{:02}:{:02}{}", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, zone_text(seconds, parts));
}

std::string clock_text(TimePoint at) {
  const std::time_t seconds = seconds_of(at);
  const std::tm parts = local(seconds);
  return fmt::format("{:02}:{:02}{}", parts.tm_hour, parts.tm_min, zone_text(seconds, parts));
}

}  // namespace tessera::query
