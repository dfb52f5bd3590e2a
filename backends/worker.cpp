#include "backends/worker.hpp"

#include <pthread.h>
#include <signal.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <thread>
#include <unordered_map>

namespace tessera {
namespace {

namespace asio = boost::asio;

// All but those that the thread itself causes by a fault.
sigset_t signals_for_others() {
  sigset_t set;
  sigfillset(&set);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPROF})
    sigdelset(&set, fault);
  return set;
}

void run_tasks(asio::io_context& context) {
  for (bool over = false; !over;) {
    try {
      context.run();
      over = true;
    } catch (const std::exception&) {  // that task is over; the next one is run
    }
  }
}

}  // namespace

struct Worker::State {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> busy{context.get_executor()};
  std::unordered_map<std::uint64_t, std::unique_ptr<asio::steady_timer>> timers;  // the worker's thread only
  std::uint64_t last_timer = 0;
  std::thread thread;
};

Worker::Worker() : state_(std::make_unique<State>()) {
  // Blocked before the thread starts, so that there is no moment in which it could get one.
  sigset_t others = signals_for_others(), before;
  pthread_sigmask(SIG_BLOCK, &others, &before);
  state_->thread = std::thread([state = state_.get()] { run_tasks(state->context); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Worker::~Worker() { stop(); }

void Worker::stop() {
  state_->context.stop();
  if (state_->thread.joinable()) state_->thread.join();
}

void Worker::post(Task task) { asio::post(state_->context, std::move(task)); }

std::uint64_t Worker::after(Duration delay, Task task) {
  State* state = state_.get();
  std::uint64_t id = ++state->last_timer;
  auto& timer = state->timers[id] = std::make_unique<asio::steady_timer>(state->context, delay);
  timer->async_wait([state, id, run = std::move(task)](const boost::system::error_code&) {
    // A timer that was cancelled is no longer listed, even when its handler was on its way already.
    if (state->timers.erase(id) != 0) run();
  });
  return id;
}

void Worker::cancel(std::uint64_t timer) { state_->timers.erase(timer); }

void* Worker::context() { return &state_->context; }

}  // namespace tessera
