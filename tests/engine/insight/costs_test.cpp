// What asking costs, in words and as rates.
#include "engine/insight/costs.hpp"

#include <gtest/gtest.h>

#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

using insight::bytes_text;

TEST(Costs, BytesReadInTheUnitThatFits) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(820), "820 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(5.25 * 1024 * 1024), "5.2 MiB");
  EXPECT_EQ(bytes_text(3.0 * 1024 * 1024 * 1024 * 1024), "3072.0 GiB");
}

TEST(Costs, WhatIsNotMeasuredIsNotZero) {
  Cluster cluster;
  EXPECT_EQ(insight::cost_text(cluster, std::nullopt), "not measured");
  EXPECT_FALSE(insight::rate_of(SourceCost{5, 5, Duration{0}})) << "of no time there is no rate";
  EXPECT_EQ(insight::cost_text(cluster, SourceCost{0, 0, std::chrono::minutes(5)}),
            "0.0 commands a minute, 0 B a minute");
  cluster.scheduler = Scheduler::kubernetes;
  EXPECT_EQ(insight::cost_text(cluster, SourceCost{15, 5 * 2048, std::chrono::minutes(5)}),
            "3.0 requests a minute, 2.0 KiB a minute");
}

TEST(Costs, AReportWithoutACostLeavesTheOneBefore) {
  Story story;
  SourceReport report{Source::slurm_nodes, std::nullopt, Duration{4}};
  story.tell(report);
  EXPECT_EQ(story.cluster().sources.at(Source::slurm_nodes).cost, std::nullopt);
  report.cost = SourceCost{3, 4, Duration{60'000}};
  story.tell(report);
  report.cost.reset();
  story.tell(report);
  EXPECT_EQ(story.cluster().sources.at(Source::slurm_nodes).cost, (SourceCost{3, 4, Duration{60'000}}));
}

TEST(Costs, OfThePaceTheRestIsWhatRunsAsk) {
  Story story;
  const auto costs = [&](Source source, std::int64_t calls) {
    SourceReport report{source, std::nullopt, Duration{4}};
    report.cost = SourceCost{calls, 0, std::chrono::minutes(2)};
    story.tell(report);
  };
  story.tell(ClusterSeen{Scheduler::slurm, false, "", ""});
  story.tell(PaceReport{10, Duration{10'000}});
  EXPECT_EQ(insight::calls_of_others(story.cluster()), 0) << "what is not measured is not the rest";
  costs(Source::slurm_nodes, 12);
  costs(Source::slurm_jobs, 8);
  costs(Source::dcgm, 500);
  costs(Source::nvidia_smi, 70);
  story.tell(PaceReport{10, Duration{10'000}});
  EXPECT_EQ(insight::calls_of_others(story.cluster()), 0) << "exporters and nodes are no controller";
  story.tell(PaceReport{13.5, Duration{10'000}});
  EXPECT_DOUBLE_EQ(insight::calls_of_others(story.cluster()), 3.5);
  story.tell(PaceReport{0, Duration{10'000}});
  EXPECT_EQ(insight::calls_of_others(story.cluster()), 0) << "of a recording the pace is not known";
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  story.tell(PaceReport{300, Duration{0}});
  EXPECT_DOUBLE_EQ(insight::calls_of_others(story.cluster()), 300 - 10 - 250 - 35)
      << "there the API server hands all of it on";
}

}  // namespace
}  // namespace tessera::test
