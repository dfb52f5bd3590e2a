#include "backends/worker.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <future>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/patience.hpp"

namespace tessera {
namespace {

using namespace std::chrono_literals;

TEST(Worker, RunsTasksInOrderOnOneThreadOfItsOwn) {
  std::vector<int> order;
  std::vector<std::thread::id> threads;
  std::promise<void> done;
  Worker worker;
  for (int i = 0; i < 100; ++i)
    worker.post([&, i] {
      order.push_back(i);
      threads.push_back(std::this_thread::get_id());
    });
  worker.post([&] { done.set_value(); });
  ASSERT_EQ(done.get_future().wait_for(test::kPatience), std::future_status::ready);
  worker.stop();
  ASSERT_EQ(order.size(), 100u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  for (auto id : threads) EXPECT_EQ(id, threads.front());
  EXPECT_NE(threads.front(), std::this_thread::get_id());
}

// Out of memory, or a mistake of ours: runs that this thread drives must not end with it.
TEST(Worker, ATaskThatThrowsIsOverAndTheNextOnesAreRun) {
  auto owed = std::make_shared<int>(1);
  std::promise<long> done;
  Worker worker;
  worker.post([owed = owed] { throw std::bad_alloc(); });
  worker.post([&] { worker.after(Duration(1), [] { throw std::out_of_range("at"); }); });
  worker.post([&] { worker.after(Duration(5), [&] { done.set_value(owed.use_count()); }); });
  auto told = done.get_future();
  ASSERT_EQ(told.wait_for(test::kPatience), std::future_status::ready);
  EXPECT_EQ(told.get(), 1) << "what the task held is let go of";
  worker.stop();
}

TEST(Worker, TimersFireInTheOrderOfTheirTimeAndCancelledOnesDoNot) {
  std::string fired;
  std::promise<void> done;
  Worker worker;
  worker.post([&] {
    worker.after(Duration(30), [&] {
      fired += 'b';
      done.set_value();
    });
    std::uint64_t never = worker.after(Duration(5), [&] { fired += 'x'; });
    worker.after(Duration(1), [&] { fired += 'a'; });
    worker.cancel(never);
    worker.cancel(never);
    worker.cancel(4711);
  });
  ASSERT_EQ(done.get_future().wait_for(test::kPatience), std::future_status::ready);
  worker.stop();
  EXPECT_EQ(fired, "ab");
}

TEST(Worker, ATimerMaySetTheNextOne) {
  int rounds = 0;
  std::promise<void> done;
  Worker worker;
  std::function<void()> again = [&] {
    if (++rounds == 5)
      done.set_value();
    else
      worker.after(Duration(1), again);
  };
  worker.post(again);
  ASSERT_EQ(done.get_future().wait_for(test::kPatience), std::future_status::ready);
  worker.stop();
  EXPECT_EQ(rounds, 5);
}

TEST(Worker, StoppingDropsWhatWaitsAndIsQuick) {
  bool ran = false;
  auto started = std::chrono::steady_clock::now();
  {
    Worker worker;
    std::promise<void> set;
    worker.post([&] {
      worker.after(Duration(3600 * 1000), [&] { ran = true; });
      set.set_value();
    });
    set.get_future().wait();
    worker.stop();
    worker.stop();
    worker.post([&] { ran = true; });
  }
  EXPECT_FALSE(ran);
  EXPECT_LT(std::chrono::steady_clock::now() - started, test::kPatience);
}

TEST(Worker, LeavesSignalsToTheOtherThreads) {
  Worker worker;
  std::promise<sigset_t> mask;
  worker.post([&] {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    mask.set_value(blocked);
  });
  sigset_t blocked = mask.get_future().get(), ours;
  for (int signal : {SIGINT, SIGTERM, SIGWINCH, SIGPIPE, SIGTSTP})
    EXPECT_EQ(sigismember(&blocked, signal), 1);
  EXPECT_EQ(sigismember(&blocked, SIGSEGV), 0);
  pthread_sigmask(SIG_SETMASK, nullptr, &ours);
  EXPECT_EQ(sigismember(&ours, SIGTERM), 0);
}

}  // namespace
}  // namespace tessera
