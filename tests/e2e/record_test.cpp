// The real recorder on a simulated cluster: what it wrote is what other programs read, and what tessera
// shows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/json_check.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/pty.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::test {
namespace {

using Words = std::vector<std::string>;

// Records so many rounds of the world in `folder`/world, which does not move between two commands.
Ran record(const Scratch& folder, const char* rounds = "1", const char* speed = "0") {
  return run_tessera({"record", "--sim=demo", "--sim-seed=1", std::string("--sim-speed=") + speed,
                      "--every=1s", "--cluster=hpc", "--sim-state=" + folder.path() + "/world", "--rounds",
                      rounds, "--folder=" + folder.path() + "/recording"});
}
Ran look(const Scratch& folder, Words words) {
  words.push_back("--recording=" + folder.path() + "/recording");
  return run_tessera(words);
}
std::string file_in(const Scratch& folder) {  // empty: none yet
  std::error_code unread;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder.path() + "/recording", unread))
    if (entry.path().string().ends_with(".zst")) return entry.path().string();
  return {};
}

// --at=-0s is the newest round of a world that stands still.
TEST(Record, ListsOfThePastSayWhatTheySaidThen) {
  Scratch folder;
  ASSERT_EQ(record(folder).code, 0);
  for (const char* list : {"nodes", "slices", "workloads"}) {
    const Ran live = run_tessera({list, "--sim=demo", "--sim-speed=0", "--cluster=hpc", "-o", "json",
                                  "--sim-state=" + folder.path() + "/world"});
    const Ran past = look(folder, {list, "--at=-0s", "-o", "json"});
    EXPECT_EQ(past.code, 0) << past.err;
    EXPECT_EQ(check_schema(schema_text(list), past.out), Words{});
    EXPECT_EQ(json_size(past.out), json_size(live.out)) << list;
  }
}

TEST(Record, OtherProgramsReadIt) {
  Scratch folder;
  ASSERT_EQ(record(folder, "2").code, 0);
  RunOptions options;
  options.program = "/usr/bin/zstdcat";
  const Ran text = run_tessera({file_in(folder)}, options);
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(text.out.starts_with(R"({"at":")"));
  EXPECT_NE(text.out.find(R"("kind":"figures")"), std::string::npos);
}

TEST(Record, ReportsKeepToTheirSchemas) {
  Scratch folder;
  ASSERT_EQ(record(folder, "2").code, 0);
  const Ran usage = look(folder, {"usage", "-o", "json"});
  EXPECT_EQ(check_schema(schema_text("usage"), usage.out), Words{}) << usage.err;
  const Ran waste = look(folder, {"waste", "-o", "json"});
  EXPECT_EQ(check_schema(schema_text("waste"), waste.out), Words{}) << waste.err;
  const Ran list = run_tessera({"record", "list", "--folder=" + folder.path() + "/recording", "-o", "json"});
  std::string first = json_at(list.out, "/files/0/from");
  std::erase(first, '"');
  const Ran diff = look(folder, {"diff", "--from=" + first, "-o", "json"});
  EXPECT_EQ(check_schema(schema_text("diff"), diff.out), Words{}) << diff.err;
}

// Within two seconds the simulated jobs hold what they held: the peak of a profile is what its slices tell.
TEST(Record, TheDemandOfAMomentIsWhatItsSlicesHold) {
  Scratch folder;
  ASSERT_EQ(record(folder, "3", "1").code, 0);
  const Ran json = look(folder, {"usage", "--demand", "-o", "json"});
  EXPECT_EQ(check_schema(schema_text("demand"), json.out), Words{}) << json.err;
  const Ran peaks = look(folder, {"usage", "--demand"});
  for (const char* profile : {"1g.10gb", "3g.40gb", "2g.12gb"}) {
    const Ran slices = look(folder, {"slices", "--at=-0s", "-o", "csv", "--columns=user", "--no-headers",
                                     "-f", std::string("profile=") + profile});
    ASSERT_EQ(slices.code, 0) << slices.err;
    int held = 0;
    std::string line;
    for (std::istringstream lines(slices.out); std::getline(lines, line);) held += !line.empty();
    ASSERT_GT(held, 0) << slices.out;
    std::string name, cluster, peak, held_then;
    for (std::istringstream lines(peaks.out); std::getline(lines, line);)
      if (std::istringstream words(line); words >> name && name == profile)
        words >> cluster >> peak >> held_then;
    EXPECT_EQ(held_then, std::to_string(held)) << profile << "\n" << peaks.out;
  }
}

TEST(Record, ThePlannerTakesThePeaksOfARecordingAndRefusesWithoutOne) {
  Scratch folder;
  ASSERT_EQ(record(folder, "3", "1").code, 0);
  const auto pack = [&](Words words) {
    words.insert(words.end(), {"pack", "--for-history=30d", "--sim=demo", "--sim-speed=0", "--cluster=hpc",
                               "--sim-state=" + folder.path() + "/world"});
    return run_tessera(words);
  };
  const Ran planned = pack({"-o", "json", "--recording=" + folder.path() + "/recording"});
  EXPECT_EQ(check_schema(schema_text("pack"), planned.out), Words{}) << planned.err;
  EXPECT_NE(planned.out.find("\"hours_recorded\""), std::string::npos);
  const Ran told = pack({"--recording=" + folder.path() + "/recording"});
  EXPECT_NE(told.out.find("the history counts what was held as it was held, also where a smaller profile"),
            std::string::npos)
      << told.out << told.err;
  // Nothing was measured for an hour: everything counts as it was held.
  const Ran sized = pack({"--right-sized", "--recording=" + folder.path() + "/recording"});
  EXPECT_NE(sized.out.find("the history counts 0 jobs and pods as the smaller profile that would have done"),
            std::string::npos)
      << sized.out << sized.err;
  EXPECT_EQ(run_tessera({"pack", "1g.10gb=1", "--right-sized", "--sim=demo"}).code, 2) << "of no past";
  const Ran one_round = pack({"--recording=" + folder.path() + "/nothing"});
  EXPECT_EQ(one_round.code, 3);
  EXPECT_EQ(one_round.out, "");
  EXPECT_EQ(pack({}).code, 3) << "no recording is named";
  EXPECT_EQ(pack({"--node=x", "--recording=" + folder.path() + "/recording"}).code, 2);
}

TEST(Record, ATimeThatIsNotRecordedIsSaidAndNothingIsShown) {
  Scratch folder;
  ASSERT_EQ(record(folder).code, 0);
  const Ran ran = look(folder, {"nodes", "--at=-3d"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("nothing is recorded of"), std::string::npos) << ran.err;
}

// A second of the recorder is an hour of this world, so that its rounds lie that far apart.
TEST(Record, AMomentInAGapIsRefusedByEveryCommandThatLooksBack) {
  Scratch folder;
  ASSERT_EQ(record(folder, "2", "3600").code, 0);
  for (const Words& words :
       {Words{"slices"}, Words{"nodes", "-o", "json"}, Words{"doctor"}, Words{"users"}, Words{"why", "1"}}) {
    Words asked = words;
    asked.push_back("--at=-30m");
    const Ran ran = look(folder, asked);
    EXPECT_EQ(ran.code, 3) << words.front();
    EXPECT_EQ(ran.out, "") << words.front();
    EXPECT_NE(ran.err.find("nothing lies between the rounds of"), std::string::npos) << ran.err;
  }
  for (const Words& words : {Words{"diff", "--from=-30m"}, Words{"diff", "--from=-2d", "--to=-30m"},
                             Words{"diff", "--from=-30m", "--to=-20m", "-o", "json"}}) {
    const Ran ran = look(folder, words);
    EXPECT_EQ(ran.code, 3) << ran.out;
    EXPECT_EQ(ran.out, "");
  }
  EXPECT_EQ(look(folder, {"slices", "--at=-0s"}).code, 0) << "the newest round is one";
}

// The recording that is on the screen is the one that is read through.
TEST(Record, UsageAndWasteOfAReplayAreThoseOfItsRecording) {
  Scratch folder;
  ASSERT_EQ(record(folder, "2", "60").code, 0);
  for (const std::string& path : {folder.path() + "/recording", file_in(folder)}) {
    PtyOptions options;
    options.arguments = {"replay", path};
    Pty pty(options);
    ASSERT_TRUE(pty.wait_loaded()) << pty.screen();
    pty.press(":usage\r");
    EXPECT_TRUE(pty.wait_for("GPU-H")) << pty.screen();
    EXPECT_FALSE(pty.has("no recording is opened"));
    pty.press(":waste\r");
    EXPECT_TRUE(pty.wait_for("h recorded")) << pty.screen();
    pty.send("q");
    EXPECT_TRUE(pty.wait_ended());
  }
}

// kill -9 of the real program at several moments: all rounds that were written whole can be read, by tessera
// and by others, and the next recorder goes on behind them.
TEST(Record, AfterEachKillAllCompleteRoundsAreReadAndTheNextRecorderGoesOn) {
  Scratch folder;
  const auto recorder = [&](Words words) {
    words.insert(words.end(),
                 {"record", "--sim=demo", "--sim-seed=1", "--sim-speed=60", "--every=1s", "--cluster=hpc",
                  "--sim-state=" + folder.path() + "/world", "--folder=" + folder.path() + "/recording"});
    return words;
  };
  // The lines that end, of all rounds.
  const auto recorded = [&](int* code = nullptr) {
    RunOptions options;
    options.program = "/usr/bin/zstdcat";
    Ran ran = run_tessera({file_in(folder)}, options);
    if (code) *code = ran.code;
    ran.out.resize(ran.out.rfind('\n') + 1);
    return ran.out;
  };
  const auto rounds_in = [](const std::string& text) {
    int rounds = 0;
    for (auto at = text.find(R"("kind":"sources")"); at != std::string::npos;
         at = text.find(R"("kind":"sources")", at + 1))
      ++rounds;
    return rounds;
  };
  std::string before;
  // Each is killed so many looks (of 50 ms) after its first round: at another moment of the second that
  // follows.
  for (int lives : {25, 0, 19, 7}) {
    RunOptions options;
    int looks = 0;
    options.signal_by_look = [&] {
      if (looks > 0 || (!file_in(folder).empty() && rounds_in(recorded()) > rounds_in(before))) ++looks;
      return looks > lives ? SIGKILL : 0;
    };
    const Ran killed = run_tessera(recorder({}), options);
    ASSERT_EQ(killed.code, 128 + 9) << killed.err;
    const std::string after = recorded();
    EXPECT_TRUE(after.starts_with(before)) << "what was recorded before " << lives;
    before = after;
    const Ran newest = look(folder, {"nodes", "--at=-0s", "-o", "json"});
    EXPECT_EQ(newest.code, 0) << newest.err;
    EXPECT_EQ(check_schema(schema_text("nodes"), newest.out), Words{});
    EXPECT_EQ(look(folder, {"usage", "-o", "json"}).code, 0);
  }
  EXPECT_GE(rounds_in(before), 4) << "one for each that was killed";
  const Ran last = run_tessera(recorder({"--rounds=1"}));
  EXPECT_EQ(last.code, 0) << last.err;
  int code = -1;
  const std::string all = recorded(&code);
  EXPECT_EQ(code, 0) << "nothing torn is left";
  EXPECT_EQ(rounds_in(all), rounds_in(before) + 1);
}

TEST(Record, ADayThatIsOldEnoughKeepsFewerFiguresAndAllThatHappened) {
  Scratch folder;
  ASSERT_EQ(record(folder, "4", "60").code, 0);
  // Four days ago: a longer pause may be a clock that was set, and nothing is thinned then.
  const auto day =
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()) - std::chrono::days(4);
  const std::chrono::year_month_day date(day);
  const std::string old = folder.path() + "/recording/hpc/" +
                          fmt::format("{:04}-{:02}-{:02}.jsonl.zst", int(date.year()), unsigned(date.month()),
                                      unsigned(date.day()));
  std::filesystem::rename(file_in(folder), old);
  const auto text_of = [](const std::string& path) {
    RunOptions options;
    options.program = "/usr/bin/zstdcat";
    return run_tessera({path}, options).out;
  };
  const auto count = [](const std::string& text, std::string_view what) {
    int found = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  const std::string before = text_of(old);
  const Ran ran = run_tessera({"record", "--sim=demo", "--sim-speed=0", "--cluster=hpc", "--rounds=1",
                               "--keep=3650d", "--thin=1d=10m", "--folder=" + folder.path() + "/recording"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  const std::string after = text_of(old);
  EXPECT_NE(after.find(R"("figures_every_s":600)"), std::string::npos);
  EXPECT_LE(count(after, R"("kind":"figures")"), count(before, R"("kind":"figures")"));
  for (const char* kind : {R"("kind":"sources")", R"("kind":"workload")", R"("kind":"node")"})
    EXPECT_EQ(count(after, kind), count(before, kind)) << kind;
}

// For a plan --at is a time to come, also where a recording is configured.
TEST(Record, WhatIfATimeToComeIsPlayedOnTheClusterAsItIs) {
  Scratch folder;
  RunOptions options;
  options.environment["TESSERA_RECORDING"] = folder.path() + "/none";
  const Ran ran = run_tessera({"whatif", "--sim=demo", "--sim-seed=1", "--sim-speed=0", "--node=h100-03",
                               "--gpu=0", "--layout=3g.40gb,3g.40gb", "--at=+2h"},
                              options);
  EXPECT_EQ(ran.err.find("recording"), std::string::npos) << ran.err;
  EXPECT_NE(ran.out, "") << ran.err;
}

TEST(Record, ABackwardsComparisonADayAsASpanAndARecorderOfNoRoundsAreRefused) {
  Scratch folder;
  ASSERT_EQ(record(folder, "2", "60").code, 0);
  const Ran diff = look(folder, {"diff", "--from=-0s", "--to=-30s"});
  EXPECT_EQ(diff.code, 2);
  EXPECT_NE(diff.err.find("--to is before --from"), std::string::npos) << diff.err;
  EXPECT_EQ(look(folder, {"diff", "--from=-30s", "--to=-0s"}).code, 0);
  // A recorder that stopped days ago has a newest round that is no "now": both moments are told, and its age.
  for (const Words& words : {Words{"diff", "--from=-30s"}, Words{"diff", "--from=-30s", "--to=now"}}) {
    const Ran newest = look(folder, words);
    EXPECT_EQ(newest.code, 0) << newest.err;
    EXPECT_NE(newest.out.find(", its newest round, "), std::string::npos) << newest.out;
  }
  EXPECT_NE(look(folder, {"diff", "--from=-30s", "--to=-0s"}).out.find("Z against 2"), std::string::npos);
  const Ran since = look(folder, {"usage", "--since=yesterday"});
  EXPECT_EQ(since.code, 2);
  EXPECT_NE(since.err.find("like 7d"), std::string::npos)
      << "a time span, whatever clocks did: " << since.err;
  const Ran none = record(folder, "0");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("a whole number from 1"), std::string::npos) << none.err;
}

TEST(Record, TheUnitIsPrinted) {
  const Ran unit = run_tessera({"config", "record-unit"});
  EXPECT_EQ(unit.code, 0);
  EXPECT_NE(unit.out.find("NoNewPrivileges=yes"), std::string::npos);
}

// As systemd reads it: no option that it does not know, and little that the service could reach.
TEST(Record, SystemdTakesTheUnitAndRatesItLow) {
  RunOptions systemd;
  systemd.program = "/usr/bin/systemd-analyze";
  if (!std::filesystem::exists(systemd.program)) GTEST_SKIP() << "systemd-analyze is not there";
  std::string unit = run_tessera({"config", "record-unit"}).out;
  const std::string installed = "/usr/bin/tessera ";
  const auto at = unit.find(installed);
  ASSERT_NE(at, std::string::npos);
  unit.replace(at, installed.size(), "/bin/true ");  // it must be there
  Scratch folder;
  const std::string path = folder.write("tessera-record.service", unit);
  const Ran verified = run_tessera({"verify", "--man=no", path}, systemd);
  EXPECT_EQ(verified.code, 0) << verified.err;
  EXPECT_EQ(verified.err, "");
  const Ran rated =
      run_tessera({"security", "--offline=true", "--threshold=20", "--no-pager", path}, systemd);
  EXPECT_EQ(rated.code, 0) << "an exposure of 2.0 of 10 at most:\n" << rated.out;
}

}  // namespace
}  // namespace tessera::test
