// Every kind of finding says who says so, what follows, what to do, and since when or why that is not known.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/guide/findings.hpp"
#include "engine/model/processes.hpp"
#include "engine/model/slinky.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {
namespace every_finding {

// Begins the text of a finding, behind the number of a GPU. since: "": it is told; else why it is not.
struct Kind {
  const char* text;
  const char* why_no_since = "";
};

constexpr const char* kNoTime = "the scheduler keeps no time of it";

constexpr Kind kOfSlurm[] = {
    {"slurmctld does not answer: "},
    {"PrivateData=jobs"},
    {"its answer could not be read whole"},
    {"the primary does not answer on h1"},
    {"does not answer on db1"},
    {"draining, 0 jobs left: "},
    {"drained, no workload on it: "},
    {"drained for run "},
    {"down: "},
    {"slurmd does not answer: "},
    {"INVALID: gres/gpu count"},
    {"INVALID: its MIG layout was lost at the boot"},
    {"state not known", kNoTime},
    {"powered down by power saving"},
    {"powering up"},
    {"is rebooting"},
    {"reboots once its jobs have ended"},
    {"MIG mode change is pending"},
    {"MIG on, no slices"},
    {"its slices do not fit the catalogue's"},
    {"process 585 (python3) of job 5", "the driver lists processes without the time of their start"},
    {"asks for 1 × gpu:a100, which no node has"},
    {"seems to run Docker"},
    {"asks for 2 MIG instances on one node"},
    {"asks for mps:150"},
};

constexpr Kind kOfKubernetes[] = {
    {"cordoned, 0 pods left: "},
    {"cordoned, no GPU pod on it: "},
    {"INVALID: "},
    {"asks for nvidia.com/mig-3g.40gb, which no node offers"},
    {"quota gpus allows 8", "a ResourceQuota has no time of its use"},
    {"n1: one layout must hold", "a rule is broken by how the node is set up, which has no time"},
};

constexpr Kind kOfTwoSides[] = {
    {"Slurm hands out 2 GPUs", "neither side keeps a time of it"},
    {"m1 is cordoned in", "neither side keeps a time of it"},
    {"1 of its nodes runs in a pod", "it is no event"},
};

// Each row has its finding, each finding its row, and all that is to be told.
template <std::size_t N>
void expect_told(const std::vector<insight::Finding>& all, const Kind (&kinds)[N]) {
  std::map<std::string, int> seen;
  for (const insight::Finding& one : all) {
    std::string text = one.text;
    if (one.gpu) text = text.substr(text.find(": ") + 2);
    const Kind* kind = std::find_if(std::begin(kinds), std::end(kinds),
                                    [&](const Kind& row) { return text.starts_with(row.text); });
    ASSERT_NE(kind, std::end(kinds)) << "no row for: " << text;
    ++seen[kind->text];
    EXPECT_NE(one.source, Source::none) << text;
    EXPECT_FALSE(one.follows.empty()) << text;
    EXPECT_FALSE(one.hint.empty() && one.commands.empty() && one.way_out == insight::WayOut::none) << text;
    EXPECT_EQ(one.since.has_value(), std::string_view(kind->why_no_since).empty()) << text;
  }
  for (const Kind& row : kinds) EXPECT_TRUE(seen.contains(row.text)) << "no finding: " << row.text;
}

std::vector<insight::Finding> all_of(const Story& story,
                                     std::optional<sharing::Platform> platform = std::nullopt) {
  return guide::all_findings(story.model, story.cluster(), catalogue(), platform, at(900));
}

Node in(const char* name, Health health, std::vector<std::string> state, const char* reason) {
  Node one = node(name, {});
  one.health = health, one.state = std::move(state), one.reason = reason, one.reason_at = at(-7000);
  one.origin.source = Source::slurm_nodes;
  return one;
}
Gpu board(int index, Strategy strategy, std::vector<Slice> slices, std::optional<MigMode> mode) {
  Gpu one = gpu(index, strategy, std::move(slices));
  one.mig_mode = mode;
  one.origin.source = Source::nvidia_smi;
  return one;
}

std::vector<Node> closed_nodes() {
  Node lost = in("invalid2", Health::invalid, {"INVALID_REG"},
                 "gres/gpu count reported lower than configured (0 < 7)");
  lost.gpus = {board(0, Strategy::mig, {instance("1g.10gb", 0, 1, 0)}, MigMode::enabled)};
  lost.booted = at(-7100);
  Node silent = in("f", Health::unknown, {"UNKNOWN"}, "");
  silent.reason_at.reset();
  return {in("a", Health::draining, {"MIXED", "DRAIN"}, "fans"),
          in("b", Health::drained, {"IDLE", "DRAIN"}, "fans"),
          in("c", Health::drained, {"IDLE", "DRAIN"}, "tessera 20261121-1403-n1-mbn root@login1: layout x"),
          in("d", Health::down, {"DOWN"}, "fans"),
          in("e", Health::down, {"DOWN", "NOT_RESPONDING"}, "Not responding"),
          in("invalid1", Health::invalid, {"INVALID_REG"},
             "gres/gpu count reported lower than configured (4 < 7)"),
          lost,
          silent,
          in("g", Health::down, {"POWERED_DOWN"}, "idle"),
          in("h", Health::unknown, {"POWERING_UP"}, "resumed"),
          in("i", Health::down, {"REBOOT_ISSUED"}, "kernel"),
          in("j", Health::draining, {"DRAIN", "REBOOT_REQUESTED"}, "kernel")};
}

Workload job(const char* id, const char* asks, std::int64_t count, const char* reason = "Resources") {
  Workload one = waiting(id, "alice", asks);
  one.requests.front().count = count, one.reason = reason;
  one.origin.source = Source::slurm_jobs;
  return one;
}

// GPU 0 and 1 lose what they had at 40, GPU 2 gets what is not in the catalogue, and GPU 3 is shared by MPS.
Node board_node(bool broken) {
  std::vector<Slice> seven;
  for (int i = 0; i < 7; ++i) seven.push_back(instance("1g.10gb", i, 1, i));
  Node one = node("boards", {board(0, Strategy::whole, {whole(20)}, MigMode::disabled),
                             board(1, Strategy::mig, seven, MigMode::enabled),
                             board(2, Strategy::mig, {instance("3g.40gb", 0, 4, 30)}, MigMode::enabled),
                             board(3, Strategy::whole, {whole(40)}, MigMode::disabled)});
  one.origin.source = Source::slurm_nodes;
  if (!broken) return one;
  one.gpus[0].mig_mode = MigMode::enable_pending;
  one.gpus[1].slices.clear();
  one.gpus[2].slices = {instance("9g.90gb", 3, 3, 30)};
  one.gpus[3].strategy = Strategy::mps, one.gpus[3].slices = {shared(SliceKind::mps, 100, 40)};
  return one;
}

Story slurm_with_every_fault() {
  Story story;
  std::vector<Node> nodes = closed_nodes();
  nodes.push_back(board_node(false));
  story.tell(NodesListed{nodes});
  Workload docker = running("9", "bob", {});
  docker.name = "run-docker", docker.submitted = at(-99), docker.origin.source = Source::slurm_jobs;
  Workload sharer = running("5", "alice", {holds("boards", {{40, 50}}, Family::mps)});
  sharer.origin.source = Source::slurm_jobs;
  story.tell(WorkloadsListed{{docker, sharer, job("6", "gpu:a100", 1, "BadConstraints"),
                              job("7", "gpu:1g.10gb", 2), job("8", "mps", 150)}});
  for (const Source source : {Source::slurm_nodes, Source::slurm_jobs, Source::slurm_partitions})
    story.tell(SourceReport{source, std::nullopt, Duration{5}});
  story.tell(DaemonsSeen{{{"slurmctld", "h1", true, "primary"}, {"slurmdbd", "db1", true, ""}}});
  story.tell(Loaded{});
  story.tell(NodeSeen{board_node(true)}, 40);
  GpuFigures opened;
  opened.gpu = GpuIndex{3};
  opened.processes = {{585, "python3", std::nullopt, Mib{100}, WorkloadId("5")}};
  story.tell(Measured{NodeName("boards"), Source::nvidia_smi, at(40), {opened}}, 40);
  story.tell(
      SourceReport{Source::slurm_partitions, Error{"slurmctld does not answer", "no route", ""}, Duration{5}},
      50);
  story.tell(SourceReport{Source::slurm_jobs, std::nullopt, Duration{5}, "PrivateData=jobs: hidden"}, 50);
  story.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}, "line 1: no State=", true}, 50);
  story.tell(DaemonsSeen{{{"slurmctld", "h1", false, "primary"}, {"slurmdbd", "db1", false, ""}}}, 50);
  return story;
}

TEST(EveryFinding, OfSlurmTellsItsSourceWhatFollowsAndSinceWhen) {
  expect_told(all_of(slurm_with_every_fault()), kOfSlurm);
}

TEST(EveryFinding, OfKubernetesTellsItsSourceWhatFollowsAndSinceWhen) {
  const auto of_kubernetes = [](Node one) {
    one.origin.source = Source::kubernetes_nodes;
    one.allocatable.emplace();
    return one;
  };
  Node cut = node(
      "n1", {gpu(0, Strategy::mig, {instance("1g.10gb", 0, 1, 0)}), gpu(1, Strategy::whole, {whole(1)})});
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  story.tell(NodesListed{{of_kubernetes(cut), of_kubernetes(in("a", Health::draining, {}, "fans")),
                          of_kubernetes(in("b", Health::drained, {}, "fans")),
                          of_kubernetes(in("c", Health::invalid, {}, "MIG-INVALID"))}});
  Workload pod = job("ml/p", "nvidia.com/mig-3g.40gb", 1, "0/1 nodes are available: 1 Insufficient x.");
  pod.kind = WorkloadKind::pod, pod.origin.source = Source::kubernetes_pods;
  story.tell(WorkloadsListed{{pod}});
  story.tell(QuotasListed{{{"ml", "gpus", "nvidia.com/gpu", 8, 8}}});
  story.tell(SourceReport{Source::kubernetes_nodes, std::nullopt, Duration{5}});
  story.tell(SourceReport{Source::kubernetes_pods, std::nullopt, Duration{5}});
  story.tell(Loaded{});
  expect_told(all_of(story, sharing::Platform::fpt), kOfKubernetes);
}

TEST(EveryFinding, OfTwoSidesOfAMachineTellsItsSourceAndWhatFollows) {
  Model model;
  const auto tell = [&](const char* cluster, auto what) {
    reduce(model, Event{ClusterName(cluster), 0, at(0), std::move(what)});
  };
  Node slurm = node("gpu-0", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})});
  slurm.host_pod = HostPod{"slurm", "w-0"}, slurm.origin.source = Source::slurm_nodes;
  Node machine = node("m1", slurm.gpus);
  machine.health = Health::draining, machine.origin.source = Source::kubernetes_nodes;
  Workload pod = running("slurm/w-0", "NodeSet/w", {holds("m1", {{0, 1}})});
  pod.kind = WorkloadKind::pod, pod.requests = {{"nvidia.com/gpu", 1}};
  pod.comment = slinky::pod_comment("gpu-0", {"MIXED"}, "");
  tell("hpc", ClusterSeen{Scheduler::slurm, false, "", ""});
  tell("hpc", NodesListed{{slurm}});
  tell("hpc", WorkloadsListed{});
  tell("prod", ClusterSeen{Scheduler::kubernetes, false, "", ""});
  tell("prod", NodesListed{{machine}});
  tell("prod", WorkloadsListed{{pod}});
  for (const char* cluster : {"hpc", "prod"}) tell(cluster, Loaded{});
  expect_told(guide::all_findings(model, *model.find(ClusterName("hpc")), catalogue(), std::nullopt, at(900)),
              kOfTwoSides);
}

}  // namespace every_finding
}  // namespace tessera::test
