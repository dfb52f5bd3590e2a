#include "backends/sim/kube/installed.hpp"

#include "backends/sim/kube/metrics.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::string_view kExporter = "nvidia-dcgm-exporter";
constexpr std::string_view kExporterPort = "9400";

HttpAnswer plain(std::string text) {
  return {200, {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}}, std::move(text)};
}

}  // namespace

std::unique_ptr<Operator> install_operator(Cluster& cluster) {
  cluster.leave_gpus_to_controller();
  auto installed = std::make_unique<Operator>(Context{
      cluster.objects(), cluster.agenda(), [&cluster]() -> const World& { return cluster.world(); },
      [&cluster](const Context::Act& act) { (void)cluster.act(act); }, std::string(kOperatorNamespace)});
  cluster.leave_pods_to_controller([own = installed.get()](const Json& pod) { return own->leads(pod); });
  // One turn for all nodes: a state file is written once.
  (void)cluster.act([&](World&, Changes&) { installed->begin(); });
  return installed;
}

void answer_for(const Operator& installed, Cluster& cluster, Api& api) {
  api.add_hook([&installed](const Api::Behind& asked) -> std::optional<HttpAnswer> {
    if (!asked.logs || asked.pod.ns != kOperatorNamespace) return std::nullopt;
    std::optional<std::vector<std::string>> lines = installed.log_of(asked.pod.name);
    if (!lines) return std::nullopt;
    std::string text;
    for (const std::string& line : *lines) text += line + "\n";
    return plain(std::move(text));
  });
  api.add_hook([&cluster](const Api::Behind& asked) -> std::optional<HttpAnswer> {
    if (asked.logs || asked.path != "/metrics" || asked.pod.ns != kOperatorNamespace) return std::nullopt;
    if (!asked.port.empty() && asked.port != kExporterPort && asked.port != "metrics") return std::nullopt;
    ObjectPtr pod = cluster.objects().find(asked.pod);
    if (!pod || text_at(*pod, {"metadata", "labels", "app"}) != kExporter) return std::nullopt;
    std::optional<std::uint32_t> node = cluster.node_of(text_at(*pod, {"spec", "nodeName"}));
    if (!node) return std::nullopt;
    return plain(metrics_text(cluster.world(), *node));
  });
}

}  // namespace tessera::sim::kube
