#include "engine/model/values.hpp"

#include <array>

namespace tessera {
namespace {

template <class Enum, std::size_t N>
std::string_view pick(const std::array<std::string_view, N>& words, Enum value) {
  return words[static_cast<std::size_t>(value)];
}

}  // namespace

std::string_view word(Scheduler scheduler) {
  constexpr std::array<std::string_view, 2> words{"slurm", "kubernetes"};
  return pick(words, scheduler);
}
std::string_view word(Strategy strategy) {
  constexpr std::array<std::string_view, 7> words{"unknown",      "whole", "mig", "mps",
                                                  "time-slicing", "shard", "vgpu"};
  return pick(words, strategy);
}
std::string_view word(MigMode mode) {
  constexpr std::array<std::string_view, 4> words{"disabled", "enabled", "enable-pending", "disable-pending"};
  return pick(words, mode);
}
std::string_view word(SliceKind kind) {
  constexpr std::array<std::string_view, 6> words{"whole", "mig", "mps", "time-slice", "shard", "vgpu"};
  return pick(words, kind);
}
std::string_view word(Holding holding) {
  constexpr std::array<std::string_view, 3> words{"unknown", "free", "held"};
  return pick(words, holding);
}
std::string_view word(Health health) {
  constexpr std::array<std::string_view, 6> words{"ok", "draining", "drained", "down", "invalid", "unknown"};
  return pick(words, health);
}
std::string_view word(Family family) {
  constexpr std::array<std::string_view, 4> words{"gpu", "mps", "shard", "vgpu"};
  return pick(words, family);
}
std::string_view word(Part part) {
  constexpr std::array<std::string_view, 5> words{"ready", "not-ready", "paused", "missing", "unknown"};
  return pick(words, part);
}
std::string_view word(WorkloadKind kind) {
  constexpr std::array<std::string_view, 2> words{"job", "pod"};
  return pick(words, kind);
}
std::string_view word(WorkloadState state) {
  constexpr std::array<std::string_view, 6> words{"pending",    "running", "suspended",
                                                  "completing", "ended",   "unknown"};
  return pick(words, state);
}

}  // namespace tessera
