// Any bytes as a MIG configuration file: an error, or entries that can be added to without touching the rest.
#include "engine/operators/mig_parted.hpp"

#include <cstdint>
#include <cstdlib>

#include "engine/operators/plugin_config.hpp"

int fuzz_mig_parted(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  using namespace tessera::operators;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto plugin = parse_plugin_config(text, "fuzz")) {
    auto shared = with_sharing(text, {Strategy::time_slicing, false, {{"nvidia.com/gpu", 4}}}, "fuzz");
    if (shared && parse_plugin_config(*shared, "again")->strategy != plugin->strategy) std::abort();
  }
  auto before = parse_mig_document(text, "fuzz");
  if (!before) return 0;
  MigRow row;
  row.enabled = true;
  row.counts = {{"1g.10gb", 7}};
  MigConfig entry{name_of({row}), {row}};
  auto edited = with_config(text, entry, "fuzz");
  if (!edited) return 0;
  auto after = parse_mig_document(*edited, "again");
  if (!after || !after->find(entry.name)) std::abort();
  for (const MigConfig& config : before->configs)
    if (!after->find(config.name) || !(*after->find(config.name) == config)) std::abort();
  return 0;
}
