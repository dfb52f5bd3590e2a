// For how long what is held was not used: filters and cells of the lists tell it as far as it is known.
#include <gtest/gtest.h>

#include <vector>

#include "engine/history/history.hpp"
#include "engine/query/cells_time.hpp"
#include "engine/query/filter.hpp"
#include "engine/query/tables.hpp"
#include "tests/engine/history/watched.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

using history_lab::kept;
using history_lab::Watched;

// An exporter that fell silent: the gap that has not ended is one, too.
TEST(IdleColumn, SinceTheLastSampleIsTooOldNothingIsKnownOfIdleTime) {
  Watched here;
  for (int i = 0; i <= 8; ++i) here.measure(500 * i, 0);
  const auto rows = query::slice_rows(here.story.model);
  ASSERT_EQ(rows.size(), 1U);
  auto filter = query::parse_filter<query::SliceRow>("idle>1h");
  ASSERT_TRUE(filter);
  EXPECT_TRUE(query::passes(*filter, rows[0], query::Context{at(4'600), nullptr, &here.history}));
  EXPECT_FALSE(query::passes(*filter, rows[0], query::Context{at(4'601), nullptr, &here.history}));
  const auto gpus = query::gpu_rows(here.story.model);
  ASSERT_EQ(gpus.size(), 1U);
  auto of_gpus = query::parse_filter<query::GpuRow>("idle>1h");
  ASSERT_TRUE(of_gpus);
  EXPECT_TRUE(query::passes(*of_gpus, gpus[0], query::Context{at(4'600), nullptr, &here.history}));
  EXPECT_FALSE(query::passes(*of_gpus, gpus[0], query::Context{at(4'601), nullptr, &here.history}));
}

TEST(IdleColumn, OfAClusterThatIsAskedSeldomIsKnownUntilARoundIsMissing) {
  Watched here;
  here.story.tell(PaceReport{0, std::chrono::minutes(30)});
  for (int i = 0; i <= 4; ++i) here.measure(1'800 * i, 0);
  const auto rows = query::slice_rows(here.story.model);
  ASSERT_EQ(rows.size(), 1U);
  auto filter = query::parse_filter<query::SliceRow>("idle>1h");
  ASSERT_TRUE(filter);
  EXPECT_TRUE(query::passes(*filter, rows[0], query::Context{at(9'900), nullptr, &here.history}));
  EXPECT_FALSE(query::passes(*filter, rows[0], query::Context{at(9'901), nullptr, &here.history}));
}

// A node on which one GPU is used is not idle, however long the other has been.
TEST(IdleColumn, ANodeIsIdleForAsLongAsNothingThatIsHeldThereWasUsed) {
  Story story;
  history::History history;
  story.tell(
      NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)}),
                               gpu(2, Strategy::whole, {whole(2)})})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 1}, {1, 1}})})}});
  const auto measure = [&](int second, std::vector<float> use) {
    Measured told{NodeName("n1"), Source::dcgm, at(second), {}};
    for (std::size_t i = 0; i < use.size(); ++i) {
      GpuFigures figures;
      figures.gpu = GpuIndex{static_cast<int>(i)};
      figures.figures.use = Percent{use[i]};
      told.gpus.push_back(figures);
    }
    story.tell(told, second);
    history.take(story.cluster(), NodeName("n1"));
  };
  const auto cell = [&](int second) {
    const auto rows = query::node_rows(story.model);
    return query::to_text(query::idle(rows.at(0), query::Context{at(second), nullptr, &history}),
                          query::Format::duration);
  };
  for (int i = 0; i <= 4; ++i) measure(500 * i, {0, 0, 90});
  EXPECT_EQ(cell(2'000), ">=33 min") << "what is free does not count";
  measure(2'500, {0, 40, 0});
  EXPECT_EQ(cell(2'500), "") << "one is in use";
  for (int i = 6; i <= 9; ++i) measure(500 * i, {0, 0, 0});
  EXPECT_EQ(cell(4'500), "25 min") << "since the last of them";
  // bob's is one of those that are not alice's, and which one is not told.
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 1}})}),
                              running("2", "bob", {holds_some("n1", "", 1)})}},
             4'500);
  EXPECT_EQ(cell(4'500), "n/a") << "one that may be held may be in use";
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 1}, {1, 1}})})}}, 4'500);
  EXPECT_EQ(cell(4'500), "25 min");
  measure(5'000, {0});
  EXPECT_EQ(cell(5'000), "n/a") << "one is not measured";
}

// A console that was opened twelve minutes ago said "12 min" of a job that had done nothing for days, and
// "idle<1h" took it for one that had.
TEST(IdleColumn, WhatBeganBeforeTheFirstSampleIsAtLeastAsLong) {
  Watched here;
  here.measure(0, 0);
  here.measure(500, 0);
  const auto row = [&] { return query::slice_rows(here.story.model).at(0); };
  const auto cell = [&](int second) {
    return query::to_text(query::idle(row(), query::Context{at(second), nullptr, &here.history}),
                          query::Format::duration);
  };
  const auto passes = [&](const char* text, int second) {
    auto filter = query::parse_filter<query::SliceRow>(text);
    return filter && query::passes(*filter, row(), query::Context{at(second), nullptr, &here.history});
  };
  EXPECT_EQ(cell(720), ">=12 min");
  EXPECT_TRUE(passes("idle>10min", 720)) << "that was seen";
  EXPECT_TRUE(passes("idle>=12min", 720));
  for (const char* unsure : {"idle>1h", "idle<1h", "idle<=12min", "idle=12min"})
    EXPECT_FALSE(passes(unsure, 720)) << unsure << " is not known";
  here.measure(900, 50);
  here.measure(1'400, 0);
  EXPECT_EQ(cell(1'500), "1 min") << "it was seen in use before";
  EXPECT_TRUE(passes("idle<1h", 1'500));
  here.measure(2'500, 0);
  EXPECT_EQ(cell(2'560), ">=1 min") << "what was in the gap is not known";
}

TEST(IdleColumn, BeginsForSureWhereASourceKeptTheUseBeforeIt) {
  const auto longer = [](const Watched& here) {
    return here.history.may_be_idle_longer(ClusterName("hpc"), NodeName("n1"), history::key_of(here.board()));
  };
  Watched used;
  used.measure(1'000, 0);
  EXPECT_TRUE(longer(used));
  used.history.take_before(used.story.cluster(), NodeName("n1"), {kept(700, 50), kept(985, 40)});
  EXPECT_EQ(used.idle(), at(1'000));
  EXPECT_FALSE(longer(used)) << "fifteen seconds before it was in use";
  Watched idle;
  idle.measure(1'000, 0);
  idle.history.take_before(idle.story.cluster(), NodeName("n1"), {kept(700, 0), kept(985, 0)});
  EXPECT_EQ(idle.idle(), at(700));
  EXPECT_TRUE(longer(idle)) << "nothing older is kept";
}

TEST(IdleColumn, FiltersWhatItsHolderHasNotUsedForLong) {
  Watched here;
  for (int i = 0; i <= 8; ++i) here.measure(500 * i, 0);
  const query::Context context{at(4'000), nullptr, &here.history};
  auto filter = query::parse_filter<query::SliceRow>("idle>1h");
  ASSERT_TRUE(filter);
  auto rows = query::slice_rows(here.story.model);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_TRUE(query::passes(*filter, rows[0], context));
  EXPECT_FALSE(query::passes(*filter, rows[0], query::Context{at(4'000), nullptr, nullptr}))
      << "without a history it is not known";
  here.measure(4'010, 30);
  EXPECT_FALSE(query::passes(*filter, rows[0], query::Context{at(4'010), nullptr, &here.history}));
}

}  // namespace
}  // namespace tessera::test
