// Damage to a day of a recording: a recorder that goes on with it throws away nothing that can be read, keeps
// what cannot, and says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backends/record/mend.hpp"
#include "backends/record/recording.hpp"
#include "backends/record/tape.hpp"
#include "backends/record/thin.hpp"
#include "backends/record/zstd_stream.hpp"
#include "engine/record/recorder.hpp"
#include "engine/time.hpp"
#include "tests/backends/record/replay_lab.hpp"
#include "tests/support/build.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::record {
namespace {

namespace fs = std::filesystem;
using test::at;

std::string line_of(int second, int number) {
  return "{\"at\":\"" + utc_text(at(second)) +
         "\",\"kind\":\"weather\",\"number\":" + std::to_string(number) + ",\"digest\":\"" +
         std::to_string(static_cast<unsigned>(second + 7 * number + 1) * 2'654'435'761U) + "\"}\n";
}

// What a recorder's compressor and those who read what it wrote have in memory, 8 MiB and more, takes longer
// than anything that is tried here. Frames look alike whatever their window is.
Compressor small_compressor() { return Compressor(3, 17); }

// Four frames of three rounds; of the last one each block is flushed, as a recorder's are.
std::string small_day(bool ended) {
  Compressor compressor = small_compressor();
  std::string bytes;
  for (int frame = 0; frame < 4; ++frame) {
    bytes += compressor.begin(at(7'200 * frame));
    for (int round = 0; round < 3; ++round) {
      std::string lines;
      for (int line = 0; line < 3; ++line) lines += line_of(7'200 * frame + 60 * round, line);
      bytes += compressor.add(lines);
    }
    if (ended || frame < 3) bytes += compressor.end();
  }
  return bytes;
}

using Lines = std::multiset<std::string>;
void take_lines(const std::string& text, Lines& lines) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines.insert(text.substr(begin, end - begin));
    begin = end + 1;
  }
}
Lines lines_in(std::string_view bytes) {
  Lines lines;
  const auto frames = frames_in(bytes);
  if (!frames) return lines;
  for (const Frame& frame : *frames)
    if (const auto text = text_of(bytes, frame)) take_lines(*text, lines);
  return lines;
}

struct WentOn {
  Mended found;
  std::string file;  // with a frame behind it that the next recorder wrote
  Lines read;
};
const std::string& next_frame() {
  static const std::string bytes = [] {
    Compressor compressor = small_compressor();
    std::string frame = compressor.begin(at(40'000));
    frame += compressor.add(line_of(40'000, 0));
    return frame + compressor.end();
  }();
  return bytes;
}
WentOn go_on(const std::string& damaged) {
  WentOn after{mended(damaged, true), {}, {}};
  if (!after.found.foreign) after.file = after.found.whole.value_or(damaged);
  after.file += next_frame();
  after.read = lines_in(after.file);
  return after;
}

void expect_nothing_lost(const WentOn& after, const std::string& damaged, std::size_t byte,
                         const Lines& sound, const std::string& how) {
  EXPECT_TRUE(std::includes(after.read.begin(), after.read.end(), sound.begin(), sound.end())) << how << byte;
  EXPECT_EQ(after.read.count(line_of(40'000, 0).substr(0, line_of(40'000, 0).size() - 1)), 1U) << how << byte;
  // All of its bytes are still there, in the file or beside it.
  if (after.found.foreign || !after.found.whole) return;
  const std::size_t begin = damaged.size() - after.found.aside.size();
  EXPECT_TRUE(after.found.aside.empty() || damaged.ends_with(after.found.aside)) << how << byte;
  EXPECT_TRUE(after.file.starts_with(damaged.substr(0, after.found.aside.empty() ? 0 : begin)))
      << how << byte;
}

// By byte: what the frames hold that it is not in.
std::vector<Lines> sound_frames(const std::string& bytes) {
  std::vector<Lines> all(bytes.size());
  const auto frames = frames_in(bytes);
  for (const Frame& damaged : *frames) {
    Lines lines;
    for (const Frame& frame : *frames)
      if (frame.begin != damaged.begin) take_lines(*text_of(bytes, frame), lines);
    for (std::size_t byte = damaged.begin; byte < damaged.end; ++byte) all[byte] = lines;
  }
  return all;
}

// Each byte of marks and headers; one in seven of what is compressed, where all are alike.
bool is_tried(const std::vector<Frame>& frames, std::size_t byte) {
  return byte % 7 == 0 || std::any_of(frames.begin(), frames.end(), [&](const Frame& frame) {
           return byte >= frame.begin && byte < frame.data + 12;
         });
}

TEST(DamagedDay, OneByteAnywhereCostsItsFrameAtMostAndIsTold) {
  for (const bool ended : {true, false}) {
    const std::string bytes = small_day(ended);
    const std::vector<Frame> frames = *frames_in(bytes);
    const std::size_t last = frames.back().begin;
    const Lines all = lines_in(bytes);
    ASSERT_EQ(all.size(), 36U);
    const std::vector<Lines> sound = sound_frames(bytes);
    for (std::size_t byte = ended ? 0 : last; byte < bytes.size(); ++byte)
      for (const int flip : {0x10, -1}) {
        if (!is_tried(frames, byte)) continue;
        std::string damaged = bytes;
        damaged[byte] = flip < 0 ? '\0' : static_cast<char>(damaged[byte] ^ flip);
        if (damaged == bytes) continue;
        const std::string how = (ended ? "ended, " : "killed, ") + std::to_string(flip) + ": byte ";
        const WentOn after = go_on(damaged);
        expect_nothing_lost(after, damaged, byte, sound[byte], how);
        // A frame that was not ended has no checksum: another letter in it is not seen.
        const bool lost = !std::includes(after.read.begin(), after.read.end(), all.begin(), all.end());
        if (lost && (ended || byte < last)) {
          EXPECT_FALSE(after.found.damage.empty()) << how << byte;
        }
        if (lost && after.found.whole && after.found.damage.empty()) {
          EXPECT_EQ(after.read.size(), lines_in(damaged).size() + 1) << how << byte << ": cut, and not told";
        }
      }
  }
}

TEST(DamagedDay, CutOffAnywhereItCostsTheBlockThatIsNotWholeAtMost) {
  const std::string bytes = small_day(true);
  const Lines all = lines_in(bytes);
  const auto frames = frames_in(bytes);
  std::size_t before = 0;
  for (std::size_t size = 1 + (bytes.size() - 2) % 11; size < bytes.size(); size += 11) {
    const std::string damaged = bytes.substr(0, size);
    Lines sound;
    for (const Frame& frame : *frames)
      if (frame.end <= size) take_lines(*text_of(bytes, frame), sound);
    const WentOn after = go_on(damaged);
    expect_nothing_lost(after, damaged, size, sound, "cut: ");
    const std::size_t lines = after.read.size();
    EXPECT_GE(lines, before) << size << ": more bytes hold no less";
    before = lines;
  }
  EXPECT_EQ(before, all.size() + 1);
}

// "The recording is damaged" was told of an ordinary kill.
TEST(DamagedDay, HalfAMarkIsWhatAKillLeavesAndNoDamage) {
  const std::string bytes = small_day(true);
  const Frame last = frames_in(bytes)->back();
  for (std::size_t size = 1; size < record::kMarkBytes; ++size) {
    const WentOn after = go_on(bytes.substr(0, last.begin + size));
    EXPECT_EQ(after.found.damage, std::vector<std::string>{}) << size;
  }
}

// What a power cut leaves: the file has its size, and zeros at its end. Or another program wrote there.
TEST(DamagedDay, ABadEndCostsTheRoundsThatItIsIn) {
  const std::string bytes = small_day(false);
  const std::string whole = small_day(true);
  const auto lines_after = [](const std::string& damaged) { return go_on(damaged).read.size() - 1; };
  for (std::size_t zeros = 1; zeros < 60; zeros += 8) {
    std::string damaged = bytes;
    std::fill(damaged.end() - static_cast<std::ptrdiff_t>(zeros), damaged.end(), '\0');
    EXPECT_GE(lines_after(damaged), 27U + 3U) << zeros;
    if (lines_after(damaged) < 36U) {
      EXPECT_FALSE(go_on(damaged).found.damage.empty()) << zeros;
    }
  }
  for (const std::string& more : {std::string(4096, '\0'), std::string(200, '\xa5'), std::string(200, 'x')})
    for (const std::string* day : {&bytes, &whole}) {
      const WentOn after = go_on(*day + more);
      EXPECT_EQ(after.read.size(), 37U) << "all rounds were sound";
      EXPECT_FALSE(after.found.damage.empty());
      EXPECT_EQ(after.found.aside.empty(), more[0] == '\0') << "what holds something is kept";
    }
}

class DamagedTape : public testing::Test {
 protected:
  void SetUp() override { test::tell_one_gpu_held(story_); }
  // A recorder that writes these rounds and is ended; what it had to tell.
  std::vector<std::string> record(const std::vector<int>& seconds, int day = 0) {
    std::vector<std::string> told;
    auto tape = open_tape(folder_.path(), ClusterName("hpc"), {});
    EXPECT_TRUE(tape.ok());
    Recorder recorder{Wanted{Duration{60'000}, "0.2.0", "", nullptr, at(seconds.front())}};
    for (int second : seconds) {
      const TimePoint then = at(second + day * 86'400);
      const bool key = (*tape)->wants_key(then);
      EXPECT_TRUE((*tape)->write(recorder.take(story_.cluster(), then, key), then, key));
    }
    while (const auto trouble = (*tape)->trouble()) told.push_back(to_line(*trouble));
    return told;
  }
  std::string path() const { return folder_.path() + "/hpc/" + day_of(at(0)) + std::string(kFileEnd); }
  // The first byte behind the frame's own header: it tells how long its first block is.
  std::string with_bit_flipped(std::size_t frame) const {
    std::string bytes = test::bytes_of_day(path());
    const auto frames = frames_in(bytes);
    bytes[(*frames)[frame].data + 7] = static_cast<char>(bytes[(*frames)[frame].data + 7] ^ 0x10);
    return bytes;
  }

  test::Scratch folder_;
  test::Story story_;
};

const std::vector<int> kFiveFrames{0, 60, 7'200, 7'260, 14'400, 14'460, 21'600, 21'660, 28'800, 28'860};

TEST_F(DamagedTape, AFlippedBitInTheMiddleOfADayCostsNoFrameBehindItWhenTheRecorderStarts) {
  EXPECT_TRUE(record(kFiveFrames).empty());
  const std::string damaged = with_bit_flipped(1);
  test::put_day(path(), damaged);
  const std::vector<std::string> told = record({36'000});
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told.front().find(path()), std::string::npos) << told.front();
  EXPECT_NE(told.front().find(utc_text(at(7'200))), std::string::npos) << told.front();
  EXPECT_TRUE(test::bytes_of_day(path()).starts_with(damaged)) << "it is only gone on with";
  EXPECT_EQ(frames_in(test::bytes_of_day(path()))->size(), 6U);
}

TEST_F(DamagedTape, ABadMarkPutsNoDayAsideAndIsTold) {
  EXPECT_TRUE(record(kFiveFrames).empty());
  std::string damaged = test::bytes_of_day(path());
  damaged[frames_in(damaged)->at(3).begin + 12] ^= 1;
  test::put_day(path(), damaged);
  EXPECT_EQ(record({36'000}).size(), 1U);
  EXPECT_TRUE(test::bytes_of_day(path()).starts_with(damaged));
  const auto frames = frames_in(test::bytes_of_day(path()));
  ASSERT_EQ(frames->size(), 6U);
  EXPECT_EQ((*frames)[3].at, at(21'600)) << "its lines tell when it was";
  EXPECT_TRUE(text_of(test::bytes_of_day(path()), (*frames)[3]));
}

TEST_F(DamagedTape, WhatIsPutAsideIsToldAndNeverWrittenOver) {
  EXPECT_TRUE(record(kFiveFrames).empty());
  for (const char* name : {"", "-2", "-3"}) {
    const std::string notes =
        "no recording, but a file of another's " + std::string(name) + std::string(50, 'x');
    test::put_day(path(), notes);
    const std::vector<std::string> told = record({36'000});
    ASSERT_EQ(told.size(), 1U);
    EXPECT_NE(told.front().find(path() + std::string(kAsideEnd) + name), std::string::npos) << told.front();
    EXPECT_EQ(test::bytes_of_day(path() + std::string(kAsideEnd) + name), notes);
  }
}

TEST_F(DamagedTape, ZerosAtTheEndCostTheLastRoundAndTheRecorderSaysSo) {
  EXPECT_TRUE(record(kFiveFrames).empty());
  std::string damaged = test::bytes_of_day(path());
  const std::size_t begin = frames_in(damaged)->back().begin;
  damaged.resize(damaged.size() - 7);  // a frame that was not ended
  std::fill(damaged.end() - 8, damaged.end(), '\0');
  test::put_day(path(), damaged);
  const std::vector<std::string> told = record({36'000});
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told.front().find(std::string(kAsideEnd)), std::string::npos) << told.front();
  EXPECT_EQ(test::bytes_of_day(path() + std::string(kAsideEnd)), damaged.substr(begin));
  int rounds = 0;
  auto all = open_recordings(folder_.path());
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->front()->rounds({}, TimePoint::max(), [&](const Round&) { return ++rounds > 0; }));
  EXPECT_EQ(rounds, 10);
}

const ThinTo kToTenMinutes{Duration{600'000}, "9.9", {}};
bool refused(const std::string& day) { return !thinner(day, kToTenMinutes).ok(); }

// The first frame is asked whether it is thin already: as a recorder writes it.
std::string with_head(const std::string& day) {
  Compressor compressor = small_compressor();
  std::string head = compressor.begin(at(-60));
  head += compressor.add("{\"at\":\"" + utc_text(at(-60)) +
                         "\",\"kind\":\"key\",\"head\":{\"format\":\"tessera-recording\",\"version\":2,"
                         "\"cluster\":\"hpc\"}}\n");
  return head + compressor.end() + day;
}

// Of three rounds, each of which is a block: a recorder that was killed. Days of more frames take longer to
// try.
std::string killed_frame() {
  const std::string day = small_day(false);
  return day.substr(frames_in(day)->back().begin);
}

// Where the blocks of the last frame begin.
std::vector<std::size_t> blocks_of_last(const std::string& day) {
  constexpr std::size_t kFrameHeader = 6;
  std::vector<std::size_t> all;
  for (std::size_t block = frames_in(day)->back().data + kFrameHeader; block + 3 <= day.size();) {
    all.push_back(block);
    std::size_t header = 0;
    for (std::size_t i = 0; i < 3; ++i)
      header |= static_cast<std::size_t>(static_cast<unsigned char>(day[block + i])) << (8 * i);
    block += 3 + (header >> 3);
  }
  return all;
}

// A day was kept as it was for ever, since a kill had cut its last round.
TEST(DamagedDay, CutOffByAKillItIsMadeThinnerUpToItsLastSoundBlock) {
  const std::string killed = killed_frame();
  const std::vector<std::size_t> blocks = blocks_of_last(killed);
  ASSERT_EQ(blocks.size(), 3U);
  for (std::size_t size = 1; size <= killed.size(); size += 5) {
    const std::string day = with_head(killed.substr(0, size));
    const auto thin = thinner(day, kToTenMinutes);
    ASSERT_TRUE(thin.ok() && *thin) << size << ": " << (thin.ok() ? "" : to_line(thin.error()));
    Lines before = lines_in(day), after = lines_in(**thin);
    EXPECT_EQ(before.size(), after.size()) << size;
    std::erase_if(before, [](const std::string& line) { return line.find("\"key\"") != std::string::npos; });
    EXPECT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end())) << size;
  }
  EXPECT_FALSE(refused(with_head(killed + std::string(4096, '\0')))) << "room that was never written to";
}

// It looks like a kill: the file ends before the block does. The blocks behind it were gone for good, or the
// day was kept as it is for ever.
TEST(DamagedDay, ALengthThatIsDamagedLosesNothingOfTheDayWhereItIsMadeThinner) {
  const std::string killed = killed_frame();
  const std::vector<std::size_t> blocks = blocks_of_last(killed);
  int thinner_days = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (std::size_t torn = 0; torn < killed.size() - blocks.back(); torn += 11)
      for (const int bit : {5, 6, 7, 10}) {
        std::string day = killed.substr(0, killed.size() - torn);
        if (blocks[i] + 2U >= day.size()) continue;
        char& length = day[blocks[i] + (bit == 10 ? 2U : 1U)];
        length = static_cast<char>(length | (bit == 10 ? 0x04 : 1 << bit));
        const std::string whole = with_head(day);
        const bool kept = refused(whole);
        if (!kept) ++thinner_days;
        EXPECT_TRUE(kept || lost_end_of(whole).frame == day)
            << i << ", bit " << bit << ", " << torn << " bytes torn off";
      }
  EXPECT_GT(thinner_days, 0);
  EXPECT_EQ(lost_end_of(with_head(killed)).frame, "") << "all of it can be read";
  EXPECT_EQ(lost_end_of(with_head(killed + std::string(4096, '\0'))).frame, "") << "room holds nothing";
  EXPECT_EQ(lost_end_of(small_day(true)).frame, "");
}

// What lies behind the damage would be gone for good.
TEST(DamagedDay, IsNeverMadeThinner) {
  const std::string bytes = small_day(true), killed = small_day(false);
  std::string flipped = bytes;
  const auto frames = frames_in(bytes);
  flipped[(*frames)[1].data + 7] = static_cast<char>(flipped[(*frames)[1].data + 7] ^ 0x10);
  ASSERT_FALSE(frames_in(flipped)->at(1).damage.empty());
  EXPECT_FALSE(refused(with_head(bytes)));
  EXPECT_FALSE(refused(with_head(killed))) << "all of it can be read";
  EXPECT_TRUE(refused(with_head(flipped)));
  EXPECT_TRUE(refused(with_head(killed.substr(0, killed.size() - 20)) + std::string(200, 'x')));
  EXPECT_TRUE(refused(with_head(bytes + std::string(200, 'x'))));
  std::string mark = bytes;
  mark[(*frames)[2].begin + 12] ^= 1;
  EXPECT_TRUE(refused(with_head(mark)));
}

}  // namespace
}  // namespace tessera::record
