// What commands print for people is told in Japanese and fits 80 cells; documents stay as they are.
#include <gtest/gtest.h>

#include <regex>

#include "engine/plan/planner.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/tui/screens/change_places.hpp"
#include "tui/cli/change/plan_text.hpp"
#include "tui/cli/change/runs_list.hpp"
#include "tui/cli/change/wish.hpp"
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
  plan::ChangeOptions options;
  options.way = plan::Way::requeue;
  const plan::Plan plan = test::plan_of(session, {"n0031"}, {}, "4g.40gb,3g.40gb", options);
  const std::string told = preview(plan, kInFull, tui::Words::of(tui::Language::ja).value());
  EXPECT_GE(check_lines(told), 5) << told;
  EXPECT_NE(told.find("影響を受けるもの"), std::string::npos) << told;
  EXPECT_FALSE(is_japanese(preview(plan)));
}

// Words in small letters in a row are a sentence in English: no name and no flag has them. Commands do, and
// what stands in quotes.
bool explains_in_english(const std::string& text) {
  static const std::regex kTyped(R"re(tessera [a-z]+( [a-z]+)?|"[^"]*")re"),
      kSentence("(?:^|[^A-Za-z0-9:=/._{-])[a-z]{2,}(?: [a-z]{2,})+");
  return std::regex_search(std::regex_replace(text, kTyped, ""), kSentence);
}

void expect_told(const Error& error) {
  static const tui::WordsPtr words = tui::Words::of(tui::Language::ja).value();
  for (const std::string& part : {error.what, error.reason, error.hint}) {
    const std::string told = words->tell(part).text;
    EXPECT_FALSE(explains_in_english(told)) << part << "\n  -> " << told;
    if (explains_in_english(part)) EXPECT_NE(told, part);
  }
}

TEST(JapaneseCommandLine, ExplainsWhatIsWrongWithArgumentsAndSettings) {
  using Words = std::vector<std::string>;
  for (const Words& words :
       {Words{"nodes", "--colour"}, Words{"nods"}, Words{"nodes", "h100-01"}, Words{"nodes", "--yes"},
        Words{"nodes", "--filter", "a", "--sort="}, Words{"apply", "plan.json", "--layout", "whole"}}) {
    auto parsed = parse_arguments(words);
    ASSERT_FALSE(parsed) << words.back();
    expect_told(parsed.error());
  }
  for (const Words& words :
       {Words{"nodes", "-o", "xml"}, Words{"nodes", "--interval", "soon"}, Words{"nodes", "--sim-seed", "x"},
        Words{"plan", "--batch", "0"}, Words{"plan", "--way", "fast"}, Words{"plan", "--gpu", "x"},
        Words{"layouts", "--all", "--maximal"}, Words{"guide", "--answer", "Q2"},
        Words{"plan", "--slurm-runner", "'ssh"}}) {
    auto parsed = parse_arguments(words);
    ASSERT_TRUE(parsed) << to_line(parsed.error());
    auto options = to_options(*parsed, *gather(*parsed, {}, {}));
    ASSERT_FALSE(options) << words.back();
    expect_told(options.error());
  }
  auto unknown = gather(*parse_arguments({"nodes"}), {}, {{"config.yaml", "colour: red\n"}});
  ASSERT_FALSE(unknown);
  expect_told(unknown.error());
}

TEST(JapaneseCommandLine, ExplainsWhatCannotBePlanned) {
  const test::Session session = test::changing();
  const Options unknown = in_japanese({"plan", "--node", "n9999", "--layout", "whole"});
  const Or<Wished> none = read_wish(unknown, session.model, session.catalogue, test::at(0));
  ASSERT_NE(std::get_if<Refusal>(&none), nullptr);
  expect_told(std::get<Refusal>(none).error);

  const Options illegal = in_japanese({"plan", "--node", "n0031", "--layout", "9g.90gb"});
  const Or<Wished> wish = read_wish(illegal, session.model, session.catalogue, test::at(0));
  ASSERT_NE(std::get_if<Wished>(&wish), nullptr);
  const auto plan =
      plan::make_plan(*std::get<Wished>(wish).cluster, session.catalogue, std::get<Wished>(wish).intent,
                      plan::simulator_capabilities(), {}, test::at(0));
  ASSERT_FALSE(plan);
  expect_told(plan.error());

  std::vector<RunHead> runs(1);
  runs.front().run = "20260101-0000-aaaaaa";
  for (const std::vector<RunHead>& some : {runs, std::vector<RunHead>{}}) {
    Or<RunHead> found = find_run(some, "nothing like it");
    ASSERT_NE(std::get_if<Refusal>(&found), nullptr);
    expect_told(std::get<Refusal>(found).error);
  }
}

// What a message says about settings that cannot be read is reported by those that can.
TEST(JapaneseCommandLine, TakesItsLanguageFromFlagVariableAndLocaleWhenTheRestIsBroken) {
  EXPECT_EQ(reader_of({"nods", "--language"}, {}), nullptr);
  EXPECT_EQ(reader_of({"nods"}, {{"LANG", "C.UTF-8"}}), nullptr);
  EXPECT_EQ(reader_of({"nods", "--language=fr"}, {}), nullptr);
  EXPECT_EQ(reader_of({"nods", "--language", "en"}, {{"LANG", "ja_JP.UTF-8"}}), nullptr);
  EXPECT_NE(reader_of({"nods", "--language", "ja"}, {}), nullptr);
  EXPECT_NE(reader_of({"nods", "--language=ja"}, {{"LANG", "C"}}), nullptr);
  EXPECT_NE(reader_of({"nods"}, {{"TESSERA_LANGUAGE", "ja"}}), nullptr);
  EXPECT_NE(reader_of({"nods"}, {{"LANG", "ja_JP.UTF-8"}}), nullptr);
}

}  // namespace
}  // namespace tessera::cli
