// The twelve jobs of an admin, each key by key in the real console on a simulated place, with the number of
// keys that it takes: every byte that is typed counts, the name that arms a plan included.
//
// Threads: one test at a time.
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/pty.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::test {
namespace {

constexpr const char* kPlace = R"(start: 2026-03-02T09:00:00Z
clusters:
  - name: lab
    scheduler: slurm
    version: slurm 24.11.5
    first_id: 101
    users: [alice:llm, bob:llm]
    partitions: [{name: gpu, max_time: 3d}]
    nodes:
      - {names: n1, product: H100-80GB-SXM5, gpus: 1, layout: all-1g.10gb, partitions: [gpu]}
      - {names: n2, product: H100-80GB-SXM5, gpus: 1, layouts: ["3g.40gb@0,3g.40gb@4"], partitions: [gpu]}
      - {names: n3, product: H100-80GB-SXM5, gpus: 1, layout: whole, partitions: [gpu]}
      - {names: n4, product: H100-80GB-SXM5, gpus: 1, layout: whole, partitions: [gpu],
         state: {is: drained, reason: "Xid 79, ticket 4711", by: ops, ago: 29h}}
      - {names: "c[01-20]", product: H100-80GB-SXM5, gpus: 1, layout: whole, partitions: [gpu]}
    jobs:
      - {user: alice, name: train, want: "gpu:3g.40gb:1", on: n2/gpu0@0, ran: 1h, runs: 40h, limit: 3d}
      - {user: bob, name: big7, want: "gpu:7g.80gb:1", runs: 1h}
  - name: web
    scheduler: kubernetes
    version: v1.31.4
    users: [carol]
    nodes:
      - {names: k1, product: A100-40GB, gpus: 1, layout: whole}
)";

constexpr int kMost = 25;

class TwelveJobs : public testing::Test {
 protected:
  TwelveJobs() {
    PtyOptions options;
    options.arguments = {"--write", "--sim=" + scratch_.write("place.yaml", kPlace),
                         "--sim-state=" + scratch_.path() + "/world"};
    options.environment = {{"XDG_STATE_HOME", scratch_.path()}};
    pty_ = std::make_unique<Pty>(options);
    EXPECT_TRUE(pty_->wait_loaded() && pty_->wait_for("lab")) << pty_->screen();
  }
  // Presses keys and waits for what they lead to.
  void keys(std::string_view typed, std::string_view then) {
    ASSERT_TRUE(pty_->press(typed)) << pty_->screen();
    keys_ += static_cast<int>(typed.size());
    ASSERT_TRUE(pty_->wait_for(then)) << "after " << typed << ", no " << then << ":\n" << pty_->screen();
  }
  // The count of each is asserted: a job that needs another number of keys is a change to decide on.
  void takes(int count, int most = kMost) {
    RecordProperty("keys", keys_);
    EXPECT_EQ(keys_, count);
    EXPECT_LE(keys_, most);
  }
  bool shows(std::string_view text) const { return pty_->has(text); }
  bool comes_to(const std::function<bool()>& what) { return pty_->wait_until(what); }
  std::string screen() const { return pty_->screen(); }

 private:
  Scratch scratch_;
  std::unique_ptr<Pty> pty_;
  int keys_ = 0;
};

TEST_F(TwelveJobs, FindAFree3g) {
  keys("4/3g free\r", "3g.40gb");
  EXPECT_TRUE(shows("n2")) << screen();
  EXPECT_FALSE(shows("alice")) << "what is held is not free:\n" << screen();
  takes(10);
}

TEST_F(TwelveJobs, SeeWhoHoldsASlice) {
  keys(":gpu n2 0\r", "alice");
  EXPECT_TRUE(shows("0+4")) << screen();
  EXPECT_TRUE(shows("1 h 00 min")) << "and for how long:\n" << screen();
  takes(10);
}

TEST_F(TwelveJobs, SeeWhyAJobWaits) {
  keys(":big7\r", "7g.80gb");
  EXPECT_TRUE(shows("WHY")) << screen();
  takes(6);
}

TEST_F(TwelveJobs, CutAGpuAgainAndUndoIt) {
  keys(":n1\r", "1g.10gb");
  keys(":all-bal\r", "GPU 0 of n1");
  keys("P", "disturbs no workload");
  keys("An1\r", "ARMED");
  keys("!", "DONE: the new layout is in place");
  keys("z", "undoes");
  keys("An1\r", "ARMED");
  keys("!", "DONE: the earlier layout is in place again");
  takes(25);
}

TEST_F(TwelveJobs, ChangeTwentyNodesWithACanary) {
  keys("2/c\r", "c20");
  keys(":mark 20\r", "20 marked");
  keys(":all-bal\r", "20 nodes");
  keys("P", "risk");
  EXPECT_TRUE(shows("1 alone, then 8")) << screen();
  keys("A20\r", "ARMED");
  keys("!", "DONE: the new layout is in place");
  takes(28, 28);  // marking many nodes takes some more
}

TEST_F(TwelveJobs, FromTheGuideToAnAppliedLayout) {
  keys(":n3\r", "n3");
  keys("D", "Q2");
  keys("y", "MIG");
  keys("P", "disturbs no workload");
  keys("An3\r", "ARMED");
  keys("!", "DONE: the new layout is in place");
  takes(12);
}

TEST_F(TwelveJobs, ShareAGpuByTimeSlices) {
  keys(":k1\r", "k1");
  keys(":time-s\r", "time-slicing");
  keys("P", "disturbs no workload");
  keys("Ak1\r", "ARMED");
  keys("!", "DONE: the new layout is in place");
  takes(18);
}

TEST_F(TwelveJobs, ShareAGpuByMps) {
  keys(":n3\r", "n3");
  keys(":mps\r", "MPS");
  keys("P", "disturbs no workload");
  keys("An3\r", "ARMED");
  keys("!", "DONE: the new layout is in place");
  takes(15);
}

// Another has closed the node: it is opened knowingly, and the finding is gone.
TEST_F(TwelveJobs, FindWhatIsWrongAndFixIt) {
  keys("7", "Xid 79");
  keys("jy", "copied");
  keys("P", "resume lab/n4 over-others");
  keys("\r", "STEPS");
  keys("An4\r", "ARMED");
  keys("!", "DONE: the nodes are as requested");
  keys("7", "WHERE");
  EXPECT_TRUE(comes_to([&] { return !shows("Xid 79"); })) << screen();
  EXPECT_TRUE(shows("WHERE")) << "the list of what is wrong still stands there:\n" << screen();
  takes(11);
}

TEST_F(TwelveJobs, SeeTheLastMinutesOfAGpu) {
  keys(":gpu n2 0\r", "READINGS");
  EXPECT_TRUE(shows("LAST HOUR")) << screen();
  EXPECT_TRUE(comes_to([&] { return shows("since 09:00, by simulator"); }))
      << "since when it was measured, and by whom:\n"
      << screen();
  EXPECT_FALSE(shows("not measured since")) << screen();
  takes(10);
}

TEST_F(TwelveJobs, CopyTheCommandsOfAChange) {
  keys(":n1\r", "n1");
  keys(":all-bal\r", "GPU 0 of n1");
  keys("P", "risk");
  keys("Y", "copied the commands of every step");
  takes(15);
}

TEST_F(TwelveJobs, LearnFromZero) {
  keys(".", "actions");
  EXPECT_TRUE(shows("Enter")) << screen();
  keys("help\r", "SHAPES");
  keys("\x1b", "NEEDS ATTENTION");
  takes(7);
}

}  // namespace
}  // namespace tessera::test
