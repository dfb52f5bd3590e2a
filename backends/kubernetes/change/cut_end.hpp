// When the MIG manager ended its last cut of a node, as the node's labels and who wrote them tell.
//
// By mig-parted v0.15: it writes nvidia.com/mig.config.state last, and right before that lets its neighbours
// come back (nvidia.com/gpu.deploy.*). A person may write these labels, too. Threads: pure function of
// values.
#pragma once

#include <optional>
#include <string>

#include "engine/json.hpp"
#include "engine/model/units.hpp"

namespace tessera::kubernetes {

struct CutEnd {
  std::optional<TimePoint> at;
  std::string untold, hint;  // why it is not told, and the way out where there is one
};
CutEnd end_of_cut(const Json& node);

}  // namespace tessera::kubernetes
