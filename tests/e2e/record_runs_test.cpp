// A run on a simulated cluster with a recorder beside it: its journal is in the recording, once, and whoever
// looks back is told of it.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/change_lab.hpp"

namespace tessera::test {
namespace {

class RecordedRun : public ChangeLab {
 protected:
  void record_a_round() {
    must({"record", "--rounds=1", "--every=1s", "--folder=" + folder_.path() + "/recording"});
  }
  // All lines of the recording.
  std::string recorded() const {
    std::string all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path() + "/recording")) {
      if (!entry.path().string().ends_with(".jsonl.zst")) continue;
      RunOptions options;
      options.program = "/usr/bin/zstdcat";
      all += run_tessera({entry.path().string()}, options).out;
    }
    return all;
  }
  static int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }
};

TEST_F(RecordedRun, ItsJournalIsRecordedOnceAlsoByARecorderThatIsStartedAgain) {
  record_a_round();
  EXPECT_EQ(count(recorded(), "\"kind\":\"run\""), 0);
  ASSERT_EQ(apply({"-n", "n3", "--layout", "7g.80gb"}).code, 0);
  record_a_round();
  const std::string all = recorded();
  EXPECT_EQ(count(all, "run-started"), 1) << all;
  EXPECT_EQ(count(all, "run-finished"), 1) << all;
  const int lines = count(all, "\"kind\":\"run\"");
  EXPECT_GT(lines, 4);
  record_a_round();
  EXPECT_EQ(count(recorded(), "\"kind\":\"run\""), lines) << "no line is written twice";
}

}  // namespace
}  // namespace tessera::test
