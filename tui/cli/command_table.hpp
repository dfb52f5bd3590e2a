// Every command and flag, in one table: parsing, --help, the manual, completions and docs come from it.
// Threads: constant data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::cli {

// What a shell can offer after a flag or for a word.
// columns: of the lists, one or several with commas; run: of a run whose journal lies in the state folder;
// nodes: names that the last listing told, one or several with commas; filter: node= and user= with such
// names.
enum class Completes : std::uint8_t {
  nothing,
  words,
  file,
  product,
  scenario,
  theme,
  keymap,
  columns,
  preset,
  run,
  nodes,
  filter
};

// Headings of --help and the manual.
enum class Section : std::uint8_t {
  data,
  output,
  console,
  layouts,
  pack,
  fleet,
  change,
  run,
  guide,
  past,
  general,
  count_
};

// Which commands take a flag.
enum Takes : unsigned {
  kConsole = 1u << 0,
  kLists = 1u << 1,
  kLayouts = 1u << 2,
  kShell = 1u << 3,   // completion
  kConfig = 1u << 4,  // config
  kPlan = 1u << 5,
  kApply = 1u << 6,
  kUndo = 1u << 7,
  kResume = 1u << 8,
  kJournal = 1u << 9,
  kSim = 1u << 10,    // sim
  kGuide = 1u << 11,  // guide
  kDoctor = 1u << 12,
  kAbout = 1u << 13,
  kInit = 1u << 14,
  kWhy = 1u << 15,
  kUsers = 1u << 16,
  kPack = 1u << 17,
  kWhatif = 1u << 18,
  kFleet = 1u << 19,
  kAdvise = 1u << 20,
  kRecord = 1u << 24,
  kReplay = 1u << 25,
  kDiff = 1u << 26,
  kUsed = 1u << 27,
  kWaste = 1u << 28,
  kEvery = 0x1fffffffu,
};

struct Flag {
  std::string_view name;        // "output", without dashes: also the key in config.yaml where it has one
  char letter = 0;              // 'o'; 0: no short form
  std::string_view value;       // "FORMAT"; empty: a switch
  bool value_optional = false;  // --sim[=SCENARIO]
  std::string_view also;        // other spellings, separated by blanks: "read-only"; one letter: a short form
  Section section = Section::general;
  unsigned takes = kEvery;
  std::string_view environment;  // TESSERA_…; empty: none
  bool in_file = false;          // may stand in config.yaml
  std::string_view fallback;     // the value when none is set; empty: unset, or off
  Completes completes = Completes::nothing;
  std::string_view words;  // the values it may have, separated by blanks
  std::string_view help;   // one sentence
  bool repeats = false;    // may stand several times; the values are joined by commas
  bool figures = false;    // a source of figures: it is kept in Options::figures as it is written
};

// The command that is a program of its own, tessera-sim: its name in this table.
inline constexpr std::string_view kSimulator = "sim";

struct Command {
  std::string_view name;       // empty: the console
  unsigned takes = 0;          // its bit of Takes
  std::string_view arguments;  // "PRODUCT"; for the usage line
  std::size_t max_words = 0;
  Completes completes = Completes::nothing;
  std::string_view words;     // what its word may be, separated by blanks
  std::string_view summary;   // one line
  std::string_view details;   // a paragraph for the manual and the command's own help
  std::string_view examples;  // one a line, "command  # what it does"
};

std::span<const Command> commands();
// "tessera plan", "tessera-sim", "tessera".
std::string called(const Command& command);
std::span<const Flag> flags();
const Command* find_command(std::string_view name);
const Flag* find_flag(std::string_view name);  // by name or another spelling
// Whether the command makes or carries out plans: it needs the GPUs of the nodes that it is about, and but
// for advise --at is a time to come for it.
bool makes_plans(std::string_view command);
// Whether the command looks at a recording: always for replay, for others where --at names a moment of it.
bool can_look_back(std::string_view command);
// Whether it sums up a stretch of time, which --at ends.
bool sums_up(std::string_view command);
std::string_view title(Section section);
std::vector<std::string_view> split_words(std::string_view words);

// The known name nearest to what was typed, for "did you mean"; empty: none is near.
std::string nearest(std::string_view typed, const std::vector<std::string_view>& known);

// Exit codes, the same for every command.
struct ExitCode {
  int code;
  std::string_view meaning;
};
std::span<const ExitCode> exit_codes();
inline constexpr int kDone = 0, kFinding = 1, kUsage = 2, kUnknown = 3;

}  // namespace tessera::cli
