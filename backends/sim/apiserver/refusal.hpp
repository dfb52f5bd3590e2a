// What the API says when it does not do what it was asked: metav1.Status, as a Kubernetes 1.20 server words
// it. Threads: plain values, pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/sim/apiserver/value.hpp"

namespace tessera::sim::kube {

struct Cause {
  std::string reason, message, field;
};

struct Refusal {
  int code = 500;
  std::string reason;  // "NotFound"; empty: none
  std::string message;
  std::string name, group, kind;  // details; empty ones are left out
  std::vector<Cause> causes;
  std::int64_t retry_after = 0;  // seconds; 0: not reported
  std::string next;              // metadata.continue of an expired list
};

Json to_status(const Refusal& refusal);

// resource: "nodes", or "daemonsets.apps": plural with its group, as the messages have it.
Refusal not_found(std::string_view resource, std::string_view name);
Refusal already_exists(std::string_view resource, std::string_view name);
Refusal conflict(std::string_view resource, std::string_view name, std::string_view why = {});
Refusal bad_request(std::string message);
Refusal invalid(std::string_view kind, std::string_view group, std::string_view name,
                std::vector<Cause> causes);
Refusal expired(std::string message);
Refusal method_not_allowed();
Refusal unsupported_media(std::string_view accepted);

// "apps" of "daemonsets.apps"; empty: the core group.
std::string_view group_of(std::string_view resource);
std::string_view plural_of(std::string_view resource);

}  // namespace tessera::sim::kube
