#include "tui/cli/settings.hpp"

#include <gtest/gtest.h>

namespace tessera::cli {
namespace {

Result<Options> settled(const std::vector<std::string>& words, const Environment& environment = {},
                        const std::vector<TextFile>& files = {}) {
  auto parsed = parse_arguments(words);
  if (!parsed) return parsed.error();
  auto settings = gather(*parsed, environment, files);
  if (!settings) return settings.error();
  return to_options(*parsed, *settings);
}

std::string error_of(const std::vector<std::string>& words, const Environment& environment = {},
                     const std::vector<TextFile>& files = {}) {
  auto options = settled(words, environment, files);
  return options ? "" : to_line(options.error());
}

const TextFile kMine{"/home/ada/.config/tessera/config.yaml", "theme: light\ninterval: 20s\n"};
const TextFile kSite{"/etc/tessera/config.yaml", "theme: mono\nascii: true\n"};

TEST(Settings, FlagBeforeEnvironmentBeforeFileBeforeDefault) {
  EXPECT_EQ(settled({})->theme, "dark");
  EXPECT_EQ(settled({}, {}, {kSite})->theme, "mono");
  EXPECT_EQ(settled({}, {}, {kMine, kSite})->theme, "light");
  EXPECT_EQ(settled({}, {{"TESSERA_THEME", "colour-blind"}}, {kMine, kSite})->theme, "colour-blind");
  EXPECT_EQ(settled({"--theme", "dark"}, {{"TESSERA_THEME", "mono"}}, {kMine, kSite})->theme, "dark");
}

TEST(Settings, TheLanguageIsSaidOrComesFromTheLocale) {
  using tui::Language;
  EXPECT_EQ(settled({})->language, Language::en);
  EXPECT_EQ(settled({}, {{"LANG", "ja_JP.UTF-8"}})->language, Language::ja);
  // As in every program: LC_ALL before LC_MESSAGES before LANG, whatever it says.
  EXPECT_EQ(settled({}, {{"LC_ALL", "C"}, {"LANG", "ja_JP.UTF-8"}})->language, Language::en);
  EXPECT_EQ(settled({}, {{"LC_MESSAGES", "ja_JP"}, {"LANG", "C"}})->language, Language::ja);
  EXPECT_EQ(settled({}, {{"LC_ALL", ""}, {"LANG", "ja_JP"}})->language, Language::ja);
  // What was said to tessera counts before the locale.
  const TextFile file{"/etc/tessera/config.yaml", "language: en\n"};
  EXPECT_EQ(settled({}, {{"LANG", "ja_JP.UTF-8"}}, {file})->language, Language::en);
  EXPECT_EQ(settled({"--language", "ja"}, {{"LANG", "C"}}, {file})->language, Language::ja);
  EXPECT_NE(settled({"--language", "ja"})->reader, nullptr);
  EXPECT_EQ(error_of({"--language", "de"}), "cannot use this setting: --language: \"de\" (en or ja)");
}

TEST(Settings, WhatOneFileDoesNotSayTheOtherMay) {
  auto options = settled({}, {}, {kMine, kSite});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->ascii);
  EXPECT_EQ(options->interval, Duration(20000));
}

TEST(Settings, ReadOnlyUnlessToldOtherwiseAndReadOnlyWins) {
  EXPECT_FALSE(settled({})->write);
  EXPECT_TRUE(settled({"--write"})->write);
  EXPECT_FALSE(settled({"--write", "--readonly"})->write);
  EXPECT_FALSE(settled({"--readonly", "--write"})->write);
}

TEST(Settings, TheFlagWriteBeatsWhatEnvironmentAndFilesSay) {
  const TextFile careful{"/etc/tessera/config.yaml", "readonly: true\n"};
  EXPECT_TRUE(settled({"--write"}, {{"TESSERA_READONLY", "1"}})->write);
  EXPECT_TRUE(settled({"--write"}, {}, {careful})->write);
  EXPECT_FALSE(settled({"--write", "--readonly"}, {}, {careful})->write);
  EXPECT_FALSE(settled({}, {}, {careful})->write);
}

TEST(Settings, ASiteSaysWhatItsClustersDoNotTell) {
  const TextFile site{"/etc/tessera/config.yaml",
                      "platform: fpt\nplugin-strategy: single\nrename-shared: true\nquota: physics=16,ml=8\n"
                      "default-cpus-per-gpu: 8\nbilled-by-gpu: true\n"};
  auto options = settled({"plan"}, {}, {site});
  ASSERT_TRUE(options) << to_line(options.error());
  const plan::SiteRules& rules = options->rules;
  EXPECT_EQ(rules.platform, sharing::Platform::fpt);
  EXPECT_EQ(rules.strategy, sharing::MigStrategy::single);
  EXPECT_TRUE(rules.rename_shared);
  EXPECT_EQ(rules.quotas, (std::map<std::string, std::int64_t>{{"physics", 16}, {"ml", 8}}));
  EXPECT_EQ(rules.default_cpus_per_gpu, 8);
  EXPECT_TRUE(rules.billed_by_gpu);
  EXPECT_EQ(settled({"plan"})->rules.strategy, std::nullopt);
}

TEST(Settings, AQuotaThatIsNoneIsRefused) {
  for (const char* quota : {"physics", "physics=", "=3", "physics=many", "physics=-1", "physics=3x"})
    EXPECT_NE(error_of({"plan", "--quota", quota}).find("quota"), std::string::npos) << quota;
}

TEST(Settings, OldDaysAreThinnedByAnAgeAndAPace) {
  EXPECT_EQ(settled({"record"})->keep.thin, std::nullopt);
  const record::Thin week{Duration(7LL * 86'400'000), Duration(600'000)};
  EXPECT_EQ(settled({"record", "--thin", "7d=10m"})->keep.thin, week);
  const TextFile site{"/etc/tessera/config.yaml", "thin: 7d=10m\n"};
  EXPECT_EQ(settled({"record"}, {}, {site})->keep.thin, week);
  for (const char* wrong :
       {"7d", "7d=", "=10m", "7d=11m", "23h=10m", "7d=0s", "7d=10m=1m", "4000d=10m", "x=y"})
    EXPECT_NE(error_of({"record", "--thin", wrong}).find("like 7d=10m"), std::string::npos) << wrong;
}

TEST(Settings, AFileSaysWhereUsageLooksAndTheFlagBeforeIt) {
  const TextFile slurmdbd{"c.yaml", "source: accounting\n"}, prometheus{"c.yaml", "source: prometheus\n"};
  EXPECT_TRUE(settled({"usage"}, {}, {slurmdbd})->accounting);
  EXPECT_TRUE(settled({"waste"}, {}, {slurmdbd})->accounting);
  const auto flag = settled({"usage", "--accounting"}, {}, {prometheus});
  EXPECT_TRUE(flag->accounting);
  EXPECT_EQ(flag->source, "accounting");
  // Two flags contradict each other: that is for the command to say.
  EXPECT_EQ(settled({"usage", "--accounting", "--source", "prometheus"})->source, "prometheus");
}

// What is typed counts before a file, and a simulated cluster has no Prometheus.
TEST(Settings, WhereAFileSaysToLookYieldsToAFolderThatIsTypedAndToASimulatedCluster) {
  const TextFile prometheus{"c.yaml", "source: prometheus\n"}, slurmdbd{"c.yaml", "source: accounting\n"};
  const std::vector<std::string> typed{"pack", "--for-history", "30d", "--recording", "/folder"};
  EXPECT_EQ(settled(typed, {}, {prometheus})->source, "");
  EXPECT_EQ(settled({"advise", "--sim"}, {}, {prometheus})->source, "");
  const auto usage = settled({"usage", "--recording", "/folder"}, {}, {slurmdbd});
  EXPECT_EQ(usage->source, "");
  EXPECT_FALSE(usage->accounting);
  const TextFile both{"c.yaml", "source: prometheus\nrecording: /folder\n"};
  EXPECT_EQ(settled({"usage"}, {}, {both})->source, "prometheus") << "a file that names both chooses";
  EXPECT_EQ(settled({"usage", "--recording", "/folder", "--source", "prometheus"})->source, "prometheus");
}

// pack refused to plan at all, and advise asked slurmdbd, where a file had named it for usage and waste.
TEST(Settings, WhereUsageLooksIsNothingToCommandsThatPlan) {
  const TextFile slurmdbd{"c.yaml", "source: accounting\n"};
  EXPECT_FALSE(settled({"pack", "1g.10gb=1"}, {}, {slurmdbd})->accounting);
  EXPECT_FALSE(settled({"advise"}, {}, {slurmdbd})->accounting);
  EXPECT_EQ(settled({"advise"}, {}, {slurmdbd})->source, "") << "what there is, but not slurmdbd";
  EXPECT_TRUE(settled({"advise", "--accounting"}, {}, {slurmdbd})->accounting);
  EXPECT_TRUE(settled({"pack", "--for-history", "30d", "--source", "accounting"})->accounting);
  const TextFile prometheus{"c.yaml", "source: prometheus\n"};
  EXPECT_EQ(settled({"advise", "--accounting"}, {}, {prometheus})->source, "accounting")
      << "no contradiction";
  EXPECT_EQ(settled({"advise"}, {}, {prometheus})->source, "prometheus");
}

TEST(Settings, NoColorCountsWhateverItSaysUnlessItIsEmpty) {
  EXPECT_TRUE(settled({})->color);
  EXPECT_FALSE(settled({}, {{"NO_COLOR", "0"}})->color);
  EXPECT_TRUE(settled({}, {{"NO_COLOR", ""}})->color);
  EXPECT_FALSE(settled({"-C"})->color);
}

TEST(Settings, SlurmConfComesFromSlurmsOwnVariable) {
  EXPECT_EQ(settled({}, {{"SLURM_CONF", "/opt/slurm.conf"}})->slurm_conf, "/opt/slurm.conf");
  EXPECT_EQ(settled({"--slurm-conf", "/x"}, {{"SLURM_CONF", "/opt/slurm.conf"}})->slurm_conf, "/x");
}

TEST(Settings, TheSimulationIsDescribedInFull) {
  auto options = settled({"nodes", "--sim=broken", "--sim-seed=7", "--sim-speed=0", "--sim-state=/tmp/s"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->sim, "broken");
  EXPECT_EQ(options->sim_seed, 7u);
  EXPECT_EQ(options->sim_speed, 0.0);
  EXPECT_EQ(options->sim_state, "/tmp/s");
}

TEST(Settings, AStateFileAloneMeansTheSimulator) {
  EXPECT_EQ(settled({"nodes", "--sim-state=/tmp/s"})->sim, "");
  EXPECT_EQ(settled({"nodes", "--sim"})->sim, "");
  EXPECT_FALSE(settled({"nodes"})->sim.has_value());
}

TEST(Settings, ASwitchOfTheDevicePluginIsSaidOrLeftAsItIs) {
  EXPECT_EQ(settled({"plan"})->switches.rename_shared, std::nullopt);
  EXPECT_EQ(settled({"plan", "--rename-shared"})->switches.rename_shared, true);
  EXPECT_EQ(settled({"plan", "--rename-shared=no"})->switches.rename_shared, false);
  EXPECT_EQ(settled({"plan", "--fail-requests-greater-than-one=no"})->switches.refuse_several, false);
  // What a file says is the site's word and no wish for this change.
  auto site = settled({"plan"}, {}, {{"c.yaml", "fail-requests-greater-than-one: true\n"}});
  EXPECT_EQ(site->switches.refuse_several, std::nullopt);
  EXPECT_EQ(site->rules.refuse_several, true);
}

TEST(Settings, ListsAreSplitAtCommas) {
  auto options = settled({"gpus", "--sort", "node,-use", "--columns=node,gpu"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->sort, (std::vector<std::string>{"node", "-use"}));
  EXPECT_EQ(options->columns, (std::vector<std::string>{"node", "gpu"}));
}

TEST(Settings, AnEmptyLayoutCanBeChecked) {
  EXPECT_EQ(settled({"layouts", "A30", "--check", ""})->check, "");
  EXPECT_FALSE(settled({"layouts", "A30"})->check.has_value());
}

TEST(Settings, ErrorsNameWhoSaidIt) {
  EXPECT_NE(error_of({"gpus", "-o", "xml"}).find("--output"), std::string::npos);
  EXPECT_NE(error_of({"gpus"}, {{"TESSERA_OUTPUT", "xml"}}).find("TESSERA_OUTPUT"), std::string::npos);
  std::string error = error_of({}, {}, {{"/etc/tessera/config.yaml", "theme: dark\ninterval: soon\n"}});
  EXPECT_NE(error.find("/etc/tessera/config.yaml:2"), std::string::npos) << error;
  EXPECT_NE(error.find("like 10, 30s or 2m"), std::string::npos) << error;
}

TEST(Settings, AnUnknownSettingIsAnErrorWithItsLine) {
  std::string error = error_of({}, {}, {{"c.yaml", "\n\nthemes: dark\n"}});
  EXPECT_NE(error.find("c.yaml:3"), std::string::npos) << error;
  EXPECT_NE(error.find("did you mean theme"), std::string::npos) << error;
  EXPECT_NE(error_of({}, {}, {{"c.yaml", "theme: [a, b]\n"}}).find("not a single value"), std::string::npos);
  EXPECT_NE(error_of({}, {}, {{"c.yaml", "- theme\n"}}).find("not a map"), std::string::npos);
  EXPECT_NE(error_of({}, {}, {{"c.yaml", "theme: \"\x80\n"}}), "");
  // What would act on its own for good is for flags only.
  EXPECT_NE(error_of({}, {}, {{"c.yaml", "write: true\n"}}).find("unknown setting"), std::string::npos);
}

TEST(Settings, AnEmptyFileSetsNothing) { EXPECT_EQ(settled({}, {}, {{"c.yaml", ""}})->theme, "dark"); }

TEST(Settings, NumbersAreCheckedToTheEnd) {
  EXPECT_NE(error_of({"nodes", "--sim-seed", "12x"}), "");
  EXPECT_NE(error_of({"nodes", "--sim-speed=-1"}), "");
  EXPECT_NE(error_of({"nodes", "--sim-speed=nan"}), "");
  EXPECT_NE(error_of({"nodes", "--sim-speed=inf"}), "");
  EXPECT_NE(error_of({"nodes", "--interval=0"}), "");
  EXPECT_NE(error_of({"nodes", "--interval=99999h"}), "");
  EXPECT_NE(error_of({"layouts", "A30", "--all", "--maximal"}), "");
}

TEST(Settings, DurationsAreReadAsPeopleWriteThem) {
  EXPECT_EQ(parse_duration("10"), Duration(10000));
  EXPECT_EQ(parse_duration("30s"), Duration(30000));
  EXPECT_EQ(parse_duration("2m"), Duration(120000));
  EXPECT_EQ(parse_duration("1h"), Duration(3600000));
  EXPECT_EQ(parse_duration("500ms"), Duration(500));
  for (const char* bad : {"", "s", "-1", "1.5s", "10 s", "1w", "99999999999999999999"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
}

// `--keep 30` was 30 seconds, so that a recorder deleted all of its days.
TEST(Settings, WhatLastsDaysIsNotSaidAsANumberAlone) {
  const auto refused = [](const std::vector<std::string>& words) {
    const std::string error = error_of(words);
    EXPECT_NE(error.find("\"30\" (a time with its unit, like 30d for days or 12h for hours)"),
              std::string::npos)
        << words.front() << ": " << error;
  };
  refused({"record", "--keep", "30"});
  refused({"usage", "--since", "30"});
  refused({"waste", "--unasked-after", "30"});
  refused({"pack", "--for-history", "30"});
  EXPECT_NE(error_of({}, {}, {{"c.yaml", "keep: 30\n"}}).find("a time with its unit"), std::string::npos);
  EXPECT_EQ(error_of({"record", "--keep", "30d"}), "");
  EXPECT_EQ(error_of({"record", "--keep", "30s"}), "") << "said in full it is taken";
  EXPECT_EQ(error_of({"--interval", "30"}), "") << "seconds, as in ping and sleep";
}

TEST(Settings, FilesAreLookedForInXdgThenHomeThenEtc) {
  using Paths = std::vector<std::string>;
  EXPECT_EQ(paths_of("config.yaml", {{"HOME", "/home/ada"}}),
            (Paths{"/home/ada/.config/tessera/config.yaml", "/etc/tessera/config.yaml"}));
  EXPECT_EQ(paths_of("config.yaml", {{"HOME", "/home/ada"}, {"XDG_CONFIG_HOME", "/x"}}),
            (Paths{"/x/tessera/config.yaml", "/etc/tessera/config.yaml"}));
  // The XDG specification: relative paths are to be ignored.
  EXPECT_EQ(paths_of("config.yaml", {{"XDG_CONFIG_HOME", "x"}}), (Paths{"/etc/tessera/config.yaml"}));
  EXPECT_EQ(paths_of("config.yaml", {}), (Paths{"/etc/tessera/config.yaml"}));
}

TEST(Settings, AMissingFileIsNoErrorAFolderInItsPlaceIs) {
  auto none = read_files({"/nonexistent/tessera/config.yaml"});
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
  EXPECT_FALSE(read_files({"/"}));
  auto memory = read_files({"/proc/self/mem"});  // a regular file by its mode that no read succeeds on
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().reason, "it cannot be read to its end");
}

// "--output: output: \"xml\""
TEST(Settings, AFlagIsNamedOnceWhereItsValueIsWrong) {
  const std::string text = error_of({"nodes", "--output", "xml"});
  EXPECT_NE(text.find("--output: \"xml\""), std::string::npos) << text;
  EXPECT_EQ(text.find("output: output"), std::string::npos) << text;
}

}  // namespace
}  // namespace tessera::cli
