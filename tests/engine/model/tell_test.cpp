// What the log says when a node, a job or a pod is otherwise than before.
#include "engine/model/tell.hpp"

#include <gtest/gtest.h>

#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

Gpu sevenths(int index, int count) {
  std::vector<Slice> slices;
  for (int i = 0; i < count; ++i) slices.push_back(instance("1g.10gb", i, 1, i));
  Gpu cut = gpu(index, Strategy::mig, std::move(slices));
  cut.mig_mode = MigMode::enabled;
  return cut;
}

Node of_h100(const std::string& name, std::vector<Gpu> gpus) {
  Node one = node(name, std::move(gpus));
  one.model = "h100";
  return one;
}

// A cluster that has been read, with one node.
Story read() {
  Story story;
  story.tell(NodesListed{{of_h100("n1", {sevenths(0, 7)}), of_h100("n2", {sevenths(0, 7)})}});
  story.tell(WorkloadsListed{});
  story.tell(Loaded{});
  return story;
}

std::string last(const Story& story) {
  const LogEntry& entry = story.model.work_log.back();
  return std::string(word(entry.kind)) + " | " + entry.subject + " | " + entry.text;
}

TEST(Tell, AJobThatStartsSaysWhoseWhereAndWhatItHolds) {
  Story story = read();
  Workload job = waiting("7", "alice", "gpu:1g.10gb");
  job.submitted = at(0);
  story.tell(WorkloadSeen{job}, 5);
  EXPECT_TRUE(story.model.work_log.empty()) << "that it waits is no event";
  Workload runs = running("7", "alice", {holds_some("n1", "1g.10gb", 2)});
  runs.submitted = at(0);
  runs.started = at(720);
  story.tell(WorkloadSeen{runs}, 725);
  EXPECT_EQ(last(story), "started | job 7 | of alice started on n1: 2 × 1g.10gb, waited 12 min");
  const LogEntry& entry = story.model.work_log.back();
  EXPECT_EQ(entry.nodes, std::vector{NodeName("n1")});
  EXPECT_EQ(entry.user, "alice");
  EXPECT_EQ(entry.pool, "h100");
  EXPECT_EQ(entry.at, at(725));
  EXPECT_EQ(entry.cluster, ClusterName("hpc"));
}

TEST(Tell, AJobThatIsNoLongerListedHasEndedAndSaysForHowLongItHeldWhat) {
  Story story = read();
  Workload runs = running("7", "alice", {holds_some("n1", "1g.10gb", 2)});
  runs.started = at(0);
  story.tell(WorkloadsListed{{runs}}, 0);
  story.tell(WorkloadsListed{}, 7200);
  EXPECT_EQ(last(story), "ended | job 7 | of alice ended after 2 h 00 min on n1: 2 × 1g.10gb");
  EXPECT_EQ(story.model.work_log.back().severity, Severity::info);
  EXPECT_EQ(story.cluster().workloads.size(), 0u);
}

TEST(Tell, HowAJobEndedIsToldWhereTheSchedulerTellsIt) {
  Story story = read();
  const auto end_with = [&](const std::string& how) {
    Workload runs = running("7", "alice", {holds_some("n1", "1g.10gb", 2)});
    runs.started = at(0);
    story.tell(WorkloadsListed{{runs}}, 0);
    Workload ended;
    ended.id = runs.id;
    ended.state = WorkloadState::ended;
    ended.state_word = how;
    story.tell(WorkloadsListed{{ended}}, 60);
    EXPECT_EQ(story.cluster().workloads.size(), 0u) << "what has ended is not listed";
    return last(story);
  };
  EXPECT_EQ(end_with("TIMEOUT"),
            "failed | job 7 | of alice failed with TIMEOUT after 1 min on n1: 2 × 1g.10gb");
  EXPECT_EQ(story.model.work_log.back().severity, Severity::warning);
  EXPECT_EQ(end_with("COMPLETED"), "ended | job 7 | of alice ended after 1 min on n1: 2 × 1g.10gb");
  EXPECT_EQ(end_with("CANCELLED"), "ended | job 7 | of alice was cancelled after 1 min on n1: 2 × 1g.10gb");
  EXPECT_EQ(end_with("Failed"), "failed | job 7 | of alice failed after 1 min on n1: 2 × 1g.10gb");
}

TEST(Tell, SharesOfAPodAreToldInTheWordsOfItsScheduler) {
  Workload pod = running("web-1", "ml", {holds_some("n1", "", 2, Family::shard)});
  EXPECT_EQ(held_text(pod), "2 × shard") << "Slurm's word";
  pod.kind = WorkloadKind::pod;
  EXPECT_EQ(held_text(pod), "2 shares");
}

// The waiting tasks of an array are one line of the list, which has another name with each task that starts.
TEST(Tell, ALineOfAnArrayThatChangesItsNameHasNotLeftTheQueue) {
  Story story = read();
  story.tell(WorkloadsListed{{waiting("19_[5-9]", "bob", "gpu:1")}});
  const Workload first = running("19_5", "bob", {holds_some("n1", "1g.10gb", 1)});
  story.tell(WorkloadsListed{{first, waiting("19_[6-9]", "bob", "gpu:1"), waiting("20", "bob", "gpu:1")}});
  ASSERT_EQ(story.model.work_log.size(), 1U);
  EXPECT_EQ(story.model.work_log.back().kind, Happened::started) << last(story);
  story.tell(WorkloadsListed{{first, waiting("19_[6-9%2]", "bob", "gpu:1")}});
  EXPECT_EQ(last(story), "moved | job 20 | of bob left the queue");
}

Workload ended_as(const std::string& id, const std::string& how) {
  Workload ended;
  ended.id = WorkloadId(id);
  ended.state = WorkloadState::ended;
  ended.state_word = how;
  return ended;
}

// It went without a word: its line was taken for one that had only changed its name.
TEST(Tell, ACancelledWaitingArrayIsTold) {
  Story story = read();
  story.tell(WorkloadsListed{{waiting("19_[5-9%2]", "bob", "gpu:1")}});
  story.tell(WorkloadsListed{{ended_as("19_[5-9%2]", "CANCELLED")}});
  EXPECT_EQ(last(story), "ended | job 19_[5-9%2] | of bob was cancelled");
  story.tell(WorkloadsListed{{waiting("20_[0-8:2]", "bob", "gpu:1")}});
  story.tell(WorkloadsListed{});
  EXPECT_EQ(last(story), "moved | job 20_[0,2,4,6,8] | of bob left the queue") << "nothing says how";
}

TEST(Tell, OfAnArrayOnlyTheTasksThatNothingListedStandsForAreTold) {
  Story story = read();
  story.tell(WorkloadsListed{{waiting("19_[1-9]", "bob", "gpu:1")}});
  story.tell(WorkloadsListed{{running("19_1", "bob", {holds_some("n1", "1g.10gb", 1)}),
                              ended_as("19_2", "COMPLETED"), ended_as("19_[3-5]", "CANCELLED"),
                              waiting("19_[7-9]", "bob", "gpu:1"), waiting("190_[6]", "eve", "gpu:1")}});
  std::vector<std::string> told;
  for (const LogEntry& entry : story.model.work_log) told.push_back(entry.subject + " " + entry.text);
  EXPECT_EQ(told, (std::vector<std::string>{"job 19_1 of bob started on n1: 1 × 1g.10gb, 1 h "
                                            "00 min before it was listed",
                                            "job 19_[6] of bob left the queue",
                                            "job 19_[3-5] of bob was cancelled"}));
}

TEST(Tell, ALineThatSlurmCutShortProvesNothing) {
  Story story = read();
  for (const char* id : {"19_[1,3,5,...]", "19_[]", "19_[9-", "19_[1-4294967295]", "19_[1-9:0]"}) {
    story.tell(WorkloadsListed{{waiting(id, "bob", "gpu:1")}});
    story.tell(WorkloadsListed{});
    EXPECT_TRUE(story.model.work_log.empty()) << id;
  }
}

TEST(Tell, ARequeueAndASuspensionAreTold) {
  Story story = read();
  Workload runs = running("7", "alice", {holds_some("n1", "1g.10gb", 2)});
  story.tell(WorkloadSeen{runs});
  runs.state = WorkloadState::suspended;
  story.tell(WorkloadSeen{runs});
  EXPECT_EQ(last(story), "moved | job 7 | of alice was suspended on n1: 2 × 1g.10gb");
  story.tell(WorkloadSeen{waiting("7", "alice", "gpu:1g.10gb")});
  EXPECT_EQ(last(story), "moved | job 7 | of alice was requeued on n1: 2 × 1g.10gb");
}

// Its GPUs would be free on the screen while it runs on them.
TEST(Tell, AJobThatIsListedStaysThoughAnotherRecordOfItsIdHasEnded) {
  Story story = read();
  const Workload runs = running("7", "alice", {holds_some("n1", "1g.10gb", 2)});
  Workload ended;
  ended.id = runs.id;
  ended.state = WorkloadState::ended;
  ended.state_word = "NODE_FAIL";
  story.tell(WorkloadsListed{{runs, ended}});
  story.tell(WorkloadsListed{{ended, runs}});
  EXPECT_EQ(story.cluster().workloads.size(), 1u);
  EXPECT_EQ(story.model.work_log.size(), 1u) << last(story);
}

// Slurm's word for the state was one that tessera does not know: the job started again when it was another.
TEST(Tell, AStateThatWasNotKnownForAWhileIsNoStartAndNoWayOutOfTheQueue) {
  Story story = read();
  Workload runs = running("7", "alice", {holds_some("n1", "1g.10gb", 2)});
  story.tell(WorkloadSeen{runs});
  const std::size_t told = story.model.work_log.size();
  runs.state = WorkloadState::unknown;
  story.tell(WorkloadSeen{runs});
  runs.state = WorkloadState::running;
  story.tell(WorkloadSeen{runs});
  EXPECT_EQ(story.model.work_log.size(), told) << last(story);
  runs.state = WorkloadState::unknown;
  story.tell(WorkloadSeen{runs});
  story.tell(WorkloadGone{runs.id});
  EXPECT_EQ(story.model.work_log.back().kind, Happened::ended) << last(story);
}

TEST(Tell, TheFirstListsAreNoNews) {
  Story story;
  story.tell(NodesListed{{of_h100("n1", {sevenths(0, 7)})}});
  story.tell(WorkloadsListed{{running("7", "alice", {holds_some("n1", "1g.10gb", 2)})}});
  story.tell(Loaded{});
  EXPECT_TRUE(story.model.work_log.empty());
}

TEST(Tell, SlicesThatAreMadeAndDestroyedAreTold) {
  Story story = read();
  Gpu cut = sevenths(0, 3);
  cut.slices.push_back(instance("3g.40gb", 4, 4, 3));
  story.tell(NodeSeen{of_h100("n1", {cut})});
  EXPECT_EQ(last(story), "layout | n1 | GPU 0: 1 × 3g.40gb made, 4 × 1g.10gb destroyed");
  story.tell(NodeSeen{of_h100("n1", {gpu(0, Strategy::whole, {whole(0)})})});
  EXPECT_EQ(last(story), "layout | n1 | GPU 0: mig → whole");
  story.tell(NodeSeen{of_h100("n1", {sevenths(0, 7)})});
  EXPECT_EQ(last(story), "layout | n1 | GPU 0: whole → mig: 7 × 1g.10gb");
}

// The finding about it has its "since" from here: a GPU does not tell since when its mode waits.
TEST(Tell, AModeChangeThatBeginsToWaitIsToldOnceForEachGpu) {
  Story story = read();
  Gpu waits = sevenths(0, 7);
  waits.mig_mode = MigMode::disable_pending;
  story.tell(NodeSeen{of_h100("n1", {waits})}, 30);
  EXPECT_EQ(last(story), "layout | n1 | GPU 0: MIG mode change is pending");
  EXPECT_EQ(story.model.work_log.back().at, at(30));
  story.tell(NodeSeen{of_h100("n1", {waits})}, 60);
  EXPECT_EQ(story.model.work_log.size(), 1u) << "it still waits";
  Gpu untold = sevenths(0, 7);
  untold.mig_mode.reset();
  story.tell(NodeSeen{of_h100("n2", {untold})}, 70);
  waits.origin.at = at(80);
  story.tell(NodeSeen{of_h100("n2", {waits})}, 80);
  EXPECT_EQ(story.model.work_log.size(), 1u) << "it may have waited before it was told";
}

TEST(Tell, TheSameSlicesSeenByAnotherSourceAreNoNews) {
  Story story = read();
  Gpu other = gpu(0, Strategy::whole, {whole(0)});
  other.origin.source = Source::nvidia_smi;
  story.tell(NodeSeen{of_h100("n1", {other})});
  EXPECT_TRUE(story.model.work_log.empty());
  Gpu unknown = gpu(0, Strategy::unknown, {});
  unknown.origin.source = Source::nvidia_smi;
  story.tell(NodeSeen{of_h100("n1", {unknown})});
  EXPECT_TRUE(story.model.work_log.empty()) << "unknown is not empty";
}

TEST(Tell, WhoClosedANodeStandsInItsEntry) {
  Story story = read();
  Node closed = of_h100("n1", {sevenths(0, 7)});
  closed.health = Health::drained;
  closed.reason = "fan failure";
  closed.reason_by = "carol";
  story.tell(NodeSeen{closed});
  EXPECT_EQ(story.model.log.back().text, "ok → drained by carol: fan failure");
  closed.health = Health::ok;
  story.tell(NodeSeen{closed});
  EXPECT_EQ(story.model.log.back().text, "drained → ok");
}

TEST(Tell, ACordonIsToldInKubernetesWordsAndTheLastPodThatLeavesIsNoNewsOfIt) {
  Story story = read();
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  Node closed = of_h100("n1", {sevenths(0, 7)});
  closed.health = Health::draining;
  closed.reason = "cordoned";
  story.tell(NodeSeen{closed});
  EXPECT_EQ(story.model.log.back().text, "ok → cordoned: cordoned");
  const std::size_t before = story.model.log.size();
  closed.health = Health::drained;
  story.tell(NodeSeen{closed});
  EXPECT_EQ(story.model.log.size(), before);
}

TEST(Tell, AHundredJobsThatEndAtOnceAreOneEntry) {
  Story story = read();
  WorkloadsListed jobs;
  for (int i = 0; i < 100; ++i)
    jobs.workloads.push_back(running(std::to_string(i), "alice", {holds_some("n1", "1g.10gb", 1)}));
  jobs.workloads.push_back(running("other", "bob", {holds_some("n1", "1g.10gb", 1)}));
  story.tell(jobs);
  ASSERT_EQ(story.model.work_log.size(), 2u);
  EXPECT_EQ(story.model.work_log.front().text, "100 jobs of alice started on pool h100");
  EXPECT_EQ(story.model.work_log.front().count, 100);
  EXPECT_EQ(story.model.work_log.back().subject, "job other");
}

// On a real cluster the namespace stood there: "on pool ml-team".
TEST(Tell, ThePoolOfPodsIsWhatTheGpusAreCalledAndNotTheirNamespace) {
  Story story;
  story.tell(NodesListed{{node("n1", {sevenths(0, 7)})}});
  story.tell(WorkloadsListed{});
  story.tell(Loaded{});
  Workload pod = running("ml-team/web-1", "alice", {holds_some("n1", "1g.10gb", 1)});
  pod.kind = WorkloadKind::pod;
  pod.group = "ml-team";
  story.tell(WorkloadSeen{pod});
  EXPECT_EQ(story.model.work_log.back().pool, "H100-80GB-SXM5");
  Workload waits = waiting("ml-team/web-2", "alice", "nvidia.com/gpu");
  waits.group = "ml-team";
  story.tell(WorkloadSeen{waits});
  story.tell(WorkloadGone{waits.id});
  EXPECT_EQ(story.model.work_log.back().pool, "") << "it was nowhere";
}

TEST(Tell, JobsPushNoNodeOutOfTheLog) {
  Story story = read();
  Node closed = of_h100("n1", {sevenths(0, 7)});
  closed.health = Health::drained;
  story.tell(NodeSeen{closed});
  Workload runs = running("7", "alice", {holds_some("n1", "1g.10gb", 1)});
  for (std::size_t i = 0; i <= Model::kWorkLogLimit / 2; ++i) {
    story.tell(WorkloadSeen{runs});
    story.tell(WorkloadGone{runs.id});
  }
  EXPECT_EQ(story.model.work_log.size(), Model::kWorkLogLimit);
  EXPECT_EQ(story.model.log.back().text, "ok → drained");
}

TEST(Tell, FromOneMomentOfARecordingToAnotherNothingHappens) {
  Story story;
  story.tell(Recorded{at(0), at(100), ""});
  story.tell(NodesListed{{of_h100("n1", {sevenths(0, 7)})}});
  story.tell(WorkloadsListed{{running("7", "alice", {holds_some("n1", "1g.10gb", 2)})}});
  story.tell(Loaded{});
  story.tell(WorkloadsListed{}, -50);
  EXPECT_TRUE(story.model.log.empty());
  EXPECT_TRUE(story.model.work_log.empty());
  LogEntry told{at(-90), {}, Severity::info, "job 3", "of bob ended"};
  told.kind = Happened::ended;
  story.tell(HistoryTold{{told}}, -50);
  ASSERT_EQ(story.model.work_log.size(), 1u);
  EXPECT_EQ(story.model.work_log.back().at, at(-90)) << "an event has the time at which it happened";
  story.tell(HistoryTold{}, -80);
  EXPECT_TRUE(story.model.work_log.empty()) << "at an earlier moment it has not happened yet";
}

}  // namespace
}  // namespace tessera::test
