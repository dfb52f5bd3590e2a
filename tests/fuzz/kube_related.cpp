// What the objects beside a pod say: clean text, within bounds.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/kubernetes/objects/kueue_quota.hpp"
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
  for (const Related& one : all)
    if (clean(one.text) != one.text || clean(one.name) != one.name || one.text.size() > 4096) std::abort();
  return 0;
}
