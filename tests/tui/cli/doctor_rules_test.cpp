// `tessera doctor` on the rules of a platform: the work that breaks them, the nodes, and the habits of both.
#include <gtest/gtest.h>

#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"
#include "tui/cli/doctor.hpp"
#include "tui/cli/settings.hpp"

namespace tessera::cli {
namespace {

Options asked_of_doctor(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "doctor");
  auto parsed = parse_arguments(arguments);
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : to_line(parsed.error()));
  auto settings = gather(*parsed, {}, {});
  return *to_options(*parsed, *settings);
}

test::Story two_layouts_and_a_pod_without_host_ipc() {
  test::Story story;
  ClusterSeen seen;
  seen.scheduler = Scheduler::kubernetes;
  story.tell(seen);
  Slice slice = test::whole(0);
  slice.kind = SliceKind::mps, slice.capacity = 8;
  Gpu shared = test::gpu(0, Strategy::mps, {slice});
  shared.replicas = 8;
  story.tell(NodesListed{{test::node("n1", {shared}),
                          test::node("n2", {test::gpu(0, Strategy::mig, {test::instance("1g.10gb", 0, 1, 0)}),
                                            test::gpu(1, Strategy::whole, {test::whole(1)})})}});
  Workload pod = test::running("a/p", "alice", {test::holds("n1", {})});
  pod.kind = WorkloadKind::pod, pod.requests = {{"nvidia.com/gpu", 1}}, pod.pod = PodUse{"main", 0, false};
  Workload several = test::running("a/s", "alice", {test::holds("n2", {})});
  several.kind = WorkloadKind::pod, several.requests = {{"nvidia.com/mig-1g.10gb", 2}};
  story.tell(WorkloadsListed{{pod, several}});
  story.tell(Loaded{});
  return story;
}

std::string said_of(const test::Story& story, const Options& options, const std::string& part) {
  for (const insight::Finding& one :
       doctor_findings(story.model, story.cluster(), test::catalogue(), options, test::at(0)))
    if (one.text.find(part) != std::string::npos) return one.subject + "|" + one.hint;
  return "";
}

std::string said(const Options& options, const std::string& part) {
  return said_of(two_layouts_and_a_pod_without_host_ipc(), options, part);
}

// Whole GPUs in time-slices, which the device plugin of two nodes would name in two ways if it cut them.
Node sliced(const std::string& name, const std::string& strategy) {
  Gpu gpu = test::gpu(0, Strategy::time_slicing, {test::shared(SliceKind::time_slice, 8, 0)});
  gpu.replicas = 8;
  Node node = test::node(name, {gpu});
  node.features = {"nvidia.com/mig.strategy=" + strategy};
  node.allocatable = {{"nvidia.com/gpu", 8}};
  return node;
}

TEST(DoctorRules, HoldsWorkAndNodesAgainstTheRulesOfThePlatform) {
  const Options fpt = asked_of_doctor({"--platform", "fpt"});
  EXPECT_EQ(said(fpt, "must set hostIPC"), "pod a/p|change the request in its manifest and start it again");
  EXPECT_EQ(said(fpt, "one layout must hold for all its cards"),
            "n2|rule fpt-a of FPT managed Kubernetes: tessera guide --node NAME says what it allows");
  EXPECT_EQ(said(asked_of_doctor({}), "must set hostIPC"), "") << "a rule of that platform alone";
  EXPECT_EQ(said(asked_of_doctor({}), "one layout must hold"), "");
}

// Plans call such a worker none with operator; so does the doctor.
TEST(DoctorRules, TimeSlicesOfWholeGpusAreAllowedWhatEverTheLabelOfTheStrategySays) {
  test::Story story;
  ClusterSeen seen;
  seen.scheduler = Scheduler::kubernetes;
  story.tell(seen);
  story.tell(NodesListed{{sliced("n1", "single"), sliced("n2", "mixed")}});
  story.tell(Loaded{});
  const Options fpt = asked_of_doctor({"--platform", "fpt"});
  EXPECT_EQ(said_of(story, fpt, "time-slicing goes with"), "") << "fpt-d";
  EXPECT_EQ(said_of(story, fpt, "share one type"), "") << "fpt-b";
  // One that offers nothing is of another type.
  Node bare = sliced("n2", "single");
  bare.features.push_back("nvidia.com/gpu.deploy.device-plugin=false");
  bare.gpus = {test::gpu(0, Strategy::whole, {test::whole(0)})};
  bare.allocatable->clear();
  story.tell(NodesListed{{sliced("n1", "single"), bare}});
  EXPECT_NE(said_of(story, fpt, "n1 is \"none with operator\", n2 is \"none\""), "");
}

// It read "pod a/s  a/s asks for": the subject has the name.
TEST(DoctorRules, TellsOfWorkThatAsksForSeveralInstancesAndNamesItOnce) {
  const test::Story story = two_layouts_and_a_pod_without_host_ipc();
  int told = 0;
  for (const insight::Finding& one :
       doctor_findings(story.model, story.cluster(), test::catalogue(), asked_of_doctor({}), test::at(0))) {
    if (one.subject != "pod a/s") continue;
    ++told;
    EXPECT_TRUE(one.text.starts_with("asks for 2 MIG instances on one node")) << one.text;
    EXPECT_EQ(one.hint, "ask for one larger instance, or for one in each of several jobs");
    EXPECT_EQ(one.cause, one.text) << "the same habit of many is one line";
  }
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace tessera::cli
