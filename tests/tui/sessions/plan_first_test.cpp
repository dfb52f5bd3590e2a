// What a plan says before anything else, on the smallest usual terminal.
#include <gtest/gtest.h>

#include "engine/plan/effect/usual.hpp"
#include "tests/tui/screens/change_places.hpp"
#include "tui/screens/plan/plan_words.hpp"

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

}  // namespace
}  // namespace tessera::test
