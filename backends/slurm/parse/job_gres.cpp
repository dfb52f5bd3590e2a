#include "backends/slurm/parse/job_gres.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "backends/slurm/parse/gres.hpp"
#include "engine/hostlist.hpp"
#include "engine/number.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

constexpr std::size_t kWeight = 8;  // of an allocation, in devices

// Which devices, and how much of each.
std::vector<DeviceShare> devices_of(const Gres& gres, Family family) {
  std::vector<DeviceShare> devices;
  for (std::size_t i = 0; i < gres.shares.size(); ++i)
    if (gres.shares[i].used > 0) devices.push_back({static_cast<int>(i), gres.shares[i].used});
  for (int device : gres.devices) {
    int share = 1;
    // Up to 23.02 the count of mps and shard is the share on one device; over several the parts are not
    // reported.
    if (family != Family::gpu)
      share = gres.devices.size() == 1 ? static_cast<int>(std::min<std::int64_t>(gres.count, INT32_MAX)) : 0;
    devices.push_back({device, share});
  }
  return devices;
}

// Entries of the families above, each multiplied; trackable resources tell "gpu" and "gpu:h100" for the same
// devices, of which the typed ones are kept.
std::vector<Request> read_requests(std::string_view text, std::int64_t times, bool trackable,
                                   std::optional<std::string>& problem) {
  std::vector<Gres> gres;
  if (auto bad = parse_gres(text, gres, is_of_gpus); bad && !problem) problem = std::move(bad);
  auto typed_too = [&](const Gres& entry) {
    return entry.type.empty() && std::any_of(gres.begin(), gres.end(), [&](const Gres& other) {
             return other.name == entry.name && !other.type.empty();
           });
  };
  std::vector<Request> requests;
  for (const Gres& entry : gres) {
    if (trackable && typed_too(entry)) continue;
    std::string resource(entry.name);
    if (!entry.type.empty()) resource.append(":").append(entry.type);
    std::int64_t count =
        entry.count > INT64_MAX / std::max<std::int64_t>(times, 1) ? INT64_MAX : entry.count * times;
    requests.push_back({clean(resource, 256), count});
  }
  return requests;
}

}  // namespace

std::size_t weight_of(const std::vector<Allocation>& allocations) {
  std::size_t weight = 0;
  for (const Allocation& allocation : allocations) weight += kWeight + allocation.devices.size();
  return weight;
}

std::optional<std::string> add_allocations(const JobGroup& group, std::vector<Allocation>& into,
                                           std::size_t& room) {
  std::vector<Gres> gres;
  std::optional<std::string> problem = parse_gres(group.gres, gres, is_of_gpus);
  std::erase_if(gres, [](const Gres& entry) { return entry.count == 0; });
  std::vector<Allocation> on_each;
  for (const Gres& entry : gres) {
    Allocation allocation;
    allocation.family = *family_of(entry.name);
    allocation.type = clean(entry.type, 256);
    allocation.count = static_cast<int>(std::min<std::int64_t>(entry.count, INT32_MAX));
    allocation.devices = devices_of(entry, allocation.family);
    on_each.push_back(std::move(allocation));
  }
  if (on_each.empty()) on_each.emplace_back();
  std::size_t weight = weight_of(on_each);
  // Limited before the names are made, not after.
  auto hosts = expand_hosts(group.nodes, std::min(kMostHosts, room / weight));
  if (!hosts) {
    into.clear();
    room = 0;
    return hosts.error().reason;
  }
  room -= hosts->size() * weight;
  for (const std::string& host : *hosts) {
    for (const Allocation& allocation : on_each) {
      into.push_back(allocation);
      into.back().node = NodeName(clean(host, 256));
    }
  }
  return problem;
}

std::optional<std::string> add_nodes(std::string_view nodes, std::vector<Allocation>& into,
                                     std::size_t& room) {
  auto hosts = expand_hosts(nodes, std::min(kMostHosts, room / kWeight));
  if (!hosts) return hosts.error().reason;
  std::unordered_set<std::string> known;
  for (const Allocation& one : into) known.insert(one.node.text);
  for (const std::string& host : *hosts) {
    std::string name = clean(host, 256);
    if (!known.insert(name).second) continue;
    into.emplace_back().node = NodeName(std::move(name));
    room -= std::min(room, kWeight);
  }
  return std::nullopt;
}

std::optional<std::string> requests_of(const Asked& asked, std::vector<Request>& into) {
  struct Field {
    std::string_view text;
    std::int64_t times;
    bool trackable;
  };
  std::optional<std::string> problem;
  std::int64_t nodes = std::max(asked.nodes, 1);
  for (const Field& field : {Field{asked.per_job, 1, false}, Field{asked.per_node, nodes, false},
                             Field{asked.per_task, asked.tasks.value_or(static_cast<int>(nodes)), false},
                             Field{asked.tres, 1, true}, Field{asked.per_socket, nodes, false}}) {
    into = read_requests(field.text, field.times, field.trackable, problem);
    if (!into.empty()) break;
  }
  return problem;
}

namespace {

// "1.50G": suffixes of memory count in 1024, none is MiB.
std::optional<std::int64_t> amount_of(std::string_view text) {
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || !(number >= 0) || number > 1e12) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const double factor = unit.empty() || unit == "M" ? 1
                        : unit == "K"               ? 1.0 / 1024
                        : unit == "G"               ? 1024
                        : unit == "T"               ? 1024.0 * 1024
                                                    : -1;
  return factor < 0 ? std::nullopt : std::optional(static_cast<std::int64_t>(number * factor));
}

// "cpu=4,mem=1.50G,node=1": what stands behind a name.
std::optional<std::int64_t> read_tres(std::string_view tres, std::string_view name) {
  for (std::string_view item : parts_at_commas(tres)) {
    if (!item.starts_with(name) || item.size() <= name.size() || item[name.size()] != '=') continue;
    return amount_of(item.substr(name.size() + 1));
  }
  return std::nullopt;
}

constexpr std::string_view kOneNode = "1-1";  // and no more

// "gres/gpu:8", in older versions "gres:gpu:8" and "gpu:8"; 0: not told.
std::int64_t of_each_gpu(std::string_view text) {
  for (std::string_view item : parts_at_commas(text)) {
    if (item.starts_with("gres/") || item.starts_with("gres:")) item.remove_prefix(5);
    const auto colon = item.rfind(':');
    if (item.starts_with("gpu:")) return amount_of(item.substr(colon + 1)).value_or(0);
  }
  return 0;
}

// What it asks for of GPUs, of which it asks for so many in all and on each node at the least.
struct ByGpu {
  std::int64_t all = 0, each = 0;
};
ByGpu gpus_of(const Asked& asked, const std::vector<Request>& requests) {
  constexpr std::int64_t kMost = 1 << 24;
  ByGpu gpus;
  for (const Request& one : requests)
    if (one.resource == "gpu" || one.resource.starts_with("gpu:"))
      gpus.all = std::min(gpus.all + std::min(one.count, kMost), kMost);
  if (asks_each_node(asked)) gpus.each = gpus.all / std::max(1, asked.nodes);
  return gpus;
}

std::int64_t at_most(std::int64_t most, std::optional<std::int64_t> value) {
  return value && *value <= most ? *value : 0;
}

// Slurm takes no node without the least of a node, and deals out the rest as it likes.
void read_cpus(const AskedMachine& machine, const Asked& asked, const ByGpu& gpus, NodeNeeds& needs) {
  constexpr std::int64_t kMost = 1 << 24;
  const std::int64_t of_gpu = at_most(1 << 16, of_each_gpu(machine.cpus_of_gpu));
  auto all = read_tres(asked.tres, "cpu");
  if (of_gpu > 0) all = std::max(all.value_or(0), of_gpu * gpus.all);
  if (!all || *all > kMost) return;
  const std::int64_t of_node = whole_number<std::int64_t>(machine.cpus_of_node, kMost).value_or(0);
  const std::int64_t least = std::min(kMost, std::max(of_node, of_gpu * gpus.each));
  needs.cpus = static_cast<int>(*all);
  needs.cpus_each = machine.nodes == kOneNode ? *needs.cpus : static_cast<int>(least);
}

void read_memory(const AskedMachine& machine, const Asked& asked, const ByGpu& gpus, NodeNeeds& needs) {
  constexpr std::int64_t kMost = 1 << 30;  // MiB
  const std::int64_t of_gpu = at_most(kMost, of_each_gpu(machine.memory_of_gpu));
  const std::int64_t all = std::max(read_tres(asked.tres, "mem").value_or(0), of_gpu * gpus.all);
  // 0 stands for all memory of each node (--mem=0), or for none where Slurm hands out no memory.
  if (all <= 0) return;
  const std::int64_t of_cpu = at_most(kMost, amount_of(machine.memory_of_cpu));
  const std::int64_t least = std::max({at_most(kMost, amount_of(machine.memory_of_node)),
                                       of_cpu * needs.cpus_each.value_or(0), of_gpu * gpus.each});
  needs.memory = Mib{all};
  needs.memory_each = Mib{machine.nodes == kOneNode ? all : least};
}

}  // namespace

void read_machine(const AskedMachine& machine, const Asked& asked, const std::vector<Request>& requests,
                  NodeNeeds& needs) {
  const ByGpu gpus = gpus_of(asked, requests);
  read_cpus(machine, asked, gpus, needs);
  read_memory(machine, asked, gpus, needs);
}

bool asks_each_node(const Asked& asked) {
  std::optional<std::string> unread;
  return read_requests(asked.per_job, 1, false, unread).empty() &&
         !read_requests(asked.per_node, 1, false, unread).empty();
}

}  // namespace tessera::slurm
