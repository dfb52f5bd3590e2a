#include "engine/record/anonymous.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/nil_generator.hpp>
#include <string_view>
#include <utility>

#include "engine/mig/profile_name.hpp"
#include "engine/model/both_sides.hpp"
#include "engine/model/bridged.hpp"
#include "engine/model/bridged_nodes.hpp"
#include "engine/model/processes.hpp"
#include "engine/model/slinky.hpp"
#include "engine/text.hpp"

namespace tessera::record {
namespace {

// An id that has two names in it, "namespace/name", is told by the digests of both: what is joined by one of
// them stays joined.
std::string hashed_id(const std::string& id, const std::string& salt) {
  const std::size_t slash = id.find('/');
  if (slash == std::string::npos) return hashed(id, salt);
  return hashed(id.substr(0, slash), salt) + "/" + hashed(id.substr(slash + 1), salt);
}

// "r1,r2": each of them, as where it is told alone.
std::string hashed_list(const std::string& list, const std::string& salt) {
  std::string all;
  for (const std::string_view name : parts_at_commas(list))
    all += (all.empty() ? "" : ",") + hashed(std::string(name), salt);
  return all;
}

// What joins a machine to its other scheduler stays told, in digests: else both sides of it would be counted.
std::string hashed_side(const Component& part, const std::string& salt) {
  Node alone;
  alone.components = {part};
  const std::vector<slinky::OtherWords> words = slinky::other_words(alone);
  if (words.empty()) return "";
  return fmt::format("{} on {}: {}", hashed(words.front().node, salt), hashed(words.front().cluster, salt),
                     fmt::join(words.front().state, "+"));
}

// Which pods a job stands for, which job placed a pod, and of which node a pod runs slurmd.
std::string hashed_comment(const Workload& work, const std::string& salt) {
  std::vector<WorkloadId> pods = slinky::pods_of(work);
  for (WorkloadId& pod : pods) pod.text = hashed_id(pod.text, salt);
  if (!pods.empty()) return slinky::bridged_comment(pods, "");
  if (const auto job = slinky::placing_job(work))
    return work.comment.substr(0, work.comment.find(job->text)) + hashed(job->text, salt);
  const std::optional<std::string> node = slinky::slurm_node_of(work);
  if (!node) return "";
  // "runs slurmd of NODE: IDLE+DRAIN (a reason); what else is said"
  const std::size_t behind = work.comment.find(*node) + node->size();
  std::string comment = slinky::pod_comment(hashed(*node, salt), {}, "");
  if (work.comment.compare(behind, 2, ": ") != 0) return comment;
  return comment + work.comment.substr(behind, work.comment.find_first_of(" ;", behind + 2) - behind);
}

// Layouts of NVIDIA's own list are called alike everywhere; the others have names of the site.
std::string hashed_layout(const std::string& config, const std::string& salt) {
  constexpr std::string_view kAll = "all-";
  if (!config.starts_with(kAll)) return hashed(config, salt);
  const std::string rest = config.substr(kAll.size());
  const bool known =
      rest == "disabled" || rest == "enabled" || rest == "balanced" || mig::parse_profile(rest);
  return known ? config : hashed(config, salt);
}

// Of taints and labels those alone by which slurm-bridge has the node, without the words of a site.
void hash_bridge(Node& node, const std::string& name, const std::string& salt) {
  const bool managed = slinky::is_managed(node);
  node.features.clear(), node.taints.clear();
  if (!managed) return;
  node.taints.push_back(std::string(slinky::kManagedTaint) + ":NoExecute");
  node.features.push_back(std::string(slinky::kSlurmNameLabel) + "=" + hashed(name, salt));
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
  const std::string slurm_name = slinky::slurm_name(node);
  node.name.text = hashed(node.name.text, salt);
  node.reservation = hashed(node.reservation, salt);
  for (std::string& partition : node.partitions) partition = hashed(partition, salt);
  for (Gpu& gpu : node.gpus) {
    gpu.uuid = hashed(gpu.uuid, salt);
    for (Slice& slice : gpu.slices) slice.uuid = hashed(slice.uuid, salt);
  }
  node.reason.clear();
  node.reason_by.clear();
  if (node.order) {
    node.order->by.clear(), node.order->written.reset();
    node.order->config = hashed_layout(node.order->config, salt);
  }
  node.writes.clear();
  hash_bridge(node, slurm_name, salt);
  if (node.host_pod)
    for (std::string* name : {&node.host_pod->name_space, &node.host_pod->name}) *name = hashed(*name, salt);
  for (Component& part : node.components) part.detail = hashed_side(part, salt);
}

void hash_names(GpuProcess& process, const std::string& salt) {
  // The driver's own services are called alike everywhere, and say what the others are.
  if (!is_service(process)) process.name = hashed(process.name, salt);
  if (is_of_work(process)) process.workload.text = hashed_id(process.workload.text, salt);
}

void hash_names(OwnUse& use, const std::string& salt) {
  use.workload.text = hashed_id(use.workload.text, salt);
}

void hash_names(Workload& workload, const std::string& salt) {
  workload.id.text = hashed_id(workload.id.text, salt);
  for (std::string* name : {&workload.name, &workload.user, &workload.group, &workload.account})
    *name = hashed(*name, salt);
  for (Allocation& allocation : workload.allocations)
    allocation.node.text = hashed(allocation.node.text, salt);
  workload.comment = hashed_comment(workload, salt);
  workload.reason.clear();
  workload.unasked.clear();
  if (workload.pod) workload.pod->container = hashed(workload.pod->container, salt);
  if (!workload.needs) return;
  NodeNeeds& needs = *workload.needs;
  needs.nodes = needs.excluded = needs.features = "";
  needs.reservation = hashed_list(needs.reservation, salt);
}

}  // namespace tessera::record
