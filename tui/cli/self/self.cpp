#include "tui/cli/self/self.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/files/codec.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/self/self_facts.hpp"
#include "tui/cli/settings.hpp"
#include "tui/cli/table_text.hpp"
#include "tui/version.hpp"

namespace tessera::cli {
namespace {

bool has(const SelfFacts& facts, std::string_view program) {
  for (const auto& [name, path] : facts.programs)
    if (name == program) return path.has_value();
  return false;
}

std::string path_of(const SelfFacts& facts, std::string_view program) {
  for (const auto& [name, path] : facts.programs)
    if (name == program) return path.value_or("not in PATH");
  return "not in PATH";
}

SelfCheck terminal_check(const SelfFacts& facts) {
  const std::string type = facts.terminal.empty() ? "TERM is not set" : "TERM=" + clean(facts.terminal, 60);
  if (facts.drawn_as.empty())
    return {"terminal", Severity::warning, type + ": the console cannot draw there",
            "set TERM to the terminal's name, for example xterm-256color"};
  if (facts.guessed)
    return {"terminal", Severity::warning, type + " is not known, drawn as " + facts.drawn_as,
            "set TERM to the terminal's name, for example xterm-256color"};
  return {"terminal", Severity::good,
          type + (facts.drawn_as == facts.terminal ? "" : ", drawn as " + facts.drawn_as), ""};
}

SelfCheck locale_check(const SelfFacts& facts) {
  const std::string locale = facts.locale.empty() ? "no locale is set" : clean(facts.locale, 60);
  if (facts.utf8) return {"locale", Severity::good, locale + ": UTF-8", ""};
  return {"locale", Severity::info, locale + ": the console draws with ASCII characters",
          "export LANG=C.UTF-8"};
}

SelfCheck kubectl_check(const SelfFacts& facts) {
  if (has(facts, "kubectl")) return {"kubectl", Severity::good, path_of(facts, "kubectl"), ""};
  return {"kubectl", Severity::info, "not in PATH",
          "Kubernetes clusters are reached through it: install it where there is one"};
}

SelfCheck slurm_check(const SelfFacts& facts) {
  std::string missing;
  for (const char* name : {"scontrol", "squeue", "sinfo"})
    if (!has(facts, name)) missing += (missing.empty() ? "" : ", ") + std::string(name);
  if (missing.empty()) return {"Slurm", Severity::good, path_of(facts, "scontrol"), ""};
  const bool some = has(facts, "scontrol") || has(facts, "squeue");
  return {
      "Slurm", some ? Severity::warning : Severity::info, "not in PATH: " + missing,
      "a Slurm cluster is looked at with Slurm's own commands: add their folder to PATH where there is one"};
}

SelfCheck ssh_check(const SelfFacts& facts) {
  if (has(facts, "ssh")) return {"ssh", Severity::good, path_of(facts, "ssh"), ""};
  return {"ssh", has(facts, "scontrol") ? Severity::warning : Severity::info, "not in PATH",
          "GPUs of Slurm nodes are looked at and changed by ssh, unless slurm-runner names another way"};
}

SelfCheck journals_check(const SelfFacts& facts) {
  if (facts.journals_problem.empty()) return {"journals", Severity::good, facts.journals, ""};
  return {"journals", Severity::warning, facts.journals_problem,
          "changes are kept in journals there: make it writable for you alone, or set XDG_STATE_HOME"};
}

// A clock that stands before the commit that this was built from is wrong by at least as much.
SelfCheck clock_check(const SelfFacts& facts) {
  const std::string now = utc_text(facts.now);
  const TimePoint built{Duration{tui::commit_time() * 1000}};
  if (facts.now >= built) return {"clock", Severity::good, now, ""};
  return {"clock", Severity::warning, now + " is before tessera was built (" + utc_text(built) + ")",
          "ages and times on the screen would be wrong: set the clock, for example with chronyd"};
}

// The home folder names the person.
std::string without_home(std::string text, const std::string& home) {
  if (home.size() < 2) return text;
  for (std::size_t at = 0; (at = text.find(home, at)) != std::string::npos; ++at) {
    const std::size_t end = at + home.size();
    if (end == text.size() || text[end] == '/') text.replace(at, home.size(), "~");
  }
  return text;
}

Result<Markup> markup_of(const Parsed& parsed, bool& table) {
  const auto it = parsed.flags.find("output");
  const std::string format = it == parsed.flags.end() ? "table" : it->second;
  table = format == "table" || format == "wide";
  if (table || format == "json") return Markup::json;
  if (format == "yaml") return Markup::yaml;
  return Error{"cannot use these arguments", "-o " + clean(format, 40), "one of: table, json, yaml"};
}

Json json_of(const SelfFacts& facts) {
  Json document = Json::map();
  document.add("version", Json::of(std::string(tui::version())));
  document.add("commit", Json::of(std::string(tui::commit())));
  document.add("compiler", Json::of(std::string(tui::compiler())));
  document.add("linkage", Json::of(std::string(tui::linkage())));
  document.add("architecture", Json::of(std::string(tui::architecture())));
  document.add("kernel", Json::of(facts.kernel));
  document.add("terminal", text_or_null(clean(facts.terminal, 60)));
  document.add("drawn_as", text_or_null(facts.drawn_as));
  document.add("utf8", Json::of(facts.utf8));
  document.add("locale", text_or_null(clean(facts.locale, 60)));
  Json files = Json::list();
  for (const FileFact& file : facts.files) {
    Json one = Json::map();
    one.add("path", Json::of(file.path));
    one.add("state", Json::of(file.state));
    files.items.push_back(std::move(one));
  }
  document.add("files", std::move(files));
  Json settings = Json::list();
  for (const std::string& setting : facts.settings) settings.items.push_back(Json::of(setting));
  document.add("settings", std::move(settings));
  Json programs = Json::map();
  for (const auto& [name, path] : facts.programs) programs.add(name, path ? Json::of(*path) : Json());
  document.add("programs", std::move(programs));
  document.add("journals", text_or_null(facts.journals));
  return document;
}

std::string table_of(const SelfFacts& facts) {
  std::string text;
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<10} {}\n", name, value.empty() ? "-" : clean(value, 4000));
  };
  row("version", tui::version_line());
  row("system", facts.kernel + " " + std::string(tui::architecture()));
  row("terminal", clean(facts.terminal, 60) + (facts.utf8 ? ", UTF-8" : ", ASCII"));
  row("locale", clean(facts.locale, 60));
  for (const FileFact& file : facts.files) row("file", file.path + ": " + file.state);
  for (const std::string& setting : facts.settings) row("setting", setting);
  for (const auto& [name, path] : facts.programs) row(name, path.value_or("not in PATH"));
  row("journals", facts.journals);
  return text;
}

Json json_of(const std::vector<SelfCheck>& checks) {
  Json list = Json::list();
  for (const SelfCheck& check : checks) {
    Json one = Json::map();
    one.add("name", Json::of(check.name));
    one.add("severity", Json::of(std::string(plan::word(check.severity))));
    one.add("found", Json::of(check.found));
    one.add("hint", text_or_null(check.hint));
    list.items.push_back(std::move(one));
  }
  Json document = Json::map();
  document.add("checks", std::move(list));
  return document;
}

std::string table_of(const std::vector<SelfCheck>& checks, const Streams& streams) {
  Grid grid;
  grid.heads = {{"severity", "SEVERITY"}, {"name", "CHECK"}, {"found", "FOUND"}};
  std::string text;
  for (const SelfCheck& check : checks)
    grid.rows.push_back({std::string(plan::word(check.severity)), check.name,
                         clean(tui::told(streams.reader, check.found), 4000)});
  text = to_table(grid, true, streams.paper);
  for (const SelfCheck& check : checks)
    if (!check.hint.empty())
      text += fmt::format("{}: {}\n", check.name, tui::told(streams.reader, check.hint));
  return text;
}

}  // namespace

std::vector<SelfCheck> self_checks(const SelfFacts& facts) {
  std::vector<SelfCheck> checks{terminal_check(facts), locale_check(facts), kubectl_check(facts),
                                slurm_check(facts), ssh_check(facts)};
  for (const FileFact& file : facts.files) {
    if (!file.good)
      checks.push_back({"file", Severity::danger,
                        file.path + (file.state.starts_with(":") ? "" : ": ") + file.state,
                        (file.hint.empty() ? "" : file.hint + "; ") +
                            "tessera does not start until it is fixed or moved away"});
    else if (file.state == "read")
      checks.push_back({"file", Severity::good, file.path, ""});
  }
  if (!facts.settings_problem.empty())
    checks.push_back(
        {"settings", Severity::danger, facts.settings_problem, "tessera does not start until it is fixed"});
  checks.push_back(journals_check(facts));
  checks.push_back(clock_check(facts));
  return checks;
}

int run_about(const Parsed& parsed, const Environment& environment, const Machine& machine,
              const Streams& streams) {
  bool table = true;
  const auto markup = markup_of(parsed, table);
  if (!markup) return refuse(streams, markup.error(), kUsage);
  const SelfFacts facts = look_at_self(parsed, environment, machine, {});
  const std::string text = table ? table_of(facts) : document(json_of(facts), *markup);
  streams.out << without_home(text, value_of(environment, "HOME"));
  return kDone;
}

int run_self_check(const Parsed& parsed, const Environment& environment, const Machine& machine,
                   TimePoint now, const Streams& streams) {
  bool table = true;
  const auto markup = markup_of(parsed, table);
  if (!markup) return refuse(streams, markup.error(), kUsage);
  const std::vector<SelfCheck> checks = self_checks(look_at_self(parsed, environment, machine, now));
  const std::string text = table ? table_of(checks, streams) : document(json_of(checks), *markup);
  streams.out << without_home(text, value_of(environment, "HOME"));
  const bool serious = std::any_of(checks.begin(), checks.end(), [](const SelfCheck& check) {
    return check.severity == Severity::warning || check.severity == Severity::danger;
  });
  return serious ? kFinding : kDone;
}

}  // namespace tessera::cli
