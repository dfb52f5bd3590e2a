// What is said of a fleet file's pools, in Japanese.
#include <gtest/gtest.h>

#include <string>

#include "tui/language/words.hpp"

namespace tessera::tui {
namespace {

// Where one ended with another clause, or named jobs with commas, all of it stayed English.
TEST(JapaneseFleet, WhatIsSaidOfAPoolIsToldToItsEnd) {
  const auto words = Words::of(Language::ja);
  ASSERT_TRUE(words);
  const std::string disturbs =
      "its change would evict more jobs or pods (7) than max_disturbed allows (1): 88142 (erin) until Mon "
      "2026-11-23 22:10 UTC; without a known end: 88150, training/job-1 (bob), +4";
  const std::string
      fits = ". By their time limits it fits from Tue 2026-11-24 02:00 UTC on; or raise max_disturbed to 7",
      over =
          ". By their time limits it does not fit before its phase ends at Mon 2026-11-23 05:00 UTC: raise "
          "max_disturbed to 7",
      raise = ". Raise max_disturbed to 7, or wait until they end";
  for (const std::string& english :
       {disturbs + fits,
        disturbs + raise,
        disturbs + over,
        "fleet run skips it: " + disturbs + over,
        "fleet run skips it: " + disturbs + fits,
        "fleet run skips it: " + disturbs + raise,
        std::string(
            "fleet run skips it: by not_after a change may begin until Fri 2027-01-15 07:30 UTC only. A "
            "later not_after lets it begin, and tessera fleet apply begins it now"),
        std::string(
            "fleet run begins no other node of it: runs that have not ended may have 2 of its nodes under "
            "way (of n[1-4]), and max_nodes_at_once is 2. It goes on once one of them is done; tessera "
            "journal shows the runs"),
        std::string("fleet run begins nothing: line 2: pool a names no cluster, and there are several"),
        std::string("its demand has no node: every node that it takes is an exception"),
        std::string("hpc lists no such node: n98, n99"),
        std::string("hpc lists no such node, which an exception names: n98, n99 and 4 more"),
        std::string(
            "fleet run changes no node that another keeps closed, until it is opened: n2 (ops: RMA 4711)"),
        std::string(
            "by the time limits of their workloads these nodes are not empty before its phase ends at Fri "
            "2027-01-15 10:00 UTC: n1 (Fri 2027-01-15 12:00)"),
        std::string("its window Sat (line 7) is impossible on n[1-2]: cannot plan GPU 0"),
        std::string("its own rule (line 7) is impossible on n[1-2]: cannot plan GPU 0"),
        std::string("it rules no node: none meets its conditions that no pool above takes"),
        std::string("its window Sat,Sun (line 7) never holds: the file lists no holidays"),
        std::string(
            "its window daily (line 7) never holds: the window above it in line 6 holds at all of its times"),
        std::string(
            "its window daily (line 7) never holds: windows above it hold at all of its times: lines 5, 6"),
        std::string("whether it has its instances is not known: not every node could be read"),
        std::string("fleet run is paused for this file since 2027-01-15T07:00:00Z by bob"),
        std::string("fleet run is paused for this file; since when and by whom cannot be read"),
        std::string("ask why first; tessera fleet unpause /etc/tessera/fleet.yaml lifts the pause"),
        std::string(
            "fleet run begins nothing and its runs rest until the pause is lifted: windows open and close "
            "without it"),
        std::string("nodes of the pool stay as they are"),
        std::string("fleet run changes no node until the file is corrected"),
        std::string("tessera fleet check /etc/tessera/fleet.yaml lists its nodes; line 12 of the file has "
                    "the pool")}) {
    const Words::Told told = (*words)->tell(english);
    EXPECT_TRUE(told.whole) << english << "\n" << told.text;
    for (const char* left :
         {"fleet run begins", "skips", "would", "Raise", "raise", "the ", " is ", " nodes"})
      EXPECT_EQ(told.text.find(left), std::string::npos) << left << "\n" << told.text;
  }
}

}  // namespace
}  // namespace tessera::tui
