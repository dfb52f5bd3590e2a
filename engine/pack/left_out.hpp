// Which GPUs of a cluster a packing plan may change, and why it may not change the others.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>

#include "engine/mig/geometry.hpp"
#include "engine/model/model.hpp"
#include "engine/pack/problem.hpp"
#include "engine/plan/capabilities.hpp"

namespace tessera::pack {

// What is free, or will be.
class Free {
 public:
  Free(const Cluster& cluster, std::optional<TimePoint> until) : cluster_(cluster), until_(until) {}
  bool operator()(const Slice& slice) const;

 private:
  const Cluster& cluster_;
  std::optional<TimePoint> until_;
};

// A node as it is looked at for a plan.
struct Look {
  const Cluster& cluster;
  const Node& node;
  const plan::Capabilities& can;
  Mode mode;
  const Free& is_free;
  bool evict = false;  // what runs may be moved
};

// Whether it hands out what is idle there by itself: a driver of claims cuts instead.
bool takes_work(const Node& node);
// Whether what is free there stays for whoever waits in this cluster: on a machine on which Slurm may start
// jobs, too, it need not.
bool keeps_free(const Look& look);
// Whether a reset that may come at any time cuts a whole GPU, or makes a cut one whole.
bool is_pending(const Gpu& gpu);
// Empty: it may be planned.
std::string why_left_out(const Look& look, const Gpu& gpu, const mig::Product* product);

// Whether a change resets other GPUs of its node, on which something stands or runs: Ampere changes its MIG
// mode so.
bool resets_others(const Look& look, const Gpu& gpu, const mig::Product& product);

// Whether a plan may switch its MIG mode off: it is cut, nothing is held on it, whole GPUs are offered, and
// no reset would sweep others away.
bool may_be_whole(const Look& look, const Gpu& gpu, const mig::Product& product);

// Instances whose places nobody tells, at places where they could stand. nullopt: places are told, or these
// instances do not fit the product.
std::optional<mig::Layout> layout_anywhere(const mig::Product& product, const Gpu& gpu);

// Whether what holds the instance may be moved: all of it starts again by itself, and nothing else of it
// would stop. Where the node is drained, all of it that is there stops anyhow.
bool may_be_moved(const Look& look, const Slice& slice);

// The jobs and pods that run on the node in all, each once, whoever shares a slice too; and the slices of
// which it is not told whose they are, by their number where it is not known which.
int running_on(const Look& look);

}  // namespace tessera::pack
