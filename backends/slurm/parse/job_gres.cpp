#include "backends/slurm/parse/job_gres.hpp"

#include <algorithm>
#include <unordered_set>

#include "backends/slurm/parse/gres.hpp"
#include "engine/hostlist.hpp"
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

bool asks_each_node(const Asked& asked) {
  std::optional<std::string> unread;
  return read_requests(asked.per_job, 1, false, unread).empty() &&
         !read_requests(asked.per_node, 1, false, unread).empty();
}

}  // namespace tessera::slurm
