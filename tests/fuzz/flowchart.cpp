// Any text as a flowchart: an error with a place, or a tree in which every walk ends and which can be drawn.
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "engine/guide/chart/chart.hpp"
#include "engine/guide/glossary.hpp"
#include "engine/text.hpp"

using namespace tessera;
using namespace tessera::guide;

namespace {

void walk_through(const std::shared_ptr<const Flowchart>& chart, std::string_view choices) {
  Walk walk(chart, {});
  std::size_t steps = 0;
  while (walk.current() != nullptr) {
    if (++steps > chart->questions().size()) std::abort();
    walk.answer(!choices.empty() && (static_cast<unsigned char>(choices[steps % choices.size()]) & 1) != 0);
  }
  if (walk.leaf() == nullptr || walk.path().size() != steps) std::abort();
  for (int width : {1, 40, 80, 200}) {
    const Chart drawn = layout_chart(walk, width);
    const ChartGrid grid = paint(drawn, (choices.size() & 1) != 0);
    if (static_cast<int>(grid.size()) != drawn.height) std::abort();
    for (const auto& row : grid) {
      if (static_cast<int>(row.size()) != drawn.width) std::abort();
    }
  }
  while (walk.undo()) {
  }
  if (!walk.path().empty()) std::abort();
}

}  // namespace

int fuzz_flowchart(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)Glossary::parse(text, "fuzz.yaml");
  (void)Tables::parse(text, "fuzz.yaml");
  (void)terms_in(text);
  Result<Flowchart> chart = Flowchart::parse(text, "fuzz.yaml");
  if (!chart) {
    if (chart.error().reason.empty() || clean(chart.error().reason) != chart.error().reason) std::abort();
    return 0;
  }
  walk_through(std::make_shared<const Flowchart>(std::move(chart).value()), text);
  return 0;
}
