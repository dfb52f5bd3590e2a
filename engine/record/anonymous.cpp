#include "engine/record/anonymous.hpp"

#include "engine/digest.hpp"
#include "engine/model/processes.hpp"

namespace tessera::record {

std::string hashed(const std::string& name, const std::string& salt) {
  if (name.empty()) return name;
  return Digest().add(salt).add(name).text();
}

void hash_names(Node& node, const std::string& salt) {
  node.name.text = hashed(node.name.text, salt);
  node.reservation = hashed(node.reservation, salt);
  for (std::string& partition : node.partitions) partition = hashed(partition, salt);
  for (Gpu& gpu : node.gpus) {
    gpu.uuid = hashed(gpu.uuid, salt);
    for (Slice& slice : gpu.slices) slice.uuid = hashed(slice.uuid, salt);
  }
  node.reason.clear();
  node.reason_by.clear();
  node.features.clear();
  node.taints.clear();
  for (Component& part : node.components) part.detail.clear();
}

void hash_names(GpuProcess& process, const std::string& salt) {
  // The driver's own services are called alike everywhere, and say what the others are.
  if (!is_service(process)) process.name = hashed(process.name, salt);
  if (is_of_work(process)) process.workload.text = hashed(process.workload.text, salt);
}

void hash_names(Workload& workload, const std::string& salt) {
  workload.id.text = hashed(workload.id.text, salt);
  for (std::string* name : {&workload.name, &workload.user, &workload.group, &workload.account})
    *name = hashed(*name, salt);
  for (Allocation& allocation : workload.allocations)
    allocation.node.text = hashed(allocation.node.text, salt);
  workload.comment.clear();
  workload.reason.clear();
  workload.unasked.clear();
  if (workload.pod) workload.pod->container = hashed(workload.pod->container, salt);
  if (workload.needs) workload.needs->nodes = workload.needs->excluded = workload.needs->features = "";
}

}  // namespace tessera::record
