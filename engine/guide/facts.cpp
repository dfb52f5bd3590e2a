#include "engine/guide/facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/guide/evidence.hpp"
#include "engine/mig/product_of.hpp"
#include "engine/query/value.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/sharing/platform.hpp"
#include "engine/text.hpp"

namespace tessera::guide {

namespace {

// Node without GPUs of its own: a Slurm pool. Its type may still mean one product only.
const mig::Product* product_of_pool(const Node& node, const mig::Catalogue& catalogue) {
  const auto candidates = catalogue.by_slurm_type(node.model, node.features);
  return candidates.size() == 1 ? candidates.front() : nullptr;
}

bool in_virtual_machine(const Node& node, const Gpu* gpu) {
  if (gpu != nullptr && gpu->strategy == Strategy::vgpu) return true;
  if (sharing::label(node, "nvidia.com/vgpu.present") == "true") return true;
  const auto config = sharing::label(node, "nvidia.com/gpu.workload.config");
  return config && config->starts_with("vm-");
}

struct Bucket {
  std::string key;
  Group group;
};

void add_to(std::vector<Bucket>& buckets, const Cluster& cluster, const Node& node, const Gpu* gpu,
            const mig::Product* product, const std::string& model) {
  const bool virtualised = in_virtual_machine(node, gpu);
  const std::string name = product != nullptr ? product->key.text : model.empty() ? "unknown GPU" : model;
  const std::string key = name + (virtualised ? "/vm" : "");
  auto found =
      std::find_if(buckets.begin(), buckets.end(), [&](const Bucket& bucket) { return bucket.key == key; });
  if (found == buckets.end()) {
    found = buckets.insert(buckets.end(), Bucket{key, {}});
    found->group.name = name + (virtualised ? " (virtual machines)" : "");
    found->group.scope.cluster = &cluster;
    found->group.scope.product = product;
    found->group.scope.model = model;
  }
  Scope& scope = found->group.scope;
  if (std::find(scope.nodes.begin(), scope.nodes.end(), &node) == scope.nodes.end()) {
    scope.nodes.push_back(&node);
  }
  if (gpu != nullptr && std::find(scope.boards.begin(), scope.boards.end(), gpu) == scope.boards.end()) {
    scope.boards.push_back(gpu);
  }
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

Scope scope_of(const mig::Product& product) {
  Scope scope;
  scope.product = &product;
  scope.model = product.key.text;
  return scope;
}

Scope scope_of(const Cluster& cluster, const Node& node, const mig::Catalogue& catalogue) {
  Scope scope;
  scope.cluster = &cluster;
  scope.catalogue = &catalogue;
  scope.nodes = {&node};
  scope.model = clean(node.model, 128);
  for (const Gpu& gpu : node.gpus) scope.boards.push_back(&gpu);
  if (node.gpus.empty()) {
    scope.product = product_of_pool(node, catalogue);
    return scope;
  }
  scope.model = clean(node.gpus.front().model, 128);
  scope.product = mig::product_of(node.gpus.front(), catalogue);
  for (const Gpu& gpu : node.gpus) {
    if (mig::product_of(gpu, catalogue) != scope.product)
      scope.product = nullptr;  // mixed: split() parts them
  }
  return scope;
}

Scope scope_of(const Cluster& cluster, const Node& node, const Gpu& gpu, const mig::Catalogue& catalogue) {
  Scope scope;
  scope.cluster = &cluster;
  scope.catalogue = &catalogue;
  scope.nodes = {&node};
  scope.boards = {&gpu};
  scope.model = clean(gpu.model, 128);
  scope.product = mig::product_of(gpu, catalogue);
  return scope;
}

std::vector<Group> split(const Cluster& cluster, const std::vector<Mark>& marks,
                         const mig::Catalogue& catalogue) {
  std::vector<Bucket> buckets;
  for (const Mark& mark : marks) {
    const Node* node = cluster.nodes.find(mark.node);
    // AMD's are told of by nothing that the questions are about.
    if (node == nullptr || (node->gpus.empty() && sharing::amd::is_amd(*node))) continue;
    for (const Gpu& gpu : node->gpus) {
      if ((mark.gpu && *mark.gpu != gpu.index) || sharing::amd::is_amd(gpu)) continue;
      add_to(buckets, cluster, *node, &gpu, mig::product_of(gpu, catalogue), clean(gpu.model, 128));
    }
    if (!mark.gpu && node->gpus.empty() && !node->pool.empty()) {
      add_to(buckets, cluster, *node, nullptr, product_of_pool(*node, catalogue), clean(node->model, 128));
    }
  }
  std::vector<Group> groups;
  for (Bucket& bucket : buckets) {
    Scope& scope = bucket.group.scope;
    scope.catalogue = &catalogue;
    if (scope.boards.empty()) {
      bucket.group.name += ": " + counted(scope.nodes.size(), "node");
    } else {
      bucket.group.name +=
          fmt::format(": {} on {}", counted(scope.boards.size(), "GPU"), counted(scope.nodes.size(), "node"));
    }
    groups.push_back(std::move(bucket.group));
  }
  return groups;
}

Prefill prefill(const Scope& scope, const mig::Catalogue& catalogue, const SiteFacts& site) {
  Prefill known;
  known["mig-capable"] = mig_evidence(scope, catalogue);
  known["isolation"] = isolation_evidence(scope, site);
  known["virtualised"] = virtual_evidence(scope);
  known["licence"] = licence_evidence(scope, site);
  known["cooperative"] = cooperation_evidence(scope);
  return known;
}

std::string_view word(Reply reply) {
  return reply == Reply::yes ? "yes" : reply == Reply::no ? "no" : "unknown";
}

std::string_view word(Confidence confidence) {
  switch (confidence) {
    case Confidence::certain: return "certain";
    case Confidence::likely: return "likely";
    case Confidence::hint: return "hint";
    case Confidence::none: break;
  }
  return "";
}

std::string describe(const Answer& answer, TimePoint now) {
  std::string text;
  if (answer.reply == Reply::unknown) {
    text = "unknown";
  } else {
    const char* sure = answer.confidence == Confidence::likely ? "likely "
                       : answer.confidence == Confidence::hint ? "perhaps "
                                                               : "";
    text = fmt::format("{}{}", sure, word(answer.reply));
  }
  for (std::size_t i = 0; i < answer.facts.size(); ++i) {
    const Fact& fact = answer.facts[i];
    text += (i == 0 ? ": " : "; ") + fact.text;
    if (fact.origin.source == Source::none) continue;
    text += fmt::format(" (source: {}", tessera::word(fact.origin.source));
    if (fact.origin.at != TimePoint{})
      text += fmt::format(", {} ago", query::duration_text((now - fact.origin.at).count() / 1000));
    text += ")";
  }
  return text;
}

}  // namespace tessera::guide
