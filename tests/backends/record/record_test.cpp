// What a recorder writes is what a reader gives back, whatever happens to the recorder, the disk and the
// clock.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <bit>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backends/record/recording.hpp"
#include "backends/record/tape.hpp"
#include "backends/record/zstd_stream.hpp"
#include "engine/record/anonymous.hpp"
#include "engine/record/difference.hpp"
#include "engine/record/recorder.hpp"
#include "engine/time.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

class RecordingOnDisk : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tessera-record-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    story_.tell(ClusterSeen{Scheduler::slurm, false, "slurm 24.11", "slurm.conf", "hpc-1"});
    story_.tell(NodesListed{
        {node("n1", {gpu(0, Strategy::mig, {instance("3g.40gb", 0, 4, 7), instance("3g.40gb", 4, 4, 8)})}),
         node("n2", {gpu(0, Strategy::whole, {whole(0)})})}});
    Workload job = running("1", "alice", {holds("n1", {{7, 1}})});
    job.limit = std::chrono::hours(30);
    story_.tell(WorkloadsListed{{job}});
    story_.tell(SourceReport{Source::slurm_nodes, {}, {}, "", false});
    story_.tell(SourceReport{Source::slurm_jobs, {}, {}, "", false});
    story_.tell(Loaded{});
  }
  void TearDown() override {
    tape_.reset();
    fs::remove_all(folder_);
  }

  void measure(int seconds, float use) {
    GpuFigures figures;
    figures.gpu = GpuIndex{0};
    figures.figures.use = Percent{use};
    figures.figures.memory_used = Mib{40'000};
    story_.tell(Measured{NodeName("n2"), Source::dcgm, at(seconds), {figures}}, seconds);
  }
  Status write(int seconds) {
    if (!tape_) {
      auto opened = record::open_tape(folder_, ClusterName("hpc"), {});
      if (!opened) return opened.error();
      tape_ = std::move(*opened);
    }
    const bool key = tape_->wants_key(at(seconds));
    return tape_->write(recorder_.take(story_.cluster(), at(seconds), key), at(seconds), key);
  }
  // No end of the frame is written, and the lock stays: a kill.
  void crash() {
    static auto* killed = new std::vector<decltype(tape_)>;  // never destroyed, and no leak
    killed->push_back(std::move(tape_));
  }
  std::string file() const {
    for (const auto& entry : fs::directory_iterator(folder_ + "/hpc"))
      if (entry.path().string().ends_with(".zst")) return entry.path().string();
    return {};
  }
  std::unique_ptr<record::Recording> open() {
    auto all = record::open_recordings(folder_);
    EXPECT_TRUE(all.ok()) << (all ? "" : to_line(all.error()));
    return all ? std::move(all->front()) : nullptr;
  }
  // Seconds of the rounds that can be read.
  std::vector<int> rounds() {
    std::vector<int> all;
    auto recording = open();
    if (!recording) return all;
    Status read = recording->rounds({}, TimePoint::max(), [&](const record::Round& round) {
      all.push_back(static_cast<int>((round.at - at(0)) / std::chrono::seconds(1)));
      return true;
    });
    EXPECT_TRUE(read.ok()) << (read ? "" : to_line(read.error()));
    return all;
  }

  std::string folder_;
  Story story_;
  record::Recorder recorder_{record::Wanted{}};
  std::unique_ptr<record::Tape> tape_;
};

TEST_F(RecordingOnDisk, WhatSourcesCostIsKeptAndWhatMakesNoSenseIsNot) {
  SourceReport nodes{Source::slurm_nodes, {}, {}, "", false};
  nodes.cost = SourceCost{30, 5'000'000, std::chrono::minutes(5)};
  story_.tell(nodes);
  SourceReport jobs{Source::slurm_jobs, Error{"cannot list the jobs", "late", ""}, {}, "", false};
  jobs.cost = SourceCost{7, 0, std::chrono::minutes(5)};
  story_.tell(jobs);
  SourceReport ping{Source::slurm_ping, {}, {}, "", false};
  ping.cost = SourceCost{1, 2, Duration{400}};  // of no whole second
  story_.tell(ping);
  ASSERT_TRUE(write(0));
  tape_.reset();
  auto recording = open();
  ASSERT_NE(recording, nullptr);
  auto then = recording->at(at(59));
  ASSERT_TRUE(then);
  const auto& sources = then->clusters.front().sources;
  EXPECT_EQ(sources.at(Source::slurm_nodes).cost, nodes.cost);
  EXPECT_EQ(sources.at(Source::slurm_jobs).cost, jobs.cost) << "of one that fails, too";
  EXPECT_EQ(sources.at(Source::slurm_ping).cost, std::nullopt);
}

TEST_F(RecordingOnDisk, PipesAreKeptOfGpusAndSlicesAndGoWhenTheyAreToldNoMore) {
  const auto tell = [&](int seconds, std::optional<Percent> tensor, std::optional<Percent> half) {
    GpuFigures figures;
    figures.gpu = GpuIndex{0};
    figures.figures.tensor = tensor;
    figures.figures.use = Percent{50};
    SliceFigures slice;
    slice.profile = ProfileName("3g.40gb");
    slice.device = 8;
    slice.use = Percent{50};
    slice.memory_busy = half;
    figures.slices = {slice};
    story_.tell(Measured{NodeName("n1"), Source::dcgm, at(seconds), {figures}}, seconds);
  };
  tell(0, Percent{30}, Percent{0.4F});
  ASSERT_TRUE(write(0));
  tell(60, std::nullopt, std::nullopt);
  ASSERT_TRUE(write(60));
  tape_.reset();
  auto recording = open();
  ASSERT_NE(recording, nullptr);
  auto then = recording->at(at(59));
  ASSERT_TRUE(then);
  const Gpu& before = then->clusters.front().nodes.find(NodeName("n1"))->gpus[0];
  EXPECT_EQ(before.telemetry.tensor, Percent{30});
  EXPECT_EQ(before.telemetry.memory_busy, std::nullopt) << "not told is not 0";
  EXPECT_EQ(before.slices[1].memory_busy, Percent{0}) << "below 1 % is 0, as use is";
  EXPECT_EQ(before.slices[0].memory_busy, std::nullopt);
  auto later = recording->at(at(61));
  ASSERT_TRUE(later);
  const Gpu& after = later->clusters.front().nodes.find(NodeName("n1"))->gpus[0];
  EXPECT_EQ(after.telemetry.tensor, std::nullopt);
  EXPECT_EQ(after.telemetry.use, Percent{50});
  EXPECT_EQ(after.slices[1].memory_busy, std::nullopt);
}

TEST_F(RecordingOnDisk, AMomentIsTheClusterAsItStood) {
  measure(0, 87);
  ASSERT_TRUE(write(0));
  story_.tell(WorkloadGone{WorkloadId("1")}, 30);
  measure(60, 0.4F);
  ASSERT_TRUE(write(60));
  tape_.reset();
  auto recording = open();
  ASSERT_NE(recording, nullptr);
  auto then = recording->at(at(59));
  ASSERT_TRUE(then);
  const Cluster& cluster = then->clusters.front();
  EXPECT_EQ(cluster.name.text, "hpc");
  EXPECT_EQ(cluster.version, "slurm 24.11");
  const Node* cut = cluster.nodes.find(NodeName("n1"));
  ASSERT_NE(cut, nullptr);
  EXPECT_EQ(cut->gpus[0].slices[0].placement, (Placement{0, 4}));
  EXPECT_EQ(cut->gpus[0].slices[0].holding, Holding::held) << "holders are worked out again";
  EXPECT_EQ(cluster.nodes.find(NodeName("n2"))->gpus[0].telemetry.use, Percent{85}) << "the nearest level";
  EXPECT_EQ(cluster.workloads.find(WorkloadId("1"))->limit, Duration(std::chrono::hours(30)));
  EXPECT_EQ(cluster_now(cluster, at(99'999)), at(0)) << "its clock stands still";

  auto later = recording->at(at(1000));
  ASSERT_TRUE(later);
  EXPECT_TRUE(later->clusters.front().workloads.empty());
  EXPECT_EQ(later->clusters.front().nodes.find(NodeName("n2"))->gpus[0].telemetry.use, Percent{0})
      << "below 1 % stays below 1 %";
  EXPECT_FALSE(recording->at(at(-1))) << "of the time before nothing is known";
}

TEST_F(RecordingOnDisk, WhatIsNotMeasuredAnyMoreIsAGapAndNotTheLastFigure) {
  measure(0, 50);
  ASSERT_TRUE(write(0));
  ASSERT_TRUE(write(60));
  tape_.reset();
  auto then = open()->at(at(60));
  ASSERT_TRUE(then);
  EXPECT_EQ(then->clusters.front().nodes.find(NodeName("n2"))->gpus[0].telemetry.origin.at, at(0));
}

// Each round as whoever goes through it sees it: use of n2 and when that was measured; nothing where none is.
TEST_F(RecordingOnDisk, FiguresThatVanishAreGoneFromThatRoundOnAndNotThoseOfNow) {
  const auto see = [&] {
    std::vector<std::pair<std::optional<Percent>, TimePoint>> all;
    const Status read = open()->rounds({}, TimePoint::max(), [&](const record::Round& round) {
      const Telemetry& told = round.cluster.nodes.find(NodeName("n2"))->gpus[0].telemetry;
      all.emplace_back(told.use, told.use ? told.origin.at : TimePoint{});
      return true;
    });
    EXPECT_TRUE(read.ok());
    return all;
  };
  // Another node goes on being measured by the same source.
  const auto others = [&](int seconds) {
    GpuFigures figures;
    figures.gpu = GpuIndex{0};
    figures.figures.use = Percent{30};
    story_.tell(Measured{NodeName("n1"), Source::dcgm, at(seconds), {figures}}, seconds);
  };
  measure(0, 50), others(0);
  ASSERT_TRUE(write(0));
  story_.tell(Measured{NodeName("n2"), Source::dcgm, at(60), {}}, 60), others(60);
  ASSERT_TRUE(write(60));
  others(120);
  ASSERT_TRUE(write(120));
  measure(180, 70), others(180);
  ASSERT_TRUE(write(180));
  // The node is otherwise in the round in which its figures vanish.
  Node closed = *story_.cluster().nodes.find(NodeName("n2"));
  closed.state = {"DRAIN"};
  story_.tell(NodeSeen{closed}, 240);
  story_.tell(Measured{NodeName("n2"), Source::dcgm, at(240), {}}, 240), others(240);
  ASSERT_TRUE(write(240));
  tape_.reset();
  using Seen = std::pair<std::optional<Percent>, TimePoint>;
  EXPECT_EQ(see(), (std::vector<Seen>{{Percent{50}, at(0)},
                                      {std::nullopt, {}},
                                      {std::nullopt, {}},
                                      {Percent{70}, at(180)},
                                      {std::nullopt, {}}}));
  for (int seconds : {60, 120, 240})
    EXPECT_FALSE(open()->at(at(seconds))->clusters.front().nodes.find(NodeName("n2"))->gpus[0].telemetry.use)
        << seconds;
}

TEST_F(RecordingOnDisk, OldFiguresKeepTheirTimeWhenTheyAreWrittenOnceMore) {
  measure(0, 50);
  ASSERT_TRUE(write(0));
  Node closed = *story_.cluster().nodes.find(NodeName("n2"));
  closed.state = {"DRAIN"};
  story_.tell(NodeSeen{closed}, 3600);
  ASSERT_TRUE(write(3600)) << "the node is written";
  ASSERT_TRUE(write(3 * 3600)) << "a key frame";
  tape_.reset();
  for (int seconds : {3600, 3 * 3600}) {
    const auto then = open()->at(at(seconds));
    ASSERT_TRUE(then);
    const Telemetry& told = then->clusters.front().nodes.find(NodeName("n2"))->gpus[0].telemetry;
    EXPECT_EQ(told.use, Percent{50}) << seconds;
    EXPECT_EQ(told.origin, (Origin{Source::dcgm, at(0)})) << seconds;
  }
}

TEST_F(RecordingOnDisk, WhatWasOldWhenTheRecorderStartedIsWrittenWithItsTime) {
  measure(0, 50);
  ASSERT_TRUE(write(1800));
  tape_.reset();
  const auto then = open()->at(at(1800));
  ASSERT_TRUE(then);
  EXPECT_EQ(then->clusters.front().nodes.find(NodeName("n2"))->gpus[0].telemetry.origin.at, at(0));
}

TEST_F(RecordingOnDisk, AnotherSourceBringsAllItsFiguresAndNoneOfTheOneBefore) {
  GpuFigures figures;
  figures.gpu = GpuIndex{0};
  figures.figures.use = Percent{50};
  figures.figures.power = Watts{300};
  story_.tell(Measured{NodeName("n2"), Source::dcgm, at(0), {figures}}, 0);
  ASSERT_TRUE(write(0));
  figures.figures.power.reset();
  story_.tell(Measured{NodeName("n2"), Source::dcgm, at(60), {}}, 60);
  story_.tell(Measured{NodeName("n2"), Source::nvidia_smi, at(60), {figures}}, 60);
  ASSERT_TRUE(write(60));
  tape_.reset();
  const auto then = open()->at(at(60));
  ASSERT_TRUE(then);
  const Telemetry& told = then->clusters.front().nodes.find(NodeName("n2"))->gpus[0].telemetry;
  EXPECT_EQ(told.use, Percent{50});
  EXPECT_FALSE(told.power);
  EXPECT_EQ(told.origin, (Origin{Source::nvidia_smi, at(60)}));
}

TEST_F(RecordingOnDisk, EachRoundIsTheMomentThatAJumpFinds) {
  measure(0, 87);
  ASSERT_TRUE(write(0));
  measure(60, 20);
  ASSERT_TRUE(write(60));
  story_.tell(
      NodeSeen{node("n2", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})})}, 90);
  ASSERT_TRUE(write(120));
  story_.tell(Measured{NodeName("n2"), Source::dcgm, at(150), {}}, 150);
  ASSERT_TRUE(write(180));
  GpuFigures figures;
  figures.gpu = GpuIndex{1};
  figures.figures.use = Percent{50};
  story_.tell(Measured{NodeName("n2"), Source::nvidia_smi, at(200), {figures}}, 200);
  story_.tell(WorkloadGone{WorkloadId("1")}, 210);
  ASSERT_TRUE(write(240));
  tape_.reset();
  auto recording = open(), jumps = open();
  ASSERT_NE(recording, nullptr);
  int seen = 0;
  ASSERT_TRUE(recording->rounds({}, TimePoint::max(), [&](const record::Round& round) {
    auto then = jumps->at(round.at);
    EXPECT_TRUE(then.ok());
    for (const Node& node : round.cluster.nodes.all()) {
      const Node* jumped = then->clusters.front().nodes.find(node.name);
      EXPECT_TRUE(jumped && *jumped == node) << utc_text(round.at) << " " << node.name.text;
    }
    return ++seen > 0;
  }));
  EXPECT_EQ(seen, 5);
}

TEST_F(RecordingOnDisk, ANewestFileThatToreInItsFirstFrameHidesNoneOfTheDaysBefore) {
  ASSERT_TRUE(write(0));
  ASSERT_TRUE(write(60));
  tape_.reset();
  for (const std::size_t kept : {std::size_t{1}, std::size_t{5}, std::size_t{60}}) {
    std::ifstream whole(file(), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(whole)), {});
    ASSERT_GT(bytes.size(), kept);
    const std::string torn = folder_ + "/hpc/2999-01-01.jsonl.zst";
    std::ofstream(torn, std::ios::binary) << bytes.substr(0, kept);
    EXPECT_EQ(rounds(), (std::vector{0, 60})) << kept;
    fs::remove(torn);
  }
}

// What cannot be read is no end of the recording: the days before would pass for all that there is.
TEST_F(RecordingOnDisk, ANewestFileThatIsDamagedHidesNoDayAndIsNoEnd) {
  ASSERT_TRUE(write(0));
  tape_.reset();
  std::ofstream(folder_ + "/hpc/2999-01-01.jsonl.zst", std::ios::binary) << std::string(3000, '\x5a');
  EXPECT_EQ(rounds(), std::vector{0});
  auto recording = open();
  EXPECT_EQ(recording->stopped(), record::Stop::damaged);
  const auto days = recording->days();
  ASSERT_TRUE(days);
  ASSERT_EQ(days->size(), 2U);
  EXPECT_FALSE(days->front().failure);
  EXPECT_TRUE(days->back().failure);
}

TEST_F(RecordingOnDisk, WhereNothingCanBeReadItIsAnErrorThatNamesTheNewestFile) {
  ASSERT_TRUE(write(0));
  tape_.reset();
  std::ofstream(file(), std::ios::binary) << std::string(3000, '\x5a');
  std::ofstream(folder_ + "/hpc/2999-01-01.jsonl.zst", std::ios::binary) << std::string(3000, '\x5a');
  auto all = record::open_recordings(folder_);
  ASSERT_FALSE(all);
  EXPECT_NE(all.error().reason.find("2999-01-01"), std::string::npos) << to_line(all.error());
}

TEST_F(RecordingOnDisk, ANewestDayWhoseOnlyFrameIsDamagedHidesNoDayAndIsNoEnd) {
  ASSERT_TRUE(write(0));
  tape_.reset();
  const std::string first = file(), day_after = folder_ + "/hpc/2999-01-01.jsonl.zst";
  fs::copy_file(first, day_after);
  std::fstream damaged(day_after, std::ios::in | std::ios::out | std::ios::binary);
  const auto middle = static_cast<std::streamoff>(fs::file_size(day_after) / 2);
  damaged.seekg(middle);
  const int byte = damaged.get();
  damaged.seekp(middle);
  damaged.put(static_cast<char>(byte ^ 0x55));
  damaged.close();
  EXPECT_EQ(rounds(), std::vector{0});
  EXPECT_EQ(open()->stopped(), record::Stop::damaged);
}

TEST_F(RecordingOnDisk, NoiseBelowAStepIsNotWrittenAgainButItsTimeMovesOn) {
  measure(0, 50);
  ASSERT_TRUE(write(0));
  measure(60, 52);
  ASSERT_TRUE(write(60));
  tape_.reset();
  auto then = open()->at(at(60));
  ASSERT_TRUE(then);
  const Telemetry& told = then->clusters.front().nodes.find(NodeName("n2"))->gpus[0].telemetry;
  EXPECT_EQ(told.use, Percent{50});
  EXPECT_EQ(told.origin, (Origin{Source::dcgm, at(60)}));
}

// Wherever a kill tore the file: what was written before the last round can be read, and recording goes on.
TEST_F(RecordingOnDisk, ATornTailCostsTheLastRoundAtMost) {
  ASSERT_TRUE(write(0));
  story_.tell(NodeGone{NodeName("n2")}, 30);
  ASSERT_TRUE(write(60));
  const auto second = fs::file_size(file());
  story_.tell(WorkloadGone{WorkloadId("1")}, 90);
  ASSERT_TRUE(write(120));
  crash();
  const auto third = fs::file_size(file());
  ASSERT_GT(third, second);
  EXPECT_EQ(rounds(), (std::vector{0, 60, 120})) << "what was written can be read though nothing was ended";
  for (auto size = third - 1; size >= second; --size) {
    fs::resize_file(file(), size);
    EXPECT_EQ(rounds(), (std::vector{0, 60})) << size;
  }
}

TEST_F(RecordingOnDisk, ARecorderThatWasKilledGoesOnInItsFile) {
  ASSERT_TRUE(write(0));
  ASSERT_TRUE(write(60));
  tape_.reset();
  const auto whole = fs::file_size(file());
  fs::resize_file(file(), whole - 3);  // the end of the frame is torn off
  recorder_ = record::Recorder(record::Wanted{});
  ASSERT_TRUE(write(120));
  tape_.reset();
  EXPECT_EQ(rounds(), (std::vector{0, 60, 120}));
}

TEST_F(RecordingOnDisk, AFileOfAnotherIsPutAsideAndNotWrittenTo) {
  ASSERT_TRUE(write(0));
  tape_.reset();
  std::ofstream(file(), std::ios::trunc)
      << "this is no recording, but it may be somebody's notes, so it is kept";
  const std::string path = file();
  ASSERT_TRUE(write(60));
  tape_.reset();
  EXPECT_TRUE(fs::exists(path + ".broken"));
  EXPECT_EQ(rounds(), (std::vector{60}));
}

TEST_F(RecordingOnDisk, AFullDiskLosesWhatDidNotFitAndNothingElse) {
  ASSERT_TRUE(write(0));
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit tight = before;
  tight.rlim_cur = fs::file_size(file()) + 10;
  setrlimit(RLIMIT_FSIZE, &tight);
  story_.tell(NodeGone{NodeName("n2")}, 30);
  const Status full = write(60);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(full);
  EXPECT_NE(to_line(full.error()).find(".jsonl.zst"), std::string::npos) << "it names the file";
  EXPECT_TRUE(tape_->wants_key(at(120)));
  ASSERT_TRUE(write(120)) << "there is room again";
  tape_.reset();
  EXPECT_EQ(rounds(), (std::vector{0, 120}));
  auto then = open()->at(at(120));
  ASSERT_TRUE(then);
  EXPECT_EQ(then->clusters.front().nodes.size(), 1U);
}

TEST_F(RecordingOnDisk, AClockThatIsSetBackBeginsANewKeyFrame) {
  ASSERT_TRUE(write(600));
  ASSERT_TRUE(write(660));
  EXPECT_TRUE(tape_->wants_key(at(300)));
  story_.tell(NodeGone{NodeName("n2")}, 30);
  ASSERT_TRUE(write(300));
  tape_.reset();
  EXPECT_EQ(rounds(), std::vector{300}) << "times that come once more are not told before they do";
  auto then = open()->at(at(400));
  ASSERT_TRUE(then);
  EXPECT_EQ(then->clusters.front().nodes.size(), 1U);
}

TEST_F(RecordingOnDisk, ADayIsAFileAndOldDaysGo) {
  constexpr int kDay = 86'400;
  for (int day : {0, 1, 2, 38, 39, 40}) ASSERT_TRUE(write(day * kDay));
  tape_.reset();
  EXPECT_EQ(rounds(), (std::vector{38 * kDay, 39 * kDay, 40 * kDay})) << "three are older than thirty days";
}

TEST_F(RecordingOnDisk, TheOldestDaysGoWhenAllIsLargerThanAllowed) {
  constexpr int kDay = 86'400;
  auto tape = record::open_tape(folder_, ClusterName("hpc"), {Duration(90LL * 86'400'000), 1'500});
  ASSERT_TRUE(tape);
  tape_ = std::move(*tape);
  for (int day : {0, 1, 2, 3, 4}) ASSERT_TRUE(write(day * kDay));
  tape_.reset();
  const std::vector<int> left = rounds();
  EXPECT_LT(left.size(), 5U);
  ASSERT_FALSE(left.empty());
  EXPECT_EQ(left.back(), 4 * kDay) << "the day that is written stays";
}

TEST_F(RecordingOnDisk, ASecondRecorderIsRefused) {
  ASSERT_TRUE(write(0));
  auto second = record::open_tape(folder_, ClusterName("hpc"), {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().reason.find("another recorder writes there") == std::string::npos, false);
}

TEST_F(RecordingOnDisk, ClustersWhoseNamesDifferHaveFoldersOfTheirOwn) {
  std::set<std::string> folders;
  for (const char* name : {"hpc", "a@b", "a:b", "a_b", "", "_", ".", "..", "a/b"})
    EXPECT_TRUE(folders.insert(record::folder_name(ClusterName(name))).second) << name;
  for (const std::string& name : folders) EXPECT_EQ(name.find('/'), std::string::npos) << name;
  EXPECT_TRUE(folders.contains("hpc"));
  EXPECT_FALSE(folders.contains(".") || folders.contains("..") || folders.contains(""));
}

TEST_F(RecordingOnDisk, NamesAreDigestsWhereThatIsWished) {
  Node told = node("n3", {});
  told.reason = "ask carol";
  story_.tell(NodeSeen{told});
  record::Recorder hashed{record::Wanted{Duration{60'000}, "0.2.0", "salt", nullptr}};
  const std::string lines = hashed.take(story_.cluster(), at(0), true);
  for (const char* name : {"alice", "\"n1\"", "\"n3\"", "hpc", "carol", "slurm.conf"})
    EXPECT_EQ(lines.find(name), std::string::npos) << name;
  EXPECT_NE(lines.find("3g.40gb"), std::string::npos) << "what the cluster is made of stays";
}

TEST_F(RecordingOnDisk, OneNameThatIsKnownGivesNoOtherAway) {
  EXPECT_EQ(record::hashed("alice", "salt"), record::hashed("alice", "salt"));
  EXPECT_NE(record::hashed("alice", "salt"), record::hashed("alice", "pepper"));
  EXPECT_NE(record::hashed("alice", "salt"), record::hashed("alicf", "salt"));
  EXPECT_EQ(record::hashed("alice", "salt").size(), 16u);
  // Of digests that FNV makes, two names that differ in their last letter differ by little more than that.
  const std::uint64_t a = std::stoull(record::hashed("node-1", "salt"), nullptr, 16);
  const std::uint64_t b = std::stoull(record::hashed("node-2", "salt"), nullptr, 16);
  EXPECT_GT(std::popcount(a ^ b), 8);
}

TEST_F(RecordingOnDisk, APodAndTheSlurmNodeInItStayJoinedUnderOtherNames) {
  Node in_pod = node("n1", {});
  in_pod.host_pod = HostPod{"slurm", "gpu-worker-0"};
  Workload pod = running("slurm/gpu-worker-0", "alice", {});
  pod.group = "slurm";
  record::hash_names(in_pod, "salt");
  record::hash_names(pod, "salt");
  EXPECT_EQ(in_pod.host_pod->workload(), pod.id);
  EXPECT_EQ(in_pod.host_pod->name_space, pod.group);
  EXPECT_EQ(pod.id.text.find("slurm"), std::string::npos);
}

TEST_F(RecordingOnDisk, WhichPodANodeRunsInAndWhoComesFirstAreKept) {
  Node in_pod = node("n3", {});
  in_pod.host_pod = HostPod{"slurm", "gpu-worker-0"};
  story_.tell(NodeSeen{in_pod});
  Workload first = running("2", "bob", {});
  first.state = WorkloadState::pending;
  first.priority = 4711;
  story_.tell(WorkloadSeen{first});
  ASSERT_TRUE(write(0));
  auto recording = open();
  ASSERT_NE(recording, nullptr);
  auto model = recording->at(at(0));
  ASSERT_TRUE(model);
  EXPECT_EQ(model->clusters.front().nodes.find(NodeName("n3"))->host_pod, in_pod.host_pod);
  EXPECT_EQ(model->clusters.front().workloads.find(WorkloadId("2"))->priority, 4711);
}

TEST(Differences, NameLayoutsHoldersAndHealth) {
  Story before, after;
  before.tell(NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)})})}});
  before.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 1}})})}});
  Node now = node("n1", {gpu(0, Strategy::mig, {instance("7g.80gb", 0, 8, 0)})});
  now.health = Health::drained;
  now.reason = "recut";
  after.tell(NodesListed{{now}});
  const auto all = record::differences(before.cluster(), after.cluster());
  EXPECT_EQ(all, (std::vector<record::Change>{{"n1", "health", "ok", "drained: recut"},
                                              {"n1 GPU 0", "layout", "whole", "mig 7g.80gb@0"},
                                              {"n1 GPU 0", "holders", "alice 1", ""},
                                              {"1", "workload", "running, alice", ""}}));
}

}  // namespace
}  // namespace tessera::test
