// A node that is to be shared by the device plugin or to offer vGPUs, and tessera killed in the middle of
// that and of the way back: with the real kubectl, what stands in the end is what a run that is left alone
// leaves. Killed between two evictions, and where another user orders something else meanwhile.
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
  // What t1 is to be, and what it then offers.
  struct Change {
    KubeWords wish;
    std::string resource, count;
  };
  // On a cluster of its own.
  SharedAndBack share(const Change& change, const std::vector<std::string>& kills,
                      const std::vector<std::string>& kills_of_undo) {
    serve(kube_lab(folder_));
    if (change.resource != "gpu") allow_vgpus();
    SharedAndBack all;
    KubeWords words{"apply", "--node", "t1", "--write", "--yes"};
    words.insert(words.end(), change.wish.begin(), change.wish.end());
    go(words, kills);
    all.shared = stands();
    EXPECT_EQ(offers("t1", change.resource), change.count);
    expect_given_back("t1");
    go({"undo", newest_run(), "--write", "--yes"}, kills_of_undo);
    all.back = stands();
    EXPECT_EQ(offers("t1", "gpu"), "4");
    expect_given_back("t1");
    return all;
  }
  void expect_as_undisturbed(const Change& change, const std::vector<std::string>& kills,
                             const std::vector<std::string>& kills_of_undo) {
    const SharedAndBack wanted = share(change, {}, {});
    const SharedAndBack found = share(change, kills, kills_of_undo);
    EXPECT_EQ(found.shared, wanted.shared);
    EXPECT_EQ(found.back, wanted.back);
    EXPECT_NE(wanted.shared, wanted.back);
  }
  // Before and after the plugin's file is written, while it is waited for, and at the label. What follows
  // these takes its time; after the last reading the run could be over before the signal comes.
  void expect_plugin_as_undisturbed(const std::string& strategy) {
    expect_as_undisturbed({{"--strategy", strategy, "--replicas", "6"}, "gpu", "24"},
                          {"step t1/7: add tessera-", "step t1/8 waits: ", "step t1/9: share by tessera-"},
                          {"step t1/5: close t1", "step t1/7: back to the device plugin's default"});
  }
  void allow_vgpus() {
    kubectl({"patch", "clusterpolicy", "cluster-policy", "--type=merge", "-p",
             R"({"spec":{"sandboxWorkloads":{"enabled":true}}})"});
  }
  // Newest run, as `tessera journal` has it.
  std::string state_of_newest() { return json_at(run({"journal", "-o", "json"}).out, "/0/state"); }
  Ran onward(KubeWords how = {}) {
    how.insert(how.begin(), {"resume", newest_run()});
    how.insert(how.end(), {"--write", "--yes", "-o", "json"});
    return run(how);
  }
};

TEST_F(KubeSharingKilled, ATimeSlicedNodeAndTheWayBackAreFinishedOverKills) {
  expect_plugin_as_undisturbed("time-slicing");
}

TEST_F(KubeSharingKilled, ANodeSharedByMpsAndTheWayBackAreFinishedOverKills) {
  expect_plugin_as_undisturbed("mps");
}

// At the cordon and as the order is given; on the way back at the labels. At what follows them, the vGPU
// device manager may have ended before the next tessera looks.
TEST_F(KubeSharingKilled, ANodeThatOffersVgpusAndTheWayBackAreFinishedOverKills) {
  expect_as_undisturbed({{"--strategy", "vgpu", "--vgpu", "T4-4Q"}, "NVIDIA_T4-4Q", "16"},
                        {"step t1/5: close t1", "ask the vGPU device manager"}, {"back to containers"});
}

// Two pods are to go; a budget keeps the second, so that the kill comes when the first alone has gone.
class KubeKilledBetweenEvictions : public KubeSharingKilled {
 protected:
  void stop_between() {
    serve(kube_lab(folder_, R"(
      - {name: first, namespace: serving, want: "nvidia.com/gpu", on: t1, runs: 9d, ran: 1h, does: training}
      - {name: second, namespace: serving, want: "nvidia.com/gpu", on: t1, runs: 9d, ran: 1h, does: inference}
)"));
    const std::string before = pods_of_t1();
    Ran killed = run({"apply", "--node", "t1", "--strategy", "time-slicing", "--replicas", "6", "--way",
                      "cancel", "--write", "--yes"},
                     killed_at("The disruption budget second-pdb needs 1 healthy pods"));
    ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
    EXPECT_EQ(state_of_newest(), "\"interrupted\"");
    EXPECT_EQ(told("t1", ".spec.unschedulable"), "true");
    kept_ = pods_of_t1();
    EXPECT_TRUE(kept_.starts_with("second-") && before.find(kept_) != std::string::npos)
        << before << " / " << kept_;
  }
  // With their uids, so that one that has been replaced is another.
  std::string pods_of_t1() {
    return kubectl({"get", "pods", "-n", "serving", "--field-selector=spec.nodeName=t1", "-o",
                    "jsonpath={range .items[*]}{.metadata.name}/{.metadata.uid} {end}"});
  }
  std::string kept_;
};

TEST_F(KubeKilledBetweenEvictions, TheNextTesseraEvictsTheSecondAloneAndSharesTheNode) {
  stop_between();
  kubectl({"delete", "poddisruptionbudgets", "--all", "-n", "serving"});
  Ran done = onward();
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_EQ(done.err.find("evict serving/first-"), std::string::npos) << done.err;
  EXPECT_EQ(offers("t1", "gpu"), "24");
  expect_given_back("t1");
}

TEST_F(KubeKilledBetweenEvictions, TakenBackItOpensTheNodeAndTheSecondWasNeverTouched) {
  stop_between();
  Ran back = onward({"--back"});
  EXPECT_EQ(back.code, 0) << back.out << back.err;
  EXPECT_NE(pods_of_t1().find(kept_), std::string::npos) << pods_of_t1();
  EXPECT_EQ(offers("t1", "gpu"), "4");
  expect_given_back("t1");
}

// Another user's order meanwhile is neither taken for ours nor overwritten: the run parks with its name.
class KubeKilledAndOrdered : public KubeSharingKilled {
 protected:
  void order(const std::string& node, const std::string& label) {
    kubectl({"label", "node", node, "--overwrite", "nvidia.com/" + label});
  }
};

TEST_F(KubeKilledAndOrdered, ALayoutThatAnotherUserOrdersMeanwhileStandsAndTheRunParks) {
  Ran killed = run({"apply", "--node", "h2", "--preset", "all-1g.10gb", "--write", "--yes"},
                   killed_at("follow the MIG manager"));
  ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
  order("h2", "mig.config=all-3g.40gb");
  Ran parked = onward();
  EXPECT_EQ(parked.code, 1) << parked.out << parked.err;
  EXPECT_EQ(json_at(parked.out, "/outcome"), "\"parked\"") << parked.out;
  EXPECT_NE(parked.err.find("another user has ordered all-3g.40gb there since the plan was made"),
            std::string::npos)
      << parked.err;
  EXPECT_EQ(told("h2", ".metadata.labels.nvidia\\.com/mig\\.config"), "all-3g.40gb");
  EXPECT_EQ(told("h2", ".spec.unschedulable"), "true") << "parked, so no pod lands there";
  // The way out that it names.
  Ran again = onward({"--replan"});
  EXPECT_EQ(again.code, 0) << again.out << again.err;
  EXPECT_EQ(offers("h2", "mig-1g\\.10gb"), "14");
  expect_given_back("h2");
}

TEST_F(KubeKilledAndOrdered, APluginConfigurationThatAnotherUserOrdersMeanwhileStandsAndTheRunParks) {
  Ran killed =
      run({"apply", "--node", "t1", "--strategy", "time-slicing", "--replicas", "6", "--write", "--yes"},
          killed_at("step t1/8 waits: "));
  ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
  order("t1", "device-plugin.config=default");
  Ran parked = onward();
  EXPECT_EQ(parked.code, 1) << parked.out << parked.err;
  EXPECT_NE(parked.err.find("nvidia.com/device-plugin.config is default, not "), std::string::npos)
      << parked.err;
  EXPECT_EQ(offers("t1", "gpu"), "4");
  Ran back = onward({"--back"});
  EXPECT_EQ(back.code, 0) << back.out << back.err;
  EXPECT_EQ(told("t1", ".metadata.labels.nvidia\\.com/device-plugin\\.config"), "default");
  expect_given_back("t1");
}

}  // namespace
}  // namespace tessera::test
