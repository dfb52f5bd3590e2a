#include "engine/record/stood.hpp"

#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::record {
namespace {

std::optional<TimePoint> next_round(Recording& recording, TimePoint after) {
  std::optional<TimePoint> found;
  // What cannot be read there is told by whoever asks for it.
  (void)recording.rounds(after + Duration{1}, TimePoint::max(), [&](const Round& round) {
    found = round.at;
    return false;
  });
  return found;
}

}  // namespace

Result<Model> stood_at(Recording& recording, TimePoint time) {
  Result<Model> model = recording.at(time);
  if (!model || model->clusters.empty()) return model;
  const TimePoint round = cluster_now(model->clusters.front(), time);
  if (time - round <= kOldRound) return model;
  const auto next = next_round(recording, time);
  std::string why = clean(recording.cluster().text, 200);
  if (next)
    why += ": nothing lies between the rounds of " + utc_text(round) + " and " + utc_text(*next);
  else
    why += ": the newest round is of " + utc_text(round);
  return Error{"nothing is recorded of " + utc_text(time), why,
               "give the time of a round; tessera replay shows what stood before and after"};
}

}  // namespace tessera::record
