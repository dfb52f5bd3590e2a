// The token with which a list goes on where its last page ended: base64 of {"v":…,"rv":12206,"start":"…\0"},
// as a Kubernetes 1.20 server writes it. Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "backends/sim/apiserver/refusal.hpp"

namespace tessera::sim::kube {

struct ListPlace {
  std::int64_t version = 0;  // -1: of whatever stands now
  std::string ns, name;      // the last object that was told
};

std::string continue_token(const ListPlace& place);
std::variant<ListPlace, Refusal> parse_continue(std::string_view token);

}  // namespace tessera::sim::kube
