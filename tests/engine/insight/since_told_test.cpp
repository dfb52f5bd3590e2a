// Since when a finding holds, where only the log of what the console saw can tell.
#include "engine/insight/since_told.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {
namespace since_told {

Gpu sevenths() {
  Gpu one = gpu(0, Strategy::mig, {});
  for (int i = 0; i < 7; ++i) one.slices.push_back(instance("1g.10gb", i, 1, i));
  one.mig_mode = MigMode::enabled;
  return one;
}
Gpu bare() {
  Gpu one = gpu(0, Strategy::mig, {});
  one.mig_mode = MigMode::enabled;
  return one;
}
Gpu pending() {
  Gpu one = sevenths();
  one.mig_mode = MigMode::disable_pending;
  return one;
}
NodesListed fleet(int nodes, const Gpu& each) {
  NodesListed all;
  for (int i = 0; i < nodes; ++i) all.nodes.push_back(node("n" + std::to_string(i), {each}));
  return all;
}

Story watched(NodesListed first) {
  Story story;
  story.tell(std::move(first));
  story.tell(WorkloadsListed{});
  story.tell(Loaded{});
  return story;
}

std::vector<insight::Finding> all_of(const Story& story) {
  auto all = insight::attention(story.cluster(), catalogue(), at(900));
  insight::add_since(all, story.model, story.cluster());
  return all;
}
std::optional<TimePoint> since(const Story& story, const std::string& subject, std::string_view part) {
  for (const insight::Finding& one : all_of(story))
    if (one.subject == subject && one.text.find(part) != std::string::npos) return one.since;
  ADD_FAILURE() << "no finding of " << subject << " about " << part;
  return std::nullopt;
}

constexpr std::string_view kMode = "MIG mode change is pending", kBare = "MIG on, no slices";

// "SINCE -" on each of twenty-five nodes whose modes were changed by one script.
TEST(SinceTold, OfAModeThatBeginsToWaitOnManyNodesAtOnce) {
  Story story = watched(fleet(25, sevenths()));
  story.tell(fleet(25, pending()), 40);
  EXPECT_EQ(story.model.work_log.size(), 1u) << "told as one";
  for (const char* name : {"n0", "n24"}) EXPECT_EQ(since(story, name, kMode), at(40)) << name;
}

TEST(SinceTold, IsLeftOutWhereMoreNodesThanAnEntryNamesMayBeMeant) {
  Story story = watched(fleet(100, sevenths()));
  story.tell(NodeSeen{node("n0", {pending()})}, 10);
  story.tell(NodeSeen{node("n0", {sevenths()})}, 20);
  story.tell(fleet(100, pending()), 40);
  EXPECT_EQ(since(story, "n0", kMode), std::nullopt) << "the entry of 10 is of an earlier time";
  EXPECT_EQ(since(story, "n99", kMode), std::nullopt);
  story.tell(NodeSeen{node("n0", {sevenths()})}, 50);
  story.tell(NodeSeen{node("n0", {pending()})}, 60);
  EXPECT_EQ(since(story, "n0", kMode), at(60)) << "an entry of its own, which is newer";
}

// The mode had been changed back and forth while the node was away.
TEST(SinceTold, IsNotThatOfATimeBeforeTheNodeLeftTheList) {
  Story story = watched(fleet(2, sevenths()));
  story.tell(NodeSeen{node("n1", {pending()})}, 10);
  EXPECT_EQ(since(story, "n1", kMode), at(10));
  story.tell(NodeGone{NodeName("n1")}, 20);
  story.tell(NodeSeen{node("n1", {pending()})}, 30);
  EXPECT_EQ(since(story, "n1", kMode), std::nullopt);
}

TEST(SinceTold, NorWhereItLeftTheListWithManyOthers) {
  Story story = watched(fleet(100, sevenths()));
  story.tell(NodeSeen{node("n7", {pending()})}, 10);
  story.tell(NodesListed{}, 20);
  story.tell(NodeSeen{node("n7", {pending()})}, 30);
  EXPECT_EQ(since(story, "n7", kMode), std::nullopt);
}

// A fault of a GPU did not begin when its layout was changed last.
TEST(SinceTold, OfWhatASourceRemarksOnAGpuIsNotThatOfItsLayout) {
  Story story = watched({{node("n1", {sevenths()})}});
  story.tell(NodeSeen{node("n1", {bare()})}, 70);
  Remark fault{Remark::Grade::danger, "n1", true, "GPU 0: remapping a row of its memory failed", ""};
  fault.gpu = GpuIndex{0};
  story.tell(RemarksListed{Source::dcgm, {fault}}, 80);
  EXPECT_EQ(since(story, "n1", "remapping a row"), std::nullopt);
  EXPECT_EQ(since(story, "n1", kBare), at(70));
}

// It had none at all.
TEST(SinceTold, OfAGpuWithoutSlicesIsTheTimeAtWhichItLostThem) {
  Story story = watched({{node("n1", {sevenths()}), node("n2", {bare()})}});
  story.tell(NodeSeen{node("n1", {bare()})}, 70);
  EXPECT_EQ(since(story, "n1", kBare), at(70));
  EXPECT_EQ(since(story, "n2", kBare), std::nullopt) << "it had none at the first look";
  Gpu waits = bare();
  waits.mig_mode = MigMode::disable_pending;
  story.tell(NodeSeen{node("n1", {waits})}, 80);
  EXPECT_EQ(since(story, "n1", kBare), at(70)) << "that its mode waits is another thing";
  EXPECT_EQ(since(story, "n1", kMode), at(80));
}

TEST(SinceTold, OfOneGpuIsNotThatOfAnother) {
  Gpu first = sevenths(), tenth = sevenths();
  tenth.index = GpuIndex{10};
  Gpu one = sevenths();
  one.index = GpuIndex{1};
  Story story = watched({{node("n1", {first, one, tenth})}});
  first.slices.clear(), tenth.slices.clear();
  story.tell(NodeSeen{node("n1", {first, one, tenth})}, 30);
  one.slices.clear();
  story.tell(NodeSeen{node("n1", {first, one, tenth})}, 50);
  EXPECT_EQ(since(story, "n1", "GPU 0: MIG on"), at(30));
  EXPECT_EQ(since(story, "n1", "GPU 10: MIG on"), at(30));
  EXPECT_EQ(since(story, "n1", "GPU 1: MIG on"), at(50));
}

TEST(SinceTold, OfADaemonIsTheTimeAtWhichItFellSilent) {
  const auto ping = [](bool primary, bool backup) {
    return DaemonsSeen{{{"slurmctld", "h1", primary, "primary"}, {"slurmctld", "h2", backup, "backup1"}}};
  };
  Story story = watched({});
  story.tell(ping(true, true));
  story.tell(ping(true, false), 100);
  EXPECT_EQ(since(story, "slurmctld", "backup1 does not answer on h2"), at(100));
  story.tell(ping(false, false), 200);
  EXPECT_EQ(since(story, "slurmctld", "the primary does not answer on h1"), at(200));
  EXPECT_EQ(since(story, "slurmctld", "backup1 does not answer on h2"), at(100));
  Story late = watched({});
  late.tell(ping(true, false));
  EXPECT_EQ(since(late, "slurmctld", "backup1"), std::nullopt) << "it was silent at the first look";
}

TEST(SinceTold, OfAnAnswerThatLeftSomethingOutIsTheFirstThatDid) {
  const SourceReport hidden{Source::slurm_jobs, std::nullopt, Duration{5}, "PrivateData=jobs: hidden"};
  Story story = watched({});
  story.tell(hidden, 60);
  story.tell(hidden, 90);
  EXPECT_EQ(since(story, "scontrol show job", "PrivateData"), at(60));
  Story first;
  first.tell(hidden);
  first.tell(Loaded{});
  EXPECT_EQ(since(first, "scontrol show job", "PrivateData"), std::nullopt) << "so it was at the first look";
}

}  // namespace since_told
}  // namespace tessera::test
