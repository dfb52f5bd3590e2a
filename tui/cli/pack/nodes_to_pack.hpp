// The nodes on which a demand is planned: of one cluster, by --node and --partition.
// Threads: the calling thread owns the model.
#pragma once

#include "tui/cli/change/wish.hpp"
#include "tui/cli/open_clusters.hpp"

namespace tessera::cli {

// Every node of the only cluster, or those that --node means; of these, those of --partition. Refuses where
// not all of its jobs or pods are known: without them every instance would look free. what: the beginning of
// an error.
Or<ChosenNodes> nodes_to_pack(const Options& options, const OpenClusters& clusters,
                              const mig::Catalogue& catalogue, const std::string& what);

// A message where --partition names a namespace in which no pod holds or asks for GPUs. It may be mistyped;
// it is no error, as namespaces are known by their pods alone.
void tell_of_empty_namespace(const Options& options, const Cluster& cluster, const Streams& streams);

}  // namespace tessera::cli
