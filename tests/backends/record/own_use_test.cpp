// What each of those that share a GPU uses by itself, and whether a vGPU has a licence, as a recording keeps
// them: in the round in which they moved, through key frames, and under other names.
#include "engine/insight/own_use.hpp"

#include <gtest/gtest.h>

#include "backends/record/moment.hpp"
#include "backends/record/reader.hpp"
#include "engine/record/recorder.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

OwnUse uses(const char* workload, float use, std::int64_t memory) {
  return {WorkloadId(workload), {}, Percent{use}, Mib{memory}};
}

struct Told final : EventSink {
  std::vector<Event> events;
  void post(Event event) override { events.push_back(std::move(event)); }
};

// What is recorded of one cluster, read back into another model, line by line.
struct Kept {
  Story story;
  std::string salt;
  record::Recorder recorder;
  record::Reader reader;
  Model model;
  std::string lines;  // of the last round

  explicit Kept(std::string wanted_salt = "")
      : salt(std::move(wanted_salt)), recorder(record::Wanted{Duration{60'000}, "", salt, nullptr}) {
    Slice shared = whole(0);
    shared.kind = SliceKind::time_slice, shared.capacity = 4;
    story.tell(NodesListed{{node("n1", {gpu(0, Strategy::time_slicing, {shared})})}});
    story.tell(WorkloadsListed{{running("ml/a", "alice", {holds("n1", {{0, 1}})}),
                                running("ml/b", "bob", {holds("n1", {{0, 1}})})}});
    story.tell(Loaded{});
  }
  void measured(int seconds, std::vector<OwnUse> own, Source own_source = Source::dcgm,
                std::optional<bool> licensed = {}) {
    GpuFigures first;
    first.gpu = GpuIndex{0};
    GpuFigures by_itself = first;
    first.figures.use = Percent{80}, first.figures.licensed = licensed;
    by_itself.own = std::move(own);
    if (own_source == Source::dcgm) first.own = std::exchange(by_itself.own, {});
    story.tell(Measured{NodeName("n1"), Source::dcgm, at(seconds), {first}}, seconds);
    if (own_source != Source::dcgm)
      story.tell(Measured{NodeName("n1"), own_source, at(seconds), {by_itself}}, seconds);
  }
  void round(int seconds, bool key = false) {
    lines = recorder.take(story.cluster(), at(seconds), key);
    std::vector<Event> events;
    for (std::size_t from = 0; from < lines.size();) {
      const std::size_t end = lines.find('\n', from);
      const Status read = reader.take(std::string_view(lines).substr(from, end - from), events);
      EXPECT_TRUE(read) << (read ? "" : to_line(read.error()));
      from = end + 1;
    }
    for (Event& event : events) reduce(model, std::move(event));
  }
  bool wrote(const std::string& kind) const {
    return lines.find("\"kind\":\"" + kind + "\"") != std::string::npos;
  }
  const Gpu& read() const { return model.clusters.at(0).nodes.all()[0].gpus.at(0); }
};

TEST(RecordedOwnUse, IsReadAsItWasToldWithItsTime) {
  Kept kept;
  kept.measured(50, {uses("ml/a", 70, 20'000), uses("ml/b", 0.5F, 900)});
  kept.round(60, true);
  ASSERT_TRUE(kept.read().own);
  EXPECT_EQ(kept.read().own->list, (std::vector{uses("ml/a", 70, 20'000), uses("ml/b", 0, 900)}))
      << "below 1 % is not used";
  EXPECT_EQ(kept.read().own->origin.source, Source::dcgm);
  EXPECT_EQ(kept.read().telemetry.use, Percent{80}) << "and the GPU's own figures stand beside it";
}

TEST(RecordedOwnUse, NoiseIsNotWrittenAndCountsAsMeasuredAllTheSame) {
  Kept kept;
  kept.measured(50, {uses("ml/a", 70, 20'000)});
  kept.round(60, true);
  kept.measured(110, {uses("ml/a", 73, 20'100)});
  kept.round(120);
  EXPECT_FALSE(kept.wrote("own")) << kept.lines;
  ASSERT_TRUE(kept.read().own);
  EXPECT_EQ(kept.read().own->list.front().use, Percent{70});
  EXPECT_GE(kept.read().own->origin.at, at(110));
  kept.measured(170, {uses("ml/a", 0, 20'000)});
  kept.round(180);
  EXPECT_EQ(kept.read().own->list.front().use, Percent{0});
}

TEST(RecordedOwnUse, OfAnotherSourceThanTheFiguresHasItsOwnTime) {
  Kept kept;
  kept.measured(50, {uses("ml/a", 70, 20'000)}, Source::nvidia_smi);
  kept.round(60, true);
  kept.measured(110, {uses("ml/a", 70, 20'000)}, Source::nvidia_smi);
  kept.round(120);
  ASSERT_TRUE(kept.read().own);
  EXPECT_EQ(kept.read().own->origin, (Origin{Source::nvidia_smi, at(110)}));
  // No more is told by it: what it told is gone, and the other's figures stand.
  kept.story.tell(Measured{NodeName("n1"), Source::nvidia_smi, at(170), {}}, 170);
  kept.round(180);
  EXPECT_FALSE(kept.read().own);
  EXPECT_EQ(kept.read().telemetry.use, Percent{80});
}

TEST(RecordedOwnUse, StandsInEachKeyFrameAndBehindAnotherLayout) {
  Kept kept;
  kept.measured(50, {uses("ml/a", 70, 20'000)});
  kept.round(60, true);
  kept.round(120, true);
  ASSERT_TRUE(kept.read().own);
  Slice shared = whole(0);
  shared.kind = SliceKind::time_slice, shared.capacity = 2;
  kept.story.tell(NodeSeen{node("n1", {gpu(0, Strategy::time_slicing, {shared})})}, 130);
  kept.round(180);
  ASSERT_TRUE(kept.wrote("node"));
  ASSERT_TRUE(kept.read().own);
  EXPECT_EQ(kept.reader.nodes().at("n1").gpus[0].own->list.size(), 1U) << "also for who jumps there";
}

TEST(RecordedOwnUse, WhatIsToldNoMoreIsGone) {
  Kept kept;
  kept.measured(50, {uses("ml/a", 70, 20'000)});
  kept.round(60, true);
  kept.measured(110, {});
  kept.round(120);
  EXPECT_FALSE(kept.read().own);
}

TEST(RecordedOwnUse, AJumpToBeforeItWasToldTakesItAway) {
  Kept before, after;
  before.measured(50, {});
  before.round(60, true);
  after.measured(50, {uses("ml/a", 70, 20'000)}, Source::nvidia_smi);
  after.round(60, true);
  record::Moments moments;
  Told queue;
  Model shown;
  const auto go_to = [&](const Kept& kept) {
    moments.tell(queue, ClusterName("hpc"), kept.model.clusters.at(0), at(60));
    for (Event& event : std::exchange(queue.events, {})) reduce(shown, std::move(event));
    return shown.clusters.at(0).nodes.all()[0].gpus.at(0).own.has_value();
  };
  EXPECT_TRUE(go_to(after));
  EXPECT_FALSE(go_to(before));
}

TEST(RecordedOwnUse, IsUnderTheNamesOfItsJobsWhereNamesAreDigests) {
  Kept kept("salt");
  kept.measured(50, {uses("ml/a", 70, 20'000)});
  kept.round(60, true);
  EXPECT_EQ(kept.lines.find("ml/a"), std::string::npos);
  ASSERT_TRUE(kept.read().own);
  EXPECT_NE(kept.model.clusters.at(0).workloads.find(kept.read().own->list.front().workload), nullptr);
}

TEST(RecordedOwnUse, OfANodeOrGpuThatIsNotThereIsDropped) {
  Kept kept;
  kept.round(60, true);
  std::vector<Event> events;
  for (const char* node : {"n9", "n1"})
    ASSERT_TRUE(kept.reader.take(
        std::string("{\"at\":\"2027-01-15T08:01:00Z\",\"kind\":\"own\",\"own\":{\"node\":\"") + node +
            "\",\"gpus\":[{\"gpu\":7,\"source\":\"dcgm-exporter\",\"uses\":[{\"workload\":\"x\",\"use\":-3}]}"
            "]}}",
        events));
  for (Event& event : events) reduce(kept.model, std::move(event));
  EXPECT_FALSE(kept.read().own);
}

TEST(RecordedLicence, OfAVirtualGpuIsReadAsItWasTold) {
  Kept kept;
  kept.measured(50, {}, Source::dcgm, false);
  kept.round(60, true);
  EXPECT_EQ(kept.read().telemetry.licensed, false);
  kept.measured(110, {}, Source::dcgm, true);
  kept.round(120);
  EXPECT_EQ(kept.read().telemetry.licensed, true);
  kept.measured(170, {}, Source::dcgm);
  kept.round(180);
  EXPECT_EQ(kept.read().telemetry.licensed, std::nullopt) << "not told is neither";
}

}  // namespace
}  // namespace tessera::test
