// What the tables say of the last minutes of a job is the job's own.
#include "engine/query/cells_time.hpp"

#include <gtest/gtest.h>

#include "engine/history/history.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {
namespace {

// One GPU, which others held before; measured each minute of the ten before at(0).
struct Measured10 {
  Story story;
  history::History history;

  Measured10(Slice slice, std::vector<Workload> work, std::vector<float> use) {
    story.tell(NodesListed{{node("n1", {gpu(0, Strategy::time_slicing, {slice})})}});
    story.tell(WorkloadsListed{std::move(work)});
    for (std::size_t i = 0; i < use.size(); ++i) {
      const int second = -570 + 60 * static_cast<int>(i);
      GpuFigures figures;
      figures.gpu = GpuIndex{0};
      SliceFigures told;
      told.device = 0;
      told.use = Percent{use[i]};
      figures.slices = {told};
      figures.figures.use = Percent{use[i]};
      story.tell(Measured{NodeName("n1"), Source::dcgm, at(second), {figures}}, second);
      history.take(story.cluster(), NodeName("n1"));
    }
  }
  query::WorkloadRow row(const char* id) const {
    return {&story.cluster(), story.cluster().workloads.find(WorkloadId(id))};
  }
  query::Context context() const { return {at(0), nullptr, &history}; }
  std::string trend(const char* id) const {
    return query::to_text(query::trend(row(id), context()), query::Format::text);
  }
  std::string idle(const char* id) const {
    return query::to_text(query::idle(row(id), context()), query::Format::duration);
  }
};

Workload begun(const char* id, int second) {
  Workload work = running(id, "alice", {holds("n1", {{0, 1}})});
  work.started = at(second);
  return work;
}

const std::vector<float> kBusyThenIdle{100, 100, 100, 100, 100, 0, 0, 0, 0, 0};

TEST(LastMinutes, WhatWasUsedBeforeAJobBeganIsNotItsOwn) {
  const Measured10 here(whole(0), {begun("1", -330)}, kBusyThenIdle);
  const std::string trend = query::trend_in_ascii(here.trend("1"));
  EXPECT_EQ(trend, "     _____") << "blank before its first minute";
  const Measured10 longer(whole(0), {begun("1", -3600)}, kBusyThenIdle);
  EXPECT_EQ(query::trend_in_ascii(longer.trend("1")), "#####_____");
}

TEST(LastMinutes, WhatSeveralUseTogetherIsNotTheUseOfOne) {
  const Slice slice = shared(SliceKind::time_slice, 4, 0);
  const Measured10 both(slice, {begun("1", -3600), begun("2", -3600)}, kBusyThenIdle);
  EXPECT_EQ(both.trend("1"), "n/a");
  const Measured10 alone(slice, {begun("1", -3600)}, kBusyThenIdle);
  EXPECT_EQ(query::trend_in_ascii(alone.trend("1")), "#####_____");
}

// A job on a busy 3g and an idle 1g: three of its four sevenths are used.
TEST(LastMinutes, SlicesOfSeveralSizesCountByTheirPartOfAGpu) {
  Story story;
  history::History history;
  story.tell(NodesListed{
      {node("n1", {gpu(0, Strategy::mig, {instance("3g.40gb", 0, 4, 0), instance("1g.10gb", 4, 1, 1)})})}});
  Workload work = running("1", "alice", {holds("n1", {{0, 1}, {1, 1}})});
  work.started = at(-3600);
  story.tell(WorkloadsListed{{work}});
  for (int second = -570; second <= -30; second += 60) {
    GpuFigures figures;
    figures.gpu = GpuIndex{0};
    for (const int device : {0, 1}) {
      SliceFigures told;
      told.profile = ProfileName(device == 0 ? "3g.40gb" : "1g.10gb");
      told.device = device;
      told.use = Percent{device == 0 ? 100.0F : 0.0F};
      figures.slices.push_back(told);
    }
    story.tell(Measured{NodeName("n1"), Source::dcgm, at(second), {figures}}, second);
    history.take(story.cluster(), NodeName("n1"));
  }
  const query::WorkloadRow row{&story.cluster(), story.cluster().workloads.find(WorkloadId("1"))};
  const auto shown = [&](const mig::Catalogue* known) {
    return query::to_text(query::trend(row, {at(0), known, &history}), query::Format::text);
  };
  EXPECT_EQ(query::trend_in_ascii(shown(&catalogue())), "**********") << "75 %, and not the mean of 50 %";
  EXPECT_EQ(shown(nullptr), "n/a") << "what part each is, is not known";
}

TEST(LastMinutes, WhereAnotherMayBeTheOneThatUsesItIdleIsNotKnown) {
  const Slice slice = shared(SliceKind::time_slice, 4, 0);
  const Measured10 used(slice, {begun("1", -3600), begun("2", -3600)}, {50, 50, 50});
  EXPECT_EQ(used.idle("1"), "n/a");
  const Measured10 unused(slice, {begun("1", -3600), begun("2", -3600)}, {50, 0, 0});
  EXPECT_EQ(unused.idle("1"), "8 min") << "none of them used it";
  const Measured10 alone(slice, {begun("1", -3600)}, {50, 50, 50});
  EXPECT_EQ(alone.idle("1"), "");
}

// Whoever jumps to a moment has that sample alone: "0 s" would look as if it had been used until then.
TEST(LastMinutes, OfARecordingIdleFromTheFirstMomentThatWasLookedAtIsNotKnown) {
  Duration apart{0};  // the figures of a node
  const auto at_a_moment = [&](std::vector<float> use, int began, bool recorded) {
    Measured10 here(whole(0), {begun("1", began)}, std::move(use));
    if (recorded) here.story.tell(Recorded{at(-86'400), at(0), ""}, 0);
    here.story.tell(PaceReport{0, Duration{0}, apart}, 0);
    const Cluster& cluster = here.story.cluster();
    const query::NodeRow node{&cluster, &cluster.nodes.all()[0]};
    EXPECT_EQ(query::to_text(query::idle(node, here.context()), query::Format::duration), here.idle("1"));
    return here.idle("1");
  };
  EXPECT_EQ(at_a_moment({0, 0, 0}, -86'400, true), "n/a");
  EXPECT_EQ(at_a_moment({0, 0, 0}, -86'400, false), ">=9 min") << "live it begins with the console";
  EXPECT_EQ(at_a_moment({50, 0, 0}, -86'400, true), "8 min") << "it was seen in use before";
  EXPECT_EQ(at_a_moment({0, 0, 0}, -300, true), "5 min") << "it began later";
  // A gap of 63 minutes is more than the hour that is charted: nothing of it shows use before.
  apart = std::chrono::minutes(42);
  EXPECT_EQ(at_a_moment({0, 0, 0}, -86'400, true), "n/a");
  EXPECT_EQ(at_a_moment({50, 0, 0}, -86'400, true), "8 min");
}

}  // namespace
}  // namespace tessera::test
