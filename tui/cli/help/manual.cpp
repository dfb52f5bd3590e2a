#include "tui/cli/help/manual.hpp"

#include <fmt/format.h>

#include <span>

#include "engine/ascii.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/help/help.hpp"

namespace tessera::cli {
namespace {

constexpr std::string_view kSettingsPage = "tessera-config.5";

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
      if (!flag.environment.empty()) entries += fmt::format(".br\nEnvironment: {}\n", roff(flag.environment));
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

std::string roff_examples(std::span<const Command> of) {
  std::string text;
  for (const Command& command : of)
    for (const Example& example : examples(command))
      text += fmt::format(".TP\n.B {}\n{}\n", roff(example.command), roff(example.remark));
  return text;
}

std::string head(std::string_view name, int section, std::string_view version, std::string_view summary) {
  return fmt::format(".TH {} {} \"\" \"tessera {}\" \"{}\"\n.SH NAME\n{} \\- {}\n", roff(upper(name)),
                     section, roff(version), section == 1 ? "User Commands" : "File Formats", roff(name),
                     roff(summary));
}

std::string exit_status() {
  std::string text = ".SH EXIT STATUS\n";
  for (const ExitCode& exit : exit_codes())
    text += fmt::format(".TP\n.B {}\n{}\n", exit.code, roff(exit.meaning));
  return text;
}

std::string files() {
  return ".SH FILES\n.TP\n.I $XDG_CONFIG_HOME/tessera/config.yaml, /etc/tessera/config.yaml\n" +
         roff(
             "Settings, one \"name: value\" a line, by the long names of flags. The first file counts more. "
             "XDG_CONFIG_HOME is ~/.config when unset.") +
         "\n.TP\n.I $XDG_CONFIG_HOME/tessera/catalogue.yaml, /etc/tessera/catalogue.yaml\n" +
         roff("MIG products to add to those built in, or to replace.") + "\n";
}

// "tessera-nodes.1": the page of a command; the console's is the overview.
std::string file_of(const Command& command) {
  if (command.name.empty()) return "tessera.1";
  return fmt::format("tessera-{}.1", command.name);
}

std::string see_also(std::string_view page) {
  std::string text;
  for (const std::string& file : manual_pages()) {
    const std::string name = file.substr(file.find('/') + 1);
    if (name == page) continue;
    const std::size_t dot = name.rfind('.');
    text += fmt::format("{}{} ({})", text.empty() ? ".SH SEE ALSO\n.BR " : ",\n.BR ",
                        roff(name.substr(0, dot)), name.substr(dot + 1));
  }
  return text + "\n";
}

std::string overview(std::string_view version) {
  std::string text = head("tessera", 1, version, "look at the GPUs of a cluster and at who holds them");
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
  text += exit_status();
  text += ".SH ENVIRONMENT\n" +
          roff(
              "A flag counts before the environment, the environment before the files, the files before the "
              "default. The variable of each flag is named with it above. NO_COLOR, when it is not empty, "
              "turns colours off.") +
          "\n";
  text += files();
  return text + ".SH EXAMPLES\n" + roff_examples(commands()) + see_also("");
}

std::string page_of(const Command& command, std::string_view version) {
  std::string name = called(command);
  std::replace(name.begin(), name.end(), ' ', '-');
  std::string text = head(name, 1, version, command.summary);
  text += fmt::format(".SH SYNOPSIS\n.B {}\n{}[FLAGS]\n", roff(called(command)),
                      command.arguments.empty() ? "" : roff(command.arguments) + " ");
  text += ".SH DESCRIPTION\n" + roff(command.details) + "\n.SH OPTIONS\n" + roff_flags(command.takes) +
          exit_status();
  return text + ".SH EXAMPLES\n" + roff_examples({&command, 1}) + see_also(file_of(command));
}

std::string settings_page(std::string_view version) {
  std::string text = head("tessera-config", 5, version, "settings of tessera");
  text += ".SH DESCRIPTION\n" +
          roff(
              "YAML, one \"name: value\" a line. A flag of the same name counts before it, and so does the "
              "environment "
              "variable that is named with it. A switch takes true or false. A name that tessera does not "
              "know is an error. "
              "tessera config print shows every setting that is in use and where it comes from; tessera "
              "config example "
              "prints a file to start from.") +
          "\n" + files() + ".SH SETTINGS\n";
  for (const Flag& flag : flags()) {
    if (!flag.in_file) continue;
    text += fmt::format(".TP\n.B {}: {}\n{}\n", roff(flag.name),
                        roff(flag.value.empty() ? "true|false" : flag.value), roff(flag.help));
    if (!flag.environment.empty()) text += fmt::format(".br\nEnvironment: {}\n", roff(flag.environment));
  }
  return text + see_also(kSettingsPage);
}

}  // namespace

std::vector<std::string> manual_pages() {
  std::vector<std::string> pages;
  for (const Command& command : commands()) pages.push_back("man1/" + file_of(command));
  pages.push_back("man5/" + std::string(kSettingsPage));
  return pages;
}

std::optional<std::string> manual(std::string_view page, std::string_view version) {
  if (page == kSettingsPage) return settings_page(version);
  for (const Command& command : commands())
    if (file_of(command) == page) return command.name.empty() ? overview(version) : page_of(command, version);
  return std::nullopt;
}

std::string example_configuration() {
  std::string text =
      "# Settings of tessera: /etc/tessera/config.yaml for all users, ~/.config/tessera/config.yaml for one "
      "person, who\n"
      "# counts more. Each line here shows a setting; without the # it is in effect. man 5 tessera-config\n";
  for (const Flag& flag : flags()) {
    if (!flag.in_file) continue;
    std::string help = wrapped(flag.help, 2, 110);
    for (std::size_t at = 0; at < help.size(); at = help.find('\n', at) + 1) help[at] = '#';
    const std::string value(flag.value.empty()       ? "true"
                            : !flag.fallback.empty() ? flag.fallback
                                                     : flag.value);
    text += fmt::format("\n{}# {}: {}\n", help, flag.name, value);
  }
  return text;
}

}  // namespace tessera::cli
