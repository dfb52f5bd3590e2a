// What a DCGM exporter tells of one node's GPUs and GPU instances: use, memory, heat, and the pod that has
// each.
//
// dcgm-exporter 3.1 to 4.6 (default counters; render_metrics.go): an instance carries GPU_I_ID and
// GPU_I_PROFILE under its GPU's index and UUID; who has it stands in pod/namespace, in
// exported_pod/exported_namespace where a scrape has renamed them, or in pod_name/pod_namespace of old ones.
// DCGM writes huge numbers for "no value"; whatever is out of range is unknown here.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/values.hpp"

namespace tessera::kubernetes {

// A GPU, or one GPU instance on it.
struct DcgmPart {
  int gpu = 0;                  // as nvidia-smi counts
  std::string uuid;             // of the GPU; empty: not told
  std::optional<int> instance;  // GPU instance id; nullopt: the GPU as a whole
  ProfileName profile;          // of the instance
  std::string pod;              // "namespace/name"; empty: nobody has it, or several
  bool shared = false;          // several pods are named: who has it is not told
  std::optional<Percent> use;
  std::optional<Mib> memory_used;
  std::optional<Celsius> temperature;
  std::optional<Watts> power;
  std::optional<bool> licensed;  // a vGPU licence is held
};

struct DcgmReadings {
  std::string from;             // the exporter's pod, "namespace/name"
  TimePoint at{};               // when it was read
  std::vector<DcgmPart> parts;  // by GPU, the GPU itself first, then by instance id
  std::size_t skipped = 0;      // lines that could not be read
  std::string problem;          // of the first of those
};

// Errors: the text tells of no GPU at all.
Result<DcgmReadings> read_dcgm(std::string_view text);

}  // namespace tessera::kubernetes
