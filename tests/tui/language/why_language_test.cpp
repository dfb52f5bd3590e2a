// Every reason that a scheduler can write for waiting work, in Japanese.
#include <gtest/gtest.h>

#include "engine/why/words.hpp"
#include "tests/support/kubernetes_reasons.hpp"
#include "tests/support/slurm_reasons.hpp"
#include "tui/language/words.hpp"
#include "tui/screens/plan/plan_parts.hpp"

namespace tessera::tui {
namespace {

void expect_told(const Words& words, const why::Meaning& meaning) {
  const Words::Told told = words.tell(meaning.text);
  EXPECT_TRUE(told.whole) << meaning.text << "\n" << told.text;
  EXPECT_NE(told.text, meaning.text);
}

TEST(JapaneseWhy, EveryReasonOfSlurmAndKubernetesIsTold) {
  const auto words = Words::of(Language::ja);
  ASSERT_TRUE(words);
  for (const char* code : test::kSlurmReasons) expect_told(**words, why::slurm_meaning(code));
  for (const char* message : test::kKubernetesReasons) {
    const why::Meaning meaning = why::kubernetes_meaning(message);
    // What a message brings along (": Back-off pulling image") stays as it was written.
    EXPECT_NE((*words)->tell(meaning.text).text, meaning.text) << message;
  }
}

TEST(JapaneseWhy, SentencesThatSlurmWritesInPlaceOfACodeAreTold) {
  const auto words = Words::of(Language::ja);
  ASSERT_TRUE(words);
  for (const char* sentence : test::kSlurmSentences) expect_told(**words, why::slurm_meaning(sentence));
}

// "power-cycle theノード", "the GPU once it is emptyをリセット": an advice with clauses of its own was taken
// apart at the first of them where a way out stands behind it, and its halves fitted words of steps.
TEST(JapaneseFindings, AnAdviceWithClausesIsToldWholeBeforeAWayOut) {
  const auto words = Words::of(Language::ja);
  ASSERT_TRUE(words);
  for (const char* english :
       {"Xid 79: the GPU has fallen off the bus: power-cycle the node, and look at power, seating and "
        "temperature where that comes back; when repaired: scontrol update NodeName=n1 State=RESUME",
        "nvidia-smi -q -d ECC on the node counts them: reset the GPU once it is empty, and replace it where "
        "they come back; when repaired: scontrol update NodeName=n1 State=RESUME"}) {
    const Words::Told told = (*words)->tell(english);
    EXPECT_TRUE(told.whole) << told.text;
    for (const char* left : {"the GPU", "power-cycle", "come back"})
      EXPECT_EQ(told.text.find(left), std::string::npos) << told.text;
  }
}

// "アカウントvision：GrpTRES gres/gpu=3、使用中2、要求は2のアソシエーション": all of it was the account's
// name.
TEST(JapaneseWhy, ALimitOfAnAssociationIsNoNameOfItsAccount) {
  const auto words = Words::of(Language::ja);
  ASSERT_TRUE(words);
  EXPECT_EQ(
      (*words)->tell("association of account vision: GrpTRES gres/gpu=3, 2 in use and it asks for 2").text,
      "アカウントvisionのアソシエーション：GrpTRES gres/gpu=3、使用中2、要求は2");
  EXPECT_EQ((*words)->tell("association of ann in account vision: MaxJobs=4, 4 in use").text,
            "アカウントvisionにおけるannのアソシエーション：MaxJobs=4、使用中4");
}

// What is not known stays English whole: half of it was told by a pattern for the name of a thing.
TEST(JapaneseFindings, ASentenceIsNoNameOfAThing) {
  const auto words = Words::of(Language::ja);
  ASSERT_TRUE(words);
  for (const char* english : {"power-cycle the node", "reset the GPU when you can"})
    EXPECT_EQ((*words)->tell(english).text, english);
}

// The console shows the cause of such findings, without the name in front: it stayed English.
TEST(JapaneseFindings, WhatBreaksARuleIsToldWithoutTheNameInFront) {
  const auto words = Words::of(Language::ja);
  ASSERT_TRUE(words);
  for (const char* english :
       {"asks for mps:150, more than one GPU has; one job over several GPUs by MPS works poorly",
        "all instances of a node pool have one size", "replicas must be 2 or more, not 1",
        "one layout must hold for all its cards, but GPU 0 would be whole and GPU 1 all-1g.10gb",
        "asks for nvidia.com/gpu.shared, which no node offers, and 2 more"}) {
    const Words::Told told = (*words)->tell(english);
    EXPECT_TRUE(told.whole) << told.text;
    EXPECT_EQ(told.text.find(" more"), std::string::npos) << told.text;
  }
}

// "予約済みClusterQueue whole：…6": all of it was what is reserved.
TEST(JapaneseWhy, AQuotaOfAClusterQueueIsNotTakenForWhatIsReserved) {
  const auto words = Words::of(Language::ja);
  ASSERT_TRUE(words);
  const std::string start = "ClusterQueue whole: nominalQuota 6 of nvidia.com/gpu in flavor h100, ";
  const std::string told = "ClusterQueue whole：フレーバーh100のnvidia.com/gpuのnominalQuotaは6、";
  EXPECT_EQ((*words)->tell(start + "6 reserved").text, told + "予約済み6");
  EXPECT_EQ((*words)->tell(start + "7 reserved (1 of it borrowed)").text, told + "予約済み7（うち借用1）");
  EXPECT_EQ((*words)->tell(start + "7 reserved, borrowingLimit 2, lendingLimit 1").text,
            told + "予約済み7、borrowingLimit 2、lendingLimit 1");
}

// "24 h以内": hours stood as in a table.
TEST(JapaneseWhatIf, ASpanIsToldInHours) {
  const auto words = Words::of(Language::ja);
  ASSERT_TRUE(words);
  EXPECT_EQ((*words)->tell("within 24 h: 2 start sooner, 0 later or not; 3.5 GPU-hours gained").text,
            "24時間以内：早まるもの2件、遅れるか開始しない0件。GPU時間の増加3.5");
  EXPECT_EQ((*words)->tell("within 24 h: 1 starts sooner, 1 later or not; GPU-hours not known").text,
            "24時間以内：早まるもの1件、遅れるか開始しない1件。GPU時間は不明");
}

// "待機（…）：GPU 6：5 slices": the count stayed English.
TEST(JapanesePlan, SlicesThatAStepWaitsForAreCountedInJapanese) {
  const auto words = Words::of(Language::ja);
  ASSERT_TRUE(words);
  EXPECT_EQ((*words)->tell("wait until no workload holds GPU 6: 5 slices").text,
            "待機（使用するワークロードがなくなるまで）：GPU 6のスライス5個");
}

// The ";" between GPUs made two sentences of one list: "GPU 2：3g.40gb@0。GPU 5: 1g.20gb@0".
TEST(JapanesePlan, GpusThatAStepWaitsForStayOneList) {
  const auto words = Words::of(Language::ja);
  ASSERT_TRUE(words);
  EXPECT_EQ(
      (*words)
          ->tell("wait until no workload holds GPU 2 (3g.40gb@0), GPU 5 (1g.20gb@0, 2g.20gb@2), GPU 7")
          .text,
      "待機（使用するワークロードがなくなるまで）：GPU 2 (3g.40gb@0)、GPU 5 (1g.20gb@0, 2g.20gb@2)、GPU 7");
}

// Above a plan stood "packed for a demand" in English; a preset's name stays what it is.
TEST(JapanesePlan, WhatTesseraAskedForIsTranslatedAndAPresetIsNot) {
  const auto words = Words::of(Language::ja);
  ASSERT_TRUE(words);
  UiState state;
  state.words = *words;
  plan::Intent intent;
  intent.words = "packed for a demand";
  EXPECT_EQ(asked_text(state, intent), (*words)->tell(intent.words).text);
  EXPECT_NE(asked_text(state, intent), intent.words);
  intent.words = "as fleet.yaml says";
  EXPECT_EQ(asked_text(state, intent).find("says"), std::string::npos);
  intent.words = "none";
  EXPECT_EQ(asked_text(state, intent), "none");
}

// One word for n/a, on the page and in its legend.
TEST(JapanesePages, WhatASourceCannotTellHasOneWord) {
  const auto words = Words::of(Language::ja);
  ASSERT_TRUE(words);
  for (const char* english : {"not available", "not available from this source; never a zero",
                              "not available: Slurm counts by type and node, as above"})
    EXPECT_NE((*words)->tell(english).text.find("取得不可"), std::string::npos) << english;
}

}  // namespace
}  // namespace tessera::tui
