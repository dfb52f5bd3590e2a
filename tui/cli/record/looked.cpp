#include "tui/cli/record/looked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "engine/query/value.hpp"
#include "engine/time.hpp"
#include "engine/usage/ledger.hpp"
#include "engine/usage/limits_of_recording.hpp"
#include "engine/usage/past_sums.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/record/past.hpp"
#include "tui/gap_words.hpp"
#include "tui/source_words.hpp"

namespace tessera::cli {
namespace {

usage::Span asked_by(const Options& options) { return {options.since, options.limits, options.except}; }

// Whoever waits is asked now and then, also while nothing comes.
std::function<bool()> stopped_by(const usage::KeepOn& keep_on) {
  if (!keep_on) return {};
  return [keep_on] { return !keep_on(0); };
}

// What the scheduler's accounting keeps of --since until now.
Result<Looked> look_at_accounting(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
                                  const usage::KeepOn& keep_on) {
  auto past = joins.accounting(options, stopped_by(keep_on));
  if (!past) return past.error();
  usage::Ledger ledger(catalogue, options.limits);
  usage::add(ledger, *past, catalogue);
  Looked all{usage::sum_up(ledger, asked_by(options), catalogue), past->cost};
  all.from = past->from, all.to = past->to;
  usage::add(all.demand[past->cluster], *past, "");
  all.figures_by = usage::figures_by(*past);
  all.accounting = std::move(past->told);
  return all;
}

void add(usage::KeptTold& all, const usage::KeptTold& one) {
  all.step = std::max(all.step, one.step);
  all.names_work = all.names_work || one.names_work;
  all.unnamed += one.unnamed, all.shared += one.shared, all.strange += one.strange,
      all.skipped += one.skipped;
  if (all.problem.empty()) all.problem = one.problem;
  usage::add(all.cost, one.cost);
}

bool is_nameless(const usage::KeptUse& kept) { return !kept.told().names_work && kept.told().unnamed > 0; }

}  // namespace

Error nothing_kept(const usage::KeptTold& told) {
  const std::string what = "cannot read what Prometheus kept";
  if (told.strange > 0)
    return {what, fmt::format("{} series are of nodes that are not known", told.strange),
            "a label of the series must have the node's name: Hostname, node or instance"};
  return {what, told.problem.empty() ? "it has no series of DCGM's counters in that time" : told.problem,
          "it must scrape the DCGM exporters; how long it keeps them is its --storage.tsdb.retention.time"};
}

usage::KeptTold told_by(std::span<usage::KeptUse* const> kept) {
  usage::KeptTold sum;
  double nameless = 0;
  for (const usage::KeptUse* one : kept) {
    add(sum, one->told());
    if (!is_nameless(*one)) continue;
    sum.nameless.insert(one->cluster());
    nameless += one->told().unnamed;
  }
  if (sum.names_work) sum.unnamed -= nameless;
  return sum;
}

void add_kept(Json& document, const usage::KeptTold& kept) {
  Json& one = document.add("prometheus", Json::map());
  one.add("step_s", Json::of(std::int64_t{kept.step / std::chrono::seconds(1)}));
  one.add("names_work", Json::of(kept.names_work));
  Json& nameless = one.add("nameless", Json::list());
  for (const ClusterName& cluster : kept.nameless) nameless.items.push_back(Json::of(cluster.text));
  one.add("unnamed_hours", rounded(kept.unnamed));
  one.add("shared_hours", rounded(kept.shared));
  one.add("unknown_series", Json::of(static_cast<std::int64_t>(kept.strange)));
  one.add("unread_series", Json::of(static_cast<std::int64_t>(kept.skipped)));
  one.add("requests", Json::of(kept.cost.commands));
  one.add("seconds", rounded(seconds_of(kept.cost)));
  one.add("bytes", Json::of(kept.cost.bytes));
}

namespace {

// Of what is free, or waits, it tells nothing.
void add_not_told(Looked& looked, const std::set<ClusterName>& clusters) {
  std::erase_if(looked.not_known,
                [](const usage::NotKnown& one) { return one.kind == "unasked" || one.kind == "rogue"; });
  for (const ClusterName& cluster : clusters)
    for (const char* kind : {"stranded", "unasked", "rogue"})
      looked.not_known.push_back({cluster, kind, "Prometheus does not tell what is free"});
}

// Where no series of a cluster names a pod or a job, what is used may be held, and what is not may be free.
void forget_waste_and_demand(Looked& looked, const std::set<ClusterName>& clusters) {
  const auto there = [&](const auto& one) { return clusters.contains(one.cluster); };
  std::erase_if(looked.waste, there), std::erase_if(looked.left_out, there);
  std::erase_if(looked.demand, [&](const auto& one) { return clusters.contains(one.first); });
  for (const char* kind : {"idle", "parked", "too-big"}) {
    std::erase_if(looked.not_known,
                  [&](const usage::NotKnown& one) { return one.kind == kind && there(one); });
    for (const ClusterName& cluster : clusters)
      looked.not_known.push_back({cluster, kind, "no series names a pod or a job"});
  }
}

// Clusters whose series name nobody are read once more, for what was used there; their rows come last, since
// the hours of them are not known.
Status count_nameless(usage::Reckoning& read, Recordings& all, const std::vector<usage::KeptUse*>& kept,
                      const usage::Span& asked, const mig::Catalogue& catalogue,
                      const usage::KeepOn& keep_on) {
  std::set<ClusterName> nameless;
  for (usage::KeptUse* one : kept)
    if (is_nameless(*one)) nameless.insert(one->cluster()), one->count_unnamed();
  if (nameless.empty()) return Done{};
  const auto first = std::stable_partition(
      all.begin(), all.end(), [&](const auto& one) { return !nameless.contains(one->cluster()); });
  auto used = usage::reckon(std::span(first, all.end()), asked, catalogue, keep_on);
  if (!used) return used.error();
  for (auto& [by, rows] : read.sums) {
    std::erase_if(rows, [&](const usage::Sum& sum) { return nameless.contains(sum.cluster); });
    std::vector<usage::Sum>& more = used->sums[by];
    std::move(more.begin(), more.end(), std::back_inserter(rows));
  }
  return Done{};
}

// What Prometheus keeps of --since until now.
Result<Looked> look_at_prometheus(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
                                  const usage::KeepOn& keep_on) {
  auto opened = joins.kept_use(options, catalogue, stopped_by(keep_on));
  if (!opened) return opened.error();
  std::vector<usage::KeptUse*> kept;
  Recordings all;
  std::set<ClusterName> clusters;
  for (auto& one : *opened) {
    kept.push_back(one.get());
    clusters.insert(one->cluster());
    all.push_back(std::move(one));
  }
  const auto told = [&] { return told_by(kept); };
  auto sums = usage::reckon(all, asked_by(options), catalogue, keep_on);
  if (!sums) return sums.error();
  if (Status counted = count_nameless(*sums, all, kept, asked_by(options), catalogue, keep_on); !counted)
    return counted.error();
  if (sums->from == TimePoint{}) return nothing_kept(told());
  Looked looked{std::move(*sums)};
  looked.kept = told();
  looked.cost = looked.kept->cost;
  add_not_told(looked, clusters);
  forget_waste_and_demand(looked, looked.kept->nameless);
  return looked;
}

bool has_figures(const Looked& looked) {
  return usage::coverage(looked.sums.at(usage::By::user)).value_or(0) > 0;
}

// Slurm's accounting tells what was held, and whether it was used only where something else noted that there.
std::string accounting_footer(const Looked& looked, const Options& options) {
  const std::string from = utc_text(looked.from), to = utc_text(looked.to);
  std::string text =
      has_figures(looked)
          ? tui::told(
                options.reader,
                fmt::format("from Slurm's accounting, {} to {}; {:.0f} % of held hours have use figures, by "
                            "jobstats",
                            from, to, *usage::coverage(looked.sums.at(usage::By::user))))
          : tui::told(options.reader,
                      fmt::format("from Slurm's accounting, {} to {}; it has no use figures", from, to));
  for (const std::string& one : tui::source_words(looked)) text += "; " + tui::told(options.reader, one);
  return text + cache_words(*looked.accounting, options) + cost_words(*looked.cost, options) + "\n";
}

// What is in no GPU-hour; empty: everything is.
std::string unvalued_words(const std::vector<usage::Sum>& sums, const Options& options) {
  const double unvalued = usage::unvalued(sums);
  if (unvalued <= 1e-9) return "";
  return "; " + tui::told(options.reader,
                          fmt::format("{:.1f} h were held on slices of which it is not known what part of a "
                                      "GPU they are",
                                      unvalued));
}

std::string prometheus_footer(const std::vector<usage::Sum>& sums, const Looked& looked,
                              const Options& options) {
  const auto say = [&](const std::string& english) { return tui::told(options.reader, english); };
  const usage::KeptTold& kept = *looked.kept;
  std::string text = say(fmt::format(
      "from Prometheus, {} to {}, a value every {}, {:.1f} h of it kept", utc_text(looked.from),
      utc_text(looked.to), query::duration_text(kept.step / std::chrono::seconds(1)), looked.hours));
  const std::vector<usage::Sum> held = usage::known_as_held(looked, sums);
  if (const auto covered = usage::coverage(held))
    text += "; " + say(fmt::format("{:.0f} % of held hours have use figures", *covered));
  text += unvalued_words(held, options);
  for (const std::string& one : tui::source_words(looked)) text += "; " + say(one);
  return text + "\n";
}

}  // namespace

bool has_prometheus(const Options& options, const Joins& joins) {
  return joins.kept_use && !options.sim && options.figures.contains("prometheus");
}

Result<PastSource> source_of(const Options& options, const Joins& joins) {
  if (options.accounting && !options.source.empty() && options.source != "accounting")
    return Error{"cannot look at the past",
                 "--accounting and --source " + options.source + " exclude each other", "give one of them"};
  if (options.accounting) return PastSource::accounting;
  const bool prometheus = has_prometheus(options, joins);
  if (options.source == "prometheus" && !prometheus)
    return Error{"cannot look at the past", "prometheus is not set",
                 "--prometheus PLACE, or `prometheus` in config.yaml (docs/time.md)"};
  const bool wanted = options.source == "prometheus" || (options.source.empty() && options.recording.empty());
  return prometheus && wanted ? PastSource::prometheus : PastSource::recording;
}

bool knows_held(const Looked& looked) { return !looked.kept || looked.kept->names_work; }
bool knows_waiting(const Looked& looked) { return !looked.kept; }

Result<Looked> look(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
                    const usage::KeepOn& keep_on) {
  const auto source = source_of(options, joins);
  if (!source) return source.error();
  if (*source == PastSource::accounting && joins.accounting)
    return look_at_accounting(options, catalogue, joins, keep_on);
  if (*source == PastSource::prometheus) return look_at_prometheus(options, catalogue, joins, keep_on);
  if (Status told = usage::can_be_told_by_recording(options.limits); !told) return told.error();
  auto recordings = recordings_of(options, joins);
  if (!recordings) return recordings.error();
  auto all = usage::reckon(*recordings, asked_by(options), catalogue, keep_on);
  if (!all) return all.error();
  Looked looked{std::move(*all)};
  looked.not_asked = has_prometheus(options, joins);
  looked.now = looked_until(*recordings, options, joins);
  return looked;
}

void add_span(Json& document, const Looked& looked) {
  document.add("from", Json::of(utc_text(looked.from)));
  document.add("to", Json::of(utc_text(looked.to)));
  document.add("hours_recorded", rounded(looked.hours));
  document.add("source", Json::of(std::string(looked.kept         ? "prometheus"
                                              : looked.accounting ? "accounting"
                                                                  : "recording")));
  if (looked.kept) add_kept(document, *looked.kept);
  if (!looked.kept && !looked.accounting) add_gaps(document, looked.gaps, looked.now);
  if (!looked.accounting) return;
  add_days(document, *looked.accounting, *looked.cost);
  Json& by = document.add("figures_by", Json::list());
  for (const std::string& one : looked.figures_by) by.items.push_back(Json::of(one));
}

std::string footer(const std::vector<usage::Sum>& sums, const Looked& looked, const Options& options) {
  const auto covered = usage::coverage(sums);
  if (looked.accounting) return accounting_footer(looked, options);
  if (looked.kept) return prometheus_footer(sums, looked, options);
  std::string text =
      tui::told(options.reader, fmt::format("from a recording, {} to {}, {:.1f} h of it recorded",
                                            utc_text(looked.from), utc_text(looked.to), looked.hours));
  if (covered)
    text +=
        "; " + tui::told(options.reader, fmt::format("{:.0f} % of held hours have use figures", *covered));
  if (const std::int64_t seconds = looked.figures_every / std::chrono::seconds(1); seconds > 0)
    text += "; " + tui::told(options.reader, fmt::format("use in some of its days is {} apart",
                                                         query::duration_text(seconds)));
  if (const std::string gaps = tui::gap_words(options.reader, looked.gaps, utc_text, looked.now);
      !gaps.empty())
    text += "; " + gaps;
  if (looked.unplaced > 1e-9)
    text += "; " + tui::told(options.reader, fmt::format("{:.1f} h were held on slices that are not reported",
                                                         looked.unplaced));
  text += unvalued_words(sums, options);
  if (looked.not_asked)
    text += "; " + tui::told(options.reader, "not asked: Prometheus (--source prometheus)");
  return text + "\n";
}

}  // namespace tessera::cli
