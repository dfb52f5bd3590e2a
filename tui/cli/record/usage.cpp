#include "tui/cli/record/usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/query/value.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"
#include "engine/usage/asking_cost.hpp"
#include "engine/usage/past_sums.hpp"
#include "engine/usage/reckoning.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/record/demand.hpp"
#include "tui/cli/record/past.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {
namespace {

struct Looked : usage::Reckoning {
  std::optional<usage::AskingCost> cost;  // nullopt: a recording
};

// What the scheduler's accounting keeps of --since until now.
Result<Looked> look_at_accounting(const Options& options, const mig::Catalogue& catalogue,
                                  const Joins& joins) {
  auto past = joins.accounting(options);
  if (!past) return past.error();
  usage::Ledger ledger(catalogue, options.idle_after);
  usage::add(ledger, *past, catalogue, options.idle_after);
  Looked all{usage::sum_up(ledger, {options.since, options.idle_after}, catalogue), past->cost};
  all.from = past->from, all.to = past->to;
  all.figures_by = usage::figures_by(*past);
  all.accounting = std::move(past->told);
  return all;
}

// Adds up --since until the newest round of each recording.
Result<Looked> look(const Options& options, const mig::Catalogue& catalogue, const Joins& joins) {
  if (options.accounting && joins.accounting) return look_at_accounting(options, catalogue, joins);
  auto recordings = recordings_of(options, joins);
  if (!recordings) return recordings.error();
  auto all =
      usage::reckon(*recordings, {options.since, options.idle_after, options.unasked_after}, catalogue);
  if (!all) return all.error();
  return Looked{std::move(*all), std::nullopt};
}

bool knows_idle(const usage::Sum& sum) { return sum.measured > 0 || sum.idle > 0; }

Json hours(double value) { return Json::of(std::round(value * 1000) / 1000); }
Json maybe(const std::optional<double>& value) { return value ? hours(*value) : Json(); }

bool has_figures(const Looked& looked) {
  return usage::coverage(looked.sums.at(usage::By::user)).value_or(0) > 0;
}

void add_span(Json& document, const Looked& looked) {
  document.add("from", Json::of(utc_text(looked.from)));
  document.add("to", Json::of(utc_text(looked.to)));
  document.add("hours_recorded", hours(looked.hours));
  document.add("source", Json::of(std::string(looked.accounting ? "accounting" : "recording")));
  if (!looked.accounting) return;
  add_days(document, *looked.accounting, *looked.cost);
  Json& by = document.add("figures_by", Json::list());
  for (const std::string& one : looked.figures_by) by.items.push_back(Json::of(one));
}

Json json_of(const std::vector<usage::Sum>& sums, const Looked& looked, const std::string& by) {
  Json document = Json::map();
  add_span(document, looked);
  document.add("by", Json::of(by));
  document.add("measured_percent", maybe(usage::coverage(sums)));
  document.add("unplaced_hours", hours(looked.unplaced));
  Json& list = document.add("usage", Json::list());
  for (const usage::Sum& sum : sums) {
    Json& one = list.items.emplace_back(Json::map());
    one.add("cluster", Json::of(sum.cluster.text));
    one.add("name", sum.name.empty() ? Json() : Json::of(sum.name));
    one.add("gpu_hours", hours(sum.gpu_hours));
    one.add("slice_hours", hours(sum.slice_hours));
    one.add("measured_gpu_hours", hours(sum.measured));
    one.add("mean_use", maybe(sum.mean_use));
    one.add("p95_use", maybe(sum.p95_use));
    one.add("memory_peak_mib", sum.memory_peak ? Json::of(sum.memory_peak->value) : Json());
    one.add("idle_gpu_hours", knows_idle(sum) ? hours(sum.idle) : Json());
    one.add("waiting_hours", hours(sum.waited));
  }
  return document;
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::string percent(const std::optional<double>& value, bool bare) {
  if (!value) return bare ? "" : "n/a";
  return bare ? fmt::format("{:.1f}", *value) : fmt::format("{:.0f}%", *value);
}

Grid grid_of(const std::vector<usage::Sum>& sums, const std::string& by, bool bare) {
  using query::Align;
  Grid grid;
  grid.heads = {{"name", upper(by)},
                {"cluster", "CLUSTER"},
                {"gpu_hours", "GPU-HOURS", Align::right},
                {"slice_hours", "SLICE-HOURS", Align::right},
                {"measured_gpu_hours", "MEASURED", Align::right},
                {"mean_use", "MEAN", Align::right},
                {"p95_use", "P95", Align::right},
                {"memory_peak_mib", "MEM PEAK", Align::right},
                {"idle_gpu_hours", "IDLE", Align::right},
                {"waiting_hours", "WAITED", Align::right}};
  for (const usage::Sum& sum : sums) {
    const std::string unknown = bare ? "" : "n/a";
    const std::string peak = !sum.memory_peak ? unknown
                             : bare           ? std::to_string(sum.memory_peak->value)
                                              : query::memory_text(sum.memory_peak->value);
    grid.rows.push_back(
        {sum.name.empty() ? (bare ? "" : "?") : sum.name, sum.cluster.text,
         fmt::format("{:.2f}", sum.gpu_hours), fmt::format("{:.2f}", sum.slice_hours),
         fmt::format("{:.2f}", sum.measured), percent(sum.mean_use, bare), percent(sum.p95_use, bare), peak,
         knows_idle(sum) ? fmt::format("{:.2f}", sum.idle) : unknown, fmt::format("{:.2f}", sum.waited)});
  }
  return grid;
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
  if (std::count(looked.figures_by.begin(), looked.figures_by.end(), "slurm") > 0)
    text += "; " + tui::told(options.reader, "Slurm itself tells which whole GPUs were never used");
  double untyped = 0;
  for (const usage::Sum& sum : looked.sums.at(usage::By::profile))
    if (sum.name == "untyped") untyped += sum.gpu_hours;
  if (untyped > 0)
    text += "; " +
            tui::told(options.reader,
                      fmt::format("{:.1f} GPU-hours have no type: slices among them count as GPUs", untyped));
  const usage::AccountingTold& told = *looked.accounting;
  if (told.unread > 0)
    text += "; " + tui::told(options.reader, fmt::format("{} of its lines could not be read", told.unread));
  return text + cache_words(told, options) + cost_words(*looked.cost, options) + "\n";
}

// Where figures come from, and of how much of the time there are any.
std::string footer(const std::vector<usage::Sum>& sums, const Looked& looked, const Options& options) {
  const auto covered = usage::coverage(sums);
  if (looked.accounting) return accounting_footer(looked, options);
  std::string text =
      tui::told(options.reader, fmt::format("from a recording, {} to {}, {:.1f} h of it recorded",
                                            utc_text(looked.from), utc_text(looked.to), looked.hours));
  if (covered)
    text +=
        "; " + tui::told(options.reader, fmt::format("{:.0f} % of held hours have use figures", *covered));
  if (const std::int64_t seconds = looked.figures_every / std::chrono::seconds(1); seconds > 0)
    text += "; " + tui::told(options.reader, fmt::format("use in some of its days is {} apart",
                                                         query::duration_text(seconds)));
  if (looked.unplaced > 1e-9)
    text += "; " + tui::told(options.reader, fmt::format("{:.1f} h were held on slices that are not reported",
                                                         looked.unplaced));
  return text + "\n";
}

Json json_of(const std::vector<usage::NotKnown>& all) {
  Json list = Json::list();
  for (const usage::NotKnown& one : all) {
    Json& row = list.items.emplace_back(Json::map());
    row.add("kind", Json::of(one.kind));
    row.add("cluster", Json::of(one.cluster.text));
    row.add("missing", Json::of(one.missing));
  }
  return list;
}

Json json_of(const std::vector<usage::Waste>& all, const Looked& looked, double sum) {
  Json document = Json::map();
  add_span(document, looked);
  document.add("slice_hours", hours(sum));
  double uncounted = 0;
  for (const usage::Waste& one : all)
    if (!one.slice_hours) uncounted += one.hours.value_or(0);
  document.add("uncounted_hours", hours(uncounted));
  document.add("not_known", json_of(looked.not_known));
  Json& list = document.add("waste", Json::list());
  const auto text = [](const std::string& value) { return value.empty() ? Json() : Json::of(value); };
  for (const usage::Waste& one : all) {
    Json& row = list.items.emplace_back(Json::map());
    row.add("kind", Json::of(one.kind));
    row.add("slice_hours", maybe(one.slice_hours));
    row.add("hours", maybe(one.hours));
    row.add("cluster", text(one.cluster.text));
    row.add("user", text(one.user));
    row.add("workload", text(one.workload));
    row.add("node", text(one.node));
    row.add("profile", text(one.profile));
    row.add("advice", Json::of(one.advice));
  }
  return document;
}

bool of_several_clusters(const std::vector<usage::Waste>& all) {
  return std::any_of(all.begin(), all.end(),
                     [&](const usage::Waste& one) { return one.cluster != all.front().cluster; });
}

// The cluster is told where there are several, and in what scripts read.
Grid grid_of(const std::vector<usage::Waste>& all, const Options& options, bool bare) {
  Grid grid;
  const auto count = [bare](const std::optional<double>& value) {
    return value ? fmt::format("{:.2f}", *value) : std::string(bare ? "" : "n/a");
  };
  grid.heads = {{"kind", "KIND"},
                {"slice_hours", "SLICE-HOURS", query::Align::right},
                {"hours", "HOURS", query::Align::right},
                {"user", "USER"},
                {"workload", "JOB/POD"},
                {"profile", "PROFILE"},
                {"node", "NODE"},
                {"advice", "ADVICE"}};
  for (const usage::Waste& one : all)
    grid.rows.push_back({one.kind, count(one.slice_hours), count(one.hours), one.user, one.workload,
                         one.profile, one.node, bare ? one.advice : tui::told(options.reader, one.advice)});
  if (!bare && !of_several_clusters(all)) return grid;
  grid.heads.insert(grid.heads.begin() + 1, {"cluster", "CLUSTER"});
  for (std::size_t i = 0; i < all.size(); ++i)
    grid.rows[i].insert(grid.rows[i].begin() + 1, all[i].cluster.text);
  return grid;
}

// In the language of the letters. A document is for a site's own way to send them, owner by owner.
std::string messages(const std::vector<usage::Waste>& all, const usage::Reckoning& looked,
                     const Options& options) {
  const std::string from = utc_text(looked.from), to = utc_text(looked.to);
  std::string text;
  Json whole = Json::map();
  whole.add("from", Json::of(from));
  whole.add("to", Json::of(to));
  Json& list = whole.add("messages", Json::list());
  for (const usage::Letter& letter : usage::letters(all)) {
    const std::string told = letter.text + "  (" + from + "/" + to + ")\n";
    text += "To: " + letter.user + "\n" + told + "\n";
    Json& one = list.items.emplace_back(Json::map());
    one.add("to", Json::of(letter.user));
    one.add("text", Json::of(told));
  }
  if (options.output == OutputFormat::json) return document(whole, Markup::json);
  if (options.output == OutputFormat::yaml) return document(whole, Markup::yaml);
  return text;
}

}  // namespace

int run_usage(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
              const Streams& streams) {
  if (options.demand) return run_demand(options, joins, streams);
  const auto by = usage::by_of(options.by);
  if (!by)
    return complain(streams, {"cannot sum up", "--by: \"" + clean(options.by, 40) + "\" is not known",
                              "user, account, group (partition, namespace), profile, node or workload"}),
           kUsage;
  auto looked = look(options, catalogue, joins);
  if (!looked) return complain(streams, looked.error()), kUnknown;
  const std::vector<usage::Sum>& sums = looked->sums.at(*by);
  switch (options.output) {
    case OutputFormat::json:
      streams.out << document(json_of(sums, *looked, options.by), Markup::json);
      return kDone;
    case OutputFormat::yaml:
      streams.out << document(json_of(sums, *looked, options.by), Markup::yaml);
      return kDone;
    case OutputFormat::csv:
      streams.out << to_csv(grid_of(sums, options.by, true), options.headers);
      return kDone;
    case OutputFormat::table:
    case OutputFormat::wide: break;
  }
  streams.out << to_table(grid_of(sums, options.by, false), options.headers, options.paper)
              << footer(sums, *looked, options);
  return kDone;
}

int run_waste(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
              const Streams& streams) {
  auto looked = look(options, catalogue, joins);
  if (!looked) return complain(streams, looked.error()), kUnknown;
  // Without figures nothing is found, which is not to say that nothing was wasted.
  const auto covered = usage::coverage(looked->sums.at(usage::By::user));
  if (looked->accounting && looked->figures_by.empty() && covered && *covered <= 0)
    return complain(
               streams,
               {"cannot tell what was wasted", "no job of that time has use figures in Slurm's accounting",
                "jobstats writes them there (AdminComment); tessera record measures them itself"}),
           kUnknown;
  const std::vector<usage::Waste>& all = looked->waste;
  double sum = 0;
  for (const usage::Waste& one : all) sum += one.slice_hours.value_or(0);
  // What was not measured may be more than any bound.
  const bool unmeasured = std::any_of(looked->not_known.begin(), looked->not_known.end(),
                                      [](const usage::NotKnown& one) { return one.kind == "idle"; });
  int code = kDone;
  if (unmeasured && (options.more_than || all.empty())) code = kUnknown;
  if (options.more_than && sum > *options.more_than) code = kFinding;
  if (options.messages) {
    streams.out << messages(all, *looked, options);
    return code;
  }
  switch (options.output) {
    case OutputFormat::json: streams.out << document(json_of(all, *looked, sum), Markup::json); return code;
    case OutputFormat::yaml: streams.out << document(json_of(all, *looked, sum), Markup::yaml); return code;
    case OutputFormat::csv: streams.out << to_csv(grid_of(all, options, true), options.headers); return code;
    case OutputFormat::table:
    case OutputFormat::wide: break;
  }
  if (all.empty() && unmeasured)
    streams.out << tui::told(options.reader, "What was wasted is not known.") << "\n";
  else if (all.empty())
    streams.out << tui::told(options.reader, "Nothing that was held was idle or too large.") << "\n";
  else
    streams.out << to_table(grid_of(all, options, false), options.headers, options.paper);
  streams.out << footer(looked->sums.at(usage::By::user), *looked, options);
  for (const usage::NotKnown& one : looked->not_known)
    streams.out << tui::told(options.reader, fmt::format("{} is n/a in {}: {}", one.kind, one.cluster.text,
                                                         tui::told(options.reader, one.missing)))
                << "\n";
  return code;
}

}  // namespace tessera::cli
