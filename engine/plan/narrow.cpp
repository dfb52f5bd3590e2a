// What is left to do of an action, given what is so already: the reason why every action may be repeated.
#include <algorithm>

#include "engine/plan/effect/observed.hpp"

namespace tessera::plan {
namespace {

using Left = std::optional<Action>;

class Narrow {
 public:
  Narrow(const NodeFacts& facts, std::string_view run) : facts_(facts), run_(run) {}

  Left operator()(const SetMark& act) const { return ours(facts_.mark, run_) ? Left() : Left(act); }
  Left operator()(const ClearMark& act) const { return ours(facts_.mark, run_) ? Left(act) : Left(); }
  Left operator()(const CloseNode& act) const { return facts_.closed ? Left() : Left(act); }
  Left operator()(const OpenNode& act) const {
    return facts_.closed && ours(facts_.closed_as, run_) ? Left(act) : Left();
  }
  Left operator()(const Evict& act) const {
    return unmet(WorkloadAway{act.workload}, facts_, run_) ? Left(act) : Left();
  }
  Left operator()(DestroyInstances act) const {
    keep_if(act.gpu, act.instances, [](const Slice* slice) { return slice != nullptr; });
    return act.instances.empty() ? Left() : Left(std::move(act));
  }
  Left operator()(CreateInstances act) const {
    if (!act.chosen) return rest_by_profile(std::move(act));
    keep_if(act.gpu, act.instances, [](const Slice* slice) { return slice == nullptr; });
    return act.instances.empty() ? Left() : Left(std::move(act));
  }
  // A change that is pending is asked for again: that is harmless, and may be all that it takes.
  Left operator()(SetMode act) const {
    std::erase_if(act.gpus, [&](GpuIndex gpu) {
      return !unmet(ModeIs{{gpu}, act.mig, false}, facts_, run_);
    });
    return act.gpus.empty() ? Left() : Left(std::move(act));
  }
  Left operator()(Configure act) const {
    std::erase_if(act.gpus, [&](GpuIndex gpu) {
      return !unmet(SharingIs{{gpu}, act.strategy, act.replicas, act.vgpu}, facts_, run_);
    });
    return act.gpus.empty() ? Left() : Left(std::move(act));
  }
  Left operator()(const LookOnly&) const { return std::nullopt; }
  // Whether these are needed shows only in what the step expects afterwards.
  Left operator()(const ResetGpus& act) const { return act; }
  Left operator()(const Special& act) const { return act; }

 private:
  template <class Keep>
  void keep_if(GpuIndex index, std::vector<InstanceAt>& instances, Keep keep) const {
    const Gpu* gpu = find_gpu(facts_.node, index);
    if (!gpu) return;
    for (InstanceAt& one : instances) {
      const Slice* slice = find_instance(*gpu, one);
      if (slice) one.id = slice->instance_id;  // made again since the plan: the driver may call it otherwise
    }
    std::erase_if(instances, [&](const InstanceAt& one) { return !keep(find_instance(*gpu, one)); });
  }

  // Where the driver chose the places, an instance may stand elsewhere than expected: each one that stands
  // beyond what stood before counts for one of its profile.
  Left rest_by_profile(CreateInstances act) const {
    const Gpu* gpu = find_gpu(facts_.node, act.gpu);
    if (!gpu) return act;
    std::vector<InstanceAt> made = instances_of(*gpu);
    std::erase_if(made, [&](const InstanceAt& now) {
      return std::any_of(act.beside.begin(), act.beside.end(),
                         [&](const InstanceAt& one) { return one.same(now); });
    });
    std::erase_if(act.instances, [&](const InstanceAt& one) {
      auto it = std::find_if(made.begin(), made.end(),
                             [&](const InstanceAt& now) { return now.profile == one.profile; });
      if (it == made.end()) return false;
      made.erase(it);
      return true;
    });
    return act.instances.empty() ? Left() : Left(std::move(act));
  }

  const NodeFacts& facts_;
  std::string_view run_;
};

}  // namespace

std::optional<Action> narrow(const Action& action, const NodeFacts& facts, std::string_view run) {
  return std::visit(Narrow(facts, run), action);
}

}  // namespace tessera::plan
