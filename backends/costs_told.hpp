// The reports of a backend's sources, each with what its source costs, and told again when only that is
// another one. A report that is told again bears the time of its answer, so that it is no newer.
// Threads: a plain value of one thread; callbacks come from inside the calls.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "engine/model/event.hpp"

namespace tessera {

class CostsTold {
 public:
  using Cost = std::function<std::optional<SourceCost>(Source)>;
  using Post = std::function<void(TimePoint at, SourceReport)>;
  CostsTold(Cost cost, Post post) : cost_(std::move(cost)), post_(std::move(post)) {}

  void tell(SourceReport report, TimePoint at) {
    report.cost = cost_(report.source);
    told_.insert_or_assign(report.source, std::pair(report, at));
    post_(at, std::move(report));
  }
  // When the source's last report was; nullopt: it had none.
  std::optional<TimePoint> told_at(Source source) const {
    const auto found = told_.find(source);
    return found == told_.end() ? std::nullopt : std::optional(found->second.second);
  }
  void tell_again() {
    for (auto& [source, last] : told_) {
      auto cost = cost_(source);
      if (cost == last.first.cost) continue;
      last.first.cost = std::move(cost);
      post_(last.second, last.first);
    }
  }

 private:
  Cost cost_;
  Post post_;
  std::map<Source, std::pair<SourceReport, TimePoint>> told_;
};

}  // namespace tessera
