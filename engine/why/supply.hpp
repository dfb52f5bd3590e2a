// Nodes put together until a job has as many as it asks for: those that have what it asks for now, those that
// get it once work there has ended, and those that would have it if they were opened. Internal to this room.
// Threads: pure functions of values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/why/why.hpp"

namespace tessera::why {

// When enough of a node is given back, by the time limits of those who hold it, and who is the last of them.
struct Freed {
  TimePoint at{};
  const Workload* last = nullptr;
};

// The node without those who hold something of it and have a time limit, one after the other as they end,
// until it is enough. nullopt: one has no time limit, or it never is.
std::optional<Freed> first_freed(const Cluster& cluster, const Node& node,
                                 const std::function<bool(const Node& later)>& is_enough);
// The cluster without its nodes and its work: what says of one node alone whether work may start there.
Cluster around(const Cluster& cluster);

struct Offer {
  NodeName node;
  std::optional<Freed> later = std::nullopt;  // nullopt: now
  bool closed = false;                        // it has to be opened first
};

// The nodes that it names, where it has to have all of them. nullopt: they cannot be read.
std::optional<std::vector<std::string>> must_have(const Workload& workload);

struct Gathered {
  std::optional<Freed> last;     // of those that come later; nullopt: all have it now
  std::vector<NodeName> opened;  // that had to be opened, in the order of the offers
};
// As many nodes as the job asks for, those that it must have before all others, and then in the order of the
// offers. nullopt: they are not enough.
std::optional<Gathered> gather(const Asked& asked, const std::vector<std::string>& must,
                               const std::vector<Offer>& offers);

// Its nodes at work: now, and by time limits; what is closed is not among them.
std::vector<Offer> offers_of(const Cluster& cluster, const Workload& workload, const Site& site,
                             const std::vector<Candidates>& nodes);

// Nodes whose opening lets it start, or is a part of that.
std::vector<Remedy> opening_remedies(const Cluster& cluster, const Workload& workload, const Site& site,
                                     const std::vector<Candidates>& nodes);

// How many nodes none of the conditions that are known fails on.
std::size_t nodes_that_fit(const std::vector<Candidates>& nodes);

// The nodes that these answers are for and the cluster still lists, at most kMostNodes.
inline constexpr std::size_t kMostNodes = 64;  // that are looked at one by one for plans and times
std::vector<const Node*> nodes_with(const Cluster& cluster, const std::vector<Candidates>& nodes,
                                    Topic topic);

// Whether its GPUs are free there as it is: then something else is short, which no GPU mends.
bool has_gpus(const Cluster& cluster, const Node& node, const Workload& workload, const Site& site);

}  // namespace tessera::why
