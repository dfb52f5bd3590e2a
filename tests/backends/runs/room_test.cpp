// One run through the room: what is told is what is on the disk, whoever asks, parks, kills and resumes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "backends/files.hpp"
#include "tests/backends/runs/lab.hpp"

namespace tessera::test {
namespace {

using plan::Demand;
using plan::Onward;
using plan::Outcome;

int count(const std::string& text, std::string_view what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

// Lines whose announced action the cluster is asked for.
bool announces(std::string_view line) {
  return line.find("\"kind\":\"step-begun\"") != std::string_view::npos &&
         line.find("\"kind\":\"look-only\"") == std::string_view::npos;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST(RunRoom, DrivesARunToItsEndAndTellsWhatIsOnTheDisk) {
  Lab lab({small_node("n1")}, {on_slice("7", "alice", "n1", 0)});
  std::string run = lab.start(lab.plan(kWish));
  EXPECT_TRUE(run.starts_with("20270115-0800-n1-")) << run;
  ASSERT_TRUE(lab.wait_finished(run));
  lab.close();
  EXPECT_EQ(lab.told[run], lab.disk(run));
  EXPECT_EQ(lab.told_run(run).finished->outcome, Outcome::wanted);
  EXPECT_EQ(lab.board("n1"), kWanted);
  EXPECT_TRUE(lab.cluster().harm().empty());
  EXPECT_TRUE(lab.refused.empty());
}

// What comes next is planned from the picture, which must not be older than the end of the run.
TEST(RunRoom, TheClusterIsLookedAtAgainWhenARunEndsOrParks) {
  Lab lab({small_node("n1")});
  std::atomic<int> looks_while_acting = 0;
  lab.cluster().before_perform = [&](const plan::Order&) { looks_while_acting += lab.cluster().looks_again; };
  std::string run = lab.start(lab.plan(kWish));
  ASSERT_TRUE(lab.wait_finished(run));
  lab.list();  // answered behind what the room still had to do
  EXPECT_EQ(lab.cluster().looks_again, 1);
  EXPECT_EQ(looks_while_acting, 0);
  lab.cluster().before_perform = [&](const plan::Order&) { lab.room().park_all("a test"); };
  plan::Plan back = lab.plan(kFound);
  lab.cluster().looks_again = 0;
  std::string parked = lab.start(back, run);
  ASSERT_TRUE(lab.wait_stopped(parked)) << lab.told[parked];
  ASSERT_TRUE(lab.wait([&] { return lab.rests > 0; }));
  EXPECT_EQ(lab.cluster().looks_again, 1);
}

// Killed right after each line, or after the action that it announced; then resumed onwards or back.
class KilledAnywhere : public ::testing::TestWithParam<Onward> {};

void kill_and_resume(int line, bool after_action, Onward onward) {
  SCOPED_TRACE(fmt::format("killed after line {}{}", line, after_action ? " and its action" : ""));
  Lab lab({small_node("n1")}, {on_slice("7", "alice", "n1", 0)});
  lab.die_after(line, line % 3 == 0);
  if (after_action) {
    lab.options().put = [&lab, left = line](int fd, std::string_view text) mutable {
      // Nothing more is asked for than what this line announces.
      left -= count(std::string(text), "\n");
      if (left <= 0) lab.cluster().freeze_after_next_perform = true;
      return write_all(fd, text) ? 0 : errno;
    };
  }
  std::string run = lab.start(lab.plan(kWish));
  lab.close_dead_room();
  std::string before = lab.disk(run);
  bool had_ended = count(before, "\"run-finished\"") > 0;
  EXPECT_EQ(lab.find(lab.list(), run)->state, had_ended ? RunState::finished : RunState::interrupted);

  // What was begun there and told no success may be under way still, and the backend is told so.
  const std::string whole = before.substr(0, before.rfind('\n') + 1);
  const bool unsure = !plan::replay(*plan::parse_journal(whole, run))->unanswered.empty();
  const std::size_t begun = whole.rfind("\"step-begun\""), told = whole.rfind("\"error\":\"\"");
  if (begun == std::string::npos || (told != std::string::npos && told > begun)) {
    EXPECT_FALSE(unsure) << whole;
  } else if (whole.find("-instances\"", begun) != std::string::npos) {
    EXPECT_TRUE(unsure) << whole;
  }
  std::atomic<int> first_order = -1;
  lab.cluster().before_perform = [&](const plan::Order& order) {
    if (first_order < 0) first_order = order.unsure;
  };
  lab.room().resume(run, {onward, false});
  ASSERT_TRUE(lab.wait(
      [&] { return !lab.refused.empty() || lab.told[run].find("\"resumed\"") != std::string::npos; }));
  if (had_ended) {
    EXPECT_NE(lab.refused.at(0).error.reason.find("it has ended"), std::string::npos);
    return;
  }
  Outcome expected = onward == Onward::back ? Outcome::recorded : Outcome::wanted;
  if (!lab.refused
           .empty()) {  // nothing was begun yet, or the node was finished: there is nothing to go back from
    EXPECT_EQ(lab.refused.at(0).error.reason, "no node of it is under way");
    lab.room().resume(run, {Onward::carry_on, false});
    expected = Outcome::wanted;
  }
  ASSERT_TRUE(lab.wait_finished(run)) << lab.told[run];
  lab.close();
  if (first_order >= 0) {
    EXPECT_EQ(first_order == 1, unsure) << whole;
  }
  EXPECT_EQ(lab.told[run], lab.disk(run));
  EXPECT_EQ(lab.told_run(run).finished->outcome, expected);
  EXPECT_EQ(lab.board("n1"), expected == Outcome::wanted ? kWanted : kFound);
  EXPECT_TRUE(lab.cluster().harm().empty());
  EXPECT_TRUE(lab.cluster().world("n1").evicted.empty());
}

TEST_P(KilledAnywhere, ItIsTakenUpAgain) {
  Lab calm({small_node("n1")}, {on_slice("7", "alice", "n1", 0)});
  std::string run = calm.start(calm.plan(kWish));
  ASSERT_TRUE(calm.wait_finished(run));
  std::vector<std::string> lines = lines_of(calm.told[run]);
  ASSERT_GT(lines.size(), 15u);
  // Every line is cut by one of the three; by all of them where time is no matter.
  const bool all = std::getenv("TESSERA_EVERY_CASE") != nullptr;
  for (int line = 1; line <= static_cast<int>(lines.size()) && !HasFatalFailure(); ++line) {
    if (!all && line % 3 != static_cast<int>(GetParam())) continue;
    kill_and_resume(line, false, GetParam());
    if (announces(lines[static_cast<std::size_t>(line) - 1])) kill_and_resume(line, true, GetParam());
  }
}
INSTANTIATE_TEST_SUITE_P(RunRoom, KilledAnywhere,
                         ::testing::Values(Onward::carry_on, Onward::replan, Onward::back));

TEST(RunRoom, ARunWhoseJournalCannotBeWrittenDoesNotAct) {
  Lab lab({small_node("n1")});
  for (int room_left : {0, 3, 8, 11}) {
    SCOPED_TRACE(room_left);
    int performs_before = lab.cluster().performs;
    lab.refused.clear();
    lab.close();
    lab.options().put = [left = room_left](int fd, std::string_view text) mutable {
      if (left-- <= 0) {
        write_all(fd, text.substr(0, text.size() / 2));  // what still fits
        return ENOSPC;
      }
      return write_all(fd, text) ? 0 : errno;
    };
    std::string run = lab.start(lab.plan(kWish));
    ASSERT_TRUE(lab.wait_refused());
    const Error& error = lab.refused.at(0).error;
    EXPECT_NE(error.reason.find("No space left on device"), std::string::npos) << to_line(error);
    EXPECT_NE(error.hint.find("does not act"), std::string::npos) << to_line(error);
    lab.close();
    if (room_left == 0) {
      EXPECT_EQ(run, "");
      EXPECT_TRUE(std::filesystem::is_empty(lab.folder())) << "a journal without a line was left behind";
      continue;
    }
    EXPECT_EQ(lab.told[run], lab.disk(run)) << "half a line was left behind";
    int announced = 0;
    for (const std::string& line : lines_of(lab.disk(run))) announced += announces(line) ? 1 : 0;
    EXPECT_EQ(lab.cluster().performs - performs_before, announced);
    lab.options().put = nullptr;  // there is room again
    EXPECT_EQ(lab.find(lab.list(), run)->state, RunState::interrupted);
    lab.room().resume(run, {Onward::back, false});
    ASSERT_TRUE(lab.wait_stopped(run)) << lab.told[run];
  }
}

TEST(RunRoom, ParkingAllStopsAtTheEdgeOfAStepAndSaysWhy) {
  Lab lab({small_node("n1")}, {on_slice("8", "bob", "n1", 2)});
  lab.cluster().patient_looks = 0;  // bob stays
  std::string run = lab.start(lab.plan(kWish));
  ASSERT_TRUE(lab.wait([&] { return count(lab.told[run], "\"kind\":\"waiting\"") > 0; }));
  lab.room().park_all("the terminal went away");
  ASSERT_TRUE(lab.wait([&] { return lab.rests == 1; }));
  const RunHead head = *lab.find(lab.list(), run);
  EXPECT_EQ(head.state, RunState::parked);
  EXPECT_EQ(head.why, "the terminal went away");
  EXPECT_EQ(head.place, "n1 stays closed by this run; GPU 0: " + std::string(kFound));
  EXPECT_EQ(head.file, lab.file(run));
  EXPECT_FALSE(head.here);

  lab.cluster().patient_looks = 25;
  lab.room().resume(run, {Onward::carry_on, false});
  ASSERT_TRUE(lab.wait_finished(run));
  EXPECT_EQ(lab.board("n1"), kWanted);
  lab.room().park_all("the end");
  EXPECT_TRUE(lab.wait([&] { return lab.rests == 2; })) << "nothing is driven, so it is at rest at once";
}

// Who reads that it parked may press the key before the room has let go of it.
TEST(RunRoom, ARunIsTakenUpInTheMomentInWhichItParks) {
  Lab lab({small_node("n1")}, {on_slice("8", "bob", "n1", 2)});
  lab.cluster().patient_looks = 0;
  std::string run;
  lab.options().put = [&](int fd, std::string_view text) {
    const bool parks = text.find("\"kind\":\"parked\"") != std::string_view::npos;
    if (parks) lab.cluster().patient_looks = 25;
    if (!write_all(fd, text)) return errno;
    if (parks) lab.room().resume(run, {Onward::carry_on, false});
    return 0;
  };
  run = lab.start(lab.plan(kWish));
  ASSERT_TRUE(lab.wait([&] { return count(lab.told[run], "\"kind\":\"waiting\"") > 0; }));
  lab.room().demand(run, NodeName("n1"), Demand::pause, "");
  ASSERT_TRUE(lab.wait_finished(run)) << lab.told[run];
  EXPECT_EQ(lab.board("n1"), kWanted);
  EXPECT_TRUE(lab.refused.empty());
}

TEST(RunRoom, AnAdminTurnsBackPausesAndCancels) {
  for (Demand what : {Demand::turn_back, Demand::pause, Demand::cancel}) {
    SCOPED_TRACE(word(what));
    Lab lab({small_node("n1")}, {on_slice("8", "bob", "n1", 2)});
    lab.cluster().patient_looks = 0;
    std::string run = lab.start(lab.plan(kWish));
    ASSERT_TRUE(lab.wait([&] { return count(lab.told[run], "\"kind\":\"waiting\"") > 0; }));
    lab.room().demand(run, NodeName("n1"), what, "");
    ASSERT_TRUE(lab.wait_stopped(run)) << lab.told[run];
    plan::Run folded = lab.told_run(run);
    lab.close();
    EXPECT_EQ(lab.board("n1"), kFound);
    if (what != Demand::turn_back) {
      EXPECT_TRUE(folded.nodes.at(NodeName("n1")).stopped().has_value());
      continue;
    }
    ASSERT_TRUE(folded.finished.has_value());
    EXPECT_EQ(folded.finished->outcome, Outcome::recorded);
    EXPECT_EQ(folded.finished->text, "n1 has gone back, as asked") << "and nothing has failed";
    EXPECT_FALSE(lab.cluster().world("n1").observe("").value().closed) << "the node is given back";
  }
}

TEST(RunRoom, AsksWhatToDoAboutANodeThatAnotherUserHasClosed) {
  Lab lab({small_node("n1")});
  lab.cluster().world("n1").arm(Fault::drained_by_other, 0);
  std::string run = lab.start(lab.plan(kWish));
  ASSERT_TRUE(lab.wait([&] { return count(lab.told[run], "\"kind\":\"asked\"") > 0; }));
  EXPECT_EQ(lab.find(lab.list(), run)->why, "waits for an answer about n1");
  lab.room().answer(run, NodeName("n1"), plan::Ask::marked_by_other, true);
  ASSERT_TRUE(lab.wait_refused());
  EXPECT_EQ(lab.refused[0].error.reason, "n1 asks no such question now");

  // No answer comes, and the terminal goes: the question is asked again.
  lab.room().park_all("the terminal went away");
  ASSERT_TRUE(lab.wait([&] { return lab.rests == 1; }));
  lab.room().resume(run, {Onward::carry_on, false});
  ASSERT_TRUE(lab.wait([&] { return count(lab.told[run], "\"kind\":\"asked\"") > 1; }));
  lab.room().answer(run, NodeName("n1"), plan::Ask::closed_by_other, true);
  ASSERT_TRUE(lab.wait_finished(run));
  lab.close();
  EXPECT_EQ(lab.board("n1"), kWanted);
  EXPECT_TRUE(lab.cluster().world("n1").observe("").value().closed) << "what is not ours stays closed";
}

TEST(RunRoom, AnUnansweredQuestionIsWhatTheRunIsParkedFor) {
  Lab lab({small_node("n1")});
  lab.cluster().world("n1").arm(Fault::drained_by_other, 0);
  std::string run = lab.start(lab.plan(kWish));
  ASSERT_TRUE(lab.wait([&] { return count(lab.told[run], "\"kind\":\"asked\"") > 0; }));
  lab.room().demand(run, NodeName("n1"), Demand::pause, "no answer: n1 is closed");
  ASSERT_TRUE(lab.wait_stopped(run)) << lab.told[run];
  plan::Run folded = lab.told_run(run);
  EXPECT_EQ(folded.nodes.at(NodeName("n1")).stopped()->why, "no answer: n1 is closed");
  EXPECT_EQ(open_questions(folded), std::set<plan::Ask>{plan::Ask::closed_by_other});
  EXPECT_EQ(lab.find(lab.list(), run)->why, "no answer: n1 is closed");
  lab.close();
}

TEST(RunRoom, AnswersThatComeTwiceOrLateAreDropped) {
  Lab lab({small_node("n1")});
  lab.cluster().answers_twice = true;
  std::string run = lab.start(lab.plan(kWish));
  ASSERT_TRUE(lab.wait_finished(run));
  int announced = 0;
  for (const std::string& line : lines_of(lab.told[run])) announced += announces(line) ? 1 : 0;
  EXPECT_EQ(lab.cluster().performs, announced);
  EXPECT_EQ(count(lab.told[run], "\"kind\":\"action-returned\""), announced);
}

TEST(RunRoom, AClockThatIsSetMakesNoStepFail) {
  Lab lab({small_node("n1")});
  lab.cluster().before_perform = [&lab, moment = 0](const plan::Order&) mutable {
    ++moment;
    if (moment == 2) lab.set_clock(lab.now() - std::chrono::hours(5));
    if (moment == 4) lab.set_clock(lab.now() + std::chrono::hours(50));
  };
  std::string run = lab.start(lab.plan(kWish));
  ASSERT_TRUE(lab.wait_finished(run));
  EXPECT_EQ(count(lab.told[run], "\"kind\":\"clock-jumped\""), 1);
  EXPECT_EQ(count(lab.told[run], "\"kind\":\"step-failed\""), 0);
  EXPECT_EQ(lab.told_run(run).finished->outcome, Outcome::wanted);
}

TEST(RunRoom, WorkThatTheRunNeverNamedIsNamedBeforePlanningAgain) {
  Lab lab({small_node("n1")}, {on_slice("8", "bob", "n1", 2)});
  lab.cluster().patient_looks = 0;
  std::string run = lab.start(lab.plan(kWish));
  ASSERT_TRUE(lab.wait([&] { return count(lab.told[run], "\"kind\":\"waiting\"") > 0; }));
  lab.room().park_all("a break");
  ASSERT_TRUE(lab.wait([&] { return lab.rests == 1; }));
  lab.close();
  auto& work = lab.cluster().world("n1").workloads;
  work = {on_slice("12", "mallory", "n1", 2)};
  std::string before = lab.disk(run);

  lab.room().resume(run, {Onward::replan, false});
  ASSERT_TRUE(lab.wait_refused());
  EXPECT_EQ(lab.refused[0].error.reason, "12 (mallory) on GPU 0 3g.40gb@4");
  EXPECT_EQ(lab.disk(run), before) << "what was refused leaves no line";
  lab.cluster().patient_looks = 25;
  lab.room().resume(run, {Onward::replan, true});
  ASSERT_TRUE(lab.wait_finished(run));
  EXPECT_EQ(lab.board("n1"), kWanted);
  EXPECT_TRUE(lab.cluster().world("n1").evicted.empty()) << "it was waited for";
}

// That was not armed: the run parks and names it.
TEST(RunRoom, GoingBackByItselfDisturbsNoWorkThatTheRunNeverNamed) {
  Lab lab({small_node("n1")}, {on_slice("8", "bob", "n1", 2)});
  plan::ChangeOptions options;
  options.on_failure = plan::OnFailure::undo;
  lab.cluster().world("n1").arm(Fault::create_always_stops, 0);
  bool landed = false;
  // By an admin's hand, who is above the closing: on what the run has just made, and would take away again.
  lab.cluster().before_perform = [&](const plan::Order& order) {
    Adversary& world = lab.cluster().world("n1");
    if (!std::holds_alternative<plan::CreateInstances>(order.action) || landed) return;
    for (const Slice& slice : world.node.gpus.at(0).slices) {
      if (slice.device.value_or(0) < 100) continue;
      world.workloads.push_back(on_slice("12", "mallory", "n1", *slice.device));
      landed = true;
      return;
    }
  };
  std::string run = lab.start(lab.plan(kWish, {"n1"}, options));
  ASSERT_TRUE(lab.wait_stopped(run)) << lab.told[run];
  lab.close();
  EXPECT_TRUE(landed);
  EXPECT_EQ(count(lab.told[run], "\"kind\":\"replanned\""), 0) << lab.told[run];
  EXPECT_NE(lab.told[run].find("going back would disturb what the run never named: 12 (mallory)"),
            std::string::npos)
      << lab.told[run];
}

// Each act is held against what is set up at that moment, not only when the run is taken up.
TEST(RunRoom, WhatIsSetUpOtherwiseInTheMiddleOfARunStopsItsNextAct) {
  Lab lab({small_node("n1")});
  lab.cluster().before_perform = [&](const plan::Order& order) {
    if (std::holds_alternative<plan::CloseNode>(order.action)) lab.cluster().by_an_operator = true;
  };
  std::string run = lab.start(lab.plan(kWish));
  ASSERT_TRUE(lab.wait_stopped(run)) << lab.told[run];
  lab.close();
  EXPECT_NE(lab.told[run].find("tessera plans no such act for this backend"), std::string::npos)
      << lab.told[run];
  EXPECT_EQ(lab.board("n1"), kFound);
}

// It waits for a look before it goes back: an admin who pauses it then finds it parked, not on its way.
TEST(RunRoom, ARunThatIsAboutToGoBackIsParkedByAPause) {
  Lab lab({small_node("n1")});
  plan::ChangeOptions options;
  options.on_failure = plan::OnFailure::undo;
  lab.cluster().world("n1").arm(Fault::create_always_stops, 0);
  lab.options().put = [&](int fd, std::string_view text) {
    if (text.find("\"kind\":\"step-failed\"") != std::string_view::npos) lab.cluster().blind = true;
    return write_all(fd, text) ? 0 : errno;
  };
  // The next look at the cluster never comes by itself.
  std::atomic<bool> waits = false;
  lab.options().later = [&, later = lab.options().later](Worker& worker, Duration delay, Worker::Task task) {
    if (!lab.cluster().blind) return later(worker, delay, std::move(task));
    waits = true;
    waits.notify_all();
  };
  std::string run = lab.start(lab.plan(kWish, {"n1"}, options));
  waits.wait(false);
  lab.room().demand(run, {}, plan::Demand::pause, "");
  ASSERT_TRUE(lab.wait_stopped(run)) << lab.told[run];
  EXPECT_NE(lab.told[run].find("stopped by an admin; it was about to roll back"), std::string::npos)
      << lab.told[run];
  // Taken up again it goes on or back, as the admin says.
  lab.cluster().blind = false;
  lab.cluster().world("n1").mend();
  lab.room().resume(run, {Onward::back});
  ASSERT_TRUE(lab.wait_finished(run)) << lab.told[run];
  lab.close();
  EXPECT_EQ(lab.board("n1"), kFound);
}

// It looks at the node before it plans: who stops it then finds it as it was.
TEST(RunRoom, ARunThatIsStoppedWhileItIsTakenUpStaysAsItWas) {
  Lab lab({small_node("n1")}, {on_slice("8", "bob", "n1", 2)});
  lab.cluster().patient_looks = 0;
  std::string run = lab.start(lab.plan(kWish));
  ASSERT_TRUE(lab.wait([&] { return count(lab.told[run], "\"kind\":\"waiting\"") > 0; }));
  lab.room().park_all("a break");
  ASSERT_TRUE(lab.wait([&] { return lab.rests == 1; }));
  const std::string before = lab.disk(run);
  lab.cluster().frozen = true;  // the look never comes back
  lab.room().resume(run, {Onward::replan, false});
  lab.room().demand(run, {}, plan::Demand::pause, "");
  ASSERT_TRUE(lab.wait_refused());
  EXPECT_EQ(lab.refused[0].error.what, "the run was not resumed");
  EXPECT_EQ(lab.disk(run), before);
  lab.close();
  lab.cluster().frozen = false;
  EXPECT_EQ(lab.find(lab.list(), run)->state, RunState::parked);
}

// The process died while the driver was at work: until an act there has succeeded, the earlier one may still
// be running.
TEST(RunRoom, AnActThatHadNoAnswerIsRememberedUntilOneHasSucceeded) {
  Lab lab({small_node("n1")});
  lab.cluster().before_perform = [&](const plan::Order& order) {
    if (std::holds_alternative<plan::DestroyInstances>(order.action))
      lab.cluster().freeze_after_next_perform = true;
  };
  std::string run = lab.start(lab.plan(kWish));
  lab.close_dead_room();
  lab.cluster().freeze_after_next_perform = false;
  std::vector<bool> unsure;
  lab.cluster().world("n1").arm(Fault::create_stops_half_way, lab.cluster().world("n1").performs);
  lab.cluster().before_perform = [&](const plan::Order& order) { unsure.push_back(order.unsure); };
  lab.room().resume(run, {Onward::carry_on, false});
  ASSERT_TRUE(lab.wait_finished(run)) << lab.told[run];
  lab.close();
  ASSERT_GE(unsure.size(), 3u);
  EXPECT_TRUE(unsure[0]);
  EXPECT_TRUE(unsure[1]) << "the first one has failed";
  EXPECT_FALSE(unsure[2]);
  EXPECT_EQ(lab.board("n1"), kWanted);
}

// What an admin has answered is done: the executor asks, and whoever holds the act against the plan knows it.
TEST(RunRoom, AForeignMarkIsBrokenOnceThatIsAnsweredAndTheRunGoesOn) {
  Lab lab({small_node("n1")});
  ASSERT_TRUE(lab.cluster().world("n1").perform(plan::SetMark{}, {"r9", "eve", "login2", at(-60)}).ok());
  std::string run = lab.start(lab.plan(kWish));
  ASSERT_TRUE(lab.wait([&] { return count(lab.told[run], "\"kind\":\"asked\"") > 0; })) << lab.told[run];
  lab.room().answer(run, NodeName("n1"), plan::Ask::marked_by_other, true);
  ASSERT_TRUE(lab.wait_stopped(run)) << lab.told[run];
  lab.close();
  EXPECT_EQ(lab.board("n1"), kWanted) << lab.told[run];
}

}  // namespace
}  // namespace tessera::test
