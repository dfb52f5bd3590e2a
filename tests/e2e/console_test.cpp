// The real console in a real pseudo-terminal: starting, walking, resizing, stopping, ending.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>

#include "backends/acknowledged.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/pty.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera {
namespace {

using test::Pty;
using test::PtyOptions;

PtyOptions demo(std::map<std::string, std::string> environment = {}, std::vector<std::string> more = {}) {
  PtyOptions options;
  options.arguments = {"--sim=demo", "--sim-speed=0"};
  options.arguments.insert(options.arguments.end(), more.begin(), more.end());
  options.environment = std::move(environment);
  return options;
}

// Waits for the first full picture of the overview.
bool ready(Pty& pty) { return pty.wait_loaded() && pty.has("ml-platform"); }

// The screen without its title line, where the wall clock moves on.
std::string body(const Pty& pty) {
  const std::string all = pty.screen();
  return all.substr(all.find('\n') + 1);
}

bool has_colour(const Pty& pty) {
  static const std::regex colour("\x1b\\[[0-9;]*[34][0-8][;0-9]*m");
  return std::regex_search(pty.bytes(), colour);
}

TEST(Console, StartsShowsTheOverviewAndQuits) {
  Pty pty(demo());
  ASSERT_TRUE(ready(pty)) << pty.screen();
  EXPECT_TRUE(pty.alternate());
  EXPECT_FALSE(pty.echoes());
  EXPECT_FALSE(pty.cursor_visible());
  EXPECT_TRUE(pty.has("[RO]")) << pty.screen();
  pty.send("q");
  ASSERT_TRUE(pty.wait_ended());
  EXPECT_EQ(pty.exit_code(), 0);
  EXPECT_FALSE(pty.alternate());
  EXPECT_TRUE(pty.echoes());
  EXPECT_TRUE(pty.cursor_visible());
}

// The row on which a finding stands.
int row_of(const Pty& pty, std::string_view text) {
  for (int y = 1; y < 40; ++y)
    if (pty.row(y).find(text) != std::string::npos) return y;
  return -1;
}

TEST(Console, AnAcknowledgedFindingStaysDimmedInTheNextConsoleAndCallsAgainAfterTheHours) {
  const test::Scratch folder;
  const std::map<std::string, std::string> environment{{"XDG_STATE_HOME", folder.path()}};
  const std::string notes = folder.path() + "/tessera/acknowledged";
  constexpr std::string_view kFinding = "kubelet stopped posting";
  struct Seen {
    int row = 0;
    std::string sign;
    int colour = -1;
  };
  // A console of its own each time: it opens the findings, presses these keys and is left.
  auto look = [&](std::string_view keys) {
    Seen seen;
    Pty pty(demo(environment));
    EXPECT_TRUE(ready(pty)) << pty.screen();
    EXPECT_TRUE(pty.press("7") && pty.wait_for(kFinding)) << pty.screen();
    if (!keys.empty()) EXPECT_TRUE(pty.press(keys)) << pty.screen();
    seen.row = row_of(pty, kFinding);
    const std::string line = pty.row(seen.row);
    seen.sign = line.find("!!") != std::string::npos      ? "!!"
                : line.find("-  ml") != std::string::npos ? "-"
                                                          : "";
    // The node's name, behind the cluster's: its cells are as many as its bytes where no mark stands before.
    for (int x = 0; x < 40; ++x)
      if (pty.cell(x, seen.row).glyph == "g" && pty.cell(x + 1, seen.row).glyph == "p")
        seen.colour = pty.cell(x, seen.row).foreground;
    pty.send("q");
    EXPECT_TRUE(pty.wait_ended());
    return seen;
  };
  const Seen before = look("");
  EXPECT_EQ(before.sign, "!!");
  EXPECT_FALSE(std::filesystem::exists(notes)) << "looking notes nothing";

  const Seen noted = look("a");
  EXPECT_EQ(noted.sign, "-");
  EXPECT_NE(noted.colour, before.colour);
  EXPECT_GT(noted.row, before.row) << "below what calls for attention";
  const Seen second = look("");
  EXPECT_EQ(second.sign, "-") << "the file in the state folder tells the next console";
  EXPECT_EQ(second.colour, noted.colour);
  EXPECT_EQ(second.row, noted.row);

  // The hours go by: the same file, with the end of the note in the past.
  auto kept = read_acknowledged(notes);
  ASSERT_TRUE(kept) << to_line(kept.error());
  ASSERT_EQ(kept->size(), 1u);
  const auto until =
      kept->front().until - std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  EXPECT_GT(until, std::chrono::hours(7));
  EXPECT_LE(until, std::chrono::hours(8));
  kept->front().until = TimePoint{} + std::chrono::hours(1);
  std::ofstream(notes) << insight::acknowledged_text(*kept, {});
  const Seen after = look("");
  EXPECT_EQ(after.sign, "!!");
  EXPECT_EQ(after.row, before.row);
  EXPECT_EQ(after.colour, before.colour);
}

// As root the console made /nonexistent, the home of service accounts, to remember its columns there.
TEST(Console, AHomeThatDoesNotExistIsNotMade) {
  const test::Scratch folder;
  const std::string home = folder.path() + "/none";
  for (const bool state_folder : {false, true}) {
    std::map<std::string, std::string> environment{{"HOME", home}};
    if (state_folder) environment["XDG_STATE_HOME"] = folder.path() + "/state";
    Pty pty(demo(environment));
    ASSERT_TRUE(ready(pty)) << pty.screen();
    pty.send("q");
    ASSERT_TRUE(pty.wait_ended());
    EXPECT_EQ(pty.exit_code(), 0);
    EXPECT_FALSE(std::filesystem::exists(home));
    EXPECT_EQ(std::filesystem::exists(folder.path() + "/state/tessera/console.yaml"), state_folder);
  }
}

TEST(Console, EveryScreenIsReached) {
  Pty pty(demo());
  ASSERT_TRUE(ready(pty)) << pty.screen();
  const std::pair<std::string, std::string> screens[] = {{"2", "nodes"},     {"3", "gpus"},   {"4", "slices"},
                                                         {"5", "workloads"}, {"6", "events"}, {"?", "help"},
                                                         {"1", "overview"}};
  for (const auto& [key, name] : screens) {
    ASSERT_TRUE(pty.press(key)) << name;
    EXPECT_NE(pty.row(0).find(name), std::string::npos) << key << "\n" << pty.screen();
  }
  ASSERT_TRUE(pty.press("2"));
  const std::string table = body(pty);
  ASSERT_TRUE(pty.press("\r"));
  EXPECT_NE(body(pty), table) << "Enter opens the node";
  ASSERT_TRUE(pty.press(":about\r"));
  EXPECT_NE(pty.row(0).find("about"), std::string::npos) << pty.screen();
}

TEST(Console, ArrowsMoveInBothForms) {
  Pty pty(demo());
  ASSERT_TRUE(ready(pty));
  ASSERT_TRUE(pty.press("2"));
  const std::string first = body(pty);
  ASSERT_TRUE(pty.press("\x1b[B"));
  const std::uint64_t moved = pty.written();
  ASSERT_TRUE(pty.press("\x1bOA"));
  EXPECT_GT(pty.written(), moved);
  EXPECT_EQ(body(pty), first);
}

TEST(Console, ResizesAtAnyTime) {
  Pty pty(demo());
  ASSERT_TRUE(ready(pty));
  const std::pair<int, int> sizes[] = {{80, 24}, {120, 40}, {200, 60}, {40, 10}, {1, 1}, {120, 40}};
  for (const auto& [columns, rows] : sizes) {
    pty.resize(columns, rows);
    ASSERT_TRUE(pty.wait_idle()) << columns << "x" << rows;
    if (columns >= 80) {
      EXPECT_TRUE(pty.has("overview")) << columns << "x" << rows << "\n" << pty.screen();
    }
  }
}

TEST(Console, SaysWhatItNeedsWhenThereIsNoRoom) {
  PtyOptions options = demo();
  options.columns = 40;
  options.rows = 10;
  Pty pty(options);
  ASSERT_TRUE(pty.wait_idle());
  EXPECT_TRUE(std::regex_search(pty.screen(), std::regex("40 ?x ?10"))) << pty.screen();
}

TEST(Console, SuspendsToTheShellAndComesBack) {
  Pty pty(demo());
  ASSERT_TRUE(ready(pty));
  pty.send("\x1a");
  ASSERT_TRUE(pty.wait_stopped());
  ASSERT_TRUE(pty.wait_until([&] { return !pty.alternate(); }));
  EXPECT_TRUE(pty.echoes());
  EXPECT_TRUE(pty.cursor_visible());
  pty.signal(SIGCONT);
  ASSERT_TRUE(pty.wait_until([&] { return pty.alternate() && pty.has("overview"); })) << pty.screen();
  ASSERT_TRUE(pty.press("2"));
  EXPECT_NE(pty.row(0).find("nodes"), std::string::npos) << pty.screen();
  EXPECT_FALSE(pty.echoes());
}

TEST(Console, AStopFromOutsideGivesTheTerminalBackToo) {
  Pty pty(demo());
  ASSERT_TRUE(ready(pty));
  pty.signal(SIGTSTP);
  ASSERT_TRUE(pty.wait_stopped());
  ASSERT_TRUE(pty.wait_until([&] { return !pty.alternate(); }));
  EXPECT_TRUE(pty.echoes());
}

class EndedBy : public testing::TestWithParam<int> {};

TEST_P(EndedBy, GivesTheTerminalBack) {
  Pty pty(demo());
  ASSERT_TRUE(ready(pty));
  pty.signal(GetParam());
  ASSERT_TRUE(pty.wait_ended());
  EXPECT_FALSE(pty.alternate());
  EXPECT_TRUE(pty.echoes());
  EXPECT_TRUE(pty.cursor_visible());
  EXPECT_NE(pty.bytes().rfind("\x1b[?2004l"), std::string::npos);
  EXPECT_NE(pty.exit_code(), 0) << "it did not end by itself";
}
INSTANTIATE_TEST_SUITE_P(Signals, EndedBy,
                         testing::Values(SIGTERM, SIGHUP, SIGINT, SIGUSR1, SIGUSR2, SIGSEGV, SIGABRT, SIGBUS),
                         [](const auto& number) { return std::string("SIG") + sigabbrev_np(number.param); });

bool has_escapes(const Pty& pty) { return pty.bytes().find('\x1b') != std::string::npos; }

Pty& finished(Pty& pty) {
  EXPECT_TRUE(pty.wait_ended());
  return pty;
}

TEST(Lists, FitATerminalAndAreColouredThere) {
  PtyOptions options;
  options.columns = 80;
  options.arguments = {"workloads", "--sim"};
  Pty list(options);
  finished(list);
  EXPECT_TRUE(has_escapes(list));
  EXPECT_NE(list.bytes().find("88101"), std::string::npos);
  for (int y = 0; y < 39; ++y) {
    const std::string row = list.row(y);
    if (!row.empty()) EXPECT_NE(row.front(), ' ') << "a line was broken\n" << list.screen();
  }
  options.environment["NO_COLOR"] = "1";
  Pty plain(options);
  EXPECT_FALSE(has_escapes(finished(plain)));
  options.environment.clear();
  options.arguments.emplace_back("--no-color");
  Pty flagged(options);
  EXPECT_FALSE(has_escapes(finished(flagged)));
  options.arguments = {"doctor", "--sim=broken"};
  Pty doctor(options);
  EXPECT_TRUE(finished(doctor).has("way out:")) << doctor.screen();
}

// The signal is taken long before the bytes are written that no reader takes: nothing interrupts them.
TEST(Console, ASignalEndsItWhereTheTerminalTakesNothing) {
  Pty pty(demo());
  ASSERT_TRUE(ready(pty));
  pty.stall();
  pty.signal(SIGTERM);
  ASSERT_TRUE(pty.wait_ended());
  EXPECT_EQ(pty.exit_code(), 128 + SIGTERM);
}

TEST(Console, SigtermEndsItWithTheUsualCode) {
  Pty pty(demo());
  ASSERT_TRUE(ready(pty));
  pty.signal(SIGTERM);
  ASSERT_TRUE(pty.wait_ended());
  EXPECT_EQ(pty.exit_code(), 128 + SIGTERM);
}

TEST(Console, APasteIsNeverReadAsKeys) {
  Pty pty(demo());
  ASSERT_TRUE(ready(pty));
  const std::string before = body(pty);
  ASSERT_TRUE(pty.press("\x1b[200~2q\x1b[B\r:quit\r\x1b[201~"));
  const std::string after = body(pty);
  const std::size_t message = after.find(" a paste is not read as keys");
  ASSERT_NE(message, std::string::npos) << after;
  const std::size_t above = after.rfind('\n', message);
  EXPECT_EQ(after.substr(0, above), before.substr(0, above)) << "only the message line tells of it";
}

TEST(Console, AnswersOfTheTerminalAreNotKeys) {
  Pty pty(demo());
  ASSERT_TRUE(ready(pty));
  const std::string before = body(pty);
  ASSERT_TRUE(pty.press("\x1b[?62;1;4c\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\\x1b[24;80R"));
  EXPECT_EQ(body(pty), before);
}

TEST(Console, NothingChangesMeansNotOneByte) {
  Pty pty(demo());
  ASSERT_TRUE(ready(pty));
  // The title's clock may reach the next minute once, but not twice.
  const std::chrono::milliseconds while_looking(3500);
  EXPECT_TRUE(pty.quiet_for(while_looking) || pty.quiet_for(while_looking));
}

TEST(Console, AStepDownCostsLittle) {
  Pty pty(demo());
  ASSERT_TRUE(ready(pty));
  ASSERT_TRUE(pty.press("2"));
  const std::uint64_t before = pty.written();
  ASSERT_TRUE(pty.press("j"));
  RecordProperty("bytes", static_cast<int>(pty.written() - before));
  EXPECT_GT(pty.written(), before);
  EXPECT_LT(pty.written() - before, 2500u);
}

TEST(Console, NoColorSendsNoColourButAttributes) {
  Pty pty(demo({{"NO_COLOR", "1"}}));
  ASSERT_TRUE(ready(pty));
  ASSERT_TRUE(pty.press("2"));
  EXPECT_FALSE(has_colour(pty));
  bool reversed = false;
  for (int y = 0; y < 40; ++y) reversed = reversed || pty.cell(2, y).reverse;
  EXPECT_TRUE(reversed) << "the selected row stands out all the same";
}

TEST(Console, ColourIsUsedWhereThereIsSome) {
  for (const std::string type :
       {"xterm-256color", "xterm", "linux", "screen", "screen-256color", "tmux-256color"}) {
    Pty pty(demo({{"TERM", type}}));
    ASSERT_TRUE(ready(pty)) << type << "\n" << pty.screen();
    EXPECT_TRUE(has_colour(pty)) << type;
  }
}

TEST(Console, TerminalsWithoutAnEntryGetALikelyOne) {
  for (const std::string type : {"xterm-ghostty", "alacritty", "vt100", "no-such-terminal"}) {
    Pty pty(demo({{"TERM", type}}));
    ASSERT_TRUE(ready(pty)) << type << "\n" << pty.screen();
    const bool unknown = type == std::string("no-such-terminal");
    EXPECT_EQ(pty.has("TERM=no-such-terminal: this terminal is not known, drawing as for vt100"), unknown)
        << pty.screen();
    if (unknown) {
      ASSERT_TRUE(pty.press("2"));
      EXPECT_FALSE(pty.has("not known")) << "said once";
    }
  }
}

// A container from scratch, a stripped node: nothing below the folders where curses and the C library look.
TEST(Console, AHostWithoutTerminalsAndLocalesGetsTheBuiltInOnes) {
  for (const std::string type : {"xterm-256color", "screen", "xterm-kitty", "linux"}) {
    PtyOptions options = demo({{"TERM", type}, {"TERMINFO", "/nowhere"}});
    options.arguments.insert(
        options.arguments.begin(),
        {"-c",
         "for folder in /lib/terminfo /usr/share/terminfo /etc/terminfo /usr/lib/locale; do "
         "[ ! -d $folder ] || mount -t tmpfs none $folder || exit 9; done; "
         "exec \"$0\" \"$@\"",
         test::binary()});
    options.arguments.insert(options.arguments.begin(), {"-rm", "/bin/sh"});
    options.program = "/usr/bin/unshare";
    Pty pty(options);
    ASSERT_TRUE(ready(pty)) << type << "\n" << pty.screen();
    EXPECT_TRUE(has_colour(pty)) << type;
    EXPECT_FALSE(pty.has("not known")) << pty.screen();
    EXPECT_EQ(pty.has("─"), type != "linux") << pty.screen();
  }
}

TEST(Console, ADumbTerminalIsRefusedWithAReason) {
  Pty pty(demo({{"TERM", "dumb"}}));
  ASSERT_TRUE(pty.wait_ended());
  EXPECT_NE(pty.exit_code(), 0);
  EXPECT_TRUE(pty.has("TERM=dumb")) << pty.screen();
  EXPECT_TRUE(pty.echoes());
}

TEST(Console, OtherLocalesGetAscii) {
  Pty pty(demo({{"LANG", "C"}}));
  ASSERT_TRUE(ready(pty)) << pty.screen();
  ASSERT_TRUE(pty.press("2\r"));
  for (const char c : pty.bytes()) ASSERT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(Console, ALocaleThatIsNotInstalledButNamesUtf8GetsUtf8) {
  Pty pty(demo({{"LANG", "de_DE.UTF-8"}}));
  ASSERT_TRUE(ready(pty));
  EXPECT_TRUE(pty.has("─")) << pty.screen();
}

TEST(Console, CopyingGoesThroughTheTerminal) {
  Pty pty(demo());
  ASSERT_TRUE(ready(pty));
  ASSERT_TRUE(pty.press("2y"));
  EXPECT_NE(pty.bytes().find("\x1b]52;c;"), std::string::npos);
}

TEST(Console, TheMouseIsLeftToTheTerminalUnlessAskedFor) {
  Pty pty(demo());
  ASSERT_TRUE(ready(pty));
  EXPECT_EQ(pty.bytes().find("\x1b[?1000h"), std::string::npos);
  ASSERT_TRUE(pty.press("M"));
  EXPECT_NE(pty.bytes().find("\x1b[?1000h"), std::string::npos);
}

TEST(Console, EveryThemeCanBeChosen) {
  for (const std::string theme : {"dark", "light", "high-contrast", "colour-blind", "mono"}) {
    Pty pty(demo({}, {"--theme=" + theme}));
    ASSERT_TRUE(ready(pty)) << theme << "\n" << pty.screen();
    EXPECT_EQ(has_colour(pty), theme != "mono") << theme;
  }
}

}  // namespace
}  // namespace tessera
