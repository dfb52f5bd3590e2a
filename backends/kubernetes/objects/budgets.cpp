#include "backends/kubernetes/objects/budgets.hpp"

#include <fmt/format.h>

namespace tessera::kubernetes {
namespace {

bool covers(const BudgetObject& budget, const PodObject& pod) {
  if (!budget.selector || budget.meta.name_space != pod.meta.name_space) return false;
  if (budget.selector->empty()) return budget.api != "policy/v1beta1";
  return budget.selector->matches(pod.meta.labels);
}

}  // namespace

void Budgets::keep(BudgetObject budget, const std::string& api) {
  if (budget.api.empty()) budget.api = api;
  std::string id = budget.id();
  all_[std::move(id)] = std::move(budget);
}

std::vector<std::string> Budgets::ids() const {
  std::vector<std::string> ids;
  for (const auto& [id, budget] : all_) ids.push_back(id);
  return ids;
}

std::string Budgets::why_kept(const PodObject& pod) const {
  const BudgetObject *first = nullptr, *strict = nullptr;
  // Those of one namespace stand side by side.
  for (auto it = all_.lower_bound(pod.meta.name_space + "/"); it != all_.end(); ++it) {
    if (it->second.meta.name_space != pod.meta.name_space) break;
    if (!covers(it->second, pod)) continue;
    if (first)
      return fmt::format("budgets {} and {} cover it, and the API evicts no pod that has two",
                         first->meta.name, it->second.meta.name);
    first = &it->second;
    if (it->second.allowed.value_or(0) <= 0) strict = &it->second;
  }
  if (!strict) return {};
  if (!strict->allowed) return fmt::format("budget {} has not been worked out yet", strict->meta.name);
  return fmt::format("budget {} allows no disruption now: {} healthy, {} needed", strict->meta.name,
                     strict->healthy, strict->needed);
}

}  // namespace tessera::kubernetes
