#include <fmt/format.h>

#include "tui/cli/command_table.hpp"
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

}  // namespace

std::string fish_completion(const CompletionWords& known) {
  std::string text =
      "# fish completion for tessera; made by `tessera completion fish`\ncomplete -c tessera -f\n";
  for (const Command& command : commands()) {
    if (command.name.empty() || command.name == kSimulator) continue;
    text += fmt::format("complete -c tessera -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        quoted(command.summary));
    const std::string words = completion_values(command.completes, command.words, known);
    const std::string seen = quoted(fmt::format("__fish_seen_subcommand_from {}", command.name));
    if (!words.empty()) text += fmt::format("complete -c tessera -n {} -a {}\n", seen, quoted(words));
    if (completes_files(command.completes)) text += fmt::format("complete -c tessera -n {} -F\n", seen);
  }
  for (const Flag& flag : flags()) {
    if (flag.takes == kSim) continue;
    text += fmt::format("complete -c tessera{}{}{} -d {}\n", condition_of(flag.takes), spellings(flag),
                        value_of(flag, known), quoted(flag.help));
  }
  return text;
}

}  // namespace tessera::cli
