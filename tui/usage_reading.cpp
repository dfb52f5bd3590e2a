#include "tui/usage_reading.hpp"

#include <algorithm>

#include "tui/screens/advise/advise.hpp"
#include "tui/screens/screens.hpp"

namespace tessera::tui {

std::vector<ClusterName> cluster_names(std::span<const BackendPtr> backends) {
  std::vector<ClusterName> names;
  for (const BackendPtr& backend : backends)
    if (std::find(names.begin(), names.end(), backend->name()) == names.end())
      names.push_back(backend->name());
  return names;
}

void UsageReading::follow(UiState& state, record::Archive* archive, std::span<const BackendPtr> backends,
                          std::optional<TimePoint> moment, const mig::Catalogue& catalogue) {
  if (!archive) return;
  UsageState& usage = state.usage;
  // Advice counts what is recorded, where it is to count there.
  const bool advises = state.top().kind == ScreenKind::advise;
  const auto source = source_wanted(usage, advises || moment.has_value());
  const bool wanted = source && row_of(state).over_time && (!advises || advice_reads_past(state));
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
  source_ = source;
  usage.source = *source;
  until_ = moment;
  usage.wanted_again = false;
  usage.part = 0;
  archive->add_up(cluster_names(backends), usage.since, moment, catalogue, *source);
}

}  // namespace tessera::tui
