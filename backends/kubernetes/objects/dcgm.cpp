#include "backends/kubernetes/objects/dcgm.hpp"

#include <array>
#include <map>

#include "backends/kubernetes/objects/prometheus.hpp"
#include "engine/mig/profile_name.hpp"
#include "engine/number.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::size_t kMostParts = 1024;
constexpr int kHighestIndex = 1023;
constexpr double kMostMib = 16.0 * 1024 * 1024;

// Of the two that tell use, the engine's share of time counts more: instances have no other.
enum class Counter : std::uint8_t { utilization, engine_active, memory_used, temperature, power, licence };
struct KnownCounter {
  std::string_view name;
  Counter counter;
};
constexpr std::array kCounters = {
    KnownCounter{"DCGM_FI_DEV_GPU_UTIL", Counter::utilization},
    KnownCounter{"DCGM_FI_PROF_GR_ENGINE_ACTIVE", Counter::engine_active},
    KnownCounter{"DCGM_FI_DEV_FB_USED", Counter::memory_used},
    KnownCounter{"DCGM_FI_DEV_GPU_TEMP", Counter::temperature},
    KnownCounter{"DCGM_FI_DEV_POWER_USAGE", Counter::power},
    KnownCounter{"DCGM_FI_DEV_VGPU_LICENSE_STATUS", Counter::licence},
};

const KnownCounter* find_counter(std::string_view name) {
  for (const KnownCounter& known : kCounters)
    if (known.name == name) return &known;
  return nullptr;
}

// NaN is in no range.
bool within(double value, double least, double most) { return value >= least && value <= most; }

std::string named_pod(const MetricLine& line) {
  constexpr std::array kSpellings = {
      std::pair{std::string_view("exported_namespace"), std::string_view("exported_pod")},
      std::pair{std::string_view("namespace"), std::string_view("pod")},
      std::pair{std::string_view("pod_namespace"), std::string_view("pod_name")},
  };
  for (const auto& [space, name] : kSpellings) {
    std::string_view ns = line.label(space), pod = line.label(name);
    if (!ns.empty() && !pod.empty()) return std::string(ns) + "/" + std::string(pod);
    // Renamed, and nobody has it: the plain names are those of the exporter itself.
    if (space.starts_with("exported_"))
      for (const auto& [key, value] : line.labels)
        if (key == name) return {};
  }
  return {};
}

class Gathering {
 public:
  // Whatever cannot be placed is counted as skipped.
  void hear(const MetricLine& line) {
    std::optional<int> gpu = whole_number(line.label("gpu"), kHighestIndex);
    std::string_view id = line.label("GPU_I_ID");
    std::optional<int> instance = id.empty() ? std::nullopt : whole_number(id, kHighestIndex);
    if (!gpu || (!id.empty() && !instance)) return pass("its GPU or instance has no number");
    auto place = parts_.find({*gpu, instance});
    bool fresh = place == parts_.end();
    if (fresh) {
      if (parts_.size() == kMostParts) return pass("there are too many instances");
      DcgmPart part;
      part.gpu = *gpu;
      part.instance = instance;
      if (instance) {
        auto profile = mig::canonical_profile(line.label("GPU_I_PROFILE"));
        if (!profile) return pass("its instance has no profile");
        part.profile = std::move(*profile);
      }
      part.uuid = line.label(line.label("UUID").empty() ? "uuid" : "UUID");
      part.pod = named_pod(line);
      place = parts_.emplace(std::pair(*gpu, instance), std::move(part)).first;
    }
    DcgmPart& part = place->second;
    if (!fresh && part.pod != named_pod(line)) part.shared = true;
    set(part, find_counter(line.name)->counter, line.value);
  }

  DcgmReadings end(MetricsRead read) {
    DcgmReadings readings;
    readings.skipped = read.skipped + passed_;
    readings.problem = read.problem.empty() ? std::move(problem_) : std::move(read.problem);
    for (auto& [place, part] : parts_) {
      if (part.shared) part.pod.clear();
      readings.parts.push_back(std::move(part));
    }
    return readings;
  }

 private:
  void pass(const char* why) {
    if (passed_++ == 0) problem_ = why;
  }

  static void set(DcgmPart& part, Counter counter, double value) {
    switch (counter) {
      case Counter::utilization:
        if (within(value, 0, 100) && !part.use) part.use = Percent{static_cast<float>(value)};
        break;
      case Counter::engine_active:
        if (within(value, 0, 1)) part.use = Percent{static_cast<float>(value * 100)};
        break;
      case Counter::memory_used:
        if (within(value, 0, kMostMib)) part.memory_used = Mib{static_cast<std::int64_t>(value)};
        break;
      case Counter::temperature:
        if (within(value, -50, 200)) part.temperature = Celsius{static_cast<float>(value)};
        break;
      case Counter::power:
        if (within(value, 0, 10000)) part.power = Watts{static_cast<float>(value)};
        break;
      case Counter::licence:
        if (within(value, 0, 1)) part.licensed = value >= 1;
        break;
    }
  }

  std::map<std::pair<int, std::optional<int>>, DcgmPart> parts_;
  std::size_t passed_ = 0;
  std::string problem_;
};

}  // namespace

Result<DcgmReadings> read_dcgm(std::string_view text) {
  Gathering gathering;
  MetricsRead read = read_metrics(
      text, [](std::string_view name) { return find_counter(name) != nullptr; },
      [&](const MetricLine& line) { gathering.hear(line); });
  DcgmReadings readings = gathering.end(std::move(read));
  if (!readings.parts.empty()) return readings;
  return Error{"no GPU is reported",
               readings.problem.empty() ? "the text has none of DCGM's counters" : readings.problem,
               "the exporter's list of counters may lack DCGM_FI_PROF_GR_ENGINE_ACTIVE and "
               "DCGM_FI_DEV_FB_USED"};
}

}  // namespace tessera::kubernetes
