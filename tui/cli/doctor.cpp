#include "tui/cli/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "engine/fleet/rows.hpp"
#include "engine/guide/findings.hpp"
#include "engine/hostlist.hpp"
#include "engine/insight/acknowledged.hpp"
#include "engine/insight/costs.hpp"
#include "engine/insight/hardware.hpp"
#include "engine/insight/stopped_runs.hpp"
#include "engine/plan/files/codec.hpp"
#include "engine/query/value.hpp"
#include "engine/text.hpp"
#include "tui/cli/change/runs_list.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/doctor_fleet.hpp"
#include "tui/cli/folded.hpp"
#include "tui/cli/help/help.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/look_back.hpp"
#include "tui/cli/open_clusters.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {
namespace {

// A finding, and until when its user has taken note of it.
struct Listed {
  insight::Finding finding;
  std::optional<TimePoint> noted;
  std::vector<std::string> whose{};  // where it stands for those of several nodes or jobs
};

// Those that a user has taken note of come last.
std::vector<Listed> listed(std::vector<insight::Finding> findings,
                           const std::vector<insight::Acknowledgement>& notes, TimePoint wall) {
  std::map<std::string, std::optional<TimePoint>> until;
  for (const insight::Cause& cause : insight::causes_of(findings))
    until[cause.id] = insight::acknowledged_until(cause, notes, wall);
  std::vector<Listed> all;
  for (insight::Finding& finding : findings) {
    const auto noted = until.find(insight::cause_id(finding));
    all.push_back({std::move(finding), noted == until.end() ? std::nullopt : noted->second});
  }
  std::stable_sort(all.begin(), all.end(), [](const Listed& a, const Listed& b) {
    return std::tuple(a.noted.has_value(), -static_cast<int>(a.finding.severity)) <
           std::tuple(b.noted.has_value(), -static_cast<int>(b.finding.severity));
  });
  return all;
}

// "GPU 0-3: …", where all are about GPUs of one node; empty: they are not.
std::string gpus_of(const std::vector<insight::Finding>& findings) {
  std::vector<int> gpus;
  for (const insight::Finding& one : findings) {
    if (!one.gpu) return {};
    gpus.push_back(one.gpu->value);
  }
  std::sort(gpus.begin(), gpus.end());
  gpus.erase(std::unique(gpus.begin(), gpus.end()), gpus.end());
  return fmt::format("GPU {}: ", fleet::gpus_text(gpus));
}

// Findings that say the same as one, of all that have it.
Listed as_one(const std::vector<insight::Finding>& findings, std::optional<TimePoint> noted) {
  Listed one{findings.front(), noted, {}};
  if (findings.size() == 1) return one;
  const insight::Cause cause = insight::causes_of(findings).front();
  const bool alone = cause.whose.size() == 1;
  one.finding.severity = cause.severity;
  // What a source remarks on names its GPU itself.
  const std::string gpus = alone ? gpus_of(findings) : "";
  one.finding.text = insight::gpu_in(cause.text) ? cause.text : gpus + cause.text;
  one.finding.hint = cause.hint;
  one.finding.since = cause.since, one.finding.seen = cause.seen;
  one.finding.gpu.reset();
  if (!alone) one.whose = cause.whose;
  return one;
}

// For a terminal: in the order of what is listed. A cause leaves numbers out, and GPU 1 with an Xid 79 is not
// GPU 3 with an Xid 63: what is one line here reads the same.
std::vector<Listed> folded(const std::vector<Listed>& all) {
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  std::vector<std::vector<insight::Finding>> groups;
  std::vector<std::optional<TimePoint>> noted;
  for (const Listed& one : all) {
    const insight::Finding& finding = one.finding;
    const std::string& text = finding.cause.empty() ? finding.text : finding.cause;
    const auto [place, fresh] = places.try_emplace({insight::cause_id(finding), text}, groups.size());
    if (fresh) groups.emplace_back(), noted.push_back(one.noted);
    groups[place->second].push_back(finding);
  }
  std::vector<Listed> lines;
  for (std::size_t i = 0; i < groups.size(); ++i) lines.push_back(as_one(groups[i], noted[i]));
  return lines;
}

std::string word_of(const Listed& one) {
  return one.noted ? "noted" : std::string(plan::word(one.finding.severity));
}

Json to_a_tenth(double rate) { return Json::of(std::round(rate * 10) / 10); }

// Each source of each cluster: how it fares, and what it has cost to ask it.
Json json_of_sources(const Model& model) {
  Json list = Json::list();
  for (const Cluster& cluster : model.clusters)
    for (const auto& [source, health] : cluster.sources) {
      if (source == Source::none) continue;  // a recording's own
      const auto rate = insight::rate_of(health.cost);
      const auto whole = [&](std::int64_t SourceCost::*of) {
        return health.cost ? Json::of(health.cost.value().*of) : Json();
      };
      Json one = Json::map();
      one.add("cluster", Json::of(cluster.name.text));
      one.add("source", Json::of(std::string(word(source))));
      one.add("answered_at", time_or_null(health.last_ok));
      one.add("failure", health.failure ? Json::of(to_line(*health.failure)) : Json());
      one.add("calls", whole(&SourceCost::calls));
      one.add("bytes", whole(&SourceCost::bytes));
      one.add("counted_s",
              health.cost ? Json::of(std::int64_t{health.cost->over / std::chrono::seconds(1)}) : Json());
      one.add("calls_per_minute", rate ? to_a_tenth(rate->calls) : Json());
      one.add("bytes_per_minute", rate ? to_a_tenth(rate->bytes) : Json());
      list.items.push_back(std::move(one));
    }
  return list;
}

Json json_of(const std::vector<Listed>& all, const Model& model) {
  Json list = Json::list();
  for (const auto& [finding, noted, whose] : all) {
    Json one = Json::map();
    one.add("severity", Json::of(std::string(plan::word(finding.severity))));
    one.add("cluster", Json::of(finding.cluster.text));
    one.add("subject", text_or_null(finding.subject));
    one.add("is_node", Json::of(finding.is_node));
    one.add("text", Json::of(finding.text));
    one.add("hint", text_or_null(finding.hint));
    one.add("follows", text_or_null(finding.follows));
    one.add("source", finding.source == Source::none ? Json() : Json::of(std::string(word(finding.source))));
    one.add("since", time_or_null(finding.since));
    one.add("seen_since", finding.since ? Json() : time_or_null(finding.seen));
    Json commands = Json::list();
    for (const std::string& command : finding.commands) commands.items.push_back(Json::of(command));
    one.add("commands", std::move(commands));
    one.add("acknowledged_until", time_or_null(noted));
    list.items.push_back(std::move(one));
  }
  Json document = Json::map();
  document.add("findings", std::move(list));
  document.add("sources", json_of_sources(model));
  return document;
}

// By which ages are told.
struct Clocks {
  const Model& model;
  TimePoint wall;
};

std::string age(TimePoint since, const insight::Finding& finding, const Clocks& clocks) {
  const Cluster* cluster = clocks.model.find(finding.cluster);  // none: it is of the fleet file
  const TimePoint now = cluster ? cluster_now(*cluster, clocks.wall) : clocks.wall;
  return query::duration_text(std::max(now - since, Duration{0}) / std::chrono::seconds(1));
}

// As the console has them: for how long it was seen, where since when it is so is not told. Empty: that is
// told, or it has hardly been seen.
std::string seen_for(const insight::Finding& finding, const Clocks& clocks) {
  constexpr Duration kWorthTelling = std::chrono::minutes(1);
  const Cluster* cluster = clocks.model.find(finding.cluster);
  if (finding.since || !finding.seen || !cluster) return {};
  const bool long_enough = cluster_now(*cluster, clocks.wall) - *finding.seen >= kWorthTelling;
  return long_enough ? age(*finding.seen, finding, clocks) : std::string();
}

// "29 h 00 min"; "≥12 min": so long it was seen; "?": neither is told.
std::string since_cell(const insight::Finding& finding, const Clocks& clocks, bool ascii) {
  if (finding.since) return age(*finding.since, finding, clocks);
  const std::string seen = seen_for(finding, clocks);
  return seen.empty() ? "?" : (ascii ? ">=" : "≥") + seen;
}

constexpr int kSubjectCells = 32;
constexpr std::size_t kNamesBytes = 4000;  // of all whom a finding concerns

std::string subject_of(const Listed& one, int cells) {
  if (!one.whose.empty()) return names_text(one.whose, cells);
  return one.finding.subject.empty() ? "-" : one.finding.subject;
}

Grid grid_of(const std::vector<Listed>& all, const tui::WordsPtr& words) {
  Grid grid;
  grid.heads = {{"severity", "SEVERITY"},
                {"cluster", "CLUSTER"},
                {"subject", "SUBJECT"},
                {"text", "WHAT"},
                {"hint", "WAY OUT"}};
  for (const Listed& one : all)
    grid.rows.push_back({word_of(one), one.finding.cluster.text, subject_of(one, kSubjectCells),
                         tui::told(words, one.finding.text), tui::told(words, one.finding.hint)});
  return grid;
}

// To read: with since when each is so, where that is told of any.
Grid grid_with_ages(const std::vector<Listed>& all, const Options& options, const Clocks& clocks) {
  constexpr std::ptrdiff_t kBehindSubject = 3;
  Grid grid = grid_of(all, options.reader);
  const auto cell = [&](const Listed& one) { return since_cell(one.finding, clocks, options.paper.ascii); };
  if (std::all_of(all.begin(), all.end(), [&](const Listed& one) { return cell(one) == "?"; })) return grid;
  grid.heads.insert(grid.heads.begin() + kBehindSubject, {"since", "SINCE"});
  for (std::size_t i = 0; i < all.size(); ++i)
    grid.rows[i].insert(grid.rows[i].begin() + kBehindSubject, cell(all[i]));
  return grid;
}

// Where the table is wider than the terminal: a way out that is cut is none.
std::string paragraphs(const std::vector<Listed>& all, const Options& options, const Clocks& clocks) {
  const Paper& paper = options.paper;
  const auto width = static_cast<std::size_t>(std::max(paper.columns, 40));
  std::string text;
  for (const Listed& one : all) {
    const insight::Finding& finding = one.finding;
    Grid head;
    head.heads = {{"severity", "", {}}, {"subject", "", {}}, {"cluster", "", {}}};
    head.rows = {{word_of(one),
                  one.whose.empty() ? finding.subject : names_text(one.whose, paper.columns / 2),
                  finding.cluster.text}};
    text += to_table(head, false, paper);
    if (const std::string names = fold_for_reading(one.whose);
        names_text(one.whose, paper.columns / 2) != names)
      text += wrapped(clean(names, kNamesBytes), 2, width);
    text += wrapped(tui::told(options.reader, finding.text), 2, width);
    std::string since = finding.since ? age(*finding.since, finding, clocks) + " ago" : "";
    if (const std::string seen = seen_for(finding, clocks); !seen.empty())
      since = fmt::format("not reported; tessera has seen it for {}", seen);
    if (!since.empty()) text += wrapped(tui::told(options.reader, "since: " + since), 2, width);
    if (!finding.hint.empty())
      text += wrapped(tui::told(options.reader, "way out: " + finding.hint), 2, width);
  }
  return text;
}

std::string findings_text(const std::vector<Listed>& all, const Options& options, const Clocks& clocks) {
  const std::vector<Listed> findings = options.paper.columns > 0 ? folded(all) : all;
  if (findings.empty()) return tui::told(options.reader, "nothing needs attention") + "\n";
  const Grid grid = grid_with_ages(findings, options, clocks);
  return fits(grid, true, options.paper) ? to_table(grid, options.headers, options.paper)
                                         : paragraphs(findings, options, clocks);
}

// What this look has cost: a command that ends has no habit to tell of.
std::string costs_table(const Model& model, const Options& options) {
  Grid grid;
  grid.heads = {{"cluster", "CLUSTER"},
                {"source", "SOURCE"},
                {"calls", "CALLS", query::Align::right},
                {"bytes", "BYTES", query::Align::right}};
  for (const Cluster& cluster : model.clusters)
    for (const auto& [source, health] : cluster.sources) {
      if (source == Source::none) continue;
      const auto& cost = health.cost;
      grid.rows.push_back({cluster.name.text, std::string(word(source)),
                           cost ? std::to_string(cost->calls) : "n/a",
                           cost ? insight::bytes_text(static_cast<double>(cost->bytes)) : "n/a"});
    }
  return "\n" + to_table(grid, options.headers, options.paper);
}

std::string print(const std::vector<Listed>& findings, const Model& model, const Options& options,
                  TimePoint wall) {
  const Clocks clocks{model, wall};
  switch (options.output) {
    case OutputFormat::json: return document(json_of(findings, model), Markup::json);
    case OutputFormat::yaml: return document(json_of(findings, model), Markup::yaml);
    case OutputFormat::csv: return to_csv(grid_of(findings, nullptr), options.headers);
    case OutputFormat::wide: return findings_text(findings, options, clocks) + costs_table(model, options);
    case OutputFormat::table: break;
  }
  return findings_text(findings, options, clocks);
}

// Those that stopped in the middle: their nodes are closed, and stay so. untold: why not all are known.
std::vector<insight::Finding> run_findings(OpenClusters& clusters, const Options& options,
                                           std::optional<Error>& untold) {
  if (!clusters.runs() || looks_back(options, clusters.wall())) return {};
  auto runs = list_runs(clusters, options);
  if (auto* refused = std::get_if<Refusal>(&runs)) {
    untold = std::move(refused->error);
    return {};
  }
  const auto& heads = std::get<std::vector<RunHead>>(runs);
  untold = insight::unread_runs(heads, clusters.model());
  return insight::stopped_runs(heads, clusters.model(),
                               "tessera journal shows how it stands; tessera resume RUN --back goes back");
}

}  // namespace

std::vector<insight::Finding> doctor_findings(const Model& model, const Cluster& cluster,
                                              const mig::Catalogue& catalogue, const Options& options,
                                              TimePoint wall) {
  return guide::all_findings(model, cluster, catalogue, options.platform, wall);
}

int run_doctor(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
               const Streams& streams) {
  if (options.rbac) {
    const auto roles = rbac_text(options);
    if (!roles) {
      complain(streams, roles.error());
      return kUsage;
    }
    streams.out << *roles;
    return kDone;
  }
  OpenClusters clusters(options, catalogue, joins, streams);
  if (auto failed = clusters.open()) return *failed;
  if (auto failed = clusters.start(options.cluster)) return *failed;
  if (!clusters.wait_until_loaded()) return kDone;
  std::vector<insight::Finding> findings;
  bool missing = clusters.model().clusters.empty();
  for (const Cluster& cluster : clusters.model().clusters) {
    auto some = doctor_findings(clusters.model(), cluster, catalogue, options, clusters.wall());
    findings.insert(findings.end(), some.begin(), some.end());
    missing = missing || !cluster.loaded;
  }
  if (missing) {
    complain(streams, {"no complete answer", fmt::format("within {} s", options.timeout.count() / 1000),
                       "try again with a longer --timeout"});
    return kUnknown;
  }
  std::optional<Error> untold;
  for (insight::Finding& one : run_findings(clusters, options, untold)) findings.push_back(std::move(one));
  if (untold) complain(streams, *untold);
  for (insight::Finding& one : fleet_findings(clusters, options, catalogue))
    findings.push_back(std::move(one));
  std::vector<insight::Acknowledgement> notes;
  if (joins.acknowledged) {
    auto kept = joins.acknowledged();
    if (kept)
      notes = std::move(*kept);
    else
      complain(streams, kept.error());
  }
  const std::vector<Listed> all = listed(std::move(findings), notes, clusters.wall());
  streams.out << print(all, clusters.model(), options, clusters.wall());
  bool serious = std::any_of(all.begin(), all.end(), [](const Listed& one) {
    const Severity severity = one.finding.severity;
    return !one.noted && (severity == Severity::warning || severity == Severity::danger);
  });
  if (serious) return kFinding;
  return untold ? kUnknown : kDone;
}

}  // namespace tessera::cli
