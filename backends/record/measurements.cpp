#include "backends/record/measurements.hpp"

#include <algorithm>
#include <utility>

#include "engine/model/telemetry.hpp"

namespace tessera::record {

Measurements::Measurements(const std::vector<NodeName>& nodes, TimePoint from, TimePoint to)
    : from_(from), to_(to) {
  for (const NodeName& node : nodes)
    if (std::none_of(all_.begin(), all_.end(), [&](const auto& one) { return one.node == node; }))
      all_.push_back({node, {}});
}

Status Measurements::read(std::string_view text, const std::function<bool()>& goes_on) {
  Reader reader;
  reader.be_quiet();
  std::vector<Event> events;
  std::optional<TimePoint> round;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const std::string_view kind = Reader::kind_of(line);
    if (!kind.empty() && !Reader::is_of_nodes(kind)) continue;
    const auto at = Reader::time_of(line);
    if (at && at != round) {
      if (round) gather(reader, *round);
      if (*at > to_ || !goes_on()) return Done{};
      round = at;
    }
    events.clear();
    if (Status taken = reader.take(line, events); !taken) return taken;
  }
  if (round) gather(reader, *round);
  return Done{};
}

// What was not measured since the round before is no sample of this one.
void Measurements::gather(Reader& reader, TimePoint round) {
  if (round < from_ || round > to_) return;
  for (history::KeptFigures& kept : all_) {
    const Node* node = reader.node(kept.node.text);
    if (!node) continue;
    Node copy = *node;
    for (Measured& measured : take_figures(copy))
      if (measured.at >= from_ && (kept.rounds.empty() || measured.at > kept.rounds.back().at))
        kept.rounds.push_back(std::move(measured));
  }
}

}  // namespace tessera::record
