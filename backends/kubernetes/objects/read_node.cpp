// core/v1 Node.
#include "backends/kubernetes/objects/parse.hpp"
#include "backends/kubernetes/objects/read.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::size_t kMostResources = 128;
constexpr std::int64_t kMib = 1024 * 1024;

void read_extended(std::string_view key, JsonValue& field, Counts& counts, NodeObject& node) {
  const auto number = whole_of(field);
  if (number && counts.size() < kMostResources && key.size() <= 320)
    counts[clean(key)] = *number;
  else if (sharing::parse_resource(key, Scheduler::kubernetes))
    node.unread_gpus = clean(key, 320);
}

void read_capacity(JsonValue& value, NodeObject& node) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key.find('/') != std::string_view::npos) return read_extended(key, field, node.capacity, node);
    if (key != "cpu" && key != "memory") return;
    const auto number = whole_of(field);
    if (!number) return;
    if (key == "cpu")
      node.cpus = number;
    else
      node.memory = Mib{*number / kMib};
  });
}

void read_allocatable(JsonValue& value, NodeObject& node) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key.find('/') != std::string_view::npos) return read_extended(key, field, node.allocatable, node);
    if (key == "cpu") node.allocatable_millis = thousandths_of(field);
    if (key == "memory") node.allocatable_bytes = whole_of(field);
    if (key == "pods") node.allocatable_pods = whole_of(field);
  });
}

void read_taints(JsonValue& value, std::vector<Taint>& taints) {
  constexpr std::size_t kMost = 64;
  value.items([&](JsonValue& item) {
    Taint taint;
    item.fields([&](std::string_view key, JsonValue& field) {
      if (key == "key") taint.key = words(field);
      if (key == "value") taint.value = words(field);
      if (key == "effect") taint.effect = words(field, 32);
      if (key == "timeAdded") taint.since = time_of(field);
    });
    if (taints.size() < kMost) taints.push_back(std::move(taint));
  });
}

void read_node_spec(JsonValue& value, NodeObject& node) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "unschedulable") node.unschedulable = field.boolean().value_or(false);
    if (key == "taints") read_taints(field, node.taints);
  });
}

bool read_node_status(JsonValue& value, NodeObject& node) {
  return value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "capacity") read_capacity(field, node);
    if (key == "allocatable") read_allocatable(field, node);
    if (key == "conditions") read_conditions(field, node.conditions);
    if (key == "nodeInfo")
      field.fields([&](std::string_view inner, JsonValue& info) {
        if (inner == "kubeletVersion") node.kubelet = words(info, 64);
        if (inner == "bootID") node.boot_id = words(info, 64);
      });
  });
}

}  // namespace

void read_object(JsonValue& value, NodeObject& node) {
  bool told = false;  // what it has
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "metadata") read_meta(field, node.meta, KeepLabels::of_node, &node.written);
    if (key == "spec") read_node_spec(field, node);
    if (key == "status") told = read_node_status(field, node);
  });
  if (!told) node.meta.unread = "status";
}

}  // namespace tessera::kubernetes
