#include "backends/slurm/change/looks_counted.hpp"

#include <utility>

namespace tessera::slurm {
namespace {

using Steady = std::chrono::steady_clock;

}  // namespace

LooksCounted::LooksCounted(NodeName host, std::function<TimePoint()> clock)
    : host_(std::move(host)), clock_(std::move(clock)), meter_(Steady::now(), std::chrono::minutes(1)) {}

Source LooksCounted::source_of(const NodeCommand& command) const {
  if (command.changes) return Source::none;
  return !host_.empty() && command.node == host_ ? Source::slurm_config : Source::nvidia_smi;
}

NodeRunner::Counted LooksCounted::counts() {
  NodeRunner::Counted counts;
  counts.started = [this](const NodeCommand& command) { meter_.called(source_of(command), Steady::now()); };
  counts.ended = [this](const NodeCommand& command, const Outcome& outcome) {
    const Source source = source_of(command);
    meter_.came(source, outcome.out.size() + outcome.err.size(), Steady::now());
    if (source == Source::none || !outcome.succeeded()) return;
    // That a node answers is not that its driver does.
    const bool of_driver = !command.argv.empty() && command.argv.front().ends_with("nvidia-smi");
    if (source == Source::slurm_config || of_driver) answered_[source] = {clock_(), outcome.took};
  };
  return counts;
}

std::optional<LooksCounted::Answered> LooksCounted::answered(Source source) const {
  const auto found = answered_.find(source);
  return found == answered_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<SourceCost> LooksCounted::cost(Source source) { return meter_.cost(source, Steady::now()); }

}  // namespace tessera::slurm
