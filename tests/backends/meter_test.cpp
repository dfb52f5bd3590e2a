// What asking costs: counts by source over five minutes, from which the pace comes as well.
#include "backends/meter.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

using namespace std::chrono_literals;

TEST(Meter, TheCostsOfTheSourcesAddUpToThePace) {
  const Meter::Instant start{};
  Meter meter(start, 1min);
  for (int i = 0; i < 90; ++i) {
    const Meter::Instant now = start + i * 2s;
    const Source source = i % 3 == 0 ? Source::slurm_jobs : i % 3 == 1 ? Source::slurm_nodes : Source::none;
    meter.called(source, now);
    meter.came(source, 1000, now);
  }
  const Meter::Instant now = start + 3min;
  double sum = 0;
  for (Source source : {Source::slurm_jobs, Source::slurm_nodes, Source::none}) {
    const auto cost = meter.cost(source, now);
    ASSERT_TRUE(cost);
    EXPECT_EQ(cost->calls, 30);
    EXPECT_EQ(cost->bytes, 30'000);
    EXPECT_EQ(cost->over, Duration(3min));
    sum += static_cast<double>(cost->calls) / 3;
  }
  EXPECT_DOUBLE_EQ(meter.calls_per_minute(now), sum);
  EXPECT_EQ(meter.whole(now).calls, 90);
  EXPECT_EQ(meter.whole(now).bytes, 90'000);
}

TEST(Meter, WhatWasNeverAskedIsNotMeasuredAndWhatRestsCostsNothing) {
  const Meter::Instant start{};
  Meter meter(start, 1min);
  EXPECT_EQ(meter.cost(Source::dcgm, start), std::nullopt);
  meter.called(Source::dcgm, start);
  meter.came(Source::dcgm, 500, start + 1s);
  EXPECT_EQ(meter.cost(Source::dcgm, start + 2s), (SourceCost{1, 500, Duration(1min)}))
      << "a start is no habit: it counts as a minute";
  EXPECT_EQ(meter.cost(Source::dcgm, start + 5min), (SourceCost{1, 500, Duration(5min)}));
  EXPECT_EQ(meter.cost(Source::dcgm, start + 20min), (SourceCost{0, 0, Duration(5min)}));
  EXPECT_EQ(meter.cost(Source::slurm_nodes, start + 20min), std::nullopt);
}

TEST(Meter, BytesOfAWatchGoFiveMinutesAfterTheyCame) {
  const Meter::Instant start{};
  Meter meter(start, 1min);
  meter.called(Source::kubernetes_pods, start);
  for (int i = 0; i < 600; ++i) meter.came(Source::kubernetes_pods, 10, start + i * 1s);  // ten minutes
  const auto cost = meter.cost(Source::kubernetes_pods, start + 10min);
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->calls, 0) << "the watch began before";
  EXPECT_NEAR(static_cast<double>(cost->bytes), 3000, 60) << "to within the steps in which bytes are kept";
}

TEST(Meter, BeyondItsBoundTheWindowIsShorterAndTheRateStillRight) {
  const Meter::Instant start{};
  Meter meter(start, 1s);
  for (int i = 0; i < 60'000; ++i) meter.called(Source::dcgm, start + i * 2ms);
  const auto cost = meter.cost(Source::dcgm, start + 120s);
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->calls, 20'000);
  EXPECT_NEAR(meter.calls_per_minute(start + 120s), 30'000, 10);
}

}  // namespace
}  // namespace tessera
