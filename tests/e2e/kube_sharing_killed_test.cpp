// A node that is to be shared by the device plugin, and tessera killed in the middle of that and of the way
// back: with the real kubectl, what stands in the end is what a run that nobody disturbs leaves.
#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <vector>

#include "tests/e2e/kube_change_lab.hpp"

namespace tessera::test {
namespace {

struct SharedAndBack {
  std::string shared, back;
};

class KubeSharingKilled : public KubeChangeLab {
 protected:
  // What kubectl tells of t1 and of the plugin's file; the time at which feature discovery looked, left out.
  std::string stands() {
    std::string text =
        kubectl({"get", "node", "t1", "-o",
                 "jsonpath={.metadata.labels}{.metadata.annotations}{.spec}{.status.allocatable}"});
    const std::string stamp = "\"nvidia.com/gfd.timestamp\":";
    if (const std::size_t at = text.find(stamp); at != std::string::npos)
      text.erase(at, text.find(',', at) - at);
    return text + kubectl({"get", "configmap", "device-plugin-config", "-n", "gpu-operator", "-o",
                           "jsonpath={.data}"});
  }
  // Killed as it says each of these, one after the other, and taken up again each time.
  void go(KubeWords words, const std::vector<std::string>& kills) {
    for (const std::string& said : kills) {
      Ran killed = run(words, killed_at(said));
      ASSERT_EQ(killed.code, 128 + SIGKILL) << said << "\n" << killed.out << killed.err;
      words = {"resume", newest_run(), "--write", "--yes"};
    }
    Ran done = run(words);
    EXPECT_EQ(done.code, 0) << done.out << done.err;
  }
  // On a cluster of its own.
  SharedAndBack share(const std::string& strategy, const std::vector<std::string>& kills,
                      const std::vector<std::string>& kills_of_undo) {
    serve(kube_lab(folder_));
    SharedAndBack all;
    go({"apply", "--node", "t1", "--strategy", strategy, "--replicas", "6", "--write", "--yes"}, kills);
    all.shared = stands();
    EXPECT_EQ(offers("t1", "gpu"), "24");
    expect_given_back("t1");
    go({"undo", newest_run(), "--write", "--yes"}, kills_of_undo);
    all.back = stands();
    EXPECT_EQ(offers("t1", "gpu"), "4");
    expect_given_back("t1");
    return all;
  }
  // Before and after the plugin's file is written, while it is waited for, and at the label. What follows
  // these takes its time; after the last reading the run could be over before the signal comes.
  void expect_as_undisturbed(const std::string& strategy) {
    const SharedAndBack wanted = share(strategy, {}, {});
    const SharedAndBack found =
        share(strategy, {"step t1/7: add tessera-", "step t1/8 waits: ", "step t1/9: share by tessera-"},
              {"step t1/5: close t1", "step t1/7: back to the device plugin's default"});
    EXPECT_EQ(found.shared, wanted.shared);
    EXPECT_EQ(found.back, wanted.back);
    EXPECT_NE(wanted.shared, wanted.back);
  }
};

TEST_F(KubeSharingKilled, ATimeSlicedNodeAndTheWayBackAreFinishedOverKills) {
  expect_as_undisturbed("time-slicing");
}

TEST_F(KubeSharingKilled, ANodeSharedByMpsAndTheWayBackAreFinishedOverKills) { expect_as_undisturbed("mps"); }

}  // namespace
}  // namespace tessera::test
