#include "backends/sim/fields.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::sim {

void FieldReader::fail(const Yaml& at, std::string_view message) {
  if (!error) error = yaml_error("cannot read the scenario", file, at, message);
}

Fields::Fields(FieldReader& reader, const Yaml& map) : reader_(reader), map_(map) {
  if (map.kind != Yaml::Kind::map) reader_.fail(map, "a map is expected here");
}

const Yaml* Fields::find(std::string_view key) {
  asked_.push_back(key);
  return map_.find(key);
}

void Fields::finish() {
  for (const auto& [key, value] : map_.fields) {
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    std::vector<std::string_view> known = asked_;
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    reader_.fail(value, fmt::format("unknown key '{}'; known here: {}", key, fmt::join(known, ", ")));
  }
}

std::string scalar_text(FieldReader& reader, const Yaml& value) {
  if (value.kind != Yaml::Kind::scalar) {
    reader.fail(value, "text is expected here");
    return {};
  }
  return value.scalar;
}

Duration duration_of(FieldReader& reader, const Yaml& value) {
  std::optional<Duration> duration = parse_duration(scalar_text(reader, value));
  if (!duration) reader.fail(value, "a duration is expected here, such as 90s, 15m, 4h, 2d or 1h30m");
  return duration.value_or(Duration(0));
}

std::string Fields::text(std::string_view key, std::string_view otherwise) {
  const Yaml* value = find(key);
  return value ? scalar_text(reader_, *value) : std::string(otherwise);
}

std::string Fields::required(std::string_view key) {
  std::string got = text(key);
  if (got.empty()) reader_.fail(map_, fmt::format("'{}' is missing", key));
  return got;
}

int Fields::integer(std::string_view key, int low, int high, int otherwise) {
  const Yaml* value = find(key);
  if (!value) return otherwise;
  std::optional<std::int64_t> number = value->as_int();
  if (number && *number >= low && *number <= high) return static_cast<int>(*number);
  reader_.fail(*value, fmt::format("'{}' must be a whole number from {} to {}", key, low, high));
  return otherwise;
}

bool Fields::flag(std::string_view key, bool otherwise) {
  const Yaml* value = find(key);
  if (!value) return otherwise;
  std::optional<bool> told = value->as_bool();
  if (!told) reader_.fail(*value, fmt::format("'{}' must be true or false", key));
  return told.value_or(otherwise);
}

Duration Fields::duration(std::string_view key, Duration otherwise) {
  const Yaml* value = find(key);
  return value ? duration_of(reader_, *value) : otherwise;
}

std::optional<Range> Fields::range(std::string_view key) {
  const Yaml* value = find(key);
  if (!value) return std::nullopt;
  if (value->kind == Yaml::Kind::scalar) {
    Duration one = duration_of(reader_, *value);
    return Range{one, one};
  }
  if (value->kind != Yaml::Kind::list || value->items.size() != 2) {
    reader_.fail(*value, fmt::format("'{}' must be a duration or a pair [shortest, longest]", key));
    return std::nullopt;
  }
  Range range{duration_of(reader_, value->items[0]), duration_of(reader_, value->items[1])};
  if (range.low > range.high)
    reader_.fail(*value, fmt::format("'{}': the first is longer than the second", key));
  return range;
}

std::vector<std::string> Fields::texts(std::string_view key) {
  const Yaml* value = find(key);
  std::vector<std::string> all;
  if (!value) return all;
  if (value->kind == Yaml::Kind::scalar) return {value->scalar};
  if (value->kind != Yaml::Kind::list) reader_.fail(*value, fmt::format("'{}' must be text or a list", key));
  for (const Yaml& item : value->items) all.push_back(scalar_text(reader_, item));
  return all;
}

std::vector<const Yaml*> Fields::list(std::string_view key) {
  const Yaml* value = find(key);
  std::vector<const Yaml*> all;
  if (!value || value->is_null()) return all;
  if (value->kind != Yaml::Kind::list) reader_.fail(*value, fmt::format("'{}' must be a list", key));
  for (const Yaml& item : value->items) all.push_back(&item);
  return all;
}

int Fields::choice(std::string_view key, const std::vector<std::string_view>& words, int otherwise) {
  const Yaml* value = find(key);
  if (!value) return otherwise;
  auto it = std::find(words.begin(), words.end(), std::string_view(scalar_text(reader_, *value)));
  if (it != words.end()) return static_cast<int>(it - words.begin());
  reader_.fail(*value, fmt::format("'{}' must be one of: {}", key, fmt::join(words, ", ")));
  return otherwise;
}

}  // namespace tessera::sim
