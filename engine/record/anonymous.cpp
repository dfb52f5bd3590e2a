#include "engine/record/anonymous.hpp"

#include <fmt/format.h>

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/nil_generator.hpp>

#include "engine/model/processes.hpp"

namespace tessera::record {
namespace {

// An id that has two names in it, "namespace/name", is told by the digests of both: what is joined by one of
// them stays joined.
std::string hashed_id(const std::string& id, const std::string& salt) {
  const std::size_t slash = id.find('/');
  if (slash == std::string::npos) return hashed(id, salt);
  return hashed(id.substr(0, slash), salt) + "/" + hashed(id.substr(slash + 1), salt);
}

}  // namespace

// SHA-1 with a key that SHA-1 makes of the salt: whoever knows one name and its digest learns neither the
// salt nor another name (the digests of engine/digest.hpp can be run backwards).
std::string hashed(const std::string& name, const std::string& salt) {
  if (name.empty()) return name;
  const boost::uuids::uuid key = boost::uuids::name_generator_sha1(boost::uuids::nil_uuid())(salt);
  const boost::uuids::uuid digest = boost::uuids::name_generator_sha1(key)(name);
  // What comes after these six bytes holds the version, too.
  std::string text;
  for (std::size_t i = 0; i < 6; ++i) text += fmt::format("{:02x}", digest.data[i]);
  return text + fmt::format("{:02x}{:02x}", digest.data[9], digest.data[10]);
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
  if (node.host_pod)
    for (std::string* name : {&node.host_pod->name_space, &node.host_pod->name}) *name = hashed(*name, salt);
  for (Component& part : node.components) part.detail.clear();
}

void hash_names(GpuProcess& process, const std::string& salt) {
  // The driver's own services are called alike everywhere, and say what the others are.
  if (!is_service(process)) process.name = hashed(process.name, salt);
  if (is_of_work(process)) process.workload.text = hashed_id(process.workload.text, salt);
}

void hash_names(Workload& workload, const std::string& salt) {
  workload.id.text = hashed_id(workload.id.text, salt);
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
