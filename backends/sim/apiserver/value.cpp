#include "backends/sim/apiserver/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tessera::sim::kube {

const Json* at(const Json& value, Path path) {
  const Json* here = &value;
  for (std::string_view key : path)
    if (!(here = here->find(key))) return nullptr;
  return here;
}

std::string text_at(const Json& value, Path path) { return std::string(view_at(value, path)); }

std::string_view view_at(const Json& value, Path path) {
  const Json* found = at(value, path);
  return found && found->kind == Json::Kind::text ? std::string_view(found->text) : std::string_view();
}

std::int64_t number_at(const Json& value, Path path, std::int64_t otherwise) {
  const Json* found = at(value, path);
  return found && found->kind == Json::Kind::integer ? found->integer : otherwise;
}

bool flag_at(const Json& value, Path path) {
  const Json* found = at(value, path);
  return found && found->kind == Json::Kind::boolean && found->boolean;
}

Json* member(Json& map, std::string_view key) {
  for (auto& [name, value] : map.fields)
    if (name == key) return &value;
  return nullptr;
}

Json& child(Json& map, std::string_view key) {
  Json* found = member(map, key);
  if (!found) {
    put(map, key, Json::map());
    return map.fields.back().second;
  }
  if (found->kind != Json::Kind::map) *found = Json::map();
  return *found;
}

void put(Json& map, std::string_view key, Json value) {
  if (Json* found = member(map, key)) {
    *found = std::move(value);
  } else {
    map.fields.emplace_back(std::string(key), std::move(value));
  }
}

void put_at(Json& map, Path path, Json value) {
  Json* here = &map;
  for (const std::string_view* key = path.begin(); key != path.end(); ++key) {
    if (key + 1 == path.end()) return put(*here, *key, std::move(value));
    here = &child(*here, *key);
  }
}

bool drop(Json& map, std::string_view key) {
  return std::erase_if(map.fields, [&](const auto& field) { return field.first == key; }) != 0;
}

Json object(std::initializer_list<std::pair<std::string_view, Json>> fields) {
  Json map = Json::map();
  for (const auto& [key, value] : fields) map.fields.emplace_back(std::string(key), value);
  return map;
}

Json list_of(std::initializer_list<Json> items) {
  Json list = Json::list();
  list.items = items;
  return list;
}

std::string time_text(TimePoint time) {
  auto day = std::chrono::floor<std::chrono::days>(time);
  std::chrono::year_month_day date{day};
  std::int64_t seconds = std::chrono::floor<std::chrono::seconds>(time - day).count();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), seconds / 3600,
                     seconds / 60 % 60, seconds % 60);
}

TimePoint parse_time(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  if (text.size() < kForm.size()) return {};
  auto part = [&](std::size_t from, std::size_t size) {
    int value = -1;
    std::from_chars(text.data() + from, text.data() + from + size, value);
    return value;
  };
  std::chrono::year_month_day date{std::chrono::year(part(0, 4)),
                                   std::chrono::month(static_cast<unsigned>(part(5, 2))),
                                   std::chrono::day(static_cast<unsigned>(part(8, 2)))};
  int hour = part(11, 2), minute = part(14, 2), second = part(17, 2);
  if (!date.ok() || hour < 0 || minute < 0 || second < 0) return {};
  return TimePoint(std::chrono::sys_days(date)) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second);
}

}  // namespace tessera::sim::kube
