// Devices that a DRA driver could still make: what of its counters is left beside the devices that claims
// have.
//
// By KEP 4815 (partitionable devices; resource.k8s.io/v1 sharedCounters and consumesCounters): a device can
// be allocated while each counter that it consumes has so much left. What dra-driver-nvidia-gpu v0.5
// publishes with its gate DynamicMIG, and what without it, tells the two apart. Threads: pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kubernetes/objects/dra.hpp"
#include "engine/mig/geometry.hpp"
#include "engine/model/values.hpp"

namespace tessera::kubernetes {

// Whether the driver of a node makes and destroys instances as claims ask (dynamic MIG). Its devices say so;
// else its pod does (gate). nullopt: neither is certain.
std::optional<bool> cuts_on_demand(const DraPool& pool, std::optional<bool> gate,
                                   const mig::Catalogue* catalogue);

// "gpu-1-mig-1g24gb-14-0" → 1
std::optional<int> minor_of(std::string_view device);
// Where an instance of that profile stands or would stand, where the product has that profile there.
std::optional<Placement> placement_of(std::string_view device, const ProfileName& profile,
                                      const mig::Product* product);

// What of a pool's counters the devices leave that claims have.
class DraCounters {
 public:
  DraCounters(const DraPool& pool, const DraClaims& claims, const std::string& name);
  bool told() const { return told_; }  // all of the pool, and who has what of it

  // Whether the devices of one GPU that could be made are those that the catalogue has room for beside
  // `held`. whole: the GPU is held as such. False, too: a counter of theirs is not told.
  bool agrees(const std::vector<const DraDevice*>& makeable, const mig::Product& product,
              const mig::Layout& held, bool whole) const;

 private:
  using Left = std::map<std::string, Counts, std::less<>>;  // by counter set
  std::optional<bool> fits(const DraDevice& device) const;  // nullopt: a counter is not told
  bool take(const DraDevice& device);
  Left left_;
  bool told_ = true;
  const DraClaims& claims_;
  std::string pool_;
};

}  // namespace tessera::kubernetes
