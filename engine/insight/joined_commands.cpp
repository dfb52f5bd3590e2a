#include "engine/insight/joined_commands.hpp"

#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "engine/hostlist.hpp"
#include "engine/shell.hpp"

namespace tessera::insight {
namespace {

// Names on one line: more would be too long for a terminal's clipboard and for whoever reads it.
constexpr std::size_t kMostNames = 100;

enum class Takes { hostlist, names };

struct Tool {
  std::string_view begins;  // up to the node's name
  Takes takes;
};
constexpr std::array kTools{Tool{"scontrol update NodeName=", Takes::hostlist},
                            Tool{"scontrol show node ", Takes::hostlist},
                            Tool{"tessera node reset-gpu ", Takes::hostlist},
                            Tool{"tessera node restart-plugin ", Takes::hostlist},
                            Tool{"kubectl uncordon ", Takes::names},
                            Tool{"kubectl describe node ", Takes::names}};

// What stands around the name of the node.
struct Parts {
  const Tool* tool = nullptr;
  std::string behind;
};
std::optional<Parts> parts_of(const CommandFor& one) {
  const bool folds = one.node.find_first_of(",[]") == std::string::npos && !one.node.empty();
  for (const Tool& tool : kTools) {
    const std::string begins = std::string(tool.begins) + shell_word(one.node);
    if (!one.command.starts_with(begins)) continue;
    std::string behind = one.command.substr(begins.size());
    if (!behind.empty() && behind.front() != ' ') continue;  // a longer name
    if (tool.takes == Takes::hostlist && !folds) continue;
    return Parts{&tool, std::move(behind)};
  }
  return std::nullopt;
}

struct Group {
  std::optional<Parts> parts;  // nullopt: the command stays as it is
  std::string command;
  std::vector<std::string> nodes;
};

std::string joined(const Parts& parts, const std::vector<std::string>& nodes) {
  std::string names;
  if (parts.tool->takes == Takes::hostlist)
    names = shell_word(fold_hosts(nodes));
  else
    for (const std::string& node : nodes) names += (names.empty() ? "" : " ") + shell_word(node);
  return std::string(parts.tool->begins) + names + parts.behind;
}

}  // namespace

std::vector<std::string> joined_commands(const std::vector<CommandFor>& all, std::size_t most) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> places;   // the group that takes more of a kind
  std::map<std::string, std::size_t> reached;  // by node: the group of its command that comes last
  for (const CommandFor& one : all) {
    std::optional<Parts> parts = parts_of(one);
    const std::string kind = parts ? std::string(parts->tool->begins) + '\x1f' + parts->behind : one.command;
    auto [place, fresh] = places.try_emplace(kind, groups.size());
    if (!fresh && !parts) continue;
    if (!fresh && groups[place->second].nodes.back() == one.node) continue;
    std::size_t& last = reached.try_emplace(one.node, 0).first->second;
    // What a node needs first stays first: its GPU is reset before it is opened.
    if (!fresh && place->second >= last && groups[place->second].nodes.size() < kMostNames) {
      groups[place->second].nodes.push_back(one.node);
      last = place->second;
      continue;
    }
    last = place->second = groups.size();
    groups.push_back({std::move(parts), one.command, {one.node}});
  }
  std::vector<std::string> commands;
  for (std::size_t i = 0; i < groups.size() && commands.size() < most; ++i)
    commands.push_back(groups[i].parts ? joined(*groups[i].parts, groups[i].nodes) : groups[i].command);
  return commands;
}

}  // namespace tessera::insight
