// What fleet run, pause and unpause note of a fleet file, and tessera fleet log.
#include "tui/cli/fleet/fleet_log.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/tui/cli/fleet_lab.hpp"
#include "tui/cli/fleet/fleet_files.hpp"

namespace tessera::cli {
namespace {

class FleetLog : public test::FleetCommandLine {
 protected:
  FleetLog() : path(file("pools: [{name: all, layout: as-is}]")), state(folder + "/state") {
    options.write = options.yes = true;
  }
  std::vector<std::string> noted() const {
    std::vector<std::string> all;
    const auto lines = read_fleet_log({path, state});
    if (!lines) return {to_line(lines.error())};
    for (const FleetLine& line : *lines) all.push_back(line.at + " " + line.who + " " + line.what);
    return all;
  }
  static std::string marked(const std::string& file) {
    std::string line;
    std::getline(std::ifstream(file) >> std::ws, line);
    return line;
  }
  std::string path, state;
};

TEST_F(FleetLog, APauseAndItsEndAreNotedWithThePerson) {
  user = [] { return std::string("alice"); };
  EXPECT_EQ(run({"pause", path}), kDone) << err.str();
  user = [] { return std::string("bob"); };
  later = 60;
  EXPECT_EQ(run({"unpause", path}), kDone) << err.str();
  ASSERT_EQ(noted().size(), 2u);
  EXPECT_NE(noted()[0].find("Z alice fleet run is paused"), std::string::npos) << noted()[0];
  EXPECT_NE(noted()[1].find("Z bob removed the pause since 2027-01-15T08:00:0"), std::string::npos)
      << noted()[1];
  EXPECT_EQ(run({"log", path}), kDone) << err.str();
  EXPECT_NE(out.str().find("alice"), std::string::npos) << out.str();
  options.output = OutputFormat::json;
  EXPECT_EQ(run({"log", path}), kDone) << err.str();
  EXPECT_NE(out.str().find("\"who\": \"bob\""), std::string::npos) << out.str();
}

TEST_F(FleetLog, APoolThatIsSkippedIsNotedOnceADayAndADryRunNotesNothing) {
  file(
      "pools: [{name: all, nodes: n2, layout: 7g.80gb, windows: [{when: daily, layout: 7g.80gb}], "
      "budget: {not_after: '07:00'}}]");
  options.dry_run = true;
  run({"run", path});
  EXPECT_TRUE(noted().empty());
  options.dry_run = false;
  EXPECT_EQ(run({"run", path}), kFinding) << err.str();
  EXPECT_EQ(run({"run", path}), kFinding) << err.str();
  ASSERT_EQ(noted().size(), 1u) << err.str();
  EXPECT_NE(noted()[0].find("pool all is skipped: a change may begin until"), std::string::npos)
      << noted()[0];
  later = 25 * 60 * 60;
  EXPECT_EQ(run({"run", path}), kFinding) << err.str();
  EXPECT_EQ(noted().size(), 2u) << "it is so on the next day, too";
}

TEST_F(FleetLog, WhatOthersHaveWrittenThereIsMadeSafe) {
  std::ofstream(path + ".log") << "2027-01-15T08:00:00Z\teve\t\x1b[2Jgone\nno line of ours \x07\n";
  EXPECT_EQ(run({"log", path}), kDone) << err.str();
  EXPECT_EQ(out.str().find('\x1b'), std::string::npos);
  EXPECT_EQ(out.str().find('\x07'), std::string::npos);
  EXPECT_NE(out.str().find("no line of ours"), std::string::npos) << out.str();
}

TEST_F(FleetLog, WhatCannotBeReadIsNoEmptyLogAndWhatCannotBeWrittenStopsNothing) {
  EXPECT_EQ(run({"log", path}), kDone);
  EXPECT_EQ(out.str(), "");
  EXPECT_NE(err.str().find("nothing is noted"), std::string::npos) << err.str();
  std::filesystem::create_directories(path + ".log");
  EXPECT_EQ(run({"log", path}), kUnknown);
  EXPECT_EQ(run({"pause", path}), kDone) << "it is paused all the same";
  EXPECT_NE(err.str().find("not noted in the log of the fleet file"), std::string::npos) << err.str();
}

// As where the file lies in /etc and its runner may write nothing there.
TEST_F(FleetLog, WhereItCannotLieBesideTheFileItIsTheUsersOwn) {
  std::filesystem::create_directories(path + ".log");  // takes no line, whoever asks
  ASSERT_TRUE(note_in_log({path, state}, {"2027-01-15T08:00:00Z", "root", "pool a is skipped: x"}));
  std::filesystem::remove(path + ".log");
  ASSERT_TRUE(note_in_log({path, state}, {"2027-01-15T07:00:00Z", "root", "pool b is skipped: x"}));
  ASSERT_EQ(noted().size(), 2u) << "both are told";
  EXPECT_NE(noted()[0].find("pool b"), std::string::npos) << "the oldest first";
  struct stat info {};
  ASSERT_EQ(::stat((state + "/fleet").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_F(FleetLog, ItIsBoundedAndTheOlderHalfGoes) {
  std::string text;
  while (text.size() < (256u << 10))
    text += "2027-01-15T07:00:00Z\troot\told line " + std::to_string(text.size()) + "\n";
  std::ofstream(path + ".log") << text;
  ASSERT_TRUE(note_in_log({path, state}, {"2027-01-15T08:00:00Z", "root", "the newest"}));
  const auto lines = read_fleet_log({path, state});
  ASSERT_TRUE(lines);
  EXPECT_LT(std::filesystem::file_size(path + ".log"), 140u << 10);
  EXPECT_GT(lines->size(), 1000u);
  EXPECT_EQ(lines->back().what, "the newest");
  EXPECT_EQ(lines->front().who, "root") << "no line is cut in two";
}

// ── the lock ──────────────────────────────────────────────────────────────────────────────────────────

// Where FILE.lock cannot be made, `fleet set` or an editor puts another file in the place of the locked one.
TEST_F(FleetLog, ARunnerIsAloneWhereNothingCanBeMadeBesideTheFileThatIsReplacedMeanwhile) {
  std::filesystem::create_symlink("/nowhere/there", path + ".lock");
  const FleetLock first(path, state);
  EXPECT_FALSE(first.why_not());
  std::filesystem::rename(path, path + ".old");
  file("pools: [{name: all, layout: empty}]");
  const FleetLock second(path, state);
  ASSERT_TRUE(second.why_not());
  EXPECT_EQ(second.why_not()->reason, "another tessera fleet run is at work on this file");
}

// On two hosts, whose locks do not meet on every file system, two runners went by one file.
TEST_F(FleetLog, ARunnerOnAnotherHostIsSeenByItsMarkUntilThatIsOld) {
  const std::string mark = path + ".lock";
  std::ofstream(mark) << "elsewhere.example 4711\n";
  {
    const FleetLock refused(path, state);
    ASSERT_TRUE(refused.why_not());
    EXPECT_EQ(refused.why_not()->reason,
              "a tessera fleet run on another host is at work on this file (host and process: "
              "elsewhere.example 4711)");
  }
  EXPECT_GT(std::filesystem::file_size(mark), 0u) << "the mark of the other one stays";
  std::filesystem::last_write_time(mark,
                                   std::filesystem::file_time_type::clock::now() - std::chrono::minutes(11));
  {
    const FleetLock held(path, state);
    EXPECT_FALSE(held.why_not());
    EXPECT_GT(std::filesystem::file_size(mark), 0u) << "its own mark stands there";
    const auto now = std::filesystem::file_time_type::clock::now();
    std::filesystem::last_write_time(mark, now - std::chrono::minutes(9));
    held.renew();
    EXPECT_FALSE(held.why_not());
    EXPECT_GT(std::filesystem::last_write_time(mark), now - std::chrono::minutes(1)) << "it is new again";
  }
  EXPECT_EQ(std::filesystem::file_size(mark), 0u) << "and is removed at its end";
  const FleetLock next(path, state);
  EXPECT_FALSE(next.why_not());
}

// Both had looked before either wrote: each took the file for its own.
TEST_F(FleetLog, OfTwoRunnersThatBeginTogetherOnTwoHostsTheOneThatWasWrittenOverGivesWay) {
  const std::string mark = path + ".lock";
  {
    const FleetLock first(path, state, [&] { std::ofstream(mark) << "elsewhere.example 4711 ?\n"; });
    ASSERT_TRUE(first.why_not());
    EXPECT_NE(first.why_not()->reason.find("(host and process: elsewhere.example 4711)"), std::string::npos)
        << first.why_not()->reason;
  }
  EXPECT_EQ(marked(mark), "elsewhere.example 4711 ?") << "the mark of the other one stays";
  std::filesystem::resize_file(mark, 0);
  const FleetLock second(path, state, [] {});
  EXPECT_FALSE(second.why_not()) << "its own mark still stands there";
}

// One that was stopped for long wrote over the mark of the one that had taken over, and removed it.
TEST_F(FleetLog, ARunnerWhoseMarkIsThatOfAnotherOneByNowEndsAndLeavesIt) {
  const std::string mark = path + ".lock";
  {
    const FleetLock held(path, state);
    ASSERT_FALSE(held.why_not());
    std::ofstream(mark) << "elsewhere.example 4711\n";
    held.renew();
    EXPECT_TRUE(held.why_not());
    held.renew();
    EXPECT_EQ(marked(mark), "elsewhere.example 4711");
  }
  EXPECT_EQ(marked(mark), "elsewhere.example 4711");
  std::filesystem::resize_file(mark, 0);
  {
    const FleetLock held(path, state);
    ASSERT_FALSE(held.why_not());
    std::ofstream(mark) << "elsewhere.example 4712\n";  // and nothing is renewed before the end
  }
  EXPECT_EQ(marked(mark), "elsewhere.example 4712");
}

// Hosts that are all called localhost took the mark of each other for their own.
TEST_F(FleetLog, AHostOfTheSameNameIsAnotherOneByItsBoot) {
  const std::string mark = path + ".lock";
  std::string own;
  {
    const FleetLock held(path, state);
    own = marked(mark);
  }
  const std::size_t boot = own.rfind(' ') + 1;
  if (own.substr(boot) == "?") GTEST_SKIP() << "the boot is not told here";
  std::ofstream(mark) << own.substr(0, boot) << "01234567-89ab-cdef-0123-456789abcdef\n";
  EXPECT_TRUE(FleetLock(path, state).why_not());
  std::ofstream(mark) << own << "\n";
  EXPECT_FALSE(FleetLock(path, state).why_not()) << "one that was killed on this host";
}

}  // namespace
}  // namespace tessera::cli
