#include "tui/fleet_orders.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>

namespace tessera::tui {
namespace {

bool only_reads(const FleetOrder& order) {
  return order.what == FleetOrder::What::read || order.what == FleetOrder::What::look;
}

// Whether the answer to `earlier` is one to `order`, too.
bool answers(const FleetOrder& earlier, const FleetOrder& order) {
  return earlier.path == order.path &&
         (order.what == FleetOrder::What::look || earlier.what == FleetOrder::What::read);
}

}  // namespace

struct FleetOrders::Work {
  CarryOut carry_out;
  std::mutex mutex;
  std::condition_variable news;
  std::deque<FleetOrder> waiting;
  std::optional<FleetOrder> running;
  std::deque<FleetTold> told;
  bool ending = false;
  int wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

  explicit Work(CarryOut how) : carry_out(std::move(how)) {}
  ~Work() { close(wake); }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  bool is_under_way(const FleetOrder& order) const {
    return (running && answers(*running, order)) ||
           std::any_of(waiting.begin(), waiting.end(),
                       [&](const FleetOrder& earlier) { return answers(earlier, order); });
  }

  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      news.wait(lock, [this] { return ending || !waiting.empty(); });
      if (waiting.empty()) return;
      running = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      FleetTold answer = carry_out(*running);
      lock.lock();
      running.reset();
      told.push_back(std::move(answer));
      const std::uint64_t one = 1;
      if (write(wake, &one, sizeof one) < 0) continue;  // it is readable already
    }
  }
};

FleetOrders::FleetOrders(CarryOut carry_out) : work_(std::make_shared<Work>(std::move(carry_out))) {}

FleetOrders::~FleetOrders() {
  if (!thread_.joinable()) return;
  bool only_a_read = false;
  {
    const std::lock_guard lock(work_->mutex);
    work_->ending = true;
    std::erase_if(work_->waiting, only_reads);
    only_a_read = work_->waiting.empty() && work_->running && only_reads(*work_->running);
  }
  work_->news.notify_one();
  // A file system that has gone silent may never answer.
  if (only_a_read)
    thread_.detach();
  else
    thread_.join();
}

void FleetOrders::add(FleetOrder order) {
  if (!work_->carry_out) return;
  const std::lock_guard lock(work_->mutex);
  if (only_reads(order) && work_->is_under_way(order)) return;
  work_->waiting.push_back(std::move(order));
  if (!thread_.joinable()) thread_ = std::thread([work = work_] { work->run(); });
  work_->news.notify_one();
}

std::optional<FleetTold> FleetOrders::take() {
  const std::lock_guard lock(work_->mutex);
  if (work_->told.empty()) return std::nullopt;
  FleetTold first = std::move(work_->told.front());
  work_->told.pop_front();
  std::uint64_t count = 0;
  if (work_->told.empty() && read(work_->wake, &count, sizeof count) < 0) return first;  // it was not woken
  return first;
}

int FleetOrders::wake_fd() const { return work_->wake; }

bool FleetOrders::busy() const {
  const std::lock_guard lock(work_->mutex);
  return work_->running || !work_->waiting.empty() || !work_->told.empty();
}

}  // namespace tessera::tui
