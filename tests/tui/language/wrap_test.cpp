// Wrapped by cells: Japanese has no blanks, and rules of its own about what begins and ends a line.
#include "tui/language/wrap.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tui/terminal/canvas.hpp"
#include "tui/widgets/text_table.hpp"

namespace tessera::tui {
namespace {

using Wrapped = std::vector<std::string>;

TEST(Wrap, BreaksEnglishAtBlanksOnly) {
  EXPECT_EQ(wrap("one two three", 7), (Wrapped{"one two", "three"}));
  EXPECT_EQ(wrap("1g.10gb@0,2g.20gb@2", 12), (Wrapped{"1g.10gb@0,", "2g.20gb@2"}));
  EXPECT_EQ(wrap("unbreakable", 4), (Wrapped{"unbr", "eaka", "ble"}));
  EXPECT_EQ(wrap("", 4), (Wrapped{""}));
}

// "done in 0.1" and, on the next line, "s".
TEST(Wrap, AFigureStaysWithItsUnit) {
  EXPECT_EQ(wrap("done in 0.1 s", 11), (Wrapped{"done in", "0.1 s"}));
  EXPECT_EQ(wrap("usually 8 min, and 12 GiB", 10), (Wrapped{"usually", "8 min, and", "12 GiB"}));
  EXPECT_EQ(wrap("待ち時間24 h以内", 10), (Wrapped{"待ち時間", "24 h以内"}));
  EXPECT_EQ(wrap("2 slices", 4), (Wrapped{"2", "slic", "es"}));  // a word that only begins like a unit
}

TEST(Wrap, KeepsWordsThatAreCopied) {
  EXPECT_EQ(wrap("tessera plan --layout 1g.10gb,1g.10gb,1g.10gb end", 20, LongWord::kept),
            (Wrapped{"tessera plan", "--layout", "1g.10gb,1g.10gb,1g.10gb", "end"}));
}

TEST(Wrap, CountsAWideCharacterAsTwoCells) {
  EXPECT_EQ(wrap("共有方式を決める", 8), (Wrapped{"共有方式", "を決める"}));
  EXPECT_EQ(wrap("共有方式を決める", 9), (Wrapped{"共有方式", "を決める"}));  // half a character fits nowhere
  EXPECT_EQ(wrap("GPUを共有する", 6), (Wrapped{"GPUを", "共有す", "る"}));
}

TEST(Wrap, NoLineBeginsWithWhatCloses) {
  // The full stop would stand alone at the start of the second line: the character before it goes along.
  EXPECT_EQ(wrap("分割できません。", 14), (Wrapped{"分割できませ", "ん。"}));
  EXPECT_EQ(wrap("演算、メモリ、障害", 12), (Wrapped{"演算、メモ", "リ、障害"}));
  EXPECT_EQ(wrap("サーバーの設定", 6), (Wrapped{"サー", "バーの", "設定"}));
}

TEST(Wrap, NoLineEndsWithWhatOpens) {
  EXPECT_EQ(wrap("方式（時分割）です", 6), (Wrapped{"方式", "（時分", "割）で", "す"}));
}

TEST(Wrap, KeepsNamesTogetherInJapanese) {
  EXPECT_EQ(wrap("ラベルnvidia.com/mig.configを読む", 24),
            (Wrapped{"ラベル", "nvidia.com/mig.configを", "読む"}));
}

TEST(Wrap, LongestWordIsTheLongestThatCannotBeBroken) {
  EXPECT_EQ(longest_word("one three two"), 5);
  EXPECT_EQ(longest_word("共有方式"), 2);
  EXPECT_EQ(longest_word("割）です"), 4);
}

// Whatever is wrapped: no line is wider than asked, and nothing but blanks is lost.
RC_GTEST_PROP(WrapProperty, LinesFitAndNothingIsLost, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "GPU", " ", "共", "有", "。", "（", "）", "ー", "a", ",", "é", "e\u0301", "\xff"));
  std::string text;
  for (const std::string& one : pieces) text += one;
  const int width = *rc::gen::inRange(2, 20);
  std::string joined, wanted;
  for (const std::string& line : wrap(text, width)) {
    RC_ASSERT(display_width(line) <= width);
    joined += line;
  }
  for (std::string* one : {&joined, &text})
    one->erase(std::remove(one->begin(), one->end(), ' '), one->end());
  RC_ASSERT(joined == text);
}

TEST(TextTable, JapaneseCellsFitTheirColumns) {
  const TextTable table = lay_text_table(
      {"", "MIG", "時分割"},
      {{"仕組み", "ハードウェア分割。最大7個、それぞれ専用の演算", "プロセスがラウンドロビンで交代"}}, 40);
  for (const TextTable::Line& line : table.lines)
    for (std::size_t i = 0; i + 1 < line.cells.size(); ++i)
      EXPECT_LE(table.starts[i] + display_width(line.cells[i]), table.starts[i + 1] - 1) << line.cells[i];
}

}  // namespace
}  // namespace tessera::tui
