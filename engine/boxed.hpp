// A value that is seldom there, kept where it costs a pointer when it is not: std::optional keeps room for
// it.
//
// Copied and compared as a value, like std::optional. For what few of very many things have: of 100,000
// workloads nearly none waits.
// Threads: a plain value.
#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace tessera {

template <class Value>
class Boxed {
 public:
  Boxed() = default;
  Boxed(std::nullopt_t /*none*/) {}
  Boxed(Value value) : value_(std::make_unique<Value>(std::move(value))) {}
  Boxed(std::optional<Value> value) {
    if (value) value_ = std::make_unique<Value>(std::move(*value));
  }
  Boxed(const Boxed& other) : value_(other ? std::make_unique<Value>(*other) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(const Boxed& other) {
    if (this != &other) value_ = other ? std::make_unique<Value>(*other) : nullptr;
    return *this;
  }
  Boxed& operator=(Boxed&&) noexcept = default;
  ~Boxed() = default;

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  // Precondition: has_value().
  Value& operator*() { return *value_; }
  const Value& operator*() const { return *value_; }
  Value* operator->() { return value_.get(); }
  const Value* operator->() const { return value_.get(); }

  template <class... Arguments>
  Value& emplace(Arguments&&... arguments) {
    value_ = std::make_unique<Value>(std::forward<Arguments>(arguments)...);
    return *value_;
  }
  void reset() { value_.reset(); }

  friend bool operator==(const Boxed& a, const Boxed& b) {
    return a && b ? *a == *b : a.has_value() == b.has_value();
  }
  friend bool operator==(const Boxed& a, std::nullopt_t /*none*/) { return !a; }
  // std::optional would compare what it holds with the box as a value, and none with none as two.
  friend bool operator==(const Boxed& a, const std::optional<Value>& b) = delete;

 private:
  std::unique_ptr<Value> value_;
};

}  // namespace tessera
