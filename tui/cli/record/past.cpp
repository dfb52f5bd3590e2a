#include "tui/cli/record/past.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/hours.hpp"
#include "engine/insight/costs.hpp"
#include "engine/record/until.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/look_back.hpp"

namespace tessera::cli {
namespace {

// All of them until --at, where that ends what is summed up. Errors: nothing is recorded before it.
Result<Recordings> until_asked(Recordings all, const Options& options, const Joins& joins) {
  const auto end = end_of(options, now_of(all, joins.wall()));
  if (!end) return end.error();
  if (!*end) return all;
  bool any = false;
  for (auto& one : all) {
    one = record::until(std::move(one), **end);
    any = any || one->covered();
  }
  if (any) return all;
  return Error{"cannot look at the past", "nothing is recorded before " + utc_text(**end),
               "a later --at, or another folder"};
}

}  // namespace

Result<Recordings> recordings_of(const Options& options, const Joins& joins) {
  if (options.recording.empty() || !joins.recordings)
    return Error{"cannot look at the past", "no folder of a recorder is named",
                 "--recording FOLDER, or `recording` in config.yaml; tessera record writes one"};
  auto all = joins.recordings(options.recording);
  if (!all) return all;
  if (options.cluster.empty()) return until_asked(std::move(*all), options, joins);
  std::string known;
  for (auto& one : *all) {
    known += (known.empty() ? "recorded there: " : ", ") + one->cluster().text;
    if (one->cluster().text != options.cluster) continue;
    Recordings chosen;
    chosen.push_back(std::move(one));
    return until_asked(std::move(chosen), options, joins);
  }
  return Error{"no such cluster", "\"" + clean(options.cluster, 100) + "\"", known};
}

int exit_code_without_recordings(const Options& options) {
  return options.recording.empty() ? kUsage : kUnknown;
}

TimePoint looked_until(const Recordings& recordings, const Options& options, const Joins& joins) {
  const TimePoint now = now_of(recordings, joins.wall());
  const auto end = end_of(options, now);
  return end && *end ? **end : now;
}

TimePoint now_of(const Recordings& recordings, TimePoint wall) {
  for (const auto& one : recordings)
    if (const auto covered = one->covered()) wall = std::max(wall, covered->to);
  return wall;
}

std::string cache_words(const usage::AccountingTold& told, const Options& options) {
  std::string text;
  if (told.kept_days > 0)
    text += "; " +
            tui::told(options.reader, fmt::format("{} of {} days from the cache", told.kept_days, told.days));
  if (!told.cache_trouble.empty())
    text += "; " + tui::told(options.reader, "answers are not kept: " + clean(told.cache_trouble, 300));
  return text;
}

std::string cost_words(const usage::AskingCost& cost, const Options& options) {
  if (cost.commands == 0) return "";
  return "; " +
         tui::told(options.reader, fmt::format("slurmdbd was asked by {} commands in {:.1f} s: {} lines, {}",
                                               cost.commands, seconds_of(cost), cost.lines,
                                               insight::bytes_text(static_cast<double>(cost.bytes))));
}

void add_gaps(Json& document, const usage::Gaps& gaps, TimePoint now) {
  Json& all = document.add("gaps", Json::map());
  all.add("count", Json::of(std::int64_t{gaps.count}));
  all.add("hours", rounded(hours_of(gaps.all)));
  all.add("longest_from", gaps.count > 0 ? Json::of(utc_text(gaps.from)) : Json());
  all.add("longest_to", gaps.count > 0 ? Json::of(utc_text(gaps.to)) : Json());
  all.add("damaged", Json::of(std::int64_t{gaps.damaged}));
  all.add("set_back", Json::of(std::int64_t{gaps.set_back}));
  all.add("untold_hours", rounded(hours_of(gaps.untold)));
  Json& ended = all.add("ended", Json::list());
  for (const auto& [cluster, age] : usage::ended(gaps, now)) {
    Json& one = ended.items.emplace_back(Json::map());
    one.add("cluster", Json::of(cluster.text));
    one.add("newest_round", Json::of(utc_text(now - age)));
    one.add("age_seconds", Json::of(std::int64_t{age / std::chrono::seconds(1)}));
  }
  all.add("longest_why", gaps.count > 0 ? Json::of(std::string(record::word(gaps.stop))) : Json());
}

void add_days(Json& document, const usage::AccountingTold& told, const usage::AskingCost& cost) {
  document.add("unread_lines", Json::of(std::int64_t{told.unread}));
  document.add("days", Json::of(std::int64_t{told.days}));
  document.add("days_from_cache", Json::of(std::int64_t{told.kept_days}));
  Json& all = document.add("cost", Json::map());
  all.add("commands", Json::of(cost.commands));
  all.add("seconds", rounded(seconds_of(cost)));
  all.add("bytes", Json::of(cost.bytes));
  all.add("lines", Json::of(cost.lines));
  all.add("lines_from_cache", Json::of(cost.kept_lines));
}

}  // namespace tessera::cli
