// What a pod, and the objects beside it, say: clean text, within bounds.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/kubernetes/objects/kueue_quota.hpp"
#include "backends/kubernetes/objects/parse.hpp"
#include "backends/kubernetes/objects/pod_against_node.hpp"
#include "backends/kubernetes/objects/related.hpp"
#include "engine/text.hpp"

namespace {
const std::vector<tessera::kubernetes::QuotaNamed> kOneQuota{{"r", "f"}};
}

int fuzz_kube_related(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  auto read = parse_json(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!read) return 0;
  const kubernetes::PodLinks links = kubernetes::links_of(*read);
  std::vector<Related> all = kubernetes::gates_of(links);
  for (Related& one : kubernetes::related_events({*read}, links.uid)) all.push_back(std::move(one));
  all.push_back(kubernetes::related_volume("v", *read));
  all.push_back(kubernetes::related_claim("c", *read));
  all.push_back(kubernetes::related_group("g", *read));
  all.push_back(kubernetes::related_workload(*read));
  (void)kubernetes::workload_behind({*read}, links);
  const auto named = kubernetes::quotas_named(all.back().text);
  all.push_back(kubernetes::related_queue(*read, named.empty() ? kOneQuota : named));
  // A pod's words against a node: the same text is read as both.
  const kubernetes::PodTerms terms = kubernetes::pod_terms_of(*read);
  static kubernetes::Parser parser;
  const auto pod = parser.object<kubernetes::PodObject>({reinterpret_cast<const char*>(data), size});
  const auto node = parser.object<kubernetes::NodeObject>({reinterpret_cast<const char*>(data), size});
  if (pod && node)
    for (const why::AgainstNode& one : kubernetes::against_node(terms, pod->compute, *node, pod->compute))
      all.push_back(why::told_as(one));
  for (Related& one : kubernetes::beside_nodes(terms, pod ? pod->compute : kubernetes::Compute()))
    all.push_back(std::move(one));
  for (const Related& one : all)
    if (clean(one.text) != one.text || clean(one.name) != one.name || one.text.size() > 4096) std::abort();
  return 0;
}
