// Which runs are there: here, elsewhere, on paper only, by a mark only; and what is refused.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <new>

#include "backends/runs/heads.hpp"
#include "backends/runs/store.hpp"
#include "tests/backends/runs/lab.hpp"

namespace tessera::test {
namespace {

using plan::Onward;

bool waits(Lab& lab, const std::string& run) {
  return lab.wait([&] { return lab.told[run].find("\"kind\":\"waiting\"") != std::string::npos; });
}

TEST(RunList, AFolderThatIsNotThereYetHoldsNoRuns) {
  Lab lab({small_node("n1")});
  EXPECT_TRUE(lab.list().runs.empty());
  EXPECT_TRUE(lab.refused.empty());
}

TEST(RunList, ShowsARunWithItsFateAndFollowsItsChanges) {
  Lab lab({small_node("n1")}, {on_slice("8", "bob", "n1", 2)});
  lab.cluster().patient_looks = 0;
  lab.list();
  std::string run = lab.start(lab.plan(kWish));
  ASSERT_TRUE(waits(lab, run));
  RunHead head = *lab.find(lab.list(), run);
  EXPECT_EQ(head.state, RunState::running);
  EXPECT_TRUE(head.here);
  EXPECT_EQ(head.who, "root");
  EXPECT_EQ(head.from, "login1");
  EXPECT_EQ(head.cluster, ClusterName("hpc"));
  EXPECT_EQ(head.nodes, std::vector{NodeName("n1")});
  EXPECT_EQ(head.words, kWish);
  EXPECT_EQ(head.started, at(0));
  EXPECT_EQ(head.progress, "0 of 1 node done, 1 under way");

  // That it stopped is seen without asking again.
  lab.room().demand(run, {}, plan::Demand::cancel, "");
  ASSERT_TRUE(lab.wait(
      [&] { return !lab.lists.empty() && lab.find(lab.lists.back(), run)->state == RunState::parked; }));
  head = *lab.find(lab.lists.back(), run);
  EXPECT_EQ(head.why, "cancelled by an admin");
  EXPECT_EQ(head.progress, "0 of 1 node done, 1 parked (n1)");
  EXPECT_GT(head.last, head.started);

  lab.cluster().patient_looks = 25;
  lab.room().resume(run, {Onward::carry_on, false});
  ASSERT_TRUE(lab.wait([&] { return lab.find(lab.lists.back(), run)->state == RunState::finished; }));
  EXPECT_EQ(lab.find(lab.lists.back(), run)->outcome, "wanted");
}

// A recorder looks for runs each minute: journals are files, but marks take a call to the cluster.
TEST(RunList, WithoutMarksNoClusterIsAskedForIt) {
  Lab lab({small_node("n1")});
  lab.cluster().elsewhere = {{NodeName("n9"), plan::RunMark{}}};
  lab.options().marks = false;
  EXPECT_TRUE(lab.list().runs.empty());
}

// One of its nodes is parked, another was under way when tessera died: that one has to be looked at.
TEST(RunList, ARunThatDiedWithANodeUnderWayIsInterruptedWhateverItsOtherNodesAre) {
  Lab lab({small_node("n1"), small_node("n2")});
  plan::RunStarted started;
  started.run = "r1";
  started.plan = lab.plan(kWish, {"n1", "n2"});
  plan::Run run = plan::run_of(started);
  const auto first = [&](const char* node) { return run.plans.at(NodeName(node)).steps.at(0).id; };
  ASSERT_TRUE(plan::note(run, {2, at(1), NodeName("n1"), plan::StepFailed{first("n1"), "no"}}));
  ASSERT_TRUE(plan::note(run, {3, at(1), NodeName("n1"), plan::Parked{"no", "as it was"}}));
  EXPECT_EQ(runs::head_of(run, at(0), at(1), false).state, RunState::parked);
  ASSERT_TRUE(plan::note(run, {4, at(2), NodeName("n2"), plan::StepBegun{first("n2"), 1, plan::SetMark{}}}));
  EXPECT_EQ(runs::head_of(run, at(0), at(2), false).state, RunState::interrupted);
  EXPECT_EQ(runs::head_of(run, at(0), at(2), true).state, RunState::running);
}

TEST(RunList, NewestFirstAndTwoOfOneMinuteHaveTwoNames) {
  Lab lab({small_node("n1"), small_node("n2")});
  std::string first = lab.start(lab.plan(kWish));
  ASSERT_TRUE(lab.wait_finished(first));
  lab.set_clock(at(0));
  std::string second = lab.start(lab.plan("7g.80gb"));
  ASSERT_TRUE(lab.wait_finished(second));
  lab.set_clock(at(7200));
  std::string third = lab.start(lab.plan(kWish, {"n2"}));
  ASSERT_TRUE(lab.wait_finished(third));
  EXPECT_NE(second, first);
  RunsListed listed = lab.list();
  ASSERT_EQ(listed.runs.size(), 3u);
  EXPECT_EQ(listed.runs[0].run, third);
  EXPECT_EQ(listed.runs[1].run, second);
  EXPECT_EQ(listed.runs[2].run, first);
}

TEST(RunList, MarksTellOfRunsWhoseJournalsAreWithColleagues) {
  Lab lab({small_node("n1")});
  std::string run = lab.start(lab.plan(kWish));
  ASSERT_TRUE(lab.wait_finished(run));
  lab.close();
  plan::RunMark eve{"20270115-0700-n8", "eve", "login2", at(-3600)};
  lab.cluster().elsewhere = {
      {NodeName("n8"), eve}, {NodeName("n9"), eve}, {NodeName("n1"), {run, "root", "login1", at(0)}}};
  RunsListed listed = lab.list();
  ASSERT_EQ(listed.runs.size(), 2u);
  const RunHead& head = listed.runs[1];
  EXPECT_EQ(head.run, eve.run);
  EXPECT_EQ(head.state, RunState::marked);
  EXPECT_EQ(head.nodes, (std::vector{NodeName("n8"), NodeName("n9")}));
  EXPECT_EQ(head.why, "its journal is with eve on login2");
  EXPECT_EQ(head.file, "");
  lab.room().resume(eve.run, {Onward::carry_on, false});
  ASSERT_TRUE(lab.wait_refused());
  EXPECT_NE(lab.refused[0].error.hint.find("begun elsewhere"), std::string::npos);
}

TEST(RunList, UnreadableJournalsAreListedWithTheReason) {
  Lab lab({small_node("n1")});
  std::string run = lab.start(lab.plan(kWish));
  ASSERT_TRUE(lab.wait_finished(run));
  lab.close();
  std::string text = lab.disk(run);
  auto write = [&](const std::string& name, const std::string& content) {
    std::filesystem::permissions(lab.scratch().write("state/tessera/runs/" + name, content),
                                 std::filesystem::perms(0600));
  };
  write("garbage.journal", "\x1b[31mnot a journal\n");
  write("empty.journal", "");
  write("copied.journal", text);
  write("wrong name.journal", text);
  write("notes.txt", "nothing to do with us");
  std::string changed = text;
  changed.replace(changed.find("\"seq\":3"), 7, "\"seq\":4");
  write("changed.journal", changed);
  RunsListed listed = lab.list();
  EXPECT_EQ(listed.runs.size(), 6u);
  auto why = [&](const std::string& name) {
    const RunHead* head = lab.find(listed, name);
    EXPECT_EQ(head->state == RunState::finished, name == run);
    EXPECT_EQ(head->why.find('\x1b'), std::string::npos);
    return head->why;
  };
  EXPECT_NE(why("garbage").find("garbage.journal:1:"), std::string::npos) << why("garbage");
  EXPECT_NE(why("empty").find("it is empty"), std::string::npos) << why("empty");
  EXPECT_NE(why("copied").find("is that of run " + run), std::string::npos) << why("copied");
  EXPECT_NE(why("changed").find("changed.journal:3: this line, or one before it, is not as it was written"),
            std::string::npos)
      << why("changed");
  EXPECT_NE(why("wrong name").find("not the name of a run"), std::string::npos) << why("wrong name");
  for (const char* name : {"garbage", "copied", "changed", "wrong name", "never-was"}) {
    lab.refused.clear();
    lab.room().resume(name, {Onward::carry_on, false});
    EXPECT_TRUE(lab.wait_refused()) << name;
  }
  lab.refused.clear();
  lab.room().read("garbage");
  EXPECT_TRUE(lab.wait_refused());
}

TEST(RunList, WhatAnotherTesseraDrivesIsSeenButNotTakenUp) {
  Lab lab({small_node("n1")}, {on_slice("8", "bob", "n1", 2)});
  lab.cluster().patient_looks = 0;
  std::string run = lab.start(lab.plan(kWish));
  ASSERT_TRUE(waits(lab, run));

  Mailbox news;
  auto other = runs::make_runs(lab.options(), {{ClusterName("hpc"), &lab.cluster()}}, news);
  std::vector<Event> came;
  auto next = [&](auto* kind) {
    using News = std::remove_pointer_t<decltype(kind)>;
    std::optional<News> found;
    lab.wait_on(news, [&] {
      for (Event& event : news.take())
        if (auto* what = std::get_if<News>(&event.what)) found = std::move(*what);
      return found.has_value();
    });
    EXPECT_TRUE(found.has_value());
    return found.value_or(News{});
  };
  other->list();
  auto listed = next(static_cast<RunsListed*>(nullptr));
  EXPECT_EQ(lab.find(listed, run)->state, RunState::running);
  EXPECT_FALSE(lab.find(listed, run)->here);
  other->resume(run, {Onward::carry_on, false});
  EXPECT_NE(next(static_cast<RunRefused*>(nullptr)).error.reason.find("another tessera drives it"),
            std::string::npos);
  other->demand(run, {}, plan::Demand::cancel, "");
  EXPECT_EQ(next(static_cast<RunRefused*>(nullptr)).error.reason, "this tessera does not drive that run");
  other->read(run);
  EXPECT_FALSE(next(static_cast<RunTold*>(nullptr)).lines.empty());

  // The first one dies without a word: the lock went with it.
  lab.cluster().freeze();
  lab.close_dead_room();
  other->list();
  listed = next(static_cast<RunsListed*>(nullptr));
  EXPECT_EQ(lab.find(listed, run)->state, RunState::interrupted);
  lab.cluster().patient_looks = 25;
  other->resume(run, {Onward::carry_on, false});
  lab.wait_on(news, [&] {
    news.take();
    return lab.disk(run).find("\"run-finished\"") != std::string::npos;
  });
  EXPECT_EQ(lab.board("n1"), kWanted);
}

TEST(RunList, WhatCannotBeBegunIsRefusedBeforeAnythingIsWritten) {
  Lab lab({small_node("n1")});
  plan::Plan plan = lab.plan(kWish);
  auto refused = [&](plan::Plan wanted) {
    lab.refused.clear();
    EXPECT_EQ(lab.start(wanted), "");
    EXPECT_FALSE(std::filesystem::exists(lab.folder()));
    return lab.refused.empty() ? std::string() : lab.refused[0].error.reason;
  };
  plan::Plan other = plan;
  other.intent.cluster = ClusterName("elsewhere");
  EXPECT_NE(refused(other).find("elsewhere is not open here"), std::string::npos);
  other = plan;
  other.no_steps = "this version previews only";
  EXPECT_EQ(refused(other), "this version previews only");
  other = plan;
  other.nodes[0].steps.clear();
  EXPECT_EQ(refused(other), "it changes nothing");
  other = plan;
  other.capabilities.chooses_placement = !other.capabilities.chooses_placement;
  EXPECT_NE(refused(other).find("made for another backend"), std::string::npos);
  other = plan;
  other.violations.push_back({Severity::danger, "fpt-a", {}, "one strategy for all"});
  EXPECT_EQ(refused(other), "fpt-a: one strategy for all");
  other = plan;
  other.nodes[0].steps[2].action = plan::ResetGpus{{GpuIndex{0}}};
  EXPECT_NE(refused(other).find("which the plan does not announce"), std::string::npos) << refused(other);
  lab.close();
  lab.cluster().id = "hpc-2";
  EXPECT_EQ(refused(plan), "it belongs to another cluster that is called hpc, too");
  lab.close();
  lab.cluster().id = "";
  EXPECT_NE(refused(plan).find("does not report its identity"), std::string::npos);
  lab.cluster().id = "hpc-1";
  lab.close();
  lab.options().write = false;
  EXPECT_EQ(refused(plan), "tessera was started read-only");
  lab.close();
  lab.options().write = true;
  lab.options().folder = "";
  EXPECT_EQ(refused(plan), "neither XDG_STATE_HOME nor HOME is set");
  lab.close();
  lab.options().folder = lab.scratch().write("a-file", "") + "/runs";
  EXPECT_NE(refused(plan).find("Not a directory"), std::string::npos);
}

// kubernetes-admin@kubernetes is everywhere: a run belongs to its cluster, not to a name.
TEST(RunList, ARunOfAnotherClusterOfThatNameIsNeitherListedNorTakenUp) {
  Lab lab({small_node("n1")}, {on_slice("7", "alice", "n1", 2)});
  plan::ChangeOptions when_empty;
  when_empty.when_empty = true;
  lab.cluster().patient_looks = 0;
  std::string run = lab.start(lab.plan(kWish, {"n1"}, when_empty));
  ASSERT_TRUE(lab.wait_stopped(run)) << lab.told[run];
  EXPECT_EQ(lab.list().runs.size(), 1u);
  auto refused = [&](plan::Resuming how) {
    lab.refused.clear();
    lab.room().resume(run, how);
    EXPECT_TRUE(lab.wait_refused());
    return lab.refused.empty() ? Error{} : lab.refused[0].error;
  };
  lab.close();
  lab.cluster().id = "hpc-2";
  EXPECT_TRUE(lab.list().runs.empty());
  for (Onward onward : {Onward::carry_on, Onward::replan, Onward::back})
    EXPECT_EQ(refused({onward, true, true}).reason, "it belongs to another cluster that is called hpc, too");
  // Where it does not tell which one it is, a person has to say so.
  lab.close();
  lab.cluster().id = "";
  EXPECT_EQ(lab.list().runs.size(), 1u);
  Error unknown = refused({});
  EXPECT_EQ(unknown.reason, "the cluster hpc here does not report its identity");
  EXPECT_NE(unknown.hint.find("--cluster hpc"), std::string::npos);
  lab.room().resume(run, {Onward::back, false, true});
  EXPECT_TRUE(lab.wait_finished(run)) << lab.told[run];
}

// The worlds of --sim share a folder of journals, and each is gone with its process: tessera --sim showed,
// and offered to undo, what had been tried out on --sim=huge.
TEST(RunList, ARunOfAnotherSimulatedWorldIsListedInThatWorldOnly) {
  Lab lab({small_node("n1")}, {on_slice("7", "alice", "n1", 2)});
  plan::ChangeOptions when_empty;
  when_empty.when_empty = true;
  lab.cluster().patient_looks = 0;
  const std::string run = lab.start(lab.plan(kWish, {"n1"}, when_empty));
  ASSERT_TRUE(lab.wait_stopped(run)) << lab.told[run];
  lab.close();
  lab.options().open_only = true;
  EXPECT_EQ(lab.list().runs.size(), 1u) << "its own world lists it";
  lab.close();
  lab.open_as("giga");
  EXPECT_TRUE(lab.list().runs.empty());
  lab.close();
  lab.options().open_only = false;
  EXPECT_EQ(lab.list().runs.size(), 1u) << "journals of real clusters are read wherever one is";
}

TEST(RunList, AJournalUnderAnotherNameIsNotTakenUp) {
  Lab lab({small_node("n1")}, {on_slice("7", "alice", "n1", 2)});
  plan::ChangeOptions when_empty;
  when_empty.when_empty = true;
  lab.cluster().patient_looks = 0;
  std::string run = lab.start(lab.plan(kWish, {"n1"}, when_empty));
  ASSERT_TRUE(lab.wait_stopped(run)) << lab.told[run];
  lab.close();
  std::filesystem::copy_file(lab.file(run), lab.file("copy"));
  ASSERT_EQ(::chmod(lab.file("copy").c_str(), 0600), 0);
  lab.refused.clear();
  lab.room().resume("copy", {});
  ASSERT_TRUE(lab.wait_refused());
  EXPECT_EQ(lab.refused[0].error.reason, "the journal by that name is that of run " + run);
}

// A run that waits until its node is empty, in a folder that colleagues share: the folder and the run.
std::pair<std::string, std::string> parked_in_a_shared_folder(Lab& lab) {
  const std::string site = lab.scratch().path() + "/site";
  std::filesystem::create_directory(site);
  EXPECT_EQ(::chmod(site.c_str(), 02770), 0);
  lab.options().site_folder = site;
  lab.cluster().patient_looks = 0;
  plan::ChangeOptions when_empty;
  when_empty.when_empty = true;
  const std::string run = lab.start(lab.plan(kWish, {"n1"}, when_empty));
  EXPECT_TRUE(lab.wait_stopped(run)) << lab.told[run];
  return {site, run};
}

// Whoever may write to a shared folder may write a journal there: a timer takes up only what its own user
// left there as it is.
TEST(RunList, ATimerLeavesAJournalAloneThatOthersHaveWrittenTo) {
  Lab lab({small_node("n1")}, {on_slice("7", "alice", "n1", 2)});
  const auto shared = parked_in_a_shared_folder(lab);
  const std::string &site = shared.first, &run = shared.second;
  EXPECT_EQ(lab.find(lab.list(), run)->unarmed, "");
  auto by_timer = [&] {
    lab.refused.clear();
    lab.room().resume(run, {Onward::carry_on, false, false, true});
    EXPECT_TRUE(lab.wait_refused());
    return lab.refused.empty() ? std::string() : lab.refused[0].error.reason;
  };
  // A colleague adds a line, tied as it should be.
  {
    runs::JournalStore store("", site, nullptr);
    auto taken = store.take(run);
    ASSERT_TRUE(taken.ok()) << to_line(taken.error());
    plan::Chain chain = taken->journal.chain;
    auto seq = static_cast<std::int64_t>(taken->journal.entries.size()) + 1;
    ASSERT_TRUE(
        taken->file
            .append(to_line(plan::Entry{seq, lab.now(), {}, plan::Requested{plan::Demand::pause, "eve", ""}},
                            chain))
            .ok());
  }
  EXPECT_EQ(lab.find(lab.list(), run)->unarmed, "others have written to it since you left it");
  EXPECT_EQ(by_timer(), "others have written to it since you left it");
  // Whoever takes it up sees what: a diff, without the digests that tie lines.
  const std::vector<std::string> changed = lab.find(lab.list(), run)->changed;
  auto has_line = [&](const std::string& start, const std::string& word) {
    return std::any_of(changed.begin(), changed.end(), [&](const std::string& line) {
      return line.starts_with(start) && line.find(word) != std::string::npos;
    });
  };
  EXPECT_TRUE(has_line("+", "\"who\": \"eve\"")) << changed.size();
  EXPECT_FALSE(has_line("-", "\"")) << "nothing was taken away";
  EXPECT_FALSE(has_line("+", "chain"));
  // What was looked at before that is not what would be carried out.
  lab.refused.clear();
  lab.room().resume(run, {Onward::carry_on, false, false, false, "0123456789abcdef"});
  EXPECT_TRUE(lab.wait_refused());
  EXPECT_EQ(lab.refused.at(0).error.reason, plan::kWrittenSince);
  lab.refused.clear();
  // A person who looks at it may take it up; from then on the timer may.
  lab.room().resume(run, {});
  auto parked = [&] {
    std::size_t first = lab.told[run].find("\"kind\":\"parked\"");
    return first != std::string::npos &&
           lab.told[run].find("\"kind\":\"parked\"", first + 1) != std::string::npos;
  };
  ASSERT_TRUE(lab.wait(parked)) << lab.told[run];
  EXPECT_EQ(lab.find(lab.list(), run)->unarmed, "");
  EXPECT_TRUE(lab.find(lab.list(), run)->changed.empty());
  // Another user's timer has never armed it.
  lab.close();
  lab.options().folder = lab.scratch().path() + "/of-another";
  (void)lab.list();  // the room before may have told a list as it closed
  EXPECT_EQ(lab.find(lab.list(), run)->unarmed, "it lies in a shared folder and you have not armed it");
  EXPECT_EQ(by_timer(), "it lies in a shared folder and you have not armed it");
}

// An edit of an earlier line, tied again: both sides of it are shown.
TEST(RunList, AnEditedLineOfASharedJournalIsShownAsItWasAndAsItIs) {
  Lab lab({small_node("n1")}, {on_slice("7", "alice", "n1", 2)});
  const auto [site, run] = parked_in_a_shared_folder(lab);
  lab.close();
  const std::string path = site + "/" + run + ".journal";
  std::ifstream stream(path);
  const std::string before{std::istreambuf_iterator<char>(stream), {}};
  auto journal = plan::parse_journal(before, run);
  ASSERT_TRUE(journal.ok());
  plan::Chain chain;
  std::string text;
  for (plan::Entry& entry : journal->entries) {
    if (auto* started = std::get_if<plan::RunStarted>(&entry.what))
      for (plan::Step& step : started->plan.nodes[0].steps)
        if (std::holds_alternative<plan::DestroyInstances>(step.action)) step.before.clear();
    text += to_line(entry, chain);
  }
  std::ofstream(path) << text;
  RunsListed listed = lab.list();
  const RunHead* head = lab.find(listed, run);
  ASSERT_TRUE(head);
  std::string shown;
  for (const std::string& line : head->changed) shown += line + "\n";
  EXPECT_NE(shown.find("\n-"), std::string::npos) << shown;
  EXPECT_NE(shown.find("scope-empty"), std::string::npos) << "the condition that went\n" << shown;
}

TEST(RunList, WhatWasArmedGoesWithTheEndOfItsRun) {
  Lab lab({small_node("n1")}, {on_slice("7", "alice", "n1", 2)});
  const auto [site, run] = parked_in_a_shared_folder(lab);
  const std::string armed = lab.folder() + "/" + run + ".armed";
  (void)lab.list();
  EXPECT_TRUE(std::filesystem::exists(armed));
  lab.room().resume(run, {Onward::back});
  ASSERT_TRUE(lab.wait_finished(run)) << lab.told[run];
  (void)lab.list();
  EXPECT_FALSE(std::filesystem::exists(armed));
  // One that a colleague has ended goes at the next look.
  std::ofstream(armed) << "0123456789abcdef\n";
  (void)lab.list();
  EXPECT_FALSE(std::filesystem::exists(armed));
}

// A step of the journal is edited while the run waits: it is named, and nothing is done.
TEST(RunList, AJournalWhoseStepsWereEditedIsNotCarriedOnAndItsNodeIsGivenBack) {
  Lab lab({small_node("n1")}, {on_slice("7", "alice", "n1", 2)});
  plan::ChangeOptions when_empty;
  when_empty.when_empty = true;
  lab.cluster().patient_looks = 0;
  std::string run = lab.start(lab.plan(kWish, {"n1"}, when_empty));
  ASSERT_TRUE(lab.wait_stopped(run)) << lab.told[run];
  lab.close();
  auto journal = plan::parse_journal(lab.disk(run), run);
  ASSERT_TRUE(journal.ok());
  plan::Chain chain;  // tied again, as a user would who means it
  std::string text;
  for (plan::Entry& entry : journal->entries) {
    if (auto* started = std::get_if<plan::RunStarted>(&entry.what))
      for (plan::Step& step : started->plan.nodes[0].steps)
        if (std::holds_alternative<plan::DestroyInstances>(step.action)) {
          step.action = plan::ResetGpus{{GpuIndex{0}}};
          step.before.clear(), step.after.clear();
        }
    text += to_line(entry, chain);
  }
  std::ofstream(lab.file(run), std::ios::trunc) << text;
  lab.refused.clear();
  int performs = lab.cluster().performs;
  lab.room().resume(run, {});
  ASSERT_TRUE(lab.wait_refused());
  EXPECT_NE(lab.refused[0].error.reason.find("it resets GPUs, which the plan does not announce"),
            std::string::npos)
      << lab.refused[0].error.reason;
  EXPECT_EQ(lab.cluster().performs, performs);
  lab.room().resume(run, {Onward::back});
  EXPECT_TRUE(lab.wait_finished(run)) << lab.told[run];
  EXPECT_EQ(lab.board("n1"), kFound);
}

// Out of memory in the middle: the node is parked with a sentence, and the journal stays whole.
TEST(RunList, AnExceptionParksTheNodeAndTheRunIsTakenUpAgain) {
  Lab lab({small_node("n1")}, {on_slice("7", "alice", "n1", 2)});
  auto later = lab.options().later;
  lab.options().later = [later, left = std::make_shared<int>(2)](Worker& worker, Duration delay,
                                                                 Worker::Task task) {
    if (--*left == 0) throw std::bad_alloc();
    later(worker, delay, std::move(task));
  };
  lab.cluster().patient_looks = 0;
  std::string run = lab.start(lab.plan(kWish));
  ASSERT_TRUE(lab.wait_stopped(run)) << lab.told[run];
  EXPECT_NE(lab.told[run].find("an error inside tessera"), std::string::npos);
  lab.close();
  lab.cluster().patient_looks = 25;
  lab.room().resume(run, {});
  ASSERT_TRUE(lab.wait_finished(run)) << lab.told[run];
  EXPECT_EQ(lab.board("n1"), kWanted);
}

}  // namespace
}  // namespace tessera::test
