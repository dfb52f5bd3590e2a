#include <fmt/format.h>

#include "tui/cli/command_table.hpp"
#include "tui/cli/help/as_taken.hpp"
#include "tui/cli/help/completion.hpp"

namespace tessera::cli {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// "-l" and the like for each spelling: fish tells long flags from short ones itself.
std::string spellings(const Flag& flag) {
  std::string text = fmt::format(" -l {}", flag.name);
  if (flag.letter) text += fmt::format(" -s {}", flag.letter);
  for (std::string_view other : split_words(flag.also))
    text += fmt::format(" -{} {}", other.size() == 1 ? 's' : 'l', other);
  return text;
}

// -r: a value follows; -f: no file; -F: files, too.
std::string value_of(const Flag& flag, const CompletionWords& known) {
  if (flag.value.empty()) return "";
  std::string text = flag.value_optional ? "" : " -r";
  text += completes_files(flag.completes) ? " -F" : " -f";
  if (flag.completes == Completes::nodes) return text + " -a '(__tessera_list (__tessera_names nodes))'";
  if (flag.completes == Completes::filter) return text + " -a '(__tessera_filter)'";
  const std::string words = completion_values(flag.completes, flag.words, known);
  return words.empty() ? text : text + " -a " + quoted(words);
}

std::string condition_of(unsigned takes) {
  if (takes == kEvery) return "";
  std::string names;
  for (const Command& command : commands())
    if (!command.name.empty() && command.name != kSimulator && (command.takes & takes) != 0)
      names += " " + std::string(command.name);
  std::string condition;
  if ((takes & kConsole) != 0) condition = "__fish_use_subcommand";
  if (!names.empty())
    condition += (condition.empty() ? "" : "; or ") + std::string("__fish_seen_subcommand_from") + names;
  return " -n " + quoted(condition);
}

// Columns are those of the command that is typed: a line for each of the lists.
std::string column_flags(const Flag& flag, const CompletionWords& known) {
  std::string text;
  for (const Command& command : commands()) {
    if (command.name.empty() || (command.takes & flag.takes) == 0) continue;
    text += fmt::format("complete -c tessera -n {}{} -r -f -a {} -d {}\n",
                        quoted(fmt::format("__fish_seen_subcommand_from {}", command.name)), spellings(flag),
                        quoted(fmt::format("(__tessera_list {})", completion_columns(command.name, known))),
                        quoted(flag.help));
  }
  return text;
}

// The runs whose journals lie in the state folder, without asking a cluster; and keys in a list, behind what
// stands before the last comma.
constexpr std::string_view kFunctions = R"(function __tessera_runs
    set -l state $XDG_STATE_HOME
    string match -q '/*' -- "$state"; or set state $HOME/.local/state
    set -l kind runs
    string match -q -- '* --sim*' (commandline); and set kind simulated-runs
    set -l files $state/tessera/$kind/*.journal
    set -q TESSERA_RUNS; and set -a files $TESSERA_RUNS/*.journal
    for file in $files
        string match -r -g '^(?:.*/)?([A-Za-z0-9._-]+)\.journal$' -- $file
    end
end
# Names that the last listing told; no cluster is asked.
function __tessera_names
    set -l cache $XDG_CACHE_HOME
    string match -q '/*' -- "$cache"; or set cache $HOME/.cache
    set -l kind names
    string match -q -- '* --sim*' (commandline); and set kind simulated-names
    for file in $cache/tessera/$kind/*.$argv[1]
        string match -r '^[A-Za-z0-9_][A-Za-z0-9._-]*$' <$file
    end
end
function __tessera_filter
    for name in (__tessera_names nodes)
        echo node=$name
    end
    for name in (__tessera_names users)
        echo user=$name
    end
end
function __tessera_list
    set -l typed (string replace -r '^-[^=]*=' '' -- (commandline -ct))
    set -l before (string match -r '^.*,' -- $typed)
    for key in $argv
        echo "$before$key"
    end
end
)";

}  // namespace

std::string fish_completion(const CompletionWords& known) {
  std::string text = "# fish completion for tessera; made by `tessera completion fish`\n";
  text += kFunctions;
  text += "complete -c tessera -f\n";
  for (const Command& command : commands()) {
    if (command.name.empty() || command.name == kSimulator) continue;
    text += fmt::format("complete -c tessera -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        quoted(command.summary));
    const std::string words = completion_values(command.completes, command.words, known);
    const std::string seen = quoted(fmt::format("__fish_seen_subcommand_from {}", command.name));
    if (!words.empty()) text += fmt::format("complete -c tessera -n {} -a {}\n", seen, quoted(words));
    if (command.completes == Completes::run)
      text += fmt::format("complete -c tessera -n {} -a '(__tessera_runs)'\n", seen);
    for (std::string_view verb : split_words(words_before_nodes(command)))
      text +=
          fmt::format("complete -c tessera -n {} -a '(__tessera_names nodes)'\n",
                      quoted(fmt::format("__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}",
                                         command.name, verb)));
    if (completes_files(command.completes)) text += fmt::format("complete -c tessera -n {} -F\n", seen);
  }
  for (const Flag& flag : flags()) {
    if (flag.takes == kSim) continue;
    if (flag.completes == Completes::columns) {
      text += column_flags(flag, known);
      continue;
    }
    const unsigned rows = flag.name == "output" ? printing_rows(flag.takes) : 0;
    const auto add = [&](unsigned takes) {
      const Flag taken = as_taken(flag, takes);
      text += fmt::format("complete -c tessera{}{}{} -d {}\n", condition_of(takes), spellings(taken),
                          value_of(taken, known), quoted(taken.help));
    };
    add(rows != 0 ? rows : flag.takes);
    if (rows != 0) add(flag.takes & ~rows);
  }
  return text;
}

}  // namespace tessera::cli
