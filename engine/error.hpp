// Errors as values: what went wrong, the reason the world gave, and what to do about it.
//
// Every room reports failure through Result<T>; exceptions never cross a room's wall.
// Threads: plain values, no shared state.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace tessera {

struct Error {
  std::string what;    // the thing that failed, in our words: "cannot read the catalogue"
  std::string reason;  // what the world said: "h100.yaml:12: starts: not a list"
  std::string hint;    // the next step for the admin; may be empty

  friend bool operator==(const Error&, const Error&) = default;
};

// One line for a log or stderr: "what: reason (hint)".
std::string to_line(const Error& error);

template <class T>
class Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Preconditions: ok() for value(), !ok() for error().
  const T& value() const& { return std::get<0>(state_); }
  T& value() & { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// Success that carries nothing.
struct Done {
  friend bool operator==(Done, Done) = default;
};
using Status = Result<Done>;

}  // namespace tessera
