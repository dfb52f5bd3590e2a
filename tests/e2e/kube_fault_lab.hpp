// A change through the GPU operator with something going wrong: what the manager, the node or the API server
// does.
// Threads: one test at a time.
#pragma once

#include <optional>

#include "tests/e2e/kube_change_lab.hpp"

namespace tessera::test {

inline const KubeWords kCutH2{"--node", "h2", "--preset", "all-1g.10gb"};

class KubeFault : public KubeChangeLab {
 protected:
  // 240: what takes minutes is over in a second or two.
  void serve_at(double speed) {
    sim::kube::ServeOptions options = kube_lab(folder_);
    options.world.speed = speed;
    serve(std::move(options));
  }
  // a1 with so many A100, which are reset when their MIG mode changes.
  void serve_ampere(int gpus, std::optional<double> speed = {}) {
    sim::kube::ServeOptions options = kube_lab(folder_);
    if (speed) options.world.speed = *speed;
    options.world.scenario = folder_.write("ampere.yaml", R"(
clusters:
  - name: lab
    scheduler: kubernetes
    users: [ann]
    nodes:
      - {names: a1, product: A100-80GB, gpus: )" + std::to_string(gpus) +
                                                              ", driver: 570.124.06}\n");
    serve(std::move(options));
  }
  // The API server's own, at what a run writes and at what it reads.
  void arm_every_server_fault() {
    for (const char* fault :
         {"busy after=1 method=PATCH path=/api/v1/nodes/h2", "error method=PATCH path=/api/v1/nodes/h2 nth=3",
          "drop method=PATCH path=/api/v1/nodes/h2 nth=5",
          "slow after=1 method=PATCH path=/api/v1/nodes/h2 nth=7",
          "busy after=1 method=GET path=/api/v1/nodes/h2 nth=2",
          "error method=GET path=/api/v1/nodes/h2 nth=5", "drop method=GET path=/api/v1/nodes/h2 nth=8",
          "half-line path=/api/v1/nodes?watch", "drop path=/api/v1/pods?fieldSelector nth=4"})
      arm_fault(fault);
  }
  // Nothing resets its GPUs, and its MIG manager may reboot it.
  void only_a_reboot_helps(const std::string& node) {
    kubectl({"patch", "clusterpolicy", "cluster-policy", "--type=merge", "-p",
             R"({"spec":{"migManager":{"env":[{"name":"WITH_REBOOT","value":"true"}]}}})"});
    arm_fault("in-use node=" + node + " verb=reconfigure");
  }
  // A pod of inference on h2, and a budget that does not let it go.
  void serve_with_a_budget() {
    serve(kube_lab(folder_, R"(
      - {name: rank, namespace: serving, want: "nvidia.com/gpu", on: h2, runs: 9d, ran: 1h, does: inference}
)"));
  }
  void lift_the_budget() { kubectl({"delete", "poddisruptionbudgets", "--all", "-n", "serving"}); }
  // The change of h2 with that fault armed.
  Ran cut_with(const std::string& fault) {
    arm_fault(fault);
    return apply(kCutH2);
  }
  void expect_cut(const Ran& ran) {
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_EQ(json_at(ran.out, "/outcome"), "\"wanted\"") << ran.out;
    EXPECT_EQ(offers("h2", "mig-1g\\.10gb"), "14");
    expect_given_back("h2");
  }
};

}  // namespace tessera::test
