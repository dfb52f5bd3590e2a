#include "backends/sim/gpu_operator/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/step.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::sim::kube {
namespace {

// A machine that slept: more than this is not caught up with in one go.
constexpr Duration kMostAtOnce{24 * 3'600'000};
constexpr std::size_t kMostEvents = 1000;

// Of a list what the world had put there goes, and what it has now comes; items of others stay.
Json carried_items(const Json* there, const Json* before, const Json* after) {
  static const std::vector<Json> kNone;
  const auto items = [](const Json* list) -> const std::vector<Json>& { return list ? list->items : kNone; };
  Json list = Json::list();
  for (const Json& one : items(there))
    if (std::find(items(before).begin(), items(before).end(), one) == items(before).end())
      list.items.push_back(one);
  list.items.insert(list.items.end(), items(after).begin(), items(after).end());
  return list;
}

// A node's taints: admins write them beside the node controller.
void carry_taints(Json& node, const Json& there, const Json& before, const Json& after) {
  Json all = carried_items(at(there, {"spec", "taints"}), at(before, {"spec", "taints"}),
                           at(after, {"spec", "taints"}));
  if (all.items.empty())
    drop(child(node, "spec"), "taints");
  else
    put_at(node, {"spec", "taints"}, std::move(all));
}

// What is different between two projections, brought into the object as it stands: what others wrote stays.
void carry_over(Json& object, const Json& before, const Json& after) {
  for (const auto& [name, value] : after.fields) {
    const Json* old = before.find(name);
    if (old && *old == value) continue;
    Json* there = member(object, name);
    if (there && old && value.kind == Json::Kind::map && old->kind == Json::Kind::map &&
        there->kind == Json::Kind::map) {
      carry_over(*there, *old, value);
    } else {
      put(object, name, value);
    }
  }
  for (const auto& [name, value] : before.fields)
    if (!after.find(name)) drop(object, name);
}

}  // namespace

Cluster::Cluster(sim::WorldStore world, double speed, std::function<TimePoint()> wall)
    : store_(std::move(world)), speed_(speed), wall_(std::move(wall)), objects_(store_.world().seed) {
  add_operator_kinds(kinds_);
  base_wall_ = wall_();
  base_ = last_ = store_.world().now;
  objects_.set_now(last_);
  show_all();
  objects_.watch("", [this](const Change& change) { on_change(change); });
}

TimePoint Cluster::target() {
  TimePoint now = world().now;
  if (speed_ <= 0) return now;
  Duration passed = std::chrono::duration_cast<Duration>(wall_() - base_wall_);
  TimePoint to = base_ + Duration(static_cast<std::int64_t>(static_cast<double>(passed.count()) * speed_));
  if (to >= now && to - now <= kMostAtOnce) return to;
  base_ = std::clamp(to, now, now + kMostAtOnce);
  base_wall_ = wall_();
  return base_;
}

// Moves the world, with what is on the agenda played when its time comes. It halts where a node comes back,
// so that whoever looks after the node begins then, however far time is moved at once.
void Cluster::advance(World& world, TimePoint to, Changes& news) {
  auto next = [&] {
    TimePoint due = agenda_.next().value_or(TimePoint::max());
    for (const NodeState& node : world.nodes)
      if (node.until && *node.until > world.now) due = std::min(due, *node.until);
    return due;
  };
  for (TimePoint due = next(); due <= to; due = next()) {
    news.add(world.advance(std::max(world.now, due)));
    news.tidy();
    reflect(std::exchange(news, {}));
    while (agenda_.next() && *agenda_.next() <= world.now) agenda_.play();
  }
  if (to > world.now) news.add(world.advance(to));
}

Status Cluster::turn(const Act& act) {
  if (open_) {  // within a turn: a controller acts
    act(*open_, *made_);
    made_->tidy();
    reflect(std::exchange(*made_, {}));
    return Done{};
  }
  Changes theirs, made;
  Status ok = store_.with(theirs, [&](World& world) {
    theirs.tidy();
    reflect(std::exchange(theirs, {}));
    if (world.now != last_) {  // another process let time pass
      base_wall_ = wall_();
      base_ = world.now;
    }
    TimePoint before = world.now;
    // Of a state that was read from a file nothing is derived before its time first passes.
    if (!world.derived) derive(world);
    open_ = &world;
    made_ = &made;
    advance(world, target(), made);
    bool changed = act && act(world, made);
    made.tidy();
    reflect(std::exchange(made, {}));
    open_ = nullptr;
    made_ = nullptr;
    last_ = world.now;
    return changed || world.now != before;
  });
  theirs.tidy();
  reflect(theirs);
  last_ = world().now;
  return ok;
}

Status Cluster::tick() {
  if (speed_ <= 0 && !store_.is_stale()) return Done{};
  return turn([](World&, Changes&) { return false; });
}

Status Cluster::pass(Duration time) {
  return turn([&](World& world, Changes& made) {
    base_ = world.now + time;
    base_wall_ = wall_();
    advance(world, base_, made);
    return true;
  });
}

Status Cluster::act(const std::function<void(World&, Changes&)>& act) {
  return turn([&](World& world, Changes& made) {
    act(world, made);
    return true;
  });
}

Status Cluster::settle(Duration most) {
  if (speed_ > 0 || open_) return Done{};
  TimePoint limit = world().now + most;
  auto next = [&]() -> std::optional<TimePoint> {
    std::optional<TimePoint> due = agenda_.next();
    if (world().pass_at && (!due || *world().pass_at < *due)) due = world().pass_at;
    for (const auto& [id, job] : world().jobs)
      if (job.state == JobState::completing && (!due || job.ends < *due)) due = job.ends;
    return due;
  };
  while (std::optional<TimePoint> due = next()) {
    if (*due > limit) break;
    if (Status ok = pass(std::max(Duration(0), *due - world().now)); !ok) return ok;
  }
  return Done{};
}

std::optional<std::uint32_t> Cluster::node_of(std::string_view name) const {
  return find_node(world(), name);
}

const Job* Cluster::job_of(const Key& pod) const {
  auto id = pods_.find(pod);
  if (id == pods_.end()) return nullptr;
  auto job = world().jobs.find(id->second);
  return job == world().jobs.end() ? nullptr : &job->second;
}

void Cluster::show_all() {
  showing_ = true;
  for (Projected& one : operator_objects(world())) show(std::move(one));
  for (Projected& one : device_classes(world())) show(std::move(one));
  for (Projected& one : dra_objects(world())) show(std::move(one));
  for (std::uint32_t node = 0; node < world().nodes.size(); ++node)
    if (!is_vanished(world(), node)) {
      show(project_node(world(), node, gpus_));
      show_devices(node);
    }
  for (const auto& [id, job] : world().jobs) {
    Projected pod = project_pod(world(), job);
    pods_[pod.first] = id;
    counted_[id] = job.state;
    show_claim(job, pod.first);
    show(std::move(pod));
  }
  showing_ = false;
  show_surroundings();
}

void Cluster::leave_gpus_to_controller() {
  gpus_ = false;
  for (std::uint32_t node = 0; node < world().nodes.size(); ++node) {
    Projected now = project_node(world(), node, false);
    if (shown_.contains(now.first)) shown_[now.first] = std::move(now.second);
  }
}

void Cluster::show(Projected projected) {
  auto& [key, fresh] = projected;
  Json* before = shown_.contains(key) ? &shown_[key] : nullptr;
  if (before && *before == fresh) return;
  bool was = std::exchange(showing_, true);
  ObjectPtr there = objects_.find(key);
  if (!there) {
    objects_.create(key, fresh);
  } else if (before) {
    Json merged = *there;
    carry_over(merged, *before, fresh);
    if (key.resource == "nodes") carry_taints(merged, *there, *before, fresh);
    objects_.update(key, std::move(merged), std::nullopt);
  }
  shown_[key] = std::move(fresh);
  showing_ = was;
}

void Cluster::show_claim(const Job& job, const Key& pod) {
  if (auto claim = project_claim(world(), job, pod)) show(std::move(*claim));
}

void Cluster::show_devices(std::uint32_t node) {
  if (auto devices = project_devices(world(), node)) show(std::move(*devices));
}

void Cluster::find_devices(std::uint32_t node) {
  if (!is_vanished(world(), node)) show_devices(node);
}

void Cluster::hide(const Key& key) {
  bool was = std::exchange(showing_, true);
  objects_.erase(key);
  shown_.erase(key);
  showing_ = was;
}

void Cluster::reflect(const Changes& changes) {
  objects_.set_now(world().now);
  if (changes.empty()) return;
  const World& now = world();
  bool counts_differ = !changes.gone.empty();
  for (const WorkloadId& id : changes.gone) {
    std::size_t slash = id.text.find('/');
    Key key{"pods", id.text.substr(0, slash), id.text.substr(slash + 1)};
    if (filtered_.contains(key) && !pods_.contains(key)) continue;  // put aside: it waits without a job
    filtered_.erase(key);
    if (auto pod = pods_.find(key); pod != pods_.end()) counted_.erase(pod->second);
    pods_.erase(key);
    hide(key);
    if (Key claim = claim_key(key); shown_.contains(claim)) hide(claim);
  }
  for (JobId id : changes.jobs) {
    auto job = now.jobs.find(id);
    if (job == now.jobs.end()) continue;
    counts_differ |= !counted_.contains(id) || counted_.at(id) != job->second.state;
    counted_[id] = job->second.state;
    Projected pod = project_pod(now, job->second);
    if (job->second.state != JobState::pending) filtered_.erase(pod.first);
    tell_filtered(pod);
    // Back to waiting: the pod that ran is gone, and this is another one of that name.
    ObjectPtr old = objects_.find(pod.first);
    if (old && job->second.state == JobState::pending && at(*old, {"spec", "nodeName"})) hide(pod.first);
    pods_[pod.first] = id;
    show_claim(job->second, pod.first);
    show(std::move(pod));
  }
  for (std::uint32_t node : changes.nodes) {
    if (is_vanished(now, node)) {
      hide({"nodes", "", clean(now.node_name(node), 253)});
      if (Key devices = devices_key(now, node); shown_.contains(devices)) hide(devices);
    } else {
      show(project_node(now, node, gpus_));
      if (devices_ || !shown_.contains(devices_key(now, node))) show_devices(node);
    }
  }
  // A node whose devices are numbered again names all of its jobs, of which none is counted otherwise then.
  if (counts_differ) show_surroundings();
  if (counts_differ) weigh_soon();
}

void Cluster::show_surroundings() {
  std::set<Key> still;
  for (Projected& one : project_surroundings(world())) {
    // What a user deleted stays away.
    if (shown_.contains(one.first) && !objects_.find(one.first)) continue;
    still.insert(one.first);
    show(std::move(one));
  }
  for (const char* resource : {"replicasets.apps", "poddisruptionbudgets.policy"})
    for (const ObjectPtr& there : objects_.all(resource)) {
      Key key{resource, text_at(*there, {"metadata", "namespace"}), text_at(*there, {"metadata", "name"})};
      if (shown_.contains(key) && !still.contains(key)) hide(key);
    }
  bool was = std::exchange(showing_, true);
  for (const ObjectPtr& budget : objects_.all("poddisruptionbudgets.policy")) {
    std::string ns = text_at(*budget, {"metadata", "namespace"});
    objects_.edit({"poddisruptionbudgets.policy", ns, text_at(*budget, {"metadata", "name"})},
                  [&](Json& one) { put(one, "status", budget_status(one, objects_.all("pods", ns))); });
  }
  showing_ = was;
}

void Cluster::on_change(const Change& change) {
  if (showing_) return;
  if (change.key.resource == "nodes") follow_cordon(change);
  if (change.key.resource == "nodes") follow_words(change);
  if (change.key.resource == "pods") follow_gates(change);
  if (change.key.resource == "pods") follow_requests(change);
  if (change.key.resource == "poddisruptionbudgets.policy" && change.verb != Verb::deleted)
    show_surroundings();
}

// A user wrote spec.unschedulable: the world's scheduler keeps to it.
void Cluster::follow_cordon(const Change& change) {
  std::optional<std::uint32_t> node = node_of(change.key.name);
  if (!node || change.verb == Verb::deleted) return;
  bool wanted = flag_at(*change.object, {"spec", "unschedulable"});
  const NodeState& now = world().nodes[*node];
  bool closed = now.condition == Condition::drained || now.closing.has_value();
  if (wanted == closed) return;
  act([&](World& world, Changes& made) {
    WorldStep step(world, made);
    NodeState& state = world.nodes[*node];
    bool away = state.condition == Condition::down || state.condition == Condition::unknown;
    if (wanted && away) {
      state.closing = Closing{"cordoned", "kubectl", world.now};
      step.touched(*node);
    } else if (wanted) {
      step.close(*node, Condition::drained, "cordoned", "kubectl", std::nullopt);
    } else if (away) {
      state.closing.reset();
      step.touched(*node);
    } else {
      step.resume(*node);
    }
  });
}

void Cluster::record_event(const Key& about, std::string_view kind, std::string_view type,
                           std::string_view reason, std::string_view message, std::string_view source) {
  std::string ns = about.ns.empty() ? "default" : about.ns;
  std::string now = utc_text(world().now);
  ObjectPtr object_there = objects_.find(about);
  Json involved =
      object({{"kind", text(std::string(kind))}, {"namespace", text(about.ns)}, {"name", text(about.name)}});
  if (about.ns.empty()) drop(involved, "namespace");
  // A node's events name the node where a uid is expected: so does the kubelet.
  std::string uid =
      object_there && about.resource != "nodes" ? text_at(*object_there, {"metadata", "uid"}) : about.name;
  put(involved, "uid", text(uid));
  put(involved, "apiVersion", text("v1"));
  std::string name = fmt::format("{}.{:016x}", about.name, 0x17f0000000000000ull + ++events_);
  event_keys_.push_back({"events", ns, name});
  objects_.create(event_keys_.back(), object({{"kind", text("Event")},
                                              {"apiVersion", text("v1")},
                                              {"metadata", Json::map()},
                                              {"involvedObject", std::move(involved)},
                                              {"reason", text(std::string(reason))},
                                              {"message", text(clean(message, 1024))},
                                              {"source", object({{"component", text(std::string(source))}})},
                                              {"firstTimestamp", text(now)},
                                              {"lastTimestamp", text(now)},
                                              {"count", number(1)},
                                              {"type", text(std::string(type))},
                                              {"eventTime", Json()},
                                              {"reportingComponent", text("")},
                                              {"reportingInstance", text("")}}));
  if (event_keys_.size() <= kMostEvents) return;
  objects_.erase(event_keys_.front());
  event_keys_.pop_front();
}

}  // namespace tessera::sim::kube
