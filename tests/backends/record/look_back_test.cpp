// Charts of a moment and the keys that are pressed while they are read: what a person asks for goes first,
// and no chart stays empty for it.
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "backends/mailbox.hpp"
#include "backends/record/replay.hpp"
#include "engine/model/reduce.hpp"
#include "tests/support/build.hpp"
#include "tests/support/patience.hpp"

namespace tessera::test {
namespace {

// Rounds at 0, 60, 120, ... seconds. While it is told to, it reads figures until it is given up.
class SlowRecording final : public record::Recording {
 public:
  struct Log {
    std::mutex mutex;
    std::condition_variable changed;
    bool slow = true;
    int begun = 0;                // readings of figures
    std::vector<TimePoint> upto;  // of each that came to its end
    // Until so many readings have begun.
    void await(int readings) {
      std::unique_lock lock(mutex);
      ASSERT_TRUE(changed.wait_for(lock, test::kPatience, [&] { return begun >= readings; }));
    }
    void be_quick() {
      const std::lock_guard lock(mutex);
      slow = false;
    }
  };
  explicit SlowRecording(Log& log) : log_(log) {}
  const ClusterName& cluster() const override { return name_; }
  std::optional<record::Covered> covered() override { return record::Covered{at(0), at(600)}; }
  Result<Model> at(TimePoint time) override {
    const TimePoint round = test::at(static_cast<int>((time - test::at(0)) / std::chrono::minutes(1)) * 60);
    Model model;
    reduce(model, {name_, 0, round, NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)})})}}});
    reduce(model, {name_, 0, round, Loaded{}});
    reduce(model, {name_, 0, round, ClockSet{round, 0}});
    return model;
  }
  Status rounds(TimePoint, TimePoint, const std::function<bool(const record::Round&)>&) override {
    return Done{};
  }
  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>& nodes, TimePoint,
                                                    TimePoint to,
                                                    const std::function<bool()>& goes_on) override {
    bool slow = false;
    {
      const std::lock_guard lock(log_.mutex);
      ++log_.begun, slow = log_.slow;
    }
    log_.changed.notify_all();
    while (slow && goes_on()) std::this_thread::yield();
    std::vector<history::KeptFigures> all;
    for (const NodeName& node : nodes) all.push_back({node, {}});
    if (!slow) {
      const std::lock_guard lock(log_.mutex);
      log_.upto.push_back(to);
    }
    return all;
  }

 private:
  TimePoint at(int seconds) const { return test::at(seconds); }
  Log& log_;
  ClusterName name_{"hpc"};
};

class LookBack : public testing::Test {
 protected:
  LookBack() : player_(std::make_unique<SlowRecording>(log_), at(120), 0, [] { return at(9'999); }) {
    player_.start(mailbox_);
    wait();
    player_.look_back(NodeName("n1"), at(0));
    log_.await(1);
  }
  void wait() {
    for (bool told = false; !told;) {
      pollfd fd{mailbox_.wake_fd(), POLLIN, 0};
      ASSERT_EQ(poll(&fd, 1, 20'000), 1) << "nothing came";
      for (Event& event : mailbox_.take()) told |= std::holds_alternative<Loaded>(event.what);
    }
  }
  std::vector<std::string> answered() {
    std::vector<std::string> nodes;
    for (int turns = 0; nodes.empty() && turns < 20; ++turns) {
      wait();
      for (const history::KeptFigures& one : player_.take_kept()) nodes.push_back(one.node.text);
    }
    return nodes;
  }

  SlowRecording::Log log_;
  Mailbox mailbox_;
  record::ReplayBackend player_;
};

// The console asks once a moment: it would never ask again.
TEST_F(LookBack, AKeyThatLeavesTheMomentAsItWasIsFollowedByTheAnswerThatItInterrupted) {
  log_.be_quick();
  player_.step(1);  // there is no later round
  EXPECT_EQ(answered(), std::vector<std::string>{"n1"});
  EXPECT_EQ(log_.upto, std::vector<TimePoint>{at(120)});
}

TEST_F(LookBack, SeveralKeysInARowAreAnsweredBeforeTheChartIsReadAgain) {
  log_.be_quick();
  for (int key = 0; key < 5; ++key) player_.step(1);
  player_.play(0);
  EXPECT_EQ(answered(), std::vector<std::string>{"n1"});
  EXPECT_GE(log_.begun, 2) << "once in vain, and once for all of them";
}

TEST_F(LookBack, AnotherMomentIsNotGivenTheChartOfTheOneBefore) {
  log_.be_quick();
  player_.jump(at(300));
  wait();
  player_.look_back(NodeName("n2"), at(60));
  EXPECT_EQ(answered(), std::vector<std::string>{"n2"});
  EXPECT_EQ(log_.upto, std::vector<TimePoint>{at(300)});
}

}  // namespace
}  // namespace tessera::test
