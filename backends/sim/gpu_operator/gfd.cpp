#include "backends/sim/gpu_operator/gfd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/sharing/limits.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::sim::kube {
namespace {

using sharing::MigStrategy;

const std::string kGpu = "nvidia.com/gpu";

// Instances of one profile over all GPUs; under "single" they go by the whole GPU's name.
struct Part {
  std::string resource;
  const mig::Profile* profile = nullptr;
  int count = 0;
};

// The GPUs of a node, looked at once.
struct Census {
  int boards = 0;
  int cut = 0;
  int whole = 0;
  bool empty_cut = false;
  std::vector<Part> parts;  // by resource name
  std::string invalid;      // why "single" cannot name them; empty: it can

  bool single() const { return cut > 0; }
};

Census count(const GpuNode& node) {
  const NodeGroup& group = node.group;
  Census census;
  std::map<std::string, Part> parts;
  for (const Board& board : node.boards) {
    ++census.boards;
    if (!board.cut() || !group.mig) {
      ++census.whole;
      continue;
    }
    ++census.cut;
    census.empty_cut |= board.instances.empty();
    for (const Instance& instance : board.instances) {
      // A GPU instance without a compute instance is no device.
      if (instance.compute.empty()) continue;
      const mig::Profile& profile = group.mig->profiles[static_cast<std::size_t>(instance.profile)];
      Part& part = parts[resource_of(profile)];
      part.profile = &profile;
      ++part.count;
    }
  }
  for (auto& [resource, part] : parts) {
    part.resource = resource;
    census.parts.push_back(part);
  }
  if (census.empty_cut)
    census.invalid = "at least one MIG device is enabled but empty";
  else if (census.whole > 0)
    census.invalid = "devices with MIG enabled and disable detected";
  else if (census.parts.size() != 1)
    census.invalid = "more than one MIG device type present on node";
  return census;
}

// What is on offer before it is shared.
std::map<std::string, std::int64_t> unshared(const Census& census, MigStrategy strategy, Offer& offer) {
  std::map<std::string, std::int64_t> counts;
  if (strategy == MigStrategy::single && census.single()) {
    if (census.invalid.empty()) return {{kGpu, census.parts.front().count}};
    offer.notes.push_back("Invalid configuration detected for mig-strategy=single: " + census.invalid);
    return {{kGpu, 0}};
  }
  if (strategy == MigStrategy::mixed) {
    if (census.whole > 0) counts[kGpu] = census.whole;
    for (const Part& part : census.parts) counts[part.resource] = part.count;
    if (counts.empty()) offer.notes.push_back("No devices found. Waiting indefinitely.");
    return counts;
  }
  return {{kGpu, census.boards}};
}

// MPS holds for whole GPUs, and for so many clients of one.
std::optional<std::string> why_no_mps(const Census& census, const mig::Product* product, int replicas) {
  if (census.cut > 0) return "sharing using MPS is not supported for MIG devices";
  int most = sharing::mps_plugin_clients(product ? product->compute_capability : std::string("7.5"));
  if (replicas > most) return fmt::format("maximum allowed replicas exceeded: {} > {}", replicas, most);
  return std::nullopt;
}

std::string label_value(std::string_view text) {
  std::string value;
  for (char c : text) {
    bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                c == '_' || c == '.';
    if (c == ' ') value += '-';
    if (kept) value += c;
  }
  value = value.substr(0, 63);
  while (!value.empty() && !std::isalnum(static_cast<unsigned char>(value.back()))) value.pop_back();
  return value;
}

// CUDA that a driver branch brings; empty: not known here.
std::string cuda_of(std::string_view driver) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kBranches{{{"450", "11.0"},
                                                                                     {"470", "11.4"},
                                                                                     {"510", "11.6"},
                                                                                     {"515", "11.7"},
                                                                                     {"525", "12.0"},
                                                                                     {"535", "12.2"},
                                                                                     {"545", "12.3"},
                                                                                     {"550", "12.4"},
                                                                                     {"560", "12.6"},
                                                                                     {"565", "12.7"},
                                                                                     {"570", "12.8"},
                                                                                     {"580", "13.0"}}};
  std::string_view branch = driver.substr(0, driver.find('.'));
  for (const auto& [known, cuda] : kBranches)
    if (known == branch) return std::string(cuda);
  return "";
}

class Labeler {
 public:
  Labeler(const GpuNode& node, const PluginConfig& config)
      : group_(node.group), product_(node.product), config_(config), model_(label_value(group_.model)) {}

  void versions() {
    std::vector<std::string> parts = split(group_.driver);
    if (parts.size() < 2 || parts.size() > 3) return;
    parts.resize(3);
    set("cuda.driver.major", parts[0]);
    set("cuda.driver.minor", parts[1]);
    set("cuda.driver.rev", parts[2]);
    set("cuda.driver-version.major", parts[0]);
    set("cuda.driver-version.minor", parts[1]);
    set("cuda.driver-version.revision", parts[2]);
    set("cuda.driver-version.full", group_.driver);
    std::string cuda = cuda_of(group_.driver);
    if (cuda.empty()) return;
    std::vector<std::string> runtime = split(cuda);
    set("cuda.runtime.major", runtime[0]);
    set("cuda.runtime.minor", runtime[1]);
    set("cuda.runtime-version.major", runtime[0]);
    set("cuda.runtime-version.minor", runtime[1]);
    set("cuda.runtime-version.full", cuda);
  }

  // Under nvidia.com/gpu, the GPUs themselves. Those with MIG on are told without sharing: replicas 0.
  void boards(const Census& census) {
    bool shares = census.whole > 0;
    base(kGpu, census.boards, model_, shares);
    if (group_.memory_mib > 0) put(kGpu, "memory", group_.memory_mib);
    if (!product_) return;
    std::vector<std::string> capability = split(product_->compute_capability);
    if (capability.size() != 2) return;
    labels_[kGpu + ".compute.major"] = capability[0];
    labels_[kGpu + ".compute.minor"] = capability[1];
    labels_[kGpu + ".family"] = product_->architecture;
  }

  void part(const Part& part, const std::string& resource) {
    const mig::Profile& profile = *part.profile;
    base(resource, part.count, model_ + "-MIG-" + sharing::kubernetes_spelling(profile.name), true);
    auto told = [&](std::string_view suffix, std::optional<int> value) {
      if (value) put(resource, suffix, *value);
    };
    if (profile.memory) put(resource, "memory", profile.memory->value);
    told("multiprocessors", profile.sm);
    put(resource, "slices.gi", profile.compute_slices);
    put(resource, "slices.ci", profile.compute_slices);
    told("engines.copy", profile.engines.copy);
    told("engines.decoder", profile.engines.decoder);
    told("engines.encoder", profile.engines.encoder);
    told("engines.jpeg", profile.engines.jpeg);
    told("engines.ofa", profile.engines.ofa);
  }

  void invalid() {
    labels_[kGpu + ".product"] = model_ + "-MIG-INVALID";
    labels_[kGpu + ".sharing-strategy"] = "";
    for (const char* zero : {"count", "replicas", "memory"}) put(kGpu, zero, 0);
  }

  void set(std::string_view key, std::string value) {
    labels_["nvidia.com/" + std::string(key)] = std::move(value);
  }
  Labels take() { return std::move(labels_); }

 private:
  static std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    while (true) {
      std::size_t dot = text.find('.');
      parts.emplace_back(text.substr(0, dot));
      if (dot == std::string_view::npos) return parts;
      text.remove_prefix(dot + 1);
    }
  }

  void put(const std::string& resource, std::string_view suffix, std::int64_t value) {
    labels_[fmt::format("{}.{}", resource, suffix)] = std::to_string(value);
  }

  void base(const std::string& resource, int count, std::string product, bool shares) {
    int replicas = shares ? config_.replicas_of(resource) : 0;
    if (replicas > 1 && !config_.rename) product += "-SHARED";
    labels_[resource + ".product"] = std::move(product);
    labels_[resource + ".sharing-strategy"] = replicas < 2                      ? "none"
                                              : config_.method == Strategy::mps ? "mps"
                                                                                : "time-slicing";
    put(resource, "count", count);
    put(resource, "replicas", replicas);
  }

  const NodeGroup& group_;
  const mig::Product* product_;
  const PluginConfig& config_;
  std::string model_;
  Labels labels_;
};

}  // namespace

std::string resource_of(const mig::Profile& profile) { return sharing::kubernetes_instance(profile.name); }

GpuNode gpu_node(const World& world, std::uint32_t node) {
  const NodeState& state = world.nodes[node];
  const NodeGroup& group = world.group(state);
  return {group, state.boards, world.scenario->catalogue->by_key(group.product)};
}

Offer offer_of(const GpuNode& node, const PluginConfig& config, MigStrategy strategy) {
  Offer offer;
  Census census = count(node);
  if (census.boards == 0) return offer;
  if (config.method == Strategy::mps)
    if ((offer.refuses = why_no_mps(census, node.product, config.replicas_of(kGpu)))) return offer;
  for (const auto& [resource, count] : unshared(census, config.strategy.value_or(strategy), offer)) {
    int replicas = config.replicas_of(resource);
    bool renamed = replicas > 1 && config.rename;
    if (renamed) offer.resources[resource] = 0;
    offer.resources[renamed ? resource + ".shared" : resource] = count * replicas;
  }
  return offer;
}

Discovered discover(const GpuNode& node, const PluginConfig& config, MigStrategy given, TimePoint at) {
  Discovered found;
  Census census = count(node);
  if (census.boards == 0) return found;
  MigStrategy strategy = config.strategy.value_or(given);
  bool mps = config.method == Strategy::mps;
  if (mps && census.cut > 0) {
    found.refuses =
        "error creating sharing labeler: failed to check MPS-capable: MPS sharing is not supported for mig "
        "devices";
    return found;
  }
  Labeler labeler(node, config);
  labeler.set("gfd.timestamp", std::to_string(at.time_since_epoch().count() / 1000));
  labeler.set("gpu.machine", "tessera-sim");
  labeler.set("gpu.mode", "compute");
  labeler.set("mig.capable", node.product && node.product->mig_capable ? "true" : "false");
  labeler.set("mps.capable", mps ? "true" : "false");
  labeler.versions();
  labeler.boards(census);
  if (strategy == MigStrategy::single || strategy == MigStrategy::mixed)
    labeler.set("mig.strategy", std::string(sharing::word(strategy)));
  if (strategy == MigStrategy::mixed)
    for (const Part& part : census.parts) labeler.part(part, part.resource);
  if (strategy == MigStrategy::single && census.single()) {
    if (census.invalid.empty())
      labeler.part(census.parts.front(), kGpu);
    else
      labeler.invalid();
  }
  found.labels = labeler.take();
  return found;
}

bool is_discovered(std::string_view key) {
  if (!key.starts_with("nvidia.com/")) return false;
  key.remove_prefix(11);
  if (key == "gpu.present" || key.starts_with("gpu.deploy.") || key.starts_with("gpu.workload")) return false;
  if (key.starts_with("mig.config")) return false;
  for (std::string_view ours : {"cuda.", "gfd.", "gpu.", "mig-", "mig.", "mps.", "vgpu.present"})
    if (key.starts_with(ours)) return true;
  return false;
}

}  // namespace tessera::sim::kube
