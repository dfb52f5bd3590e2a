// Of which times nothing is recorded, in words: the longest one, and what it does not speak of.
#include "tui/gap_words.hpp"

#include <gtest/gtest.h>

#include "engine/time.hpp"
#include "tests/support/build.hpp"

namespace tessera::tui {
namespace {

using record::Stop;
using test::at;

bool says(const usage::Gaps& gaps, const std::string& text) {
  return gap_words(nullptr, gaps, utc_text, at(0)).find(text) != std::string::npos;
}

TEST(GapWords, ALongOutageDoesNotHideWhatIsDamaged) {
  usage::Gaps gaps;
  EXPECT_EQ(gap_words(nullptr, gaps, utc_text, at(0)), "");
  gaps.add(at(0), at(7'200), Stop::damaged);
  EXPECT_TRUE(says(gaps, "2.0 h: what was recorded there is damaged"))
      << gap_words(nullptr, gaps, utc_text, at(0));
  EXPECT_FALSE(says(gaps, "places of it")) << "that is it";
  gaps.add(at(10'000), at(99'000), Stop::ended);
  EXPECT_TRUE(says(gaps, "the recorder was ended there")) << gap_words(nullptr, gaps, utc_text, at(0));
  EXPECT_TRUE(says(gaps, "places of it that are damaged: 1")) << gap_words(nullptr, gaps, utc_text, at(0));
}

TEST(GapWords, DamageAtTheEndHasNoLengthAndIsTold) {
  usage::Gaps gaps;
  gaps.damaged = 1;
  EXPECT_TRUE(gap_words(nullptr, gaps, utc_text, at(0)).starts_with("places of it that are damaged: 1"));
}

TEST(GapWords, AClockThatWasSetBackIsTold) {
  usage::Gaps gaps;
  gaps.add(at(0), at(60), Stop::set_back);
  EXPECT_TRUE(says(gaps, "the recorder's clock was set back there"))
      << gap_words(nullptr, gaps, utc_text, at(0));
  gaps.add(at(100), at(9'000), Stop::cut);
  EXPECT_TRUE(says(gaps, "times that the recorder's clock was set back: 1"))
      << gap_words(nullptr, gaps, utc_text, at(0));
}

TEST(GapWords, WhatASchedulerDidNotTellAndWhatIsOldAreTold) {
  usage::Gaps gaps;
  gaps.untold = Duration(9'000'000);
  gaps.newest[ClusterName("hpc")] = {at(0), Duration(600'000)};
  gaps.newest[ClusterName("lab")] = {at(172'000), Duration(600'000)};
  EXPECT_EQ(gap_words(nullptr, gaps, utc_text, at(172'800)),
            "the scheduler did not tell who holds what for 2.5 h of it, which do not count; hpc: its newest "
            "round is 2 d 00 h old; lab: its newest round is 13 min old");
}

// As `pack --for-history` lists it: no sentence is put together there, so that each can be translated.
TEST(GapWords, AListHasEachOfItsSentencesByItself) {
  usage::Gaps gaps;
  EXPECT_TRUE(gap_sentences(gaps, utc_text, at(0)).empty());
  gaps.add(at(0), at(7'200), Stop::ended);
  gaps.damaged = 2;
  EXPECT_EQ(gap_sentences(gaps, utc_text, at(0)),
            (std::vector<std::string>{
                "nothing is recorded from " + utc_text(at(0)) + " to " + utc_text(at(7'200)) + ", 2.0 h",
                "the recorder was ended there",
                "places of it that are damaged: 2 (tessera record list names the files)"}));
}

}  // namespace
}  // namespace tessera::tui
