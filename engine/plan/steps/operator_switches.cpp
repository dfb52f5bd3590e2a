// What the site says of names, strategies and the switches of shares, and what holds on a node now.
#include <algorithm>

#include "engine/operators/labels.hpp"
#include "engine/operators/operator_setup.hpp"
#include "engine/operators/plugin_config.hpp"
#include "engine/plan/steps/operator_goal.hpp"
#include "engine/plan/steps/operator_orders.hpp"
#include "engine/plan/steps/simulated_switches.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::plan {

using operators::OperatorSetup;
using operators::PluginConfig;

namespace {

// The configuration that a key of the node's label stands for: as the plugin takes it, with the default where
// there is none of that name.
std::optional<PluginConfig> config_for(const OperatorSetup& site, const std::string& key) {
  auto text = site.plugin_configs.find(key);
  if (text == site.plugin_configs.end()) text = site.plugin_configs.find(site.plugin_default);
  if (text == site.plugin_configs.end()) return std::nullopt;
  auto config = operators::parse_plugin_config(text->second, text->first);
  return config ? std::optional(std::move(*config)) : std::nullopt;
}

bool shares(const std::optional<PluginConfig>& config) {
  return config && config->sharing.method != Strategy::whole;
}

// Whether a configuration has the switches that were wished for.
bool has_switches(const std::optional<PluginConfig>& config, const WishedSwitches& wished) {
  if (!shares(config)) return true;
  return wished.rename_shared.value_or(config->sharing.rename) == config->sharing.rename &&
         wished.refuse_several.value_or(operators::refuses_several(config->sharing)) ==
             operators::refuses_several(config->sharing);
}

// The configuration that a way back leads to; nullopt: it is none, that one is gone, or it has been given
// other switches meanwhile than the run found.
std::optional<PluginConfig> config_to_return_to(const OperatorSetup& site, const Intent* intent) {
  if (!intent) return std::nullopt;
  auto found = intent->orders.find(std::string(operators::kPluginConfig));
  if (found == intent->orders.end()) return std::nullopt;
  if (!found->second.empty() && !site.plugin_configs.contains(found->second)) return std::nullopt;
  auto config = config_for(site, found->second);
  return has_switches(config, intent->switches) ? std::move(config) : std::nullopt;
}

// A switch as it is to be: by a way back, the wish, the site's word, or as the node has it; in this order.
template <class T>
T first_told(const T& back, const T& wished, const T& site, const T& now) {
  return back ? back : wished ? wished : site ? site : now;
}

}  // namespace

SiteRules with_site(SiteRules rules, const Means& can, const Node* node, const Intent* intent) {
  const auto wished = [&](auto member) { return intent ? intent->switches.*member : std::nullopt; };
  std::optional<PluginConfig> back, now;
  rules.offers_nothing = intent && offers_nothing(intent->orders);
  if (can.gpu_operator) {
    const OperatorSetup& site = *can.gpu_operator;
    back = config_to_return_to(site, intent);
    now = config_for(site, node ? order_label(*node, &site, operators::kPluginConfig) : "");
    const std::optional<PluginConfig>& named = back ? back : now;
    if (!rules.strategy && named) rules.strategy = named->strategy;
    if (!rules.strategy) rules.strategy = sharing::parse_strategy(site.strategy);
  }
  const bool plays = can.dialect == Dialect::direct;  // elsewhere such labels say nothing
  const std::optional<Switches> played_back =
      plays && intent ? simulated_switches(intent->orders) : std::nullopt;
  const std::optional<Switches> played = plays && node ? simulated_switches(*node) : std::nullopt;
  std::optional<bool> rename_back, rename_now, refuse_back, refuse_now;
  if (shares(back)) rename_back = back->sharing.rename, refuse_back = back->sharing.fail_multiple;
  if (shares(now)) rename_now = now->sharing.rename, refuse_now = now->sharing.fail_multiple;
  if (played_back) rename_back = played_back->rename, refuse_back = played_back->refuse_several;
  if (played) rename_now = played->rename, refuse_now = played->refuse_several;
  if (!rename_now && node) rename_now = sharing::renames_shares(*node);
  rules.rename_shared =
      first_told(rename_back, wished(&WishedSwitches::rename_shared), rules.rename_shared, rename_now);
  if (shares(back) || played_back)
    rules.refuse_several = refuse_back;
  else
    rules.refuse_several =
        first_told({}, wished(&WishedSwitches::refuse_several), rules.refuse_several, refuse_now);
  return rules;
}

std::optional<sharing::MigStrategy> other_strategy(const SiteRules& told, const Means& can,
                                                   const Node& node) {
  using sharing::MigStrategy;
  if (!told.strategy) return std::nullopt;
  SiteRules silent = told;
  silent.strategy.reset();
  std::optional<MigStrategy> is = with_site(silent, can, &node).strategy;
  if (!is) is = sharing::told_strategy(node);
  const auto plain = [](MigStrategy one) {
    return one == MigStrategy::none_with_operator ? MigStrategy::none : one;
  };
  return is && plain(*is) != plain(*told.strategy) ? is : std::nullopt;
}

WishedSwitches switches_told(const Means& can, const Intent& intent) {
  if (can.dialect == Dialect::direct) {
    const std::optional<Switches> played = simulated_switches(intent.orders);
    return played ? WishedSwitches{played->rename, played->refuse_several} : intent.switches;
  }
  if (!can.gpu_operator) return intent.switches;
  const auto back = config_to_return_to(*can.gpu_operator, &intent);
  if (!shares(back)) return intent.switches;
  return {back->sharing.rename, operators::refuses_several(back->sharing)};
}

std::optional<Switches> switches_now(const Means& can, const Node& node) {
  if (sharing::ack::decides(node)) return std::nullopt;
  const bool in_shares = std::any_of(node.gpus.begin(), node.gpus.end(),
                                     [](const Gpu& gpu) { return gpu.replicas.value_or(1) > 1; });
  if (can.dialect == Dialect::direct) return in_shares ? simulated_switches(node) : std::nullopt;
  if (!can.gpu_operator) return std::nullopt;
  const OperatorSetup& site = *can.gpu_operator;
  auto now = config_for(site, order_label(node, &site, operators::kPluginConfig));
  if (!shares(now)) return std::nullopt;
  return switches_of(now->sharing.method, now->sharing.rename, now->sharing.fail_multiple);
}

Switches switches_of(Strategy method, bool rename, std::optional<bool> refuse_several) {
  return {rename, operators::refuses_several({method, rename, {}, refuse_several})};
}

}  // namespace tessera::plan
