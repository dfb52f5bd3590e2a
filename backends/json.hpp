// Reads JSON forwards, once, touching only what is asked for: a std-only face for simdjson's on-demand
// parser.
//
// Values are visited in the order of the text and only inside the callback that hands them out. What a
// callback leaves alone is skipped without being looked at closely, so that a broken part that is not read
// may pass. Text that is not UTF-8 is refused as a whole. Escapes are decoded: "\u001b" becomes a real ESC,
// so whoever shows a string cleans it first (engine/text.hpp).
// Threads: one document, one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "engine/error.hpp"

namespace tessera {

class JsonValue {
 public:
  // callback(std::string_view key, JsonValue value) for each field; false, and nothing, for what is no
  // object. Keys and strings live as long as the document.
  template <class Callback>
  bool fields(Callback&& callback) {
    using Plain = std::remove_reference_t<Callback>;
    return visit_fields(
        [](void* to, std::string_view key, JsonValue& value) { (*static_cast<Plain*>(to))(key, value); },
        &callback);
  }
  // callback(JsonValue item) for each item; nothing for what is no array.
  template <class Callback>
  void items(Callback&& callback) {
    using Plain = std::remove_reference_t<Callback>;
    visit_items([](void* to, JsonValue& value) { (*static_cast<Plain*>(to))(value); }, &callback);
  }

  // nullopt: it is of another type. Each value is read once.
  std::optional<std::string_view> text();
  std::optional<std::int64_t> integer();
  std::optional<bool> boolean();
  std::optional<double> number();

 private:
  friend class JsonDocument;
  using FieldVisitor = void (*)(void*, std::string_view, JsonValue&);
  using ItemVisitor = void (*)(void*, JsonValue&);
  bool visit_fields(FieldVisitor visitor, void* to);
  void visit_items(ItemVisitor visitor, void* to);

  alignas(8) unsigned char storage_[32] = {};
  int* error_ = nullptr;
};

// One parser, used again for each text: a watch brings thousands of lines. What a large text took (six times
// its size) is given back once it is read: lists come in pieces, and a single object that long is rare.
class JsonDocument {
 public:
  JsonDocument();
  ~JsonDocument();
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  // Reads `text`, of which a copy is kept, and hands its root (an object or an array) to `callback`. The
  // error reports where the text breaks off or what is wrong with it; what was handed out before stays said.
  template <class Callback>
  Status read(std::string_view text, Callback&& callback) {
    JsonValue root;
    if (Status begun = begin(text, root); !begun) return begun;
    callback(root);
    return end();
  }

  std::size_t kept_bytes() const;  // of the last text

 private:
  Status begin(std::string_view text, JsonValue& root);
  Status end();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera
