// Pods that come and go by hand: created, deleted, evicted.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "backends/sim/gpu_operator/cluster.hpp"
#include "backends/sim/gpu_operator/filters.hpp"
#include "backends/sim/step.hpp"
#include "engine/number.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::sim::kube {
namespace {

constexpr Duration kUntilDeleted{365LL * 24 * 3'600'000};

// "4" or 4; anything else asks for nothing that could be handed out.
int whole_count(const Json& value) {
  if (value.kind == Json::Kind::integer)
    return static_cast<int>(std::clamp<std::int64_t>(value.integer, 0, 1000));
  return std::min(whole_number(value.text).value_or(0), 1000);
}

struct Asked {
  int sum = 0, most = 0;  // of all containers together, and of the one that asks for most
};

std::map<std::string, Asked> gpus_asked_for(const Json& pod) {
  std::map<std::string, Asked> asked;
  const Json* containers = at(pod, {"spec", "containers"});
  if (!containers) return asked;
  for (const Json& container : containers->items) {
    const Json* limits = at(container, {"resources", "limits"});
    if (!limits) limits = at(container, {"resources", "requests"});
    if (!limits) continue;
    for (const auto& [name, value] : limits->fields)
      if (int count = whole_count(value);
          (name.starts_with("nvidia.com/") || name == sharing::ack::kMemory) && count > 0) {
        Asked& one = asked[name];
        one.sum += count;
        one.most = std::max(one.most, count);
      }
  }
  return asked;
}

// Where the pod's own words let it run, and what the scheduler counts of the others.
struct Allowed {
  std::vector<std::uint32_t> nodes;
  std::vector<std::string> filtered;
};
Allowed nodes_allowed(const World& world, const ObjectStore& objects, const Json& pod) {
  const Around around = around_of(objects);
  std::map<std::string, int> counts;
  Allowed allowed;
  for (std::uint32_t i = 0; i < world.nodes.size(); ++i) {
    const std::string name = clean(world.node_name(i), 253);
    const ObjectPtr node = objects.find({"nodes", "", name});
    std::string why = node ? why_filtered(pod, *node, around.on(name))
                           : std::string("node(s) didn't match Pod's node affinity/selector");
    if (why.empty()) why = why_kept_apart(pod, *node, around);
    if (why.empty())
      allowed.nodes.push_back(i);
    else
      ++counts[std::move(why)];
  }
  for (const auto& [why, count] : counts) allowed.filtered.push_back(fmt::format("{} {}", count, why));
  return allowed;
}

// "0/4 nodes are available: 1 …, 3 …."
std::string none_available(std::size_t nodes, std::vector<std::string> parts) {
  std::sort(parts.begin(), parts.end());
  return fmt::format("0/{} nodes are available: {}.", nodes, fmt::join(parts, ", "));
}

Json waiting_status(const std::string& why, TimePoint since) {
  Json status = object({{"phase", text("Pending")}, {"qosClass", text("BestEffort")}});
  if (why.empty()) return status;
  put(status, "conditions",
      list_of({object({{"type", text("PodScheduled")},
                       {"status", text("False")},
                       {"lastProbeTime", Json()},
                       {"lastTransitionTime", text(utc_text(since))},
                       {"reason", text("Unschedulable")},
                       {"message", text(why)}})}));
  return status;
}

Json gated_status(TimePoint since) {
  Json status = waiting_status("Scheduling is blocked due to non-empty scheduling gates", since);
  put(member(status, "conditions")->items.front(), "reason", text("SchedulingGated"));
  return status;
}

bool waits_behind_gates(const Json& pod) {
  const Json* gates = at(pod, {"spec", "schedulingGates"});
  return gates && !gates->items.empty();
}
std::vector<Json>::iterator gate_named(Json& gates, std::string_view name) {
  return std::find_if(gates.items.begin(), gates.items.end(),
                      [&](const Json& one) { return view_at(one, {"name"}) == name; });
}

// Beside those that its owner wrote.
void add_gate(Json& pod, const std::string& name) {
  Json& spec = child(pod, "spec");
  if (const Json* own = member(spec, "schedulingGates"); !own || own->kind != Json::Kind::list)
    put(spec, "schedulingGates", Json::list());
  Json& gates = *member(spec, "schedulingGates");
  if (gate_named(gates, name) == gates.items.end()) gates.items.push_back(object({{"name", text(name)}}));
}

// Whether there was one of that name.
bool take_gate(Json& pod, std::string_view name) {
  Json& spec = child(pod, "spec");
  Json* gates = member(spec, "schedulingGates");
  if (!gates) return false;
  const auto found = gate_named(*gates, name);
  if (found == gates->items.end()) return false;
  gates->items.erase(found);
  if (gates->items.empty()) drop(spec, "schedulingGates");
  return true;
}

// Ends a job within `grace`; work that a controller looks after comes back as a job of its own, at once.
void end_job(World& world, Changes& made, JobId id, std::optional<Duration> grace) {
  WorldStep step(world, made);
  Job& job = world.jobs.at(id);
  if (job.state == JobState::completing && !grace) return;
  bool waited = job.state == JobState::pending;
  if (job.restartable && job.state != JobState::completing) {
    Job again = job;
    again.id = world.next_id++;
    again.state = JobState::pending;
    again.submitted = world.now;
    again.started = again.ends = TimePoint{};
    again.reason.clear();
    again.claims.clear();
    if (again.stream >= 0) ++step.derived().waiting[static_cast<std::size_t>(again.stream)];
    step.derived().pending.insert(again.id);
    step.changed(again.id);
    world.jobs.emplace(again.id, std::move(again));
    step.request_pass();
  }
  Job& ending = world.jobs.at(id);
  if (waited) {
    step.derived().pending.erase(id);
    if (ending.stream >= 0) --step.derived().waiting[static_cast<std::size_t>(ending.stream)];
  }
  if (ending.state != JobState::completing) step.finish(ending);
  TimePoint latest = world.now + (waited ? Duration(0) : grace.value_or(std::chrono::seconds(30)));
  if (latest >= ending.ends) return;
  ending.ends = latest;
  step.derived().queue.push({latest, World::Derived::Kind::leave, id});
  step.changed(id);
}

}  // namespace

Written Cluster::create_pod(const Key& key, Json pod) {
  const std::string gate = gate_ ? gate_(pod) : "";
  if (!gate.empty()) add_gate(pod, gate);
  if (!waits_behind_gates(pod)) return place_pod(key, std::move(pod), false);
  put(pod, "status", gated_status(world().now));
  return objects_.create(key, std::move(pod));
}

Written Cluster::open_gate(const Key& key, std::string_view gate) {
  ObjectPtr there = objects_.find(key);
  if (!there) return {not_found(key.resource, key.name), nullptr};
  Json pod = *there;
  if (!take_gate(pod, gate)) return {std::nullopt, there};
  return objects_.update(key, std::move(pod), std::nullopt);
}

// Whoever took the last of its gates away: a controller, or a user with kubectl.
void Cluster::follow_gates(const Change& change) {
  const bool opened = change.verb == Verb::modified && change.before && waits_behind_gates(*change.before) &&
                      !waits_behind_gates(*change.object);
  if (!opened) return;
  // Changes are told in turn: the pod may be another one by now.
  const ObjectPtr now = objects_.find(change.key);
  if (now && !waits_behind_gates(*now)) (void)place_pod(change.key, *now, true);
}

// Labels and taints of a node changed: pods that wait are held against them again.
void Cluster::follow_words(const Change& change) {
  const auto words_of = [](const Json& node) {
    const Json *labels = at(node, {"metadata", "labels"}), *taints = at(node, {"spec", "taints"});
    return std::pair(labels ? *labels : Json(), taints ? *taints : Json());
  };
  if (filtered_.empty() || change.verb == Verb::deleted) return;
  if (change.before && words_of(*change.before) == words_of(*change.object)) return;
  std::vector<Key> waiting;
  for (const auto& [key, filtered] : filtered_) waiting.push_back(key);
  for (const Key& key : waiting) weigh_again(key);
}

// A pod came, went, ended or was bound beside the world's work: what a node has beside GPUs may have changed
// hands, and what may stand beside what.
void Cluster::follow_requests(const Change& change) {
  const auto counts_on = [](const Json& pod) {
    const std::string_view phase = view_at(pod, {"status", "phase"});
    return phase == "Succeeded" || phase == "Failed" ? std::string() : text_at(pod, {"spec", "nodeName"});
  };
  const bool gone = change.verb == Verb::deleted;
  if (gone && !objects_.find(change.key) && !job_of(change.key)) filtered_.erase(change.key);
  const Json* before = gone ? change.object.get() : change.before.get();
  if ((before ? counts_on(*before) : "") != (gone ? "" : counts_on(*change.object))) weigh_soon();
}

// Pods that wait and heed others are held against the nodes again: at the next turn, since the world may be
// in the midst of one.
void Cluster::weigh_soon() {
  if (weighs_soon_ || filtered_.empty()) return;
  weighs_soon_ = true;
  agenda_.at(world().now, [this] {
    weighs_soon_ = false;
    std::vector<Key> waiting;
    for (const auto& [key, filtered] : filtered_) {
      const ObjectPtr pod = objects_.find(key);
      const auto& parts = filtered.parts;
      if (pod && (heeds_others(*pod) || std::any_of(parts.begin(), parts.end(), is_about_others)))
        waiting.push_back(key);
    }
    for (const Key& key : waiting) weigh_again(key);
  });
}

void Cluster::weigh_again(const Key& key) {
  const auto filtered = filtered_.find(key);
  if (filtered == filtered_.end()) return;
  const ObjectPtr there = objects_.find(key);
  const Job* job = job_of(key);
  if (!there || waits_behind_gates(*there) || at(*there, {"metadata", "deletionTimestamp"}) ||
      (job && job->state != JobState::pending)) {
    filtered_.erase(filtered);
    return;
  }
  Json pod = *there;
  const std::string node = filtered->second.node;
  if (!node.empty()) put(child(pod, "spec"), "nodeName", text(node));
  Allowed allowed = nodes_allowed(world(), objects_, pod);
  const bool nowhere = allowed.nodes.empty();
  if (nowhere) {
    filtered->second.parts = allowed.filtered;
    return put_aside(key, *there, none_available(world().nodes.size(), std::move(allowed.filtered)));
  }
  if (!job) return (void)place_pod(key, std::move(pod), true);
  if (allowed.nodes.size() == world().nodes.size()) allowed.nodes.clear();
  filtered->second.parts = std::move(allowed.filtered);
  act([&, id = job->id](World& world, Changes& made) {
    WorldStep step(world, made);
    Job& waits = world.jobs.at(id);
    Errand errand = *waits.errand.one;
    errand.shape.only = std::move(allowed.nodes);
    waits.errand.one = std::make_shared<const Errand>(std::move(errand));
    step.changed(waits.id);
  });
  act([](World& world, Changes& made) { WorldStep(world, made).pass(); });
}

// No node is left for it: it waits without a job of the world, which knows work for some node or any.
void Cluster::put_aside(const Key& key, Json pod, const std::string& why) {
  if (const Job* job = job_of(key)) {
    const JobId id = job->id;
    pods_.erase(key);
    counted_.erase(id);
    shown_.erase(key);
    act([&](World& world, Changes& made) {
      end_job(world, made, id, Duration(0));
      made.add(world.advance(world.now));
    });
  }
  const Json waits = waiting_status(why, world().now);
  const auto message = [](const Json& status) {
    const Json* all = at(status, {"conditions"});
    return all && !all->items.empty() ? text_at(all->items.front(), {"message"}) : std::string();
  };
  if (const Json* status = at(pod, {"status"}); status && message(*status) == why) return;
  put(pod, "status", waits);
  objects_.update(key, std::move(pod), std::nullopt);
}

// The world counts all nodes that are none of the pod's as one; the scheduler tells why.
void Cluster::tell_filtered(Projected& pod) const {
  constexpr std::string_view kBegin = " nodes are available: ";
  const auto filtered = filtered_.find(pod.first);
  Json* conditions = member(child(pod.second, "status"), "conditions");
  if (filtered == filtered_.end() || filtered->second.parts.empty() || !conditions) return;
  for (Json& one : conditions->items) {
    const std::string message = text_at(one, {"message"});
    const auto begin = message.find(kBegin);
    if (begin == std::string::npos) continue;
    std::vector<std::string> all = filtered->second.parts;
    std::string_view rest = std::string_view(message).substr(begin + kBegin.size());
    if (rest.ends_with('.')) rest.remove_suffix(1);
    while (!rest.empty()) {
      const auto end = std::min(rest.find(", "), rest.size());
      if (rest.substr(0, end).find("didn't match Pod's node affinity/selector") == std::string_view::npos)
        all.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(rest.size(), end + 2));
    }
    put(one, "message", text(none_available(world().nodes.size(), std::move(all))));
  }
}

// What asks for GPUs becomes work of the world, so that its scheduler hands them out like all others.
// there: the pod has been created before.
Written Cluster::place_pod(const Key& key, Json pod, bool there) {
  std::map<std::string, Asked> asked = gpus_asked_for(pod);
  const ClusterSpec& spec = world().spec();
  bool placed = !asked.empty() && !spec.users.empty() && !(led_ && led_(pod));
  Errand errand;
  std::string why;
  if (placed) {
    errand.shape.text = asked.begin()->first;
    errand.shape.resource = resource_named(spec, errand.shape.text);
    errand.shape.count = asked.begin()->second.sum;
    errand.shape.at_once = asked.begin()->second.most;
    errand.shape.group = key.ns;
    errand.name = key.name;
    Allowed allowed = nodes_allowed(world(), objects_, pod);
    if (asked.size() > 1) why = "this scheduler hands out one kind of GPU to a pod";
    if (allowed.nodes.empty()) why = none_available(world().nodes.size(), allowed.filtered);
    if (allowed.nodes.size() < world().nodes.size()) errand.shape.only = std::move(allowed.nodes);
    if (asked.size() == 1) filtered_[key] = {text_at(pod, {"spec", "nodeName"}), std::move(allowed.filtered)};
  }
  if (placed) drop(child(pod, "spec"), "nodeName");
  put(pod, "status", waiting_status(why, world().now));
  Written written =
      there ? objects_.update(key, std::move(pod), std::nullopt) : objects_.create(key, std::move(pod));
  if (!written.ok() || !placed || !why.empty()) return written;
  Status ok = act([&](World& world, Changes& made) {
    WorldStep step(world, made);
    Job job;
    job.id = world.next_id++;
    job.name = key.name;
    job.errand.one = std::make_shared<const Errand>(std::move(errand));
    job.restartable = false;
    job.submitted = job.eligible = world.now;
    job.runs = job.limit = kUntilDeleted;
    step.derived().pending.insert(job.id);
    step.changed(job.id);
    world.jobs.emplace(job.id, std::move(job));
  });
  if (ok) ok = act([](World& world, Changes& made) { WorldStep(world, made).pass(); });
  if (!ok) return {Refusal{500, "InternalError", ok.error().reason}, nullptr};
  return written;
}

Written Cluster::delete_pod(const Key& key, std::optional<Duration> grace, std::string_view uid,
                            std::string_view expected) {
  ObjectPtr there = objects_.find(key);
  if (!there) return {not_found(key.resource, key.name), nullptr};
  if (!uid.empty() && uid != view_at(*there, {"metadata", "uid"})) return objects_.remove(key, uid, expected);
  if (key.resource == "pods" && job_of(key)) {
    JobId id = pods_.at(key);
    Status ok = act([&](World& world, Changes& made) {
      end_job(world, made, id, grace);
      if (grace && grace->count() == 0) made.add(world.advance(world.now));
    });
    if (!ok) return {Refusal{500, "InternalError", ok.error().reason}, nullptr};
    ObjectPtr after = objects_.find(key);
    return {std::nullopt, after ? after : there};
  }
  Duration wait = std::min(grace.value_or(std::chrono::seconds(2)), Duration(std::chrono::seconds(2)));
  std::string id = text_at(*there, {"metadata", "uid"});
  if (wait.count() == 0) return objects_.remove(key, id);
  if (at(*there, {"metadata", "deletionTimestamp"})) return {std::nullopt, there};
  bool led = led_ && led_(*there);
  TimePoint gone = world().now + (led ? grace.value_or(std::chrono::seconds(30)) : wait);
  objects_.edit(key, [&](Json& pod) {
    put_at(pod, {"metadata", "deletionTimestamp"}, text(utc_text(gone)));
    put_at(pod, {"metadata", "deletionGracePeriodSeconds"}, number(grace ? grace->count() / 1000 : 30));
  });
  if (!led) agenda_.at(gone, [this, key, id] { objects_.remove(key, id); });
  return {std::nullopt, objects_.find(key)};
}

Written Cluster::evict_pod(const Key& key, std::optional<Duration> grace, std::string_view uid) {
  ObjectPtr pod = objects_.find(key);
  if (!pod) return {not_found(key.resource, key.name), nullptr};
  bool runs = view_at(*pod, {"status", "phase"}) == "Running" && !at(*pod, {"metadata", "deletionTimestamp"});
  const Json* labels = at(*pod, {"metadata", "labels"});
  std::vector<ObjectPtr> budgets;
  for (const ObjectPtr& budget : objects_.all("poddisruptionbudgets.policy", key.ns))
    if (labels && label_selector_matches(at(*budget, {"spec", "selector"}), *labels))
      budgets.push_back(budget);
  if (runs && budgets.size() > 1)
    return {Refusal{500, "InternalError",
                    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
                    "support."},
            nullptr};
  if (runs && budgets.size() == 1 && number_at(*budgets[0], {"status", "disruptionsAllowed"}) <= 0) {
    Refusal refusal{429, "TooManyRequests",
                    "Cannot evict pod as it would violate the pod's disruption budget."};
    refusal.causes.push_back(
        {"DisruptionBudget",
         fmt::format("The disruption budget {} needs {} healthy pods and has {} currently",
                     text_at(*budgets[0], {"metadata", "name"}),
                     number_at(*budgets[0], {"status", "desiredHealthy"}),
                     number_at(*budgets[0], {"status", "currentHealthy"})),
         ""});
    return {refusal, nullptr};
  }
  return delete_pod(key, grace, uid);
}

}  // namespace tessera::sim::kube
