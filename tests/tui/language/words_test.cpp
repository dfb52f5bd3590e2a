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
