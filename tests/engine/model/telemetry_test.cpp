// Figures are told apart from nodes: several sources, one shown, none wiped by a list.
#include "engine/model/telemetry.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

Event on(const char* cluster, decltype(Event::what) what, int seconds = 0) {
  return {ClusterName(cluster), 1, at(seconds), std::move(what)};
}

constexpr int kOld = 121;  // seconds, just not fresh any more

Measured measures(Source source, int seconds, std::optional<float> use,
                  std::vector<SliceFigures> slices = {}) {
  GpuFigures figures;
  figures.gpu = GpuIndex{0};
  if (use) figures.figures.use = Percent{*use};
  figures.figures.temperature = Celsius{40};
  figures.slices = std::move(slices);
  return {NodeName("n1"), source, at(seconds), {figures}};
}

struct Place {
  Model model;

  Place() {
    list();
    reduce(model, on("hpc", Loaded{}));
  }
  Changes tell(Measured told) {
    const int seconds = static_cast<int>((told.at - at(0)) / std::chrono::seconds(1));
    return reduce(model, on("hpc", std::move(told), seconds));
  }
  Changes list(int seconds = 0) {
    return reduce(
        model,
        on("hpc",
           NodesListed{{node(
               "n1", {gpu(0, Strategy::mig, {instance("3g.40gb", 0, 4, 7), instance("3g.40gb", 4, 4, 8)})})}},
           seconds));
  }
  const Gpu& board() const { return model.clusters[0].nodes.find(NodeName("n1"))->gpus[0]; }
};

TEST(Telemetry, ProcessesAndUuidsAreThoseToldLastWhoseeverFiguresAreShown) {
  Place place;
  place.tell(measures(Source::dcgm, 1, 70));
  EXPECT_EQ(place.board().processes, std::nullopt) << "not told is not none";
  Measured looked = measures(Source::nvidia_smi, 1, std::nullopt);
  looked.gpus[0].processes = std::vector<GpuProcess>{{4711, "python3", 7, Mib{1'634}, WorkloadId("12")}};
  SliceFigures first;
  first.profile = ProfileName("3g.40gb");
  first.device = 7;
  first.uuid = "MIG-1";
  looked.gpus[0].slices = {first};
  place.tell(looked);
  place.tell(measures(Source::dcgm, 300, 60));
  place.list(301);
  EXPECT_EQ(place.board().telemetry.origin.source, Source::dcgm);
  ASSERT_TRUE(place.board().processes);
  EXPECT_EQ(place.board().processes->list, looked.gpus[0].processes);
  EXPECT_EQ(place.board().processes->origin, (Origin{Source::nvidia_smi, at(1)}));
  EXPECT_EQ(place.board().slices[0].uuid, "MIG-1");
  EXPECT_EQ(place.board().slices[1].uuid, "");
}

// As processes: they stay what they were told last while another source's figures are shown.
TEST(Telemetry, WhatEachSharerUsesIsThatWhichWasToldLast) {
  Place place;
  Measured told = measures(Source::dcgm, 1, 70);
  told.gpus[0].own = {{WorkloadId("a/p"), 7, Percent{66}, Mib{900}}};
  place.tell(told);
  place.list(2);
  ASSERT_TRUE(place.board().own) << "a list of nodes wipes none";
  EXPECT_EQ(place.board().own->list, told.gpus[0].own);
  EXPECT_EQ(place.board().own->origin, (Origin{Source::dcgm, at(1)}));
  place.tell(measures(Source::nvidia_smi, 3, 60));
  EXPECT_TRUE(place.board().own) << "another source tells nothing of it";
  place.tell(measures(Source::dcgm, 4, 60));
  EXPECT_EQ(place.board().own, std::nullopt) << "it tells it no longer";
}

TEST(Telemetry, WhatANodeSaysOfItsSharersIsTakenAsItsFigures) {
  Node listed = node("n1", {gpu(0, Strategy::time_slicing, {Slice{}})});
  listed.gpus[0].telemetry.use = Percent{70};
  listed.gpus[0].telemetry.origin = {Source::dcgm, at(1)};
  listed.gpus[0].own = OwnUses{{{WorkloadId("a/p"), {}, Percent{66}, Mib{900}}}, {Source::dcgm, at(1)}};
  const std::vector<Measured> told = take_figures(listed);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].gpus[0].own.size(), 1u);
  EXPECT_EQ(listed.gpus[0].own, std::nullopt);
}

// A list of nodes dropped them: a moment of a recording was shown without who had its GPUs open then.
TEST(Telemetry, WhoHasTheGpusOfAListedNodeOpenIsTakenAsItsFigures) {
  const GpuProcess miner{4711, "miner", {}, Mib{900}, WorkloadId("-")};
  Node listed = node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})});
  for (Gpu& one : listed.gpus) {
    one.telemetry.use = Percent{70};
    one.telemetry.origin = {Source::nvidia_smi, at(9)};
  }
  listed.gpus[0].processes = GpuProcesses{{miner}, {Source::nvidia_smi, at(5)}};
  listed.gpus[1].processes = GpuProcesses{{}, {Source::nvidia_smi, at(5)}};
  Node read = listed;
  const std::vector<Measured> told = take_figures(read);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].at, at(5)) << "they are no newer because figures are";
  EXPECT_EQ(read.gpus[0].processes, std::nullopt);
  Model model;
  reduce(model, on("hpc", NodesListed{{listed}}, 10));
  const Node& shown = *model.clusters.at(0).nodes.find(NodeName("n1"));
  ASSERT_TRUE(shown.gpus[0].processes && shown.gpus[1].processes);
  EXPECT_EQ(shown.gpus[0].processes->list, std::vector<GpuProcess>{miner});
  EXPECT_EQ(shown.gpus[0].processes->origin, (Origin{Source::nvidia_smi, at(5)}));
  EXPECT_TRUE(shown.gpus[1].processes->list.empty()) << "told, and none";
  EXPECT_EQ(shown.gpus[1].telemetry.use, Percent{70});
}

TEST(Telemetry, ASourceThatTellsProcessesAloneIsOneOfItsOwn) {
  Node listed = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
  listed.gpus[0].telemetry.use = Percent{70};
  listed.gpus[0].telemetry.origin = {Source::dcgm, at(9)};
  listed.gpus[0].processes = GpuProcesses{{}, {Source::nvidia_smi, at(5)}};
  const std::vector<Measured> told = take_figures(listed);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].source, Source::dcgm);
  EXPECT_EQ(told[0].at, at(9));
  EXPECT_EQ(told[0].gpus[0].processes, std::nullopt);
  EXPECT_EQ(told[1].source, Source::nvidia_smi);
  EXPECT_EQ(told[1].at, at(5));
  EXPECT_TRUE(told[1].gpus[0].processes);
}

TEST(Telemetry, PipesAreFiguresLikeUse) {
  Place place;
  SliceFigures half;
  half.profile = ProfileName("3g.40gb");
  half.device = 8;
  half.tensor = Percent{12};
  half.memory_busy = Percent{34};
  Measured told = measures(Source::dcgm, 1, std::nullopt, {half});
  told.gpus[0].figures.tensor = Percent{6};
  place.tell(told);
  EXPECT_EQ(place.board().telemetry.tensor, Percent{6});
  EXPECT_EQ(place.board().slices[1].tensor, Percent{12});
  EXPECT_EQ(place.board().slices[1].memory_busy, Percent{34});
  EXPECT_EQ(place.board().slices[0].tensor, std::nullopt);
}

TEST(Telemetry, AListOfNodesWipesNoFigure) {
  Place place;
  place.tell(measures(Source::dcgm, 1, 70));
  const std::uint64_t revision = place.model.revision;
  place.list(2);
  EXPECT_EQ(place.board().telemetry.use, Percent{70});
  EXPECT_EQ(place.board().telemetry.origin, (Origin{Source::dcgm, at(1)}));
  EXPECT_EQ(place.model.revision, revision) << "the same node as before";
}

TEST(Telemetry, TheHigherRankIsShownWhileItIsFresh) {
  Place place;
  place.tell(measures(Source::dcgm, 0, 70));
  place.tell(measures(Source::nvidia_smi, 10, 55));
  EXPECT_EQ(place.board().telemetry.use, Percent{70}) << "newer is not better";
  EXPECT_EQ(place.board().telemetry.origin.source, Source::dcgm);
  place.tell(measures(Source::nvidia_smi, kOld, 56));
  EXPECT_EQ(place.board().telemetry.use, Percent{56}) << "the other one has aged";
  EXPECT_EQ(place.board().telemetry.origin.source, Source::nvidia_smi);
  place.tell(measures(Source::dcgm, kOld + 1, 71));
  EXPECT_EQ(place.board().telemetry.use, Percent{71});
}

TEST(Telemetry, FiguresThatAreNotRenewedStayWithTheirAge) {
  Place place;
  place.tell(measures(Source::nvidia_smi, 0, 55));
  place.tell(measures(Source::dcgm, 10, 70));
  place.list(1000);
  EXPECT_EQ(place.board().telemetry.use, Percent{70}) << "the newest of those that are old";
  EXPECT_EQ(place.board().telemetry.origin.at, at(10));
}

TEST(Telemetry, ASourceThatStopsLeavesTheOthers) {
  Place place;
  place.tell(measures(Source::nvidia_smi, 0, 55));
  place.tell(measures(Source::dcgm, 1, 70));
  EXPECT_TRUE(place.tell({NodeName("n1"), Source::dcgm, at(2), {}}).any());
  EXPECT_EQ(place.board().telemetry.use, Percent{55});
  place.tell({NodeName("n1"), Source::nvidia_smi, at(3), {}});
  EXPECT_EQ(place.board().telemetry, Telemetry{}) << "unknown, not the last value and not 0";
}

// Under MIG a GPU has no use of its own; what another source says of the GPU is not put in its place.
TEST(Telemetry, WhatTheShownSourceDoesNotTellStaysUnknown) {
  Place place;
  place.tell(measures(Source::nvidia_smi, 0, 55));
  place.tell(measures(Source::dcgm, 1, std::nullopt));
  EXPECT_EQ(place.board().telemetry.use, std::nullopt);
  EXPECT_EQ(place.board().telemetry.temperature, Celsius{40});
}

TEST(Telemetry, SlicesAreFoundByWhatNamesThem) {
  Place place;
  SliceFigures second;
  second.profile = ProfileName("3g.40gb");
  second.device = 8;
  second.use = Percent{90};
  SliceFigures recut = second;
  recut.profile = ProfileName("1g.10gb");  // of the layout before
  recut.device = 7;
  place.tell(measures(Source::dcgm, 1, std::nullopt, {recut, second}));
  EXPECT_EQ(place.board().slices[0].use, std::nullopt) << "this one is not measured";
  EXPECT_EQ(place.board().slices[0].measured.source, Source::none);
  EXPECT_EQ(place.board().slices[1].use, Percent{90});
  EXPECT_EQ(place.board().slices[1].measured, (Origin{Source::dcgm, at(1)}));
}

TEST(Telemetry, TheSameFiguresAgainMoveNoRow) {
  Place place;
  place.tell(measures(Source::dcgm, 1, 70));
  const std::uint64_t revision = place.model.revision;
  EXPECT_FALSE(place.tell(measures(Source::dcgm, 9, 70)).any());
  EXPECT_EQ(place.model.revision, revision);
  EXPECT_EQ(place.board().telemetry.origin.at, at(9));
}

TEST(Telemetry, MayComeBeforeItsNodeAndGoesWithIt) {
  Model model;
  reduce(model, on("hpc", measures(Source::dcgm, 0, 70)));
  reduce(model, on("hpc", NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)})})}}));
  reduce(model, on("hpc", Loaded{}));
  const Cluster& cluster = model.clusters[0];
  EXPECT_EQ(cluster.nodes.find(NodeName("n1"))->gpus[0].telemetry.use, Percent{70});
  reduce(model, on("hpc", NodeGone{NodeName("n1")}));
  EXPECT_TRUE(cluster.figures.empty());
  reduce(model, on("hpc", measures(Source::dcgm, 1, 70)));
  EXPECT_TRUE(cluster.figures.empty()) << "no node of this cluster";
}

TEST(Telemetry, GpusAreFoundByTheirUuidWhereBothTellOne) {
  Node swapped = node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})});
  swapped.gpus[0].uuid = "GPU-b", swapped.gpus[1].uuid = "GPU-a";
  Measured told = measures(Source::dcgm, 1, 70);
  told.gpus[0].uuid = "GPU-a";
  EXPECT_TRUE(show_figures(swapped, {{Source::dcgm, told}}, at(1)));
  EXPECT_EQ(swapped.gpus[0].telemetry.use, std::nullopt);
  EXPECT_EQ(swapped.gpus[1].telemetry.use, Percent{70});
}

TEST(Telemetry, FiguresReadWithTheNodeAreToldByTheirOrigin) {
  Node read = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
  read.gpus[0].telemetry.use = Percent{12};
  read.gpus[0].telemetry.origin = {Source::nvidia_smi, at(4)};
  read.gpus[0].slices[0].memory_used = Mib{100};
  const std::vector<Measured> told = take_figures(read);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].source, Source::nvidia_smi);
  EXPECT_EQ(told[0].at, at(4));
  EXPECT_EQ(told[0].gpus[0].slices[0].memory_used, Mib{100});
  EXPECT_EQ(read.gpus[0].telemetry, Telemetry{});
  EXPECT_EQ(read.gpus[0].slices[0].memory_used, std::nullopt);
}

}  // namespace
}  // namespace tessera::test
