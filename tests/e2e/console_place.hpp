// A small simulated cluster of either scheduler, for the console by keys: three nodes of two GPUs, all cut.
#pragma once

#include <string>

namespace tessera::test {

inline std::string place_of(const std::string& scheduler) {
  const bool slurm = scheduler == "slurm";
  return "clusters:\n  - name: lab\n    scheduler: " + scheduler + "\n" +
         (slurm ? "    version: slurm 22.05.8\n    partitions:\n      - {name: gpu, max_time: 3d}\n" : "") +
         "    nodes:\n      - {names: \"lab[1-3]\", product: H100-80GB-SXM5, gpus: 2, " +
         (slurm ? "partitions: [gpu], " : "") + "cpus: 64, memory_gib: 512, layout: all-1g.10gb}\n";
}

}  // namespace tessera::test
