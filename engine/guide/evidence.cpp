#include "engine/guide/evidence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "engine/model/waits_longer.hpp"
#include "engine/sharing/platform.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/text.hpp"

namespace tessera::guide {

namespace {

constexpr std::size_t kNamesShown = 3;
constexpr std::size_t kManyJobs = 3;  // of one user, each of one GPU or less
constexpr float kLowUse = 30;         // percent of a held GPU: most of it idles

Answer make(Reply reply, Confidence confidence, std::string text, Origin origin) {
  return {reply, confidence, {{clean(text, 512), origin}}};
}

Origin catalogue_origin() { return {Source::catalogue, {}}; }

std::string some(const std::set<std::string>& names) { return some_of(names, kNamesShown); }

// The oldest word among the work that is looked at.
Origin oldest(const std::vector<const Workload*>& work) {
  Origin origin;
  for (const Workload* one : work) {
    if (origin.source == Source::none || one->origin.at < origin.at) origin = one->origin;
  }
  return origin;
}

bool small(const Workload& one) {
  std::int64_t asked = 0;
  for (const Request& request : one.requests) asked += request.count;
  return one.node_count <= 1 && asked <= 1;
}

// Whole words only, so that "compiler" is no "mpi".
bool has_word(std::string_view text, std::string_view wanted) {
  const std::string folded = lower(text);
  for (std::size_t at = folded.find(wanted); at != std::string::npos; at = folded.find(wanted, at + 1)) {
    const auto letter = [&](std::size_t i) {
      return i < folded.size() && std::isalnum(static_cast<unsigned char>(folded[i])) != 0;
    };
    if ((at == 0 || !letter(at - 1)) && !letter(at + wanted.size())) return true;
  }
  return false;
}

bool has_any_word(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view one) { return has_word(text, one); });
}

}  // namespace

std::vector<const Workload*> work_on(const Scope& scope) {
  std::vector<const Workload*> work;
  if (scope.cluster == nullptr) return work;
  std::set<WorkloadId> ids;
  for (const Gpu* gpu : scope.boards) {
    for (const Slice& slice : gpu->slices) {
      for (const Holder& holder : slice.holders) ids.insert(holder.workload);
    }
  }
  if (scope.boards.empty()) {
    for (const Node* node : scope.nodes) ids.insert(node->workloads.begin(), node->workloads.end());
  }
  for (const WorkloadId& id : ids) {
    if (const Workload* one = scope.cluster->workloads.find(id)) work.push_back(one);
  }
  return work;
}

std::vector<const Workload*> waiting_work(const Cluster& cluster) {
  std::vector<const Workload*> work;
  for (const Workload& one : cluster.workloads.all()) {
    if (one.state != WorkloadState::pending) continue;
    const bool wants = std::any_of(one.requests.begin(), one.requests.end(), [&](const Request& request) {
      return request.count > 0 && sharing::parse_resource(request.resource, cluster.scheduler).has_value();
    });
    if (wants) work.push_back(&one);
  }
  // The one that waits longest first; the container's order is no order.
  std::sort(work.begin(), work.end(), waits_longer);
  return work;
}

Answer mig_evidence(const Scope& scope, const mig::Catalogue& catalogue) {
  for (const Gpu* gpu : scope.boards) {
    if (gpu->mig_mode && *gpu->mig_mode != MigMode::disabled) {
      return make(Reply::yes, Confidence::certain,
                  fmt::format("MIG is {} on GPU {}", tessera::word(*gpu->mig_mode), gpu->index.value),
                  gpu->origin);
    }
  }
  if (scope.product != nullptr) {
    const bool can = scope.product->mig_capable;
    return make(can ? Reply::yes : Reply::no, Confidence::certain,
                fmt::format("the catalogue knows {} as a product {} MIG", scope.product->key.text,
                            can ? "with" : "without"),
                catalogue_origin());
  }
  for (const Node* node : scope.nodes) {
    const bool cut = std::any_of(node->pool.begin(), node->pool.end(),
                                 [](const Slice& one) { return one.kind == SliceKind::gpu_instance; });
    if (cut) return make(Reply::yes, Confidence::certain, "its GPUs have MIG slices now", node->origin);
    if (const auto told = sharing::label(*node, "nvidia.com/mig.capable")) {
      // The label speaks for the node: true when any of its GPUs can be cut.
      const bool yes = *told == "true";
      return make(yes ? Reply::yes : Reply::no, yes ? Confidence::likely : Confidence::certain,
                  fmt::format("label nvidia.com/mig.capable={} on {}", *told, node->name.text), node->origin);
    }
  }
  // A Slurm type may mean several products that agree.
  std::vector<std::string> features;
  if (!scope.nodes.empty()) features = scope.nodes.front()->features;
  const auto candidates = catalogue.by_slurm_type(scope.model, features);
  const auto capable =
      std::count_if(candidates.begin(), candidates.end(), [](const auto* one) { return one->mig_capable; });
  if (!candidates.empty() && (capable == 0 || capable == static_cast<std::ptrdiff_t>(candidates.size()))) {
    return make(capable > 0 ? Reply::yes : Reply::no, Confidence::certain,
                fmt::format("every GPU that \"{}\" may mean is a product {} MIG", scope.model,
                            capable > 0 ? "with" : "without"),
                catalogue_origin());
  }
  Answer answer;
  if (!scope.model.empty()) {
    answer.facts.push_back(
        {fmt::format("the catalogue does not know one product by the name \"{}\"", scope.model),
         catalogue_origin()});
  }
  return answer;
}

Answer isolation_evidence(const Scope& scope, const SiteFacts& site) {
  if (site.isolation) {
    return make(*site.isolation ? Reply::yes : Reply::no, Confidence::certain,
                "set for this site: " + site.isolation_source, {});
  }
  for (const Node* node : scope.nodes) {
    for (const std::string& feature : node->features) {
      const std::size_t equals = feature.find('=');
      if (equals == std::string::npos || !feature.substr(0, equals).ends_with("tenancy")) continue;
      const std::string value = lower(feature.substr(equals + 1));
      if (value == "multi" || value == "shared") {
        return make(Reply::yes, Confidence::likely, "label " + feature + " on " + node->name.text,
                    node->origin);
      }
      if (value == "single" || value == "dedicated") {
        return make(Reply::no, Confidence::likely, "label " + feature + " on " + node->name.text,
                    node->origin);
      }
    }
  }
  // Those who meet on the nodes, also beside the GPUs in question: they meet there after the next start.
  Scope nodes = scope;
  nodes.boards.clear();
  const std::vector<const Workload*> work = work_on(nodes);
  std::set<std::string> users, groups;
  const bool kubernetes = scope.cluster != nullptr && scope.cluster->scheduler == Scheduler::kubernetes;
  for (const Workload* one : work) {
    if (!one->user.empty()) users.insert(one->user);
    const std::string& group = kubernetes ? one->group : one->account;
    if (!group.empty()) groups.insert(group);
  }
  const char* where = scope.nodes.size() == 1 ? "this node" : "these nodes";
  const char* noun = kubernetes ? "namespaces" : "accounts";
  if (users.size() > 1 || groups.size() > 1) {
    std::string text;
    if (users.size() > 1) text = fmt::format("{} users share {} ({})", users.size(), where, some(users));
    if (groups.size() > 1) {
      text += fmt::format("{}{} {}{}{}", text.empty() ? "" : ", ", groups.size(), noun,
                          text.empty() ? fmt::format(" share {}", where) : "",
                          text.empty() ? fmt::format(" ({})", some(groups)) : "");
    }
    return make(Reply::yes, Confidence::likely, text, oldest(work));
  }
  if (work.size() > 1 && users.size() == 1) {
    return make(Reply::no, Confidence::hint, fmt::format("only {} works on {} now", some(users), where),
                oldest(work));
  }
  return {};
}

Answer virtual_evidence(const Scope& scope) {
  for (const Gpu* gpu : scope.boards) {
    const bool vgpu = gpu->strategy == Strategy::vgpu ||
                      std::any_of(gpu->slices.begin(), gpu->slices.end(),
                                  [](const Slice& one) { return one.kind == SliceKind::vgpu; });
    if (vgpu) return make(Reply::yes, Confidence::certain, "the GPU is shared by vGPU now", gpu->origin);
    if (gpu->model.starts_with("GRID ")) {
      return make(Reply::yes, Confidence::certain, "the driver names a vGPU: " + gpu->model, gpu->origin);
    }
  }
  for (const Node* node : scope.nodes) {
    const auto on = " on " + node->name.text;
    if (sharing::label(*node, "nvidia.com/vgpu.present") == "true") {
      return make(Reply::yes, Confidence::certain, "label nvidia.com/vgpu.present=true" + on, node->origin);
    }
    if (const auto config = sharing::label(*node, "nvidia.com/gpu.workload.config")) {
      const bool vm = config->starts_with("vm-");
      return make(vm ? Reply::yes : Reply::no, vm ? Confidence::certain : Confidence::likely,
                  fmt::format("label nvidia.com/gpu.workload.config={}{}", *config, on), node->origin);
    }
    if (sharing::label(*node, "feature.node.kubernetes.io/cpu-cpuid.HYPERVISOR") == "true") {
      return make(Reply::yes, Confidence::likely, "the CPU reports a hypervisor" + on, node->origin);
    }
    const bool cpu_known = std::any_of(
        node->features.begin(), node->features.end(),
        [](const std::string& one) { return one.starts_with("feature.node.kubernetes.io/cpu-cpuid."); });
    if (cpu_known) {
      return make(Reply::no, Confidence::likely, "the CPU reports no hypervisor" + on, node->origin);
    }
  }
  return {};
}

Answer licence_evidence(const Scope& scope, const SiteFacts& site) {
  if (site.licence) {
    return make(*site.licence ? Reply::yes : Reply::no, Confidence::certain,
                fmt::format("{}: {}", *site.licence ? "a licence is there" : "there is no licence",
                            site.licence_source),
                {});
  }
  for (const Gpu* gpu : scope.boards) {
    // A plain GPU answers "unlicensed" as well, so that only a yes tells anything.
    if (gpu->telemetry.licensed == true)
      return make(Reply::yes, Confidence::certain, "the exporter reports a licence held on the GPU",
                  gpu->telemetry.origin);
  }
  if (scope.cluster != nullptr && !scope.cluster->licence.empty())
    return make(Reply::yes, Confidence::likely, scope.cluster->licence, {});
  for (const Gpu* gpu : scope.boards) {
    if (gpu->strategy == Strategy::vgpu) {
      return make(Reply::yes, Confidence::likely, "the GPU is shared by vGPU now", gpu->origin);
    }
  }
  return {};
}

Answer cooperation_evidence(const Scope& scope) {
  const std::vector<const Workload*> work = work_on(scope);
  std::map<std::string, std::size_t> small_of_user;
  std::set<std::string> users, mpi, interactive;
  for (const Workload* one : work) {
    if (!one->user.empty()) users.insert(one->user);
    if (small(*one)) ++small_of_user[one->user];
    if (has_any_word(one->name, {"mpi", "openmpi", "mpirun", "mpich"})) mpi.insert(one->name);
    if (has_any_word(one->name, {"jupyter", "notebook", "vscode", "rstudio"})) interactive.insert(one->name);
  }
  if (!mpi.empty() && interactive.empty()) {
    return make(Reply::yes, Confidence::likely, "MPI jobs run here: " + some(mpi), oldest(work));
  }
  if (users.size() == 1 && small_of_user[*users.begin()] >= kManyJobs) {
    return make(Reply::yes, Confidence::likely,
                fmt::format("{} small jobs, all of {}", small_of_user[*users.begin()], some(users)),
                oldest(work));
  }
  if (!interactive.empty() && users.size() > 1) {
    return make(Reply::no, Confidence::likely,
                fmt::format("interactive sessions of {} users: {}", users.size(), some(interactive)),
                oldest(work));
  }
  Answer answer;
  if (users.size() > 1) {
    answer = make(Reply::no, Confidence::hint, fmt::format("{} users: {}", users.size(), some(users)),
                  oldest(work));
  }
  for (const Gpu* gpu : scope.boards) {
    const bool held = std::any_of(gpu->slices.begin(), gpu->slices.end(),
                                  [](const Slice& one) { return one.holding == Holding::held; });
    if (!held || !gpu->telemetry.use || gpu->telemetry.use->value >= kLowUse) continue;
    const Fact fact{
        fmt::format("GPU {} is held but only {:.0f} % busy", gpu->index.value, gpu->telemetry.use->value),
        gpu->telemetry.origin};
    // Low use speaks for running at once, several users against it: then neither is an answer.
    if (answer.reply == Reply::no) {
      answer.reply = Reply::unknown;
      answer.confidence = Confidence::none;
    } else {
      answer.reply = Reply::yes;
      answer.confidence = Confidence::hint;
    }
    answer.facts.push_back(fact);
    break;
  }
  return answer;
}

}  // namespace tessera::guide
