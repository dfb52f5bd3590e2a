// What a recorder has written of the clusters that are looked at live: the door to their past.
// Threads: the one that owns the model; reading is done on threads of the backends that it opens.
#pragma once

#include <vector>

#include "engine/error.hpp"
#include "engine/port.hpp"

namespace tessera::record {

class Archive {
 public:
  virtual ~Archive() = default;

  // A backend for each cluster, which is a Player and begins at that time. They tell events() once they are
  // started with sink(). A cluster of which nothing is recorded fails as a source does. Errors: nothing is
  // recorded of any of them.
  virtual Result<std::vector<BackendPtr>> open(const std::vector<ClusterName>& clusters, TimePoint at) = 0;
  virtual EventSink& sink() = 0;
  virtual EventSource& events() = 0;
};

}  // namespace tessera::record
