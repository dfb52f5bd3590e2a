// What an actuator reads of one node, as the facts that a run's steps are judged by.
//
// The words are those of engine/plan/words/operator_words.hpp; every nvidia.com label is a word under its own
// key. Threads: pure functions of values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/kubernetes/objects/objects.hpp"
#include "engine/json.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/operators/operator_setup.hpp"
#include "engine/plan/facts.hpp"

namespace tessera::kubernetes {

// Everything that was read for one look.
struct Look {
  TimePoint at{};
  TimePoint cluster_time{};  // by the API server's clock, which wrote the times in its objects
  std::string name;          // of the node
  bool known = true;
  Json node;
  NodeObject object;  // the same
  std::vector<PodObject> pods;
  bool claims_read = false;                 // of a cluster with DRA devices: what follows was
  std::vector<ResourceSliceObject> slices;  // of this node
  std::vector<ResourceClaimObject> claims;  // of the whole cluster
  std::optional<bool>
      ruled;  // the run that has marked the node keeps claims off its devices; nullopt: not read
  bool policy_read = false;  // what follows was
  std::string mig_map;       // ClusterPolicy: ConfigMap that the MIG manager reads; empty: its own
  std::string plugin_map;    // ... and the device plugin
  std::optional<Json> mig_config_map, plugin_config_map;
  // Ours, which a run has made and the ClusterPolicy does not name yet.
  std::optional<Json> our_mig_map, our_plugin_map;
  std::string log;  // as it came: tail of the MIG manager's, where it has failed or takes long
};

// What an earlier look or deed of this process knows.
struct Memory {
  TimePoint seen{};                        // the last look, by the cluster's clock
  std::optional<TimePoint> pending_since;  // of the order under way, where the API does not tell
  std::string pending_config;
  std::optional<TimePoint> success_since;  // likewise, of a layout that is told to be made
  std::string success_config;
  std::optional<TimePoint> ordered_since;  // likewise, of an order that nothing is told of yet
  std::string ordered_config;
  struct Label {
    std::string value;
    TimePoint since{};  // it says so
  };
  std::map<std::string, Label> labels;
  std::optional<std::string> access;  // "": granted; nullopt: not asked
  // Of a ConfigMap: its resourceVersion, and when that was first seen beside an older one.
  struct Version {
    std::string version;
    std::optional<TimePoint> changed;
  };
  std::map<std::string, Version> maps;
  // By pod: an eviction that was refused for good, and when, by the cluster's clock.
  struct Refusal {
    std::string why;
    TimePoint at{};
  };
  std::map<std::string, Refusal> refused;
};

plan::NodeFacts facts_of(const Look& look, const operators::OperatorSetup& site,
                         const mig::Catalogue* catalogue, Memory& memory);

// When a manager last wrote a field whose name holds `field`, by metadata.managedFields; empty: any field.
std::optional<TimePoint> last_write(const Json& object, std::string_view field);

// Whether the MIG manager's log has to tell more: it has failed, or takes so long that it may hang.
// Notes in `memory` since when it has been at it.
bool needs_log(const Look& look, Memory& memory);

// "tessera RUN WHO@HOST 2026-11-21T02:43:30Z", as the annotation is written.
std::string mark_text(const plan::RunMark& mark);
std::optional<plan::RunMark> read_mark(std::string_view text);

// Why the MIG manager failed, in a line of its log that is known; empty: none of them.
std::string known_cause(std::string_view log);

}  // namespace tessera::kubernetes
