// Finished English texts in, Japanese out: patterns, phrases inside of phrases, hostile text.
#include "tui/language/words.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/embedded.hpp"
#include "tui/language/catalogue.hpp"

namespace tessera::tui {
namespace {

// A catalogue as msgfmt writes it, in this machine's byte order.
std::string compiled(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string head, texts;
  auto number = [](std::string& out, std::uint32_t value) {
    for (int i = 0; i < 4; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  };
  const auto count = static_cast<std::uint32_t>(entries.size());
  for (std::uint32_t one : {0x950412deu, 0u, count, 28u, 28 + 8 * count, 0u, 0u}) number(head, one);
  const std::uint32_t base = 28 + 16 * count;
  for (bool told : {false, true})
    for (const auto& [original, translation] : entries) {
      const std::string& text = told ? translation : original;
      number(head, static_cast<std::uint32_t>(text.size()));
      number(head, base + static_cast<std::uint32_t>(texts.size()));
      texts += text + '\0';
    }
  return head + texts;
}

struct WordsLab {
  std::string bytes = compiled({{"", "Language: ja\n"},
                                {"{} waiting jobs can start", "待機中のジョブ{}件が開始可能"},
                                {"{} of {} slices", "{1}個中{0}個のスライス"},
                                {"{} slices", "スライス{}個"},
                                {"held by {}", "{}が使用中"},
                                {"down: {}", "停止中：{}"},
                                {"nothing is cut", "分割なし"},
                                {"cannot plan", "計画できません"},
                                {"GPU {0} and GPU {0} again", "GPU {0}が2回"},
                                {"the {} {}", "{}の{}"},
                                {"; ", "。"}});
  Words words = Words::parse(bytes).value();
};

TEST(Words, TellsAWholeTextAndAPattern) {
  WordsLab lab;
  EXPECT_EQ(lab.words.tell("nothing is cut").text, "分割なし");
  EXPECT_EQ(lab.words.tell("12 waiting jobs can start").text, "待機中のジョブ12件が開始可能");
  EXPECT_TRUE(lab.words.tell("12 waiting jobs can start").whole);
}

TEST(Words, PutsArgumentsWhereTheTranslationWantsThem) {
  EXPECT_EQ(WordsLab().words.tell("3 of 7 slices").text, "7個中3個のスライス");
}

TEST(Words, TheSurestPatternWins) {
  // "{} slices" would fit as well, with "3 of 7" as its argument.
  EXPECT_EQ(WordsLab().words.tell("3 of 7 slices").text, "7個中3個のスライス");
  EXPECT_EQ(WordsLab().words.tell("3 slices").text, "スライス3個");
}

TEST(Words, TellsPhrasesInsideOfPhrasesButNoNames) {
  WordsLab lab;
  EXPECT_EQ(lab.words.tell("down: nothing is cut").text, "停止中：分割なし");
  EXPECT_EQ(lab.words.tell("held by cannot").text, "cannotが使用中");  // one word is a name
}

TEST(Words, TakesApartWhatNoPatternFits) {
  WordsLab lab;
  EXPECT_EQ(lab.words.tell("cannot plan: nothing is cut").text, "計画できません: 分割なし");
  EXPECT_EQ(lab.words.tell("cannot plan (nothing is cut)").text, "計画できません (分割なし)");
  EXPECT_EQ(lab.words.tell("held by alice; 3 slices").text, "aliceが使用中。スライス3個");
  const Words::Told part = lab.words.tell("cannot plan: something else");
  EXPECT_EQ(part.text, "計画できません: something else");
  EXPECT_FALSE(part.whole);
}

// "n1: Failed to create GPU instancesにインスタンスを作成できません": a tool's own words went into the name's
// place.
TEST(Words, AReasonThatStaysEnglishIsNoPartOfTheNameBeforeIt) {
  WordsLab lab;
  EXPECT_EQ(lab.words.tell("held by n1: Failed to create it").text, "n1が使用中: Failed to create it");
  EXPECT_EQ(lab.words.tell("held by 2 nodes; nothing known here").text,
            "2 nodesが使用中。nothing known here");
  // The reason is the place there.
  EXPECT_EQ(lab.words.tell("down: kubelet: it stopped posting").text, "停止中：kubelet: it stopped posting");
}

TEST(Words, APatternOfFewLettersTakesNamesOnly) {
  WordsLab lab;
  EXPECT_EQ(lab.words.tell("the backup controller").text, "backupのcontroller");
  EXPECT_EQ(lab.words.tell("the node is drained and cut").text, "the node is drained and cut");
}

TEST(Words, AnArgumentThatStandsTwiceHasToBeTheSame) {
  WordsLab lab;
  EXPECT_EQ(lab.words.tell("GPU 1 and GPU 1 again").text, "GPU 1が2回");
  EXPECT_EQ(lab.words.tell("GPU 1 and GPU 2 again").text, "GPU 1 and GPU 2 again");
}

TEST(Words, LeavesUnknownTextAndNumbersAsTheyAre) {
  WordsLab lab;
  EXPECT_EQ(lab.words.tell("no such text here").text, "no such text here");
  EXPECT_TRUE(lab.words.tell("3 / 7").whole);
  EXPECT_EQ(told(nullptr, "nothing is cut"), "nothing is cut");
}

TEST(Words, HostileTextTakesBoundedWork) {
  std::string text = "down: ";
  while (text.size() < 4000) text += "down: held by a; (";
  EXPECT_FALSE(WordsLab().words.tell(text).text.empty());
  const std::string endless(1'000'000, 'x');
  EXPECT_EQ(WordsLab().words.tell(endless).text, endless);
  EXPECT_EQ(WordsLab().words.tell("down: {} {0} %s %n").text, "停止中：{} {0} %s %n");
}

TEST(Words, FactsAreToldWithoutTheirSources) {
  const auto words = std::make_shared<const Words>(WordsLab().words);
  EXPECT_EQ(told_facts(words, "held by alice (source: scontrol); 3 slices (source: catalogue)"),
            "aliceが使用中 (source: scontrol); スライス3個 (source: catalogue)");
  EXPECT_EQ(told_facts(words, "held by alice"), "aliceが使用中");
  EXPECT_EQ(told_facts(words, "held by alice (source: "), "alice (source: が使用中");
}

TEST(Words, OnlyCommentsOfATextToTypeAreTold) {
  const WordsLab lab;  // the words lie in its bytes
  const auto words = std::make_shared<const Words>(lab.words);
  EXPECT_EQ(told_comments(words, "# nothing is cut\nsbatch job.sh  # 3 slices\necho nothing is cut"),
            "# 分割なし\nsbatch job.sh  # スライス3個\necho nothing is cut");
  // A sentence of two lines is one.
  EXPECT_EQ(told_comments(words, "  # 12 waiting jobs\n  # can start\nrun"),
            "  # 待機中のジョブ12件が開始可能\nrun");
  EXPECT_EQ(told_comments(words, "# not known,\n# in two lines\n#!/bin/sh"),
            "# not known,\n# in two lines\n#!/bin/sh");
}

TEST(Words, CommasInFrontOfACountBelongToTheListBeforeIt) {
  const std::string bytes = compiled(
      {{"{} jobs of {}, {} GPUs", "{1}のジョブ計{0}件、{2}個のGPU"}, {"can have {}", "可能なのは{}"}});
  const Words words = Words::parse(bytes).value();
  EXPECT_EQ(words.tell("3 jobs of alice, 12 GPUs").text, "aliceのジョブ計3件、12個のGPU");
  EXPECT_EQ(words.tell("3 jobs of alice, frank, 12 GPUs").text, "alice、frankのジョブ計3件、12個のGPU");
  EXPECT_EQ(words.tell("3 jobs of alice, carol, frank, 12 GPUs").text,
            "alice、carol、frankのジョブ計3件、12個のGPU");
  EXPECT_EQ(words.tell("can have 3g.40gb@4 or 1g.10gb@0").text, "可能なのは3g.40gb@4または1g.10gb@0");
  EXPECT_EQ(words.tell("can have no place, or none").text,
            "可能なのはno place, or none");  // no list of names
}

// A drain's reason is quoted: "NVLink errors, ticket 4711" read as a list, with Japanese commas.
TEST(Words, WhatSomeoneElseWroteBehindAColonKeepsItsCommas) {
  const std::string bytes = compiled({{"drained: {}", "ドレイン済み：{}"},
                                      {"registered with less{}", "少ない構成で登録{}"},
                                      {"not known: {}", "不明：{}"},
                                      {"the features", "feature"},
                                      {"{} ago", "{}前"},
                                      {", ", "、"},
                                      {"held by {}", "{}が使用中"},
                                      {": ", "："}});
  const Words words = Words::parse(bytes).value();
  EXPECT_EQ(words.tell("drained: NVLink errors, ticket 4711").text,
            "ドレイン済み：NVLink errors, ticket 4711");
  EXPECT_EQ(words.tell("drained: NVLink errors, ticket 4711 [root], 3 h ago").text,
            "ドレイン済み：NVLink errors, ticket 4711 [root]、3 h前");
  EXPECT_EQ(words.tell("registered with less: fan, psu").text, "少ない構成で登録：fan, psu");
  EXPECT_EQ(words.tell("not known: CPUs, the features").text, "不明：CPUs、feature");
  EXPECT_EQ(words.tell("held by alice, bob").text, "alice、bobが使用中");
}

// The error of a mistyped node read "n31 (Tab offers the nodes) is no node".
TEST(Words, ARemarkInBracketsBehindANameIsNoPartOfIt) {
  const std::string bytes = compiled({{"no node is called {}", "{}というノードはありません"},
                                      {"Tab offers the nodes", "Tabで補完"},
                                      {"held by {}", "{}が使用中"},
                                      {" (", "（"},
                                      {")", "）"}});
  const Words words = Words::parse(bytes).value();
  EXPECT_EQ(words.tell("no node is called n31 (Tab offers the nodes)").text,
            "n31というノードはありません（Tabで補完）");
  EXPECT_EQ(words.tell("held by 88120 (alice)").text, "88120 (alice)が使用中") << "a name and whose it is";
}

TEST(Words, CommentsTakeTheWidthThatTheyHave) {
  const std::string bytes =
      compiled({{"in MiB", "メモリはMiB単位で指定し、上限です"},
                {"how busy: max by (pod) (util) both", "使用率：\nmax by (pod) (util)\n両方"}});
  const auto words = std::make_shared<const Words>(Words::parse(bytes).value());
  EXPECT_EQ(told_comments(words, "  # in MiB", 24), "  # メモリはMiB単位で指\n  # 定し、上限です");
  // Beside a long line there is no room: the comment goes above, but not into a command of several lines.
  EXPECT_EQ(told_comments(words, "  limit(11514)  # in MiB", 44),
            "  # メモリはMiB単位で指定し、上限です\n  limit(11514)");
  EXPECT_EQ(told_comments(words, "run \\\n  limit(11514)  # in MiB", 44),
            "run \\\n  limit(11514)  # メモリはMiB単位で指定し、上限です");
  // What is to be copied has its own line, and is never broken.
  EXPECT_EQ(told_comments(words, "# how busy:\n# max by (pod) (util)\n# both", 12),
            "# 使用率：\n# max by (pod) (util)\n# 両方");
}

// Finished texts as the console makes them, against what ships.
TEST(Words, ShippedSentencesKeepTheirMeaning) {
  const WordsPtr words = Words::of(Language::ja).value();
  const std::pair<const char*, const char*> kTexts[] = {
      {"hpc runs under Slurm", "hpcを管理するスケジューラー：Slurm"},
      {"ml-platform runs under GPU operator", "ml-platformを管理するスケジューラー：GPU operator"},
      {"1 workload has run for a day or longer: training, batch, fair share",
       "1日以上実行中のワークロードが1件：学習、バッチ、フェアシェア"},
      {"15 workloads have run for a day or longer: training, batch, fair share",
       "1日以上実行中のワークロードが15件：学習、バッチ、フェアシェア"},
      {"52 GPUs on 8 nodes: whole 28, mig 16", "8ノードにGPU 52枚：whole 28, mig 16"},
      {"6 GPUs on 4 nodes: not reported 1, mps 1; 1 node reports slices only",
       "4ノードにGPU 6枚：報告なし 1、mps 1。1ノードではスライスしか報告されません"},
      {"GPU 1: 1g.10gb@0+1g.10gb@1 held by 12 (alice), 2g.20gb@2 held by 13 (bob), 3g.40gb@4 held by 14 "
       "(carol) are in the way",
       "GPU 1：12 (alice)が使用中の1g.10gb@0+1g.10gb@1、13 (bob)が使用中の2g.20gb@2、14 "
       "(carol)が使用中の3g.40gb@4が妨げになっています"},
      {"8 users share this node (alice, bob, carol and 5 more), 5 accounts",
       "8人のユーザーがこのノードを共有しています（alice、bob、carol、他5件）。アカウント5個"},
      {"cannot plan GPU 0 of n0031: no layout was requested",
       "GPU 0（n0031）を計画できません：レイアウトが指定されていません"},
      // It read as a number of whole GPUs, with the reason as that number.
      {"cannot read the layout: 'all-balanced': not the name of a MIG profile (write it as "
       "3g.40gb@4,2g.20gb,2x1g.10gb, or none for the whole GPU)",
       "レイアウトを読めません：'all-balanced'：MIGプロファイル名ではありません（3g.40gb@4,2g.20gb,2x1g."
       "10gbのように書くか、GPU全体ならnoneと書いてください）"},
      // Keys of a file, three of which are words of the catalogue, too.
      {"one of: name, cluster, nodes, partition, feature, preset",
       "次のいずれか：name, cluster, nodes, partition, feature, preset"},
      {"scontrol show job, 4 s ago", "scontrol show job、4 s前"},
      {"GPU 5 strands 2 compute slices", "GPU 5では演算スライス2個が無駄になります"},
      {"2 interactive sessions, by their names: development, short experiments",
       "対話セッション2件（名前から判断）：開発、短い実験"},
      {"disturbs 2 jobs of alice, frank, 12 GPUs or slices",
       "影響：alice、frankのジョブ計2件、12個のGPUまたはスライス"},
      {"2 users share this node (alice, frank), 2 accounts",
       "2人のユーザーがこのノードを共有しています（alice、frank）。アカウント2個"},
      {"job 88117 holds 8 GPUs or slices on 2 nodes, 608.0 GPU-hours so far",
       "ジョブ88117は2ノードで8個のGPUまたはスライスを使用、これまでに608.0 GPU時間"},
      {"job 88117 llama-sft-70b of alice, on h100-01", "ジョブ88117 llama-sft-70b（alice）、ノード：h100-01"},
      {"at most 1 on one GPU", "1つのGPUに最大1個"},
      {"8 GPUs, each by itself, in view h100-01 GPU 0", "GPU 8枚をそれぞれ個別に編集、表示中：h100-01 GPU 0"},
      {"tried: a layout for each GPU", "試行中：GPUごとのレイアウト"},
      {"2 replicas for each GPU", "各GPUにレプリカを2個"},
      {"wait until 7 workloads have left", "ワークロードが7件終わるまで待機"},
      {"MPS, 48 clients", "MPS、48クライアント"},
      {"set for this site", "このサイトの設定"},
      {"step w-01/2: close w-01 to new workloads", "ステップw-01/2：w-01を新しいワークロードから閉じる"},
      {"columns: cluster node state", "列：cluster node state"},
      // As yaml-cpp puts it.
      {"bad.yaml:2:6: end of sequence flow not found", "bad.yaml:2:6：リストの終わりの角括弧がありません"},
      {"illegal map value", "この位置に「:」は置けません"},
      // The verb comes first: the right edge cuts what is long.
      {"GPU 0: create 1g.10gb@0, 1g.10gb@1", "GPU 0で作成：1g.10gb@0、1g.10gb@1"},
      {"GPU 0: destroy 1g.10gb@0", "GPU 0で破棄：1g.10gb@0"},
      // A word by itself may be a name, and is not told.
      {"88151 (dave, 1 × gpu:2g.12gb): now, without the plan no start",
       "88151（dave、1 × gpu:2g.12gb）：すぐ、計画なしでは開始しません"},
      {"88151 (dave, 1 × gpu:2g.12gb): in 5 min, without the plan now",
       "88151（dave、1 × gpu:2g.12gb）：5 min後、計画なしではすぐ"},
  };
  for (const auto& [english, japanese] : kTexts) EXPECT_EQ(told(words, english), japanese);
}

TEST(Catalogue, BrokenFilesAreRefused) {
  const std::string good = compiled({{"a b", "c"}, {"d e", "f"}});
  ASSERT_TRUE(read_catalogue(good));
  EXPECT_EQ(read_catalogue(good)->size(), 2u);
  EXPECT_FALSE(read_catalogue(""));
  EXPECT_FALSE(read_catalogue("not a catalogue at all, but long enough"));
  // Cut anywhere before the end of its last text (behind which stands a zero) it is refused.
  for (std::size_t size = 0; size + 1 < good.size(); ++size)
    EXPECT_FALSE(read_catalogue(std::string_view(good).substr(0, size))) << size;
  std::string many = good;
  many[8] = many[9] = many[10] = many[11] = '\x7f';
  EXPECT_FALSE(read_catalogue(many));
  std::string outside = good;
  outside[28 + 7] = '\x7f';  // a place beyond the end
  EXPECT_FALSE(read_catalogue(outside));
}

TEST(Catalogue, BothByteOrders) {
  std::string swapped = compiled({{"a b", "c"}});
  for (std::size_t at = 0; at + 4 <= 28 + 16; at += 4)
    std::reverse(swapped.begin() + static_cast<std::ptrdiff_t>(at),
                 swapped.begin() + static_cast<std::ptrdiff_t>(at) + 4);
  const auto entries = read_catalogue(swapped);
  ASSERT_TRUE(entries);
  EXPECT_EQ(entries->front().translation, "c");
}

TEST(Language, IsChosenByTheLocale) {
  for (const char* japanese : {"ja_JP.UTF-8", "ja", "ja_JP", "ja.UTF-8"})
    EXPECT_EQ(language_of_locale(japanese), Language::ja) << japanese;
  for (const char* other : {"", "C", "en_US.UTF-8", "POSIX", "jav_ID", "de_DE"})
    EXPECT_EQ(language_of_locale(other), Language::en) << other;
}

TEST(Language, WhatShipsCanBeRead) {
  auto words = Words::of(Language::ja);
  ASSERT_TRUE(words) << to_line(words.error());
  EXPECT_EQ(told(*words, "Nothing needs attention."), "注意が必要なものはありません。");
  EXPECT_EQ(*Words::of(Language::en), nullptr);
}

}  // namespace
}  // namespace tessera::tui
