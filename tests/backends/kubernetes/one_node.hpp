// An API server of one node, and the actuator that changes it. Threads: as HttpScript; a test's own for the
// rest.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/kubernetes/change/actuator.hpp"
#include "backends/kubernetes/objects/parse.hpp"
#include "engine/time.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/http_script.hpp"

namespace tessera::kubernetes {

inline TimePoint noon() { return *parse_utc("2026-11-21T12:00:00Z"); }

// An API server of one node that keeps what was asked of it.
class OneNode {
 public:
  using Answer = test::HttpScript::Answer;
  OneNode()
      : script_([this](const test::HttpScript::Asked& asked) { return answer(asked); }),
        client_(worker_, {script_.socket(), "", 0}) {
    worker_.post([this] { actuator_.connect(client_); });
  }
  ~OneNode() { worker_.stop(); }

  std::string annotations, labels, spec;
  std::function<std::optional<Answer>(const test::HttpScript::Asked&)> instead;

  Status perform(plan::Action action, const std::string& run = "r1", Duration deadline = {}) {
    std::promise<Status> promise;
    actuator_.perform({NodeName("n1"), std::move(action), {run, "ann", "login1", noon()}, "n1/1", deadline},
                      [&](Result<Done> told) { promise.set_value(std::move(told)); });
    return promise.get_future().get();
  }
  Result<plan::NodeFacts> observe() {
    std::promise<Result<plan::NodeFacts>> promise;
    actuator_.observe(NodeName("n1"),
                      [&](Result<plan::NodeFacts> told) { promise.set_value(std::move(told)); });
    return promise.get_future().get();
  }
  // How the cluster is set up, as `instead` answers it.
  void read_site() {
    std::promise<void> read;
    worker_.post([&] {
      told_ = [&] { read.set_value(); };
      actuator_.read_site();
    });
    read.get_future().get();
  }
  void later(Duration by) { *ahead_ += by.count(); }
  // Bodies that were sent by that method, in order.
  std::vector<std::string> sent(const std::string& method) const {
    std::vector<std::string> all;
    for (const auto& asked : script_.asked())
      if (asked.method == method) all.push_back(asked.body);
    return all;
  }
  std::vector<test::HttpScript::Asked> asked() const { return script_.asked(); }
  plan::Actuator& actuator() { return actuator_; }
  void marked() { annotations = R"("tessera/run":"tessera r1 ann@login1 2026-11-21T12:00:00Z")"; }

 private:
  Answer answer(const test::HttpScript::Asked& asked) {
    if (instead)
      if (auto other = instead(asked)) return *other;
    std::string node = R"({"metadata":{"name":"n1","resourceVersion":"7","labels":{)" + labels +
                       R"(},"annotations":{)" + annotations + R"(}},"spec":{)" + spec + R"(},"status":{}})";
    if (asked.target == "/api/v1/nodes/n1") return {200, node, {}};
    return {404, R"({"kind":"Status","message":"not found","code":404})", {}};
  }
  test::HttpScript script_;
  Worker worker_;
  HttpClient client_;
  std::shared_ptr<std::atomic<std::int64_t>> ahead_ = std::make_shared<std::atomic<std::int64_t>>(0);
  std::function<void()> told_;  // the worker's: once the site has been read
  KubernetesActuator actuator_{worker_,
                               {&test::catalogue(),
                                [ahead = ahead_] { return noon() + Duration(ahead->load()); },
                                [this](const std::shared_ptr<const operators::OperatorSetup>&) {
                                  if (auto told = std::exchange(told_, {})) told();
                                },
                                {}}};
};

// /api/v1, as a server tells in which version it takes evictions; empty: it takes none.
inline std::string core_resources(const std::string& version) {
  std::string eviction = R"(,{"name":"pods/eviction","namespaced":true,"group":"policy","version":")" +
                         version + R"(","kind":"Eviction","verbs":["create"]})";
  return R"({"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods","kind":"Pod"})" +
         (version.empty() ? "" : eviction) + "]}";
}

}  // namespace tessera::kubernetes
