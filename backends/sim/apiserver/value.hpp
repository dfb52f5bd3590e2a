// Objects of the API as JSON values, read and changed by path.
// Threads: pure functions of values.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "engine/json.hpp"
#include "engine/model/units.hpp"

namespace tessera::sim::kube {

using Path = std::initializer_list<std::string_view>;

// nullptr: something on the way is absent or no map.
const Json* at(const Json& value, Path path);
// Empty: absent, or no text.
std::string text_at(const Json& value, Path path);
// The text where it lies; empty: absent, or no text.
std::string_view view_at(const Json& value, Path path);
std::int64_t number_at(const Json& value, Path path, std::int64_t otherwise = 0);
bool flag_at(const Json& value, Path path);

Json* member(Json& map, std::string_view key);  // nullptr: absent, or not a map
// The map under the key, made (or made a map) when it is not there.
Json& child(Json& map, std::string_view key);
void put(Json& map, std::string_view key, Json value);  // adds or replaces
void put_at(Json& map, Path path, Json value);          // makes the maps on the way
bool drop(Json& map, std::string_view key);             // whether it was there

inline Json text(std::string value) { return Json::of(std::move(value)); }
inline Json number(std::int64_t value) { return Json::of(value); }
inline Json flag(bool value) { return Json::of(value); }
Json object(std::initializer_list<std::pair<std::string_view, Json>> fields);
Json list_of(std::initializer_list<Json> items);

// "2026-11-21T02:43:30Z", as metav1.Time is written; and back (the epoch for anything else).

}  // namespace tessera::sim::kube
