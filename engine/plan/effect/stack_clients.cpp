#include "engine/plan/effect/stack_clients.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

namespace tessera::plan {
namespace {

struct Opener {
  std::string_view part;
  bool paused;
};
constexpr Opener kOpeners[] = {
    {"MPS daemon", true}, {"device plugin", true}, {"DRA driver", false},         {"feature discovery", true},
    {"DCGM", true},       {"DCGM exporter", true}, {"HAMi device plugin", false},
};

bool runs_there(const Node& node, std::string_view part) {
  return std::any_of(node.components.begin(), node.components.end(),
                     [&](const Component& one) { return one.name == part && one.state == Part::ready; });
}

}  // namespace

std::vector<StackClient> stack_clients(const Node& node) {
  const bool managed = runs_there(node, "MIG manager");
  std::vector<StackClient> all;
  for (const Component& one : node.components) {
    if (one.state != Part::ready) continue;
    for (const Opener& known : kOpeners)
      if (known.part == one.name) all.push_back({one.name, managed && known.paused});
  }
  return all;
}

std::string to_text(const StackClient& client) {
  return client.bounced
             ? fmt::format(
                   "{}: runs on the node and likely has its GPUs open; the MIG manager stops it for a "
                   "new layout and starts it again",
                   client.part)
             : fmt::format("{}: runs on the node and likely has its GPUs open; no run stops it", client.part);
}

}  // namespace tessera::plan
