#include "backends/record/node_line.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace tessera::record {
namespace {

// The slice is -1 where the GPU is meant.
std::optional<std::pair<int, int>> line_of(std::string_view name) {
  std::pair<int, int> place{0, -1};
  const char* end = name.data() + name.size();
  auto [at, wrong] = std::from_chars(name.data(), end, place.first);
  if (wrong != std::errc()) return std::nullopt;
  if (at == end) return place;
  if (*at != '.') return std::nullopt;
  auto [last, bad] = std::from_chars(at + 1, end, place.second);
  if (bad != std::errc() || last != end || place.second < 0) return std::nullopt;
  return place;
}

}  // namespace

Line find_line(Node& node, std::string_view name) {
  const auto place = line_of(name);
  if (!place) return {};
  auto gpu = std::find_if(node.gpus.begin(), node.gpus.end(),
                          [&](const Gpu& one) { return one.index.value == place->first; });
  if (gpu == node.gpus.end()) return {};
  if (place->second < 0) return {&*gpu, nullptr};
  const auto slice = static_cast<std::size_t>(place->second);
  if (slice >= gpu->slices.size()) return {};
  return {&*gpu, &gpu->slices[slice]};
}

std::size_t lines_in(const Node& node) {
  std::size_t lines = node.gpus.size();
  for (const Gpu& gpu : node.gpus) lines += gpu.slices.size();
  return lines;
}

std::size_t place_of(const Node& node, const Line& line) {
  if (!line.slice) return static_cast<std::size_t>(line.gpu - node.gpus.data());
  std::size_t place = node.gpus.size();
  for (const Gpu& gpu : node.gpus) {
    if (&gpu == line.gpu) break;
    place += gpu.slices.size();
  }
  return place + static_cast<std::size_t>(line.slice - line.gpu->slices.data());
}

TimePoint measured_last(const Node& node) {
  TimePoint last{};
  const auto see = [&](const Origin& origin) {
    if (origin.source != Source::none) last = std::max(last, origin.at);
  };
  for (const Gpu& gpu : node.gpus) {
    see(gpu.telemetry.origin);
    for (const Slice& slice : gpu.slices) see(slice.measured);
  }
  return last;
}

}  // namespace tessera::record
