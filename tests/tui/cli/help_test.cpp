// Help, manual and completions are made from one table: nothing of it may be missing in any of them.
#include "tui/cli/help/help.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tui/cli/help/as_taken.hpp"
#include "tui/cli/help/completion.hpp"
#include "tui/cli/help/manual.hpp"
#include "tui/cli/settings.hpp"
#include "tui/terminal/canvas.hpp"

namespace tessera::cli {
namespace {

const CompletionWords kWords{
    {"A30", "H100-80GB-SXM5"}, {"demo", "broken"},
    {"dark", "mono"},          {"default"},
    {"all-balanced"},          {{"nodes", {"node", "health"}}, {"gpus", {"temperature"}}}};

TEST(Help, NamesEveryCommandAndFlag) {
  std::string text = help_text();
  for (const Command& command : commands())
    EXPECT_EQ(text.find(command.summary) != std::string::npos, command.name != kSimulator) << command.name;
  for (const Flag& flag : flags())
    EXPECT_EQ(text.find(spelling(flag)) != std::string::npos, flag.takes != kSim) << flag.name;
}

// A program of its own: in the manual, and in no list of tessera's commands.
TEST(Help, OfTheSimulatorCallsItByItsName) {
  const std::string text = help_text(*find_command(kSimulator));
  EXPECT_EQ(text.rfind("usage: tessera-sim VERB", 0), 0u) << text;
  EXPECT_NE(text.find("--kubeconfig-out"), std::string::npos);
  EXPECT_NE(manual("tessera.1", "0.1.0")->find("tessera\\-sim VERB"), std::string::npos);
}

TEST(Help, NamesCommandsAsTheyAreTyped) {
  EXPECT_EQ(
      as_called(
          "usage: tessera plan [FLAGS]\ntessera shows; see man tessera, tessera-sim serve (tessera --help)",
          "kubectl tessera"),
      "usage: kubectl tessera plan [FLAGS]\ntessera shows; see man tessera, tessera-sim serve (kubectl "
      "tessera "
      "--help)");
  EXPECT_EQ(as_called("~/.config/tessera plan", "kubectl tessera"), "~/.config/tessera plan");
  EXPECT_EQ(as_called("tessera plan", "tessera"), "tessera plan");
}

TEST(Help, FitsEightyColumns) {
  std::vector<std::string> texts{help_text()};
  for (const Command& command : commands()) texts.push_back(help_text(command));
  for (const std::string& text : texts) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(tui::display_width(line), 80) << line;
  }
}

TEST(Help, OfACommandShowsItsOwnFlagsOnly) {
  std::string text = help_text(*find_command("layouts"));
  EXPECT_NE(text.find("--check"), std::string::npos);
  EXPECT_EQ(text.find("--watch"), std::string::npos);
}

// --node stood behind thirty settings of Slurm that are typed once, if at all.
TEST(Help, OfACommandBeginsWithWhatIsTypedMost) {
  const std::string text = help_text(*find_command("plan"));
  const auto at = [&](const char* flag) { return text.find(flag); };
  ASSERT_NE(at("-n, --node, --nodes"), std::string::npos) << text;
  EXPECT_LT(at("-n, --node"), at("--way, --evict"));
  EXPECT_LT(at("--way, --evict"), at("-o, --output"));
  EXPECT_LT(at("-o, --output"), at("--slurm-runner"));
  EXPECT_NE(at("--slurm-runner"), std::string::npos) << text;
}

TEST(Help, SpellsAFlagWithAllItsForms) {
  EXPECT_EQ(spelling(*find_flag("output")), "-o, --output FORMAT");
  EXPECT_EQ(spelling(*find_flag("filter")), "-f, -l, --filter, --selector EXPR");
  EXPECT_EQ(spelling(*find_flag("sim")), "--sim[=SCENARIO]");
}

TEST(Help, WrapsAtTheWidthAndKeepsLongWordsWhole) {
  EXPECT_EQ(wrapped("one two three", 2, 9), "  one two\n  three\n");
  EXPECT_EQ(wrapped("incomprehensibilities", 2, 9), "  incomprehensibilities\n");
  EXPECT_EQ(wrapped("", 2, 9), "");
}

TEST(Manual, NamesEveryFlagVariableAndExitCode) {
  std::string roff = *manual("tessera.1", "0.1.0");
  EXPECT_TRUE(roff.starts_with(".TH TESSERA 1"));
  for (const Flag& flag : flags()) {
    std::string name;
    for (char c : flag.name) name += c == '-' ? std::string("\\-") : std::string(1, c);
    EXPECT_NE(roff.find("\\-\\-" + name), std::string::npos) << flag.name;
    EXPECT_NE(roff.find(flag.environment), std::string::npos) << flag.environment;
  }
  for (const ExitCode& exit : exit_codes()) EXPECT_NE(roff.find(exit.meaning), std::string::npos);
}

std::string text_of(const std::string& page) {
  return manual(page.substr(page.find('/') + 1), "0.1.0").value_or("");
}

TEST(Manual, NoLineOfTextIsTakenForACommandOfRoff) {
  for (const std::string& page : manual_pages()) {
    std::istringstream lines(text_of(page));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_FALSE(line.starts_with("'")) << line;
      if (line.starts_with(".")) {
        EXPECT_TRUE(line.starts_with(".TH") || line.starts_with(".SH") || line.starts_with(".SS") ||
                    line.starts_with(".TP") || line.starts_with(".B ") || line.starts_with(".BR ") ||
                    line.starts_with(".I ") || line == ".br")
            << line;
      }
    }
  }
}

TEST(Manual, HasAPageForEachCommandAndOneForTheSettings) {
  const std::vector<std::string> pages = manual_pages();
  EXPECT_EQ(pages.size(), commands().size() + 1);
  for (const Command& command : commands()) {
    const std::string file =
        command.name.empty() ? "tessera.1" : "tessera-" + std::string(command.name) + ".1";
    EXPECT_NE(std::find(pages.begin(), pages.end(), "man1/" + file), pages.end()) << file;
  }
  const std::string plan = text_of("man1/tessera-plan.1");
  EXPECT_TRUE(plan.starts_with(".TH TESSERA\\-PLAN 1")) << plan;
  EXPECT_NE(plan.find("tessera plan \\-\\-node n0031"), std::string::npos) << plan;
  EXPECT_EQ(plan.find("\\-\\-watch"), std::string::npos) << "a flag of another command";
  EXPECT_EQ(manual("tessera-nothing.1", "0.1.0"), std::nullopt);
}

TEST(Manual, OfTheSettingsNamesThemAll) {
  const std::string page = text_of("man5/tessera-config.5");
  const std::string example = example_configuration();
  for (const Flag& flag : flags()) {
    std::string name;
    for (char c : flag.name) name += c == '-' ? std::string("\\-") : std::string(1, c);
    EXPECT_EQ(page.find("\n.B " + name + ":") != std::string::npos, flag.in_file) << flag.name;
    EXPECT_EQ(example.find("\n# " + std::string(flag.name) + ": ") != std::string::npos, flag.in_file)
        << flag.name;
  }
}

// What is installed as /etc/tessera/config.yaml changes nothing until a line is let in.
TEST(Manual, TheExampleOfTheSettingsSetsNothing) {
  const auto plain = gather({}, {}, {});
  const auto with = gather({}, {}, {{"/etc/tessera/config.yaml", example_configuration()}});
  ASSERT_TRUE(with) << to_line(with.error());
  EXPECT_EQ(with->size(), plain->size());
}

TEST(Completion, OffersEveryCommandFlagAndValueInEachShell) {
  for (const std::string& script :
       {bash_completion(kWords), zsh_completion(kWords), fish_completion(kWords)}) {
    for (const Command& command : commands())
      if (command.name != kSimulator) EXPECT_NE(script.find(command.name), std::string::npos);
    for (const Flag& flag : flags())
      if (flag.takes != kSim)
        EXPECT_TRUE(script.find("--" + std::string(flag.name)) != std::string::npos ||
                    script.find(" -l " + std::string(flag.name)) != std::string::npos)
            << flag.name;
    for (const char* value : {"H100-80GB-SXM5", "broken", "mono", "yaml"}) {
      EXPECT_NE(script.find(value), std::string::npos) << value;
    }
  }
}

TEST(Completion, AFormatIsOfferedOnlyWhereTheCommandPrintsIt) {
  for (const Command& command : commands()) {
    if (command.name == kSimulator || command.name.empty()) continue;
    const std::string help = help_text(command);
    if (help.find("--output") == std::string::npos) continue;
    const bool rows = printing_rows(command.takes) != 0;
    EXPECT_EQ(help.find("lists also wide") != std::string::npos, rows) << command.name;
    EXPECT_EQ(as_taken(*find_flag("output"), command.takes).words,
              rows ? "table wide json yaml csv" : "table json yaml")
        << command.name;
  }
  for (const char* refuses :
       {"plan", "apply", "journal", "undo", "resume", "node", "why", "pack", "advise", "fleet"})
    EXPECT_EQ(printing_rows(find_command(refuses)->takes), 0u) << refuses;
  for (const char* prints : {"nodes", "gpus", "layouts", "doctor", "users", "usage", "waste", "diff"})
    EXPECT_NE(printing_rows(find_command(prints)->takes), 0u) << prints;
  EXPECT_NE(bash_completion(kWords).find("formats='table json yaml'"), std::string::npos);
  EXPECT_NE(bash_completion(kWords).find("formats='table wide json yaml csv'"), std::string::npos);
  EXPECT_NE(zsh_completion(kWords).find(":FORMAT:(table json yaml)"), std::string::npos);
  EXPECT_NE(fish_completion(kWords).find("'table json yaml'"), std::string::npos);
}

// tests/completion_test.sh types them in the shells themselves.
TEST(Completion, OffersColumnsPresetsAndRunsWithoutAskingACluster) {
  for (const std::string& script :
       {bash_completion(kWords), zsh_completion(kWords), fish_completion(kWords)}) {
    EXPECT_NE(script.find("node health"), std::string::npos) << "the columns of nodes";
    EXPECT_NE(script.find("temperature"), std::string::npos) << "and those of gpus";
    EXPECT_EQ(script.find("health temperature"), std::string::npos) << "each list has its own";
    EXPECT_NE(script.find("all-balanced"), std::string::npos);
    EXPECT_NE(script.find("/tessera/$kind"), std::string::npos) << "runs, from the state folder";
    EXPECT_EQ(script.find("$(tessera "), std::string::npos) << "no completion starts the program";
  }
}

TEST(Completion, LeavesOutValuesThatAShellWouldRead) {
  CompletionWords words = kWords;
  words.products.push_back("a'; rm -rf /; '");
  words.scenarios.push_back("$(reboot)");
  words.presets.push_back("$(reboot)");
  words.columns["nodes"].push_back("`reboot`");
  for (const std::string& script : {bash_completion(words), zsh_completion(words), fish_completion(words)}) {
    EXPECT_EQ(script.find("rm -rf"), std::string::npos);
    EXPECT_EQ(script.find("$(reboot"), std::string::npos);
    EXPECT_EQ(script.find("`reboot"), std::string::npos);
  }
}

}  // namespace
}  // namespace tessera::cli
