#include "tui/usage_reading.hpp"

#include <algorithm>
#include <utility>

#include "tui/pack_state.hpp"
#include "tui/screens/advise/advise.hpp"
#include "tui/screens/screens.hpp"

namespace tessera::tui {

namespace {

using usage::PastSource;

// The accounting answers on request alone: where no answer of it came, what is there without it is read.
// Where nothing else is, it stays chosen, so that the days and a refresh ask it.
void settle(UsageState& usage) {
  const bool stands = usage.asked || usage.part || usage.failure || is_read(usage, PastSource::accounting);
  if (usage.chosen == PastSource::accounting && !stands && usage.sources.size() > 1) usage.chosen.reset();
}

}  // namespace

std::vector<ClusterName> cluster_names(std::span<const BackendPtr> backends) {
  std::vector<ClusterName> names;
  for (const BackendPtr& backend : backends)
    if (std::find(names.begin(), names.end(), backend->name()) == names.end())
      names.push_back(backend->name());
  return names;
}

bool reads_past(const UiState& state) {
  if (state.top().kind == ScreenKind::pack) return state.pack && state.pack->history.has_value();
  return row_of(state).over_time && (state.top().kind != ScreenKind::advise || advice_reads_past(state));
}

void UsageReading::follow(UiState& state, record::Archive* archive, std::span<const BackendPtr> backends,
                          std::optional<TimePoint> moment, const mig::Catalogue& catalogue) {
  if (!archive) return;
  UsageState& usage = state.usage;
  settle(usage);
  const auto source = source_wanted(usage, state.past);
  // In the past the moment says until when, and is not there at once.
  const bool wanted = source && reads_past(state) && moment.has_value() == state.past;
  // Sums of now are none of a moment that is still to come.
  if (state.past && !moment && (usage.read || usage.failure)) {
    usage.read = nullptr;
    usage.failure.reset();
    usage.wanted_again = true;
  }
  if (!wanted) {
    if (!usage.part) return;
    archive->give_up();
    usage.part.reset();
    usage.wanted_again = true;
    return;
  }
  // What plays is read once it stands.
  const bool moved = moment.has_value() != until_.has_value() || (moment != until_ && state.playing == 0);
  if (days_ == usage.since && source_ == source && !moved && !usage.wanted_again) return;
  days_ = usage.since;
  until_ = moment;
  source_ = source;
  usage.wanted_again = false;
  const bool asked = std::exchange(usage.asked, false);
  if (*source == PastSource::accounting && !asked) return;
  if (*source != PastSource::accounting && usage.chosen == PastSource::accounting) usage.chosen.reset();
  // What another source told is not what this one tells.
  if (!is_read(usage, *source)) usage.read = nullptr;
  if (usage.source != *source) usage.failure.reset();
  usage.source = *source;
  usage.part = 0;
  archive->add_up(cluster_names(backends), usage.since, moment, catalogue, *source);
}

}  // namespace tessera::tui
