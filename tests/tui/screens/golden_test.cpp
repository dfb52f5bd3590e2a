// Every screen at three sizes, as it was looked at and found right.
#include "tests/support/golden.hpp"

#include <gtest/gtest.h>

#include "tests/support/session.hpp"
#include "tests/tui/screens/last_hour.hpp"
#include "tests/tui/screens/places.hpp"

namespace tessera::test {
namespace {

struct Shot {
  const char* name;
  const char* keys;  // from the overview to the screen
};

class Golden : public testing::TestWithParam<Shot> {};

TEST_P(Golden, AtThreeSizes) {
  for (tui::Size size : {tui::Size{80, 24}, {120, 40}, {200, 60}}) {
    Session session(two_places(), size);
    session.press(GetParam().keys);
    const std::string name = GetParam().name;
    expect_golden(name + "-" + std::to_string(size.columns),
                  name == "overview" ? after_an_hour(session) : session.canvas());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Screens, Golden,
    testing::Values(Shot{"overview", "<tab>"}, Shot{"nodes", "2j"}, Shot{"gpus", "3"}, Shot{"slices", "4"},
                    Shot{"workloads", "5"}, Shot{"waiting", "w"}, Shot{"node", ":node n0007<enter>l"},
                    Shot{"pool", ":node n0040<enter>"}, Shot{"invalid", ":node n0031<enter>"},
                    Shot{"workload", ":job 88123<enter>"}, Shot{"pending", ":job 88140<enter>"},
                    Shot{"facts", ":node n0007<enter>i"}, Shot{"doctor", ":doctor<enter>j"},
                    Shot{"users", "8j"}, Shot{"gpu", ":gpu n0007 0<enter>j"},
                    Shot{"gpu-shared", ":gpu n0007 3<enter>"}, Shot{"menu", "2."}, Shot{"events", "6"},
                    Shot{"help", "4?"}, Shot{"about", ":about<enter>"}, Shot{"palette", ":no"},
                    Shot{"columns", "4C"}, Shot{"sorting", "5<f6>j"}, Shot{"filter", "5/user=al"},
                    Shot{"no-match", "5/zzz<enter>"}),
    [](const auto& shot) {
      std::string name = shot.param.name;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(GoldenAscii, NodeAndOverviewKeepTheirShapesInAscii) {
  Session session(two_places(), {80, 24});
  session.state.ascii = true;
  expect_golden("overview-ascii", session.canvas());
  session.press(":node n0007<enter>");
  expect_golden("node-ascii", session.canvas());
}

// Kubernetes reports how many replicas pods hold, and not on which GPU: the sum is known, the GPUs are not.
TEST(GoldenShares, KnownInAllAndNotByBoard) {
  Model model;
  reduce(model, on("train-a", ClusterSeen{Scheduler::kubernetes, false, "v1.31.4", "admin"}));
  Node sliced = node("ts-01", {gpu(0, Strategy::time_slicing, {shared(SliceKind::time_slice, 4, 0)}),
                               gpu(1, Strategy::time_slicing, {shared(SliceKind::time_slice, 4, 1)})});
  reduce(model, on("train-a", NodesListed{{sliced}}));
  reduce(model, on("train-a",
                   WorkloadsListed{{running("web/a", "web", {holds_some("ts-01", "", 2, Family::shard)}),
                                    running("web/b", "web", {holds_some("ts-01", "", 1, Family::shard)})}}));
  reduce(model, on("train-a", Loaded{}));
  Session session(std::move(model), {120, 24});
  session.press("2");
  expect_golden("shares-nodes", session.canvas());
  session.press("<enter>");
  expect_golden("shares-node", session.canvas());
}

TEST(GoldenStates, NothingFound) { expect_golden("no-cluster", Session(Model{}, {80, 24}).canvas()); }

TEST(GoldenStates, Loading) {
  Model model;
  reduce(model, on("hpc", ClusterSeen{}));
  reduce(model, on("hpc", Progress{"nodes", 320, 1000}));
  expect_golden("loading", Session(std::move(model), {80, 24}).canvas());
}

TEST(GoldenStates, SourceFails) {
  Session session(small_place(), {80, 24});
  session.wall += Duration(180000);
  Error down{"scontrol show node failed", "Unable to contact slurm controller (connect failure)",
             "is slurmctld running? see systemctl status slurmctld"};
  session.tell(on("hpc", SourceReport{Source::slurm_nodes, down, Duration(0)}, 60));
  session.press("2");
  expect_golden("failing", session.canvas());
}

TEST(GoldenStates, TooSmall) { expect_golden("too-small", Session(small_place(), {40, 10}).canvas()); }

}  // namespace
}  // namespace tessera::test
