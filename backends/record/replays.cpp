#include "backends/record/replays.hpp"

#include <algorithm>
#include <utility>

#include "backends/record/replay.hpp"
#include "backends/record/together.hpp"
#include "engine/record/stood.hpp"

namespace tessera::record {
namespace {

// Of the recordings together.
TimePoint newest(const std::vector<std::unique_ptr<Recording>>& recordings, TimePoint wall) {
  std::optional<TimePoint> to;
  for (const auto& one : recordings)
    if (const auto covered = one->covered()) to = std::max(to.value_or(covered->to), covered->to);
  return to.value_or(wall);
}

}  // namespace

Result<std::vector<BackendPtr>> replays(std::vector<std::unique_ptr<Recording>> recordings,
                                        const ReplayStart& start, const std::function<TimePoint()>& wall) {
  const TimePoint latest = newest(recordings, wall());
  const auto together =
      start.shows_gaps && recordings.size() > 1 ? std::make_shared<Together>(true) : nullptr;
  std::optional<Error> missing;
  bool any = false;
  std::vector<BackendPtr> all;
  for (auto& one : recordings) {
    const auto covered = one->covered();
    const TimePoint own = covered && !together ? covered->to : latest;
    const TimePoint then = start.at.value_or(own);
    Result<Model> model = start.shows_gaps ? one->at(then) : stood_at(*one, then);
    if (!model && !together) return model.error();
    if (!model && !missing) missing = model.error();
    any = any || model.ok();
    if (together && covered) together->covers(one->cluster(), *covered);
    auto backend = std::make_unique<ReplayBackend>(std::move(one), then, start.speed, wall);
    if (model) backend->begin_with(std::move(*model));
    if (together) backend->stand_with(together);
    all.push_back(std::move(backend));
  }
  if (!any && missing) return *missing;
  return all;
}

}  // namespace tessera::record
