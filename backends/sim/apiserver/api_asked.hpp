// One request with all that is known of it. Private to api*.cpp. Threads: a plain value.
#pragma once

#include "backends/sim/apiserver/api.hpp"

namespace tessera::sim::kube {

struct Api::Asked {
  const User& user;
  const HttpRequest& request;
  Target target;
  Call call;

  Key key() const { return {call.kind->key(), call.ns, call.name}; }
  Form form() const;
  RowObject rows() const;
  bool dry_run() const { return target.query_of("dryRun") == "All"; }
  bool strict() const { return target.query_of("fieldValidation") == "Strict"; }
  std::variant<Selector, Refusal> selector() const;
  Json as_served(const Json& object) const;
  Answer object(const ObjectPtr& one, int status, TimePoint now) const;
};

}  // namespace tessera::sim::kube
