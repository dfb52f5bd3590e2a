#include "tui/usage_reading.hpp"

#include <algorithm>
#include <utility>

#include "tui/screens/advise/advise.hpp"
#include "tui/screens/screens.hpp"

namespace tessera::tui {

namespace {

// It is asked again by its key alone, and what is there without it is read from now on.
void give_up(UsageState& usage, record::Archive& archive) {
  archive.give_up();
  usage.part.reset();
  if (usage.chosen == usage::PastSource::accounting) usage.chosen.reset();
}

}  // namespace

std::vector<ClusterName> cluster_names(std::span<const BackendPtr> backends) {
  std::vector<ClusterName> names;
  for (const BackendPtr& backend : backends)
    if (std::find(names.begin(), names.end(), backend->name()) == names.end())
      names.push_back(backend->name());
  return names;
}

bool shows_sums(const UiState& state) {
  return row_of(state).over_time && state.top().kind != ScreenKind::advise;
}

void UsageReading::follow(UiState& state, record::Archive* archive, std::span<const BackendPtr> backends,
                          std::optional<TimePoint> moment, const mig::Catalogue& catalogue) {
  if (!archive) return;
  UsageState& usage = state.usage;
  // Advice counts what is recorded, where it is to count there.
  const bool advises = state.top().kind == ScreenKind::advise;
  const auto source = source_wanted(usage, advises || state.past);
  const bool wanted = source && row_of(state).over_time && (!advises || advice_reads_past(state));
  if (!wanted) {
    if (!usage.part) return;
    give_up(usage, *archive);
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
  if (*source == usage::PastSource::accounting && !asked) return;
  if (*source != usage::PastSource::accounting && usage.chosen == usage::PastSource::accounting)
    usage.chosen.reset();
  // What another source told is not what this one tells.
  if (usage.read && usage::source_of(*usage.read) != *source) usage.read = nullptr;
  usage.source = *source;
  usage.part = 0;
  archive->add_up(cluster_names(backends), usage.since, moment, catalogue, *source);
}

}  // namespace tessera::tui
