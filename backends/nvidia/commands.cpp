#include "backends/nvidia/commands.hpp"

namespace tessera::nvidia {
namespace {

template <class Range, class Text>
std::string joined(const Range& values, Text text) {
  std::string list;
  for (const auto& value : values) list += (list.empty() ? "" : ",") + text(value);
  return list;
}

std::string list_of(std::span<const GpuIndex> gpus) {
  return joined(gpus, [](GpuIndex gpu) { return std::to_string(gpu.value); });
}
std::string list_of(std::span<const int> ids) {
  return joined(ids, [](int id) { return std::to_string(id); });
}

std::string profile_of(const plan::InstanceAt& instance, const mig::Product* product) {
  const mig::Profile* profile = product ? product->find(instance.profile.text) : nullptr;
  return profile && profile->id ? std::to_string(*profile->id) : instance.profile.text;
}

// A verb without its list would mean everything there is.
Argv on_gpus(std::span<const GpuIndex> gpus, Argv verb) {
  if (gpus.empty()) return {};
  Argv argv{"nvidia-smi", "-i", list_of(gpus)};
  argv.insert(argv.end(), verb.begin(), verb.end());
  return argv;
}

Argv mig_on(GpuIndex gpu, std::span<const int> instances, const char* verb) {
  if (instances.empty()) return {};
  return {"nvidia-smi", "mig", "-i", std::to_string(gpu.value), "-gi", list_of(instances), verb};
}

}  // namespace

Argv list_gpus() { return {"nvidia-smi", "-L"}; }
Argv process_use() { return {"nvidia-smi", "pmon", "-c", "1"}; }
Argv query() { return {"nvidia-smi", "-q", "-x"}; }
Argv list_instances() { return {"nvidia-smi", "mig", "-lgi"}; }
Argv list_compute() { return {"nvidia-smi", "mig", "-lci"}; }
Argv read_minors() { return {"cat", "/proc/driver/nvidia-caps/mig-minors"}; }

Argv create(GpuIndex gpu, std::span<const plan::InstanceAt> instances, const mig::Product* product,
            bool at_places) {
  if (instances.empty()) return {};
  auto one = [&](const plan::InstanceAt& instance) {
    std::string text = profile_of(instance, product);
    return at_places ? text + ":" + std::to_string(instance.at.start) : text;
  };
  return {"nvidia-smi", "mig", "-i", std::to_string(gpu.value), "-cgi", joined(instances, one), "-C"};
}
Argv create_compute(GpuIndex gpu, int instance) { return mig_on(gpu, {&instance, 1}, "-cci"); }
Argv destroy_compute(GpuIndex gpu, std::span<const int> instances) { return mig_on(gpu, instances, "-dci"); }
Argv destroy_instances(GpuIndex gpu, std::span<const int> instances) {
  return mig_on(gpu, instances, "-dgi");
}
Argv set_mode(std::span<const GpuIndex> gpus, bool mig) { return on_gpus(gpus, {"-mig", mig ? "1" : "0"}); }
Argv reset(std::span<const GpuIndex> gpus) { return on_gpus(gpus, {"--gpu-reset"}); }

Argv parted_apply(const std::string& config) {
  return {"nvidia-mig-parted", "apply", "-f", "-", "-c", config};
}
Argv parted_export() { return {"nvidia-mig-parted", "export", "-o", "yaml"}; }

// The brackets keep the pattern from matching the shell that carries it.
Argv find_changes() {
  return {"pgrep", "-a", "-f", "[n]vidia-(smi .*(-cgi|-cci|-dgi|-dci|-mig|--gpu-reset)|mig-parted apply)"};
}

}  // namespace tessera::nvidia
