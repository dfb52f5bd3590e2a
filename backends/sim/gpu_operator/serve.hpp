// `tessera-sim serve --kubernetes`: a simulated cluster behind an API server that kubectl talks to.
//
// Plain HTTP on this machine: a Unix socket or loopback ports. Each listener is one user: kubectl sends no
// token over plain HTTP, so access control is by port. Threads: start() and the destructor on any one thread,
// both may block a moment; everything else happens on the server's own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/sim/apiserver/rbac.hpp"
#include "backends/sim/backend.hpp"

namespace tessera::sim::kube {

struct UserPort {
  std::string name;
  std::uint16_t port = 0;
  std::vector<Rule> rules;
};
// "viewer=8002:view,ops=8003:get,list:nodes;patch:nodes". Errors name the part that is wrong.
Result<std::vector<UserPort>> parse_user_ports(std::string_view text);

struct ServeOptions {
  SimulatorOptions world;  // scenario empty and no state file: "kubernetes"
  std::string cluster;     // its name; empty: the first Kubernetes cluster
  std::string listen;      // a path: Unix socket; digits: port of 127.0.0.1; empty: any free port
  std::vector<UserPort> users;
  std::string kubeconfig;  // a file to write, for every user; empty: none
};

class Server {
 public:
  // Errors: no such scenario or Kubernetes cluster, address in use, kubeconfig not writable.
  static Result<std::unique_ptr<Server>> start(ServeOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // What to say to whoever started it: where it listens, who is who.
  const std::string& announcement() const;
  std::uint16_t port() const;  // of the administrator's listener; 0: a Unix socket

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tessera::sim::kube
