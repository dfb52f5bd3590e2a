// What a plan says before anything else, on the smallest usual terminal.
#include <gtest/gtest.h>

#include "engine/plan/effect/usual.hpp"
#include "tests/tui/screens/change_places.hpp"
#include "tui/action.hpp"
#include "tui/screens/plan/plan_texts.hpp"
#include "tui/screens/plan/plan_words.hpp"
#include "tui/widgets/panes.hpp"

namespace tessera::test {
namespace {

plan::Plan disturbing_two(const Session& session, plan::Way way = plan::Way::requeue) {
  plan::ChangeOptions options;
  options.way = way;
  return plan_of(session, {"n0031"}, {}, "4g.40gb,3g.40gb", options);
}

TEST(PlanFirst, TheFirstScreenHasAllThatHasToBeSeenBeforeArming) {
  Session session = changing({80, 24});
  Node closed = *session.model.find(ClusterName("hpc"))->nodes.find(NodeName("n0031"));
  closed.health = Health::draining;
  closed.state = {"MIXED", "DRAIN"};
  closed.reason = "Xid 79";
  closed.reason_by = "ops";
  session.tell(on("hpc", NodeSeen{closed}));
  open(session, disturbing_two(session));
  const std::string screen = session.screen();
  std::size_t last = 0;
  for (const char* part : {"risk high", "Xid 79", "disturbs 2 jobs", "GPU 0", "WILL BE DISTURBED", "88131",
                           "88120", "STEPS", "mark n0031"}) {
    const std::size_t at = screen.find(part);
    ASSERT_NE(at, std::string::npos) << part << " is not there:\n" << screen;
    EXPECT_GT(at, last) << part << " stands before what matters more:\n" << screen;
    last = at;
  }
}

// Of four nodes one changed, and the page showed the strips and steps of another: "nothing to do on this
// node".
TEST(PlanFirst, TheNodeThatIsShownIsTheFirstThatChanges) {
  Session session = changing({80, 24});
  const auto cut = [](int index, int device) {
    Gpu board =
        gpu(index, Strategy::mig, {instance("4g.40gb", 0, 4, device), instance("3g.40gb", 4, 4, device + 1)});
    board.mig_mode = MigMode::enabled;
    return board;
  };
  session.tell(on("hpc", NodeSeen{node("n0041", {cut(0, 0), cut(1, 7)})}));
  open(session, plan_of(session, {"n0041", "n0042"}, {}));
  session.line_with("STEPS  n0042");
  session.line_with("mark n0042");
  EXPECT_FALSE(session.shows("nothing to do on this node")) << session.screen();
}

// A node of many GPUs in sevenths, each of which holds other slices of other users, and that is closed.
std::vector<Workload> crowd(Session& session, const std::string& name, int gpus, int jobs) {
  std::vector<Gpu> boards;
  for (int i = 0; i < gpus; ++i) boards.push_back(sevenths(i, 7 * i));
  Node crowded = node(name, std::move(boards));
  crowded.health = Health::draining;
  crowded.state = {"MIXED", "DRAIN"};
  crowded.reason = "Xid 79 on " + name;
  crowded.reason_by = "ops";
  session.tell(on("hpc", NodeSeen{std::move(crowded)}));
  std::vector<Workload> work;
  for (int i = 0; i < jobs; ++i) {
    const std::string number = std::to_string(i);
    const int device = 7 * (i % gpus) + i % 6;
    work.push_back(named(running(name.substr(1) + number, "user" + number, {holds(name, {{device}})}),
                         "train", -3600 * (i + 1)));
  }
  return work;
}
Session crowded(const std::vector<std::string>& nodes, int gpus, int jobs) {
  Session session = changing({80, 24});
  std::vector<Workload> all;
  for (const std::string& name : nodes)
    for (Workload& one : crowd(session, name, gpus, jobs)) all.push_back(std::move(one));
  session.tell(on("hpc", WorkloadsListed{std::move(all)}));
  open(session, plan_of(session, nodes, {}));
  return session;
}
// Down, until the line with the cursor has this text.
void walk_to(Session& session, std::string_view text) {
  for (int i = 0; i < 200 && session.line_with("▌").find(text) == std::string::npos; ++i) session.press("j");
  EXPECT_NE(session.line_with("▌").find(text), std::string::npos) << session.screen();
}

// STEPS stood below the first screen, behind nine rows of jobs and five of GPUs.
TEST(PlanFirst, HoweverManyGpusJobsAndNodesEachPartHasItsShareOfTheFirstScreen) {
  const std::vector<std::string> one{"n0031"}, all{"n0031", "n0041", "n0042", "n0043", "n0044", "n0045"};
  struct {
    std::vector<std::string> nodes;
    int gpus, jobs;
  } plans[] = {{one, 8, 9}, {one, 16, 30}, {all, 8, 9}};
  for (const auto& [nodes, gpus, jobs] : plans) {
    Session session = crowded(nodes, gpus, jobs);
    const std::string screen = session.screen();
    std::size_t last = 0;
    for (const char* part : {"risk high", "Xid 79", "disturbs ", "GPU 0", "WILL BE DISTURBED", " user",
                             " more", "STEPS", "mark n0031"}) {
      const std::size_t at = screen.find(part, last);
      ASSERT_NE(at, std::string::npos) << gpus << " GPUs: " << part << " is not there, or not below:\n"
                                       << screen;
      last = at + 1;
    }
    // Where a line has the cursor, the foot takes its share, too.
    walk_to(session, " user");
    session.line_with("STEPS");
  }
}

TEST(PlanFirst, WhatIsFoldedIsOpenedByEnterAndFoldedAgain) {
  Session session = crowded({"n0031"}, 8, 9);
  const auto shown = [&] {
    const tui::Panes panes = tui::plan_panes(session.world(), session.state, 80);
    std::size_t jobs = 0;
    for (const tui::Stop& stop : tui::stops_of(panes)) jobs += stop.id.starts_with("w\x1f") ? 1 : 0;
    return jobs;
  };
  const std::size_t before = shown();
  ASSERT_GT(before, 0u);
  ASSERT_LT(before, 9u);
  walk_to(session, " user");
  walk_to(session, " more");
  const std::string hidden = session.line_with("▌");
  EXPECT_NE(hidden.find("and " + std::to_string(9 - before) + " more"), std::string::npos) << hidden;
  session.press("<enter>");
  EXPECT_EQ(shown(), 9u) << session.screen();
  EXPECT_NE(session.line_with("▌").find(" user"), std::string::npos)
      << "the cursor is on the first that was hidden:\n"
      << session.screen();
  walk_to(session, "shows the first ones only");
  session.press("<enter>");
  EXPECT_EQ(shown(), before) << session.screen();
}

// The whole page was made three times for each picture of it: 13 ms for a hundred nodes.
TEST(PlanFirst, WhatIsKeptOfAPageIsMadeOnceAndSaysWhatTheNextPictureWouldSay) {
  using tui::Action;
  for (const tui::Size size : {tui::Size{80, 24}, tui::Size{200, 60}}) {
    Session session = crowded({"n0031", "n0041"}, 8, 9);
    session.resize(size);
    const auto kept = session.state.plan->texts;
    ASSERT_TRUE(kept);
    session.press("j");
    EXPECT_EQ(session.state.plan->texts, kept) << "moving the cursor changes nothing that is kept";
    const auto is_of_now = [&](std::string_view after) {
      session.press("j");
      const std::string screen = session.screen();
      session.state.plan->texts.reset();
      EXPECT_EQ(screen, session.screen()) << "stale after " << after;
    };
    for (const Action action : {Action::plan_requeue, Action::plan_cancel, Action::plan_batch,
                                Action::plan_scheduler, Action::plan_again, Action::plan_hours}) {
      session.act(action);
      is_of_now(tui::info(action).title);
    }
    session.state.plan->node = 1;
    is_of_now("another node");
    session.state.keys.assign(static_cast<std::size_t>(Action::count_), "F9");
    is_of_now("other keys");
    session.state.ascii = true;
    is_of_now("ASCII");
    ASSERT_TRUE(tui::set_language(session.state, tui::Language::ja));
    is_of_now("another language");
    session.resize({120, 40});
    is_of_now("another size");
  }
}

// The texts to the owners were written for each picture.
TEST(PlanFirst, MessagesAreWrittenOnceForAPlanAndAgainForAnother) {
  Session session = crowded({"n0031", "n0041"}, 8, 9);
  session.resize({200, 60}).act(tui::Action::plan_messages);
  session.line_with("we wait until it ends");
  const auto kept = session.state.plan->letters;
  ASSERT_TRUE(kept);
  session.press("j");
  EXPECT_EQ(session.state.plan->letters, kept);
  session.press("<esc>").act(tui::Action::plan_cancel);
  EXPECT_FALSE(session.state.plan->letters) << "they are of the plan before";
  session.act(tui::Action::plan_messages);
  session.line_with("it will be ended");
}

TEST(PlanFirst, EveryGpuIsReachedHoweverManyDiffer) {
  Session session = crowded({"n0031"}, 16, 30);
  walk_to(session, " more");
  session.press("<enter>");
  const tui::Panes panes = tui::plan_panes(session.world(), session.state, 80);
  std::string told;
  for (const tui::DocLine& line : panes.main)
    for (const tui::Span& span : line.spans) told += span.text + "|";
  const plan::NodePlan& plan = session.state.plan->plan.nodes.front();
  const auto strips = tui::strip_changes(plan, nullptr, session.catalogue, false);
  ASSERT_GT(strips.size(), 7u);
  for (const tui::StripChange& one : strips)
    EXPECT_NE(told.find("|" + one.gpus + "|now|"), std::string::npos) << one.gpus;
}

// Enter on the job that the cursor was on from the start said that only a job can be opened.
TEST(PlanFirst, EnterOpensTheFirstJobBeforeTheCursorWasMoved) {
  Session session = changing({80, 24});
  open(session, disturbing_two(session));
  ASSERT_NE(session.line_with("▌").find("88131"), std::string::npos) << session.screen();
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::workload) << session.screen();
}

// "disturbs no workload" and, below, WILL BE DISTURBED with "no workload".
TEST(PlanFirst, ThatNobodyIsDisturbedIsSaidOnce) {
  Session session = changing({80, 24});
  open(session, plan_of(session, {"n0041"}, 0));
  EXPECT_NE(session.line_with("no workload").find("disturbs no workload"), std::string::npos);
  EXPECT_FALSE(session.shows("WILL BE DISTURBED")) << session.screen();
}

TEST(PlanFirst, ShowsEachGpuAsItIsAndAsItWillBe) {
  Session session = changing({80, 24});
  open(session, disturbing_two(session));
  const std::string first = session.line_with("GPU 0 "), second = session.line_with("GPU 1 ");
  EXPECT_NE(first.find("○○○○○○○"), std::string::npos) << first;
  EXPECT_NE(first.find("④───③───"), std::string::npos) << first;
  EXPECT_NE(second.find("111○○○○"), std::string::npos) << "held slices are told from free ones: " << second;
}

// Titles were cut at about 48 characters, however wide the terminal was.
TEST(PlanFirst, ATitleOfAStepIsNeverCutAndGoesOnBelow) {
  for (const tui::Size size : {tui::Size{80, 50}, tui::Size{120, 40}, tui::Size{200, 60}}) {
    Session session = changing(size);
    open(session, disturbing_two(session));
    const std::string screen = session.screen();
    const std::size_t at = screen.find("GPU 0-1: destroy");
    ASSERT_NE(at, std::string::npos) << screen;
    for (int start = 0; start < 7; ++start)
      EXPECT_NE(screen.find("1g.10gb@" + std::to_string(start), at), std::string::npos)
          << size.columns << ": the title lacks the slice at " << start << ":\n"
          << screen;
  }
}

TEST(PlanFirst, SaysUntilWhenWhoIsWaitedForIsThereAtTheLatest) {
  Session session = changing({120, 40});
  Workload limited = named(running("88131", "bob", {holds("n0031", {{9}})}), "notebook", -435600);
  limited.ends = at(7200);
  session.tell(on("hpc", WorkloadSeen{limited}));
  open(session, disturbing_two(session, plan::Way::wait));
  EXPECT_NE(session.line_with("88131").find("≤2 h 00 min"), std::string::npos) << session.screen();
  EXPECT_NE(session.line_with("88120").find("no limit"), std::string::npos) << session.screen();
}

TEST(PlanFirst, StepsThatDoTheSameToSeveralGpusAreOneLineAndCopiedTogether) {
  Session session = changing({80, 40});
  open(session, plan_of(session, {"n0041"}, {}));
  session.line_with("GPU 0-1: destroy");
  session.line_with("GPU 0-1: create");
  for (int i = 0; i < 30 && session.line_with("▌").find("create") == std::string::npos; ++i)
    session.press("j");
  session.press("y");
  ASSERT_TRUE(session.effects.back().copy);
  const std::string& copied = *session.effects.back().copy;
  EXPECT_NE(copied.find("-i 0 "), std::string::npos) << copied;
  EXPECT_NE(copied.find("-i 1 "), std::string::npos) << copied;
}

// "4", "6": the numbers left out those of the steps that were folded, as if some were missing.
TEST(PlanFirst, ALineOfSeveralStepsHasTheNumbersOfAllOfThem) {
  Session session = changing({80, 40});
  open(session, plan_of(session, {"n0041"}, {}));
  const auto& steps = session.state.plan->plan.nodes.front().steps;
  std::size_t next = 1;
  bool any_folded = false;
  for (const tui::StepGroup& group : tui::folded(steps)) {
    any_folded = any_folded || group.count > 1;
    const std::string numbers = tui::numbers_text(group);
    EXPECT_TRUE(numbers.starts_with(std::to_string(next))) << numbers;
    EXPECT_EQ(numbers.find('-') != std::string::npos, group.count > 1) << numbers;
    const std::string line = session.line_with(group.all.title.substr(0, 20));
    EXPECT_NE(line.find(" " + numbers + " " + group.all.title.substr(0, 20)), std::string::npos) << line;
    next += group.count;
  }
  EXPECT_EQ(next, steps.size() + 1);
  EXPECT_TRUE(any_folded);
}

TEST(PlanFirst, FoldingLosesNoStepAndKeepsTheirOrder) {
  Session session = changing();
  const plan::Plan plan = plan_of(session, {"n0031"}, {}, "4g.40gb,3g.40gb");
  std::size_t next = 0;
  for (const tui::StepGroup& group : tui::folded(plan.nodes[0].steps)) {
    EXPECT_EQ(group.first, next);
    next += group.count;
  }
  EXPECT_EQ(next, plan.nodes[0].steps.size());
}

TEST(Usual, CanariesAreAloneAndTheOthersComeInBatches) {
  Session session = changing();
  plan::ChangeOptions options;
  options.canary = 1, options.batch = 2;
  const plan::Plan one = plan_of(session, {"n0041"}, {}, "4g.40gb,3g.40gb", options);
  const plan::Plan five =
      plan_of(session, {"n0041", "n0042", "n0043", "n0044", "n0045"}, {}, "4g.40gb,3g.40gb", options);
  EXPECT_GT(plan::usual(one).count(), 0);
  EXPECT_EQ(plan::usual(five), plan::usual(one) * 3) << "one alone, then two and two";
}

TEST(Usual, WaitingForJobsHasNoLength) {
  Session session = changing();
  EXPECT_TRUE(plan::waits_for_work(disturbing_two(session, plan::Way::wait)));
  EXPECT_FALSE(plan::waits_for_work(plan_of(session, {"n0041"}, {})));
  EXPECT_EQ(tui::risk_of(plan_of(session, {"n0041"}, {})), tui::Risk::low);
  EXPECT_EQ(tui::risk_of(disturbing_two(session, plan::Way::cancel)), tui::Risk::high);
}

// "pod ml/train-…" beside a column that repeated the cut name, at 200 columns.
TEST(PlanFirst, ThePodsThatArePlannedAwayAreNamedInFullWhereCellsAreFree) {
  Session session = changing({200, 60});
  plan::Plan plan = plan_of(session, {"n0031"}, {});
  ASSERT_FALSE(plan.nodes[0].blast_radius.empty());
  int pod = 0;
  for (plan::Disturbed& one : plan.nodes[0].blast_radius) {
    one.name = "train-7f9c4d8b-abcd" + std::to_string(pod++);
    one.kind = WorkloadKind::pod, one.id = WorkloadId("ml/" + one.name);
  }
  open(session, std::move(plan));
  EXPECT_TRUE(session.shows("pod ml/train-7f9c4d8b-abcd0 ")) << session.screen();
  EXPECT_EQ(session.line_with("pod ml/train-7f9c4d8b-abcd0 ").find(" train-7f9c4"), std::string::npos)
      << "once is enough\n"
      << session.screen();
}

TEST(PlanFirst, WhereNothingIsWaitedForLongerIdsHaveTheseCells) {
  const auto cells = [](bool evicted) {
    plan::Plan plan;
    plan.intent.options.way = evicted ? plan::Way::requeue : plan::Way::wait;
    plan::Disturbed& one = plan.nodes.emplace_back().blast_radius.emplace_back();
    one.kind = WorkloadKind::pod, one.restartable = true;
    one.name = "inference-server-7f9c4d8b-abcd0", one.id = WorkloadId("ml/" + one.name);
    return tui::disturbed_cells(plan, 100);
  };
  EXPECT_EQ(cells(false).id, 27);
  EXPECT_EQ(cells(true).id, 38) << "all of it";
  EXPECT_EQ(cells(true).extent, cells(false).extent);
}

}  // namespace
}  // namespace tessera::test
