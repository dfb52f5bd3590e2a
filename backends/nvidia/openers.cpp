#include "backends/nvidia/openers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "engine/ascii.hpp"
#include "engine/number.hpp"
#include "engine/text.hpp"

namespace tessera::nvidia {
namespace {

constexpr int kHighestMinor = 1023;
constexpr std::size_t kLongestProgram = 256;

Error unknown(std::string reason) {
  return {"cannot read which programs have GPUs open", std::move(reason), ""};
}

std::optional<std::int64_t> take_number(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = whole_number<std::int64_t>(text.substr(0, end), std::int64_t{1} << 32);
  text.remove_prefix(end);
  return number;
}

struct Seen {
  std::string program;
  std::set<int> minors;
};

// "/proc/585/exe /usr/bin/nv-hostengine", "/proc/585/fd/12 /dev/nvidia0"
bool take_record(std::string_view record, std::map<std::int64_t, Seen>& all) {
  if (!take_prefix(record, "/proc/")) return false;
  const auto pid = take_number(record);
  if (!pid || *pid <= 0) return false;
  if (take_prefix(record, "/exe ")) {
    // The file was replaced by an update.
    if (record.ends_with(" (deleted)")) record.remove_suffix(10);
    all[*pid].program = clean(record, kLongestProgram);
    return true;
  }
  if (!take_prefix(record, "/fd/") || !take_number(record) || !take_prefix(record, " /dev/nvidia"))
    return false;
  const auto minor = whole_number(record, kHighestMinor);
  if (minor) all[*pid].minors.insert(*minor);  // else no file of a GPU
  return true;
}

bool is_passing(std::string_view complaint) {
  return complaint.find("No such file or directory") != std::string_view::npos ||
         complaint.find("No such process") != std::string_view::npos;
}

}  // namespace

std::vector<std::string> list_openers() {
  return {"env",
          "LC_ALL=C",
          "find",
          "/proc",
          "-mindepth",
          "1",
          "-maxdepth",
          "3",
          "-regextype",
          "posix-extended",
          "!",
          "-regex",
          "/proc/[0-9]+(/(exe|fd(/[0-9]+)?))?",
          "-prune",
          "-o",
          "(",
          "-name",
          "exe",
          "-o",
          "-lname",
          "/dev/nvidia[0-9]*",
          ")",
          "-printf",
          "%p %l\\0"};
}

Result<std::vector<Opener>> parse_openers(std::string_view out, std::string_view err, int exit_code) {
  for (const std::string_view line : lines_in(err))
    if (!is_passing(line)) return unknown(clean(line, 200));
  std::map<std::int64_t, Seen> all;
  std::size_t records = 0;
  while (!out.empty()) {
    const std::size_t end = out.find('\0');
    if (end == std::string_view::npos) return unknown("the answer of find is cut off");
    const std::string_view record = out.substr(0, end);
    if (++records > kMostRecords) return unknown("too many open files");
    if (!take_record(record, all)) return unknown(fmt::format("find printed \"{}\"", clean(record, 120)));
    out.remove_prefix(end + 1);
  }
  // It is a process itself: where no program is told, none was looked at.
  const bool looked =
      std::any_of(all.begin(), all.end(), [](const auto& one) { return !one.second.program.empty(); });
  if (!looked) return unknown(fmt::format("find listed no process, and ended with {}", exit_code));
  std::vector<Opener> openers;
  for (auto& [pid, seen] : all)
    if (!seen.minors.empty()) openers.push_back({pid, std::move(seen.program), std::move(seen.minors)});
  return openers;
}

}  // namespace tessera::nvidia
