#include "tui/cli/command_table.hpp"

#include <algorithm>

namespace tessera::cli {
namespace {

constexpr Command kCommands[] = {
    {"", kConsole, "", 0, Completes::nothing, "", "open the console",
     "Opens the console on what is found here: the Slurm of this machine, or a simulated cluster with --sim. "
     "Press ? for the keys of each screen.",
     "tessera  # the cluster of this machine\n"
     "tessera --sim  # a living simulated cluster"},
    {"nodes", kLists, "", 0, Completes::nothing, "", "list nodes and what is held on them",
     "One row for each node that has GPUs, with its state in the scheduler's own words.",
     "tessera nodes --filter 'state:drain'  # nodes closed to new work\n"
     "tessera nodes -o json  # for scripts"},
    {"gpus", kLists, "", 0, Completes::nothing, "", "list GPUs, how they are shared and what still fits",
     "One row for each GPU. What the scheduler does not tell is shown as ? or n/a, never as 0.",
     "tessera gpus -o wide --sort=-use  # the busiest first\n"
     "tessera gpus -o csv > gpus.csv"},
    {"slices", kLists, "", 0, Completes::nothing, "", "list slices and who holds each",
     "One row for each slice: a MIG instance, a share of MPS, time-slicing or sharding, or a whole GPU.",
     "tessera slices --filter 'user=alice'  # what alice holds\n"
     "tessera slices --filter 'state=free' -o json"},
    {"workloads", kLists, "", 0, Completes::nothing, "", "list running and waiting work, and why it waits",
     "One row for each job or pod that has or asks for GPUs.",
     "tessera workloads --filter 'state=pending' --sort=since\n"
     "tessera workloads --watch  # again whenever something changes"},
    {"layouts", kLayouts, "[PRODUCT]", 1, Completes::product, "",
     "list the MIG layouts of a product, or check one",
     "Lists the ways in which a product can be cut. PRODUCT is any name that the catalogue knows: its key, "
     "the "
     "name that nvidia-smi prints, the label of GPU feature discovery or a PCI id. Without PRODUCT the "
     "products are listed. With --check one layout is judged: exit code 0 when it is legal, 1 when it is "
     "not.",
     "tessera layouts H100-80GB-SXM5  # the layouts worth choosing from\n"
     "tessera layouts H100-80GB-SXM5 --check '3g.40gb@4,2g.20gb@2,1g.10gb@0'\n"
     "tessera layouts A30 --all -o json"},
    {"sim", kSim, "VERB [WORD...]", 100, Completes::words,
     "advance drain open reboot end fault faults check scenarios", "play with a saved simulated world",
     "Acts on the world that --sim-state keeps, while others look at it or run changes on it. advance TIME "
     "lets time pass; drain NODE [REASON], open NODE, reboot NODE and end WORKLOAD are what happens on any "
     "day; fault arms one that strikes at a later action, faults lists what is armed or, when nothing is, "
     "what there is; check says what is not as it must be (exit code 1); scenarios lists the shipped ones.",
     "tessera sim advance 10m --sim-state /tmp/world\n"
     "tessera sim fault 'create-stops node=h100-03' --sim-state /tmp/world\n"
     "tessera sim check --sim-state /tmp/world"},
    {"completion", kShell, "bash|zsh", 1, Completes::words, "bash zsh",
     "print the completion script of a shell",
     "Prints a script that teaches a shell the commands, flags and values of tessera.",
     "source <(tessera completion bash)\n"
     "tessera completion zsh > ~/.zfunc/_tessera"},
    {"config", kConfig, "path|print|man|keys|keymap", 1, Completes::words, "path print man keys keymap",
     "show the files and settings in use, the manual, the keys",
     "path lists the files that are read, in order. print shows every setting and where it comes from. man "
     "prints this manual for man(1). keys prints the table of keys, keymap a keymap file to start from.",
     "tessera config print\n"
     "tessera config man | man -l -"},
};

constexpr unsigned kShowing = kConsole | kLists;

constexpr Flag kFlags[] = {
    {"cluster", 'c', "NAME", false, "", Section::data, kShowing | kSim, "TESSERA_CLUSTER", false, "",
     Completes::nothing, "", "only this cluster"},
    {"sim", 0, "SCENARIO", true, "", Section::data, kShowing | kSim, "TESSERA_SIM", false, "",
     Completes::scenario, "",
     "a simulated cluster; SCENARIO is a shipped name or a YAML file, demo when left out"},
    {"sim-seed", 0, "N", false, "", Section::data, kShowing | kSim, "", false, "", Completes::nothing, "",
     "seed of the simulation; the same seed gives the same world"},
    {"sim-speed", 0, "FACTOR", false, "", Section::data, kShowing, "", false, "", Completes::nothing, "",
     "how much faster than the clock simulated time passes; 0: it stands still"},
    {"sim-state", 0, "FILE", false, "", Section::data, kShowing | kSim, "TESSERA_SIM_STATE", false, "",
     Completes::file, "",
     "keep the simulated world in FILE, so that a sequence of commands acts on one world"},
    {"slurm-conf", 0, "FILE", false, "", Section::data, kShowing, "SLURM_CONF", true, "", Completes::file, "",
     "the slurm.conf that Slurm's commands are to use"},
    {"interval", 'i', "TIME", false, "delay", Section::data, kShowing, "TESSERA_INTERVAL", true, "",
     Completes::nothing, "",
     "time between two looks at the cluster: 10, 30s, 2m; slower when the cluster is slow"},
    {"readonly", 0, "", false, "read-only", Section::data, kShowing, "TESSERA_READONLY", true, "",
     Completes::nothing, "",
     "never change a cluster: what tessera does unless told otherwise; wins over --write beside it"},
    {"write", 0, "", false, "", Section::data, kShowing, "", false, "", Completes::nothing, "",
     "arm changes; this version has none to offer and only shows [RW]"},

    {"output", 'o', "FORMAT", false, "", Section::output, kLists | kLayouts, "TESSERA_OUTPUT", false, "table",
     Completes::words, "table wide json yaml csv", "how to print: table, wide, json, yaml or csv"},
    {"filter", 'f', "EXPR", false, "selector l", Section::output, kLists, "", false, "", Completes::nothing,
     "", "only rows that pass: words, column=value, column>=number, !not, a | b; as / in the console"},
    {"sort", 's', "KEY[,-KEY]", false, "", Section::output, kLists, "", false, "", Completes::nothing, "",
     "sort by these columns; a minus sign turns one round (write --sort=-KEY)"},
    {"columns", 0, "KEY,...", false, "", Section::output, kLists, "", false, "", Completes::nothing, "",
     "exactly these columns, in this order (table, wide, csv)"},
    {"no-headers", 0, "", false, "", Section::output, kLists | kLayouts, "", false, "", Completes::nothing,
     "", "leave out the line of headings"},
    {"watch", 'w', "", false, "", Section::output, kLists, "", false, "", Completes::nothing, "",
     "print again whenever something changes; JSON and YAML as one document each time"},
    {"timeout", 0, "TIME", false, "", Section::output, kLists, "TESSERA_TIMEOUT", true, "30s",
     Completes::nothing, "", "how long to wait for the first complete answer (30s)"},

    {"theme", 0, "NAME", false, "", Section::console, kConsole, "TESSERA_THEME", true, "dark",
     Completes::theme, "", "colours: a shipped name or a YAML file"},
    {"keys", 0, "NAME", false, "", Section::console, kConsole, "TESSERA_KEYS", true, "default",
     Completes::keymap, "", "keymap: a shipped name or a YAML file"},
    {"no-color", 'C', "", false, "no-colour", Section::console, kShowing, "", true, "", Completes::nothing,
     "", "no colours; so does a NO_COLOR that is not empty"},
    {"ascii", 'U', "", false, "no-unicode", Section::console, kShowing | kLayouts, "TESSERA_ASCII", true, "",
     Completes::nothing, "", "draw with ASCII characters only"},
    {"mouse", 0, "", false, "", Section::console, kConsole, "TESSERA_MOUSE", true, "", Completes::nothing, "",
     "use the mouse; the terminal's own selection then needs Shift"},

    {"all", 0, "", false, "", Section::layouts, kLayouts, "", false, "", Completes::nothing, "",
     "every legal layout, the empty one included"},
    {"maximal", 0, "", false, "", Section::layouts, kLayouts, "", false, "", Completes::nothing, "",
     "layouts to which nothing can be added"},
    {"undominated", 0, "", false, "", Section::layouts, kLayouts, "", false, "", Completes::nothing, "",
     "maximal layouts that no other one betters (this is the default)"},
    {"profiles", 'p', "NAME,...", false, "", Section::layouts, kLayouts, "", false, "", Completes::nothing,
     "", "use these profiles only; without it the base profiles and the double-memory 1g"},
    {"check", 0, "LAYOUT", false, "", Section::layouts, kLayouts, "", false, "", Completes::nothing, "",
     "judge one layout: '3g.40gb@4,1g.10gb@0'; without @ a legal start is looked for"},

    {"help", 'h', "", false, "", Section::general, kEvery, "", false, "", Completes::nothing, "",
     "show help for tessera or for one command"},
    {"version", 'V', "", false, "", Section::general, kEvery, "", false, "", Completes::nothing, "",
     "show the version"},
};

constexpr ExitCode kExitCodes[] = {
    {kDone, "done"},
    {kFinding, "a finding, or refused: a layout that is not legal"},
    {kUsage, "wrong usage or configuration"},
    {kUnknown, "could not find out: no cluster here, or it did not answer"},
};

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::span<const Command> commands() { return kCommands; }
std::span<const Flag> flags() { return kFlags; }
std::span<const ExitCode> exit_codes() { return kExitCodes; }

const Command* find_command(std::string_view name) {
  auto it = std::find_if(std::begin(kCommands), std::end(kCommands),
                         [&](const Command& command) { return command.name == name; });
  return it == std::end(kCommands) ? nullptr : it;
}

const Flag* find_flag(std::string_view name) {
  for (const Flag& flag : kFlags) {
    if (flag.name == name) return &flag;
    for (std::string_view other : split_words(flag.also)) {
      if (other == name) return &flag;
    }
  }
  return nullptr;
}

std::string_view title(Section section) {
  switch (section) {
    case Section::data: return "What to look at";
    case Section::output: return "How to print";
    case Section::console: return "How it looks";
    case Section::layouts: return "Layouts";
    case Section::general: return "General";
    case Section::count_: break;
  }
  return "";
}

std::vector<std::string_view> split_words(std::string_view words) {
  std::vector<std::string_view> list;
  while (!words.empty()) {
    std::size_t end = std::min(words.find(' '), words.size());
    if (end > 0) list.push_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return list;
}

std::string nearest(std::string_view typed, const std::vector<std::string_view>& known) {
  if (typed.size() > 64) return "";
  std::string_view best;
  std::size_t best_distance = typed.size() < 5 ? 2 : 3;  // farther is a guess, not a help
  for (std::string_view word : known) {
    std::size_t d = word.starts_with(typed) && typed.size() >= 3 ? 1 : distance(typed, word);
    if (d < best_distance) {
      best = word;
      best_distance = d;
    }
  }
  return std::string(best);
}

}  // namespace tessera::cli
