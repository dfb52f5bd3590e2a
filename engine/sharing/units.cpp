#include "engine/sharing/units.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "engine/sharing/ack.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::sharing {
namespace {

constexpr std::string_view kGib = "GiB", kMib = "MiB";

bool is_shared(Family family) { return family == Family::mps || family == Family::shard; }

}  // namespace

std::string_view memory_unit(std::string_view resource) {
  const auto name = parse_resource(resource, Scheduler::kubernetes);
  if (!name || name->kind != ResourceKind::gpu_memory) return {};
  return resource == ack::kMemory ? kGib : kMib;
}

std::string_view memory_unit(const Workload& workload, Family family) {
  if (workload.kind != WorkloadKind::pod || !is_shared(family)) return {};
  std::string_view unit;
  for (const Request& one : workload.requests) {
    if (one.resource == kubernetes_gpu()) return {};
    if (one.resource == ack::kMemory) unit = kGib;
  }
  return unit;
}

bool is_memory(std::string_view name, Scheduler scheduler) {
  const std::string_view unit = name.substr(0, name.find(' '));
  return scheduler == Scheduler::kubernetes && (unit == kGib || unit == kMib);
}

std::string units_text(const Workload& workload, Family family, std::int64_t count) {
  if (workload.kind != WorkloadKind::pod || !is_shared(family))
    return fmt::format("{} {}", count, word(family));
  if (const auto unit = memory_unit(workload, family); !unit.empty())
    return fmt::format("{} {}", count, unit);
  const std::string one = unit_name(std::string(word(family)), Scheduler::kubernetes);
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string unit_name(const std::string& name, Scheduler scheduler) {
  if (scheduler != Scheduler::kubernetes) return name;
  const auto spoken = [&](std::string_view begin, std::string_view as) {
    const bool whole = name.starts_with(begin) && (name.size() == begin.size() || name[begin.size()] == ' ');
    return whole ? std::string(as) + name.substr(begin.size()) : std::string();
  };
  for (auto [begin, as] : {std::pair(word(Family::shard), std::string_view("share")),
                           std::pair(word(Family::mps), std::string_view("MPS client")),
                           std::pair(std::string_view("MPS"), std::string_view("MPS client"))})
    if (std::string said = spoken(begin, as); !said.empty()) return said;
  return name;
}

}  // namespace tessera::sharing
