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

// The file with one part replaced by another.
std::string with(const std::string& old, const std::string& now) {
  std::string text = kText;
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), now);
}

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

}  // namespace
}  // namespace tessera::fleet
