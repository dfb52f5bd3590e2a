#include "engine/record/stood.hpp"

#include <utility>

#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::record {
namespace {

struct Next {
  TimePoint at{};
  Stop before{};  // why none is in between
};

std::optional<Next> next_round(Recording& recording, TimePoint after) {
  std::optional<Next> found;
  // What cannot be read there is told by whoever asks for it.
  (void)recording.rounds(after, TimePoint::max(), [&](const Round& round) {
    if (round.at > after) found = Next{round.at, round.before};
    return !found;
  });
  return found;
}

}  // namespace

Result<Model> stood_at(Recording& recording, TimePoint time) {
  Result<Model> model = recording.at(time);
  if (!model || model->clusters.empty()) return model;
  const TimePoint round = cluster_now(model->clusters.front(), time);
  if (time - round <= longest_step(recording.every())) return model;
  const auto next = next_round(recording, time);
  std::string why = clean(recording.cluster().text, 200);
  if (next)
    why += ": nothing lies between the rounds of " + utc_text(round) + " and " + utc_text(next->at);
  else
    why += ": the newest round is of " + utc_text(round);
  why = with_reason(std::move(why), next ? next->before : recording.stopped());
  return Error{"nothing is recorded of " + utc_text(time), why,
               "give the time of a round; tessera replay shows what stood before and after"};
}

}  // namespace tessera::record
