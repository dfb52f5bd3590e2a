#include "tui/cli/look_back.hpp"

#include "tui/cli/change/moment.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/past_time.hpp"

namespace tessera::cli {
namespace {

// "22:00" is the next one to a plan, and the last one to who looks back.
bool is_over(const std::string& at, TimePoint wall) {
  if (at == kNow) return true;
  const auto moment = parse_moment(at, wall);
  return (!moment || *moment < wall) && tui::parse_past(at, wall).ok();
}

// The others are about what is to come, and about the file.
bool judges_fleet(const Options& options) {
  if (options.command != "fleet" || options.words.empty()) return false;
  const std::string& verb = options.words.front();
  return verb == "check" || verb == "diff" || verb == "explain";
}

}  // namespace

bool looks_back(const Options& options, TimePoint wall) {
  if (options.command == "replay") return true;
  if (options.at.empty()) return false;
  if (judges_fleet(options)) return true;
  return can_look_back(options.command) || (options.command == "whatif" && is_over(options.at, wall));
}

Result<std::optional<TimePoint>> end_of(const Options& options, TimePoint now) {
  const bool ends = sums_up(options.command) || can_look_back(options.command);
  if (options.at.empty() || options.at == kNow || !ends) return std::optional<TimePoint>();
  auto told = tui::parse_past(options.at, now);
  if (!told) return told.error();
  return std::optional(*told);
}

}  // namespace tessera::cli
