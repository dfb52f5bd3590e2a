// Reads fleet files, looks at them and pauses them beside the UI thread: a file system that has gone silent
// must not hold the console.
//
// One order after the other. Threads: made and used by the UI thread; has one of its own from the first order
// on. It ends with it, once a pause that was ordered is carried out; one that still reads is left behind,
// with all that it uses, and told to no one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "tui/fleet_state.hpp"

namespace tessera::tui {

class FleetOrders {
 public:
  using CarryOut = std::function<FleetTold(const FleetOrder&)>;
  // empty: what is ordered is passed over. It may outlive this: what it needs to read belongs to it.
  explicit FleetOrders(CarryOut carry_out);
  ~FleetOrders();
  FleetOrders(const FleetOrders&) = delete;
  FleetOrders& operator=(const FleetOrders&) = delete;

  // A file that is being read, or is to be, is neither read nor looked at a second time.
  void add(FleetOrder order);
  // In the order in which they were given; nullopt: nothing was told since.
  std::optional<FleetTold> take();
  // Readable once there is something to take.
  int wake_fd() const;
  bool busy() const;

 private:
  struct Work;
  std::shared_ptr<Work> work_;  // the thread's, too
  std::thread thread_;
};

}  // namespace tessera::tui
