// Whole runs against the simulated API server with its GPU operator: plan from what is read, drive step by
// step, read back. The server's time runs much faster than ours.
#include <gtest/gtest.h>
#include <poll.h>

#include <future>

#include "backends/kubernetes/backend.hpp"
#include "backends/mailbox.hpp"
#include "engine/model/reduce.hpp"
#include "engine/operators/labels.hpp"
#include "engine/plan/run/actuator.hpp"
#include "engine/plan/run/run.hpp"
#include "engine/plan/steps/steps.hpp"
#include "engine/plan/words/operator_words.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/kube_lab.hpp"
#include "tests/support/patience.hpp"

namespace tessera::kubernetes {
namespace {

using namespace std::chrono_literals;
// The patience of a run is by the cluster's time: what TSan slows down gets more of ours.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TESSERA_SLOW_TIME
#endif
#endif
#ifdef TESSERA_SLOW_TIME
constexpr double kSpeed = 20;
#else
constexpr double kSpeed = 60;
#endif

TimePoint wall() { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }
// As fast as the server's, so that patience is measured by the cluster's time.
TimePoint fast() {
  static const TimePoint start = wall();
  return start + std::chrono::duration_cast<Duration>((wall() - start) * kSpeed);
}

class KubeChange : public testing::Test {
 protected:
  void SetUp() override { serve(""); }
  // With more lines of the scenario.
  void serve(const std::string& more) {
    backend_.reset();
    server_.reset();
    sim::kube::ServeOptions options = test::kube_lab(folder_, more);
    options.world.speed = kSpeed;
    options.kubeconfig.clear();  // a socket has no place in one
    options.listen = folder_.path() + "/api.sock";
    auto started = sim::kube::Server::start(std::move(options));
    ASSERT_TRUE(started.ok()) << to_line(started.error());
    server_ = std::move(*started);
    open();
  }
  // A tessera of its own, as after a restart.
  void open() {
    backend_.reset();
    mailbox_ = std::make_unique<Mailbox>();
    model_ = Model();
    KubernetesOptions wanted;
    wanted.cluster = "lab";
    wanted.socket = folder_.path() + "/api.sock";
    wanted.catalogue = test::shared_catalogue().get();
    wanted.clock = fast;
    backend_ = std::make_unique<KubernetesBackend>(std::move(wanted));
    backend_->start(*mailbox_);
    ASSERT_TRUE(until([](const Cluster& cluster) { return cluster.loaded; }));
  }
  bool until(const std::function<bool(const Cluster&)>& done,
             std::chrono::milliseconds patience = test::kPatience) {
    auto end = std::chrono::steady_clock::now() + patience;
    while (true) {
      for (Event& event : mailbox_->take()) reduce(model_, std::move(event));
      if (const Cluster* cluster = model_.find(ClusterName("lab")); cluster && done(*cluster)) return true;
      auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      if (left.count() <= 0) return false;
      pollfd wait{mailbox_->wake_fd(), POLLIN, 0};
      ::poll(&wait, 1, static_cast<int>(left.count()));
    }
  }
  const Cluster& cluster() const { return *model_.find(ClusterName("lab")); }
  plan::Actuator& hand() { return *backend_->actuator(); }

  plan::NodeFacts look(const std::string& node) {
    std::promise<Result<plan::NodeFacts>> told;
    hand().observe(NodeName(node), [&](Result<plan::NodeFacts> facts) { told.set_value(std::move(facts)); });
    Result<plan::NodeFacts> facts = told.get_future().get();
    EXPECT_TRUE(facts.ok()) << (facts ? "" : to_line(facts.error()));
    return facts ? *facts : plan::NodeFacts{};
  }
  plan::Intent wants(const std::string& node, const std::string& layout) const {
    plan::Intent intent;
    intent.cluster = ClusterName("lab");
    intent.nodes = {NodeName(node)};
    intent.words = layout;
    intent.boards = {{std::nullopt, plan::parse_layout_wish(layout).value()}};
    return intent;
  }
  plan::Intent shares(const std::string& node, Strategy strategy, int replicas) const {
    plan::Intent intent = wants(node, "whole");
    intent.boards[0].wish.strategy = strategy;
    intent.boards[0].wish.replicas = replicas;
    return intent;
  }
  plan::Plan plan_for(const plan::Intent& intent) {
    auto made = plan::make_plan(cluster(), *test::shared_catalogue(), intent, hand().means(), {}, fast());
    EXPECT_TRUE(made.ok()) << (made ? "" : to_line(made.error()));
    if (!made) return {};
    EXPECT_EQ(made->no_steps, "");
    return *made;
  }

  struct Ending {
    std::string how;  // "wanted", "recorded", or why it stopped
    std::vector<plan::RunEvent> journal;
  };
  // Drives the plan's one node; gone: true ends this process before the step's act is done.
  Ending drive(const plan::Plan& plan, std::vector<plan::RunEvent> journal = {},
               const std::function<bool(const plan::Action&)>& gone = {}) {
    plan::Executor executor(plan.nodes.at(0), plan.intent.options, "r1", false);
    for (const plan::RunEvent& event : journal) executor.note(event);
    if (!journal.empty()) {
      journal.push_back(plan::Resumed{"ann", "here"});
      executor.note(journal.back());
    }
    const NodeName node = plan.nodes.at(0).node;
    std::optional<Result<plan::NodeFacts>> fresh;
    auto end = std::chrono::steady_clock::now() + test::kPatience;
    while (std::chrono::steady_clock::now() < end) {
      plan::Turn turn = executor.next(fresh ? &*fresh : nullptr, fast());
      fresh.reset();
      journal.insert(journal.end(), turn.journal.begin(), turn.journal.end());
      if (auto* act = std::get_if<plan::Perform>(&turn.next)) {
        if (gone && gone(act->action)) return {"gone", journal};
        std::promise<Status> told;
        hand().perform({node, act->action, {"r1", "ann", "here", fast()}, act->step, act->deadline},
                       [&](Result<Done> status) { told.set_value(std::move(status)); });
        journal.push_back(executor.performed(told.get_future().get()));
      } else if (auto* wait = std::get_if<plan::Observe>(&turn.next)) {
        auto pause = std::chrono::duration_cast<std::chrono::milliseconds>(wait->after / kSpeed);
        until([](const Cluster&) { return false; }, std::min(pause, std::chrono::milliseconds(500)));
        std::promise<Result<plan::NodeFacts>> told;
        hand().observe(node, [&](Result<plan::NodeFacts> facts) { told.set_value(std::move(facts)); });
        fresh = told.get_future().get();
      } else if (auto* finished = std::get_if<plan::Finished>(&turn.next)) {
        return {finished->outcome == plan::Outcome::wanted ? "wanted" : "recorded", journal};
      } else if (auto* stopped = std::get_if<plan::Stopped>(&turn.next)) {
        return {stopped->why, journal};
      } else {
        return {"asks or turns back", journal};
      }
    }
    return {"out of time at step " + std::to_string(executor.step()) + ": " + executor.place(), journal};
  }
  // Nothing of ours is left on the node but the layout.
  void given_back(const std::string& name) {
    plan::NodeFacts node = look(name);
    EXPECT_FALSE(node.closed) << node.closed_reason;
    EXPECT_FALSE(node.mark);
    EXPECT_EQ(node.words.at(std::string(plan::words::kAutoscaler)), "free");
  }
  std::int64_t offers(const std::string& node, const std::string& resource) {
    return look(node).advertised["nvidia.com/" + resource];
  }
  // The model has heard of it, so that the next plan starts from there.
  bool hears(const std::string& node, const std::function<bool(const Node&)>& is_so) {
    return until([&](const Cluster& all) {
      const Node* found = all.nodes.find(NodeName(node));
      return found && is_so(*found);
    });
  }

  test::Scratch folder_;
  std::unique_ptr<sim::kube::Server> server_;
  std::unique_ptr<Mailbox> mailbox_;
  Model model_;
  std::unique_ptr<KubernetesBackend> backend_;
};

TEST_F(KubeChange, CutsANodeAndUndoesIt) {
  plan::Plan plan = plan_for(wants("h2", "7x1g.10gb"));
  EXPECT_EQ(drive(plan).how, "wanted");
  EXPECT_EQ(offers("h2", "mig-1g.10gb"), 14);
  EXPECT_EQ(offers("h2", "gpu"), 0);
  given_back("h2");
  ASSERT_TRUE(hears("h2", [](const Node& node) {
    return node.gpus.size() == 2 && node.gpus[0].strategy == Strategy::mig && node.gpus[0].slices.size() == 7;
  }));
  plan::Plan back = plan_for(plan::undo_intent(plan, plan.nodes.at(0), "undo"));
  EXPECT_EQ(drive(back).how, "wanted");
  EXPECT_EQ(offers("h2", "gpu"), 2);
  given_back("h2");
}

TEST_F(KubeChange, SharesByTimeSlicesAndByMps) {
  EXPECT_EQ(drive(plan_for(shares("t1", Strategy::time_slicing, 4))).how, "wanted");
  EXPECT_EQ(offers("t1", "gpu"), 16);
  EXPECT_EQ(look("t1").words.at("nvidia.com/gpu.product"), "Tesla-T4-SHARED");
  ASSERT_TRUE(hears("t1", [](const Node& node) {
    return node.gpus.size() == 4 && node.gpus[0].strategy == Strategy::time_slicing;
  }));
  EXPECT_EQ(drive(plan_for(shares("t1", Strategy::mps, 10))).how, "wanted");
  EXPECT_EQ(offers("t1", "gpu"), 40);
  ASSERT_TRUE(hears("t1", [](const Node& node) {
    return node.gpus.size() == 4 && node.gpus[0].strategy == Strategy::mps;
  }));
  EXPECT_EQ(drive(plan_for(wants("t1", "whole"))).how, "wanted");
  EXPECT_EQ(offers("t1", "gpu"), 4);
  given_back("t1");
}

TEST_F(KubeChange, ALayoutWithoutANameGetsOne) {
  EXPECT_EQ(drive(plan_for(wants("h2", "4g.40gb,1g.10gb"))).how, "wanted");
  EXPECT_EQ(offers("h2", "mig-4g.40gb"), 2);
  EXPECT_TRUE(look("h2").words.at("nvidia.com/mig.config").starts_with("tessera-"));
  // Which instances stand on which GPU is known by that name.
  ASSERT_TRUE(
      hears("h2", [](const Node& node) { return node.gpus.size() == 2 && node.gpus[1].slices.size() == 2; }));
}

TEST_F(KubeChange, WorkInTheWayIsWaitedForAndEvictedOnlyWhenThatWasChosen) {
  plan::Intent intent = wants("h1", "7x1g.10gb");
  intent.options.wait = Duration(30000);
  Ending waited = drive(plan_for(intent));
  EXPECT_NE(waited.how.find("after 30 s"), std::string::npos) << waited.how;
  EXPECT_EQ(look("h1").workloads.size(), 1u);
  EXPECT_EQ(offers("h1", "gpu"), 2);
  intent.options.way = plan::Way::cancel;
  intent.options.wait.reset();
  plan::Plan armed = plan_for(intent);
  ASSERT_EQ(armed.nodes.at(0).blast_radius.size(), 1u);
  EXPECT_EQ(drive(armed).how, "wanted");
  EXPECT_EQ(offers("h1", "mig-1g.10gb"), 14);
  given_back("h1");
}

TEST_F(KubeChange, ARunThatWasKilledIsTakenUpWhereItStood) {
  plan::Plan plan = plan_for(wants("h2", "3g.40gb,2g.20gb,2x1g.10gb"));
  Ending killed = drive(
      plan, {}, [](const plan::Action& action) { return std::holds_alternative<plan::OpenNode>(action); });
  ASSERT_EQ(killed.how, "gone");
  EXPECT_TRUE(look("h2").closed);
  open();
  EXPECT_EQ(drive(plan, killed.journal).how, "wanted");
  EXPECT_EQ(offers("h2", "mig-3g.40gb"), 2);
  given_back("h2");
}

// A GPU client does not leave: the manager gives up without a word, with everything paused.
TEST_F(KubeChange, AManagerThatHangsIsMended) {
  serve("    faults:\n      - {fault: \"wedges node=h2\"}\n");
  Ending ending = drive(plan_for(wants("h2", "7x1g.10gb")));
  EXPECT_EQ(ending.how, "wanted");
  bool mended = false;
  for (const plan::RunEvent& event : ending.journal)
    if (const auto* begun = std::get_if<plan::StepBegun>(&event))
      if (const auto* act = std::get_if<plan::Special>(&begun->action))
        mended = mended || act->verb == plan::verbs::kRecoverMig;
  EXPECT_TRUE(mended);
  EXPECT_EQ(offers("h2", "mig-1g.10gb"), 14);
  given_back("h2");
}

// A failure stops with its cause; taken up again, the same order is given again.
TEST_F(KubeChange, AManagerThatFailsStopsTheRunWithTheCauseAndResumingOrdersAgain) {
  serve("    faults:\n      - {fault: \"fails node=h2\"}\n");
  plan::Plan plan = plan_for(wants("h2", "7x1g.10gb"));
  Ending stopped = drive(plan);
  EXPECT_NE(stopped.how.find("the MIG manager failed at all-1g.10gb"), std::string::npos) << stopped.how;
  EXPECT_NE(stopped.how.find("its log ends"), std::string::npos) << stopped.how;
  open();
  EXPECT_EQ(drive(plan, stopped.journal).how, "wanted");
  EXPECT_EQ(offers("h2", "mig-1g.10gb"), 14);
  given_back("h2");
}

TEST_F(KubeChange, AnotherRunsMarkIsALock) {
  plan::Plan plan = plan_for(wants("h2", "7x1g.10gb"));
  std::promise<Status> told;
  hand().perform({NodeName("h2"), plan::SetMark{}, {"other", "bob", "there", fast()}, "x", {}},
                 [&](Result<Done> status) { told.set_value(std::move(status)); });
  ASSERT_TRUE(told.get_future().get().ok());
  EXPECT_EQ(drive(plan).how, "asks or turns back");
  std::promise<std::vector<plan::MarkedNode>> marks;
  hand().marks([&](Result<std::vector<plan::MarkedNode>> all) {
    marks.set_value(all ? *all : std::vector<plan::MarkedNode>{});
  });
  std::vector<plan::MarkedNode> all = marks.get_future().get();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].node.text, "h2");
  EXPECT_EQ(all[0].mark.who, "bob");
}

}  // namespace
}  // namespace tessera::kubernetes
