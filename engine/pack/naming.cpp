#include "engine/pack/naming.hpp"

#include "engine/sharing/resources.hpp"
#include "engine/sharing/slices_offered.hpp"

namespace tessera::pack {

Naming naming_of(const Cluster& cluster, const Node& node) {
  if (cluster.scheduler != Scheduler::kubernetes) return Naming::profiles;
  if (sharing::by_claims(node)) return Naming::claims;
  return sharing::offers_no_profiles(node) ? Naming::gpus : Naming::profiles;
}

std::optional<Naming> naming_on(const Cluster& cluster, std::span<const NodeName> nodes) {
  bool claims = false, others = false;
  for (const NodeName& name : nodes)
    if (const Node* node = cluster.nodes.find(name))
      (naming_of(cluster, *node) == Naming::claims ? claims : others) = true;
  if (claims && others) return std::nullopt;
  return claims ? Naming::claims : Naming::profiles;
}

std::string why_named_otherwise(Naming node, Naming asked) {
  if (node == asked) return "";
  if (asked == Naming::claims) return "handed out by the device plugin, where what waits asks by claims";
  if (node == Naming::claims) return "handed out by claims, where what waits asks the device plugin";
  return "whose slices the device plugin hands out under no profile's name (the strategy single or none)";
}

}  // namespace tessera::pack
