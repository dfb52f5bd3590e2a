#include "engine/plan/node_reset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "engine/hostlist.hpp"
#include "engine/insight/processes.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/notices.hpp"
#include "engine/plan/steps/reset_steps.hpp"
#include "engine/plan/words/slurm_words.hpp"
#include "engine/shell.hpp"
#include "engine/slurmconf/slurm_setup.hpp"
#include "engine/text.hpp"

namespace tessera::plan {
namespace {

constexpr std::size_t kMostGpus = 64;
constexpr int kHighestGpu = 1023;

// Of Ampere and later, where each GPU is reset by itself, and of older ones that no NVLink joins. Words of
// models and of Slurm's types.
constexpr std::array<std::string_view, 39> kAlone{
    "a100",  "a800",  "a30",   "a40",  "a10",  "a10g", "a16",     "a2",    "h100",  "h200",
    "h800",  "h20",   "gh200", "b100", "b200", "b300", "gb200",   "gb300", "l4",    "l20",
    "l40",   "l40s",  "l40g",  "t4",   "t4g",  "p4",   "p40",     "a2000", "a4000", "a4500",
    "a5000", "a5500", "a6000", "3090", "4090", "5090", "h100nvl", "gh100", "ga100"};

constexpr std::array<std::string_view, 2> kSwitched{"a100", "a800"};  // of Ampere, those that NVSwitch joins

// Of other makers, as they call them themselves and as Slurm's types do.
constexpr std::array<std::string_view, 15> kOthers{"amd",    "instinct", "mi100",  "mi210",  "mi250",
                                                   "mi250x", "mi300a",   "mi300x", "mi325x", "mi350x",
                                                   "mi355x", "gaudi",    "gaudi2", "gaudi3", "intel"};

std::string lowered_words(std::string_view text) {
  std::string low = lower(text);
  for (char& c : low)
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) c = ' ';
  return " " + low + " ";
}

bool is_called(const Gpu& gpu, std::span<const std::string_view> names) {
  const std::string words = lowered_words(gpu.product ? gpu.product->text : gpu.model);
  return std::any_of(names.begin(), names.end(), [&](std::string_view one) {
    return words.find(fmt::format(" {} ", one)) != std::string::npos;
  });
}

// The catalogue begins with Ampere.
bool resets_alone(const Gpu& gpu) { return gpu.product || is_called(gpu, kAlone); }

Error refused(std::string why, std::string hint) { return {"", std::move(why), std::move(hint)}; }

std::optional<Error> why_no_way(const Cluster& cluster, const Node& node, const std::vector<GpuIndex>& gpus,
                                const Means& can) {
  const std::string name = shell_word(node.name.text);
  if (cluster.scheduler != Scheduler::slurm)
    return refused(
        "Kubernetes gives no way to run nvidia-smi on a node",
        fmt::format("tessera node cordon {} REASON, wait for its GPU pods, stop the device plugin and "
                    "DCGM there, and reset it in the driver's pod or by ssh: nvidia-smi --gpu-reset -i {}",
                    name, gpu_numbers(gpus)));
  if (node.host_pod)
    return refused("its slurmd runs in a pod (Slinky), and Kubernetes hands out its GPUs",
                   "reset it on the Kubernetes node that has the pod, as the site does");
  if (can.dialect != Dialect::slurm) return std::nullopt;
  if (!can.slurm || can.slurm->reach == slurmconf::Reach::none)
    return refused("nvidia-smi resets a GPU on its node, and no way there is set",
                   "--slurm-runner ssh, srun, or a command with {node}");
  if (can.slurm->reach == slurmconf::Reach::srun && closed_by_flags(node))
    return refused("it is drained, and srun reaches no drained node: " + closed_reason(node),
                   "resume it first: the run's reservation keeps others off; or --slurm-runner ssh");
  return std::nullopt;
}

std::optional<Error> why_not_this(const Node& node, GpuIndex index) {
  const Gpu* gpu = find_gpu(node, index);
  if (!gpu)
    return refused(fmt::format("there is no GPU {}", index.value),
                   "tessera gpus --filter " + shell_word("node=" + node.name.text) + " lists them");
  if (!gpu->partition_mode.empty() || is_called(*gpu, kOthers))
    return refused(fmt::format("GPU {} is not NVIDIA's, and nvidia-smi resets those only", index.value),
                   "reset it by its maker's own tool");
  if (mode_of(*gpu) == MigMode::enable_pending || mode_of(*gpu) == MigMode::disable_pending)
    return refused(
        fmt::format("a change of GPU {}'s MIG mode is pending, which a reset would make true", index.value),
        fmt::format("plan the layout that it is to have (tessera plan --node {} --gpu {}), or cancel the "
                    "change: nvidia-smi -i {} -mig {}",
                    shell_word(node.name.text), index.value, index.value,
                    mode_of(*gpu) == MigMode::enable_pending ? 0 : 1));
  if (mode_of(*gpu) != MigMode::disabled || !instances_of(*gpu).empty())
    return refused(
        fmt::format("GPU {} is in MIG mode, and its instances do not survive a reset", index.value),
        fmt::format("make it whole first: tessera apply --node {} --gpu {} --layout none",
                    shell_word(node.name.text), index.value));
  return std::nullopt;
}

NodeChange change_of(const Node& node, const Intent& intent, const Means& can) {
  return {.node = node, .scheduler = Scheduler::slurm, .intent = intent, .can = can};
}

}  // namespace

std::string gpu_numbers(const std::vector<GpuIndex>& gpus) {
  std::string text;
  for (GpuIndex gpu : gpus) text += fmt::format("{}{}", text.empty() ? "" : ",", gpu.value);
  return text;
}

std::optional<std::vector<GpuIndex>> parse_gpus(std::string_view text) {
  auto numbers = expand_numbers(text, kMostGpus);
  if (!numbers || numbers->empty()) return std::nullopt;
  std::sort(numbers->begin(), numbers->end());
  if (std::adjacent_find(numbers->begin(), numbers->end()) != numbers->end()) return std::nullopt;
  if (numbers->front() < 0 || numbers->back() > kHighestGpu) return std::nullopt;
  std::vector<GpuIndex> gpus;
  for (int number : *numbers) gpus.push_back(GpuIndex{number});
  return gpus;
}

Special read_reset_back(const std::vector<GpuIndex>& gpus) {
  return {std::string(resets::kReadBack), {{"gpus", gpu_numbers(gpus)}}};
}

bool is_reset_look(const Special& act) { return act.verb == resets::kReadBack; }

std::optional<Error> why_no_reset(const Cluster& cluster, const Node& node, const std::vector<GpuIndex>& gpus,
                                  const Means& can) {
  if (auto why = why_no_way(cluster, node, gpus, can)) return why;
  if (node.health == Health::down || node.health == Health::unknown)
    return refused("slurmd does not answer there", "reboot it by its management controller");
  if (boards_untold(node))
    return refused("which GPUs it has is not reported", "tessera doctor says what is missing");
  for (GpuIndex gpu : gpus)
    if (auto why = why_not_this(node, gpu)) return why;
  // Whose job is on which GPU is told by Slurm's count, and a reset is made by the driver's.
  if (gpus.size() < node.gpus.size())
    if (auto crossed = insight::why_crossed(cluster, node.name))
      return refused("Slurm counts its GPUs otherwise than the driver: " + clean(*crossed, 300),
                     "name the files in gres.conf in the driver's order, or reset all of them");
  const bool alone =
      std::all_of(gpus.begin(), gpus.end(), [&](GpuIndex gpu) { return resets_alone(*find_gpu(node, gpu)); });
  if (alone || gpus.size() == node.gpus.size()) return std::nullopt;
  std::vector<GpuIndex> all;
  for (const Gpu& gpu : node.gpus) all.push_back(gpu.index);
  return refused(
      "before Ampere, GPUs that NVLink joins are reset together, and of this model that is not known: " +
          clean(find_gpu(node, gpus.front())->model, 64),
      fmt::format("reset all of them: tessera node reset-gpu {} {}", shell_word(node.name.text),
                  gpu_numbers(all)));
}

// A step of srun's waits for processors that jobs may have all of; a site's clients are stopped on the whole
// node, and its commands are written for an empty one.
Scope scope_of_reset(const std::vector<GpuIndex>& gpus, const Means& can) {
  Scope scope;
  if (can.slurm && (can.slurm->reach == slurmconf::Reach::srun || !can.slurm->stop_clients.empty()))
    return scope;
  for (GpuIndex gpu : gpus) scope.boards.push_back({gpu, {}});
  return scope;
}

std::vector<Step> reset_steps(const Node& node, const NodeAction& action, const Intent& intent,
                              const Means& can, std::vector<Disturbed> blast_radius) {
  NodeChange change = change_of(node, intent, can);
  change.scope = scope_of_reset(action.gpus, can);
  change.needs.drain = change.needs.reset = true;
  change.blast_radius = std::move(blast_radius);
  return can.dialect == Dialect::slurm ? slurm_reset_steps(change, action.gpus)
                                       : direct_reset_steps(change, action.gpus);
}

std::vector<Step> steps_after_reset(const Node& node, const Intent& intent, const Means& can,
                                    const std::set<std::string>& begun) {
  if (can.dialect == Dialect::slurm && can.slurm)
    return slurm_steps_after_reset(change_of(node, intent, can), begun);
  return builder_for(can.dialect).release(node.name, Scheduler::slurm);
}

bool is_of_reset(const NodeAction& wished, const Step& step) {
  if (const auto* reset = std::get_if<ResetGpus>(&step.action)) return reset->gpus == wished.gpus;
  if (const auto* act = std::get_if<Special>(&step.action))
    return *act == read_reset_back(wished.gpus) || act->verb == slurm::verb::kStopClients ||
           act->verb == slurm::verb::kStartClients;
  if (const auto* look = std::get_if<LookOnly>(&step.action)) return look->to_apply.empty();
  return std::holds_alternative<SetMark>(step.action) || std::holds_alternative<ClearMark>(step.action) ||
         std::holds_alternative<CloseNode>(step.action) || std::holds_alternative<OpenNode>(step.action);
}

std::vector<Notice> notices_of_reset(const Node& node, const std::vector<GpuIndex>& gpus, const Means& can) {
  std::vector<Notice> notices;
  const auto say = [&](Severity severity, const char* rule, std::string text) {
    notices.push_back({severity, rule, node.name, std::move(text)});
  };
  const char* for_node =
      "no new job starts there from now on, and no job is ended: the reset waits until no job is there, and "
      "cannot be undone";
  const char* for_gpus =
      "no new job starts there from now on, and no job is ended: the reset waits until no job has these "
      "GPUs, "
      "and cannot be undone";
  say(Severity::warning, "reset", scope_of_reset(gpus, can).boards.empty() ? for_node : for_gpus);
  if (can.dialect == Dialect::slurm && can.slurm && can.slurm->stop_clients.empty())
    say(Severity::info, "gpu-clients",
        "the driver refuses while any program has the GPU open, monitors (DCGM, a daemon of MPS) included: "
        "slurm-stop-clients names what the run stops meanwhile");
  add_clients(notices, node, gpus, can.slurm.get());
  if (std::any_of(gpus.begin(), gpus.end(), [&](GpuIndex gpu) {
        const Gpu* found = find_gpu(node, gpu);
        return found && found->strategy == Strategy::mps;
      }))
    say(Severity::warning, "mps-daemon", "a daemon of MPS that runs there has the GPU open: stop it first");
  if (node.gpus.size() > gpus.size() && std::any_of(node.gpus.begin(), node.gpus.end(),
                                                    [](const Gpu& gpu) { return is_called(gpu, kSwitched); }))
    say(Severity::info, "nvlink",
        "where NVSwitch joins GPUs of Ampere, their reset needs a running Fabric Manager; else nvidia-smi "
        "names the GPUs that have to be reset with it, and does nothing");
  return notices;
}

std::string why_unsound(GpuIndex gpu, const AfterReset& told) {
  const int index = gpu.value;
  if (told.remap_failed.value_or(false))
    return fmt::format("GPU {} was reset, and remapping a row of its memory has failed", index);
  if (told.remap_pending.value_or(false))
    return fmt::format("GPU {} was reset, and remapping a row of its memory is still pending", index);
  if (told.reset_required.value_or(false))
    return fmt::format("GPU {} was reset, and its driver still asks for a reset", index);
  const std::string action = lower(told.recovery);
  if (action.empty() || action == "none" || action == "n/a") return "";
  return fmt::format("GPU {} was reset, and its driver asks for this: {}", index, clean(told.recovery, 64));
}

}  // namespace tessera::plan
