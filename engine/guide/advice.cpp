#include "engine/guide/advice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/sharing/resources.hpp"

namespace tessera::guide {

namespace {

constexpr int kUsualReplicas = 4;

// What may stand in YAML and on a command line without quotes.
bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 253 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_' || c == '/' || c == ':' || c == '+';
  });
}

bool is_kubernetes(sharing::Platform platform) {
  return sharing::scheduler_of(platform) == Scheduler::kubernetes;
}

std::vector<std::string> resources(Strategy strategy, sharing::Platform platform, const Proposal* proposal) {
  std::vector<std::string> names;
  if (proposal != nullptr) {
    for (const auto& [name, count] : proposal->advertised) {
      // On Slurm a share is asked for, not the board that it is a share of.
      const bool board = name.starts_with("gpu") && strategy != Strategy::mig && !is_kubernetes(platform);
      if (count > 0 && !board) names.push_back(name);
    }
  }
  if (!names.empty()) return names;
  if (platform == sharing::Platform::ack && strategy == Strategy::mps) return {"aliyun.com/gpu-mem"};
  if (is_kubernetes(platform)) return {"nvidia.com/gpu"};
  if (strategy == Strategy::mps) return {"mps"};
  if (strategy == Strategy::time_slicing) return {"shard"};
  return {"gpu"};
}

void ask(std::vector<Advice>& all, Strategy strategy, sharing::Platform platform, const Proposal* proposal) {
  const int replicas = proposal != nullptr ? proposal->replicas.value_or(kUsualReplicas) : kUsualReplicas;
  for (const std::string& name : resources(strategy, platform, proposal)) {
    if (is_kubernetes(platform)) {
      all.push_back({"pod", fmt::format("A pod that asks for {}", name),
                     pod_snippet(name, strategy == Strategy::mps && name != "aliyun.com/gpu-mem")});
    } else {
      const bool mps = strategy == Strategy::mps;
      const int count = mps ? std::max(1, sharing::kMpsPercent / std::max(replicas, 1)) : 1;
      all.push_back({"sbatch", fmt::format("A job that asks for {}", name), sbatch_line(name, count)});
    }
  }
}

void memory(std::vector<Advice>& all, const Proposal* proposal) {
  const int replicas = proposal != nullptr ? proposal->replicas.value_or(kUsualReplicas) : kUsualReplicas;
  all.push_back(
      {"pytorch", fmt::format("Keep PyTorch to one share of {}", replicas), pytorch_limit(replicas)});
  if (proposal != nullptr && proposal->memory_share) {
    all.push_back({"tensorflow", fmt::format("Keep TensorFlow to one share of {}", replicas),
                   tensorflow_limit(*proposal->memory_share)});
  }
}

}  // namespace

std::string pod_snippet(std::string_view resource, bool host_ipc) {
  if (!is_name(resource)) return {};
  return fmt::format(
      "apiVersion: v1\n"
      "kind: Pod\n"
      "metadata:\n"
      "  name: gpu-example\n"
      "spec:\n"
      "  restartPolicy: Never\n"
      "{}"
      "  containers:\n"
      "    - name: main\n"
      "      image: nvidia/cuda:12.4.1-base-ubuntu22.04\n"
      "      command: [nvidia-smi, -L]\n"
      "      resources:\n"
      "        limits:\n"
      "          {}: 1",
      host_ipc ? "  hostIPC: true\n" : "", resource);
}

std::string sbatch_line(std::string_view resource, std::int64_t count) {
  if (!is_name(resource)) return {};
  return fmt::format("sbatch --gres={}:{} job.sh", resource, count);
}

std::string pytorch_limit(int replicas) {
  const int parts = std::max(replicas, 1);
  return fmt::format("import torch\ntorch.cuda.set_per_process_memory_fraction({:.4g})  # 1/{}", 1.0 / parts,
                     parts);
}

std::string tensorflow_limit(Mib share) {
  return fmt::format(
      "import tensorflow as tf\n"
      "gpu = tf.config.list_physical_devices(\"GPU\")[0]\n"
      "tf.config.set_logical_device_configuration(\n"
      "    gpu, [tf.config.LogicalDeviceConfiguration(memory_limit={})])  # MiB",
      share.value);
}

std::string peak_memory_query(std::string_view window) {
  const bool good =
      window.size() >= 2 && window.size() <= 8 &&
      std::string_view("smhdw").find(window.back()) != std::string_view::npos &&
      std::all_of(window.begin(), window.end() - 1, [](char c) { return c >= '0' && c <= '9'; });
  return fmt::format("max by (namespace, pod) (max_over_time(DCGM_FI_DEV_FB_USED[{}]))",
                     good ? window : "7d");
}

std::string mps_variables(int percent, std::optional<Mib> limit) {
  std::string text = fmt::format("export CUDA_MPS_ACTIVE_THREAD_PERCENTAGE={}", std::clamp(percent, 1, 100));
  if (limit) text += fmt::format("\nexport CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=0={}M", limit->value);
  return text;
}

std::string mps_job_script(int percent) {
  const int share = std::clamp(percent, 1, 100);
  return fmt::format(
      "#!/bin/bash\n"
      "#SBATCH --gres=mps:{0}\n"
      "set -eu\n"
      "# A daemon of this job's own: its folders carry the job's number, so that jobs never meet.\n"
      "base=\"${{TMPDIR:-/tmp}}/mps-${{SLURM_JOB_ID}}\"\n"
      "export CUDA_MPS_PIPE_DIRECTORY=\"$base/pipe\"\n"
      "export CUDA_MPS_LOG_DIRECTORY=\"$base/log\"\n"
      "mkdir -p -m 700 \"$base\" \"$CUDA_MPS_PIPE_DIRECTORY\" \"$CUDA_MPS_LOG_DIRECTORY\"\n"
      "clean_up() {{\n"
      "  echo quit | nvidia-cuda-mps-control || true\n"
      "  rm -rf -- \"$base\"\n"
      "}}\n"
      "trap clean_up EXIT\n"
      "nvidia-cuda-mps-control -d\n"
      "export CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=\"${{CUDA_MPS_ACTIVE_THREAD_PERCENTAGE:-{0}}}\"\n"
      "srun ./program",
      share);
}

std::string time_slice_command(TimeSlice length, std::optional<GpuIndex> gpu) {
  const std::string one = gpu ? fmt::format(" -i {}", gpu->value) : std::string();
  return fmt::format("nvidia-smi compute-policy{} --set-timeslice={}", one, static_cast<int>(length));
}

std::string sharing_config(Strategy method, std::string_view resource, int replicas,
                           const std::optional<plan::Switches>& switches) {
  if (!is_name(resource) || replicas < 2) return {};
  return fmt::format(
      "version: v1\n"
      "sharing:\n"
      "  {}:\n"
      "    renameByDefault: {}\n"
      "    failRequestsGreaterThanOne: {}\n"
      "    resources:\n"
      "      - name: {}\n"
      "        replicas: {}",
      method == Strategy::mps ? "mps" : "timeSlicing", switches && switches->rename,
      !switches || switches->refuse_several, resource, replicas);
}

namespace {

// Whoever runs the hypervisor makes them; Slurm and a GPU that nobody has yet have no plan for that.
std::string hypervisor_text(const Proposal& proposal) {
  std::string where;
  for (const BoardProposal& board : proposal.boards)
    if (!board.node.empty() && board.gpu)
      where += fmt::format("{}{} GPU {}", where.empty() ? "" : ", ", board.node.text, board.gpu->value);
  return fmt::format(
      "vGPU type: {}, {} on each GPU{}{}\n"
      "nvidia-smi vgpu -s\n"
      "nvidia-smi vgpu\n"
      "# nvidia-smi vgpu -s lists the types of a GPU, nvidia-smi vgpu those in use. No virtual machine may "
      "run "
      "on the GPU while its types change, and all vGPUs of a GPU have one type unless it may mix them.",
      proposal.vgpu.text, proposal.replicas.value_or(1), where.empty() ? "" : "\nGPUs: ", where);
}

}  // namespace

std::vector<Advice> advice(Strategy strategy, sharing::Platform platform, const Proposal* proposal) {
  std::vector<Advice> all;
  const bool kubernetes = is_kubernetes(platform);
  const int replicas = proposal != nullptr ? proposal->replicas.value_or(kUsualReplicas) : kUsualReplicas;
  const int percent = std::max(1, sharing::kMpsPercent / std::max(replicas, 1));
  if (strategy == Strategy::vgpu && proposal != nullptr && !proposal->vgpu.empty() && !kubernetes)
    return {{"vgpu-hypervisor", "For whoever runs the hypervisor", hypervisor_text(*proposal)}};
  ask(all, strategy, platform, proposal);
  const bool shares = strategy == Strategy::mps || strategy == Strategy::time_slicing;
  // ACK's own plugin knows no replicas: its pods ask for memory, and no daemon of the host's is reached.
  const bool by_memory = platform == sharing::Platform::ack &&
                         (proposal == nullptr || proposal->advertised.contains("aliyun.com/gpu-mem"));
  if (shares && kubernetes && replicas >= 2 && !by_memory) {
    all.push_back({"sharing-config", "The device plugin's configuration",
                   sharing_config(strategy, sharing::kubernetes_gpu(), replicas,
                                  proposal != nullptr ? proposal->switches : std::nullopt)});
    all.push_back({"share-variable",
                   "Tell a container its share, where it cannot read nvidia.com/gpu.replicas",
                   fmt::format("env:\n  - name: NVIDIA_REPLICAS\n    value: \"{}\"", replicas)});
  }
  if (strategy == Strategy::time_slicing) {
    memory(all, proposal);
    all.push_back({"time-slice", "The length of a turn: 0 default, 1 short, 2 medium, 3 long",
                   time_slice_command(TimeSlice::brief) + "\nnvidia-smi compute-policy --list"});
  }
  if (strategy == Strategy::mps && !by_memory) {
    all.push_back({"mps-variables", "Hold one client to its share",
                   mps_variables(percent, proposal != nullptr ? proposal->memory_share : std::nullopt)});
    if (!kubernetes) all.push_back({"mps-job", "A job with a daemon of its own", mps_job_script(percent)});
    memory(all, proposal);
  }
  if (kubernetes && strategy != Strategy::vgpu) {
    all.push_back(
        {"peak-memory", "Peak memory of each pod, to size a limit or an instance", peak_memory_query("7d")});
  }
  return all;
}

}  // namespace tessera::guide
