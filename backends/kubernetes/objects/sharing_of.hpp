// What a node's labels and counts say about how its GPUs are cut and shared: one reading for nodes, for the
// pods on them and for what does not agree.
//
// Labels as GPU feature discovery v0.20 writes them (k8s-device-plugin, docs/gpu-feature-discovery), Google's
// and Alibaba's own where those stand instead, and HAMi's annotation.
// Threads: pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "backends/kubernetes/objects/amd_values.hpp"
#include "backends/kubernetes/objects/objects.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/model/values.hpp"
#include "engine/sharing/shape.hpp"

namespace tessera::kubernetes {

struct NodeSharing {
  std::string model;  // product label without what stands for its sharing; empty: not reported
  const mig::Product* product = nullptr;  // when the catalogue knows exactly one of that name
  sharing::MigStrategy mig_strategy = sharing::MigStrategy::none;
  bool invalid = false;                  // "-MIG-INVALID": the strategy single does not fit the GPUs
  std::map<ProfileName, int> instances;  // GPU instances on the whole node, by profile
  std::optional<int> boards;             // physical GPUs
  int whole = 0;                         // GPUs that are handed out whole or shared, not cut
  Strategy method = Strategy::whole;     // whole, time_slicing or mps; shard: parts of memory
  int replicas = 1;                      // of one GPU or instance
  bool by_memory = false;                // replicas are GiB of memory
  bool renamed = false;                  // ".shared" names
  bool paused = false;                   // a manager has sent the device plugin away: counts are 0 for now
  std::map<std::string, int> vgpus;      // vGPUs and GPUs handed through, by the name of their type
  std::optional<Mib> memory;             // of one GPU or, with the strategy single, of one instance
  std::optional<AmdSharing> amd;         // nullopt: none is AMD's, or some are NVIDIA's
};

// catalogue may be null: products stay unknown.
NodeSharing sharing_of(const NodeObject& node, const mig::Catalogue* catalogue);

// Counts that the node should offer by these facts: resource → count. Empty where the facts do not suffice.
Counts expected_counts(const NodeSharing& sharing);

}  // namespace tessera::kubernetes
