// Why one job or pod waits: the first condition that fails on each node, and what would help.
#include "engine/why/why.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::why {
namespace why_test {

using test::holds;
using test::instance;
using test::node;
using test::Story;

Gpu cut(int index, std::vector<Slice> slices) {
  Gpu gpu = test::gpu(index, Strategy::mig, std::move(slices));
  gpu.mig_mode = MigMode::enabled;
  return gpu;
}

Node in(Node node, std::vector<std::string> partitions) {
  node.partitions = std::move(partitions);
  return node;
}

Workload job(const std::string& resource, const std::string& reason = "Resources") {
  Workload one = test::waiting("7", "alice", resource);
  one.group = "gpu";
  one.reason = reason;
  one.origin.source = Source::slurm_jobs;
  return one;
}

Answer answer_for(const Story& story, const Workload& work) {
  Site site;
  site.catalogue = &test::catalogue();
  site.wall = test::at(0);
  return explain(story.cluster(), work, site);
}

const Candidates* about(const Answer& answer, const std::string& name) {
  for (const Candidates& one : answer.nodes)
    for (const NodeName& node : one.nodes)
      if (node.text == name) return &one;
  return nullptr;
}
const Remedy* first(const Answer& answer, Help help) {
  for (const Remedy& one : answer.help)
    if (one.help == help) return &one;
  return nullptr;
}

TEST(Why, TheFirstConditionThatFailsIsNamedForEachNode) {
  Story story;
  Node drained = in(node("n2", {cut(0, {instance("3g.40gb", 4, 4, 0)})}), {"gpu"});
  drained.health = Health::drained, drained.reason = "fan";
  story.tell(NodesListed{{in(node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)})}), {"gpu"}), drained,
                          in(node("n3", {cut(0, {instance("3g.40gb", 4, 4, 0)})}), {"cpu"}),
                          in(node("n4", {test::gpu(0, Strategy::whole, {test::whole(0)})}), {"gpu"}),
                          in(node("n5", {cut(0, {instance("3g.40gb", 4, 4, 0)})}), {"gpu"})}});
  story.tell(WorkloadsListed{{test::running("1", "bob", {holds("n1", {{0, 1}})}), job("gpu:3g.40gb")}});
  const Answer answer = answer_for(story, job("gpu:3g.40gb"));
  EXPECT_TRUE(answer.waits);
  EXPECT_EQ(answer.sentence.text, "it waits for resources: what it asks for is not free");
  EXPECT_EQ(answer.sentence.certainty, Certainty::certain);
  EXPECT_EQ(answer.sentence.source, Source::slurm_jobs);
  ASSERT_NE(about(answer, "n1"), nullptr);
  EXPECT_EQ(about(answer, "n1")->what.text,
            "0 of 1 × gpu:3g.40gb are free, and it asks for 1; GPU 0 could be cut for it: no job or pod is "
            "in the way");
  EXPECT_EQ(about(answer, "n2")->what.text, "drained: fan");
  EXPECT_EQ(about(answer, "n3")->what.text, "not in its partition, gpu");
  EXPECT_EQ(about(answer, "n4")->topic, Topic::request);
  EXPECT_TRUE(about(answer, "n5")->fits);
  EXPECT_TRUE(answer.nodes.front().fits) << "the nearest to a start stands first";
  ASSERT_FALSE(answer.more.empty());
  EXPECT_NE(answer.more.back().text.find("its GPUs are free on 1"), std::string::npos)
      << "the model sees room where the scheduler sees none: it is said, not hidden";
  EXPECT_FALSE(answer.untold.empty());
}

// Jobs still run on it: it is on its way, and was called drained.
TEST(Why, ANodeThatDrainsIsSaidToDrainAndOneOfKubernetesIsCordoned) {
  for (const Scheduler scheduler : {Scheduler::slurm, Scheduler::kubernetes}) {
    Story story;
    story.tell(ClusterSeen{scheduler, false, "", ""});
    Node draining = in(node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)})}), {"gpu"});
    draining.health = Health::draining, draining.reason = "fan";
    story.tell(NodesListed{{draining}});
    story.tell(WorkloadsListed{{job("gpu:3g.40gb")}});
    const Answer answer = answer_for(story, job("gpu:3g.40gb"));
    ASSERT_NE(about(answer, "n1"), nullptr);
    EXPECT_EQ(about(answer, "n1")->what.text,
              scheduler == Scheduler::slurm ? "draining: fan" : "cordoned: fan");
  }
}

// Of a job that names its node, the room on all others was offered.
TEST(Why, NodesThatAJobNamesExcludesOrWhoseFeaturesItDoesNotWantAreNoCandidates) {
  Story story;
  Node featured = node("n4", {cut(0, {instance("3g.40gb", 4, 4, 0)})});
  featured.features = {"nvl", "h100"};
  story.tell(NodesListed{{node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)})}),
                          node("n2", {cut(0, {instance("3g.40gb", 4, 4, 0)})}),
                          node("n3", {cut(0, {instance("3g.40gb", 4, 4, 0)})}), featured}});
  Workload one = job("gpu:3g.40gb");
  one.needs.emplace().nodes = "n[1-2]";
  one.node_count = 2;
  EXPECT_EQ(about(answer_for(story, one), "n3")->what.text, "it asks for other nodes: n[1-2]");
  EXPECT_TRUE(about(answer_for(story, one), "n2")->fits);
  one.node_count = 3;
  EXPECT_TRUE(about(answer_for(story, one), "n3")->fits) << "two of three are named: the third may be any";
  one.node_count = 1;
  one.needs = NodeNeeds{};
  one.needs->excluded = "n2,n3";
  EXPECT_EQ(about(answer_for(story, one), "n2")->what.text, "it excludes nodes: n2,n3");
  EXPECT_TRUE(about(answer_for(story, one), "n1")->fits);
  one.needs = NodeNeeds{};
  one.needs->features = "h100&nvl";
  EXPECT_EQ(about(answer_for(story, one), "n1")->what.text, "its features are not h100&nvl");
  EXPECT_TRUE(about(answer_for(story, one), "n4")->fits);
  one.needs->features = "a100|nvl";
  EXPECT_TRUE(about(answer_for(story, one), "n4")->fits);
  EXPECT_FALSE(about(answer_for(story, one), "n1")->fits);
  one.needs->features = "[rack1|rack2]*2";
  EXPECT_TRUE(about(answer_for(story, one), "n1")->fits) << "what is not understood refuses nothing";
}

TEST(Why, CpusAndMemoryThatAreHeldAreNamedWithBothNumbers) {
  Story story;
  Node busy = node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)})});
  busy.cpus = 64, busy.cpus_held = 60, busy.memory = Mib{1000}, busy.memory_held = Mib{900};
  story.tell(NodesListed{{busy}});
  Workload one = job("gpu:3g.40gb");
  one.needs.emplace();
  one.needs->cpus = 8, one.needs->memory = Mib{50};
  EXPECT_EQ(about(answer_for(story, one), "n1")->what.text, "4 of 64 CPUs are free, and it asks for 8");
  EXPECT_EQ(first(answer_for(story, one), Help::recut), nullptr) << "no GPU is short";
  one.needs->cpus = 4, one.needs->memory = Mib{200};
  EXPECT_EQ(about(answer_for(story, one), "n1")->what.text,
            "100 of 1000 MiB of memory are free, and it asks for 200");
  one.needs->memory = Mib{100};
  EXPECT_EQ(about(answer_for(story, one), "n1")->what.text,
            "the GPUs, CPUs and memory that it asks for are free");
  one.needs->alone = true;
  EXPECT_EQ(about(answer_for(story, one), "n1")->what.text,
            "it wants a node to itself, and 60 CPUs are held here");
}

TEST(Why, TheSchedulersOwnEstimateIsTheFirstHelp) {
  Story story;
  story.tell(NodesListed{{node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)})})}});
  Workload one = job("gpu:7g.80gb");
  one.needs.emplace().expected = test::at(7200);
  const Answer answer = answer_for(story, one);
  ASSERT_NE(first(answer, Help::by_itself), nullptr);
  EXPECT_EQ(first(answer, Help::by_itself)->text.substr(0, 29), "Slurm expects to start it at ");
  EXPECT_EQ(first(answer, Help::by_itself)->certainty, Certainty::likely);
  one.reason = "BeginTime";
  EXPECT_EQ(first(answer_for(story, one), Help::by_itself)->certainty, Certainty::certain);
  one.needs->expected = test::at(-5);
  EXPECT_EQ(first(answer_for(story, one), Help::by_itself), nullptr) << "what is past is no forecast";
}

TEST(Why, TheSliceInTheWayIsNamedWithItsHolder) {
  Story story;
  story.tell(
      NodesListed{{node("n1", {cut(0, {instance("1g.10gb", 0, 1, 0), instance("1g.10gb", 1, 1, 1),
                                       instance("1g.10gb", 4, 1, 2), instance("1g.10gb", 5, 1, 3)})})}});
  story.tell(WorkloadsListed{{test::running("12", "bob", {holds("n1", {{0, 1}, {2, 1}})})}});
  const Answer answer = answer_for(story, job("gpu:3g.40gb"));
  ASSERT_NE(about(answer, "n1"), nullptr);
  const std::string text = about(answer, "n1")->what.text;
  EXPECT_NE(text.find("no room for it: 1g.10gb@"), std::string::npos) << text;
  EXPECT_NE(text.find("is in the way, held by 12"), std::string::npos) << text;
  EXPECT_EQ(first(answer, Help::recut), nullptr) << "no re-cut helps while it is held";
}

// "a re-cut after certain work ends" was never offered.
TEST(Why, ARecutOnceTheJobInTheWayHasEndedIsOfferedWithItsTime) {
  Story story;
  story.tell(
      NodesListed{{node("n1", {cut(0, {instance("1g.10gb", 0, 1, 0), instance("1g.10gb", 1, 1, 1),
                                       instance("1g.10gb", 4, 1, 2), instance("1g.10gb", 5, 1, 3)})})}});
  Workload first_out = test::running("12", "bob", {holds("n1", {{0, 1}})});
  Workload last_out = test::running("13", "eve", {holds("n1", {{2, 1}})});
  first_out.ends = test::at(3600), last_out.ends = test::at(7200);
  story.tell(WorkloadsListed{{first_out, last_out}});
  const Answer answer = answer_for(story, job("gpu:3g.40gb"));
  EXPECT_EQ(first(answer, Help::recut), nullptr);
  const Remedy* later = first(answer, Help::recut_later);
  ASSERT_NE(later, nullptr);
  // A cut closes the node: the other job has to end, too.
  const std::string text =
      "cut GPU 0 of n1 into 1g.10gb@0,1g.10gb@1,3g.40gb@4 once job 13 of eve has ended, by its time limit "
      "at ";
  EXPECT_EQ(later->text.substr(0, text.size()), text);
  EXPECT_EQ(later->command,
            "tessera plan --cluster hpc --node n1 --gpu 0 --layout 1g.10gb@0,1g.10gb@1,3g.40gb@4");
  EXPECT_TRUE(later->intent);
  // Without a time limit no time can be told.
  first_out.ends.reset(), last_out.ends.reset();
  story.tell(WorkloadsListed{{first_out, last_out}});
  EXPECT_EQ(first(answer_for(story, job("gpu:3g.40gb")), Help::recut_later), nullptr);
}

// A GPU that is full of small instances offers none like it, and no one of them alone is in the way.
TEST(Why, ALaterRecutIsOfferedWhereNothingLikeItIsOffered) {
  std::vector<Slice> small;
  for (int i = 0; i < 7; ++i) small.push_back(instance("1g.10gb", i, 1, i));
  Story story;
  story.tell(NodesListed{{node("n1", {cut(0, small)})}});
  Workload four = test::running("12", "bob", {holds("n1", {{0, 1}, {1, 1}, {2, 1}, {3, 1}})});
  Workload three = test::running("13", "eve", {holds("n1", {{4, 1}, {5, 1}, {6, 1}})});
  four.ends = test::at(3600), three.ends = test::at(7200);
  story.tell(WorkloadsListed{{four, three}});
  const Answer answer = answer_for(story, job("gpu:3g.40gb"));
  const Remedy* later = first(answer, Help::recut_later);
  ASSERT_NE(later, nullptr);
  EXPECT_NE(later->text.find("once job 13 of eve has ended"), std::string::npos) << later->text;
}

TEST(Why, NoLaterRecutIsOfferedWhereASliceIsFreeSooner) {
  Story story;
  story.tell(NodesListed{{node("n1", {cut(0, {instance("1g.10gb", 0, 1, 0), instance("1g.10gb", 4, 1, 1)})}),
                          node("n2", {cut(0, {instance("3g.40gb", 4, 4, 0)})})}});
  Workload other = test::running("12", "bob", {holds("n1", {{0, 1}, {1, 1}})});
  Workload same = test::running("13", "eve", {holds("n2", {{0, 1}})});
  other.ends = test::at(7200), same.ends = test::at(3600);
  story.tell(WorkloadsListed{{other, same}});
  const Answer answer = answer_for(story, job("gpu:3g.40gb"));
  EXPECT_NE(first(answer, Help::by_itself), nullptr);
  EXPECT_EQ(first(answer, Help::recut_later), nullptr);
}

TEST(Why, ARecutThatDisturbsNoWorkIsOfferedAsAPlan) {
  Story story;
  story.tell(
      NodesListed{{node("n1", {cut(0, {instance("1g.10gb", 0, 1, 0), instance("1g.10gb", 4, 1, 1)})})}});
  story.tell(WorkloadsListed{{job("gpu:3g.40gb")}});
  const Answer answer = answer_for(story, job("gpu:3g.40gb"));
  const Remedy* recut = first(answer, Help::recut);
  ASSERT_NE(recut, nullptr);
  ASSERT_TRUE(recut->intent);
  EXPECT_NE(recut->command.find("tessera plan --cluster hpc --node n1 --gpu 0 --layout "), std::string::npos)
      << recut->command;
  EXPECT_NE(recut->command.find("3g.40gb"), std::string::npos) << recut->command;
}

TEST(Why, ARecutForSeveralInstancesIsOfferedOnOneGpuOrOnSeveralOfANode) {
  const auto small = [](int gpu) {
    return cut(gpu, {instance("1g.10gb", 0, 1, 2 * gpu), instance("1g.10gb", 4, 1, 2 * gpu + 1)});
  };
  Story story;
  story.tell(NodesListed{{node("n1", {small(0), small(1)})}});
  Workload two = job("gpu:3g.40gb"), four = two, many = two;
  two.requests[0].count = 2, four.requests[0].count = 4, many.requests[0].count = 5;
  story.tell(WorkloadsListed{{two}});
  const Answer of_two = answer_for(story, two), of_four = answer_for(story, four);
  const Remedy *one_gpu = first(of_two, Help::recut), *both = first(of_four, Help::recut);
  ASSERT_NE(one_gpu, nullptr);
  EXPECT_EQ(one_gpu->intent->boards.size(), 1u);
  EXPECT_NE(one_gpu->command.find("--node n1 --gpu 0 --layout "), std::string::npos) << one_gpu->command;
  ASSERT_NE(both, nullptr);
  EXPECT_EQ(both->intent->boards.size(), 2u);
  EXPECT_EQ(both->text, "cut GPUs 0,1 of n1 for it: that disturbs no job or pod");
  EXPECT_EQ(both->command, "tessera pack --cluster hpc 3g.40gb=4 --node n1 --plan");
  EXPECT_EQ(first(answer_for(story, many), Help::recut), nullptr) << "two GPUs hold four of them";
}

// Where the only free GPU is not cut, nothing that it asks for is offered anywhere.
TEST(Why, AGpuThatIsFreeAsAWholeIsCutWhereNoCutOneServes) {
  Gpu uncut = test::gpu(0, Strategy::whole, {test::whole(0)});
  uncut.mig_mode = MigMode::disabled;
  const plan::Means means = plan::simulator_capabilities();
  const auto asked_of = [&](const std::vector<Node>& nodes) {
    Story story;
    story.tell(NodesListed{nodes});
    story.tell(WorkloadsListed{{job("gpu:3g.40gb")}});
    Site site;
    site.catalogue = &test::catalogue(), site.means = &means, site.wall = test::at(0);
    return explain(story.cluster(), job("gpu:3g.40gb"), site);
  };
  const Answer alone = asked_of({node("n1", {uncut})});
  const Remedy* recut = first(alone, Help::recut);
  ASSERT_NE(recut, nullptr);
  EXPECT_TRUE(recut->text.starts_with("cut GPU 0 of n1, which is free as a whole, into 3g.40gb"))
      << recut->text;
  const Answer beside = asked_of({node("n1", {uncut}), node("n2", {cut(0, {instance("1g.10gb", 0, 1, 0)})})});
  ASSERT_NE(first(beside, Help::recut), nullptr);
  EXPECT_EQ(first(beside, Help::recut)->intent->nodes, std::vector<NodeName>{NodeName("n2")})
      << "the whole one is left to who asks for one";
}

// Under the strategy single they are nvidia.com/gpu.
TEST(Why, NoRecutIsOfferedWhereSlicesHaveAnotherName) {
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  Node single = node("s1", {cut(0, {instance("1g.10gb", 0, 1, 0), instance("1g.10gb", 1, 1, 1)})});
  single.features = {"nvidia.com/mig.strategy=single"};
  story.tell(NodesListed{{single}});
  Workload pod =
      job("nvidia.com/mig-3g.40gb", "0/1 nodes are available: 1 Insufficient nvidia.com/mig-3g.40gb.");
  pod.id = WorkloadId("ml/a");
  pod.kind = WorkloadKind::pod;
  story.tell(WorkloadsListed{{pod}});
  EXPECT_EQ(first(answer_for(story, pod), Help::recut), nullptr);
}

TEST(Why, AComponentOfAHeterogeneousJobWaitsForTheOthers) {
  Story story;
  story.tell(NodesListed{{node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)})})}});
  Workload first_part = job("gpu:3g.40gb"), second = job("gpu:7g.80gb"), other = job("gpu:7g.80gb");
  first_part.id = WorkloadId("13+0"), second.id = WorkloadId("13+1"), other.id = WorkloadId("14+1");
  story.tell(WorkloadsListed{{first_part, second, other}});
  const auto says = [&](const Workload& work, std::string_view words) {
    const Answer answer = answer_for(story, work);
    return std::any_of(answer.more.begin(), answer.more.end(),
                       [&](const Statement& one) { return one.text.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(says(first_part, "together with the other components of its job: 13+1"));
  EXPECT_TRUE(says(first_part, "not enough nodes have room for these components: 13+1"));
  EXPECT_FALSE(says(first_part, "are free on 1")) << "its own GPUs are not what keeps it waiting";
  EXPECT_TRUE(says(second, "components of its job: 13+0"));
  EXPECT_FALSE(says(second, "not enough nodes have room"));
  EXPECT_FALSE(says(other, "components of its job")) << "no other one of its job waits";
}

TEST(Why, ItsEndByTimeLimitsIsToldWhereThereIsOne) {
  Story story;
  story.tell(NodesListed{{node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)})})}});
  Workload holder = test::running("12", "bob", {holds("n1", {{0, 1}})});
  holder.ends = test::at(3600);
  story.tell(WorkloadsListed{{holder}});
  const Remedy* wait = nullptr;
  const Answer answer = answer_for(story, job("gpu:3g.40gb"));
  wait = first(answer, Help::by_itself);
  ASSERT_NE(wait, nullptr);
  EXPECT_EQ(wait->command, "squeue --start -j 7");
  EXPECT_NE(wait->text.find("by the time limit of job "), std::string::npos) << wait->text;
  EXPECT_EQ(answer.help.front().help, Help::by_itself) << "the cheapest comes first";
  holder.ends.reset();
  story.tell(WorkloadsListed{{holder}}, 1);
  EXPECT_EQ(first(answer_for(story, job("gpu:3g.40gb")), Help::by_itself), nullptr)
      << "without a time limit it is not known when";
}

TEST(Why, ASmallerProfileAndAnotherPartitionThatFitNowAreNamed) {
  Story story;
  story.tell(NodesListed{{in(node("n1", {cut(0, {instance("2g.20gb", 0, 2, 0)})}), {"gpu"}),
                          in(node("n2", {cut(0, {instance("3g.40gb", 4, 4, 0)})}), {"long"})}});
  story.tell(WorkloadsListed{{job("gpu:3g.40gb")}});
  const Answer answer = answer_for(story, job("gpu:3g.40gb"));
  ASSERT_NE(first(answer, Help::smaller), nullptr);
  EXPECT_NE(first(answer, Help::smaller)->text.find("gpu:2g.20gb"), std::string::npos);
  ASSERT_NE(first(answer, Help::elsewhere), nullptr);
  EXPECT_EQ(first(answer, Help::elsewhere)->command, "scontrol update JobId=7 Partition=long");
}

// 2g.20gb was offered to a job that asks for 80 GB.
TEST(Why, AProfileWithLessThanHalfOfTheMemoryIsNotOffered) {
  Story story;
  const auto offered = [&](const char* free, int start, int size) {
    story.tell(NodesListed{{in(node("n1", {cut(0, {instance(free, start, size, 0)})}), {"gpu"})}});
    story.tell(WorkloadsListed{{}});
    return first(answer_for(story, job("gpu:7g.80gb")), Help::smaller) != nullptr;
  };
  EXPECT_FALSE(offered("2g.20gb", 0, 2));
  EXPECT_TRUE(offered("3g.40gb", 4, 4));
}

TEST(Why, AnAdminGetsTheCommandThatLetsItGo) {
  Story story;
  Node drained = node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)})});
  drained.health = Health::drained;
  story.tell(NodesListed{{drained}});
  story.tell(WorkloadsListed{{}});
  const auto admin = [&](const std::string& reason) {
    const Answer answer = answer_for(story, job("gpu:3g.40gb", reason));
    const Remedy* one = first(answer, Help::admin);
    return one ? one->command : std::string();
  };
  EXPECT_EQ(admin("JobHeldUser"), "scontrol release 7");
  EXPECT_EQ(admin("JobHeldAdmin"), "scontrol release 7");
  EXPECT_EQ(admin("BeginTime"), "scontrol update JobId=7 StartTime=now");
  EXPECT_EQ(admin("DependencyNeverSatisfied"), "scontrol update JobId=7 Dependency=");
  EXPECT_EQ(admin("Resources"), "scontrol update NodeName=n1 State=RESUME");
}

// scontrol show assoc_mgr was told as certain, and has nothing of it.
TEST(Why, AnArrayThatRunsAsManyTasksAsItMayIsGivenItsOwnLimit) {
  Story story;
  story.tell(NodesListed{{}});
  Workload task = test::running("9_1", "alice", {}), other = test::running("90_1", "bob", {});
  task.ends = test::at(600), other.ends = test::at(60);
  story.tell(WorkloadsListed{{task, other}});
  Workload array = job("gpu", "JobArrayTaskLimit");
  array.id = WorkloadId("9_[3-6%2]");
  const Answer answer = answer_for(story, array);
  ASSERT_EQ(answer.help.size(), 3u);
  EXPECT_EQ(answer.help[0].help, Help::by_itself);
  EXPECT_NE(answer.help[0].text.find("by the time limit of 9_1"), std::string::npos) << answer.help[0].text;
  EXPECT_EQ(answer.help[1].command, "scontrol update JobId=9 ArrayTaskThrottle=3");
  EXPECT_EQ(answer.help[2].command, "scontrol show job 9");
  array.id = WorkloadId("9_[3-6]");
  EXPECT_EQ(first(answer_for(story, array), Help::admin)->command,
            "scontrol update JobId=9 ArrayTaskThrottle=0")
      << "how many may run is not told: 0 is no limit";
  array.id = WorkloadId("9_[3-6%2;reboot]");
  EXPECT_EQ(first(answer_for(story, array), Help::admin)->command,
            "scontrol update JobId=9 ArrayTaskThrottle=0");
}

TEST(Why, AHeldArrayIsReleasedByItsNumber) {
  Story story;
  story.tell(NodesListed{{}});
  Workload array = job("gpu", "JobHeldUser");
  array.id = WorkloadId("9_[3-6%2]");
  EXPECT_EQ(answer_for(story, array).help.front().command, "scontrol release 9");
}

TEST(Why, TheJobsThatItDependsOnAreNamedWhereSlurmWasAsked) {
  Story story;
  story.tell(NodesListed{{}});
  Details details;
  Related ended{Teller::job, "Dependency", "afterok:12_3", "unfulfilled", "", true, 1, {}};
  Related failed{Teller::job, "Dependency", "afterany:5", "failed", "", true, 1, {}};
  Related alone{Teller::job, "Dependency", "singleton", "unfulfilled", "", true, 1, {}};
  Related later{Teller::job, "Dependency", "after:20+5", "unfulfilled", "any", true, 1, {}};
  details.related = {ended, failed, alone, later};
  Site site;
  site.catalogue = &test::catalogue(), site.details = &details;
  const Answer answer = explain(story.cluster(), job("gpu", "Dependency"), site);
  std::vector<std::string> commands, said;
  for (const Remedy& one : answer.help) commands.push_back(one.command);
  for (const Statement& one : answer.more) said.push_back(one.text);
  EXPECT_EQ(commands,
            (std::vector<std::string>{"scontrol show job 12", "scontrol show job 5", "scontrol show job 20",
                                      "scontrol update JobId=7 Dependency="}));
  EXPECT_EQ(said,
            (std::vector<std::string>{"it waits until job 12_3 has ended well",
                                      "it waits until job 5 has ended, which can no longer come true",
                                      "it waits until the earlier jobs of its name and its owner have ended",
                                      "it waits for its dependency after:20+5, or another of these is met"}));
}

// A node was offered to be opened, and a smaller slice to be taken, for a job whose account does not exist.
TEST(Why, EachReasonOfSlurmHasTheRemedyThatIsForIt) {
  Story story;
  Node drained = in(node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)})}), {"gpu"});
  drained.health = Health::drained;
  story.tell(NodesListed{{drained, in(node("n2", {cut(0, {instance("3g.40gb", 4, 4, 0)})}), {"long"})}});
  story.tell(WorkloadsListed{{}});
  const auto commands = [&](const std::string& reason) {
    std::vector<std::string> found;
    for (const Remedy& one : answer_for(story, job("gpu:3g.40gb", reason)).help) found.push_back(one.command);
    return found;
  };
  using Commands = std::vector<std::string>;
  const std::string owner = "sacctmgr show assoc where user=alice format=Cluster,Account,Partition,QOS";
  EXPECT_EQ(commands("InvalidAccount"), Commands{owner});
  EXPECT_EQ(commands("InvalidQOS"), Commands{owner});
  EXPECT_EQ(commands("AccountNotAllowed"),
            (Commands{"scontrol update JobId=7 Partition=long", "scontrol show partition gpu"}));
  EXPECT_EQ(commands("MaxMemPerLimit"), Commands{"scontrol show partition gpu"});
  EXPECT_EQ(commands("QOSMaxGRESPerUser"), Commands{"scontrol show assoc_mgr flags=assoc,qos"});
  EXPECT_EQ(commands("DeadLine"), Commands{"scontrol show job 7"});
  EXPECT_EQ(commands("ReservationDeleted"),
            (Commands{"scontrol update JobId=7 ReservationName=", "scontrol show reservation"}));
  EXPECT_EQ(commands("Reservation"), Commands{"scontrol show reservation"});
  // As slurmctld writes them: in sentences.
  EXPECT_EQ(commands("Reservation course was deleted"), commands("ReservationDeleted"));
  EXPECT_EQ(commands("Job's account not permitted to use this partition (gpu allows a not b)"),
            commands("AccountNotAllowed"));
  EXPECT_EQ(commands("BurstBufferResources"), Commands{"scontrol show burstbuffer"});
  EXPECT_EQ(commands("ReqNodeNotAvail"), (Commands{"scontrol update NodeName=n1 State=RESUME", "sinfo -R"}));
  EXPECT_EQ(commands("job_requeued_in_held_state"), Commands{"scontrol release 7"});
}

// The quotas of the namespace were to be looked at, where a queue's is used up.
TEST(Why, AQuotaOfAQueueIsLookedUpWithTheSchedulerThatHasIt) {
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  const auto command = [&](const std::string& reason) {
    Workload pod = job("nvidia.com/gpu", reason);
    pod.id = WorkloadId("ml/train");
    pod.kind = WorkloadKind::pod;
    const auto help = answer_for(story, pod).help;
    return help.empty() ? std::string() : help.back().command;
  };
  EXPECT_EQ(
      command("OverLimit: team quota has reached the allowable limit of GPUs. Limit is 8 GPUs, currently 8 "
              "GPUs allocated and workload requested 2 GPUs"),
      "kubectl get queues.scheduling.run.ai -o yaml");
  EXPECT_EQ(command("queue resource quota insufficient: insufficient nvidia.com/gpu"),
            "kubectl get queues.scheduling.volcano.sh -o yaml");
}

// The message has no effects: "{team: x}" is the NoSchedule of one node, and never the wish of another one.
TEST(Why, ATaintThatOnlyAsksForOtherNodesFirstKeepsNoPodAway) {
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  Node tainted = node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)})}), wishes = tainted, longer = tainted;
  wishes.name = NodeName("n2"), longer.name = NodeName("n3");
  tainted.taints = {"team=x:NoSchedule"};
  wishes.taints = {"team=x:PreferNoSchedule"};
  longer.taints = {"team=:NoSchedule"};
  story.tell(NodesListed{{tainted, wishes, longer}});
  story.tell(WorkloadsListed{{}});
  Workload pod =
      job("nvidia.com/mig-3g.40gb",
          "0/3 nodes are available: 1 node(s) had untolerated taint {team: x}, 2 Insufficient cpu.");
  pod.id = WorkloadId("ml/train");
  pod.kind = WorkloadKind::pod;
  const Answer answer = answer_for(story, pod);
  EXPECT_EQ(about(answer, "n1")->topic, Topic::taint);
  EXPECT_NE(about(answer, "n2")->topic, Topic::taint);
  EXPECT_NE(about(answer, "n3")->topic, Topic::taint) << "{team: } is another taint than {team: x}";
}

TEST(Why, ATaintThatTheMessageNamesIsFoundOnItsNode) {
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  Node tainted = node("n1", {cut(0, {instance("1g.10gb", 0, 1, 1), instance("3g.40gb", 4, 4, 0)})});
  tainted.taints = {"team=x:NoSchedule"};
  Node cordoned = node("n2", {cut(0, {instance("1g.10gb", 0, 1, 1), instance("3g.40gb", 4, 4, 0)})});
  cordoned.health = Health::drained, cordoned.reason = "cordoned";
  story.tell(NodesListed{{tainted, cordoned}});
  story.tell(WorkloadsListed{{}});
  Workload pod = job(
      "nvidia.com/mig-3g.40gb",
      "0/2 nodes are available: 1 node(s) had untolerated taint {team: x}, 1 node(s) were unschedulable.");
  pod.id = WorkloadId("ml/train");
  pod.kind = WorkloadKind::pod;
  const Answer answer = answer_for(story, pod);
  ASSERT_NE(about(answer, "n1"), nullptr);
  EXPECT_EQ(about(answer, "n1")->topic, Topic::taint);
  EXPECT_EQ(about(answer, "n2")->topic, Topic::node);
  EXPECT_EQ(answer.more.size(), 2u) << "each part of the message, with its number of nodes";
  std::vector<std::string> commands;
  for (const Remedy& one : answer.help) commands.push_back(one.command);
  EXPECT_EQ(commands,
            (std::vector<std::string>{"kubectl uncordon n2", "kubectl taint nodes n1 team=x:NoSchedule-",
                                      "kubectl -n ml describe pod train"}));
}

TEST(Why, SharesOfSeveralGpusAreNoRoomForOneJobOfSlurm) {
  Story story;
  story.tell(
      NodesListed{{node("n1", {test::gpu(0, Strategy::shard, {test::shared(SliceKind::shard, 4, 0)}),
                               test::gpu(1, Strategy::shard, {test::shared(SliceKind::shard, 4, 1)})})}});
  Allocation some = holds("n1", {{0, 3}, {1, 3}}, Family::shard);
  story.tell(WorkloadsListed{{test::running("12", "bob", {some})}});
  Workload work = job("shard");
  work.requests.front().count = 2;
  const Answer answer = answer_for(story, work);
  ASSERT_NE(about(answer, "n1"), nullptr);
  EXPECT_EQ(about(answer, "n1")->what.text,
            "no single GPU has 2 × shard free: the most on one is 1, and Slurm takes them from one GPU");
  work.requests.front().count = 1;
  EXPECT_TRUE(about(answer_for(story, work), "n1")->fits);
}

TEST(Why, WhatTheModelDoesNotKnowIsNotGuessed) {
  Story story;
  Node silent = node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)})});
  silent.health = Health::unknown;
  story.tell(NodesListed{{silent}});
  story.tell(WorkloadsListed{{}});
  const Answer answer = answer_for(story, job("gpu:3g.40gb", "ReasonOfALaterSlurm"));
  EXPECT_EQ(answer.sentence.text, "the scheduler reports: ReasonOfALaterSlurm");
  EXPECT_EQ(answer.sentence.certainty, Certainty::unknown);
  ASSERT_NE(about(answer, "n1"), nullptr);
  EXPECT_EQ(about(answer, "n1")->what.certainty, Certainty::unknown);
  EXPECT_FALSE(about(answer, "n1")->fits);
}

TEST(Why, NamesThatAShellWouldReadAreInNoCommand) {
  Story story;
  story.tell(NodesListed{{}});
  Workload work = job("gpu:3g.40gb", "JobHeldUser");
  work.id = WorkloadId("7;reboot");
  for (const Remedy& one : answer_for(story, work).help) EXPECT_EQ(one.command, "") << one.text;
}

TEST(Why, RunningWorkHasNoReason) {
  Story story;
  story.tell(NodesListed{{}});
  EXPECT_FALSE(answer_for(story, test::running("1", "a", {})).waits);
}

}  // namespace why_test
}  // namespace tessera::why
