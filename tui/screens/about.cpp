// About: what this is, what it uses, and where its data comes from.
#include <fmt/core.h>

#include <algorithm>

#include "tui/screens/documents.hpp"

namespace tessera::tui {
namespace {

void add_cluster(Document& document, const Cluster& cluster, const World& world, int width) {
  document.push_back({});
  document.push_back(heading_line(cluster.name.text, cluster.simulated ? "simulated" : ""));
  document.push_back(fact_line(
      "scheduler", cluster.version.empty() ? std::string(word(cluster.scheduler)) : cluster.version));
  document.push_back(fact_line("read from", cluster.endpoint.empty() ? "n/a" : cluster.endpoint));
  auto every = std::chrono::duration_cast<std::chrono::seconds>(cluster.pace.interval).count();
  document.push_back(fact_line("polling", every == 0 ? std::string("none (watching for changes)")
                                                     : fmt::format("every {} s, {:.0f} calls a minute", every,
                                                                   cluster.pace.calls_per_minute)));
  for (const auto& [source, health] : cluster.sources) {
    std::string text = health.last_ok ? "answered " + ago_text(cluster, *health.last_ok, world.wall)
                                      : std::string("never answered");
    if (health.failure) text = "fails: " + to_line(*health.failure) + "; " + text;
    add_wrapped_fact(document, std::string(word(source)), text, width,
                     health.failure ? Style(Role::danger) : Style(Role::text));
  }
}

}  // namespace

Document about_document(const World& world, const UiState& state, int width) {
  Document document;
  document.push_back({{{"tessera", Style(Role::accent).with_bold(), 1},
                       {"   shows a cluster's GPUs as the tiles they are cut into", Role::text}},
                      {}});
  document.push_back({});
  for (const auto& [label, value] : state.about) add_wrapped_fact(document, label, value, width);
  document.push_back(
      fact_line("may change", state.writable ? "yes, after a plan is armed" : "nothing: read-only"));
  document.push_back(fact_line("theme", state.theme));
  document.push_back(fact_line("you are", state.me.empty() ? "?" : state.me));
  auto products = world.catalogue.products();
  auto known = std::count_if(products.begin(), products.end(),
                             [](const mig::Product& product) { return product.placements_known; });
  document.push_back(
      fact_line("catalogue", fmt::format("{} products, {} with known placements", products.size(), known)));
  for (const Cluster& cluster : world.model.clusters) add_cluster(document, cluster, world, width);
  return document;
}

}  // namespace tessera::tui
