// A small cluster that says what a test wants, and the backend that watches it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "backends/kubernetes/backend.hpp"
#include "backends/mailbox.hpp"
#include "engine/model/reduce.hpp"
#include "tests/backends/kubernetes/texts.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/http_script.hpp"
#include "tests/support/patience.hpp"
#include "tests/support/watch.hpp"

namespace tessera::kubernetes {

using std::chrono_literals::operator""min;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using test::HttpScript;

// A small cluster whose answers a test may change while it is watched.
class LabApi {
 public:
  using Answer = HttpScript::Answer;
  LabApi() : script_([this](const HttpScript::Asked& asked) { return answer(asked.target); }) {}

  std::map<std::string, std::string> nodes, pods;  // before the first question only
  std::string sets = R"({"metadata":{"resourceVersion":"1"},"items":[]})";
  // Given the path, the query and how often it was asked: an answer instead of the usual one.
  std::function<std::optional<Answer>(const std::string& path, const std::string& query)> instead;
  HttpScript& script() { return script_; }

  std::size_t count(const std::string& part) const {
    auto all = script_.asked();
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(),
        [&](const HttpScript::Asked& asked) { return asked.target.find(part) != std::string::npos; }));
  }

 private:
  Answer answer(const std::string& target) {
    std::string path = target.substr(0, target.find('?')), query = target.substr(path.size());
    if (instead)
      if (auto other = instead(path, query)) return *other;
    bool watch = query.find("watch=1") != std::string::npos;
    if (watch) {
      Answer open;
      open.stream = true;
      return open;
    }
    if (path == "/api/v1/nodes") return {200, list(nodes), {}};
    if (path == "/api/v1/pods") return {200, list(pods), {}};
    if (path == "/apis/apps/v1/daemonsets") return {200, sets, {}};
    if (path == "/version") return {200, R"({"gitVersion":"v1.31.2"})", {}};
    return {404, "404 page not found", {}};
  }
  static std::string list(const std::map<std::string, std::string>& objects) {
    std::vector<std::string> items;
    for (const auto& [name, text] : objects) items.push_back(text);
    return list_json(items, "100");
  }
  HttpScript script_;
};

class KubeWatch {
 public:
  explicit KubeWatch(KubernetesOptions options) : backend_(complete(std::move(options), clock_)) {
    backend_.start(mailbox_);
  }

  bool until(const std::function<bool(const Cluster&)>& done,
             std::chrono::milliseconds patience = test::kPatience) {
    return test::reduce_until(mailbox_, model_, backend_.name(), done, patience, 50ms);
  }
  const Cluster& cluster() const { return *model_.find(backend_.name()); }
  KubernetesBackend& backend() { return backend_; }
  // What is told of one pod or Workload that is looked into.
  Details details_of(const WorkloadId& id) {
    auto answer = std::make_shared<std::promise<Details>>();
    auto told = answer->get_future();
    backend_.look_into(id, [answer](Details details) { answer->set_value(std::move(details)); });
    if (told.wait_for(test::kPatience) == std::future_status::ready) return told.get();
    ADD_FAILURE() << "no answer";
    return {};
  }
  const std::optional<Error>& failure(Source source) const { return cluster().sources.at(source).failure; }
  // Time that passes at once.
  void advance(Duration by) { *clock_ += by.count(); }

 private:
  static KubernetesOptions complete(KubernetesOptions options,
                                    const std::shared_ptr<std::atomic<std::int64_t>>& ahead) {
    options.catalogue = &test::catalogue();
    options.clock = [ahead] {
      return std::chrono::floor<Duration>(std::chrono::system_clock::now()) + Duration(ahead->load());
    };
    return options;
  }
  std::shared_ptr<std::atomic<std::int64_t>> clock_ = std::make_shared<std::atomic<std::int64_t>>(0);
  Mailbox mailbox_;
  Model model_;
  KubernetesBackend backend_;
};

inline KubernetesOptions at(const std::string& socket) {
  KubernetesOptions options;
  options.cluster = "lab";
  options.socket = socket;
  return options;
}

inline const Labels kOne{{"nvidia.com/gpu.present", "true"},
                         {"nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3"},
                         {"nvidia.com/gpu.count", "2"},
                         {"nvidia.com/gpu.replicas", "1"},
                         {"nvidia.com/mig.capable", "true"}};

inline std::string gpu_node(const std::string& name, const std::string& version = "1",
                            const std::string& spec = "") {
  return node_json(name, kOne, {{"nvidia.com/gpu", "2"}}, spec, "True", version);
}
inline std::string gpu_pod(const std::string& name, const std::string& node, int gpus = 1,
                           const std::string& phase = "Running", const std::string& version = "1") {
  return R"({"metadata":{"namespace":"team","name":")" + name + R"(","resourceVersion":")" + version +
         R"("},"spec":{"nodeName":")" + node +
         R"(","containers":[{"resources":{"limits":{"nvidia.com/gpu":")" + std::to_string(gpus) +
         R"("}}}]},"status":{"phase":")" + phase + R"("}})";
}
inline std::string event_json(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

inline bool loaded(const Cluster& cluster) { return cluster.loaded; }

}  // namespace tessera::kubernetes
