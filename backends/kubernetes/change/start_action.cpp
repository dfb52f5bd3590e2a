#include "backends/kubernetes/change/start_action.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "backends/kubernetes/change/device_rule.hpp"
#include "backends/kubernetes/change/restart_plugin.hpp"
#include "backends/kubernetes/change/shared_writes.hpp"
#include "backends/kubernetes/objects/node_values.hpp"
#include "backends/kubernetes/objects/parse.hpp"
#include "backends/kubernetes/objects/slurmd_pod.hpp"
#include "engine/operators/labels.hpp"
#include "engine/operators/slinky.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/node_restart.hpp"
#include "engine/plan/words/operator_words.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

namespace verbs = plan::verbs;
using StringMap = std::map<std::string, std::string>;

Error cannot(std::string what, std::string why, std::string hint = "") {
  return {"cannot " + std::move(what), std::move(why), std::move(hint)};
}

// The patch that it takes, made of the node as it was just read; nullopt: nothing is to be done; or why not.
using NodeEdit = std::function<Result<std::optional<Json>>(const Json& node)>;
using DatedEdit = std::function<Result<std::optional<Json>>(const Json& node, std::optional<TimePoint> date)>;

std::string annotation(const Json& node, std::string_view key) {
  return text_at(node, {"metadata", "annotations", key});
}
std::string label(const Json& node, std::string_view key) {
  return text_at(node, {"metadata", "labels", key});
}

// A merge patch of a node's metadata.
Json metadata(std::string_view part, const StringMap& texts) {
  return nested({"metadata", part}, texts_or_null(texts));
}

bool is_ours(const Json& node, const plan::Order& order) {
  auto mark = read_mark(annotation(node, operators::kMark));
  return mark && mark->run == order.mark.run;
}

// The reason that the run has given slurm-operator goes with its mark; another's stays.
StringMap without_our_reason(const Json& node, const plan::Order& order, StringMap texts) {
  const auto told = plan::parse_mark(annotation(node, operators::kCordonReason));
  if (told && told->run == order.mark.run) texts[std::string(operators::kCordonReason)] = "";
  return texts;
}

// Reads the node, makes the patch, and writes it unless it was written since.
void change_node(const Place& place, const plan::Order& order, bool needs_mark, DatedEdit change,
                 Ended ended) {
  std::string target = node_target(order.node.text);
  place.api->get(target, [place, order, needs_mark, target, change = std::move(change),
                          ended = std::move(ended)](Answer told) {
    if (!told.ok()) return ended(told.error);
    if (needs_mark && !is_ours(told.body, order))
      return ended(cannot("change " + order.node.text, "the run's mark is not on it any more",
                          "another run has taken the node over: its annotations name that run"));
    Result<std::optional<Json>> patch = change(told.body, told.date);
    if (!patch) return ended(patch.error());
    if (!*patch) return ended(Done{});
    Json body = std::move(**patch);
    Json& meta = child(body, "metadata");
    meta.add("resourceVersion", Json::of(text_at(told.body, {"metadata", "resourceVersion"})));
    place.api->patch(target, body, [ended](Answer written) { answer(ended, std::move(written)); });
  });
}

void change_node(const Place& place, const plan::Order& order, bool needs_mark, NodeEdit change,
                 Ended ended) {
  auto whenever = [change = std::move(change)](const Json& node, std::optional<TimePoint>) {
    return change(node);
  };
  change_node(place, order, needs_mark, DatedEdit(whenever), std::move(ended));
}

std::optional<Json> nothing() { return std::nullopt; }

// In the words that NodeFacts has; empty: it is not cordoned.
std::string why_cordoned(const Json& node) {
  const Json* closed = at(node, {"spec", "unschedulable"});
  if (!closed || !closed->boolean) return "";
  const std::string reason = clean(annotation(node, operators::kClosing), 1024);
  return reason.empty() ? std::string(kCordoned) : reason;
}

struct Eviction {
  std::string ns, name, node, uid;
  std::string id() const { return ns + "/" + name; }
  std::string target() const {
    return fmt::format("/api/v1/namespaces/{}/pods/{}", url_escape(ns), url_escape(name));
  }
};

// What the server will answer in the same way however often it is asked.
bool is_for_good(int status) {
  return status == 400 || status == 403 || status == 405 || status == 415 || status == 422;
}

void evict(const Place& place, const Eviction& pod, const std::string& version, Ended ended) {
  Json body = Json::map();
  body.add("apiVersion", Json::of(version));
  body.add("kind", Json::of(std::string("Eviction")));
  Json& meta = body.add("metadata", Json::map());
  meta.add("name", Json::of(pod.name));
  meta.add("namespace", Json::of(pod.ns));
  // Another pod of that name, started meanwhile, is not the one that was agreed on.
  body.add("deleteOptions", nested({"preconditions", "uid"}, Json::of(pod.uid)));
  place.api->post(pod.target() + "/eviction", body, [place, ended, pod](Answer done) {
    if (done.status == 404) return ended(Done{});
    done.error.what = "cannot evict " + pod.id();
    if (is_for_good(done.status)) place.remember_refusal(pod.node, pod.id(), to_line(done.error));
    answer(ended, std::move(done));
  });
}

// Servers tell with the list of their resources in which version they take an eviction: policy/v1beta1 up to
// Kubernetes 1.21, policy/v1 from 1.22 on.
void find_eviction(const Place& place, const Eviction& pod, Ended ended) {
  place.api->get("/api/v1", [place, pod, ended](Answer told) {
    if (!told.ok()) return ended(told.error);
    if (const Json* resources = at(told.body, {"resources"}))
      for (const Json& one : resources->items) {
        if (text_at(one, {"name"}) != "pods/eviction" || text_at(one, {"kind"}) != "Eviction") continue;
        std::string version = text_at(one, {"group"}) + "/" + text_at(one, {"version"});
        if (version == "policy/v1" || version == "policy/v1beta1") return evict(place, pod, version, ended);
      }
    Error none = cannot("evict " + pod.id(), "the API server offers no eviction of pods that tessera knows",
                        "kubectl get --raw /api/v1 lists what it offers");
    place.remember_refusal(pod.node, pod.id(), to_line(none));
    ended(std::move(none));
  });
}

class KubernetesAction {
 public:
  KubernetesAction(const Place& place, const plan::Order& order, Ended ended)
      : place_(place), order_(order), ended_(std::move(ended)) {}

  // Since when it is there is told by the server's clock: pods that started later are told apart by it.
  void operator()(const plan::SetMark& act) {
    DatedEdit edit = [act, order = order_](const Json& node,
                                           std::optional<TimePoint> date) -> Result<std::optional<Json>> {
      auto mark = read_mark(annotation(node, operators::kMark));
      if (mark && mark->run == order.mark.run) return nothing();
      if (mark && !act.break_lock)
        return cannot("mark " + order.node.text, "marked by " + plan::to_text(*mark),
                      "break its lock, or wait for it");
      plan::RunMark ours = order.mark;
      if (date) ours.since = *date;
      return std::optional(metadata("annotations", {{std::string(operators::kMark), mark_text(ours)}}));
    };
    change_node(place_, order_, false, std::move(edit), std::move(ended_));
  }
  // The last act on a node: whatever the run has come to, its rule goes with its mark.
  void operator()(const plan::ClearMark&) {
    auto clear = [](const plan::Order& order) {
      return [order](const Json& node) -> Result<std::optional<Json>> {
        if (!is_ours(node, order)) return nothing();
        return std::optional(
            metadata("annotations", without_our_reason(node, order, {{std::string(operators::kMark), ""}})));
      };
    };
    drop_rule(place_, order_, [place = place_, order = order_, clear, ended = ended_](Status dropped) {
      if (!dropped) return ended(dropped);
      change_node(place, order, false, NodeEdit(clear(order)), ended);
    });
  }
  void operator()(const plan::CloseNode& act) {
    change(true, [act, order = order_](const Json& node) -> Result<std::optional<Json>> {
      const Json* closed = at(node, {"spec", "unschedulable"});
      if (closed && closed->boolean) return nothing();
      std::string reason = plan::to_text(order.mark) + ": " + clean(act.words, 400);
      Json patch = metadata("annotations", {{std::string(operators::kClosing), reason}});
      patch.add("spec", nested({"unschedulable"}, Json::of(true)));
      return std::optional(std::move(patch));
    });
  }
  // Who cordoned it is asked again here: it may have changed since the run looked.
  void operator()(const plan::OpenNode&) {
    change(false, [order = order_](const Json& node) -> Result<std::optional<Json>> {
      auto as = plan::parse_mark(annotation(node, operators::kClosing));
      if (!as || as->run != order.mark.run) return nothing();
      Json patch =
          metadata("annotations", without_our_reason(node, order, {{std::string(operators::kClosing), ""}}));
      patch.add("spec", nested({"unschedulable"}, Json()));
      return std::optional(std::move(patch));
    });
  }
  void operator()(const plan::Evict& act) {
    if (act.way == plan::Way::wait) return ended_(Done{});
    evict_pod(act.workload.text, false);
  }
  void operator()(const plan::LookOnly&) { ended_(Done{}); }
  void operator()(const plan::Special& act) {
    if (plan::is_node_act(act)) return close_or_open(act);
    if (plan::is_restart(act))
      return restart_plugin(place_, order_, plan::argument_of(act, "namespace"), ended_);
    if (act.verb == verbs::kCloseDevices) return close_devices(place_, order_, ended_);
    if (act.verb == verbs::kOpenDevices) return open_devices(place_, order_, ended_);
    if (act.verb == verbs::kRestartDra) return restart_dra(place_, order_, ended_);
    if (act.verb == verbs::kReviewAccess) return review_access(act.arguments);
    if (act.verb == verbs::kHoldAutoscaler) return hold_autoscaler();
    if (act.verb == verbs::kFreeAutoscaler) return free_autoscaler();
    if (act.verb == verbs::kLabelNode) return label_node(act.arguments);
    if (act.verb == verbs::kOrderMig) return order(act, operators::kMigConfig, operators::kMigState, {});
    if (act.verb == verbs::kOrderVgpu)
      return order(act, operators::kVgpuConfig, operators::kVgpuState,
                   {{std::string(operators::kWorkload), plan::argument_of(act, "workload")}});
    if (act.verb == verbs::kRecoverMig) return recover(plan::argument_of(act, "namespace"));
    if (act.verb == verbs::kWriteMigConfig) return write_mig_config(place_, order_.node.text, act, ended_);
    if (act.verb == verbs::kWritePluginConfig)
      return write_plugin_config(place_, order_.node.text, act, ended_);
    if (act.verb == verbs::kPatchPolicy) return patch_policy(place_, order_.node.text, act, ended_);
    if (act.verb == verbs::kTellSlurm) return tell_slurm(plan::argument_of(act, "words"));
    if (act.verb == verbs::kStopSlurmd) return evict_pod(plan::argument_of(act, "pod"), true);
    ended_(cannot("change " + order_.node.text, fmt::format("'{}' is not known here", clean(act.verb, 64))));
  }
  template <class Other>
  void operator()(const Other& act) {
    ended_(
        cannot("change " + order_.node.text, fmt::format("{} is the GPU operator's to do", plan::word(act))));
  }

 private:
  void close_or_open(const plan::Special& act) {
    change(false, [act, order = order_](const Json& node) -> Result<std::optional<Json>> {
      const auto left = plan::reason_after(act, order.node, order.mark, why_cordoned(node));
      if (!left) return left.error();
      if (!*left) return nothing();
      Json patch = metadata("annotations", {{std::string(operators::kClosing), **left}});
      patch.add("spec", nested({"unschedulable"}, (*left)->empty() ? Json() : Json::of(true)));
      return std::optional(std::move(patch));
    });
  }
  // only_slurmd: no other pod than one that runs slurmd.
  void evict_pod(const std::string& id, bool only_slurmd) {
    const std::size_t slash = id.find('/');
    if (slash == std::string::npos)
      return ended_(cannot("evict " + clean(id, 320), "that is no pod of a namespace"));
    Eviction pod{id.substr(0, slash), id.substr(slash + 1), order_.node.text, ""};
    place_.api->get(pod.target(), [place = place_, ended = ended_, only_slurmd, pod](Answer told) mutable {
      if (told.status == 404) return ended(Done{});
      if (!told.ok()) return ended(told.error);
      // One of that name that was started on another node meanwhile is not the run's to end.
      if (text_at(told.body, {"spec", "nodeName"}) != pod.node) return ended(Done{});
      if (std::string why = why_kept(told.body, only_slurmd); !why.empty())
        return ended(cannot("evict " + pod.id(), why, hint_for(told.body)));
      pod.uid = text_at(told.body, {"metadata", "uid"});
      find_eviction(place, pod, ended);
    });
  }
  static bool of_daemon_set(const Json& pod) {
    const Json* owners = at(pod, {"metadata", "ownerReferences"});
    return owners && std::any_of(owners->items.begin(), owners->items.end(),
                                 [](const Json& owner) { return text_at(owner, {"kind"}) == "DaemonSet"; });
  }
  // To end a pod that runs slurmd ends Slurm's jobs in it, which no plan of this cluster names.
  static std::string why_kept(const Json& pod, bool only_slurmd) {
    if (of_daemon_set(pod)) return "it belongs to a DaemonSet, which would start it again";
    const Result<PodObject> object = Parser().object<PodObject>(to_line(pod));
    if (!object) return "it cannot be read: " + object.error().reason;
    const bool slurmd = !slurm_node_of(*object).empty();
    if (only_slurmd && !slurmd) return "it runs no slurmd";
    return slurmd ? why_in_use(*object) : "";
  }
  static std::string hint_for(const Json& pod) {
    return of_daemon_set(pod) ? "let its DaemonSet leave the node out"
                              : "squeue shows which jobs run there; the run goes on once they have ended";
  }
  // A reason that another has left there is theirs.
  void tell_slurm(const std::string& words) {
    change(true, [words, order = order_](const Json& node) -> Result<std::optional<Json>> {
      if (!annotation(node, operators::kCordonReason).empty()) return nothing();
      const std::string reason = plan::to_text(order.mark) + ": " + clean(words, 150);
      return std::optional(metadata("annotations", {{std::string(operators::kCordonReason), reason}}));
    });
  }
  void change(bool needs_mark, NodeEdit how) {
    change_node(place_, order_, needs_mark, std::move(how), std::move(ended_));
  }

  // One SelfSubjectAccessReview for each verb; what is refused is named, all of it.
  void review_access(const StringMap& arguments) {
    struct Reviews {
      std::size_t open = 0;
      std::string refused;
      std::optional<Error> failure;
    };
    auto reviews = std::make_shared<Reviews>();
    auto list = arguments.find("verbs");
    std::vector<std::string> wanted;
    std::string all = list == arguments.end() ? "" : list->second;
    for (std::size_t from = 0; from < all.size();) {
      std::size_t end = std::min(all.find(", ", from), all.size());
      wanted.push_back(all.substr(from, end - from));
      from = end + 2;
    }
    reviews->open = wanted.size();
    auto over = [place = place_, node = order_.node.text, ended = ended_, reviews] {
      if (--reviews->open > 0) return;
      if (reviews->failure) return ended(*reviews->failure);
      std::string text = reviews->refused.empty() ? "" : "not allowed to " + reviews->refused;
      place.remember_access(node, text);
      if (text.empty()) return ended(Done{});
      ended(cannot("change " + node, text,
                   "tessera doctor --rbac --write prints the role that changing nodes needs"));
    };
    for (const std::string& one : wanted) {
      std::size_t in = one.find(" in ");  // "create pods/eviction in training"
      std::string what = one.substr(0, in);
      std::size_t blank = what.find(' '), slash = what.find('/');
      std::string resource = what.substr(blank + 1, slash == std::string::npos ? slash : slash - blank - 1);
      Json attributes = Json::map();
      attributes.add("verb", Json::of(what.substr(0, blank)));
      attributes.add("resource", Json::of(resource));
      if (slash != std::string::npos) attributes.add("subresource", Json::of(what.substr(slash + 1)));
      if (resource == "devicetaintrules") attributes.add("group", Json::of(std::string("resource.k8s.io")));
      if (resource == "clusterpolicies") attributes.add("group", Json::of(std::string("nvidia.com")));
      if (in != std::string::npos)
        attributes.add("namespace", Json::of(one.substr(in + 4)));
      else if (resource == "configmaps" || what == "delete pods")
        attributes.add("namespace", Json::of(place_.site ? place_.site->ns : ""));
      Json body = nested({"spec", "resourceAttributes"}, std::move(attributes));
      body.add("apiVersion", Json::of(std::string("authorization.k8s.io/v1")));
      body.add("kind", Json::of(std::string("SelfSubjectAccessReview")));
      place_.api->post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body,
                       [reviews, over, one](Answer told) {
                         const Json* allowed = at(told.body, {"status", "allowed"});
                         if (!told.ok())
                           reviews->failure = told.error;
                         else if (!allowed || !allowed->boolean)
                           reviews->refused += (reviews->refused.empty() ? "" : ", ") + one;
                         over();
                       });
    }
    if (wanted.empty()) ended_(Done{});
  }

  // Which annotations were set here is kept beside them, with what they said before.
  void hold_autoscaler() {
    change(true, [](const Json& node) -> Result<std::optional<Json>> {
      StringMap texts;
      std::string held = annotation(node, operators::kHeld);
      for (std::string_view key : {operators::kScaleDown, operators::kDisrupt}) {
        std::string was = annotation(node, key);
        if (was != "true") {
          texts[std::string(key)] = "true";
          held += fmt::format("{}{}={}", held.empty() ? "" : ",", key, was);
        }
      }
      if (held.empty()) held = "none";
      texts[std::string(operators::kHeld)] = held;
      return std::optional(metadata("annotations", texts));
    });
  }
  void free_autoscaler() {
    change(true, [](const Json& node) -> Result<std::optional<Json>> {
      if (!at(node, {"metadata", "annotations", operators::kHeld})) return nothing();
      StringMap texts{{std::string(operators::kHeld), ""}};
      std::string held = annotation(node, operators::kHeld);
      for (std::string_view key : {operators::kScaleDown, operators::kDisrupt}) {
        std::size_t from = held.find(std::string(key) + "=");
        if (from == std::string::npos) continue;
        from += key.size() + 1;
        texts[std::string(key)] = held.substr(from, std::min(held.find(',', from), held.size()) - from);
      }
      return std::optional(metadata("annotations", texts));
    });
  }

  void label_node(const StringMap& labels) {
    change(true, [labels](const Json&) -> Result<std::optional<Json>> {
      return std::optional(metadata("labels", labels));
    });
  }

  // The state goes with the order: what stands there was about an earlier one. A manager acts on a label that
  // changes, so one that says so already is taken off first. What neither the plan found nor this run ordered
  // is another user's order. more: goes with it.
  void order(const plan::Special& act, std::string_view key, std::string_view state, StringMap more) {
    std::string config = plan::argument_of(act, "config"), found = plan::argument_of(act, "found");
    bool any = !act.arguments.contains("found");  // a plan of an earlier version
    more[std::string(key)] = config;
    more[std::string(state)] = "";
    auto set = [more](const Json&) -> Result<std::optional<Json>> {
      return std::optional(metadata("labels", more));
    };
    auto take_off = [config, found, any, key = std::string(key),
                     name = order_.node.text](const Json& node) -> Result<std::optional<Json>> {
      std::string now = label(node, key);
      if (!any && !now.empty() && now != config && now != found)
        return cannot(
            fmt::format("order {} on {}", config, name),
            fmt::format("another user has ordered {} there since the plan was made", clean(now, 64)),
            "plan again from the current layout: tessera resume RUN --replan");
      if (now != config) return nothing();
      return std::optional(metadata("labels", {{key, ""}}));
    };
    // Whatever stands there by then: the operator gives a node without the MIG label one of its own.
    change(true, take_off, [place = place_, order = order_, set, ended = ended_](Status off) {
      if (!off) return ended(off);
      change_node(place, order, true, set, ended);
    });
  }
  void change(bool needs_mark, NodeEdit how, Ended ended) {
    change_node(place_, order_, needs_mark, std::move(how), std::move(ended));
  }

  // The manager that hangs has paused its neighbours and forgets them. A new pod of it begins again.
  void recover(const std::string& ns) {
    auto unpause = [](const Json& node) -> Result<std::optional<Json>> {
      StringMap texts;
      for (std::string_view part : operators::kPausedParts) {
        std::string key = std::string(operators::kDeployPrefix) + std::string(part);
        if (label(node, key) == operators::kPausedForMig) texts[key] = "true";
      }
      if (texts.empty()) return nothing();
      texts[std::string(operators::kMigState)] = "";  // of the turn that hung
      return std::optional(metadata("labels", texts));
    };
    change(true, unpause, [place = place_, ns, node = order_.node.text, ended = ended_](Status unpaused) {
      if (!unpaused) return ended(unpaused);
      std::string target =
          fmt::format("/api/v1/namespaces/{}/pods?labelSelector={}&fieldSelector={}", url_escape(ns),
                      url_escape("app=nvidia-mig-manager"), url_escape("spec.nodeName=" + node));
      place.api->get(target, [place, ns, ended](Answer told) {
        if (!told.ok()) return ended(told.error);
        const Json* items = at(told.body, {"items"});
        if (!items || items->items.empty()) return ended(Done{});
        const Json& pod = items->items.front();
        std::string name = text_at(pod, {"metadata", "name"});
        Json options = nested({"preconditions", "uid"}, Json::of(text_at(pod, {"metadata", "uid"})));
        place.api->erase(fmt::format("/api/v1/namespaces/{}/pods/{}", url_escape(ns), url_escape(name)),
                         options, [ended](Answer gone) {
                           if (gone.status == 404) return ended(Done{});
                           answer(ended, std::move(gone));
                         });
      });
    });
  }

  const Place& place_;
  const plan::Order& order_;
  Ended ended_;
};

}  // namespace

void start_action(const Place& place, const plan::Order& order, Ended ended) {
  std::visit(KubernetesAction(place, order, std::move(ended)), order.action);
}

void answer(const Ended& ended, Answer told) {
  if (told.ok()) return ended(Done{});
  ended(told.error);
}

std::string node_target(const std::string& node) { return "/api/v1/nodes/" + url_escape(node); }
std::string map_target(const std::string& ns, const std::string& map) {
  std::string target = fmt::format("/api/v1/namespaces/{}/configmaps", url_escape(ns));
  return map.empty() ? target : target + "/" + url_escape(map);
}

}  // namespace tessera::kubernetes
