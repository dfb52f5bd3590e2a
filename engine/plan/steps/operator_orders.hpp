// The orders that stand for a node which the GPU operator or ACK looks after: labels, each carried out by a
// manager there, now or when it starts again.
//
// Going back compares them as well as what is offered: a manager that still works, has failed, or told a
// success that made nothing leaves the old offer beside the new order. Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/operators/mig_parted.hpp"
#include "engine/operators/operator_setup.hpp"
#include "engine/operators/plugin_config.hpp"
#include "engine/plan/intent.hpp"

namespace tessera::plan {

// A label by which the node is driven; empty: it is not there. The node's own word is newer than the site's.
std::string order_label(const Node& node, const operators::OperatorSetup* site, std::string_view key);
// All of them, as they stand.
Orders standing_orders(const Node& node, const operators::OperatorSetup* site);

// What stands of a layout's order.
struct MigOrder {
  std::string name;    // nvidia.com/mig.config
  std::string state;   // nvidia.com/mig.config.state
  std::string wanted;  // the name that is to stand, of those that lead to the layout; empty: any of them
};
// Whether the MIG manager is at it, or is about to be. A state that was never told is of a node without one.
bool at_work(const MigOrder& order);
// Whether that order may lead anywhere else than to `target`, or has not been carried out. file: nullptr or
// unreadable: only its state tells.
bool differs(const MigOrder& order, const operators::MigFile* file, const operators::NodeBoards& boards,
             const operators::NodeTarget& target);

// Whether a device plugin's configuration gives these resources the wanted sharing, by the wanted names. It
// may say more, of resources that the node does not have.
bool shares_alike(const operators::PluginSharing& now, const operators::PluginSharing& wanted,
                  const std::vector<std::string>& resources);

// The wish for each GPU of a node whose GPUs are not reported: one for all, or one for each by its number.
// known: how many there are; nullopt: not reported, and they are all wished for alike. Errors: neither.
struct UntoldBoards {
  std::vector<Wish> wishes;  // by number; of one for all: just that
  std::optional<std::size_t> known;
};
Result<UntoldBoards> untold_boards(const Node& node, const Intent& intent);

}  // namespace tessera::plan
