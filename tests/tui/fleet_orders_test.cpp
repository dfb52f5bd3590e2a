// Fleet files are read beside the UI thread.
#include "tui/fleet_orders.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <future>
#include <mutex>
#include <string>
#include <vector>

#include "tests/support/patience.hpp"

namespace tessera::test {
namespace {

using tui::FleetOrder;
using tui::FleetOrders;
using tui::FleetTold;
using What = tui::FleetOrder::What;

// A disk that answers nothing until it is let go, and notes what was asked.
struct Disk {
  std::promise<void> go;
  std::shared_future<void> gone = go.get_future().share();
  std::mutex mutex;
  std::vector<std::string> asked;

  FleetOrders::CarryOut carry_out() {
    return [this](const FleetOrder& order) {
      {
        const std::lock_guard lock(mutex);
        asked.push_back(std::string("rlpu").substr(static_cast<std::size_t>(order.what), 1) + order.path);
      }
      gone.wait();
      FleetTold told;
      told.path = order.path;
      return told;
    };
  }
};

FleetOrder order(What what, const std::string& path) { return {what, path, "", ""}; }

FleetTold next(FleetOrders& orders) {
  while (true) {
    if (auto told = orders.take()) return *told;
    pollfd waiting{orders.wake_fd(), POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(Duration(kPatience).count())) != 1)
      return {"nothing was told", {}, {}, {}, {}};
  }
}

TEST(FleetOrders, WhoeverOrdersDoesNotWaitForTheDisk) {
  Disk disk;
  FleetOrders orders(disk.carry_out());
  orders.add(order(What::read, "a"));
  EXPECT_TRUE(orders.busy());
  EXPECT_FALSE(orders.take());
  disk.go.set_value();
  EXPECT_EQ(next(orders).path, "a");
  EXPECT_FALSE(orders.busy());
}

TEST(FleetOrders, AFileThatIsBeingReadIsNeitherReadNorLookedAtASecondTime) {
  Disk disk;
  FleetOrders orders(disk.carry_out());
  for (int i = 0; i < 3; ++i) {
    orders.add(order(What::read, "a"));
    orders.add(order(What::look, "a"));
  }
  orders.add(order(What::pause, "a"));
  orders.add(order(What::look, "b"));
  orders.add(order(What::read, "b"));
  disk.go.set_value();
  for (const char* path : {"a", "a", "b", "b"}) EXPECT_EQ(next(orders).path, path);
  EXPECT_EQ(disk.asked, (std::vector<std::string>{"ra", "pa", "lb", "rb"}));
}

TEST(FleetOrders, APauseThatWasOrderedIsCarriedOutBeforeTheConsoleEnds) {
  Disk disk;
  {
    FleetOrders orders(disk.carry_out());
    orders.add(order(What::read, "a"));
    orders.add(order(What::look, "b"));
    orders.add(order(What::pause, "a"));
    disk.go.set_value();
  }
  ASSERT_FALSE(disk.asked.empty());
  EXPECT_EQ(disk.asked.back(), "pa");
}

// It ended only once the file system answered.
TEST(FleetOrders, AConsoleThatEndsDoesNotWaitForAReadThatHangs) {
  struct Used {
    std::promise<void> gone;
    ~Used() { gone.set_value(); }
  };
  std::promise<void> begun, go;
  auto used = std::make_shared<Used>();
  const std::future<void> gone_with_it = used->gone.get_future();
  {
    FleetOrders orders([&begun, gone = go.get_future().share(), used = std::move(used)](const FleetOrder&) {
      begun.set_value();
      gone.wait();
      return FleetTold();
    });
    orders.add(order(What::read, "a"));
    begun.get_future().wait();
    orders.add(order(What::look, "b"));
  }
  go.set_value();
  EXPECT_EQ(gone_with_it.wait_for(kPatience), std::future_status::ready)
      << "its thread goes away by itself, with what it used";
}

TEST(FleetOrders, AConsoleWithoutFleetFilesPassesThemOver) {
  FleetOrders orders({});
  orders.add(order(What::read, "a"));
  EXPECT_FALSE(orders.busy());
}

}  // namespace
}  // namespace tessera::test
