// What kubectl asks before anything else: the API's groups, resources and version, and what bodies may look
// like. Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "backends/sim/apiserver/call.hpp"
#include "backends/sim/apiserver/value.hpp"

namespace tessera::sim::kube {

struct Document {
  std::string type;  // "application/json"
  std::string body;
};
// nullopt: the path is none of discovery's. version: "kubernetes v1.32.2", as a scenario has it.
std::optional<Document> discover_api(const Target& target, std::string_view version, const Kinds& kinds);

}  // namespace tessera::sim::kube
