#include "engine/plan/files/codec.hpp"

#include "engine/time.hpp"

namespace tessera::plan {
namespace {

constexpr double kLongest = 1e9;  // seconds; some thirty years

}  // namespace

std::string_view word(Severity severity) {
  constexpr std::string_view kWords[] = {"info", "good", "warning", "danger"};
  return kWords[static_cast<std::size_t>(severity)];
}

bool from_json(const Json& json, Duration& value, Trouble& trouble) {
  double seconds = 0;
  if (!from_json(json, seconds, trouble)) return false;
  if (seconds < 0 || seconds > kLongest) return trouble.fail("a time in seconds is expected");
  value = Duration(std::llround(seconds * 1000));
  return true;
}
bool from_json(const Json& json, TimePoint& value, Trouble& trouble) {
  auto time = json.kind == Json::Kind::text ? parse_utc(json.text) : std::nullopt;
  if (!time) return trouble.fail("a time like 2026-11-21T14:03:22.000Z is expected");
  value = *time;
  return true;
}
bool from_json(const Json& json, bool& value, Trouble& trouble) {
  if (json.kind != Json::Kind::boolean) return trouble.fail("true or false is expected");
  value = json.boolean;
  return true;
}
bool from_json(const Json& json, int& value, Trouble& trouble) {
  if (json.kind != Json::Kind::integer || json.integer < INT32_MIN || json.integer > INT32_MAX)
    return trouble.fail("a whole number is expected");
  value = static_cast<int>(json.integer);
  return true;
}
bool from_json(const Json& json, std::int64_t& value, Trouble& trouble) {
  if (json.kind != Json::Kind::integer) return trouble.fail("a whole number is expected");
  value = json.integer;
  return true;
}
bool from_json(const Json& json, double& value, Trouble& trouble) {
  if (json.kind == Json::Kind::integer)
    value = static_cast<double>(json.integer);
  else if (json.kind == Json::Kind::real)
    value = json.real;
  else
    return trouble.fail("a number is expected");
  return true;
}
bool from_json(const Json& json, std::string& value, Trouble& trouble) {
  if (json.kind != Json::Kind::text) return trouble.fail("text is expected");
  value = clean(json.text, 1U << 20U);
  return true;
}

}  // namespace tessera::plan
