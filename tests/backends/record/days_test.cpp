// The files of a recording and the room that they take: what is written to is never removed or replaced, and
// a folder stays within its bound at every moment.
#include "backends/record/days.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "backends/files.hpp"
#include "backends/record/tape.hpp"
#include "tests/support/build.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using record::Days;

class DaysOnDisk : public testing::Test {
 protected:
  static std::string name(int day) {
    return "2026-11-" + std::to_string(10 + day) + std::string(record::kFileEnd);
  }
  void put(int day, std::size_t bytes) {
    ASSERT_TRUE(replace_file("", folder_.path() + "/" + name(day), std::string(bytes, 'x'), 0640));
  }
  struct stat read(int day) const {
    auto file = read_whole_file("", folder_.path() + "/" + name(day), record::kLargestFile);
    EXPECT_TRUE(file && *file);
    struct stat none {};
    return file && *file ? (*file)->about : none;
  }
  std::string text(int day) const {
    auto file = read_whole_file("", folder_.path() + "/" + name(day), record::kLargestFile);
    return file && *file ? (*file)->text : "none";
  }
  Scratch folder_;
};

TEST_F(DaysOnDisk, ACopyThatAnAdminPutThereIsNoDayOfTheRecorder) {
  for (int day = 0; day < 3; ++day) put(day, 100);
  const std::vector<std::string> copies{"2026-11-10-before-the-outage.jsonl.zst", "2026-11-31.jsonl.zst",
                                        "copy.jsonl.zst"};
  for (const std::string& copy : copies)
    ASSERT_TRUE(replace_file("", folder_.path() + "/" + copy, std::string(100, 'x'), 0640));
  Days days(folder_.path(), 200);
  EXPECT_EQ(days.names(), (std::vector{name(0), name(1), name(2)}));
  days.write_to(name(2));
  days.make_room(0);
  EXPECT_EQ(days.names(), (std::vector{name(1), name(2)})) << "they count as nothing";
  days.make_room(1'000'000);
  for (const std::string& copy : copies) EXPECT_TRUE(fs::exists(folder_.path() + "/" + copy)) << copy;
}

TEST_F(DaysOnDisk, TheOldestGoFirstAndTheOneThatIsWrittenNever) {
  for (int day = 0; day < 4; ++day) put(day, 100);
  Days days(folder_.path(), 250);
  days.write_to(name(0));  // a clock that was set back
  days.make_room(0);
  EXPECT_EQ(days.names(), (std::vector{name(0), name(3)}));
  days.make_room(60);
  EXPECT_EQ(days.names(), std::vector{name(0)});
  days.make_room(1'000'000);
  EXPECT_EQ(days.names(), std::vector{name(0)});
  Days unbound(folder_.path(), 0);
  unbound.make_room(1'000'000);
  EXPECT_EQ(unbound.names().size(), 1U);
}

TEST_F(DaysOnDisk, ADayIsReplacedOnlyAsItWasRead) {
  put(0, 100);
  Days days(folder_.path(), 0);
  const struct stat before = read(0);
  const auto replaced = days.replace(name(0), before, "thin");
  ASSERT_TRUE(replaced);
  EXPECT_TRUE(*replaced);
  EXPECT_EQ(text(0), "thin");
  EXPECT_EQ(read(0).st_mode & 0777U, 0640U);
  const auto again = days.replace(name(0), before, "thinner");
  ASSERT_TRUE(again);
  EXPECT_FALSE(*again) << "it is another file by now";
  EXPECT_EQ(text(0), "thin");
}

// A clock that is set back while a day is made thinner: the recorder goes on with that day.
TEST_F(DaysOnDisk, ADayThatIsWrittenToMeanwhileStays) {
  put(0, 100);
  Days days(folder_.path(), 0);
  const struct stat before = read(0);
  days.write_to(name(0));
  auto replaced = days.replace(name(0), before, "thin");
  ASSERT_TRUE(replaced);
  EXPECT_FALSE(*replaced) << "it may be open";
  {
    Descriptor file(::open((folder_.path() + "/" + name(0)).c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    ASSERT_TRUE(write_all(file.get(), "a round"));
  }
  days.write_to(name(1));  // and forward again
  replaced = days.replace(name(0), before, "thin");
  ASSERT_TRUE(replaced);
  EXPECT_FALSE(*replaced) << "what was written meanwhile is not lost";
  EXPECT_TRUE(text(0).ends_with("a round"));
}

TEST_F(DaysOnDisk, ADayThatWasRemovedMeanwhileIsNotBroughtBack) {
  put(0, 100);
  Days days(folder_.path(), 0);
  const struct stat before = read(0);
  fs::remove(folder_.path() + "/" + name(0));
  const auto replaced = days.replace(name(0), before, "thin");
  ASSERT_TRUE(replaced);
  EXPECT_FALSE(*replaced);
  EXPECT_TRUE(days.names().empty());
}

TEST_F(DaysOnDisk, OlderOnesMakeRoomForTheMomentInWhichBothAreThere) {
  for (int day = 0; day < 3; ++day) put(day, 100);
  Days days(folder_.path(), 300);
  days.write_to(name(3));
  const auto replaced = days.replace(name(1), read(1), std::string(20, 'y'));
  ASSERT_TRUE(replaced && *replaced);
  EXPECT_EQ(days.names(), (std::vector{name(1), name(2)})) << "the oldest, and no newer one";
}

// The bound is new, or smaller than before: thinner days may make room for more of them.
TEST_F(DaysOnDisk, WhatIsAboveTheBoundFromTheStartIsRemovedOnlyOnceThatIsSaid) {
  for (int day = 0; day < 3; ++day) put(day, 100);
  Days days(folder_.path(), 250);
  days.write_to(name(3));
  days.keep_room(10);
  EXPECT_EQ(days.names().size(), 3U);
  for (int day : {0, 1}) {
    const auto replaced = days.replace(name(day), read(day), std::string(70, 'y'));
    ASSERT_TRUE(replaced && *replaced);
    days.keep_room(10);
  }
  EXPECT_EQ(days.names().size(), 3U) << "each becomes less, whatever both take for a moment";
  days.make_room(0);
  EXPECT_EQ(days.names().size(), 3U) << "there is room by now";
  days.keep_room(11);
  EXPECT_EQ(days.names(), (std::vector{name(1), name(2)}))
      << "and from now on the bound holds at every moment";
}

// A recorder that is killed between the copy of a lost end and the thinner day makes both once more.
TEST_F(DaysOnDisk, WhatCannotBeReadIsKeptOnceHoweverOftenADayIsPutRight) {
  put(0, 100);
  const std::string path = folder_.path() + "/" + name(0), aside = path + std::string(record::kAsideEnd);
  ASSERT_TRUE(replace_file("", aside, "another's end")) << "of an earlier time";
  const auto first = record::keep_beside(path, "the lost end!", 0640);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->path, aside + "-2");
  EXPECT_TRUE(first->is_new);
  Days days(folder_.path(), 0);
  const auto replaced = days.replace(name(0), read(0), "thinner", "the lost end!");
  ASSERT_TRUE(replaced && *replaced);
  EXPECT_EQ(**replaced, aside + "-2") << "it is named, and there already";
  EXPECT_EQ(text(0), "thinner");
  EXPECT_FALSE(fs::exists(aside + "-3"));
  const auto other = record::keep_beside(path, "the lost end?", 0640);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->path, aside + "-3") << "as long, and not the same";
}

class BoundTape : public DaysOnDisk {
 protected:
  std::uintmax_t size() const {
    std::uintmax_t all = 0;
    for (const auto& entry : fs::directory_iterator(folder_.path() + "/hpc")) all += entry.file_size();
    return all;
  }
};

TEST_F(BoundTape, AFolderIsWithinItsBoundAtEveryMomentAndNotOnlyWhenADayBegins) {
  constexpr std::int64_t kMost = 20'000;
  auto tape = record::open_tape(folder_.path(), ClusterName("hpc"), {Duration{90LL * 86'400'000}, kMost});
  ASSERT_TRUE(tape);
  unsigned noise = 1;
  std::uintmax_t largest = 0;
  std::vector<std::string> days;
  for (int round = 0; round < 400; ++round) {
    const int seconds = round * 4'320;  // twenty a day
    std::string line;
    for (int i = 0; i < 300; ++i)
      line += static_cast<char>('a' + (noise = noise * 1'103'515'245U + 12'345U) / 65'536U % 26U);
    ASSERT_TRUE((*tape)->write(line + "\n", at(seconds), (*tape)->wants_key(at(seconds))));
    largest = std::max(largest, size());
    ASSERT_LE(size(), static_cast<std::uintmax_t>(kMost)) << round;
  }
  EXPECT_GT(largest, static_cast<std::uintmax_t>(kMost) * 3 / 4) << "as much as may be is kept";
  EXPECT_TRUE(
      fs::exists(folder_.path() + "/hpc/" + record::day_of(at(399 * 4'320)) + std::string(record::kFileEnd)));
}

}  // namespace
}  // namespace tessera::test
