#include "engine/insight/recording_age.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "engine/query/value.hpp"

namespace tessera::insight {

std::string recording_age(const Cluster& cluster, TimePoint wall) {
  const std::string& name = cluster.name.text;
  if (!cluster.recorded) return fmt::format("nothing of the recording of {} was read", name);
  const auto age = std::max<std::int64_t>(0, (wall - cluster.recorded->to) / std::chrono::seconds(1));
  return fmt::format("the newest round of the recording of {} is {} old", name, query::duration_text(age));
}

}  // namespace tessera::insight
