#include "tui/cli/parse.hpp"

#include <gtest/gtest.h>

#include "tui/cli/command_table.hpp"

namespace tessera::cli {
namespace {

using Words = std::vector<std::string>;

TEST(Parse, NoWordsMeanTheConsole) {
  auto parsed = parse_arguments({});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->command, "");
  EXPECT_TRUE(parsed->flags.empty());
}

TEST(Parse, FlagsMayStandBeforeOrAfterTheCommand) {
  for (const Words& words : {Words{"-o", "json", "gpus"}, Words{"gpus", "-o", "json"},
                             Words{"gpus", "-ojson"}, Words{"gpus", "--output=json"}}) {
    auto parsed = parse_arguments(words);
    ASSERT_TRUE(parsed) << to_line(parsed.error());
    EXPECT_EQ(parsed->command, "gpus");
    EXPECT_EQ(parsed->flags.at("output"), "json");
  }
}

// It was refused with a hint to the other name, although the console says :pack by 18:00.
TEST(Parse, PackTakesByForTheTimeUntilWhichItWaits) {
  const auto parsed = parse_arguments({"pack", "--by", "18:00", "7g.80gb=1"});
  ASSERT_TRUE(parsed) << to_line(parsed.error());
  EXPECT_EQ(parsed->flags.at("ends-within"), "18:00");
  EXPECT_FALSE(parsed->flags.contains("by"));
  const auto sums = parse_arguments({"usage", "--by", "user"});
  ASSERT_TRUE(sums) << to_line(sums.error());
  EXPECT_EQ(sums->flags.at("by"), "user");
}

TEST(Parse, AMistypedCommandIsToldBeforeItsFlags) {
  for (const Words& words : {Words{"nodess", "-o", "json"}, Words{"-o", "json", "nodess"}}) {
    auto parsed = parse_arguments(words);
    ASSERT_FALSE(parsed);
    EXPECT_NE(to_line(parsed.error()).find("unknown command \"nodess\" (did you mean nodes?)"),
              std::string::npos)
        << to_line(parsed.error());
  }
}

// --at is a time to come for plans and a moment of a recording for others: whoever takes it is one of them.
TEST(CommandTable, EachCommandWithATimeEitherPlansOrLooksBack) {
  const auto takes = [](const Command& command, std::string_view flag) {
    const Flag* known = find_flag(flag);
    return known && (known->takes & command.takes) != 0;
  };
  for (const Command& command : commands()) {
    const bool plans = makes_plans(command.name), looks = can_look_back(command.name);
    // Advice is carried out by nobody: it can be had of the past, too.
    EXPECT_EQ(plans && looks, command.name == "advise") << command.name;
    EXPECT_EQ(takes(command, "at"), takes(command, "when-empty") || looks || sums_up(command.name))
        << command.name;
    // What says how a change is to be made, or that it may be made, needs the GPUs of its nodes.
    for (const char* flag : {"layout", "intent", "way", "when-empty", "yes", "dry-run", "hours", "replan"})
      EXPECT_TRUE(plans || !takes(command, flag)) << command.name << " --" << flag;
    EXPECT_TRUE(looks || !takes(command, "speed")) << command.name;
  }
  EXPECT_TRUE(makes_plans("whatif"));
  EXPECT_TRUE(can_look_back("replay"));
}

// The last one alone was asked, in silence: read_figure_sources refuses two of a kind.
TEST(Parse, APrometheusThatIsNamedTwiceIsReadAsBoth) {
  const auto parsed = parse_arguments({"nodes", "--prometheus=m/p:9090", "--prometheus", "http://q:9090"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->flags.at("prometheus"), "m/p:9090,http://q:9090");
}

TEST(Parse, SimulationNeedsNoScenarioAndTakesNoCommandForOne) {
  auto parsed = parse_arguments({"--sim", "nodes"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->command, "nodes");
  EXPECT_EQ(parsed->flags.at("sim"), "default");
  EXPECT_EQ(parse_arguments({"nodes", "--sim=broken"})->flags.at("sim"), "broken");
  EXPECT_EQ(parse_arguments({"nodes", "--sim", "./mine.yaml"})->flags.at("sim"), "./mine.yaml");
}

TEST(Parse, AScenarioBehindABareSimIsToldWhereItGoes) {
  for (const Words& words :
       {Words{"--sim", "demo"}, Words{"nodes", "--sim", "demo"}, Words{"--sim", "demo", "nodes"}}) {
    const auto parsed = parse_arguments(words);
    ASSERT_FALSE(parsed);
    EXPECT_NE(parsed.error().hint.find("--sim=demo"), std::string::npos) << to_line(parsed.error());
  }
  const auto typo = parse_arguments({"--sim", "nods"});
  ASSERT_FALSE(typo);
  EXPECT_NE(typo.error().hint.find("did you mean nodes?"), std::string::npos) << to_line(typo.error());
  const auto other = parse_arguments({"demo", "--sim"});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().hint.find("--sim="), std::string::npos) << to_line(other.error());
}

TEST(Parse, ASortKeyMayBeginWithMinus) {
  EXPECT_EQ(parse_arguments({"gpus", "-s", "-use"})->flags.at("sort"), "-use");
  EXPECT_EQ(parse_arguments({"gpus", "--sort", "-use,node"})->flags.at("sort"), "-use,node");
}

TEST(Parse, OtherSpellingsMeanTheSameFlag) {
  EXPECT_TRUE(parse_arguments({"--read-only"})->flags.contains("readonly"));
  EXPECT_EQ(parse_arguments({"nodes", "-l", "alice"})->flags.at("filter"), "alice");
  EXPECT_EQ(parse_arguments({"nodes", "--selector", "alice"})->flags.at("filter"), "alice");
  EXPECT_TRUE(parse_arguments({"-CU"})->flags.contains("no-color"));
}

TEST(Parse, TheLastOfTwoWins) {
  EXPECT_EQ(parse_arguments({"nodes", "-o", "json", "-o", "csv"})->flags.at("output"), "csv");
}

TEST(Parse, AWordBehindACommandMayBeCalledLikeACommand) {
  auto parsed = parse_arguments({"node", "resume", "n1", "--write"});
  ASSERT_TRUE(parsed.ok()) << to_line(parsed.error());
  EXPECT_EQ(parsed->command, "node");
  EXPECT_EQ(parsed->words, (std::vector<std::string>{"resume", "n1"}));
  auto reason = parse_arguments({"node", "drain", "n1", "plan", "of", "sim", "-y"});
  ASSERT_TRUE(reason.ok()) << to_line(reason.error());
  EXPECT_EQ(reason->words.size(), 5u);
}

TEST(Parse, LayoutsTakesAProduct) {
  auto parsed = parse_arguments({"layouts", "NVIDIA H100 80GB HBM3", "--check", "1g.10gb"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->words, Words{"NVIDIA H100 80GB HBM3"});
  EXPECT_EQ(parsed->flags.at("check"), "1g.10gb");
}

TEST(Parse, AFlagThatEndsInAnEqualsSignDoesNotTakeTheNextFlagForItsValue) {
  auto parsed = parse_arguments({"slices", "--filter=", "--sim"});
  ASSERT_TRUE(parsed.ok()) << to_line(parsed.error());
  EXPECT_EQ(parsed->flags.at("filter"), "");
  EXPECT_EQ(parsed->flags.count("sim"), 1U);
}

// What a slip of the fingers gets: an error that says what to type.
struct Slip {
  Words words;
  std::string reason;
  std::string hint;
};
class Slips : public testing::TestWithParam<Slip> {};

TEST_P(Slips, AreAnsweredWithAHint) {
  auto parsed = parse_arguments(GetParam().words);
  ASSERT_FALSE(parsed);
  EXPECT_NE(parsed.error().reason.find(GetParam().reason), std::string::npos) << to_line(parsed.error());
  EXPECT_NE(parsed.error().hint.find(GetParam().hint), std::string::npos) << to_line(parsed.error());
}

INSTANTIATE_TEST_SUITE_P(
    Cli, Slips,
    testing::Values(Slip{{"ndoes"}, "ndoes", "did you mean nodes"},
                    Slip{{"frobnicate"}, "frobnicate", "tessera --help"},
                    Slip{{"gpus", "--ouput", "json"}, "--ouput", "--output"},
                    Slip{{"gpus", "-o"}, "output", "tessera --help"},
                    Slip{{"gpus", "extra"}, "extra", "usage: tessera gpus"},
                    Slip{{"layouts", "A30", "A100"}, "A100", "PRODUCT"},
                    Slip{{"nodes", "gpus"}, "gpus", "usage: tessera nodes"},
                    Slip{{"nodes", "--check", "x"}, "--check", "layouts"},
                    Slip{{"layouts", "--watch"}, "--watch", "nodes"},
                    Slip{{"pack", "--gpu", "5", "7g.80gb=1"}, "--gpu does not apply to pack", "plan"},
                    Slip{{"pack", "--by", "08:00", "--ends-within", "12h", "7g.80gb=1"},
                         "--by and --ends-within are the same here",
                         "leave one of them out"},
                    Slip{{"pack", "--by", "", "7g.80gb=1"}, "--by has no value", "give one"},
                    Slip{{"gpus", "--by", "user"}, "--by does not apply to gpus", "usage"},
                    Slip{{"journal", "--at", "03:12"},
                         "--at does not apply to journal",
                         "tessera replay FOLDER --at TIME"},
                    Slip{{"guide", "--node", ""}, "--node has no value", "leave the flag out"},
                    Slip{{"plan", "--platform", ""}, "--platform has no value", "give one"},
                    Slip{{"record", "--folder", ""}, "--folder has no value", "give one"},
                    Slip{{"record", "--folder=", "--sim"}, "--folder has no value", "give one"},
                    Slip{{"apply", "--node=", "--write"}, "--node has no value", "give one"},
                    Slip{{"nodes", "--sim="}, "--sim has no value", "give one"},
                    Slip{{"config", "record-unit", "--folder", "/x"}, "--folder does not apply", "record"},
                    Slip{{"gpus", "--\x1b[31m"}, "unknown flag", "--help"}));

TEST(Parse, APlanFromAFileIsAppliedAsItIsWithNoFlagLeftOutSilently) {
  for (const Words& more : {Words{"--when-empty"}, Words{"--at", "+2h"}, Words{"--way", "wait"},
                            Words{"--node", "n1"}, Words{"--canary", "2"}, Words{"--break-lock"},
                            Words{"--replicas", "4"}, Words{"--on-failure", "undo"}}) {
    Words words{"apply", "plan.json"};
    words.insert(words.end(), more.begin(), more.end());
    auto parsed = parse_arguments(words);
    ASSERT_FALSE(parsed) << more.front();
    EXPECT_NE(parsed.error().reason.find(more.front() + " has no effect beside it"), std::string::npos);
    words.erase(words.begin() + 1);
    EXPECT_TRUE(parse_arguments(words)) << more.front();
  }
  EXPECT_TRUE(parse_arguments({"apply", "plan.json", "--write", "--yes", "--runs", "/site", "--dry-run"}));
}

TEST(Parse, ControlCharactersDoNotReachTheMessage) {
  auto parsed = parse_arguments({"\x1b]0;owned\x07"});
  ASSERT_FALSE(parsed);
  EXPECT_EQ(to_line(parsed.error()).find('\x1b'), std::string::npos);
  EXPECT_EQ(to_line(parsed.error()).find('\x07'), std::string::npos);
}

TEST(CommandTable, EveryNameIsUsedOnce) {
  std::vector<std::string> names;
  for (const Flag& flag : flags()) {
    names.emplace_back(flag.name);
    if (flag.letter) names.emplace_back(1, flag.letter);
    for (std::string_view other : split_words(flag.also)) names.emplace_back(other);
  }
  std::sort(names.begin(), names.end());
  auto twice = std::adjacent_find(names.begin(), names.end());
  EXPECT_EQ(twice, names.end()) << *twice;
}

TEST(CommandTable, EveryExampleCanBeParsed) {
  for (const Command& command : commands()) {
    for (std::string_view line : split_words(command.examples)) EXPECT_FALSE(line.empty());
    EXPECT_FALSE(command.summary.empty());
    EXPECT_FALSE(command.details.empty());
    EXPECT_FALSE(command.examples.empty()) << command.name;
  }
}

TEST(CommandTable, EverySubcommandTakesTheLanguage) {
  for (const Command& command : commands()) {
    if (command.name.empty()) continue;
    const auto parsed = parse_arguments({std::string(command.name), "--language", "ja"});
    EXPECT_TRUE(parsed.ok()) << command.name << ": " << (parsed.ok() ? "" : to_line(parsed.error()));
  }
}

// pack takes any word for a demand, and read "help" as one.
TEST(Parse, HelpBeforeACommandIsItsFlag) {
  for (const Command& command : commands()) {
    if (command.name.empty()) continue;
    const auto parsed = parse_arguments({"help", std::string(command.name)});
    ASSERT_TRUE(parsed.ok()) << command.name << ": " << to_line(parsed.error());
    EXPECT_EQ(parsed->command, command.name);
    EXPECT_TRUE(parsed->flags.contains("help")) << command.name;
    EXPECT_TRUE(parsed->words.empty()) << command.name;
  }
  const auto simulated = parse_arguments({"--sim", "help", "pack"});
  ASSERT_TRUE(simulated.ok()) << to_line(simulated.error());
  EXPECT_EQ(simulated->command, "pack");
  EXPECT_TRUE(simulated->flags.contains("help"));
  const auto word_of_it = parse_arguments({"help", "record", "list"});
  ASSERT_TRUE(word_of_it.ok());
  EXPECT_EQ(word_of_it->command, "record");
  EXPECT_FALSE(parse_arguments({"help", "recrod"}));
  const auto alone = parse_arguments({"help"});
  ASSERT_TRUE(alone.ok());
  EXPECT_EQ(alone->command, "");
  EXPECT_TRUE(alone->flags.contains("help"));
  EXPECT_FALSE(parse_arguments({"help", "no-such-command"}).ok());
}

TEST(CommandTable, NearNamesAreFoundAndFarOnesAreNot) {
  EXPECT_EQ(nearest("gpu", {"nodes", "gpus"}), "gpus");
  EXPECT_EQ(nearest("worklods", {"nodes", "workloads"}), "workloads");
  EXPECT_EQ(nearest("xyz", {"nodes", "gpus"}), "");
  EXPECT_EQ(nearest(std::string(100000, 'x'), {"nodes"}), "");
}

}  // namespace
}  // namespace tessera::cli
