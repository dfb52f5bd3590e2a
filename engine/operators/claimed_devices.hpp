// What a DRA driver tells of a node's GPUs, as one line by which a run knows what it has made: "GPU 0:
// 7x1g.10gb; GPU 1: whole", starts and holders left out; and whether it cuts them itself. Threads: pure
// functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/values.hpp"

namespace tessera::operators {

// By GPU: its instances; empty: whole.
using ClaimedBoards = std::map<int, std::vector<ProfileName>>;

std::string devices_text(const ClaimedBoards& boards);
// How the DRA driver of a node cuts its GPUs.
enum class DraWay : std::uint8_t {
  not_told,
  at_start,        // never: it tells of the instances that stand when it starts (static MIG)
  on_demand,       // it makes and destroys instances as claims ask for them (dynamic MIG)
  on_demand_dark,  // ... and what its counters leave is not told, or not what the catalogue says
};
// Kept with the driver's part of the node's GPU stack (Node::components), where a person reads it, too.
void say_way(Node& node, DraWay way);
DraWay way_of(const Node& node);
std::string_view word(DraWay way);  // "static MIG" "dynamic MIG" ..., as the part says it; not_told: empty

// The name of a run's DeviceTaintRule for one node: runs change several nodes side by side.
std::string device_rule(std::string_view run, const NodeName& node);

// As the driver tells of them. A GPU without any device is left out.
ClaimedBoards claimed_boards(const std::vector<Gpu>& gpus);

}  // namespace tessera::operators
