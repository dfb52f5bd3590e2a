#include "backends/sim/gpu_operator/installed.hpp"

#include "backends/sim/gpu_operator/project/metrics.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::string_view kExporter = "nvidia-dcgm-exporter";
constexpr std::string_view kExporterPort = "9400";

HttpAnswer plain(std::string text) {
  return {200, {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}}, std::move(text)};
}

// Its port is called so: it was given a certificate.
bool speaks_tls(const Json& pod) {
  const Json* containers = at(pod, {"spec", "containers"});
  if (!containers) return false;
  for (const Json& container : containers->items)
    if (const Json* ports = at(container, {"ports"}))
      for (const Json& port : ports->items)
        if (view_at(port, {"name"}).starts_with("https")) return true;
  return false;
}

// A variable of one of its containers; empty: not set.
std::string variable_of(const Json& pod, std::string_view name) {
  const Json* containers = at(pod, {"spec", "containers"});
  if (!containers) return {};
  for (const Json& container : containers->items)
    if (const Json* env = at(container, {"env"}))
      for (const Json& one : env->items)
        if (view_at(one, {"name"}) == name) return text_at(one, {"value"});
  return {};
}

// What Go's servers and transports say of it (net/http), as the API server hands it on.
HttpAnswer wrong_scheme(bool https) {
  if (!https)
    return {400, {{"Content-Type", "text/plain"}}, "Client sent an HTTP request to an HTTPS server.\n"};
  Json status =
      object({{"kind", text("Status")},
              {"apiVersion", text("v1")},
              {"metadata", Json::map()},
              {"status", text("Failure")},
              {"message", text("error trying to reach service: tls: first record does not look like a "
                               "TLS handshake")},
              {"reason", text("ServiceUnavailable")},
              {"code", number(503)}});
  return {503, {{"Content-Type", "application/json"}}, to_line(status)};
}

}  // namespace

std::unique_ptr<Operator> install_operator(Cluster& cluster) {
  cluster.leave_gpus_to_controller();
  auto installed = std::make_unique<Operator>(Context{
      cluster.objects(), cluster.agenda(), [&cluster]() -> const World& { return cluster.world(); },
      [&cluster](const Context::Act& act) { (void)cluster.act(act); }, std::string(kOperatorNamespace),
      [&cluster](std::uint32_t node) { cluster.find_devices(node); }});
  cluster.leave_devices_to_controller();
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
    if (asked.https != speaks_tls(*pod)) return wrong_scheme(asked.https);
    ExporterHabits habits;
    habits.virtual_gpus = variable_of(*pod, "KUBERNETES_VIRTUAL_GPUS") == "true";
    return plain(metrics_text(cluster.world(), *node, habits));
  });
}

}  // namespace tessera::sim::kube
