// All the texts of nvidia-smi, by the first byte: names are clean and numbers within bounds.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/nvidia/parse.hpp"
#include "backends/runner.hpp"
#include "engine/text.hpp"

int fuzz_nvidia_smi(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  if (size == 0) return 0;
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  auto need = [](bool fine) {
    if (!fine) std::abort();
  };
  switch (data[0] % 10) {
    case 0:
      if (auto gpus = nvidia::parse_list(text))
        for (const auto& gpu : *gpus)
          need(gpu.index >= 0 && clean(gpu.name) == gpu.name && !gpu.uuid.empty());
      break;
    case 1:
      if (auto rows = nvidia::parse_instances(text))
        for (const auto& row : *rows)
          need(row.at.size > 0 && row.at.start >= 0 && clean(row.profile.text) == row.profile.text);
      break;
    case 2:
      if (auto rows = nvidia::parse_compute(text))
        for (const auto& row : *rows) need(row.id >= 0 && row.instance >= 0);
      break;
    case 3:
      if (auto use = nvidia::parse_process_use(text))
        for (const auto& [process, percent] : *use)
          need(process.first >= 0 && (!percent || (percent->value >= 0 && percent->value <= 100)));
      break;
    case 9: {
      auto refused = nvidia::parted_refusal({}, text, 1, "x");
      need(refused && clean(refused->reason) == refused->reason);
      break;
    }
    case 7: {
      nvidia::Change change = nvidia::parse_change(text, {}, 0);
      need(clean(change.words) == change.words);
      break;
    }
    default: (void)parse_preflight("0", text);
  }
  return 0;
}
