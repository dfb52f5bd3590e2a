// Changing a layout with the real binary on a simulated cluster: plan, apply, journal, undo, and what stands
// in the way of each.
#include <sys/stat.h>

#include "tests/e2e/change_lab.hpp"
#include "tests/support/pty.hpp"

namespace tessera::test {
namespace {

class Change : public ChangeLab {};

TEST_F(Change, APlanIsAppliedToldAndUndone) {
  std::string plan = keep_plan({"-n", "n1", "--gpu", "1", "--preset", "all-balanced"});
  Ran applied = apply({plan});
  EXPECT_EQ(applied.code, 0) << applied.out << applied.err;
  EXPECT_EQ(check_schema(schema_text("result"), applied.out), Words{});
  EXPECT_EQ(text_at(applied.out, "/outcome"), "wanted");
  EXPECT_EQ(text_at(applied.out, "/nodes/0/stage"), "done");
  EXPECT_TRUE(has(applied.err, "done, verified")) << applied.err;
  EXPECT_EQ(board("n1", 1), "1g.10gb@0 1g.10gb@1 2g.20gb@2 3g.40gb@4");
  EXPECT_EQ(health("n1"), "ok");

  std::string id = text_at(applied.out, "/run");
  std::string runs = journal();
  EXPECT_EQ(check_schema(schema_text("journal"), runs), Words{});
  EXPECT_EQ(text_at(runs, "/0/run"), id);
  EXPECT_EQ(text_at(runs, "/0/outcome"), "wanted");
  std::string told = must({"journal", id, "-o", "json"}).out;
  EXPECT_EQ(check_schema(schema_text("run"), told), Words{});
  EXPECT_EQ(text_at(told, "/events/0/event"), "run-started");
  EXPECT_TRUE(has(must({"journal"}).out, id));
  EXPECT_TRUE(has(must({"journal", id}).out, "layout, read back"));

  Ran undone = run({"undo", id, "--write", "--yes", "-o", "json"});
  EXPECT_EQ(undone.code, 0) << undone.out << undone.err;
  EXPECT_EQ(text_at(undone.out, "/outcome"), "recorded");
  EXPECT_EQ(board("n1", 1), "whole");
  EXPECT_EQ(text_at(journal(), "/0/undoes"), id);
  expect_sound();
}

TEST_F(Change, FlagsNeedNoFileAndSeveralNodesGoInBatches) {
  Ran ran = apply({"-n", "n1,n3", "--layout", "2g.20gb,3g.40gb"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.err, "n3: ")) << ran.err;
  EXPECT_EQ(board("n3", 0), board("n1", 1));
  // Each node goes to what it was found with, also by way of a file that was reviewed.
  const std::string taken_back = newest_run();
  Ran reviewed = must({"undo", taken_back, "--dry-run", "-o", "json"});
  // Which run that is stands in its journal, not in the file alone.
  std::string edited = reviewed.out;
  const std::size_t at = edited.find("\"undoes\"");
  ASSERT_NE(at, std::string::npos);
  edited.replace(edited.find(taken_back, at), taken_back.size(), "20200101-0000-n1-aaaaaa");
  Ran refused = run({"apply", folder_.write("edited.json", edited), "--write", "--yes"});
  EXPECT_NE(refused.code, 0);
  EXPECT_EQ(board("n1", 0), board("n3", 0)) << "nothing was changed";
  Ran undone = run({"apply", folder_.write("undo.json", reviewed.out), "--write", "--yes"});
  EXPECT_EQ(undone.code, 0) << undone.err;
  EXPECT_EQ(text_at(journal(), "/0/undoes"), taken_back);
  EXPECT_EQ(board("n1", 0), kBalanced);
  EXPECT_EQ(board("n3", 0), "whole");
}

TEST_F(Change, ReadOnlyIsTheRuleAndSaysHowToArm) {
  Ran ran = run({"apply", "-n", "n3", "--layout", "7g.80gb", "--yes"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.err, "--write")) << ran.err;
  Ran unarmed = run({"apply", "-n", "n3", "--layout", "7g.80gb", "--write"});
  EXPECT_EQ(unarmed.code, 1);
  EXPECT_TRUE(has(unarmed.err, "--yes")) << unarmed.err;
  EXPECT_EQ(board("n3", 0), "whole");
  EXPECT_EQ(json_size(journal()), 0u);
}

TEST_F(Change, AFolderOfJournalsThatIsRefusedIsWhyARunIsNotFound) {
  must({"apply", "-n", "n3", "--layout", "7g.80gb", "--write", "--yes"});
  const std::string begun = newest_run();
  const std::string runs = folder_.path() + "/state/tessera/simulated-runs";
  ASSERT_EQ(::chmod(runs.c_str(), 0777), 0);
  Ran told = run({"journal", begun});
  EXPECT_NE(told.code, 0);
  EXPECT_TRUE(has(told.err, "others can write there")) << told.err;
  EXPECT_FALSE(has(told.err, "the newest are")) << told.err;
  ASSERT_EQ(::chmod(runs.c_str(), 0700), 0);
  EXPECT_EQ(run({"journal", begun}).code, 0);
}

TEST_F(Change, ADryRunShowsAndChangesNothing) {
  Ran ran = must({"apply", "-n", "n3", "--layout", "7g.80gb", "--dry-run"});
  EXPECT_TRUE(has(ran.out, "STEPS")) << ran.out;
  EXPECT_TRUE(has(ran.out, "Nothing has been changed")) << ran.out;
  EXPECT_EQ(board("n3", 0), "whole");
}

TEST_F(Change, APlanThatTheWorldHasLeftIsRefusedWithWhatMoved) {
  std::string plan = keep_plan({"-n", "n3", "--layout", "7g.80gb"});
  sim({"drain", "n3", "fan", "broken"});
  Ran ran = apply({plan});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(text_at(ran.out, "/outcome"), "refused");
  EXPECT_TRUE(has(ran.err, "takes no new work")) << ran.err;
  EXPECT_EQ(json_size(journal()), 0u);
}

TEST_F(Change, ThatAUserLeftIsNoReasonToRefuse) {
  std::string plan = keep_plan({"-n", "n2", "--layout", "none", "--way", "cancel"});
  sim({"end", text_at(must({"workloads", "-o", "json", "--filter", "user=alice"}).out, "/0/id")});
  sim({"advance", "1m"});
  Ran ran = apply({plan});
  EXPECT_TRUE(has(ran.err, "no reason to refuse")) << ran.err;
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(board("n2", 0), "whole");
}

TEST_F(Change, WorkInTheWayGoesOnlyWhereThatWasAsked) {
  Ran ran = apply({"-n", "n2", "--layout", "none", "--way", "cancel"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(board("n2", 0), "whole");
  expect_sound();
}

TEST_F(Change, WhenEmptyClosesParksAndGoesOnWhenItIs) {
  Ran ran = apply({"-n", "n2", "--layout", "none", "--when-empty"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(text_at(ran.out, "/outcome"), "waiting") << ran.out << ran.err;
  EXPECT_NE(health("n2"), "ok");
  Ran early = must({"resume", "--due", "--write", "--yes", "-o", "json"});
  EXPECT_EQ(text_at(early.out, "/outcome"), "nothing") << early.out << early.err;
  sim({"advance", "5d"});  // alice and bob have ended
  Ran late = run({"resume", "--due", "--write", "--yes", "-o", "json"});
  EXPECT_EQ(late.code, 0) << late.out << late.err;
  EXPECT_EQ(text_at(late.out, "/outcome"), "wanted");
  EXPECT_EQ(board("n2", 0), "whole");
  EXPECT_EQ(health("n2"), "ok");
}

TEST_F(Change, AtATimeParksUntilThen) {
  Ran ran = apply({"-n", "n3", "--layout", "7g.80gb", "--at", "+2h"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(text_at(ran.out, "/outcome"), "waiting") << ran.out << ran.err;
  EXPECT_TRUE(has(must({"journal"}).out, "waits until 2026-03-02T11:00")) << must({"journal"}).out;
  EXPECT_EQ(text_at(must({"resume", "--due", "--write", "--yes", "-o", "json"}).out, "/outcome"), "nothing");
  sim({"advance", "3h"});
  Ran late = run({"resume", "--due", "--write", "--yes", "-o", "json"});
  EXPECT_EQ(late.code, 0) << late.out << late.err;
  EXPECT_EQ(board("n3", 0), "7g.80gb@0");
}

// --- a person at a terminal

struct Terminal {
  PtyOptions options;
  explicit Terminal(const RunOptions& run, Words words) {
    options.columns = 80;
    options.rows = 60;
    options.environment = run.environment;
    options.arguments = std::move(words);
  }
};

TEST_F(Change, OnATerminalTheNodesNameArms) {
  Terminal terminal(options_, {"apply", "-n", "n3", "--layout", "7g.80gb", "--write", state()});
  Pty pty(terminal.options);
  ASSERT_TRUE(pty.wait_until([&] { return pty.has("Type n3 and Enter"); })) << pty.screen();
  pty.send("n3\r");
  ASSERT_TRUE(pty.wait_ended());
  EXPECT_EQ(pty.exit_code(), 0) << pty.screen();
  EXPECT_EQ(board("n3", 0), "7g.80gb@0");
}

TEST_F(Change, AnythingElseLeavesAndChangesNothing) {
  for (const char* typed : {"\r", "y\r", "yes\r", "n33\r"}) {
    Terminal terminal(options_, {"apply", "-n", "n3", "--layout", "7g.80gb", "--write", state()});
    Pty pty(terminal.options);
    ASSERT_TRUE(pty.wait_until([&] { return pty.has("Type n3 and Enter"); })) << pty.screen();
    pty.send(typed);
    ASSERT_TRUE(pty.wait_ended());
    EXPECT_EQ(pty.exit_code(), 1) << pty.screen();
  }
  EXPECT_EQ(board("n3", 0), "whole");
  EXPECT_EQ(json_size(journal()), 0u);
}

TEST_F(Change, AQuestionIsAnsweredByTypingYes) {
  sim({"drain", "n3", "fan"});
  Terminal terminal(options_, {"apply", "-n", "n3", "--layout", "7g.80gb", "--write", "--yes", state()});
  Pty pty(terminal.options);
  ASSERT_TRUE(pty.wait_until([&] { return pty.has("Type yes and Enter") || pty.exit_code(); }))
      << pty.screen();
  pty.send("yes\r");
  ASSERT_TRUE(pty.wait_ended());
  EXPECT_EQ(pty.exit_code(), 0) << pty.screen();
  EXPECT_EQ(board("n3", 0), "7g.80gb@0");
  EXPECT_NE(health("n3"), "ok") << "what another closed stays closed";
}

// --- slips

TEST_F(Change, SlipsAreUsageErrorsWithAHint) {
  std::string plan = keep_plan({"-n", "n3", "--layout", "7g.80gb"});
  struct Slip {
    Words words;
    std::string hint;
  };
  for (const Slip& slip :
       {Slip{{"apply"}, "--node"}, Slip{{"apply", plan, "-n", "n3"}, "either"},
        Slip{{"apply", folder_.path() + "/none.json"}, "tessera plan"},
        Slip{{"apply", folder_.write("bad.json", "{}")}, "not a plan"}, Slip{{"undo"}, "tessera journal"},
        Slip{{"undo", "20200101-0000-n1"}, "tessera apply"}, Slip{{"resume"}, "--due"},
        Slip{{"resume", "x", "--due"}, "omit one"}, Slip{{"resume", "x", "--replan", "--back"}, "exclude"},
        Slip{{"resume", "x", "--accept-harm"}, "--replan"}, Slip{{"journal", "x"}, "tessera apply"},
        Slip{{"journal", "--messages"}, "RUN"}, Slip{{"journal", "-o", "csv"}, "table, json or yaml"}}) {
    Ran ran = run(slip.words);
    EXPECT_EQ(ran.code, 2) << slip.words.front() << ran.out << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_TRUE(has(ran.err, slip.hint)) << ran.err;
  }
}

TEST_F(Change, AnUnknownRunIsMetWithTheNearest) {
  Ran ran = apply({"-n", "n3", "--layout", "7g.80gb"});
  std::string id = text_at(ran.out, "/run");
  ASSERT_EQ(ran.code, 0) << ran.err;
  Ran near = run({"undo", id + "x"});
  EXPECT_EQ(near.code, 2);
  EXPECT_TRUE(has(near.err, "did you mean " + id)) << near.err;
  Ran ended = run({"resume", id, "--write", "--yes"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_TRUE(has(ended.err, "tessera undo " + id)) << ended.err;
}

TEST_F(Change, APlanMayComeInOnStandardInput) {
  options_.input = must({"plan", "-n", "n3", "--layout", "7g.80gb", "-o", "json"}).out;
  Ran ran = apply({"-"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(board("n3", 0), "7g.80gb@0");
}

TEST_F(Change, ASiteMayShareItsJournals) {
  std::string site = folder_.path() + "/site";
  ASSERT_EQ(::mkdir(site.c_str(), 0770), 0);
  ASSERT_EQ(::chmod(site.c_str(), 02770), 0);
  Ran ran = apply({"-n", "n3", "--layout", "7g.80gb", "--runs", site});
  EXPECT_EQ(ran.code, 0) << ran.err;
  std::string id = text_at(ran.out, "/run");
  options_.environment["XDG_STATE_HOME"] = folder_.path() + "/another";
  EXPECT_EQ(json_size(journal()), 0u);
  EXPECT_TRUE(has(must({"journal", "--runs", site}).out, id));
}

}  // namespace
}  // namespace tessera::test
