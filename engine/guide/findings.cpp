#include "engine/guide/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "engine/insight/both_sides.hpp"
#include "engine/insight/since_told.hpp"
#include "engine/model/array_tasks.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/sharing/work_rules.hpp"
#include "engine/shell.hpp"
#include "engine/text.hpp"

namespace tessera::guide {

namespace {

bool mentions_docker(const Workload& work) {
  return contains_folded(work.name, "docker") || contains_folded(work.comment, "docker");
}

// MIG instances asked for on one node.
std::int64_t instances_together(const Workload& work, Scheduler scheduler) {
  std::int64_t count = 0, all = 0;
  for (const Request& request : work.requests) all += std::max<std::int64_t>(request.count, 0);
  if (all <= std::max(work.node_count, 1)) return std::min<std::int64_t>(all, 1);  // whatever it is
  for (const Request& request : work.requests) {
    const auto name = sharing::parse_resource(request.resource, scheduler);
    if (name && name->kind == sharing::ResourceKind::instance)
      count += std::max<std::int64_t>(request.count, 0);
  }
  const int nodes = std::max(work.node_count, 1);
  return (count + nodes - 1) / nodes;
}

}  // namespace

std::vector<HabitFinding> habits(const Cluster& cluster) {
  std::vector<HabitFinding> found;
  for (const Workload& work : cluster.workloads.all()) {
    if (work.state == WorkloadState::ended) continue;
    if (cluster.scheduler == Scheduler::slurm && mentions_docker(work)) {
      const char* what = "seems to run Docker, whose containers are no children of the job";
      found.push_back(
          {"docker-under-slurm", work.id, work.id.text + ": " + what,
           "use Enroot with Pyxis, Apptainer or an OCI container, so that the end of the job ends them"});
    }
    const std::int64_t count = instances_together(work, cluster.scheduler);
    if (count > 1) {
      found.push_back(
          {"several-instances", work.id,
           work.id.text + ": " +
               fmt::format("asks for {} MIG instances on one node, but a process sees only the first and "
                           "no two can talk",
                           count),
           "ask for one larger instance, or for one in each of several jobs"});
    }
  }
  std::sort(found.begin(), found.end(), [](const HabitFinding& left, const HabitFinding& right) {
    return std::pair(left.workload, left.id) < std::pair(right.workload, right.id);
  });
  return found;
}

std::vector<HabitFinding> seen_here(const Cluster& cluster, const mig::Catalogue& catalogue,
                                    sharing::Platform platform) {
  std::vector<HabitFinding> found = habits(cluster);
  for (sharing::WorkFinding& one : sharing::check_work(cluster, catalogue, platform))
    found.push_back({std::move(one.rule), std::move(one.workload), std::move(one.text), std::move(one.hint)});
  std::stable_sort(found.begin(), found.end(), [](const HabitFinding& left, const HabitFinding& right) {
    return left.workload < right.workload;
  });
  return found;
}

namespace {

// "job 88141"; empty: it is about the cluster.
std::string subject_of(const WorkloadId& work, Scheduler scheduler) {
  if (work.text.empty()) return {};
  return (scheduler == Scheduler::slurm ? "job " : "pod ") + work.text;
}

// "88141: asks for …" and "n1: one layout …" without the name.
std::string behind_name(const std::string& text, const std::string& name) {
  if (!text.starts_with(name)) return text;
  std::string rest = text.substr(name.size());
  rest.erase(0, std::min(rest.find_first_not_of(" :"), rest.size()));
  return rest;
}

std::string look_at(const WorkloadId& work, Scheduler scheduler) {
  if (scheduler == Scheduler::slurm) return "scontrol show job " + shell_word(job_argument(work.text));
  const std::size_t slash = work.text.find('/');
  if (slash == std::string::npos) return "kubectl describe pod " + shell_word(work.text);
  return fmt::format("kubectl describe pod -n {} {}", shell_word(work.text.substr(0, slash)),
                     shell_word(work.text.substr(slash + 1)));
}

std::string_view follows_of(const HabitFinding& habit) {
  if (habit.id == "docker-under-slurm")
    return "they run on when the job has ended, and outside of its limits";
  if (habit.id == "several-instances")
    return "its process uses one of them, and the others are held for nothing";
  if (habit.workload.text.empty()) return "what the platform promises of shared GPUs does not hold there";
  return "it does not get what it asks for, or fails when it starts";
}

void add_rules(std::vector<insight::Finding>& findings, const Cluster& cluster,
               const mig::Catalogue& catalogue, sharing::Platform platform) {
  // Who says so where no job, pod or node does: tessera, by what it knows of the platform.
  const auto add = [&](std::string subject, std::string text, std::string hint, std::string_view follows) {
    findings.push_back({Severity::warning, cluster.name, std::move(subject), false, std::nullopt,
                        std::move(text), std::move(hint)});
    findings.back().source = Source::inferred;
    findings.back().follows = follows;
  };
  // What is said of a job or pod begins with its name, which the subject tells: the same of many is one line.
  for (HabitFinding& one : seen_here(cluster, catalogue, platform)) {
    const bool of_work = !one.workload.text.empty();
    std::string text = of_work ? behind_name(one.text, one.workload.text) : std::move(one.text);
    add(subject_of(one.workload, cluster.scheduler), text, std::move(one.hint), follows_of(one));
    if (!of_work) continue;
    findings.back().cause = std::move(text);
    findings.back().commands = {look_at(one.workload, cluster.scheduler)};
    // It has asked for that since it was handed in.
    if (const Workload* work = cluster.workloads.find(one.workload))
      findings.back().source = work->origin.source, findings.back().since = work->submitted;
  }
  for (sharing::Violation& one : sharing::check_nodes(cluster, catalogue, platform)) {
    const std::size_t colon = one.message.find(": ");
    const std::string name = colon == std::string::npos ? "" : one.message.substr(0, colon);
    const Node* node = name.empty() ? nullptr : cluster.nodes.find(NodeName(name));
    const std::string rest = node ? behind_name(one.message, name) : "";
    add(node ? name : "", std::move(one.message),
        fmt::format("rule {} of {}: tessera guide --node NAME says what it allows", one.rule,
                    sharing::title(platform)),
        "the platform does not offer such a node, or takes the setting back");
    if (!node) continue;
    findings.back().commands = {"tessera guide --node " + shell_word(name)};
    findings.back().is_node = true, findings.back().cause = rest;
    findings.back().source = node->origin.source;
  }
}

}  // namespace

std::vector<insight::Finding> all_findings(const Model& model, const Cluster& cluster,
                                           const mig::Catalogue& catalogue,
                                           std::optional<sharing::Platform> set_by_site, TimePoint wall) {
  std::vector<insight::Finding> findings = insight::sides_attention(model, cluster);
  for (insight::Finding& one : insight::attention(cluster, catalogue, wall))
    findings.push_back(std::move(one));
  insight::add_since(findings, model, cluster);
  add_rules(findings, cluster, catalogue, sharing::platform_of(cluster, set_by_site).platform);
  return findings;
}

}  // namespace tessera::guide
