// The ages of what a recording shows are those of its sources' answers.
#include <gtest/gtest.h>

#include "backends/record/recording.hpp"
#include "backends/record/tape.hpp"
#include "engine/record/recorder.hpp"
#include "tests/support/build.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::test {
namespace {

class RecordedAges : public testing::Test {
 protected:
  // A node and a job that never change; a round a minute, in which the lists answered ten seconds before.
  void record(int minutes, int fails_from) {
    Node n1 = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
    n1.origin = n1.gpus[0].origin = {Source::slurm_nodes, at(0)};
    Workload job = running("1", "alice", {holds("n1", {{0, 1}})});
    job.origin = {Source::slurm_jobs, at(0)};
    story_.tell(ClusterSeen{Scheduler::slurm, false, "slurm 24.11", "slurm.conf", "hpc-1"});
    story_.tell(NodesListed{{n1}});
    story_.tell(WorkloadsListed{{job}});
    story_.tell(Loaded{});
    auto tape = record::open_tape(folder_.path(), ClusterName("hpc"), {});
    ASSERT_TRUE(tape) << to_line(tape.error());
    record::Recorder recorder{record::Wanted{}};
    for (int minute = 0; minute <= minutes; ++minute) {
      const int now = 60 * minute;
      const bool fails = minute >= fails_from;
      const Error late{"cannot list the nodes", "late", ""};
      story_.tell(
          SourceReport{Source::slurm_nodes, fails ? std::optional(late) : std::nullopt, {}, "", false},
          now - 10);
      story_.tell(SourceReport{Source::slurm_jobs, {}, {}, "", false}, now - 10);
      const bool key = (*tape)->wants_key(at(now));
      ASSERT_TRUE((*tape)->write(recorder.take(story_.cluster(), at(now), key), at(now), key));
    }
  }
  Model at_minute(int minute) {
    auto all = record::open_recordings(folder_.path());
    EXPECT_TRUE(all) << to_line(all.error());
    auto model = all->front()->at(at(60 * minute));
    EXPECT_TRUE(model);
    return model ? *model : Model{};
  }
  static TimePoint seen(const Model& model) {
    return model.clusters.front().nodes.find(NodeName("n1"))->origin.at;
  }

  Scratch folder_;
  Story story_;
};

TEST_F(RecordedAges, WhatDidNotChangeIsAsOldAsTheLastAnswerOfItsSource) {
  record(90, 1'000);
  for (int minute : {0, 1, 50, 90}) {
    const Model model = at_minute(minute);
    EXPECT_EQ(seen(model), at(60 * minute - 10)) << minute;
    const Node& n1 = *model.clusters.front().nodes.find(NodeName("n1"));
    EXPECT_EQ(n1.gpus[0].origin.at, at(60 * minute - 10)) << minute;
    EXPECT_EQ(model.clusters.front().workloads.find(WorkloadId("1"))->origin.at, at(60 * minute - 10));
  }
}

// Two hours are more than one key frame: what is written once more is no younger for it.
TEST_F(RecordedAges, WhatIsWrittenAgainWhileItsSourceFailsStaysAsOldAsItWas) {
  record(130, 30);
  const Model model = at_minute(130);
  EXPECT_EQ(seen(model), at(60 * 29 - 10));
  EXPECT_EQ(model.clusters.front().workloads.find(WorkloadId("1"))->origin.at, at(60 * 130 - 10))
      << "that of another source does not count";
}

}  // namespace
}  // namespace tessera::test
