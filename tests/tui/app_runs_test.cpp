// The loop and the room that drives runs: orders go out, news come in, and no one leaves while something is
// driven.
#include <gtest/gtest.h>

#include "engine/plan/planner.hpp"
#include "tests/tui/app_fixture.hpp"
#include "tui/screens/plan/plan.hpp"

namespace tessera::tui {
namespace {

class FakeRuns final : public plan::Runs {
 public:
  void list() override { calls.emplace_back("list"); }
  void read(const std::string& run) override { calls.push_back("read " + run); }
  void start(plan::Plan, std::string undoes) override { calls.push_back("start " + undoes); }
  void resume(const std::string& run, const plan::Resuming& how) override {
    calls.push_back("resume " + run + (how.onward == plan::Onward::back ? " back" : ""));
  }
  void demand(const std::string& run, const NodeName&, plan::Demand what, const std::string&) override {
    calls.push_back("demand " + run + " " + std::string(word(what)));
  }
  void answer(const std::string& run, const NodeName&, plan::Ask, bool) override {
    calls.push_back("answer " + run);
  }
  void park_all(const std::string& why) override { calls.push_back("park: " + why); }

  std::vector<std::string> calls;
};

class AppRunsTest : public AppTest {
 protected:
  AppRunsTest() { runs = &fake; }
  bool tell(decltype(Event::what) what) {
    events.post(Event{{}, 0, TimePoint{} + wall, std::move(what)});
    return turn();
  }
  RunHead head(RunState state, bool here) {
    RunHead head;
    head.run = "r1", head.state = state, head.here = here, head.who = "alice",
    head.nodes = {NodeName("n0031")};
    return head;
  }
  // A console that has a run under way.
  void drive() {
    first.writable = true;
    first.runs.drove = true;
    app();
    tell(RunsListed{{head(RunState::running, true)}});
    fake.calls.clear();
  }
  FakeRuns fake;
};

TEST_F(AppRunsTest, TheRunsAreListedAtTheStart) {
  app();
  EXPECT_EQ(fake.calls, std::vector<std::string>{"list"});
}

TEST_F(AppRunsTest, NewsAreDrawnAtOnceAndNotReduced) {
  app();
  const int before = terminal.frames;
  tell(RunsListed{{head(RunState::interrupted, false)}});
  EXPECT_EQ(terminal.frames, before + 1);
  EXPECT_NE(terminal.shown.find("run r1 was interrupted on n0031"), std::string::npos) << terminal.shown;
}

TEST_F(AppRunsTest, AKeyOnARunIsHandedOver) {
  drive();
  press("J");
  press("\r");
  press("p");
  EXPECT_EQ(fake.calls, (std::vector<std::string>{"list", "read r1", "demand r1 pause"}));
}

TEST_F(AppRunsTest, QuittingParksFirstAndLeavesWhenAllIsAtRest) {
  drive();
  EXPECT_TRUE(press("q"));
  EXPECT_TRUE(press("p"));
  EXPECT_EQ(fake.calls, std::vector<std::string>{"park: tessera was left"});
  EXPECT_NE(terminal.shown.find("parking"), std::string::npos);
  EXPECT_TRUE(press("\x03\x03q")) << "a second Ctrl-c does not kill";
  EXPECT_FALSE(tell(RunsAtRest{}));
}

TEST_F(AppRunsTest, ASignalParksFirstAndKeepsItsCode) {
  drive();
  raise(SIGTERM);
  EXPECT_TRUE(turn());
  EXPECT_EQ(fake.calls, std::vector<std::string>{"park: tessera was asked to end"});
  raise(SIGTERM);
  EXPECT_TRUE(turn());
  EXPECT_EQ(fake.calls.size(), 1u);
  events.post(Event{{}, 0, TimePoint{} + wall, RunsAtRest{}});
  EXPECT_EQ(app().run(), 128 + SIGTERM);
}

TEST_F(AppRunsTest, AVanishedTerminalParksFirst) {
  drive();
  const int before = terminal.frames;
  terminal.hang_up();
  EXPECT_TRUE(turn());
  EXPECT_EQ(fake.calls, std::vector<std::string>{"park: the terminal went away"});
  EXPECT_TRUE(turn());
  EXPECT_EQ(terminal.frames, before) << "no one is there to see it";
  EXPECT_FALSE(tell(RunsAtRest{}));
}

TEST_F(AppRunsTest, WithoutARunASignalEndsItAtOnce) {
  app();
  raise(SIGTERM);
  EXPECT_FALSE(turn());
  EXPECT_EQ(fake.calls, std::vector<std::string>{"list"});
}

TEST_F(AppTest, WithoutARoomForRunsTheJournalSaysSo) {
  press("J");
  EXPECT_NE(terminal.shown.find("no folder for journals"), std::string::npos) << terminal.shown;
}

}  // namespace
}  // namespace tessera::tui
