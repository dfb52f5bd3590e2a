// core/v1 Pod: of its containers only what they ask for and how they reach devices.
#include <algorithm>
#include <limits>
#include <vector>

#include "backends/kubernetes/objects/parse.hpp"
#include "backends/kubernetes/objects/read.hpp"
#include "backends/kubernetes/objects/slurmd_pod.hpp"
#include "engine/model/values.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

struct Container {
  std::string name;
  int processes = 0;
  Counts requests;
  Compute compute;
  std::string unread_gpus;  // as ComputeList has it
  int metrics_port = 0;
  bool metrics_https = false;
  bool privileged = false;
  bool stays = false;  // of those that run first: a sidecar, which goes on beside the others
  std::string visible_devices;
  std::string feature_gates;
  bool devices_off = false;
};

// CPU and memory as a list of requests or limits has them.
struct ComputeList {
  std::optional<std::int64_t> millis, bytes;
  bool unread = false;
  std::string unread_gpus;  // a GPU resource beside them whose count cannot be read; empty: all are read

  void take(std::string_view key, JsonValue& field) {
    auto& place = key == "cpu" ? millis : bytes;
    place = key == "cpu" ? thousandths_of(field) : whole_of(field);
    unread = unread || !place;
  }
  Compute sum() const { return {millis.value_or(0), bytes.value_or(0), unread}; }
};

// Requests and limits of an extended resource are equal; one of them may be left out.
void read_list(JsonValue& value, Counts& counts, ComputeList& compute) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "cpu" || key == "memory") return compute.take(key, field);
    if (key.find('/') == std::string_view::npos || key.size() > 320) return;
    if (!sharing::parse_resource(key, Scheduler::kubernetes)) return;
    const auto number = whole_of(field);
    if (!number || counts.size() >= 32)
      compute.unread_gpus = clean(key);
    else if (*number > 0)
      counts[clean(key)] = *number;
  });
}

// What a container asks for.
ComputeList read_resources(JsonValue& value, Counts& counts) {
  ComputeList requests, limits;
  value.fields([&](std::string_view key, JsonValue& list) {
    if (key == "requests") read_list(list, counts, requests);
    if (key == "limits") read_list(list, counts, limits);
  });
  // A limit without a request is a request, too; the API server writes it so, but not into templates.
  return {requests.millis ? requests.millis : limits.millis, requests.bytes ? requests.bytes : limits.bytes,
          requests.unread || limits.unread,
          requests.unread_gpus.empty() ? limits.unread_gpus : requests.unread_gpus};
}

void read_environment(JsonValue& value, Container& container) {
  value.items([&](JsonValue& item) {
    std::string name, devices;
    item.fields([&](std::string_view key, JsonValue& field) {
      if (key == "name") name = words(field, 64);
      if (key == "value" && name == "NVIDIA_VISIBLE_DEVICES") devices = words(field, 128);
      if (key == "value" && name == "FEATURE_GATES") container.feature_gates = words(field, 1024);
    });
    const bool is_it = name == "NVIDIA_VISIBLE_DEVICES";
    if (!is_it || devices.empty()) return;
    container.devices_off = devices == "void" || devices == "none";
    container.visible_devices = container.devices_off ? "" : std::move(devices);
  });
}

// The container runtime takes a mount below this folder for NVIDIA_VISIBLE_DEVICES.
void read_mounts(JsonValue& value, Container& container) {
  constexpr std::string_view kByMount = "/var/run/nvidia-container-devices/";
  value.items([&](JsonValue& item) {
    item.fields([&](std::string_view key, JsonValue& field) {
      std::string path = key == "mountPath" ? words(field, 256) : "";
      if (path.starts_with(kByMount)) container.visible_devices = path.substr(kByMount.size());
    });
  });
}

void read_ports(JsonValue& value, Container& container) {
  value.items([&](JsonValue& item) {
    std::string name;
    std::int64_t port = 0;
    item.fields([&](std::string_view key, JsonValue& field) {
      if (key == "name") name = words(field, 63);
      if (key == "containerPort") port = field.integer().value_or(0);
    });
    bool https = name == "https" || name == "https-metrics" || name == "metrics-https";
    bool better = https || container.metrics_port == 0;  // what is encrypted is asked first
    if ((name != "metrics" && !https) || !better || port <= 0 || port > 65535) return;
    container.metrics_port = static_cast<int>(port);
    container.metrics_https = https;
  });
}

// The words of `command` and `args`, a script's among them.
void read_command(JsonValue& value, std::vector<std::string>& typed) {
  constexpr std::size_t kMostWords = 200;
  value.items([&](JsonValue& item) {
    const std::string text = words(item, 4096);
    for (std::size_t at = 0; at < text.size() && typed.size() < kMostWords;) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      if (end > at) typed.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  });
}

// How many processes a launcher is told to start in this container: mpirun -np 4, torchrun
// --nproc_per_node=2.
int processes_started(const std::vector<std::string>& typed) {
  const auto number = [](std::string_view text) {
    const auto count = parse_quantity(text);
    return count && *count > 0 && *count < 10000 ? static_cast<int>(*count) : 0;
  };
  bool by_mpi = false, by_torch = false;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const std::string name = typed[i].substr(typed[i].rfind('/') + 1);
    by_mpi = by_mpi || name == "mpirun" || name == "mpiexec" || name == "horovodrun";
    by_torch =
        by_torch || name == "torchrun" || name == "accelerate" || name.starts_with("torch.distributed.");
    const std::size_t equals = typed[i].find('=');
    std::string flag = typed[i].substr(0, equals);
    std::replace(flag.begin(), flag.end(), '_', '-');
    const bool ours = (by_mpi && (flag == "-np" || flag == "-n")) ||
                      (by_torch && (flag == "--nproc-per-node" || flag == "--num-processes"));
    if (!ours) continue;
    if (equals != std::string::npos) return number(typed[i].substr(equals + 1));
    if (i + 1 < typed.size()) return number(typed[i + 1]);
  }
  return 0;
}

Container read_container(JsonValue& value) {
  Container container;
  std::vector<std::string> command, arguments;
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "name") container.name = words(field, 63);
    if (key == "command") read_command(field, command);
    if (key == "args") read_command(field, arguments);
    if (key == "env") read_environment(field, container);
    if (key == "volumeMounts") read_mounts(field, container);
    if (key == "restartPolicy") container.stays = field.text().value_or("") == "Always";
    if (key == "ports") read_ports(field, container);
    if (key == "resources") {
      ComputeList asked = read_resources(field, container.requests);
      container.compute = asked.sum();
      container.unread_gpus = std::move(asked.unread_gpus);
    }
    if (key == "securityContext")
      field.fields([&](std::string_view inner, JsonValue& flag) {
        if (inner == "privileged") container.privileged = flag.boolean().value_or(false);
      });
  });
  command.insert(command.end(), arguments.begin(), arguments.end());
  if (!container.requests.empty()) container.processes = processes_started(command);
  return container;
}

std::vector<Container> read_containers(JsonValue& value) {
  std::vector<Container> all;
  value.items([&](JsonValue& item) { all.push_back(read_container(item)); });
  return all;
}

void add(Counts& sum, const Counts& more) {
  for (const auto& [resource, count] : more) sum[resource] += count;
}
void raise(Counts& peak, const Counts& need) {
  for (const auto& [resource, count] : need) peak[resource] = std::max(peak[resource], count);
}

void add(Compute& sum, const Compute& more) { sum += more; }
void raise(Compute& peak, const Compute& need) {
  peak.millis = std::max(peak.millis, need.millis);
  peak.bytes = std::max(peak.bytes, need.bytes);
  peak.unread = peak.unread || need.unread;
}

// As the scheduler counts (k8s.io/component-helpers, resource.PodRequests): containers run side by side, with
// the sidecars among those that are started before them; each of the others runs beside the sidecars that
// were started before it. what: &Container::requests, &Container::compute.
template <class Need>
Need requests_of(const std::vector<Container>& first, const std::vector<Container>& together,
                 Need Container::*what) {
  Need sidecars, peak;
  for (const Container& one : first) {
    if (one.stays) {
      add(sidecars, one.*what);
      continue;
    }
    Need need = sidecars;
    add(need, one.*what);
    raise(peak, need);
  }
  for (const Container& one : together) add(sidecars, one.*what);
  raise(peak, sidecars);
  return peak;
}

// A device plugin is asked for each container by itself.
Counts largest_of(const std::vector<Container>& first, const std::vector<Container>& together) {
  Counts most;
  for (const auto* some : {&first, &together})
    for (const Container& one : *some) raise(most, one.requests);
  return most;
}

void take_containers(const std::vector<Container>& containers, PodObject& pod) {
  for (const Container& one : containers) {
    pod.privileged = pod.privileged || one.privileged;
    if (one.metrics_port != 0) {
      pod.metrics_port = one.metrics_port;
      pod.metrics_https = one.metrics_https;
    }
    if (one.requests.empty() && !one.visible_devices.empty()) pod.visible_devices = one.visible_devices;
    pod.devices_off = pod.devices_off && one.devices_off;
    if (!one.feature_gates.empty())
      pod.feature_gates += (pod.feature_gates.empty() ? "" : ",") + one.feature_gates;
  }
}

void read_volumes(JsonValue& value, PodObject& pod) {
  value.items([&](JsonValue& volume) {
    volume.fields([&](std::string_view key, JsonValue& source) {
      if (key != "hostPath") return;
      source.fields([&](std::string_view inner, JsonValue& field) {
        if (inner != "path") return;
        std::string path = words(field, 256);
        while (path.size() > 1 && path.back() == '/') path.pop_back();
        if (path == "/dev" || path == "/") pod.host_devices = true;
        if (path.starts_with("/dev/nvidia")) pod.gpu_paths = true;
      });
    });
  });
}

// Of spec.resourceClaims those that have a name of their own; status.resourceClaimStatuses names those that
// were made from a template. from_template: that one is to be.
void read_claims(JsonValue& value, PodObject& pod, bool* from_template = nullptr) {
  value.items([&](JsonValue& item) {
    std::string name;
    item.fields([&](std::string_view key, JsonValue& field) {
      if (key == "resourceClaimName") name = words(field);
      if (key == "resourceClaimTemplateName" && from_template && !words(field).empty()) *from_template = true;
    });
    bool known = std::find(pod.claims.begin(), pod.claims.end(), name) != pod.claims.end();
    if (!name.empty() && !known && pod.claims.size() < 32) pod.claims.push_back(std::move(name));
  });
}

// Kubernetes takes no more than 2^31 - 1 s.
std::optional<Duration> deadline_of(JsonValue& value) {
  const std::optional<std::int64_t> seconds = value.integer();
  if (!seconds || *seconds <= 0 || *seconds > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return std::chrono::seconds(*seconds);
}

bool read_pod_spec(JsonValue& value, PodObject& pod, bool* from_template = nullptr) {
  std::vector<Container> first, together, debugging;
  ComputeList whole, overhead;  // of the pod itself, for which no GPUs are asked so
  Counts no_gpus;
  const bool told = value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "nodeName") pod.node = words(field, 253);
    if (key == "restartPolicy") pod.restarts = field.text().value_or("") != "Never";
    if (key == "hostname") pod.hostname = words(field, 253);
    if (key == "hostIPC") pod.host_ipc = field.boolean().value_or(false);
    if (key == "runtimeClassName") pod.runtime_class = words(field, 128);
    if (key == "priorityClassName") pod.priority_class = words(field, 128);
    if (key == "priority") pod.priority = field.integer();
    if (key == "activeDeadlineSeconds") pod.deadline = deadline_of(field);
    if (key == "volumes") read_volumes(field, pod);
    if (key == "initContainers") first = read_containers(field);
    if (key == "containers") together = read_containers(field);
    if (key == "ephemeralContainers") debugging = read_containers(field);
    if (key == "resourceClaims") read_claims(field, pod, from_template);
    if (key == "resources")
      field.fields([&](std::string_view inner, JsonValue& list) {
        if (inner == "requests") read_list(list, no_gpus, whole);
      });
    if (key == "overhead") read_list(field, no_gpus, overhead);
  });
  pod.requests = requests_of(first, together, &Container::requests);
  pod.compute = requests_of(first, together, &Container::compute);
  // What is asked for of the pod as a whole counts instead of its containers' sum (1.32 and later).
  if (whole.millis) pod.compute.millis = *whole.millis;
  if (whole.bytes) pod.compute.bytes = *whole.bytes;
  pod.compute.unread = pod.compute.unread || whole.unread;
  pod.compute += overhead.sum();
  pod.largest = largest_of(first, together);
  pod.devices_off = !together.empty();
  for (const Container& one : together) {
    if (one.requests.empty()) continue;
    // Of several the one that starts processes of its own is what rules are about.
    if (pod.gpu_container.empty() || one.processes > pod.gpu_processes) pod.gpu_container = one.name;
    pod.gpu_processes = std::max(pod.gpu_processes, one.processes);
  }
  for (const auto* some : {&first, &debugging, &together}) take_containers(*some, pod);
  // Without that count its GPUs would look free.
  for (const auto* some : {&first, &together})
    for (const Container& one : *some)
      if (!one.unread_gpus.empty()) pod.meta.unread = "readable count of " + one.unread_gpus;
  return told;
}

// Kubernetes 1.35 answers "nvidia.com/gpu: 1" by a claim of its own making where a device class stands for
// it.
void read_extended_claim(JsonValue& value, PodObject& pod) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "resourceClaimName") pod.extended_claim = words(field);
    if (key == "requestMappings")
      field.items([&](JsonValue& item) {
        item.fields([&](std::string_view inner, JsonValue& name) {
          std::string resource = inner == "resourceName" ? words(name, 320) : "";
          bool known = std::find(pod.by_claim.begin(), pod.by_claim.end(), resource) != pod.by_claim.end();
          if (!resource.empty() && !known && pod.by_claim.size() < 32)
            pod.by_claim.push_back(std::move(resource));
        });
      });
  });
  if (!pod.extended_claim.empty()) pod.claims.push_back(pod.extended_claim);
}

void read_waiting(JsonValue& value, PodObject& pod) {
  value.items([&](JsonValue& container) {
    container.fields([&](std::string_view key, JsonValue& state) {
      if (key != "state") return;
      state.fields([&](std::string_view word, JsonValue& waiting) {
        if (word != "waiting" || !pod.reason.empty()) return;
        waiting.fields([&](std::string_view inner, JsonValue& field) {
          if (inner == "reason") pod.reason = words(field, 128);
          if (inner == "message") pod.message = words(field, 1024);
        });
      });
    });
  });
}

void read_pod_conditions(JsonValue& value, PodObject& pod) {
  std::vector<Condition> conditions;
  read_conditions(value, conditions);
  for (const Condition& condition : conditions) {
    if (condition.type == "Ready") pod.ready = condition.status == "True";
    if (condition.type == "Ready" && condition.status == "False") pod.unready_since = condition.since;
    if (condition.type == "PodScheduled" && condition.status == "False")
      pod.unschedulable = condition.message.empty() ? condition.reason : condition.message;
  }
  take_slurm_states(conditions, pod);
}

void read_pod_status(JsonValue& value, PodObject& pod) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "phase") pod.phase = words(field, 32);
    if (key == "reason") pod.reason = words(field, 128);
    if (key == "message") pod.message = words(field, 1024);
    if (key == "startTime") pod.started = time_of(field);
    if (key == "conditions") read_pod_conditions(field, pod);
    if (key == "containerStatuses" || key == "initContainerStatuses") read_waiting(field, pod);
    if (key == "resourceClaimStatuses") read_claims(field, pod);
    if (key == "extendedResourceClaimStatus") read_extended_claim(field, pod);
  });
}

}  // namespace

void read_object(JsonValue& value, PodObject& pod) {
  bool told = false;  // what it asks for
  value.fields([&](std::string_view key, JsonValue& field) {
    // Budgets choose pods by any label.
    if (key == "metadata") read_meta(field, pod.meta, KeepLabels::all);
    if (key == "spec") told = read_pod_spec(field, pod);
    if (key == "status") read_pod_status(field, pod);
  });
  if (!told) pod.meta.unread = "spec";
}

bool read_template(JsonValue& value, PodObject& pod) {
  bool from_template = false;
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "spec") read_pod_spec(field, pod, &from_template);
  });
  return from_template;
}

}  // namespace tessera::kubernetes
