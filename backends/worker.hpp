// One thread with one io_context: the home of everything asynchronous that a backend does.
//
// Header without Asio: timers and jobs as std::function, processes through process.hpp. The thread blocks
// every signal, so that those for the console reach the console, and a closed pipe is an error, not an end. A
// task that throws is over: what it held is let go of, so that an answer that it owed is given as an error,
// and the thread goes on with the next task. Threads: post() from any thread; stop() and the destructor from
// any thread but the worker's own; after(), cancel() and all callbacks on the worker's thread, one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "engine/model/units.hpp"

namespace tessera {

class Worker {
 public:
  using Task = std::function<void()>;

  Worker();
  ~Worker();  // as stop()
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void post(Task task);
  // Runs task once after delay; the returned id may be cancelled from the worker's thread.
  std::uint64_t after(Duration delay, Task task);
  void cancel(std::uint64_t timer);

  // Drops pending timers and tasks and joins the thread; a task that runs is let finish. After that nothing
  // is called any more, so that what the tasks refer to may go.
  void stop();

  // Opaque to everyone but process.cpp, http_client.cpp and http_server.cpp: a boost::asio::io_context*.
  void* context();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera
