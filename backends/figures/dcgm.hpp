// What a DCGM exporter tells of one node's GPUs and GPU instances: use, memory, heat, and the pod that has
// each.
//
// dcgm-exporter 3.1 to 4.6 (default counters; render_metrics.go): an instance carries GPU_I_ID and
// GPU_I_PROFILE under its GPU's index and UUID; who has it stands in pod/namespace, in
// exported_pod/exported_namespace where a scrape has renamed them, or in pod_name/pod_namespace of old ones.
// DCGM writes huge numbers for "no value"; whatever is out of range is unknown here. DCGM_FI_DEV_GPU_UTIL
// does not exist under MIG: of a GPU that has instances, and of these, it is never taken. Threads: pure
// functions.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/figures/metrics_text.hpp"
#include "engine/error.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/model/telemetry.hpp"

namespace tessera::figures {

// A round of all exporters counts for no more, however many give no answer: what is older is not now.
inline constexpr Duration kSlowestRound{3'600'000};

// So many pods or jobs of one part are kept by their names.
inline constexpr std::size_t kMostSharers = 64;

// A GPU, or one GPU instance on it.
struct DcgmPart {
  int gpu = 0;                    // as nvidia-smi counts
  std::string uuid;               // of the GPU; empty: not told
  std::string model;              // as nvidia-smi names it; empty: not told
  std::optional<int> instance;    // GPU instance id; nullopt: the GPU as a whole
  ProfileName profile;            // of the instance
  std::string pod;                // "namespace/name"; empty: nobody has it, or several
  bool shared = false;            // several pods are named: who has it is not told
  std::vector<std::string> pods;  // all that are named, each once, up to kMostSharers
  std::vector<std::string> jobs;  // of a site's job mapping (label hpc_job), each once; empty: none is told
  std::vector<OwnUse> own;        // what each of several pods uses by itself; empty: not told
  bool doubtful = false;          // several GPUs are told of under this number: no figure is taken
  std::optional<Percent> use;
  std::optional<Mib> memory_used;
  std::optional<Percent> tensor;       // its tensor pipes busy
  std::optional<Percent> memory_busy;  // its part of the memory interface busy
  std::optional<Celsius> temperature;
  std::optional<Watts> power;
  std::optional<bool> licensed;      // a vGPU licence is held
  std::optional<int> xid;            // the driver's last Xid error; 0: none
  std::optional<int> replaced_rows;  // of memory, after errors that were not correctable
  std::optional<bool> remap_failed;  // of such a row
  bool renamed = false;              // its pods stand under the labels that a scrape renames
};

struct DcgmReadings {
  std::string from;             // the exporter's pod, "namespace/name"; empty: Prometheus, which asked it
  TimePoint at{};               // when it was read
  std::vector<DcgmPart> parts;  // by GPU, the GPU itself first, then by instance id
  std::size_t skipped = 0;      // lines that could not be read
  std::string problem;          // of the first of those
};

// The counters that are wanted, of those that a metric may be: figures, and those that are above 0 only after
// a fault.
std::span<const std::string_view> dcgm_counters();
std::span<const std::string_view> dcgm_fault_counters();
bool is_dcgm_counter(std::string_view name);

// Gathers the metrics of one node, in any order.
class DcgmGathering {
 public:
  // Precondition: is_dcgm_counter(line.name). What cannot be placed is counted as skipped.
  void hear(const MetricLine& line);
  DcgmReadings end(MetricsRead read = {});

 private:
  // A figure that newer exporters split by pod: with --kubernetes-virtual-gpus (from 4.6 on) they tell
  // DCGM_FI_DEV_GPU_UTIL and DCGM_FI_DEV_FB_USED of each pod's own processes beside the GPU's, older ones
  // the GPU's for each.
  struct ByPod {
    std::optional<double> of_device;                    // of a line that names no pod
    std::map<std::string, std::optional<double>> pods;  // nullopt: told twice, and not alike
    void hear(double value, const std::string& pod);
    void is_of_device(const std::string& pod);
    // nullopt: pods tell different figures, and none is the GPU's.
    std::optional<double> all() const;
    // By itself; nullopt: not told. makes_up: whether what is told of all pods makes up the GPU's figure.
    using MakesUp = bool (*)(double of_device, double told);
    std::optional<double> own(const std::string& pod, MakesUp makes_up) const;
  };
  struct Part {
    DcgmPart told;
    ByPod utilization, memory;
    std::vector<std::string> plain;  // pods under the plain labels, where a scrape may have put its target
    bool renamed = false;            // pods stand under the labels of renamed ones
  };
  static void name_pods(Part& part);
  static void tell_own(Part& part, bool cut);
  void pass(const char* why);

  std::map<std::pair<int, std::optional<int>>, Part> parts_;
  std::size_t passed_ = 0;
  std::string problem_;
};

// Errors: the text tells of no GPU at all.
Result<DcgmReadings> read_dcgm(std::string_view text);

// What the instances of one GPU come to: each keeps its own part of the engines busy, and of the memory
// interface. nullopt where one of them does not tell, or the product does not say how large a part is.
std::optional<Percent> use_of_instances(std::span<const DcgmPart* const> instances,
                                        const mig::Product* product);
std::optional<Percent> tensor_of_instances(std::span<const DcgmPart* const> instances,
                                           const mig::Product* product);
std::optional<Percent> memory_busy_of_instances(std::span<const DcgmPart* const> instances,
                                                const mig::Product* product);
std::optional<Mib> memory_of_instances(std::span<const DcgmPart* const> instances);

// The same readings as figures of a node whose GPUs and slices another source lists. catalogue: nullptr: a
// GPU that is cut has no use of its own.
Measured measured_of(NodeName node, const DcgmReadings& readings, const mig::Catalogue* catalogue);

}  // namespace tessera::figures
