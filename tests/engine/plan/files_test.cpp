// Plan files and journals: there and back, and nothing but what was written.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/plan/files/plan_file.hpp"
#include "engine/plan/run/run.hpp"
#include "engine/plan/words/wording.hpp"
#include "tests/engine/plan/boards.hpp"

namespace tessera::test {
namespace {

using namespace plan;

Plan some_plan() {
  Story story;
  story.tell(NodesListed{{node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)}), uncut(1, 1)})}});
  story.tell(
      WorkloadsListed{{running("7", "alice", {holds("n1", {{0, 1}})}), waiting("8", "bob", "gpu:1g.10gb")}});
  Intent intent = wants("7x1g.10gb", std::nullopt);
  intent.options.way = Way::requeue;
  intent.options.at = at(60);
  intent.options.wait = std::chrono::minutes(5);
  intent.decision = Decision{Strategy::mig,
                             {{"Q1 Can this product be cut by MIG?", "yes", "catalogue"},
                              {"Q2 Must one user's crash never touch another's?", "yes", "admin"}},
                             {"Memory: each instance has its own.", "Errors: of its own instance only."}};
  return make_plan(story.cluster(), catalogue(), intent, simulator_capabilities(), {}, at(0)).value();
}

TEST(PlanFile, APlanIsReadBackAsItWasWritten) {
  Plan plan = some_plan();
  auto read = parse_plan(to_document(plan), "plan.json");
  ASSERT_TRUE(read.ok()) << to_line(read.error());
  EXPECT_EQ(*read, plan);
}

// What a step writes into a file or tells a tool has lines, here and in the journal that a run is resumed
// from.
TEST(PlanFile, TextsOfSeveralLinesKeepThem) {
  const std::string text = "version: v1\r\n\tmig-configs:\n  a: []\n";
  Plan plan = some_plan();
  plan.nodes[0].steps[0].action = Special{"write-boot-file", {{"path", "/etc/mig.yaml"}, {"text", text}}};
  auto read = parse_plan(to_document(plan), "plan.json");
  ASSERT_TRUE(read.ok()) << to_line(read.error());
  EXPECT_EQ(*read, plan);
  RunStarted started;
  started.run = "r1", started.who = "root", started.from = "login1", started.plan = plan;
  Chain chain;
  auto journal = parse_journal(to_line(Entry{1, at(0), {}, started}, chain), "r1.journal");
  ASSERT_TRUE(journal.ok()) << to_line(journal.error());
  reword(plan);
  EXPECT_EQ(std::get<RunStarted>(journal->entries[0].what).plan, plan);
  plan.nodes[0].steps[0].action = Special{"x", {{"text", "a\x1b[2J\nb\n"}}};
  read = parse_plan(to_document(plan), "plan.json");
  ASSERT_TRUE(read.ok()) << to_line(read.error());
  EXPECT_EQ(std::get<Special>(read->nodes[0].steps[0].action).arguments.at("text"), "a\u00b7[2J\nb\n");
}

TEST(PlanFile, ScriptsFindTheFieldsThatWerePromised) {
  Json json = plan_json(some_plan());
  for (const char* key : {"id", "intent", "steps", "kept", "destroyed", "created", "blast_radius",
                          "resources", "violations", "needs"})
    EXPECT_NE(json.find(key), nullptr) << key;
  const Json& step = json.find("steps")->items.at(0);
  for (const char* key : {"id", "title", "command", "disturbs", "deadline_s", "undo"})
    EXPECT_NE(step.find(key), nullptr) << key;
  const Json& hit = json.find("blast_radius")->items.at(0);
  for (const char* key : {"kind", "id", "name", "user", "running_s", "restartable", "slice"})
    EXPECT_NE(hit.find(key), nullptr) << key;
  EXPECT_EQ(hit.find("slice")->text, "GPU 0 3g.40gb@4");
}

TEST(PlanFile, WhatIsMissingUnknownOrOfAnotherVersionIsRefusedWithItsPlace) {
  std::string text = to_document(some_plan());
  auto refused = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    auto read = parse_plan(changed, "plan.json");
    EXPECT_FALSE(read.ok()) << from;
    return read.ok() ? "" : read.error().reason;
  };
  EXPECT_NE(refused("\"tessera_plan\": 2", "\"tessera_plan\": 3").find("version 3"), std::string::npos);
  EXPECT_NE(refused("\"fingerprint\"", "\"finger\"").find("'fingerprint' is missing"), std::string::npos);
  EXPECT_NE(refused("\"kind\": \"set-mark\"", "\"kind\": \"format-disk\"").find("format-disk"),
            std::string::npos);
  EXPECT_NE(refused("\"disturbs\": false", "\"disturbs\": 1").find("steps[0].disturbs"), std::string::npos);
  EXPECT_FALSE(parse_plan(text.substr(0, text.size() / 2), "plan.json").ok());
  EXPECT_FALSE(parse_plan("[]", "plan.json").ok());
  EXPECT_FALSE(parse_plan("", "plan.json").ok());
}

// A newer tessera may tell people more; what says how a step is done is never passed over.
TEST(PlanFile, AFieldThatIsNotKnownIsPassedOverWhereItOnlyTellsAndRefusedInAStep) {
  std::string text = to_document(some_plan());
  auto with = [&](const std::string& before, const std::string& field) {
    std::string changed = text;
    changed.insert(changed.find(before), field);
    return parse_plan(changed, "plan.json");
  };
  auto more = with("\"fingerprint\"", "\"mood\": \"good\",\n  ");
  ASSERT_TRUE(more.ok()) << to_line(more.error());
  EXPECT_EQ(*more, some_plan());
  EXPECT_TRUE(with("\"running_s\"", "\"since\": 7, ").ok());
  EXPECT_FALSE(with("\"deadline_s\"", "\"only_if\": \"idle\", ").ok());
  EXPECT_FALSE(with("\"when_empty\"", "\"unless\": true, ").ok());
}

TEST(JsonText, TwoEqualKeysDeepNestsAndBadBytesAreRefused) {
  std::string many = "{";
  for (int i = 0; i < 40; ++i) many += fmt::format("\"k{}\":{},", i, i);
  EXPECT_TRUE(parse_json(many + "\"k40\":0}", "f"));
  for (const char* again : {"k3", "k15", "k16", "k39"})
    EXPECT_FALSE(parse_json(fmt::format("{}\"{}\":0}}", many, again), "f")) << again;
  EXPECT_NE(parse_json("{\"a\":1,\"a\":2}", "f").error().reason.find("'a' is there twice"),
            std::string::npos);
  EXPECT_NE(parse_json(std::string(100, '['), "f").error().reason.find("deeper than 64"), std::string::npos);
  EXPECT_FALSE(parse_json("\"\xff\"", "f").ok());
  EXPECT_FALSE(parse_json("1 2", "f").ok());
  EXPECT_FALSE(parse_json("99999999999999999999", "f").ok() &&
               parse_json("99999999999999999999", "f")->kind == Json::Kind::integer);
  EXPECT_EQ(tessera::to_line(Json::of(std::string("a\nb\x1b\"\\"))), R"("a\nb\u001b\"\\")");
}

std::string journal_text() {
  RunStarted started;
  started.run = "r1", started.who = "root", started.from = "login1", started.plan = some_plan();
  std::string first = started.plan.nodes[0].steps[0].id;
  NodeName node("n1");
  Chain chain;
  std::string text;
  int seq = 0;
  auto add = [&](const NodeName& about, RunEvent what) {
    text += to_line(Entry{seq + 1, at(seq), about, std::move(what)}, chain);
    ++seq;
  };
  add({}, started);
  add(node, StepBegun{first, 1, SetMark{}});
  add(node, ActionReturned{first, ""});
  add(node, StepDone{first, false});
  add(node, Parked{"paused", "n1 is open"});
  return text;
}

TEST(JournalText, IsReadBackLineByLineAndReplayed) {
  std::string text = journal_text();
  auto journal = parse_journal(text, "r1.journal");
  ASSERT_TRUE(journal.ok()) << to_line(journal.error());
  EXPECT_EQ(journal->entries.size(), 5u);
  // Commands are worked out when it is read: a plan knows the numbers of profiles, a journal their names.
  Plan known = some_plan();
  reword(known);
  EXPECT_EQ(std::get<RunStarted>(journal->entries[0].what).plan, known);
  auto run = replay(*journal);
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->nodes.at(NodeName("n1")).step(), 1u);
  EXPECT_TRUE(run->nodes.at(NodeName("n1")).stopped());
}

TEST(JournalText, ATornLastLineIsCutOffAndNothingElseIsForgiven) {
  std::string text = journal_text();
  auto torn = parse_journal(text.substr(0, text.size() - 5), "r1.journal");
  ASSERT_TRUE(torn.ok());
  EXPECT_TRUE(torn->torn);
  EXPECT_EQ(torn->entries.size(), 4u);
  EXPECT_EQ(text[torn->good_bytes - 1], '\n');
  std::string broken = text;
  broken.replace(broken.find("step-begun"), 4, "stop");
  EXPECT_NE(parse_journal(broken, "r1.journal").error().reason.find("r1.journal:2"), std::string::npos);
  std::string without_the_third = text;
  std::size_t third = text.find("{\"seq\":3");
  without_the_third.erase(third, text.find('\n', third) + 1 - third);
  EXPECT_NE(parse_journal(without_the_third, "r1.journal").error().reason.find("r1.journal:3"),
            std::string::npos);
  EXPECT_FALSE(parse_journal("", "r1.journal").ok());
}

// A bad disk, an editor, a copy that went wrong: wherever one bit differs, the line is named.
TEST(JournalText, AnySingleFlippedBitIsFoundAtItsLine) {
  const std::string text = journal_text();
  std::mt19937 random(20261123);
  for (int i = 0; i < 300; ++i) {
    std::string flipped = text;
    std::size_t at = random() % text.size();
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << random() % 8));
    auto line = static_cast<int>(1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
    auto read = parse_journal(flipped, "r1.journal");
    ASSERT_FALSE(read.ok()) << "byte " << at;
    std::string place = "r1.journal:" + std::to_string(line) + ":";
    EXPECT_NE(read.error().reason.find(place), std::string::npos) << at << ": " << read.error().reason;
  }
}

// Who can write the file can leave the digest out, too: behind a line that has one, every line has one.
TEST(JournalText, ALineWithoutItsDigestIsRefusedBehindOnesThatHaveTheirs) {
  std::string text = journal_text();
  ASSERT_TRUE(parse_journal(text, "r1.journal").ok());
  const std::size_t tie = text.rfind(",\"chain\":\"");
  ASSERT_NE(tie, std::string::npos);
  text.replace(tie, std::string::npos, "}\n");
  auto read = parse_journal(text, "r1.journal");
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().reason.find("it carries no digest"), std::string::npos) << read.error().reason;
}

TEST(JournalText, ALastLineThatWasWrittenWholeIsNotTakenForATornOne) {
  std::string text = journal_text();
  text.back() = ' ';  // its line break
  auto read = parse_journal(text, "r1.journal");
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().reason.find("its end is not as it was written"), std::string::npos);
}

// Whoever follows a journal as it grows notices a changed line as whoever reads all of it does.
TEST(JournalText, ALineThatDoesNotFollowTheOnesBeforeItIsRefused) {
  const std::string text = journal_text();
  std::size_t second = text.find('\n') + 1, third = text.find('\n', second) + 1;
  Chain chain;
  ASSERT_TRUE(parse_line(std::string_view(text).substr(0, second - 1), "r1", 1, chain).ok());
  std::string other = text.substr(second, third - second - 1);
  other.replace(other.find("\"attempt\":1"), 11, "\"attempt\":2");
  EXPECT_FALSE(parse_line(other, "r1", 2, chain).ok());
  EXPECT_TRUE(parse_line(std::string_view(text).substr(second, third - second - 1), "r1", 2, chain).ok());
}

TEST(Rollout, CanaryFirstThenBatchesAndNothingAfterAFailure) {
  RunStarted started;
  started.run = "r1";
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    NodePlan one;
    one.node = NodeName(name);
    one.steps.resize(1);
    one.steps[0].id = std::string(name) + "/1";
    started.plan.nodes.push_back(one);
  }
  started.plan.intent.options.batch = 2;
  plan::Run run = run_of(started);
  int seq = 1;
  auto tell = [&](const char* node, RunEvent event) {
    ASSERT_TRUE(note(run, Entry{++seq, at(0), NodeName(node), std::move(event)}).ok());
  };
  auto begin = [&] {
    std::string text;
    for (const NodeName& node : nodes_to_begin(run)) text += node.text;
    return text;
  };
  EXPECT_EQ(begin(), "a");
  tell("a", StepDone{"a/1", false});
  EXPECT_EQ(begin(), "");
  tell("a", NodeFinished{});
  EXPECT_EQ(begin(), "bc");
  for (const char* name : {"b", "c"}) tell(name, StepDone{std::string(name) + "/1", false});
  tell("b", NodeFinished{});
  tell("c", Parked{"in use", "c stays closed"});
  EXPECT_EQ(begin(), "");
  EXPECT_EQ(to_text(summary(run)), "2 of 5 nodes done, 1 parked (c), 2 untouched")
      << "no step of it has failed";
  tell("c", StepFailed{"c/2", "in use"});
  EXPECT_EQ(to_text(summary(run)), "2 of 5 nodes done, 1 failed (c), 2 untouched");
}

TEST(Summaries, ANodeThatWentBackAsAskedHasNotFailed) {
  Summary now;
  now.failed = now.back = {NodeName("a")};
  EXPECT_EQ(to_text(now), "a has gone back, as asked");
  now.done = {NodeName("b")};
  EXPECT_EQ(to_text(now), "1 of 2 nodes done, 1 gone back (a)");
  now.back.clear();
  EXPECT_EQ(to_text(now), "1 of 2 nodes done, 1 failed (a)") << "it went back because of a failure";
}

}  // namespace
}  // namespace tessera::test
