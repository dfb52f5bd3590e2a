// Ways out for a job of several nodes, and for one that Slurm's last look blames on a node.
#include "engine/why/supply.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/plan/facts.hpp"
#include "engine/why/may_use.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::why {
namespace {

using test::at;
using test::holds;
using test::node;
using test::Story;

// A node of two whole GPUs in the partition "gpu".
Node two_gpus(const std::string& name, Health health = Health::ok) {
  Node one = node(name, {test::gpu(0, Strategy::whole, {test::whole(0)}),
                         test::gpu(1, Strategy::whole, {test::whole(1)})});
  one.partitions = {"gpu"}, one.health = health;
  return one;
}

Workload full(const std::string& id, const std::string& node, std::optional<TimePoint> ends) {
  Workload one = test::running(id, "bob", {holds(node, {{0, 1}, {1, 1}})});
  one.ends = ends;
  return one;
}

Workload wide(int nodes, const std::string& reason = "Resources") {
  Workload one = test::waiting("7", "alice", "gpu");
  one.group = "gpu", one.reason = reason, one.node_count = nodes;
  one.requests.front().count = 2 * nodes;
  one.origin.source = Source::slurm_jobs;
  return one;
}

Answer answer_for(const Story& story, const Workload& work) {
  Site site;
  site.catalogue = &test::catalogue();
  site.wall = at(0);
  return explain(story.cluster(), work, site);
}

std::vector<Remedy> all_of(const Answer& answer, Help help) {
  std::vector<Remedy> found;
  for (const Remedy& one : answer.help)
    if (one.help == help) found.push_back(one);
  return found;
}

TEST(WhySupply, OpeningOneOfTwoNodesIsNotSaidToStartAJobOfTwo) {
  Story story;
  story.tell(NodesListed{{two_gpus("n1"), two_gpus("n2", Health::drained)}});
  story.tell(WorkloadsListed{{full("1", "n1", std::nullopt)}});
  const auto help = answer_for(story, wide(2)).help;
  ASSERT_FALSE(help.empty());
  EXPECT_EQ(help.front().text,
            "open n2, once the reason for the closing is gone: that alone starts nothing, 1 of the 2 nodes "
            "that it needs have room for it then");
  EXPECT_EQ(help.front().command, "scontrol update NodeName=n2 State=RESUME");
}

TEST(WhySupply, ANodeThatARunHasClosedIsNotToBeOpenedByHand) {
  const auto opening = [](int nodes, const std::string& reason) {
    Story story;
    Node closed = two_gpus("n2", Health::drained);
    closed.reason = reason;
    story.tell(NodesListed{{two_gpus("n1"), closed}});
    story.tell(WorkloadsListed{{full("1", "n1", std::nullopt)}});
    const auto help = answer_for(story, wide(nodes)).help;
    return std::count_if(help.begin(), help.end(), [](const Remedy& one) {
      return one.command.find("State=RESUME") != std::string::npos;
    });
  };
  for (const int nodes : {1, 2}) {
    EXPECT_EQ(opening(nodes, plan::to_text(plan::RunMark{"r9", "bob", "login2"})), 0);
    EXPECT_EQ(opening(nodes, "fan"), 1) << "a person has closed it";
  }
}

TEST(WhySupply, OpeningIsSaidWithTheTimeAtWhichTheOtherNodesAreFree) {
  Story story;
  story.tell(NodesListed{{two_gpus("n1"), two_gpus("n2", Health::drained)}});
  story.tell(WorkloadsListed{{full("1", "n1", at(3600))}});
  const Answer answer = answer_for(story, wide(2));
  EXPECT_TRUE(all_of(answer, Help::by_itself).empty()) << "by itself it has one node at the most";
  ASSERT_EQ(all_of(answer, Help::admin).size(), 1u);
  EXPECT_NE(all_of(answer, Help::admin).front().text.find("it then has its 2 nodes by "), std::string::npos)
      << all_of(answer, Help::admin).front().text;
  EXPECT_NE(all_of(answer, Help::admin).front().text.find("by the time limit of job 1 of bob"),
            std::string::npos);
}

TEST(WhySupply, AsManyClosedNodesAsAreMissingAreOpenedTogether) {
  Story story;
  story.tell(NodesListed{{two_gpus("n1"), two_gpus("n2", Health::drained), two_gpus("n3", Health::drained),
                          two_gpus("n4", Health::drained)}});
  story.tell(WorkloadsListed{{}});
  const Answer three = answer_for(story, wide(3));
  ASSERT_EQ(all_of(three, Help::admin).size(), 1u);
  EXPECT_EQ(all_of(three, Help::admin).front().text,
            "open n2,n3 once the reasons for their closing are gone: it then has its 3 nodes");
  EXPECT_EQ(all_of(three, Help::admin).front().command, "scontrol update NodeName=n2,n3 State=RESUME");
  const Answer two = answer_for(story, wide(2));
  ASSERT_EQ(all_of(two, Help::admin).size(), 1u);
  EXPECT_EQ(all_of(two, Help::admin).front().text,
            "open n2 once the reason for its closing is gone: it then has its 2 nodes");
  EXPECT_EQ(all_of(answer_for(story, wide(1)), Help::admin).front().text,
            "open n2 once the reason for its closing is gone: it has room for it");
}

TEST(WhySupply, OpeningIsNoHelpWhereTheNodesAreFreeAsSoonWithoutIt) {
  Story story;
  story.tell(NodesListed{{two_gpus("n1"), two_gpus("n2"), two_gpus("n3", Health::drained)}});
  story.tell(WorkloadsListed{{full("1", "n1", at(60)), full("2", "n2", at(60))}});
  const Answer same = answer_for(story, wide(2));
  EXPECT_EQ(all_of(same, Help::by_itself).size(), 1u);
  EXPECT_TRUE(all_of(same, Help::admin).empty());
  story.tell(WorkloadsListed{{full("1", "n1", at(60)), full("2", "n2", at(7200))}}, 1);
  EXPECT_EQ(all_of(answer_for(story, wide(2)), Help::admin).size(), 1u) << "it starts two hours sooner";
}

TEST(WhySupply, ANodeThatTheJobDoesNotNameIsNoWayOut) {
  Story story;
  story.tell(NodesListed{{two_gpus("n1"), two_gpus("n2", Health::drained), two_gpus("n3")}});
  story.tell(WorkloadsListed{{full("1", "n1", std::nullopt)}});
  Workload work = wide(2);
  work.needs.emplace().nodes = "n1";
  const Answer answer = answer_for(story, work);
  EXPECT_TRUE(all_of(answer, Help::admin).empty()) << "n1, which it must have, stays full";
  EXPECT_TRUE(all_of(answer, Help::by_itself).empty());
  story.tell(WorkloadsListed{{full("1", "n1", at(600))}}, 1);
  EXPECT_EQ(all_of(answer_for(story, work), Help::by_itself).size(), 1u) << "n3 is free, n1 will be";
}

TEST(WhySupply, ANodeInAReservationOrWithoutCpusIsNotSaidToHaveRoomOnceOpen) {
  Story story;
  Node kept = two_gpus("n1", Health::drained), busy = two_gpus("n2", Health::drained);
  kept.reservation = "class";
  busy.cpus = 8, busy.cpus_held = 8;
  story.tell(NodesListed{{kept, busy}});
  story.tell(WorkloadsListed{{}});
  Workload work = wide(1);
  work.needs.emplace().cpus = 4;
  EXPECT_TRUE(all_of(answer_for(story, work), Help::admin).empty());
}

TEST(WhySupply, ANodeInAReservationIsSaidToBeReservedAndNotToBeFull) {
  Story story;
  Node kept = two_gpus("n1");
  kept.state = {"IDLE", "RESERVED"}, kept.reservation = "course";
  story.tell(NodesListed{{kept}});
  story.tell(WorkloadsListed{{}});
  const Answer answer = answer_for(story, wide(1));
  ASSERT_EQ(answer.nodes.size(), 1u);
  EXPECT_EQ(answer.nodes.front().topic, Topic::reservation);
  EXPECT_EQ(answer.nodes.front().what.text, "in the reservation course");
  EXPECT_EQ(answer.nodes.front().what.certainty, Certainty::likely) << "the job may be let in";
}

TEST(WhySupply, ANodeThatSlurmBlamesAndThatIsOnlyFullIsWaitedFor) {
  Story story;
  story.tell(NodesListed{{two_gpus("n1"), two_gpus("n2")}});
  story.tell(WorkloadsListed{{full("1", "n1", at(600))}});
  Workload work = wide(1, "ReqNodeNotAvail, UnavailableNodes:n1");
  work.needs.emplace().nodes = "n1";
  const Answer answer = answer_for(story, work);
  EXPECT_EQ(answer.topic, Topic::room);
  EXPECT_EQ(answer.sentence.text,
            "enough of the nodes that it may use are open, and full: it starts by itself once what it asks "
            "for is given back there, unless others come before it");
  EXPECT_EQ(answer.sentence.certainty, Certainty::likely);
  ASSERT_FALSE(answer.more.empty());
  EXPECT_EQ(answer.more.front().text,
            "Slurm's last look said: a node that it needs is down, closed or reserved: n1");
  EXPECT_EQ(answer.more.front().source, Source::slurm_jobs);
  EXPECT_EQ(all_of(answer, Help::by_itself).size(), 1u);
  Workload any = wide(2, "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority");
  EXPECT_EQ(answer_for(story, any).topic, Topic::room);
}

TEST(WhySupply, ANodeThatSlurmBlamesRightlyStaysTheReason) {
  Story story;
  const Workload work = [] {
    Workload one = wide(1, "ReqNodeNotAvail, UnavailableNodes:n1");
    one.needs.emplace().nodes = "n1";
    return one;
  }();
  const auto sentence = [&](Node one) {
    story.tell(NodesListed{{one, two_gpus("n2")}});
    story.tell(WorkloadsListed{{}});
    return answer_for(story, work).sentence.text;
  };
  const std::string blamed = "a node that it needs is down, closed or reserved: n1";
  EXPECT_EQ(sentence(two_gpus("n1", Health::drained)), blamed);
  EXPECT_EQ(sentence(two_gpus("n1", Health::down)), blamed);
  EXPECT_EQ(sentence(two_gpus("n1", Health::unknown)), blamed);
  Node kept = two_gpus("n1");
  kept.reservation = "class";
  EXPECT_EQ(sentence(kept), blamed);
  Node planned = two_gpus("n1");
  planned.state = {"IDLE", "PLANNED"};
  EXPECT_EQ(sentence(planned), blamed) << "backfill keeps it for another job";
  EXPECT_EQ(sentence(two_gpus("n1")), "enough of the nodes that it may use are open and have room for it");
}

TEST(WhySupply, ASmallerSliceOnANodeThatTheJobMayNotUseIsNotOffered) {
  Story story;
  Node small = node("n2", {test::gpu(0, Strategy::mig, {test::instance("2g.20gb", 0, 2, 0)})});
  small.partitions = {"gpu"};
  story.tell(NodesListed{{small}});
  story.tell(WorkloadsListed{{}});
  Workload work = wide(1);
  work.requests = {{"gpu:3g.40gb", 1}};
  EXPECT_EQ(all_of(answer_for(story, work), Help::smaller).size(), 1u);
  work.needs.emplace().excluded = "n2";
  EXPECT_TRUE(all_of(answer_for(story, work), Help::smaller).empty());
}

// scontrol and squeue take no list of tasks, and a command with one was left out as nothing that a shell
// takes.
TEST(WhySupply, CommandsForTheTasksOfAnArrayThatWaitNameItByItsNumber) {
  Story story;
  Node other = two_gpus("n2");
  other.partitions = {"long"};
  story.tell(NodesListed{{two_gpus("n1"), other}});
  story.tell(WorkloadsListed{{full("1", "n1", at(600))}});
  Workload array = wide(1);
  array.id = WorkloadId("7_[4-10%2]");
  array.needs.emplace().expected = at(300);
  const Answer answer = answer_for(story, array);
  const std::vector<Remedy> waits = all_of(answer, Help::by_itself), moved = all_of(answer, Help::elsewhere);
  ASSERT_EQ(waits.size(), 2u) << "when Slurm expects it, and by time limits";
  for (const Remedy& one : waits) EXPECT_EQ(one.command, "squeue --start -j 7") << one.text;
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved.front().command, "scontrol update JobId=7 Partition=long");
}

TEST(WhySupply, AnotherPartitionHasAllNodesOfTheJob) {
  Story story;
  Node first = two_gpus("n1"), second = two_gpus("n2");
  first.partitions = {"long", "all"}, second.partitions = {"all"};
  story.tell(NodesListed{{first, second}});
  story.tell(WorkloadsListed{{}});
  const auto commands = [&](int nodes) {
    std::vector<std::string> found;
    for (const Remedy& one : all_of(answer_for(story, wide(nodes)), Help::elsewhere))
      found.push_back(one.text);
    return found;
  };
  EXPECT_EQ(commands(2),
            (std::vector<std::string>{"in the partition all its GPUs are free now, on n[1-2], if "
                                      "its owner may use it"}));
  EXPECT_TRUE(commands(3).empty());
}

Reservation reservation(const std::string& name, const std::string& nodes, TimePoint start, TimePoint end) {
  Reservation one;
  one.name = name, one.nodes = nodes, one.start = start, one.end = end;
  one.state = start <= at(0) ? "ACTIVE" : "INACTIVE";
  return one;
}

std::vector<std::string> node_words(const Answer& answer) {
  std::vector<std::string> all;
  for (const Candidates& one : answer.nodes) all.push_back(one.what.text);
  return all;
}

// Slurm starts no job that would still run when a reservation of others begins: the node was said to fit.
TEST(WhySupply, AJobThatWouldRunIntoAReservationIsToldWhichTimeLimitFits) {
  Story story;
  story.tell(NodesListed{{two_gpus("n1")}});
  story.tell(WorkloadsListed{{}});
  Reservation service = reservation("service", "n[1-2]", at(7200), at(10800));
  story.tell(ReservationsListed{{service}});
  Workload work = wide(1);
  work.limit = std::chrono::hours(24);
  const Answer answer = answer_for(story, work);
  ASSERT_EQ(answer.nodes.size(), 1u);
  EXPECT_FALSE(answer.nodes.front().fits);
  EXPECT_EQ(answer.nodes.front().topic, Topic::reservation);
  EXPECT_NE(answer.nodes.front().what.text.find("the reservation service begins there at "),
            std::string::npos)
      << answer.nodes.front().what.text;
  EXPECT_NE(answer.nodes.front().what.text.find("with its time limit, "), std::string::npos);
  ASSERT_EQ(all_of(answer, Help::admin).size(), 1u);
  EXPECT_NE(
      all_of(answer, Help::admin).front().text.find("it then ends before the reservation service begins"),
      std::string::npos)
      << all_of(answer, Help::admin).front().text;
  EXPECT_EQ(all_of(answer, Help::admin).front().command, "scontrol update JobId=7 TimeLimit=119");
  work.limit = std::chrono::hours(2);
  EXPECT_TRUE(answer_for(story, work).nodes.front().fits) << "it ends when the reservation begins";
  work.limit.reset();
  EXPECT_EQ(answer_for(story, work).nodes.front().what.certainty, Certainty::unknown);
  work.limit = std::chrono::hours(24);
  service.nodes = "n[3-4]";
  story.tell(ReservationsListed{{service}}, 1);
  EXPECT_TRUE(answer_for(story, work).nodes.front().fits) << "of other nodes";
  service.nodes = "n1", service.end = at(-1), service.start = at(-3600);
  story.tell(ReservationsListed{{service}}, 2);
  EXPECT_TRUE(answer_for(story, work).nodes.front().fits) << "it is over";
}

// The job's own reservation was not read: each node of it was said to be another's.
TEST(WhySupply, AJobRunsOnTheNodesOfItsOwnReservationAlone) {
  Story story;
  Node inside = two_gpus("n1");
  inside.reservation = "class";
  story.tell(NodesListed{{inside, two_gpus("n2")}});
  story.tell(WorkloadsListed{{}});
  Reservation own = reservation("class", "n1", at(-60), at(7200));
  const Reservation other = reservation("maths", "n3", at(-60), at(7200));
  story.tell(ReservationsListed{{own, other}});
  Workload work = wide(1);
  EXPECT_EQ(node_words(answer_for(story, work)).back(), "in the reservation class");
  work.needs.emplace().reservation = "maths,class";
  const Answer answer = answer_for(story, work);
  ASSERT_EQ(answer.nodes.size(), 2u);
  EXPECT_TRUE(answer.nodes.front().fits);
  EXPECT_EQ(answer.nodes.front().nodes.front().text, "n1");
  EXPECT_EQ(answer.nodes.back().what.text, "not in its reservation, maths,class");
  inside.reservation = "", inside.state = {"IDLE", "RESERVED"};  // as 22.05 tells it
  story.tell(NodesListed{{inside, two_gpus("n2")}}, 1);
  EXPECT_TRUE(answer_for(story, work).nodes.front().fits);
  EXPECT_EQ(node_words(answer_for(story, wide(1))).back(), "in a reservation");
  inside.reservation = "class", inside.state = {"IDLE", "MAINTENANCE", "RESERVED"};
  story.tell(NodesListed{{inside, two_gpus("n2")}}, 2);
  EXPECT_TRUE(answer_for(story, work).nodes.front().fits) << "a maintenance of its own";
  MayUse may_use(story.cluster(), work);
  EXPECT_TRUE(may_use(*story.cluster().nodes.find(NodeName("n1"))));
  EXPECT_FALSE(may_use(*story.cluster().nodes.find(NodeName("n2"))));
  own.flags = "FLEX,SPEC_NODES";
  story.tell(ReservationsListed{{own, other}}, 1);
  EXPECT_EQ(answer_for(story, work).nodes.size(), 1u) << "FLEX lets it run beside its reservation";
  EXPECT_TRUE(MayUse(story.cluster(), work)(*story.cluster().nodes.find(NodeName("n2"))));
}

TEST(WhySupply, AReservationOfItsOwnThatIsToComeIsSaidWithItsBeginning) {
  Story story;
  story.tell(NodesListed{{two_gpus("n1")}});
  story.tell(WorkloadsListed{{}});
  story.tell(ReservationsListed{{reservation("class", "n1", at(3600), at(7200))}});
  Workload work = wide(1, "Reservation");
  work.needs.emplace().reservation = "class";
  ASSERT_EQ(all_of(answer_for(story, work), Help::by_itself).size(), 1u);
  EXPECT_NE(all_of(answer_for(story, work), Help::by_itself)
                .front()
                .text.find("its reservation, class, begins at "),
            std::string::npos);
  work.reason = "Resources";
  EXPECT_NE(node_words(answer_for(story, work)).front().find("its reservation, class, begins at "),
            std::string::npos);
}

// "Reserved for maintenance" of a node that looks free: no node tells of what is to come.
TEST(WhySupply, AMaintenanceThatIsToComeIsNotCorrectedToRoom) {
  Story story;
  story.tell(NodesListed{{two_gpus("n1")}});
  story.tell(WorkloadsListed{{}});
  const auto words = [&](const std::string& reason) {
    return answer_for(story, wide(1, reason)).sentence.text;
  };
  EXPECT_EQ(words("ReqNodeNotAvail, UnavailableNodes:n1"),
            "enough of the nodes that it may use are open and have room for it");
  EXPECT_NE(words("ReqNodeNotAvail, Reserved for maintenance"),
            "enough of the nodes that it may use are open and have room for it");
}

// "-p short,long" is a job of both: the state and the limits of neither were read.
TEST(WhySupply, AJobOfSeveralPartitionsIsHeldAgainstEachOfThem) {
  Story story;
  Node one = two_gpus("n1"), both = two_gpus("n2");
  one.partitions = {"short"}, both.partitions = {"short", "long"};
  story.tell(NodesListed{{one, both}});
  story.tell(WorkloadsListed{{}});
  const auto partition = [](const std::string& name, const std::string& state) {
    Partition made;
    made.name = name, made.state = state, made.max_time = name == "short" ? "01:00:00" : "2-00:00:00";
    return made;
  };
  story.tell(PartitionsListed{{partition("short", "DOWN"), partition("long", "UP")}});
  Workload work = wide(1);
  work.group = "short,long";
  const Answer answer = answer_for(story, work);
  ASSERT_EQ(answer.nodes.size(), 2u);
  EXPECT_TRUE(answer.nodes.front().fits);
  EXPECT_EQ(answer.nodes.front().nodes.front().text, "n2");
  EXPECT_EQ(answer.nodes.back().what.text, "the partition short is DOWN and starts no job");
  EXPECT_TRUE(MayUse(story.cluster(), work)(*story.cluster().nodes.find(NodeName("n2"))));
  EXPECT_FALSE(MayUse(story.cluster(), work)(*story.cluster().nodes.find(NodeName("n1"))));
  story.tell(PartitionsListed{{partition("short", "DOWN"), partition("long", "DOWN")}}, 1);
  EXPECT_FALSE(MayUse(story.cluster(), work)(*story.cluster().nodes.find(NodeName("n2"))));
  work.reason = "PartitionTimeLimit", work.limit = std::chrono::hours(72);
  const Answer limits = answer_for(story, work);
  ASSERT_EQ(limits.more.size(), 2u);
  EXPECT_EQ(limits.more.front().text,
            "its time limit is 3 d 00 h, and the partition short allows 1 h 00 min");
  EXPECT_EQ(limits.more.back().text, "its time limit is 3 d 00 h, and the partition long allows 2 d 00 h");
  const auto raises = [&](const std::string& command) {
    return std::any_of(limits.help.begin(), limits.help.end(),
                       [&](const Remedy& one) { return one.help == Help::admin && one.command == command; });
  };
  EXPECT_TRUE(raises("scontrol update PartitionName=short MaxTime=4320"));
  EXPECT_TRUE(raises("scontrol update PartitionName=long MaxTime=4320"));
}

}  // namespace
}  // namespace tessera::why
