#include "tui/cli/parse.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <iterator>

#include "engine/shell.hpp"
#include "engine/text.hpp"
#include "tui/cli/command_table.hpp"

namespace tessera::cli {
namespace {

constexpr std::string_view kWhat = "cannot use these arguments";

Error usage(std::string reason, std::string hint) {
  return Error{std::string(kWhat), clean(reason, 500), std::move(hint)};
}

std::string spellings(const Flag& flag) {
  std::string all = "--" + std::string(flag.name);
  if (flag.letter) all = std::string("-") + flag.letter + "," + all;
  for (std::string_view other : split_words(flag.also)) {
    all += (other.size() == 1 ? ",-" : ",--") + std::string(other);
  }
  return all;
}

// "folder" of "--folder=F"; of a word that is no long flag: empty.
std::string_view long_name(std::string_view word) {
  return word.starts_with("--") ? word.substr(2, word.find('=') - 2) : std::string_view();
}

bool takes_value(std::string_view word) {
  const Flag* flag = find_flag(long_name(word));
  return flag && !flag->value.empty();
}

// The flag as it was written last, "folder" where that is another spelling of --recording.
std::string as_given(const Flag& flag, const std::vector<std::string>& arguments) {
  std::string_view name = flag.name;
  for (std::string_view word : arguments) {
    if (word == "--") break;
    if (std::string_view given = long_name(word); find_flag(given) == &flag) name = given;
  }
  return std::string(name);
}

bool looks_like_scenario(const std::string& word) {
  return !word.starts_with("-") && !find_command(word) &&
         (word.find('/') != std::string::npos || word.ends_with(".yaml") || word.ends_with(".yml"));
}

// "--folder=", with a variable of a shell that is not set behind it: CLI11 would take the next word for the
// value.
bool ends_without_value(const std::string& word) {
  return word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1;
}

// Habits that CLI11 would take for something else: a bare --sim, a sort key with a minus sign, and no value.
std::vector<std::string> with_joined_values(const std::vector<std::string>& arguments) {
  std::vector<std::string> joined;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    bool more = i + 1 < arguments.size();
    if (word == "--") {
      joined.insert(joined.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
      break;
    }
    if (word == "--sim") {
      joined.push_back(more && looks_like_scenario(arguments[i + 1]) ? "--sim=" + arguments[++i]
                                                                     : "--sim=default");
    } else if ((word == "--sort" || word == "-s") && more && arguments[i + 1].starts_with("-")) {
      joined.push_back("--sort=" + arguments[++i]);
    } else if (ends_without_value(word) && takes_value(word)) {
      joined.insert(joined.end(), {word.substr(0, word.size() - 1), ""});
    } else {
      joined.push_back(word);
    }
  }
  return joined;
}

// Where CLI11 puts what it read, one for each row of the table.
struct Slot {
  const Flag* flag = nullptr;
  CLI::Option* option = nullptr;
  std::string value;
  bool on = false;
};

std::deque<Slot> add_flags(CLI::App& app) {
  std::deque<Slot> slots;
  for (const Flag& flag : flags()) {
    Slot& slot = slots.emplace_back(Slot{&flag, nullptr, "", false});
    if (flag.value.empty()) {
      slot.option = app.add_flag(spellings(flag), slot.on);
    } else {
      slot.option = app.add_option(spellings(flag), slot.value);
    }
    if (flag.repeats)
      slot.option->join(',');
    else
      slot.option->take_last();
  }
  return slots;
}

Error unknown_flag(const std::string& word) {
  std::string name = word.substr(0, word.find('='));
  std::vector<std::string_view> known;
  for (const Flag& flag : flags()) known.push_back(flag.name);
  std::string near = nearest(std::string_view(name).substr(name.find_first_not_of('-')), known);
  return usage("unknown flag " + name,
               near.empty() ? "tessera --help lists the flags" : "did you mean --" + near + "?");
}

// Behind a bare --sim, where a word that is no file is a command.
std::string scenario_hint(const std::string& word) {
  return "a scenario's name follows an equals sign: --sim=" + shell_word(word);
}

Error unknown_word(const std::string& word, const std::string& command, bool after_sim = false) {
  if (!command.empty()) {
    const Command* entry = find_command(command);
    std::string usage_line = "usage: " + (entry ? called(*entry) : "tessera " + command);
    if (entry && !entry->arguments.empty()) usage_line += " " + std::string(entry->arguments);
    return usage("unexpected word \"" + word + "\"", after_sim ? scenario_hint(word) : usage_line);
  }
  std::vector<std::string_view> known;
  for (const Command& entry : commands()) {
    if (!entry.name.empty() && entry.name != kSimulator) known.push_back(entry.name);
  }
  std::string near = nearest(word, known);
  if (after_sim)
    return usage("unknown command \"" + word + "\"",
                 (near.empty() ? "" : "did you mean " + near + "? ") + scenario_hint(word));
  return usage("unknown command \"" + word + "\"",
               near.empty() ? "tessera --help lists the commands" : "did you mean " + near + "?");
}

std::string commands_that_take(const Flag& flag) {
  std::string list;
  for (const Command& command : commands()) {
    if (!(command.takes & flag.takes)) continue;
    if (!list.empty()) list += ", ";
    list += command.name.empty() ? "the console" : command.name == kSimulator ? "tessera-sim" : command.name;
  }
  return list;
}

// Instead of a flag that the command does not take.
std::string what_to_use(const Flag& flag, const std::string& command) {
  // A recording has of runs what the recorder's user may read: not all that were known then.
  if (flag.name == "at" && command == "journal")
    return "journals keep their times: tessera journal RUN prints each event with its time; tessera replay "
           "FOLDER --at TIME shows what runs did before that moment, as far as they are recorded";
  return "it is for: " + commands_that_take(flag);
}

// A plan that was reviewed holds what is done and how patiently. What a flag asks for beside it would be left
// out without a word.
Status check_plan_file(const Parsed& parsed) {
  if (parsed.command != "apply" || parsed.words.empty()) return Done{};
  for (const auto& [name, value] : parsed.flags) {
    const Flag* flag = find_flag(name);
    if (flag && flag->section == Section::change && !flag->in_file)
      return usage("a plan from a file is applied as it is: --" + name + " has no effect beside it",
                   "omit either the file or the flag; tessera plan takes the flag, too");
  }
  return Done{};
}

// The word behind a bare --sim; empty: there is none.
std::string word_after_sim(const std::vector<std::string>& arguments) {
  const auto sim = std::find(arguments.begin(), arguments.end(), "--sim");
  return sim == arguments.end() || std::next(sim) == arguments.end() ? "" : *std::next(sim);
}

constexpr std::string_view kHelp = "help";

// "help pack" is "pack --help": pack takes any word for a demand, and replay for a recording.
Result<Parsed> help_for(const std::vector<std::string>& words) {
  Parsed parsed;
  parsed.flags[std::string(kHelp)] = "true";
  if (words.empty()) return parsed;
  if (!find_command(words.front())) return unknown_word(words.front(), "");
  parsed.command = words.front();
  return parsed;
}

bool slots_have(const std::deque<Slot>& slots, const Flag& flag) {
  return std::any_of(slots.begin(), slots.end(),
                     [&](const Slot& slot) { return slot.flag == &flag && slot.option->count() > 0; });
}

// "pack --by 08:00", as :pack by has it: a packing sums up nothing by anything.
const Flag& meant(const Flag& flag, const std::string& command) {
  return flag.name == "by" && command == "pack" ? *find_flag("ends-within") : flag;
}

Result<Parsed> collect(const CLI::App& app, const std::deque<Slot>& slots,
                       const std::vector<std::string>& arguments) {
  Parsed parsed;
  auto chosen = app.get_subcommands();
  if (chosen.size() > 1) return unknown_word(chosen[1]->get_name(), chosen[0]->get_name());
  if (!chosen.empty() && chosen[0]->get_name() == kHelp) return help_for(app.remaining(true));
  if (!chosen.empty()) parsed.command = chosen[0]->get_name();
  const Command& command = *find_command(parsed.command);

  for (const std::string& word : app.remaining(true)) {
    if (word == "--") continue;
    if (word.size() > 1 && word.starts_with("-")) return unknown_flag(word);
    parsed.words.push_back(word);
  }
  // Before the flags: those of a mistyped command would be held against the console.
  if (parsed.words.size() > command.max_words)
    return unknown_word(parsed.words[command.max_words], parsed.command,
                        parsed.words[command.max_words] == word_after_sim(arguments));
  for (const Slot& slot : slots) {
    if (slot.option->count() == 0) continue;
    const Flag& flag = meant(*slot.flag, parsed.command);
    if (&flag != slot.flag && slots_have(slots, flag))
      return usage("--by and --ends-within are the same here", "leave one of them out");
    if (!(flag.takes & command.takes)) {
      return usage("--" + as_given(flag, arguments) + " does not apply to " +
                       (parsed.command.empty() ? "the console" : parsed.command),
                   what_to_use(flag, parsed.command));
    }
    // An unset variable of a shell: it would count as not given, and ask for more than was meant.
    if (!flag.value.empty() && slot.value.empty() && flag.name != "filter" && flag.name != "check")
      return usage("--" + as_given(*slot.flag, arguments) + " has no value",
                   "give one, or leave the flag out");
    parsed.flags[std::string(flag.name)] = flag.value.empty() ? (slot.on ? "true" : "false") : slot.value;
  }
  if (Status ok = check_plan_file(parsed); !ok) return ok.error();
  return parsed;
}

}  // namespace

Result<Parsed> parse_arguments(const std::vector<std::string>& arguments) {
  try {
    CLI::App app;
    app.set_help_flag("");
    app.allow_extras();
    app.fallthrough();
    app.require_subcommand(0, 1);  // what follows is its words, also where it is the name of a command
    std::deque<Slot> slots = add_flags(app);
    for (const Command& command : commands()) {
      if (!command.name.empty()) app.add_subcommand(std::string(command.name))->set_help_flag("");
    }
    app.add_subcommand(std::string(kHelp))->set_help_flag("");
    std::vector<std::string> backwards = with_joined_values(arguments);
    std::reverse(backwards.begin(), backwards.end());  // CLI11 wants the last first
    app.parse(backwards);
    return collect(app, slots, arguments);
  } catch (const CLI::Error& error) {
    return usage(error.what(), "tessera --help lists the flags and their values");
  }
}

}  // namespace tessera::cli
