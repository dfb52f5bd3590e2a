// Each broken link of a node, in words and with its way out.
#include "backends/kubernetes/objects/remarks.hpp"

#include <gtest/gtest.h>

#include "backends/kubernetes/objects/components.hpp"
#include "backends/kubernetes/objects/parse.hpp"
#include "engine/model/values.hpp"
#include "engine/time.hpp"
#include "tests/backends/kubernetes/kube_lab.hpp"

namespace tessera::kubernetes {
namespace {

class Remarked : public testing::Test {
 protected:
  TimePoint now = *parse_utc("2026-11-21T12:00:00Z");
  Labels labels = kOne, offered{{"nvidia.com/gpu", "2"}};
  std::vector<Component> parts;
  NodeEvidence evidence;

  // The only remark: its text, then the way out.
  std::string only() {
    Parser parser;
    NodeObject node = parser.object<NodeObject>(node_json("n1", labels, offered)).value();
    for (const auto& [resource, count] : broken) node.allocatable[resource] = count;
    for (const Condition& one : conditions) node.conditions.push_back(one);
    node.unread_gpus = unread;
    node.written = written;
    NodeSharing sharing = sharing_of(node, &test::catalogue());
    evidence.node = &node;
    evidence.sharing = &sharing;
    evidence.components = &parts;
    evidence.now = now;
    std::vector<Remark> all = remarks_on(evidence);
    if (all.size() != 1) return std::to_string(all.size()) + " remarks";
    EXPECT_EQ(all[0].subject, "n1");
    EXPECT_TRUE(all[0].is_node);
    EXPECT_FALSE(all[0].hint.empty());
    EXPECT_FALSE(all[0].follows.empty()) << all[0].text;
    since = all[0].since;
    commands = all[0].commands;
    gpu = all[0].gpu;
    restarts_plugin = all[0].restarts_plugin;
    seen = all[0].seen;
    return all[0].text + " | " + all[0].hint;
  }
  void expect(const std::string& text, const std::string& way_out) {
    std::string told = only();
    EXPECT_NE(told.find(text), std::string::npos) << told;
    EXPECT_NE(told.find(way_out), std::string::npos) << told;
  }
  std::optional<TimePoint> since;     // of the only remark
  std::vector<std::string> commands;  // of the same
  std::optional<GpuIndex> gpu;        // of the same
  bool restarts_plugin = false;       // of the same
  std::optional<TimePoint> seen;      // of the same
  Written written;
  std::vector<Condition> conditions;
  std::string unread;                          // a GPU resource whose count cannot be read
  std::map<std::string, std::int64_t> broken;  // allocatable, where it is not all of capacity
};

TEST_F(Remarked, NothingIsSaidOfANodeThatIsWell) { EXPECT_EQ(only(), "0 remarks"); }

TEST_F(Remarked, AModeOfAcksThatIsNotWhatIsOffered) {
  labels = {{"alibabacloud.com/nodepool-id", "np-7"}, {"ack.node.gpu.schedule", "mps"}};
  evidence.differs_since = now - 1min;
  EXPECT_EQ(only(), "0 remarks") << "its plugins take a moment";
  evidence.differs_since = now - 3min;
  expect("ack.node.gpu.schedule=mps, and no aliyun.com/gpu-mem is offered", "ack-ai-installer");
  offered = {{"nvidia.com/gpu", "0"}, {"aliyun.com/gpu-mem", "44"}, {"aliyun.com/gpu-count", "2"}};
  EXPECT_EQ(only(), "0 remarks");
  labels.erase("ack.node.gpu.schedule");
  expect("ack.node.gpu.schedule is taken off, and aliyun.com/gpu-mem is offered all the same",
         "kubectl label node n1 --overwrite ack.node.gpu.schedule=default");
}

TEST_F(Remarked, AChangeThatFailed) {
  labels["nvidia.com/mig.config"] = "all-1g.10gb";
  labels["nvidia.com/mig.config.state"] = "failed";
  expect("the MIG manager could not make the layout all-1g.10gb",
         "kubectl get pods -A -l app=nvidia-mig-manager --field-selector spec.nodeName=n1");
}

TEST_F(Remarked, AChangeThatIsStuckPendingOrRebooting) {
  labels["nvidia.com/mig.config"] = "all-1g.10gb";
  labels["nvidia.com/mig.config.state"] = "pending";
  evidence.pending_since = now - 4min;
  EXPECT_EQ(only(), "0 remarks") << "every change takes some minutes";
  evidence.pending_since = now - 6min;
  expect("layout all-1g.10gb has been pending for 6 min", "MIG manager's log");
  EXPECT_EQ(since, now - 6min) << "it stood in the text alone";
  labels["nvidia.com/gpu.deploy.device-plugin"] = "paused-for-mig-change";
  expect("stuck: layout all-1g.10gb pending for 6 min", "restart its MIG manager's pod");
  labels["nvidia.com/mig.config.state"] = "rebooting";
  expect("is rebooting for its layout all-1g.10gb, for 6 min", "goes on when the node is back");
  evidence.pending_since = now - 25min;
  expect("has been rebooting for its layout all-1g.10gb for 25 min", "console");
}

TEST_F(Remarked, SinceWhenAPartIsNotReadyAndALabelStandsIsToldWhereThatIsKnown) {
  parts = {{"MIG manager", Part::not_ready, "CrashLoopBackOff", now - 25min}};
  only();
  EXPECT_EQ(since, now - 25min);
  parts.clear();
  evidence.server_ahead = 1min;
  written.order = now - 40min, written.upgrade = now - 50min;
  labels["nvidia.com/mig.config"] = "all-1g.10gb";
  labels["nvidia.com/mig.config.state"] = "failed";
  only();
  EXPECT_EQ(since, std::nullopt) << "its writer may have written another label since";
  EXPECT_EQ(seen, now - 41min);
  labels = kOne;
  for (const char* state : {"upgrade-failed", "drain-required"}) {
    labels["nvidia.com/gpu-driver-upgrade-state"] = state;
    only();
    EXPECT_EQ(seen, now - 51min) << state;
  }
}

TEST_F(Remarked, AStrategyThatDoesNotFitTheBoards) {
  labels["nvidia.com/gpu.product"] = "NVIDIA-H100-80GB-HBM3-MIG-INVALID";
  labels["nvidia.com/gpu.count"] = "0";
  offered = {{"nvidia.com/gpu", "0"}};
  expect("MIG-INVALID", "from single to mixed");
}

TEST_F(Remarked, APartThatIsMissingNotReadyOrPaused) {
  parts = {{"device plugin", Part::missing, "nobody placed it"}};
  expect("no device plugin runs there: nobody placed it", "kubectl describe the DaemonSet");
  parts = {{"MIG manager", Part::not_ready, "CrashLoopBackOff"}};
  expect("its MIG manager is not ready: CrashLoopBackOff", "log has the reason");
  parts = {{"DCGM exporter", Part::paused, "nvidia.com/gpu.deploy.dcgm-exporter=paused-for-mig-change"}};
  expect("its DCGM exporter is paused and no change is under way",
         "kubectl label node n1 --overwrite nvidia.com/gpu.deploy.dcgm-exporter=true");
  evidence.pending_since = now - 1min;
  EXPECT_EQ(only(), "0 remarks") << "they are away on purpose";
}

// Its clients reach the GPUs through the daemon alone: worse than any other part that is away.
TEST_F(Remarked, AnMpsDaemonThatIsAwayWhereGpusAreSharedByMps) {
  parts = {{"MPS daemon", Part::not_ready, "CrashLoopBackOff"}};
  expect("its MPS daemon is not ready: CrashLoopBackOff", "log has the reason");
  labels["nvidia.com/gpu.sharing-strategy"] = "mps";
  labels["nvidia.com/gpu.replicas"] = "4";
  labels["nvidia.com/gpu.product"] += "-SHARED";
  offered = {{"nvidia.com/gpu", "8"}};
  expect("shares its GPUs by MPS, and the MPS daemon is not ready: CrashLoopBackOff", "log have the reason");
  parts = {{"MPS daemon", Part::missing, "DaemonSet a/b has no pod here"}};
  expect("shares its GPUs by MPS, and the MPS daemon does not run there: DaemonSet a/b has no pod here",
         "pods that get a share fail until it runs");
  evidence.pending_since = now - 1min;
  EXPECT_EQ(only(), "0 remarks") << "it is away on purpose";
  evidence.pending_since.reset();
  parts = {{"MPS daemon", Part::ready, ""}};
  EXPECT_EQ(only(), "0 remarks");
}

TEST_F(Remarked, LabelsCountsAndPodsThatDoNotAgree) {
  offered = {{"nvidia.com/gpu", "1"}};
  evidence.differs_since = now - 1min;
  EXPECT_EQ(only(), "0 remarks");
  evidence.differs_since = now - 3min;
  expect("nvidia.com/gpu is 2 by the labels, 1 by the device plugin", "restart its pod");
  evidence.differs_since.reset();
  evidence.held["nvidia.com/gpu"] = 2;
  expect("pods hold 2 nvidia.com/gpu, the node offers 1", "the layout changed under them");
  offered["nvidia.com/gpu"] = "2";
  EXPECT_EQ(only(), "0 remarks");
}

TEST_F(Remarked, ALayoutThatIsToldAndNotThere) {
  labels["nvidia.com/mig.config"] = "all-1g.10gb";
  evidence.unmade = "2 whole GPUs, not 14 of 1g.10gb";
  evidence.unmade_since = now - 3min;
  expect("layout all-1g.10gb is reported as made (state success) but is missing: 2 whole GPUs, not 14",
         "kubectl label node n1 nvidia.com/mig.config-");
}

// Each claimed that it has been so since exactly when tessera came.
TEST_F(Remarked, OfWhatWasSoAtTheFirstLookItIsToldThatItIsSinceThenAtLeast) {
  const auto told_at_least = [&](const std::string& text) {
    EXPECT_NE(only().find(text), std::string::npos) << only();
    EXPECT_EQ(since, std::nullopt) << text;
    EXPECT_EQ(seen, now - 6min) << text;
  };
  evidence.pending_before = evidence.differs_before = evidence.unmade_before = true;
  labels["nvidia.com/mig.config"] = "all-1g.10gb";
  evidence.unmade = "2 whole GPUs, not 14 of 1g.10gb";
  evidence.unmade_since = now - 6min;
  told_at_least("layout all-1g.10gb is reported as made");
  evidence.unmade_since.reset();
  evidence.pending_since = now - 6min;
  labels["nvidia.com/mig.config.state"] = "rebooting";
  told_at_least("is rebooting for its layout");
  labels["nvidia.com/mig.config.state"] = "pending";
  told_at_least("has been pending for 6 min");
  labels["nvidia.com/gpu.deploy.device-plugin"] = "paused-for-mig-change";
  told_at_least("stuck: layout all-1g.10gb pending for 6 min");
  evidence.pending_since.reset();
  labels = kOne, offered = {{"nvidia.com/gpu", "1"}};
  evidence.differs_since = now - 6min;
  told_at_least("nvidia.com/gpu is 2 by the labels, 1 by the device plugin");
}

TEST_F(Remarked, ADriverUpgradeUntilItIsDone) {
  labels["nvidia.com/gpu-driver-upgrade-state"] = "upgrade-done";
  EXPECT_EQ(only(), "0 remarks");
  labels["nvidia.com/gpu-driver-upgrade-state"] = "wait-for-jobs-required";
  const auto says = [&](const char* state, const char* text, const char* way_out) {
    labels["nvidia.com/gpu-driver-upgrade-state"] = state;
    expect(text, way_out);
  };
  says("upgrade-required", "under way, upgrade-required: it waits for its turn", "maxParallelUpgrades");
  says("wait-for-jobs-required", "under way, wait-for-jobs-required: it waits for pods to end",
       "waitForCompletion");
  says("drain-required", "under way, drain-required: the node is drained",
       "kubectl get pods -A --field-selector spec.nodeName=n1 lists them");
  says("pod-restart-required", "it waits for the new driver's pod", "app=nvidia-driver-daemonset");
  says("validation-required", "it waits for the validator's pod", "app=nvidia-operator-validator");
  says("some-newer-state", "a driver upgrade is under way: some-newer-state", "goes on by itself");
  says("upgrade-failed", "its driver upgrade failed", "nvidia-driver-daemonset");
  says("upgrade-failed", "its driver upgrade failed",
       "kubectl label node n1 nvidia.com/gpu-driver-upgrade-state=upgrade-required --overwrite");
}

TEST_F(Remarked, DevicesThatATaintKeepsWorkOff) {
  evidence.tainted = {"gpu-0 (gpu.nvidia.com/xid=79:NoSchedule)"};
  expect("its DRA driver keeps new pods off device gpu-0 (gpu.nvidia.com/xid=79:NoSchedule)", "restarted");
  EXPECT_EQ(gpu, GpuIndex{0});
  EXPECT_EQ(since, std::nullopt);
  evidence.tainted_since = {{evidence.tainted[0], now - 30min}}, evidence.server_ahead = 1min;
  only();
  EXPECT_EQ(since, now - 31min);
  evidence.tainted = {"gpu-3-mig-1g24gb-14-0 (gpu.nvidia.com/xid=79:NoSchedule)"};
  only();
  EXPECT_EQ(gpu, GpuIndex{3});
  evidence.tainted = {"gpu-0 (example.com/repair=yes:NoSchedule)"};
  only();
  EXPECT_EQ(gpu, std::nullopt) << "whose device that is, is not told";
}

// NVSentinel and node-problem-detector report by conditions; a node that is ready has others that are True.
TEST_F(Remarked, ConditionsOfThoseWhoWatchTheHardware) {
  conditions = {
      {"Ready", "True", "KubeletReady", "", {}},
      {"GpuMemWatch", "False", "", "no fault", {}},
      {"SysLogsXIDError", "True", "79", "[79] GPU fell off the bus RecommendedAction: RESTART_VM", {}}};
  expect("condition SysLogsXIDError reports a fault: [79] GPU fell off the bus RecommendedAction: RESTART_VM",
         "nvsentinel.dgxc.nvidia.com/managed=false");
  conditions = {{"MemoryPressure", "True", "", "", {}}};
  EXPECT_EQ(only(), "0 remarks") << "the kubelet's own";
}

TEST_F(Remarked, ACountOfGpusThatCannotBeRead) {
  unread = "nvidia.com/gpu";
  expect("its count of nvidia.com/gpu cannot be read", "status.capacity");
}

TEST_F(Remarked, DevicesThatAreOutOfUse) {
  broken = {{"nvidia.com/gpu", 1}};
  expect("1 of 2 nvidia.com/gpu are out of use", "Xid");
}

// They stood in the way out alone, where nothing copies them.
TEST_F(Remarked, TheCommandsOfTheWayOutCanBeCopied) {
  labels["nvidia.com/mig.config"] = "all-1g.10gb";
  labels["nvidia.com/mig.config.state"] = "failed";
  only();
  EXPECT_EQ(commands, (std::vector<std::string>{"kubectl get pods -A -l app=nvidia-mig-manager "
                                                "--field-selector spec.nodeName=n1",
                                                "tessera plan --node n1 --layout LAYOUT"}));
  labels["nvidia.com/mig.config.state"] = "success";
  evidence.unmade = "2 whole GPUs, not 14 of 1g.10gb";
  evidence.unmade_since = now - 3min;
  expect("layout all-1g.10gb is reported as made", "plan it again");
  EXPECT_EQ(commands, std::vector<std::string>{"tessera plan --node n1 --layout LAYOUT"});
  evidence.unmade_since.reset();
  labels = kOne;
  parts = {{"DCGM exporter", Part::paused, "nvidia.com/gpu.deploy.dcgm-exporter=paused-for-mig-change"}};
  only();
  EXPECT_EQ(commands, (std::vector<std::string>{
                          "kubectl label node n1 --overwrite nvidia.com/gpu.deploy.dcgm-exporter=true"}));
  parts.clear(), broken = {{"nvidia.com/gpu", 1}};
  only();
  EXPECT_EQ(commands, std::vector<std::string>{"ssh n1 nvidia-smi -q"});
  EXPECT_FALSE(restarts_plugin);
}

TEST_F(Remarked, TheRestartOfThePluginThatHasNotNoticedAChangeCanBeCopied) {
  offered = {{"nvidia.com/gpu", "1"}};
  evidence.differs_since = now - 3min;
  expect("nvidia.com/gpu is 2 by the labels, 1 by the device plugin", "restart its pod");
  EXPECT_TRUE(restarts_plugin);
  EXPECT_EQ(commands,
            (std::vector<std::string>{"kubectl get pods --all-namespaces --field-selector spec.nodeName=n1",
                                      "kubectl delete pod --namespace NAMESPACE POD-OF-THE-DEVICE-PLUGIN"}));
  StackPod plugin;
  plugin.component = kPluginComponent, plugin.name_space = Text("gpu-operator");
  plugin.name = "nvidia-device-plugin-daemonset-4kzqp";
  evidence.plugin = &plugin;
  only();
  EXPECT_EQ(commands,
            std::vector<std::string>{
                "kubectl delete pod --namespace gpu-operator nvidia-device-plugin-daemonset-4kzqp"});
}

}  // namespace
}  // namespace tessera::kubernetes
