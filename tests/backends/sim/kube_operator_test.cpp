// The GPU operator's behaviour over virtual time: what labels and pods go through when a node is cut again,
// and what is left when something goes wrong.
#include "tests/backends/sim/kube_place.hpp"

namespace tessera::sim::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using Strings = std::vector<std::string>;

constexpr std::string_view kH100 = "[{names: n1, product: H100-80GB-SXM5, gpus: 2, driver: 570.124.06}]";
constexpr std::string_view kA100 =
    "[{names: n1, product: A100-80GB, gpus: 2, driver: 570.124.06, layout: all-1g.10gb}]";
const std::string kSeven = "1g.10gb@0,1g.10gb@1,1g.10gb@2,1g.10gb@3,1g.10gb@4,1g.10gb@5,1g.10gb@6";

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// Until the manager has said how it ended.
void settle(Place& place, const std::string& node = "n1") {
  for (int i = 0; i < 900 && (place.state(node) == "pending" || place.state(node) == "rebooting"); ++i)
    place.pass(seconds(1));
  place.pass(seconds(60));
}
void cut(Place& place, const std::string& config, const std::string& node = "n1") {
  place.label(node, kMigConfig, config);
  place.pass(seconds(4));
  settle(place, node);
}

TEST(MigManager, PausesCutsAndReturnsTheClients) {
  Place place(kH100);
  EXPECT_EQ(place.allocatable("nvidia.com/gpu"), "2");
  std::string before = place.pod_name("nvidia-device-plugin-daemonset");
  cut(place, "all-1g.10gb");
  EXPECT_EQ(
      place.seen,
      (Strings{"n1 mig.config.state=pending", "n1 gpu.deploy.device-plugin=paused-for-mig-change",
               "n1 gpu.deploy.nvsm=paused-for-mig-change", "n1 gpu: 0", "n1 gpu.deploy.device-plugin=true",
               "n1 gpu.deploy.nvsm=true", "n1 mig.config.state=success", "n1 mig-1g.10gb: 14"}));
  EXPECT_EQ(place.layout(0), kSeven);
  EXPECT_EQ(place.layout(1), kSeven);
  EXPECT_NE(place.pod_name("nvidia-device-plugin-daemonset"), before) << "its pod is a new one";
  EXPECT_EQ(place.label_on("n1", "nvidia.com/mig-1g.10gb.count"), "14");
  EXPECT_EQ(place.label_on("n1", "nvidia.com/gpu.replicas"), "0");
  EXPECT_EQ(place.capacity("nvidia.com/gpu"), "2") << "the kubelet gives up on it five minutes later";
  place.pass(minutes(6));
  EXPECT_EQ(place.capacity("nvidia.com/gpu"), "0");
  EXPECT_EQ(place.allocatable("nvidia.com/gpu"), "0");
}

TEST(MigManager, SaysWhatItDoesInItsLog) {
  Place place(kH100);
  cut(place, "all-balanced");
  std::string log = place.manager_log();
  std::size_t from = 0;
  for (const char* line : {"Updating to MIG config: all-balanced",
                           "Current value of 'nvidia.com/gpu.deploy.device-plugin=true'",
                           "Asserting that the requested configuration is present",
                           "Selected MIG configuration is valid",
                           "Checking if the selected MIG config is currently applied or not",
                           "Assertion failure: selected configuration not currently applied",
                           "Shutting down all GPU clients in Kubernetes",
                           "Waiting for the device-plugin to shutdown",
                           "Waiting for gpu-feature-discovery to shutdown",
                           "Waiting for dcgm-exporter to shutdown",
                           "Waiting for dcgm to shutdown",
                           "Removing the cuda-validator pod",
                           "Applying the MIG mode change",
                           "Updating MIG mode: Enabled",
                           "MIG configuration applied successfully",
                           "Applying the selected MIG config to the node",
                           "Restarting validator pod",
                           "Restarting all GPU clients previously shutdown in Kubernetes",
                           "node label to 'success'",
                           "Successfully updated to MIG config: all-balanced",
                           "Waiting for change to 'nvidia.com/mig.config'"}) {
    std::size_t at = log.find(line, from);
    ASSERT_NE(at, std::string::npos) << line << "\n" << log;
    from = at;
  }
  EXPECT_TRUE(has(log, "time=\"2026-03-02T09:0")) << log.substr(0, 200);
}

TEST(MigManager, FailsOnAnUnknownConfigWithoutTouchingAPod) {
  Place place(kH100);
  std::string before = place.pod_name("nvidia-device-plugin-daemonset");
  cut(place, "all-9g.10gb");
  EXPECT_EQ(place.state(), "failed");
  EXPECT_TRUE(has(place.manager_log(), "selected mig-config not present: all-9g.10gb"));
  EXPECT_EQ(place.pod_name("nvidia-device-plugin-daemonset"), before);
  EXPECT_EQ(place.allocatable("nvidia.com/gpu"), "2");
}

TEST(MigManager, SucceedsAtOnceWhenItIsAppliedAlready) {
  Place place(kA100);
  std::string before = place.pod_name("nvidia-device-plugin-daemonset");
  cut(place, "all-1g.10gb");
  EXPECT_EQ(place.state(), "success");
  EXPECT_EQ(place.pod_name("nvidia-device-plugin-daemonset"), before);
  for (const std::string& change : place.seen) EXPECT_FALSE(has(change, "pending")) << change;
  EXPECT_TRUE(has(place.manager_log(), "Selected MIG config is already applied"));
}

TEST(MigManager, DoesNotEvictUsersAndFailsOnTheirGpus) {
  Place place("[{names: n1, product: A100-80GB, gpus: 2, driver: 570.124.06, layout: all-1g.10gb}]",
              "[{name: train, want: nvidia.com/mig-1g.10gb, on: n1/gpu1@3, runs: 9h, ran: 1h}]");
  cut(place, "all-2g.20gb");
  EXPECT_EQ(place.state(), "failed");
  EXPECT_EQ(place.world.jobs.size(), 1u);
  EXPECT_EQ(place.world.jobs.begin()->second.state, JobState::running);
  EXPECT_TRUE(has(place.manager_log(), "In use by another client")) << place.manager_log();
  EXPECT_EQ(place.layout(0), "2g.20gb@0,2g.20gb@2,2g.20gb@4") << "the GPU before it is cut by then";
  EXPECT_TRUE(has(place.layout(1), "1g.10gb@3")) << "the instance in use stands";
  EXPECT_EQ(place.label_on("n1", deploy_label("device-plugin")), "true") << "clients are back";
  EXPECT_EQ(place.allocatable("nvidia.com/mig-2g.20gb"), "3");
}

TEST(MigManager, ResetsEveryGpuForAModeChangeOnAmpere) {
  Place place(
      "[{names: n1, product: A100-80GB, gpus: 2, driver: 570.124.06, layouts: [whole, all-1g.10gb]}]");
  place.config_map("custom", "config.yaml",
                   "version: v1\nmig-configs:\n  first:\n    - devices: [0]\n      mig-enabled: true\n"
                   "      mig-devices: {3g.40gb: 2}\n");
  place.policy({"spec", "migManager", "config", "name"}, text("custom"));
  place.pass(minutes(2));
  cut(place, "first");
  EXPECT_EQ(place.state(), "success") << place.manager_log();
  EXPECT_EQ(place.layout(0), "3g.40gb@0,3g.40gb@4");
  EXPECT_EQ(place.layout(1), "") << "the other GPU was not mentioned: it was reset all the same";
  EXPECT_TRUE(has(place.manager_log(), "Resetting all GPUs..."));
}

TEST(MigManager, CannotResetWhileAnyBoardIsInUse) {
  Place place("[{names: n1, product: A100-80GB, gpus: 2, driver: 570.124.06}]",
              "[{name: train, want: nvidia.com/gpu, on: n1/gpu1, runs: 9h, ran: 1h}]");
  cut(place, "all-1g.10gb");
  EXPECT_EQ(place.state(), "failed");
  EXPECT_TRUE(has(place.manager_log(), "could not be reset"));
}

TEST(MigManager, RebootsWhereItMayAndGoesOnAfterwards) {
  Place place("[{names: n1, product: A100-80GB, gpus: 2, driver: 570.124.06}]",
              "[{name: train, want: nvidia.com/gpu, on: n1/gpu1, runs: 9h, ran: 1h, restartable: false}]");
  place.policy({"spec", "migManager", "env"},
               list_of({object({{"name", text("WITH_REBOOT")}, {"value", text("true")}})}));
  place.label("n1", kMigConfig, "all-1g.10gb");
  for (int i = 0; i < 60 && place.state() != "rebooting"; ++i) place.pass(seconds(1));
  ASSERT_EQ(place.state(), "rebooting");
  place.pass(seconds(5));
  EXPECT_EQ(place.world.nodes[0].condition, Condition::down);
  EXPECT_EQ(place.allocatable("nvidia.com/gpu"), "0") << "the plugin was paused before";
  settle(place);
  EXPECT_EQ(place.state(), "success") << place.manager_log();
  EXPECT_EQ(place.layout(0), kSeven);
  EXPECT_EQ(place.allocatable("nvidia.com/mig-1g.10gb"), "14");
  EXPECT_TRUE(place.world.jobs.empty()) << "the reboot took it";
}

TEST(MigManager, WedgesWithoutAWordAndComesFreeByAnotherLabel) {
  Place place(kH100);
  place.arm("wedges node=n1");
  place.label("n1", kMigConfig, "all-1g.10gb");
  place.pass(minutes(20));
  EXPECT_EQ(place.state(), "pending") << "for good";
  EXPECT_EQ(place.label_on("n1", deploy_label("dcgm")), kPaused);
  EXPECT_EQ(place.allocatable("nvidia.com/gpu"), "0");
  EXPECT_EQ(place.layout(0), "whole");
  EXPECT_TRUE(has(place.manager_log(), "dcgm-exporter pod did not shutdown: context deadline exceeded"));
  place.label("n1", kMigConfig, "all-1g.10gb");
  place.pass(minutes(10));
  EXPECT_EQ(place.state(), "pending") << "the same label is no change";
  place.label("n1", kMigConfig, "all-disabled");
  place.pass(minutes(5));
  EXPECT_EQ(place.state(), "success");
  EXPECT_EQ(place.label_on("n1", deploy_label("dcgm")), "true");
  EXPECT_EQ(place.allocatable("nvidia.com/gpu"), "2");
}

TEST(MigManager, TellsSuccessWithNothingDone) {
  Place place(kH100);
  place.arm("no-device node=n1 verb=reconfigure");
  cut(place, "all-1g.10gb");
  EXPECT_EQ(place.state(), "success");
  EXPECT_EQ(place.layout(0), "whole");
  EXPECT_EQ(place.allocatable("nvidia.com/mig-1g.10gb"), "") << "the node has no such thing";
  EXPECT_EQ(place.allocatable("nvidia.com/gpu"), "2");
}

TEST(MigManager, FailsHalfWayThroughAndLeavesWhatItMade) {
  Place place(kH100);
  place.arm("create-stops node=n1");
  cut(place, "all-1g.10gb");
  EXPECT_EQ(place.state(), "failed");
  EXPECT_TRUE(has(place.manager_log(), "all orderings failed"));
  EXPECT_EQ(place.allocatable("nvidia.com/mig-1g.10gb"), "3") << "what stands is on offer";
  place.arm("fails");
  cut(place, "all-balanced");
  EXPECT_EQ(place.state(), "failed");
  EXPECT_TRUE(has(place.manager_log(), "failed to apply MIG configuration: exit status 1"));
  EXPECT_TRUE(place.world.traps.empty()) << "each is used up";
  cut(place, "all-2g.20gb");
  EXPECT_EQ(place.state(), "success");
}

TEST(MigManager, TakesItsTimeWhenItIsSlow) {
  Place quick(kH100), slow(kH100);
  slow.arm("slow");
  auto took = [](Place& place) {
    place.label("n1", kMigConfig, "all-1g.10gb");
    TimePoint from = place.world.now;
    for (int i = 0; i < 1200 && place.state() != "success"; ++i) place.pass(seconds(1));
    return place.world.now - from;
  };
  Duration usual = took(quick), long_one = took(slow);
  EXPECT_GT(usual, seconds(10));
  EXPECT_LT(usual, seconds(60));
  EXPECT_GT(long_one, usual * 4);
  EXPECT_LT(long_one, minutes(10));
}

TEST(MigManager, ReadsItsLabelAgainWhenItStartsAgain) {
  Place place(kH100);
  place.arm("manager-down node=n1");
  place.label("n1", kMigConfig, "all-1g.10gb");
  place.pass(seconds(3));
  EXPECT_EQ(place.state(), "") << "it ended before it did anything";
  place.pass(minutes(3));
  EXPECT_EQ(place.state(), "success");
  EXPECT_EQ(place.layout(0), kSeven);

  // Someone changes a GPU by hand: that is not noticed until the manager is started again.
  std::vector<Board>& boards = place.world.nodes[0].boards;
  boards[0].instances.clear();
  place.pass(minutes(30));
  EXPECT_EQ(place.layout(0), "");
  place.label("n1", kMigConfig, "all-1g.10gb");
  place.pass(minutes(5));
  EXPECT_EQ(place.layout(0), "") << "the label did not change";
  place.erase_pod("nvidia-mig-manager");
  place.pass(minutes(3));
  EXPECT_EQ(place.layout(0), kSeven);
  EXPECT_EQ(place.state(), "success");
}

TEST(MigManager, StopsWhereItStandsWhenItsPodIsTakenAway) {
  Place place(kH100);
  place.label("n1", kMigConfig, "all-1g.10gb");
  for (int i = 0; i < 60 && place.state() != "pending"; ++i) place.pass(seconds(1));
  place.pass(seconds(2));
  place.label("n1", deploy_label("mig-manager"), "false");
  place.erase_pod("nvidia-mig-manager");
  place.pass(minutes(10));
  EXPECT_EQ(place.state(), "pending");
  EXPECT_EQ(place.label_on("n1", deploy_label("device-plugin")), kPaused);
  place.label("n1", deploy_label("mig-manager"), "true");
  place.pass(minutes(3));
  EXPECT_EQ(place.state(), "success");
  EXPECT_EQ(place.label_on("n1", deploy_label("device-plugin")), "true");
}

TEST(MigManager, KeepsAComponentSwitchedOffThatAnAdminSwitchedOff) {
  Place place(kH100);
  place.label("n1", deploy_label("dcgm-exporter"), "false");
  place.pass(minutes(1));
  EXPECT_EQ(place.pod_name("nvidia-dcgm-exporter"), "");
  cut(place, "all-1g.10gb");
  EXPECT_EQ(place.state(), "success");
  EXPECT_EQ(place.label_on("n1", deploy_label("dcgm-exporter")), "false");
  EXPECT_EQ(place.pod_name("nvidia-dcgm-exporter"), "");
}

TEST(MigManager, EveryOneStartsAgainWhenThePolicyNamesAnotherConfigMap) {
  Place place("[{names: 'n[1-3]', product: H100-80GB-SXM5, gpus: 1, driver: 570.124.06}]");
  Strings before;
  for (const char* node : {"n1", "n2", "n3"}) before.push_back(place.pod_name("nvidia-mig-manager", node));
  place.label("n2", kMigConfig, "mine");
  place.pass(seconds(30));
  EXPECT_EQ(place.state("n2"), "failed");
  ASSERT_NE(place.objects.find({"configmaps", "gpu-operator", "n2-mig-config"}), nullptr);
  place.config_map("site", "config.yaml",
                   "version: v1\nmig-configs:\n  mine:\n    - devices: all\n      mig-enabled: true\n"
                   "      mig-devices: {1g.10gb: 2, 3g.40gb: 1}\n");
  place.policy({"spec", "migManager", "config", "name"}, text("site"));
  place.pass(minutes(6));
  int at = 0;
  for (const char* node : {"n1", "n2", "n3"})
    EXPECT_NE(place.pod_name("nvidia-mig-manager", node), before[static_cast<std::size_t>(at++)]) << node;
  EXPECT_EQ(place.state("n2"), "success") << place.manager_log("n2");
  EXPECT_EQ(place.allocatable("nvidia.com/mig-3g.40gb", "n2"), "1");
  EXPECT_EQ(place.state("n1"), "") << "no label, nothing to do";
  EXPECT_EQ(place.objects.find({"configmaps", "gpu-operator", "n2-mig-config"}), nullptr)
      << "what it had generated went with its pod";
}

TEST(DevicePlugin, SharesByTheLabelAndNotByTheConfigMap) {
  Place place("[{names: n1, product: T4, gpus: 4, driver: 535.183.06}]");
  place.config_map(
      "plugin-configs", "ts4",
      "version: v1\nsharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}\n");
  place.label("n1", kPluginConfig, "ts4");
  place.pass(seconds(20));
  EXPECT_EQ(place.seen, (Strings{"n1 gpu: 0", "n1 gpu: 16"}));
  EXPECT_EQ(place.label_on("n1", "nvidia.com/gpu.product"), "Tesla-T4-SHARED");
  EXPECT_EQ(place.world.nodes[0].boards[0].replicas, 4);
  EXPECT_EQ(place.world.nodes[0].boards[0].strategy, Strategy::time_slicing);

  place.config_map(
      "plugin-configs", "ts4",
      "version: v1\nsharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 8}]}}\n");
  place.pass(minutes(30));
  EXPECT_EQ(place.allocatable("nvidia.com/gpu"), "16") << "it is not read again";
  place.objects.edit({"daemonsets.apps", "gpu-operator", "nvidia-device-plugin-daemonset"}, [](Json& set) {
    put_at(set, {"spec", "template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt"},
           text("now"));
  });
  place.pass(minutes(2));
  EXPECT_EQ(place.allocatable("nvidia.com/gpu"), "32") << "a rollout restart does";
}

// failRequestsGreaterThanOne: the scheduler binds such a pod, and the kubelet does not admit it.
TEST(DevicePlugin, RefusesAPodThatAsksForSeveralSharesWhereItIsToldTo) {
  constexpr const char* kT4Node = "[{names: n1, product: T4, gpus: 1, driver: 535.183.06}]";
  constexpr const char* kTwo =
      "[{name: two, namespace: ns, want: 'nvidia.com/gpu:2', runs: 9d, hold: gated, hold_for: 1m}]";
  auto reason_with = [&](const std::string& switches) {
    Place place(kT4Node, kTwo);
    place.config_map(
        "plugin-configs", "shared",
        "version: v1\nsharing: {" + switches + "resources: [{name: nvidia.com/gpu, replicas: 4}]}}\n");
    place.label("n1", kPluginConfig, "shared");
    place.pass(minutes(5));
    const Job& job = place.world.jobs.begin()->second;
    if (job.state == JobState::running) return std::string("runs");
    return job.reason;
  };
  for (const char* refusing : {"timeSlicing: {failRequestsGreaterThanOne: true, ", "mps: {"})
    EXPECT_TRUE(has(reason_with(refusing), "UnexpectedAdmissionError: Allocate failed") &&
                has(reason_with(refusing), "maximum request size for shared resources is 1; found 2"))
        << reason_with(refusing);
  for (const char* taking : {"timeSlicing: {", "mps: {failRequestsGreaterThanOne: false, "})
    EXPECT_EQ(reason_with(taking), "runs") << taking;
}

TEST(DevicePlugin, RefusesMpsOnMigAndAConfigThatIsNotThere) {
  Place place(kA100);
  place.config_map("plugin-configs", "mps",
                   "version: v1\nsharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}\n");
  place.label("n1", kPluginConfig, "mps");
  place.pass(minutes(2));
  ObjectPtr pod = place.pods("nvidia-device-plugin-daemonset").front();
  const Json* statuses = at(*pod, {"status", "containerStatuses"});
  ASSERT_NE(statuses, nullptr);
  EXPECT_FALSE(flag_at(statuses->items.front(), {"ready"}));
  EXPECT_EQ(text_at(statuses->items.front(), {"state", "waiting", "reason"}), "CrashLoopBackOff");
  EXPECT_TRUE(has(text_at(statuses->items.front(), {"state", "waiting", "message"}),
                  "sharing using MPS is not supported for MIG devices"));
  EXPECT_GT(number_at(statuses->items.front(), {"restartCount"}), 1);
  EXPECT_EQ(place.allocatable("nvidia.com/mig-1g.10gb"), "0");
  place.label("n1", kPluginConfig, "nothing");
  place.pass(minutes(12));
  EXPECT_EQ(place.allocatable("nvidia.com/mig-1g.10gb"), "0");
  patch_labels(place.objects, "n1", {{std::string(kPluginConfig), std::nullopt}});
  place.pass(minutes(12));
  EXPECT_EQ(place.allocatable("nvidia.com/mig-1g.10gb"), "14") << "without a label it is as it was";
}

TEST(DevicePlugin, IsAwayWithItsNodeUnannounced) {
  Place place(kA100);
  place.act([](World& world, Changes& changes) {
    WorldStep(world, changes).reboot_node(0, "reboot", "ops", world.now + kBoot, true);
  });
  place.pass(minutes(1));
  EXPECT_EQ(place.allocatable("nvidia.com/mig-1g.10gb"), "14") << "as the kubelet said last";
  place.mark();
  for (int i = 0; i < 60; ++i) place.pass(seconds(5));
  EXPECT_EQ(place.seen, (Strings{"n1 mig-1g.10gb: 0", "n1 mig-1g.10gb: 14"})) << "until the plugin is back";
}

// Work waits while the plugin is away, and goes on to what is new.
TEST(DevicePlugin, NothingIsHandedOutWhileItIsAway) {
  Place place(kH100, "[{name: late, want: nvidia.com/mig-1g.10gb, runs: 9h, count: 3}]");
  EXPECT_EQ(place.world.jobs.begin()->second.state, JobState::pending);
  cut(place, "all-1g.10gb");
  place.pass(seconds(30));
  for (const auto& [id, job] : place.world.jobs) EXPECT_EQ(job.state, JobState::running) << job.reason;
  place.label("n1", deploy_label("device-plugin"), "false");
  place.pass(minutes(1));
  EXPECT_EQ(place.allocatable("nvidia.com/mig-1g.10gb"), "0");
  EXPECT_TRUE(place.world.nodes[0].offer->nothing);
  for (const auto& [id, job] : place.world.jobs)
    EXPECT_EQ(job.state, JobState::running) << "what runs goes on";
}

}  // namespace
}  // namespace tessera::sim::kube
