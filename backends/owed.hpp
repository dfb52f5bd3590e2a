// An answer that is owed: whoever asked is told exactly once, also when the question is dropped.
// Threads: the last owner's.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "engine/error.hpp"

namespace tessera {

template <class T>
class Owed {
 public:
  using Told = std::function<void(Result<T>)>;
  // whom: who would have answered, for the error of a dropped question.
  Owed(Told told, std::string whom) : told_(std::move(told)), whom_(std::move(whom)) {}
  ~Owed() {
    if (told_) told_(Error{"no answer from " + whom_, "it was stopped", ""});
  }
  Owed(const Owed&) = delete;
  Owed& operator=(const Owed&) = delete;
  void answer(Result<T> result) {
    if (told_) std::exchange(told_, nullptr)(std::move(result));
  }

 private:
  Told told_;
  std::string whom_;
};

}  // namespace tessera
