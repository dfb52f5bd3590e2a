// The Date of an HTTP answer (RFC 9110, 5.6.7): "Sun, 06 Nov 1994 08:49:37 GMT".
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/model/units.hpp"

namespace tessera {

std::string http_date(TimePoint time);
// nullopt: another form (the two obsolete ones are not written by anybody any more).
std::optional<TimePoint> parse_http_date(std::string_view text);

}  // namespace tessera
