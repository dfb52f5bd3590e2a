// Any bytes as a configuration of the device plugin: read or refused, and what is read can be offered.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/sim/gpu_operator/plugin_config.hpp"

int fuzz_sim_plugin_config(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto config = tessera::sim::kube::parse_plugin_config(text, "fuzz");
  if (!config) return 0;
  for (const auto& [resource, replicas] : config->replicas)
    if (replicas < 2 || config->replicas_of(resource) != replicas) std::abort();
  return 0;
}
