#include "tui/cli/record/demand.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/hours.hpp"
#include "engine/query/value.hpp"
#include "engine/time.hpp"
#include "engine/usage/hours_of_day.hpp"
#include "engine/usage/ledger.hpp"
#include "engine/usage/limits_of_recording.hpp"
#include "engine/usage/past_sums.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/record/looked.hpp"
#include "tui/cli/record/past.hpp"
#include "tui/cli/record/waste.hpp"
#include "tui/cli/table_text.hpp"
#include "tui/gap_words.hpp"
#include "tui/source_words.hpp"

namespace tessera::cli {
namespace {

using query::Align;

void add_needs(Json& one, int peak, int held, int waiting, TimePoint at) {
  one.add("peak", Json::of(std::int64_t{peak}));
  one.add("held", Json::of(std::int64_t{held}));
  one.add("waiting", Json::of(std::int64_t{waiting}));
  one.add("at", peak > 0 ? Json::of(utc_text(at)) : Json());
}

void add_hours_of_day(Json& document, const std::vector<usage::HoursOfDay>& all) {
  Json& list = document.add("hours_of_day", Json::list());
  for (const usage::HoursOfDay& row : all)
    for (std::size_t hour = 0; hour < row.hours.size(); ++hour) {
      if (!row.hours[hour]) continue;
      Json& one = list.items.emplace_back(Json::map());
      one.add("cluster", Json::of(row.cluster.text));
      one.add("profile", Json::of(row.profile));
      one.add("hour", Json::of(static_cast<std::int64_t>(hour)));
      one.add("peak", Json::of(std::int64_t{row.hours[hour]->peak}));
      one.add("mean", rounded(row.hours[hour]->mean));
      one.add("days", Json::of(std::int64_t{row.hours[hour]->days}));
    }
}

Json json_of(const LookedDemand& looked) {
  Json document = Json::map();
  document.add("from", Json::of(utc_text(looked.from)));
  document.add("to", Json::of(utc_text(looked.to)));
  document.add("hours_recorded", rounded(looked.demand.hours()));
  document.add("source", Json::of(source_word(looked)));
  if (looked.kept) add_kept(document, *looked.kept);
  if (looked.accounting) add_days(document, *looked.accounting, looked.cost);
  if (!looked.kept && !looked.accounting) add_gaps(document, looked.gaps, looked.now);
  document.add("right_sized", right_sized_json(looked));
  document.add("unplaced_peak", Json::of(std::int64_t{looked.demand.unplaced()}));
  Json& peaks = document.add("peaks", Json::list());
  for (const usage::DemandPeak& peak : looked.demand.peaks()) {
    Json& one = peaks.items.emplace_back(Json::map());
    one.add("cluster", Json::of(peak.cluster.text));
    one.add("profile", Json::of(peak.profile));
    add_needs(one, peak.peak, peak.held, peak.waiting, peak.at);
    one.add("mean", rounded(peak.mean));
  }
  Json& hours = document.add("hours", Json::list());
  for (const usage::DemandHour& hour : looked.demand.by_hour()) {
    Json& one = hours.items.emplace_back(Json::map());
    one.add("cluster", Json::of(hour.cluster.text));
    one.add("profile", Json::of(hour.profile));
    one.add("hour", Json::of(utc_text(hour.hour)));
    add_needs(one, hour.peak, hour.held, hour.waiting, hour.at);
    one.add("hours_recorded", rounded(hour.hours));
  }
  add_hours_of_day(document, usage::hours_of_day(looked.demand.by_hour()));
  return document;
}

Grid hours_grid(const LookedDemand& looked) {
  Grid grid;
  grid.heads = {{"cluster", "CLUSTER"},
                {"profile", "PROFILE"},
                {"hour", "HOUR"},
                {"peak", "PEAK", Align::right},
                {"held", "HELD", Align::right},
                {"waiting", "WAITING", Align::right},
                {"hours_recorded", "RECORDED", Align::right}};
  for (const usage::DemandHour& one : looked.demand.by_hour())
    grid.rows.push_back({one.cluster.text, one.profile, utc_text(one.hour), std::to_string(one.peak),
                         std::to_string(one.held), std::to_string(one.waiting),
                         fmt::format("{:.3f}", one.hours)});
  return grid;
}

Grid peaks_grid(const LookedDemand& looked) {
  Grid grid;
  grid.heads = {{"profile", "PROFILE"},
                {"cluster", "CLUSTER"},
                {"peak", "PEAK", Align::right},
                {"held", "HELD", Align::right},
                {"waiting", "WAITING", Align::right},
                {"at", "AT"},
                {"mean", "MEAN", Align::right}};
  for (const usage::DemandPeak& one : looked.demand.peaks())
    grid.rows.push_back({one.profile, one.cluster.text, std::to_string(one.peak), std::to_string(one.held),
                         std::to_string(one.waiting), utc_text(one.at), fmt::format("{:.1f}", one.mean)});
  return grid;
}

// A column for each profile, a line for each hour of the day.
Grid hours_of_day_grid(const std::vector<usage::HoursOfDay>& all) {
  const bool several = std::any_of(all.begin(), all.end(), [&](const usage::HoursOfDay& one) {
    return one.cluster != all.front().cluster;
  });
  Grid grid;
  grid.heads.push_back({"hour", "HOUR (UTC)"});
  for (const usage::HoursOfDay& one : all)
    grid.heads.push_back({"", several ? one.cluster.text + ":" + one.profile : one.profile, Align::right});
  for (std::size_t hour = 0; hour < 24; ++hour) {
    std::vector<std::string> row{fmt::format("{:02}:00", hour)};
    for (const usage::HoursOfDay& one : all)
      row.push_back(one.hours[hour] ? std::to_string(one.hours[hour]->peak) : "n/a");
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

}  // namespace

namespace {

// What is to be known of the same time for --right-sized.
usage::Span sized_by(const Options& options, Duration span) {
  return {span, options.limits, options.except, true};
}

// From what the scheduler's accounting keeps: what was held alone.
Result<LookedDemand> held_by_accounting(const Options& options, const mig::Catalogue& catalogue,
                                        const Joins& joins, Duration span, const std::string& group) {
  Options one = options;
  one.since = span;
  auto past = joins.accounting(one, {});
  if (!past) return past.error();
  std::shared_ptr<const usage::RightSizes> sizes;
  if (options.right_sized) {
    usage::Ledger ledger(catalogue, options.limits);
    usage::add(ledger, *past, catalogue);
    sizes = usage::sum_up(ledger, sized_by(options, span), catalogue).right_sizes;
  }
  LookedDemand looked{usage::DemandOverTime(group, std::move(sizes))};
  usage::add(looked.demand, *past, group);
  looked.from = past->from, looked.to = past->to;
  looked.accounting = std::move(past->told);
  looked.cost = past->cost;
  return looked;
}

constexpr const char* kCannot = "cannot tell the demand";

// From what Prometheus keeps: what was held alone, by the pods and jobs that its series name.
Result<LookedDemand> held_by_prometheus(const Options& options, const mig::Catalogue& catalogue,
                                        const Joins& joins, Duration span, const std::string& group) {
  auto opened = joins.kept_use(options, catalogue, {});
  if (!opened) return opened.error();
  std::vector<usage::KeptUse*> kept;
  Recordings all;
  for (auto& one : *opened) {
    if (!options.cluster.empty() && one->cluster().text != options.cluster) continue;
    // Before a server is asked for days.
    if (!group.empty() && one->scheduler() == Scheduler::slurm)
      return Error{kCannot, "Prometheus does not tell the partitions of jobs",
                   "leave out --partition, or --source recording or accounting"};
    kept.push_back(one.get());
    all.push_back(std::move(one));
  }
  // What nobody is named for is not what nobody held.
  const Error names_none{
      kCannot, "Prometheus' series name no pod or job: what was held is not known",
      "docs/time.md says which labels do; --source recording or accounting looks elsewhere"};
  std::shared_ptr<const usage::RightSizes> sizes;
  if (options.right_sized) {
    if (auto refused = why_exceptions_not_told(options, PastSource::prometheus, nullptr))
      return std::move(*refused);
    auto sums = usage::reckon(all, sized_by(options, span), catalogue);
    if (!sums) return sums.error();
    if (sums->hours > 0 && !told_by(kept).names_work) return names_none;
    if (auto refused = why_exceptions_not_told(options, PastSource::prometheus, &*sums))
      return std::move(*refused);
    sizes = std::move(sums->right_sizes);
  }
  auto past = usage::past_demand(all, span, group, sizes);
  if (!past) return past.error();
  LookedDemand looked{std::move(past->demand), past->from, past->to};
  looked.kept = told_by(kept);
  looked.cost = looked.kept->cost;
  if (looked.kept->names_work)
    for (const ClusterName& cluster : looked.kept->nameless) looked.demand.forget(cluster);
  if (looked.demand.hours() <= 0) return nothing_kept(*looked.kept);
  if (!looked.kept->names_work) return names_none;
  return looked;
}

}  // namespace

std::string source_word(const LookedDemand& looked) {
  return looked.kept ? "prometheus" : looked.accounting ? "accounting" : "recording";
}

std::vector<std::string> history_words(const LookedDemand& looked, Duration asked) {
  const double hours = hours_of(asked);
  const std::string from = utc_text(looked.from), to = utc_text(looked.to);
  if (!looked.kept) {
    std::vector<std::string> all{fmt::format("the history: recorded from {} to {}, {:.1f} h of {:.0f} h",
                                             from, to, looked.demand.hours(), hours)};
    for (std::string& one : tui::gap_sentences(looked.gaps, utc_text, looked.now))
      all.push_back(std::move(one));
    return all;
  }
  std::vector<std::string> all{fmt::format(
      "the history: kept by Prometheus from {} to {}, {:.1f} h of {:.0f} h, a value every {}", from, to,
      looked.demand.hours(), hours, query::duration_text(looked.kept->step / std::chrono::seconds(1)))};
  for (std::string& one : tui::kept_words(*looked.kept)) all.push_back(std::move(one));
  return all;
}

std::string untold_words(const LookedDemand& looked) {
  if (looked.kept) return "Prometheus tells what was held, and not what waited for room";
  if (looked.accounting) return "accounting tells what was held, and not what waited for room";
  return {};
}

std::string sizes_words(const LookedDemand& looked) {
  const std::optional<std::size_t> smaller = looked.demand.right_sized();
  if (!smaller)
    return "the history counts what was held as it was held, also where a smaller profile would have done "
           "(--right-sized counts that one)";
  return fmt::format(
      "the history counts {} jobs and pods as the smaller profile that would have done, the others as they "
      "held",
      *smaller);
}

Json right_sized_json(const LookedDemand& looked) {
  const std::optional<std::size_t> smaller = looked.demand.right_sized();
  return smaller ? Json::of(static_cast<std::int64_t>(*smaller)) : Json();
}

Result<LookedDemand> look_at_demand(const Options& options, const mig::Catalogue& catalogue,
                                    const Joins& joins, Duration span, const std::string& group) {
  const auto source = source_of(options, joins);
  if (!source) return source.error();
  if (*source == PastSource::accounting && joins.accounting)
    return held_by_accounting(options, catalogue, joins, span, group);
  if (*source == PastSource::prometheus) return held_by_prometheus(options, catalogue, joins, span, group);
  auto recordings = recordings_of(options, joins);
  if (!recordings) return recordings.error();
  std::shared_ptr<const usage::RightSizes> sizes;
  if (options.right_sized) {
    if (Status told = usage::can_be_told_by_recording(options.limits); !told) return told.error();
    auto sums = usage::reckon(*recordings, sized_by(options, span), catalogue);
    if (!sums) return sums.error();
    sizes = std::move(sums->right_sizes);
  }
  auto past = usage::past_demand(*recordings, span, group, sizes);
  if (!past) return past.error();
  LookedDemand looked{std::move(past->demand), past->from, past->to};
  looked.gaps = past->gaps, looked.now = looked_until(*recordings, options, joins);
  // One round is a moment, and no history.
  if (looked.demand.hours() <= 0)
    return Error{kCannot, "nothing is recorded of that time",
                 "tessera record writes one; look further back, or name another folder"};
  return looked;
}

int run_demand(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
               const Streams& streams) {
  const auto source = source_of(options, joins);
  if (!source) return complain(streams, source.error()), kUsage;
  auto looked = look_at_demand(options, catalogue, joins, options.since, {});
  if (!looked) return complain(streams, looked.error()), kUnknown;
  switch (options.output) {
    case OutputFormat::json: streams.out << document(json_of(*looked), Markup::json); return kDone;
    case OutputFormat::yaml: streams.out << document(json_of(*looked), Markup::yaml); return kDone;
    case OutputFormat::csv: streams.out << to_csv(hours_grid(*looked), options.headers); return kDone;
    case OutputFormat::table:
    case OutputFormat::wide: break;
  }
  const auto told = [&](const std::string& english) { return tui::told(options.reader, english); };
  streams.out << to_table(peaks_grid(*looked), options.headers, options.paper)
              << told(looked->kept
                          ? fmt::format("from Prometheus, {} to {}, {:.1f} h of it kept; what waited is not "
                                        "counted",
                                        utc_text(looked->from), utc_text(looked->to), looked->demand.hours())
                      : looked->accounting
                          ? fmt::format("from Slurm's accounting, {} to {}; what waited is not counted",
                                        utc_text(looked->from), utc_text(looked->to))
                          : fmt::format("from a recording, {} to {}, {:.1f} h of it recorded",
                                        utc_text(looked->from), utc_text(looked->to),
                                        looked->demand.hours()));
  if (looked->demand.unplaced() > 0)
    streams.out << "; "
                << told(looked->accounting
                            ? fmt::format("up to {} more GPUs were held of which it is not told whether "
                                          "they were slices",
                                          looked->demand.unplaced())
                            : fmt::format("up to {} more were held on slices that are not reported",
                                          looked->demand.unplaced()));
  if (const std::string gaps = tui::gap_words(options.reader, looked->gaps, utc_text, looked->now);
      !gaps.empty())
    streams.out << "; " << gaps;
  if (looked->accounting)
    streams.out << cache_words(*looked->accounting, options) << cost_words(looked->cost, options);
  if (looked->kept)
    for (const std::string& one : tui::kept_words(*looked->kept)) streams.out << "; " << told(one);
  streams.out << "\n" << told(sizes_words(*looked)) << "\n";
  const auto of_day = usage::hours_of_day(looked->demand.by_hour());
  if (options.output == OutputFormat::wide && !of_day.empty())
    streams.out << "\n"
                << told("The most that was needed in each hour of the day, of all days") << "\n"
                << to_table(hours_of_day_grid(of_day), options.headers, options.paper);
  return kDone;
}

}  // namespace tessera::cli
