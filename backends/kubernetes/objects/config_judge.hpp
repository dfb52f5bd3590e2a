// What a node's labels name of the GPU operator's configurations, held against those that exist: names that
// nothing defines, and a sharing that the device plugin has not taken up after an edit. And an exporter whose
// figures name no pod.
//
// Says nothing where a ConfigMap has not been read. Threads: constant once made.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/figures/dcgm.hpp"
#include "backends/kubernetes/objects/objects.hpp"
#include "engine/model/event.hpp"
#include "engine/operators/operator_setup.hpp"
#include "engine/operators/plugin_config.hpp"

namespace tessera::kubernetes {

class ConfigJudge {
 public:
  ConfigJudge() = default;  // judges nothing
  explicit ConfigJudge(std::shared_ptr<const operators::OperatorSetup> site);

  std::vector<Remark> unknown_names(const NodeObject& node) const;
  // What a device plugin hands out, and what its configuration sets instead.
  struct NotTaken {
    std::string resource, config;
    std::int64_t offered = 0, meant = 0;
  };
  // nullopt: its counts are those of its configuration, or that is not known. A plugin takes a moment for an
  // edit: the caller waits for that.
  std::optional<NotTaken> not_taken_up(const NodeObject& node) const;
  // so: for how long it has been so at least.
  Remark remark_not_taken_up(const NodeObject& node, const NotTaken& found, Duration so) const;
  // Since when the node has its configuration as it stands: written, or named for it, or with the node
  // itself; by the API server's clock. nullopt: not told.
  std::optional<TimePoint> written(const NodeObject& node) const;

 private:
  std::string plugin_config_of(const NodeObject& node) const;  // its name; empty: none

  std::shared_ptr<const operators::OperatorSetup> site_;
  std::map<std::string, operators::PluginConfig> plugin_configs_;  // those that can be read
};

// Whether figures of these GPUs name no pod at all: pods hold GPUs there, and who uses which is not told.
bool names_no_pod(const figures::DcgmReadings& readings);
Remark remark_no_pod(const NodeObject& node, const figures::DcgmReadings& readings);

}  // namespace tessera::kubernetes
