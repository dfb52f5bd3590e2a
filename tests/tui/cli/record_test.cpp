// tessera record: what it opens for writing.
#include "tui/cli/record/record.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <sstream>
#include <utility>

#include "tests/tui/cli/fake_runs.hpp"
#include "tests/tui/cli/record_options.hpp"
#include "tui/cli/command_table.hpp"

namespace tessera::cli::record_story {
namespace {

class CountingTape final : public record::Tape {
 public:
  explicit CountingTape(std::vector<std::string>& told) : told_(told) {}
  bool wants_key(TimePoint) const override { return true; }
  Status write(std::string_view lines, TimePoint, bool) override {
    told_.emplace_back(lines);
    return Done{};
  }

 private:
  std::vector<std::string>& told_;
};

class FullTape final : public record::Tape {
 public:
  explicit FullTape(std::vector<std::string>& told) : told_(told) {}
  bool wants_key(TimePoint) const override { return true; }
  Status write(std::string_view lines, TimePoint, bool) override {
    told_.emplace_back(lines);
    return Error{"cannot write the recording", "no space left on device", ""};
  }

 private:
  std::vector<std::string>& told_;
};

// Works on older days until it was asked a few times, and then tells what went wrong there.
class BusyTape final : public record::Tape {
 public:
  explicit BusyTape(int& asked) : asked_(asked) {}
  bool wants_key(TimePoint) const override { return true; }
  Status write(std::string_view, TimePoint, bool) override { return Done{}; }
  bool busy() override { return ++asked_ < 4; }
  std::optional<Error> trouble() override {
    if (asked_ < 4 || std::exchange(told_, true)) return std::nullopt;
    return Error{"cannot thin the recording", "2026-11-01.jsonl.zst: no space left", ""};
  }

 private:
  int& asked_;
  bool told_ = false;
};

TEST(RecordCommand, TheLastRoundWaitsForOlderDaysAndTellsWhatWentWrongThere) {
  Options options = record_options();
  options.keep.thin = record::Thin{Duration(86'400'000), Duration(60'000)};
  test::Box box;
  const auto open = [&](const Options&, const mig::Catalogue&) {
    Opening opening;
    opening.backends.push_back(
        std::make_unique<test::StandingBackend>(std::vector<Node>{}, std::vector<Workload>{}));
    return opening;
  };
  int now = 0, asked = 0;
  record::Keep kept;
  Joins joins{box, box, open, {}, [&] { return test::at(++now); }, {}, false};
  joins.tape = [&](const std::string&, const ClusterName&,
                   record::Keep keep) -> Result<std::unique_ptr<record::Tape>> {
    kept = std::move(keep);
    return std::unique_ptr<record::Tape>(std::make_unique<BusyTape>(asked));
  };
  std::ostringstream out, err;
  EXPECT_EQ(run_record(options, test::catalogue(), joins, Streams{out, err}), kDone) << err.str();
  EXPECT_EQ(asked, 4);
  EXPECT_NE(err.str().find("2026-11-01.jsonl.zst: no space left"), std::string::npos) << err.str();
  EXPECT_EQ(kept.thin, options.keep.thin);
  EXPECT_FALSE(kept.tessera.empty());
}

// Prometheus measures beside Slurm: a second backend of the same cluster. Its folder is locked once.
TEST(RecordCommand, AClusterWithSeveralBackendsIsWrittenOnce) {
  const Options options = record_options();
  test::Box box;
  const auto open = [&](const Options&, const mig::Catalogue&) {
    Opening opening;
    for (int i = 0; i < 2; ++i)
      opening.backends.push_back(
          std::make_unique<test::StandingBackend>(std::vector<Node>{}, std::vector<Workload>{}));
    return opening;
  };
  std::vector<ClusterName> opened;
  std::vector<std::string> told;
  int asked = 0;
  Joins joins{box, box, open, {}, [&] { return test::at(++asked); }, {}, false};
  joins.tape = [&](const std::string&, const ClusterName& cluster,
                   record::Keep) -> Result<std::unique_ptr<record::Tape>> {
    opened.push_back(cluster);
    return std::unique_ptr<record::Tape>(std::make_unique<CountingTape>(told));
  };
  std::ostringstream out, err;
  EXPECT_EQ(run_record(options, test::catalogue(), joins, Streams{out, err}), kDone) << err.str();
  EXPECT_EQ(opened, (std::vector{ClusterName("hpc")}));
  ASSERT_EQ(told.size(), 2U) << "one round, and its end";
  EXPECT_NE(told.front().find("\"began\":\""), std::string::npos) << told.front();
  EXPECT_NE(told.back().find("\"kind\":\"end\""), std::string::npos) << told.back();
  EXPECT_EQ(told.back().substr(0, 30), told.front().substr(0, 30))
      << "at the time of that round, which adds none";
}

// Records a cluster that is asked so seldom.
struct RecorderRun {
  Duration every{1000}, pace{0};
  int rounds = 1;
  test::Box box;
  int asked = 0;  // what the time is
  std::function<TimePoint()> wall = [this] { return test::at(++asked); };
  std::vector<std::string> told;
  std::ostringstream out, err;
  template <class Tape>
  int run() {
    const auto open = [&](const Options&, const mig::Catalogue&) {
      Opening opening;
      opening.backends.push_back(
          std::make_unique<test::StandingBackend>(std::vector<Node>{}, std::vector<Workload>{}));
      box.post(Event{ClusterName("hpc"), 0, test::at(0), PaceReport{1, pace}});
      return opening;
    };
    Joins joins{box, box, open, {}, wall, {}, false};
    joins.tape = [&](const std::string&, const ClusterName&,
                     record::Keep) -> Result<std::unique_ptr<record::Tape>> {
      return std::unique_ptr<record::Tape>(std::make_unique<Tape>(told));
    };
    return run_record(record_options(every, rounds), test::catalogue(), joins, Streams{out, err});
  }
};

// Behind what is missing there is no end in order: a full disk until the end is told as one.
TEST(RecordCommand, WhatCouldNotBeWrittenIsNotSaidToHaveEndedInOrder) {
  RecorderRun one;
  one.run<FullTape>();
  ASSERT_EQ(one.told.size(), 1U);
  EXPECT_EQ(one.told.front().find("\"kind\":\"end\""), std::string::npos);
}

TEST(RecordCommand, APaceBelowTheLoadBudgetIsSaidAtTheStartAndNotAskedFor) {
  RecorderRun often;
  often.pace = Duration{60'000};
  EXPECT_EQ(often.run<CountingTape>(), kDone);
  EXPECT_NE(often.err.str().find("hpc: rounds are written more often than the cluster is asked: it is asked "
                                 "every 1 min at most"),
            std::string::npos)
      << often.err.str();
  RecorderRun seldom;
  seldom.every = Duration{60'000}, seldom.pace = Duration{60'000};
  EXPECT_EQ(seldom.run<CountingTape>(), kDone);
  EXPECT_EQ(seldom.err.str(), "");
}

// A clock that is set while the recorder waits, by an hour. Something is told all the time, so that each look
// at the clock passes 10 ms and no test waits for any.
int looks_at_a_clock_set_by(Duration set) {
  RecorderRun clock;
  clock.every = Duration{100}, clock.rounds = 3;
  int looks = 0, since_first = 0;
  clock.wall = [&] {
    clock.box.post(Event{ClusterName("hpc"), 0, test::at(0), PaceReport{}});
    if (clock.told.size() == 1) ++since_first;
    return test::at(0) + Duration{10} * ++looks + (since_first > 4 ? set : Duration{0});
  };
  EXPECT_EQ(clock.run<CountingTape>(), kDone) << clock.err.str();
  EXPECT_EQ(clock.told.size(), 4U) << "three rounds, and the end";
  return looks;
}

TEST(RecordCommand, AClockThatIsSetBackOrOnNeitherStopsTheRecorderNorHurriesIt) {
  const int as_usual = looks_at_a_clock_set_by(Duration{0});
  EXPECT_LE(looks_at_a_clock_set_by(Duration{-3'600'000}), as_usual + 12) << "a pace more, and not an hour";
  EXPECT_GE(looks_at_a_clock_set_by(Duration{3'600'000}), as_usual - 12);
}

}  // namespace
}  // namespace tessera::cli::record_story
