// Limits of the four technologies, with the figures that apply to a given GPU, driver and platform.
// Threads: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sharing/platform.hpp"
#include "engine/sharing/shape.hpp"

namespace tessera::sharing {

// Dotted numbers compared part by part: -1, 0, 1; nullopt when one has no number at the front. A leading "R"
// is skipped, a missing part counts as 0.
std::optional<int> compare_versions(std::string_view left, std::string_view right);

// MPS clients of one GPU by the driver: 16 before Volta, 48, 60 from CUDA 13.1 on.
int mps_clients(std::string_view compute_capability, std::string_view cuda = {});
// The device plugin's own cap: 48 from compute capability 7.5 on, else 16 (so a V100 gets 16).
int mps_plugin_clients(std::string_view compute_capability);

enum class LimitKind : std::uint8_t { fact, caution, broken };

struct Limit {
  std::string id;  // "mps-clients"
  LimitKind kind = LimitKind::fact;
  std::string text;
  std::optional<int> value;
};

struct LimitContext {
  const mig::Product* product = nullptr;  // nullptr: not known
  Platform platform = Platform::slurm;
  std::string driver;     // empty: not told
  std::string cuda;       // CUDA version that the driver brings; empty: not told
  int boards_a_node = 1;  // on the node with the most
  std::optional<int> replicas;
  bool mig_in_use = false;               // MIG is on, or stands below the replicas
  std::optional<bool> licence;           // vGPU licence; nullopt: not known
  bool licence_promised = false;         // not known, but it was answered that there is one or can be
  std::span<const PlatformFacts> facts;  // built_in_platforms(); may be empty
};
// What holds for this strategy here: what is broken first, then cautions, then facts.
std::vector<Limit> limits(Strategy strategy, const LimitContext& context);

// Each client's part of a GPU's memory.
std::optional<Mib> memory_share(std::optional<Mib> memory, int replicas);

std::string_view word(LimitKind kind);

}  // namespace tessera::sharing
