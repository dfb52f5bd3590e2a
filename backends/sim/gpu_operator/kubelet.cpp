#include "backends/sim/gpu_operator/kubelet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "backends/sim/random.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::sim::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kFirstPause = seconds(10);  // of a container that ends at once; doubles with each time
constexpr Duration kLongestPause = seconds(300);

Json condition(std::string_view type, bool holds, TimePoint at, std::string reason = "") {
  Json one = object({{"type", text(std::string(type))}, {"status", text(holds ? "True" : "False")}});
  put(one, "lastTransitionTime", text(utc_text(at)));
  if (!reason.empty()) put(one, "reason", text(std::move(reason)));
  return one;
}

struct Shown {
  std::string phase = "Running";
  bool ready = false;
  int restarts = 0;
  std::string waits, words;  // reason and message of a container that does not run
};

void show(Json& pod, const Shown& shown, TimePoint at) {
  Json& status = child(pod, "status");
  put(status, "phase", text(shown.phase));
  put(status, "conditions",
      list_of({condition("Initialized", true, at),
               condition("Ready", shown.ready, at, shown.ready ? "" : "ContainersNotReady"),
               condition("ContainersReady", shown.ready, at, shown.ready ? "" : "ContainersNotReady"),
               condition("PodScheduled", true, at)}));
  if (!member(status, "startTime")) put(status, "startTime", text(utc_text(at)));
  Json statuses = Json::list();
  if (const Json* containers = kube::at(pod, {"spec", "containers"}))
    for (const Json& container : containers->items) {
      Json state = shown.waits.empty()
                       ? object({{"running", object({{"startedAt", text(utc_text(at))}})}})
                       : object({{"waiting",
                                  object({{"reason", text(shown.waits)}, {"message", text(shown.words)}})}});
      statuses.items.push_back(object({{"name", text(text_at(container, {"name"}))},
                                       {"image", text(text_at(container, {"image"}))},
                                       {"ready", flag(shown.ready)},
                                       {"restartCount", number(shown.restarts)},
                                       {"state", std::move(state)}}));
    }
  put(status, "containerStatuses", std::move(statuses));
}

}  // namespace

void show_running(Json& pod, TimePoint since) { show(pod, {"Running", true, 0, "", ""}, since); }

std::uint64_t Kubelet::chance(const Key& key) const {
  return draw(context_.world().seed, hash_text(key.name), hash_text(key.ns));
}

bool Kubelet::away(const Json& pod) const { return lost_.contains(text_at(pod, {"spec", "nodeName"})); }

void Kubelet::later(const Key& key, Duration wait, void (Kubelet::*act)(const Key&)) {
  Life& life = lives_[key];
  if (life.next) context_.agenda.cancel(*life.next);
  life.next = context_.agenda.at(context_.now() + wait, [this, key, act] {
    auto found = lives_.find(key);
    if (found == lives_.end()) return;
    found->second.next.reset();
    (this->*act)(key);
  });
}

void Kubelet::see(const Change& change) {
  if (!ports_.ours(*change.object)) return;
  const Key& key = change.key;
  std::string uid = text_at(*change.object, {"metadata", "uid"});
  auto found = lives_.find(key);
  if (found != lives_.end() && (change.verb == Verb::deleted || found->second.uid != uid)) {
    tell_gone(found->second,
              change.verb == Verb::deleted || !change.before ? *change.object : *change.before);
    lives_.erase(key);
    found = lives_.end();
  }
  if (change.verb == Verb::deleted || view_at(*change.object, {"spec", "nodeName"}).empty()) return;
  if (found == lives_.end()) {
    lives_[key].uid = uid;
    lives_[key].running = text_at(*change.object, {"status", "phase"}) == "Running";
    std::string phase = text_at(*change.object, {"status", "phase"});
    if (phase == "Succeeded" || phase == "Failed") lives_[key].done = true;
    if (!lives_[key].running && !lives_[key].done && !away(*change.object))
      later(key, milliseconds(between(chance(key), 800, 2500)), &Kubelet::begin);
  }
  if (is_leaving(*change.object) && !lives_[key].leaving) {
    lives_[key].leaving = true;
    if (!away(*change.object)) later(key, milliseconds(between(chance(key), 1500, 7000)), &Kubelet::leave);
  }
}

void Kubelet::begin(const Key& key) {
  Life& life = lives_[key];
  context_.objects.edit(key, [&](Json& pod) {
    show(pod, {"Running", false, life.restarts, "", ""}, context_.now());
  });
  later(key, milliseconds(between(mix(chance(key)), 1500, 4500)), &Kubelet::get_ready);
}

void Kubelet::get_ready(const Key& key) {
  ObjectPtr pod = context_.objects.find(key);
  if (!pod) return;
  if (std::optional<std::string> words = ports_.fails(*pod)) return crash(*pod, *words);
  Life& life = lives_[key];
  life.running = true;
  context_.objects.edit(key, [&](Json& one) {
    show(one, {"Running", true, life.restarts, "", ""}, context_.now());
  });
  ports_.ready(*context_.objects.find(key));
}

void Kubelet::crash(const Json& pod, const std::string& words) {
  Key key{"pods", text_at(pod, {"metadata", "namespace"}), text_at(pod, {"metadata", "name"})};
  auto found = lives_.find(key);
  if (found == lives_.end()) return;
  Life& life = found->second;
  tell_gone(life, pod);
  Duration pause = std::min<Duration>(kLongestPause, kFirstPause * (1 << std::min(life.restarts, 5)));
  ++life.restarts;
  context_.objects.edit(key, [&](Json& one) {
    show(one, {"Running", false, life.restarts, "CrashLoopBackOff", clean(words, 1000)}, context_.now());
  });
  if (!life.leaving) later(key, pause, &Kubelet::begin);
}

void Kubelet::tell_gone(Life& life, const Json& pod) {
  if (life.next) context_.agenda.cancel(*life.next);
  life.next.reset();
  if (std::exchange(life.running, false)) ports_.gone(pod);
}

void Kubelet::remove(const Json& pod) {
  Key key{"pods", text_at(pod, {"metadata", "namespace"}), text_at(pod, {"metadata", "name"})};
  context_.objects.edit(key, [&](Json& one) {
    if (is_leaving(one)) return;
    const Json* own = at(one, {"spec", "terminationGracePeriodSeconds"});
    std::int64_t grace = own ? own->integer : 30;
    put_at(one, {"metadata", "deletionTimestamp"}, text(utc_text(context_.now() + seconds(grace))));
    put_at(one, {"metadata", "deletionGracePeriodSeconds"}, number(grace));
  });
}

bool Kubelet::runs(const Json& pod) const {
  auto found =
      lives_.find({"pods", text_at(pod, {"metadata", "namespace"}), text_at(pod, {"metadata", "name"})});
  return found != lives_.end() && found->second.running;
}

void Kubelet::hold_back(const std::string& node, const std::string& app, TimePoint until) {
  held_back_[{node, app}] = until;
}

void Kubelet::leave(const Key& key) {
  ObjectPtr pod = context_.objects.find(key);
  if (!pod) return;
  auto held =
      held_back_.find({text_at(*pod, {"spec", "nodeName"}), text_at(*pod, {"metadata", "labels", "app"})});
  if (held != held_back_.end() && held->second > context_.now())
    return later(key, held->second - context_.now(), &Kubelet::leave);
  tell_gone(lives_[key], *pod);
  context_.objects.erase(key);
}

void Kubelet::node_lost(const std::string& node) {
  lost_.insert(node);
  for (auto& [key, life] : lives_) {
    ObjectPtr pod = context_.objects.find(key);
    if (pod && view_at(*pod, {"spec", "nodeName"}) == node) tell_gone(life, *pod);
  }
}

void Kubelet::node_back(const std::string& node) {
  if (lost_.erase(node) == 0) return;
  for (auto& [key, life] : lives_) {
    ObjectPtr pod = context_.objects.find(key);
    if (!pod || view_at(*pod, {"spec", "nodeName"}) != node) continue;
    if (life.done && !life.leaving) continue;
    ++life.restarts;
    later(key, milliseconds(between(chance(key), 2000, 9000)),
          life.leaving ? &Kubelet::leave : &Kubelet::begin);
  }
}

}  // namespace tessera::sim::kube
