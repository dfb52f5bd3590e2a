// How a run signs what it closes, so that it and its colleagues find that again.
#include <gtest/gtest.h>

#include "engine/plan/condition.hpp"
#include "engine/plan/facts.hpp"
#include "tests/engine/plan/boards.hpp"

namespace tessera::test {
namespace {

using namespace plan;

RunMark mark_of(std::string who) { return {"20261121-1403-n0031", std::move(who), "login1.example", {}}; }

TEST(Mark, IsFoundAgainInFreeText) {
  std::optional<RunMark> found = parse_mark(to_text(mark_of("alice")) + ": cut anew");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, mark_of("alice"));
}

TEST(Mark, OfAUserOfADomainIsFoundAgain) {
  for (const char* who : {"CORP\\alice", "alice@corp.example", "alice smith", ""}) {
    std::optional<RunMark> found = parse_mark(to_text(mark_of(who)) + ": cut anew");
    ASSERT_TRUE(found) << who;
    EXPECT_EQ(found->run, "20261121-1403-n0031");
    EXPECT_EQ(found->from, "login1.example");
  }
}

TEST(Mark, IsNotSeenInWhatOthersWrite) {
  for (const char* text :
       {"", "tessera", "tessera r1", "tessera r1 alice", "fan failure", "tessera  alice@login1"})
    EXPECT_FALSE(parse_mark(text)) << text;
}

// A look that the driver did not answer lists GPUs without instances: none there is not none left.
TEST(Conditions, InstancesThatAreNotReportedAreNeitherGoneNorAsWanted) {
  NodeFacts facts;
  facts.node = node("n1", {uncut(0, 0)});
  const InstanceAt one{ProfileName("1g.10gb"), Placement{0, 1}, std::nullopt};
  const Condition gone = InstancesGone{GpuIndex{0}, {one}}, bare = LayoutIs{GpuIndex{0}, {}, true};
  EXPECT_FALSE(unmet(gone, facts, "r1"));
  EXPECT_FALSE(unmet(bare, facts, "r1"));
  facts.words["driver"] = "its boards are not known";
  EXPECT_EQ(unmet(gone, facts, "r1"), "its boards are not known");
  EXPECT_EQ(unmet(bare, facts, "r1"), "its boards are not known");
}

}  // namespace
}  // namespace tessera::test
