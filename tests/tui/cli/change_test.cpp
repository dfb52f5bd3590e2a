// apply, undo, resume and journal against a room of runs that answers by script.
#include "tui/cli/change/change.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <sstream>

#include "tests/support/run_binary.hpp"
#include "tests/tui/cli/changing_lab.hpp"
#include "tui/cli/change/follow.hpp"
#include "tui/cli/change/plan_text.hpp"

namespace tessera::cli {
namespace {

TEST_F(Changing, AJournalWithoutRunsSaysInTheReadersLanguageWhereRunsComeFrom) {
  options.output = OutputFormat::table, options.nodes.clear(), options.layout.reset();
  EXPECT_EQ(run("journal"), kDone);
  EXPECT_NE(out.str().find("tessera apply begins one"), std::string::npos) << out.str();
  options.reader = tui::Words::of(tui::Language::ja).value();
  EXPECT_EQ(run("journal"), kDone);
  EXPECT_EQ(out.str().find("No run is known"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("ここにはrunがありません"), std::string::npos) << out.str();
}

TEST_F(Changing, ApplyEndsWithTheRunsOutcome) {
  struct Case {
    plan::Outcome outcome;
    int code;
    std::string word;
  };
  for (const Case& each :
       {Case{plan::Outcome::wanted, 0, "\"wanted\""}, Case{plan::Outcome::recorded, 1, "\"recorded\""},
        Case{plan::Outcome::partial, 1, "\"partial\""}}) {
    script = [&](FakeRuns& runs) { runs.on_start = [&](FakeRuns& r) { finish(r, each.outcome); }; };
    EXPECT_EQ(run("apply"), each.code);
    EXPECT_EQ(json_at(out.str(), "/outcome"), each.word);
    EXPECT_EQ(json_at(out.str(), "/run"), "\"r1\"");
    EXPECT_TRUE(said("n1: as it is")) << err.str();
  }
}

TEST_F(Changing, WhatTheRoomRefusesIsSaid) {
  script = [](FakeRuns& runs) {
    runs.on_start = [](FakeRuns& r) { r.refuse({"cannot begin", "the disk is full", ""}); };
  };
  EXPECT_EQ(run("apply"), 1);
  EXPECT_TRUE(said("the disk is full"));
  EXPECT_EQ(json_at(out.str(), "/outcome"), "\"refused\"");
}

// The disk is full after the node was closed: a script that reads "refused" takes it that nothing was done.
TEST_F(Changing, ARunThatIsCutShortByItsDiskIsNotCalledRefused) {
  script = [this](FakeRuns& runs) {
    runs.on_start = [this](FakeRuns& r) {
      const plan::Step& first = asked.plan->nodes.front().steps.front();
      r.write("n1", plan::StepBegun{first.id, 1, first.action});
      r.refuse({"cannot write the journal", "the disk is full", ""});
    };
  };
  EXPECT_EQ(run("apply"), 1);
  EXPECT_TRUE(said("the disk is full"));
  EXPECT_EQ(json_at(out.str(), "/outcome"), "\"interrupted\"");
  EXPECT_TRUE(said("tessera resume r1 --write")) << err.str();
}

// Behind timeout(1) a run was left in the middle instead of parked, since each signal came twice.
TEST(Follower, ASignalThatIsToldTwiceAtOnceIsOneWishAndAKeyIsNot) {
  using std::chrono::seconds;
  EXPECT_TRUE(is_one_wish(SIGTERM, SIGTERM, Duration(3)));
  EXPECT_TRUE(is_one_wish(SIGHUP, SIGHUP, Duration(0)));
  EXPECT_FALSE(is_one_wish(SIGTERM, SIGTERM, seconds(5))) << "it is meant";
  EXPECT_FALSE(is_one_wish(SIGINT, SIGINT, Duration(3))) << "Ctrl-c twice";
  EXPECT_FALSE(is_one_wish(SIGHUP, SIGTERM, Duration(3)));
  EXPECT_FALSE(is_one_wish(SIGTERM, SIGTERM, -seconds(60))) << "for as long as a clock was set back it was";
}

TEST_F(Changing, AParkedRunSaysHowToGoOn) {
  script = [](FakeRuns& runs) {
    runs.on_start = [](FakeRuns& r) { r.write("n1", plan::Parked{"it is in use", "n1 is closed", {}}); };
  };
  EXPECT_EQ(run("apply"), 1);
  EXPECT_EQ(json_at(out.str(), "/outcome"), "\"parked\"");
  EXPECT_EQ(json_at(out.str(), "/nodes/0/stage"), "\"failed\"");
  EXPECT_TRUE(said("tessera resume r1 --write")) << err.str();
}

TEST_F(Changing, AQuestionThatCannotBeAnsweredParksItsNode) {
  script = [](FakeRuns& runs) {
    runs.on_start = [](FakeRuns& r) {
      r.write("n1", plan::Asked{plan::Ask::closed_by_other, "n1 is closed by bob. Go on?"});
    };
    runs.on_demand = [](FakeRuns& r) { r.write("n1", plan::Parked{"paused", "n1 is closed", {}}); };
  };
  EXPECT_EQ(run("apply"), 1);
  EXPECT_EQ(asked.what.at(1), "demand n1 pause: no answer: n1 is closed by bob");
  EXPECT_TRUE(said("It can be resumed: tessera resume r1 --go-on --write")) << err.str();
}

// The way out that is printed has to be one: without the answer the run parks again for the same reason.
TEST_F(Changing, TheJournalOfAnUnansweredRunSaysHowToAnswer) {
  options.output = OutputFormat::table;
  options.words = {"r7"};
  keep("r7",
       {plan::Asked{plan::Ask::marked_by_other, "run r9 has marked n1. Break that lock and go on?"},
        plan::Requested{plan::Demand::pause, "root", "no answer: run r9 has marked n1"},
        plan::Parked{"no answer: run r9 has marked n1", "n1 is open", {}}},
       RunState::parked);
  EXPECT_EQ(run("journal"), 0);
  EXPECT_NE(out.str().find("to go on: tessera resume r7 --break-lock --write\n"), std::string::npos)
      << out.str();
  EXPECT_EQ(out.str().find("root asked to"), std::string::npos) << "no one did: " << out.str();
}

TEST_F(Changing, TheJournalAsJsonTellsTheCommandThatResumes) {
  options.words = {"r7"};
  keep("r7",
       {plan::Asked{plan::Ask::closed_by_other, "n1 is closed by bob. Go on?"},
        plan::Parked{"no answer: n1 is closed by bob", "n1 is closed", {}}},
       RunState::parked);
  EXPECT_EQ(run("journal"), 0);
  EXPECT_EQ(json_at(out.str(), "/resume"), "\"tessera resume r7 --go-on --write\"") << out.str();
}

TEST_F(Changing, AnAnswerGivenBeforehandIsUsed) {
  keep("r7", {plan::Parked{"paused", "n1 is open", {}}}, RunState::parked);
  options.words = {"r7"};
  options.go_on = true;
  script = [](FakeRuns& runs) {
    runs.on_resume = [](FakeRuns& r) {
      r.write("n1", plan::Resumed{"root", "login1"});
      r.write("n1", plan::Asked{plan::Ask::closed_by_other, "n1 is closed by bob. Go on?"});
    };
    runs.on_answer = [](FakeRuns& r) {
      r.write("n1", plan::Answered{plan::Ask::closed_by_other, true, "root"});
      finish(r, plan::Outcome::wanted);
    };
  };
  EXPECT_EQ(run("resume"), 0) << err.str();
  EXPECT_EQ(asked.what.at(0), "resume on r7");
  EXPECT_EQ(asked.what.at(1), "answer n1 yes");
  EXPECT_FALSE(said("paused; n1 is open")) << "what the journal said before is not news";
}

TEST_F(Changing, ResumeAsksForWhatTheFlagsSay) {
  keep("r7", {plan::Parked{"paused", "n1 is open", {}}}, RunState::interrupted);
  options.words = {"r7"};
  script = [](FakeRuns& runs) { runs.on_resume = [](FakeRuns& r) { finish(r, plan::Outcome::recorded); }; };
  options.back = options.accept_harm = true;
  EXPECT_EQ(run("resume"), 0) << err.str();
  EXPECT_EQ(asked.what.at(0), "resume back harm r7");
  options.back = false;
  options.replan = true;
  EXPECT_EQ(run("resume"), 1) << "the recorded layout is not what --replan is for";
  EXPECT_EQ(asked.what.at(0), "resume replan harm r7");
}

TEST_F(Changing, RunsThatCannotBeTakenUpSayWhy) {
  struct Case {
    RunState state;
    std::string hint;
  };
  for (const Case& each :
       {Case{RunState::finished, "tessera undo"}, Case{RunState::running, "under way"},
        Case{RunState::marked, "--runs"}, Case{RunState::unreadable, "paused by an admin"}}) {
    heads.clear();
    keep("r7", {}, each.state);
    options.words = {"r7"};
    EXPECT_EQ(run("resume"), 1);
    EXPECT_TRUE(said(each.hint)) << err.str();
    EXPECT_TRUE(asked.what.empty());
  }
}

TEST_F(Changing, DueTakesUpThoseWhoseNodesAreEmptyAndNoOthers) {
  keep("waits", {plan::Parked{"until empty", "n1 is closed", plan::Until::empty}}, RunState::parked);
  keep("stuck", {plan::Parked{"in use", "n1 is closed", plan::Until::someone}}, RunState::parked);
  options.due = true;
  script = [](FakeRuns& runs) { runs.on_resume = [](FakeRuns& r) { finish(r, plan::Outcome::wanted); }; };
  EXPECT_EQ(run("resume"), 0) << err.str();
  EXPECT_EQ(asked.what.at(0), "resume on waits");
  EXPECT_EQ(std::count_if(asked.what.begin(), asked.what.end(),
                          [](const std::string& what) { return what.starts_with("resume"); }),
            1);
}

TEST_F(Changing, UndoPlansTheWayBackFromWhatStandsNow) {
  keep("r7", {plan::NodeFinished{}, plan::RunFinished{plan::Outcome::wanted, "1 done"}}, RunState::finished);
  nodes[0] = test::node("n1", {test::cut(0, {test::instance("7g.80gb", 0, 8, 0)})});
  options.words = {"r7"};
  script = [](FakeRuns& runs) { runs.on_start = [](FakeRuns& r) { finish(r, plan::Outcome::recorded); }; };
  EXPECT_EQ(run("undo"), 0) << err.str();
  EXPECT_EQ(asked.what.at(0), "start, undoes r7");
  ASSERT_TRUE(asked.plan);
  EXPECT_EQ(test::names(asked.plan->nodes.at(0).destroyed), "7g.80gb@0");
  EXPECT_EQ(test::names(asked.plan->nodes.at(0).created), "1g.10gb@0");
}

TEST_F(Changing, UndoGoesInTheBatchesOfItsRunUnlessOthersAreGiven) {
  keep("r7", {plan::NodeFinished{}, plan::RunFinished{plan::Outcome::wanted, "1 done"}}, RunState::finished);
  nodes[0] = test::node("n1", {test::cut(0, {test::instance("7g.80gb", 0, 8, 0)})});
  options.words = {"r7"};
  options.change.canary = 5, options.change.batch = 6;  // as they are by default, which no one has said
  script = [](FakeRuns& runs) { runs.on_start = [](FakeRuns& r) { finish(r, plan::Outcome::recorded); }; };
  EXPECT_EQ(run("undo"), 0) << err.str();
  EXPECT_EQ(asked.plan->intent.options.canary, 1);
  EXPECT_EQ(asked.plan->intent.options.batch, 8);
  options.canary = 3, options.batch = 2;
  EXPECT_EQ(run("undo"), 0) << err.str();
  EXPECT_EQ(asked.plan->intent.options.canary, 3);
  EXPECT_EQ(asked.plan->intent.options.batch, 2);
  EXPECT_EQ(asked.plan->intent.options.way, plan::Way::wait) << "an undo ends no work, whatever is given";
}

TEST_F(Changing, NothingIsBegunWithoutWriteAndArming) {
  options.yes = false;
  EXPECT_EQ(run("apply"), 1);
  EXPECT_TRUE(said("--yes")) << err.str();
  options.write = false;
  EXPECT_EQ(run("apply"), 1);
  EXPECT_TRUE(said("--write")) << err.str();
  EXPECT_TRUE(asked.what.empty());
}

TEST_F(Changing, ResumeIsRefusedReadOnlyWithAHintThatItKnows) {
  keep("r1", {}, RunState::parked);
  options.words = {"r1"};
  options.write = false;
  EXPECT_EQ(run("resume"), 1);
  EXPECT_TRUE(said("tessera journal RUN")) << err.str();
  EXPECT_FALSE(said("--dry-run"));  // resume has none
}

TEST_F(Changing, APreviewTellsWhatAJobOnSeveralNodesLosesInAllAndWhetherItRestarts) {
  work = {test::running("7", "alice", {test::holds("n1", {{0, 1}}), test::holds("n2", {{0, 1}})})};
  work[0].restartable = false;
  options.output = OutputFormat::table;
  EXPECT_EQ(run("plan"), 0) << err.str();
  const std::string page = out.str();
  EXPECT_NE(page.find("WILL BE DISTURBED: 1 job of alice, 2 GPUs or slices"), std::string::npos) << page;
  EXPECT_NE(page.find("job 7 holds 2 GPUs or slices on 2 nodes"), std::string::npos) << page;
  EXPECT_NE(page.find("RESTARTS"), std::string::npos);
  EXPECT_NE(page.find("waited for  no "), std::string::npos) << page;
}

// Does something each time that a prompt was written.
class Prompted final : public std::stringbuf {
 public:
  explicit Prompted(std::function<void()> then) : then_(std::move(then)) {}

 private:
  int sync() override {
    if (str().find("Type ") != std::string::npos) std::exchange(then_, [] {})();
    return 0;
  }
  std::function<void()> then_;
};

TEST_F(Changing, WhatMovesWhileThePersonTypesTheNameIsSeen) {
  int keys[2];
  ASSERT_EQ(pipe(keys), 0);
  in_fd = keys[0];
  options.yes = false;
  options.output = OutputFormat::table;
  Prompted prompted([&] {
    box.post(Event{ClusterName("hpc"), 0, test::at(1),
                   WorkloadsListed{{test::running("9", "eve", {test::holds("n1", {{0, 1}})})}}});
    EXPECT_EQ(write(keys[1], "n1\n", 3), 3);
  });
  err.std::ios::rdbuf(&prompted);
  EXPECT_EQ(run("apply"), 1);
  std::string told = prompted.str();
  err.std::ios::rdbuf(nullptr);
  EXPECT_NE(told.find("9 (eve)"), std::string::npos) << told;
  EXPECT_NE(told.find("what it relies on has changed"), std::string::npos) << told;
  EXPECT_TRUE(asked.what.empty());
  close(keys[0]), close(keys[1]);
}

// What stands in a plan file is shown to people; what runs is made here.
TEST_F(Changing, APlanFileIsMadeAgainAndMustBeThePlanThatItShows) {
  ASSERT_EQ(run("plan"), 0) << err.str();
  const std::string plan = out.str();
  const Options wished = std::exchange(options, Options{});
  options.write = options.yes = true;
  options.output = OutputFormat::json;
  test::Scratch scratch;
  auto apply = [&](const std::string& text) {
    options.words = {scratch.write("plan.json", text)};
    return run("apply");
  };
  auto edited = [&](const std::string& from, const std::string& to) {
    std::string text = plan;
    EXPECT_NE(text.find(from), std::string::npos) << from << text;
    return text.replace(text.find(from), from.size(), to);
  };
  script = [](FakeRuns& runs) { runs.on_start = [](FakeRuns& r) { finish(r, plan::Outcome::wanted); }; };
  EXPECT_EQ(apply(plan), 0) << err.str();
  ASSERT_TRUE(asked.plan);
  EXPECT_EQ(test::names(asked.plan->nodes.at(0).created), "7g.80gb@0");
  for (const std::string& text : {edited("GPU 0: destroy 1g.10gb@0", "GPU 0: look"),
                                  edited("\"kind\": \"destroy-instances\"", "\"kind\": \"look-only\""),
                                  edited("\"deadline_s\": 60.0", "\"deadline_s\": 61.0"),
                                  edited("\"kind\": \"mark-is-ours\"", "\"kind\": \"answering\"")}) {
    EXPECT_NE(apply(text), 0);
    EXPECT_TRUE(asked.what.empty()) << text;
  }
  // Another wish than its steps are for.
  EXPECT_EQ(apply(edited("\"profile\": \"7g.80gb\"", "\"profile\": \"4g.40gb\"")), 1);
  EXPECT_TRUE(said("is not the step that tessera makes of this change")) << err.str();
  EXPECT_EQ(apply(edited("\"cluster_id\": \"hpc-1\"", "\"cluster_id\": \"hpc-9\"")), 1);
  EXPECT_TRUE(said("another cluster that is called hpc")) << err.str();
  // One that tells no identity: a person has to name the cluster.
  const std::string untold = edited("\"cluster_id\": \"hpc-1\"", "\"cluster_id\": \"\"");
  EXPECT_EQ(apply(untold), 1);
  EXPECT_TRUE(said("--cluster hpc")) << err.str();
  options.cluster = "hpc";
  EXPECT_EQ(apply(untold), 0) << err.str();
}

TEST_F(Changing, DueLeavesAloneWhatOthersHaveWrittenToAndSaysSo) {
  keep("waits", {plan::Parked{"until empty", "n1 is closed", plan::Until::empty}}, RunState::parked);
  heads[0].unarmed = "others have written to it since you left it";
  options.due = true;
  EXPECT_EQ(run("resume"), 0);
  EXPECT_TRUE(asked.what.empty());
  EXPECT_TRUE(said("waits is left alone: others have written to it")) << err.str();
}

TEST_F(Changing, UndoIsForTheClusterOnWhichItWasDone) {
  keep("r7", {plan::NodeFinished{}, plan::RunFinished{plan::Outcome::wanted, "1 done"}}, RunState::finished);
  std::string& text = journals["r7"];
  auto journal = plan::parse_journal(text, "r7");
  ASSERT_TRUE(journal.ok());
  text.clear();
  plan::Chain chain;
  for (plan::Entry& entry : journal->entries) {
    if (auto* started = std::get_if<plan::RunStarted>(&entry.what)) started->plan.cluster_id = "hpc-9";
    text += to_line(entry, chain);
  }
  options.words = {"r7"};
  EXPECT_EQ(run("undo"), 1);
  EXPECT_TRUE(said("another cluster that is called hpc")) << err.str();
  EXPECT_TRUE(asked.what.empty());
}

// Nodes 4 to 20 of a plan stood on one line of 1,300 columns.
TEST_F(Changing, EachNodeOfALongPlanHasItsOwnLine) {
  plan::Plan plan;
  for (const char* name : {"n1", "n2", "n3", "n4", "n5"}) {
    plan::NodePlan one;
    one.node = NodeName(name);
    one.ordered_after["nvidia.com/mig.config"] = fmt::format("site-{}", plan.nodes.size());
    plan.nodes.push_back(one);
  }
  const std::string page = preview(plan, 3);
  EXPECT_NE(page.find("\nn4: 0 slices stay"), std::string::npos) << page;
  EXPECT_NE(page.find("\nn5: 0 slices stay"), std::string::npos) << page;
}

TEST_F(Changing, WhatIsSoAlreadyBeginsNoRun) {
  options.layout = "1g.10gb@0";
  EXPECT_EQ(run("apply"), 0);
  EXPECT_EQ(json_at(out.str(), "/outcome"), "\"nothing\"");
  EXPECT_TRUE(asked.what.empty());
}

TEST_F(Changing, WhatMovedSinceAPlanWasKeptIsSaidBeforeAnythingElse) {
  ASSERT_EQ(run("plan"), 0) << err.str();
  test::Scratch scratch;
  const std::string file = scratch.write("plan.json", out.str());
  options = {};
  options.write = options.yes = true;
  options.words = {file};
  work = {test::running("9", "eve", {test::holds("n1", {{0, 1}})})};
  EXPECT_EQ(run("apply"), 1);
  EXPECT_TRUE(said("9 (eve)")) << err.str();
  EXPECT_TRUE(said("what it relies on has changed")) << err.str();
  EXPECT_TRUE(asked.what.empty());
  // One that is about another cluster than the one that is named.
  options.cluster = "other";
  EXPECT_EQ(run("apply"), kUsage);
  EXPECT_TRUE(said("it is about hpc")) << err.str();
}

// The plan has taken the place of whoever would type.
TEST_F(Changing, APlanFromStandardInputLeavesNoWayToTypeTheName) {
  ASSERT_EQ(run("plan"), 0) << err.str();
  int keys[2];
  ASSERT_EQ(pipe(keys), 0);
  ASSERT_EQ(write(keys[1], out.str().data(), out.str().size()), static_cast<ssize_t>(out.str().size()));
  close(keys[1]);
  in_fd = keys[0];
  options = {};
  options.write = true;
  options.words = {"-"};
  EXPECT_EQ(run("apply"), 1);
  EXPECT_TRUE(said("there is no terminal on which the change could be armed")) << err.str();
  EXPECT_TRUE(asked.what.empty());
  close(keys[0]);
}

TEST_F(Changing, OnlyARunThatHasEndedIsUndone) {
  for (RunState state : {RunState::parked, RunState::interrupted, RunState::running}) {
    heads.clear();
    keep("r7", {plan::Parked{"in use", "n1 is closed", {}}}, state);
    options.words = {"r7"};
    EXPECT_EQ(run("undo"), 1);
    EXPECT_TRUE(said(state == RunState::running ? "under way" : "it has not ended")) << err.str();
    EXPECT_TRUE(asked.what.empty());
  }
}

TEST_F(Changing, NamingTheClusterConfirmsItAndNothingElseDoes) {
  keep("r7", {plan::Parked{"paused", "n1 is open", {}}}, RunState::parked);
  options.words = {"r7"};
  script = [](FakeRuns& runs) { runs.on_resume = [](FakeRuns& r) { finish(r, plan::Outcome::wanted); }; };
  EXPECT_EQ(run("resume"), 0) << err.str();
  EXPECT_EQ(asked.what.at(0), "resume on r7");
  options.cluster = "hpc";
  EXPECT_EQ(run("resume"), 0) << err.str();
  EXPECT_EQ(asked.what.at(0), "resume on r7, the cluster is confirmed");
}

// ── questions ─────────────────────────────────────────────────────────────────────────────────────────

TEST_F(Changing, OnlyTheWordYesIsAYes) {
  int keys[2];
  ASSERT_EQ(pipe(keys), 0);
  in_fd = keys[0];
  script = [](FakeRuns& runs) {
    runs.on_start = [](FakeRuns& r) {
      r.write("n1", plan::Asked{plan::Ask::closed_by_other, "n1 is closed by bob. Go on?"});
    };
    runs.on_answer = [](FakeRuns& r) {
      r.write("n1", plan::Answered{plan::Ask::closed_by_other, false, "root"});
      r.write("n1", plan::Parked{"stopped", "n1 is closed", {}});
    };
  };
  for (const char* typed : {"y\n", "Yes\n", "\n", "yes please\n"}) {
    Prompted prompted([&] { EXPECT_GT(write(keys[1], typed, strlen(typed)), 0); });
    std::streambuf* before = err.std::ios::rdbuf(&prompted);
    EXPECT_EQ(run("apply"), 1);
    err.std::ios::rdbuf(before);
    EXPECT_EQ(asked.what.at(1), "answer n1 no") << typed;
  }
  close(keys[0]), close(keys[1]);
}

// That a drain may stay does not mean that another run's lock may be broken.
TEST_F(Changing, OneFlagAnswersOneQuestion) {
  script = [](FakeRuns& runs) {
    runs.on_start = [](FakeRuns& r) {
      r.write("n1", plan::Asked{plan::Ask::marked_by_other, "n1 is marked by r9. Break that lock?"});
    };
    runs.on_demand = [](FakeRuns& r) { r.write("n1", plan::Parked{"paused", "n1 is closed", {}}); };
  };
  options.go_on = true;
  EXPECT_EQ(run("apply"), 1);
  EXPECT_EQ(asked.what.at(1), "demand n1 pause: no answer: n1 is marked by r9");
  EXPECT_TRUE(said("It can be resumed: tessera resume r1 --break-lock --write")) << err.str();
}

// It ended as a finding about the node, where a node that is not there is wrong usage.
TEST_F(Changing, AGpuThatIsNotThereIsWrongUsageAsANodeIs) {
  options.gpus = {GpuIndex{9}};
  for (const char* command : {"plan", "apply"}) {
    EXPECT_EQ(run(command), kUsage) << command;
    EXPECT_TRUE(said("it has no GPU 9")) << err.str();
  }
  unread = "line 2: half a node";
  EXPECT_EQ(run("plan"), kUnknown) << "it may stand in what could not be read";
  unread.clear();
  options.gpus.clear();
  options.nodes = "n9";
  EXPECT_EQ(run("plan"), kUsage);
}

TEST_F(Changing, ARunThatMayBeAmongThoseThatCannotBeListedIsNotKnown) {
  RunHead head;
  head.state = RunState::unreadable;
  head.why = "the folder cannot be read";
  heads.push_back(head);
  options.words = {"20261121-1403-n0031"};
  EXPECT_EQ(run("journal"), kUnknown);
  heads.clear();
  EXPECT_EQ(run("journal"), kUsage);
}

TEST_F(Changing, APlanWithoutTheWholeListOfWorkEndsAsUnknown) {
  unread = "the record of job 8 is cut short";
  EXPECT_EQ(run("plan"), kUnknown);
  EXPECT_TRUE(said("who runs on its nodes is not fully known")) << err.str();
}

TEST_F(Changing, TheJournalTellsRunsAndHostileWordsSafely) {
  keep("r7", {plan::Parked{"\x1b[31mfan", "n1 is open", {}}}, RunState::parked);
  heads[0].words = "red \x1b[31m";
  for (OutputFormat output : {OutputFormat::table, OutputFormat::json}) {
    options.output = output, options.words = {};
    EXPECT_EQ(run("journal"), 0);
    EXPECT_TRUE(out.str().find("r7") != std::string::npos && out.str().find('\x1b') == std::string::npos);
    options.words = {"r7"};
    EXPECT_EQ(run("journal"), 0);
    const std::string one = out.str();
    EXPECT_TRUE(one.find("run r7 started by root from login1") != one.npos && one.find('\x1b') == one.npos);
  }
}

TEST_F(Changing, AnEmptyJournalTeaches) {
  options.output = OutputFormat::table;
  EXPECT_EQ(run("journal"), 0);
  EXPECT_NE(out.str().find("tessera apply begins one"), std::string::npos) << out.str();
}

}  // namespace
}  // namespace tessera::cli
