// A fleet file edited in place: comments, order and spelling stay, and what cannot be had is refused.
#include "engine/fleet/edit.hpp"

#include <gtest/gtest.h>

#include "engine/fleet/reader.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::fleet {
namespace {

constexpr const char* kText = R"(# Who asks: gpu-admins
pools:
- name: training   # until the course is over
  nodes: n[01-09]
  layout: none     # whole GPUs
  except:
    # Ann's
    n07: 7x1g.10gb # till March
    "n[08-09]": as-is

- {name: flow, nodes: n20, layout: none}   # one line
- name: slices
  nodes: n30
  demand: {1g.10gb: 40, 3g.40gb: 10}  # asked by Bob
  evict: requeue
)";

Result<std::string> set(std::string_view pool, std::vector<std::string> words,
                        std::string_view text = kText) {
  std::vector<Setting> settings;
  for (const std::string& word : words) {
    auto one = parse_setting(word);
    if (!one) return one.error();
    settings.push_back(*one);
  }
  return edited(text, "fleet.yaml", test::catalogue(), pool, settings);
}

std::string replaced(std::string text, const std::string& old, const std::string& now) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return at == std::string::npos ? text : text.replace(at, old.size(), now);
}
// The file with one part replaced by another.
std::string with(const std::string& old, const std::string& now) { return replaced(kText, old, now); }

std::string why(const Result<std::string>& result) {
  return result ? "it was edited: " + *result : to_line(result.error());
}

TEST(FleetEdit, AValueIsReplacedAndEverythingElseStays) {
  auto one = set("training", {"layout=7x1g.10gb"});
  ASSERT_TRUE(one) << why(one);
  EXPECT_EQ(*one, with("layout: none     # whole", "layout: 7x1g.10gb     # whole"));
  auto other = set("training", {"preset=all-balanced"});
  ASSERT_TRUE(other) << why(other);
  EXPECT_EQ(*other, with("layout: none     # whole", "preset: all-balanced     # whole"));
  auto flow = set("flow", {"layout=3g.40gb@4,2g.20gb@0"});
  ASSERT_TRUE(flow) << why(flow);
  EXPECT_EQ(*flow, with("layout: none}", "layout: '3g.40gb@4,2g.20gb@0'}"));
}

TEST(FleetEdit, DemandsAreChangedAddedAndTakenOut) {
  auto more = set("slices", {"demand.1g.10gb=50", "demand.7g.80gb=1", "demand.3g.40gb="});
  ASSERT_TRUE(more) << why(more);
  EXPECT_EQ(*more, with("{1g.10gb: 40, 3g.40gb: 10}", "{1g.10gb: 50, 7g.80gb: 1}"));
  EXPECT_NE(why(set("training", {"demand.1g.10gb=4"})).find("pool training has no demand"),
            std::string::npos);
}

TEST(FleetEdit, ExceptionsAreChangedAddedAndTakenOut) {
  auto changed = set("training", {"except.n07=as-is"});
  ASSERT_TRUE(changed) << why(changed);
  EXPECT_EQ(*changed, with("n07: 7x1g.10gb # till", "n07: as-is # till"));
  auto added = set("training", {"except.n01=empty"});
  ASSERT_TRUE(added) << why(added);
  EXPECT_EQ(*added, with("    \"n[08-09]\": as-is\n", "    \"n[08-09]\": as-is\n    n01: empty\n"));
  auto gone = set("training", {"except.n[08-09]="});
  ASSERT_TRUE(gone) << why(gone);
  EXPECT_EQ(*gone, with("    \"n[08-09]\": as-is\n", ""));
  auto kept = set("training", {"except.n07="});
  ASSERT_TRUE(kept) << why(kept);
  EXPECT_NE(kept->find("# till March"), std::string::npos)
      << "a comment outlives what it is about: " << *kept;
  auto first = set("flow", {"except.n20=as-is"});
  ASSERT_TRUE(first) << why(first);
  EXPECT_EQ(*first, with("layout: none}", "layout: none, except: {n20: as-is}}"));
  auto block = set("slices", {"except.n30=none"});
  ASSERT_TRUE(block) << why(block);
  EXPECT_EQ(*block, with("  evict: requeue\n", "  evict: requeue\n  except: {n30: none}\n"));
}

// Pools of sharing, windows and budgets, as people write them.
constexpr const char* kShared = R"(pools:
- name: inference  # Ann's
  nodes: n[1-4]
  strategy: time-slicing   # since May
  replicas: 4
  rename_shared: true
  evict: wait
- name: notebooks
  nodes: n[5-8]
  preset: all-balanced
  windows:
  - {when: holidays, layout: none}  # the site is closed
  - when: "Mon-Fri 20:00-07:00"
    layout: none       # for training
  budget:
    max_nodes_at_once: 4
    lead: "04:00"
- {name: flow, nodes: n9, layout: none, windows: [{when: daily 01:00-02:00, layout: empty}], budget: {max_nodes_at_once: 2}}
)";
std::string shared(const std::string& old, const std::string& now) { return replaced(kShared, old, now); }
void expect_shared(std::string_view pool, std::vector<std::string> words, const std::string& text) {
  const auto one = set(pool, std::move(words), kShared);
  ASSERT_TRUE(one) << why(one);
  EXPECT_EQ(*one, text);
}

TEST(FleetEdit, ASharingIsSetWithItsReplicas) {
  expect_shared("inference", {"replicas=8"}, shared("replicas: 4", "replicas: 8"));
  expect_shared("inference", {"strategy=mps", "replicas=8"},
                shared("strategy: time-slicing   # since May\n  replicas: 4",
                       "strategy: mps   # since May\n  replicas: 8"));
  expect_shared("inference", {"rename_shared="}, shared("  rename_shared: true\n", ""));
  expect_shared("inference", {"layout=none"},
                shared("strategy: time-slicing   # since May\n  replicas: 4\n  rename_shared: true\n",
                       "layout: none   # since May\n"));
  expect_shared("notebooks", {"strategy=time-slicing", "replicas=2"},
                shared("preset: all-balanced\n", "strategy: time-slicing\n  replicas: 2\n"));
  expect_shared("flow", {"strategy=mps", "replicas=4"},
                shared("layout: none, windows", "strategy: mps, replicas: 4, windows"));
  expect_shared("flow", {"layout=7x1g.10gb", "replicas=2"},
                shared("layout: none, windows", "layout: 7x1g.10gb, replicas: 2, windows"));
}

TEST(FleetEdit, ASharingWithoutItsReplicasIsRefused) {
  EXPECT_NE(why(set("notebooks", {"strategy=time-slicing"}, kShared)).find("replicas is missing"),
            std::string::npos);
  EXPECT_FALSE(set("inference", {"replicas="}, kShared));
  EXPECT_FALSE(set("inference", {"replicas=1"}, kShared));
  EXPECT_FALSE(set("notebooks", {"replicas=4"}, kShared)) << "a preset has none";
  EXPECT_FALSE(set("inference", {"rename_shared=maybe"}, kShared));
}

TEST(FleetEdit, WindowsAreChangedAddedAndTakenOut) {
  expect_shared("notebooks", {"window.Mon-Fri 20:00-07:00.layout=7x1g.10gb"},
                shared("layout: none       # for", "layout: 7x1g.10gb       # for"));
  expect_shared("notebooks", {"window.holidays.preset=all-disabled"},
                shared("{when: holidays, layout: none}", "{when: holidays, preset: all-disabled}"));
  expect_shared("notebooks", {"window.Sat,Sun.strategy=mps", "window.Sat,Sun.replicas=4"},
                shared("layout: none       # for training\n",
                       "layout: none       # for training\n"
                       "  - {when: 'Sat,Sun', strategy: mps, replicas: 4}\n"));
  expect_shared("notebooks", {"window.mon-fri 20:00-07:00.layout=none"}, kShared);
  expect_shared("flow", {"window.daily 01:00-02:00.layout=none"}, shared("layout: empty", "layout: none"));
  expect_shared("flow", {"window.Sat.layout=empty"},
                shared("layout: empty}]", "layout: empty}, {when: Sat, layout: empty}]"));
  expect_shared("flow", {"window.daily 01:00-02:00="},
                shared(", windows: [{when: daily 01:00-02:00, layout: empty}]", ""));
  expect_shared("inference", {"window.Sat.layout=none"},
                shared("  evict: wait\n", "  evict: wait\n  windows: [{when: Sat, layout: none}]\n"));
}

// It was for an editor, though the pool's own demand could be set.
TEST(FleetEdit, TheDemandOfAWindowIsChangedAddedAndTakenOut) {
  const std::string file =
      "pools:\n- name: a\n  demand: {1g.10gb: 4}\n  windows:\n"
      "  - {when: Sat, demand: {1g.10gb: 40, 3g.40gb: 2}}  # asked by Bob\n"
      "  - {when: Sun, layout: none}\n";
  const auto edit = [&](std::vector<std::string> words, const std::string& old, const std::string& now) {
    const auto one = set("a", std::move(words), file);
    ASSERT_TRUE(one) << why(one);
    EXPECT_EQ(*one, replaced(file, old, now));
  };
  edit({"window.Sat.demand.1g.10gb=8", "window.Sat.demand.3g.40gb="}, "{1g.10gb: 40, 3g.40gb: 2}",
       "{1g.10gb: 8}");
  edit({"window.Sat.demand.2g.20gb=1"}, "3g.40gb: 2}", "3g.40gb: 2, 2g.20gb: 1}");
  edit({"window.Mon.demand.1g.10gb=6"}, "layout: none}\n",
       "layout: none}\n  - {when: Mon, demand: {1g.10gb: 6}}\n");
  EXPECT_NE(
      why(set("a", {"window.Sun.demand.1g.10gb=6"}, file)).find("the window Sun of pool a has no demand"),
      std::string::npos)
      << "a layout is no demand";
  EXPECT_NE(
      why(set("a", {"window.Mon.demand.1g.10gb="}, file)).find("the window Mon of pool a has no demand"),
      std::string::npos);
  EXPECT_FALSE(set("a", {"window.Sat.demand.1g.10gb=many"}, file));
  EXPECT_FALSE(set("a", {"window.Sat.demand.1g.10gb=", "window.Sat.demand.3g.40gb="}, file)) << "of nothing";
  for (const char* word : {"window.Sat.demand.=1", "window..demand.1g.10gb=1", "window.Sat.demand=1"})
    EXPECT_FALSE(parse_setting(word)) << word;
}

TEST(FleetEdit, AWindowIsTakenOutAndItsCommentStays) {
  const auto beside = set("notebooks", {"window.holidays="}, kShared);
  ASSERT_TRUE(beside) << why(beside);
  EXPECT_EQ(*beside, shared("  - {when: holidays, layout: none}  # the site", "  # the site"));
  const std::string plain = shared("  # the site is closed", "");
  const auto one = set("notebooks", {"window.holidays="}, plain);
  ASSERT_TRUE(one) << why(one);
  EXPECT_EQ(*one, replaced(plain, "  - {when: holidays, layout: none}\n", ""));
  const std::string last = replaced(*one, "       # for training", "");
  EXPECT_NE(why(set("notebooks", {"window.Mon-Fri 20:00-07:00="}, last)).find("lead belongs to windows"),
            std::string::npos)
      << "the budget speaks of them";
  const auto none = set("notebooks", {"budget.lead=", "window.Mon-Fri 20:00-07:00="}, last);
  ASSERT_TRUE(none) << why(none);
  EXPECT_EQ(none->find("windows:\n"), std::string::npos) << *none;
}

TEST(FleetEdit, BudgetsAreChangedAddedAndTakenOut) {
  expect_shared("notebooks", {"budget.max_nodes_at_once=8"},
                shared("max_nodes_at_once: 4", "max_nodes_at_once: 8"));
  expect_shared("notebooks", {"budget.not_after=06:00"},
                shared("    lead: \"04:00\"\n", "    lead: \"04:00\"\n    not_after: '06:00'\n"));
  expect_shared("notebooks", {"budget.lead="}, shared("    lead: \"04:00\"\n", ""));
  expect_shared("notebooks", {"budget.lead=", "budget.max_nodes_at_once="},
                shared("  budget:\n    max_nodes_at_once: 4\n    lead: \"04:00\"\n", ""));
  expect_shared("inference", {"budget.max_disturbed=0"},
                shared("  evict: wait\n", "  evict: wait\n  budget: {max_disturbed: 0}\n"));
  expect_shared("flow", {"budget.max_nodes_at_once="}, shared(", budget: {max_nodes_at_once: 2}", ""));
}

TEST(FleetEdit, AWindowOrABudgetThatTheFileCannotHaveIsRefused) {
  EXPECT_NE(why(set("inference", {"budget.lead=04:00"}, kShared)).find("lead belongs to windows"),
            std::string::npos);
  EXPECT_NE(why(set("inference", {"budget.lead="}, kShared)).find("the budget of pool inference has no lead"),
            std::string::npos);
  EXPECT_FALSE(set("notebooks", {"budget.max_nodes_at_once=0"}, kShared));
  EXPECT_FALSE(set("notebooks", {"budget.not_after=25:00"}, kShared));
  EXPECT_FALSE(set("notebooks", {"window.Someday.layout=none"}, kShared));
  EXPECT_NE(why(set("notebooks", {"window.Sun="}, kShared)).find("has no window Sun"), std::string::npos);
  EXPECT_FALSE(set("notebooks", {"window.holidays.layout=none, evict: cancel"}, kShared));
  for (const char* word : {"budget.evict=cancel", "budget.=1", "window.=", "window.Sat=none", "strategy=",
                           "window.Sat.evict=cancel", "window.Sat.layout=", "window..layout=none"})
    EXPECT_FALSE(parse_setting(word)) << word;
}

TEST(FleetEdit, WhatTheFileSaysAlreadyChangesNoByte) {
  auto same = set("training", {"layout=none", "except.n07=7x1g.10gb"});
  ASSERT_TRUE(same) << why(same);
  EXPECT_EQ(*same, kText);
}

TEST(FleetEdit, WhatIsNoValueOrHasNoPlaceIsRefusedWithAReason) {
  EXPECT_NE(why(set("nobody", {"layout=none"})).find("fleet.yaml has no pool nobody"), std::string::npos);
  EXPECT_NE(why(set("nobody", {"layout=none"})).find("training, flow, slices"), std::string::npos);
  EXPECT_FALSE(set("training", {"layout=8xhalf"}));
  EXPECT_FALSE(set("training", {"layout=none\n  evict: cancel"}));
  EXPECT_FALSE(set("training", {"layout=none}]}"}));
  EXPECT_FALSE(set("slices", {"demand.1g.10gb=-1"}));
  EXPECT_FALSE(set("slices", {"demand.1g.10gb=many"}));
  EXPECT_FALSE(set("training", {"except.n08=none"})) << "n[08-09] has it";
  EXPECT_FALSE(set("training", {"except.n99="}));
  EXPECT_FALSE(set("flow", {"layout=none"}, "pools: 1"));
  for (const char* word : {"layout", "layout=", "evict=cancel", "demand.=1", "except.=none", "=1"})
    EXPECT_FALSE(parse_setting(word)) << word;
  // A rule of several keys is a person's to edit.
  const auto gpus = set("a", {"layout=none"}, "pools: [{name: a, gpus: {0: none}}]");
  EXPECT_NE(why(gpus).find("cannot be edited here"), std::string::npos) << why(gpus);
}

struct Comments {
  const char* name;
  std::string pool;  // what stands below its name
  std::vector<std::string> words;
  std::string now;
};

TEST(FleetEdit, CommentsBesideWhatGoesStayWhereTheyWere) {
  const Comments cases[] = {
      {"the last exception, with its key",
       "  except:   # loaned\n    # for Ann\n    n1: as-is  # one\n  evict: wait\n",
       {"except.n1="},
       "  # loaned\n    # for Ann\n    # one\n  evict: wait\n"},
      {"one of several",
       "  except:\n    n1: as-is  # one\n    n2: none\n",
       {"except.n1="},
       "  except:\n    # one\n    n2: none\n"},
      {"between brackets",
       "  except: {n1: as-is, # one\n    n2: none, # two\n    n3: empty # three\n  }\n",
       {"except.n2=", "except.n1="},
       "  except: { # one\n    # two\n    n3: empty # three\n  }\n"},
      {"the last one between brackets",
       "  except: {n1: as-is # one\n  }\n  evict: wait\n",
       {"except.n1="},
       "  # one\n  evict: wait\n"},
      {"an exception by GPUs",
       "  except:\n    n1:  # two kinds\n      0-3: none # a\n    n2: none\n",
       {"except.n1="},
       "  except:\n    # two kinds\n      # a\n    n2: none\n"},
      {"a window of several lines",
       "  windows:\n  - {when: Sun, layout: empty}  # rest\n  - when: Sat  # free\n    # small\n    layout: "
       "empty  # all\n",
       {"window.Sat="},
       "  windows:\n  - {when: Sun, layout: empty}  # rest\n  # free\n    # small\n    # all\n"},
      {"a window between brackets over two lines",
       "  windows: [{when: Sat, # free\n    layout: empty}, {when: Sun, layout: empty}]\n",
       {"window.Sat="},
       "  windows: [ # free\n{when: Sun, layout: empty}]\n"},
      {"the budget",
       "  budget:  # careful\n    max_nodes_at_once: 2  # two\n",
       {"budget.max_nodes_at_once="},
       "  # careful\n    # two\n"},
      {"behind a tab",
       "  except:\n    n1:\tas-is\t# one\n    n2: none\t# two\n",
       {"except.n2=empty", "except.n1="},
       "  except:\n    # one\n    n2: empty\t# two\n"},
      {"with the key's name in it",
       "  except:\n    # the except of n1\n    n1: as-is\n",
       {"except.n1="},
       "    # the except of n1\n"},
      {"a sign that opens no comment",
       "  except:\n    'n1': \"as-is\"  # it's \"n1\"\n    n2: none\n",
       {"except.n1="},
       "  except:\n    # it's \"n1\"\n    n2: none\n"},
      {"a dash and a quote within a value",
       "  feature: a - 'b # old\n  except:\n    n1: as-is # till May\n    n2: none\n",
       {"except.n1="},
       "  feature: a - 'b # old\n  except:\n    # till May\n    n2: none\n"},
      {"no entry yet",
       "  except: {} # none so far\n",
       {"except.n1=as-is"},
       "  except: {n1: as-is} # none so far\n"},
  };
  for (const Comments& one : cases) {
    const std::string head = "# ours\npools:\n- name: p # first\n  layout: none # whole\n";
    auto now = set("p", one.words, head + one.pool);
    ASSERT_TRUE(now) << one.name << ": " << why(now);
    EXPECT_EQ(*now, head + one.now) << one.name;
  }
}

TEST(FleetEdit, AFirstFieldBehindItsDashCanGo) {
  auto now = set("p", {"replicas="}, "pools:\n- replicas: 2 # two\n  layout: 7x1g.10gb\n  name: p\n");
  ASSERT_TRUE(now) << why(now);
  EXPECT_EQ(*now, "pools:\n- # two\n  layout: 7x1g.10gb\n  name: p\n");
}

TEST(FleetEdit, ALineThatIsAddedEndsAsTheOthersDo) {
  const std::string text = "pools:\r\n- name: p\r\n  layout: none # whole\r\n  except:\r\n    n1: as-is\r\n";
  auto now = set("p", {"except.n2=none", "budget.max_nodes_at_once=2"}, text);
  ASSERT_TRUE(now) << why(now);
  EXPECT_EQ(*now,
            "pools:\r\n- name: p\r\n  layout: none # whole\r\n  budget: {max_nodes_at_once: 2}\r\n"
            "  except:\r\n    n1: as-is\r\n    n2: none\r\n");
}

TEST(FleetEdit, WhatCannotBeEditedIsNamedByItsOwnLine) {
  const std::string text = "pools:\n- name: p\n  layout: none\n  except:\n    n1: {0-3: none}\n";
  const std::string said = why(set("p", {"except.n1=none"}, text));
  EXPECT_NE(said.find("fleet.yaml:5: except.n1 of pool p"), std::string::npos) << said;
}

}  // namespace
}  // namespace tessera::fleet
