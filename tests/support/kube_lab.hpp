// A small simulated Kubernetes cluster behind its API server, for tests of whatever talks to one.
//
//   h1, h2  two H100 each, whole; a pod of ann's holds both of h1
//   t1      four T4
// Threads: one test at a time.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "backends/sim/gpu_operator/serve.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::test {

inline constexpr const char* kKubeLab = R"(
clusters:
  - name: lab
    scheduler: kubernetes
    users: [ann]
    nodes:
      - {names: "h[1-2]", product: H100-80GB-SXM5, gpus: 2, driver: 570.124.06}
      - {names: t1, product: T4, gpus: 4, driver: 535.183.06}
    jobs:
      - {name: sft, namespace: training, want: "nvidia.com/gpu:2", on: h1, runs: 9d, ran: 1h, does: training}
)";

// more: further lines of the scenario. Its clock runs sixty times as fast as ours unless something else is
// said.
inline sim::kube::ServeOptions kube_lab(const Scratch& folder, const std::string& more = "") {
  sim::kube::ServeOptions options;
  options.world.scenario = folder.write("lab.yaml", kKubeLab + more);
  options.world.speed = 60;
  options.world.wall = [] { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); };
  options.world.catalogue = shared_catalogue();
  options.kubeconfig = folder.path() + "/kubeconfig";
  return options;
}

}  // namespace tessera::test
