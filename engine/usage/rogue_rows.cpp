#include "engine/usage/rogue_rows.hpp"

#include <fmt/core.h>

#include <set>
#include <tuple>

#include "engine/usage/ledger.hpp"

namespace tessera::usage {
namespace {

constexpr std::size_t kMostNamed = 4;

std::string named(const RogueProcess& one) {
  return one.name.empty() ? fmt::format("process {}", one.pid)
                          : fmt::format("process {} ({})", one.pid, one.name);
}

auto place_of(const auto& one) { return std::tuple(one.cluster, one.node, one.gpu, one.profile); }

std::set<std::tuple<ClusterName, NodeName, GpuIndex, std::string>> found_by_figures(const Ledger& ledger) {
  std::set<std::tuple<ClusterName, NodeName, GpuIndex, std::string>> all;
  for (const Rogue& one : ledger.rogues()) all.insert(place_of(one));
  return all;
}

std::string advice(const RogueProcess& one) {
  const std::string where = one.memory ? fmt::format("GPU {}, {} MiB", one.gpu.value, one.memory->value)
                                       : fmt::format("GPU {}", one.gpu.value);
  if (one.workload.empty()) return fmt::format("{} belongs to no job: {}", named(one), where);
  return fmt::format("{} belongs to {}, which does not hold that GPU: {}", named(one), one.workload.text,
                     where);
}

}  // namespace

std::vector<Waste> rogue_process_rows(const Ledger& ledger) {
  const auto known = found_by_figures(ledger);
  std::vector<Waste> rows;
  for (const RogueProcess& one : ledger.rogue_processes()) {
    if (known.contains(place_of(one))) continue;
    Waste row;
    row.cluster = one.cluster, row.kind = "rogue", row.node = one.node.text, row.profile = one.profile;
    row.user = one.user, row.workload = one.workload.text, row.advice = advice(one);
    if (one.hours > 0) row.hours = one.hours;
    if (one.hours > 0 && one.slices) row.slice_hours = one.hours * *one.slices;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string rogues_on(const Ledger& ledger, const ClusterName& cluster, const NodeName& node,
                      const std::string& profile) {
  const auto known = found_by_figures(ledger);
  std::string text;
  std::size_t count = 0;
  for (const RogueProcess& one : ledger.rogue_processes()) {
    const bool here = one.cluster == cluster && one.node == node && one.profile == profile;
    if (!here || !known.contains(place_of(one)) || ++count > kMostNamed) continue;
    text += (text.empty() ? "" : ", ") + named(one);
  }
  return count > kMostNamed ? fmt::format("{} and {} more", text, count - kMostNamed) : text;
}

}  // namespace tessera::usage
