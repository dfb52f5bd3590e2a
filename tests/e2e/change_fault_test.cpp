// Runs by the real binary when things go wrong: killed, signalled, locked, and every fault that the simulator
// knows, each with the end that is promised for it.
#include <signal.h>

#include <set>
#include <utility>

#include "tests/e2e/change_lab.hpp"

namespace tessera::test {
namespace {

constexpr int kActions = 6;  // of the small run: mark, close, destroy, create, open, remove tessera's mark

class ChangeFault : public ChangeLab {
 protected:
  // A small run: mark, destroy and create on GPU 0 of n1, read back, remove tessera's mark.
  Ran small_run() { return apply({"-n", "n1", "--gpu", "0", "--layout", "7g.80gb"}); }
  Ran resume(Words more = {}) {
    Words words{"resume", newest_run(), "--write", "--yes", "-o", "json"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  std::string state_of_newest() { return text_at(journal(), "/0/state"); }
};

// --- killed

class Killed : public ChangeFault, public testing::WithParamInterface<std::tuple<const char*, int>> {};
INSTANTIATE_TEST_SUITE_P(Change, Killed,
                         testing::Combine(testing::Values("dies-before", "dies-after"),
                                          testing::Range(1, kActions + 1)));

TEST_P(Killed, AtAnyActionItIsCarriedOnAndCanBeUndone) {
  const auto [when, nth] = GetParam();
  sim({"fault", std::string(when) + " node=n1 nth=" + std::to_string(nth)});
  Ran ran = small_run();
  ASSERT_EQ(ran.code, 128 + SIGKILL) << ran.out << ran.err;
  EXPECT_EQ(state_of_newest(), "interrupted");
  Ran on = resume();
  EXPECT_EQ(on.code, 0) << on.out << on.err;
  EXPECT_EQ(board("n1", 0), "7g.80gb@0");
  Ran undone = run({"undo", newest_run(), "--write", "--yes"});
  EXPECT_EQ(undone.code, 0) << undone.err;
  EXPECT_EQ(board("n1", 0), kBalanced);
  EXPECT_EQ(health("n1"), "ok");
  expect_sound();
}

TEST_F(ChangeFault, ASmallRunHasNoMoreActionsThanThat) {
  sim({"fault", "dies-before node=n1 nth=" + std::to_string(kActions + 1)});
  EXPECT_EQ(small_run().code, 0);
}

TEST_F(ChangeFault, KilledInTheMiddleItGoesBack) {
  sim({"fault", "dies-after node=n1 verb=destroy-instances"});
  ASSERT_EQ(small_run().code, 128 + SIGKILL);
  Ran back = resume({"--back"});
  EXPECT_EQ(back.code, 0) << back.out << back.err;
  EXPECT_EQ(text_at(back.out, "/outcome"), "recorded");
  EXPECT_EQ(board("n1", 0), kBalanced);
  EXPECT_EQ(health("n1"), "ok");
}

TEST_F(ChangeFault, ARunThatHasNotEndedIsNotUndoneButResumed) {
  sim({"fault", "dies-after node=n1 verb=destroy-instances"});
  ASSERT_EQ(small_run().code, 128 + SIGKILL);
  Ran ran = run({"undo", newest_run(), "--write", "--yes"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.err, "--back")) << ran.err;
}

// --- signals

class Signalled : public ChangeFault, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Change, Signalled, testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_P(Signalled, ASignalParksAndSaysHowToGoOn) {
  // It waits for alice and bob: there is time to interrupt it.
  bool sent = false;
  options_.signal_on_err = [&](const std::string& err) {
    if (sent || !has(err, "waits")) return 0;
    sent = true;
    return GetParam();
  };
  Ran ran = apply({"-n", "n2", "--layout", "none"});
  options_.signal_on_err = {};
  EXPECT_EQ(ran.code, 128 + GetParam()) << ran.err;
  EXPECT_EQ(text_at(ran.out, "/outcome"), "parked") << ran.out;
  EXPECT_TRUE(has(ran.err, "tessera resume " + newest_run())) << ran.err;
  EXPECT_EQ(state_of_newest(), "parked");
  Ran back = resume({"--back"});
  EXPECT_EQ(back.code, 0) << back.out << back.err;
  EXPECT_EQ(health("n2"), "ok");
}

// --- someone else

TEST_F(ChangeFault, ANodeThatSomeoneElseClosedIsAQuestion) {
  sim({"drain", "n3", "fan"});
  Ran ran = apply({"-n", "n3", "--layout", "7g.80gb"});
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_EQ(text_at(ran.out, "/outcome"), "parked");
  EXPECT_TRUE(has(ran.err, "--go-on")) << ran.err;
  EXPECT_EQ(board("n3", 0), "whole");
  Ran on = resume({"--go-on"});
  EXPECT_EQ(on.code, 0) << on.out << on.err;
  EXPECT_TRUE(has(on.out, "left closed")) << on.out;
  EXPECT_EQ(board("n3", 0), "7g.80gb@0");
  EXPECT_NE(health("n3"), "ok");
}

TEST_F(ChangeFault, AnothersLockIsShownAndBrokenOnlyKnowingly) {
  Ran first = apply({"-n", "n2", "--layout", "none", "--when-empty"});
  ASSERT_EQ(text_at(first.out, "/outcome"), "waiting") << first.err;
  std::string holder = text_at(first.out, "/run");
  Ran ran = apply({"-n", "n2", "--layout", "none", "--way", "cancel"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.err, holder)) << ran.err;
  EXPECT_TRUE(has(ran.err, "--break-lock")) << ran.err;
  EXPECT_NE(board("n2", 0), "whole");
  Ran broken = apply({"-n", "n2", "--layout", "none", "--way", "cancel", "--break-lock"});
  EXPECT_EQ(text_at(broken.out, "/outcome"), "parked") << broken.out;  // closed by that other run, still
  EXPECT_TRUE(has(broken.err, "--go-on")) << broken.err;
}

TEST_F(ChangeFault, ARunIsKnownByItsMarkWhereItsJournalIsNot) {
  Ran ran = apply({"-n", "n2", "--layout", "none", "--when-empty"});
  std::string id = text_at(ran.out, "/run");
  options_.environment["XDG_STATE_HOME"] = folder_.path() + "/another";
  std::string runs = journal();
  EXPECT_EQ(text_at(runs, "/0/run"), id);
  EXPECT_EQ(text_at(runs, "/0/state"), "marked");
  Ran told = run({"journal", id});
  EXPECT_EQ(told.code, 1);
  EXPECT_TRUE(has(told.err, "--runs")) << told.err;
}

// --- every fault that there is

const Words kCut{"-n", "n1", "--gpu", "0", "--layout", "7g.80gb"};  // MIG stays on
const Words kMode{"-n", "n3", "--layout", "7g.80gb"};
const Words kBusy{"-n", "n2", "--layout", "none", "--way", "cancel"};

// Those that a run gets over, or meets with a word, by itself.
struct Fault {
  std::string text;
  Words wish;
  std::string outcome;  // of apply -o json
  std::string board;    // then
};
void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.text; }

const Fault kFaults[] = {
    {"create-stops node=n1", kCut, "wanted", "7g.80gb@0"},  // made at the second attempt
    {"in-use node=n1", kCut, "wanted", "7g.80gb@0"},        // gone at the second attempt
    {"answer-lost node=n1", kCut, "wanted", "7g.80gb@0"},   // read back: it was done
    {"drained-by-other node=n1 verb=destroy-instances", kCut, "wanted", "7g.80gb@0"},
    {"opened-by-other node=n2 verb=destroy-instances", kBusy, "wanted", "whole"},  // closed again
    {"mark-taken node=n1 verb=destroy-instances", kCut, "parked", ""},             // another run is there
    {"unreadable node=n1", kCut, "wanted", "7g.80gb@0"},                           // looked again
    {"silent node=n1", kCut, "wanted", "7g.80gb@0"},                               // waited for
    {"vanishes node=n1 nth=2", kCut, "wanted", "7g.80gb@0"},                       // waited for
};

class EveryFault : public ChangeFault, public testing::WithParamInterface<Fault> {};
INSTANTIATE_TEST_SUITE_P(Change, EveryFault, testing::ValuesIn(kFaults));

TEST_P(EveryFault, EndsAsPromised) {
  sim({"fault", GetParam().text});
  Ran ran = apply(GetParam().wish);
  EXPECT_EQ(text_at(ran.out, "/outcome"), GetParam().outcome) << ran.out << ran.err;
  EXPECT_EQ(ran.code, GetParam().outcome == "wanted" ? 0 : 1);
  EXPECT_EQ(board(GetParam().wish[1], 0), GetParam().board);
  expect_sound();
}

// Those that keep a run waiting for longer than a test may last: it is ended where it stands, and taken up.
struct Stuck {
  std::string text;
  Words wish;
  std::string until;  // this is said
  int signal;
  Words resume;
  std::string outcome;  // of resume -o json
  std::string board;    // then
};
void PrintTo(const Stuck& stuck, std::ostream* out) { *out << stuck.text; }

const Stuck kStuck[] = {
    {"mode-pends node=n3", kMode, "enable-pending", SIGKILL, {"--back"}, "recorded", "whole"},
    {"mode-pends node=n3", kMode, "enable-pending", SIGKILL, {}, "wanted", "7g.80gb@0"},
    {"no-device node=n1 verb=create-instances", kCut, "has nothing", SIGKILL, {}, "wanted", "7g.80gb@0"},
    {"in-use node=n3 times=always", kMode, "attempt 2", SIGTERM, {"--back"}, "recorded", "whole"},
    {"create-stops node=n1 times=2", kCut, "attempt 2", SIGTERM, {"--replan"}, "wanted", "7g.80gb@0"},
    {"job-lands node=n2",
     kBusy,
     "waits",
     SIGTERM,
     {"--back"},
     "recorded",
     "1g.10gb@0 1g.10gb@1 1g.10gb@2 1g.10gb@3 1g.10gb@4 1g.10gb@5 1g.10gb@6"},
};

class StuckFault : public ChangeFault, public testing::WithParamInterface<Stuck> {};
INSTANTIATE_TEST_SUITE_P(Change, StuckFault, testing::ValuesIn(kStuck));

TEST_P(StuckFault, IsLeftAndTakenUpAgain) {
  sim({"fault", GetParam().text});
  options_.signal_on_err = [&](const std::string& err) {
    return has(err, GetParam().until) ? GetParam().signal : 0;
  };
  Ran ran = apply(GetParam().wish);
  options_.signal_on_err = {};
  ASSERT_EQ(ran.code, 128 + GetParam().signal) << ran.out << ran.err;
  EXPECT_EQ(state_of_newest(), GetParam().signal == SIGKILL ? "interrupted" : "parked");
  Ran on = resume(GetParam().resume);
  EXPECT_EQ(on.code, 0) << on.err;
  EXPECT_EQ(text_at(on.out, "/outcome"), GetParam().outcome) << on.out << on.err;
  EXPECT_EQ(board(GetParam().wish[1], 0), GetParam().board);
  EXPECT_EQ(health(GetParam().wish[1]), "ok");
  expect_sound();
}

TEST_F(ChangeFault, ARebootInTheMiddleIsRecognisedAndPlannedAgain) {
  sim({"fault", "reboots node=n1 verb=create-instances"});
  bool booted = false;
  options_.signal_on_err = [&](const std::string& err) {
    if (has(err, "does not answer") && !std::exchange(booted, true))
      run_simulator({"advance", "10m", state()}, {});
    return 0;
  };
  Ran ran = apply(kCut);
  options_.signal_on_err = {};
  EXPECT_TRUE(booted) << ran.err;
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_EQ(text_at(ran.out, "/outcome"), "parked");
  EXPECT_EQ(board("n1", 0), "whole") << "the mode went with the reboot";
  Ran anew = resume({"--anew"});  // as 0.1 called it
  EXPECT_EQ(anew.code, 0) << anew.out << anew.err;
  EXPECT_EQ(board("n1", 0), "7g.80gb@0");
  expect_sound();
}

// The list above and the stories before it leave no fault out.
TEST_F(ChangeFault, NoFaultIsLeftOut) {
  std::set<std::string> tried{"dies-before", "dies-after", "reboots"};
  // Those of the MIG manager need an API server: kube_fault_test.cpp and kube_change_test.cpp.
  tried.insert({"wedges", "fails", "slow", "manager-down"});
  tried.insert("reset-in-vain");  // node_action_test.cpp
  for (const Fault& fault : kFaults) tried.insert(fault.text.substr(0, fault.text.find(' ')));
  for (const Stuck& stuck : kStuck) tried.insert(stuck.text.substr(0, stuck.text.find(' ')));
  std::string list = sim({"faults"}).out;
  std::size_t line = list.find('\n') + 1;
  for (std::size_t end; (end = list.find('\n', line)) != std::string::npos; line = end + 1) {
    std::string kind = list.substr(line + 2, list.find(' ', line + 2) - line - 2);
    EXPECT_TRUE(tried.contains(kind)) << kind;
  }
}

}  // namespace
}  // namespace tessera::test
