#include "tui/cli/record/usage.hpp"

#include <fmt/format.h>

#include <optional>

#include "engine/ascii.hpp"
#include "engine/query/value.hpp"
#include "engine/text.hpp"
#include "engine/usage/waits.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/help/help.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/record/demand.hpp"
#include "tui/cli/record/looked.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {
namespace {

// What is summed up by, as it was asked for.
struct Wanted {
  usage::By by{};
  std::string word;
};

// nullopt: the source does not tell it, or not of what is summed up by.
struct Told {
  std::optional<double> gpu_hours, slice_hours, idle, waited;
};
Told told_of(const usage::Sum& sum, const Looked& looked, usage::By by) {
  Told told;
  const bool held = usage::knows_held(looked, sum.cluster);
  if (held) told.gpu_hours = usage::known_gpu_hours(sum), told.slice_hours = sum.slice_hours;
  if (held && usage::knows_idle(sum)) told.idle = sum.idle;
  if (knows_waiting(looked) && usage::tells_waiting(by)) told.waited = sum.waited;
  return told;
}

Json json_of(const std::vector<usage::Sum>& sums, const Looked& looked, const Wanted& wanted) {
  Json document = Json::map();
  add_span(document, looked);
  document.add("by", Json::of(wanted.word));
  document.add("measured_percent", rounded(usage::coverage(usage::known_as_held(looked, sums))));
  document.add("unplaced_hours", rounded(looked.unplaced));
  Json& list = document.add("usage", Json::list());
  for (const usage::Sum& sum : sums) {
    Json& one = list.items.emplace_back(Json::map());
    one.add("cluster", Json::of(sum.cluster.text));
    one.add("name", text_or_null(sum.name));
    const Told told = told_of(sum, looked, wanted.by);
    one.add("gpu_hours", rounded(told.gpu_hours));
    one.add("unvalued_hours", rounded(sum.unvalued));
    one.add("slice_hours", rounded(told.slice_hours));
    one.add("measured_gpu_hours", rounded(sum.measured));
    one.add("mean_use", rounded(sum.mean_use));
    one.add("p95_use", rounded(sum.p95_use));
    one.add("memory_peak_mib", sum.memory_peak ? Json::of(sum.memory_peak->value) : Json());
    one.add("idle_gpu_hours", rounded(told.idle));
    one.add("waiting_hours", rounded(told.waited));
  }
  return document;
}

std::string percent(const std::optional<double>& value, bool bare) {
  if (!value) return bare ? "" : "n/a";
  return bare ? fmt::format("{:.1f}", *value) : fmt::format("{:.0f}%", *value);
}

Grid grid_of(const std::vector<usage::Sum>& sums, const Looked& looked, const Wanted& wanted, bool bare) {
  using query::Align;
  Grid grid;
  grid.heads = {{"name", upper(wanted.word)},
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
    const Told told = told_of(sum, looked, wanted.by);
    const auto count = [&](const std::optional<double>& value) {
      return value ? fmt::format("{:.2f}", *value) : unknown;
    };
    grid.rows.push_back({sum.name.empty() ? unknown : sum.name, sum.cluster.text, count(told.gpu_hours),
                         count(told.slice_hours), fmt::format("{:.2f}", sum.measured),
                         percent(sum.mean_use, bare), percent(sum.p95_use, bare), peak, count(told.idle),
                         count(told.waited)});
  }
  return grid;
}

// What is summed up by: as asked, else what the source tells.
std::string word_of(const Options& options, PastSource source) {
  if (!options.by.empty()) return options.by;
  return source == PastSource::prometheus ? "workload" : "user";
}

void print(const std::vector<usage::Sum>& sums, const Looked& looked, const Wanted& wanted,
           const Options& options, const Streams& streams) {
  switch (options.output) {
    case OutputFormat::json: streams.out << document(json_of(sums, looked, wanted), Markup::json); return;
    case OutputFormat::yaml: streams.out << document(json_of(sums, looked, wanted), Markup::yaml); return;
    case OutputFormat::csv:
      streams.out << to_csv(grid_of(sums, looked, wanted, true), options.headers);
      return;
    case OutputFormat::table:
    case OutputFormat::wide: break;
  }
  streams.out << to_table(grid_of(sums, looked, wanted, false), options.headers, options.paper)
              << on_paper(footer(sums, looked, options), options.paper);
}

}  // namespace

int run_usage(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
              const Streams& streams) {
  if (options.demand) return run_demand(options, catalogue, joins, streams);
  if (options.right_sized)
    return complain(streams, {"cannot sum up", "--right-sized is about what was needed at the same time",
                              "add --demand, or leave out --right-sized"}),
           kUsage;
  const auto source = source_of(options, joins);
  if (!source) return complain(streams, source.error()), kUsage;
  const std::string word = word_of(options, *source);
  const auto by = usage::by_of(word);
  if (!by)
    return complain(streams, {"cannot sum up", "--by: \"" + clean(word, 40) + "\" is not known",
                              "user, account, group (partition, namespace), profile, node or workload"}),
           kUsage;
  if (*source == PastSource::prometheus && (*by == usage::By::user || *by == usage::By::account))
    return complain(streams, {"cannot sum up", "Prometheus does not tell users or accounts",
                              "--by workload, namespace, node or profile; or a recording"}),
           kUsage;
  auto looked = look(options, catalogue, joins);
  if (!looked) return complain(streams, looked.error()), kUnknown;
  print(looked->sums.at(*by), *looked, {*by, word}, options, streams);
  return kDone;
}

}  // namespace tessera::cli
