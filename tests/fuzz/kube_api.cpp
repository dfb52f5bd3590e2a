// Requests as a stranger may send them to the simulated API server: method, content type, target and body on
// lines of their own. Whatever comes is answered, and the world behind stays sound.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "backends/sim/apiserver/api.hpp"
#include "backends/sim/gpu_operator/cluster.hpp"

int fuzz_kube_api(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  using namespace tessera::sim;
  static const auto catalogue = std::make_shared<const mig::Catalogue>(*mig::Catalogue::built_in());
  // Small, since it is made again for nearly every input: two nodes, work with a budget, work that waits.
  static const ScenarioPtr scenario = *parse_scenario(R"(
clusters:
  - name: train-a
    scheduler: kubernetes
    version: kubernetes v1.32.2
    users: [u]
    nodes:
      - {names: whole-01, product: H100-80GB-SXM5, gpus: 1, features: ["mig.strategy=mixed"]}
      - {names: mixed-01, product: H100-80GB-SXM5, gpus: 1, layout: all-balanced, features: ["mig.strategy=mixed"]}
    jobs:
      - {count: 2, namespace: search, name: spell, want: nvidia.com/mig-1g.10gb, does: inference, runs: 9h, ran: 1h}
      - {count: 2, namespace: training, name: sft, want: nvidia.com/gpu, runs: 9h, ran: 1h, restartable: false}
)",
                                                      "fuzz.yaml", catalogue);
  static const World fresh = *make_world(scenario, 0, 1, TimePoint(Duration(1'772'442'000'000)));
  // Again after whatever may have changed it, so that an input always meets the same cluster.
  static std::unique_ptr<kube::Cluster> cluster;
  if (!cluster)
    cluster = std::make_unique<kube::Cluster>(sim::WorldStore(fresh), 0, [] { return TimePoint{}; });
  kube::Api api(*cluster);
  std::string rest(reinterpret_cast<const char*>(data), size);
  auto line = [&rest] {
    std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string text = rest.substr(0, end);
    rest.erase(0, std::min(rest.size(), end + 1));
    return text;
  };
  HttpRequest request;
  request.method = line();
  std::string type = line();
  request.headers = {{"Content-Type", type}, {"Accept", type}};
  request.target = line();
  request.body = rest;
  kube::Answer answer = api.answer(kube::User{}, request);
  if (answer.watch) api.unfollow(api.follow(*answer.watch, [](const std::string&) { return true; }));
  if (!answer.watch && answer.http.status == 0) std::abort();
  if (!audit(cluster->world()).empty()) std::abort();
  if (request.method != "GET") cluster.reset();
  return 0;
}
