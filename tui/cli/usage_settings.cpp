#include "tui/cli/usage_settings.hpp"

#include <algorithm>
#include <array>

#include "engine/slurmconf/settings.hpp"
#include "engine/usage/exceptions.hpp"
#include "tui/cli/command_table.hpp"

namespace tessera::cli {
namespace {

usage::Limits read_limits(SettingReader& reader) {
  usage::Limits limits;
  const auto set = [](auto& value, const auto& told) {
    if (told) value = *told;
  };
  set(limits.idle_after, reader.duration("idle-after", kDay, "a time from 1s to 1d, like 15m"));
  set(limits.idle_below, reader.percent("idle-below", 0.1, 100, "percent of use, from 0.1 to 100, like 1"));
  set(limits.parked_from,
      reader.percent("parked-from", 0.1, 100, "percent of a slice's memory, from 0.1 to 100, like 30"));
  set(limits.spare, reader.percent("too-big-spare", 0, 400, "percent to spare, from 0 to 400, like 20"));
  set(limits.percentile,
      reader.percent("too-big-percentile", 50, 100, "a percentile of use, from 50 to 100, like 95"));
  set(limits.unasked_after, reader.duration("unasked-after", 365 * kDay, "a time from 1s to 365d, like 7d"));
  set(limits.rogue_after, reader.duration("rogue-after", kDay, "a time from 1s to 1d, like 15m"));
  set(limits.rogue_memory,
      reader.percent("rogue-memory", 0.1, 100, "percent of a slice's memory, from 0.1 to 100, like 10"));
  return limits;
}

std::shared_ptr<const usage::Exceptions> read_exceptions(SettingReader& reader) {
  const Setting* setting = reader.find("waste-except");
  if (!setting) return nullptr;
  auto exceptions = usage::exceptions_of(setting->value);
  if (exceptions) return *exceptions;
  const Error& why = exceptions.error();
  reader.complain(bad("waste-except", *setting, why.reason + "; " + why.hint));
  return nullptr;
}

std::vector<std::string> read_owner_command(SettingReader& reader) {
  const Setting* setting = reader.find("owner-command");
  if (!setting) return {};
  auto words = slurmconf::split_command(setting->value);
  if (!words || words->empty()) {
    reader.complain(bad("owner-command", *setting,
                        words ? std::string("a command, like mail -s 'GPUs held and not used' {user}")
                              : words.error().reason + "; " + words.error().hint));
    return {};
  }
  const bool names = std::any_of(words->begin(), words->end(), [](const std::string& word) {
    return word.find("{user}") != std::string::npos;
  });
  if (!names)
    reader.complain(
        bad("owner-command", *setting, "{user} must stand in it: mail -s 'GPUs held and not used' {user}"));
  return std::move(*words);
}

std::string read_source(SettingReader& reader) {
  constexpr std::array<std::string_view, 3> kSources{"recording", "accounting", "prometheus"};
  const Setting* setting = reader.find("source");
  if (!setting) return "";
  if (std::find(kSources.begin(), kSources.end(), setting->value) == kSources.end())
    reader.complain(bad("source", *setting, "recording, accounting or prometheus"));
  return setting->value;
}

// Where the past is read from. A file says it for the commands that sum up, and yields to --accounting, to a
// folder that is typed and to a simulated cluster, which has its own past; the others ask slurmdbd on request
// alone.
void read_place(SettingReader& reader, Options& options) {
  options.accounting = reader.on("accounting");
  options.source = read_source(reader);
  const Setting *source = reader.find("source"), *folder = reader.find("recording");
  const bool typed = options.source_typed = source && source->from == "--source";
  if (options.accounting && source && !typed) options.source = "accounting";
  if (!typed && !options.accounting && (options.sim || (folder && folder->from == "--recording")))
    options.source.clear();
  if (options.source != "accounting") return;
  options.accounting = options.accounting || typed || sums_up(options.command);
  if (!options.accounting) options.source.clear();
}

}  // namespace

void read_usage(SettingReader& reader, Options& options) {
  if (auto since = reader.duration("since", 3650 * kDay, "a time from 1s to 3650d, like 7d"))
    options.since = *since;
  if (reader.find("by")) options.by = reader.text("by");
  options.demand = reader.on("demand");
  options.right_sized = reader.on("right-sized");
  read_place(reader, options);
  options.no_cache = reader.on("no-cache");
  options.limits = read_limits(reader);
  options.except = read_exceptions(reader);
  options.owner_command = read_owner_command(reader);
  options.send = reader.on("send");
  options.more_than = reader.number<double>("more-than", "a number of slice-hours");
}

}  // namespace tessera::cli
