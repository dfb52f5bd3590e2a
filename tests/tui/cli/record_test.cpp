// tessera record: what it opens for writing.
#include "tui/cli/record/record.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <utility>

#include "tests/tui/cli/fake_runs.hpp"
#include "tui/cli/command_table.hpp"

namespace tessera::cli::record_story {
namespace {

class CountingTape final : public record::Tape {
 public:
  explicit CountingTape(int& rounds) : rounds_(rounds) {}
  bool wants_key(TimePoint) const override { return true; }
  Status write(std::string_view, TimePoint, bool) override {
    ++rounds_;
    return Done{};
  }

 private:
  int& rounds_;
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
  Options options;
  options.command = "record";
  options.recording = "/folder";
  options.every = Duration(1000);
  options.rounds = 1;
  options.timeout = Duration(1500);
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
  Options options;
  options.command = "record";
  options.recording = "/folder";
  options.every = Duration(1000);
  options.rounds = 1;
  options.timeout = Duration(1500);
  test::Box box;
  const auto open = [&](const Options&, const mig::Catalogue&) {
    Opening opening;
    for (int i = 0; i < 2; ++i)
      opening.backends.push_back(
          std::make_unique<test::StandingBackend>(std::vector<Node>{}, std::vector<Workload>{}));
    return opening;
  };
  std::vector<ClusterName> opened;
  int rounds = 0, asked = 0;
  Joins joins{box, box, open, {}, [&] { return test::at(++asked); }, {}, false};
  joins.tape = [&](const std::string&, const ClusterName& cluster,
                   record::Keep) -> Result<std::unique_ptr<record::Tape>> {
    opened.push_back(cluster);
    return std::unique_ptr<record::Tape>(std::make_unique<CountingTape>(rounds));
  };
  std::ostringstream out, err;
  EXPECT_EQ(run_record(options, test::catalogue(), joins, Streams{out, err}), kDone) << err.str();
  EXPECT_EQ(opened, (std::vector{ClusterName("hpc")}));
  EXPECT_EQ(rounds, 1);
}

}  // namespace
}  // namespace tessera::cli::record_story
