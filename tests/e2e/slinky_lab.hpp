// A machine of a simulated Kubernetes whose pod runs slurmd, with slurm-operator at work beside it.
// Threads: one test at a time; slurm-operator has one of its own.
#pragma once

#include <poll.h>
#include <signal.h>

#include <set>

#include "tests/e2e/kube_change_lab.hpp"
#include "tests/support/slurm_operator.hpp"

namespace tessera::test {

inline constexpr const char* kSlurmdPod =
    R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "w-0", "namespace": "slurm",
 "labels": {"nodeset.slinky.slurm.net/pod-hostname": "gpu01", "nodeset.slinky.slurm.net/scaling-mode": "DaemonSet"},
 "ownerReferences": [{"apiVersion": "slinky.slurm.net/v1beta1", "kind": "NodeSet", "name": "gpu",
                      "uid": "5e0e2f8a-0000-4000-8000-000000000001", "controller": true}]},
 "spec": {"nodeName": "h2", "containers": [{"name": "slurmd", "image": "slurmd",
                                            "securityContext": {"privileged": true}}]}})";

class SlinkyLab : public KubeChangeLab {
 protected:
  void begin(SlurmSide side) {
    kubectl({"create", "namespace", "slurm"});
    operator_ = std::make_unique<SlurmOperator>(server_->port(), "h2", kSlurmdPod, std::move(side));
    EXPECT_TRUE(wait([&] { return conditions().find("SlurmNodeState") != std::string::npos; }));
  }
  void TearDown() override { operator_.reset(); }

  static bool wait(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!done()) {
      if (std::chrono::steady_clock::now() > end) return false;
      ::poll(nullptr, 0, 50);  // the next question
    }
    return true;
  }
  std::string conditions() {
    return kubectl({"get", "pod", "w-0", "--namespace", "slurm", "--ignore-not-found", "--output",
                    "jsonpath={.status.conditions}"});
  }
  std::string slurmd() {
    return kubectl({"get", "pod", "w-0", "--namespace", "slurm", "--ignore-not-found", "--output", "name"});
  }
  Ran cut(RunOptions options = {}) {
    return apply({"--node", "h2", "--preset", "all-1g.10gb"}, std::move(options));
  }
  Ran onward(KubeWords more = {}, RunOptions options = {}) {
    more.insert(more.begin(), {"resume", newest_run()});
    more.insert(more.end(), {"--write", "--yes", "-o", "json"});
    return run(more, std::move(options));
  }
  // does: once, when the run says so; what it returns is sent as a signal.
  static RunOptions when(const std::string& said, std::function<int()> does) {
    RunOptions options;
    options.signal_on_err = [said, does = std::move(does), done = false](const std::string& err) mutable {
      if (done || err.find(said) == std::string::npos) return 0;
      done = true;
      return does();
    };
    return options;
  }
  static RunOptions killed_at(const std::string& said) {
    return when(said, [] { return SIGKILL; });
  }
  void expect_cut(const Ran& ran) {
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_EQ(offers("h2", "mig-1g\\.10gb"), "14");
    expect_given_back("h2");
  }
  void expect_whole(const Ran& ran) {
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_EQ(offers("h2", "gpu"), "2");
    expect_given_back("h2");
  }

  std::unique_ptr<SlurmOperator> operator_;
};

// Ended as step after step begins, each once.
struct KilledAtEachStep {
  std::string node;
  std::set<std::string> struck{};
  int operator()(const std::string& err) {
    const std::string step = "step " + node + "/";
    for (std::size_t at = err.find(step); at != std::string::npos; at = err.find(step, at + 1)) {
      const std::size_t end = err.find(':', at);
      if (end != std::string::npos && struck.insert(err.substr(at, end - at)).second) return SIGKILL;
    }
    return 0;
  }
};

}  // namespace tessera::test
