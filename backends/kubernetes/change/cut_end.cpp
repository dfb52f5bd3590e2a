#include "backends/kubernetes/change/cut_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "backends/kubernetes/api.hpp"
#include "engine/operators/labels.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::kubernetes {
namespace {

// One entry of metadata.managedFields.
struct LabelWrite {
  std::string by;
  std::optional<TimePoint> at;
  bool state = false;    // nvidia.com/mig.config.state
  bool clients = false;  // the labels by which the manager sends its neighbours away, and lets them come back
};

std::vector<LabelWrite> writes_of(const Json& node) {
  const auto* managed = at(node, {"metadata", "managedFields"});
  std::vector<LabelWrite> all;
  if (!managed) return all;
  for (const Json& entry : managed->items) {
    LabelWrite one{text_at(entry, {"manager"}), parse_utc(text_at(entry, {"time"}))};
    const Json* labels = at(entry, {"fieldsV1", "f:metadata", "f:labels"});
    if (!labels) continue;
    one.state = labels->find(fmt::format("f:{}", operators::kMigState)) != nullptr;
    for (std::string_view part : operators::kPausedParts)
      one.clients =
          one.clients || labels->find(fmt::format("f:{}{}", operators::kDeployPrefix, part)) != nullptr;
    all.push_back(std::move(one));
  }
  return all;
}

// As mig-parted v0.15 does it, and its script before that.
bool may_be_manager(const LabelWrite& one) {
  return one.by == "nvidia-mig-manager" || one.by == "kubectl-label";
}

}  // namespace

// Where a person wrote "success" while the manager was at work, the manager's own changes nothing and leaves
// no trace there. It lets its neighbours come back right before, and those labels are its own.
CutEnd end_of_cut(const Json& node) {
  CutEnd end;
  const std::vector<LabelWrite> writes = writes_of(node);
  const LabelWrite* last = nullptr;
  for (const LabelWrite& one : writes)
    if (one.state && (!last || (last->at && one.at && *one.at >= *last->at) || !one.at)) last = &one;
  if (!last || !last->at) {
    end.untold = "when the MIG manager ended is not told";
    return end;
  }
  if (!may_be_manager(*last)) {
    const std::string by = last->by.empty() ? "a client without a name" : clean(last->by, 64);
    end.untold = fmt::format("when the MIG manager ended is not told: {} has set {} at {}", by,
                             operators::kMigState, utc_text(*last->at));
    end.hint = fmt::format(
        "take that label off ({}-) and delete the MIG manager's pod there: it tells its state when it starts",
        operators::kMigState);
    return end;
  }
  for (std::string_view part : operators::kPausedParts) {
    const std::string label = fmt::format("{}{}", operators::kDeployPrefix, part);
    if (text_at(node, {"metadata", "labels", label}) != operators::kPausedForMig) continue;
    end.untold = fmt::format("the MIG manager has not let {} come back: it may be at work yet", part);
    return end;
  }
  end.at = last->at;
  for (const LabelWrite& one : writes)
    if (one.clients && may_be_manager(one) && one.at) end.at = std::max(*end.at, *one.at);
  return end;
}

}  // namespace tessera::kubernetes
