// Who may do what: each listener of the simulated server is one user with rules.
//
// Rules are written on one line: "get,list,watch:nodes,pods;create:pods/eviction@training". Words: "all",
// "view" (get, list and watch of everything), "none". Threads: plain values, pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/sim/apiserver/call.hpp"
#include "backends/sim/apiserver/refusal.hpp"

namespace tessera::sim::kube {

struct Rule {
  std::vector<std::string> verbs;      // "*": every one
  std::vector<std::string> resources;  // "nodes", "daemonsets.apps", "pods/eviction", "*"
  std::string ns;                      // empty: everywhere
};

// What is asked for, in the words of a SelfSubjectAccessReview.
struct Access {
  std::string verb, group, resource, subresource, ns, name;
};

struct User {
  std::string name = "admin";
  std::vector<Rule> rules{{{"*"}, {"*"}, ""}};
  bool allows(const Access& access) const;
};

// Errors say what was expected.
Result<std::vector<Rule>> parse_rules(std::string_view text);

Access access_of(const Call& call);
// 403 as a server words it.
Refusal forbidden(const User& user, const Access& access);

// metav1 objects that a review answers with, from what was posted.
Json review_access(const User& user, const Json& posted);
Json review_rules(const User& user, const Json& posted);
Json review_self(const User& user);

}  // namespace tessera::sim::kube
