#include "backends/kubernetes/source_asked.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

namespace tessera::kubernetes {
namespace {

// What stands behind "/api/v1/" or a namespace.
constexpr std::pair<std::string_view, Source> kCore[] = {
    {"nodes", Source::kubernetes_nodes},         {"pods", Source::kubernetes_pods},
    {"resourcequotas", Source::kubernetes_pods}, {"persistentvolumeclaims", Source::kubernetes_pods},
    {"configmaps", Source::kubernetes_operator},
};

constexpr std::pair<std::string_view, Source> kGroups[] = {
    {"/apis/resource.k8s.io", Source::kubernetes_claims}, {"/apis/policy", Source::kubernetes_pods},
    {"/apis/kueue.x-k8s.io", Source::kubernetes_pods},    {"/apis/scheduling.", Source::kubernetes_pods},
    {"/apis/apps", Source::kubernetes_operator},          {"/apis/nvidia.com", Source::kubernetes_operator},
};

// Takes the first part of a path off: "pods/p/log" leaves "p/log".
std::string_view take_part(std::string_view& path) {
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view part = path.substr(0, end);
  path.remove_prefix(std::min(end + 1, path.size()));
  return part;
}

Source source_of_core(std::string_view path) {
  const bool in_namespace = path.starts_with("namespaces/");
  if (in_namespace) {
    take_part(path);
    take_part(path);
  }
  const std::string_view resource = take_part(path);
  take_part(path);  // the object's name
  const std::string_view below = take_part(path);
  if (below == "proxy") return Source::dcgm;                                     // an exporter, or Prometheus
  if (resource == "pods" && below == "log") return Source::kubernetes_operator;  // the MIG manager's
  // Of one pod, while it is looked at; of nodes all the time.
  if (resource == "events") return in_namespace ? Source::kubernetes_pods : Source::kubernetes_nodes;
  for (const auto& [known, source] : kCore)
    if (resource == known) return source;
  return Source::kubernetes_nodes;  // the namespace itself, which tells whose cluster it is; what is offered
}

}  // namespace

Source source_asked(const HttpCall& call) {
  if (call.method != "GET") return Source::none;
  constexpr std::string_view kApi = "/api/v1";
  const std::string_view path = std::string_view(call.target).substr(0, call.target.find('?'));
  if (call.target.starts_with("/api/v1/events?fieldSelector=reason")) return Source::kubernetes_pods;
  if (path.starts_with(kApi)) {
    std::string_view rest = path.substr(kApi.size());
    if (rest.starts_with('/')) rest.remove_prefix(1);
    return source_of_core(rest);
  }
  for (const auto& [group, source] : kGroups)
    if (path.starts_with(group)) return source;
  return path == "/version" ? Source::kubernetes_nodes : Source::none;
}

void count_into(Meter& meter, HttpClient& client) {
  using Clock = std::chrono::steady_clock;
  client.count([&meter](const HttpCall& call) {
    const Source source = source_asked(call);
    meter.called(source, Clock::now());
    return [&meter, source](std::size_t bytes) { meter.came(source, bytes, Clock::now()); };
  });
}

}  // namespace tessera::kubernetes
