// Who tells facts: one row a source, with the word that people read and its rank among those that measure
// GPUs (telemetry.hpp). What watches the GPU itself all the time ranks before what asks now and then.
// Threads: plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace tessera {

#define TESSERA_SOURCES(ROW)                                                                 \
  ROW(none, "none", 0)                                                                       \
  ROW(simulator, "simulator", 1)                                                             \
  ROW(slurm_nodes, "scontrol show node", 1)                                                  \
  ROW(slurm_jobs, "scontrol show job", 0)                                                    \
  ROW(slurm_partitions, "scontrol show partition", 0)                                        \
  ROW(slurm_reservations, "scontrol show reservation", 0)                                    \
  ROW(slurm_ping, "scontrol ping", 0)                                                        \
  ROW(kubernetes_nodes, "nodes (API)", 1)                                                    \
  ROW(kubernetes_pods, "pods (API)", 0)                                                      \
  ROW(nvidia_smi, "nvidia-smi", 2)                                                           \
  ROW(kubernetes_operator, "GPU operator (API)", 0)  /* its objects and its pods */          \
  ROW(kubernetes_claims, "resource claims (API)", 0) /* ResourceSlices and ResourceClaims */ \
  ROW(dcgm, "DCGM exporter", 3)                                                              \
  ROW(slurm_config, "slurm.conf", 0) /* and the files beside it */                           \
  ROW(catalogue, "catalogue", 0)     /* looked up by name in the MIG catalogue */            \
  ROW(inferred, "inferred", 0)       /* concluded by tessera from other facts */

// Where a fact comes from. Shown when an admin asks "where is this from, and how old is it?".
enum class Source : std::uint8_t {
#define TESSERA_SOURCE(name, word, rank) name,
  TESSERA_SOURCES(TESSERA_SOURCE)
#undef TESSERA_SOURCE
};

std::string_view word(Source source);

// What it has cost to ask one source, counted by who asks it.
struct SourceCost {
  std::int64_t calls = 0;             // requests sent, or commands run
  std::int64_t bytes = 0;             // of their answers
  std::chrono::milliseconds over{0};  // that this was counted for
  friend bool operator==(const SourceCost&, const SourceCost&) = default;
};

}  // namespace tessera
