#include "tui/cli/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/guide/findings.hpp"
#include "engine/plan/codec.hpp"
#include "engine/sharing/work_rules.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/help.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/open_clusters.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {
namespace {

Json json_of(const std::vector<insight::Finding>& findings) {
  Json list = Json::list();
  for (const insight::Finding& finding : findings) {
    Json one = Json::map();
    one.add("severity", Json::of(std::string(plan::word(finding.severity))));
    one.add("cluster", Json::of(finding.cluster.text));
    one.add("subject", finding.subject.empty() ? Json() : Json::of(finding.subject));
    one.add("is_node", Json::of(finding.is_node));
    one.add("text", Json::of(finding.text));
    one.add("hint", finding.hint.empty() ? Json() : Json::of(finding.hint));
    list.items.push_back(std::move(one));
  }
  Json document = Json::map();
  document.add("findings", std::move(list));
  return document;
}

Grid grid_of(const std::vector<insight::Finding>& findings, const tui::WordsPtr& words) {
  Grid grid;
  grid.heads = {{"severity", "SEVERITY"},
                {"cluster", "CLUSTER"},
                {"subject", "SUBJECT"},
                {"text", "WHAT"},
                {"hint", "WAY OUT"}};
  for (const insight::Finding& finding : findings)
    grid.rows.push_back({std::string(plan::word(finding.severity)), finding.cluster.text,
                         finding.subject.empty() ? "-" : finding.subject, tui::told(words, finding.text),
                         tui::told(words, finding.hint)});
  return grid;
}

// Where the table is wider than the terminal: a way out that is cut is none.
std::string paragraphs(const std::vector<insight::Finding>& findings, const Options& options) {
  const Paper& paper = options.paper;
  const auto width = static_cast<std::size_t>(std::max(paper.columns, 40));
  std::string text;
  for (const insight::Finding& finding : findings) {
    Grid head;
    head.heads = {{"severity", "", {}}, {"subject", "", {}}, {"cluster", "", {}}};
    head.rows = {{std::string(plan::word(finding.severity)), finding.subject, finding.cluster.text}};
    text += to_table(head, false, paper) + wrapped(tui::told(options.reader, finding.text), 2, width);
    if (!finding.hint.empty())
      text += wrapped(tui::told(options.reader, "way out: " + finding.hint), 2, width);
  }
  return text;
}

std::string print(const std::vector<insight::Finding>& findings, const Options& options) {
  switch (options.output) {
    case OutputFormat::json: return document(json_of(findings), Markup::json);
    case OutputFormat::yaml: return document(json_of(findings), Markup::yaml);
    case OutputFormat::csv: return to_csv(grid_of(findings, nullptr), options.headers);
    case OutputFormat::table:
    case OutputFormat::wide: break;
  }
  if (findings.empty()) return tui::told(options.reader, "nothing needs attention") + "\n";
  const Grid grid = grid_of(findings, options.reader);
  return fits(grid, true, options.paper) ? to_table(grid, options.headers, options.paper)
                                         : paragraphs(findings, options);
}

}  // namespace

std::vector<insight::Finding> doctor_findings(const Cluster& cluster, const mig::Catalogue& catalogue,
                                              const Options& options, TimePoint wall) {
  std::vector<insight::Finding> findings = insight::attention(cluster, catalogue, wall);
  const sharing::Platform platform = sharing::platform_of(cluster, options.platform).platform;
  const auto add = [&](std::string subject, std::string text, std::string hint) {
    findings.push_back({Severity::warning, cluster.name, std::move(subject), false, std::nullopt,
                        std::move(text), std::move(hint)});
  };
  for (guide::HabitFinding& one : guide::seen_here(cluster, catalogue, platform))
    add(one.workload.text, std::move(one.text), std::move(one.hint));
  for (sharing::Violation& one : sharing::check_nodes(cluster, catalogue, platform))
    add("", std::move(one.message),
        fmt::format("rule {} of {}: tessera guide --node NAME says what it allows", one.rule,
                    sharing::title(platform)));
  return findings;
}

int run_doctor(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
               const Streams& streams) {
  if (options.rbac) {
    streams.out << rbac_text(options);
    return kDone;
  }
  OpenClusters clusters(options, catalogue, joins, streams);
  if (auto failed = clusters.open()) return *failed;
  if (auto failed = clusters.start(options.cluster)) return *failed;
  if (!clusters.wait_until_loaded()) return kDone;
  std::vector<insight::Finding> findings;
  bool missing = clusters.model().clusters.empty();
  for (const Cluster& cluster : clusters.model().clusters) {
    auto some = doctor_findings(cluster, catalogue, options, clusters.wall());
    findings.insert(findings.end(), some.begin(), some.end());
    missing = missing || !cluster.loaded;
  }
  if (missing) {
    complain(streams, {"no complete answer", fmt::format("within {} s", options.timeout.count() / 1000),
                       "try again with a longer --timeout"});
    return kUnknown;
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const auto& a, const auto& b) { return a.severity > b.severity; });
  streams.out << print(findings, options);
  bool serious = std::any_of(findings.begin(), findings.end(), [](const insight::Finding& finding) {
    return finding.severity == Severity::warning || finding.severity == Severity::danger;
  });
  return serious ? kFinding : kDone;
}

}  // namespace tessera::cli
