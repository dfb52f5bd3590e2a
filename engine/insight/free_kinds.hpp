// What can be had now on a node or in a cluster, by kind: numbers of different kinds are never added up.
// Threads: pure functions of values.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/insight/totals.hpp"

namespace tessera::insight {

struct FreeKinds {
  std::map<std::string, int> slices;  // "whole" 2, "1g.10gb" 3: slices by profile
  std::map<std::string, int> shares;  // "MPS percent" 25: shares by their unit
  friend bool operator==(const FreeKinds&, const FreeKinds&) = default;

  std::size_t kinds() const { return slices.size() + shares.size(); }
};

// nullopt: not known of each slice.
std::optional<FreeKinds> free_kinds(const Cluster& cluster, const Node& node);
std::optional<FreeKinds> free_kinds(const Totals& totals);

// "2 whole, 3×1g.10gb, 25 MPS percent"; "0" where there is nothing.
std::string to_text(const FreeKinds& free);
// The same of a node without a map for it: a search goes through ten thousand nodes.
std::optional<std::string> free_text(const Cluster& cluster, const Node& node);

// What shares of a slice are counted in here: share_unit(), and memory where the node's plugin splits GPUs
// by that.
std::string share_label(const Cluster& cluster, const Node& node, const Slice& slice);

}  // namespace tessera::insight
