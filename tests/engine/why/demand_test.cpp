// What is wanted against what there is, resource by resource.
#include "engine/why/demand.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <tuple>

#include "engine/why/why.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::why {
namespace {

using test::holds;
using test::instance;
using test::node;
using test::Story;

Gpu cut(int index, std::vector<Slice> slices) {
  Gpu gpu = test::gpu(index, Strategy::mig, std::move(slices));
  gpu.mig_mode = MigMode::enabled;
  return gpu;
}

Workload job(const std::string& id, const std::string& resource, int count = 1, int submitted = 0) {
  Workload one = test::waiting(id, "ann", resource);
  one.requests.front().count = count;
  one.submitted = test::at(submitted);
  return one;
}

Demand of(const Story& story, const std::string& resource) {
  for (const Demand& one : demand(story.cluster(), test::catalogue()))
    if (one.resource == resource) return one;
  ADD_FAILURE() << "no row for " << resource;
  return {};
}

// One GPU with two free 1g and a held 3g, one that is whole and free, one whose slices are all held.
Story three_gpus() {
  Story story;
  story.tell(NodesListed{{node(
      "n1",
      {cut(0, {instance("1g.10gb", 0, 1, 0), instance("1g.10gb", 1, 1, 1), instance("3g.40gb", 4, 4, 2)}),
       test::gpu(1, Strategy::whole, {test::whole(3)}), cut(2, {instance("7g.80gb", 0, 8, 4)})})}});
  return story;
}
const Workload kHolder = test::running("1", "bob", {holds("n1", {{2, 1}, {4, 1}})});

TEST(Demand, WhatIsFreeAndWhatIdleGpusCouldBeCutForAreCountedApart) {
  Story story = three_gpus();
  story.tell(WorkloadsListed{
      {kHolder, job("2", "gpu:1g.10gb", 3), job("3", "gpu:3g.40gb"), job("4", "gpu:7g.80gb")}});
  EXPECT_EQ(of(story, "gpu:1g.10gb").free, 2);
  EXPECT_EQ(of(story, "gpu:1g.10gb").could, 2 + 7)
      << "four beside the held 3g, of which two stand; seven on the whole GPU";
  EXPECT_EQ(of(story, "gpu:3g.40gb").free, 0);
  EXPECT_EQ(of(story, "gpu:3g.40gb").could, 1 + 2);
  EXPECT_EQ(of(story, "gpu:7g.80gb").could, 1) << "on the whole GPU; the other 7g is held";
}

// A plugin of the strategy single offers every slice as nvidia.com/gpu: 28 slices of a profile that it never
// offers were counted as what could be cut.
TEST(Demand, WhereThePluginOffersSlicesAsWholeGpusNoneCouldBeCut) {
  for (const char* strategy : {"mixed", "single"}) {
    Node one = node("n1", {cut(0, {instance("1g.10gb", 0, 1, 0), instance("1g.10gb", 1, 1, 1)})});
    one.features = {std::string("nvidia.com/mig.strategy=") + strategy};
    Story story;
    story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
    story.tell(NodesListed{{one}});
    Workload pod = job("ml/p", "nvidia.com/mig-7g.80gb");
    pod.kind = WorkloadKind::pod;
    story.tell(WorkloadsListed{{pod}});
    EXPECT_EQ(of(story, "nvidia.com/mig-7g.80gb").could, one.features.front().ends_with("single") ? 0 : 1);
  }
}

// By the strategy none it offers whole GPUs, cut or not, and feature discovery writes no label of it.
TEST(Demand, WhereThePluginOffersWholeGpusAloneNoneCouldBeCut) {
  const std::vector<std::pair<std::vector<std::string>, int>> cases = {
      {{"nvidia.com/gpu.count=1", "nvidia.com/mig.capable=true"}, 0},
      {{"nvidia.com/mig.strategy=none"}, 0},
      {{"nvidia.com/gpu.count=1", "nvidia.com/mig.capable=true", "nvidia.com/mig.strategy=mixed"}, 1},
      {{"nvidia.com/mig.capable=true"}, 1},  // another's label: discovery has not told
      {{}, 1}};
  for (const auto& [labels, could] : cases) {
    Node one = node("n1", {cut(0, {instance("1g.10gb", 0, 1, 0)})});
    one.features = labels;
    Story story;
    story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
    story.tell(NodesListed{{one}});
    Workload pod = job("ml/p", "nvidia.com/mig-7g.80gb");
    pod.kind = WorkloadKind::pod;
    story.tell(WorkloadsListed{{pod}});
    EXPECT_EQ(of(story, "nvidia.com/mig-7g.80gb").could, could) << (labels.empty() ? "" : labels.back());
  }
}

// WANTED of an array was that of one of its tasks, beside PENDING, which had all of them.
TEST(Demand, EachTaskOfAnArrayIsWanted) {
  Story story = three_gpus();
  Workload array = job("8_[1-20]", "gpu:1g.10gb", 2);
  array.tasks = 20;
  story.tell(WorkloadsListed{{kHolder, array}});
  EXPECT_EQ(of(story, "gpu:1g.10gb").wanted, 40);
  EXPECT_EQ(of(story, "gpu:1g.10gb").workloads, 1);
}

TEST(Demand, OfMoreThanCanBeCountedItWantsTheMost) {
  Story story = three_gpus();
  Workload array = job("8_[1-4000000]", "gpu:1g.10gb");
  array.requests.front().count = 1'000'000'000'000'000;
  array.tasks = 4'000'000;
  story.tell(WorkloadsListed{{kHolder, array, job("9", "gpu:1g.10gb", 3)}});
  EXPECT_GT(of(story, "gpu:1g.10gb").wanted, 1'000'000'000'000'000);
  EXPECT_EQ(demand(story.cluster(), test::catalogue()).front().resource, "gpu:1g.10gb")
      << "most wanted first";
}

TEST(Demand, HowMuchOfWhatWaitsFitsNowAndAfterARecut) {
  Story story = three_gpus();
  story.tell(WorkloadsListed{{kHolder, job("2", "gpu:3g.40gb", 1, 0), job("3", "gpu:3g.40gb", 1, 1),
                              job("4", "gpu:3g.40gb", 1, 2), job("5", "gpu:3g.40gb", 1, 3),
                              job("6", "gpu:1g.10gb")}});
  const Demand big = of(story, "gpu:3g.40gb");
  EXPECT_EQ(big.wanted, 4);
  EXPECT_EQ(big.workloads, 4);
  EXPECT_EQ(big.for_room, 4);
  EXPECT_EQ(big.fit_now, 0);
  EXPECT_EQ(big.fit_cut, 3) << "capacity is counted, not matches";
  EXPECT_EQ(of(story, "gpu:1g.10gb").fit_now, 1);
}

TEST(Demand, AJobWithAFeatureThatNoNodeHasFitsNowhere) {
  Story story = three_gpus();
  Workload other = job("2", "gpu:1g.10gb");
  other.needs.emplace().features = "a100";
  story.tell(WorkloadsListed{{kHolder, other, job("3", "gpu:1g.10gb", 1, 1)}});
  const Demand small = of(story, "gpu:1g.10gb");
  EXPECT_EQ(small.for_room, 2);
  EXPECT_EQ(small.fit_now, 1) << "job 3 alone";
  EXPECT_EQ(small.fit_cut, 1);
}

// FITS counted slices alone, and `why` said of the same job that its CPUs are not free.
TEST(Demand, AJobWhoseCpusOrMemoryAreNotFreeDoesNotFit) {
  Node busy = node("n1", {cut(0, {instance("1g.10gb", 0, 1, 0), instance("1g.10gb", 1, 1, 1)})});
  busy.cpus = 64, busy.cpus_held = 60, busy.memory = Mib{1000}, busy.memory_held = Mib{900};
  const auto needs = [](Workload one, int cpus, int memory) {
    one.needs.emplace();
    one.needs->cpus = cpus, one.needs->memory = Mib{memory};
    return one;
  };
  Story story;
  story.tell(NodesListed{{busy}});
  story.tell(WorkloadsListed{
      {needs(job("2", "gpu:1g.10gb", 1, 0), 8, 10), needs(job("3", "gpu:1g.10gb", 1, 1), 3, 200),
       needs(job("4", "gpu:1g.10gb", 1, 2), 3, 10), needs(job("5", "gpu:1g.10gb", 1, 3), 3, 10)}});
  const Demand row = of(story, "gpu:1g.10gb");
  EXPECT_EQ(row.free, 2);
  EXPECT_EQ(row.for_room, 4);
  EXPECT_EQ(row.fit_now, 1) << "job 4, which takes the CPUs that job 5 would need";
  EXPECT_EQ(row.fit_cut, 1) << "no re-cut makes CPUs";
  EXPECT_EQ(row.unsure, 0);
}

// That begins in so many hours.
Reservation later(const std::string& name, const std::string& nodes, int hours) {
  Reservation one;
  one.name = name, one.nodes = nodes, one.state = "INACTIVE";
  one.start = test::at(hours * 3600), one.end = test::at((hours + 1) * 3600);
  return one;
}

void listed(Story& story) {
  for (const Source source : {Source::slurm_jobs, Source::slurm_nodes})
    story.tell(SourceReport{source, std::nullopt, Duration{5}});
}

// `why` told which time limit would fit, and FITS counted the job all the same.
TEST(Demand, AJobFitsBeforeAReservationThatIsToComeByItsTimeLimitAlone) {
  const std::vector<std::tuple<std::optional<Duration>, int, int>> cases = {
      {std::chrono::hours(2), 1, 0}, {std::chrono::hours(3), 0, 0}, {std::nullopt, 0, 1}};
  for (const auto& [limit, fit, unsure] : cases) {
    Story story;
    story.tell(NodesListed{{node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})})}});
    Workload one = job("2", "gpu:h100");
    one.limit = limit;
    story.tell(WorkloadsListed{{one}});
    story.tell(ReservationsListed{{later("service", "n1", 2)}});
    listed(story);
    const Demand row = of(story, "gpu:h100");
    EXPECT_EQ(row.free, 1) << "it can be had now";
    EXPECT_EQ(row.for_room, 1);
    EXPECT_EQ(row.fit_now, fit);
    EXPECT_EQ(row.fit_cut, fit);
    EXPECT_EQ(row.unsure, unsure);
  }
}

// Eight tasks fit on n1 and two on n2: it was said not to fit, since five do not fit on n2.
TEST(Demand, OfAJobThatSlurmMayDealOutUnevenlyItIsNotKnownWhetherItFits) {
  for (const int free : {2, 0}) {
    Node first = node("n1", {cut(0, {instance("1g.10gb", 0, 1, 0)})}), second = first;
    second.name = NodeName("n2");
    first.cpus = second.cpus = 64;
    first.cpus_held = 64 - 8, second.cpus_held = 64 - free;
    Workload wide = job("2", "gpu:1g.10gb", 2);
    wide.node_count = 2;
    wide.needs.emplace().cpus = 10;
    wide.needs->cpus_each = 1;
    Story story;
    story.tell(NodesListed{{first, second}});
    story.tell(WorkloadsListed{{wide}});
    const Demand row = of(story, "gpu:1g.10gb");
    EXPECT_EQ(row.fit_now, 0) << free;
    EXPECT_EQ(row.unsure, free > 0 ? 1 : 0) << "n2 has " << free << " CPUs for it";
  }
}

// A node was ruled out that has less than an even part, though Slurm starts ten tasks on nodes with 8 and 2
// CPUs, too; and three tasks of ten CPUs were said to start on two nodes with 15 each.
TEST(Demand, OfAJobOfSeveralNodesOnlyTheLeastOfANodeRulesOneOut) {
  Node busy = node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)})});
  busy.cpus = 64, busy.cpus_held = 60, busy.memory = Mib{1000}, busy.memory_held = Mib{900};
  Story story;
  story.tell(NodesListed{{busy}});
  story.tell(WorkloadsListed{{}});
  Site site;
  site.catalogue = &test::catalogue(), site.wall = test::at(0);
  Workload one = job("2", "gpu:3g.40gb");
  one.node_count = 2;
  const auto there = [&](std::optional<int> cpus, int each, std::optional<Mib> memory, int memory_each) {
    one.needs.emplace().cpus = cpus;
    one.needs->cpus_each = each, one.needs->memory = memory, one.needs->memory_each = Mib{memory_each};
    return look_at(story.cluster(), story.node("n1"), one, site);
  };
  const Candidates uneven = there(10, 1, std::nullopt, 0), least = there(10, 5, std::nullopt, 0);
  EXPECT_EQ(uneven.what.text,
            "4 of 64 CPUs are free: 5 would be enough, fewer only with more on other nodes");
  EXPECT_EQ(uneven.what.certainty, Certainty::unknown);
  EXPECT_EQ(least.what.text, "4 of 64 CPUs are free, and it asks for 5");
  EXPECT_EQ(least.what.certainty, Certainty::certain);
  EXPECT_TRUE(there(6, 2, std::nullopt, 0).fits) << "two tasks of two CPUs, and the third elsewhere";
  EXPECT_EQ(there(9, 3, std::nullopt, 0).what.text,
            "4 of 64 CPUs are free: 6 would be enough, fewer only with more on other nodes");
  EXPECT_EQ(there(std::nullopt, 0, Mib{300}, 50).what.text,
            "100 of 1000 MiB of memory are free: 150 would be enough, less only with more on other nodes");
}

// "-4 of 64 CPUs are free"
TEST(Demand, OfANodeThatGaveAwayMoreCpusThanItHasNoneAreFree) {
  Node over = node("n1", {cut(0, {instance("1g.10gb", 0, 1, 0)})});
  over.cpus = 64, over.cpus_held = 68;
  Story story;
  story.tell(NodesListed{{over}});
  story.tell(WorkloadsListed{{}});
  Site site;
  site.catalogue = &test::catalogue(), site.wall = test::at(0);
  Workload one = job("2", "gpu:1g.10gb");
  one.needs.emplace().cpus = 1;
  EXPECT_EQ(look_at(story.cluster(), story.node("n1"), one, site).what.text,
            "0 of 64 CPUs are free, and it asks for 1");
}

// "0 of 64 CPUs are free" ruled a node out for a job that Slurm starts on the CPUs of another; and one in a
// partition that gives each job whole nodes fitted beside others.
TEST(Demand, WhetherCpusThatAreHeldRuleANodeOutIsThePartitionsToSay) {
  struct Case {
    const char* sharing;
    bool shares;
    int held, fits;
  };
  for (const Case& c :
       {Case{"", true, 64, 0}, Case{"NO", true, 64, 0}, Case{"YES:4", false, 64, 0},
        Case{"YES:4", true, 64, 1}, Case{"FORCE:1", true, 64, 0}, Case{"FORCE:4", false, 64, 1},
        Case{"EXCLUSIVE", false, 2, 0}, Case{"EXCLUSIVE", false, 0, 1}, Case{"NO", false, 2, 1}}) {
    Node one = node("n1", {cut(0, {instance("1g.10gb", 0, 1, 0)})});
    one.cpus = 64, one.cpus_held = c.held;
    Workload asked = job("2", "gpu:1g.10gb");
    asked.group = "p";
    asked.needs.emplace().cpus = 8;
    asked.needs->shares = c.shares;
    Story story;
    story.tell(NodesListed{{one}});
    story.tell(PartitionsListed{{{"other", "UP", false, false, "n2", "UNLIMITED", "NO"},
                                 {"p", "UP", false, true, "n1", "UNLIMITED", c.sharing}}});
    story.tell(WorkloadsListed{{asked}});
    EXPECT_EQ(of(story, "gpu:1g.10gb").fit_now, c.fits) << c.sharing << " " << c.shares << " " << c.held;
  }
}

TEST(DemandProperty, AJobFitsWhereWhySaysThatEnoughNodesHaveAllThatItAsksFor) {
  int fit = 0, short_of = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
    NodesListed nodes;
    for (const char* name : {"n1", "n2", "n3"}) {
      Node one = node(name, {cut(0, {instance("1g.10gb", 0, 1, 0), instance("3g.40gb", 4, 4, 1)})});
      if (pick(5) > 0) one.cpus = 16;
      if (pick(5) > 0) one.cpus_held = pick(3) > 0 ? pick(17) : 0;
      if (pick(5) > 0) one.memory = Mib{100};
      if (pick(5) > 0) one.memory_held = Mib{pick(101)};
      nodes.nodes.push_back(std::move(one));
    }
    Workload asked = job("7", pick(2) > 0 ? "gpu:1g.10gb" : "gpu:3g.40gb");
    asked.node_count = 1 + pick(2);
    asked.requests.front().count = asked.node_count;
    if (pick(6) > 0) {
      asked.needs.emplace().alone = pick(4) == 0;
      if (pick(4) > 0) asked.needs->cpus = 1 + pick(20);
      if (pick(4) > 0) asked.needs->memory = Mib{1 + pick(120)};
    }
    ReservationsListed to_come;
    asked.limit.reset();
    if (pick(4) > 0) asked.limit = std::chrono::hours(1 + pick(4));
    for (const char* name : {"n1", "n2", "n3"})
      if (pick(5) == 0) to_come.reservations.push_back(later(std::string("r") + name, name, 1 + pick(4)));
    if (asked.needs && pick(5) == 0) asked.needs->reservation = "rn1";
    if (pick(2) == 0)
      for (Reservation& one : to_come.reservations) one.flags = "FLEX";
    Story story;
    story.tell(std::move(nodes));
    story.tell(WorkloadsListed{{test::running("1", "bob", {holds("n1", {{1, 1}})}), asked}});
    story.tell(std::move(to_come));
    listed(story);
    Site site;
    site.catalogue = &test::catalogue(), site.wall = test::at(0);
    std::size_t said = 0;
    for (const Candidates& one : look_at_all(story.cluster(), asked, site))
      said += one.fits ? one.nodes.size() : 0;
    const bool fits = said >= static_cast<std::size_t>(asked.node_count);
    EXPECT_EQ(of(story, asked.requests.front().resource).fit_now, fits ? 1 : 0) << seed;
    ++(fits ? fit : short_of);
  }
  EXPECT_GT(fit, 50);
  EXPECT_GT(short_of, 50);
}

// Which nodes its selector leaves is in no list: that it does not fit was said all the same.
TEST(Demand, OfAPodWithASelectorItIsNotKnownWhetherItFits) {
  Story story;
  ClusterSeen seen;
  seen.scheduler = Scheduler::kubernetes;
  story.tell(seen);
  story.tell(NodesListed{{node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})})}});
  Workload pod = test::waiting("ml/a", "ml", "nvidia.com/gpu");
  pod.kind = WorkloadKind::pod;
  pod.reason =
      "0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) didn't match Pod's node "
      "affinity/selector.";
  Workload other = pod;
  other.id = WorkloadId("ml/b"), other.reason = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";
  other.submitted = test::at(60), pod.submitted = test::at(0);
  story.tell(WorkloadsListed{{pod, other}});
  const Demand row = of(story, "nvidia.com/gpu");
  EXPECT_EQ(row.for_room, 2);
  EXPECT_EQ(row.unsure, 2) << "the first in line may take it from the second";
  EXPECT_EQ(row.fit_now, 0);
  story.tell(WorkloadsListed{{other}}, 1);
  EXPECT_EQ(of(story, "nvidia.com/gpu").fit_now, 1);
}

// "1 fit" of a pod of which the scheduler says that no node has the CPUs for it.
TEST(Demand, OfAPodWhoseMessageNamesCpusOrMemoryItIsNotKnownWhetherItFits) {
  for (const char* words : {"cpu", "memory"}) {
    Story story;
    story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
    story.tell(NodesListed{{node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})})}});
    Workload pod = test::waiting("ml/a", "ml", "nvidia.com/gpu");
    pod.kind = WorkloadKind::pod;
    pod.reason = std::string("0/1 nodes are available: 1 Insufficient ") + words + ".";
    story.tell(WorkloadsListed{{pod}});
    const Demand row = of(story, "nvidia.com/gpu");
    EXPECT_EQ(row.for_room, 1) << words;
    EXPECT_EQ(row.fit_now, 0) << words;
    EXPECT_EQ(row.unsure, 1) << words;
  }
}

// A node in a reservation is closed to others alone.
TEST(Demand, AJobThatNamesTheReservationOfANodeFitsThere) {
  Story story;
  Node reserved = node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})});
  reserved.reservation = "class", reserved.state = {"IDLE", "MAINTENANCE", "RESERVED"};
  story.tell(NodesListed{{reserved}});
  Workload own = job("2", "gpu:h100"), other = job("3", "gpu:h100");
  own.needs.emplace().reservation = "class";
  story.tell(WorkloadsListed{{own, other}});
  const Demand row = of(story, "gpu:h100");
  EXPECT_EQ(row.free, 0) << "to be had by those alone who are let in";
  EXPECT_EQ(row.for_room, 2);
  EXPECT_EQ(row.fit_now, 1);
  story.tell(WorkloadsListed{{other}}, 1);
  EXPECT_EQ(of(story, "gpu:h100").fit_cut, 0);
}

TEST(Demand, WorkThatIsHeldOrLimitedWantsAndDoesNotWaitForRoom) {
  Story story = three_gpus();
  Workload held = job("2", "gpu:1g.10gb");
  held.reason = "JobHeldUser";
  story.tell(WorkloadsListed{{held}});
  EXPECT_EQ(of(story, "gpu:1g.10gb").wanted, 1);
  EXPECT_EQ(of(story, "gpu:1g.10gb").for_room, 0);
  EXPECT_EQ(of(story, "gpu:1g.10gb").fit_now, 0);
}

TEST(Demand, AClosedNodeAndAListThatFailedOfferNothing) {
  Story story = three_gpus();
  story.tell(WorkloadsListed{{job("2", "gpu:1g.10gb")}});
  Node drained = story.node("n1");
  drained.health = Health::drained;
  story.tell(NodesListed{{drained}});
  EXPECT_EQ(of(story, "gpu:1g.10gb").free, 0);
  EXPECT_EQ(of(story, "gpu:1g.10gb").could, 0);
  story.tell(SourceReport{Source::slurm_jobs, Error{"squeue", "timed out", ""}, Duration{0}, ""});
  EXPECT_EQ(of(story, "gpu:1g.10gb").free, std::nullopt) << "unknown is not zero";
  EXPECT_EQ(of(story, "gpu:1g.10gb").fit_now, 0);
}

TEST(Demand, WhatIsFreeAndNotWantedStandsLast) {
  Story story = three_gpus();
  story.tell(WorkloadsListed{{kHolder, job("2", "gpu:3g.40gb")}});
  const auto rows = demand(story.cluster(), test::catalogue());
  ASSERT_GE(rows.size(), 2U);
  EXPECT_EQ(rows.front().resource, "gpu:3g.40gb");
  EXPECT_EQ(rows.back().wanted, 0);
  EXPECT_GT(rows.back().free, 0);
}

// Who leaves the console waited until all resources of a large cluster were counted.
TEST(Demand, ACountThatIsGivenUpLooksAtNoFurtherResource) {
  Story story = three_gpus();
  story.tell(WorkloadsListed{{kHolder, job("2", "gpu:3g.40gb")}});
  int asked = 0;
  const auto rows = demand(story.cluster(), test::catalogue(), [&asked] { return ++asked == 2; });
  EXPECT_EQ(rows.size(), 1U);
  EXPECT_EQ(asked, 2);
}

TEST(Demand, AWholeGpuCouldBeMadeOfOneThatIsCutAndIdle) {
  Story story;
  story.tell(NodesListed{
      {node("n1", {cut(0, {instance("1g.10gb", 0, 1, 0)}), cut(1, {instance("1g.10gb", 0, 1, 1)})})}});
  story.tell(WorkloadsListed{{test::running("1", "bob", {holds("n1", {{1, 1}})}), job("2", "gpu:h100")}});
  EXPECT_EQ(of(story, "gpu:h100").could, 1);
  EXPECT_EQ(of(story, "gpu:h100").free, 0);
}

}  // namespace
}  // namespace tessera::why
