#include "backends/sim/gpu_operator/project/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <type_traits>
#include <vector>

#include "backends/sim/slots.hpp"
#include "backends/sim/snapshot.hpp"
#include "backends/sim/telemetry.hpp"
#include "engine/text.hpp"

namespace tessera::sim::kube {
namespace {

// DCGM's word for "no value", of 64 bits.
constexpr std::string_view kBlank = "9223372036854775794";

// One of the pods that share a GPU or an instance.
struct Sharer {
  std::string labels;
  std::optional<float> use;  // nullopt: the driver does not tell it (clients of MPS)
  float memory = 0;          // both 0..1 of what is shared
};

// A GPU, or one instance of it, as the exporter tells it.
struct Entity {
  std::string labels, own_labels;  // with the pod that has it, and without
  std::vector<Sharer> sharers;
  bool instance = false;
  Load load;
  float celsius = 0, watts = 0;
  std::int64_t memory = 0;  // MiB
};

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : clean(text, 253)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

constexpr std::string_view kNoPod = R"(,container="",namespace="",pod="")";

std::string labels_of(const World& world, const Hold& hold) {
  auto job = world.jobs.find(hold.job);
  if (job == world.jobs.end()) return std::string(kNoPod);
  std::string id = workload_id(world, job->second).text;
  std::size_t slash = id.find('/');
  return fmt::format(R"(,container="main",namespace="{}",pod="{}")", escaped(id.substr(0, slash)),
                     escaped(slash == std::string::npos ? "" : id.substr(slash + 1)));
}

// Which pod has it for itself; nothing when it is shared: the exporter cannot tell then.
std::string pod_labels(const World& world, const Board& board, const std::vector<Hold>& holds) {
  if (capacity_of(board) > 1 || holds.size() != 1) return std::string(kNoPod);
  return labels_of(world, holds.front());
}

class Teller {
 public:
  Teller(const World& world, std::uint32_t node, const ExporterHabits& habits)
      : world_(world), node_(node), group_(world.group(world.nodes[node])), habits_(habits) {
    const std::vector<Board>& boards = world.nodes[node].boards;
    for (std::size_t gpu = 0; gpu < boards.size(); ++gpu) add(gpu, boards[gpu]);
  }

  std::string tell() {
    family("DCGM_FI_DEV_SM_CLOCK", "gauge", "SM clock frequency (in MHz).",
           [](const Entity& one) { return fmt::format("{:.0f}", one.load.use > 0.02f ? 1755.0 : 345.0); });
    family("DCGM_FI_DEV_GPU_TEMP", "gauge", "GPU temperature (in C).",
           [](const Entity& one) { return fmt::format("{:.0f}", one.celsius); });
    family("DCGM_FI_DEV_POWER_USAGE", "gauge", "Power draw (in W).",
           [](const Entity& one) { return fmt::format("{:.6f}", one.watts); });
    family(
        "DCGM_FI_DEV_GPU_UTIL", "gauge", "GPU utilization (in %).",
        [](const Entity& one) {
          return one.instance ? std::string() : fmt::format("{:.0f}", one.load.use * 100.0f);
        },
        [](const Entity&, const Sharer& pod) {
          return pod.use ? fmt::format("{:.0f}", *pod.use * 100.0f) : std::string();
        });
    family("DCGM_FI_DEV_MEM_COPY_UTIL", "gauge", "Memory utilization (in %).", [](const Entity& one) {
      return one.instance ? std::string(kBlank) : fmt::format("{:.0f}", one.load.use * 60.0f);
    });
    family("DCGM_FI_DEV_XID_ERRORS", "gauge", "Value of the last XID error encountered.",
           [](const Entity&) { return std::string("0"); });
    family("DCGM_FI_DEV_FB_FREE", "gauge", "Framebuffer memory free (in MiB).",
           [](const Entity& one) { return std::to_string(one.memory - used(one)); });
    family(
        "DCGM_FI_DEV_FB_USED", "gauge", "Framebuffer memory used (in MiB).",
        [](const Entity& one) { return std::to_string(used(one)); },
        [](const Entity& one, const Sharer& pod) {
          return std::to_string(static_cast<std::int64_t>(static_cast<float>(one.memory) * pod.memory));
        });
    family("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "gauge", "Ratio of time the graphics engine is active.",
           [](const Entity& one) { return fmt::format("{:.6f}", one.load.use); });
    family("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "gauge", "Ratio of cycles the tensor (HMMA) pipe is active.",
           [](const Entity& one) { return fmt::format("{:.6f}", one.load.tensor); });
    family("DCGM_FI_PROF_DRAM_ACTIVE", "gauge",
           "Ratio of cycles the device memory interface is active sending or receiving data.",
           [](const Entity& one) { return fmt::format("{:.6f}", one.load.bus); });
    return std::move(text_);
  }

 private:
  static std::int64_t used(const Entity& one) {
    return static_cast<std::int64_t>(static_cast<float>(one.memory) * one.load.memory);
  }

  std::string common(std::size_t gpu) {
    return fmt::format(
        R"(gpu="{0}",UUID="{1}",pci_bus_id="00000000:{2:02X}:00.0",device="nvidia{0}",modelName="{3}")", gpu,
        uuid_of(world_, node_, gpu), 0x18 + gpu * 0x11, escaped(group_.model));
  }
  std::string tail() {
    return fmt::format(R"(,{}="{}",DCGM_FI_DRIVER_VERSION="{}")",
                       habits_.lower_hostname ? "hostname" : "Hostname", escaped(world_.node_name(node_)),
                       escaped(group_.driver));
  }

  void add(std::size_t gpu, const Board& board) {
    std::uint64_t key = (static_cast<std::uint64_t>(node_) << 8) + gpu;
    Reading reading = read_board(group_, board, world_.seed, key, world_.now);
    Entity whole{common(gpu) + tail() + pod_labels(world_, board, board.holds),
                 common(gpu) + tail() + std::string(kNoPod),
                 sharers_of(common(gpu) + tail(), board, board.holds, board.hidden),
                 false,
                 reading.load,
                 reading.celsius,
                 reading.watts,
                 group_.memory_mib};
    if (!board.cut() || !group_.mig) {
      entities_.push_back(std::move(whole));
      return;
    }
    for (const Instance& instance : board.instances) {
      const mig::Profile& profile = group_.mig->profiles[static_cast<std::size_t>(instance.profile)];
      Entity part = whole;
      part.instance = true;
      const std::string labels =
          common(gpu) + fmt::format(R"(,GPU_I_PROFILE="{}",GPU_I_ID="{}")", profile.name.text, instance.id) +
          tail();
      part.labels = labels + pod_labels(world_, board, instance.holds);
      part.own_labels = labels + std::string(kNoPod);
      part.sharers = sharers_of(labels, board, instance.holds, instance.hidden);
      part.load = load_of(instance.holds, instance.hidden, capacity_of(board), world_.seed, world_.now);
      part.memory = profile.memory ? profile.memory->value
                                   : std::int64_t{group_.memory_mib} * profile.memory_slices /
                                         std::max(1, group_.mig->units);
      entities_.push_back(std::move(part));
    }
  }

  std::vector<Sharer> sharers_of(const std::string& labels, const Board& board,
                                 const std::vector<Hold>& holds, bool hidden) const {
    std::vector<Sharer> all;
    if (!habits_.virtual_gpus || holds.size() < 2) return all;
    const std::vector<Load> loads = own_loads(holds, hidden, capacity_of(board), world_.seed, world_.now);
    const bool samples = board.strategy != Strategy::mps;
    for (std::size_t i = 0; i < holds.size(); ++i)
      all.push_back({labels + labels_of(world_, holds[i]),
                     samples ? std::optional(loads[i].use) : std::nullopt, loads[i].memory});
    return all;
  }

  void line(std::string_view name, std::string_view labels, std::string_view value) {
    fmt::format_to(std::back_inserter(text_), "{}{{{}}} {}\n", name, labels, value);
  }

  // value: empty: this entity has none. Of what is shared each pod has a line with the same figure.
  template <class Value>
  void family(std::string_view name, std::string_view kind, std::string_view help, Value value) {
    family(name, kind, help, value, nullptr);
  }
  // own: what a pod uses by itself, beside what all use; empty: not told.
  template <class Value, class Own>
  void family(std::string_view name, std::string_view kind, std::string_view help, Value value, Own own) {
    fmt::format_to(std::back_inserter(text_), "# HELP {0} {2}\n# TYPE {0} {1}\n", name, kind, help);
    for (const Entity& one : entities_) {
      const std::string told = value(one);
      if (told.empty()) continue;
      if constexpr (!std::is_null_pointer_v<Own>) {
        line(name, one.sharers.empty() ? one.labels : one.own_labels, told);
        for (const Sharer& pod : one.sharers)
          if (const std::string part = own(one, pod); !part.empty()) line(name, pod.labels, part);
      } else if (one.sharers.empty()) {
        line(name, one.labels, told);
      } else {
        for (const Sharer& pod : one.sharers) line(name, pod.labels, told);
      }
    }
  }

  const World& world_;
  std::uint32_t node_;
  const NodeGroup& group_;
  const ExporterHabits& habits_;
  std::vector<Entity> entities_;
  std::string text_;
};

}  // namespace

std::string metrics_text(const World& world, std::uint32_t node, const ExporterHabits& habits) {
  return Teller(world, node, habits).tell();
}

}  // namespace tessera::sim::kube
