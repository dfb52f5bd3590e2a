// What the simulated operator's components work on: the API's objects, the GPUs behind them, and the clock.
//
// Threads: a plain object; used on one thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "backends/sim/apiserver/store.hpp"
#include "backends/sim/gpu_operator/agenda.hpp"
#include "backends/sim/gpu_operator/gfd.hpp"
#include "backends/sim/world.hpp"

namespace tessera::sim::kube {

struct Context {
  using Act = std::function<void(World&, Changes&)>;

  ObjectStore& objects;
  Agenda& agenda;
  std::function<const World&()> see_world;   // as it is now; not to be kept
  std::function<void(const Act&)> act = {};  // changes the world, and shows what changed
  std::string ns = "gpu-operator";
  std::function<void(std::uint32_t)> find_devices = {};  // what a DRA driver's plugin does when it starts

  const World& world() const { return see_world(); }
  TimePoint now() const { return world().now; }
  void after(Duration wait, std::function<void()> play) { agenda.at(now() + wait, std::move(play)); }
};

inline constexpr std::string_view kMigConfig = "nvidia.com/mig.config";
inline constexpr std::string_view kMigState = "nvidia.com/mig.config.state";
inline constexpr std::string_view kPluginConfig = "nvidia.com/device-plugin.config";
inline constexpr std::string_view kPaused = "paused-for-mig-change";
// "nvidia.com/gpu.deploy.device-plugin"
std::string deploy_label(std::string_view component);

// The node's name as an object of the API has it.
std::string shown_name(const World& world, std::uint32_t node);
// Empty: the node or the label is not there.
std::string label_of(const ObjectStore& objects, const std::string& node, std::string_view key);
bool has_label(const ObjectStore& objects, const std::string& node, std::string_view key);
// nullopt takes a label away. One write, so that a watcher sees them together.
using LabelPatch = std::map<std::string, std::optional<std::string>>;
// manager: who is noted in metadata.managedFields as the one who wrote them last, and when; empty: no
// manager.
void patch_labels(ObjectStore& objects, const std::string& node, const LabelPatch& patch,
                  std::string_view manager = {});
// A text of a ConfigMap in the operator's namespace; nullopt: not there.
std::optional<std::string> config_text(const Context& context, const std::string& map,
                                       const std::string& key);
// "spec.migManager.config.name" of the ClusterPolicy; empty: not set.
std::string policy_text(const ObjectStore& objects, Path path);
// A variable among spec.migManager.env of the ClusterPolicy; empty: not set.
std::string manager_env(const ObjectStore& objects, std::string_view name);
// Pods of the operator's namespace on a node, with that `app` label; empty app: all.
std::vector<ObjectPtr> operator_pods(const Context& context, const std::string& node, std::string_view app);
bool is_leaving(const Json& pod);

}  // namespace tessera::sim::kube
