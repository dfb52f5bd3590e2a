// Which of the rights that a run needs are missing: asked of the API server (SelfSubjectAccessReview), for
// people who want to know it before a run stops at its first step.
// Threads: one, that of the client; the callback comes from inside it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/http_client.hpp"
#include "engine/model/event.hpp"
#include "engine/operators/operator_setup.hpp"

namespace tessera::kubernetes {

struct Right {
  std::string verb, group, resource, subresource, name_space;  // empty: in all, where the resource has one
  std::string text() const;                                    // "create pods/eviction"
};

// What `tessera doctor --rbac --write` grants; of the namespaces of operator and DRA driver only where they
// are known, and of DeviceTaintRules where the server has them.
std::vector<Right> rights_to_change(const operators::OperatorSetup& site);

// What is missing, or why that could not be found out; nullopt: nothing is.
using RightsTold = std::function<void(std::optional<Remark>)>;
void review_rights(HttpClient& client, std::vector<Right> rights, RightsTold told);

}  // namespace tessera::kubernetes
