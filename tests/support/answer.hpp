// Waits for an answer that is given on a worker's thread.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <utility>

#include "engine/error.hpp"

namespace tessera::test {

// Runs `start` on the worker with the function that takes the answer. An error where none comes in that time.
template <class Value, class Worker, class Start>
Result<Value> answer_of(Worker& worker, std::chrono::seconds patience, Start start) {
  auto promise = std::make_shared<std::promise<Result<Value>>>();
  auto future = promise->get_future();
  worker.post([start, promise] {
    start([promise](Result<Value> result) { promise->set_value(std::move(result)); });
  });
  if (future.wait_for(patience) != std::future_status::ready) return Error{"no answer", "", ""};
  return future.get();
}

}  // namespace tessera::test
