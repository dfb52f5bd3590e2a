// nvidia-smi -q -x: clean names, ids within bounds, and never more elements open than were opened.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/nvidia/parse_query.hpp"
#include "backends/nvidia/xml.hpp"
#include "engine/text.hpp"

int fuzz_nvidia_xml(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  nvidia::XmlReader reader(text);
  std::size_t depth = 0;
  for (auto event = reader.next(); event && *event != nvidia::XmlReader::Kind::end; event = reader.next()) {
    if (*event == nvidia::XmlReader::Kind::open) ++depth;
    if (*event == nvidia::XmlReader::Kind::close) --depth;
    if (depth != reader.path().size() || depth > 32) std::abort();
  }
  if (auto query = nvidia::parse_query(text))
    for (const auto& gpu : query->gpus)
      if (gpu.uuid.empty() || clean(gpu.name) != gpu.name) std::abort();
  return 0;
}
