// Values of the model as JSON on one line, by the fields of fields.hpp.
// Threads: pure functions. Internal to the recorder.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/record/fields.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::record {

// Quoted. Control characters and what is no UTF-8 never get in.
inline void put_text(std::string& out, std::string_view text) {
  out += '"';
  for (char c : text) {
    const bool plain = static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f;
    if (plain && c != '"' && c != '\\') continue;
    constexpr std::size_t kLongest = 1 << 16;
    for (char each : clean(text, kLongest)) {
      if (each == '"' || each == '\\') out += '\\';
      out += each;
    }
    out += '"';
    return;
  }
  out += text;
  out += '"';
}

// One more of an object's; the commas between them, too.
inline void put_field(std::string& out, std::string_view name, const std::string& json) {
  out += (out.empty() ? "" : ",");
  put_text(out, name);
  out += ':' + json;
}

inline void put(std::string& out, bool value) { out += value ? "true" : "false"; }
inline void put(std::string& out, int value) { out += std::to_string(value); }
inline void put(std::string& out, std::int64_t value) { out += std::to_string(value); }
inline void put(std::string& out, const std::string& value) { put_text(out, value); }
inline void put(std::string& out, const TimePoint& value) { put_text(out, utc_text(value)); }
// In seconds.
inline void put(std::string& out, const Duration& value) {
  put(out, std::int64_t{value / std::chrono::seconds(1)});
}
inline void put(std::string& out, const Mib& value) { put(out, value.value); }
// Rounded down: below 1 % is 0, and not used.
inline void put(std::string& out, const Percent& value) {
  put(out, static_cast<std::int64_t>(std::floor(value.value)));
}
inline void put(std::string& out, const GpuIndex& value) { put(out, value.value); }
template <class Tag>
void put(std::string& out, const Name<Tag>& value) {
  put_text(out, value.text);
}
template <class T>
requires std::is_enum_v<T>
void put(std::string& out, const T& value) { put_text(out, word(value)); }

template <Described T>
void put(std::string& out, const T& value);
template <class T>
void put(std::string& out, const std::vector<T>& list);
template <class T>
void put(std::string& out, const std::map<std::string, T>& map);

template <class T>
void put(std::string& out, const std::optional<T>& value) {
  if (value)
    put(out, *value);
  else
    out += "null";
}
template <class T>
void put(std::string& out, const Boxed<T>& value) {
  if (value)
    put(out, *value);
  else
    out += "null";
}
template <class T>
void put(std::string& out, const std::map<std::string, T>& map) {
  out += '{';
  for (bool first = true; const auto& [key, value] : map) {
    if (!std::exchange(first, false)) out += ',';
    put_text(out, key);
    out += ':';
    put(out, value);
  }
  out += '}';
}
template <class T>
void put(std::string& out, const std::vector<T>& list) {
  out += '[';
  for (bool first = true; const T& one : list) {
    if (!std::exchange(first, false)) out += ',';
    put(out, one);
  }
  out += ']';
}

// Writes each field that differs from the default, the name before it.
template <class T>
struct PutFields {
  std::string& out;
  const T& value;
  const T standard{};
  bool first = true;
  template <class Member>
  void operator()(const char* name, Member T::*member) {
    if (value.*member == standard.*member) return;
    if (!std::exchange(first, false)) out += ',';
    out += '"';
    out += name;
    out += "\":";
    put(out, value.*member);
  }
};
template <Described T>
void put(std::string& out, const T& value) {
  out += '{';
  PutFields<T> visitor{out, value};
  fields(visitor, Of<T>{});
  out += '}';
}

}  // namespace tessera::record
