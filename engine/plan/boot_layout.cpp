#include "engine/plan/boot_layout.hpp"

#include <fmt/format.h>

#include <map>

namespace tessera::plan {
namespace {

// "        1g.10gb: 2" a line, as it stands below mig-devices.
std::string devices_of(const BoardState& board) {
  if (!board.mig) return "      mig-enabled: false\n";
  std::map<ProfileName, int> counts;
  for (const InstanceAt& one : board.instances) ++counts[one.profile];
  if (counts.empty()) return "      mig-enabled: true\n      mig-devices: {}\n";
  std::string text = "      mig-enabled: true\n      mig-devices:\n";
  for (const auto& [profile, count] : counts)
    text += fmt::format("        \"{}\": {}\n", profile.text, count);
  return text;
}

// What boards are to be → which.
using BoardLists = std::map<std::string, std::string>;

void add_board(BoardLists& boards, const BoardState& state) {
  std::string& list = boards[devices_of(state)];
  list += fmt::format("{}{}", list.empty() ? "" : ", ", state.gpu.value);
}

std::string document_of(const Node& node, const BoardLists& boards) {
  std::string text = fmt::format("# {}: written by tessera\nversion: v1\nmig-configs:\n  {}:\n",
                                 node.name.text, kLayoutName);
  for (const auto& [devices, list] : boards) text += fmt::format("    - devices: [{}]\n{}", list, devices);
  return text;
}

}  // namespace

std::string boot_layout(const Node& node, const std::vector<BoardChange>& changes) {
  BoardLists boards;
  for (const Gpu& gpu : node.gpus) {
    BoardState state = state_of(gpu);
    for (const BoardChange& change : changes)
      if (change.gpu == gpu.index) state = change.after;
    add_board(boards, state);
  }
  return document_of(node, boards);
}

std::string recut_layout(const Node& node, const std::vector<BoardChange>& changes) {
  BoardLists boards;
  for (const BoardChange& change : changes) {
    if (!change.mode_changes && !change.instances_change()) continue;
    add_board(boards, change.after);
  }
  return document_of(node, boards);
}

}  // namespace tessera::plan
