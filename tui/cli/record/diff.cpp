#include <fmt/format.h>

#include "engine/record/difference.hpp"
#include "engine/record/stood.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/record/past.hpp"
#include "tui/cli/record/record.hpp"
#include "tui/cli/table_text.hpp"
#include "tui/past_time.hpp"

namespace tessera::cli {
namespace {

struct Compared {
  std::string cluster;
  std::vector<record::Change> changes;
};

Json json_of(const std::vector<Compared>& all, TimePoint from, TimePoint to) {
  Json document = Json::map();
  document.add("from", Json::of(utc_text(from)));
  document.add("to", Json::of(utc_text(to)));
  Json& list = document.add("changes", Json::list());
  for (const Compared& one : all)
    for (const record::Change& change : one.changes) {
      Json& row = list.items.emplace_back(Json::map());
      row.add("cluster", Json::of(one.cluster));
      row.add("subject", Json::of(change.subject));
      row.add("what", Json::of(change.what));
      row.add("before", change.before.empty() ? Json() : Json::of(change.before));
      row.add("after", change.after.empty() ? Json() : Json::of(change.after));
    }
  return document;
}

Grid grid_of(const std::vector<Compared>& all) {
  Grid grid;
  grid.heads = {{"cluster", "CLUSTER"},
                {"subject", "SUBJECT"},
                {"what", "WHAT"},
                {"before", "BEFORE"},
                {"after", "AFTER"}};
  for (const Compared& one : all)
    for (const record::Change& change : one.changes)
      grid.rows.push_back({one.cluster, change.subject, change.what, change.before, change.after});
  return grid;
}

std::string print(const std::vector<Compared>& all, TimePoint from, TimePoint to, const Options& options) {
  switch (options.output) {
    case OutputFormat::json: return document(json_of(all, from, to), Markup::json);
    case OutputFormat::yaml: return document(json_of(all, from, to), Markup::yaml);
    case OutputFormat::csv: return to_csv(grid_of(all), options.headers);
    case OutputFormat::table:
    case OutputFormat::wide: break;
  }
  const Grid grid = grid_of(all);
  if (grid.rows.empty()) return tui::told(options.reader, "Nothing changed between the two.") + "\n";
  return to_table(grid, options.headers, options.paper);
}

}  // namespace

int run_diff(const Options& options, const mig::Catalogue&, const Joins& joins, const Streams& streams) {
  if (options.from.empty())
    return complain(streams,
                    {"cannot compare", "--from is missing", "tessera diff --from '03:12' --to -10m"}),
           kUsage;
  auto recordings = recordings_of(options, joins);
  if (!recordings) return complain(streams, recordings.error()), kUsage;
  const TimePoint wall = now_of(*recordings, joins.wall());
  const auto from = tui::parse_past(options.from, wall);
  if (!from) return complain(streams, from.error()), kUsage;
  std::vector<Compared> all;
  TimePoint to = wall;
  for (const auto& one : *recordings) {
    if (options.to.empty()) {
      const auto covered = one->covered();
      to = covered ? covered->to : wall;
    } else {
      const auto told = tui::parse_past(options.to, wall);
      if (!told) return complain(streams, told.error()), kUsage;
      to = *told;
    }
    if (!options.to.empty() && to < *from)
      return complain(streams,
                      {"cannot compare", "--to is before --from", "give the earlier time as --from"}),
             kUsage;
    const auto before = record::stood_at(*one, *from);
    if (!before) return complain(streams, before.error()), kUnknown;
    const auto after = record::stood_at(*one, to);
    if (!after) return complain(streams, after.error()), kUnknown;
    all.push_back(
        {one->cluster().text, record::differences(before->clusters.front(), after->clusters.front())});
  }
  streams.out << print(all, *from, to, options);
  return kDone;
}

}  // namespace tessera::cli
