// Node groups of a scenario: products, layouts, conditions.
#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/hardware.hpp"
#include "backends/sim/scenario/scenario_read.hpp"
#include "engine/number.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/text.hpp"

namespace tessera::sim {
namespace {

void describe_product(ClusterReader& cluster, Fields& fields, NodeGroup& group) {
  group.product = fields.required("product");
  if (cluster.reader.error) return;
  group.mig = cluster.catalogue.by_key(group.product);
  if (group.mig && (!group.mig->mig_capable || !group.mig->placements_known)) group.mig = nullptr;
  const mig::Product* known = cluster.catalogue.by_key(group.product);
  if (const Hardware* hardware = find_hardware(group.product)) {
    group.model = hardware->smi_name;
    group.type = hardware->slurm_type;
    group.memory_mib = hardware->memory_mib;
    group.idle_watts = hardware->idle_watts;
    group.full_watts = hardware->full_watts;
  } else if (known) {
    group.model = known->smi_names.empty() ? known->key.text : known->smi_names.front();
    group.type = known->slurm_types.empty() ? lower(known->key.text) : known->slurm_types.front();
    group.memory_mib = known->memory_gb.value_or(0) * 1024;
  } else if (!fields.has("model")) {
    cluster.reader.fail(
        *fields.map().find("product"),
        fmt::format("product '{}' is in no catalogue; give it a 'model' to have it anyway", group.product));
  }
  group.model = fields.text("model", group.model);
  group.type = fields.text("type", group.type);
  group.memory_mib = fields.integer("memory_mib", 0, 4'000'000, group.memory_mib);
}

std::optional<int> number_after(std::string_view text, char separator) {
  std::size_t at = text.rfind(separator);
  if (at == std::string_view::npos) return std::nullopt;
  return whole_number(text.substr(at + 1)).value_or(-1);
}

// "mps:100", "time-slicing:4", "shard": shared without a cut. False: it is none of them.
bool read_shared(ClusterReader& cluster, const Yaml& at, std::string_view word, BoardPlan& plan) {
  std::string_view name = word.substr(0, word.find(':'));
  if (name == "mps") {
    plan.strategy = Strategy::mps;
  } else if (name == "shard" && cluster.slurm()) {
    plan.strategy = Strategy::shard;
  } else if (name == "time-slicing" && !cluster.slurm()) {
    plan.strategy = Strategy::time_slicing;
  } else {
    return false;
  }
  int otherwise = cluster.slurm() && plan.strategy == Strategy::mps ? 100 : 4;
  plan.replicas = number_after(word, ':').value_or(otherwise);
  int most = plan.strategy == Strategy::mps && cluster.slurm() ? 100 : 64;
  if (plan.replicas < 2 || plan.replicas > most)
    cluster.reader.fail(at, fmt::format("'{}': a number of shares from 2 to {} is expected", word, most));
  return true;
}

// The profiles of a preset, largest first, as the tools that apply presets create them.
std::optional<std::vector<int>> preset(const mig::Product& product, std::string_view word) {
  auto base = [&](int compute) {
    for (std::size_t i = 0; i < product.profiles.size(); ++i)
      if (product.profiles[i].compute_slices == compute) return static_cast<int>(i);
    return -1;
  };
  if (word == "all-balanced") {
    std::vector<int> list = product.compute_slices == 7 ? std::vector{base(3), base(2), base(1), base(1)}
                                                        : std::vector{base(2), base(1), base(1)};
    if (std::find(list.begin(), list.end(), -1) != list.end()) return std::nullopt;
    return list;
  }
  if (!word.starts_with("all-")) return std::nullopt;
  const mig::Profile* profile = product.find(word.substr(4));
  if (!profile) return std::nullopt;
  return std::vector<int>(static_cast<std::size_t>(std::max(0, profile->max)),
                          static_cast<int>(profile - product.profiles.data()));
}

void read_mig(ClusterReader& cluster, const Yaml& at, const NodeGroup& group, std::string_view word,
              BoardPlan& plan) {
  plan.strategy = Strategy::mig;
  plan.mode = MigMode::enabled;
  if (word == "empty") return;
  if (auto list = preset(*group.mig, word)) {
    Board board;
    board.mode = MigMode::enabled;
    std::vector<Wanted> wanted;
    for (int profile : *list) wanted.push_back({profile, std::nullopt});
    Outcome made = create_instances(board, *group.mig, 0, wanted);
    if (!made.ok()) cluster.reader.fail(at, fmt::format("'{}' does not fit on {}", word, group.product));
    plan.layout = layout_of(board);
    return;
  }
  // Parsing checks the words; whether the instances may stand together is a question of its own.
  Result<mig::Layout> layout = mig::parse_layout(*group.mig, word);
  std::optional<std::string> why =
      layout ? mig::why_illegal(*group.mig, *layout) : std::optional(layout.error().reason);
  if (why) return cluster.reader.fail(at, fmt::format("layout '{}' on {}: {}", word, group.product, *why));
  plan.layout = std::move(*layout);
}

BoardPlan read_board(ClusterReader& cluster, const Yaml& at, const NodeGroup& group) {
  BoardPlan plan;
  std::string word = scalar_text(cluster.reader, at);
  if (word == "whole" || word.empty() || cluster.reader.error) return plan;
  if (read_shared(cluster, at, word, plan)) return plan;
  if (!group.mig) {
    cluster.reader.fail(at, fmt::format("'{}': {} cannot be cut here; whole, mps{} can be had", word,
                                        group.product, cluster.slurm() ? ", shard" : ", time-slicing"));
    return plan;
  }
  if (word == "pending") {
    plan.mode = MigMode::enable_pending;
    return plan;
  }
  std::string_view layout = word;
  if (std::optional<int> copies = number_after(word, '*')) {
    layout = std::string_view(word).substr(0, word.rfind('*'));
    plan.replicas = *copies;
    if (cluster.slurm() || *copies < 2 || *copies > 48)
      cluster.reader.fail(at, "copies of an instance: 2 to 48, on Kubernetes only");
  }
  read_mig(cluster, at, group, layout, plan);
  return plan;
}

void read_boards(ClusterReader& cluster, Fields& fields, NodeGroup& group) {
  int count = fields.integer("gpus", 0, kMostBoards, 8);
  std::vector<BoardPlan> plans;
  if (const Yaml* one = fields.find("layout")) plans.push_back(read_board(cluster, *one, group));
  for (const Yaml* item : fields.list("layouts")) plans.push_back(read_board(cluster, *item, group));
  if (plans.empty()) plans.emplace_back();
  for (int i = 0; i < count; ++i) group.boards.push_back(plans[static_cast<std::size_t>(i) % plans.size()]);
  for (const Yaml* item : fields.list("hidden")) {
    std::optional<std::int64_t> board = item->as_int();
    if (!board || *board < 0 || *board >= count) {
      cluster.reader.fail(*item, "'hidden' lists GPUs of this node by index");
    } else {
      group.hidden.push_back(static_cast<int>(*board));
    }
  }
}

// GPUs of AMD: each is handed out as its partitions.
void read_partition(ClusterReader& cluster, const Yaml& map, NodeGroup& group, const std::string& text) {
  if (text.empty() || cluster.reader.error) return;
  const auto mode = sharing::amd::parse_mode(text);
  const auto parts = mode ? sharing::amd::partitions(*mode, group.model) : std::nullopt;
  const bool others = std::any_of(group.boards.begin(), group.boards.end(),
                                  [](const BoardPlan& plan) { return plan.strategy != Strategy::whole; });
  if (cluster.slurm() || group.claimed || !group.ack.empty() || others)
    return cluster.reader.fail(map, "'partition' is for Kubernetes, and for GPUs of AMD without a layout");
  if (!parts)
    return cluster.reader.fail(
        map, fmt::format("partition '{}' of {}: a mode like CPX/NPS1, of a model whose partitions are known",
                         text.substr(0, 32), group.model));
  group.partition = *mode;
  for (BoardPlan& plan : group.boards)
    if (*parts > 1) plan.strategy = Strategy::shard, plan.replicas = *parts;
}

void read_condition(ClusterReader& cluster, Fields& fields, NodeGroup& group) {
  const Yaml* map = fields.find("state");
  if (!map) return;
  Fields state(cluster.reader, *map);
  group.condition =
      static_cast<Condition>(state.choice("is", {"up", "drained", "down", "invalid", "unknown"}, 0));
  group.reason = state.text("reason");
  group.reason_by = state.text("by");
  group.reason_age = state.duration("ago", Duration(3'600'000));
  state.finish();
}

void name_resources(ClusterReader& cluster, NodeGroup& group) {
  group.by_strategy.assign(static_cast<std::size_t>(Strategy::vgpu) + 1, -1);
  for (Strategy strategy : {Strategy::whole, Strategy::mps, Strategy::time_slicing, Strategy::shard}) {
    std::string name = resource_name(cluster.spec, group, strategy, -1, 2);
    if (!name.empty()) group.by_strategy[static_cast<std::size_t>(strategy)] = cluster.intern_resource(name);
  }
  NodeGroup::PluginNames& names = group.plugin_names;
  bool kubernetes = !cluster.slurm();
  if (kubernetes && group.partition.empty()) {
    names.gpu = cluster.intern_resource("nvidia.com/gpu");
    names.gpu_shared = cluster.intern_resource("nvidia.com/gpu.shared");
  }
  if (!group.mig) return;
  for (std::size_t i = 0; kubernetes && i < group.mig->profiles.size(); ++i) {
    std::string name = sharing::kubernetes_instance(group.mig->profiles[i].name);
    names.instance.push_back(cluster.intern_resource(name));
    names.instance_shared.push_back(cluster.intern_resource(name + ".shared"));
  }
  int replicas = 1;
  for (const BoardPlan& plan : group.boards)
    if (plan.strategy == Strategy::mig) replicas = std::max(replicas, plan.replicas);
  for (std::size_t i = 0; i < group.mig->profiles.size(); ++i)
    group.by_profile.push_back(cluster.intern_resource(
        resource_name(cluster.spec, group, Strategy::mig, static_cast<int>(i), replicas)));
}

void read_names(ClusterReader& cluster, Fields& fields, NodeGroup& group) {
  std::string pattern = fields.required("names");
  std::size_t left = kMostNodes - cluster.nodes_before - cluster.node_index.size();
  auto names = expand_names(pattern, left);
  if (!names) {
    cluster.reader.fail(fields.map(), fmt::format("names '{}': malformed, or more than {} nodes in all",
                                                  pattern.substr(0, 64), kMostNodes));
    return;
  }
  group.names = std::move(*names);
  for (const std::string& name : group.names) {
    auto index = static_cast<std::uint32_t>(cluster.node_index.size());
    if (!cluster.node_index.emplace(name, index).second)
      cluster.reader.fail(fields.map(), fmt::format("there is a node '{}' already", name));
  }
}

}  // namespace

std::string resource_name(const ClusterSpec& spec, const NodeGroup& group, Strategy strategy, int profile,
                          int replicas) {
  bool slurm = spec.scheduler == Scheduler::slurm;
  if (group.claimed) {  // by device class
    if (strategy == Strategy::whole) return "gpu.nvidia.com";
    if (strategy != Strategy::mig) return "";
    return "mig.nvidia.com/" + group.mig->profiles[static_cast<std::size_t>(profile)].name.text;
  }
  bool in_parts = strategy == Strategy::mps || strategy == Strategy::shard;
  if (!group.ack.empty() && in_parts) return std::string(sharing::ack::kMemory);
  if (strategy == Strategy::mig) {
    std::string name = group.mig->profiles[static_cast<std::size_t>(profile)].name.text;
    if (slurm) return "gpu:" + name;
    std::replace(name.begin(), name.end(), '+', '.');
    name = group.mig_single ? "nvidia.com/gpu" : "nvidia.com/mig-" + name;
    return replicas > 1 ? name + ".shared" : name;
  }
  if (!group.partition.empty()) {
    const bool handed_out = strategy == Strategy::whole || strategy == Strategy::shard;
    return handed_out ? std::string(sharing::amd::kGpu) : "";
  }
  if (strategy == Strategy::whole) return slurm ? "gpu:" + group.type : "nvidia.com/gpu";
  if (!slurm) return strategy == Strategy::shard ? "" : "nvidia.com/gpu.shared";
  if (strategy == Strategy::mps) return "mps";
  return strategy == Strategy::shard ? "shard" : "";
}

void read_group(ClusterReader& cluster, const Yaml& map) {
  Fields fields(cluster.reader, map);
  NodeGroup group;
  read_names(cluster, fields, group);
  describe_product(cluster, fields, group);
  if (cluster.reader.error) return;
  group.mig_single = fields.choice("mig_strategy", {"mixed", "single"}, 0) == 1;
  group.told = fields.flag("told", true);
  group.claimed = fields.flag("dra", false);
  group.dynamic = fields.flag("dynamic_mig", false);
  group.mig_manager = fields.flag("mig_manager", false);
  group.ack = fields.text("ack");
  if ((group.claimed || !group.ack.empty()) && cluster.slurm())
    cluster.reader.fail(map, "'dra' and 'ack' are for Kubernetes");
  if (!group.claimed && (group.dynamic || group.mig_manager))
    cluster.reader.fail(map, "'dynamic_mig' and 'mig_manager' are for nodes with 'dra'");
  if (group.claimed && !group.ack.empty())
    cluster.reader.fail(map, "'ack': its plugin hands out the GPUs, no DRA driver");
  group.recut_at_boot = fields.flag("recut_at_boot", true);
  group.cpus = fields.integer("cpus", 1, 4096, 64);
  group.memory_gib = fields.integer("memory_gib", 1, 65536, 512);
  group.features = fields.texts("features");
  group.driver = fields.text("driver");
  group.agent = fields.text("agent");
  group.reservation = fields.text("reservation");
  group.host_pods = fields.texts("host_pods");
  if (!group.host_pods.empty() && (!cluster.slurm() || group.host_pods.size() != group.names.size()))
    cluster.reader.fail(map, "'host_pods' is for Slurm: NAMESPACE/NAME for each node of 'names'");
  for (const std::string& name : fields.texts("partitions"))
    group.partitions.push_back(cluster.partition(map, name));
  if (group.partitions.empty() && !cluster.spec.partitions.empty()) group.partitions.push_back(0);
  read_boards(cluster, fields, group);
  for (const BoardPlan& plan : group.boards)
    if (!group.ack.empty() && plan.strategy != Strategy::whole)
      cluster.reader.fail(map, "'ack': its GPUs are whole until the node's label says otherwise");
  for (const BoardPlan& plan : group.boards)
    if (group.claimed && plan.replicas > 1)
      cluster.reader.fail(map, "'dra': its GPUs are handed out whole or as instances, not shared");
  read_partition(cluster, map, group, fields.text("partition"));
  group.processes = fields.flag("processes", false);
  if (group.processes && !group.partition.empty())
    cluster.reader.fail(map, "'processes' is for GPUs of NVIDIA");
  read_condition(cluster, fields, group);
  name_resources(cluster, group);
  fields.finish();
  cluster.spec.groups.push_back(std::move(group));
}

}  // namespace tessera::sim
