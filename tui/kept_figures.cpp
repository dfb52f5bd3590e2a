#include "tui/kept_figures.hpp"

#include "engine/history/keeps_figures.hpp"
#include "tui/screens/pages/charts.hpp"

namespace tessera::tui {
namespace {

// The moment of a recording that is shown; nullopt: the clusters are live.
std::optional<TimePoint> moment_of(const World& world, const ClusterName& name, TimePoint wall) {
  const Cluster* cluster = world.model.find(name);
  if (!cluster && !world.model.clusters.empty()) cluster = &world.model.clusters.front();
  if (!cluster || !cluster->recorded) return std::nullopt;
  return cluster_now(*cluster, wall);
}

}  // namespace

void KeptFigures::follow(const Screen& screen, const World& world, std::span<const BackendPtr> backends,
                         TimePoint wall) {
  const std::vector<NodeName> nodes = charted_nodes(world.model, screen);
  std::vector<std::optional<TimePoint>> moments;
  for (const BackendPtr& backend : backends) moments.push_back(moment_of(world, backend->name(), wall));
  Page now(screen.kind, screen.cluster, screen.subject, std::move(moments), nodes);
  if (now == asked_) return;
  asked_ = std::move(now);
  std::vector<NodeName> viewed;
  if (screen.kind == ScreenKind::node) viewed.emplace_back(screen.subject);
  for (const BackendPtr& backend : backends) {
    const bool here = backend->name() == screen.cluster;
    if (history::AsksNodes* asks = backend->asks_nodes())
      asks->set_viewed(!here ? std::vector<NodeName>() : nodes.empty() ? viewed : nodes);
    history::KeepsFigures* keeps = backend->keeps_figures();
    if (!keeps) continue;
    const TimePoint since = moment_of(world, backend->name(), wall).value_or(wall) - kCharted;
    for (const NodeName& node : nodes)
      if (here) keeps->look_back(node, since);
    if (screen.kind == ScreenKind::overview) keeps->look_back_at_sums(since);
  }
}

bool KeptFigures::take(World& world, std::span<const BackendPtr> backends) {
  bool any = false;
  for (const BackendPtr& backend : backends) {
    history::KeepsFigures* keeps = backend->keeps_figures();
    const Cluster* cluster = keeps ? world.model.find(backend->name()) : nullptr;
    if (!cluster) continue;
    for (const history::KeptFigures& kept : keeps->take_kept()) {
      // A recording knows all that there is of the time before its moment.
      if (backend->player())
        world.history.take_instead(*cluster, kept.node, kept.rounds);
      else
        world.history.take_before(*cluster, kept.node, kept.rounds);
      any = true;
    }
    for (history::SumsBefore& kept : keeps->take_sums_before()) {
      world.keep(cluster->name, std::move(kept));
      any = true;
    }
    if (auto idle = keeps->take_idle()) {
      world.history.take_told(cluster->name, std::move(*idle));
      any = true;
    }
    if (const std::vector<history::Sums> sums = keeps->take_sums(); !sums.empty()) {
      world.history.take_instead(cluster->name, sums);
      any = true;
    }
  }
  return any;
}

}  // namespace tessera::tui
