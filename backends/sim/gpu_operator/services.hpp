// Services of the simulated cluster behind which a real program listens on this machine: a Prometheus that
// scrapes the simulated exporters, say. What the API server is asked for below services/NAME:PORT/proxy is
// handed on to it, as a real one does for those who may get services/proxy.
//
// Threads: the worker's; the worker outlives it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/figures/places.hpp"
#include "backends/http_client.hpp"
#include "backends/http_server.hpp"
#include "backends/sim/apiserver/rbac.hpp"

namespace tessera::sim::kube {

class Services {
 public:
  explicit Services(Worker& worker) : worker_(worker) {}

  // "monitoring/prometheus-k8s:9090 19090": that service is what listens on that port of 127.0.0.1, from now
  // on. Errors: something else.
  Status lead(std::string_view order);
  // Whether the request is for one of them; it is answered then, once its program has.
  bool hand_on(const User& user, const HttpRequest& request, const HttpReply& reply);

 private:
  struct Service {
    figures::ServicePlace place;
    std::unique_ptr<HttpClient> program;
  };

  Worker& worker_;
  std::vector<Service> services_;
};

}  // namespace tessera::sim::kube
