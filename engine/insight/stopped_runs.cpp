#include "engine/insight/stopped_runs.hpp"

#include <fmt/core.h>

#include <utility>

#include "engine/plan/run/onward.hpp"

namespace tessera::insight {

Finding finding_of(const RunHead& head, std::string hint) {
  const bool parked = head.state == RunState::parked, waits = parked && head.waits;
  Finding finding;
  finding.severity = waits ? Severity::info : parked ? Severity::warning : Severity::danger;
  finding.cluster = head.cluster;
  finding.is_node = head.nodes.size() == 1;
  finding.subject = finding.is_node ? head.nodes.front().text : fmt::format("{} nodes", head.nodes.size());
  finding.text = fmt::format("run {} {}", head.run,
                             waits    ? "waits as planned"
                             : parked ? "is parked"
                                      : "was interrupted");
  finding.key = finding.text;  // the reason may become another one
  if (!head.why.empty()) finding.text += ": " + head.why;
  finding.hint = std::move(hint);
  finding.follows = "what it has closed stays closed until it goes on or goes back";
  if (!plan::why_not_resumed(head)) finding.commands = {fmt::format("tessera resume {} --write", head.run)};
  return finding;
}

std::vector<Finding> stopped_runs(std::span<const RunHead> runs, const Model& model,
                                  const std::string& hint) {
  std::vector<Finding> findings;
  for (const RunHead& head : runs)
    if ((head.state == RunState::interrupted || head.state == RunState::parked) && model.find(head.cluster))
      findings.push_back(finding_of(head, hint));
  return findings;
}

std::optional<Error> unread_runs(std::span<const RunHead> runs, const Model& model) {
  for (const RunHead& head : runs)
    if (head.state == RunState::unreadable && (head.cluster.text.empty() || model.find(head.cluster)))
      return Error{"whether a run stopped is not known",
                   (head.run.empty() ? "" : "journal " + head.run + ": ") + head.why,
                   "tessera journal lists them"};
  return std::nullopt;
}

}  // namespace tessera::insight
