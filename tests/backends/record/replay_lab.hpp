// A recorder and who shows what it writes, a round at a time.
// Threads: one test at a time.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>

#include "backends/mailbox.hpp"
#include "backends/record/archive.hpp"
#include "backends/record/follow.hpp"
#include "backends/record/recording.hpp"
#include "backends/record/tape.hpp"
#include "backends/record/zstd_stream.hpp"
#include "engine/history/history.hpp"
#include "engine/model/reduce.hpp"
#include "engine/record/recorder.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {

// A node with one GPU, which alice holds.
inline void tell_one_gpu_held(Story& story) {
  story.tell(ClusterSeen{Scheduler::slurm, false, "slurm 24.11", "", "hpc-1"});
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)})})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 1}})})}});
  story.tell(Loaded{});
}

// A day's file, to be damaged.
inline std::string bytes_of_day(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void put_day(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}
// 24 bytes of that frame, from so far behind the beginning of its compressed bytes on, 0 to 1.
inline void damage_day(const std::string& path, std::size_t frame, double part) {
  std::string all = bytes_of_day(path);
  const record::Frame there = record::frames_in(all)->at(frame);
  const auto size = static_cast<double>(there.end - there.data);
  const std::size_t begin = there.data + std::max<std::size_t>(8, static_cast<std::size_t>(size * part));
  std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(begin), 24, '\xff');
  put_day(path, all);
}

class ReplayLab : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tessera-replay-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    story_.tell(ClusterSeen{Scheduler::slurm, false, "slurm 24.11", "slurm.conf", "hpc-1"});
    cut("3g.40gb");
    story_.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{7, 1}})}), running("2", "bob", {})}});
    story_.tell(Loaded{});
  }
  void TearDown() override {
    player_.reset();
    tape_.reset();
    std::filesystem::remove_all(folder_);
  }
  void cut(const std::string& profile) {
    story_.tell(NodesListed{{node("n1", {gpu(0, Strategy::mig, {instance(profile, 0, 4, 7)})}),
                             node("n2", {gpu(0, Strategy::whole, {whole(0)})})}});
  }
  void write(int seconds) {
    if (!tape_) {
      auto opened = record::open_tape(folder_, ClusterName("hpc"), {});
      ASSERT_TRUE(opened);
      tape_ = std::move(*opened);
    }
    const bool key = tape_->wants_key(at(seconds));
    ASSERT_TRUE(tape_->write(recorder_.take(story_.cluster(), at(seconds), key), at(seconds), key));
  }
  // 0 and 60: all as it was; 120: job 2 ended; 180: nothing; 240: another layout on n1; 300: nothing.
  void a_while() {
    write(0), write(60);
    story_.tell(WorkloadGone{WorkloadId("2")}, 90);
    write(120), write(180);
    cut("4g.40gb");
    write(240), write(300);
    tape_.reset();
  }
  void play_from(int seconds) {
    auto archive = record::open_archive(folder_, [] { return at(9999); });
    auto opened = archive->open({ClusterName("hpc")}, at(seconds));
    ASSERT_TRUE(opened) << to_line(opened.error());
    player_ = std::move(opened->front());
    player_->start(mailbox_);
    wait();
  }
  // Beside the recorder, by a clock that stands.
  void follow_at(int wall) {
    auto recordings = record::open_recordings(folder_);
    ASSERT_TRUE(recordings);
    player_ =
        std::make_unique<record::FollowBackend>(std::move(recordings->front()), [wall] { return at(wall); });
    player_->start(mailbox_);
    wait();
  }
  record::Player& player() { return *player_->player(); }
  // Until the moment that was asked for has been told.
  void wait() {
    for (bool told = false; !told;) {
      pollfd fd{mailbox_.wake_fd(), POLLIN, 0};
      ASSERT_EQ(poll(&fd, 1, 10'000), 1) << "nothing came";
      for (Event& event : mailbox_.take()) {
        told |= std::holds_alternative<Loaded>(event.what);
        reduce(model_, std::move(event));
      }
    }
  }
  void after(const std::function<void()>& act) {
    act();
    wait();
  }
  // Of the GPU of n2, in a moment whose charts begin at `from`.
  std::optional<TimePoint> idle_since(int seconds, int from) {
    play_from(seconds);
    history::KeepsFigures* keeps = player_->keeps_figures();
    after([&] { keeps->look_back(NodeName("n2"), at(from)); });
    const std::vector<history::KeptFigures> kept = keeps->take_kept();
    EXPECT_EQ(kept.size(), 1U);
    history::History history;
    for (const history::KeptFigures& one : kept) history.take_instead(cluster(), one.node, one.rounds);
    const Gpu& board = cluster().nodes.find(NodeName("n2"))->gpus.front();
    return history.idle_since(ClusterName("hpc"), NodeName("n2"), history::key_of(board));
  }
  const Cluster& cluster() const { return model_.clusters.front(); }
  int shown() const {
    return static_cast<int>((cluster_now(cluster(), at(99'999)) - at(0)) / std::chrono::seconds(1));
  }
  std::string found() const { return cluster().recorded ? cluster().recorded->found : "no recording"; }

  std::string folder_;
  Story story_;
  record::Recorder recorder_{record::Wanted{}};
  std::unique_ptr<record::Tape> tape_;
  Mailbox mailbox_;
  Model model_;
  BackendPtr player_;
};

}  // namespace tessera::test
