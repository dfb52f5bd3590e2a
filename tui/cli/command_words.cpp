// Words about the table of commands: what is found in it, headings, lists of words, and what was meant by a
// misspelt one.
#include <algorithm>

#include "tui/cli/command_table.hpp"

namespace tessera::cli {
namespace {

constexpr ExitCode kExitCodes[] = {
    {kDone, "done"},
    {kFinding, "a finding, or refused: an illegal layout, a parked run, a missing answer"},
    {kUsage, "wrong usage or configuration"},
    {kUnknown, "could not find out everything: no cluster, no answer, or a broken one"},
    {130, "128 and the signal's number: a run was parked because a signal came"},
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

std::string called(const Command& command) {
  if (command.name.empty()) return "tessera";
  return (command.name == kSimulator ? "tessera-" : "tessera ") + std::string(command.name);
}

std::span<const ExitCode> exit_codes() { return kExitCodes; }

const Command* find_command(std::string_view name) {
  const auto all = commands();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const Command& command) { return command.name == name; });
  return it == all.end() ? nullptr : &*it;
}

const Flag* find_flag(std::string_view name) {
  for (const Flag& flag : flags()) {
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
    case Section::pack: return "GPUs and demand";
    case Section::fleet: return "The fleet file";
    case Section::change: return "What to change, and how patiently";
    case Section::run: return "Plans and runs";
    case Section::guide: return "The guide";
    case Section::past: return "Recordings";
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
