// The recordings of several clusters as backends that show one moment.
// Threads: any; nothing is started.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/port.hpp"
#include "engine/record/recording.hpp"

namespace tessera::record {

struct ReplayStart {
  std::optional<TimePoint> at;  // nullopt: the newest round of any of them
  // A round before a gap is shown, and said to be that; else a moment in a gap is an error.
  bool shows_gaps = false;
  double speed = 0;  // as Player::play()
};

// Errors: of none of them anything is recorded there; without shows_gaps: of one of them.
Result<std::vector<BackendPtr>> replays(std::vector<std::unique_ptr<Recording>> recordings,
                                        const ReplayStart& start, const std::function<TimePoint()>& wall);

}  // namespace tessera::record
