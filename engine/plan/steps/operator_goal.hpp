// What a change of one node means in the GPU operator's own terms: which MIG configuration its label is to
// name, which device plugin configuration, and what must be written first so that those names exist.
//
// Existing names are preferred; what is added gets a name made of its content, and nothing that stands is
// edited. Threads: pure functions.
#pragma once

#include "engine/operators/claimed_devices.hpp"
#include "engine/operators/mig_parted.hpp"
#include "engine/operators/operator_setup.hpp"
#include "engine/operators/plugin_config.hpp"
#include "engine/plan/planner.hpp"
#include "engine/plan/steps/steps.hpp"

namespace tessera::plan {

struct OperatorGoal {
  struct Mig {
    std::string name;                           // nvidia.com/mig.config
    std::string found;                          // ... as it stands while planning
    std::optional<operators::MigConfig> entry;  // must be added under that name
    std::string map;   // ConfigMap that the MIG manager shall read; empty: as it does
    std::string text;  // ... if it is to be made: all of it
    std::string diff;  // what is added, as a patch
    bool mode_changes = false;
    bool at_work = false;   // the manager carries out another order, or is about to
    std::string map_found;  // ConfigMap that the MIG manager reads while planning; empty: its own
  };
  struct Plugin {
    std::string name;       // nvidia.com/device-plugin.config; empty: the label is taken off
    std::string text;       // not empty: must be added under that name
    std::string map;        // the ConfigMap
    std::string base;       // not empty: that is to be made, with this as its default
    std::string map_found;  // the ConfigMap that the device plugin reads while planning; empty: none
    operators::PluginSharing sharing;
    bool before_mig = false;  // MPS must be gone before MIG comes
  };
  struct Vgpu {
    std::string workload;  // nvidia.com/gpu.workload.config; empty: as it is
    std::string config;    // nvidia.com/vgpu.config; empty: the label is taken off
    std::string found;     // ... as it stands while planning
    int count = 0;         // how many of them all GPUs hold together; 0: the table does not know
  };
  // No operator at all: ACK's own plugin follows the label of the node's pool (engine/sharing/ack.hpp).
  struct Ack {
    std::string schedule;  // ack.node.gpu.schedule
    std::string found;     // ... as it stands while planning; empty: the label is not there
  };
  std::optional<Mig> mig;
  std::optional<Plugin> plugin;
  std::optional<Vgpu> vgpu;
  std::optional<bool> deploys;  // the device plugin comes (back), or goes; nullopt: as it is
  bool offers_nothing = false;  // no device plugin runs there afterwards
  std::optional<Ack> ack;       // then nothing of the above
  // Of a node whose GPUs a DRA driver hands out: what it is to tell of them (operators::devices_text); empty:
  // of any other.
  std::string devices;
  bool untold = false;                        // which GPUs there are, or how they are cut, is not reported
  std::map<std::string, std::string> labels;  // as feature discovery is to write them afterwards
  std::vector<Notice> notices;
  bool changes() const { return mig || plugin || vgpu || deploys || ack; }
};

// Precondition: change.can.gpu_operator. Errors: the node cannot be brought there, with the reason.
Result<OperatorGoal> operator_goal(const NodeChange& change);

// The same where ACK's own plugin hands out the GPUs (sharing::ack::decides): the node gets its pool's label.
Result<OperatorGoal> ack_goal(const NodeChange& change);

// What an intent for one node says of the device plugin's switches: a way back leads to those of the
// configuration that was found, whatever was wished for of several nodes together.
WishedSwitches switches_told(const Means& can, const Intent& intent);

// The strategy by which the node's device plugin names MIG slices, where `told` says another one: no plan
// changes it, so that names by the other would be waited for in vain. nullopt: they agree, or one of them is
// not reported.
std::optional<sharing::MigStrategy> other_strategy(const SiteRules& told, const Means& can, const Node& node);

// What the site itself says of names, strategies and switches, where the admin has said nothing: by the
// configuration that the node's device plugin has now, or had before the run that `intent` undoes; without a
// node by the default. With a node the answer says whether shares are renamed.
SiteRules with_site(SiteRules rules, const Means& can, const Node* node = nullptr,
                    const Intent* intent = nullptr);

// The device plugin's switches as they take effect on the node now; nullopt: it hands out no shares, or there
// is no operator that would tell.
std::optional<Switches> switches_now(const Means& can, const Node& node);
// ... and with a sharing that is planned.
Switches switches_of(Strategy method, bool rename, std::optional<bool> refuse_several);

// A DRA driver cuts the node's GPUs itself, or whether it does is not known: why no layout is planned there.
std::optional<std::string> cut_by_claims(const Node& node);
// Of a node of Kubernetes: why no plan changes how its GPUs are cut, whatever the layout and the operator's
// setup, with what helps. nullopt: there may be one.
std::optional<std::string> never_cut(const Node& node);
// A DRA driver has the node's GPUs: why nothing is planned there. nullopt: it has not, or it only tells of
// instances that stand when it starts, and a MIG manager runs there, or may.
std::optional<std::string> handed_out_by_claims(const NodeChange& change);
// The change of such a node as an admin would make it, in one line.
std::string claims_by_hand(const NodeChange& change);
// Why such layouts are not ordered of its MIG manager, with the way out; nullopt: they may be. count: the
// label nvidia.com/gpu.count; empty: there is none.
std::optional<Error> not_by_manager(const operators::ClaimedBoards& wanted, const std::string& count);

// Whether one of the steps reads back that the driver tells of each GPU what the plan promises of it.
bool reads_devices_back(const NodePlan& node);

// Another device plugin hands out its GPUs in parts: why nothing is planned there. nullopt: none does.
std::optional<std::string> split_by_others(const Node& node);

// ACK's own plugin hands out its GPUs (sharing::ack::decides) in a mode that tessera would not know how to
// bring back, or that is not its to change: why, and the command. nullopt: it may change it.
std::optional<std::string> kept_by_ack(const Node& node);

// A managed service that fixes its nodes' GPUs when it makes them: why, and the command. nullopt: none known.
std::optional<std::string> fixed_at_creation(const Node& node, const std::vector<BoardChange>& boards);

}  // namespace tessera::plan
