// One state file, several who act on it: nothing is lost, and everyone sees what the others did.
#include <signal.h>
#include <sys/wait.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "backends/mailbox.hpp"
#include "backends/sim/backend.hpp"
#include "backends/sim/by_hand.hpp"
#include "backends/sim/saved/state_text.hpp"
#include "tests/backends/sim/hands.hpp"
#include "tests/support/patience.hpp"
#include "tests/support/watch.hpp"

namespace tessera::sim {
namespace {

// Waits for what an actuator tells.
template <class T>
class Answer {
 public:
  plan::Actuator::Told<T> told() {
    return [this](Result<T> result) {
      std::lock_guard lock(mutex_);
      result_ = std::move(result);
      told_.notify_one();
    };
  }
  Result<T> wait() {
    std::unique_lock lock(mutex_);
    bool there = told_.wait_for(lock, test::kPatience, [&] { return result_.has_value(); });
    return there ? *result_ : Result<T>(Error{"", "nothing was told", ""});
  }

 private:
  std::mutex mutex_;
  std::condition_variable told_;
  std::optional<Result<T>> result_;
};

class SharedWorld : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tessera-shared-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  SimulatorOptions options(std::optional<double> speed = std::nullopt) {
    SimulatorOptions options;
    options.speed = speed;
    options.state_file = folder + "/world";
    options.wall = [at = wall] { return TimePoint(Duration(at->load())); };
    options.catalogue = test::shared_catalogue();
    return options;
  }
  // The first cluster of the demo.
  BackendPtr one(std::optional<double> speed = std::nullopt) {
    Result<std::vector<BackendPtr>> all = open(options(speed));
    if (!all) ADD_FAILURE() << to_line(all.error());
    return std::move(all->front());
  }
  static Status act(Backend& backend, plan::Action action, const std::string& run = "r1") {
    Answer<Done> answer;
    backend.actuator()->perform({NodeName("h100-03"), std::move(action), mark_of(run), "s", Duration(0)},
                                answer.told());
    return answer.wait();
  }
  static Result<plan::NodeFacts> see(Backend& backend) {
    Answer<plan::NodeFacts> answer;
    backend.actuator()->observe(NodeName("h100-03"), answer.told());
    return answer.wait();
  }
  World saved() {
    Result<std::vector<World>> worlds = open_worlds(options());
    if (!worlds) ADD_FAILURE() << to_line(worlds.error());
    return std::move(worlds->front());
  }

  std::string folder;
  std::shared_ptr<std::atomic<std::int64_t>> wall =
      std::make_shared<std::atomic<std::int64_t>>(kMonday.time_since_epoch().count());
};

TEST_F(SharedWorld, ShowsOneWhatTheOtherDid) {
  BackendPtr a = one(), b = one();
  EXPECT_TRUE(act(*a, plan::SetMark{}).ok());
  EXPECT_EQ(see(*b)->mark->run, "r1");
  EXPECT_FALSE(act(*b, plan::SetMark{}, "r2").ok());
  EXPECT_TRUE(act(*b, plan::CloseNode{"x"}, "r2").ok());
  EXPECT_EQ(see(*a)->closed_as->run, "r2");
  Answer<std::vector<plan::MarkedNode>> marks;
  b->actuator()->marks(marks.told());
  EXPECT_EQ(marks.wait()->size(), 1u);
}

TEST_F(SharedWorld, TellsTheConsoleWhatAnotherProcessDid) {
  Mailbox mailbox;
  Model model;
  BackendPtr console = one(), run = one();
  console->start(mailbox);
  ASSERT_TRUE(test::reduce_until(mailbox, model,
                                 [&] { return !model.clusters.empty() && model.clusters[0].loaded; }));
  EXPECT_TRUE(act(*run, plan::CloseNode{"x"}).ok());
  EXPECT_TRUE(test::reduce_until(mailbox, model, [&] {
    return model.clusters[0].nodes.find(NodeName("h100-03"))->health == Health::draining;
  }));
}

TEST_F(SharedWorld, TellsTheConsoleAtOnceWhatItDidItself) {
  Mailbox mailbox;
  Model model;
  BackendPtr console = one();
  console->start(mailbox);
  ASSERT_TRUE(test::reduce_until(mailbox, model,
                                 [&] { return !model.clusters.empty() && model.clusters[0].loaded; }));
  for (Event& event : mailbox.take()) reduce(model, std::move(event));
  EXPECT_TRUE(act(*console, plan::CloseNode{"x"}).ok());
  for (Event& event : mailbox.take()) reduce(model, std::move(event));
  EXPECT_EQ(model.clusters[0].nodes.find(NodeName("h100-03"))->health, Health::draining);
}

TEST_F(SharedWorld, IsMovedAlongByWhoeverHasASpeed) {
  Mailbox mailbox;
  Model model;
  BackendPtr still = one(), moving = one(10);
  still->start(mailbox);
  ASSERT_TRUE(test::reduce_until(mailbox, model,
                                 [&] { return !model.clusters.empty() && model.clusters[0].loaded; }));
  *wall += 60'000;
  ASSERT_TRUE(see(*moving).ok());
  EXPECT_EQ(saved().now, kMonday + std::chrono::minutes(10));
  EXPECT_TRUE(test::reduce_until(mailbox, model, [&] {
    return cluster_now(model.clusters[0], kMonday) == kMonday + std::chrono::minutes(10);
  })) << "and the other's clock is told so";
}

TEST_F(SharedWorld, DoesNotRunTwiceAsFastForTwo) {
  BackendPtr a = one(1), b = one(1);
  for (int i = 0; i < 20; ++i) {
    *wall += 1000;
    see(*a);
    see(*b);
  }
  EXPECT_LE(saved().now, kMonday + std::chrono::seconds(20));
  EXPECT_GE(saved().now, kMonday + std::chrono::seconds(10));
}

TEST_F(SharedWorld, LosesNothingToAKill) {
  saved();
  for (const char* kind : {"dies-before", "dies-after"}) {
    Result<std::vector<World>> worlds = open_worlds(options());
    ASSERT_TRUE(worlds.ok());
    worlds->front().traps = {{*parse_trap(std::string(kind) + " verb=set-mark"), 0}};
    Result<StateFile> file = StateFile::open(folder + "/world");
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->write(save_state(*worlds)).ok());
    { StateFile unlocked = std::move(*file); }
    EXPECT_EXIT(act(*one(), plan::SetMark{}), ::testing::KilledBySignal(SIGKILL), "") << kind;
    World after = saved();
    EXPECT_TRUE(after.traps.empty()) << "it dies once";
    EXPECT_EQ(marks_of(after).size(), std::string_view(kind) == "dies-after" ? 1u : 0u);
  }
}

TEST_F(SharedWorld, SaysWhenItsFileIsGoneAndGoesOnWhenItIsBack) {
  BackendPtr backend = one();
  std::filesystem::rename(folder + "/world", folder + "/elsewhere");
  Result<plan::NodeFacts> facts = see(*backend);
  ASSERT_FALSE(facts.ok());
  EXPECT_EQ(facts.error().what, "the simulator state is gone");
  EXPECT_FALSE(act(*backend, plan::SetMark{}).ok());
  std::filesystem::rename(folder + "/elsewhere", folder + "/world");
  EXPECT_TRUE(see(*backend).ok());
}

TEST_F(SharedWorld, LetsAnEndedJobLeaveThoughItsClockStandsStill) {
  BackendPtr backend = one();
  Result<plan::NodeFacts> before = see(*backend);
  ASSERT_TRUE(before.ok());
  ASSERT_FALSE(before->workloads.empty());
  WorkloadId id = before->workloads[0].id;
  EXPECT_TRUE(act(*backend, plan::Evict{id, plan::Way::cancel}).ok());
  Result<plan::NodeFacts> after = see(*backend);
  ASSERT_TRUE(after.ok());
  for (const Workload& one : after->workloads) EXPECT_NE(one.id, id);
  EXPECT_GT(saved().now, kMonday);
  EXPECT_LE(saved().now, kMonday + std::chrono::seconds(12));
}

TEST_F(SharedWorld, AnswersWithAnErrorWhatItIsStoppedOver) {
  std::vector<Answer<plan::NodeFacts>> answers(50);
  {
    BackendPtr backend = one();
    for (auto& answer : answers) backend->actuator()->observe(NodeName("h100-03"), answer.told());
  }
  for (auto& answer : answers) {
    Result<plan::NodeFacts> facts = answer.wait();
    EXPECT_TRUE(facts.ok() || facts.error().what == "no answer from the simulator");
  }
}

TEST_F(SharedWorld, TwoWhoActAtOnceLoseNoAction) {
  BackendPtr a = one(), b = one();
  std::vector<Answer<Done>> answers(40);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    plan::RunMark mark = mark_of("r" + std::to_string(i));
    (i % 2 == 0 ? a : b)
        ->actuator()
        ->perform({NodeName("h100-03"), plan::SetMark{true}, mark, "s", Duration(0)}, answers[i].told());
  }
  for (auto& answer : answers) EXPECT_TRUE(answer.wait().ok());
  EXPECT_EQ(see(*a)->mark, see(*b)->mark);
}

}  // namespace
}  // namespace tessera::sim
