#include "engine/sharing/limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/number.hpp"
#include "engine/sharing/rules.hpp"

namespace tessera::sharing {

namespace {

constexpr int kClientsBeforeVolta = 16;
constexpr int kClientsSinceVolta = 48;
constexpr int kClientsSinceCuda131 = 60;
constexpr std::string_view kTimeSliceDriver = "455";
constexpr std::string_view kTimeSliceCuda = "11.1";

std::optional<int> take_part(std::string_view& text) {
  const auto number = take_number(text);
  if (!number) return std::nullopt;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
  } else {
    text = {};  // "535-server": what follows the number is no part of the order
  }
  return number;
}

bool below(std::string_view left, std::string_view right) {
  return compare_versions(left, right).value_or(0) < 0;
}

class Collector {
 public:
  void fact(std::string id, std::string text, std::optional<int> value = {}) {
    all_.push_back({std::move(id), LimitKind::fact, std::move(text), value});
  }
  void caution(std::string id, std::string text, std::optional<int> value = {}) {
    all_.push_back({std::move(id), LimitKind::caution, std::move(text), value});
  }
  void broken(std::string id, std::string text, std::optional<int> value = {}) {
    all_.push_back({std::move(id), LimitKind::broken, std::move(text), value});
  }
  std::vector<Limit> take() {
    std::stable_sort(all_.begin(), all_.end(),
                     [](const Limit& left, const Limit& right) { return left.kind > right.kind; });
    return std::move(all_);
  }

 private:
  std::vector<Limit> all_;
};

void mig_driver(Collector& out, const LimitContext& context) {
  if (context.product == nullptr || context.product->min_driver.empty()) return;
  const std::string& needed = context.product->min_driver;
  if (context.driver.empty()) {
    out.caution("mig-driver", fmt::format("MIG on {} needs driver {} or later; the driver here is not known",
                                          context.product->key.text, needed));
  } else if (below(context.driver, needed)) {
    out.broken("mig-driver", fmt::format("MIG on {} needs driver {} or later; here it is {}",
                                         context.product->key.text, needed, context.driver));
  } else {
    out.fact("mig-driver", fmt::format("needs driver {} or later; here it is {}", needed, context.driver));
  }
}

void mig_limits(Collector& out, const LimitContext& context) {
  if (context.product != nullptr && !context.product->mig_capable) {
    out.broken("mig-product", fmt::format("{} has no MIG", context.product->key.text));
    return;
  }
  mig_driver(out, context);
  if (context.product != nullptr && context.product->max_instances > 0) {
    const int most = context.product->max_instances;
    out.fact("mig-instances", fmt::format("at most {} instances on one GPU", most), most);
  }
  if (context.product != nullptr && !context.product->placements_known) {
    out.caution("mig-places",
                "where instances may be placed on this GPU is not published: no layouts to offer");
  }
  out.fact(
      "mig-no-multi",
      "CUDA does not work across instances: a process sees only the first, and no two talk to each other");
  out.fact("mig-empty", "a GPU must be free of processes while its MIG mode changes");
  if (context.platform == Platform::hyperpod_slurm) {
    out.broken("mig-platform", "HyperPod with Slurm does not support MIG");
  }
}

void replica_range(Collector& out, const LimitContext& context, int most, std::string_view id) {
  if (!context.replicas) return;
  if (*context.replicas < kMinClients || *context.replicas > most) {
    out.broken(std::string(id) + "-replicas",
               fmt::format("{} clients are outside {} to {}", *context.replicas, kMinClients, most),
               context.replicas);
  }
}

void mps_limits(Collector& out, const LimitContext& context) {
  const bool kubernetes = scheduler_of(context.platform) == Scheduler::kubernetes;
  // ACK's plugin hands out memory, whatever the number of clients.
  const bool by_memory = context.platform == Platform::ack;
  const std::string_view capability =
      context.product != nullptr ? std::string_view(context.product->compute_capability) : std::string_view();
  int most = capability.empty() ? kClientsSinceVolta : mps_clients(capability, context.cuda);
  if (kubernetes) most = std::min(most, capability.empty() ? most : mps_plugin_clients(capability));
  if (kubernetes) most = std::min(most, kMaxClients);
  if (!by_memory)
    out.fact("mps-clients",
             kubernetes ? fmt::format("2 to {} clients on one GPU, by the device plugin's cap", most)
                        : fmt::format("at most {} clients on one GPU", most),
             most);
  if (!kubernetes && most != kClientsSinceCuda131) {
    out.fact("mps-clients-later", "60 clients are reported from CUDA 13.1 on", kClientsSinceCuda131);
  }
  if (!by_memory) replica_range(out, context, most, "mps");
  if (kubernetes && context.mig_in_use) {
    out.broken("mps-mig", "the device plugin refuses MPS on GPUs with MIG on: switch MIG off first");
  }
  if (kubernetes && !by_memory) {
    out.fact("mps-request", "each container asks for exactly 1 and runs one process", 1);
    out.fact("mps-host-ipc", "some platforms need hostIPC: true in the pod");
  }
  if (!capability.empty() && below(capability, "7.0")) {
    out.caution("mps-volta", "before Volta MPS has no memory protection at all and no compute limits");
  }
  if (kubernetes && !by_memory) {
    out.fact("mps-share",
             "of N clients each gets 1/N of the GPU's memory and of its threads: the device plugin sets both "
             "limits");
  }
  // ACK's sharing component gives each pod a part of its own.
  out.fact("mps-memory",
           by_memory ? "the memory of each pod is kept apart from that of others; a fault of one client can "
                       "still end others"
                     : "memory is not isolated; limits can be set, and a fault of one client can end others");
  if (context.boards_a_node > 1) {
    out.caution("mps-boards",
                fmt::format("this node has {} GPUs: one job over several GPUs by MPS works poorly",
                            context.boards_a_node));
  }
}

void time_slice_limits(Collector& out, const LimitContext& context) {
  out.fact("slice-replicas", "platforms take 2 to 48 replicas", kMaxClients);
  replica_range(out, context, kMaxClients, "slice");
  out.fact("slice-request", "asking for 2 replicas gives no second share of compute", 1);
  out.fact("slice-memory", "memory is not limited: one process that takes it all can end every other");
  out.caution("slice-peak", "work whose peak memory cannot be predicted should not be time-sliced");
  if (!context.driver.empty() && below(context.driver, kTimeSliceDriver)) {
    out.broken("slice-driver",
               fmt::format("setting the length of a time-slice needs driver 455 or later (CUDA {}); here it "
                           "is {}",
                           kTimeSliceCuda, context.driver));
  } else {
    out.fact("slice-driver", "setting the length of a time-slice needs driver 455 or later (CUDA 11.1)");
  }
  if (scheduler_of(context.platform) == Scheduler::slurm) {
    out.fact("slice-shards", "Slurm counts shards and does not enforce the share of each user");
  }
}

void vgpu_limits(Collector& out, const LimitContext& context) {
  if (!context.licence && context.licence_promised) {
    out.caution("vgpu-licence", "a vGPU needs a licence; by the answer there is one, or one can be had");
  } else if (!context.licence) {
    out.caution("vgpu-licence", "a vGPU needs a licence; whether there is one is not known");
  } else if (!*context.licence) {
    out.broken("vgpu-licence", "a vGPU needs a licence, and there is none");
  } else {
    out.fact("vgpu-licence", "a licence is there");
  }
  out.fact("vgpu-hypervisor", "needs a hypervisor with the vGPU manager, or KubeVirt");
  out.fact("vgpu-no-vms", "no virtual machine may run on a GPU while its vGPU types change");
}

}  // namespace

std::optional<int> compare_versions(std::string_view left, std::string_view right) {
  const auto strip = [](std::string_view& text) {
    if (text.starts_with('R') || text.starts_with('v')) text.remove_prefix(1);
  };
  strip(left);
  strip(right);
  bool first = true;
  while (first || !left.empty() || !right.empty()) {
    const std::optional<int> a = left.empty() && !first ? std::optional(0) : take_part(left);
    const std::optional<int> b = right.empty() && !first ? std::optional(0) : take_part(right);
    if (!a || !b) return first ? std::nullopt : std::optional(0);
    if (*a != *b) return *a < *b ? -1 : 1;
    first = false;
  }
  return 0;
}

int mps_clients(std::string_view compute_capability, std::string_view cuda) {
  if (below(compute_capability, "7.0")) return kClientsBeforeVolta;
  if (compare_versions(cuda, "13.1").value_or(-1) >= 0) return kClientsSinceCuda131;
  return kClientsSinceVolta;
}

int mps_plugin_clients(std::string_view compute_capability) {
  return compare_versions(compute_capability, "7.5").value_or(-1) >= 0 ? kClientsSinceVolta
                                                                       : kClientsBeforeVolta;
}

std::vector<Limit> limits(Strategy strategy, const LimitContext& context) {
  Collector out;
  switch (strategy) {
    case Strategy::mig: mig_limits(out, context); break;
    case Strategy::mps: mps_limits(out, context); break;
    case Strategy::time_slicing:
    case Strategy::shard: time_slice_limits(out, context); break;
    case Strategy::vgpu: vgpu_limits(out, context); break;
    case Strategy::whole:
    case Strategy::unknown: break;
  }
  for (const PlatformFacts& facts : context.facts) {
    if (facts.platform != context.platform) continue;
    for (const Remark& remark : facts.remarks) {
      const bool meant = remark.about.empty() ||
                         std::find(remark.about.begin(), remark.about.end(), strategy) != remark.about.end();
      if (meant) out.fact(remark.id, remark.text);
    }
  }
  return out.take();
}

std::optional<Mib> memory_share(std::optional<Mib> memory, int replicas) {
  if (!memory || replicas < 1) return std::nullopt;
  return Mib{memory->value / replicas};
}

std::string_view word(LimitKind kind) {
  return kind == LimitKind::fact ? "fact" : kind == LimitKind::caution ? "caution" : "broken";
}

}  // namespace tessera::sharing
