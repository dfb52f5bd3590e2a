// DRA devices laid over a node of the model, and claims told as what a pod asks for and holds.
//
// A device is called "gpu-<minor>", or "gpu-<minor>-mig-<profile>-<profile id>-<start>"
// (dra-driver-nvidia-gpu v0.5): the name reports where an instance stands, and older drivers' names do. A MIG
// device without a UUID is one that could be made (dynamic MIG); it stands there only while a claim has it.
// Threads: pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kubernetes/objects/dra.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/model/values.hpp"

namespace tessera::kubernetes {

// How the node's slices are called: device → Slice::device.
using DraNumbers = std::map<std::string, int, std::less<>>;

// The devices become the node's GPUs; what its labels told of GPUs and slices goes. Devices that a claim
// has are told as held, whoever uses them. name: of the pool. gate: whether the driver's pod says that it
// makes instances on demand; nullopt: it does not say. catalogue may be null.
DraNumbers lay_devices(Node& node, const DraPool& pool, const std::string& name, const DraClaims& claims,
                       std::optional<bool> gate, const mig::Catalogue* catalogue, Origin origin);

// "DynamicMIG=true,MPSSupport=false," → true; nullopt: DynamicMIG is not named, and the driver's version
// decides.
std::optional<bool> gate_of(std::string_view feature_gates);

// What the pod's claims add to it: requests by device class, devices held on its node, what it waits for.
// claims: those of the pod that are known and about GPUs. numbers, slices: of its node; empty: not known.
void add_claims(Workload& work, const PodObject& pod, const std::vector<const ResourceClaimObject*>& claims,
                const DraNumbers& numbers, const std::vector<const DraDevice*>& devices);

}  // namespace tessera::kubernetes
