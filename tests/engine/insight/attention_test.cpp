// What the overview says needs attention, and what it leaves alone.
#include "engine/insight/attention.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

std::vector<std::string> told(const Story& story, int seconds = 0) {
  Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  std::vector<std::string> lines;
  for (const insight::Finding& finding : insight::attention(story.cluster(), *catalogue, at(seconds)))
    lines.push_back(finding.subject + ": " + finding.text);
  return lines;
}
using Lines = std::vector<std::string>;

TEST(Attention, AHealthyClusterIsSilent) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)})})}});
  EXPECT_EQ(told(story), Lines{});
}

// It read "none: …; never answered", as of a source of the cluster.
TEST(Attention, ARecordingThatDoesNotTellOfItsMomentIsNamedWithItsAge) {
  const SourceReport fails{Source::none,
                           Error{"nothing is recorded of this moment", "the round before is old", ""}};
  Story story, unread;
  story.tell(Recorded{at(-86'400), at(-7200), ""});
  story.tell(fails);
  unread.tell(fails);
  const std::string what = "recording: nothing is recorded of this moment: the round before is old; ";
  EXPECT_EQ(told(story), Lines{what + "the newest round of the recording of hpc is 2 h 00 min old"});
  EXPECT_EQ(told(unread), Lines{what + "nothing of the recording of hpc was read"});
}

TEST(Attention, TheWorstComesFirst) {
  Node drained = node("a1", {}), invalid = node("z9", {});
  drained.health = Health::drained;
  drained.reason = "fan failure, ticket 123";
  drained.reason_by = "ops";
  drained.reason_at = at(-3600);
  invalid.health = Health::invalid;
  invalid.reason = "gres/gpu count reported lower than configured (4 < 7)";
  Story story;
  story.tell(NodesListed{{drained, invalid}});
  EXPECT_EQ(told(story),
            (Lines{"z9: INVALID: gres/gpu count reported lower than configured (4 < 7)",
                   "a1: drained, no workload on it: fan failure, ticket 123 [ops], 1 h 00 min ago"}));
}

// It said "see the finding beside this one", and no other one was there.
TEST(Attention, OfAnInvalidNodeOfKubernetesItSaysWhatToChange) {
  Node invalid = node("n1", {});
  invalid.health = Health::invalid;
  invalid.reason = "more than one MIG device type present on node";
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  story.tell(NodesListed{{invalid}});
  Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  const auto found = insight::attention(story.cluster(), *catalogue, at(0));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().hint.find("beside"), std::string::npos) << found.front().hint;
  EXPECT_NE(found.front().hint.find("one layout for all of them"), std::string::npos) << found.front().hint;
}

// A node that tessera itself has drained for a run stood under NEEDS ATTENTION.
TEST(Attention, ANodeThatARunHasDrainedIsNoAlarm) {
  Node ours = node("n1", {});
  ours.health = Health::draining;
  ours.reason = "tessera 20261121-1403-n1-mbn root@login1: layout 7x1g.10gb";
  ours.reason_by = "root";
  Story story;
  story.tell(NodesListed{{ours}});
  Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  const auto findings = insight::attention(story.cluster(), *catalogue, at(0));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, Severity::info);
  EXPECT_EQ(findings[0].text, "draining for run 20261121-1403-n1-mbn of root@login1, 0 jobs left");
}

// scontrol reboot: the node is DOWN while it boots, and that was wished.
TEST(Attention, ARebootThatWasAskedForIsNoAlarm) {
  Node waits = node("n1", {}), boots = node("n2", {}), lost = node("n3", {});
  waits.state = {"MIXED", "DRAIN", "REBOOT_REQUESTED"};
  waits.health = Health::draining;
  boots.state = {"DOWN", "DRAIN", "REBOOT_ISSUED"};
  lost.state = {"DOWN", "NOT_RESPONDING"};
  boots.health = lost.health = Health::down;
  waits.reason = boots.reason = "XID 79";
  lost.reason = "reboot timed out";
  Story story;
  story.tell(NodesListed{{waits, boots, lost}});
  EXPECT_EQ(told(story),
            (Lines{"n3: slurmd does not answer: reboot timed out",
                   "n1: reboots once its jobs have ended, 0 jobs left: XID 79", "n2: is rebooting: XID 79"}));
}

// Between two steps of a run its GPUs have no slices, and its device plugin is paused.
TEST(Attention, WhatARunDoesToItsNodeIsNoAlarmAndWhatIsBrokenThereIs) {
  Gpu empty = gpu(0, Strategy::mig, {});
  empty.mig_mode = MigMode::enabled;
  Gpu pending = gpu(1, Strategy::whole, {whole(0)});
  pending.mig_mode = MigMode::enable_pending;
  Node ours = node("n1", {empty, pending});
  ours.health = Health::drained;
  ours.reason = "tessera 20261121-1403-n1-mbn root@login1: layout 7x1g.10gb";
  Story story;
  story.tell(NodesListed{{ours}});
  story.tell(
      RemarksListed{Source::kubernetes_nodes,
                    {{Remark::Grade::warning, "n1", true, "its device plugin is not ready: paused", ""}}});
  Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  auto worst = [&] {
    Severity worst = Severity::info;
    for (const auto& finding : insight::attention(story.cluster(), *catalogue, at(0)))
      worst = std::max(worst, finding.severity);
    return worst;
  };
  EXPECT_EQ(insight::attention(story.cluster(), *catalogue, at(0)).size(), 4u) << "each is still told";
  EXPECT_EQ(worst(), Severity::info);
  story.tell(
      RemarksListed{Source::kubernetes_nodes,
                    {{Remark::Grade::danger, "n1", true, "the MIG manager could not make the layout", ""}}});
  EXPECT_EQ(worst(), Severity::danger);
  ours.reason = "Xid 79";
  story.tell(RemarksListed{Source::kubernetes_nodes, {}});
  story.tell(NodesListed{{ours}});
  EXPECT_EQ(worst(), Severity::warning) << "on a node that an admin closed they are";
}

TEST(Attention, AFindingAboutABoardNamesIt) {
  Gpu empty = gpu(7, Strategy::mig, {});
  empty.mig_mode = MigMode::enabled;
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)}), empty})}});
  Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  const auto findings = insight::attention(story.cluster(), *catalogue, at(0));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].gpu, GpuIndex{7});
}

// "the Slurmctld(primary) at head1 is DOWN does not answer on head1"
TEST(Attention, ADaemonsOwnSentenceIsNotTakenForItsPart) {
  Story story;
  story.tell(DaemonsSeen{{{"slurmctld", "head1", false, "Slurmctld(primary) at head1 is DOWN"}}});
  EXPECT_EQ(told(story), Lines{"slurmctld: does not answer on head1"});
}

// Each finding has who says so; of daemons nothing stood there.
TEST(Attention, ADaemonThatDoesNotAnswerIsToldByThePing) {
  Story story;
  story.tell(DaemonsSeen{{{"slurmctld", "head1", false, "primary"}, {"slurmdbd", "db1", false, ""}}});
  Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  const auto findings = insight::attention(story.cluster(), *catalogue, at(0));
  ASSERT_EQ(findings.size(), 2u);
  for (const insight::Finding& one : findings) EXPECT_EQ(one.source, Source::slurm_ping) << one.text;
  EXPECT_EQ(findings[1].commands, std::vector<std::string>{"ssh db1 systemctl status slurmdbd"});
}

TEST(Attention, PowerSavingAndBootsAreNoAlarm) {
  auto with = [](const char* name, Health health, std::vector<std::string> state) {
    Node one = node(name, {});
    one.health = health;
    one.state = std::move(state);
    return one;
  };
  Story story;
  story.tell(NodesListed{{with("a", Health::down, {"IDLE", "CLOUD", "POWERED_DOWN"}),
                          with("b", Health::down, {"IDLE", "POWERING_DOWN"}),
                          with("c", Health::unknown, {"MIXED", "POWERING_UP"}),
                          with("d", Health::down, {"DOWN", "POWERED_DOWN"})}});
  EXPECT_EQ(told(story), (Lines{"d: down: no reason given", "a: powered down by power saving",
                                "b: powered down by power saving", "c: powering up"}));
  Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  for (const insight::Finding& finding : insight::attention(story.cluster(), *catalogue, at(0)))
    EXPECT_EQ(finding.severity, finding.subject == "d" ? Severity::danger : Severity::info);
}

TEST(Attention, ControllersAndSlurmdAreToldByWhatTheirFailureMeans) {
  auto findings = [](bool primary, bool backup) {
    Story story;
    story.tell(DaemonsSeen{{{"slurmctld", "h1", primary, "primary"}, {"slurmctld", "h2", backup, "backup"}}});
    std::string text;
    Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
    for (const insight::Finding& one : insight::attention(story.cluster(), *catalogue, at(0)))
      text += std::string(one.severity == Severity::danger ? "!" : "?") + one.text + " (" + one.hint + ")\n";
    return text;
  };
  EXPECT_EQ(findings(true, true), "");
  EXPECT_EQ(
      findings(false, true),
      "!the primary does not answer on h1: the backup on h2 controls (systemctl status slurmctld on h1)\n");
  EXPECT_EQ(findings(true, false),
            "?the backup does not answer on h2: no other daemon takes over when h1 fails (systemctl status "
            "slurmctld "
            "on h2)\n");
  EXPECT_EQ(findings(false, false),
            "!the primary does not answer on h1 (systemctl status slurmctld on h1)\n"
            "!the backup does not answer on h2 (systemctl status slurmctld on h2)\n");
  Story story;
  Node silent = node("n1", {});
  silent.health = Health::down;
  silent.state = {"DOWN", "NOT_RESPONDING"};
  story.tell(NodesListed{{silent}});
  EXPECT_EQ(told(story), Lines{"n1: slurmd does not answer: no reason given"});
}

TEST(Attention, AFailingSourceSaysHowOldTheRestIs) {
  Story story;
  story.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}}, 0);
  story.tell(SourceReport{Source::slurm_nodes, Error{"slurmctld does not answer", "connect failure", "look"},
                          Duration{5}},
             60);
  EXPECT_EQ(told(story, 120),
            Lines{"scontrol show node: slurmctld does not answer: connect failure; shown: what "
                  "was true 2 min ago"});
}

TEST(Attention, AnAnswerThatIsNotWholeIsNamedWithItsCause) {
  Story story;
  Node broken = node("n1", {});
  broken.health = Health::unknown;
  broken.state.clear();
  Node silent = broken;
  silent.name = NodeName("n2");
  silent.state = {"UNKNOWN"};
  story.tell(NodesListed{{broken, silent}});
  story.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}, "line 1: n1: no State=", true});
  story.tell(SourceReport{Source::slurm_jobs, std::nullopt, Duration{5}, "PrivateData=jobs: hidden"});
  std::vector<std::string> hints;
  for (const insight::Finding& one : insight::attention(story.cluster(), *mig::Catalogue::built_in(), at(0)))
    if (one.is_node) hints.push_back(one.subject + ": " + one.hint);
  EXPECT_EQ(hints, (Lines{"n1: its record has no state: it is broken, or cut short",
                          "n2: its daemon has not registered yet"}));
  for (const insight::Finding& one : insight::attention(story.cluster(), *mig::Catalogue::built_in(), at(0)))
    if (one.text.find("read whole") != std::string::npos) {
      EXPECT_NE(one.hint.find("scontrol -d -o show node prints that record"), std::string::npos) << one.hint;
    }
  EXPECT_EQ(
      told(story),
      (Lines{"scontrol show node: its answer could not be read whole, so not everything is listed: line "
             "1: n1: no State=",
             "n1: state not known", "n2: state not known", "scontrol show job: PrivateData=jobs: hidden"}));
}

TEST(Attention, MigOnWithNothingCutAndPendingModesAreNamed) {
  Gpu empty = gpu(0, Strategy::mig, {});
  empty.mig_mode = MigMode::enabled;
  Gpu pending = gpu(1, Strategy::whole, {whole(1)});
  pending.mig_mode = MigMode::enable_pending;
  Story story;
  story.tell(NodesListed{{node("n1", {empty, pending})}});
  EXPECT_EQ(told(story), (Lines{"n1: GPU 0: MIG on, no slices", "n1: GPU 1: MIG mode change is pending"}));
}

// A reset alone is refused there: the finding names the two ways that are open.
TEST(Attention, APendingModeNamesTheLayoutAndTheWayBackAndNoReset) {
  Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  for (const auto& [mode, back] : {std::pair(MigMode::enable_pending, "ssh n1 nvidia-smi -i 1 -mig 0"),
                                   std::pair(MigMode::disable_pending, "ssh n1 nvidia-smi -i 1 -mig 1")}) {
    Gpu pending = gpu(1, Strategy::whole, {whole(1)});
    pending.mig_mode = mode;
    Story story;
    story.tell(NodesListed{{node("n1", {pending})}});
    const auto all = insight::attention(story.cluster(), *catalogue, at(0));
    const auto found = std::find_if(all.begin(), all.end(), [](const insight::Finding& one) {
      return one.text == "GPU 1: MIG mode change is pending";
    });
    ASSERT_NE(found, all.end());
    EXPECT_EQ(found->commands, (std::vector<std::string>{
                                   "scontrol show node n1",
                                   "tessera plan --node n1 --gpu 1 --layout LAYOUT",
                                   back,
                               }));
    EXPECT_NE(found->hint.find("cancel the change"), std::string::npos) << found->hint;
    EXPECT_EQ(found->hint.find("--gpu-reset"), std::string::npos) << found->hint;
  }
}

TEST(Attention, AQuarterOfABoardStrandedIsWorthALine) {
  // 3g at 0 and 3g at 4 leave no memory; seven 1g leave one slice of eight: neither is told.
  Story story;
  std::vector<Slice> ones;
  for (int i = 0; i < 7; ++i) ones.push_back(instance("1g.10gb", i, 1, i));
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::mig, ones)})}});
  EXPECT_EQ(told(story), Lines{});
}

// "draining, 0 still there" of a node whose pods could not be listed.
TEST(Attention, WhatIsOnANodeWhoseWorkIsNotListedIsNotKnown) {
  Node closed = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
  closed.health = Health::draining;
  closed.reason = "cordoned";
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  story.tell(NodesListed{{closed}});
  story.tell(SourceReport{Source::kubernetes_nodes, std::nullopt, Duration(1)});
  EXPECT_EQ(told(story), Lines{"n1: cordoned, what is still there is not known: cordoned"});
}

// A cordoned node was called draining, as if something moved its pods.
TEST(Attention, ANodeOfKubernetesIsCordonedAndNeitherDrainingNorDrained) {
  Node closed = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
  closed.health = Health::drained;
  closed.reason = "fan";
  const auto of = [&](Scheduler scheduler) {
    Story story;
    story.tell(ClusterSeen{scheduler, false, "", ""});
    story.tell(NodesListed{{closed}});
    story.tell(WorkloadsListed{});
    return told(story);
  };
  EXPECT_EQ(of(Scheduler::kubernetes), Lines{"n1: cordoned, no GPU pod on it: fan"});
  EXPECT_EQ(of(Scheduler::slurm), Lines{"n1: drained, no workload on it: fan"});
}

TEST(Attention, AQuotaThatIsUsedUpIsToldAndOneThatIsNotIsNot) {
  Story story;
  story.tell(QuotasListed{{{"ml", "gpus", "nvidia.com/gpu", 8, 8},
                           {"bio", "gpus", "nvidia.com/gpu", 8, 7},
                           {"new", "gpus", "nvidia.com/gpu", 0, std::nullopt}}});
  EXPECT_EQ(told(story), Lines{"ml: quota gpus allows 8 nvidia.com/gpu, and all of it is asked for"});
}

TEST(Attention, JobsThatCanNeverStartAreNamedAndCounted) {
  Workload never = waiting("77", "bob", "gpu:a100"), turn = waiting("78", "bob", "gpu:h100");
  Workload later = waiting("79", "eve", "gpu:a100"), other = waiting("80", "eve", "gpu:v100");
  never.reason = later.reason = other.reason = "BadConstraints";
  Story story;
  story.tell(WorkloadsListed{{never, turn}});
  EXPECT_EQ(told(story), Lines{"job 77: asks for 1 × gpu:a100, which no node has (BadConstraints)"});
  story.tell(WorkloadsListed{{never, turn, later}});
  EXPECT_EQ(told(story),
            Lines{"job 77: asks for 1 × gpu:a100, which no node has (BadConstraints); 1 more waits like it"});
  // One that asks for something else waits for another reason: it was folded into the same line.
  story.tell(WorkloadsListed{{never, turn, later, other}});
  EXPECT_EQ(told(story),
            (Lines{"job 77: asks for 1 × gpu:a100, which no node has (BadConstraints); 1 more waits like it",
                   "job 80: asks for 1 × gpu:v100, which no node has (BadConstraints)"}));
}

// scontrol takes no list of tasks.
TEST(Attention, TheTasksOfAnArrayThatNeverStartAreLookedUpByItsNumber) {
  Workload never = waiting("77_[0-3%2]", "bob", "gpu:a100");
  never.reason = "BadConstraints";
  Story story;
  story.tell(WorkloadsListed{{never}});
  const Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  const auto findings = insight::attention(story.cluster(), *catalogue, at(0));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings.front().subject, "job 77_[0-3%2]");
  EXPECT_EQ(findings.front().commands, std::vector<std::string>{"scontrol show job 77"});
}

std::vector<insight::Finding> findings_of(const Story& story) {
  Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  return insight::attention(story.cluster(), *catalogue, at(0));
}

TEST(Attention, TheWayOutOfAPendingModeIsTheLayoutThatItIsToLeadTo) {
  Gpu pending = gpu(1, Strategy::whole, {whole(1)});
  pending.mig_mode = MigMode::enable_pending;
  Story story;
  story.tell(NodesListed{{node("n1", {pending})}});
  const auto findings = findings_of(story);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].way_out, insight::WayOut::layout);
}

TEST(Attention, AFaultThatAResetEndsCarriesItsCommandBeforeTheOneThatOpensTheNode) {
  const auto commands = [](const char* reason, Scheduler scheduler = Scheduler::slurm) {
    Node drained = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
    drained.health = Health::drained, drained.reason = reason, drained.state = {"IDLE", "DRAIN"};
    Story story;
    story.tell(ClusterSeen{scheduler, false, "", ""});
    story.tell(NodesListed{{drained}});
    std::vector<std::string> all;
    for (const insight::Finding& one : findings_of(story))
      if (one.subject == "n1") all = one.commands;
    return all;
  };
  EXPECT_EQ(commands("row remap pending on GPU 3"),
            (std::vector<std::string>{"tessera node reset-gpu n1 3", "scontrol show node n1",
                                      "scontrol update NodeName=n1 State=RESUME"}));
  EXPECT_EQ(commands("Xid 95"),
            (std::vector<std::string>{"tessera node reset-gpu n1 GPU", "scontrol show node n1"}))
      << "which one is not said: pasted together, the first would fail and another open the node";
  for (const char* other : {"Xid 79", "Xid 13", "fans"})
    EXPECT_EQ(commands(other),
              (std::vector<std::string>{"scontrol show node n1", "scontrol update NodeName=n1 State=RESUME"}))
        << other;
  for (const std::string& one : commands("Xid 95", Scheduler::kubernetes))
    EXPECT_EQ(one.find("reset-gpu"), std::string::npos) << "Kubernetes has no way to a node";
}

TEST(Attention, AnXidInTheReasonOfADrainSaysWhatToDo) {
  Node drained = node("n1", {});
  drained.health = Health::drained, drained.reason = "Xid 79 on GPU 3";
  Story story;
  story.tell(NodesListed{{drained}});
  const auto findings = findings_of(story);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_TRUE(findings[0].hint.starts_with("Xid 79: the GPU has fallen off the bus")) << findings[0].hint;
  EXPECT_NE(findings[0].hint.find("State=RESUME"), std::string::npos) << "the way back stays";
}

// "SINCE -" and no consequence, though the backend that remarks on it knows both.
TEST(Attention, WhatASourceRemarksKeepsWhatFollowsAndSinceWhen) {
  Remark one{Remark::Grade::danger, "n1", true, "no GPU is offered", "restart its pod"};
  one.follows = "no pod gets a GPU there", one.since = at(-300);
  Story story;
  story.tell(NodesListed{{node("n1", {})}});
  story.tell(RemarksListed{Source::kubernetes_nodes, {one}});
  const insight::Finding found = findings_of(story).at(0);
  EXPECT_EQ(found.follows, "no pod gets a GPU there");
  EXPECT_EQ(found.since, at(-300));
}

TEST(Attention, WhatARestartOfThePluginEndsHasThatPlanAsItsWayOutAndItsCommands) {
  Remark one{Remark::Grade::warning, "n1", true, "the device plugin has not noticed a change", ""};
  one.restarts_plugin = true, one.commands = {"kubectl delete pod --namespace gpu-operator plugin-4kzqp"};
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  story.tell(NodesListed{{node("n1", {})}});
  story.tell(RemarksListed{Source::kubernetes_operator, {one}});
  const insight::Finding found = findings_of(story).at(0);
  EXPECT_EQ(found.way_out, insight::WayOut::restart);
  EXPECT_EQ(found.commands,
            (std::vector<std::string>{"kubectl describe node n1", "tessera node restart-plugin n1",
                                      "kubectl delete pod --namespace gpu-operator plugin-4kzqp"}));
}

TEST(Attention, WhatAPlanOfALayoutEndsOnKubernetesHasThatPlanAsItsWayOut) {
  Node bare = node("n1", {});
  bare.health = Health::invalid;
  Remark one{Remark::Grade::danger, "n1", true, "MIG-INVALID: its GPUs are not all cut into one profile", ""};
  one.commands = {"tessera plan --node n1 --preset all-disabled"};
  const auto ways_out = [&] {
    Story story;
    story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
    story.tell(NodesListed{{bare}});
    story.tell(RemarksListed{Source::kubernetes_nodes, {one}});
    std::vector<insight::WayOut> all;
    for (const insight::Finding& found : findings_of(story)) all.push_back(found.way_out);
    return all;
  };
  using insight::WayOut;
  EXPECT_EQ(ways_out(), (std::vector{WayOut::layout, WayOut::none}))
      << "nothing tells of a GPU, so that no plan can be made for it as such";
  bare.features = {"nvidia.com/gpu.product=NVIDIA-H100-80GB-HBM3-MIG-INVALID"};
  EXPECT_EQ(ways_out(), (std::vector{WayOut::layout, WayOut::layout}));
  bare.features.clear(), bare.gpus = {gpu(0, Strategy::whole, {whole(0)})};
  one.commands.clear();
  EXPECT_EQ(ways_out(), (std::vector{WayOut::none, WayOut::layout}));
}

// A node with fewer GPUs or slices than slurm.conf has, as Slurm tells of it. booted, noted: seconds.
insight::Finding of_fewer(std::vector<Gpu> gpus, const char* counts, std::optional<int> booted, int noted) {
  Node invalid = node("n1", std::move(gpus));
  invalid.health = Health::invalid, invalid.state = {"IDLE", "DRAIN", "INVALID_REG"};
  invalid.reason = std::string("gres/gpu count reported lower than configured (") + counts + ")";
  invalid.reason_at = at(noted);
  if (booted) invalid.booted = at(*booted);
  Story story;
  story.tell(NodesListed{{invalid}});
  return findings_of(story).at(0);
}
Gpu uncut_under_mig() {
  Gpu one = gpu(0, Strategy::mig, {});
  one.mig_mode = MigMode::enabled;
  return one;
}

// It read as any other count that is too low, with a hint about boots on nodes that had booted months before.
TEST(Attention, ALayoutThatABootLostIsToldAsThatSinceThatBoot) {
  const insight::Finding lost = of_fewer({uncut_under_mig()}, "0 < 7", -7200, -7150);
  EXPECT_EQ(lost.text,
            "INVALID: its MIG layout was lost at the boot 2 h 00 min ago: 0 of 7 slices were found");
  EXPECT_EQ(lost.cause, "INVALID: its MIG layout was lost at a boot");
  EXPECT_EQ(lost.since, at(-7200));
  EXPECT_EQ(lost.way_out, insight::WayOut::layout);
  EXPECT_NE(lost.hint.find("slurm-boot-unit"), std::string::npos) << lost.hint;
  EXPECT_EQ(lost.commands.back(), "tessera plan --node n1 --layout LAYOUT");
}

// slurmctld writes the same of every GRES.
TEST(Attention, FewerSharesThanConfiguredAreNoLostGpus) {
  Node invalid = node("n1", {uncut_under_mig()});
  invalid.health = Health::invalid, invalid.reason_at = at(-7150), invalid.booted = at(-7200);
  invalid.reason = "gres/shard count reported lower than configured (0 < 64)";
  Story story;
  story.tell(NodesListed{{invalid}});
  EXPECT_EQ(findings_of(story).at(0).text.find("lost"), std::string::npos) << findings_of(story).at(0).text;
}

TEST(Attention, WhatIsMissingSinceABootIsNoLayoutForSureWhereWholeGpusAreListed) {
  const insight::Finding missing = of_fewer({gpu(0, Strategy::whole, {whole(0)})}, "7 < 8", -7200, -7150);
  EXPECT_EQ(missing.text, "INVALID: GPUs or slices were lost at the boot 2 h 00 min ago: 7 of 8 were found");
  EXPECT_NE(missing.hint.find("Xid"), std::string::npos) << missing.hint;
  EXPECT_EQ(of_fewer({}, "7 < 8", -7200, -7150).way_out, insight::WayOut::none)
      << "there is no GPU to lay out";
}

TEST(Attention, FewerGpusThanConfiguredLongAfterABootAreNotItsDoing) {
  for (const auto& [booted, noted] :
       {std::pair<std::optional<int>, int>{-864'000, -7200}, {-60, -7200}, {std::nullopt, -7200}}) {
    const insight::Finding later = of_fewer({uncut_under_mig()}, "0 < 7", booted, noted);
    EXPECT_EQ(later.cause, "INVALID: gres/gpu count reported lower than configured (0 < 7)");
    EXPECT_EQ(later.since, at(noted));
    EXPECT_EQ(later.hint.find("boot"), std::string::npos) << later.hint;
  }
  EXPECT_EQ(of_fewer({}, "7 < ?", -7200, -7150).cause,
            "INVALID: gres/gpu count reported lower than configured (7 < ?)")
      << "what cannot be read is told in Slurm's words";
}

TEST(Attention, FewerSlicesThanConfiguredAfterABootNameTheBootUnit) {
  Node invalid = node("n1", {});
  invalid.health = Health::invalid;
  invalid.reason = "gres/gpu count reported lower than configured (0 < 7)";
  invalid.booted = at(-120);
  Story story;
  story.tell(NodesListed{{invalid}});
  EXPECT_NE(findings_of(story).at(0).hint.find("does not survive a boot without a boot unit"),
            std::string::npos);
}

// "no node has" had no time: such a job has waited in vain since it was handed in, the oldest of them the
// longest.
TEST(Attention, WorkThatNoNodeCanTakeIsToldSinceTheOldestOfIt) {
  Workload first = waiting("77", "bob", "gpu:a100"), older = waiting("79", "eve", "gpu:a100");
  first.reason = older.reason = "BadConstraints";
  first.submitted = at(500), older.submitted = at(200);
  Story story;
  story.tell(WorkloadsListed{{first, older}});
  EXPECT_EQ(findings_of(story).at(0).since, at(200));
  older.submitted.reset();
  story.tell(WorkloadsListed{{first, older}});
  EXPECT_EQ(findings_of(story).at(0).since, at(500)) << "what is not told takes nothing away";
}

Story pods(const std::string& asks, std::map<std::string, std::int64_t> offered) {
  Node one = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
  one.allocatable = std::move(offered);
  Workload pod = waiting("ml/train-0", "alice", asks);
  pod.kind = WorkloadKind::pod, pod.reason = "0/1 nodes are available: 1 Insufficient " + asks + ".";
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  story.tell(NodesListed{{one}});
  story.tell(WorkloadsListed{{pod}});
  story.tell(Loaded{});
  story.tell(SourceReport{Source::kubernetes_nodes, std::nullopt, Duration{5}});
  story.tell(SourceReport{Source::kubernetes_pods, std::nullopt, Duration{5}});
  return story;
}

TEST(Attention, APodThatAsksForWhatNoNodeOffersNeverStarts) {
  const auto findings = findings_of(pods("nvidia.com/mig-1g.10gb.me", {{"nvidia.com/mig-1g.10gb", 7}}));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].text, "asks for nvidia.com/mig-1g.10gb.me, which no node offers");
  EXPECT_NE(findings[0].hint.find("nodes offer nvidia.com/mig-1g.10gb: the name changes"), std::string::npos);
  EXPECT_NE(
      findings_of(pods("nvidia.com/gpu.shared", {{"nvidia.com/gpu", 4}})).at(0).hint.find("nvidia.com/gpu:"),
      std::string::npos);
  EXPECT_NE(
      findings_of(pods("nvidia.com/mig-3g.40gb", {{"nvidia.com/gpu", 4}})).at(0).hint.find("a layout that"),
      std::string::npos);
}

TEST(Attention, WhatNoNodeOffersIsToldSinceTheOldestPodThatAsksForIt) {
  Story story = pods("nvidia.com/mig-3g.40gb", {{"nvidia.com/gpu", 4}});
  Workload younger = waiting("ml/train-0", "alice", "nvidia.com/mig-3g.40gb"), older = younger;
  older.id = WorkloadId("ml/train-1");
  younger.kind = older.kind = WorkloadKind::pod;
  younger.submitted = at(500), older.submitted = at(200);
  story.tell(WorkloadsListed{{younger, older}});
  const auto findings = findings_of(story);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].since, at(200));
}

TEST(Attention, APodThatOnlyWaitsItsTurnIsNoFinding) {
  EXPECT_EQ(findings_of(pods("nvidia.com/gpu", {{"nvidia.com/gpu", 4}})).size(), 0u);
  EXPECT_EQ(findings_of(pods("example.com/fpga", {{"nvidia.com/gpu", 4}})).size(), 0u) << "no GPU resource";
}

}  // namespace
}  // namespace tessera::test
