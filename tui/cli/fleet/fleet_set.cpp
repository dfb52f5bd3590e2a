// `tessera fleet set`: the fleet file with other values for a pool, shown as a diff; with --yes it is
// written, and its comments stay.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "engine/fleet/never_holds.hpp"
#include "engine/fleet/reader.hpp"
#include "engine/slurmconf/diff.hpp"
#include "engine/text.hpp"
#include "tui/cli/fleet/fleet_command.hpp"
#include "tui/cli/settings.hpp"

namespace tessera::cli {

std::optional<Error> FleetCommand::take_settings(std::vector<std::string> words) {
  const auto usage = [](std::string reason) {
    return Error{"cannot use these arguments", std::move(reason),
                 "tessera fleet set POOL KEY=VALUE [KEY=VALUE] [FILE]"};
  };
  if (words.empty()) return usage("which pool?");
  pool_ = std::move(words.front());
  words.erase(words.begin());
  if (!words.empty() && words.back().find('=') == std::string::npos) {
    path_ = std::move(words.back());
    words.pop_back();
  }
  if (words.empty()) return usage("nothing is to be set");
  for (const std::string& word : words) {
    auto one = fleet::parse_setting(word);
    if (!one) return one.error();
    settings_.push_back(std::move(*one));
  }
  return std::nullopt;
}

int FleetCommand::set() const {
  const auto before = fleet_text(path_);
  if (!before) return refuse(streams_, before.error(), kUsage);
  const auto after = fleet::edited(*before, page_.file, catalogue_, pool_, settings_);
  if (!after) return refuse(streams_, after.error(), kUsage);
  const auto say = [&](const std::string& english) { streams_.err << told(streams_, english) << "\n"; };
  if (*after == *before) {
    say("nothing to do: the file has it");
    return kDone;
  }
  // A file that holds control characters is not read at all.
  streams_.out << slurmconf::unified_diff({page_.file, *before}, {page_.file, *after}) << std::flush;
  // A new window is the last one, and the first that holds counts.
  if (const auto read = fleet::read_fleet(*after, page_.file, catalogue_))
    for (const fleet::NeverHolds& one : fleet::windows_that_never_hold(*read))
      if (one.pool->name == pool_)
        say(fmt::format("pool {}: {}", pool_, told(streams_, fleet::to_text(one))));
  if (!options_.yes) {
    say("nothing is written: --yes writes it");
    return kDone;
  }
  if (Status done = replace_fleet_file(path_, *before, *after); !done)
    return refuse(streams_, done.error(), kFinding);
  say(page_.file + " is written; tessera fleet check holds the clusters against it");
  return kDone;
}

Status replace_fleet_file(const std::string& path, const std::string& before, const std::string& text) {
  const auto failed = [&](std::string reason, std::string hint) {
    return Error{"cannot write " + clean(path, 300), std::move(reason), std::move(hint)};
  };
  std::error_code problem;
  const std::string whole = std::filesystem::canonical(path, problem).string();
  struct stat info {};
  if (problem || ::stat(whole.c_str(), &info) != 0)
    return failed(problem ? problem.message() : std::strerror(errno), "look whether it is still there");
  const std::string beside = fmt::format("{}.{}", whole, ::getpid());
  if (Status done = write_new(beside, text, "its folder must be one that you may write"); !done) return done;
  const auto give_up = [&](std::string reason, std::string hint) {
    ::unlink(beside.c_str());
    return failed(std::move(reason), std::move(hint));
  };
  // Whoever may read the file now may do so afterwards.
  const bool owned = (info.st_uid == ::geteuid() && info.st_gid == ::getegid()) ||
                     ::chown(beside.c_str(), info.st_uid, info.st_gid) == 0;
  if (!owned || ::chmod(beside.c_str(), info.st_mode & 07777) != 0)
    return give_up("its owner and mode cannot be kept: " + std::string(std::strerror(errno)),
                   "run this as its owner");
  const auto now = fleet_text(path);
  if (!now || *now != before) return give_up("it was changed meanwhile", "look at the difference again");
  if (::rename(beside.c_str(), whole.c_str()) != 0) return give_up(std::strerror(errno), "");
  const auto read = fleet_text(path);
  if (!read || *read != text) return failed("it does not read back as it was written", "look at it now");
  return Done{};
}

}  // namespace tessera::cli
