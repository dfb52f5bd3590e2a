#include "tui/cli/record/waste.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/query/value.hpp"
#include "engine/text.hpp"
#include "engine/usage/exceptions.hpp"
#include "engine/usage/limits_of_held.hpp"
#include "engine/usage/untold.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/help/help.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/record/looked.hpp"
#include "tui/cli/record/owners.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {
namespace {

Json json_of(const std::vector<usage::NotKnown>& all) {
  Json list = Json::list();
  for (const usage::NotKnown& one : all) {
    Json& row = list.items.emplace_back(Json::map());
    row.add("kind", Json::of(one.kind));
    row.add("cluster", Json::of(one.cluster.text));
    row.add("missing", Json::of(one.missing));
    row.add("partly", Json::of(one.partly));
  }
  return list;
}

// Null: all that was held there is left out.
Json json_of(const std::map<ClusterName, usage::UseTold>& all) {
  Json list = Json::list();
  for (const auto& [cluster, told] : all) {
    Json& row = list.items.emplace_back(Json::map());
    row.add("cluster", Json::of(cluster.text));
    row.add("percent", rounded(told.left_out ? std::nullopt : std::optional(told.percent)));
  }
  return list;
}

Json json_of(const usage::Limits& limits) {
  const auto seconds = [](Duration time) { return Json::of(std::int64_t{time / std::chrono::seconds(1)}); };
  Json one = Json::map();
  one.add("idle_after_s", seconds(limits.idle_after));
  one.add("idle_below_percent", Json::of(limits.idle_below));
  one.add("parked_from_percent", Json::of(limits.parked_from));
  one.add("too_big_spare_percent", Json::of(limits.spare));
  one.add("too_big_percentile", Json::of(limits.percentile));
  one.add("unasked_after_s", seconds(limits.unasked_after));
  one.add("rogue_after_s", seconds(limits.rogue_after));
  one.add("rogue_memory_percent", Json::of(limits.rogue_memory));
  return one;
}

// What is not counted in slices is in hours alone.
struct Much {
  double slice_hours = 0, uncounted = 0;
};
Much much_of(const std::vector<usage::Waste>& all) {
  Much much;
  for (const usage::Waste& one : all)
    one.slice_hours ? much.slice_hours += * one.slice_hours : much.uncounted += one.hours.value_or(0);
  return much;
}

Json rows_of(const std::vector<usage::Waste>& all) {
  Json list = Json::list();
  for (const usage::Waste& one : all) {
    Json& row = list.items.emplace_back(Json::map());
    row.add("kind", Json::of(one.kind));
    row.add("slice_hours", rounded(one.slice_hours));
    row.add("hours", rounded(one.hours));
    row.add("cluster", text_or_null(one.cluster.text));
    row.add("user", text_or_null(one.user));
    row.add("account", text_or_null(one.account));
    row.add("group", text_or_null(one.group));
    row.add("workload", text_or_null(one.workload));
    row.add("node", text_or_null(one.node));
    row.add("profile", text_or_null(one.profile));
    row.add("advice", Json::of(one.advice));
  }
  return list;
}

// Null: no filter leaves anything out.
Json left_out_of(const Looked& looked) {
  if (!looked.asked.except) return {};
  const Much much = much_of(looked.left_out);
  Json one = Json::map();
  one.add("filter", Json::of(looked.asked.except->text));
  one.add("slice_hours", rounded(much.slice_hours));
  one.add("uncounted_hours", rounded(much.uncounted));
  one.add("waste", rows_of(looked.left_out));
  return one;
}

Json json_of(const Looked& looked) {
  Json document = Json::map();
  add_span(document, looked);
  const Much much = much_of(looked.waste);
  document.add("slice_hours", rounded(much.slice_hours));
  document.add("uncounted_hours", rounded(much.uncounted));
  document.add("not_known", json_of(looked.not_known));
  document.add("use_known", json_of(looked.use_told));
  document.add("limits", json_of(looked.asked.limits));
  document.add("left_out", left_out_of(looked));
  document.add("waste", rows_of(looked.waste));
  return document;
}

bool of_several_clusters(const std::vector<usage::Waste>& all) {
  return std::any_of(all.begin(), all.end(),
                     [&](const usage::Waste& one) { return one.cluster != all.front().cluster; });
}

// The cluster is told where there are several, and in what scripts read, with account and group there.
Grid grid_of(const std::vector<usage::Waste>& all, const Options& options, bool bare) {
  Grid grid;
  const auto count = [bare](const std::optional<double>& value) {
    return value ? fmt::format("{:.2f}", *value) : std::string(bare ? "" : "n/a");
  };
  grid.heads = {{"kind", "KIND", query::Align::left, query::Show::always, 8},
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
  if (!bare) return grid;
  // Behind the others, so that scripts which count columns go on as they were.
  grid.heads.insert(grid.heads.end(), {{"account", "ACCOUNT"}, {"group", "GROUP"}});
  for (std::size_t i = 0; i < all.size(); ++i)
    grid.rows[i].insert(grid.rows[i].end(), {all[i].account, all[i].group});
  return grid;
}

// How much of each kind the site's filter has left out, a line; empty: there is no such filter.
std::string left_out_words(const Looked& looked, const Options& options) {
  if (!looked.asked.except) return "";
  const std::string filter = clean(looked.asked.except->text, 200);
  std::map<std::string, std::vector<usage::Waste>> kinds;
  for (const usage::Waste& one : looked.left_out) kinds[one.kind].push_back(one);
  if (kinds.empty())
    return tui::told(options.reader, fmt::format("waste-except ({}) leaves nothing out", filter)) + "\n";
  std::string parts;
  const auto add = [&](const std::string& kind, double value, const char* unit) {
    if (value > 0) parts += fmt::format("; {} {:.1f} {}", kind, value, unit);
  };
  for (const auto& [kind, rows] : kinds) {
    const Much much = much_of(rows);
    add(kind, much.slice_hours, "slice-hours");
    add(kind, much.uncounted, "h");
  }
  return tui::told(options.reader,
                   fmt::format("rows left out by waste-except ({}): {}", filter, looked.left_out.size())) +
         parts + "\n";
}

// Without figures nothing is found, which is not to say that nothing was wasted.
bool knows_nothing(const Looked& looked) {
  const auto covered = usage::coverage(looked.sums.at(usage::By::user));
  return looked.accounting && looked.figures_by.empty() && covered && *covered <= 0;
}

// What was not measured may be more than any bound, and so may be what is not recorded any more.
int code_of(const Looked& looked, const Options& options) {
  if (options.more_than && much_of(looked.waste).slice_hours > *options.more_than) return kFinding;
  if (options.more_than && !usage::ended(looked.gaps, looked.now).empty()) return kUnknown;
  if (options.more_than && usage::least_told(looked.use_told)) return kUnknown;
  return usage::is_unmeasured(looked) && (options.more_than || looked.waste.empty()) ? kUnknown : kDone;
}

// The way to more figures, as far as there is one from here, and the way to do without them.
std::string way_to_more(usage::UseTold::Missing missing, usage::PastSource source,
                        const std::string& cluster) {
  using enum usage::UseTold::Missing;
  if (source == usage::PastSource::accounting)
    return fmt::format(
        "jobstats writes figures of jobs there (AdminComment), and tessera record measures; --waste-except "
        "cluster={} leaves out this cluster",
        cluster);
  if (missing == own_use)
    return fmt::format(
        "some sources tell the own use of each that shares a GPU (docs/time.md); --waste-except cluster={} "
        "leaves out this cluster",
        cluster);
  if (missing == place)
    return fmt::format(
        "which GPUs were held is not reported, so that no figures belong to them; --waste-except cluster={} "
        "leaves out this cluster",
        cluster);
  if (source == usage::PastSource::prometheus)
    return fmt::format(
        "Prometheus has to scrape the exporters of all nodes; --waste-except cluster={} leaves out this "
        "cluster",
        cluster);
  return fmt::format(
      "where exporters are silent or take long, let Prometheus tell their figures (docs/time.md); "
      "--waste-except cluster={} leaves out this cluster",
      cluster);
}

// Of whole percents so many are known at least.
double percent_told(const usage::UseTold& told) { return std::floor(told.percent); }

// Beside what is printed, which scripts read.
void tell_too_little(const Looked& looked, const Streams& streams) {
  const auto* least = usage::least_told(looked.use_told);
  if (!least) return;
  const std::string cluster = clean(least->first.text, 64);
  complain(streams, {"cannot tell whether more was wasted",
                     fmt::format("{}: use is known of {:.0f} % of the hours held, and {:.0f} % are required",
                                 cluster, percent_told(least->second), usage::kLeastTold),
                     way_to_more(least->second.mostly, usage::source_of(looked), cluster)});
}

std::string nothing_words(const Looked& looked) {
  if (usage::is_unmeasured(looked)) return "What was wasted is not known.";
  if (const auto* least = usage::least_told(looked.use_told))
    return fmt::format(
        "Nothing idle or too large was found, but use is known of {:.0f} % of the hours held in {} only.",
        percent_told(least->second), clean(least->first.text, 64));
  if (!looked.left_out.empty()) return "Nothing else that was held was idle or too large.";
  return "Nothing that was held was idle or too large.";
}

std::string limits_words(const Looked& looked) {
  const usage::Limits& limits = looked.asked.limits;
  return looked.kept ? usage::limits_of_held(limits) : usage::limits_text(limits, !looked.accounting);
}

bool has_owner(const usage::NotKnown& one) {
  return one.kind == "idle" || one.kind == "parked" || one.kind == "too-big";
}

// Kinds of which nothing can be told, a line each; for owners those of which they would be told.
std::string not_known_words(const Looked& looked, const Options& options, bool for_owners) {
  std::string lines;
  for (const usage::NotKnown& one : looked.not_known) {
    const std::string line = usage::not_known_line(one, tui::told(options.reader, one.missing));
    if (!line.empty() && (!for_owners || has_owner(one))) lines += tui::told(options.reader, line) + "\n";
  }
  return lines;
}

void print_table(const Looked& looked, const Options& options, const Streams& streams) {
  if (looked.waste.empty())
    streams.out << tui::told(options.reader, nothing_words(looked)) << "\n";
  else
    streams.out << to_table(grid_of(looked.waste, options, false), options.headers, options.paper);
  const std::string below = footer(looked.sums.at(usage::By::user), looked, options) +
                            tui::told(options.reader, limits_words(looked)) + "\n" +
                            left_out_words(looked, options);
  streams.out << on_paper(below, options.paper);
  if (options.output == OutputFormat::wide && !looked.left_out.empty())
    streams.out << to_table(grid_of(looked.left_out, options, false), options.headers, options.paper);
  streams.out << on_paper(not_known_words(looked, options, false), options.paper);
}

Error filter_not_told(const Options& options, const char* pattern) {
  return {"cannot tell what is left out",
          fmt::format(fmt::runtime(pattern), clean(options.except->text, 200)),
          "give --waste-except with kind, node, profile or workload, or take a recording or --accounting"};
}
constexpr const char* kOwnersNotTold =
    "waste-except ({}) names users or accounts, which Prometheus does not tell";
constexpr const char* kWordsNotTold =
    "waste-except ({}) has a word without a column, and Prometheus does not tell all columns";
constexpr const char* kPartitionsNotTold =
    "waste-except ({}) names partitions of jobs, which Prometheus does not tell";

// Of jobs no series tells the partition; of pods the namespace is a part of the name.
bool lacks_groups(const usage::Reckoning& looked) {
  const auto lacks = [](const usage::Waste& one) { return !one.workload.empty() && one.group.empty(); };
  return std::any_of(looked.waste.begin(), looked.waste.end(), lacks) ||
         std::any_of(looked.left_out.begin(), looked.left_out.end(), lacks);
}

}  // namespace

std::optional<Error> why_exceptions_not_told(const Options& options, PastSource source,
                                             const usage::Reckoning* looked) {
  if (!options.except || source != PastSource::prometheus) return std::nullopt;
  if (usage::names_any(*options.except, {"user", "account"})) return filter_not_told(options, kOwnersNotTold);
  if (usage::has_bare_word(*options.except)) return filter_not_told(options, kWordsNotTold);
  if (looked && lacks_groups(*looked) &&
      usage::names_any(*options.except, {"group", "partition", "namespace"}))
    return filter_not_told(options, kPartitionsNotTold);
  return std::nullopt;
}

int run_waste(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
              const Streams& streams) {
  if (options.send)
    if (auto refused = why_not_sent(options, joins)) return complain(streams, *refused), kUsage;
  if (options.messages && options.output == OutputFormat::csv)
    return complain(streams, {"cannot print the texts", "a text of many lines is no row of CSV",
                              "--messages -o json has each owner and text"}),
           kUsage;
  const auto source = source_of(options, joins);
  if (!source) return complain(streams, source.error()), kUsage;
  // Without owners there is no text for any, which is not to say that none wasted anything.
  if (options.messages && *source == PastSource::prometheus)
    return complain(streams, {"cannot send", "Prometheus does not tell users or accounts",
                              "a recording, or --accounting, which tells what was held"}),
           kUsage;
  if (auto refused = why_exceptions_not_told(options, *source, nullptr))
    return complain(streams, *refused), kUsage;
  auto looked = look(options, catalogue, joins);
  if (!looked) return complain(streams, looked.error()), kUnknown;
  if (knows_nothing(*looked))
    return complain(
               streams,
               {"cannot tell what was wasted", "no job of that time has use figures in Slurm's accounting",
                "jobstats writes them there (AdminComment); tessera record measures them itself"}),
           kUnknown;
  if (!knows_held(*looked))
    return complain(streams, {"cannot tell what was wasted",
                              "the series of Prometheus name no pod or job: what was held is not known",
                              "let the DCGM exporters map pods or jobs; tessera record writes a recording"}),
           kUnknown;
  if (auto refused = why_exceptions_not_told(options, *source, &*looked))
    return complain(streams, *refused), kUsage;
  const int code = code_of(*looked, options);
  if (options.more_than && code == kUnknown) tell_too_little(*looked, streams);
  // An owner who gets no text may have wasted all the same.
  if (options.send || options.messages) streams.err << not_known_words(*looked, options, true);
  if (options.send) return send_to_owners(*looked, options, joins, streams) ? code : kUnknown;
  if (options.messages) return streams.out << messages_to_owners(*looked, options), code;
  switch (options.output) {
    case OutputFormat::json: streams.out << document(json_of(*looked), Markup::json); break;
    case OutputFormat::yaml: streams.out << document(json_of(*looked), Markup::yaml); break;
    case OutputFormat::csv:
      streams.out << to_csv(grid_of(looked->waste, options, true), options.headers);
      break;
    case OutputFormat::table:
    case OutputFormat::wide: print_table(*looked, options, streams);
  }
  return code;
}

}  // namespace tessera::cli
