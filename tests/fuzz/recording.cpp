// Recordings: bytes of a file, and lines of JSON, whatever they hold. No control character gets into the
// model.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "backends/record/reader.hpp"
#include "backends/record/sound.hpp"
#include "backends/record/zstd_stream.hpp"
#include "engine/insight/totals.hpp"
#include "engine/model/reduce.hpp"
#include "engine/text.hpp"
#include "engine/usage/demand.hpp"

using namespace tessera;

namespace {

void check(const std::string& text) {
  if (clean(text, text.size()) != text) std::abort();
}

void read_lines(std::string_view text) {
  record::Reader reader;
  Model model;
  std::vector<Event> events;
  for (std::string_view line : lines_in(text)) {
    events.clear();
    if (Status read = reader.take(line, events); !read) check(to_line(read.error()));
    for (Event& event : events) reduce(model, std::move(event));
  }
  usage::DemandOverTime demand;
  for (const Cluster& cluster : model.clusters) {
    // Sums of what a recording says, whatever that is.
    demand.see(cluster, TimePoint{});
    for (const auto& [resource, waits] : insight::totals(cluster).waiting_by_request)
      if (waits.units < 0) std::abort();
    check(cluster.name.text);
    for (const Node& node : cluster.nodes.all()) check(node.name.text), check(node.reason);
    for (const Workload& workload : cluster.workloads.all()) check(workload.id.text), check(workload.user);
  }
  for (const usage::DemandPeak& peak : demand.peaks())
    if (peak.peak < 0) std::abort();
}

}  // namespace

int fuzz_recording(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_lines(bytes);
  const auto frames = record::frames_in(bytes);
  if (!frames) return 0;
  std::size_t end = 0;
  for (const record::Frame& frame : *frames) {
    if (frame.begin != end || frame.data < frame.begin || frame.end < frame.data) std::abort();
    end = frame.end;
    if (const auto text = record::text_of(bytes, frame)) read_lines(*text);
  }
  if (end != bytes.size()) std::abort();
  // What is told of it is whole lines, whatever is damaged.
  const auto day = record::frames_of_day(bytes);
  if (!day) std::abort();
  for (const record::Frame& frame : *day)
    if (const record::Sound sound = record::sound_text(bytes, frame);
        !sound.text.empty() && sound.text.back() != '\n')
      std::abort();
  return 0;
}
