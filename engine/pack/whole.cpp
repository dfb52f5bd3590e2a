#include "engine/pack/whole.hpp"

#include "engine/sharing/resources.hpp"

namespace tessera::pack {

std::string why_not_wanted(std::string_view text) {
  using sharing::ResourceKind;
  for (const Scheduler scheduler : {Scheduler::kubernetes, Scheduler::slurm}) {
    const auto name = sharing::parse_resource(text, scheduler);
    if (!name) continue;
    const bool part = name->kind == ResourceKind::mps || name->kind == ResourceKind::shard ||
                      name->kind == ResourceKind::vgpu || name->kind == ResourceKind::gpu_memory;
    if (name->shared || part)
      return "shares and vGPUs come from the way in which a node shares its GPUs, and from no layout: "
             "tessera plan --node NODE --strategy WAY --replicas COUNT changes that";
    if (name->kind == ResourceKind::gpu) return "whole GPUs are asked for by the word whole: whole=4";
  }
  return "not the name of a MIG profile, or whole";
}

}  // namespace tessera::pack
