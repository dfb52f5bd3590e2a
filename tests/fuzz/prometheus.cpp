// Whatever a server that is said to be Prometheus answers, comes out as readings in range with clean names,
// or as an error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/figures/prometheus_queries.hpp"
#include "engine/text.hpp"

namespace {

void look_at(const tessera::figures::DcgmReadings& readings) {
  using namespace tessera;
  for (const figures::DcgmPart& part : readings.parts) {
    if (clean(part.pod) != part.pod || clean(part.uuid) != part.uuid) std::abort();
    if (part.use && !(part.use->value >= 0 && part.use->value <= 100)) std::abort();
    if (part.memory_used && part.memory_used->value < 0) std::abort();
  }
}

}  // namespace

int fuzz_prometheus(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  JsonDocument document;
  const auto node_of = [](const figures::MetricLine& line) {
    return figures::node_by_labels(line, [](std::string_view name) { return std::string(name); });
  };
  const TimePoint asked(Duration(1'764'000'100'000));
  if (auto now = figures::figures_now(document, text, node_of, asked)) {
    for (const figures::NodeReadings& one : now->nodes) {
      if (one.readings.at > asked) std::abort();
      look_at(one.readings);
      (void)figures::path_of_figures_before(one.node, asked, asked, Duration(15'000));
    }
  } else if (clean(now.error().reason) != now.error().reason) {
    std::abort();
  }
  TimePoint last{Duration(-1)};
  if (auto before = figures::figures_before(document, text))
    for (const figures::DcgmReadings& one : *before) {
      if (one.at <= last) std::abort();
      last = one.at;
      look_at(one);
    }
  return 0;
}
