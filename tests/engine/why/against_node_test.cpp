// What one pod's own words say against nodes, as `why` has it: the first condition that fails, and what would
// help.
#include "engine/why/against_node.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/model/kueue.hpp"
#include "engine/plan/capabilities.hpp"
#include "engine/why/why.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::why {
namespace {

using By = AgainstNode::By;

// Two nodes with free GPUs, and a pod that waits, of which the API was asked.
class WhyAgainstNode : public testing::Test {
 protected:
  WhyAgainstNode() {
    pod_ = test::waiting("team/p", "alice", "nvidia.com/gpu");
    pod_.kind = WorkloadKind::pod;
    pod_.reason = "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.";
    details_.of = pod_.id, details_.at = test::at(0);
    details_.asked = {{Teller::pod, "kubectl -n team get pod p", std::nullopt, ""}};
    for (const char* name : {"n1", "n2"}) {
      nodes_.push_back(test::node(name, {test::gpu(0, Strategy::whole, {test::whole(0)})}));
      nodes_.back().state = {"READY"};
      nodes_.back().allocatable.emplace()["nvidia.com/gpu"] = 1;
    }
  }
  void says(const std::string& node, By by, const std::string& text, const std::string& subject = "",
            bool certain = true) {
    details_.related.push_back(told_as({NodeName(node), by, text, certain, subject}));
  }
  Answer answer() {
    test::Story story;
    story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
    story.tell(NodesListed{nodes_});
    std::vector<Workload> work = held_;
    work.push_back(pod_);
    story.tell(WorkloadsListed{work});
    Site site;
    site.catalogue = &test::catalogue(), site.wall = test::at(0), site.details = &details_;
    site.means = means_;
    return explain(story.cluster(), *story.cluster().workloads.find(pod_.id), site);
  }
  static const Candidates* of(const Answer& answer, const std::string& node) {
    for (const Candidates& one : answer.nodes)
      if (std::find(one.nodes.begin(), one.nodes.end(), NodeName(node)) != one.nodes.end()) return &one;
    return nullptr;
  }
  static const Remedy* with(const Answer& answer, const std::string& part) {
    for (const Remedy& one : answer.help)
      if (one.text.find(part) != std::string::npos) return &one;
    return nullptr;
  }
  static bool unknown(const Answer& answer, const std::string& phrase) {
    return std::find(answer.untold.begin(), answer.untold.end(), phrase) != answer.untold.end();
  }

  Workload pod_;
  Details details_;
  std::vector<Node> nodes_;
  std::vector<Workload> held_;  // what runs
  const plan::Means* means_ = nullptr;
};

// "which queue admits it" was called not known beside "Kueue: not admitted, queue team-ml".
TEST_F(WhyAgainstNode, TheQueueOfWhatKueueHasNotAdmittedIsNotCalledUnknown) {
  const std::string queue = "which queue admits it (Kueue, Volcano, KAI)";
  EXPECT_TRUE(unknown(answer(), queue));
  pod_.state_word = kSuspended;
  pod_.reason = "Kueue: not admitted, queue team-ml: insufficient unused quota";
  EXPECT_FALSE(unknown(answer(), queue));
}

// The list of nodes was green where the pods there had left too few CPUs, until the pod's page was opened.
TEST_F(WhyAgainstNode, CpusThatOtherPodsHaveRequestedAreCountedBeforeThePodIsAskedForAlone) {
  pod_.reason = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.";
  pod_.needs.emplace().cpus = 8;
  pod_.needs->memory = Mib{100};
  for (Node& one : nodes_)
    one.cpus = 64, one.cpus_held = 60, one.memory = Mib{1000}, one.memory_held = Mib{0};
  nodes_[1].cpus_held = 56;
  details_.asked.clear();
  Answer now = answer();
  ASSERT_TRUE(of(now, "n1") && of(now, "n2"));
  EXPECT_EQ(of(now, "n1")->what.text, "it asks for 8 CPUs, and at most 4 of 64 are not requested by others");
  EXPECT_EQ(of(now, "n1")->what.certainty, Certainty::certain);
  EXPECT_TRUE(of(now, "n2")->fits);
  EXPECT_EQ(of(now, "n2")->what.text,
            "the GPUs that it asks for are free; whether its CPUs and memory fit is not known")
      << "pods without a GPU are not counted";
  nodes_[1].memory_held = Mib{901};
  now = answer();
  ASSERT_TRUE(of(now, "n2"));
  EXPECT_EQ(of(now, "n2")->what.text,
            "it asks for 100 MiB of memory, and at most 99 of 1000 MiB are not requested by others");
}

// "GPU 0 could be cut for it (certain)", on a node that offers no slice by its profile.
TEST_F(WhyAgainstNode, NoGpuIsSaidToBeCutForASliceThatItsPluginOffersAsAWholeGpu) {
  pod_.requests.front().resource = "nvidia.com/mig-3g.40gb";
  pod_.reason = "0/2 nodes are available: 2 Insufficient nvidia.com/mig-3g.40gb.";
  for (Node& one : nodes_) {
    one.gpus = {test::gpu(0, Strategy::mig, {test::instance("1g.10gb", 0, 1, 0)})};
    one.gpus.front().mig_mode = MigMode::enabled;
  }
  nodes_[0].features = {"nvidia.com/mig.strategy=single"},
  nodes_[1].features = {"nvidia.com/mig.strategy=mixed"};
  const Answer now = answer();
  ASSERT_TRUE(of(now, "n1") && of(now, "n2"));
  EXPECT_EQ(of(now, "n1")->what.text.find("could be cut"), std::string::npos) << of(now, "n1")->what.text;
  EXPECT_NE(of(now, "n1")->what.text.find("strategy single"), std::string::npos) << of(now, "n1")->what.text;
  EXPECT_NE(of(now, "n2")->what.text.find("could be cut"), std::string::npos) << of(now, "n2")->what.text;
}

// Feature discovery names no strategy where it is none: such a node was taken for one that offers slices by
// profile.
TEST_F(WhyAgainstNode, NoGpuIsSaidToBeCutWhereThePluginOffersWholeGpusAlone) {
  pod_.requests.front().resource = "nvidia.com/mig-3g.40gb";
  pod_.reason = "0/2 nodes are available: 2 Insufficient nvidia.com/mig-3g.40gb.";
  for (Node& one : nodes_) {
    one.gpus = {test::gpu(0, Strategy::mig, {test::instance("1g.10gb", 0, 1, 0)})};
    one.gpus.front().mig_mode = MigMode::enabled;
  }
  nodes_[0].features = {"nvidia.com/gpu.count=1", "nvidia.com/mig.capable=true"};
  nodes_[1].features = {"nvidia.com/gpu.count=1"};  // not told
  const Answer now = answer();
  ASSERT_TRUE(of(now, "n1") && of(now, "n2"));
  EXPECT_EQ(of(now, "n1")->what.text.find("could be cut"), std::string::npos) << of(now, "n1")->what.text;
  EXPECT_NE(of(now, "n1")->what.text.find("offers no slices, by its strategy none"), std::string::npos)
      << of(now, "n1")->what.text;
  EXPECT_NE(of(now, "n2")->what.text.find("could be cut"), std::string::npos) << of(now, "n2")->what.text;
}

TEST_F(WhyAgainstNode, WhatTravelsAmongTheRelatedObjectsComesBackAsItWas) {
  for (const By by :
       {By::name, By::selector, By::affinity, By::taint, By::all_cpus, By::cpus, By::all_memory, By::memory})
    for (const bool certain : {true, false}) {
      const AgainstNode one{NodeName("n1"), by, "text", certain, "subject"};
      EXPECT_EQ(against_node(told_as(one)), one);
    }
  EXPECT_EQ(against_node({Teller::pod, "scheduling gate", "g", "", "", true, 1, std::nullopt}), std::nullopt);
  EXPECT_EQ(against_node({Teller::events, "taint", "n1", "", "", true, 1, std::nullopt}), std::nullopt);
  EXPECT_EQ(unjudged_in(not_judged("its host ports")), "its host ports");
}

TEST_F(WhyAgainstNode, TheSelectorIsNamedOnTheNodeAndTheLabelThatWouldLetItStart) {
  nodes_[0].features = {"pool=b"};
  says("n1", By::selector, "its node selector asks for pool=a, and the node has pool=b", "pool=a");
  says("n2", By::affinity, "its node affinity asks for gen > 8, and the node has gen=7");
  const Answer told = answer();
  ASSERT_NE(of(told, "n1"), nullptr);
  EXPECT_EQ(of(told, "n1")->what.text, "its node selector asks for pool=a, and the node has pool=b");
  EXPECT_EQ(of(told, "n1")->topic, Topic::selector);
  EXPECT_EQ(of(told, "n1")->what.certainty, Certainty::certain);
  EXPECT_EQ(said_by(of(told, "n1")->what), "pods (API)");
  EXPECT_EQ(of(told, "n2")->what.text, "its node affinity asks for gen > 8, and the node has gen=7");
  ASSERT_NE(with(told, "label n1 as pool=a"), nullptr);
  EXPECT_EQ(with(told, "label n1 as pool=a")->command, "kubectl label nodes n1 pool=a --overwrite");
}

TEST_F(WhyAgainstNode, NoLabelIsOfferedWhereTheNodeHasNoRoomForItAnyway) {
  says("n1", By::selector, "its node selector asks for pool=a, and the node has no label pool", "pool=a");
  says("n1", By::all_cpus, "it asks for 64 CPUs, and the node has 48 for pods", "48");
  says("n2", By::selector, "its node selector asks for x/y=a, and the node has no label x/y", "");
  const Answer told = answer();
  EXPECT_EQ(with(told, "label n"), nullptr);
}

TEST_F(WhyAgainstNode, ATaintThatTheSchedulerHasNotNamedYetIsNamedWithItsRemedy) {
  nodes_[0].taints = {"team=x:NoSchedule"};
  nodes_[1].taints = {"a:NoSchedule", "b:NoExecute"};
  pod_.reason = "";
  says("n1", By::taint, "the taint team=x:NoSchedule keeps it away, and it does not tolerate it",
       "team=x:NoSchedule");
  says("n2", By::taint, "the taint a:NoSchedule keeps it away, and it does not tolerate it", "a:NoSchedule");
  says("n2", By::taint, "the taint b:NoExecute keeps it away, and it does not tolerate it", "b:NoExecute");
  const Answer told = answer();
  EXPECT_EQ(of(told, "n1")->topic, Topic::taint);
  const Remedy* off = with(told, "take that off n1");
  ASSERT_NE(off, nullptr);
  EXPECT_EQ(off->command, "kubectl taint nodes n1 team=x:NoSchedule-");
  EXPECT_EQ(with(told, "take that off n2"), nullptr) << "another taint would still be there";
}

TEST_F(WhyAgainstNode, ATaintThatIsGoneSinceThePodWasAskedAboutKeepsItFromNothing) {
  says("n1", By::taint, "the taint team=x:NoSchedule keeps it away, and it does not tolerate it",
       "team=x:NoSchedule");
  EXPECT_TRUE(of(answer(), "n1")->fits);
}

// A controller puts it back at once, and what tolerates the pressure of a node is evicted by it.
TEST_F(WhyAgainstNode, ATaintOfAControllerIsNotToBeTakenOff) {
  for (const char* taint :
       {"node.kubernetes.io/disk-pressure:NoSchedule", "karpenter.sh/disrupted:NoSchedule",
        "node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule",
        "ToBeDeletedByClusterAutoscaler=1700000000:NoSchedule"}) {
    details_.related.clear();
    for (Node& node : nodes_) {
      node.taints = {taint};
      says(node.name.text, By::taint, "it keeps it away", taint);
    }
    const Answer told = answer();
    EXPECT_EQ(of(told, "n1")->topic, Topic::taint) << taint;
    EXPECT_EQ(with(told, "take that off"), nullptr) << taint;
  }
}

TEST_F(WhyAgainstNode, NoNodeIsChangedForAPodThatAnotherNodeTakesAsItIs) {
  says("n1", By::selector, "its node selector asks for pool=a, and the node has no label pool", "pool=a");
  EXPECT_TRUE(of(answer(), "n2")->fits);
  EXPECT_EQ(with(answer(), "label n1"), nullptr);
  says("n2", By::cpus, "it asks for 64 CPUs, and at most 8 of 96 are not requested by others", "8");
  EXPECT_NE(with(answer(), "label n1 as pool=a"), nullptr);
  details_.related.clear();
  pod_.reason = "";
  nodes_[0].taints = {"team=x:NoSchedule"};
  says("n1", By::taint, "the taint team=x:NoSchedule keeps it away, and it does not tolerate it",
       "team=x:NoSchedule");
  EXPECT_EQ(with(answer(), "take that off n1"), nullptr);
  pod_.reason = "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {team: x}.";
  EXPECT_NE(with(answer(), "take that off n1"), nullptr) << "the scheduler says that n2 does not take it";
}

// Where the pod told which nodes its selector leaves it, one of these is no guess any more.
TEST_F(WhyAgainstNode, AWholeGpuIsCutOnANodeThatItsSelectorLeavesItAndOnNoOther) {
  const plan::Means means = plan::simulator_capabilities(Scheduler::kubernetes);
  means_ = &means;
  pod_.requests = {{"nvidia.com/mig-3g.40gb", 1}};
  for (Node& node : nodes_) {
    node.gpus[0].mig_mode = MigMode::disabled;
    node.features = {"nvidia.com/mig.strategy=mixed"};
  }
  const auto cut_on = [&] {
    const Answer told = answer();
    const auto cut = std::find_if(told.help.begin(), told.help.end(),
                                  [](const Remedy& one) { return one.help == Help::recut; });
    return cut == told.help.end() ? std::string() : cut->intent->nodes.front().text;
  };
  EXPECT_EQ(cut_on(), "") << "which nodes it selects is not known";
  says("n1", By::selector, "its node selector asks for pool=a, and the node has no label pool", "pool=a");
  EXPECT_EQ(cut_on(), "n2");
  says("n2", By::selector,
       "its node selector asks for feature.node.kubernetes.io/x=y, a label that tessera does not keep", "",
       false);
  EXPECT_EQ(cut_on(), "") << "whether it selects n2 is not known";
}

TEST_F(WhyAgainstNode, MoreThanANodeHasAtAllIsSaidHoweverManyGpusAreToBeFree) {
  pod_.reason = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.";
  for (const char* name : {"n1", "n2"}) {
    held_.push_back(test::running(std::string("team/on-") + name, "bob", {test::holds(name, {{0, 1}})}));
    held_.back().kind = WorkloadKind::pod;
    held_.back().ends = test::at(3600);
  }
  ASSERT_NE(with(answer(), "its GPUs are free by"), nullptr);
  says("n1", By::all_cpus, "it asks for 200 CPUs, and the node has 96 for pods", "96");
  says("n2", By::all_memory, "it asks for 9 MiB of memory, and the node has 8 MiB for pods", "8");
  const Answer told = answer();
  EXPECT_EQ(of(told, "n1")->what.text, "it asks for 200 CPUs, and the node has 96 for pods");
  EXPECT_EQ(of(told, "n2")->what.text, "it asks for 9 MiB of memory, and the node has 8 MiB for pods");
  EXPECT_EQ(with(told, "its GPUs are free by"), nullptr);
}

TEST_F(WhyAgainstNode, CpusAndMemoryAreNamedWithTheRequestThatWouldFit) {
  pod_.reason = "0/2 nodes are available: 2 Insufficient cpu.";
  says("n1", By::cpus, "it asks for 64 CPUs, and at most 8 of 96 are not requested by others", "8");
  says("n2", By::all_cpus, "it asks for 64 CPUs, and the node has 48 for pods", "47.5");
  const Answer told = answer();
  EXPECT_EQ(of(told, "n1")->topic, Topic::room);
  EXPECT_EQ(of(told, "n2")->topic, Topic::request);
  EXPECT_NE(with(told, "ask for at most 47.5 CPUs, if that is enough: n2 may have room for it then"),
            nullptr);
  details_.related.clear();
  says("n1", By::memory, "it asks for 9 MiB of memory, and at most 4 of 8 MiB are not requested by others",
       "4");
  EXPECT_TRUE(of(answer(), "n2")->fits);
  EXPECT_EQ(with(answer(), "ask for at most"), nullptr) << "it fits on n2 as it is";
  says("n2", By::memory, "it asks for 9 MiB of memory, and at most 2 of 8 MiB are not requested by others",
       "2");
  EXPECT_NE(with(answer(), "ask for at most 4 MiB of memory, if that is enough: n1 may have room"), nullptr);
}

// The message names no node: every node with free GPUs was said to fit.
TEST_F(WhyAgainstNode, BeforeThePodIsAskedAnyNodeMayBeTheOneThatIsShortOfCpus) {
  pod_.reason = "0/2 nodes are available: 1 Insufficient cpu, 1 Insufficient memory.";
  EXPECT_TRUE(of(answer(), "n1")->fits) << "it was asked, and nothing was found against the node";
  const Inquiry refused{Teller::pod, "kubectl -n team get pod p", Error{"refused", "", ""}, ""};
  for (const auto& asked : {std::vector<Inquiry>{}, std::vector<Inquiry>{refused}}) {
    details_.asked = asked;
    const Answer told = answer();
    ASSERT_NE(of(told, "n1"), nullptr);
    EXPECT_FALSE(of(told, "n1")->fits);
    EXPECT_EQ(of(told, "n1")->what.certainty, Certainty::unknown);
    EXPECT_EQ(
        of(told, "n1")->what.text,
        "the GPUs that it asks for are free; the scheduler reports too few CPUs or too little memory on "
        "some nodes, and not on which");
  }
}

// 100 MiB are not more than 90 CPUs.
TEST_F(WhyAgainstNode, CpusOfOneNodeAreNotHeldAgainstMemoryOfAnother) {
  says("n1", By::cpus, "it asks for 96 CPUs, and at most 90 of 96 are not requested by others", "90");
  says("n2", By::memory,
       "it asks for 200 MiB of memory, and at most 100 of 200 MiB are not requested by others", "100");
  const Answer told = answer();
  EXPECT_NE(with(told, "ask for at most 90 CPUs, if that is enough: n1"), nullptr);
  EXPECT_NE(with(told, "ask for at most 100 MiB of memory, if that is enough: n2"), nullptr);
}

TEST_F(WhyAgainstNode, NothingIsOfferedBelowWhatOthersLeave) {
  for (const char* name : {"n1", "n2"})
    says(name, By::cpus, "it asks for 64 CPUs, and at most 0 of 96 are not requested by others", "0");
  EXPECT_EQ(with(answer(), "ask for at most"), nullptr);
}

// A finding that is not certain is said where nothing else fails, and never as "it fits".
TEST_F(WhyAgainstNode, WhatIsNotKnownOfANodeIsNoRoomOnIt) {
  const std::string text =
      "its node selector asks for feature.node.kubernetes.io/x=y, a label that tessera does not keep";
  says("n1", By::selector, text, "", false);
  says("n2", By::selector, text, "", false);
  nodes_[1].health = Health::drained, nodes_[1].reason = "cordoned";
  const Answer told = answer();
  EXPECT_FALSE(of(told, "n1")->fits);
  EXPECT_EQ(of(told, "n1")->what.certainty, Certainty::unknown);
  EXPECT_EQ(of(told, "n2")->topic, Topic::node);
}

TEST_F(WhyAgainstNode, WhatThePodToldIsNoLongerUnknownAndWhatNoOneJudgesIs) {
  details_.related.push_back(not_judged("whether its host ports are taken on the nodes"));
  const Answer told = answer();
  EXPECT_FALSE(unknown(told, "its CPUs and memory"));
  EXPECT_FALSE(unknown(told, "its node selector, affinity and tolerations"));
  EXPECT_TRUE(unknown(told, "whether its host ports are taken on the nodes"));
  details_.asked.front().failure = Error{"the API server refuses", "HTTP 403", ""};
  details_.related.clear();
  EXPECT_TRUE(unknown(answer(), "its CPUs and memory"));
  details_ = {};
  EXPECT_TRUE(unknown(answer(), "its node selector, affinity and tolerations")) << "the pod was not asked";
}

TEST_F(WhyAgainstNode, TheOneGateOfAPersonCanBeTakenAwayAndAQueuesCannot) {
  pod_.reason = "Scheduling is blocked due to non-empty scheduling gates";
  const auto gate = [](const std::string& name) {
    return Related{Teller::pod, "scheduling gate", name, "", "", true, 1, std::nullopt};
  };
  details_.related = {gate("example.com/data")};
  const Answer told = answer();
  const Remedy* away = with(told, "take the scheduling gate example.com/data away");
  ASSERT_NE(away, nullptr);
  EXPECT_EQ(
      away->command,
      R"(kubectl -n team patch pod p --type=json -p '[{"op":"test","path":"/spec/schedulingGates/0/name",)"
      R"("value":"example.com/data"},{"op":"remove","path":"/spec/schedulingGates/0"}]')");
  for (const char* of_queue : {"kueue.x-k8s.io/admission", "scheduling.volcano.sh/queue-allocation-gate"}) {
    details_.related = {gate(of_queue)};
    EXPECT_EQ(with(answer(), "take the scheduling gate"), nullptr) << of_queue;
  }
  details_.related = {gate("a"), gate("b")};
  EXPECT_EQ(with(answer(), "take the scheduling gate"), nullptr);
}

}  // namespace
}  // namespace tessera::why
