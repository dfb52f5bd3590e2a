// JSON of a recording → values of the model, by the fields of engine/record/fields.hpp. Fields that are not
// known and values of another type are passed over; text is made safe.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
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
template <>
inline constexpr int kValues<Remark::Kind> = 7;
#define TESSERA_SOURCE(...) +1
template <>
inline constexpr int kValues<Source> = TESSERA_SOURCES(TESSERA_SOURCE);
#undef TESSERA_SOURCE

// How many a list may have, of what the rest of tessera looks through once for each of them.
template <class T>
inline constexpr std::size_t kMost = 1 << 20;
template <>
inline constexpr std::size_t kMost<Gpu> = 256;  // of one node
template <>
inline constexpr std::size_t kMost<Slice> =
    4096;  // of one GPU, or of a node that does not tell whose they are
template <>
inline constexpr std::size_t kMost<OwnUse> = 4096;  // of one GPU
template <>
inline constexpr std::size_t kMost<SharedGpu> = 256;  // of one node

// Each says whether it took the value; one that did not leaves `value` as it was.
inline bool get(JsonValue& json, bool& value) {
  const auto told = json.boolean();
  if (told) value = *told;
  return told.has_value();
}
inline bool get(JsonValue& json, std::int64_t& value) {
  const auto told = json.integer();
  if (told) value = *told;
  return told.has_value();
}
inline bool get(JsonValue& json, int& value) {
  const auto told = json.integer();
  if (!told || *told < -1'000'000'000 || *told > 1'000'000'000) return false;
  value = static_cast<int>(*told);
  return true;
}
inline bool get(JsonValue& json, std::string& value) {
  constexpr std::size_t kLongest = 1 << 16;
  const auto told = json.text();
  if (told) value = clean(*told, kLongest);
  return told.has_value();
}
inline bool get(JsonValue& json, TimePoint& value) {
  const auto told = json.text();
  const auto time = told ? parse_utc(*told) : std::nullopt;
  if (time) value = *time;
  return time.has_value();
}
inline bool get(JsonValue& json, Duration& value) {
  constexpr std::int64_t kLongest = 10'000'000'000;
  const auto told = json.integer();
  if (!told || *told < 0 || *told > kLongest) return false;
  value = std::chrono::seconds(*told);
  return true;
}
inline constexpr std::int64_t kMostMib = 1'000'000'000'000;  // sums of many stay numbers
inline bool get(JsonValue& json, Mib& value) {
  const auto told = json.integer();
  if (!told || *told < 0 || *told > kMostMib) return false;
  value.value = *told;
  return true;
}
inline bool get(JsonValue& json, Percent& value) {
  const auto told = json.integer();
  if (!told || *told < 0 || *told > 100'000) return false;
  value.value = static_cast<float>(*told);
  return true;
}
inline bool get(JsonValue& json, GpuIndex& value) { return get(json, value.value); }
template <class Tag>
bool get(JsonValue& json, Name<Tag>& value) {
  return get(json, value.text);
}
template <class T>
requires std::is_enum_v<T>
bool get(JsonValue& json, T& value) {
  static_assert(kValues<T> > 0);
  const auto told = json.text();
  if (!told) return false;
  for (int i = 0; i < kValues<T>; ++i) {
    if (word(static_cast<T>(i)) != *told) continue;
    value = static_cast<T>(i);
    return true;
  }
  return false;
}
template <Described T>
bool get(JsonValue& json, T& value);
template <class T>
bool get(JsonValue& json, std::vector<T>& list);
template <class T>
bool get(JsonValue& json, std::map<std::string, T>& map);

template <class T>
bool get(JsonValue& json, std::optional<T>& value) {
  // What is absent has no field; what cannot be read is no better known, and never 0.
  T told{};
  const bool took = get(json, told);
  if (took) value = std::move(told);
  return took;
}
template <class T>
bool get(JsonValue& json, Boxed<T>& value) {
  std::optional<T> told;
  const bool took = get(json, told);
  value = std::move(told);
  return took;
}
template <class T>
bool get(JsonValue& json, std::map<std::string, T>& map) {
  return json.fields([&](std::string_view key, JsonValue& each) {
    T told{};
    if (get(each, told)) map[clean(key, 4096)] = std::move(told);
  });
}
template <class T>
bool get(JsonValue& json, std::vector<T>& list) {
  json.items([&](JsonValue& each) {
    if (list.size() >= kMost<T>) return;
    T told{};
    if (get(each, told)) list.push_back(std::move(told));
  });
  return true;
}

template <class T>
struct GetField {
  std::string_view key;
  JsonValue& json;
  T& value;
  bool found = false;
  // Of a name whose length is known, most are told apart by that alone.
  template <std::size_t size, class Member>
  void operator()(const char (&name)[size], Member T::*member) {
    if (found || key.size() != size - 1 || std::memcmp(key.data(), name, size - 1) != 0) return;
    found = true;
    get(json, value.*member);
  }
};
template <Described T>
bool get(JsonValue& json, T& value) {
  return json.fields([&](std::string_view key, JsonValue& each) {
    GetField<T> visitor{key, each, value};
    fields(visitor, Of<T>{});
  });
}

}  // namespace tessera::record
