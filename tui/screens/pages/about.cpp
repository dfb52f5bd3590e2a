// About: what this is, what it uses, and where its data comes from.
#include <fmt/core.h>

#include <algorithm>

#include "tui/screens/documents.hpp"

namespace tessera::tui {
namespace {

// Sources are named by their commands, some of which are longer than a label.
void add_sources_in_short(FactPage& page, const Cluster& cluster, const UiContext& ui) {
  int widest = kLabelWidth;
  for (const auto& [source, health] : cluster.sources)
    widest = std::max(widest, display_width(word(source)) + 2);
  for (const auto& [source, health] : cluster.sources) {
    if (source == Source::none) continue;  // a recording's own
    const Style style = health.failure ? Style(Role::danger) : Style(Role::text);
    bool first = true;
    for (std::string& line : page.wrapped(answered_text(page, cluster, health, ui.wall), 3 + widest)) {
      page.add(
          {{{first ? std::string(word(source)) : "", Role::dim, 3}, {std::move(line), style, 3 + widest}},
           {}});
      first = false;
    }
  }
}

// "slurm 22.05.8" is how Slurm reports itself; an API server reports "v1.29.4" alone.
std::string scheduler_text(const Cluster& cluster) {
  const std::string name(word(cluster.scheduler));
  if (cluster.version.empty() || cluster.version.starts_with(name))
    return cluster.version.empty() ? name : cluster.version;
  return name + " " + cluster.version;
}

void add_cluster(FactPage& page, const Cluster& cluster, const UiContext& ui) {
  page.group(cluster.name.text, cluster.simulated ? "simulated" : "");
  page.data(page.told("scheduler"), scheduler_text(cluster));
  page.data(page.told("read from"), cluster.endpoint.empty() ? "n/a" : cluster.endpoint);
  auto every = std::chrono::duration_cast<std::chrono::seconds>(cluster.pace.interval).count();
  page.fact("polling", every == 0 ? std::string("none (watching for changes)")
                                  : fmt::format("every {} s, {:.0f} calls a minute", every,
                                                cluster.pace.calls_per_minute));
  add_sources_in_short(page, cluster, ui);
}

}  // namespace

Document about_document(const UiContext& ui, const UiState& state, int width) {
  FactPage page(state, width);
  page.add({{{"tessera", Style(Role::accent).with_bold(), 1},
             {"   " + page.told("shows a cluster's GPUs as the tiles they are cut into"), Role::text}},
            {}});
  page.blank();
  for (const auto& [label, value] : state.about)
    page.data(page.told(label), label == "terminal" ? page.told(value) : value);
  page.fact("may change", state.writable ? "yes, after a plan is armed" : "nothing: read-only");
  page.data(page.told("theme"), state.theme);
  page.data(page.told("you are"), state.me.empty() ? "?" : state.me);
  auto products = ui.catalogue.products();
  auto known = std::count_if(products.begin(), products.end(),
                             [](const mig::Product& product) { return product.placements_known; });
  page.fact("catalogue", fmt::format("{} products, {} with known placements", products.size(), known));
  for (const Cluster& cluster : ui.model.clusters) add_cluster(page, cluster, ui);
  return page.take();
}

}  // namespace tessera::tui
