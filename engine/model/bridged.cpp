#include "engine/model/bridged.hpp"

#include <algorithm>

#include "engine/json.hpp"
#include "engine/model/dns_name.hpp"
#include "engine/number.hpp"

namespace tessera::slinky {
namespace {

constexpr std::size_t kLongest = 16384;  // of an AdminComment
constexpr std::size_t kMostNamed = 64;   // pods in a comment
constexpr std::string_view kStands = "stands for pods ";
constexpr std::string_view kPlaced = "placed by Slurm job ";

bool is_pod(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && is_dns_name(text.substr(0, slash), 63) &&
         is_dns_name(text.substr(slash + 1), 253);
}

// The only cluster that has this pod; null: none, or several.
const Workload* only_pod(const Model& model, const WorkloadId& id) {
  const Workload* found = nullptr;
  for (const Cluster& cluster : model.clusters) {
    if (cluster.scheduler != Scheduler::kubernetes) continue;
    const Workload* pod = cluster.workloads.find(id);
    if (pod && found) return nullptr;
    if (pod) found = pod;
  }
  return found;
}

// Slurm clusters in which a job of that number stands for this pod.
int claims_on(const Model& model, const WorkloadId& job, const WorkloadId& pod) {
  int claims = 0;
  for (const Cluster& cluster : model.clusters) {
    const Workload* other = cluster.scheduler == Scheduler::slurm ? cluster.workloads.find(job) : nullptr;
    if (!other) continue;
    const std::vector<WorkloadId> pods = pods_of(*other);
    claims += std::find(pods.begin(), pods.end(), pod) != pods.end();
  }
  return claims;
}

}  // namespace

std::vector<WorkloadId> read_bridged(std::string_view admin_comment) {
  if (!admin_comment.starts_with('{') || admin_comment.size() > kLongest) return {};
  const Result<Json> told = parse_json(admin_comment, "AdminComment");
  const Json* list = told ? told->find("pods") : nullptr;
  if (!list) return {};
  std::vector<WorkloadId> pods;
  for (const Json& one : list->items) {
    if (!is_pod(one.text)) return {};
    pods.emplace_back(one.text);
  }
  std::sort(pods.begin(), pods.end());
  pods.erase(std::unique(pods.begin(), pods.end()), pods.end());
  return pods;
}

std::string bridged_comment(const std::vector<WorkloadId>& pods, std::string_view own) {
  if (pods.empty()) return (own.starts_with(kStands) ? "comment: " : "") + std::string(own);
  std::string text(kStands);
  for (std::size_t i = 0; i < std::min(pods.size(), kMostNamed); ++i) text += (i ? ", " : "") + pods[i].text;
  if (pods.size() > kMostNamed) text += " and " + std::to_string(pods.size() - kMostNamed) + " more";
  return text + (own.empty() ? "" : "; " + std::string(own));
}

std::vector<WorkloadId> pods_of(const Workload& job) {
  std::vector<WorkloadId> pods;
  if (job.kind != WorkloadKind::job || !job.comment.starts_with(kStands)) return pods;
  std::string_view rest = std::string_view(job.comment).substr(kStands.size());
  rest = rest.substr(0, rest.find(';'));
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    if (!is_pod(rest.substr(0, end))) return {};  // "… and 7 more"
    pods.emplace_back(std::string(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return pods;
}

std::string placed_comment(std::string_view job_number) {
  const auto number = whole_number(job_number, 2'000'000'000);
  return number && *number > 0 ? std::string(kPlaced) + std::to_string(*number) : std::string();
}

std::optional<WorkloadId> placing_job(const Workload& pod) {
  if (pod.kind != WorkloadKind::pod || !pod.comment.starts_with(kPlaced)) return std::nullopt;
  const std::string rest = pod.comment.substr(kPlaced.size());
  return WorkloadId(rest.substr(0, rest.find(';')));
}

bool is_told_by_pods(const Model& model, const Cluster& cluster, const Workload& job) {
  if (cluster.scheduler != Scheduler::slurm) return false;
  const std::vector<WorkloadId> pods = pods_of(job);
  return !pods.empty() && std::all_of(pods.begin(), pods.end(), [&](const WorkloadId& id) {
    const Workload* pod = only_pod(model, id);
    return pod && placing_job(*pod) == job.id && claims_on(model, job.id, id) == 1;
  });
}

}  // namespace tessera::slinky
