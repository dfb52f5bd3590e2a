#include "backends/record/in_order.hpp"

#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "backends/worker.hpp"

namespace tessera::record {
namespace {

// Which piece is next, and which are done.
class Pieces {
 public:
  Pieces(std::size_t count, std::size_t ahead) : done_(count), ahead_(ahead) {}

  // nullopt: none is left to begin.
  std::optional<std::size_t> begin_next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return over_ || next_ == done_.size() || next_ < taken_ + ahead_; });
    if (over_ || next_ == done_.size()) return std::nullopt;
    return next_++;
  }
  void end(std::size_t i, std::exception_ptr thrown) {
    const std::lock_guard lock(mutex_);
    done_[i] = true;
    if (thrown && !thrown_) thrown_ = thrown, over_ = true;
    changed_.notify_all();
  }
  // Until that one is done; then another may be begun.
  void take(std::size_t i) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return thrown_ || done_[i]; });
    if (thrown_) std::rethrow_exception(thrown_);
    taken_ = i + 1;
    changed_.notify_all();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> done_;
  std::size_t ahead_;
  std::size_t next_ = 0, taken_ = 0;
  bool over_ = false;
  std::exception_ptr thrown_;
};

struct Closing {
  Pieces& pieces;
  ~Closing() { pieces.close(); }
};

}  // namespace

std::size_t processors() {
  cpu_set_t may{};
  // Those of the machine may be more than a service or a job is given.
  if (::sched_getaffinity(0, sizeof may, &may) == 0) return static_cast<std::size_t>(CPU_COUNT(&may));
  return std::max(1U, std::thread::hardware_concurrency());
}

void in_order(std::size_t count, std::size_t threads,
              const std::function<void(std::size_t i, std::size_t thread)>& work,
              const std::function<void(std::size_t i)>& then) {
  Pieces pieces(count, 2 * threads);
  std::deque<Worker> workers;  // they join before `pieces` goes
  const Closing closing{pieces};
  for (std::size_t thread = 0; thread < threads; ++thread)
    workers.emplace_back().post([&, thread] {
      while (const auto i = pieces.begin_next()) {
        std::exception_ptr thrown;
        try {
          work(*i, thread);
        } catch (...) {
          thrown = std::current_exception();
        }
        pieces.end(*i, thrown);
      }
    });
  for (std::size_t i = 0; i < count; ++i) {
    pieces.take(i);
    then(i);
  }
}

}  // namespace tessera::record
