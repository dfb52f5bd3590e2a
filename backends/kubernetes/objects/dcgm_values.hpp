// A DCGM exporter's readings laid over a node of the model: use and memory of its GPUs and slices, which
// slice stands on which GPU, and who holds which of them.
//
// The API only counts slices. Where the exporter tells of just those that are counted, GPUs and slices are
// its word (Source::dcgm) and each slice gets a number, by which a pod's allocation names it. Where it tells
// of others (a layout changes, or the readings are older than it), only whole GPUs are measured.
// Threads: pure functions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backends/figures/dcgm.hpp"
#include "engine/mig/catalogue.hpp"

namespace tessera::kubernetes {

using figures::DcgmPart;
using figures::DcgmReadings;

// A slice that one pod has for itself, by the exporter's word.
struct NamedSlice {
  std::string pod;      // "namespace/name"
  int device = 0;       // Slice::device
  ProfileName profile;  // empty: a whole GPU
  friend bool operator==(const NamedSlice&, const NamedSlice&) = default;
};

// product: of the node's GPUs; nullptr: not known, then a GPU that is cut has no use of its own.
std::vector<NamedSlice> lay_readings(Node& node, const DcgmReadings& readings, const mig::Product* product);

// For GPUs whose slices are reported by another source: GPUs are found by their UUID; an instance by its
// profile, where one on the GPU has it, else by the devices of the pod that the exporter names.
using DevicesOfPod = std::function<std::vector<int>(const std::string& pod)>;
void measure_by_uuid(Node& node, const DcgmReadings& readings, const mig::Product* product,
                     const DevicesOfPod& devices_of);

// Tells which of the node's slices a pod holds, where as many are named for it as it asked for.
void name_devices(std::vector<Allocation>& allocations, const std::string& pod,
                  const std::vector<NamedSlice>& named);

}  // namespace tessera::kubernetes
