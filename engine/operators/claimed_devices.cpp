#include "engine/operators/claimed_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/digest.hpp"
#include "engine/operators/labels.hpp"

namespace tessera::operators {

namespace {

constexpr std::string_view kPart = "DRA driver";
constexpr std::array<std::pair<DraWay, std::string_view>, 3> kWays = {
    std::pair(DraWay::at_start, "static MIG"), std::pair(DraWay::on_demand, "dynamic MIG"),
    std::pair(DraWay::on_demand_dark, "dynamic MIG, and what is left of its GPUs is not told")};

// What is wrong with the part stands behind it.
bool says(const Component& part, std::string_view word) {
  return part.detail == word || (part.detail.starts_with(word) && part.detail.substr(word.size(), 2) == "; ");
}

}  // namespace

std::string_view word(DraWay way) {
  for (const auto& [one, text] : kWays)
    if (one == way) return text;
  return {};
}

void say_way(Node& node, DraWay way) {
  if (way == DraWay::not_told) return;
  auto part = std::find_if(node.components.begin(), node.components.end(),
                           [](const Component& one) { return one.name == kPart; });
  if (part == node.components.end())
    part = node.components.insert(part, {std::string(kPart), Part::unknown, ""});
  part->detail = std::string(word(way)) + (part->detail.empty() ? "" : "; " + part->detail);
}

DraWay way_of(const Node& node) {
  for (const Component& part : node.components)
    if (part.name == kPart)
      for (const auto& [way, text] : kWays)
        if (says(part, text)) return way;
  return DraWay::not_told;
}

std::string devices_text(const ClaimedBoards& boards) {
  std::string text;
  for (const auto& [gpu, instances] : boards) {
    text += fmt::format("{}GPU {}:", text.empty() ? "" : "; ", gpu);
    std::map<std::string, int> counts;
    for (const ProfileName& one : instances) ++counts[one.text];
    for (const auto& [profile, count] : counts)
      text += fmt::format(" {}{}", count > 1 ? fmt::format("{}x", count) : "", profile);
    if (instances.empty()) text += " whole";
  }
  return text.empty() ? "no device" : text;
}

std::string device_rule(std::string_view run, const NodeName& node) {
  return fmt::format("{}{}-{}", kOurs, run, digest(node.text));
}

ClaimedBoards claimed_boards(const std::vector<Gpu>& gpus) {
  ClaimedBoards boards;
  for (const Gpu& gpu : gpus) {
    if (gpu.slices.empty()) continue;
    std::vector<ProfileName>& here = boards[gpu.index.value];
    for (const Slice& slice : gpu.slices)
      if (slice.kind == SliceKind::gpu_instance) here.push_back(slice.profile);
  }
  return boards;
}

}  // namespace tessera::operators
