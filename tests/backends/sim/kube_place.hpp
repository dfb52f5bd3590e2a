// A simulated cluster with the GPU operator at work, in the hands of a test: objects, GPUs and a clock that
// moves when it is told to.
#pragma once

#include <fmt/format.h>

#include "backends/sim/gpu_operator/operator.hpp"
#include "backends/sim/step.hpp"
#include "tests/backends/sim/hands.hpp"

namespace tessera::sim::kube {

inline Json json_of(std::string_view text) {
  Result<Json> value = parse_json(text, "test");
  if (!value) ADD_FAILURE() << to_line(value.error());
  return value ? *value : Json();
}

// nodes: the scenario's `nodes`, jobs likewise.
struct Place {
  World world;
  ObjectStore objects;
  Agenda agenda;
  std::unique_ptr<Operator> op;
  std::vector<std::string>
      seen;  // changes of the labels that are watched, "12.3 n1 mig.config.state=pending"
  TimePoint zero{};

  explicit Place(std::string_view nodes, std::string_view jobs = "[]", std::string_view strategy = "mixed")
      : world(world_from(
            fmt::format("clusters: [{{name: c, scheduler: kubernetes, users: [u], nodes: {}, jobs: {}}}]",
                        nodes, jobs))) {
    objects.set_now(world.now);
    for (std::uint32_t i = 0; i < world.nodes.size(); ++i) put_node(i);
    put_daemon_sets();
    objects.set({"clusterpolicies.nvidia.com", "", "cluster-policy"},
                json_of(fmt::format(
                    R"({{"kind": "ClusterPolicy", "spec": {{"mig": {{"strategy": "{}"}},
                         "devicePlugin": {{"config": {{"name": "plugin-configs", "default": ""}}}},
                         "migManager": {{"config": {{"name": ""}}, "env": []}}}}}})",
                    strategy)));
    op = std::make_unique<Operator>(Context{objects, agenda, [this]() -> const World& { return world; },
                                            [this](const Context::Act& what) { act(what); }});
    op->begin();
    pass(std::chrono::seconds(30));
    objects.watch("nodes", [this](const Change& change) { record(change); });
    mark();
  }

  void mark() {
    seen.clear();
    zero = world.now;
  }

  void pass(Duration time) { pass_until(world.now + time); }
  void pass_until(TimePoint to) {
    for (std::optional<TimePoint> next = agenda.next(); next && *next <= to; next = agenda.next()) {
      move(*next);
      while (agenda.next() && *agenda.next() <= world.now) agenda.play();
    }
    move(to);
    EXPECT_EQ(audit(world), std::vector<std::string>{});
  }

  void label(const std::string& node, std::string_view key, const std::string& value) {
    patch_labels(objects, node, {{std::string(key), value}});
  }
  std::string label_on(const std::string& node, std::string_view key) const {
    return label_of(objects, node, key);
  }
  std::string state(const std::string& node = "n1") const { return label_on(node, kMigState); }
  std::string allocatable(const std::string& resource, const std::string& node = "n1") const {
    return text_at(*objects.find({"nodes", "", node}), {"status", "allocatable", resource});
  }
  std::string capacity(const std::string& resource, const std::string& node = "n1") const {
    return text_at(*objects.find({"nodes", "", node}), {"status", "capacity", resource});
  }
  std::vector<ObjectPtr> pods(std::string_view app, const std::string& node = "n1") const {
    std::vector<ObjectPtr> found;
    for (ObjectPtr& pod : objects.all("pods", "gpu-operator"))
      if (text_at(*pod, {"spec", "nodeName"}) == node && text_at(*pod, {"metadata", "labels", "app"}) == app)
        found.push_back(std::move(pod));
    return found;
  }
  std::string pod_name(std::string_view app, const std::string& node = "n1") const {
    std::vector<ObjectPtr> found = pods(app, node);
    return found.empty() ? "" : text_at(*found.front(), {"metadata", "name"});
  }
  void erase_pod(std::string_view app, const std::string& node = "n1") {
    objects.erase({"pods", "gpu-operator", pod_name(app, node)});
  }
  // All of the MIG manager's log, as one text.
  std::string manager_log(const std::string& node = "n1") const {
    std::string text;
    if (auto lines = op->log_of(pod_name("nvidia-mig-manager", node)))
      for (const std::string& line : *lines) text += line + "\n";
    return text;
  }
  void config_map(const std::string& name, const std::string& key, const std::string& value) {
    Json map = object({{"kind", text("ConfigMap")}, {"apiVersion", text("v1")}});
    if (ObjectPtr there = objects.find({"configmaps", "gpu-operator", name})) map = *there;
    put_at(map, {"data", key}, text(value));
    objects.set({"configmaps", "gpu-operator", name}, map);
  }
  void policy(Path path, Json value) {
    objects.edit({"clusterpolicies.nvidia.com", "", "cluster-policy"},
                 [&](Json& one) { put_at(one, path, value); });
  }
  void act(const Context::Act& what) {
    Changes changes;
    what(world, changes);
    show(changes);
  }
  void arm(std::string_view text) {
    Result<Trap> trap = parse_trap(text);
    ASSERT_TRUE(trap.ok()) << to_line(trap.error());
    world.traps.push_back({*trap, 0});
  }
  // "7x1g.10gb" of each GPU, whatever its order: "whole" when MIG is off.
  std::string layout(int gpu, const std::string& node = "n1") const {
    const NodeState& state = world.nodes[*find_node(world, node)];
    const Board& board = state.boards[static_cast<std::size_t>(gpu)];
    if (!board.cut()) return "whole";
    return mig::to_text(*world.group(state).mig, layout_of(board));
  }

 private:
  void move(TimePoint to) {
    Changes changes = world.advance(to);
    objects.set_now(to);
    show(changes);
  }
  void show(const Changes& changes) {
    for (std::uint32_t node : changes.nodes) put_ready(node);
  }
  void put_ready(std::uint32_t index) {
    bool ready = world.nodes[index].condition == Condition::up;
    objects.edit({"nodes", "", world.node_name(index)}, [&](Json& node) {
      put_at(node, {"status", "conditions"},
             list_of({object({{"type", text("Ready")}, {"status", text(ready ? "True" : "Unknown")}})}));
    });
  }
  void put_node(std::uint32_t index) {
    std::string name = world.node_name(index);
    Json node = json_of(R"({"kind": "Node", "metadata": {"labels": {}}, "status": {}})");
    put_at(node, {"metadata", "labels", "nvidia.com/gpu.present"}, text("true"));
    for (const char* one : {"device-plugin", "gpu-feature-discovery", "dcgm", "dcgm-exporter", "mig-manager",
                            "operator-validator"})
      put_at(node, {"metadata", "labels", deploy_label(one)}, text("true"));
    objects.set({"nodes", "", name}, std::move(node));
    put_ready(index);
  }
  void put_daemon_sets() {
    for (auto [app, component] :
         {std::pair("nvidia-device-plugin-daemonset", "device-plugin"),
          std::pair("gpu-feature-discovery", "gpu-feature-discovery"),
          std::pair("nvidia-dcgm-exporter", "dcgm-exporter"), std::pair("nvidia-dcgm", "dcgm"),
          std::pair("nvidia-mig-manager", "mig-manager"),
          std::pair("nvidia-operator-validator", "operator-validator")})
      objects.set({"daemonsets.apps", "gpu-operator", app},
                  json_of(fmt::format(R"({{"kind": "DaemonSet", "spec": {{"template": {{
                        "metadata": {{"labels": {{"app": "{}"}}}},
                        "spec": {{"nodeSelector": {{"nvidia.com/gpu.deploy.{}": "true"}},
                                  "containers": [{{"name": "main", "image": "nvcr.io/x"}}]}}}}}}}})",
                                      app, component)));
  }
  void record(const Change& change) {
    if (change.verb != Verb::modified) return;
    for (const char* key : {"nvidia.com/mig.config.state", "nvidia.com/gpu.deploy.device-plugin",
                            "nvidia.com/gpu.deploy.nvsm"}) {
      std::string now = text_at(*change.object, {"metadata", "labels", key});
      if (now != text_at(*change.before, {"metadata", "labels", key}))
        seen.push_back(fmt::format("{} {}={}", change.key.name, std::string_view(key).substr(11), now));
    }
    for (const char* resource : {"nvidia.com/gpu", "nvidia.com/mig-1g.10gb"}) {
      std::string now = text_at(*change.object, {"status", "allocatable", resource});
      if (now != text_at(*change.before, {"status", "allocatable", resource}))
        seen.push_back(fmt::format("{} {}: {}", change.key.name, std::string_view(resource).substr(11), now));
    }
  }
};

}  // namespace tessera::sim::kube
