// Small helpers that turn model facts into table values.
// Threads: pure functions.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "engine/model/model.hpp"
#include "engine/query/tables.hpp"

namespace tessera::query {

inline Value count(std::int64_t number) { return number; }
inline Value words(std::string text) { return text; }
// An empty text means that it is not reported.
inline Value told(std::string text) { return text.empty() ? Value(NotTold{}) : Value(std::move(text)); }

template <class Unit>
Value measured(const std::optional<Unit>& unit) {
  if (!unit) return NotTold{};
  if constexpr (std::is_same_v<Unit, Mib>)
    return static_cast<std::int64_t>(unit->value);
  else
    return static_cast<double>(unit->value);
}

inline std::int64_t seconds_between(TimePoint from, TimePoint to) {
  return std::chrono::duration_cast<std::chrono::seconds>(to - from).count();
}
inline Value age(const std::optional<TimePoint>& since, const Cluster& cluster, const Context& context) {
  if (!since) return NotTold{};
  return std::max<std::int64_t>(0, seconds_between(*since, cluster_now(cluster, context.wall)));
}

std::string join(const std::vector<std::string>& parts, std::string_view separator);

// Users who hold the slice: "alice", "alice +2", "alice?" where it is not sure; empty when free.
std::string holder_users(const Cluster& cluster, const Slice& slice);

// Users who hold slices of the GPU, each once: "alice, bob?, ?".
std::string holder_users(const Cluster& cluster, const Gpu& gpu);

// Mean compute use in percent of those of its GPUs that are measured; nullopt: none is.
std::optional<double> mean_use(const Node& node);

}  // namespace tessera::query
