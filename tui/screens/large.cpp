#include "tui/screens/large.hpp"

#include "tui/screens/overview/overview_demand.hpp"
#include "tui/screens/waiting.hpp"

namespace tessera::tui {
void take_large(UiState& state, const UiContext& ui, const LargeTold& told) {
  if (const auto* demand = std::get_if<std::shared_ptr<const DemandCounted>>(&told.what)) {
    if (!take_large(state.large.demand, ui, *demand, told.took)) return;
    show_demand(state.overview, state, ui);
    if (is_waiting_list(state.top())) state.top().derived.valid = false;  // its first line tells of it
  } else if (const auto* why = std::get_if<std::shared_ptr<const WhyFound>>(&told.what)) {
    take_large(state.large.why, ui, *why, told.took);
  } else if (const auto* hours = std::get_if<std::shared_ptr<const HoursPlayed>>(&told.what)) {
    if (state.plan && take_large(state.plan->asked_hours, ui, *hours, told.took))
      state.plan->whatif = (*hours)->played;
    else
      take_large(state.large.hours, ui, *hours, told.took);
  }
}

std::shared_ptr<const WhyFound> answer_of(std::shared_ptr<const WhyQuestion> question, const pack::Stop&) {
  const ClusterThen& then = *question->then;
  const Workload* workload = then.cluster.workloads.find(question->id);
  std::shared_ptr<const why::Answer> answer;
  if (workload && workload->state == WorkloadState::pending) {
    const why::Site site{then.catalogue, question->knows_means ? &then.can : nullptr, then.rules, then.now,
                         question->details.get()};
    answer = std::make_shared<const why::Answer>(why::explain(then.cluster, *workload, site));
  }
  return std::make_shared<const WhyFound>(WhyFound{std::move(question), std::move(answer)});
}

std::shared_ptr<const HoursPlayed> answer_of(std::shared_ptr<const HoursQuestion> question,
                                             const pack::Stop& stop) {
  const ClusterThen& then = *question->then;
  const whatif::Question asked{&then.cluster, then.catalogue, then.now, std::chrono::hours(question->hours),
                               stop};
  auto played = std::make_shared<const whatif::Comparison>(whatif::compare(asked, question->plan));
  return std::make_shared<const HoursPlayed>(HoursPlayed{std::move(question), std::move(played)});
}

}  // namespace tessera::tui
