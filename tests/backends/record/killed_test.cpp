// A recorder is killed at any moment: what it had written stands, and the next one goes on behind it.
#include <gtest/gtest.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "backends/record/recording.hpp"
#include "backends/record/tape.hpp"
#include "engine/record/recorder.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

constexpr int kEvery = 60, kKeyEvery = 7;  // seconds between rounds; rounds between key frames here

// A cluster in which something else changes in each round.
class Moving {
 public:
  Moving() {
    story_.tell(ClusterSeen{Scheduler::slurm, false, "slurm 24.11", "", "hpc-1"});
    std::vector<Node> nodes;
    for (int n = 0; n < 40; ++n)
      nodes.push_back(node("n" + std::to_string(100 + n), {gpu(0, Strategy::whole, {whole(0)})}));
    story_.tell(NodesListed{std::move(nodes)});
    story_.tell(WorkloadsListed{});
    story_.tell(Loaded{});
  }
  const Cluster& at_round(int round) {
    story_.tell(WorkloadSeen{running(std::to_string(round), "alice", {})}, round * kEvery);
    for (int n = 0; n < 40; ++n) {
      GpuFigures figures;
      figures.gpu = GpuIndex{0};
      figures.figures.use = Percent{static_cast<float>((round * 13 + n * 29) % 101)};
      story_.tell(
          Measured{NodeName("n" + std::to_string(100 + n)), Source::dcgm, at(round * kEvery), {figures}},
          round * kEvery);
    }
    return story_.cluster();
  }

 private:
  Story story_;
};

Status write_round(record::Tape& tape, record::Recorder& recorder, Moving& cluster, int round) {
  const TimePoint time = at(round * kEvery);
  const bool key = tape.wants_key(time) || round % kKeyEvery == 0;
  return tape.write(recorder.take(cluster.at_round(round), time, key), time, key);
}

// In the child: a byte for each round that was written, until a signal that nothing catches ends it so many
// microseconds after the first.
[[noreturn]] void record_until_killed(const std::string& folder, int from, int tell, int lives) {
  Moving cluster;
  auto tape = record::open_tape(folder, ClusterName("hpc"), {});
  record::Recorder recorder{record::Wanted{}};
  for (int round = from; tape; ++round) {
    if (!write_round(**tape, recorder, cluster, round) || ::write(tell, "x", 1) != 1) break;
    const itimerval death{{0, 0}, {0, lives}};
    if (round == from && setitimer(ITIMER_REAL, &death, nullptr) != 0) break;
  }
  _exit(1);
}

// How many rounds the recorder wrote for sure before it was killed.
int record_and_kill(const std::string& folder, int from, int lives) {
  int told[2];
  EXPECT_EQ(pipe(told), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(told[0]);
    record_until_killed(folder, from, told[1], lives);
  }
  close(told[1]);
  int rounds = 0;
  for (char byte = 0; read(told[0], &byte, 1) == 1;) ++rounds;
  close(told[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "it ended by itself";
  return rounds;
}

std::vector<int> rounds_in(const std::string& folder) {
  std::vector<int> all;
  auto recordings = record::open_recordings(folder);
  EXPECT_TRUE(recordings) << to_line(recordings.error());
  if (!recordings) return all;
  const Status read = recordings->front()->rounds({}, TimePoint::max(), [&](const record::Round& round) {
    const int number = static_cast<int>((round.at - at(0)) / std::chrono::seconds(kEvery));
    // What is read of a round is all of it: its own job is there, and each figure is of that round.
    EXPECT_TRUE(round.cluster.workloads.find(WorkloadId(std::to_string(number)))) << number;
    all.push_back(number);
    return true;
  });
  EXPECT_TRUE(read) << to_line(read.error());
  return all;
}

TEST(RecorderKilled, AtAnyMomentAllThatWasWrittenStandsAndTheNextGoesOnBehindIt) {
  char name[] = "/tmp/tessera-killed-XXXXXX";
  ASSERT_NE(mkdtemp(name), nullptr);
  const std::string folder = name;
  std::mt19937 random(20);
  int next = 0;
  for (int kills = 0; kills < 25; ++kills) {
    const int from = next;
    const int written = record_and_kill(folder, from, 1 + static_cast<int>(random() % 30'000));
    const std::vector<int> read = rounds_in(folder);
    ASSERT_FALSE(read.empty());
    // The one that was being written when it was killed may be there as well.
    EXPECT_GE(read.back(), from + written - 1) << "kill " << kills;
    EXPECT_LE(read.back(), from + written) << "kill " << kills;
    EXPECT_EQ(static_cast<int>(read.size()), read.back() + 1) << "no round before is lost, kill " << kills;
    next = read.back() + 1;
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tessera::test
