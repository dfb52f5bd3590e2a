// Runs over several nodes, and runs that wait for a time or for work to leave.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/fleet/rests.hpp"
#include "engine/plan/run/one_first.hpp"
#include "tests/backends/runs/lab.hpp"

namespace tessera::test {
namespace {

using plan::Onward;
using plan::Outcome;

std::vector<std::string> texts(const std::vector<NodeName>& nodes) {
  std::vector<std::string> all;
  for (const NodeName& node : nodes) all.push_back(node.text);
  return all;
}
using Names = std::vector<std::string>;

std::vector<Node> four() { return {small_node("n1"), small_node("n2"), small_node("n3"), small_node("n4")}; }
const Names kFour = {"n1", "n2", "n3", "n4"};

TEST(Rollout, TheCanaryAloneThenBatchesInOrder) {
  Lab lab(four());
  plan::ChangeOptions options;
  options.canary = 1, options.batch = 2;
  std::vector<std::string> acted;  // on the cluster's thread; read when the room is gone
  lab.cluster().before_perform = [&](const plan::Order& order) {
    if (std::find(acted.begin(), acted.end(), order.node.text) != acted.end()) return;
    // Whatever went before a batch is over: its node is open again.
    const std::string before = order.node.text == "n4" ? "n3" : "n1";
    if (order.node.text != "n1") {
      EXPECT_FALSE(lab.cluster().world(before).observe("").value().closed) << order.node.text;
    }
    acted.push_back(order.node.text);
  };
  std::string run = lab.start(lab.plan(kWish, kFour, options));
  ASSERT_TRUE(lab.wait_finished(run));
  lab.close();
  EXPECT_EQ(acted, kFour);
  for (const std::string& name : kFour) EXPECT_EQ(lab.board(name), kWanted) << name;
  EXPECT_EQ(lab.told_run(run).finished->text, "4 of 4 nodes done");
}

TEST(Rollout, NothingMoreIsBegunAfterAFailureAndResumingGoesOn) {
  Lab lab(four());
  plan::ChangeOptions options;
  options.canary = 1, options.batch = 2;
  lab.cluster().world("n2").arm(Fault::create_always_stops, 0);
  std::string run = lab.start(lab.plan(kWish, kFour, options));
  ASSERT_TRUE(lab.wait_stopped(run));
  plan::Summary nodes = summary(lab.told_run(run));
  EXPECT_EQ(texts(nodes.done), (Names{"n1", "n3"}));
  EXPECT_EQ(texts(nodes.failed), (Names{"n2"}));
  EXPECT_EQ(texts(nodes.untouched), (Names{"n4"}));
  RunHead head = *lab.find(lab.list(), run);
  EXPECT_EQ(head.state, RunState::parked);
  EXPECT_TRUE(head.why.starts_with("n2: ")) << head.why;
  EXPECT_NE(head.why.find("Insufficient Resources"), std::string::npos) << head.why;
  EXPECT_EQ(head.progress, "2 of 4 nodes done, 1 failed (n2), 1 untouched");
  lab.close();
  EXPECT_EQ(lab.board("n4"), kFound);

  lab.cluster().world("n2").mend();
  lab.room().resume(run, {Onward::carry_on, false});
  ASSERT_TRUE(lab.wait_finished(run));
  lab.close();
  for (const std::string& name : kFour) EXPECT_EQ(lab.board(name), kWanted) << name;
}

TEST(Rollout, AFailureIsUndoneWhereThatWasAskedFor) {
  Lab lab(four());
  plan::ChangeOptions options;
  options.on_failure = plan::OnFailure::undo;
  lab.cluster().world("n1").arm(Fault::create_always_stops, 0);
  std::string run = lab.start(lab.plan(kWish, kFour, options));
  ASSERT_TRUE(lab.wait_stopped(run)) << lab.told[run];
  lab.close();
  plan::Run folded = lab.told_run(run);
  if (!folded.finished) {  // the world refuses every creation: the way back stops, too, and says so
    EXPECT_TRUE(folded.nodes.at(NodeName("n1")).back());
    lab.cluster().world("n1").mend();
    lab.room().resume(run, {Onward::carry_on, false});
    ASSERT_TRUE(lab.wait_finished(run));
    lab.close();
    folded = lab.told_run(run);
  }
  EXPECT_EQ(folded.finished->outcome, Outcome::recorded);
  for (const std::string& name : kFour) EXPECT_EQ(lab.board(name), kFound) << name;
  EXPECT_EQ(texts(summary(folded).untouched), (Names{"n2", "n3", "n4"}));
}

TEST(Rollout, PausedBetweenTwoNodesItGoesOnWithTheNext) {
  Lab lab(four());
  plan::ChangeOptions options;
  options.canary = 1, options.batch = 1;
  lab.cluster().before_perform = [&](const plan::Order& order) {
    if (order.node.text == "n1" && std::holds_alternative<plan::ClearMark>(order.action))
      lab.room().park_all("the terminal went away");
  };
  std::string run = lab.start(lab.plan(kWish, kFour, options));
  ASSERT_TRUE(lab.wait([&] { return lab.rests == 1; }));
  RunHead head = *lab.find(lab.list(), run);
  EXPECT_EQ(head.state, RunState::parked);
  EXPECT_EQ(head.why, "the terminal went away");
  EXPECT_EQ(head.progress, "1 of 4 nodes done, 3 untouched");
  lab.room().resume(run, {Onward::back, false});
  ASSERT_TRUE(lab.wait_refused());
  EXPECT_EQ(lab.refused[0].error.hint, "tessera undo reverts what is done");
  lab.room().resume(run, {Onward::carry_on, false});
  ASSERT_TRUE(lab.wait_finished(run));
  EXPECT_EQ(lab.told_run(run).finished->outcome, Outcome::wanted);
}

// A timer found no node to open, and left the run parked for good: neither --back nor undo takes such a one.
TEST(Rollout, PausedBetweenTwoNodesATimerThatGoesBackEndsIt) {
  Lab lab(four());
  plan::ChangeOptions options;
  options.canary = 1, options.batch = 1;
  lab.cluster().before_perform = [&](const plan::Order& order) {
    if (order.node.text == "n1" && std::holds_alternative<plan::ClearMark>(order.action))
      lab.room().park_all(fleet::resting_words("now"));
  };
  std::string run = lab.start(lab.plan(kWish, kFour, options));
  ASSERT_TRUE(lab.wait([&] { return lab.rests == 1; }));
  EXPECT_TRUE(fleet::rests_by_pause(lab.told_run(run)));
  EXPECT_TRUE(fleet::has_only_closed(lab.told_run(run)));
  plan::Resuming how;
  how.onward = Onward::back, how.by_timer = true;
  lab.room().resume(run, how);
  ASSERT_TRUE(lab.wait_finished(run));
  EXPECT_EQ(lab.told_run(run).finished->outcome, Outcome::partial);
  EXPECT_EQ(lab.told_run(run).finished->text, "1 of 4 nodes done, 3 untouched");
  EXPECT_EQ(lab.find(lab.list(), run)->state, RunState::finished);
}

// In the middle of a node, as the pause of a fleet file comes.
TEST(Rollout, ARunThatRestsForThePauseOfItsFileGoesOnWhereItStopped) {
  Lab lab(four());
  plan::ChangeOptions options;
  options.canary = 1, options.batch = 2;
  lab.cluster().before_perform = [&](const plan::Order& order) {
    if (order.node.text == "n2" && std::holds_alternative<plan::DestroyInstances>(order.action))
      lab.room().park_all(fleet::resting_words("now"));
  };
  std::string run = lab.start(lab.plan(kWish, kFour, options));
  ASSERT_TRUE(lab.wait([&] { return lab.rests == 1; }));
  EXPECT_EQ(lab.find(lab.list(), run)->state, RunState::parked);
  EXPECT_TRUE(fleet::rests_by_pause(lab.told_run(run)));
  EXPECT_FALSE(fleet::has_only_closed(lab.told_run(run)));
  EXPECT_EQ(texts(summary(lab.told_run(run)).untouched), (Names{"n4"}));
  plan::Resuming how;
  how.by_timer = true;
  lab.room().resume(run, how);
  ASSERT_TRUE(lab.wait_finished(run));
  EXPECT_EQ(lab.told_run(run).finished->outcome, Outcome::wanted);
  for (const std::string& name : kFour) EXPECT_EQ(lab.board(name), kWanted) << name;
}

TEST(Rollout, ParksUntilTheNodeIsEmptyAndLooksAgainWhenResumed) {
  Lab lab({small_node("n1")}, {on_slice("8", "bob", "n1", 2)});
  lab.cluster().patient_looks = 0;
  plan::ChangeOptions options;
  options.when_empty = true;
  std::string run = lab.start(lab.plan(kWish, {"n1"}, options));
  ASSERT_TRUE(lab.wait_stopped(run));
  RunHead head = *lab.find(lab.list(), run);
  EXPECT_EQ(head.state, RunState::parked);
  EXPECT_TRUE(head.why.starts_with("waits until n1 is empty (")) << head.why;
  EXPECT_TRUE(head.why.ends_with("go on with: tessera resume " + run)) << head.why;
  EXPECT_EQ(head.progress, "0 of 1 node done, 1 waiting");
  EXPECT_EQ(texts(waits_for_empty(lab.told_run(run))), (Names{"n1"}));
  EXPECT_TRUE(may_be_due(lab.told_run(run), lab.now()));
  lab.close();
  EXPECT_TRUE(lab.cluster().world("n1").observe(run).value().closed) << "no new work comes while it waits";

  lab.room().resume(run, {Onward::carry_on, false});
  ASSERT_TRUE(lab.wait([&] { return lab.told[run].find("\"resumed\"") != std::string::npos; }));
  ASSERT_TRUE(lab.wait_stopped(run));
  EXPECT_FALSE(lab.told_run(run).finished) << "bob is still there";
  lab.close();
  lab.cluster().world("n1").let_all_work_end();
  lab.room().resume(run, {Onward::carry_on, false});
  ASSERT_TRUE(lab.wait_finished(run));
  lab.close();
  EXPECT_EQ(lab.board("n1"), kWanted);
}

std::vector<Workload> work_on_four() {
  std::vector<Workload> work;
  for (const std::string& name : kFour) work.push_back(on_slice("job-" + name, "bob", name, 2));
  return work;
}

// For a window: it closes its nodes, and waits until they are empty.
plan::Plan closes_four(Lab& lab) {
  lab.cluster().patient_looks = 0;
  plan::ChangeOptions options;
  options.when_empty = true, options.canary = 0, options.batch = 4;
  plan::Plan plan = lab.plan(kWish, kFour, options);
  change_one_first(plan);
  return plan;
}
std::string close_four(Lab& lab) {
  std::string run = lab.start(closes_four(lab));
  EXPECT_TRUE(lab.wait_stopped(run));
  return run;
}

// Into changed: nodes in the order in which their GPUs are changed. No other is while the first one is.
void expect_one_first(Lab& lab, Names& changed) {
  lab.cluster().before_perform = [&lab, &changed](const plan::Order& order) {
    if (!std::holds_alternative<plan::DestroyInstances>(order.action) ||
        std::find(changed.begin(), changed.end(), order.node.text) != changed.end())
      return;
    if (!changed.empty()) {
      EXPECT_FALSE(lab.cluster().world(changed.front()).observe("").value().closed) << order.node.text;
    }
    changed.push_back(order.node.text);
  };
}

// Nodes that were closed together for a window became empty between two calls, and changed at the same time.
TEST(Rollout, OfNodesThatBecameEmptyTogetherOneIsChangedAloneAndTheOthersOnceItIsDone) {
  Lab lab(four(), work_on_four());
  const std::string run = close_four(lab);
  EXPECT_EQ(lab.find(lab.list(), run)->progress, "0 of 4 nodes done, 4 waiting");
  lab.close();
  for (const std::string& name : kFour)
    EXPECT_TRUE(lab.cluster().world(name).observe(run).value().closed) << name << " is closed at once";

  for (const char* name : {"n2", "n3", "n4"}) lab.cluster().world(name).let_all_work_end();
  Names acted;
  lab.cluster().before_perform = [&](const plan::Order& order) {
    if (std::find(acted.begin(), acted.end(), order.node.text) != acted.end()) return;
    if (!acted.empty()) {
      EXPECT_FALSE(lab.cluster().world("n2").observe("").value().closed) << order.node.text;
    }
    acted.push_back(order.node.text);
  };
  lab.room().resume(run, {Onward::carry_on, false});
  const auto done = [&] { return summary(lab.told_run(run)).done.size(); };
  ASSERT_TRUE(lab.wait([&] { return done() == 3; })) << lab.told[run];
  EXPECT_EQ(lab.find(lab.list(), run)->progress, "3 of 4 nodes done, 1 waiting");
  lab.close();
  ASSERT_EQ(acted.size(), 3u);
  EXPECT_EQ(acted[0], "n2") << "n1 is not empty";
  EXPECT_EQ(lab.board("n1"), kFound);
  EXPECT_TRUE(lab.cluster().harm().empty());

  lab.cluster().world("n1").let_all_work_end();
  lab.room().resume(run, {Onward::carry_on, false});
  ASSERT_TRUE(lab.wait_finished(run)) << lab.told[run];
  lab.close();
  EXPECT_EQ(lab.told_run(run).finished->outcome, Outcome::wanted);
  for (const std::string& name : kFour) EXPECT_EQ(lab.board(name), kWanted) << name;
}

// The plan was made while they were held; they were changed at the same time.
TEST(Rollout, OfNodesWhoseWorkEndsWhileTheyAreClosedOneIsChangedAlone) {
  Lab lab(four(), work_on_four());
  const plan::Plan plan = closes_four(lab);
  for (const std::string& name : kFour) lab.cluster().world(name).let_all_work_end();
  Names changed;
  expect_one_first(lab, changed);
  const std::string run = lab.start(plan);
  ASSERT_TRUE(lab.wait_finished(run)) << lab.told[run];
  lab.close();
  EXPECT_EQ(changed.size(), 4u);
  for (const std::string& name : kFour) EXPECT_EQ(lab.board(name), kWanted) << name;
}

// Whatever was half closed then, or not yet closed, was changed at the same time after the resume.
TEST(Rollout, AKillWhileNodesAreClosedTogetherLosesNoCanary) {
  for (int line = 2; line <= 26; line += 6) {
    SCOPED_TRACE(line);
    Lab lab(four(), work_on_four());
    const plan::Plan plan = closes_four(lab);
    lab.die_after(line);
    const std::string run = lab.start(plan);
    lab.close_dead_room();
    for (const std::string& name : kFour) lab.cluster().world(name).let_all_work_end();
    Names changed;
    expect_one_first(lab, changed);
    lab.room().resume(run, {Onward::carry_on, false});
    ASSERT_TRUE(lab.wait_finished(run)) << lab.told[run];
    lab.close();
    EXPECT_EQ(changed.size(), 4u);
    for (const std::string& name : kFour) EXPECT_EQ(lab.board(name), kWanted) << name;
    EXPECT_TRUE(lab.cluster().harm().empty());
  }
}

TEST(Rollout, WhereTheFirstOfNodesThatBecameEmptyFailsNoOtherIsChanged) {
  Lab lab(four(), work_on_four());
  const std::string run = close_four(lab);
  lab.close();
  for (const std::string& name : kFour) lab.cluster().world(name).let_all_work_end();
  lab.cluster().world("n1").arm(Fault::create_always_stops, lab.cluster().world("n1").performs);
  lab.room().resume(run, {Onward::carry_on, false});
  ASSERT_TRUE(lab.wait([&] { return !summary(lab.told_run(run)).failed.empty(); })) << lab.told[run];
  lab.settle();
  lab.close();
  const plan::Run folded = lab.told_run(run);
  EXPECT_EQ(texts(summary(folded).failed), Names{"n1"});
  EXPECT_EQ(texts(summary(folded).waiting), (Names{"n2", "n3", "n4"}));
  EXPECT_FALSE(may_be_due(folded, lab.now())) << "no timer decides about that";
  for (const char* name : {"n2", "n3", "n4"}) EXPECT_EQ(lab.board(name), kFound) << name;

  lab.cluster().world("n1").mend();
  lab.room().resume(run, {Onward::carry_on, false});
  ASSERT_TRUE(lab.wait_finished(run)) << lab.told[run];
  lab.close();
  for (const std::string& name : kFour) EXPECT_EQ(lab.board(name), kWanted) << name;
}

TEST(Rollout, ParksUntilItsTimeHasCome) {
  Lab lab({small_node("n1")});
  plan::ChangeOptions options;
  options.at = at(4 * 3600);
  std::string run = lab.start(lab.plan(kWish, {"n1"}, options));
  ASSERT_TRUE(lab.wait_stopped(run));
  plan::Run folded = lab.told_run(run);
  EXPECT_EQ(due_at(folded), at(4 * 3600));
  EXPECT_FALSE(may_be_due(folded, lab.now()));
  EXPECT_TRUE(may_be_due(folded, at(4 * 3600)));
  RunHead head = *lab.find(lab.list(), run);
  EXPECT_EQ(head.why, "waits until 2027-01-15T12:00:00.000Z; go on with: tessera resume " + run);
  lab.set_clock(at(4 * 3600));
  lab.cluster().world("n1").now = at(4 * 3600);  // it is the cluster's own time that counts
  lab.room().resume(run, {Onward::carry_on, false});
  ASSERT_TRUE(lab.wait_finished(run));
  lab.close();
  EXPECT_EQ(lab.board("n1"), kWanted);
}

}  // namespace
}  // namespace tessera::test
