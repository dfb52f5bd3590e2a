// What an actuator reads of one node: labels, pods, the MIG manager's log and the site's files as facts.
#include "backends/kubernetes/change/node_facts.hpp"

#include <gtest/gtest.h>

#include "backends/kubernetes/objects/parse.hpp"
#include "engine/operators/labels.hpp"
#include "engine/plan/words/operator_words.hpp"
#include "tests/backends/kubernetes/one_node.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::kubernetes {
namespace {

using namespace std::chrono_literals;
namespace words = plan::words;

Look look_at(const std::string& labels, const std::string& annotations = "", const std::string& more = "") {
  std::string text = R"({"metadata":{"name":"n1","resourceVersion":"7","labels":{)" + labels +
                     R"(},"annotations":{)" + annotations + "}" + more +
                     R"(},"spec":{},"status":{"conditions":[{"type":"Ready","status":"True"}]}})";
  Look look;
  look.at = look.cluster_time = noon();
  look.name = "n1";
  look.policy_read = true;
  look.node = parse_json(text, "node").value();
  Parser parser;
  look.object = parser.object<NodeObject>(text).value();
  return look;
}
plan::NodeFacts facts(const Look& look, Memory memory = {}) {
  operators::OperatorSetup site;
  site.ns = "gpu-operator";
  return facts_of(look, site, &test::catalogue(), memory);
}
PodObject acted_pod(const std::string& ns, const std::string& name, const std::string& app = "") {
  PodObject one;
  one.meta.name_space = ns;
  one.meta.name = name;
  one.node = "n1";
  one.phase = "Running";
  one.ready = true;
  if (!app.empty()) one.meta.labels["app"] = Text(app);
  return one;
}

TEST(KubeFacts, AMarkCarriesItsTime) {
  plan::RunMark mark{"20261121-1403-n1", "ann", "login1", noon()};
  EXPECT_EQ(mark_text(mark), "tessera 20261121-1403-n1 ann@login1 2026-11-21T12:00:00Z");
  EXPECT_EQ(read_mark(mark_text(mark)), mark);
  EXPECT_EQ(read_mark("someone else"), std::nullopt);
  EXPECT_EQ(read_mark(""), std::nullopt);
}

TEST(KubeFacts, LabelsAreWordsAndWhatIsNotThereIsEmpty) {
  plan::NodeFacts seen = facts(look_at(R"("nvidia.com/mig.config":"all-1g.10gb","other":"x")"));
  EXPECT_EQ(seen.words.at("nvidia.com/mig.config"), "all-1g.10gb");
  EXPECT_EQ(seen.words.at("nvidia.com/device-plugin.config"), "");
  EXPECT_FALSE(seen.words.contains("other"));
  EXPECT_TRUE(seen.answering);
  EXPECT_FALSE(seen.words.contains(std::string(words::kAccess)));  // not asked yet
}

TEST(KubeFacts, ACordonOfOursIsKnownByItsAnnotation) {
  Look look = look_at("", R"("tessera/closed":"tessera r1 ann@login1: cut it")");
  EXPECT_FALSE(facts(look).closed);
  look.object.unschedulable = true;
  ASSERT_TRUE(facts(look).closed_as);
  EXPECT_EQ(facts(look).closed_as->run, "r1");
  Look theirs = look_at("");
  theirs.object.unschedulable = true;
  EXPECT_TRUE(facts(theirs).closed);
  EXPECT_FALSE(facts(theirs).closed_as);
}

TEST(KubeFacts, PodsThatHoldGpusAreNamedWhoeverMadeThem) {
  Look look = look_at(R"("nvidia.com/gpu.product":"NVIDIA-H100-80GB-HBM3","nvidia.com/gpu.count":"2")");
  auto who = [&] { return facts(look).words.at(std::string(words::kGpuPods)); };
  PodObject monitor = acted_pod("monitoring", "dcgm-x");
  monitor.meta.owner_kind = "DaemonSet";
  monitor.runtime_class = "nvidia";
  look.pods = {monitor};
  EXPECT_EQ(who(), "") << "it would come back at once, so that no run waits for it";
  look.pods[0].requests["nvidia.com/gpu"] = 1;
  EXPECT_EQ(who(), "monitoring/dcgm-x holds nvidia.com/gpu")
      << "what holds a GPU keeps the driver from changing it";
  look.pods = {acted_pod("ml", "train-0")};
  look.pods.back().phase = "Pending";  // its image is being pulled
  look.pods.back().requests["nvidia.com/gpu"] = 1;
  EXPECT_EQ(who(), "ml/train-0 holds nvidia.com/gpu");
  look.pods.back().phase = "Succeeded";
  EXPECT_EQ(who(), "");
  look.pods = {acted_pod("ml", "debug")};
  look.pods.back().privileged = true;
  EXPECT_EQ(who(), "ml/debug uses GPUs that it did not ask for (privileged)");
  look.pods = {acted_pod("gpu-operator", "nvidia-driver-x", "nvidia-driver-daemonset")};
  look.pods.back().privileged = true;
  EXPECT_EQ(who(), "") << "the GPU stack's own";
}

TEST(KubeFacts, AHangIsPendingWithPausesForMoreThanFiveMinutes) {
  std::string pending = R"("nvidia.com/mig.config":"all-balanced","nvidia.com/mig.config.state":"pending",)"
                        R"("nvidia.com/gpu.deploy.device-plugin":"paused-for-mig-change")";
  std::string managed = R"(,"managedFields":[{"manager":"nvidia-mig-manager","time":"2026-11-21T11:50:00Z",)"
                        R"("fieldsV1":{"f:metadata":{"f:labels":{"f:nvidia.com/mig.config.state":{}}}}},)"
                        R"({"manager":"kubelet","time":"2026-11-21T11:59:50Z","fieldsV1":{"f:status":{}}}])";
  std::string stuck = facts(look_at(pending, "", managed)).words.at(std::string(words::kMigStuck));
  EXPECT_NE(stuck.find("at all-balanced for 10 min with device-plugin paused"), std::string::npos) << stuck;
  // Without that, from when it was first seen.
  Memory memory;
  Look look = look_at(pending);
  operators::OperatorSetup site;
  EXPECT_EQ(facts_of(look, site, &test::catalogue(), memory).words.at(std::string(words::kMigStuck)), "");
  look.cluster_time += 6min;
  EXPECT_NE(facts_of(look, site, &test::catalogue(), memory).words.at(std::string(words::kMigStuck)), "");
  // One that is done does not hang, and neither does one whose pauses are gone.
  EXPECT_EQ(facts(look_at(R"("nvidia.com/mig.config.state":"success")", "", managed))
                .words.at(std::string(words::kMigStuck)),
            "");
  EXPECT_EQ(facts(look_at(R"("nvidia.com/mig.config":"all-balanced","nvidia.com/mig.config.state":"pending")",
                          "", managed))
                .words.at(std::string(words::kMigStuck)),
            "");
}

// One that gave up waits for another order; one whose log goes on is slow.
TEST(KubeFacts, AManagerThatIsAtWorkDoesNotHangHoweverLongItTakes) {
  Look look = look_at(R"("nvidia.com/mig.config":"all-balanced","nvidia.com/mig.config.state":"pending",)"
                      R"("nvidia.com/gpu.deploy.device-plugin":"paused-for-mig-change")",
                      "",
                      R"(,"managedFields":[{"manager":"nvidia-mig-manager","time":"2026-11-21T11:50:00Z",)"
                      R"("fieldsV1":{"f:metadata":{"f:labels":{"f:nvidia.com/mig.config.state":{}}}}}])");
  PodObject manager = acted_pod("gpu-operator", "mm", "nvidia-mig-manager");
  look.pods = {manager};
  Memory memory;
  EXPECT_TRUE(needs_log(look, memory));
  const std::string rest =
      "time=\"2026-11-21T11:49:50Z\" level=info msg=\"Waiting for change to 'nvidia.com/"
      "mig.config' label\"\n";
  const std::string acts =
      "time=\"2026-11-21T11:58:00Z\" level=info msg=\"Applying the selected MIG config to "
      "the node\"\n";
  look.log = rest + acts + "  GPU 0: H100\n";
  plan::NodeFacts slow = facts(look);
  EXPECT_EQ(slow.words.at(std::string(words::kMigStuck)), "");
  EXPECT_EQ(slow.words.at(std::string(words::kMigSlow)),
            "the MIG manager has been at all-balanced for 10 min, where half a minute is usual");
  look.log = acts + rest;
  EXPECT_NE(facts(look).words.at(std::string(words::kMigStuck)), "");
  look.log = acts;
  look.cluster_time += 15min;
  EXPECT_NE(facts(look).words.at(std::string(words::kMigStuck)), "") << "nothing was said for too long";
  look.log.clear();
  EXPECT_NE(facts(look).words.at(std::string(words::kMigStuck)), "") << "its log may not be read";
  look.pods[0].ready = false;
  look.pods[0].reason = "CrashLoopBackOff";
  EXPECT_NE(facts(look).words.at(std::string(words::kMigSlow)).find("is not ready: CrashLoopBackOff"),
            std::string::npos);
}

TEST(KubeFacts, SuccessIsNotTakenWhereNothingWasMade) {
  Look look = look_at(
      R"("nvidia.com/mig.config":"all-1g.10gb","nvidia.com/mig.config.state":"success",)"
      R"("nvidia.com/gpu.product":"NVIDIA-H100-80GB-HBM3","nvidia.com/gpu.count":"2","nvidia.com/gpu.replicas":"1")",
      "",
      R"(,"managedFields":[{"manager":"nvidia-mig-manager","time":"2026-11-21T11:57:00Z",)"
      R"("fieldsV1":{"f:metadata":{"f:labels":{"f:nvidia.com/mig.config.state":{}}}}}])");
  operators::OperatorSetup site;
  site.readings.told(operators::SitePart::mig_config, operators::Reading::Is::value, noon());
  site.readings.told(operators::SitePart::generated, operators::Reading::Is::absent, noon());
  site.mig_config = operators::mig_file(
      "version: v1\nmig-configs:\n  all-1g.10gb:\n  - {devices: all, mig-enabled: true, mig-devices: "
      "{1g.10gb: "
      "7}}\n  all-disabled:\n  - {devices: all, mig-enabled: false}\n");
  auto hollow = [&] {
    Memory memory;
    plan::NodeFacts seen = facts_of(look, site, &test::catalogue(), memory);
    return seen.words.at(std::string(words::kMigHollow)) + "|" + seen.words.at(std::string(words::kMigOrder));
  };
  EXPECT_EQ(hollow(), "|all-1g.10gb") << "plugin and feature discovery have just begun";
  look.cluster_time += 2min;
  EXPECT_EQ(
      hollow(),
      "the MIG manager said success at all-1g.10gb 5 min ago, and the node offers 2 whole GPUs, not 14 of "
      "1g.10gb: nothing was made; the run orders it again when it is resumed|all-1g.10gb, which made "
      "nothing");
  look.node = parse_json(R"({"metadata":{"labels":{"nvidia.com/mig.config":"all-disabled",)"
                         R"("nvidia.com/mig.config.state":"success"}}})",
                         "node")
                  .value();
  EXPECT_EQ(hollow(), "|all-disabled") << "no time is told, so from now on";
}

// Feature discovery tells of new instances before the plugin has offered them to the kubelet.
TEST(KubeFacts, ALayoutIsMadeOnceTheNodeOffersIt) {
  const auto made = [](const std::string& offered) {
    const std::string labels =
        R"("nvidia.com/mig.config":"all-1g.10gb","nvidia.com/mig.config.state":"success",)"
        R"("nvidia.com/mig.strategy":"mixed","nvidia.com/mig.capable":"true",)"
        R"("nvidia.com/gpu.product":"NVIDIA-H100-80GB-HBM3","nvidia.com/gpu.count":"2",)"
        R"("nvidia.com/gpu.replicas":"0","nvidia.com/mig-1g.10gb.count":"14",)"
        R"("nvidia.com/mig-1g.10gb.replicas":"1")";
    Look look = look_at(labels);
    look.object.allocatable = {{"nvidia.com/gpu", 0}};
    if (!offered.empty()) look.object.allocatable["nvidia.com/mig-1g.10gb"] = std::stoi(offered);
    operators::OperatorSetup site;
    site.readings.told(operators::SitePart::mig_config, operators::Reading::Is::value, noon());
    site.readings.told(operators::SitePart::generated, operators::Reading::Is::absent, noon());
    site.mig_config = operators::mig_file(
        "version: v1\nmig-configs:\n  all-1g.10gb:\n  - {devices: all, mig-enabled: true, mig-devices: "
        "{1g.10gb: 7}}\n");
    Memory memory;
    return facts_of(look, site, &test::catalogue(), memory).words.at(std::string(words::kMigMade));
  };
  EXPECT_EQ(made("14"), "all-1g.10gb");
  EXPECT_EQ(made("7"), "");
  EXPECT_EQ(made(""), "");
}

// Between the label and the first word of the manager stands no state: whoever orders another layout then
// would take the success of the first for that of the second.
TEST(KubeFacts, AManagerThatIsAboutToBeginIsAtWork) {
  auto work = [](const std::string& labels, Duration later = Duration{0}) {
    Look look = look_at(labels);
    Memory memory;
    (void)facts_of(look, {}, &test::catalogue(), memory);
    look.cluster_time += later;
    return facts_of(look, {}, &test::catalogue(), memory).words.at(std::string(words::kMigWork));
  };
  const std::string order = R"("nvidia.com/mig.config":"all-balanced")";
  auto with = [&](const std::string& state) {
    return order + R"(,"nvidia.com/mig.config.state":")" + state + "\"";
  };
  EXPECT_EQ(work(order), "the MIG manager is about to begin all-balanced");
  EXPECT_EQ(work(order, 3min), "") << "it does not begin";
  EXPECT_EQ(work(with("pending")), "the MIG manager is at all-balanced");
  EXPECT_EQ(work(with("rebooting")), "the MIG manager is at all-balanced");
  EXPECT_EQ(work(with("success")), "");
  EXPECT_EQ(work(with("failed")), "");
}

// Whoever sets a label and sets it back at once finds the old offer, and a plugin that is on its way to the
// first.
TEST(KubeFacts, ALabelThatWasJustChangedIsNotCarriedOutYet) {
  Memory memory;
  auto told = [&](const std::string& value, Duration later) {
    Look look = look_at(R"("nvidia.com/device-plugin.config":")" + value + "\"");
    look.cluster_time += later;
    return facts_of(look, {}, &test::catalogue(), memory).words.at(std::string(words::kPluginSettled));
  };
  EXPECT_EQ(told("shared4", 0min), "") << "it was so before";
  EXPECT_EQ(told("", 1min), "0 s after nvidia.com/device-plugin.config was set");
  EXPECT_NE(told("", 1min + 20s), "");
  EXPECT_EQ(told("", 1min + 31s), "");
}

// A ConfigMap that the same writer changes again keeps its time in Kubernetes 1.20.
TEST(KubeFacts, AFileThatWasSeenToChangeIsWaitedForWhateverItsTimeSays) {
  Memory memory;
  auto file = [&](const std::string& version, Duration later) {
    Look look = look_at(R"("nvidia.com/mig.config":"all-disabled")");
    look.cluster_time += later;
    look.pods = {acted_pod("gpu-operator", "mm", "nvidia-mig-manager")};
    look.mig_map = "site-layouts";
    look.mig_config_map =
        parse_json(R"({"metadata":{"name":"site-layouts","resourceVersion":")" + version +
                       R"(","managedFields":[{"manager":"tessera","time":"2026-11-21T11:00:00Z",)"
                       R"("fieldsV1":{"f:data":{}}}]},"data":{"config.yaml":"version: v1\n"}})",
                   "map")
            .value();
    return facts_of(look, {}, &test::catalogue(), memory).words.at(std::string(words::kMigFile));
  };
  EXPECT_EQ(file("7", 0min), "");
  EXPECT_EQ(file("8", 1min), "the MIG manager may read the file as it was for another 120 s");
  EXPECT_EQ(file("8", 4min), "");
}

TEST(KubeFacts, AFailureIsToldWithItsCauseAndTheLogsEnd) {
  Look look = look_at(R"("nvidia.com/mig.config":"all-balanced","nvidia.com/mig.config.state":"failed")");
  look.log = "level=info\nerror destroying GPU instance: In use by another client\n";
  plan::NodeFacts seen = facts(look);
  std::string failure = seen.words.at(std::string(words::kMigFailure));
  EXPECT_NE(failure.find("a process still has the GPU open"), std::string::npos) << failure;
  EXPECT_NE(failure.find("error destroying GPU instance"), std::string::npos) << failure;
  EXPECT_EQ(seen.words.at(std::string(words::kMigOrder)), "all-balanced, which failed");
  look.log = std::string(300, 'a') + "\n" + std::string(300, 'b') + "\nthe last line\n";
  failure = facts(look).words.at(std::string(words::kMigFailure));
  EXPECT_NE(failure.find("its log ends: bbb"), std::string::npos) << "no line is shown from its middle on";
  look.log = std::string(900, 'c');
  failure = facts(look).words.at(std::string(words::kMigFailure));
  EXPECT_NE(failure.find("its log ends: ccc"), std::string::npos) << "but where there is but one";
}

// Given again, an order is taken off first; what the manager makes of that is no failure of the order.
TEST(KubeFacts, AFailureOfAnEarlierTurnIsNotThatOfTheOrder) {
  Look look = look_at(R"("nvidia.com/mig.config":"all-1g.10gb","nvidia.com/mig.config.state":"failed")");
  const auto failure = [&](const std::string& log) {
    look.log = log;
    return facts(look).words.at(std::string(words::kMigFailure));
  };
  const std::string none =
                        "msg=\"Updating to MIG config: \"\nmsg=\"selected mig-config not present\"\n"
                        "msg=\"Changing the 'nvidia.com/mig.config.state' node label to 'failed'\"\n",
                    begun =
                        "msg=\"Updating to MIG config: all-1g.10gb\"\nmsg=\"Asserting that it is there\"\n",
                    ended = "level=error msg=\"Error: In use by another client\"\n";
  EXPECT_EQ(failure(none), "") << "of the turn without an order";
  EXPECT_EQ(facts(look).words.at(std::string(words::kMigOrder)), "all-1g.10gb");
  EXPECT_NE(facts(look).words.at(std::string(words::kMigWork)), "") << "it is about to begin";
  EXPECT_EQ(failure(none + begun), "") << "the turn has only begun";
  EXPECT_NE(failure(none + begun + ended), "");
  EXPECT_NE(failure("msg=\"Updating to MIG config: all-1g.10gb.me\"\n" + begun + ended), "");
  EXPECT_EQ(failure("msg=\"Updating to MIG config: all-1g.10gb.me\"\n" + ended), "") << "another's";
  EXPECT_NE(failure(ended), "") << "the log begins in the middle of a turn";
  EXPECT_NE(failure(""), "");
}

TEST(KubeFacts, EveryKnownWayToFailIsNamed) {
  for (const auto& [line, cause] :
       {std::pair("selected mig-config not present: x", "does not know that configuration"),
        std::pair("In use by another client", "still has the GPU open"),
        std::pair("error creating GPU instance: Insufficient Resources", "do not fit on the GPU"),
        std::pair("MIG mode change did not take effect after rebooting", "stays as it was after a reboot"),
        std::pair("unable to apply MIG config with MIG mode disabled", "could not be switched on"),
        std::pair("cannot set MIG mode on non MIG-capable GPU", "cannot be cut"),
        std::pair("profile 9g.10gb not found on this GPU", "has no such profile"),
        std::pair("Resetting GPU 00000000:07:00.0 is not supported", "must be rebooted")})
    EXPECT_NE(known_cause(std::string("level=info\n") + line + "\n").find(cause), std::string::npos) << line;
  EXPECT_EQ(known_cause("something else"), "");
}

TEST(KubeFacts, ANodeThatOneAutoscalerMayTakeAwayIsOnlyHalfHeld) {
  const auto told = [](const std::string& annotations) {
    return facts(look_at("", annotations)).words.at(std::string(words::kAutoscaler));
  };
  const std::string ours = R"("tessera/held":"")",
                    cluster = ",\"" + std::string(operators::kScaleDown) + R"(":"true")",
                    karpenter = ",\"" + std::string(operators::kDisrupt) + R"(":"true")";
  EXPECT_EQ(told(ours + cluster + karpenter), "held");
  EXPECT_EQ(told(ours + cluster), "half held");
  EXPECT_EQ(told(ours + karpenter), "half held");
  EXPECT_EQ(told(cluster.substr(1) + karpenter), "free") << "held, but not by a run";
}

// Its successor may not be there yet: for that long nothing of the component is at work on the node.
TEST(KubeFacts, APodThatIsBeingDeletedIsNoReadyOne) {
  Look look = look_at("");
  const auto manager = [&] { return facts(look).words.at(std::string(words::kMigManager)); };
  look.pods = {acted_pod("gpu-operator", "mm-1", "nvidia-mig-manager")};
  EXPECT_EQ(manager(), "");
  look.pods[0].meta.deleted = noon();
  EXPECT_EQ(manager(), "the MIG manager has no pod on n1");
  look.pods.push_back(acted_pod("gpu-operator", "mm-2", "nvidia-mig-manager"));
  look.pods[1].ready = false;
  look.pods[1].reason = "ContainerCreating";
  EXPECT_EQ(manager(), "the MIG manager's pod mm-2 is not ready: ContainerCreating");
  look.pods[1].ready = true;
  EXPECT_EQ(manager(), "");
}

TEST(KubeFacts, ADriverUpgradeIsToldUntilItIsDone) {
  auto upgrade = [](const std::string& state) {
    return facts(look_at(R"("nvidia.com/gpu-driver-upgrade-state":")" + state + "\""))
        .words.at(std::string(words::kDriverUpgrade));
  };
  EXPECT_EQ(upgrade("pod-restart-required"), "a driver upgrade is under way: pod-restart-required");
  EXPECT_EQ(upgrade("upgrade-done"), "");
}

TEST(KubeFacts, AFileCountsOnceAKubeletHadTimeToBringIt) {
  Look look = look_at("");
  PodObject manager = acted_pod("gpu-operator", "mm", "nvidia-mig-manager");
  manager.started = noon() - 1h;
  look.pods = {manager};
  look.mig_config_map =
      parse_json(
          R"({"metadata":{"name":"site","resourceVersion":"3","managedFields":[{"time":"2026-11-21T11:59:30Z","fieldsV1":{}}]},
          "data":{"config.yaml":"version: v1\nmig-configs:\n  a:\n  - {devices: all, mig-enabled: false}\n"}})",
          "map")
          .value();
  EXPECT_EQ(facts(look).words.at(words::of(words::kMigEntry, "a")), "site");
  EXPECT_NE(facts(look).words.at(std::string(words::kMigFile)).find("for another 90 s"), std::string::npos);
  look.cluster_time += 2min;
  EXPECT_EQ(facts(look).words.at(std::string(words::kMigFile)), "");
  look.at = look.cluster_time = noon();
  look.pods[0].started = noon();  // it was started after the change
  EXPECT_EQ(facts(look).words.at(std::string(words::kMigFile)), "");
}

// A server of 1.20 leaves managedFields.time alone when the same manager writes again.
TEST(KubeFacts, AFileThatWasSeenToChangeIsNewWhateverItsManagersTimeSays) {
  Look look = look_at("");
  PodObject manager = acted_pod("gpu-operator", "mm", "nvidia-mig-manager");
  manager.started = noon() - 1h;
  look.pods = {manager};
  Memory memory;
  operators::OperatorSetup site;
  auto waits = [&](const std::string& version) {
    look.mig_config_map =
        parse_json(R"({"metadata":{"name":"site","resourceVersion":")" + version +
                       R"(","managedFields":[{"time":"2026-11-21T11:30:00Z","fieldsV1":{}}]},"data":{}})",
                   "map")
            .value();
    return facts_of(look, site, &test::catalogue(), memory).words.at(std::string(words::kMigFile));
  };
  EXPECT_EQ(waits("3"), "");
  EXPECT_NE(waits("4").find("for another 120 s"), std::string::npos);
  look.cluster_time += 2min;
  EXPECT_EQ(waits("4"), "");
}

TEST(KubeFacts, AnEntryOfOursWithAnotherContentIsNotOurs) {
  Look look = look_at("");
  look.mig_config_map = parse_json(
                            R"({"metadata":{"name":"site"},"data":{"config.yaml":
"version: v1\nmig-configs:\n  tessera-12345678:\n  - {devices: all, mig-enabled: false}\n"}})",
                            "map")
                            .value();
  EXPECT_FALSE(facts(look).words.contains(words::of(words::kMigEntry, "tessera-12345678")));
}

TEST(KubeFacts, ANodeThatIsGoneIsNotKnown) {
  Look look;
  look.name = "n1";
  look.known = false;
  EXPECT_FALSE(facts(look).known);
  EXPECT_FALSE(facts(look).answering);
}

}  // namespace
}  // namespace tessera::kubernetes
