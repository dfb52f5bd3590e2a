#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/model/recorded.hpp"
#include "engine/query/local_time.hpp"
#include "engine/query/value.hpp"
#include "engine/record/difference.hpp"
#include "engine/record/stood.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/doctor.hpp"
#include "tui/cli/help/help.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/record/past.hpp"
#include "tui/cli/record/record.hpp"
#include "tui/cli/table_text.hpp"
#include "tui/past_time.hpp"

namespace tessera::cli {
namespace {

// A source that did not answer at one of the two moments: what it tells there is older than the moment.
struct Failing {
  TimePoint at{};  // that moment
  Source source{};
  std::optional<TimePoint> answered;  // last; nullopt: never
  Error why;
};

struct Compared {
  std::string cluster;
  TimePoint to{};
  bool newest = false;  // no time was asked for: `to` is the newest round
  std::vector<record::Change> changes;
  std::vector<Failing> failing;
};

struct Comparison {
  TimePoint from{}, wall{};
  std::vector<Compared> clusters;
};

Json json_of(const Comparison& comparison) {
  const std::vector<Compared>& all = comparison.clusters;
  TimePoint to{};
  for (const Compared& one : all) to = std::max(to, one.to);
  Json document = Json::map();
  document.add("from", Json::of(utc_text(comparison.from)));
  document.add("to", Json::of(utc_text(to)));
  Json& compared = document.add("compared", Json::list());
  for (const Compared& one : all) {
    Json& row = compared.items.emplace_back(Json::map());
    row.add("cluster", Json::of(one.cluster));
    row.add("to", Json::of(utc_text(one.to)));
    row.add("newest", Json::of(one.newest));
  }
  Json& list = document.add("changes", Json::list());
  for (const Compared& one : all)
    for (const record::Change& change : one.changes) {
      Json& row = list.items.emplace_back(Json::map());
      row.add("cluster", Json::of(one.cluster));
      row.add("subject", Json::of(change.subject));
      row.add("what", Json::of(change.what));
      row.add("before", text_or_null(change.before));
      row.add("after", text_or_null(change.after));
    }
  Json& failing = document.add("failing", Json::list());
  for (const Compared& one : all)
    for (const Failing& source : one.failing) {
      Json& row = failing.items.emplace_back(Json::map());
      row.add("cluster", Json::of(one.cluster));
      row.add("at", Json::of(utc_text(source.at)));
      row.add("source", Json::of(std::string(failing_word(source.source))));
      row.add("answered", time_or_null(source.answered));
      row.add("why", Json::of(to_line(source.why)));
    }
  return document;
}

std::vector<Failing> failing_in(const Cluster& cluster, TimePoint at) {
  std::vector<Failing> all;
  for (const auto& [source, health] : cluster.sources)
    if (health.failure) all.push_back({at, source, health.last_ok, *health.failure});
  return all;
}

std::set<Source> silent_in(const Cluster& cluster) {
  std::set<Source> all;
  for (const Failing& one : failing_in(cluster, {})) all.insert(one.source);
  return all;
}

// Nodes, jobs and pods are compared: where they were not told, that nothing differs says nothing.
bool is_compared(const Failing& one) { return tells_nodes(one.source) || tells_work(one.source); }
bool is_any_old(const std::vector<Compared>& all) {
  return std::any_of(all.begin(), all.end(), [](const Compared& one) {
    return std::any_of(one.failing.begin(), one.failing.end(), is_compared);
  });
}

void tell_failing(const Comparison& comparison, const Streams& streams) {
  for (const Compared& one : comparison.clusters)
    for (const Failing& source : one.failing)
      complain(streams,
               {fmt::format("{}: {} did not answer at {}", clean(one.cluster, 200),
                            failing_word(source.source), utc_text(source.at)),
                to_line(source.why),
                source.answered ? "what is compared is its last answer, of " + utc_text(*source.answered)
                                : "it had not answered before"});
}

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(", ", begin), list.size());
    parts.push_back(list.substr(begin, end - begin));
    begin = end + 2;
  }
  return parts;
}

// What came or went first, and of the rest how many: a narrow terminal cuts the end of both lists, so that
// they would look alike.
std::string differing_first(const std::string& list, const std::string& other, const tui::WordsPtr& reader) {
  const std::vector<std::string> others = parts_of(other);
  std::string text;
  std::size_t same = 0;
  for (const std::string& part : parts_of(list))
    if (std::find(others.begin(), others.end(), part) != others.end())
      ++same;
    else
      text += (text.empty() ? "" : ", ") + part;
  if (same == 0) return list;
  return text.empty() ? tui::told(reader, fmt::format("{} that stay", same))
                      : tui::told(reader, fmt::format("{} and {} that stay", text, same));
}

void shorten_holders(std::vector<Compared>& all, const tui::WordsPtr& reader) {
  for (Compared& one : all)
    for (record::Change& change : one.changes) {
      if (change.what != "holders") continue;
      const record::Change whole = change;
      change.before = differing_first(whole.before, whole.after, reader);
      change.after = differing_first(whole.after, whole.before, reader);
    }
}

// Findings are sentences, which the console and doctor tell in the reader's language, too.
void tell_findings(std::vector<Compared>& all, const tui::WordsPtr& reader) {
  for (Compared& one : all)
    for (record::Change& change : one.changes)
      if (change.what == "finding")
        for (std::string* text : {&change.before, &change.after})
          if (!text->empty()) *text = tui::told(reader, *text);
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

// Which two moments, since the newest round may be days old where a recorder has stopped.
std::string moments_of(const Comparison& comparison, const Options& options) {
  std::string text;
  const std::string from = utc_text(comparison.from);
  for (const Compared& one : comparison.clusters) {
    const std::string to = utc_text(one.to);
    const Duration age = std::max(comparison.wall - one.to, Duration(0));
    text += tui::told(options.reader,
                      one.newest ? fmt::format("{}: {} against {}, its newest round, {} old", one.cluster,
                                               from, to, query::duration_text(age / std::chrono::seconds(1)))
                                 : fmt::format("{}: {} against {}", one.cluster, from, to)) +
            "\n";
  }
  return text;
}

std::string print(const Comparison& comparison, const Options& options) {
  const std::vector<Compared>& all = comparison.clusters;
  switch (options.output) {
    case OutputFormat::json: return document(json_of(comparison), Markup::json);
    case OutputFormat::yaml: return document(json_of(comparison), Markup::yaml);
    case OutputFormat::csv: return to_csv(grid_of(all), options.headers);
    case OutputFormat::table:
    case OutputFormat::wide: break;
  }
  std::vector<Compared> shown = all;
  if (options.output == OutputFormat::table) shorten_holders(shown, options.reader);
  tell_findings(shown, options.reader);
  const Grid grid = grid_of(shown);
  const std::string moments = on_paper(moments_of(comparison, options), options.paper);
  if (grid.rows.empty())
    return tui::told(options.reader, is_any_old(all) ? "No change is known between the two: not all was told."
                                                     : "Nothing changed between the two.") +
           "\n" + moments;
  return to_table(grid, options.headers, options.paper) + "\n" + moments;
}

// What is otherwise, and what needed attention: the findings are those that `doctor --at` tells of each
// moment.
std::vector<record::Change> changes_of(const Model& before, TimePoint from, const Model& after, TimePoint to,
                                       const mig::Catalogue& catalogue, const Options& options) {
  const Cluster &was = before.clusters.front(), &is = after.clusters.front();
  std::vector<record::Change> all = record::differences(was, is);
  for (record::Change& one : record::finding_differences(
           doctor_findings(before, was, catalogue, options, from),
           doctor_findings(after, is, catalogue, options, to), silent_in(was), silent_in(is)))
    all.push_back(std::move(one));
  return all;
}

}  // namespace

int run_diff(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
             const Streams& streams) {
  if (options.from.empty())
    return complain(streams,
                    {"cannot compare", "--from is missing", "tessera diff --from '03:12' --to -10m"}),
           kUsage;
  if (options.from == "now")
    return complain(streams, {"cannot compare", "--from is now, behind which nothing is recorded yet",
                              "give the earlier time as --from"}),
           kUsage;
  auto recordings = recordings_of(options, joins);
  if (!recordings) return complain(streams, recordings.error()), exit_code_without_recordings(options);
  const TimePoint wall = now_of(*recordings, joins.wall());
  const auto from = tui::parse_past(options.from, wall);
  if (!from) return complain(streams, from.error()), kUsage;
  Comparison all{*from, wall, {}};
  const bool newest = options.to.empty() || options.to == "now";
  for (const auto& one : *recordings) {
    TimePoint to = wall;
    if (newest) {
      if (const auto covered = one->covered()) to = covered->to;
    } else {
      const auto told = tui::parse_past(options.to, wall);
      if (!told) return complain(streams, told.error()), kUsage;
      to = *told;
    }
    if (!newest && to < *from)
      return complain(streams,
                      {"cannot compare", "--to is before --from", "give the earlier time as --from"}),
             kUsage;
    // The same round twice would be alike, which says nothing of the time behind it.
    if (newest && to < *from)
      return complain(streams, {"cannot compare",
                                clean(one->cluster().text, 200) + ": its newest round is of " +
                                    query::local_text(to) + ", before --from",
                                "give an earlier time as --from"}),
             kUnknown;
    // What follows it may be otherwise, and is not compared.
    if (newest && one->stopped() == record::Stop::damaged)
      complain(streams, {"the newest round is not compared",
                         clean(one->cluster().text, 200) + ": what was recorded behind " + utc_text(to) +
                             " is damaged",
                         "tessera record list names the file"});
    const auto before = record::stood_at(*one, *from);
    if (!before) return complain(streams, before.error()), kUnknown;
    const auto after = record::stood_at(*one, to);
    if (!after) return complain(streams, after.error()), kUnknown;
    const Cluster &was = before->clusters.front(), &is = after->clusters.front();
    Compared& compared = all.clusters.emplace_back(
        Compared{one->cluster().text, to, newest, changes_of(*before, *from, *after, to, catalogue, options),
                 failing_in(was, *from)});
    for (Failing& failing : failing_in(is, to)) compared.failing.push_back(std::move(failing));
  }
  streams.out << print(all, options);
  tell_failing(all, streams);
  return is_any_old(all.clusters) ? kUnknown : kDone;
}

}  // namespace tessera::cli
