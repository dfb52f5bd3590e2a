// Work as pods, and what stands around it: namespaces, ReplicaSets, disruption budgets.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "backends/sim/gpu_operator/project/project.hpp"
#include "backends/sim/random.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::int64_t kTermination = 30;

std::string fake_uid(const World& world, std::string_view what) {
  std::uint64_t a = draw(world.seed, 91, hash_text(what)), b = mix(a);
  return fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", a >> 32, a >> 16 & 0xFFFF, a & 0xFFF, b >> 52,
                     b & 0xFFFFFFFFFFFF);
}

std::string app_of(const Job& job) { return clean(job.name, 63); }
std::string namespace_of(const World& world, const Job& job) {
  return clean(wanted_by(world, job).group, 63);
}

std::string replica_set_uid(const World& world, const std::string& ns, const std::string& app) {
  return fake_uid(world, "rs/" + ns + "/" + app);
}

Json condition(const char* type, bool holds, TimePoint since) {
  return object({{"type", text(type)},
                 {"status", text(holds ? "True" : "False")},
                 {"lastProbeTime", Json()},
                 {"lastTransitionTime", text(utc_text(since))}});
}

// In kube-scheduler's words, which has others for claims: "2 cannot allocate all claims".
std::string why_waits(const World& world, const Job& job) {
  const Shape& shape = wanted_by(world, job);
  std::string words = "Insufficient " + shape.text;
  std::size_t at = job.reason.find(words);
  if (!asks_by_claim(shape) || at == std::string::npos) return job.reason;
  std::string reason = job.reason;
  return reason.replace(at, words.size(), "cannot allocate all claims");
}

Json status_of(const World& world, const Job& job) {
  Json conditions = Json::list();
  if (job.state == JobState::pending && job.hold.empty() && job.reason.starts_with(kNotAdmitted))
    return object({{"phase", text("Failed")},
                   {"reason", text(std::string(kNotAdmitted))},
                   {"message", text(clean(job.reason.substr(kNotAdmitted.size() + 2), 1024))},
                   {"startTime", text(utc_text(job.submitted))}});
  if (job.state == JobState::pending) {
    Json waits = condition("PodScheduled", false, job.submitted);
    if (!job.hold.empty()) {
      put(waits, "reason", text("SchedulingGated"));
      put(waits, "message", text(clean(job.hold, 1024)));
    } else if (!job.reason.empty()) {
      put(waits, "reason", text("Unschedulable"));
      put(waits, "message", text(clean(why_waits(world, job), 1024)));
    }
    conditions.items.push_back(std::move(waits));
    return object({{"phase", text("Pending")},
                   {"conditions", std::move(conditions)},
                   {"qosClass", text("Guaranteed")}});
  }
  for (const char* type : {"Initialized", "Ready", "ContainersReady", "PodScheduled"})
    conditions.items.push_back(condition(type, true, job.started));
  std::uint32_t node = job.claims.empty() ? 0 : job.claims.front().node;
  Json container =
      object({{"name", text("main")},
              {"state", object({{"running", object({{"startedAt", text(utc_text(job.started))}})}})},
              {"lastState", Json::map()},
              {"ready", flag(true)},
              {"restartCount", number(0)},
              {"image", text("registry.example/" + app_of(job) + ":1")},
              {"imageID", text("registry.example/" + app_of(job) +
                               "@sha256:" + fmt::format("{:064x}", hash_text(job.name)))},
              {"containerID", text(fmt::format("containerd://{:064x}", draw(world.seed, 92, job.id)))},
              {"started", flag(true)}});
  std::string address = fmt::format("10.{}.{}.{}", 64 + node / 256, node % 256, job.id % 250 + 2);
  return object({{"phase", text("Running")},
                 {"conditions", std::move(conditions)},
                 {"hostIP", text(fmt::format("10.0.{}.{}", node / 250 % 256, node % 250 + 1))},
                 {"podIP", text(address)},
                 {"podIPs", list_of({object({{"ip", text(address)}})})},
                 {"startTime", text(utc_text(job.started))},
                 {"containerStatuses", list_of({std::move(container)})},
                 {"qosClass", text("Guaranteed")}});
}

Json spec_of(const World& world, const Job& job) {
  const Shape& shape = wanted_by(world, job);
  std::string resource = clean(shape.text, 128);
  // The world deals out GPUs alone: the smallest shares of the largest node together ask for no more CPUs and
  // memory than it has.
  Json wants = object({{"cpu", text(fmt::format("{}m", 100 * shape.count))},
                       {"memory", text(fmt::format("{}Mi", 256 * shape.count))}});
  bool claims = asks_by_claim(shape);
  if (!claims) put(wants, resource, text(std::to_string(shape.count)));
  Json resources = object({{"limits", wants}, {"requests", wants}});
  if (claims) put(resources, "claims", list_of({object({{"name", text("gpu")}})}));
  Json container = object({{"name", text("main")},
                           {"image", text("registry.example/" + app_of(job) + ":1")},
                           {"resources", std::move(resources)},
                           {"terminationMessagePath", text("/dev/termination-log")},
                           {"terminationMessagePolicy", text("File")},
                           {"imagePullPolicy", text("IfNotPresent")}});
  Json spec = object({{"containers", list_of({std::move(container)})},
                      {"restartPolicy", text(job.restartable ? "Always" : "Never")},
                      {"terminationGracePeriodSeconds", number(kTermination)},
                      {"dnsPolicy", text("ClusterFirst")}});
  if (claims)
    put(spec, "resourceClaims",
        list_of({object({{"name", text("gpu")}, {"resourceClaimTemplateName", text(app_of(job))}})}));
  if (!job.claims.empty()) put(spec, "nodeName", text(clean(world.node_name(job.claims.front().node), 253)));
  put(spec, "securityContext", Json::map());
  put(spec, "schedulerName", text("default-scheduler"));
  auto tolerates = [](const char* key) {
    return object({{"key", text(key)},
                   {"operator", text("Exists")},
                   {"effect", text("NoExecute")},
                   {"tolerationSeconds", number(300)}});
  };
  put(spec, "tolerations",
      list_of({tolerates("node.kubernetes.io/not-ready"), tolerates("node.kubernetes.io/unreachable")}));
  put(spec, "priority", number(0));
  put(spec, "enableServiceLinks", flag(true));
  put(spec, "preemptionPolicy", text("PreemptLowerPriority"));
  return spec;
}

struct App {
  std::string ns, name;
  bool keeps_serving = false;
  std::int64_t pods = 0, ready = 0;
  TimePoint since{};
};

// Work that a controller looks after, by namespace and name.
std::map<std::pair<std::string, std::string>, App> apps_of(const World& world) {
  std::map<std::pair<std::string, std::string>, App> apps;
  for (const auto& [id, job] : world.jobs) {
    if (!job.restartable) continue;
    App& app = apps[{namespace_of(world, job), app_of(job)}];
    app.ns = namespace_of(world, job);
    app.name = app_of(job);
    app.keeps_serving = app.keeps_serving || job.does == Character::inference;
    if (job.state == JobState::completing) continue;
    ++app.pods;
    app.ready += job.state == JobState::running;
  }
  return apps;
}

Json head(const char* kind, const char* version, const std::string& name, const std::string& ns,
          const World& world) {
  Json metadata = object({{"name", text(name)}});
  if (!ns.empty()) put(metadata, "namespace", text(ns));
  put(metadata, "creationTimestamp", text(utc_text(world.start - std::chrono::hours(24 * 30))));
  return object({{"kind", text(kind)}, {"apiVersion", text(version)}, {"metadata", std::move(metadata)}});
}

Projected namespace_object(const World& world, const std::string& name) {
  Json one = head("Namespace", "v1", name, "", world);
  put_at(one, {"metadata", "labels", "kubernetes.io/metadata.name"}, text(name));
  put(one, "spec", object({{"finalizers", list_of({text("kubernetes")})}}));
  put(one, "status", object({{"phase", text("Active")}}));
  return {Key{"namespaces", "", name}, std::move(one)};
}

Projected replica_set(const World& world, const App& app) {
  Json one = head("ReplicaSet", "apps/v1", app.name, app.ns, world);
  put_at(one, {"metadata", "uid"}, text(replica_set_uid(world, app.ns, app.name)));
  Json labels = object({{"app", text(app.name)}});
  put_at(one, {"metadata", "labels"}, labels);
  put(one, "spec",
      object({{"replicas", number(app.pods)},
              {"selector", object({{"matchLabels", labels}})},
              {"template", object({{"metadata", object({{"labels", labels}})}})}}));
  put(one, "status",
      object({{"replicas", number(app.pods)},
              {"fullyLabeledReplicas", number(app.pods)},
              {"readyReplicas", number(app.ready)},
              {"availableReplicas", number(app.ready)}}));
  return {Key{"replicasets.apps", app.ns, app.name}, std::move(one)};
}

Projected budget(const World& world, const App& app) {
  std::string name = app.name + "-pdb";
  Json one = head("PodDisruptionBudget", "policy/v1", name, app.ns, world);
  put(one, "spec",
      object({{"minAvailable", text("50%")},
              {"selector", object({{"matchLabels", object({{"app", text(app.name)}})}})}}));
  return {Key{"poddisruptionbudgets.policy", app.ns, name}, std::move(one)};
}

// "50%" of all, or a plain number.
std::int64_t scaled(const Json& value, std::int64_t all, bool up) {
  if (value.kind == Json::Kind::integer) return value.integer;
  std::int64_t percent = 0;
  std::from_chars(value.text.data(), value.text.data() + value.text.size(), percent);
  return up ? (all * percent + 99) / 100 : all * percent / 100;
}

}  // namespace

Projected project_pod(const World& world, const Job& job) {
  std::string whole = workload_id(world, job).text;
  std::string ns = namespace_of(world, job), name = whole.substr(whole.find('/') + 1), app = app_of(job);
  Json metadata = object({{"name", text(name)}});
  if (job.restartable) put(metadata, "generateName", text(app + "-"));
  put(metadata, "namespace", text(ns));
  put(metadata, "uid", text(fake_uid(world, fmt::format("pod/{}", job.id))));
  put(metadata, "creationTimestamp", text(utc_text(job.submitted)));
  if (job.state == JobState::completing) {
    put(metadata, "deletionTimestamp", text(utc_text(job.ends)));
    put(metadata, "deletionGracePeriodSeconds", number(kTermination));
  }
  put(metadata, "labels",
      object({{"app", text(app)}, {"user", text(clean(world.spec().users[job.user].name, 63))}}));
  if (job.restartable)
    put(metadata, "ownerReferences",
        list_of({object({{"apiVersion", text("apps/v1")},
                         {"kind", text("ReplicaSet")},
                         {"name", text(app)},
                         {"uid", text(replica_set_uid(world, ns, app))},
                         {"controller", flag(true)},
                         {"blockOwnerDeletion", flag(true)}})}));
  Json pod = object({{"kind", text("Pod")},
                     {"apiVersion", text("v1")},
                     {"metadata", std::move(metadata)},
                     {"spec", spec_of(world, job)},
                     {"status", status_of(world, job)}});
  Key key{"pods", ns, name};
  if (asks_by_claim(wanted_by(world, job)))
    put_at(pod, {"status", "resourceClaimStatuses"},
           list_of({object({{"name", text("gpu")}, {"resourceClaimName", text(claim_key(key).name)}})}));
  return {std::move(key), std::move(pod)};
}

Json budget_status(const Json& one, const std::vector<ObjectPtr>& pods) {
  std::int64_t expected = 0, healthy = 0;
  const Json* selector = at(one, {"spec", "selector"});
  for (const ObjectPtr& pod : pods) {
    const Json* labels = at(*pod, {"metadata", "labels"});
    if (!labels || !label_selector_matches(selector, *labels)) continue;
    ++expected;
    healthy +=
        view_at(*pod, {"status", "phase"}) == "Running" && !at(*pod, {"metadata", "deletionTimestamp"});
  }
  std::int64_t wanted = expected;
  if (const Json* least = at(one, {"spec", "minAvailable"})) wanted = scaled(*least, expected, true);
  if (const Json* most = at(one, {"spec", "maxUnavailable"}))
    wanted = std::max<std::int64_t>(0, expected - scaled(*most, expected, true));
  return object({{"observedGeneration", number(1)},
                 {"disruptionsAllowed", number(std::max<std::int64_t>(0, healthy - wanted))},
                 {"currentHealthy", number(healthy)},
                 {"desiredHealthy", number(wanted)},
                 {"expectedPods", number(expected)}});
}

std::vector<Projected> project_surroundings(const World& world) {
  std::vector<Projected> all;
  std::set<std::string> spaces{"default", "kube-system", "kube-public", "kube-node-lease",
                               std::string(kOperatorNamespace)};
  for (const Shape& shape : world.spec().shapes) spaces.insert(clean(shape.group, 63));
  for (const std::string& name : spaces)
    if (!name.empty()) all.push_back(namespace_object(world, name));
  for (const auto& [place, app] : apps_of(world)) {
    all.push_back(replica_set(world, app));
    if (app.keeps_serving) all.push_back(budget(world, app));
  }
  return all;
}

}  // namespace tessera::sim::kube
