// A scheduler's reasons in plain words: every one that it can write, and an unknown one as it was written.
#include "engine/why/words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/kubernetes_reasons.hpp"
#include "tests/support/slurm_reasons.hpp"

namespace tessera::why {
namespace {

TEST(WhyWords, EveryReasonCodeOfSlurmHasASentence) {
  for (const char* code : test::kSlurmReasons) {
    const Meaning meaning = slurm_meaning(code);
    EXPECT_TRUE(meaning.known) << code;
    EXPECT_NE(meaning.topic, Topic::unknown) << code;
    EXPECT_GT(meaning.text.size(), 12u) << code;
  }
}

TEST(WhyWords, EveryMessageOfKubernetesSchedulerHasASentence) {
  for (const char* words : test::kKubernetesReasons) {
    const Meaning meaning = kubernetes_meaning(words);
    EXPECT_TRUE(meaning.known) << words;
    EXPECT_EQ(meaning.text.find("{}"), std::string::npos) << meaning.text;
  }
}

// Slurm means the nodes as they are configured: another layout may give it room, and then the help says so.
TEST(WhyWords, WhatNoNodeHasNowIsNotSaidToBeImpossibleForEver) {
  for (const char* code : test::kSlurmReasons)
    EXPECT_EQ((" " + slurm_meaning(code).text + " ").find(" ever "), std::string::npos) << code;
  EXPECT_EQ(slurm_meaning("BadConstraints").text,
            "no node that it may use has what it asks for, as the nodes are configured now");
}

TEST(WhyWords, ALimitNamesWhoseItIsAndWhatItCounts) {
  EXPECT_EQ(slurm_meaning("QOSMaxGRESPerUser").text,
            "its owner has reached the limit of the QOS on GPUs and other GRES");
  EXPECT_EQ(slurm_meaning("AssocGrpGRES").text,
            "all jobs of its association together have reached the limit on GPUs and other GRES");
  EXPECT_EQ(slurm_meaning("MaxMemoryRunMinsPerAccount").text,
            "its account has reached the limit of its QOS on memory multiplied by the minutes still to run");
  EXPECT_EQ(slurm_meaning("QOSMinCpuNotSatisfied").text, "it asks for less than its QOS requires: CPUs");
  EXPECT_EQ(slurm_meaning("AssocMaxSubmitJobLimit").text,
            "its owner has reached the limit of the association on submitted jobs");
}

// Seen on Slurm 22.05 after scontrol requeuehold and after a prolog that failed: sentences, and no codes.
TEST(WhyWords, SentencesThatSlurmWritesInPlaceOfACodeAreKnown) {
  for (const char* text : {"job requeued in held state", "launch failed requeued held"}) {
    EXPECT_TRUE(slurm_meaning(text).known) << text;
    EXPECT_EQ(slurm_meaning(text).topic, Topic::held) << text;
  }
}

// slurmctld puts a sentence in place of the code where it knows more (state_desc): most were shown as
// unknown.
TEST(WhyWords, EverySentenceThatSlurmWritesInPlaceOfACodeIsKnown) {
  for (const std::string sentence : test::kSlurmSentences) {
    std::string as_scontrol_prints = sentence;
    std::replace(as_scontrol_prints.begin(), as_scontrol_prints.end(), ' ', '_');
    for (const std::string& text : {sentence, as_scontrol_prints}) {
      EXPECT_TRUE(slurm_meaning(text).known) << text;
      EXPECT_EQ(slurm_meaning(text).topic, slurm_meaning(sentence).topic) << text;
    }
  }
}

// "Reservation course was deleted" begins as the code Reservation does: it was said to be a reservation that
// has not begun, and the way out of it was missing.
TEST(WhyWords, AReservationThatWasDeletedIsNotSaidToBeOneThatHasNotBegun) {
  EXPECT_EQ(slurm_meaning("Reservation course was deleted").text, "its reservation was deleted");
  EXPECT_EQ(slurm_meaning("Reservation course is invalid").text, "its reservation cannot be used");
  EXPECT_EQ(slurm_meaning("Reservation").text, "its reservation has not begun, or has no room for it");
  EXPECT_EQ(slurm_code("Reservation_course_was_deleted"), "ReservationDeleted");
  EXPECT_EQ(slurm_code("Job's QOS not permitted to use this partition (mig allows high not normal)"),
            "QOSNotAllowed");
  EXPECT_EQ(slurm_code("ReqNodeNotAvail, UnavailableNodes:n1"), "ReqNodeNotAvail");
}

TEST(WhyWords, AnUnknownReasonIsShownAsItIs) {
  for (const Scheduler scheduler : {Scheduler::slurm, Scheduler::kubernetes}) {
    const Meaning told = meaning("ReasonOfALaterVersion", scheduler);
    EXPECT_FALSE(told.known);
    EXPECT_EQ(told.topic, Topic::unknown);
    EXPECT_EQ(told.text, "ReasonOfALaterVersion");
  }
  EXPECT_FALSE(slurm_meaning("QOSMaxTeapotsPerUser").known);
  EXPECT_FALSE(slurm_meaning("Max").known);
}

TEST(WhyWords, NodesThatAreNotAvailableAreNamed) {
  EXPECT_EQ(slurm_meaning("ReqNodeNotAvail, UnavailableNodes:n[1-2]").text,
            "a node that it needs is down, closed or reserved: n[1-2]");
  EXPECT_EQ(slurm_meaning("ReqNodeNotAvail, UnavailableNodes:").text,
            "a node that it needs is down, closed or reserved");
}

TEST(WhyWords, ANodeThatMayBeKeptForAnotherJobIsSaidToBeThat) {
  for (const char* reason :
       {"ReqNodeNotAvail, May be reserved for other job", "ReqNodeNotAvail,_May_be_reserved_for_other_job"})
    EXPECT_EQ(slurm_meaning(reason).text,
              "a node that it needs is not free for it, and may be kept for another job");
}

// A Workload that names no queue has its message behind ": ", and a deactivated one lost its remedy by that.
TEST(WhyWords, WhatKueueSaysOfAWorkloadWithoutAQueueIsUnderstood) {
  const Meaning waits = kubernetes_meaning("Kueue: not admitted: LocalQueue  doesn't exist");
  EXPECT_EQ(waits.topic, Topic::gate);
  EXPECT_EQ(waits.text, "Kueue has not admitted it: LocalQueue  doesn't exist");
  const Meaning reserved = kubernetes_meaning("Kueue: quota reserved: a check is pending");
  EXPECT_EQ(reserved.topic, Topic::gate);
  EXPECT_EQ(reserved.text, "Kueue has reserved its quota and has not admitted it yet: a check is pending");
  const Meaning off = kubernetes_meaning("Kueue: deactivated: exceeded the maximum number of re-queuing");
  EXPECT_EQ(off.topic, Topic::held) << "the help for it hangs on that";
  EXPECT_EQ(off.text,
            "it is deactivated in Kueue (spec.active: false): exceeded the maximum number of re-queuing");
}

TEST(WhyWords, AMessageIsTakenApartWithItsCounts) {
  const Unschedulable told = parse_unschedulable(
      "0/6 nodes are available: 1 node(s) had untolerated taint {team: x}, 2 node(s) had taint {a: b}, that "
      "the "
      "pod didn't tolerate, 3 Insufficient nvidia.com/mig-3g.40gb. preemption: 0/6 nodes are available: 6 No "
      "preemption victims found for incoming pod.");
  EXPECT_EQ(told.able, 0);
  EXPECT_EQ(told.total, 6);
  ASSERT_EQ(told.parts.size(), 3u);
  EXPECT_EQ(told.parts[0].nodes, 3);
  EXPECT_EQ(told.parts[0].meaning.text, "too few of nvidia.com/mig-3g.40gb are free");
  EXPECT_EQ(told.parts[1].nodes, 2);
  EXPECT_EQ(told.parts[1].meaning.topic, Topic::taint);
  EXPECT_EQ(told.parts[2].words, "node(s) had untolerated taint {team: x}");
  EXPECT_EQ(told.preemption, "0/6 nodes are available: 6 No preemption victims found for incoming pod");
}

// "the taint node.kubernetes.io/unreachable: keeps it away"
TEST(WhyWords, ATaintWithoutAValueIsNamedWithoutAColon) {
  EXPECT_EQ(kubernetes_meaning("node(s) had untolerated taint {node.kubernetes.io/unreachable: }").text,
            "the taint node.kubernetes.io/unreachable keeps it away, and it does not tolerate it");
}

TEST(WhyWords, WhatIsSaidOfThePodComesFirst) {
  const Unschedulable told =
      parse_unschedulable("0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.");
  ASSERT_EQ(told.parts.size(), 1u);
  EXPECT_EQ(told.parts[0].nodes, std::nullopt);
  EXPECT_EQ(told.parts[0].meaning.topic, Topic::storage);
  EXPECT_EQ(
      meaning("0/3 nodes are available: 3 node declared features check failed - unsatisfied requirements: "
              "FeatureA, FeatureB.",
              Scheduler::kubernetes)
          .text,
      "the kubelet lacks features that it needs: FeatureA, FeatureB");
}

TEST(WhyWords, ATaintOfNewerSchedulersAndTheirClaimsAreParted) {
  const Unschedulable told = parse_unschedulable(
      "0/6 nodes are available: 3 cannot allocate all claims, 3 node(s) had untolerated taint(s). no new "
      "claims to "
      "deallocate, preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling.");
  ASSERT_EQ(told.parts.size(), 2u);
  EXPECT_EQ(told.parts[0].meaning.topic, Topic::claim);
  EXPECT_EQ(told.parts[1].meaning.text, "taints that it does not tolerate keep it away");
}

// Volcano counts nodes that "are unavailable": all of its message was shown as unknown.
TEST(WhyWords, WhatVolcanoSaysOfNodesIsTakenApart) {
  const Unschedulable told = parse_unschedulable(
      "0/3 nodes are unavailable: 2 Insufficient nvidia.com/gpu, 1 node(s) pod number exceeded.");
  ASSERT_EQ(told.parts.size(), 2u);
  EXPECT_EQ(told.total, 3);
  EXPECT_EQ(told.parts[0].nodes, 2);
  EXPECT_EQ(told.parts[0].meaning.text, "too few of nvidia.com/gpu are free");
  EXPECT_EQ(told.parts[1].meaning.text, "as many pods run there as the kubelet allows");
}

TEST(WhyWords, AQuotaOfKaiIsALimitWithItsNumbers) {
  const Meaning limit = kubernetes_meaning(
      "OverLimit: team-a quota has reached the allowable limit of GPUs. Limit is 8 GPUs, currently 8 GPUs "
      "allocated and workload requested 2 GPUs.");
  EXPECT_EQ(limit.topic, Topic::limit);
  EXPECT_EQ(limit.text,
            "its queue, or one above it, has reached its limit on GPUs. Limit is 8 GPUs, currently 8 GPUs "
            "allocated and workload requested 2 GPUs.");
}

TEST(WhyWords, HostileMessagesEndInNothingWorseThanTheirOwnWords) {
  std::string huge = "0/9 nodes are available: ";
  for (int i = 0; i < 50'000; ++i) huge += "1 Insufficient x" + std::to_string(i) + ", ";
  EXPECT_EQ(parse_unschedulable(huge).parts.size(), kMostParts);
  const std::string control = "0/1 nodes are available: 1 node(s) had untolerated taint {\x1b[31m: \n}.";
  for (const Part& part : parse_unschedulable(control).parts) {
    EXPECT_EQ(part.meaning.text.find('\x1b'), std::string::npos);
    EXPECT_EQ(part.words.find('\x1b'), std::string::npos);
  }
  EXPECT_EQ(slurm_meaning(std::string(100'000, 'x')).text.size() < 500, true);
  EXPECT_EQ(slurm_meaning("ReqNodeNotAvail, UnavailableNodes:\x1b[2J").text.find('\x1b'), std::string::npos);
  // Cut anywhere, it is read without a fault, and no count is invented.
  const std::string whole =
      "0/6 nodes are available: 3 Insufficient nvidia.com/gpu, 3 node(s) were unschedulable. preemption: 0/6";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const Unschedulable told = parse_unschedulable(whole.substr(0, length));
    std::int64_t sum = 0;
    for (const Part& part : told.parts) sum += part.nodes.value_or(0);
    EXPECT_LE(sum, 6) << length;
  }
  EXPECT_EQ(parse_unschedulable("99999999999999999999/6 nodes are available: 1 x").total, std::nullopt);
  EXPECT_EQ(parse_unschedulable("-1/6 nodes are available: 1 x").total, std::nullopt);
  EXPECT_TRUE(parse_unschedulable("0/6 nodes are available: ").parts.empty());
}

}  // namespace
}  // namespace tessera::why
