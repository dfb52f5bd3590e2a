// What commands print for people is told in Japanese and fits 80 cells; documents stay as they are.
#include <gtest/gtest.h>

#include "tests/support/catalogue.hpp"
#include "tests/tui/screens/change_places.hpp"
#include "tui/cli/change/plan_text.hpp"
#include "tui/cli/guide/guide.hpp"
#include "tui/cli/settings.hpp"
#include "tui/terminal/canvas.hpp"

namespace tessera::cli {
namespace {

Options in_japanese(std::vector<std::string> words) {
  auto parsed = parse_arguments(words);
  auto options = to_options(*parsed, *gather(*parsed, {{"LANG", "ja_JP.UTF-8"}}, {}));
  EXPECT_TRUE(options) << to_line(options.error());
  return *options;
}

bool is_japanese(std::string_view line) {
  return line.find("\xe3\x81") != std::string_view::npos || line.find("\xe3\x82") != std::string_view::npos;
}

// Lines that are told; what is to be copied stays whole, however long it is.
int check_lines(std::string_view text) {
  int told = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!is_japanese(line)) continue;
    ++told;
    EXPECT_LE(tui::display_width(line), 80) << line;
  }
  return told;
}

TEST(JapaneseCommandLine, TheGuideFromQuestionToTexts) {
  const auto english = guide::Texts::built_in().value();
  const auto texts = english->in_language("ja").value();
  for (const char* answers : {"Q2=yes", "Q2=no,Q5=yes", "Q2=no,Q5=no"}) {
    Options options = in_japanese({"guide", "--product", "H100-80GB-SXM5", "--answer", answers});
    ASSERT_NE(options.reader, nullptr);
    auto sheet = ask_guide(options, {}, test::catalogue(), *texts, test::at(0));
    ASSERT_TRUE(sheet) << to_line(sheet.error());
    const std::string page = print_guide(*sheet, options);
    EXPECT_GE(check_lines(page), 15) << page;
    EXPECT_NE(page.find("受け入れるべきこと"), std::string::npos) << page;
    // A document says the same on every machine.
    auto plain = ask_guide(options, {}, test::catalogue(), *english, test::at(0));
    options.output = OutputFormat::json;
    const std::string document = print_guide(*plain, options);
    EXPECT_FALSE(is_japanese(document)) << document;
  }
}

TEST(JapaneseCommandLine, TablesTermsAndAdvice) {
  const auto texts = guide::Texts::built_in().value()->in_language("ja").value();
  const Options options = in_japanese({"guide", "--compare", "--scheduler", "--terms"});
  EXPECT_GE(check_lines(print_tables(*texts, {}, test::at(0), options)), 100);
}

TEST(JapaneseCommandLine, ThePreviewOfAPlan) {
  const test::Session session = test::changing();
  plan::Options options;
  options.way = plan::Way::requeue;
  const plan::Plan plan = test::plan_of(session, {"n0031"}, {}, "4g.40gb,3g.40gb", options);
  const std::string told = preview(plan, kInFull, tui::Words::of(tui::Language::ja).value());
  EXPECT_GE(check_lines(told), 5) << told;
  EXPECT_NE(told.find("影響を受けるもの"), std::string::npos) << told;
  EXPECT_FALSE(is_japanese(preview(plan)));
}

}  // namespace
}  // namespace tessera::cli
