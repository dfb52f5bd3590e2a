// What commands tell of a moment of the past: the moment itself, or that nothing is recorded of it.
#include "engine/record/stood.hpp"

#include <gtest/gtest.h>

#include "engine/query/local_time.hpp"
#include "tests/support/build.hpp"
#include "tests/support/zone.hpp"

namespace tessera::record {
namespace {

using test::at;

// Rounds at these seconds.
class Rounds final : public Recording {
 public:
  explicit Rounds(std::vector<int> seconds, Duration every = Duration{60'000}, Stop stop = {})
      : seconds_(std::move(seconds)), every_(every), stop_(stop) {}
  Duration every() const override { return every_; }
  Stop stopped() override { return stop_; }
  const ClusterName& cluster() const override { return name_; }
  std::optional<Covered> covered() override {
    return Covered{test::at(seconds_.front()), test::at(seconds_.back())};
  }
  Result<Model> at(TimePoint time) override {
    for (auto second = seconds_.rbegin(); second != seconds_.rend(); ++second)
      if (test::at(*second) <= time) {
        Model model;
        reduce(model, {name_, 0, test::at(*second), ClockSet{test::at(*second), 0}});
        return model;
      }
    return Error{"nothing is recorded of then", "", ""};
  }
  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>&, TimePoint, TimePoint,
                                                    const std::function<bool()>&) override {
    return Error{"not asked for", "", ""};
  }
  Status rounds(TimePoint from, TimePoint to, const std::function<bool(const Round&)>& see) override {
    Cluster cluster;
    cluster.name = name_;
    for (int second : seconds_)
      if (test::at(second) >= from && test::at(second) <= to &&
          !see({cluster, test::at(second), {}, Duration{0}, every_, stop_}))
        break;
    return Done{};
  }

 private:
  ClusterName name_{"hpc"};
  std::vector<int> seconds_;
  Duration every_;
  Stop stop_;
  bool damaged_ = false;

 public:
  bool damaged_behind() const override { return damaged_; }
  void damage() { damaged_ = true; }
};

std::string why_not(Recording& recording, int second) {
  const auto stood = stood_at(recording, at(second));
  return stood ? "" : to_line(stood.error());
}

// It named them in UTC, where --at and the console have local time.
TEST(StoodAt, AMomentInAGapIsRefusedWithTheRoundsAroundItInLocalTime) {
  const test::InZone berlin("Europe/Berlin");
  Rounds recording({0, 60, 20'000, 20'060});
  EXPECT_EQ(why_not(recording, 60), "");
  EXPECT_EQ(why_not(recording, 100), "") << "between two rounds the one before tells it";
  EXPECT_EQ(why_not(recording, 660), "") << "ten minutes later it still does";
  const std::string why = why_not(recording, 661);
  EXPECT_NE(why.find("nothing is recorded of " + query::local_text(at(661))), std::string::npos) << why;
  EXPECT_NE(why.find("hpc: nothing lies between the rounds of " + query::local_text(at(60)) + " and " +
                     query::local_text(at(20'000))),
            std::string::npos)
      << why;
  EXPECT_NE(why_not(recording, 19'999), "");
  EXPECT_EQ(why_not(recording, 20'000), "");
}

TEST(StoodAt, ATimeBehindTheNewestRoundIsRefused) {
  Rounds recording({0, 60});
  EXPECT_EQ(why_not(recording, 600), "");
  const std::string why = why_not(recording, 6'000);
  EXPECT_NE(why.find("hpc: the newest round is of " + query::local_text(at(60))), std::string::npos) << why;
}

// Its rounds are half an hour apart, as it was asked.
TEST(StoodAt, AMomentBetweenRoundsThatAreAsFarApartAsAskedIsNoGap) {
  Rounds recording({0, 1'800, 3'600, 9'000}, Duration{1'800'000});
  EXPECT_EQ(why_not(recording, 1'799), "");
  EXPECT_EQ(why_not(recording, 3'600 + 2'700), "") << "one that comes late";
  EXPECT_NE(why_not(recording, 3'600 + 2'701), "") << "one is missing";
}

TEST(StoodAt, WhyNothingIsRecordedIsToldWhereItIsKnown) {
  Rounds cut({0, 20'000}, Duration{60'000}, Stop::cut), ended({0}, Duration{60'000}, Stop::ended);
  EXPECT_NE(why_not(cut, 5'000).find("the recorder was cut off there"), std::string::npos);
  EXPECT_NE(why_not(ended, 5'000).find("the recorder was ended there"), std::string::npos);
  Rounds silent({0, 20'000}, Duration{60'000}, Stop::silent), old({0, 20'000});
  EXPECT_NE(why_not(silent, 5'000).find("the recorder ran and wrote nothing"), std::string::npos);
  EXPECT_EQ(why_not(old, 5'000).find("the recorder"), std::string::npos) << "a version that does not tell";
}

// Rounds were there that cannot be read: what they told is not what the one before did.
TEST(StoodAt, ARoundBeforeDamageSpeaksUntilTheNextOneWasDue) {
  Rounds recording({0, 300});
  EXPECT_EQ(why_not(recording, 200), "");
  recording.damage();
  EXPECT_EQ(why_not(recording, 0), "");
  EXPECT_EQ(why_not(recording, 60), "");
  EXPECT_NE(why_not(recording, 61).find("what was recorded there is damaged"), std::string::npos);
  Rounds untold({0, 300}, Duration{0});
  untold.damage();
  EXPECT_NE(why_not(untold, 30), "") << "when it was due is not known";
}

TEST(StoodAt, WhatTheRecordingRefusesStaysRefused) {
  Rounds recording({0});
  EXPECT_NE(why_not(recording, -1).find("nothing is recorded of then"), std::string::npos);
}

}  // namespace
}  // namespace tessera::record
