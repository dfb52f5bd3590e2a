// Plan, arming, run and journal as they were looked at and found right.
#include <gtest/gtest.h>

#include "engine/plan/steps/slurm_config.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/golden.hpp"
#include "tests/tui/screens/change_places.hpp"
#include "tui/screens/plan/plan_words.hpp"

namespace tessera::test {
namespace plan_golden_test {

constexpr tui::Size kSizes[] = {{80, 24}, {120, 40}, {200, 60}};

// Prepares a session of that size and compares what it shows.
template <class Prepare>
void at_three_sizes(const std::string& name, Prepare prepare) {
  for (tui::Size size : kSizes) {
    Session session = changing(size);
    prepare(session);
    expect_golden(name + "-" + std::to_string(size.columns), session.canvas());
  }
}
template <class Prepare>
void in_ascii(const std::string& name, Prepare prepare) {
  Session session = changing({80, 24});
  session.state.ascii = true;
  prepare(session);
  expect_golden(name + "-ascii", session.canvas());
}

void disturbing_no_work(Session& session) { open(session, plan_of(session, {"n0031"}, 0)); }
void disturbing_two(Session& session) {
  plan::ChangeOptions options;
  options.way = plan::Way::requeue;
  open(session, plan_of(session, {"n0031"}, {}, "4g.40gb,3g.40gb", options));
}
void many_nodes(Session& session) {
  open(session, plan_of(session, {"n0031", "n0041", "n0042", "n0043", "n0044", "n0045"}, {}));
}

TEST(GoldenPlan, DisturbingNoWork) { at_three_sizes("plan-nobody", disturbing_no_work); }
TEST(GoldenPlan, DisturbingTwo) {
  at_three_sizes("plan-two", disturbing_two);
  in_ascii("plan-two", disturbing_two);
}
TEST(GoldenPlan, ManyNodes) { at_three_sizes("plan-many", many_nodes); }

// "GPU 0 now … after …" stood under "6 nodes" and named none of them.
TEST(PlanPage, OfSeveralNodesTheOneWhoseGpusAreDrawnIsNamed) {
  Session session = changing({80, 24});
  many_nodes(session);
  const std::string screen = session.screen();
  const std::size_t drawn = screen.find("   GPU 0     now");
  ASSERT_NE(drawn, std::string::npos) << screen;
  EXPECT_LT(screen.find("   n0031"), drawn) << screen;
}

TEST(PlanPage, ANodeWithOneStepHasOneStepAndNotOneSteps) {
  Session session = changing({200, 60});
  many_nodes(session);
  plan::Plan shorter = session.state.plan->plan;
  shorter.nodes.front().steps.resize(1);
  session.state.plan->put(std::move(shorter));
  EXPECT_TRUE(session.shows("  1 step ")) << session.screen();
  EXPECT_FALSE(session.shows("1 steps")) << session.screen();
}

// 2 of 4 and 1 of 4 shards held were both "ssssssss", and 4 shards looked like 6.
TEST(PlanPage, StripsOfSharedGpusAreThoseOfTheListsAndTellTheWayOfSharing) {
  Story story;
  Node shards = node("n1", {});
  plan::NodePlan plan;
  for (int index : {0, 1, 2}) {
    shards.gpus.push_back(gpu(index, Strategy::shard, {shared(SliceKind::shard, 4, index)}));
    plan::BoardState board;
    board.gpu = GpuIndex{index}, board.strategy = Strategy::shard, board.replicas = 4;
    plan.before.push_back(board);
    if (index == 2) board.replicas = 6;
    plan.after.push_back(board);
    plan::SlicePlan slice;
    slice.gpu = board.gpu, slice.kind = SliceKind::shard, slice.capacity = 4, slice.held = index < 2;
    (index < 2 ? plan.kept : plan.destroyed).push_back(slice);
    if (index < 2) continue;
    slice.capacity = 6;
    plan.created.push_back(slice);
  }
  story.tell(NodesListed{{shards}});
  story.tell(WorkloadsListed{{running("1", "ann", {holds("n1", {{0, 2}}, Family::shard)}),
                              running("2", "bob", {holds("n1", {{1, 1}}, Family::shard)})}});
  std::string told;
  for (const tui::StripChange& one : tui::strip_changes(plan, &story.node("n1"), catalogue(), false))
    told += one.gpus + ": " + one.before + " -> " + one.after + "\n";
  EXPECT_EQ(told,
            "GPU 0: ssss···· -> ssss····\nGPU 1: ss······ -> ss······\n"
            "GPU 2: ········ shard × 4 -> ········ shard × 6\n");
}

// Of two shared instances that are alike the held one was drawn as the first, which is free.
TEST(PlanPage, OfSharedInstancesThatAreAlikeEachHasItsOwnShares) {
  Story story;
  Slice first = instance("1g.10gb", 0, 1, 0), second = instance("1g.10gb", 1, 1, 1);
  first.capacity = second.capacity = 4;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::mig, {first, second})})}});
  story.tell(WorkloadsListed{{running("1", "ann", {holds("n1", {{1, 4}})})}});
  plan::NodePlan plan;
  plan::BoardState board;
  board.gpu = GpuIndex{0}, board.strategy = Strategy::mig, board.product = ProductKey("H100-80GB-SXM5");
  plan.before = plan.after = {board};
  for (const int start : {0, 1}) {
    plan::SlicePlan& slice = plan.kept.emplace_back();
    slice.gpu = board.gpu, slice.profile = ProfileName("1g.10gb"), slice.at = Placement{start, 1};
    slice.capacity = 4, slice.held = start == 1;
  }
  const auto first_strip = [&] {
    return tui::strip_changes(plan, &story.node("n1"), catalogue(), false).at(0);
  };
  const tui::StripChange told = first_strip();
  EXPECT_EQ(told.before, query::strip(story.node("n1").gpus.at(0), &catalogue(), false, {}));
  EXPECT_NE(told.before.find("1"), std::string::npos) << told.before;
  // Without places no source tells which of the two it is: it stays held.
  for (plan::SlicePlan& slice : plan.kept) slice.at.reset();
  EXPECT_NE(first_strip().before.find("1"), std::string::npos) << first_strip().before;
}

// On a node that is not listed any more, one share of four that is held was drawn as all four.
TEST(PlanPage, OfANodeThatIsNotListedHeldSharesAreNotPassedOffAsAll) {
  plan::NodePlan plan;
  plan::BoardState board;
  board.gpu = GpuIndex{0}, board.strategy = Strategy::shard, board.replicas = 4;
  plan.before.push_back(board);
  plan.after.push_back(board);
  plan::SlicePlan slice;
  slice.gpu = board.gpu, slice.kind = SliceKind::shard, slice.capacity = 4, slice.held = true;
  plan.kept.push_back(slice);
  const auto strip = [&] { return tui::strip_changes(plan, nullptr, catalogue(), false).front().before; };
  EXPECT_EQ(strip(), "ss??????") << "one of four, at least";
  plan.kept.front().holders = {WorkloadId("1"), WorkloadId("2"), WorkloadId("3")};
  EXPECT_EQ(strip(), "ssssss??") << "three hold one each, at least";
  plan.kept.front().held = false, plan.kept.front().holders.clear();
  EXPECT_EQ(strip(), "········");
  plan::SlicePlan alone;
  alone.gpu = board.gpu, alone.kind = SliceKind::whole_gpu, alone.held = true;
  plan.before.front().strategy = Strategy::whole;
  plan.kept = {alone};
  EXPECT_EQ(strip().substr(0, 8), "wwwwwwww") << "a GPU that is not shared has no parts";
}

TEST(GoldenPlan, ReadOnly) {
  Session session = changing({80, 24});
  session.state.writable = false;
  disturbing_two(session);
  expect_golden("plan-read-only", session.canvas());
}

TEST(GoldenPlan, OfABackendThatHasNoStepsYet) {
  Session session = changing({80, 24});
  open(session, plan_of(session, {"n0031"}, 0, "4g.40gb,3g.40gb", {}, plan::gpu_operator_capabilities()));
  expect_golden("plan-no-steps", session.canvas());
}

TEST(GoldenPlan, TheWorldHasMoved) {
  Session session = changing({80, 24});
  disturbing_no_work(session);
  Workload late = named(running("88150", "carol", {holds("n0031", {{2}})}), "late", -2);
  session.tell(on("hpc", WorkloadSeen{late}, -1));
  expect_golden("plan-moved", session.canvas());
}

TEST(GoldenPlan, AStepAndItsCommands) {
  at_three_sizes("plan-step", [](Session& session) {
    disturbing_two(session);
    session.press("G");
    for (int i = 0; i < 3; ++i) session.press("k");
  });
}

// A site whose GPUs are cut by nvidia-mig-parted, on Slurm 22.05.
plan::Means by_mig_parted() {
  slurmconf::SlurmSetup site;
  site.major = 22, site.minor = 5;
  site.files = {{"/etc/slurm/slurm.conf", "GresTypes=gpu\nNodeName=n[0031,0041-0045] Gres=gpu:1g.10gb:14\n"},
                {"/etc/slurm/gres.conf",
                 "NodeName=n[0031,0041-0045] Name=gpu Type=1g.10gb "
                 "File=/dev/nvidia-caps/nvidia-cap[66,75,84,93,102,111,120,201,210,219,228,237,246,255]\n"}};
  site.reach = slurmconf::Reach::ssh;
  site.mig_tool = slurmconf::MigTool::mig_parted;
  site.restart_controller = {"systemctl", "restart", "slurmctld"};
  site.restart_node = {"ssh", "{node}", "systemctl", "restart", "slurmd"};
  plan::Means can = plan::slurm::capabilities_by(site.mig_tool);
  can.slurm = std::make_shared<const slurmconf::SlurmSetup>(std::move(site));
  return can;
}
plan::Plan parted_plan(const Session& session, const char* node) {
  return plan_of(session, {node}, {}, "2x1g.10gb,2g.20gb,3g.40gb", {}, by_mig_parted());
}

TEST(GoldenPlan, ByMigParted) {
  auto prepare = [](Session& session) {
    open(session, parted_plan(session, "n0041"));
    session.press("G");
    for (int i = 0; i < 9; ++i) session.press("k");
  };
  at_three_sizes("plan-parted", prepare);
  in_ascii("plan-parted", prepare);
}

// At three in the morning: what is wrong with it, and what the run will do about that.
TEST(GoldenPlan, OfANodeThatIsDownSinceAReboot) {
  at_three_sizes("plan-down", [](Session& session) {
    Node down = node("n0041", {sevenths(0, 0), sevenths(1, 7)});
    for (Gpu& board : down.gpus) board.slices.clear();  // what the driver told
    down.health = Health::down;
    down.state = {"DOWN"};
    down.reason = "Node unexpectedly rebooted";
    session.tell(on("hpc", NodeSeen{std::move(down)}));
    open(session, parted_plan(session, "n0041"));
  });
}

TEST(GoldenArming, TypedThenArmed) {
  Session session = changing({80, 24});
  disturbing_two(session);
  session.press("An00");
  expect_golden("arm-typing", session.canvas());
  session.press("<enter>");
  expect_golden("arm-wrong", session.canvas());
  session.press("31<enter>");
  expect_golden("arm-armed", session.canvas());
}

// --- runs

void show(Session& session, const Diary& diary, const RunHead& head, Duration later = Duration(30000)) {
  session.hear({RunsListed{{head}}});
  session.hear({diary.told()});
  session.wall += later;
  session.press("J<enter>");
}
Diary diary_of(const Session& session, std::optional<int> board = {}) {
  return Diary(plan_of(session, {"n0031"}, board));
}

TEST(GoldenRun, UnderWay) {
  auto prepare = [](Session& session) {
    Diary diary = diary_of(session);
    diary.through(2);
    diary.add("n0031", plan::StepBegun{diary.step(2).id, 1, diary.step(2).action}, 6);
    show(session, diary, diary.head(RunState::running), Duration(47000));
  };
  at_three_sizes("run-under-way", prepare);
  in_ascii("run-under-way", prepare);
}

TEST(GoldenRun, WaitingWithRetries) {
  at_three_sizes("run-waiting", [](Session& session) {
    Diary diary = diary_of(session);
    diary.through(3);
    const plan::Step& step = diary.step(3);
    diary.add("n0031", plan::StepBegun{step.id, 1, step.action}, 9);
    diary.add("n0031", plan::ActionReturned{step.id, "In use by another client"}, 10);
    diary.add("n0031", plan::Waiting{step.id, "In use by another client; attempt 2 of 5 in 2 s"}, 10);
    diary.add("n0031", plan::StepBegun{step.id, 2, step.action}, 12);
    diary.add("n0031", plan::Waiting{step.id, "In use by another client; attempt 3 of 5 in 4 s"}, 13);
    show(session, diary, diary.head(RunState::running));
  });
}

TEST(GoldenRun, AsksAQuestion) {
  at_three_sizes("run-question", [](Session& session) {
    Diary diary = diary_of(session);
    diary.through(1);
    diary.add("n0031",
              plan::Asked{plan::Ask::closed_by_other,
                          "n0031 is closed already by root: NVLink errors, ticket 4711. Go on under that? It "
                          "stays closed afterwards."},
              5);
    show(session, diary, diary.head(RunState::running));
  });
}

TEST(GoldenRun, Parked) {
  auto prepare = [](Session& session) {
    Diary diary = diary_of(session);
    diary.through(3);
    const plan::Step& step = diary.step(3);
    diary.add("n0031", plan::StepBegun{step.id, 5, step.action}, 9);
    diary.add("n0031", plan::StepFailed{step.id, "Insufficient Resources"}, 40);
    diary.add("n0031",
              plan::Parked{"Insufficient Resources", "n0031 stays closed by this run; GPU 0: nothing"}, 40);
    RunHead head = diary.head(RunState::parked, false);
    head.why = "Insufficient Resources";
    show(session, diary, head, Duration(60000));
  };
  at_three_sizes("run-parked", prepare);
  in_ascii("run-parked", prepare);
}

// What it cleared is gone, and that is said; what stands where, and which ways lead on.
TEST(GoldenRun, ParkedByMigParted) {
  auto prepare = [](Session& session) {
    Diary diary(parted_plan(session, "n0041"));
    diary.through(5);
    const plan::Step& step = diary.step(5);
    const std::string why =
        "cannot cut the GPUs of n0041: Error applying MIG configuration with hooks: all orderings failed (no "
        "order of making these instances fits; what stood on that GPU is gone: look at it before going on or "
        "back)";
    diary.add("n0041", plan::StepBegun{step.id, 5, step.action}, 19);
    diary.add("n0041", plan::StepFailed{step.id, why}, 80);
    diary.add(
        "n0041",
        plan::Parked{why, "n0041 stays closed by this run; GPU 0: 1g.10gb@5, 1g.10gb@6; GPU 1: nothing"}, 80);
    RunHead head = diary.head(RunState::parked, false);
    head.why = why;
    show(session, diary, head, Duration(120000));
  };
  at_three_sizes("run-parted-parked", prepare);
  in_ascii("run-parted-parked", prepare);
}

TEST(GoldenRun, Interrupted) {
  Session session = changing({80, 24});
  Diary diary = diary_of(session);
  diary.through(2);
  diary.add("n0031", plan::StepBegun{diary.step(2).id, 1, diary.step(2).action}, 6);
  show(session, diary, diary.head(RunState::interrupted, false));
  expect_golden("run-interrupted", session.canvas());
}

TEST(GoldenRun, FailedAndWentBack) {
  Session session = changing({80, 24});
  Diary diary = diary_of(session);
  diary.through(3);
  diary.add("n0031", plan::StepFailed{diary.step(3).id, "Insufficient Resources"}, 20);
  plan::Plan back = plan_of(session, {"n0031"}, 0, "7x1g.10gb");
  diary.add("n0031", plan::Replanned{back, true, "alice"}, 21);
  diary.add("n0031", plan::NodeFinished{plan::Outcome::recorded, "n0031: recorded layout, read back"}, 30);
  diary.add({}, plan::RunFinished{plan::Outcome::recorded, "0 of 1 node done, 1 failed (n0031)"}, 31);
  RunHead head = diary.head(RunState::finished, false);
  head.outcome = "recorded";
  show(session, diary, head);
  expect_golden("run-went-back", session.canvas());
}

TEST(GoldenRun, Done) {
  at_three_sizes("run-done", [](Session& session) {
    Diary diary = diary_of(session);
    diary.through(diary.count());
    diary.add("n0031", plan::NodeFinished{plan::Outcome::wanted, "n0031: wanted layout, read back"}, 40);
    diary.add({}, plan::RunFinished{plan::Outcome::wanted, "1 of 1 node done"}, 40);
    RunHead head = diary.head(RunState::finished, false);
    head.outcome = "wanted";
    show(session, diary, head);
  });
}

TEST(GoldenRun, ManyNodes) {
  at_three_sizes("run-many", [](Session& session) {
    Diary diary(plan_of(session, {"n0041", "n0042", "n0043", "n0044", "n0045"}, {}), "20261121-1403-5-nodes");
    diary.through(diary.count(0), 0);
    diary.add("n0041", plan::NodeFinished{plan::Outcome::wanted, "n0041: wanted layout, read back"}, 30);
    diary.through(3, 1);
    diary.add("n0042", plan::StepBegun{diary.step(3, 1).id, 1, diary.step(3, 1).action}, 9);
    diary.through(1, 2);
    show(session, diary, diary.head(RunState::running));
  });
}

// --- the journal

std::vector<RunHead> some_runs(const Session& session) {
  Diary diary = diary_of(session);
  RunHead interrupted = diary.head(RunState::interrupted, false);
  interrupted.why = "its tessera is gone since 14:03:22";
  interrupted.file = "/home/alice/.local/state/tessera/runs/20261121-1403-n0031";
  RunHead done = interrupted;
  done.run = "20261120-0911-n0041", done.state = RunState::finished, done.outcome = "wanted",
  done.why.clear();
  done.nodes = {NodeName("n0041"), NodeName("n0042")}, done.started = at(-80000);
  RunHead other = done;
  other.run = "20261119-1700-n0042", other.state = RunState::marked, other.who = "bob", other.from = "login2";
  other.outcome.clear(), other.file.clear(), other.nodes = {NodeName("n0042")}, other.words.clear();
  RunHead broken = done;
  broken.run = "20261101-1200-n0043", broken.state = RunState::unreadable;
  broken.why = "20261101-1200-n0043:17: not JSON";
  return {interrupted, done, other, broken};
}

TEST(GoldenJournal, EmptyTeaches) {
  Session session = changing({80, 24});
  session.press("J");
  expect_golden("journal-empty", session.canvas());
}

TEST(GoldenJournal, List) {
  auto prepare = [](Session& session) {
    session.hear({RunsListed{some_runs(session)}});
    session.press("J");
  };
  at_three_sizes("journal", prepare);
  in_ascii("journal", prepare);
}

TEST(GoldenJournal, AnInterruptedRunIsAnnouncedAtTheStart) {
  Session session = changing({80, 24});
  session.state.runs.listed = false;
  session.hear({RunsListed{some_runs(session)}});
  expect_golden("journal-announced", session.canvas());
}

TEST(GoldenJournal, ChoosingHowToTakeARunUpAgain) {
  Session session = changing({80, 24});
  session.hear({RunsListed{some_runs(session)}});
  session.press("Jr");
  expect_golden("journal-resume", session.canvas());
}

}  // namespace plan_golden_test
}  // namespace tessera::test
