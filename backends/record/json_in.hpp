// JSON of a recording → values of the model, by the fields of engine/record/fields.hpp. Fields that are not
// known and values of another type are passed over; text is made safe.
// Threads: pure functions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/json.hpp"
#include "engine/record/fields.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::record {

// How many values an enum has: beyond them word() is not defined.
template <class E>
inline constexpr int kValues = 0;
template <>
inline constexpr int kValues<Scheduler> = 2;
template <>
inline constexpr int kValues<Strategy> = 7;
template <>
inline constexpr int kValues<MigMode> = 4;
template <>
inline constexpr int kValues<SliceKind> = 6;
template <>
inline constexpr int kValues<Health> = 6;
template <>
inline constexpr int kValues<Family> = 4;
template <>
inline constexpr int kValues<Part> = 5;
template <>
inline constexpr int kValues<WorkloadKind> = 2;
template <>
inline constexpr int kValues<WorkloadState> = 6;
template <>
inline constexpr int kValues<Remark::Grade> = 3;
#define TESSERA_SOURCE(...) +1
template <>
inline constexpr int kValues<Source> = TESSERA_SOURCES(TESSERA_SOURCE);
#undef TESSERA_SOURCE

inline void get(JsonValue& json, bool& value) {
  if (auto told = json.boolean()) value = *told;
}
inline void get(JsonValue& json, std::int64_t& value) {
  if (auto told = json.integer()) value = *told;
}
inline void get(JsonValue& json, int& value) {
  auto told = json.integer();
  if (told && *told >= -1'000'000'000 && *told <= 1'000'000'000) value = static_cast<int>(*told);
}
inline void get(JsonValue& json, std::string& value) {
  constexpr std::size_t kLongest = 1 << 16;
  if (auto told = json.text()) value = clean(*told, kLongest);
}
inline void get(JsonValue& json, TimePoint& value) {
  auto told = json.text();
  if (auto time = told ? parse_utc(*told) : std::nullopt) value = *time;
}
inline void get(JsonValue& json, Duration& value) {
  constexpr std::int64_t kLongest = 10'000'000'000;
  auto told = json.integer();
  if (told && *told >= 0 && *told <= kLongest) value = std::chrono::seconds(*told);
}
inline void get(JsonValue& json, Mib& value) { get(json, value.value); }
inline void get(JsonValue& json, GpuIndex& value) { get(json, value.value); }
template <class Tag>
void get(JsonValue& json, Name<Tag>& value) {
  get(json, value.text);
}
template <class T>
requires std::is_enum_v<T>
void get(JsonValue& json, T& value) {
  static_assert(kValues<T> > 0);
  auto told = json.text();
  if (!told) return;
  for (int i = 0; i < kValues<T>; ++i) {
    if (word(static_cast<T>(i)) != *told) continue;
    value = static_cast<T>(i);
    return;
  }
}
template <Described T>
void get(JsonValue& json, T& value);
template <class T>
void get(JsonValue& json, std::vector<T>& list);
template <class T>
void get(JsonValue& json, std::map<std::string, T>& map);

template <class T>
void get(JsonValue& json, std::optional<T>& value) {
  // What is absent has no field.
  get(json, value.emplace());
}
template <class T>
void get(JsonValue& json, std::map<std::string, T>& map) {
  json.fields([&](std::string_view key, JsonValue& each) { get(each, map[clean(key, 4096)]); });
}
template <class T>
void get(JsonValue& json, std::vector<T>& list) {
  json.items([&](JsonValue& each) { get(each, list.emplace_back()); });
}

template <class T>
struct GetField {
  std::string_view key;
  JsonValue& json;
  T& value;
  bool found = false;
  template <class Member>
  void operator()(const char* name, Member T::*member) {
    if (found || key != name) return;
    found = true;
    get(json, value.*member);
  }
};
template <Described T>
void get(JsonValue& json, T& value) {
  json.fields([&](std::string_view key, JsonValue& each) {
    GetField<T> visitor{key, each, value};
    fields(visitor, Of<T>{});
  });
}

}  // namespace tessera::record
