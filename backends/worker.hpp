// One thread with one io_context: the home of everything asynchronous that a backend does.
//
// Header without Asio: timers and jobs as std::function, processes through process.hpp.
// Threads: post() and stop() from any thread; all callbacks run on the worker's thread, one at a time.
#pragma once

#include <functional>
#include <memory>

#include "engine/model/units.hpp"

namespace tessera {

class Worker {
 public:
  using Task = std::function<void()>;

  Worker();
  ~Worker();  // stops: pending timers are dropped, running children are ended, the thread is joined
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void post(Task task);
  // Runs task once after delay; the returned id may be cancelled from the worker's thread.
  std::uint64_t after(Duration delay, Task task);
  void cancel(std::uint64_t timer);

  // Opaque to everyone but process.cpp and http.cpp: a boost::asio::io_context*.
  void* context();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera
