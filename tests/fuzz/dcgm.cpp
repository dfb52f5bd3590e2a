// Whatever stands behind an exporter's port, comes out as readings in range with clean names, or as an error;
// and a node that they are laid over keeps as many slices as it had.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/kubernetes/objects/dcgm_values.hpp"
#include "engine/text.hpp"

namespace {

std::size_t slices_on(const tessera::Node& node) {
  std::size_t count = node.pool.size();
  for (const tessera::Gpu& gpu : node.gpus) count += gpu.slices.size();
  return count;
}

}  // namespace

int fuzz_dcgm(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  auto read = figures::read_dcgm({reinterpret_cast<const char*>(data), size});
  if (!read) return 0;
  Node node;
  for (const kubernetes::DcgmPart& part : read->parts) {
    if (clean(part.pod) != part.pod || clean(part.uuid) != part.uuid) std::abort();
    if (part.jobs.size() > 64) std::abort();
    for (const std::string& job : part.jobs)
      if (job.empty() || clean(job) != job) std::abort();
    if (part.use && !(part.use->value >= 0 && part.use->value <= 100)) std::abort();
    if (part.memory_used && part.memory_used->value < 0) std::abort();
    Slice slice;
    slice.kind = part.instance ? SliceKind::gpu_instance : SliceKind::whole_gpu;
    slice.profile = part.profile;
    node.pool.push_back(slice);
  }
  std::size_t before = slices_on(node);
  auto named = kubernetes::lay_readings(node, *read, nullptr);
  if (slices_on(node) != before || named.size() > before) std::abort();
  return 0;
}
