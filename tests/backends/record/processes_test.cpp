// Who had a GPU open, as a recording keeps it: at its own time, through key frames, and under other names.
#include "engine/model/processes.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "backends/record/moment.hpp"
#include "backends/record/reader.hpp"
#include "engine/record/recorder.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {
namespace processes_test {

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
    Slice half = instance("3g.40gb", 0, 4, 7);
    half.instance_id = 2;
    story.tell(NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::mig, {half})}),
                            node("n2", {gpu(0, Strategy::whole, {whole(0)})})}});
    story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 1}})})}});
    story.tell(Loaded{});
  }
  void opened(std::vector<GpuProcess> list, int seconds, std::optional<float> use = std::nullopt) {
    GpuFigures first, second;
    first.gpu = GpuIndex{0};
    first.processes = std::move(list);
    if (use) first.figures.use = Percent{*use};
    second.gpu = GpuIndex{1};
    second.processes.emplace();
    SliceFigures half;
    half.profile = ProfileName("3g.40gb");
    half.instance_id = 2;
    half.uuid = "MIG-7089d0f3";
    second.slices = {half};
    story.tell(Measured{NodeName("n1"), Source::nvidia_smi, at(seconds), {first, second}}, seconds);
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
  const Node& node_read(const std::string& name) const {
    return *model.clusters.at(0).nodes.find(NodeName(name));
  }
};

std::vector<GpuProcess> served_by_mps() {
  return {{620, "nvidia-cuda-mps-server", {}, Mib{66}, WorkloadId("-")},
          {585, "python3", {}, Mib{628}, WorkloadId("1")}};
}

TEST(RecordedProcesses, AreReadAsTheyWereToldWithTheirTime) {
  Kept kept;
  kept.opened(served_by_mps(), 10, 40);
  kept.round(60, true);
  const Node& node = kept.node_read("n1");
  ASSERT_TRUE(node.gpus[0].processes);
  EXPECT_EQ(node.gpus[0].processes->list, served_by_mps());
  EXPECT_EQ(node.gpus[0].processes->origin, (Origin{Source::nvidia_smi, at(10)}));
  ASSERT_TRUE(node.gpus[1].processes) << "told, and none";
  EXPECT_TRUE(node.gpus[1].processes->list.empty());
  EXPECT_EQ(node.gpus[1].slices[0].uuid, "MIG-7089d0f3");
  EXPECT_FALSE(kept.node_read("n2").gpus[0].processes) << "not told";
  EXPECT_EQ(node.gpus[0].telemetry.use, Percent{40});
}

TEST(RecordedProcesses, AreWrittenAgainOnlyWhenTheyAreToldAgain) {
  Kept kept;
  kept.opened(served_by_mps(), 10);
  kept.round(60, true);
  kept.round(120);
  EXPECT_EQ(kept.lines.find("\"processes\""), std::string::npos) << kept.lines;
  kept.opened({}, 130);
  kept.round(180);
  ASSERT_TRUE(kept.node_read("n1").gpus[0].processes);
  EXPECT_TRUE(kept.node_read("n1").gpus[0].processes->list.empty());
  EXPECT_EQ(kept.node_read("n1").gpus[0].processes->origin.at, at(130));
}

TEST(RecordedProcesses, StandInEachKeyFrame) {
  Kept kept;
  kept.opened(served_by_mps(), 10, 40);
  kept.round(60, true);
  kept.round(120, true);
  ASSERT_TRUE(kept.node_read("n1").gpus[0].processes);
  EXPECT_EQ(kept.node_read("n1").gpus[0].processes->list.size(), 2u);
  EXPECT_EQ(kept.node_read("n1").gpus[0].telemetry.use, Percent{40});
}

// Figures move each round, and the model keeps what one source told last as one.
TEST(RecordedProcesses, AreNotWipedByFiguresOfTheSameSource) {
  Kept kept;
  kept.opened(served_by_mps(), 10, 40);
  kept.round(60, true);
  kept.opened(served_by_mps(), 70, 80);
  kept.round(120);
  EXPECT_EQ(kept.node_read("n1").gpus[0].telemetry.use, Percent{80});
  ASSERT_TRUE(kept.node_read("n1").gpus[0].processes);
  EXPECT_EQ(kept.node_read("n1").gpus[0].processes->list.size(), 2u);
}

TEST(RecordedProcesses, WhatIsToldNoMoreIsGone) {
  Kept kept;
  kept.opened(served_by_mps(), 10);
  kept.round(60, true);
  kept.story.tell(Measured{NodeName("n1"), Source::nvidia_smi, at(70), {}}, 70);
  kept.round(120);
  EXPECT_FALSE(kept.node_read("n1").gpus[0].processes);
}

struct Posted final : EventSink {
  std::vector<Event> events;
  void post(Event event) override { events.push_back(std::move(event)); }
};

// A moment out of a recording said that it holds none; and what one moment had must not stand in another.
TEST(RecordedProcesses, StandInTheMomentThatIsLookedBackAtAndInNoOther) {
  Kept before, after;
  before.round(60, true);
  after.opened(served_by_mps(), 10);
  after.round(60, true);
  record::Moments moments;
  Posted queue;
  Model shown;
  const auto go_to = [&](const Kept& kept) -> const Gpu& {
    moments.tell(queue, ClusterName("hpc"), kept.model.clusters.at(0), at(60));
    for (Event& event : std::exchange(queue.events, {})) reduce(shown, std::move(event));
    return shown.clusters.at(0).nodes.find(NodeName("n1"))->gpus[0];
  };
  const Gpu& then = go_to(after);
  ASSERT_TRUE(then.processes);
  EXPECT_EQ(then.processes->list, served_by_mps());
  EXPECT_EQ(then.processes->origin, (Origin{Source::nvidia_smi, at(10)}));
  EXPECT_FALSE(go_to(before).processes);
}

TEST(RecordedProcesses, AreUnderOtherNamesWhereThatIsWished) {
  Kept kept("salt");
  kept.opened({{620, "nvidia-cuda-mps-server", {}, {}, WorkloadId("-")},
               {585, "alices-secret", {}, {}, WorkloadId("1")}},
              10);
  kept.round(60, true);
  EXPECT_EQ(kept.lines.find("secret"), std::string::npos);
  EXPECT_EQ(kept.lines.find("MIG-7089d0f3"), std::string::npos);
  const Node* node = nullptr;
  for (const Node& one : kept.model.clusters.at(0).nodes.all())
    if (one.gpus.size() == 2) node = &one;
  ASSERT_NE(node, nullptr);
  ASSERT_TRUE(node->gpus[0].processes);
  const auto by = served(node->gpus[0].processes->list);
  ASSERT_EQ(by.size(), 2u);
  EXPECT_TRUE(is_of_none(*by[0].process)) << "that it is of no job is no name";
  ASSERT_TRUE(by[1].server) << "what is a service keeps its name";
  const auto& work = kept.model.clusters.at(0).workloads;
  EXPECT_NE(work.find(by[1].process->workload), nullptr) << "called as its job is";
}

TEST(RecordedProcesses, OfANodeThatIsNotThereAreDropped) {
  Kept kept;
  kept.round(60, true);
  std::vector<Event> events;
  ASSERT_TRUE(
      kept.reader.take("{\"at\":\"2027-01-15T08:01:00Z\",\"kind\":\"processes\",\"opened\":{\"node\":"
                       "\"n9\",\"source\":\"nvidia-smi\",\"gpus\":[{\"processes\":[{\"pid\":-5}]}]}}",
                       events));
  EXPECT_TRUE(events.empty());
}

}  // namespace processes_test
}  // namespace tessera::test
