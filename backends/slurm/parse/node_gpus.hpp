// From a node's Gres= and GresUsed= to GPUs, slices and pools.
//
// Whole GPUs are one slice each. MIG types become slices of the node's pool, as Slurm does not tell their
// GPUs. mps and shard are laid over the GPUs of their type. Slurm counts devices over all gpu records of a
// node, in the order of its configuration.
// Threads: one NodeGpus for one thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/slurm/parse/gres.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/model/values.hpp"

namespace tessera::slurm {

class NodeGpus {
 public:
  // catalogue may be null: products then stay unknown.
  explicit NodeGpus(const mig::Catalogue* catalogue) : catalogue_(catalogue) {}

  // Fills node.gpus, node.pool, node.model and node.allocatable; node.features and node.origin must be set.
  // The result names what could not be believed.
  std::optional<std::string> fill(Node& node, std::string_view gres, std::string_view used);

 private:
  struct Type {
    std::optional<ProfileName> profile;
    std::optional<ProductKey> product;
    std::string model;  // the GPU that a MIG type or a feature speaks of
  };
  const Type& type(std::string_view name, const Node& node);
  static Slice& add_gpu(Node& node, int device, const Type& about);

  const mig::Catalogue* catalogue_;
  std::map<std::string, Type, std::less<>> types_;  // by type and features: the same on most nodes
  std::vector<Gres> gres_, used_;                   // kept between calls for their memory
  std::string key_;
};

// GPUs of one node beyond which a record is not believed.
constexpr std::int64_t kMostGpus = 1024;

}  // namespace tessera::slurm
