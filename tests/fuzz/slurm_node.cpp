// Whatever stands where scontrol's nodes should, comes out as clean nodes and problems.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/slurm/parse/parse_node.hpp"
#include "engine/text.hpp"

int fuzz_slurm_node(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  auto parsed =
      slurm::parse_nodes({reinterpret_cast<const char*>(data), size}, {Source::slurm_nodes, {}}, nullptr);
  for (const Node& node : parsed.values) {
    if (node.name.empty() || clean(node.name.text) != node.name.text || clean(node.reason) != node.reason)
      std::abort();
    if (node.gpus.size() + node.pool.size() > 1024) std::abort();
    for (const Gpu& gpu : node.gpus)
      if (gpu.slices.empty() || gpu.slices.front().capacity < 1) std::abort();
  }
  return 0;
}
