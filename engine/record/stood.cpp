#include "engine/record/stood.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/query/local_time.hpp"
#include "engine/text.hpp"

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
  if (time - round <= speaks_for(recording)) return model;
  const bool damaged = recording.damaged_behind();
  const auto next = next_round(recording, time);
  std::string why = clean(recording.cluster().text, 200);
  if (next)
    why += ": nothing lies between the rounds of " + query::local_text(round) + " and " +
           query::local_text(next->at);
  else
    why += ": the newest round is of " + query::local_text(round);
  const Stop stop = damaged ? Stop::damaged : next ? next->before : recording.stopped();
  why = with_reason(std::move(why), stop);
  return Error{"nothing is recorded of " + query::local_text(time), why,
               "give the time of a round; tessera replay shows what stood before and after"};
}

Duration speaks_for(const Recording& recording) {
  // Rounds tell their second.
  if (recording.damaged_behind()) return std::max<Duration>(recording.every(), std::chrono::seconds(1));
  return longest_step(recording.every());
}

Status can_be_read(Recording& recording) {
  return recording.rounds({}, TimePoint::max(), [](const Round&) { return false; });
}

}  // namespace tessera::record
