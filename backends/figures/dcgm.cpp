#include "backends/figures/dcgm.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "engine/mig/profile_name.hpp"
#include "engine/model/processes.hpp"
#include "engine/number.hpp"

namespace tessera::figures {
namespace {

constexpr std::size_t kMostParts = 1024;
constexpr int kHighestIndex = 1023;
constexpr double kMostMib = 16.0 * 1024 * 1024;

// What the driver keeps of memory belongs to no pod, and no process has so little: its context alone takes
// more. Of little memory (900 MiB, of which 0 are told) all may be a pod's whose processes were not found.
bool make_up_memory(double of_device, double told) {
  constexpr double kNoProcess = 32, kMostLeft = 1024;  // MiB
  const double left = of_device - told;
  return left <= kNoProcess || (left <= kMostLeft && left < told);
}

// Of the two that tell use, the engine's share of time counts more: instances have no other.
enum class Counter : std::uint8_t {
  utilization,
  engine_active,
  tensor_active,
  dram_active,
  memory_used,
  temperature,
  power,
  licence,
  xid,
  replaced_rows,
  remap_failure
};
struct KnownCounter {
  std::string_view name;
  Counter counter;
};
constexpr std::array kCounters = {
    KnownCounter{"DCGM_FI_DEV_GPU_UTIL", Counter::utilization},
    KnownCounter{"DCGM_FI_PROF_GR_ENGINE_ACTIVE", Counter::engine_active},
    KnownCounter{"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", Counter::tensor_active},
    KnownCounter{"DCGM_FI_PROF_DRAM_ACTIVE", Counter::dram_active},
    KnownCounter{"DCGM_FI_DEV_FB_USED", Counter::memory_used},
    KnownCounter{"DCGM_FI_DEV_GPU_TEMP", Counter::temperature},
    KnownCounter{"DCGM_FI_DEV_POWER_USAGE", Counter::power},
    KnownCounter{"DCGM_FI_DEV_VGPU_LICENSE_STATUS", Counter::licence},
    KnownCounter{"DCGM_FI_DEV_XID_ERRORS", Counter::xid},
    KnownCounter{"DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", Counter::replaced_rows},
    KnownCounter{"DCGM_FI_DEV_ROW_REMAP_FAILURE", Counter::remap_failure},
};
constexpr std::size_t kFaultCounters = 3;  // the last ones
constexpr auto kNames = [] {
  std::array<std::string_view, kCounters.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kCounters[i].name;
  return names;
}();

const KnownCounter* find_counter(std::string_view name) {
  for (const KnownCounter& known : kCounters)
    if (known.name == name) return &known;
  return nullptr;
}

// NaN is in no range.
bool within(double value, double least, double most) { return value >= least && value <= most; }

struct NamedPod {
  std::string pod;       // "namespace/name"; empty: none
  bool renamed = false;  // under the labels that a scrape renames
};

NamedPod named_pod(const MetricLine& line) {
  constexpr std::array kSpellings = {
      std::pair{std::string_view("exported_namespace"), std::string_view("exported_pod")},
      std::pair{std::string_view("namespace"), std::string_view("pod")},
      std::pair{std::string_view("pod_namespace"), std::string_view("pod_name")},
  };
  for (const auto& [space, name] : kSpellings) {
    const bool renamed = space.starts_with("exported_");
    std::string_view ns = line.label(space), pod = line.label(name);
    if (!ns.empty() && !pod.empty()) return {std::string(ns) + "/" + std::string(pod), renamed};
    // Renamed, and nobody has it: the plain names are those of the exporter itself.
    if (renamed)
      for (const auto& [key, value] : line.labels)
        if (key == name) return {};
  }
  return {};
}

// Of a share of time; what is no share is left as it is.
void set_share(std::optional<Percent>& to, double value) {
  if (within(value, 0, 1)) to = Percent{static_cast<float>(value * 100)};
}

void set(DcgmPart& part, Counter counter, double value) {
  switch (counter) {
    case Counter::utilization:
    case Counter::memory_used: break;  // split by pod
    case Counter::engine_active: set_share(part.use, value); break;
    case Counter::tensor_active: set_share(part.tensor, value); break;
    case Counter::dram_active: set_share(part.memory_busy, value); break;
    case Counter::temperature:
      if (within(value, -50, 200)) part.temperature = Celsius{static_cast<float>(value)};
      break;
    case Counter::power:
      if (within(value, 0, 10000)) part.power = Watts{static_cast<float>(value)};
      break;
    case Counter::licence:
      if (within(value, 0, 1)) part.licensed = value >= 1;
      break;
    case Counter::xid:
      if (within(value, 0, 999)) part.xid = static_cast<int>(value);
      break;
    case Counter::replaced_rows:
      if (within(value, 0, 1e6)) part.replaced_rows = static_cast<int>(value);
      break;
    case Counter::remap_failure:
      if (within(value, 0, 1)) part.remap_failed = value >= 1;
      break;
  }
}

// The first of these labels that is told.
std::string_view one_of(const MetricLine& line, std::initializer_list<std::string_view> labels) {
  for (std::string_view label : labels)
    if (std::string_view value = line.label(label); !value.empty()) return value;
  return {};
}

// Why the part that a line is about cannot be told; nullptr: it can.
const char* identify(const MetricLine& line, DcgmPart& part) {
  const std::optional<int> gpu = whole_number(one_of(line, {"gpu", "GPU"}), kHighestIndex);
  const std::string_view id = one_of(line, {"GPU_I_ID", "gpu_i_id"});
  part.instance = id.empty() ? std::nullopt : whole_number(id, kHighestIndex);
  if (!gpu || (!id.empty() && !part.instance)) return "its GPU or instance has no number";
  part.gpu = *gpu;
  part.uuid = one_of(line, {"UUID", "uuid"});
  part.model = one_of(line, {"modelName", "model_name"});
  if (!part.instance) return nullptr;
  auto profile = mig::canonical_profile(one_of(line, {"GPU_I_PROFILE", "gpu_i_profile"}));
  if (!profile) return "its instance has no profile";
  part.profile = std::move(*profile);
  return nullptr;
}

void add_once(std::vector<std::string>& names, std::string_view name) {
  if (name.empty() || names.size() == kMostSharers) return;
  if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
}

// Each series stands once for each job that a site's files name for its GPU.
void add_job(DcgmPart& part, const MetricLine& line) {
  if (const std::string_view job = line.label("hpc_job"); job.size() <= 64) add_once(part.jobs, job);
}

void forget_figures(DcgmPart& part) {
  part.use.reset();
  part.memory_used.reset();
  part.tensor.reset(), part.memory_busy.reset();
  part.temperature.reset();
  part.power.reset();
  part.licensed.reset();
  part.own.clear();
  part.xid.reset(), part.replaced_rows.reset(), part.remap_failed.reset();
}

}  // namespace

std::span<const std::string_view> dcgm_counters() {
  return std::span(kNames).first(kNames.size() - kFaultCounters);
}
std::span<const std::string_view> dcgm_fault_counters() { return std::span(kNames).last(kFaultCounters); }

bool is_dcgm_counter(std::string_view name) { return find_counter(name) != nullptr; }

void DcgmGathering::pass(const char* why) {
  if (passed_++ == 0) problem_ = why;
}

void DcgmGathering::ByPod::hear(double value, const std::string& pod) {
  if (pod.empty()) {
    of_device = value;
    return;
  }
  if (pods.size() == kMostSharers && !pods.contains(pod)) return;
  // Each container of a pod has a line with what all of the pod uses.
  const auto [place, first] = pods.try_emplace(pod, value);
  if (!first && place->second != value) place->second.reset();
}

void DcgmGathering::ByPod::is_of_device(const std::string& pod) {
  const auto found = pods.find(pod);
  if (found == pods.end()) return;
  if (found->second) of_device = found->second;
  pods.erase(found);
}

std::optional<double> DcgmGathering::ByPod::all() const {
  if (of_device || pods.empty()) return of_device;
  const std::optional<double> first = pods.begin()->second;
  for (const auto& [pod, value] : pods)
    if (value != first) return std::nullopt;
  return first;
}

// An exporter tells 0 of a pod whose processes it has not found, too. That is taken for what it uses only
// where the others' make up what the GPU tells.
std::optional<double> DcgmGathering::ByPod::own(const std::string& pod, MakesUp makes_up) const {
  const auto found = pods.find(pod);
  if (!of_device || found == pods.end() || !found->second) return std::nullopt;
  if (*found->second > 0) return found->second;
  double told = 0;
  for (const auto& [other, value] : pods) told += value.value_or(0);
  return makes_up(*of_device, told) ? found->second : std::nullopt;
}

void DcgmGathering::hear(const MetricLine& line) {
  DcgmPart told;
  if (const char* why = identify(line, told)) return pass(why);
  const std::pair key(told.gpu, told.instance);
  auto place = parts_.find(key);
  if (place == parts_.end()) {
    if (parts_.size() == kMostParts) return pass("there are too many instances");
    place = parts_.emplace(key, Part{told, {}, {}, {}, false}).first;
  }
  Part& part = place->second;
  // Series of another cluster's node of the same name, or of a GPU that was replaced.
  if (part.told.uuid != told.uuid || part.told.profile != told.profile) part.told.doubtful = true;
  const NamedPod named = named_pod(line);
  add_once(part.told.pods, named.pod);
  if (named.renamed)
    part.renamed = true;
  else
    add_once(part.plain, named.pod);
  add_job(part.told, line);
  const Counter counter = find_counter(line.name)->counter;
  if (counter == Counter::utilization && within(line.value, 0, 100))
    part.utilization.hear(line.value, named.pod);
  if (counter == Counter::memory_used && within(line.value, 0, kMostMib))
    part.memory.hear(line.value, named.pod);
  set(part.told, counter, line.value);
}

// Where a scrape has renamed the labels of pods, a line without them has those of the exporter's own pod,
// which holds nothing: it is about the GPU.
void DcgmGathering::name_pods(Part& part) {
  DcgmPart& told = part.told;
  if (part.renamed)
    for (const std::string& target : part.plain) {
      std::erase(told.pods, target);
      part.utilization.is_of_device(target);
      part.memory.is_of_device(target);
    }
  told.renamed = part.renamed;
  told.shared = told.pods.size() > 1;
  if (told.pods.size() == 1) told.pod = told.pods.front();
}

// cut: the GPU has instances, of which and of whose GPU the driver has no use.
void DcgmGathering::tell_own(Part& part, bool cut) {
  if (!part.told.shared) return;
  for (const std::string& pod : part.told.pods) {
    OwnUse own{WorkloadId(pod), part.told.instance, {}, {}};
    if (const auto use = part.utilization.own(pod, make_up_use); use && !cut)
      own.use = Percent{static_cast<float>(*use)};
    if (const auto memory = part.memory.own(pod, make_up_memory))
      own.memory_used = Mib{static_cast<std::int64_t>(*memory)};
    if (own.use || own.memory_used) part.told.own.push_back(std::move(own));
  }
}

DcgmReadings DcgmGathering::end(MetricsRead read) {
  DcgmReadings readings;
  readings.skipped = read.skipped + passed_;
  readings.problem = read.problem.empty() ? std::move(problem_) : std::move(read.problem);
  for (auto& [place, part] : parts_) {
    // Behind the GPU itself stand its instances.
    const auto next = parts_.upper_bound({place.first, std::nullopt});
    const bool cut = place.second || (next != parts_.end() && next->first.first == place.first);
    name_pods(part);
    tell_own(part, cut);
    const auto use = part.utilization.all(), memory = part.memory.all();
    if (!part.told.use && !cut && use) part.told.use = Percent{static_cast<float>(*use)};
    if (memory) part.told.memory_used = Mib{static_cast<std::int64_t>(*memory)};
    if (part.told.doubtful) {
      forget_figures(part.told);
      ++readings.skipped;
      if (readings.problem.empty()) readings.problem = "two GPUs are reported under one number";
    }
    readings.parts.push_back(part.told);
  }
  return readings;
}

namespace {

// Each instance's share of time times its part of the GPU; what no instance has is not busy.
std::optional<Percent> sum_of_parts(std::span<const DcgmPart* const> instances, const mig::Product* product,
                                    std::optional<Percent> DcgmPart::*figure, int mig::Profile::*part_of,
                                    int whole) {
  if (!product || whole <= 0 || instances.empty()) return std::nullopt;
  double busy = 0;
  for (const DcgmPart* part : instances) {
    const mig::Profile* profile = product->find(part->profile.view());
    if (!(part->*figure) || !profile || profile->*part_of <= 0) return std::nullopt;
    busy += static_cast<double>((part->*figure)->value) * (profile->*part_of);
  }
  return Percent{static_cast<float>(std::min(100.0, busy / whole))};
}

}  // namespace

std::optional<Percent> use_of_instances(std::span<const DcgmPart* const> instances,
                                        const mig::Product* product) {
  return sum_of_parts(instances, product, &DcgmPart::use, &mig::Profile::compute_slices,
                      product ? product->compute_slices : 0);
}

std::optional<Percent> tensor_of_instances(std::span<const DcgmPart* const> instances,
                                           const mig::Product* product) {
  return sum_of_parts(instances, product, &DcgmPart::tensor, &mig::Profile::compute_slices,
                      product ? product->compute_slices : 0);
}

std::optional<Percent> memory_busy_of_instances(std::span<const DcgmPart* const> instances,
                                                const mig::Product* product) {
  return sum_of_parts(instances, product, &DcgmPart::memory_busy, &mig::Profile::memory_slices,
                      product ? product->units : 0);
}

std::optional<Mib> memory_of_instances(std::span<const DcgmPart* const> instances) {
  Mib sum{0};
  for (const DcgmPart* part : instances) {
    if (!part->memory_used) return std::nullopt;
    sum.value += part->memory_used->value;
  }
  if (instances.empty()) return std::nullopt;
  return sum;
}

Measured measured_of(NodeName node, const DcgmReadings& readings, const mig::Catalogue* catalogue) {
  Measured told{std::move(node), Source::dcgm, readings.at, {}};
  std::vector<const DcgmPart*> instances;
  const auto add_up = [&] {
    if (instances.empty()) return;
    Telemetry& figures = told.gpus.back().figures;
    const mig::Product* product = catalogue ? catalogue->by_smi_name(instances.front()->model) : nullptr;
    if (!figures.use) figures.use = use_of_instances(instances, product);
    if (!figures.tensor) figures.tensor = tensor_of_instances(instances, product);
    if (!figures.memory_busy) figures.memory_busy = memory_busy_of_instances(instances, product);
    if (!figures.memory_used) figures.memory_used = memory_of_instances(instances);
    instances.clear();
  };
  for (const DcgmPart& part : readings.parts) {
    if (told.gpus.empty() || told.gpus.back().gpu.value != part.gpu) {
      add_up();
      Telemetry figures;
      // Temperature and power of an instance are its GPU's.
      figures.temperature = part.temperature;
      figures.power = part.power;
      figures.licensed = part.licensed;
      told.gpus.push_back({GpuIndex{part.gpu}, part.uuid, figures, {}});
    }
    GpuFigures& gpu = told.gpus.back();
    gpu.own.insert(gpu.own.end(), part.own.begin(), part.own.end());
    if (part.instance) {
      gpu.slices.push_back({part.profile, part.instance, std::nullopt, part.use, part.memory_used,
                            part.tensor, part.memory_busy, ""});
      instances.push_back(&part);
      continue;
    }
    gpu.figures.use = part.use;
    gpu.figures.memory_used = part.memory_used;
    gpu.figures.tensor = part.tensor;
    gpu.figures.memory_busy = part.memory_busy;
  }
  add_up();
  return told;
}

Result<DcgmReadings> read_dcgm(std::string_view text) {
  DcgmGathering gathering;
  MetricsRead read =
      read_metrics(text, is_dcgm_counter, [&](const MetricLine& line) { gathering.hear(line); });
  DcgmReadings readings = gathering.end(std::move(read));
  if (!readings.parts.empty()) return readings;
  return Error{"no GPU is reported",
               readings.problem.empty() ? "the text has none of DCGM's counters" : readings.problem,
               "the exporter's list of counters may lack DCGM_FI_PROF_GR_ENGINE_ACTIVE and "
               "DCGM_FI_DEV_FB_USED"};
}

}  // namespace tessera::figures
