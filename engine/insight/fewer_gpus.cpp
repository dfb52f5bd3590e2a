#include "engine/insight/fewer_gpus.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "engine/number.hpp"
#include "engine/shell.hpp"

namespace tessera::insight {
namespace {

// slurmd waits for its units, for the network and for the controller.
constexpr auto kRegisters = std::chrono::minutes(30);

// Of gres/mps and gres/shard it writes the same.
constexpr std::string_view kLower = "gres/gpu count reported lower than configured (";
constexpr std::int64_t kMostGpus = 1'000'000;

bool is_instance(const Slice& slice) { return slice.kind == SliceKind::gpu_instance; }

// Instances are cut on it, or were to be. false: that is not told.
bool has_mig(const Node& node) {
  return std::any_of(node.gpus.begin(), node.gpus.end(),
                     [](const Gpu& gpu) { return gpu.strategy == Strategy::mig; }) ||
         std::any_of(node.pool.begin(), node.pool.end(), is_instance);
}

}  // namespace

std::optional<FewerGpus> fewer_gpus(const Node& node) {
  const std::size_t at = node.reason.find(kLower);
  if (at == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(node.reason).substr(at + kLower.size());
  const std::size_t sign = rest.find(" < "), end = rest.find(')');
  if (sign == std::string_view::npos || end == std::string_view::npos || end < sign) return std::nullopt;
  const auto found = whole_number(rest.substr(0, sign), kMostGpus);
  const auto configured = whole_number(rest.substr(sign + 3, end - sign - 3), kMostGpus);
  if (!found || !configured || *found >= *configured) return std::nullopt;
  FewerGpus fewer{*found, *configured, std::nullopt};
  if (node.booted && node.reason_at && *node.reason_at >= *node.booted &&
      *node.reason_at - *node.booted <= kRegisters)
    fewer.boot = node.booted;
  return fewer;
}

void tell_fewer(Finding& finding, const Node& node, const FewerGpus& fewer, const std::string& ago) {
  const bool mig = has_mig(node);
  const std::string name = shell_word(node.name.text);
  finding.way_out = mig || !node.gpus.empty() ? WayOut::layout : WayOut::none;
  finding.commands.push_back("ssh " + name + " nvidia-smi -L");
  finding.commands.push_back(fmt::format("tessera plan --node {} --layout LAYOUT", name));
  if (!fewer.boot) {
    finding.hint =
        node.reason_at || !node.booted
            ? "the node has fewer GPUs or slices than gres.conf: nvidia-smi -L on it shows them; "
              "plan the layout again, or change gres.conf"
            : "the node had fewer GPUs or slices than gres.conf when slurmd started: a MIG layout does "
              "not survive a boot without a boot unit, and slurmd has to start after the driver "
              "(After=nvidia-persistenced.service); nvidia-smi -L on the node shows what is there";
    return;
  }
  finding.since = fewer.boot;
  const std::int64_t found = fewer.found, configured = fewer.configured;
  finding.cause =
      mig ? "INVALID: its MIG layout was lost at a boot" : "INVALID: GPUs or slices were lost at a boot";
  finding.text =
      mig ? fmt::format("INVALID: its MIG layout was lost at the boot {} ago: {} of {} slices were found",
                        ago, found, configured)
          : fmt::format("INVALID: GPUs or slices were lost at the boot {} ago: {} of {} were found", ago,
                        found, configured);
  finding.hint =
      mig ? "plan the layout again; a boot unit that makes it before slurmd starts keeps it over the next "
            "boot (slurm-boot-unit)"
          : "nvidia-smi -L on the node shows what is there: plan a MIG layout that is gone again, with a "
            "boot unit (slurm-boot-unit); the kernel log (Xid) names a GPU that is gone; where all are "
            "there, slurmd started before the driver (After=nvidia-persistenced.service)";
}

}  // namespace tessera::insight
