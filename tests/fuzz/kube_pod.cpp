// Whatever stands where the API's pods should, comes out as clean workloads, or as an error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/kubernetes/objects/parse.hpp"
#include "backends/kubernetes/objects/pod_values.hpp"
#include "engine/text.hpp"

int fuzz_kube_pod(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  static kubernetes::Parser parser;
  auto page = parser.list<kubernetes::PodObject>({reinterpret_cast<const char*>(data), size});
  if (!page) return 0;
  for (const kubernetes::PodObject& pod : page->items) {
    Workload work = kubernetes::workload_of(pod, nullptr, {});
    if (clean(work.id.text) != work.id.text || clean(work.reason) != work.reason) std::abort();
    for (const Allocation& allocation : work.allocations)
      if (allocation.count < 0 || allocation.node.empty()) std::abort();
  }
  return 0;
}
