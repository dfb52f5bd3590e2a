// Whatever stands where the API's nodes should, comes out as clean nodes of a sane size, or as an error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/kubernetes/objects/node_values.hpp"
#include "backends/kubernetes/objects/parse.hpp"
#include "engine/text.hpp"

int fuzz_kube_node(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  static kubernetes::Parser parser;
  auto page = parser.list<kubernetes::NodeObject>({reinterpret_cast<const char*>(data), size});
  if (!page) return 0;
  for (const kubernetes::NodeObject& object : page->items) {
    kubernetes::NodeSharing sharing = kubernetes::sharing_of(object, nullptr);
    Node node = kubernetes::node_of(object, sharing, false, {});
    if (node.name.empty() || clean(node.name.text) != node.name.text || clean(node.reason) != node.reason)
      std::abort();
    if (node.gpus.size() > 1024 ||
        node.pool.size() > 1024 * (sharing.instances.size() + sharing.vgpus.size() + 1))
      std::abort();
    for (const Slice& slice : node.pool)
      if (slice.capacity < 1) std::abort();
  }
  return 0;
}
