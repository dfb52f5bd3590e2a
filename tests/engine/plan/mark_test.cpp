// How a run signs what it closes, so that it and its colleagues find that again.
#include <gtest/gtest.h>

#include "engine/plan/facts.hpp"

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

}  // namespace
}  // namespace tessera::test
