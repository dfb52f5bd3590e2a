#include "tui/cli/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "engine/insight/on_demand.hpp"
#include "engine/insight/own_use.hpp"
#include "engine/insight/processes.hpp"
#include "engine/model/both_sides.hpp"
#include "engine/model/family.hpp"
#include "engine/model/gpu_numbers.hpp"
#include "engine/model/kueue.hpp"
#include "engine/model/processes.hpp"
#include "engine/operators/claimed_devices.hpp"
#include "engine/query/cells.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/time.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {
namespace {

using Tree = nlohmann::ordered_json;

Tree text_value(const std::string& text) { return text.empty() ? Tree() : Tree(text); }
Tree time_value(const std::optional<TimePoint>& at) { return at ? Tree(utc_text(*at)) : Tree(); }
Tree time_of(const Origin& origin) {
  return origin.source == Source::none ? Tree() : Tree(utc_text(origin.at));
}

template <class T>
Tree or_null(const std::optional<T>& value) {
  if (!value) return Tree();
  if constexpr (requires { value->value; }) {
    return Tree(value->value);
  } else if constexpr (requires { value->text; }) {
    return Tree(value->text);
  } else {
    return Tree(*value);
  }
}

Tree seconds_of(const std::optional<Duration>& time) {
  return time ? Tree(std::int64_t{*time / std::chrono::seconds(1)}) : Tree();
}

// One decimal: what a meter reads, not the float that carried it.
template <class Unit>
Tree measure(const std::optional<Unit>& value) {
  if (!value) return Tree();
  return Tree(std::round(static_cast<double>(value->value) * 10) / 10);
}

// The namespace of a pod or the partition of a job, each under its own name.
void put_group(Tree& tree, const Workload& workload) {
  tree[workload.kind == WorkloadKind::pod ? "namespace" : "partition"] = text_value(workload.group);
}

Tree mean_use(const Node& node) {
  const std::optional<double> use = query::mean_use(node);
  return use ? Tree(std::round(*use * 10) / 10) : Tree();
}

Tree tree_of(const slinky::OtherWords& other) {
  Tree tree;
  tree["cluster"] = other.cluster;
  tree["name"] = other.node;
  tree["state"] = other.state;
  tree["reason"] = text_value(other.reason);
  return tree;
}

Tree tree_of(const query::NodeRow& row, const query::Context&) {
  const Node& node = *row.node;
  Tree tree;
  tree["cluster"] = row.cluster->name.text;
  tree["scheduler"] = word(row.cluster->scheduler);
  tree["name"] = node.name.text;
  tree["state"] = node.state;
  tree["health"] = node.health == Health::unknown ? Tree() : Tree(word(node.health));
  tree["gpus"] = node.gpus.empty() && !node.pool.empty() ? Tree() : Tree(node.gpus.size());
  tree["model"] = text_value(node.gpus.empty() ? node.model : node.gpus.front().model);
  tree["slices_total"] = node.counts.all;
  // A slice that is not reported could be held: then the sum is not known either.
  tree["slices_held"] = !node.counts.known() ? Tree() : Tree(node.counts.held);
  tree["slices_available"] = or_null(insight::available_slices(insight::sight_of(*row.cluster, node), node));
  tree["slices_out_of_use"] = node.counts.out;
  tree["shares_total"] = node.counts.shares;
  tree["shares_held"] = or_null(node.counts.shares_held);
  // Without the list of work an empty one proves nothing.
  const bool work = insight::work_is_current(*row.cluster) || !node.workloads.empty();
  tree["workloads"] = work ? Tree(node.workloads.size()) : Tree();
  tree["use_percent"] = mean_use(node);
  tree["reason"] = text_value(node.reason);
  tree["reason_by"] = text_value(node.reason_by);
  tree["reason_at"] = time_value(node.reason_at);
  tree["cpus"] = or_null(node.cpus);
  tree["memory_mib"] = or_null(node.memory);
  tree["partitions"] = node.partitions;
  tree["features"] = node.features;
  tree["taints"] = node.taints;
  tree["also"] = Tree::array();
  for (const slinky::OtherWords& other : slinky::other_words(node)) tree["also"].push_back(tree_of(other));
  tree["pod"] = node.host_pod ? Tree(node.host_pod->workload().text) : Tree();
  tree["driver"] = text_value(node.driver);
  tree["reservation"] = text_value(node.reservation);
  tree["booted_at"] = time_value(node.booted);
  tree["observed_at"] = time_of(node.origin);
  return tree;
}

Tree free_of(const Gpu& gpu, const query::Context& context) {
  Tree tree;
  tree["largest_profile"] = nullptr;
  tree["memory_slices"] = nullptr;
  if (gpu.strategy != Strategy::mig || !gpu.product || !context.catalogue) return tree;
  const mig::Product* product = context.catalogue->by_key(gpu.product->text);
  if (!product) return tree;
  auto layout = mig::observed_layout(*product, gpu);
  if (!layout) return tree;
  mig::Room room = mig::room(*product, *layout);
  if (room.largest)
    tree["largest_profile"] = product->profiles[static_cast<std::size_t>(*room.largest)].name.text;
  tree["memory_slices"] = room.free_memory_slices;
  return tree;
}

std::string_view standing_word(insight::Standing standing) {
  switch (standing) {
    case insight::Standing::unknown: return "unknown";
    case insight::Standing::service: return "service";
    case insight::Standing::work: return "holder";
    case insight::Standing::no_work: return "none";
    case insight::Standing::elsewhere: return "elsewhere";
  }
  return "unknown";
}

Tree processes_of(const query::GpuRow& row) {
  if (!row.gpu->processes) return Tree();
  Tree list = Tree::array();
  for (const Served& one : served(row.gpu->processes->list)) {
    const GpuProcess& process = *one.process;
    Tree tree;
    tree["pid"] = process.pid;
    tree["name"] = text_value(process.name);
    tree["gpu_instance"] = or_null(process.instance_id);
    tree["memory_mib"] = or_null(process.memory);
    tree["use_percent"] = measure(process.use);
    tree["workload"] = is_of_work(process) ? Tree(process.workload.text) : Tree();
    tree["whose"] = standing_word(insight::standing_of(*row.cluster, *row.node, *row.gpu, process));
    tree["mps"] = is_mps_server(process) ? Tree("server") : one.client ? Tree("client") : Tree();
    tree["mps_server"] = one.server ? Tree(one.server->pid) : Tree();
    list.push_back(std::move(tree));
  }
  return list;
}

// What a DRA driver could still cut out of it: each profile alone.
Tree could_be_of(const query::GpuRow& row, const query::Context& context) {
  const auto all =
      context.catalogue ? insight::could_be(*row.node, *row.gpu, *context.catalogue) : std::nullopt;
  if (!all) return Tree();
  const mig::Product& product = *context.catalogue->by_key(row.gpu->product->text);
  Tree list = Tree::array();
  for (const mig::CouldBe& one : *all) {
    Tree tree;
    tree["profile"] = product.profiles[static_cast<std::size_t>(one.profile)].name.text;
    tree["at_once"] = one.together;
    tree["starts"] = one.free;
    tree["blocked"] = Tree::array();
    for (const mig::CouldBe::Blocked& place : one.blocked) {
      Tree blocked;
      blocked["start"] = place.start;
      blocked["by"] = Tree::array();
      for (const std::size_t index : place.by) {
        const Slice& slice = row.gpu->slices.at(index);
        Tree by;
        by["profile"] = text_value(slice.profile.text);
        by["start"] = slice.placement ? Tree(slice.placement->start) : Tree();
        by["holder"] = slice.holders.empty() ? Tree() : Tree(slice.holders.front().workload.text);
        blocked["by"].push_back(std::move(by));
      }
      tree["blocked"].push_back(std::move(blocked));
    }
    list.push_back(std::move(tree));
  }
  return list;
}

// Only of GPUs that a DRA driver hands out.
void put_claimed(Tree& tree, const query::GpuRow& row, const query::Context& context) {
  using operators::DraWay;
  if (!sharing::by_claims(*row.node)) return;
  const DraWay way = operators::way_of(*row.node);
  tree["on_demand"] = way == DraWay::not_told ? Tree() : Tree(way != DraWay::at_start);
  tree["could_be"] = could_be_of(row, context);
}

Tree tree_of(const query::GpuRow& row, const query::Context& context) {
  const Gpu& gpu = *row.gpu;
  Tree tree;
  tree["cluster"] = row.cluster->name.text;
  tree["node"] = row.node->name.text;
  tree["index"] = numbers_told(*row.node) ? Tree(gpu.index.value) : Tree();
  tree["uuid"] = text_value(gpu.uuid);
  tree["model"] = text_value(gpu.model);
  tree["product"] = or_null(gpu.product);
  tree["memory_mib"] = or_null(gpu.memory);
  tree["mig"]["mode"] = gpu.mig_mode ? Tree(word(*gpu.mig_mode)) : Tree();
  tree["sharing"]["strategy"] = gpu.strategy == Strategy::unknown ? Tree() : Tree(word(gpu.strategy));
  tree["sharing"]["replicas"] = or_null(gpu.replicas);
  tree["partition_mode"] = text_value(gpu.partition_mode);
  tree["free"] = free_of(gpu, context);
  put_claimed(tree, row, context);
  Tree& telemetry = tree["telemetry"];
  telemetry["use_percent"] = measure(gpu.telemetry.use);
  telemetry["memory_used_mib"] = or_null(gpu.telemetry.memory_used);
  telemetry["tensor_percent"] = measure(gpu.telemetry.tensor);
  telemetry["memory_bus_percent"] = measure(gpu.telemetry.memory_busy);
  telemetry["temperature_celsius"] = measure(gpu.telemetry.temperature);
  telemetry["power_watts"] = measure(gpu.telemetry.power);
  telemetry["observed_at"] = time_of(gpu.telemetry.origin);
  tree["processes"] = processes_of(row);
  tree["processes_observed_at"] = gpu.processes ? time_of(gpu.processes->origin) : Tree();
  tree["observed_at"] = time_of(gpu.origin);
  return tree;
}

// What it uses by itself of a slice that several hold.
Tree own_of(const Holder& holder, const query::SliceRow& row) {
  if (!row.gpu || row.slice->holders.size() < 2) return Tree();
  const auto own = insight::own_figures(*row.cluster, *row.node, *row.gpu, *row.slice, holder.workload);
  if (!own) return Tree();
  Tree tree;
  tree["use_percent"] = measure(own->use);
  tree["memory_used_mib"] = or_null(own->memory);
  tree["source"] = word(own->origin.source);
  tree["observed_at"] = time_of(own->origin);
  return tree;
}

Tree tree_of(const Holder& holder, const query::SliceRow& row) {
  const Workload* workload = row.cluster->workloads.find(holder.workload);
  Tree tree;
  tree["kind"] = workload ? Tree(word(workload->kind)) : Tree();
  tree["id"] = holder.workload.text;
  tree["name"] = workload ? text_value(workload->name) : Tree();
  tree["user"] = workload ? text_value(workload->user) : Tree();
  bool pod = workload && workload->kind == WorkloadKind::pod;
  tree["namespace"] = pod ? text_value(workload->group) : Tree();
  tree["since"] = workload ? time_value(workload->started) : Tree();
  tree["share"] = holder.share > 0 ? Tree(holder.share) : Tree();
  tree["own"] = own_of(holder, row);
  return tree;
}

Tree tree_of(const query::SliceRow& row, const query::Context&) {
  const Slice& slice = *row.slice;
  Tree tree;
  tree["cluster"] = row.cluster->name.text;
  tree["node"] = row.node->name.text;
  tree["gpu"] = row.gpu && numbers_told(*row.node) ? Tree(row.gpu->index.value) : Tree();
  tree["kind"] = sharing::amd::is_partition(slice) ? "partition" : word(slice.kind);
  tree["profile"] = text_value(slice.profile.text);
  tree["start"] = slice.placement ? Tree(slice.placement->start) : Tree();
  tree["size"] = slice.placement ? Tree(slice.placement->size) : Tree();
  const insight::Sight sight = insight::sight_of(*row.cluster, *row.node);
  tree["state"] = insight::word(insight::availability(sight, slice));
  tree["available"] = or_null(insight::available(sight, slice));
  tree["capacity"] = slice.capacity;
  tree["usable"] = or_null(slice.usable);
  tree["exact"] = slice.exact;
  tree["use_percent"] = measure(slice.use);
  tree["memory_used_mib"] = or_null(slice.memory_used);
  tree["tensor_percent"] = measure(slice.tensor);
  tree["memory_bus_percent"] = measure(slice.memory_busy);
  tree["uuid"] = text_value(slice.uuid);
  tree["gpu_instance"] = or_null(slice.instance_id);
  tree["holders"] = Tree::array();
  for (const Holder& holder : slice.holders) tree["holders"].push_back(tree_of(holder, row));
  const bool untold = slice.holders.empty() && slice.holding != Holding::free && work_untold(*row.cluster);
  if (untold) tree["holders"] = Tree();
  return tree;
}

// The GPU and slice that a scheduler's device number means; null where that is not known.
void put_device(Tree& tree, const Node* node, const Allocation& allocation, int device) {
  auto fits = [&](const Slice& slice) {
    return slice.device == device && in_family(slice, allocation.family);
  };
  if (!node) return;
  for (const Gpu& gpu : node->gpus) {
    auto slice = std::find_if(gpu.slices.begin(), gpu.slices.end(), fits);
    if (slice == gpu.slices.end()) continue;
    if (numbers_told(*node)) tree["gpu"] = gpu.index.value;
    if (!slice->profile.empty()) tree["slice"] = slice->profile.text;
    return;
  }
  auto slice = std::find_if(node->pool.begin(), node->pool.end(), fits);
  if (slice != node->pool.end() && !slice->profile.empty()) tree["slice"] = slice->profile.text;
}

void add_allocation(Tree& list, const Allocation& allocation, const Cluster& cluster) {
  Tree one;
  one["node"] = allocation.node.text;
  one["gpu"] = nullptr;
  one["slice"] = nullptr;
  one["count"] = allocation.count;
  one["type"] = text_value(allocation.type);
  one["family"] = word(allocation.family);
  if (allocation.devices.empty()) {
    list.push_back(std::move(one));
    return;
  }
  const Node* node = cluster.nodes.find(allocation.node);
  for (const DeviceShare& device : allocation.devices) {
    Tree each = one;
    each["count"] = device.share > 0 ? Tree(device.share) : Tree();
    put_device(each, node, allocation, device.device);
    list.push_back(std::move(each));
  }
}

Tree tree_of(const query::WorkloadRow& row, const query::Context&) {
  const Workload& workload = *row.workload;
  Tree tree;
  tree["cluster"] = row.cluster->name.text;
  tree["kind"] = kind_word(workload);
  tree["id"] = workload.id.text;
  tree["name"] = text_value(workload.name);
  tree["user"] = text_value(workload.user);
  put_group(tree, workload);
  tree["account"] = text_value(workload.account);
  tree["state"] = word(workload.state);
  tree["scheduler_state"] = text_value(workload.state_word);
  tree["reason"] = text_value(workload.reason);
  tree["requests"] = Tree::object();
  for (const Request& request : workload.requests) tree["requests"][request.resource] = request.count;
  tree["tasks"] = workload.tasks;
  tree["allocations"] = Tree::array();
  for (const Allocation& each : workload.allocations)  // of nothing: it only runs there
    if (each.count > 0 || !each.devices.empty()) add_allocation(tree["allocations"], each, *row.cluster);
  tree["since"] = time_value(workload.started ? workload.started : workload.submitted);
  tree["submitted_at"] = time_value(workload.submitted);
  tree["started_at"] = time_value(workload.started);
  tree["ends_at"] = time_value(workload.ends);
  tree["time_limit_s"] = seconds_of(workload.limit);
  tree["priority"] = or_null(workload.priority);
  tree["restartable"] = or_null(workload.restartable);
  tree["unasked"] = text_value(workload.unasked);
  tree["comment"] = text_value(workload.comment);
  tree["observed_at"] = time_of(workload.origin);
  return tree;
}

Tree tree_of(const mig::Product& product, const mig::Layout& layout) {
  Tree slices = Tree::array();
  for (const mig::Placed& placed : layout) {
    const mig::Profile& profile = product.profiles[static_cast<std::size_t>(placed.profile)];
    Tree slice;
    slice["profile"] = profile.name.text;
    slice["start"] = placed.start;
    slice["size"] = profile.memory_slices;
    slices.push_back(std::move(slice));
  }
  Tree tree;
  tree["slices"] = std::move(slices);
  return tree;
}

// --- YAML: block style, strings always in JSON's double quotes, so that no "no" becomes false.

void add_yaml(std::string& out, const Tree& tree, int depth);

void add_yaml_item(std::string& out, const Tree& item, int depth) {
  if (item.is_structured() && !item.empty()) {
    // The first field shares the line with the dash.
    std::string inner;
    add_yaml(inner, item, depth + 1);
    out += std::string(static_cast<std::size_t>(depth) * 2, ' ') + "- " +
           inner.substr((static_cast<std::size_t>(depth) + 1) * 2);
    return;
  }
  out += std::string(static_cast<std::size_t>(depth) * 2, ' ') + "- ";
  add_yaml(out, item, depth);
}

std::string scalar_text(const Tree& tree) {
  return tree.dump(-1, ' ', false, Tree::error_handler_t::replace);
}

void add_yaml(std::string& out, const Tree& tree, int depth) {
  if (!tree.is_structured() || tree.empty()) {
    out += scalar_text(tree) + "\n";
    return;
  }
  if (tree.is_array()) {
    for (const Tree& item : tree) add_yaml_item(out, item, depth);
    return;
  }
  for (const auto& [key, value] : tree.items()) {
    bool plain = key.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos;
    out +=
        std::string(static_cast<std::size_t>(depth) * 2, ' ') + (plain ? key : scalar_text(Tree(key))) + ":";
    if (value.is_structured() && !value.empty()) {
      out += "\n";
      add_yaml(out, value, depth + 1);
    } else {
      out += " " + scalar_text(value) + "\n";
    }
  }
}

std::string printed(const Tree& tree, Markup markup) {
  if (markup == Markup::yaml) {
    std::string out = "---\n";
    add_yaml(out, tree, 0);
    return out;
  }
  return tree.dump(markup == Markup::json ? 2 : -1, ' ', false, Tree::error_handler_t::replace) + "\n";
}

// What is known of a row beside itself.
void put_notes(Tree& tree, const query::NodeRow& row, const ListNotes& notes) {
  tree["figures_missing"] = text_value(notes.why_no_figures(row.cluster->name, row.node->name));
  for (Tree& other : tree["also"]) {
    const ClusterName cluster(other["cluster"].get<std::string>());
    other["free_slices_in_both"] = or_null(notes.free_in_both(row.cluster->name, row.node->name, cluster));
  }
}
void put_notes(Tree& tree, const query::GpuRow& row, const ListNotes& notes) {
  tree["figures_missing"] = text_value(notes.why_no_figures(row.cluster->name, row.node->name));
}
void put_notes(Tree& tree, const query::SliceRow& row, const ListNotes& notes) {
  tree["figures_missing"] = text_value(notes.why_no_figures(row.cluster->name, row.node->name));
}
void put_notes(Tree&, const query::WorkloadRow&, const ListNotes&) {}

template <class Row>
std::string list(const std::vector<Row>& rows, const query::Context& context, Markup markup,
                 const ListNotes& notes) {
  Tree tree = Tree::array();
  for (const Row& row : rows) {
    Tree one = tree_of(row, context);
    put_notes(one, row, notes);
    tree.push_back(std::move(one));
  }
  return printed(tree, markup);
}

}  // namespace

std::string document(const std::vector<query::NodeRow>& rows, const query::Context& context, Markup markup,
                     const ListNotes& notes) {
  return list(rows, context, markup, notes);
}
std::string document(const std::vector<query::GpuRow>& rows, const query::Context& context, Markup markup,
                     const ListNotes& notes) {
  return list(rows, context, markup, notes);
}
std::string document(const std::vector<query::SliceRow>& rows, const query::Context& context, Markup markup,
                     const ListNotes& notes) {
  return list(rows, context, markup, notes);
}
std::string document(const std::vector<query::WorkloadRow>& rows, const query::Context& context,
                     Markup markup, const ListNotes& notes) {
  return list(rows, context, markup, notes);
}

std::string document(const LayoutsAnswer& answer, Markup markup) {
  Tree tree;
  tree["product"] = answer.product->key.text;
  tree["units"] = answer.product->units;
  tree["which"] = word(answer.which);
  tree["inferred"] = answer.product->placements_inferred;
  tree["count"] = answer.layouts.size();
  tree["layouts"] = Tree::array();
  for (const mig::Layout& layout : answer.layouts)
    tree["layouts"].push_back(tree_of(*answer.product, layout));
  return printed(tree, markup);
}

std::string document(const CheckAnswer& answer, Markup markup) {
  Tree tree;
  tree["product"] = answer.product->key.text;
  tree["units"] = answer.product->units;
  tree["legal"] = answer.layout.has_value();
  tree["reason"] = text_value(answer.reason);
  tree["layout"] = answer.layout ? tree_of(*answer.product, *answer.layout) : Tree();
  return printed(tree, markup);
}

std::string document(std::span<const mig::Product> products, Markup markup) {
  Tree tree = Tree::array();
  for (const mig::Product& product : products) {
    Tree one;
    one["product"] = product.key.text;
    one["architecture"] = text_value(product.architecture);
    one["memory_gb"] = or_null(product.memory_gb);
    one["mig_capable"] = product.mig_capable;
    one["units"] = product.placements_known ? Tree(product.units) : Tree();
    one["placements_known"] = product.placements_known;
    one["inferred"] = product.placements_inferred;
    one["profiles"] = Tree::array();
    for (const mig::Profile& profile : product.profiles) one["profiles"].push_back(profile.name.text);
    one["names"] = product.smi_names;
    tree.push_back(std::move(one));
  }
  return printed(tree, markup);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json::of(text); }
Json time_or_null(const std::optional<TimePoint>& at) { return at ? Json::of(utc_text(*at)) : Json(); }
Json rounded(double value) { return Json::of(std::round(value * 1000) / 1000); }
Json rounded(const std::optional<double>& value) { return value ? rounded(*value) : Json(); }

std::string document(const Json& json, Markup markup) {
  return printed(Tree::parse(to_line(json), nullptr, false), markup);
}

std::string_view word(mig::Which which) {
  switch (which) {
    case mig::Which::all: return "all";
    case mig::Which::maximal: return "maximal";
    case mig::Which::undominated: return "undominated";
  }
  return "";
}

}  // namespace tessera::cli
