#include "engine/history/shown.hpp"

#include <chrono>

namespace tessera::history {
namespace {

std::optional<float> percent_of(const Gpu& gpu, const Slice* slice, std::optional<Percent> Telemetry::*of_gpu,
                                std::optional<Percent> Slice::*of_slice) {
  const auto figure = [](const std::optional<Percent>& told) {
    return told ? std::optional(static_cast<float>(told->value)) : std::nullopt;
  };
  if (slice) return figure(slice->*of_slice);
  if (gpu.telemetry.*of_gpu) return figure(gpu.telemetry.*of_gpu);
  const bool is_one = gpu.slices.size() == 1 && gpu.slices.front().kind == SliceKind::whole_gpu;
  return is_one ? figure(gpu.slices.front().*of_slice) : std::nullopt;
}

std::optional<float> memory_of(const Gpu& gpu, const std::optional<Mib>& used) {
  if (!used || !gpu.memory || gpu.memory->value <= 0) return std::nullopt;
  return 100.0F * static_cast<float>(used->value) / static_cast<float>(gpu.memory->value);
}

}  // namespace

Origin measured_at(const Node& node) {
  Origin newest;
  auto see = [&](const Origin& origin) {
    if (origin.source != Source::none && origin.at > newest.at) newest = origin;
  };
  for (const Gpu& gpu : node.gpus) {
    see(gpu.telemetry.origin);
    for (const Slice& slice : gpu.slices) see(slice.measured);
  }
  return newest;
}

Sample sample_of(const Gpu& gpu, const Slice* slice) {
  const Telemetry& told = gpu.telemetry;
  Sample sample;
  sample.use = percent_of(gpu, slice, &Telemetry::use, &Slice::use);
  sample.memory = memory_of(gpu, slice ? slice->memory_used : told.memory_used);
  sample.tensor = percent_of(gpu, slice, &Telemetry::tensor, &Slice::tensor);
  sample.memory_bus = percent_of(gpu, slice, &Telemetry::memory_busy, &Slice::memory_busy);
  if (slice) return sample;
  if (told.temperature) sample.temperature = static_cast<float>(told.temperature->value);
  if (told.power) sample.power = static_cast<float>(told.power->value);
  return sample;
}

void tell_newest(Line& line, const Node& node, const Gpu& gpu, const Slice* slice) {
  if (line.samples.empty()) return;
  Sample& newest = line.samples.back();
  const auto second = [](TimePoint time) { return std::chrono::floor<std::chrono::seconds>(time); };
  if (second(newest.at) != second(measured_at(node).at)) return;
  const Sample shown = sample_of(gpu, slice);
  // Only what was kept of that time: a figure may be told later under an older time.
  for (auto figure : {&Sample::use, &Sample::memory, &Sample::temperature, &Sample::power, &Sample::tensor,
                      &Sample::memory_bus})
    if (newest.*figure && shown.*figure) newest.*figure = shown.*figure;
}

}  // namespace tessera::history
