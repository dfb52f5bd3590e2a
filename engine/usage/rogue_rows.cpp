#include "engine/usage/rogue_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "engine/usage/ledger.hpp"

namespace tessera::usage {
namespace {

constexpr std::size_t kMostNamed = 4;

std::string named(const RogueProcess& one) {
  return one.name.empty() ? fmt::format("process {}", one.pid)
                          : fmt::format("process {} ({})", one.pid, one.name);
}

std::set<std::string> found_by_figures(const Ledger& ledger) {
  std::set<std::string> all;
  for (const Rogue& one : ledger.rogues()) all.insert(one.place);
  return all;
}

std::string who_and_where(const RogueProcess& one) {
  const std::string where = one.memory ? fmt::format("GPU {}, {} MiB", one.gpu.value, one.memory->value)
                                       : fmt::format("GPU {}", one.gpu.value);
  if (one.workload.empty()) return fmt::format("{} belongs to no job: {}", named(one), where);
  return fmt::format("{} belongs to {}, which does not hold that GPU: {}", named(one), one.workload.text,
                     where);
}

// counted: the hours of its slice that this row has.
std::string advice(const RogueProcess& one, double counted) {
  std::string text = who_and_where(one);
  if (one.hours > one.free_hours + 1e-9)
    text = fmt::format("{}; while a job or pod held that slice, the slice-hours are not counted here", text);
  if (one.free_hours > counted + 1e-9)
    text = fmt::format("{}; with other processes there, the slice-hours are counted once", text);
  return text;
}

// In slice-hours: of products that are not counted in them n/a, but for hours that count elsewhere.
std::optional<double> slice_hours(const RogueProcess& one, double counted) {
  if (one.hours <= 0) return std::nullopt;
  if (counted <= 1e-9) return 0;
  return one.slices ? std::optional(counted * *one.slices) : std::nullopt;
}

}  // namespace

std::vector<Waste> rogue_process_rows(const Ledger& ledger) {
  const auto known = found_by_figures(ledger);
  std::map<std::string, double> left = ledger.rogue_hours();
  std::vector<RogueProcess> all = ledger.rogue_processes();
  std::stable_sort(all.begin(), all.end(),
                   [](const RogueProcess& a, const RogueProcess& b) { return a.free_hours > b.free_hours; });
  std::vector<Waste> rows;
  for (const RogueProcess& one : all) {
    if (known.contains(one.place)) continue;
    double& of_place = left[one.place];
    const double counted = std::min(one.free_hours, of_place);
    of_place -= counted;
    Waste row;
    row.cluster = one.cluster, row.kind = "rogue", row.node = one.node.text, row.profile = one.profile;
    row.user = one.user, row.workload = one.workload.text, row.advice = advice(one, counted);
    if (one.hours > 0) row.hours = one.hours;
    row.slice_hours = slice_hours(one, counted);
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
    if (!here || !known.contains(one.place) || ++count > kMostNamed) continue;
    text += (text.empty() ? "" : ", ") + named(one);
  }
  return count > kMostNamed ? fmt::format("{} and {} more", text, count - kMostNamed) : text;
}

}  // namespace tessera::usage
