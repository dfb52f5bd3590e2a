#include "engine/hostlist.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tessera {
namespace {

using Names = std::vector<std::string>;

Names hosts(std::string_view list) {
  auto names = expand_hosts(list);
  EXPECT_TRUE(names) << list << ": " << to_line(names.error());
  return names ? *names : Names{};
}

TEST(Hostlist, UnfoldsRangesAndKeepsLeadingZeros) {
  EXPECT_EQ(hosts("gpu01"), (Names{"gpu01"}));
  EXPECT_EQ(hosts("gpu[01-02],mig01"), (Names{"gpu01", "gpu02", "mig01"}));
  EXPECT_EQ(hosts("n[8-11]"), (Names{"n8", "n9", "n10", "n11"}));
  EXPECT_EQ(hosts("n[098-101]"), (Names{"n098", "n099", "n100", "n101"}));
  EXPECT_EQ(hosts("n[1,3,5-6]-ib"), (Names{"n1-ib", "n3-ib", "n5-ib", "n6-ib"}));
  EXPECT_EQ(hosts("r[1-2]n[1-2],x"), (Names{"r1n1", "r1n2", "r2n1", "r2n2", "x"}));
  EXPECT_EQ(hosts(""), Names{});
  EXPECT_EQ(hosts("a,,b,"), (Names{"a", "b"}));
}

TEST(Hostlist, RefusesWhatIsNoneInsteadOfGuessing) {
  for (std::string_view list :
       {"n[1-2", "n[2-1]", "n[a]", "n[]", "n[1-]", "n[-1]", "n[1,,2]", "a]b[1", "n[1-99999999999999999999]"})
    EXPECT_FALSE(expand_hosts(list)) << list;
}

TEST(Hostlist, AFewBytesCannotFillTheMemory) {
  EXPECT_FALSE(expand_hosts("n[1-100001]"));
  EXPECT_FALSE(expand_hosts("n[1-4000000000]"));
  EXPECT_FALSE(expand_hosts("a[1-1000]b[1-1000]c[1-1000]"));
  EXPECT_FALSE(expand_hosts("a[1-60000],b[1-60000]"));
  EXPECT_FALSE(expand_hosts(std::string(1000, 'x') + "[1-100000]"));
  EXPECT_EQ(hosts("n[1-100000]").size(), 100000u);
  // Names grow with each bracket and with leading zeros: the grown name is what must be short.
  EXPECT_FALSE(expand_hosts("n[" + std::string(200, '0') + "1-100000]"));
  std::string grows;
  for (int i = 0; i < 300; ++i) grows += "x[1]";
  EXPECT_FALSE(expand_hosts(grows));
  EXPECT_EQ(hosts("n[00000000000000000001]"), Names{"n00000000000000000001"});
}

TEST(Hostlist, TheCallerMayWantFewer) {
  EXPECT_EQ(expand_hosts("n[1-3],m", 4)->size(), 4u);
  EXPECT_FALSE(expand_hosts("n[1-3],m", 3));
  EXPECT_FALSE(expand_hosts("n", 0));
  EXPECT_TRUE(expand_hosts("", 0));
}

TEST(Hostlist, NumbersComeWithALimit) {
  EXPECT_EQ(expand_numbers("0,2-4", 10), (std::vector{0, 2, 3, 4}));
  EXPECT_EQ(expand_numbers("0-9", 10)->size(), 10u);
  EXPECT_EQ(expand_numbers("0-10", 10), std::nullopt);
  EXPECT_EQ(expand_numbers("0-9,10", 10), std::nullopt);
  EXPECT_EQ(expand_numbers("", 10), std::nullopt);
  EXPECT_EQ(expand_numbers("1-4294967299", 10), std::nullopt);
}

TEST(Hostlist, FoldsAsSlurmDoes) {
  // Left: names; right: what `scontrol show hostlist` 22.05 said.
  const std::pair<Names, const char*> kSaid[] = {
      {{"n1", "n2", "n3"}, "n[1-3]"},
      {{"n2", "n1"}, "n[2,1]"},
      {{"n1", "n1", "n2"}, "n[1,1-2]"},
      {{"n01", "n2", "n03"}, "n[01,2,03]"},
      {{"n9", "n10", "n11"}, "n[9-11]"},
      {{"n09", "n10"}, "n[09-10]"},
      {{"n0", "n00"}, "n[0,00]"},
      {{"a", "b", "a"}, "a,b,a"},
      {{"n1-ib", "n2-ib"}, "n1-ib,n2-ib"},
      {{"r1n1", "r1n2", "r2n1"}, "r1n[1-2],r2n1"},
      {{"x1", "y1", "x2"}, "x1,y1,x2"},
      {{"1", "2", "3"}, "[1-3]"},
      {{"n1", "n2", "x", "n3"}, "n[1-2],x,n3"},
      {{"n998", "n999", "n1000"}, "n[998-1000]"},
      {{"n0998", "n0999", "n1000"}, "n[0998-1000]"},
      {{"n", "n1", "n2"}, "n,n[1-2]"},
      {{"10.0.0.1", "10.0.0.2"}, "10.0.0.[1-2]"},
      {{}, ""},
  };
  for (const auto& [names, said] : kSaid) {
    EXPECT_EQ(fold_hosts(names), said);
    EXPECT_EQ(hosts(said), names);
  }
}

// An API server lists n10 before n2.
TEST(Hostlist, ForReadingNamesAreInTheOrderOfTheirNumbers) {
  EXPECT_EQ(fold_for_reading({"n1", "n10", "n11", "n2", "n3"}), "n[1-3,10-11]");
  EXPECT_EQ(fold_for_reading({"rack10-n1", "rack2-n1"}), "rack2-n1,rack10-n1");
  EXPECT_EQ(fold_for_reading({"n2", "login", "n1"}), "login,n[1-2]");
  EXPECT_EQ(fold_for_reading({}), "");
}

TEST(Hostlist, WhatIsRefusedReachesTheTerminalWithoutControlCharacters) {
  const auto refused = expand_hosts("n[1-2\x1b[2J");
  ASSERT_FALSE(refused);
  EXPECT_EQ(to_line(refused.error()).find('\x1b'), std::string::npos);
}

RC_GTEST_PROP(Hostlist, WhatIsFoldedUnfolds, ()) {
  auto start = rc::gen::element<std::string>("n", "gpu", "", "r1-", "a0b");
  auto tail =
      rc::gen::element<std::string>("", "0", "1", "2", "3", "9", "10", "11", "01", "02", "09", "099", "100",
                                    "1000000000000000001", "1000000000000000002", "9999999999999999999");
  Names names;
  for (const auto& [head, end] :
       *rc::gen::container<std::vector<std::pair<std::string, std::string>>>(rc::gen::pair(start, tail)))
    if (!head.empty() || !end.empty()) names.push_back(head + end);
  auto unfolded = expand_hosts(fold_hosts(names));
  RC_ASSERT(unfolded.ok());
  RC_ASSERT(*unfolded == names);
}

}  // namespace
}  // namespace tessera
