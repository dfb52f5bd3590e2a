// What asking each source costs, told with the pace: both from the same counts, at the same time.
#include "backends/slurm/backend_state.hpp"

namespace tessera::slurm {

std::optional<SourceCost> SlurmBackend::State::cost_of(Source source) {
  if (source == Source::nvidia_smi || source == Source::slurm_config) return actuator.looks().cost(source);
  return pacer.cost(source, Steady::now());
}

// Looks at nodes are no part of a round: when one was answered last is what is told.
void SlurmBackend::State::tell_looks(Source source) {
  const auto answered = actuator.looks().answered(source);
  if (answered && reported.told_at(source) != answered->at)
    reported.tell(SourceReport{source, std::nullopt, answered->latency, ""}, answered->at);
}

void SlurmBackend::State::tell_costs() {
  post(PaceReport{pacer.calls_per_minute(Steady::now()), pacer.interval(),
                  exporters ? exporters->round() : Duration(0),
                  exporters ? exporters->viewed_every() : Duration(0)});
  tell_looks(Source::nvidia_smi);
  tell_looks(Source::slurm_config);
  reported.tell_again();
}

}  // namespace tessera::slurm
