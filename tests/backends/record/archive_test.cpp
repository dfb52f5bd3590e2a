// A recorder's folder added up in the background: the same sums as read at once, progress, and giving up.
#include "backends/record/archive.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "backends/record/recording.hpp"
#include "backends/record/tape.hpp"
#include "engine/record/recorder.hpp"
#include "tests/backends/sim/worlds.hpp"

namespace tessera::record {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class ArchiveOfTheSimulator : public testing::Test {
 protected:
  // Six hours of the simulator's clusters, a round every ten minutes.
  void SetUp() override {
    char name[] = "/tmp/tessera-archive-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    for (sim::World& world : sim::worlds_of("demo", 7)) {
      const Model first = sim::model_of(world);
      names_.push_back(first.clusters.front().name);
      auto tape = open_tape(folder_, names_.back(), {});
      ASSERT_TRUE(tape) << to_line(tape.error());
      Recorder recorder{Wanted{}};
      for (int i = 0; i < 36; ++i) {
        world.advance(world.now + 10min);
        const Model model = sim::model_of(world);
        const bool key = (*tape)->wants_key(world.now);
        ASSERT_TRUE((*tape)->write(recorder.take(model.clusters.front(), world.now, key), world.now, key));
      }
    }
    archive_ = open_archive(
        folder_, [] { return TimePoint{}; }, usage::Span{});
  }
  void TearDown() override {
    archive_.reset();
    fs::remove_all(folder_);
  }
  // Follows a reading to its end.
  Archive::AddingUp wait() {
    double before = 0;
    for (int i = 0; i < 3000; ++i) {
      pollfd fd{archive_->events().wake_fd(), POLLIN, 0};
      poll(&fd, 1, 10);
      archive_->events().take();
      const auto now = archive_->added_up();
      if (!now) break;
      EXPECT_GE(now->part, before);
      before = now->part;
      if (now->is_over()) return *now;
    }
    ADD_FAILURE() << "no end";
    return {};
  }

  std::string folder_;
  std::vector<ClusterName> names_;
  std::unique_ptr<Archive> archive_;
};

TEST_F(ArchiveOfTheSimulator, ComesToWhatReadingItAtOnceComesTo) {
  archive_->add_up(names_, 24h, {}, test::catalogue(), usage::PastSource::recording);
  const Archive::AddingUp told = wait();
  ASSERT_TRUE(told.sums) << (told.failure ? to_line(*told.failure) : "");
  auto recordings = open_recordings(folder_);
  ASSERT_TRUE(recordings);
  auto once = usage::reckon(*recordings, {24h}, test::catalogue());
  ASSERT_TRUE(once);
  EXPECT_EQ(told.sums->from, once->from);
  EXPECT_EQ(told.sums->to, once->to);
  EXPECT_NEAR(told.sums->hours, once->hours, 1e-9);
  const auto& users = told.sums->sums.at(usage::By::user);
  ASSERT_EQ(users.size(), once->sums.at(usage::By::user).size());
  EXPECT_GT(users.size(), 3U);
  EXPECT_NEAR(users.front().gpu_hours, once->sums.at(usage::By::user).front().gpu_hours, 1e-9);
  EXPECT_EQ(told.sums->waste.size(), once->waste.size());
  EXPECT_EQ(archive_->added_up(), std::nullopt) << "its end is told once";
}

// A recording keeps use to ten points: what is below 5 % it does not tell.
TEST_F(ArchiveOfTheSimulator, AnotherIdleBelowThanTheRecordersIsAFailure) {
  usage::Span span;
  span.limits.idle_below = 5;
  archive_ = open_archive(
      folder_, [] { return TimePoint{}; }, span);
  archive_->add_up(names_, 24h, {}, test::catalogue(), usage::PastSource::recording);
  const Archive::AddingUp told = wait();
  EXPECT_FALSE(told.sums);
  ASSERT_TRUE(told.failure);
  EXPECT_TRUE(told.failure->reason.starts_with("idle-below is 5, and a recording")) << told.failure->reason;
}

TEST_F(ArchiveOfTheSimulator, WhatIsGivenUpTellsNothingMore) {
  archive_->add_up(names_, 24h, {}, test::catalogue(), usage::PastSource::recording);
  archive_->give_up();
  EXPECT_FALSE(archive_->added_up());
  archive_->add_up(names_, 1h, {}, test::catalogue(), usage::PastSource::recording);
  const Archive::AddingUp told = wait();
  ASSERT_TRUE(told.sums);
  EXPECT_EQ(told.sums->asked.since, Duration(1h)) << "the second one's, not the first one's";
}

TEST_F(ArchiveOfTheSimulator, AClusterThatIsNotRecordedIsPassedOverWhileOthersAre) {
  archive_->add_up({ClusterName("nowhere"), names_.front()}, 24h, {}, test::catalogue(),
                   usage::PastSource::recording);
  EXPECT_TRUE(wait().sums);
  archive_->add_up({ClusterName("nowhere")}, 24h, {}, test::catalogue(), usage::PastSource::recording);
  const Archive::AddingUp told = wait();
  ASSERT_TRUE(told.failure);
  EXPECT_NE(told.failure->reason.find("nothing is recorded of nowhere"), std::string::npos);
  EXPECT_FALSE(told.failure->hint.empty());
}

// What else knows the past is read on the same thread, one at a time, and asked now and then to go on.
TEST_F(ArchiveOfTheSimulator, ReadsWhatElseKnowsThePast) {
  using usage::PastSource;
  std::vector<std::string> asked;
  std::promise<void> begun;
  Elsewhere elsewhere;
  elsewhere.prometheus = [&](Duration since, const usage::KeepOn& keep_on) -> Result<usage::Reckoning> {
    asked.push_back("Prometheus, " + std::to_string(since / 1h));
    keep_on(0.5);
    usage::Reckoning all;
    all.hours = 5;
    return all;
  };
  elsewhere.accounting = [&](Duration, const usage::KeepOn& keep_on) -> Result<usage::Reckoning> {
    asked.emplace_back("accounting");
    begun.set_value();
    while (keep_on(0)) std::this_thread::yield();
    return Error{"cannot ask slurmdbd", "it was given up", ""};
  };
  archive_ = open_archive(
      "", [] { return TimePoint{}; }, usage::Span{}, elsewhere);
  EXPECT_EQ(archive_->sources(), (std::vector<PastSource>{PastSource::prometheus, PastSource::accounting}));
  EXPECT_FALSE(archive_->open(names_, {})) << "nothing to go back into";
  archive_->add_up(names_, 2h, {}, test::catalogue(), PastSource::accounting);
  begun.get_future().wait();
  archive_->add_up(names_, 3h, {}, test::catalogue(), PastSource::prometheus);
  const Archive::AddingUp told = wait();
  ASSERT_TRUE(told.sums);
  EXPECT_EQ(told.sums->hours, 5);
  EXPECT_EQ(asked, (std::vector<std::string>{"accounting", "Prometheus, 3"}));
}

// Sums without it would pass for those of all clusters.
TEST_F(ArchiveOfTheSimulator, AClusterWhoseRecordingCannotBeReadIsAFailure) {
  for (const auto& entry : fs::recursive_directory_iterator(folder_ + "/" + folder_name(names_.front())))
    if (entry.is_regular_file() && entry.path().extension() == ".zst")
      std::ofstream(entry.path(), std::ios::binary) << std::string(4000, '\x5a');
  archive_->add_up(names_, 24h, {}, test::catalogue(), usage::PastSource::recording);
  const Archive::AddingUp told = wait();
  ASSERT_TRUE(told.failure);
  EXPECT_FALSE(told.sums);
}

TEST_F(ArchiveOfTheSimulator, WhatIsGivenUpIsReadNoFurther) {
  std::promise<void> begun, may_go_on;
  int woken = 0;
  archive_ = open_archive(folder_, [&, go = may_go_on.get_future().share()] {
    if (woken++ == 0) {
      begun.set_value();
      go.wait();
    }
    return TimePoint{};
  });
  archive_->add_up(names_, 24h, {}, test::catalogue(), usage::PastSource::recording);
  begun.get_future().wait();
  archive_->give_up();
  may_go_on.set_value();
  archive_.reset();
  EXPECT_LE(woken, 2) << "it had begun, and says that it ended; 72 rounds would have followed";
}

}  // namespace
}  // namespace tessera::record
