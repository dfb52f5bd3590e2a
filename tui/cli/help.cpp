#include "tui/cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tui/language/wrap.hpp"

namespace tessera::cli {
namespace {

constexpr std::size_t kColumn = 30;  // where explanations start

std::string flag_lines(const Flag& flag) {
  std::string lead = "  " + spelling(flag);
  std::string text = wrapped(flag.help, kColumn);
  if (lead.size() + 2 > kColumn) return lead + "\n" + text;
  return lead + text.substr(lead.size());
}

std::string flag_sections(unsigned takes) {
  std::string text;
  for (int s = 0; s < static_cast<int>(Section::count_); ++s) {
    std::string lines;
    for (const Flag& flag : flags()) {
      if (static_cast<int>(flag.section) == s && (flag.takes & takes)) lines += flag_lines(flag);
    }
    if (!lines.empty()) text += fmt::format("\n{}\n{}", title(static_cast<Section>(s)), lines);
  }
  return text;
}

struct Example {
  std::string_view command;
  std::string_view remark;
};

std::vector<Example> examples(const Command& command) {
  std::vector<Example> list;
  std::string_view rest = command.examples;
  while (!rest.empty()) {
    std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    std::size_t mark = line.find("  # ");
    if (mark == std::string_view::npos) {
      list.push_back({line, ""});
    } else {
      list.push_back({line.substr(0, mark), line.substr(mark + 4)});
    }
  }
  return list;
}

std::string example_lines(const Command& command) {
  std::string text;
  for (const Example& example : examples(command)) {
    text += "  " + std::string(example.command);
    if (!example.remark.empty()) text += "  # " + std::string(example.remark);
    text += "\n";
  }
  return text;
}

std::string files_text() {
  return "  $XDG_CONFIG_HOME/tessera/, /etc/tessera/:\n"
         "    config.yaml      settings by flag name; the first folder counts more\n"
         "    catalogue.yaml   MIG products to add or to replace\n";
}

std::string roff(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    line_start = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string roff_flags(unsigned takes) {
  std::string text;
  for (int s = 0; s < static_cast<int>(Section::count_); ++s) {
    std::string entries;
    for (const Flag& flag : flags()) {
      if (static_cast<int>(flag.section) != s || !(flag.takes & takes)) continue;
      entries += fmt::format(".TP\n.B {}\n{}\n", roff(spelling(flag)), roff(flag.help));
      if (!flag.environment.empty()) entries += fmt::format("Environment: {}.\n", roff(flag.environment));
    }
    if (!entries.empty()) text += fmt::format(".SS {}\n{}", title(static_cast<Section>(s)), entries);
  }
  return text;
}

std::string roff_commands() {
  std::string text;
  for (const Command& command : commands()) {
    std::string name = called(command);
    if (!command.arguments.empty()) name += " " + std::string(command.arguments);
    text += fmt::format(".TP\n.B {}\n{}\n", roff(name), roff(command.details));
  }
  return text;
}

std::string roff_examples() {
  std::string text;
  for (const Command& command : commands()) {
    for (const Example& example : examples(command)) {
      text += fmt::format(".TP\n.B {}\n{}\n", roff(example.command), roff(example.remark));
    }
  }
  return text;
}

}  // namespace

std::string spelling(const Flag& flag) {
  std::string text;
  auto add = [&](std::string_view name) {
    if (!text.empty()) text += ", ";
    text += (name.size() == 1 ? "-" : "--") + std::string(name);
  };
  if (flag.letter) add(std::string_view(&flag.letter, 1));
  for (std::string_view other : split_words(flag.also)) {
    if (other.size() == 1) add(other);
  }
  add(flag.name);
  for (std::string_view other : split_words(flag.also)) {
    if (other.size() > 1) add(other);
  }
  if (flag.value_optional) return text + "[=" + std::string(flag.value) + "]";
  return flag.value.empty() ? text : text + " " + std::string(flag.value);
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string joined, out;
  for (std::string_view word : split_words(text)) joined += (joined.empty() ? "" : " ") + std::string(word);
  if (joined.empty()) return out;
  const int room = static_cast<int>(width > indent ? width - indent : 1);
  // Commands and layouts are copied from here: none is broken.
  for (const std::string& line : tui::wrap(joined, room, tui::LongWord::kept))
    out += std::string(indent, ' ') + line + "\n";
  return out;
}

std::string help_text() {
  std::string text =
      "tessera shows a cluster's GPUs as the tiles they are cut into, and who holds\n"
      "each.\n\n"
      "usage: tessera [FLAGS]            open the console\n"
      "       tessera COMMAND [FLAGS]\n\nCommands\n";
  for (const Command& command : commands()) {
    if (!command.name.empty() && command.name != kSimulator)
      text += fmt::format("  {:<12} {}\n", command.name, command.summary);
  }
  text += "\n  tessera COMMAND --help describes one command.\n";
  text += flag_sections(kEvery & ~kSim);
  text += "\nExit codes\n";
  for (const ExitCode& exit : exit_codes()) text += fmt::format("  {}  {}\n", exit.code, exit.meaning);
  return text + "\nFiles\n" + files_text() +
         "\nA flag counts before the environment (TESSERA_..., see man tessera), that before\n"
         "the files.\n";
}

std::string help_text(const Command& command) {
  if (command.name.empty()) return help_text();
  std::string text = "usage: " + called(command);
  if (!command.arguments.empty()) text += fmt::format(" {}", command.arguments);
  text += " [FLAGS]\n\n" + wrapped(command.details, 0) + "\nExamples\n" + example_lines(command);
  return text + flag_sections(command.takes);
}

std::string manual(std::string_view version) {
  std::string text = fmt::format(".TH TESSERA 1 \"\" \"tessera {}\" \"User Commands\"\n", roff(version));
  text += ".SH NAME\ntessera \\- look at the GPUs of a cluster and at who holds them\n";
  text += ".SH SYNOPSIS\n.B tessera\n[FLAGS]\n.br\n.B tessera\nCOMMAND [FLAGS]\n";
  text +=
      ".SH DESCRIPTION\n" +
      roff(
          "tessera is a terminal console for admins of shared GPUs. It shows clusters, nodes, GPUs, the "
          "slices into which GPUs are cut, and the work that holds or waits for them. Its commands print "
          "the same for scripts: data on standard output, messages on standard error. It changes a cluster "
          "only with --write, and then by a plan that is shown first.") +
      "\n";
  text += ".SH COMMANDS\n" + roff_commands();
  text += ".SH OPTIONS\n" + roff_flags(kEvery);
  text += ".SH EXIT STATUS\n";
  for (const ExitCode& exit : exit_codes())
    text += fmt::format(".TP\n.B {}\n{}\n", exit.code, roff(exit.meaning));
  text += ".SH ENVIRONMENT\n" +
          roff(
              "A flag counts before the environment, the environment before the files, the files before the "
              "default. The variable of each flag is named with it above. NO_COLOR, when it is not empty, "
              "turns colours off.") +
          "\n";
  text += ".SH FILES\n.TP\n.I $XDG_CONFIG_HOME/tessera/config.yaml, /etc/tessera/config.yaml\n" +
          roff(
              "Settings, one \"name: value\" a line, by the long names of flags. The first file counts more. "
              "XDG_CONFIG_HOME is ~/.config when unset.") +
          "\n.TP\n.I $XDG_CONFIG_HOME/tessera/catalogue.yaml, /etc/tessera/catalogue.yaml\n" +
          roff("MIG products to add to those built in, or to replace.") + "\n";
  return text + ".SH EXAMPLES\n" + roff_examples();
}

}  // namespace tessera::cli
