#include "backends/nvidia/node_gpus.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/nvidia/parse.hpp"

namespace tessera::nvidia {
namespace {

Error moved(std::string reason) {
  return {"the answers of nvidia-smi do not fit each other", std::move(reason),
          "the node changed while it was asked: look again"};
}

struct Read {
  std::vector<ListedGpu> list;
  Query query;
  std::vector<InstanceRow> instances;
  std::vector<ComputeRow> compute;
};

Result<Read> read(const NodeAnswers& answers) {
  auto list = parse_list(answers.list);
  if (!list) return list.error();
  // Without GPUs the other commands have nothing to tell, and say so as a failure.
  if (list->empty()) return Read{};
  auto query = parse_query(answers.query);
  if (!query) return query.error();
  auto instances = parse_instances(answers.instances);
  if (!instances) return instances.error();
  auto compute = parse_compute(answers.compute);
  if (!compute) return compute.error();
  return Read{std::move(*list), std::move(*query), std::move(*instances), std::move(*compute)};
}

std::optional<MigMode> mode_of(const QueriedGpu& gpu) {
  if (!gpu.mig_now) return std::nullopt;
  bool pending = gpu.mig_pending.value_or(*gpu.mig_now);
  if (*gpu.mig_now) return pending ? MigMode::enabled : MigMode::disable_pending;
  return pending ? MigMode::enable_pending : MigMode::disabled;
}

// One GPU: checks what the answers say about it against each other, then tells it.
class Teller {
 public:
  Teller(const Read& read, const ListedGpu& listed, const QueriedGpu& queried)
      : read_(read), listed_(listed), queried_(queried) {}

  // nullopt: they fit.
  std::optional<Error> trouble() const {
    bool cut = queried_.mig_now.value_or(false);
    for (const InstanceRow& row : read_.instances)
      if (row.gpu == listed_.index && !cut) return moved(about("has instances, and MIG is off"));
    for (const ComputeRow& row : read_.compute)
      if (row.gpu == listed_.index && !instance(row.instance))
        return moved(
            about(fmt::format("has a compute instance in instance {}, which is not there", row.instance)));
    for (const QueriedDevice& device : queried_.devices)
      if (!compute(device.instance, device.compute))
        return moved(about(
            fmt::format("has a MIG device in {}/{}, which is not there", device.instance, device.compute)));
    for (const Client& client : queried_.clients)
      if (client.instance && !instance(*client.instance))
        return moved(
            about(fmt::format("has a program in instance {}, which is not there", *client.instance)));
    if (!listed_.devices.empty() && listed_.devices.size() != queried_.devices.size())
      return moved(
          about(fmt::format("has {} MIG devices, and {}", listed_.devices.size(), queried_.devices.size())));
    return std::nullopt;
  }

  Gpu tell(const mig::Catalogue* catalogue, TimePoint at) const {
    Gpu gpu;
    gpu.index = GpuIndex{listed_.index};
    gpu.uuid = listed_.uuid;
    gpu.model = listed_.name;
    if (const mig::Product* product = catalogue ? catalogue->by_smi_name(listed_.name) : nullptr)
      gpu.product = product->key;
    gpu.memory = queried_.memory;
    gpu.mig_mode = mode_of(queried_);
    gpu.telemetry = queried_.telemetry;
    gpu.telemetry.origin = gpu.origin = {Source::nvidia_smi, at};
    if (queried_.mig_now.value_or(false)) {
      gpu.strategy = Strategy::mig;
      for (const InstanceRow& row : read_.instances)
        if (row.gpu == listed_.index) gpu.slices.push_back(slice(row));
      std::sort(gpu.slices.begin(), gpu.slices.end(),
                [](const Slice& a, const Slice& b) { return a.placement < b.placement; });
    } else {
      gpu.strategy = Strategy::whole;
      Slice& whole = gpu.slices.emplace_back();
      whole.use = gpu.telemetry.use;
      whole.memory_used = queried_.used;
      if (!queried_.clients.empty()) whole.told_held = true;
    }
    return gpu;
  }

  void add_devices(std::vector<MigDevice>& devices) const {
    for (const QueriedDevice& device : queried_.devices) {
      MigDevice one{GpuIndex{listed_.index}, device.instance, device.compute, {}, {}};
      one.profile = compute(device.instance, device.compute)->profile;
      for (const ListedDevice& listed : listed_.devices)
        if (listed.device == device.index) one.uuid = listed.uuid;
      devices.push_back(std::move(one));
    }
  }

 private:
  std::string about(std::string_view what) const { return fmt::format("GPU {} {}", listed_.index, what); }

  const InstanceRow* instance(int id) const {
    for (const InstanceRow& row : read_.instances)
      if (row.gpu == listed_.index && row.id == id) return &row;
    return nullptr;
  }
  const ComputeRow* compute(int instance, int id) const {
    for (const ComputeRow& row : read_.compute)
      if (row.gpu == listed_.index && row.instance == instance && row.id == id) return &row;
    return nullptr;
  }

  Slice slice(const InstanceRow& row) const {
    Slice slice;
    slice.kind = SliceKind::gpu_instance;
    slice.profile = row.profile;
    slice.placement = row.at;
    slice.instance_id = row.id;
    for (const ComputeRow& compute : read_.compute)
      if (compute.gpu == row.gpu && compute.instance == row.id)
        slice.compute.push_back({compute.id, compute.profile});
    // Compute instances share the memory of their GPU instance: each of their devices shows the same.
    for (const QueriedDevice& device : queried_.devices)
      if (device.instance == row.id) slice.memory_used = device.used;
    for (const Client& client : queried_.clients)
      if (client.instance == row.id) slice.told_held = true;
    return slice;
  }

  const Read& read_;
  const ListedGpu& listed_;
  const QueriedGpu& queried_;
};

}  // namespace

Result<NodeGpus> node_gpus(const NodeAnswers& answers, const mig::Catalogue* catalogue, TimePoint at) {
  Result<Read> read_them = read(answers);
  if (!read_them) return read_them.error();
  Read& all = *read_them;
  std::sort(all.list.begin(), all.list.end(),
            [](const ListedGpu& a, const ListedGpu& b) { return a.index < b.index; });
  if (all.list.size() != all.query.gpus.size())
    return moved(fmt::format("-L lists {} GPUs, -q {}", all.list.size(), all.query.gpus.size()));
  NodeGpus node;
  node.driver = all.query.driver;
  for (const ListedGpu& listed : all.list) {
    auto queried = std::find_if(all.query.gpus.begin(), all.query.gpus.end(),
                                [&](const QueriedGpu& one) { return one.uuid == listed.uuid; });
    if (queried == all.query.gpus.end()) return moved(fmt::format("-q has no GPU {}", listed.uuid));
    Teller teller(all, listed, *queried);
    if (auto trouble = teller.trouble()) return *trouble;
    node.gpus.push_back(teller.tell(catalogue, at));
    teller.add_devices(node.devices);
    node.boards.push_back({queried->pci, queried->minor, queried->compute_mode, queried->persistence,
                           std::move(queried->clients)});
  }
  auto unlisted = [&](int gpu) {
    return std::none_of(all.list.begin(), all.list.end(),
                        [&](const ListedGpu& one) { return one.index == gpu; });
  };
  for (const InstanceRow& row : all.instances)
    if (unlisted(row.gpu)) return moved(fmt::format("-lgi lists GPU {}, which -L does not", row.gpu));
  return node;
}

}  // namespace tessera::nvidia
