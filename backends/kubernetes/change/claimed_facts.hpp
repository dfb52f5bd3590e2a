// What a run's steps are judged by on a node whose GPUs a DRA driver hands out: its devices as they are told
// now, who has them, and whether its pod has looked for instances since the MIG manager ended. Threads: pure
// functions of values.
#pragma once

#include <optional>
#include <vector>

#include "backends/kubernetes/change/node_facts.hpp"
#include "backends/kubernetes/objects/dra_values.hpp"

namespace tessera::kubernetes {

// The devices and the claims of one look, laid over its node.
class ClaimedNode {
 public:
  // Precondition: look.claims_read.
  explicit ClaimedNode(const Look& look);
  // Whether the driver tells of any device there.
  bool any() const { return slices_.has(look_.name); }

  // Takes the place of what labels and counts say of its GPUs.
  void lay(Node& node, const mig::Catalogue* catalogue);
  // What a pod's claims add to it.
  void add_to(Workload& work, const PodObject& pod) const;
  // The words of operator_words.hpp that are about the driver.
  void tell(plan::NodeFacts& facts) const;
  // Who has a device there, in words: a pod by its claim, or a claim that no pod uses; empty: none.
  std::string holder() const;
  // It has a device there by a claim, or a claim that is not told.
  bool may_hold(const PodObject& pod) const { return !claim_in_use(pod).empty(); }

 private:
  std::vector<const ResourceClaimObject*> claims_of(const PodObject& pod) const;
  std::string claim_in_use(const PodObject& pod) const;
  std::string again() const;
  const Look& look_;
  DraSlices slices_;
  DraClaims claims_;
  DraPool pool_;
  DraNumbers numbers_;
  std::optional<bool> gate_;
  std::optional<bool> on_demand_;
};

}  // namespace tessera::kubernetes
