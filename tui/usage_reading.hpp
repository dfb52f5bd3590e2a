// Reads the past through while a screen shows what they come to, and gives up when it is left: a month of a
// large cluster takes its time. Threads: the UI thread; the archive reads on one of its own.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/record/archive.hpp"
#include "tui/state.hpp"

namespace tessera::tui {

// A cluster may have several backends: Prometheus measures beside Slurm.
std::vector<ClusterName> cluster_names(std::span<const BackendPtr> backends);

// Whether what is on top counts the past, of whichever source.
bool reads_past(const UiState& state);

class UsageReading {
 public:
  // Before each picture. archive: nullptr where nothing knows the past. moment: of the past that is shown;
  // what came after it does not count.
  void follow(UiState& state, record::Archive* archive, std::span<const BackendPtr> backends,
              std::optional<TimePoint> moment, const mig::Catalogue& catalogue);

 private:
  std::optional<Duration> days_;  // of the last reading
  std::optional<TimePoint> until_;
  std::optional<usage::PastSource> source_;
};

}  // namespace tessera::tui
