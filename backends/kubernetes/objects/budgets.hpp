// Which pods a PodDisruptionBudget keeps from being evicted now.
//
// As the eviction API judges (policy/v1, kubernetes.io "Specifying a Disruption Budget for your
// Application"): a pod of a budget that allows no disruption stays, and so does one that more than one budget
// covers. An empty selector covers every pod of its namespace in v1, none in v1beta1. Threads: plain values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/kubernetes/objects/objects.hpp"

namespace tessera::kubernetes {

class Budgets {
 public:
  // api: that of the list, for budgets that do not say it themselves.
  void keep(BudgetObject budget, const std::string& api = "");
  void drop(const std::string& id) { all_.erase(id); }
  std::vector<std::string> ids() const;

  // Why an eviction of this pod would be refused now: "budget spell-pdb allows no disruption now: 2 healthy,
  // 2 needed"; empty: nothing is known against it.
  std::string why_kept(const PodObject& pod) const;

 private:
  std::map<std::string, BudgetObject, std::less<>> all_;  // by "namespace/name"
};

}  // namespace tessera::kubernetes
