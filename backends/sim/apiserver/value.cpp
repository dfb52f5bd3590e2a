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

}  // namespace tessera::sim::kube
