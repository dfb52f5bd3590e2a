// ResourceSlices and ResourceClaims as a hostile server may send them: devices, counters and claims become
// GPUs of a sane size, or nothing. The slices stand before the first line that is empty, the claims behind
// it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/kubernetes/objects/dra_values.hpp"
#include "backends/kubernetes/objects/parse.hpp"
#include "engine/operators/claimed_devices.hpp"
#include "engine/text.hpp"

int fuzz_kube_devices(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  using namespace tessera::kubernetes;
  static Parser parser;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(text.find("\n\n"), text.size());
  DraSlices slices;
  DraClaims claims;
  if (auto page = parser.list<ResourceSliceObject>(text.substr(0, end)))
    for (ResourceSliceObject& slice : page->items) slices.keep(std::move(slice));
  if (auto page = parser.list<ResourceClaimObject>(text.substr(end)))
    for (ResourceClaimObject& claim : page->items) claims.keep(std::move(claim));
  claims.set_complete(true);
  for (const std::string& name : slices.take_touched()) {
    Node node;
    node.name = NodeName(name);
    const DraPool pool = slices.pool_on(name);
    const DraNumbers numbers = lay_devices(node, pool, slices.pool_of(name), claims, {}, nullptr, {});
    if (node.gpus.size() > pool.devices.size() || numbers.size() > pool.devices.size()) std::abort();
    for (const Gpu& gpu : node.gpus)
      for (const Slice& slice : gpu.slices)
        if (clean(slice.profile.text) != slice.profile.text) std::abort();
    (void)operators::devices_text(operators::claimed_boards(node.gpus));
  }
  return 0;
}
