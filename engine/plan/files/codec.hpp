// Plans and journal entries as JSON. A type names its fields once, in fields(visit, value); Write and Read
// are two visitors of that.
//
// Every field that tessera 0.1 wrote must be there. One that came later is visited by v.added(): where it is
// missing it keeps its default. One that is no longer used is visited by v.gone(): earlier versions ask for
// it, and its value is passed over. A field that is not known is refused, since it may say how a step is to
// be done; in types that say nothing of the kind (kPassesOver) it is ignored. journal.hpp has the rules of
// versions.
// Threads: pure functions. Internal to plan_file.cpp and journal.cpp.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "engine/json.hpp"
#include "engine/plan/plan.hpp"
#include "engine/plan/run/journal.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::plan {

std::string_view word(Severity severity);  // "info" "good" "warning" "danger"

template <class T, class U>
concept Same = std::is_same_v<std::remove_const_t<T>, U>;

// Where reading stands, and the first thing that was wrong.
struct Trouble {
  std::string path;
  std::string why;
  bool fail(std::string what) {
    if (why.empty()) why = (path.empty() ? "" : path + ": ") + std::move(what);
    return false;
  }
};

// Seconds with a fraction on paper, milliseconds in memory.
inline Json json_of(const Duration& value) { return Json::of(static_cast<double>(value.count()) / 1000.0); }
bool from_json(const Json& json, Duration& value, Trouble& trouble);
bool from_json(const Json& json, TimePoint& value, Trouble& trouble);
bool from_json(const Json& json, bool& value, Trouble& trouble);
bool from_json(const Json& json, int& value, Trouble& trouble);
bool from_json(const Json& json, std::int64_t& value, Trouble& trouble);
bool from_json(const Json& json, double& value, Trouble& trouble);
bool from_json(const Json& json, std::string& value, Trouble& trouble);

inline Json json_of(const TimePoint& value) { return Json::of(utc_text_ms(value)); }
inline Json json_of(bool value) { return Json::of(value); }
inline Json json_of(int value) { return Json::of(static_cast<std::int64_t>(value)); }
inline Json json_of(std::int64_t value) { return Json::of(value); }
inline Json json_of(double value) { return Json::of(value); }
inline Json json_of(const std::string& value) { return Json::of(value); }

template <class Tag>
Json json_of(const Name<Tag>& value) {
  return Json::of(value.text);
}
template <class Tag>
bool from_json(const Json& json, Name<Tag>& value, Trouble& trouble) {
  return from_json(json, value.text, trouble);
}
inline Json json_of(const GpuIndex& value) { return json_of(value.value); }
inline bool from_json(const Json& json, GpuIndex& value, Trouble& trouble) {
  return from_json(json, value.value, trouble);
}

// Several lines or words as one text.
template <class List>
struct Joined {
  List& list;
  char separator;
};
template <class List>
Json json_of(const Joined<List>& joined) {
  std::string text;
  for (const std::string& one : joined.list) {
    if (&one != &joined.list.front()) text += joined.separator;
    text += one;
  }
  return Json::of(std::move(text));
}
template <class List>
bool from_json(const Json& json, Joined<List>& joined, Trouble& trouble) {
  if (json.kind != Json::Kind::text) return trouble.fail("text is expected");
  joined.list.clear();
  if (json.text.empty()) return true;
  for (std::size_t at = 0; at <= json.text.size();) {
    std::size_t end = std::min(json.text.find(joined.separator, at), json.text.size());
    joined.list.push_back(clean(std::string_view(json.text).substr(at, end - at)));
    at = end + 1;
  }
  return true;
}

// What a step hands on to a tool or writes into a file: its line ends and tabs are part of it.
template <class Map>
struct Texts {
  Map& map;
};
template <class Map>
Json json_of(const Texts<Map>& texts) {
  Json json = Json::map();
  for (const auto& [key, text] : texts.map) json.add(key, Json::of(text));
  return json;
}
template <class Map>
bool from_json(const Json& json, Texts<Map>& texts, Trouble& trouble) {
  if (json.kind != Json::Kind::map) return trouble.fail("a group of fields is expected");
  texts.map.clear();
  for (const auto& [key, value] : json.fields) {
    if (value.kind != Json::Kind::text) return trouble.fail("text is expected");
    texts.map[key] = clean_lines(value.text);
  }
  return true;
}

// The same for a single text.
template <class String>
struct Text {
  String& text;
};
template <class String>
Json json_of(const Text<String>& whole) {
  return Json::of(whole.text);
}
template <class String>
bool from_json(const Json& json, Text<String>& whole, Trouble& trouble) {
  if (json.kind != Json::Kind::text) return trouble.fail("text is expected");
  whole.text = clean_lines(json.text);
  return true;
}

// An enum is written as the word that word() gives it; all its values are counted from 0.
template <class E>
constexpr int enum_count();
template <class E>
requires std::is_enum_v<E> Json json_of(E value) { return Json::of(std::string(word(value))); }
template <class E>
requires std::is_enum_v<E>
bool from_json(const Json& json, E& value, Trouble& trouble) {
  std::string text;
  if (!from_json(json, text, trouble)) return false;
  for (int i = 0; i < enum_count<E>(); ++i) {
    if (word(static_cast<E>(i)) != text) continue;
    value = static_cast<E>(i);
    return true;
  }
  return trouble.fail(fmt::format("'{}' is not one of its words", clean(text, 40)));
}

// Types with fields().
struct Probe {
  template <class T>
  void operator()(const char*, T&) {}
  template <class T>
  void added(const char*, T&) {}
  void gone(const char*, bool) {}
};
template <class T>
concept Described = requires(Probe& probe, T& value) {
  fields(probe, value);
};

// A field of it that is not known here is passed over: it tells people something, or comes from a newer
// tessera that says by its version that older ones may pass it over. Types of codec's users say it by a
// member.
template <class T>
constexpr bool passes_over() {
  if constexpr (requires { T::kPassesOver; }) return T::kPassesOver;
  return false;
}
template <class T>
inline constexpr bool kPassesOver = passes_over<T>();

template <Described T>
Json json_of(const T& value);
template <Described T>
bool from_json(const Json& json, T& value, Trouble& trouble);
template <class T>
Json json_of(const std::vector<T>& list);
template <class T>
bool from_json(const Json& json, std::vector<T>& list, Trouble& trouble);
template <class T>
Json json_of(const std::map<std::string, T>& map);
template <class T>
bool from_json(const Json& json, std::map<std::string, T>& map, Trouble& trouble);
template <class T>
Json json_of(const std::optional<T>& value);
template <class T>
bool from_json(const Json& json, std::optional<T>& value, Trouble& trouble);

struct Write {
  Json& map;
  template <class T>
  void operator()(const char* key, const T& value) {
    map.add(key, json_of(value));
  }
  template <class T>
  void added(const char* key, const T& value) {
    (*this)(key, value);
  }
  void gone(const char* key, bool value) { (*this)(key, value); }
};

struct Read {
  const Json& map;
  Trouble& trouble;
  std::size_t seen = 0;
  template <class T>
  void operator()(const char* key, T& value) {
    if (!trouble.why.empty()) return;
    const Json* field = map.find(key);
    if (!field) {
      trouble.fail(fmt::format("'{}' is missing", key));
      return;
    }
    ++seen;
    std::size_t length = trouble.path.size();
    trouble.path += (length == 0 ? "" : ".") + std::string(key);
    from_json(*field, value, trouble);
    trouble.path.resize(length);
  }
  template <class T>
  void added(const char* key, T& value) {
    if (map.find(key)) (*this)(key, value);
  }
  void gone(const char* key, bool) {
    if (map.find(key)) ++seen;
  }
};

template <Described T>
Json json_of(const T& value) {
  Json map = Json::map();
  Write write{map};
  fields(write, value);
  return map;
}

template <Described T>
bool from_json(const Json& json, T& value, Trouble& trouble) {
  if (json.kind != Json::Kind::map) return trouble.fail("a group of fields is expected");
  Read read{json, trouble};
  fields(read, value);
  if (!trouble.why.empty()) return false;
  if (kPassesOver<T> || read.seen == json.fields.size()) return true;
  return trouble.fail("it has a field that this version does not know");
}

template <class T>
Json json_of(const std::vector<T>& list) {
  Json json = Json::list();
  json.items.reserve(list.size());
  for (const T& one : list) json.items.push_back(json_of(one));
  return json;
}
template <class T>
bool from_json(const Json& json, std::vector<T>& list, Trouble& trouble) {
  if (json.kind != Json::Kind::list) return trouble.fail("a list is expected");
  list.clear();
  std::size_t length = trouble.path.size();
  for (const Json& item : json.items) {
    trouble.path += fmt::format("[{}]", list.size());
    if (!from_json(item, list.emplace_back(), trouble)) return false;
    trouble.path.resize(length);
  }
  return true;
}

template <class T>
Json json_of(const std::map<std::string, T>& map) {
  Json json = Json::map();
  for (const auto& [key, value] : map) json.add(key, json_of(value));
  return json;
}
template <class T>
bool from_json(const Json& json, std::map<std::string, T>& map, Trouble& trouble) {
  if (json.kind != Json::Kind::map) return trouble.fail("a group of fields is expected");
  map.clear();
  for (const auto& [key, value] : json.fields)
    if (!from_json(value, map[key], trouble)) return false;
  return true;
}

template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? json_of(*value) : Json();
}
template <class T>
bool from_json(const Json& json, std::optional<T>& value, Trouble& trouble) {
  value.reset();
  return json.is_null() || from_json(json, value.emplace(), trouble);
}

// A variant is one map: "kind" first, then the fields of what it holds.
template <class... Of>
Json tagged(std::string_view kind, const std::variant<Of...>& value) {
  Json map = Json::map();
  map.add("kind", Json::of(std::string(kind)));
  Write write{map};
  std::visit([&](const auto& held) { fields(write, held); }, value);
  return map;
}
template <class Variant, std::size_t At = 0>
bool from_tagged(const Json& json, Variant& value, Trouble& trouble) {
  if constexpr (At == 0)
    if (json.kind != Json::Kind::map || !json.find("kind") || json.find("kind")->kind != Json::Kind::text)
      return trouble.fail("its kind is missing");
  if constexpr (At == std::variant_size_v<Variant>) {
    return trouble.fail(fmt::format("'{}' is no known kind", clean(json.find("kind")->text, 40)));
  } else {
    Variant candidate(std::in_place_index<At>);
    if (word(candidate) != json.find("kind")->text) return from_tagged<Variant, At + 1>(json, value, trouble);
    Read read{json, trouble};
    fields(read, std::get<At>(candidate));
    if (!trouble.why.empty()) return false;
    if (!kPassesOver<Variant> && read.seen + 1 != json.fields.size())
      return trouble.fail("it has a field that this version does not know");
    value = std::move(candidate);
    return true;
  }
}

}  // namespace tessera::plan
