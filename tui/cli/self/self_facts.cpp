#include "tui/cli/self/self_facts.hpp"

#include <langinfo.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "engine/guide/texts.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/text.hpp"
#include "tui/cli/settings.hpp"
#include "tui/terminal/painter.hpp"
#include "tui/text_file.hpp"

namespace tessera::cli {
namespace {

std::string locale_of(const Environment& environment) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (std::string value = value_of(environment, name); !value.empty()) return value;
  return "";
}

void look_at_terminal(SelfFacts& facts, const Environment& environment) {
  facts.terminal = value_of(environment, "TERM");
  facts.locale = locale_of(environment);
  facts.utf8 = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  tui::PainterOptions options;
  options.type = facts.terminal;
  options.true_colour = !value_of(environment, "COLORTERM").empty();
  const auto theme = tui::load_theme("dark", {});
  if (!theme) return;
  if (const auto painter = tui::Painter::open(options, *theme)) {
    facts.drawn_as = (*painter)->type();
    facts.guessed = (*painter)->guessed();
  }
}

FileFact unusable(const std::string& path, const Error& error) {
  std::string reason = error.reason;
  if (reason.starts_with(path)) reason.erase(0, path.size());  // ":3: ..."
  return {path, std::move(reason), false, error.hint};
}

// Why tessera refuses the file; nullopt: it takes it.
std::optional<Error> why_refused(std::string_view name, const TextFile& file, const Parsed& parsed) {
  if (name == "catalogue.yaml") {
    const auto catalogue = mig::Catalogue::built_in();
    const auto with = catalogue ? catalogue->with_site(file.text, file.path) : catalogue;
    return with ? std::nullopt : std::optional(with.error());
  }
  if (name == "flowchart.yaml") {
    const auto texts = guide::Texts::built_in();
    const auto with = texts ? (*texts)->with_flowchart(file.text, file.path) : texts;
    return with ? std::nullopt : std::optional(with.error());
  }
  if (Status ours = tui::not_everyones(file.path); !ours) return ours.error();
  const auto alone = gather(parsed, {}, {file});
  return alone ? std::nullopt : std::optional(alone.error());
}

void look_at_settings(SelfFacts& facts, const Parsed& parsed, const Environment& environment,
                      const std::vector<TextFile>& configuration) {
  const auto settings = gather(parsed, environment, configuration);
  if (!settings) return;  // the file is named already
  if (const auto options = to_options(parsed, *settings); !options)
    facts.settings_problem =
        options.error().reason + (options.error().hint.empty() ? "" : " (" + options.error().hint + ")");
  for (const auto& [name, setting] : *settings)
    if (setting.from != "default" && !setting.from.starts_with("--"))
      facts.settings.push_back(name + " (" + setting.from + ")");
}

void look_at_files(SelfFacts& facts, const Parsed& parsed, const Environment& environment) {
  std::vector<TextFile> configuration;
  for (const char* name : {"config.yaml", "catalogue.yaml", "flowchart.yaml"}) {
    for (const std::string& path : paths_of(name, environment)) {
      const auto files = read_files({path});
      if (!files) {
        facts.files.push_back(unusable(path, files.error()));
      } else if (files->empty()) {
        facts.files.push_back({path, "not there", true, ""});
      } else {
        const auto refused = why_refused(name, files->front(), parsed);
        facts.files.push_back(refused ? unusable(path, *refused) : FileFact{path, "read", true, ""});
        if (name == std::string_view("config.yaml")) configuration.push_back(files->front());
      }
    }
  }
  look_at_settings(facts, parsed, environment, configuration);
}

// Where it would be made, when it is not there yet.
std::string nearest_there(std::string path) {
  std::error_code ignored;
  while (path.size() > 1 && !std::filesystem::exists(path, ignored))
    path = std::filesystem::path(path).parent_path().string();
  return path;
}

void look_at_journals(SelfFacts& facts, const Machine& machine) {
  facts.journals = machine.journals;
  if (machine.journals.empty()) {
    facts.journals_problem = "neither HOME nor XDG_STATE_HOME is set";
    return;
  }
  const std::string there = nearest_there(machine.journals);
  struct stat found {};
  if (stat(there.c_str(), &found) != 0) {
    facts.journals_problem = there + ": " + std::strerror(errno);
  } else if (!S_ISDIR(found.st_mode)) {
    facts.journals_problem = there + " is no folder";
  } else if (access(there.c_str(), W_OK | X_OK) != 0) {
    facts.journals_problem = there + " cannot be written to";
  } else if (there == machine.journals && (found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    facts.journals_problem = there + " can be written to by others";
  }
}

}  // namespace

SelfFacts look_at_self(const Parsed& parsed, const Environment& environment, const Machine& machine,
                       TimePoint now) {
  SelfFacts facts;
  utsname system{};
  if (uname(&system) == 0)
    facts.kernel = std::string(static_cast<const char*>(system.sysname)) + " " +
                   static_cast<const char*>(system.release);
  look_at_terminal(facts, environment);
  look_at_files(facts, parsed, environment);
  for (const char* name : {"kubectl", "scontrol", "squeue", "sinfo", "sacct", "ssh", "srun"})
    facts.programs.emplace_back(name, machine.find_program ? machine.find_program(name) : std::nullopt);
  look_at_journals(facts, machine);
  facts.now = now;
  return facts;
}

}  // namespace tessera::cli
