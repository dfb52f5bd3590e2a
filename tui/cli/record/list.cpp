#include "tui/cli/record/list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "engine/hours.hpp"
#include "engine/insight/costs.hpp"
#include "engine/query/value.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/record/past.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {
namespace {

using query::Align;
using query::Show;

enum class End : std::uint8_t { goes_on, open, stopped, to_come, damaged };

struct Listed {
  std::string cluster;
  record::DayFile file;
  End end{};
};

// Whose clock its times are by. That of a simulated cluster is its own, and says nothing about a recorder:
// there the time at which the file was written to last does.
enum class Times : std::uint8_t { by_clock_here, simulated };

// newest: of its cluster. A recorder writes to no other.
End end_of(const record::DayFile& file, bool newest, Times times, TimePoint wall) {
  if (file.failure || !file.rounds) return End::damaged;
  if (times == Times::by_clock_here && file.rounds->to - wall > record::kShortestGap) return End::to_come;
  if (!file.stop) return End::goes_on;
  const TimePoint last = times == Times::simulated ? file.written.value_or(TimePoint{})
                         : file.torn ? std::max(file.rounds->to, file.written.value_or(file.rounds->to))
                                     : file.rounds->to;  // a recorder may have just begun its first round
  const bool young = newest && wall - last <= record::longest_step(file.every);
  return *file.stop != record::Stop::ended && young ? End::open : End::stopped;
}

// What lies near to the clock here needs no look at the cluster, nor do days that end alike by both: that
// reads a whole moment.
Times times_of(record::Recording& recording, const std::vector<record::DayFile>& days, TimePoint wall) {
  const auto newest =
      std::find_if(days.rbegin(), days.rend(), [](const auto& day) { return day.rounds.has_value(); });
  if (newest == days.rend()) return Times::by_clock_here;
  const Duration age = wall - newest->rounds->to;
  if (age >= -record::kShortestGap && age <= record::longest_step(newest->every)) return Times::by_clock_here;
  if (std::all_of(days.begin(), days.end(), [&](const auto& day) {
        const bool last = &day == &days.back();
        return end_of(day, last, Times::by_clock_here, wall) == end_of(day, last, Times::simulated, wall);
      }))
    return Times::by_clock_here;
  const auto model = recording.at(newest->rounds->to);
  const bool simulated = model && !model->clusters.empty() && model->clusters.front().simulated;
  return simulated ? Times::simulated : Times::by_clock_here;
}

Result<std::vector<Listed>> look(const Options& options, const Joins& joins) {
  auto recordings = recordings_of(options, joins);
  if (!recordings) return recordings.error();
  std::vector<Listed> all;
  for (const auto& one : *recordings) {
    auto days = one->days();
    if (!days) return days.error();
    const TimePoint wall = joins.wall();
    const Times times = times_of(*one, *days, wall);
    for (record::DayFile& day : *days) {
      const End end = end_of(day, &day == &days->back(), times, wall);
      all.push_back({one->cluster().text, std::move(day), end});
    }
  }
  return all;
}

std::string word(const Listed& one) {
  switch (one.end) {
    case End::goes_on: return "goes-on";
    case End::open: return "open";
    case End::to_come: return "time-to-come";
    case End::damaged: return "damaged";
    case End::stopped: break;
  }
  return std::string(record::word(*one.file.stop));
}

// Whether an administrator has something to see to. Of what is long over nothing can be mended.
bool is_finding(const std::vector<Listed>& all, std::size_t i) {
  const Listed& one = all[i];
  if (one.end == End::damaged || one.end == End::to_come) return true;
  const bool newest = i + 1 == all.size() || all[i + 1].cluster != one.cluster;
  return newest && one.end == End::stopped && one.file.stop != record::Stop::ended;
}

std::string time_of(const record::DayFile& file, bool first) {
  return file.rounds ? utc_text(first ? file.rounds->from : file.rounds->to) : "";
}

Json json_of(const std::vector<Listed>& all) {
  Json document = Json::map();
  Json& list = document.add("files", Json::list());
  for (const Listed& one : all) {
    const record::DayFile& file = one.file;
    const auto time = [&](bool first) { return file.rounds ? Json::of(time_of(file, first)) : Json(); };
    Json& row = list.items.emplace_back(Json::map());
    row.add("cluster", Json::of(one.cluster));
    row.add("name", Json::of(file.name));
    row.add("from", time(true));
    row.add("to", time(false));
    row.add("rounds", Json::of(std::int64_t{file.count}));
    row.add("every_s",
            file.every > Duration{0} ? Json::of(std::int64_t{file.every / std::chrono::seconds(1)}) : Json());
    row.add("gaps", Json::of(std::int64_t{file.gaps}));
    row.add("missing_hours", rounded(hours_of(file.missing)));
    row.add("set_back", Json::of(std::int64_t{file.set_back}));
    row.add("bytes", Json::of(file.bytes));
    row.add("ends", Json::of(word(one)));
    row.add("failure", file.failure ? Json::of(clean(file.failure->reason, 400)) : Json());
  }
  return document;
}

Grid grid_of(const std::vector<Listed>& all, bool bare) {
  Grid grid;
  constexpr int kTime = 20, kEnd = 9;  // cells
  grid.heads = {{"cluster", "CLUSTER"},
                {"name", "FILE"},
                {"from", "FROM", Align::left, Show::wide, kTime},
                {"to", "TO", Align::left, Show::always, kTime},
                {"rounds", "ROUNDS", Align::right, Show::wide},
                {"every_s", "EVERY", Align::right, Show::wide},
                {"gaps", "GAPS", Align::right, Show::roomy},
                {"missing_hours", "MISSING", Align::right, Show::wide},
                {"bytes", "SIZE", Align::right, Show::wide},
                {"ends", "ENDS", Align::left, Show::always, kEnd, true}};
  for (const Listed& one : all) {
    const record::DayFile& file = one.file;
    const std::int64_t every = file.every / std::chrono::seconds(1);
    std::string ends = word(one);
    if (!bare && file.failure) ends += ": " + clean(file.failure->reason, 400);
    if (!bare && file.set_back > 0) ends += ", set-back";
    grid.rows.push_back(
        {one.cluster, file.name, time_of(file, true), time_of(file, false), std::to_string(file.count),
         every <= 0 ? (bare ? "" : "?")
         : bare     ? std::to_string(every)
                    : query::duration_text(every),
         std::to_string(file.gaps),
         bare ? fmt::format("{:.3f}", hours_of(file.missing))
              : fmt::format("{:.1f} h", hours_of(file.missing)),
         bare ? std::to_string(file.bytes) : insight::bytes_text(static_cast<double>(file.bytes)),
         std::move(ends)});
  }
  return grid;
}

std::string print(const std::vector<Listed>& all, const Options& options) {
  switch (options.output) {
    case OutputFormat::json: return document(json_of(all), Markup::json);
    case OutputFormat::yaml: return document(json_of(all), Markup::yaml);
    case OutputFormat::csv: return to_csv(grid_of(all, true), options.headers);
    case OutputFormat::table:
    case OutputFormat::wide: break;
  }
  return to_table(grid_of(all, false), options.headers, options.paper);
}

// What can be done about each.
void tell_damage(const std::vector<Listed>& all, const Streams& streams) {
  for (const Listed& one : all) {
    if (!one.file.failure) continue;
    const std::string of = clean(one.cluster, 200) + " " + one.file.name + ": ";
    std::string hint = one.file.failure->hint;
    if (hint.empty())
      hint =
          one.file.rounds
              ? "what is sound of it is read, and the rest is a gap; put a copy of a backup in its place"
              : "the other files are read without it; put a copy of a backup in its place, or move it away";
    complain(streams, {"a file of the recording is damaged", of + clean(one.file.failure->reason, 400),
                       std::move(hint)});
  }
}

}  // namespace

int list_recording(const Options& options, const Joins& joins, const Streams& streams) {
  if (options.words.front() != "list")
    return complain(streams, {"cannot record", "there is no such word: " + clean(options.words.front(), 40),
                              "tessera record --folder FOLDER, or tessera record list --folder FOLDER"}),
           kUsage;
  const auto all = look(options, joins);
  if (!all) return complain(streams, all.error()), exit_code_without_recordings(options);
  streams.out << print(*all, options);
  tell_damage(*all, streams);
  for (std::size_t i = 0; i < all->size(); ++i)
    if (is_finding(*all, i)) return kFinding;
  return kDone;
}

}  // namespace tessera::cli
