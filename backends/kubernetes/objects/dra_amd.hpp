// Devices of AMD's DRA driver as GPUs of a node: shown, not planned.
//
// By gpu.amd.com (ROCm/k8s-gpu-dra-driver, 2026-08): a device is a whole GPU ("amdgpu") or a partition
// ("amdgpu-partition"); those of one GPU have its address on the PCI bus. With AutoPartition the driver lists
// every mode that a GPU could take, and what stands there is not told. Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "backends/kubernetes/objects/dra_values.hpp"

namespace tessera::kubernetes {

bool is_amd(const DraDevice& device);

// Adds them to the node's GPUs. pool: its name; numbers: how the slices are called, those of others among
// them.
void lay_amd_devices(Node& node, const std::vector<const DraDevice*>& devices, const std::string& pool,
                     const DraClaims& claims, DraNumbers& numbers, Origin origin);

// By which the model finds the slice of such a device: its mode; empty: a whole GPU.
std::string amd_type_of(const DraDevice& device);

}  // namespace tessera::kubernetes
