// Recordings of two versions in one folder, and in one day: what this version reads is read, and what a later
// one wrote is refused with the version that reads it, never passed over.
#include "engine/record/fields.hpp"
#include "tests/backends/record/replay_lab.hpp"

namespace tessera::test {
namespace {

class TwoVersions : public ReplayLab {
 protected:
  // A round of a later tessera: a key frame, and fields of which nothing is known here.
  void write_later(int seconds) {
    std::string lines = recorder_.take(story_.cluster(), at(seconds), true);
    const std::string mine = "\"version\":" + std::to_string(record::kVersion);
    const auto where = lines.find(mine);
    ASSERT_NE(where, std::string::npos) << lines.substr(0, 300);
    lines.replace(where, mine.size(), "\"version\":99,\"colour\":[\"blue\",{}]");
    ASSERT_TRUE(tape_->write(lines, at(seconds), true));
  }
  std::string failure(TimePoint moment) {
    auto all = record::open_recordings(folder_);
    if (!all) return to_line(all.error());
    auto then = all->front()->at(moment);
    return then ? "" : to_line(then.error());
  }
};

// The site went back to this version, or looks from a machine that still has it.
TEST_F(TwoVersions, ADayThatALaterOneWentOnWithIsReadUpToThere) {
  write(0), write(60);
  write_later(120);
  write_later(180);
  tape_.reset();
  EXPECT_EQ(failure(at(60)), "");
  EXPECT_NE(failure(at(150)).find("version 99, and this tessera reads up to"), std::string::npos)
      << failure(at(150));
  std::vector<TimePoint> rounds;
  const Status read = record::open_recordings(folder_)->front()->rounds({}, TimePoint::max(),
                                                                        [&](const record::Round& round) {
                                                                          rounds.push_back(round.at);
                                                                          return true;
                                                                        });
  EXPECT_EQ(rounds, (std::vector{at(0), at(60)}));
  ASSERT_FALSE(read) << "the others are not passed over: sums of less than all would be shown as all";
  EXPECT_NE(to_line(read.error()).find("version 99"), std::string::npos);
}

TEST_F(TwoVersions, ThisOneGoesOnInADayThatALaterOneEnded) {
  write(0);
  write_later(60);
  tape_.reset();
  recorder_ = record::Recorder(record::Wanted{});
  story_.tell(WorkloadGone{WorkloadId("2")}, 90);
  write(120), write(180);
  tape_.reset();
  EXPECT_EQ(failure(at(180)), "");
  EXPECT_NE(failure(at(60)).find("version 99"), std::string::npos);
  auto then = record::open_recordings(folder_)->front()->at(at(180));
  ASSERT_TRUE(then);
  EXPECT_EQ(then->clusters.front().workloads.size(), 1u);
}

TEST_F(TwoVersions, ADayThatCannotBeReadOnIsListedWithTheVersionThatReadsIt) {
  write(0);
  tape_.reset();
  std::string day;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/hpc"))
    if (entry.path().string().ends_with(record::kFileEnd)) day = entry.path().string();
  write(86'400);
  write_later(86'460);
  tape_.reset();
  EXPECT_EQ(failure(at(0)), "") << "it begins with rounds of this version";
  EXPECT_TRUE(record::open_recordings(day)->front()->at(at(0)));
  write(2 * 86'400);
  tape_.reset();
  auto all = record::open_recordings(folder_);
  ASSERT_TRUE(all);
  auto days = all->front()->days();
  ASSERT_TRUE(days);
  ASSERT_EQ(days->size(), 3u);
  ASSERT_TRUE((*days)[1].failure) << "record list says why a day cannot be read on";
  EXPECT_NE(to_line(*(*days)[1].failure).find("version 99"), std::string::npos);
  EXPECT_FALSE((*days)[0].failure);
  EXPECT_FALSE((*days)[2].failure);
}

}  // namespace
}  // namespace tessera::test
