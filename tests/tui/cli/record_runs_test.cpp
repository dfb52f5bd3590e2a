// tessera record: which lines of which runs' journals it writes.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>

#include "tests/tui/cli/fake_runs.hpp"
#include "tests/tui/cli/record_options.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/record/record.hpp"
#include "tui/cli/record/run_journals.hpp"

namespace tessera::cli::record_story {
namespace {

// The last of these rounds finds no room.
class LeavesOut final : public record::Tape {
 public:
  LeavesOut(std::vector<std::string>& told, std::size_t which) : told_(told), which_(which) {}
  bool wants_key(TimePoint) const override { return true; }
  Status write(std::string_view lines, TimePoint, bool) override {
    told_.emplace_back(lines);
    if (told_.size() == which_) return Error{"cannot write the recording", "no space left on device", ""};
    return Done{};
  }

 private:
  std::vector<std::string>& told_;
  std::size_t which_;
};

RunHead head(const std::string& run, const std::string& cluster) {
  RunHead one;
  one.run = run, one.cluster = ClusterName(cluster), one.state = RunState::running;
  one.last = test::at(1'000'000);
  return one;
}

// A recorder beside a run, for so many rounds; one of these finds no room.
struct BesideRuns {
  int rounds = 1;
  std::size_t full = 0;
  std::string salt;
  test::Box box;
  test::FakeRuns::Asked asked;
  std::vector<std::string> told;  // a text each round, and its end
  std::vector<RunHead> heads{head("r1", "hpc"), head("r2", "another")};
  std::map<std::string, std::string> journals{{"r1", "{\"seq\":1}\n{\"seq\":2}\n"}, {"r2", "{\"seq\":7}\n"}};
  std::ostringstream out, err;
  int code = -1;

  void run() {
    Options options = record_options(Duration(1), rounds);
    options.hash_names = salt;
    int now = 0;
    const auto open = [&](const Options&, const mig::Catalogue&) {
      Opening opening;
      opening.backends.push_back(
          std::make_unique<test::StandingBackend>(std::vector<Node>{}, std::vector<Workload>{}));
      auto runs = std::make_unique<test::FakeRuns>(box, asked);
      runs->heads = heads, runs->journals = journals;
      opening.runs = std::move(runs);
      return opening;
    };
    Joins joins{box, box, open, {}, [&] { return test::at(++now); }, {}, false};
    joins.tape = [&](const std::string&, const ClusterName&,
                     record::Keep) -> Result<std::unique_ptr<record::Tape>> {
      return std::unique_ptr<record::Tape>(std::make_unique<LeavesOut>(told, full));
    };
    code = run_record(options, test::catalogue(), joins, Streams{out, err});
  }
  static int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }
  int lines_in(std::size_t round) const { return count(told.at(round), "\"kind\":\"run\""); }
};

TEST(RecordRuns, TheJournalsOfAClustersRunsAreWrittenIntoItsRecordingOnce) {
  BesideRuns one;
  one.rounds = 3;
  one.run();
  EXPECT_EQ(one.code, kDone) << one.err.str();
  ASSERT_EQ(one.told.size(), 4U);
  EXPECT_EQ(one.lines_in(0), 2) << one.told[0];
  EXPECT_NE(one.told[0].find(R"("kind":"run","run":"r1","line":"{\"seq\":1}")"), std::string::npos)
      << one.told[0];
  EXPECT_EQ(one.told[0].find("r2"), std::string::npos) << "it is another cluster's";
  EXPECT_EQ(one.lines_in(1), 0) << one.told[1];
  EXPECT_NE(one.told[1].find(R"("kind":"runs","lines":{"r1":2})"), std::string::npos) << one.told[1];
  EXPECT_EQ(one.asked.read["r1"], 1) << "it did not move";
  EXPECT_FALSE(one.asked.read.contains("r2"));
}

TEST(RecordRuns, LinesOfARoundThatFoundNoRoomAreInTheNextOne) {
  BesideRuns one;
  one.rounds = 2, one.full = 1;
  one.run();
  ASSERT_EQ(one.told.size(), 3U);
  EXPECT_EQ(one.lines_in(0), 2);
  EXPECT_EQ(one.lines_in(1), 2) << one.told[1];
  EXPECT_NE(one.told[1].find(R"("kind":"runs","lines":{})"), std::string::npos) << one.told[1];
}

TEST(RecordRuns, WithDigestsForNamesNoRunIsAskedFor) {
  BesideRuns one;
  one.salt = "long and random";
  one.run();
  EXPECT_EQ(one.code, kDone) << one.err.str();
  EXPECT_TRUE(one.asked.read.empty());
  EXPECT_EQ(one.told.at(0).find("\"kind\":\"run"), std::string::npos) << one.told[0];
}

TEST(RecordRuns, AJournalThatCannotBeReadIsAskedForAgain) {
  BesideRuns one;
  one.rounds = 2;
  one.journals.erase("r1");
  one.run();
  EXPECT_EQ(one.code, kDone) << one.err.str();
  EXPECT_GE(one.asked.read["r1"], 2);
}

TEST(RunJournals, WhatIsRecordedAlreadyIsNotWrittenTwice) {
  RunJournals journals(test::at(0), {{"r1", 2}});
  ASSERT_TRUE(journals.wants(head("r1", "hpc")));
  EXPECT_FALSE(journals.wants(head("r1", "hpc"))) << "it did not move";
  journals.take("r1", "{\"seq\":1}\n{\"seq\":2}\n{\"seq\":3}\n");
  const record::Recorder recorder{record::Wanted{}};
  const std::string lines = journals.lines(recorder, test::at(60), false);
  EXPECT_EQ(BesideRuns::count(lines, "\"kind\":\"run\""), 1) << lines;
  EXPECT_NE(lines.find(R"({\"seq\":3})"), std::string::npos) << lines;
  EXPECT_EQ(journals.lines(recorder, test::at(60), false), lines) << "until it is on the disk";
  journals.written();
  EXPECT_EQ(journals.lines(recorder, test::at(120), false), "");
  EXPECT_NE(journals.lines(recorder, test::at(120), true).find(R"("lines":{"r1":3})"), std::string::npos);
}

TEST(RunJournals, WhatEndedBeforeTheRecordingAndWhatLiesElsewhereIsNoneOfIt) {
  RunJournals journals(test::at(100), {});
  RunHead old = head("r1", "hpc"), marked = head("r2", "hpc"), unreadable = head("r3", "hpc");
  old.last = test::at(99), marked.state = RunState::marked, unreadable.state = RunState::unreadable;
  EXPECT_FALSE(journals.wants(old));
  EXPECT_FALSE(journals.wants(marked));
  EXPECT_FALSE(journals.wants(unreadable));
  old.last = test::at(100);
  EXPECT_TRUE(journals.wants(old)) << "it goes on";
}

}  // namespace
}  // namespace tessera::cli::record_story
