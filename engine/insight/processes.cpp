#include "engine/insight/processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "engine/model/held_by.hpp"
#include "engine/model/processes.hpp"
#include "engine/text.hpp"

namespace tessera::insight {
namespace {

std::string untold_text(std::string_view why) {
  return fmt::format("which processes have its GPUs open is not known: {}", why);
}
std::string no_owners_text(std::string_view why) {
  return fmt::format("whose the processes on its GPUs are is not known: {}", why);
}

std::string no_openers_text(std::string_view why) {
  return fmt::format("which programs only have its GPUs open is not known: {}", why);
}

std::string hidden_text(std::string_view gpus) {
  return fmt::format("memory is in use where the driver lists no process: GPU {}", gpus);
}

constexpr std::string_view kCrossed = "Slurm's GPU ";

// What that remark says, in whose words ever. Recordings that tell no kind are known by its first words.
std::optional<std::string> remarked(const Cluster& cluster, const NodeName& node, Remark::Kind kind,
                                    std::string_view begin) {
  const auto told = cluster.remarks.find(Source::nvidia_smi);
  if (told == cluster.remarks.end()) return std::nullopt;
  for (const Remark& one : told->second) {
    const bool meant = one.kind == kind || (one.kind == Remark::Kind::other && one.text.starts_with(begin));
    if (one.is_node && one.subject == node.text && meant) return one.text;
  }
  return std::nullopt;
}

// The same behind its first words; all of it where it has others.
std::optional<std::string> remarked_behind(const Cluster& cluster, const NodeName& node, Remark::Kind kind,
                                           std::string_view begin) {
  auto text = remarked(cluster, node, kind, begin);
  if (text && text->starts_with(begin)) text->erase(0, begin.size());
  return text;
}

// It holds so much on that node that is not told to be on a GPU of its own.
bool is_placed(const Workload& work, const NodeName& node) {
  return std::all_of(work.allocations.begin(), work.allocations.end(), [&](const Allocation& one) {
    return one.node != node || one.count == 0 || !one.devices.empty();
  });
}

// A job that holds the GPU whole needs no MPS, though it holds all of its shares.
bool asked_for_mps(const Workload& work, const NodeName& node, const Slice& slice) {
  return std::any_of(work.allocations.begin(), work.allocations.end(), [&](const Allocation& one) {
    const bool here = one.devices.empty() || !slice.device ||
                      std::any_of(one.devices.begin(), one.devices.end(),
                                  [&](const DeviceShare& device) { return device.device == *slice.device; });
    return one.node == node && one.family == Family::mps && here;
  });
}

Remark about(const NodeName& node, Remark::Kind kind, std::string text, std::string hint) {
  return {Remark::Grade::info, node.text, true, clean(text, 1000), std::move(hint), kind};
}

// "585 (python3)"
std::string named(const GpuProcess& process) {
  return process.name.empty() ? std::to_string(process.pid)
                              : fmt::format("{} ({})", process.pid, process.name);
}

}  // namespace

Standing standing_of(const Cluster& cluster, const Node& node, const Gpu& gpu, const GpuProcess& process) {
  if (is_service(process) || only_opens(process)) return Standing::service;
  if (is_of_none(process)) return Standing::no_work;
  const Workload* work = is_of_work(process) ? cluster.workloads.find(process.workload) : nullptr;
  if (!work) return Standing::unknown;
  bool certain = is_placed(*work, node.name);
  for (const Slice& slice : gpu.slices) {
    const bool other = process.instance_id && slice.instance_id && slice.instance_id != process.instance_id;
    if (other) continue;
    if (is_held_by(slice, work->id)) return slice.exact ? Standing::work : Standing::unknown;
    certain = certain && slice.exact && slice.holding != Holding::unknown;
  }
  const bool listed = std::none_of(node.pool.begin(), node.pool.end(),
                                   [&](const Slice& slice) { return is_held_by(slice, work->id); });
  // A job that ends gives its GPUs back before its last process is gone.
  const bool runs = work->state == WorkloadState::running;
  if (!certain || !listed || !runs || why_crossed(cluster, node.name)) return Standing::unknown;
  return Standing::elsewhere;
}

Remark untold_processes(const NodeName& node, const Error& why) {
  return about(node, Remark::Kind::processes, untold_text(to_line({why.what, why.reason, ""})), why.hint);
}
Remark untold_owners(const NodeName& node, const std::string& why) {
  return about(node, Remark::Kind::owners, no_owners_text(why),
               "scontrol listpids must answer on the node, as root");
}
Remark untold_openers(const NodeName& node, const Error& why) {
  return about(node, Remark::Kind::openers, no_openers_text(why.reason),
               "find (GNU) must read all of /proc on the node, as root");
}
Remark hidden_processes(const NodeName& node, const std::vector<GpuIndex>& gpus) {
  std::string list;
  for (const GpuIndex gpu : gpus) list += (list.empty() ? "" : ", ") + std::to_string(gpu.value);
  return about(
      node, Remark::Kind::hidden, hidden_text(list),
      "the driver lists processes of the caller's PID namespace only: run the commands of the runner "
      "outside containers");
}
std::optional<std::string> why_hidden(const Cluster& cluster, const NodeName& node) {
  return remarked(cluster, node, Remark::Kind::hidden, hidden_text(""));
}
std::optional<std::string> why_untold(const Cluster& cluster, const NodeName& node) {
  return remarked_behind(cluster, node, Remark::Kind::processes, untold_text(""));
}
std::optional<std::string> why_no_owners(const Cluster& cluster, const NodeName& node) {
  return remarked_behind(cluster, node, Remark::Kind::owners, no_owners_text(""));
}
std::optional<std::string> why_no_openers(const Cluster& cluster, const NodeName& node) {
  return remarked_behind(cluster, node, Remark::Kind::openers, no_openers_text(""));
}

std::optional<PastMps> past_mps(const Cluster& cluster, const Node& node, const Gpu& gpu) {
  if (!gpu.processes) return std::nullopt;
  std::set<WorkloadId> holders;
  bool exact = true;
  for (const Slice& slice : gpu.slices) {
    if (slice.kind != SliceKind::mps) return std::nullopt;
    exact = exact && slice.exact;
    for (const Holder& holder : slice.holders) {
      const Workload* work = cluster.workloads.find(holder.workload);
      // What was seen before a job began is not its own.
      const bool since = work && work->started && *work->started < gpu.processes->origin.at;
      if (since && asked_for_mps(*work, node.name, slice)) holders.insert(work->id);
    }
  }
  std::optional<PastMps> found;
  bool server = false;
  for (const Served& one : served(gpu.processes->list)) {
    server = server || is_mps_server(*one.process);
    if (one.client || is_service(*one.process) || is_of_none(*one.process)) continue;
    const bool known = is_of_work(*one.process);
    if (known ? !holders.contains(one.process->workload) : holders.empty()) continue;
    const WorkloadId job = known && exact ? one.process->workload : WorkloadId();
    if (!found)
      found = PastMps{job, one.process, false, 0};
    else
      ++found->more;
  }
  if (found) found->server = server;
  return found;
}

std::string to_text(const PastMps& found) {
  const std::string named = insight::named(*found.process);
  const std::string which = found.more > 0 ? fmt::format("{} and {} more", named, found.more) : named;
  if (found.job.empty())
    return found.server
               ? fmt::format(
                     "process {}, likely of a job that holds a share of MPS here, is no client of the "
                     "MPS server",
                     which)
               : fmt::format(
                     "process {}, likely of a job that holds a share of MPS here, does not go through "
                     "MPS: no nvidia-cuda-mps-server has the GPU open",
                     which);
  return found.server ? fmt::format(
                            "process {} of job {}, which holds a share of MPS here, is no client of the "
                            "MPS server",
                            which, found.job.text)
                      : fmt::format(
                            "process {} of job {}, which holds a share of MPS here, does not go "
                            "through MPS: no nvidia-cuda-mps-server has the GPU open",
                            which, found.job.text);
}

std::string crossed_text(int counted, int minor, int index) {
  return fmt::format("Slurm's GPU {} is /dev/nvidia{}, which its driver counts as GPU {}", counted, minor,
                     index);
}
std::optional<std::string> why_crossed(const Cluster& cluster, const NodeName& node) {
  return remarked(cluster, node, Remark::Kind::crossed, kCrossed);
}

}  // namespace tessera::insight
