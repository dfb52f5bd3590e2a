// `tessera plan` by the real binary: what it promises, in which form, and what it refuses.
#include "tests/e2e/change_lab.hpp"

namespace tessera::test {
namespace {

class PlanLab : public ChangeLab {};

TEST_F(PlanLab, TellsWhatStaysGoesAndIsMade) {
  Ran ran =
      must({"plan", "--node", "n1", "--gpu", "0", "--layout", "2g.20gb@0,1g.10gb@2,1g.10gb@3,1g.10gb@4"});
  EXPECT_EQ(ran.err, "");
  for (const char* part : {"plan p-", "stays", "goes", "is made", "No workload is disturbed", "RESOURCES",
                           "STEPS", "$ nvidia-smi", "tessera apply plan.json --write"})
    EXPECT_TRUE(has(ran.out, part)) << part << "\n" << ran.out;
}

TEST_F(PlanLab, NamesWhoIsDisturbedAndWhatBecomesOfThem) {
  Ran ran = must({"plan", "-n", "n2", "--layout", "7g.80gb", "--way", "requeue"});
  EXPECT_TRUE(has(ran.out, "alice")) << ran.out;
  EXPECT_TRUE(has(ran.out, "requeues")) << ran.out;
  EXPECT_TRUE(has(ran.out, "no-restart")) << ran.out;
  Ran cancel = must({"plan", "-n", "n2", "--layout", "none", "--way", "cancel"});
  EXPECT_TRUE(has(cancel.out, "WILL END")) << cancel.out;
  Ran texts = must({"plan", "-n", "n2", "--layout", "none", "--messages"});
  EXPECT_TRUE(has(texts.out, "--- to alice\n")) << texts.out;
  EXPECT_TRUE(has(texts.out, "--- to bob\n")) << texts.out;
  Ran list = must({"plan", "-n", "n2", "--layout", "none", "--messages", "-o", "json"});
  EXPECT_EQ(text_at(list.out, "/0/user"), "alice") << list.out;
  EXPECT_EQ(text_at(list.out, "/1/user"), "bob") << list.out;
  EXPECT_TRUE(has(text_at(list.out, "/1/text"), "n2")) << list.out;
}

TEST_F(PlanLab, FitsEightyColumnsButForCommands) {
  Ran ran = must({"plan", "-n", "n[1-3]", "--layout", "2x1g.10gb,2g.20gb,3g.40gb"});
  std::size_t start = 0;
  for (std::size_t end; (end = ran.out.find('\n', start)) != std::string::npos; start = end + 1) {
    std::string line = ran.out.substr(start, end - start);
    auto letters = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; });
    EXPECT_TRUE(letters <= 80 || has(line, " $ ")) << line;
  }
  for (char c : must({"plan", "-n", "n1", "--strategy", "mps", "--ascii"}).out)
    EXPECT_TRUE(static_cast<unsigned char>(c) < 0x80);
}

TEST_F(PlanLab, PrintsThePromisedJsonAndTheSameInYaml) {
  Words words{"plan", "-n", "n2", "--layout", "1g.10gb@0,1g.10gb@3", "--when-empty", "--at", "+2h"};
  Words json = words, yaml = words;
  json.insert(json.end(), {"-o", "json"});
  yaml.insert(yaml.end(), {"-o", "yaml"});
  Ran ran = must(json);
  EXPECT_EQ(check_schema(schema_text("plan"), ran.out), Words{});
  EXPECT_EQ(difference(ran.out, must(yaml).out), "");
  EXPECT_EQ(text_at(ran.out, "/blast_radius/0/slice"), "GPU 0 1g.10gb@1");
  EXPECT_EQ(json_at(ran.out, "/needs/drain"), "true");
  EXPECT_EQ(json_at(ran.out, "/resources/before/gpu:1g.10gb"), "7");
  EXPECT_EQ(json_at(ran.out, "/resources/after/gpu:1g.10gb"), "2");
  EXPECT_EQ(text_at(ran.out, "/intent/options/at"), "2026-03-02T11:00:00.000Z");
}

TEST_F(PlanLab, NodesGoByNameRangeOrFilter) {
  for (const char* nodes : {"n1,n3", "n[1,3]", "node=n1 | node=n3"}) {
    Ran ran = must({"plan", "-n", nodes, "--layout", "7g.80gb", "-o", "json"});
    EXPECT_EQ(text_at(ran.out, "/intent/nodes/0"), "n1") << nodes;
    EXPECT_EQ(text_at(ran.out, "/intent/nodes/1"), "n3") << nodes;
    EXPECT_EQ(json_at(ran.out, "/intent/nodes/2"), "missing") << nodes;
  }
}

TEST_F(PlanLab, SaysSoWhenNothingIsToBeDone) {
  Ran ran = must({"plan", "-n", "n3", "--layout", "none"});
  EXPECT_TRUE(has(ran.out, "already in that state")) << ran.out;
}

TEST_F(PlanLab, AWishThatCannotBeIsAFinding) {
  Ran ran = run({"plan", "-n", "n1", "--layout", "4g.40gb,4g.40gb"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(has(ran.err, "n1")) << ran.err;
  EXPECT_EQ(run({"plan", "-n", "state:nothing", "--layout", "none"}).code, 1);
  EXPECT_EQ(run({"guide", "-n", "state:nothing"}).code, 1);
}

// A node did, a GPU and a preset ended as findings.
TEST_F(PlanLab, WhatIsNamedAndIsNotThereIsWrongUsage) {
  EXPECT_EQ(run({"plan", "-n", "n1", "--gpu", "7", "--layout", "none"}).code, 2);
  EXPECT_EQ(run({"plan", "-n", "n1", "--preset", "all-9g.90gb"}).code, 2);
  EXPECT_EQ(run({"plan", "-n", "n9", "--layout", "none"}).code, 2);
  EXPECT_EQ(run({"guide", "-n", "n9"}).code, 2);
}

TEST_F(PlanLab, SlipsAreUsageErrorsWithAHint) {
  struct Slip {
    Words words;
    std::string hint;
  };
  for (const Slip& slip : {Slip{{"--layout", "none"}, "--node"}, Slip{{"-n", "n1"}, "--layout"},
                           Slip{{"-n", "n1", "--layout", "none", "--preset", "all-balanced"}, "exclude"},
                           Slip{{"-n", "n1x", "--layout", "none"}, "did you mean n1"},
                           Slip{{"-n", "n1", "--layout", "9x"}, "3g.40gb@4"},
                           Slip{{"-n", "n1", "--strategy", "shard"}, "--replicas"},
                           Slip{{"-n", "n1", "--strategy", "mps", "--replicas", "4"}, "leave --replicas out"},
                           Slip{{"-n", "n1", "--strategy", "mig"}, "--layout"},
                           Slip{{"-n", "n1", "--strategy", "vgpu"}, "--vgpu"},
                           Slip{{"-n", "n1", "--layout", "none", "--way", "kill"}, "requeue"},
                           Slip{{"-n", "n1", "--layout", "none", "--at", "teatime"}, "2026-11-21T22:00Z"},
                           Slip{{"-n", "n1", "--layout", "none", "--at", "2020-01-01T00:00Z"}, "to come"},
                           Slip{{"-n", "n1", "--layout", "none", "--batch", "0"}, "from 1"},
                           Slip{{"-n", "n1", "--layout", "none", "-o", "csv"}, "table, json or yaml"},
                           Slip{{"-n", "n1", "--gpu", "one", "--layout", "none"}, "0,2-3"}}) {
    Words words = slip.words;
    words.insert(words.begin(), "plan");
    Ran ran = run(words);
    EXPECT_EQ(ran.code, 2) << slip.hint << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_TRUE(has(ran.err, slip.hint)) << ran.err;
  }
}

}  // namespace
}  // namespace tessera::test
