#include "tui/cli/help/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "tui/cli/help/as_taken.hpp"
#include "tui/language/wrap.hpp"
#include "tui/terminal/canvas.hpp"

namespace tessera::cli {
namespace {

constexpr std::size_t kColumn = 30;  // where explanations start

std::string flag_lines(const Flag& flag) {
  std::string lead = "  " + spelling(flag);
  std::string text = wrapped(flag.help, kColumn);
  if (lead.size() + 2 > kColumn) return lead + "\n" + text;
  return lead + text.substr(lead.size());
}

std::string section_lines(Section section, unsigned takes) {
  std::string lines;
  for (const Flag& flag : flags())
    if (flag.section == section && (flag.takes & takes)) lines += flag_lines(as_taken(flag, takes));
  return lines.empty() ? "" : fmt::format("\n{}\n{}", title(section), lines);
}

std::string flag_sections(unsigned takes) {
  std::string text;
  for (int s = 0; s < static_cast<int>(Section::count_); ++s)
    text += section_lines(static_cast<Section>(s), takes);
  return text;
}

// Of one command: what it is to do and how, then what it prints, and last where it looks and by which tools.
constexpr std::array kInOrderOfUse{Section::layouts, Section::pack,    Section::fleet,  Section::change,
                                   Section::run,     Section::guide,   Section::past,   Section::output,
                                   Section::data,    Section::console, Section::general};
static_assert(kInOrderOfUse.size() == static_cast<std::size_t>(Section::count_));

std::string flags_of(const Command& command) {
  std::string text;
  for (const Section section : kInOrderOfUse) text += section_lines(section, command.takes);
  return text;
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

// Whether a command line goes on there: "plan ...", "--sim", "[FLAGS]", "COMMAND".
bool is_command_line(std::string_view rest) {
  if (rest.starts_with("-") || rest.starts_with("[") || rest.starts_with("COMMAND")) return true;
  const std::size_t end = rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz");
  const std::string_view word = rest.substr(0, end);
  return !word.empty() && word != kSimulator && find_command(word) != nullptr;
}

}  // namespace

std::string as_called(std::string text, std::string_view program) {
  constexpr std::string_view name = "tessera";
  if (!program.ends_with(" tessera")) return text;
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t at = rest.find("tessera ");
    if (at == std::string_view::npos) return out += rest;
    const bool alone = at == 0 || std::string_view(" \n`'(\"").find(rest[at - 1]) != std::string_view::npos;
    out += rest.substr(0, at);
    out += alone && is_command_line(rest.substr(at + name.size() + 1)) ? program : name;
    rest.remove_prefix(at + name.size());
  }
  return out;
}

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

std::string on_paper(std::string_view text, const Paper& paper) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const bool ends = line.size() < text.size();
    text.remove_prefix(line.size() + (ends ? 1 : 0));
    if (paper.columns > 0 && tui::display_width(line) > paper.columns)
      out += wrapped(line, std::min(line.find_first_not_of(' '), line.size()),
                     static_cast<std::size_t>(paper.columns));
    else
      out.append(line).append(ends ? "\n" : "");
  }
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
  return text + flags_of(command);
}

}  // namespace tessera::cli
