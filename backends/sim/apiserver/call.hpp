// What a request asks of the API: its path and query taken apart.
//
// Paths are hostile: percent signs are decoded strictly, and a path that is no resource's is simply not
// found. Threads: plain values, pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/sim/apiserver/kinds.hpp"

namespace tessera::sim::kube {

// A target as it came: "/api/v1/nodes?limit=500".
struct Target {
  std::string path;                                       // decoded, for everything that is no resource
  std::vector<std::string> parts;                         // decoded, without empty ones
  std::map<std::string, std::string, std::less<>> query;  // the first of each name

  std::string_view query_of(std::string_view name) const;
  bool flag(std::string_view name) const;  // "true", "1"
};
// nullopt: no path, a broken percent sign, a NUL, or too long.
std::optional<Target> parse_target(std::string_view target);

struct Call {
  const ResourceKind* kind = nullptr;
  std::string verb;  // get list watch create update patch delete deletecollection, as RBAC has them
  std::string ns;    // empty: none, or all
  std::string name;
  std::string subresource;
  std::string rest;  // behind pods/NAME/proxy: "/metrics"
};
// nullopt: the path is no resource's. An unknown method is verb "".
std::optional<Call> parse_call(std::string_view method, const Target& target, const Kinds& kinds);

}  // namespace tessera::sim::kube
