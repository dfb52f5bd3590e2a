// Points in time as text: RFC 3339 in UTC, as Kubernetes objects, journals, JSON output and scenarios write
// them, and the Date of an HTTP answer. Threads: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/model/values.hpp"

namespace tessera {

// "2026-11-21T14:03:22Z"; what is less than a second is dropped.
std::string utc_text(TimePoint time);
// "2026-11-21T14:03:22.000Z"
std::string utc_text_ms(TimePoint time);
// Either form, with any number of decimals (those after the third are dropped). nullopt: anything else, a
// date that no calendar has, another zone, or a year before 1970 (Kubernetes' "0001-01-01T00:00:00Z" stands
// for "not set").
std::optional<TimePoint> parse_utc(std::string_view text);

// Seconds since 1970, at most what 32 bits hold: good until 2106.
std::uint32_t epoch_seconds(TimePoint time);

// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7)
std::string http_date(TimePoint time);
// nullopt: another form (the two obsolete ones are not written by anybody any more), or as above. The weekday
// is not looked at.
std::optional<TimePoint> parse_http_date(std::string_view text);

}  // namespace tessera
