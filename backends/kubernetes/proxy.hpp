// `kubectl proxy` on a Unix socket in a folder of our own: it does all authentication, so that any cluster
// which kubectl reaches works.
//
// Started, listened to, started again when it ends (1 s, 2 s, … 30 s), and ended with us, even when we are
// killed. The folder is 0700 and gone at the end, or at the next start where we were killed. Read-only unless
// told otherwise: the proxy itself then refuses every method that could change something. Threads: all on the
// worker's thread; the destructor there or after Worker::stop().
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backends/process.hpp"
#include "backends/worker.hpp"
#include "engine/error.hpp"

namespace tessera::kubernetes {

struct ProxyOptions {
  std::string kubectl = "kubectl";
  std::string kubeconfig;           // empty: what kubectl finds itself
  std::string context;              // empty: the current one
  bool append_server_path = false;  // the server's URL has a path; kubectl before 1.22 cannot
  bool write = false;
  std::vector<std::string> folders = {
      "/tmp"};  // where the private folder may be made; the first safe one is taken
};

// The command, for the proxy and for "show the command".
Command proxy_command(const ProxyOptions& options, const std::string& socket);

class Proxy {
 public:
  Proxy(Worker& worker, Processes& processes, ProxyOptions options);
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  // told: each time it serves (an empty value), and each time it does not, with the reason.
  using Told = std::function<void(Status)>;
  void start(Told told);

  const std::string& socket() const;  // its path, the same all along; empty: no folder could be made
  // What kubectl complained of last, since it served; empty: nothing. Forgotten by forget().
  const std::string& complaint() const;
  void forget();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace tessera::kubernetes
