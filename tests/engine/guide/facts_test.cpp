#include "engine/guide/facts.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/guide/findings.hpp"
#include "engine/guide/walk.hpp"
#include "tests/engine/guide/guide_build.hpp"

namespace tessera::guide {
namespace {

using test::catalogue;

// A Slurm node with two GPUs; who runs where is reported by the test.
test::Story node_with(std::vector<Workload> work, std::vector<std::string> features = {}) {
  test::Story story;
  Node node = test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)}),
                                test::gpu(1, Strategy::whole, {test::whole(1)})});
  node.features = std::move(features);
  story.tell(NodesListed{{node}});
  story.tell(WorkloadsListed{std::move(work)});
  return story;
}

Prefill facts(const test::Story& story, const SiteFacts& site = {}) {
  return prefill(scope_of(story.cluster(), story.node("n1"), catalogue()), catalogue(), site);
}

bool is(const Answer& answer, Reply reply, Confidence confidence) {
  return answer.reply == reply && answer.confidence == confidence;
}

TEST(Facts, TheCatalogueAnswersTheFirstQuestionByProduct) {
  const std::map<std::string, bool> boards{
      {"H100-80GB-SXM5", true}, {"A30-24GB", true}, {"B200-180GB", true}, {"A10", false},
      {"A40", false},           {"L4", false},      {"L40", false},       {"GeForce-40", false}};
  for (const auto& [key, can] : boards) {
    const Answer answer = prefill(scope_of(test::product(key)), catalogue())["mig-capable"];
    EXPECT_TRUE(is(answer, can ? Reply::yes : Reply::no, Confidence::certain)) << key;
    EXPECT_EQ(answer.facts.at(0).origin.source, Source::catalogue);
  }
}

TEST(Facts, AHypotheticalBoardLeavesTheRestUnknown) {
  const Prefill known = prefill(scope_of(test::product("A10")), catalogue());
  for (const char* id : {"isolation", "virtualised", "licence", "cooperative"}) {
    EXPECT_EQ(known.at(id), Answer{}) << id;
  }
}

TEST(Facts, AnUnknownBoardStaysUnknownAndSaysSo) {
  test::Story story;
  Node node = test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})});
  node.gpus[0].product.reset();
  node.gpus[0].model = "mystery";
  story.tell(NodesListed{{node}});
  const Answer answer = facts(story)["mig-capable"];
  EXPECT_EQ(answer.reply, Reply::unknown);
  EXPECT_NE(answer.facts.at(0).text.find("mystery"), std::string::npos);
}

TEST(Facts, ASlurmTypeThatMeansCapableBoardsOnlyIsEnough) {
  test::Story story;
  Node node = test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})});
  node.gpus[0].product.reset();
  node.gpus[0].model = "h100";
  story.tell(NodesListed{{node}});
  EXPECT_TRUE(is(facts(story)["mig-capable"], Reply::yes, Confidence::certain));
}

TEST(Facts, SeveralUsersSpeakForIsolation) {
  auto alice = test::running("1", "alice", {test::holds("n1", {{0, 1}})});
  auto bob = test::running("2", "bob", {test::holds("n1", {{1, 1}})});
  bob.origin = {Source::slurm_jobs, test::at(-40)};
  alice.origin = {Source::slurm_jobs, test::at(0)};
  const Answer answer = facts(node_with({alice, bob}))["isolation"];
  EXPECT_TRUE(is(answer, Reply::yes, Confidence::likely));
  EXPECT_EQ(describe(answer, test::at(0)),
            "likely yes: 2 users share this node (alice, bob) (source: scontrol show job, 40 s ago)");
  // As every table words it.
  EXPECT_NE(describe(answer, test::at(50)).find("scontrol show job, 1 min ago"), std::string::npos);
  EXPECT_NE(describe(answer, test::at(7300)).find("2 h 02 min ago"), std::string::npos);
}

TEST(Facts, OneUserIsOnlyAHint) {
  const auto one = test::running("1", "alice", {test::holds("n1", {{0, 1}})});
  const auto two = test::running("2", "alice", {test::holds("n1", {{1, 1}})});
  EXPECT_TRUE(is(facts(node_with({one, two}))["isolation"], Reply::no, Confidence::hint));
  EXPECT_EQ(facts(node_with({one}))["isolation"].reply, Reply::unknown);
  EXPECT_EQ(facts(node_with({}))["isolation"].reply, Reply::unknown);
}

TEST(Facts, TenancyLabelsAndSettingsSpeakFirst) {
  EXPECT_TRUE(
      is(facts(node_with({}, {"example.org/tenancy=multi"}))["isolation"], Reply::yes, Confidence::likely));
  EXPECT_TRUE(is(facts(node_with({}, {"tenancy=dedicated"}))["isolation"], Reply::no, Confidence::likely));
  SiteFacts site;
  site.isolation = true;
  site.isolation_source = "settings";
  EXPECT_TRUE(
      is(facts(node_with({}, {"tenancy=dedicated"}), site)["isolation"], Reply::yes, Confidence::certain));
}

TEST(Facts, LabelsTellOfVirtualMachines) {
  const auto answer = [](std::vector<std::string> features) {
    return facts(node_with({}, std::move(features)))["virtualised"];
  };
  EXPECT_TRUE(is(answer({"nvidia.com/vgpu.present=true"}), Reply::yes, Confidence::certain));
  EXPECT_TRUE(is(answer({"nvidia.com/gpu.workload.config=vm-vgpu"}), Reply::yes, Confidence::certain));
  EXPECT_TRUE(is(answer({"nvidia.com/gpu.workload.config=container"}), Reply::no, Confidence::likely));
  EXPECT_TRUE(
      is(answer({"feature.node.kubernetes.io/cpu-cpuid.HYPERVISOR=true"}), Reply::yes, Confidence::likely));
  EXPECT_TRUE(is(answer({"feature.node.kubernetes.io/cpu-cpuid.AVX=true"}), Reply::no, Confidence::likely));
  EXPECT_EQ(answer({"nvidia.com/vgpu.present=false"}), Answer{});
  EXPECT_EQ(answer({}), Answer{});
}

TEST(Facts, ALicenceIsTheSitesWord) {
  SiteFacts site;
  site.licence = true;
  site.licence_source = "secret licensing-config";
  EXPECT_TRUE(is(facts(node_with({}), site)["licence"], Reply::yes, Confidence::certain));
  EXPECT_EQ(facts(node_with({}))["licence"], Answer{});
}

TEST(Facts, ALicenceNamedByTheOperatorIsLikelyAndOneHeldOnTheBoardIsCertain) {
  auto story = node_with({});
  story.tell(LicenceNamed{"ClusterPolicy cluster-policy names licensing-config for the driver's licence"});
  const Answer named = facts(story)["licence"];
  EXPECT_TRUE(is(named, Reply::yes, Confidence::likely));
  EXPECT_EQ(named.facts.at(0).text,
            "ClusterPolicy cluster-policy names licensing-config for the driver's licence");
  story.tell(LicenceNamed{});
  EXPECT_EQ(facts(story)["licence"], Answer{});

  Node node = story.node("n1");
  ASSERT_FALSE(node.gpus.empty());
  node.gpus[0].telemetry.licensed = false;  // what a GPU without vGPU says, too
  story.tell(NodesListed{{node}});
  EXPECT_EQ(facts(story)["licence"], Answer{});
  node.gpus[0].telemetry.licensed = true;
  story.tell(NodesListed{{node}});
  EXPECT_TRUE(is(facts(story)["licence"], Reply::yes, Confidence::certain));
}

TEST(Facts, MpiAndManySmallJobsSpeakForCooperation) {
  auto mpi = test::running("1", "alice", {test::holds("n1", {{0, 1}})});
  mpi.name = "mpi-ring";
  EXPECT_TRUE(is(facts(node_with({mpi}))["cooperative"], Reply::yes, Confidence::likely));
  mpi.name = "compiler";
  EXPECT_EQ(facts(node_with({mpi}))["cooperative"].reply, Reply::unknown) << "no word of its own";

  std::vector<Workload> many;
  for (const char* id : {"1", "2", "3"})
    many.push_back(test::running(id, "alice", {test::holds("n1", {{0, 1}})}));
  EXPECT_TRUE(is(facts(node_with(many))["cooperative"], Reply::yes, Confidence::likely));
}

TEST(Facts, NotebooksOfSeveralUsersSpeakAgainst) {
  auto one = test::running("1", "alice", {test::holds("n1", {{0, 1}})});
  auto two = test::running("2", "bob", {test::holds("n1", {{1, 1}})});
  one.name = "jupyter-lab";
  EXPECT_TRUE(is(facts(node_with({one, two}))["cooperative"], Reply::no, Confidence::likely));
}

TEST(Facts, LowUseIsAHintAndContradictionIsUnknown) {
  const auto one = test::running("1", "alice", {test::holds("n1", {{0, 1}})});
  const auto two = test::running("2", "bob", {test::holds("n1", {{1, 1}})});
  test::Story story = node_with({one});
  Node node = story.node("n1");
  node.gpus[0].telemetry.use = Percent{12};
  story.tell(NodesListed{{node}});
  EXPECT_TRUE(is(facts(story)["cooperative"], Reply::yes, Confidence::hint));
  story.tell(WorkloadsListed{{one, two}});
  const Answer both = facts(story)["cooperative"];
  EXPECT_EQ(both.reply, Reply::unknown);
  EXPECT_EQ(both.facts.size(), 2u) << "both sides are shown";
}

TEST(Split, GroupsByProductAndVirtualisation) {
  test::Story story;
  Node plain = test::node("n1", {test::gpu(0, Strategy::whole, {}), test::gpu(1, Strategy::whole, {})});
  plain.gpus[1].product = ProductKey("A10");
  plain.gpus[1].model = "NVIDIA A10";
  Node guest = test::node("n2", {test::gpu(0, Strategy::whole, {})});
  guest.features = {"nvidia.com/vgpu.present=true"};
  Node more = test::node("n3", {test::gpu(0, Strategy::whole, {})});
  story.tell(NodesListed{{plain, guest, more}});
  const std::vector<Mark> marks{{NodeName("n1"), {}},
                                {NodeName("n2"), {}},
                                {NodeName("n3"), GpuIndex{0}},
                                {NodeName("n3"), GpuIndex{0}},
                                {NodeName("gone"), {}}};
  const std::vector<Group> groups = split(story.cluster(), marks, catalogue());
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].name, "H100-80GB-SXM5: 2 GPUs on 2 nodes");
  EXPECT_EQ(groups[1].name, "A10: 1 GPU on 1 node");
  EXPECT_EQ(groups[2].name, "H100-80GB-SXM5 (virtual machines): 1 GPU on 1 node");
}

TEST(Habits, DockerAndSeveralInstancesAreFound) {
  auto docker = test::running("1", "alice", {});
  docker.name = "run-docker";
  auto several = test::waiting("2", "bob", "gpu:1g.10gb");
  several.requests[0].count = 2;
  auto spread = several;
  spread.id = WorkloadId("3");
  spread.node_count = 2;
  test::Story story = node_with({docker, several, spread});
  const auto found = habits(story.cluster());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].id, "docker-under-slurm");
  EXPECT_NE(found[0].hint.find("Pyxis"), std::string::npos);
  EXPECT_EQ(found[1].id, "several-instances");
  EXPECT_EQ(found[1].workload.text, "2");
}

// "SINCE -", and nothing said who says so.
TEST(AllFindings, OfAJobSayWhoSaysSoAndSinceWhen) {
  auto several = test::waiting("2", "bob", "gpu:1g.10gb");
  several.requests[0].count = 2;
  several.origin = {Source::slurm_jobs, test::at(0)};
  const test::Story story = node_with({several});
  const auto all = all_findings(story.model, story.cluster(), catalogue(), std::nullopt, test::at(0));
  const auto found = std::find_if(all.begin(), all.end(), [](const auto& one) {
    return one.subject == "job 2" && one.text.starts_with("asks for 2 MIG instances");
  });
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->source, Source::slurm_jobs);
  EXPECT_EQ(found->since, several.submitted);
}

// A GPU tells that a change of its MIG mode waits, and not since when: it is known where it was seen to
// begin.
TEST(Findings, AModeThatWaitsIsToldSinceItWasSeenToBegin) {
  const auto with_mode = [](MigMode mode) {
    Gpu one = test::gpu(0, Strategy::whole, {test::whole(0)});
    one.mig_mode = mode;
    return test::node("n1", {one});
  };
  const auto since = [](const test::Story& story) {
    const auto all = all_findings(story.model, story.cluster(), catalogue(), std::nullopt, test::at(0));
    const auto found = std::find_if(all.begin(), all.end(), [](const insight::Finding& one) {
      return one.text == "GPU 0: MIG mode change is pending";
    });
    EXPECT_NE(found, all.end());
    return found == all.end() ? std::nullopt : found->since;
  };
  test::Story seen;
  seen.tell(NodesListed{{with_mode(MigMode::disabled)}});
  seen.tell(WorkloadsListed{});
  seen.tell(Loaded{});
  seen.tell(NodeSeen{with_mode(MigMode::enable_pending)}, 40);
  seen.tell(NodeSeen{with_mode(MigMode::enable_pending)}, 90);
  EXPECT_EQ(since(seen), test::at(40));
  test::Story found_so;
  found_so.tell(NodesListed{{with_mode(MigMode::enable_pending)}});
  EXPECT_EQ(since(found_so), std::nullopt) << "it waited before the first look";
}

}  // namespace
}  // namespace tessera::guide
