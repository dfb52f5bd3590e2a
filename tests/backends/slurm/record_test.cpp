#include "backends/slurm/parse/record.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace tessera::slurm {
namespace record_test {

enum { kName, kOs, kState, kReason, kComment, kJob };
constexpr Key kKeys[] = {
    {"NodeName=", kName},
    {"State=", kState},
    {"Reason=", kReason, Ends::before_next_key},
    {"Comment=", kComment, Ends::before_next_key, true},
    {"JobName=", kJob, Ends::before_partner, false, "State="},
};

std::map<int, std::string> split(std::string_view record) {
  const Schema schema{kKeys};
  std::map<int, std::string> fields;
  for (Fields each(record, schema); each.next();) fields[each.id()] = each.value();
  return fields;
}

TEST(SlurmRecord, TakesWantedFieldsAndPassesOverTheRest) {
  auto fields = split("NodeName=gpu01 Arch=x86_64  OS=Linux 6.1 #1 SMP @0  State=IDLE+DRAIN Weight=1 ");
  EXPECT_EQ(fields.size(), 2u);
  EXPECT_EQ(fields[kName], "gpu01");
  EXPECT_EQ(fields[kState], "IDLE+DRAIN");
}

TEST(SlurmRecord, FreeTextRunsToAKeyThatMayFollowIt) {
  auto fields = split("State=DOWN Reason=a b = c State=UP x=y Comment=it's | fine ");
  EXPECT_EQ(fields[kState], "DOWN");
  EXPECT_EQ(fields[kReason], "a b = c State=UP x=y");
  EXPECT_EQ(fields[kComment], "it's | fine ");
}

TEST(SlurmRecord, ATextWithAPartnerEndsOnlyThere) {
  auto fields = split("JobName=x Comment=no NodeName=no  State=RUNNING");
  EXPECT_EQ(fields[kJob], "x Comment=no NodeName=no ");
  EXPECT_EQ(fields[kState], "RUNNING");
  EXPECT_EQ(fields.count(kComment), 0u);
}

TEST(SlurmRecord, OddRecordsGiveWhatThereIs) {
  EXPECT_TRUE(split("").empty());
  EXPECT_TRUE(split("     ").empty());
  EXPECT_TRUE(split("= == =x NodeName").empty());
  EXPECT_EQ(split("NodeName=")[kName], "");
  EXPECT_EQ(split("Reason=")[kReason], "");
  EXPECT_EQ(split("Reason= Comment=")[kReason], "");
}

TEST(SlurmRecord, ALineBreakInATextDoesNotEndItsRecord) {
  Records records("junk\nNodeName=a State=UP Comment=x\ny NodeName=no\r\nNodeName=b\n\n\nNodeName=c",
                  [](std::string_view line) { return line.starts_with("NodeName="); });
  ASSERT_TRUE(records.next());
  EXPECT_FALSE(records.led());
  EXPECT_EQ(records.line(), 1);
  ASSERT_TRUE(records.next());
  EXPECT_EQ(records.record(), "NodeName=a State=UP Comment=x\ny NodeName=no");
  EXPECT_EQ(records.line(), 2);
  ASSERT_TRUE(records.next());
  EXPECT_EQ(records.record(), "NodeName=b");
  EXPECT_EQ(records.line(), 4);
  ASSERT_TRUE(records.next());
  EXPECT_EQ(records.record(), "NodeName=c");
  EXPECT_EQ(records.line(), 7);
  EXPECT_FALSE(records.next());
}

}  // namespace record_test
}  // namespace tessera::slurm
