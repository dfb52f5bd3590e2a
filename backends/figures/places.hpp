// Where figures are asked for, as a site writes it: a service of a Kubernetes cluster, a URL for a command.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"

namespace tessera::figures {

// "monitoring/prometheus-k8s:9090", "monitoring/https:prometheus:web"
struct ServicePlace {
  std::string name_space, service, port;  // port: a number, or the name that the service gives it
  bool https = false;

  // Of its root behind the API server's proxy: "/api/v1/namespaces/.../services/.../proxy".
  std::string target() const;
};
Result<ServicePlace> parse_service_place(std::string_view text);

// "http://prometheus.site:9090", "https://host/prefix", without what may follow a path. Errors: a login in
// it, which every user could read in the list of processes.
Result<std::string> parse_root_url(std::string_view text);

// A command in which `place` ("{url}", "{node}") stands, as words. Errors: it does not, or an open quote.
Result<std::vector<std::string>> parse_command_with(std::string_view text, std::string_view place);

}  // namespace tessera::figures
