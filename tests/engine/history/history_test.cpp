// Samples are kept as they were taken: gaps stay gaps, n/a is never 0, and memory is bounded.
#include "engine/history/history.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/history/shown.hpp"
#include "engine/history/spark.hpp"
#include "tests/engine/history/watched.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

using history::Figure;
using history::History;
using history::Line;
using history_lab::kept;
using history_lab::Watched;

std::vector<int> seconds_of(const Line& line) {
  std::vector<int> all;
  for (const history::Sample& sample : line.samples)
    all.push_back(static_cast<int>((sample.at - at(0)) / std::chrono::seconds(1)));
  return all;
}

TEST(History, WhatARecordingKnowsTakesThePlaceOfWhatWasVisited) {
  Watched here;
  here.measure(600, 10);
  here.measure(9'000, 10);
  std::vector<Measured> rounds;
  for (int second : {300, 360, 420, 1'200, 1'260}) {
    GpuFigures figures;
    figures.gpu = GpuIndex{0};
    figures.figures.use = Percent{second < 1'000 ? 50.0F : 0.0F};
    rounds.push_back({NodeName("n1"), Source::dcgm, at(second), {figures}});
  }
  here.history.take_instead(here.story.cluster(), NodeName("n1"), rounds);
  EXPECT_EQ(seconds_of(here.line()), (std::vector{300, 360, 420, 1'200, 1'260})) << "a gap stays one";
  EXPECT_EQ(here.idle(), at(1'200));
  here.history.take_instead(here.story.cluster(), NodeName("n1"), {});
  EXPECT_TRUE(here.line().samples.empty());
  EXPECT_EQ(here.history.bytes(), 0u);
}

TEST(History, SumsOfAClusterAreBoundedAndNeverCloserThanTenSeconds) {
  History history;
  const ClusterName hpc("hpc");
  for (int second = 0; second < 20'000; second += 5) history.take(hpc, {at(second), 50.0F, std::nullopt});
  history.take(hpc, {at(100), 70.0F, {}});
  const auto all = history.sums(hpc);
  ASSERT_EQ(all.size(), history::kMostSums);
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_EQ(all[i].at - all[i - 1].at, history::kSumsEvery);
  EXPECT_EQ(history.sums(hpc, at(19'980)).size(), 2u);
  EXPECT_FALSE(all.back().use) << "not measured";
  history.take_instead(hpc, {{at(0), 1.0F, {}}, {at(3), 2.0F, {}}, {at(60), 3.0F, {}}});
  EXPECT_EQ(history.sums(hpc).size(), 2u);
  EXPECT_TRUE(history.sums(ClusterName("other")).empty());
}

TEST(History, SumsThatASourceKeptStandBeforeThoseThatWereSeen) {
  History history;
  const ClusterName hpc("hpc");
  history.take(hpc, {at(600), 50.0F, 40.0F});
  EXPECT_FALSE(history.sums_kept_until(hpc));
  history.take_before(hpc, {{at(0), 10.0F, {}}, {at(60), 20.0F, 5.0F}, {at(660), 30.0F, {}}});
  ASSERT_EQ(history.sums(hpc).size(), 3u) << "what was seen is not mixed with what was kept";
  EXPECT_EQ(history.sums(hpc)[1].held, 20.0F);
  EXPECT_EQ(history.sums_kept_until(hpc), at(60));
  history.take_before(hpc, {{at(-60), 5.0F, {}}, {at(0), 10.0F, {}}});
  EXPECT_EQ(history.sums(hpc).size(), 4u);
  EXPECT_EQ(history.sums_kept_until(hpc), at(60));
  history.forget(hpc);
  EXPECT_FALSE(history.sums_kept_until(hpc));
}

TEST(History, SamplesStandWhereTheyWereTaken) {
  Watched here;
  here.measure(0, 10);
  here.measure(10, 20);
  here.measure(300, 90);
  EXPECT_EQ(seconds_of(here.line()), (std::vector{0, 10, 300})) << "nothing is filled in between";
  EXPECT_EQ(here.line().samples[2].use, 90);
  EXPECT_NEAR(here.line().samples[0].memory.value_or(-1), 10, 0.5) << "8,156 of 81,559 MiB";
  EXPECT_EQ(here.line().source, Source::dcgm);
}

TEST(History, PipesAreKeptOfWatchedNodesForGpusAndSlices) {
  Watched here({gpu(0, Strategy::mig, {instance("3g.40gb", 0, 4, 0), instance("3g.40gb", 4, 4, 1)})});
  here.story.tell(ClusterSeen{});
  const auto tell = [&](int seconds) {
    GpuFigures figures;
    figures.gpu = GpuIndex{0};
    figures.figures.use = Percent{40};
    figures.figures.tensor = Percent{21};
    figures.figures.memory_busy = Percent{33};
    figures.figures.power = Watts{651};
    SliceFigures second;
    second.profile = ProfileName("3g.40gb");
    second.device = 1;
    second.tensor = Percent{42};
    figures.slices = {second};
    here.story.tell(Measured{NodeName("n1"), Source::dcgm, at(seconds), {figures}}, seconds);
    here.history.take(here.story.cluster(), NodeName("n1"));
  };
  tell(0);
  EXPECT_EQ(here.line().samples.at(0).tensor, std::nullopt) << "nobody looks";
  here.history.watch(ClusterName("hpc"), NodeName("n1"), true);
  tell(10);
  const history::Sample whole_gpu = here.line().samples.at(1);
  EXPECT_EQ(whole_gpu.tensor, 21);
  EXPECT_EQ(whole_gpu.memory_bus, 33);
  EXPECT_EQ(whole_gpu.power, 651) << "the watt that was told, not a step below it";
  EXPECT_EQ(whole_gpu.use, 40);
  const auto slice = [&](std::size_t which) {
    return here.history.line(ClusterName("hpc"), NodeName("n1"),
                             history::key_of(here.board(), here.board().slices[which]));
  };
  ASSERT_EQ(slice(1).samples.size(), 1u) << "a sample with pipes alone is one";
  EXPECT_EQ(slice(1).samples[0].tensor, 42);
  EXPECT_EQ(slice(1).samples[0].memory_bus, std::nullopt);
  EXPECT_TRUE(slice(0).samples.empty());
  EXPECT_EQ(history::figure_of(whole_gpu, Figure::tensor), 21);
  EXPECT_EQ(history::figure_of(whole_gpu, Figure::memory_bus), 33);
}

// Steps of a kept sample made "now 648 W" of a reading of 650 W, and "now 73%" of one of 73.3 GiB of 100.
TEST(History, TheNewestSampleIsWhatTheNodeShowsAtThatMomentAndNoOtherOne) {
  Watched here;
  here.measure(0, 10.2F);
  here.measure(20, 10.4F);
  history::Line line = here.line();
  const auto shown = [&] {
    const history::Sample sample = history::sample_of(here.board(), nullptr);
    history::tell_newest(line, here.story.node("n1"), here.board(), nullptr);
    return sample;
  };
  EXPECT_NE(line.samples.back().use, 10.4F) << "kept in steps";
  EXPECT_EQ(shown().use, 10.4F);
  EXPECT_EQ(line.samples.back().use, 10.4F);
  EXPECT_EQ(line.samples.back().memory, shown().memory);
  EXPECT_NE(line.samples.front().use, 10.2F) << "the ones before stay as they are kept";

  here.measure(30, 90);
  EXPECT_EQ(shown().use, 90) << "the node goes on";
  EXPECT_EQ(line.samples.back().use, 10.4F) << "of another moment: left";
  line.samples.clear();
  shown();
  EXPECT_TRUE(line.samples.empty());
}

TEST(History, WhatASourceKeptStandsBeforeWhatWasSeen) {
  Watched here;
  here.measure(1000, 10);
  here.measure(1010, 20);
  const auto before = here.history.bytes();
  here.history.take_before(here.story.cluster(), NodeName("n1"),
                           {kept(100, 50), kept(115, 60), kept(700, 70), kept(1005, 80)});
  EXPECT_EQ(seconds_of(here.line()), (std::vector{100, 115, 700, 1000, 1010}))
      << "gaps stay, and what was seen is not mixed with what was kept";
  EXPECT_EQ(here.line().samples[1].use, 60);
  EXPECT_EQ(here.line().source, Source::dcgm) << "of the newest sample";
  EXPECT_GT(here.history.bytes(), before);
  here.history.take_before(here.story.cluster(), NodeName("n1"), {kept(100, 50), kept(115, 60)});
  EXPECT_EQ(here.line().samples.size(), 5U) << "asked again, nothing is taken twice";
  here.measure(1020, 30);
  EXPECT_EQ(here.line().samples.size(), 6U);
}

TEST(History, APastAloneIsALineToo) {
  Watched here;
  here.history.take_before(here.story.cluster(), NodeName("n1"), {kept(100, 0), kept(115, 0)});
  EXPECT_EQ(seconds_of(here.line()), (std::vector{100, 115}));
  EXPECT_EQ(here.idle(), at(100));
  here.measure(130, 0);
  EXPECT_EQ(here.idle(), at(100));
}

TEST(History, IdleTimeGoesOnIntoWhatASourceKept) {
  Watched here;
  here.measure(1000, 0);
  here.measure(1010, 0);
  here.history.take_before(here.story.cluster(), NodeName("n1"), {kept(400, 50), kept(500, 0), kept(985, 0)});
  EXPECT_EQ(here.idle(), at(500));
  Watched gap;
  gap.measure(1000, 0);
  gap.history.take_before(gap.story.cluster(), NodeName("n1"), {kept(100, 0), kept(300, 0)});
  EXPECT_EQ(gap.idle(), at(1000)) << "what was in a gap of more than ten minutes is not known";
  Watched busy;
  busy.measure(900, 50);
  busy.measure(1000, 0);
  busy.history.take_before(busy.story.cluster(), NodeName("n1"), {kept(800, 0)});
  EXPECT_EQ(busy.idle(), at(1000)) << "it was in use in between";
}

TEST(History, AFigureThatIsToldAgainIsNoNewSample) {
  Watched here;
  here.measure(0, 10);
  here.history.take(here.story.cluster(), NodeName("n1"));
  EXPECT_EQ(here.line().samples.size(), 1U);
}

TEST(History, UseOfAGpuWithMigIsNotAvailableAndNeverZero) {
  Watched here({gpu(0, Strategy::mig, {instance("3g.40gb", 0, 4, 7), instance("3g.40gb", 4, 4, 8)})});
  SliceFigures slice;
  slice.profile = ProfileName("3g.40gb");
  slice.device = 7;
  slice.use = Percent{40};
  here.measure(0, std::nullopt, {slice});
  ASSERT_EQ(here.line().samples.size(), 1U);
  EXPECT_EQ(here.line().samples[0].use, std::nullopt);
  EXPECT_EQ(here.idle(), std::nullopt) << "not measured is not idle";
  const Line of_slice = here.history.line(ClusterName("hpc"), NodeName("n1"),
                                          history::key_of(here.board(), here.board().slices[0]));
  ASSERT_EQ(of_slice.samples.size(), 1U);
  EXPECT_EQ(of_slice.samples[0].use, 40);
}

TEST(History, AGpuIsIdleSinceTheFirstSampleWithoutUse) {
  Watched here;
  here.measure(0, 50);
  here.measure(10, 0.9F);
  here.measure(20, 0);
  EXPECT_EQ(here.idle(), at(10)) << "below 1 % is no use";
  here.measure(30, 1);
  EXPECT_EQ(here.idle(), std::nullopt);
}

TEST(History, AGapSaysNothingOfWhetherAGpuWasIdleInIt) {
  Watched here;
  here.measure(0, 0);
  here.measure(590, 0);
  EXPECT_EQ(here.idle(), at(0));
  here.measure(1'200, 0);
  EXPECT_EQ(here.idle(), at(1'200)) << "ten minutes and more without a sample";
}

TEST(History, AClusterThatIsAskedSeldomHasNoGapBetweenTwoRounds) {
  Watched here;
  here.story.tell(PaceReport{0, std::chrono::minutes(30)});
  here.measure(0, 0);
  here.measure(1'800, 0);
  here.measure(4'500, 0);
  EXPECT_EQ(here.idle(), at(0)) << "the last round came fifteen minutes late";
  here.measure(7'201, 0);
  EXPECT_EQ(here.idle(), at(7'201)) << "a round was missing";
}

// Four exporters a second: a round over 4,800 nodes takes twenty minutes, and each was idle for none.
TEST(History, AClusterOfThousandsOfNodesHasNoGapBetweenTwoRoundsOfItsExporters) {
  Watched here;
  here.story.tell(PaceReport{0, Duration{10'000}, std::chrono::minutes(20)});
  here.measure(0, 0);
  here.measure(1'250, 0);
  here.measure(3'050, 0);
  EXPECT_EQ(here.idle(), at(0));
  here.measure(4'851, 0);
  EXPECT_EQ(here.idle(), at(4'851)) << "half an hour and more without a sample";
}

TEST(History, ASliceThatStaysKeepsItsIdleTimeWhenOthersAreCut) {
  Watched here({gpu(0, Strategy::mig, {instance("3g.40gb", 0, 4, 7)})});
  SliceFigures slice;
  slice.profile = ProfileName("3g.40gb");
  slice.device = 7;
  slice.use = Percent{0};
  here.measure(0, std::nullopt, {slice});
  here.story.tell(
      NodesListed{{node(
          "n1", {gpu(0, Strategy::mig, {instance("3g.40gb", 0, 4, 7), instance("2g.20gb", 4, 2, 8)})})}},
      5);
  here.measure(10, std::nullopt, {slice});
  EXPECT_EQ(here.history.idle_since(ClusterName("hpc"), NodeName("n1"),
                                    history::key_of(here.board(), here.board().slices[0])),
            at(0));
  EXPECT_EQ(here.history.idle_since(ClusterName("hpc"), NodeName("n1"),
                                    history::key_of(here.board(), here.board().slices[1])),
            std::nullopt);
}

TEST(History, TheOldestSamplesGoWhenMemoryIsUsedUp) {
  Watched here({gpu(0, Strategy::whole, {whole(0)})}, 30);  // ten rows of three bytes
  for (int i = 0; i < 25; ++i) here.measure(10 * i, static_cast<float>(i));
  EXPECT_EQ(seconds_of(here.line()), (std::vector{150, 160, 170, 180, 190, 200, 210, 220, 230, 240}));
  EXPECT_EQ(here.line().samples.back().use, 24);
  EXPECT_LE(here.history.bytes(), 30U);
}

// Each row of a list draws its last ten minutes: they are found from the end, in whatever stands before them.
TEST(History, TheEndOfALineIsTheEndOfTheWholeLine) {
  for (const std::size_t most : {std::size_t{30}, history::kMostBytes}) {
    Watched here({gpu(0, Strategy::whole, {whole(0)})}, most);
    const std::vector<int> times{0, 10, 300, 310, 1'500, 1'510, 1'511, 6'000, 6'010, 9'000, 9'001, 9'300};
    for (int time : times) here.measure(time, static_cast<float>(time % 100));
    const std::vector<int> all = seconds_of(here.line());
    ASSERT_EQ(all.back(), times.back());
    for (int since = -10; since < times.back() + 20; since += 5) {
      const Line end =
          here.history.line(ClusterName("hpc"), NodeName("n1"), history::key_of(here.board()), at(since));
      std::vector<int> expected = all;
      std::erase_if(expected, [&](int time) { return time < since; });
      ASSERT_EQ(seconds_of(end), expected) << since << " of " << most;
      for (const history::Sample& one : end.samples)
        ASSERT_EQ(one.use, static_cast<float>((one.at - at(0)) / std::chrono::seconds(1) % 100)) << since;
    }
  }
}

// The trend of a list made a whole sample of each time of which it draws the use.
TEST(History, UseReadAloneIsThatOfTheWholeLine) {
  using Uses = std::vector<std::pair<TimePoint, std::optional<float>>>;
  for (const bool watched : {false, true}) {
    Gpu board = gpu(0, Strategy::whole, {whole(0)});
    board.memory = Mib{81559};
    Watched here({board});
    here.history.watch(ClusterName("hpc"), NodeName("n1"), watched);
    for (const int time : {0, 10, 20, 400, 410, 9'000, 9'010})
      here.measure(time,
                   time % 20 == 0 ? std::optional<float>(static_cast<float>(time % 100)) : std::nullopt);
    const ClusterName hpc("hpc");
    const NodeName n1("n1");
    const history::Key key = history::key_of(here.board());
    for (int since = -10; since < 9'030; since += 5) {
      Uses whole, alone;
      for (const history::Sample& one : here.history.line(hpc, n1, key, at(since)).samples)
        whole.emplace_back(one.at, one.use);
      here.history.each_use(hpc, n1, {&key, 1}, at(since), [&](TimePoint when, double sum, int measured) {
        alone.emplace_back(when, measured > 0 ? std::optional(static_cast<float>(sum)) : std::nullopt);
      });
      ASSERT_EQ(alone, whole) << since;
    }
    EXPECT_EQ(here.line().samples.size(), 7U) << "memory alone is a time at which it was measured, too";
  }
}

// The trend of a node read each of its GPUs by itself, which took most of a picture of the list of nodes.
TEST(History, TheUsesOfSeveralLinesAreReadTogetherAsOneByOne) {
  using Uses = std::map<TimePoint, std::pair<double, int>>;
  Node four = node("n1", {});
  for (int i = 0; i < 4; ++i) four.gpus.push_back(gpu(i, Strategy::whole, {whole(i)}));
  Story story;
  History history;
  const ClusterName hpc("hpc");
  for (int second = 0; second < 600; second += 10) {
    for (Gpu& one : four.gpus) {
      one.telemetry.origin = {Source::dcgm, at(second)};
      one.telemetry.use.reset();
      // The last is never measured, the third now and then.
      if (one.index.value < 2 || (one.index.value == 2 && second % 30 == 0))
        one.telemetry.use = Percent{static_cast<float>(second % 97 + one.index.value) + 0.5F};
    }
    // A GPU that joins begins a stretch of its own.
    Node seen = four;
    if (second < 200) seen.gpus.erase(seen.gpus.begin());
    story.tell(NodeSeen{seen}, second);
    history.take(story.cluster(), four.name);
  }
  std::vector<history::Key> keys;
  for (const Gpu& one : four.gpus) keys.push_back(history::key_of(one));
  for (int since : {-10, 0, 5, 190, 200, 595, 600}) {
    Uses one_by_one, together;
    for (const history::Key& key : keys)
      history.each_use(hpc, four.name, {&key, 1}, at(since), [&](TimePoint when, double sum, int measured) {
        one_by_one[when].first += sum, one_by_one[when].second += measured;
      });
    history.each_use(hpc, four.name, keys, at(since), [&](TimePoint when, double sum, int measured) {
      EXPECT_TRUE(together.emplace(when, std::pair(sum, measured)).second) << "each time once";
    });
    EXPECT_EQ(together, one_by_one) << since;
    EXPECT_EQ(together.empty(), since > 590);
  }
}

TEST(History, NodesShareTheMemoryThereIs) {
  Watched here({gpu(0, Strategy::whole, {whole(0)})}, 30);
  for (int i = 0; i < 10; ++i) here.measure(10 * i, 5);
  Node other = node("n2", {gpu(0, Strategy::whole, {whole(0)})});
  other.gpus[0].telemetry.use = Percent{7};
  other.gpus[0].telemetry.origin = {Source::dcgm, at(100)};
  here.story.tell(NodeSeen{other}, 100);
  here.history.take(here.story.cluster(), NodeName("n2"));
  here.measure(110, 5);
  EXPECT_EQ(here.line().samples.size(), 5U) << "half of it is the other's";
  EXPECT_EQ(seconds_of(here.line()).back(), 110);
}

TEST(History, ANodeThatIsGoneIsForgotten) {
  Watched here;
  here.measure(0, 10);
  here.story.tell(NodeGone{NodeName("n1")}, 10);
  here.history.take(here.story.cluster(), NodeName("n1"));
  EXPECT_EQ(here.history.bytes(), 0U);
}

TEST(History, AClusterIsForgottenWithoutTheOthers) {
  Watched here;
  here.measure(0, 10);
  history::History& history = here.history;
  Cluster other = here.story.cluster();
  other.name = ClusterName("hpc2");  // its name begins like the first one's
  history.take(other, NodeName("n1"));
  const std::size_t bytes = history.bytes();
  history.take(ClusterName("hpc"), history::Sums{at(0), 50.0F, 50.0F});
  history.take(ClusterName("hpc2"), history::Sums{at(0), 50.0F, 50.0F});
  history.forget(ClusterName("hpc"));
  EXPECT_TRUE(here.line().samples.empty());
  EXPECT_TRUE(history.sums(ClusterName("hpc")).empty());
  EXPECT_EQ(history.sums(ClusterName("hpc2")).size(), 1U);
  EXPECT_EQ(history.line(ClusterName("hpc2"), NodeName("n1"), history::key_of(here.board())).samples.size(),
            1U);
  EXPECT_EQ(history.bytes(), bytes / 2) << "what it took is free for others";
}

TEST(Spark, AZeroIsSeenAndAGapIsBlank) {
  std::vector<history::Sample> samples = {{at(5), 0, {}, {}, {}}, {at(25), 100, {}, {}, {}}};
  EXPECT_EQ(history::spark(samples, Figure::use, at(0), at(40), 4, 100, false), "▁ █ ");
  EXPECT_EQ(history::spark(samples, Figure::use, at(0), at(40), 4, 100, true), "_ # ");
}

TEST(Spark, SaysHowOftenItWasMeasured) {
  std::vector<history::Sample> samples;
  for (int i = 0; i < 9; ++i) samples.push_back({at(i * 10 + (i > 5 ? 600 : 0)), 10.0F * i, {}, {}, {}});
  const history::Summary summary = history::summary_of(samples, Figure::use);
  EXPECT_EQ(summary.every, Duration{10'000});
  EXPECT_EQ(summary.peak, 80);
  EXPECT_EQ(summary.mean, 40);
}

}  // namespace
}  // namespace tessera::test
