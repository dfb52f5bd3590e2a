#include "backends/json.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstring>

#include "engine/text.hpp"

namespace tessera {
namespace {

namespace od = simdjson::ondemand;

static_assert(sizeof(od::value) <= 32 && alignof(od::value) <= 8);
static_assert(std::is_trivially_copyable_v<od::value>);

od::value load(const unsigned char* storage) {
  od::value value;
  std::memcpy(static_cast<void*>(&value), storage, sizeof value);
  return value;
}
void store(unsigned char* storage, const od::value& value) { std::memcpy(storage, &value, sizeof value); }

Error broken(int code, std::string_view text) {
  constexpr const char* kWhat = "the answer is not JSON";
  constexpr std::size_t kShown = 60;
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (text.empty()) return {kWhat, "it is empty", "it may have been cut off on its way"};
  if (text.front() != '{' && text.front() != '[')
    return {kWhat, "it begins with: " + clean(text.substr(0, kShown), kShown),
            "something else answers there: a proxy or a login page"};
  return {kWhat, simdjson::error_message(static_cast<simdjson::error_code>(code)),
          "it may have been cut off on its way"};
}

}  // namespace

bool JsonValue::visit_fields(FieldVisitor visitor, void* to) {
  od::value value = load(storage_);
  od::object object;
  if (value.get_object().get(object)) return false;
  for (auto entry : object) {
    od::field field;
    std::string_view key;
    JsonValue child;
    child.error_ = error_;
    if (auto error = std::move(entry).get(field)) {
      *error_ = error;
      return true;
    }
    if (auto error = field.unescaped_key().get(key)) {
      *error_ = error;
      return true;
    }
    store(child.storage_, field.value());
    visitor(to, key, child);
    if (*error_ != 0) return true;
  }
  return true;
}

void JsonValue::visit_items(ItemVisitor visitor, void* to) {
  od::value value = load(storage_);
  od::array array;
  if (value.get_array().get(array)) return;
  for (auto entry : array) {
    od::value item;
    JsonValue child;
    child.error_ = error_;
    if (auto error = std::move(entry).get(item)) {  // NOLINT(performance-move-const-arg): of rvalues only
      *error_ = error;
      return;
    }
    store(child.storage_, item);
    visitor(to, child);
    if (*error_ != 0) return;
  }
}

std::optional<std::string_view> JsonValue::text() {
  od::value value = load(storage_);
  std::string_view text;
  if (value.get_string().get(text)) return std::nullopt;
  return text;
}

std::optional<std::int64_t> JsonValue::integer() {
  od::value value = load(storage_);
  std::int64_t number = 0;
  if (value.get_int64().get(number)) return std::nullopt;
  return number;
}

std::optional<double> JsonValue::number() {
  od::value value = load(storage_);
  double number = 0;
  if (value.get_double().get(number)) return std::nullopt;
  return number;
}

std::optional<bool> JsonValue::boolean() {
  od::value value = load(storage_);
  bool flag = false;
  if (value.get_bool().get(flag)) return std::nullopt;
  return flag;
}

constexpr std::size_t kMostJsonKept = 4u << 20;  // a page of 500 pods takes one to two

struct JsonDocument::State {
  od::parser parser;
  od::document document;
  std::string text;
  int error = 0;
};

JsonDocument::JsonDocument() : state_(std::make_unique<State>()) {}
JsonDocument::~JsonDocument() = default;

Status JsonDocument::begin(std::string_view text, JsonValue& root) {
  state_->error = 0;
  state_->text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  state_->text.assign(text);
  if (auto error =
          state_->parser.iterate(state_->text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING)
              .get(state_->document))
    return broken(error, text);
  od::value value;
  if (auto error = state_->document.get_value().get(value)) return broken(error, text);
  store(root.storage_, value);
  root.error_ = &state_->error;
  return Done{};
}

Status JsonDocument::end() {
  const int error = state_->error;
  const Error problem = error != 0 ? broken(error, state_->text) : Error{};
  if (kept_bytes() > kMostJsonKept) state_ = std::make_unique<State>();
  if (error != 0) return problem;
  return Done{};
}

std::size_t JsonDocument::kept_bytes() const { return state_->text.capacity(); }

}  // namespace tessera
