// GPUs that a DRA driver hands out, as devices; work that asks for them, as claims.
#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/gpu_operator/project/project.hpp"
#include "backends/sim/random.hpp"
#include "backends/sim/snapshot.hpp"
#include "engine/text.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::string_view kApi = "resource.k8s.io/v1";
constexpr std::string_view kDriver = "gpu.nvidia.com";
constexpr std::string_view kMigClass = "mig.nvidia.com";

std::string letters(std::string_view of) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::uint64_t drawn = hash_text(of);
  std::string text;
  for (int i = 0; i < 5; ++i, drawn /= kLetters.size()) text += kLetters[drawn % kLetters.size()];
  return text;
}

// "gpu-1-mig-1g24gb-14-0": GPU, profile, its number, where it stands.
std::string device_name(const NodeGroup& group, const Board& board, std::size_t gpu, int instance) {
  const Instance* one = instance == kWholeBoard ? nullptr : board.find(instance);
  if (!one) return fmt::format("gpu-{}", gpu);
  const mig::Profile& profile = group.mig->profiles[static_cast<std::size_t>(one->profile)];
  std::string word = profile.name.text;
  std::erase(word, '.');
  std::replace(word.begin(), word.end(), '+', '-');
  return fmt::format("gpu-{}-mig-{}-{}-{}", gpu, word, profile.id.value_or(0), one->start);
}

Json attribute(std::string value) { return object({{"string", text(std::move(value))}}); }

Json device(const NodeGroup& group, std::string name, std::int64_t mib, Json attributes) {
  put(attributes, "productName", attribute(clean(group.model, 64)));
  put(attributes, "driverVersion",
      object({{"version", text(clean(group.driver.empty() ? "580.65.6" : group.driver, 32))}}));
  return object({{"name", text(std::move(name))},
                 {"attributes", std::move(attributes)},
                 {"capacity", object({{"memory", object({{"value", text(fmt::format("{}Mi", mib))}})}})}});
}

// What stands on the GPU now: the GPU itself, or its instances.
void add_devices(Json& list, const World& world, std::uint32_t node, std::size_t gpu) {
  const NodeGroup& group = world.group(world.nodes[node]);
  const Board& board = world.nodes[node].boards[gpu];
  std::string uuid = uuid_of(world, node, gpu);
  if (!board.cut()) {
    list.items.push_back(device(group, device_name(group, board, gpu, kWholeBoard), group.memory_mib,
                                object({{"type", attribute("gpu")}, {"uuid", attribute(uuid)}})));
    return;
  }
  for (const Instance& one : board.instances) {
    const mig::Profile& profile = group.mig->profiles[static_cast<std::size_t>(one.profile)];
    std::int64_t mib = profile.memory ? profile.memory->value : 0;
    list.items.push_back(device(group, device_name(group, board, gpu, one.id), mib,
                                object({{"type", attribute("mig")},
                                        {"uuid", attribute(fmt::format("MIG-{}-{}", uuid.substr(4), one.id))},
                                        {"parentUUID", attribute(uuid)},
                                        {"profile", attribute(profile.name.text)}})));
  }
}

Json head_of_device(std::string_view kind, const Key& key) {
  Json metadata = object({{"name", text(key.name)}});
  if (!key.ns.empty()) put(metadata, "namespace", text(key.ns));
  return object({{"kind", text(std::string(kind))},
                 {"apiVersion", text(std::string(kApi))},
                 {"metadata", std::move(metadata)}});
}

}  // namespace

bool asks_by_claim(const Shape& shape) {
  return shape.text == kDriver || shape.text.starts_with(std::string(kMigClass) + "/");
}

Key devices_key(const World& world, std::uint32_t node) {
  std::string name = clean(world.node_name(node), 200);
  return {"resourceslices.resource.k8s.io", "", fmt::format("{}-{}-{}", name, kDriver, letters(name))};
}

Key claim_key(const Key& pod) {
  return {"resourceclaims.resource.k8s.io", pod.ns, fmt::format("{}-gpu-{}", pod.name, letters(pod.name))};
}

std::optional<Projected> project_devices(const World& world, std::uint32_t node) {
  const NodeState& state = world.nodes[node];
  if (!world.group(state).claimed) return std::nullopt;
  Key key = devices_key(world, node);
  std::string name = clean(world.node_name(node), 253);
  Json devices = Json::list();
  for (std::size_t gpu = 0; gpu < state.boards.size(); ++gpu) add_devices(devices, world, node, gpu);
  Json pool = object({{"name", text(name)}, {"generation", number(1)}, {"resourceSliceCount", number(1)}});
  Json slice = head_of_device("ResourceSlice", key);
  put(slice, "spec",
      object({{"driver", text(std::string(kDriver))},
              {"nodeName", text(name)},
              {"pool", std::move(pool)},
              {"devices", std::move(devices)}}));
  return Projected{std::move(key), std::move(slice)};
}

std::optional<Projected> project_claim(const World& world, const Job& job, const Key& pod) {
  const Shape& shape = wanted_by(world, job);
  if (!asks_by_claim(shape)) return std::nullopt;
  Key key = claim_key(pod);
  Json claim = head_of_device("ResourceClaim", key);
  bool mig = shape.text != kDriver;
  Json exactly = object({{"deviceClassName", text(std::string(mig ? kMigClass : kDriver))},
                         {"allocationMode", text("ExactCount")},
                         {"count", number(shape.count)}});
  if (mig)
    put(exactly, "selectors",
        list_of({object(
            {{"cel", object({{"expression", text(fmt::format("device.attributes['{}'].profile == '{}'",
                                                             kDriver, clean(shape.type, 32)))}})}})}));
  put_at(claim, {"spec", "devices", "requests"},
         list_of({object({{"name", text("gpu")}, {"exactly", std::move(exactly)}})}));
  Json status = Json::map();
  if (!job.claims.empty()) {
    Json results = Json::list();
    for (const Claim& one : job.claims) {
      const NodeState& state = world.nodes[one.node];
      results.items.push_back(object(
          {{"request", text("gpu")},
           {"driver", text(std::string(kDriver))},
           {"pool", text(clean(world.node_name(one.node), 253))},
           {"device", text(device_name(world.group(state), state.boards[one.gpu], one.gpu, one.instance))}}));
    }
    put_at(status, {"allocation", "devices", "results"}, std::move(results));
    put(status, "reservedFor", list_of({object({{"resource", text("pods")}, {"name", text(pod.name)}})}));
  }
  put(claim, "status", std::move(status));
  return Projected{std::move(key), std::move(claim)};
}

std::vector<Projected> device_classes(const World& world) {
  std::vector<Projected> all;
  bool any = std::any_of(world.spec().groups.begin(), world.spec().groups.end(),
                         [](const NodeGroup& group) { return group.claimed; });
  if (!any) return all;
  for (auto [name, type] : {std::pair(kDriver, "gpu"), std::pair(kMigClass, "mig")}) {
    Key key{"deviceclasses.resource.k8s.io", "", std::string(name)};
    Json one = head_of_device("DeviceClass", key);
    std::string expression =
        fmt::format("device.driver == '{0}' && device.attributes['{0}'].type == '{1}'", kDriver, type);
    put_at(one, {"spec", "selectors"},
           list_of({object({{"cel", object({{"expression", text(std::move(expression))}})}})}));
    all.emplace_back(std::move(key), std::move(one));
  }
  return all;
}

}  // namespace tessera::sim::kube
