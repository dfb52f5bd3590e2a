#include "engine/plan/capabilities.hpp"

namespace tessera::plan {
namespace {

constexpr std::string_view kNoTimeSlicing = "Slurm hands a time-sliced GPU out as shards: choose shard";
constexpr std::string_view kNoShards = "shards are Slurm's; time-slicing is their like here";

}  // namespace

Capabilities simulator_capabilities(Scheduler scheduler) {
  bool slurm = scheduler == Scheduler::slurm;
  Capabilities can;
  can.backend = "simulator";
  can.instances = Unit::slice;
  can.mode = Unit::gpu;
  can.sharing = Unit::gpu;
  can.clears = Unit::slice;
  can.chooses_placement = true;
  can.needs_closing = false;
  can.offers = {{Strategy::whole, ""},
                {Strategy::mig, ""},
                {Strategy::mps, ""},
                {Strategy::time_slicing, slurm ? std::string(kNoTimeSlicing) : ""},
                {Strategy::shard, slurm ? "" : std::string(kNoShards)},
                {Strategy::vgpu, "the simulated nodes run no virtual machines"}};
  return can;
}

Capabilities gpu_operator_capabilities() {
  Capabilities can;
  can.backend = "GPU operator";
  can.dialect = Dialect::gpu_operator;
  can.instances = Unit::gpu;
  can.mode = Unit::node;
  can.sharing = Unit::node;
  can.clears = Unit::gpu;
  can.survives_reboot = true;  // the MIG manager applies the node's label again
  can.offers = {{Strategy::whole, ""},
                {Strategy::mig, ""},
                {Strategy::mps, ""},
                {Strategy::time_slicing, ""},
                {Strategy::shard, std::string(kNoShards)},
                {Strategy::vgpu, ""}};
  return can;
}

Capabilities slurm_capabilities() {
  Capabilities can;
  can.backend = "Slurm";
  can.dialect = Dialect::slurm;
  can.empties_all_work = true;
  can.chooses_placement = true;  // nvidia-smi on the node takes a start
  can.offers = {{Strategy::whole, ""},
                {Strategy::mig, ""},
                {Strategy::mps, ""},
                {Strategy::time_slicing, std::string(kNoTimeSlicing)},
                {Strategy::shard, ""},
                {Strategy::vgpu, "a vGPU is an ordinary GPU to Slurm: it is set up on the hypervisor"}};
  return can;
}

Means presumed_capabilities(const Cluster& cluster) {
  if (cluster.simulated) return simulator_capabilities(cluster.scheduler);
  return cluster.scheduler == Scheduler::slurm ? slurm_capabilities() : gpu_operator_capabilities();
}

bool mode_needs_reset(const mig::Product& product) { return product.architecture == "ampere"; }

std::string why_not_offered(const Capabilities& capabilities, Strategy strategy) {
  for (const Offer& offer : capabilities.offers)
    if (offer.strategy == strategy) return offer.why_not;
  return std::string(word(strategy)) + " is not something that " + capabilities.backend + " can set up";
}

std::string_view word(Unit unit) {
  switch (unit) {
    case Unit::slice: return "slice";
    case Unit::gpu: return "gpu";
    case Unit::node: return "node";
  }
  return "node";
}

std::string_view word(Dialect dialect) {
  switch (dialect) {
    case Dialect::direct: return "direct";
    case Dialect::gpu_operator: return "gpu-operator";
    case Dialect::slurm: return "slurm";
  }
  return "direct";
}

}  // namespace tessera::plan
