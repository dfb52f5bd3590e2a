#include "engine/fleet/taking.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "engine/operators/labels.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/sharing/platform.hpp"

namespace tessera::fleet {
namespace {

bool has(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// Slurm's words for GPUs are a site's own, and mean several products; what a driver or a label says is a
// name.
bool names_are_free(const Cluster& cluster, const Origin& origin) {
  return cluster.scheduler == Scheduler::slurm && origin.source != Source::nvidia_smi;
}

// "NVIDIA-H100-80GB" as Slurm would write it: a name that means several products.
std::string as_type(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return name;
}

Takes by_name(const std::string& name, const Node& node, const std::string& product, bool free,
              const mig::Catalogue& catalogue) {
  if (name.empty()) return Takes::untold;
  if (sharing::amd::is_amd_model(name)) return Takes::no;
  if (const mig::Product* told = catalogue.by_any(name))
    return told->key.text == product ? Takes::yes : Takes::no;
  const auto meant = catalogue.by_slurm_type(as_type(name), node.features);
  const bool among = std::any_of(meant.begin(), meant.end(),
                                 [&](const mig::Product* one) { return one->key.text == product; });
  return among || (meant.empty() && free) ? Takes::untold : Takes::no;
}

Takes of_product(const Pool& pool, const Cluster& cluster, const Node& node,
                 const mig::Catalogue& catalogue) {
  if (!node.gpus.empty()) {
    Takes all = Takes::yes;
    for (const Gpu& gpu : node.gpus) {
      const Takes one = gpu.product ? gpu.product->text == pool.product ? Takes::yes : Takes::no
                                    : by_name(gpu.model, node, pool.product,
                                              names_are_free(cluster, gpu.origin), catalogue);
      all = std::min(all, one);
    }
    return all;
  }
  // Of a node without GPUs no product is unknown, unless the file names it.
  if (!has_gpus(node) && !pool.nodes.contains(node.name.text)) return Takes::no;
  return by_name(node.model, node, pool.product, names_are_free(cluster, node.origin), catalogue);
}

}  // namespace

bool has_gpus(const Node& node) {
  if (!node.gpus.empty() || !node.pool.empty() || !node.model.empty() || !node.components.empty())
    return true;
  for (const std::string_view key : {"nvidia.com/gpu.product", "nvidia.com/gpu.count",
                                     "nvidia.com/mig.capable", "cloud.google.com/gke-accelerator"})
    if (const auto value = sharing::label(node, key); value && *value != "false") return true;
  return sharing::label(node, operators::kMigConfig).has_value();
}

Takes takes(const Pool& pool, const Cluster& cluster, const Node& node, const mig::Catalogue& catalogue) {
  const bool others = (pool.cluster.empty() || pool.cluster == cluster.name) &&
                      (pool.nodes.empty() || pool.nodes.contains(node.name.text)) &&
                      (pool.partition.empty() || has(node.partitions, pool.partition)) &&
                      (pool.feature.empty() || has(node.features, pool.feature));
  if (!others) return Takes::no;
  return pool.product.empty() ? Takes::yes : of_product(pool, cluster, node, catalogue);
}

Ruling ruling_of(const Fleet& fleet, const Cluster& cluster, const Node& node,
                 const mig::Catalogue& catalogue) {
  Ruling all;
  bool settled = false;
  for (const Pool& pool : fleet.pools) {
    const Takes it = takes(pool, cluster, node, catalogue);
    if (it == Takes::no) continue;
    if (!all.pool) {
      all.pool = &pool;
      all.untold = it == Takes::untold;
    } else {
      if (!settled) all.instead.push_back(&pool);
      if (it == Takes::yes) all.also.push_back(&pool);
    }
    settled = settled || it == Takes::yes;
  }
  return all;
}

}  // namespace tessera::fleet
