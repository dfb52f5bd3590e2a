// The real binary on the command line: what it prints where, and with which exit code.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/json_check.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::test {
namespace {

using Words = std::vector<std::string>;

// On the demo world, which stands still: the same seed gives the same text.
Ran demo(Words words) {
  words.insert(words.end(), {"--sim=demo", "--sim-seed=1", "--sim-speed=0"});
  return run_tessera(words);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class EveryList : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Cli, EveryList, testing::Values("nodes", "gpus", "slices", "workloads"));

TEST_P(EveryList, PrintsJsonAsPromisedAndNothingElse) {
  Ran ran = demo({GetParam(), "-o", "json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(check_schema(schema_text(GetParam()), ran.out), Words{});
  EXPECT_GT(json_size(ran.out), 0u);
}

TEST_P(EveryList, SaysTheSameInYaml) {
  Scratch folder;  // one world for both, which was made at one time
  std::string state = "--sim-state=" + folder.path() + "/world";
  EXPECT_EQ(
      difference(demo({GetParam(), "-o", "json", state}).out, demo({GetParam(), "-o", "yaml", state}).out),
      "");
}

TEST_P(EveryList, PrintsOneRowForEachInTableAndCsv) {
  std::size_t rows = json_size(demo({GetParam(), "-o", "json"}).out);
  for (const char* format : {"table", "wide"}) {
    std::string text = demo({GetParam(), "-o", format}).out;
    EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), rows + 1) << format;
    EXPECT_FALSE(has(text, " \n")) << format;
  }
  Scratch folder;  // telemetry moves between two looks at a world of its own: both look at the same one
  std::string state = "--sim-state=" + folder.path() + "/world";
  std::string csv = demo({GetParam(), "-o", "csv", state}).out;
  EXPECT_TRUE(csv.starts_with("cluster,"));
  std::string bare = demo({GetParam(), "-o", "csv", "--no-headers", state}).out;
  EXPECT_EQ(csv.substr(csv.find('\n') + 1), bare);
}

TEST_P(EveryList, RefusesUnknownColumnsBeforeAskingAnybody) {
  for (const char* flag : {"--filter=colour=red", "--sort=colour", "--columns=colour"}) {
    Ran ran = run_tessera({GetParam(), flag});
    EXPECT_EQ(ran.code, 2) << flag;
    EXPECT_EQ(ran.out, "");
    EXPECT_TRUE(has(ran.err, "colour")) << ran.err;
  }
}

TEST(Cli, FilterKeepsWhatPassesAndSortTurnsRound) {
  Ran held = demo({"slices", "-o", "csv", "--columns=state", "--no-headers", "--filter", "state=held"});
  EXPECT_FALSE(held.out.empty());
  EXPECT_FALSE(has(held.out, "free"));
  std::string up = demo({"nodes", "-o", "csv", "--columns=node", "--no-headers", "--sort=node"}).out;
  std::string down = demo({"nodes", "-o", "csv", "--columns=node", "--no-headers", "--sort", "-node"}).out;
  EXPECT_NE(up, down);
  EXPECT_EQ(up.size(), down.size());
}

TEST(Cli, ErrorsAreInTheLanguageThatIsAskedFor) {
  for (const Words& words : {Words{"nodes", "--colour"}, Words{"nodes", "--cluster", "nowhere"},
                             Words{"nodes", "-o", "xml"}, Words{"plan", "--node", "nowhere"}}) {
    Words in_japanese = words;
    in_japanese.insert(in_japanese.end(), {"--language", "ja"});
    const Ran told = demo(in_japanese), english = demo(words);
    EXPECT_EQ(told.code, english.code);
    EXPECT_NE(told.err, english.err);
    EXPECT_TRUE(has(told.err, "\xe3\x81")) << told.err;
    EXPECT_FALSE(has(english.err, "\xe3\x81")) << english.err;
  }
}

TEST(Cli, ClusterChoosesOneAndListsThemWhenThereIsNoSuch) {
  std::string name = json_at(demo({"nodes", "-o", "json"}).out, "/0/cluster");
  name = name.substr(1, name.size() - 2);
  EXPECT_GT(json_size(demo({"nodes", "-o", "json", "--cluster", name}).out), 0u);
  Ran ran = demo({"nodes", "--cluster", "nowhere"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(has(ran.err, name)) << ran.err;
}

TEST(Cli, LayoutsKnowTheTruthsOfTheH100) {
  struct Case {
    const char* which;
    const char* count;
  };
  for (const Case& each : {Case{"--all", "723"}, Case{"--maximal", "78"}, Case{"--undominated", "28"}}) {
    Ran ran = run_tessera({"layouts", "H100-80GB-SXM5", each.which, "-o", "json"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(check_schema(schema_text("layouts"), ran.out), Words{});
    EXPECT_EQ(json_at(ran.out, "/count"), each.count) << each.which;
    EXPECT_EQ(json_at(ran.out, "/units"), "8");
  }
  Ran base = run_tessera({"layouts", "H100-80GB-SXM5", "--all", "-o", "json",
                          "--profiles=1g.10gb,2g.20gb,3g.40gb,4g.40gb,7g.80gb"});
  EXPECT_EQ(json_at(base.out, "/count"), "298");
}

TEST(Cli, ALayoutIsJudgedWithAReason) {
  Ran good = run_tessera({"layouts", "H100-80GB-SXM5", "--check", "3g.40gb@4,2g.20gb@2,1g.10gb@0"});
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  Ran bad = run_tessera({"layouts", "H100-80GB-SXM5", "--check", "3g.40gb@4,4g.40gb@4"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_TRUE(bad.out.starts_with("not legal: ")) << bad.out;
  Ran found = run_tessera({"layouts", "H100-80GB-SXM5", "--check", "3g.40gb,3g.40gb", "-o", "json"});
  EXPECT_EQ(found.code, 0);
  EXPECT_EQ(check_schema(schema_text("check"), found.out), Words{});
  EXPECT_EQ(json_at(found.out, "/legal"), "true");
  // A layout by its platform's name, and by what a document prints in its place.
  Ran named = run_tessera({"layouts", "A100-80GB", "--check", "all-1g.10gb"});
  EXPECT_EQ(named.code, 0) << named.err;
  Ran misprinted = run_tessera({"layouts", "A100-80GB", "--check", "all-1g.40gb"});
  EXPECT_EQ(misprinted.code, 0) << misprinted.out;
  EXPECT_NE(misprinted.err.find("misprint"), std::string::npos) << misprinted.err;
  Ran none = run_tessera({"layouts", "H100-80GB-SXM5", "--check", "4g.40gb,4g.40gb", "-o", "json"});
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(check_schema(schema_text("check"), none.out), Words{});
  EXPECT_EQ(json_at(none.out, "/layout"), "null");
  EXPECT_NE(json_at(none.out, "/reason"), "null");
}

TEST(Cli, AProductMayBeCalledByAnyOfItsNames) {
  for (const char* name : {"NVIDIA H100 80GB HBM3", "h100-80gb-sxm5", "NVIDIA-H100-80GB-HBM3"}) {
    Ran ran = run_tessera({"layouts", name, "-o", "json"});
    EXPECT_EQ(json_at(ran.out, "/product"), "\"H100-80GB-SXM5\"") << name << ran.err;
  }
  Ran unknown = run_tessera({"layouts", "H1000"});
  EXPECT_EQ(unknown.code, 2);
  Ran products = run_tessera({"layouts", "-o", "json"});
  EXPECT_EQ(check_schema(schema_text("products"), products.out), Words{});
}

TEST(Cli, ASiteCatalogueAddsAProductAndABrokenOneIsNamed) {
  Scratch home;
  RunOptions options;
  options.environment["XDG_CONFIG_HOME"] = home.path();
  std::string file = home.write("tessera/catalogue.yaml", "products:\n  - key: \"X\"\n    colour: red\n");
  Ran ran = run_tessera({"layouts"}, options);
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(has(ran.err, file + ":")) << ran.err;
}

TEST(Cli, SlipsAreUsageErrorsWithAHint) {
  struct Slip {
    Words words;
    std::string hint;
  };
  for (const Slip& slip :
       {Slip{{"ndoes"}, "did you mean nodes"}, Slip{{"gpus", "--outptu=json"}, "--output"},
        Slip{{"gpus", "-o", "xml"}, "table, wide, json, yaml or csv"},
        Slip{{"nodes", "--interval", "often"}, "30s"}, Slip{{"completion"}, "bash|zsh|fish"},
        Slip{{"config"}, "path|print"}, Slip{{"layouts", "--check", "1g.10gb"}, "PRODUCT"}}) {
    Ran ran = run_tessera(slip.words);
    EXPECT_EQ(ran.code, 2) << slip.words.front();
    EXPECT_EQ(ran.out, "");
    EXPECT_TRUE(has(ran.err, slip.hint)) << ran.err;
  }
}

TEST(Cli, HelpAndVersionGoToStandardOutput) {
  for (const char* flag : {"--help", "-h", "--version", "-V"}) {
    Ran ran = run_tessera({flag});
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.err, "");
    EXPECT_TRUE(has(ran.out, "tessera")) << flag;
  }
  EXPECT_TRUE(has(run_tessera({"gpus", "--help"}).out, "usage: tessera gpus"));
}

TEST(Cli, HelpNeedsNoConfigurationThatWorks) {
  Scratch home;
  home.write("tessera/config.yaml", "{");
  RunOptions options;
  options.environment["XDG_CONFIG_HOME"] = home.path();
  EXPECT_EQ(run_tessera({"--help"}, options).code, 0);
  Ran ran = run_tessera({"nodes", "--sim"}, options);
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(has(ran.err, "config.yaml")) << ran.err;
}

TEST(Cli, VersionSaysWhereTheProgramComesFrom) {
  const std::string out = run_tessera({"--version"}).out;
  EXPECT_TRUE(
      std::regex_match(out, std::regex("tessera [0-9.]+ \\(commit [0-9a-z]+, .+, (static|dynamic)\\)\n")))
      << out;
}

TEST(Cli, AboutSaysWhatIsHereAndNoValueOfASetting) {
  Scratch home;
  const std::string file = home.write(".config/tessera/config.yaml", "slurm-runner: \"secret-hop {node}\"\n");
  RunOptions options;
  options.environment = {{"HOME", home.path()}, {"TERM", "xterm-256color"}, {"TESSERA_THEME", "mono"}};
  const Ran json = run_tessera({"about", "-o", "json"}, options);
  EXPECT_EQ(json.code, 0) << json.err;
  EXPECT_EQ(check_schema(schema_text("about"), json.out), Words{}) << json.out;
  const Ran table = run_tessera({"about"}, options);
  for (const std::string& text : {json.out, table.out}) {
    EXPECT_TRUE(has(text, "slurm-runner (~/.config/tessera/config.yaml:1)")) << text;
    EXPECT_TRUE(has(text, "theme (TESSERA_THEME)")) << text;
    EXPECT_FALSE(has(text, "secret-hop")) << text;
    EXPECT_FALSE(has(text, home.path())) << text;
  }
  EXPECT_EQ(run_tessera({"about", "-o", "csv"}, options).code, 2);
}

TEST(Cli, DoctorLooksAtItselfAlsoWhereTheConfigurationIsBroken) {
  Scratch home;
  RunOptions options;
  options.environment = {{"HOME", home.path()}, {"TERM", "xterm-256color"}, {"LANG", "C.UTF-8"}};
  const Ran well = run_tessera({"doctor", "--self", "-o", "json"}, options);
  EXPECT_EQ(well.code, 0) << well.out << well.err;
  EXPECT_EQ(check_schema(schema_text("self"), well.out), Words{}) << well.out;

  home.write(".config/tessera/config.yaml", "theem: dark\n");
  home.write(".local/state/tessera", "a file where a folder should be");
  options.environment["TERM"] = "no-such-terminal";
  const Ran ill = run_tessera({"doctor", "--self"}, options);
  EXPECT_EQ(ill.code, 1) << ill.err;
  for (const char* what :
       {"did you mean theme?", "TERM=no-such-terminal is not known", "~/.local/state/tessera is no folder"})
    EXPECT_TRUE(has(ill.out, what)) << ill.out;
}

// docs/security.md had promised it: config.yaml names commands that are run.
TEST(Cli, AConfigurationThatEveryoneCanWriteToIsRefused) {
  Scratch home;
  RunOptions options;
  options.environment = {{"HOME", home.path()}, {"TERM", "xterm-256color"}, {"LANG", "C.UTF-8"}};
  const std::string file = home.write(".config/tessera/config.yaml", "slurm-runner: ssh\n");
  ASSERT_EQ(::chmod(file.c_str(), 0666), 0);
  const Ran refused = run_tessera({"nodes", "--sim=demo"}, options);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(has(refused.err, "everyone on this machine can write to it")) << refused.err;
  EXPECT_TRUE(has(refused.err, "chmod o-w")) << refused.err;
  EXPECT_TRUE(
      has(run_tessera({"doctor", "--self"}, options).out, "everyone on this machine can write to it"));
  ASSERT_EQ(::chmod(file.c_str(), 0664), 0);
  EXPECT_EQ(run_tessera({"nodes", "--sim=demo"}, options).code, 0);
  // Who may write to its folder renames it away and puts his own there.
  const std::string folder = home.path() + "/.config/tessera";
  ASSERT_EQ(::chmod(folder.c_str(), 0777), 0);
  const Ran replaceable = run_tessera({"nodes", "--sim=demo"}, options);
  EXPECT_EQ(replaceable.code, 2);
  EXPECT_TRUE(has(replaceable.err, "everyone on this machine can replace it")) << replaceable.err;
  EXPECT_TRUE(has(replaceable.err, "chmod o-w " + folder)) << replaceable.err;
}

TEST(Cli, DoctorJudgesWhatTheEnvironmentSets) {
  RunOptions options;
  options.environment = {{"HOME", "/nonexistent"}, {"TERM", "xterm-256color"}, {"TESSERA_INTERVAL", "often"}};
  const Ran ran = run_tessera({"doctor", "--self"}, options);
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.out, "TESSERA_INTERVAL: interval: \"often\"")) << ran.out;
}

TEST(Cli, NoClusterIsSaidPlainlyWithAWayOn) {
  Ran ran = run_tessera({"nodes"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(has(ran.err, "tessera --sim")) << ran.err;
  RunOptions options;
  options.environment["KUBECONFIG"] = "/some/kubeconfig";
  EXPECT_TRUE(has(run_tessera({"nodes"}, options).err, "KUBECONFIG")) << ran.err;
}

TEST(Cli, TheConsoleNeedsATerminal) {
  Ran ran = run_tessera({"--sim"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(has(ran.err, "terminal")) << ran.err;
}

TEST(Cli, AnUnknownScenarioIsAUsageError) {
  Ran ran = run_tessera({"nodes", "--sim=atlantis"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(has(ran.err, "atlantis")) << ran.err;
}

TEST(Cli, SettingsWorkWithoutAHomeAndWithAReadOnlyOne) {
  EXPECT_EQ(demo({"nodes"}).code, 0);  // no HOME at all
  Scratch home;
  ::chmod(home.path().c_str(), 0500);
  RunOptions options;
  options.environment["HOME"] = home.path();
  EXPECT_EQ(run_tessera({"nodes", "--sim", "--sim-speed=0"}, options).code, 0);
  options.environment["HOME"] = "/nonexistent";
  EXPECT_EQ(run_tessera({"nodes", "--sim", "--sim-speed=0"}, options).code, 0);
}

TEST(Cli, ConfigPrintNamesWhoSetsWhat) {
  Scratch home;
  std::string file = home.write("tessera/config.yaml", "theme: mono\ninterval: 20s\n");
  RunOptions options;
  options.environment = {{"XDG_CONFIG_HOME", home.path()}, {"TESSERA_INTERVAL", "40s"}};
  std::string text = run_tessera({"config", "print"}, options).out;
  EXPECT_TRUE(has(text, file + ":1")) << text;
  EXPECT_TRUE(has(text, "TESSERA_INTERVAL")) << text;
  EXPECT_TRUE(has(text, "default")) << text;
  EXPECT_TRUE(has(run_tessera({"config", "path"}, options).out, file));
}

// Name, value and who set it stand below each other; a value that is too long moves only its own line.
TEST(Cli, ConfigPrintKeepsItsColumns) {
  Scratch home;
  const std::string conf = "/etc/slurm/clusters/hpc/slurm.conf";
  std::string file = home.write("tessera/config.yaml", "theme: mono\nslurm-conf: " + conf + "\n");
  RunOptions options;
  options.environment = {{"XDG_CONFIG_HOME", home.path()}};
  std::istringstream lines(run_tessera({"config", "print"}, options).out);
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  const auto line_of = [&](const std::string& name) {
    for (const std::string& line : all)
      if (line.starts_with(name + " ")) return line;
    return std::string();
  };
  const std::string theme = line_of("theme");
  const std::size_t value_at = theme.find("mono"), from_at = theme.find(file + ":1");
  ASSERT_NE(value_at, std::string::npos) << theme;
  EXPECT_EQ(from_at, value_at + 21) << theme;
  EXPECT_EQ(line_of("slurm-conf").substr(value_at), conf + " " + file + ":2");
  for (const std::string& line : all) {
    ASSERT_GT(line.size(), from_at) << line;
    EXPECT_EQ(line.find_first_not_of(' ', line.find(' ')), value_at) << line;
    if (!line.starts_with("slurm-conf ")) {
      EXPECT_EQ(line[from_at - 1], ' ') << line;
      EXPECT_NE(line[from_at], ' ') << line;
    }
  }
  EXPECT_EQ(line_of("readonly").substr(from_at), "not set");
  EXPECT_EQ(line_of("timeout").substr(from_at), "default");
}

TEST(Cli, TheManualCompletionsAndKeysComeOut) {
  EXPECT_TRUE(run_tessera({"config", "man"}).out.starts_with(".TH TESSERA 1"));
  EXPECT_TRUE(run_tessera({"config", "mps-prolog"}).out.starts_with("#!/bin/bash\n# Slurm Prolog"));
  EXPECT_NE(run_tessera({"config", "mps-epilog"}).out.find("/run/tessera-mps/jobs"), std::string::npos);
  EXPECT_NE(run_tessera({"config", "mps-nothing"}).code, 0);
  EXPECT_TRUE(has(run_tessera({"completion", "bash"}).out, "complete -F _tessera tessera"));
  EXPECT_TRUE(run_tessera({"completion", "zsh"}).out.starts_with("#compdef tessera"));
  EXPECT_TRUE(has(run_tessera({"completion", "fish"}).out, "complete -c tessera"));
  EXPECT_TRUE(has(run_tessera({"config", "keys"}).out, "| "));
  EXPECT_TRUE(has(run_tessera({"config", "pages"}).out, "man5/tessera-config.5\n"));
  EXPECT_TRUE(run_tessera({"config", "man", "tessera-plan.1"}).out.starts_with(".TH TESSERA\\-PLAN 1"));
  EXPECT_EQ(run_tessera({"config", "man", "tessera-nothing.1"}).code, 2);
  EXPECT_EQ(run_tessera({"config", "keys", "again"}).code, 2);
  EXPECT_TRUE(has(run_tessera({"config", "example"}).out, "# slurm-runner: HOW\n"));
}

TEST(Cli, AReaderThatLeavesEarlyIsNoError) {
  RunOptions options;
  options.hang_up = [](const std::string& out) { return out.size() > 100; };
  Ran ran = run_tessera({"layouts", "H100-80GB-SXM5", "--all", "-o", "json"}, options);
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
}

// A job of cron may close its streams: the next file that is opened, a journal perhaps, had their numbers.
TEST(Cli, AClosedStandardStreamIsNotTheNumberOfAnotherFile) {
  RunOptions shell;
  shell.program = "/bin/sh";
  Ran ran = run_tessera({"-c", "exec \"$0\" nodes --sim=demo >&-", binary()}, shell);
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(has(ran.err, "cannot write the output: Bad file descriptor")) << ran.err;
  Ran silent = run_tessera({"-c", "exec \"$0\" nodes --sim=demo <&- 2>&-", binary()}, shell);
  EXPECT_EQ(silent.code, 0);
  EXPECT_TRUE(has(silent.out, "h100-01")) << silent.out;
}

TEST(Cli, WatchPrintsAgainUntilItsReaderLeaves) {
  RunOptions options;
  options.hang_up = [](const std::string& out) { return std::count(out.begin(), out.end(), '\n') >= 2; };
  Ran ran = run_tessera({"gpus", "--watch", "-o", "json", "--sim", "--sim-speed=60"}, options);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  std::string first = ran.out.substr(0, ran.out.find('\n'));
  EXPECT_EQ(check_schema(schema_text("gpus"), first), Words{});
}

TEST(Cli, WatchEndsInOrderOnASignal) {
  RunOptions options;
  options.signal = [](const std::string& out) { return out.empty() ? 0 : SIGTERM; };
  Ran ran = run_tessera({"nodes", "--watch", "--sim", "--sim-speed=0"}, options);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(ran.out.starts_with("# 20")) << ran.out.substr(0, 80);
}

TEST(Cli, ASequenceOfCommandsActsOnOneWorld) {
  Scratch folder;
  std::string state = folder.path() + "/world";
  Ran first = run_tessera({"workloads", "-o", "json", "--sim", "--sim-state", state});
  EXPECT_EQ(first.code, 0) << first.err;
  Ran second = run_tessera({"workloads", "-o", "json", "--sim-state", state});
  EXPECT_EQ(first.out, second.out);
}

TEST(Cli, PlaysWithAWorldThatOthersLookAt) {
  Scratch folder;
  std::string state = "--sim-state=" + folder.path() + "/world";
  Ran old = run_tessera({"sim", "drain", "a30-01", state});
  EXPECT_EQ(old.code, 2);
  EXPECT_NE(old.err.find("tessera-sim --help"), std::string::npos) << old.err;
  EXPECT_EQ(run_simulator({"drain", "a30-01", "fan tray", state}).out,
            "hpc a30-01: closed to new workloads\n");
  Ran nodes = run_tessera({"nodes", "-o", "csv", "--filter", "node=a30-01", state});
  EXPECT_TRUE(has(nodes.out, "fan tray")) << nodes.out << nodes.err;
  EXPECT_EQ(run_simulator({"advance", "2h", state}).code, 0);
  EXPECT_EQ(run_simulator({"fault", "in-use node=a30-01", state}).code, 0);
  EXPECT_EQ(run_simulator({"faults", state}).out, "hpc: in-use node=a30-01  (seen 0)\n");
  EXPECT_EQ(run_simulator({"check", state}).code, 0);
  Ran wrong = run_simulator({"drain", "mars", state});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(has(wrong.err, "no such node: mars")) << wrong.err;
  EXPECT_TRUE(has(run_simulator({"scenarios"}).out, "demo\n"));
}

}  // namespace
}  // namespace tessera::test
