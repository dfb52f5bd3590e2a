// Columns of workloads: jobs and pods, running and waiting.
#include <fmt/core.h>

#include <map>
#include <span>

#include "engine/model/kueue.hpp"
#include "engine/query/cells.hpp"
#include "engine/query/cells_time.hpp"
#include "engine/sharing/units.hpp"

namespace tessera::query {
namespace {

std::string requests_text(const Workload& workload) {
  std::string text;
  for (const Request& request : workload.requests) {
    if (!text.empty()) text += ",";
    text += fmt::format("{}:{}", request.resource, request.count);
  }
  if (workload.tasks > 1 && !text.empty()) text += fmt::format(" ×{}", workload.tasks);
  return text;
}

std::string nodes_text(const Workload& workload) {
  std::vector<std::string> names;
  for (const Allocation& allocation : workload.allocations)
    if (names.empty() || names.back() != allocation.node.text) names.push_back(allocation.node.text);
  if (names.size() <= 2) return join(names, ",");
  return fmt::format("{} +{}", names.front(), names.size() - 1);
}

// GPUs and slices as a number; what is counted otherwise with its unit, and each kind on its own: "25 mps",
// "1 gpu + 2 shard"; of a pod "2 shares".
Value units_held(const Workload& workload) {
  std::map<Family, std::int64_t> units;
  for (const Allocation& allocation : workload.allocations) units[allocation.family] += allocation.count;
  if (units.empty()) return count(0);
  if (units.size() == 1 && units.begin()->first == Family::gpu) return count(units.begin()->second);
  std::string text;
  for (const auto& [family, number] : units)
    text += (text.empty() ? "" : " + ") + sharing::units_text(workload, family, number);
  return words(std::move(text));
}

std::string reason_text(const Workload& workload) {
  if (!workload.reason.empty() || workload.unasked.empty()) return workload.reason;
  return "uses GPUs unasked: " + workload.unasked;
}

// How long it has run, or waited.
Value since(const WorkloadRow& row, const Context& context) {
  const Workload& workload = *row.workload;
  const auto& from = workload.state == WorkloadState::pending ? workload.submitted : workload.started;
  return age(from, *row.cluster, context);
}

Value ends_in(const WorkloadRow& row, const Context& context) {
  if (!row.workload->ends) return NotTold{};
  return seconds_between(cluster_now(*row.cluster, context.wall), *row.workload->ends);
}

constexpr Column<WorkloadRow> kWorkloads[] = {
    {"cluster", "CLUSTER", Format::text, Align::left, Show::roomy, 6, "the cluster it belongs to",
     [](const WorkloadRow& row, const Context&) { return words(row.cluster->name.text); }},
    {"id", "ID", Format::text, Align::left, Show::always, 7, "job id, or namespace/pod",
     [](const WorkloadRow& row, const Context&) { return words(row.workload->id.text); }},
    {"user", "USER", Format::text, Align::left, Show::always, 8, "its owner",
     [](const WorkloadRow& row, const Context&) { return told(row.workload->user); }},
    {"name", "NAME", Format::text, Align::left, Show::always, 10, "its name",
     [](const WorkloadRow& row, const Context&) { return words(row.workload->name); }},
    {"state", "STATE", Format::text, Align::left, Show::always, 8, "pending, running, suspended, completing",
     [](const WorkloadRow& row, const Context&) { return words(std::string(word(row.workload->state))); }},
    {"since", "SINCE", Format::duration, Align::right, Show::always, 9, "how long it has run, or waited",
     [](const WorkloadRow& row, const Context& context) { return since(row, context); }},
    {"asks", "ASKS FOR", Format::text, Align::left, Show::always, 10, "GPU resources it asked for",
     [](const WorkloadRow& row, const Context&) { return words(requests_text(*row.workload)); }},
    {"holds", "HOLDS", Format::count, Align::right, Show::roomy, 5, "GPUs, slices or shares it holds",
     [](const WorkloadRow& row, const Context&) { return units_held(*row.workload); }},
    {"nodes", "NODES", Format::text, Align::left, Show::always, 8, "where it runs",
     [](const WorkloadRow& row, const Context&) { return words(nodes_text(*row.workload)); }},
    {"group", "GROUP", Format::text, Align::left, Show::roomy, 8, "partition or namespace",
     [](const WorkloadRow& row, const Context&) { return told(row.workload->group); }},
    {"account", "ACCOUNT", Format::text, Align::left, Show::wide, 8, "Slurm account",
     [](const WorkloadRow& row, const Context&) { return told(row.workload->account); }},
    {"ends_in", "ENDS IN", Format::duration, Align::right, Show::wide, 9, "time left by its limit",
     [](const WorkloadRow& row, const Context& context) { return ends_in(row, context); }},
    {"restarts", "RESTARTS", Format::text, Align::left, Show::wide, 8, "whether it restarts when killed",
     [](const WorkloadRow& row, const Context&) {
       if (!row.workload->restartable) return Value(Unknown{});
       return words(*row.workload->restartable ? "yes" : "no");
     }},
    {"kind", "KIND", Format::text, Align::left, Show::wide, 4, "job, pod, or workload of Kueue",
     [](const WorkloadRow& row, const Context&) { return words(std::string(kind_word(*row.workload))); }},
    {"reason", "REASON", Format::text, Align::left, Show::always, 12,
     "why it waits, in the scheduler's words",
     [](const WorkloadRow& row, const Context&) { return words(reason_text(*row.workload)); }},
    {"trend", "10 MIN", Format::text, Align::right, Show::roomy, 6,
     "use of what it holds in the last 10 minutes, a bar a minute",
     [](const WorkloadRow& row, const Context& context) { return trend(row, context); }},
    {"idle", "IDLE", Format::duration, Align::right, Show::roomy, 9,
     "how long it has not used what it holds (below 1 %)",
     [](const WorkloadRow& row, const Context& context) { return idle(row, context); }},
};

}  // namespace

template <>
std::span<const Column<WorkloadRow>> columns<WorkloadRow>() {
  return kWorkloads;
}

}  // namespace tessera::query
