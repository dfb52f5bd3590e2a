#include "backends/kubernetes/details.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "backends/kubernetes/objects/kueue_quota.hpp"
#include "backends/kubernetes/objects/related.hpp"

namespace tessera::kubernetes {
namespace {

using Steady = std::chrono::steady_clock;

constexpr Duration kMost{15000};  // of all requests about one pod
constexpr Duration kGap{3000};    // between two pods
constexpr auto kFresh = std::chrono::seconds(20);
constexpr std::size_t kMostItems = 2000;  // of a list
constexpr std::size_t kMostLooked = 4;    // nodes whose pods are asked for
constexpr std::string_view kNotOver = "status.phase!=Succeeded,status.phase!=Failed";

std::string in_namespace(std::string_view group, const std::string& space, std::string_view kind,
                         const std::string& name = {}) {
  std::string target = std::string(group) + "/namespaces/" + url_escape(space) + "/" + std::string(kind);
  return name.empty() ? target : target + "/" + url_escape(name);
}

bool is_plain_name(std::string_view text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") == std::string_view::npos;
}

// As an admin would type it; empty where a name is not plain.
std::string typed(const std::string& space, std::string_view what, const std::string& name) {
  if (!is_plain_name(space) || !is_plain_name(name) || space.empty()) return {};
  return "kubectl -n " + space + " get " + std::string(what) + (name.empty() ? "" : " " + name);
}
// A selector has nothing but words of labels in it (pod_rules.hpp).
std::string typed_pods(const std::string& space, const std::string& selector) {
  const std::string list = typed(space, "pods", "");
  return list.empty() || selector.empty() ? list : list + " -l '" + selector + "'";
}
std::string typed_pods_on(const std::string& node) {
  return is_plain_name(node) ? "kubectl get pods -A --field-selector spec.nodeName=" + node : std::string();
}
std::string typed_of_cluster(std::string_view what, const std::string& name) {
  return is_plain_name(name) ? "kubectl get " + std::string(what) + " " + name : std::string();
}

}  // namespace

// Asks what is still to be asked, one after the other.
struct PodDetails::Looking : std::enable_shared_from_this<PodDetails::Looking> {
  Looking(PodDetails& owner, const std::string& id)
      : details(owner),
        api(std::make_shared<Api>(owner.worker_, owner.client_)->for_at_most(kMost)),
        space(id.substr(0, id.find('/'))),
        pod(id.substr(std::min(id.find('/') + 1, id.size()))) {
    told.of = WorkloadId(id);
  }
  using Ask = std::function<void(std::shared_ptr<Looking>)>;

  Inquiry& asked(Teller source, std::string command) {
    told.asked.push_back({source, std::move(command), std::nullopt, {}});
    return told.asked.back();
  }
  void next() {
    if (todo.empty()) return details.end(shared_from_this());
    const Ask ask = std::move(todo.front());
    todo.pop_front();
    ask(shared_from_this());
  }

  // One object by name. missing: what is said where the API server has none of that name.
  void get(Teller source, std::string_view kind, std::string command, std::string target,
           std::function<Related(const Json&)> read, std::string name) {
    todo.push_back([=, this, kind = std::string(kind)](const std::shared_ptr<Looking>& self) {
      asked(source, command);
      api->get(target, [self, source, kind, read, name](const Answer& answer) {
        if (answer.ok())
          self->told.related.push_back(read(answer.body));
        else if (answer.status == 404)
          self->told.related.push_back(related_missing(source, kind, name));
        else
          self->told.asked.back().failure = answer.error;
        self->next();
      });
    });
  }

  void list(Teller source, std::string command, std::string target,
            std::function<void(Looking&, const std::vector<Json>&)> read) {
    todo.push_back([=, this](const std::shared_ptr<Looking>& self) {
      asked(source, command);
      auto items = std::make_shared<std::vector<Json>>();
      auto more = std::make_shared<bool>(false);
      const auto each = [items, more](const Json& item) {
        if (items->size() < kMostItems)
          items->push_back(item);
        else
          *more = true;
      };
      api->list(target, false, each, [self, items, more, read](const Answer& answer) {
        if (answer.ok() && *more)
          self->told.asked.back().note = fmt::format("only the first {} were read", kMostItems);
        if (answer.ok())
          read(*self, *items);
        else
          self->told.asked.back().failure = answer.error;
        self->next();
      });
    });
  }

  // Pods that run, of which no more is kept than what others heed.
  void list_pods(std::string command, std::string target, std::function<PodsTold&(Looking&)> into) {
    ++into(*this).missing;
    todo.push_back([=, this](const std::shared_ptr<Looking>& self) {
      asked(Teller::pod, command);
      auto more = std::make_shared<bool>(false);
      const auto each = [self, into, more](const Json& item) {
        PodsTold& told_there = into(*self);
        if (told_there.pods.size() >= kMostItems)
          *more = true;
        else if (auto one = pod_there_of(item))
          told_there.pods.push_back(std::move(*one));
      };
      api->list(target, false, each, [self, into, more](const Answer& answer) {
        if (!answer.ok())
          self->told.asked.back().failure = answer.error;
        else if (*more)
          self->told.asked.back().note = fmt::format("only the first {} were read", kMostItems);
        else
          --into(*self).missing;
        self->next();
      });
    });
  }

  void take_pod(const Answer& answer);
  void ask_pods_beside();
  void ask_pods_on_nodes();
  void ask_events(std::string_view kind);
  void ask_volumes();
  void ask_claims();
  void ask_queues();
  void ask_kueue_version(void (Looking::*ask)(const std::string& version));
  void ask_kueue(const std::string& version);
  void ask_workload(const std::string& version);
  Related take_workload(const Json& workload, const std::string& version);
  void ask_quota(const std::string& version, const std::string& queue, std::vector<QuotaNamed> named);

  PodDetails& details;
  const ApiPtr api;
  const std::string space, pod;
  PodLinks links;
  PodTerms terms;
  PodsBeside beside;
  Details told;
  Told then;
  std::deque<Ask> todo;
};

void PodDetails::Looking::take_pod(const Answer& answer) {
  if (!answer.ok()) {
    told.asked.back().failure = answer.error;
    return next();
  }
  links = links_of(answer.body);
  told.related = gates_of(links);
  terms = pod_terms_of(answer.body);
  ask_events("Pod");
  ask_volumes();
  ask_claims();
  ask_queues();
  // Last: such lists may be long, and the time of all requests is one.
  ask_pods_beside();
  ask_pods_on_nodes();
  todo.push_back([](const std::shared_ptr<Looking>& self) {
    for (const auto& [node, there] : self->beside.on_nodes)
      self->beside.all_nodes = self->beside.all_nodes && there.whole();
    for (Related& one : self->details.nodes_.against(self->told.of.text, self->terms, self->beside))
      self->told.related.push_back(std::move(one));
    self->next();
  });
  next();
}

void PodDetails::Looking::ask_pods_beside() {
  beside.of_rules.resize(terms.rules.rules.size());
  for (std::size_t i = 0; i < terms.rules.rules.size(); ++i) {
    const PodRule& rule = terms.rules.rules[i];
    const std::string labels =
        rule.selector.empty() ? std::string() : "&labelSelector=" + url_escape(rule.selector);
    for (const std::string& from : rule.spaces)
      list_pods(typed_pods(from, rule.selector),
                in_namespace("/api/v1", from, "pods") + "?fieldSelector=" + url_escape(kNotOver) + labels,
                [i](Looking& self) -> PodsTold& { return self.beside.of_rules[i]; });
  }
}

// Who has a host port, and how many pods run, is asked of few nodes, where it may decide.
void PodDetails::Looking::ask_pods_on_nodes() {
  const bool crowded = terms.waits_for.find("Too many pods") != std::string::npos;
  if (terms.rules.ports.empty() && !crowded) return;
  const std::vector<std::string> open = details.nodes_.open_to(told.of.text, terms);
  beside.all_nodes = open.size() <= kMostLooked;
  for (const std::string& node : open) {
    if (beside.on_nodes.size() >= kMostLooked) break;
    beside.on_nodes.try_emplace(node);
    list_pods(
        typed_pods_on(node),
        "/api/v1/pods?fieldSelector=" + url_escape("spec.nodeName=" + node + "," + std::string(kNotOver)),
        [node](Looking& self) -> PodsTold& { return self.beside.on_nodes[node]; });
  }
}

void PodDetails::Looking::ask_events(std::string_view kind) {
  list(Teller::events, typed(space, "events", ""),
       in_namespace("/api/v1", space, "events") + "?fieldSelector=" +
           url_escape(fmt::format("involvedObject.kind={},involvedObject.name={}", kind, pod)),
       [](Looking& self, const std::vector<Json>& events) {
         for (Related& one : related_events(events, self.links.uid))
           self.told.related.push_back(std::move(one));
       });
}

void PodDetails::Looking::ask_volumes() {
  for (const std::string& name : links.volume_claims)
    get(
        Teller::volumes, "PersistentVolumeClaim", typed(space, "pvc", name),
        in_namespace("/api/v1", space, "persistentvolumeclaims", name),
        [name](const Json& claim) { return related_volume(name, claim); }, name);
}

void PodDetails::Looking::ask_claims() {
  if (links.claims.empty()) return;
  // v1 is served since 1.34; older servers have one of the betas, which tell the same of a claim.
  todo.push_back([](const std::shared_ptr<Looking>& self) {
    self->api->get("/apis/resource.k8s.io", [self](const Answer& answer) {
      if (!answer.ok()) {
        self->asked(Teller::claims, "kubectl api-resources --api-group=resource.k8s.io").failure =
            answer.error;
        return self->next();
      }
      std::string version = text_at(answer.body, {"preferredVersion", "version"});
      if (version.empty()) version = "v1";
      std::deque<Ask> later = std::exchange(self->todo, {});
      for (const std::string& name : self->links.claims)
        self->get(
            Teller::claims, "ResourceClaim", typed(self->space, "resourceclaim", name),
            in_namespace("/apis/resource.k8s.io/" + version, self->space, "resourceclaims", name),
            [name](const Json& claim) { return related_claim(name, claim); }, name);
      for (Ask& one : later) self->todo.push_back(std::move(one));
      self->next();
    });
  });
}

// ask: asks in the version that the server prefers.
void PodDetails::Looking::ask_kueue_version(void (Looking::*ask)(const std::string& version)) {
  todo.push_back([ask](const std::shared_ptr<Looking>& self) {
    self->api->get("/apis/kueue.x-k8s.io", [self, ask](const Answer& answer) {
      const std::string version = answer.ok() ? text_at(answer.body, {"preferredVersion", "version"}) : "";
      if (version.empty()) {
        self->asked(Teller::admission, "kubectl api-resources --api-group=kueue.x-k8s.io").failure =
            answer.ok() ? Error{"cannot ask Kueue", "it reports no API version", ""} : answer.error;
      } else {
        ((*self).*ask)(version);
      }
      self->next();
    });
  });
}

// The Workload itself, which stands for the pods to come; the pod that is looked at bears its name.
void PodDetails::Looking::ask_workload(const std::string& version) {
  get(
      Teller::admission, "Workload", typed(space, "workloads.kueue.x-k8s.io", pod),
      in_namespace("/apis/kueue.x-k8s.io/" + url_escape(version), space, "workloads", pod),
      [this, version](const Json& workload) {
        links.uid = text_at(workload, {"metadata", "uid"});
        return take_workload(workload, version);
      },
      pod);
  ask_events("Workload");
}

Related PodDetails::Looking::take_workload(const Json& workload, const std::string& version) {
  Related one = related_workload(workload);
  const std::string queue = text_at(workload, {"spec", "queueName"});
  if (std::vector<QuotaNamed> named = quotas_named(one.text); !named.empty() && !queue.empty())
    ask_quota(version, queue, std::move(named));
  return one;
}

// Where Kueue says of which resource there is too little: how much its ClusterQueue has of that.
void PodDetails::Looking::ask_quota(const std::string& version, const std::string& queue,
                                    std::vector<QuotaNamed> named) {
  const std::string group = "/apis/kueue.x-k8s.io/" + url_escape(version);
  todo.push_back([=](const std::shared_ptr<Looking>& self) {
    self->asked(Teller::admission, typed(self->space, "localqueues.kueue.x-k8s.io", queue));
    self->api->get(in_namespace(group, self->space, "localqueues", queue), [=](const Answer& answer) {
      if (!answer.ok()) self->told.asked.back().failure = answer.error;
      const std::string name = answer.ok() ? text_at(answer.body, {"spec", "clusterQueue"}) : "";
      if (!name.empty())
        self->get(
            Teller::admission, "ClusterQueue", typed_of_cluster("clusterqueues.kueue.x-k8s.io", name),
            group + "/clusterqueues/" + url_escape(name),
            [named](const Json& one) { return related_queue(one, named); }, name);
      self->next();
    });
  });
}

void PodDetails::Looking::ask_queues() {
  if (links.by_kueue) ask_kueue_version(&Looking::ask_kueue);
  const auto group = [this](const std::string& name, std::string_view api_group, std::string_view kind) {
    if (name.empty()) return;
    get(
        Teller::admission, "PodGroup", typed(space, kind, name),
        in_namespace(api_group, space, "podgroups", name),
        [name](const Json& one) { return related_group(name, one); }, name);
  };
  group(links.volcano, "/apis/scheduling.volcano.sh/v1beta1", "podgroups.scheduling.volcano.sh");
  group(links.kai, "/apis/scheduling.run.ai/v2alpha2", "podgroups.scheduling.run.ai");
}

void PodDetails::Looking::ask_kueue(const std::string& version) {
  list(Teller::admission, typed(space, "workloads.kueue.x-k8s.io", ""),
       in_namespace("/apis/kueue.x-k8s.io/" + url_escape(version), space, "workloads"),
       [version](Looking& self, const std::vector<Json>& workloads) {
         const Json* ours = workload_behind(workloads, self.links);
         auto one = ours ? std::optional(self.take_workload(*ours, version)) : std::nullopt;
         const bool cut = !self.told.asked.back().note.empty();
         if (!one && !cut && !self.links.queue.empty())
           one = related_missing(Teller::admission, "Workload of Kueue for the queue", self.links.queue);
         if (one) self.told.related.push_back(std::move(*one));
       });
}

void PodDetails::look(const std::string& id, bool of_kueue, Told told) {
  if (id.find('/') == std::string::npos) return;
  if (last_at_ && last_.of.text == id && Steady::now() - *last_at_ < kFresh) return told(last_);
  if (!busy_) return begin(id, of_kueue, std::move(told));
  waiting_ = id;
  waiting_of_kueue_ = of_kueue;
  waiting_told_ = std::move(told);
}

void PodDetails::begin(const std::string& id, bool of_kueue, Told told) {
  busy_ = true;
  auto looking = std::make_shared<Looking>(*this, id);
  looking->then = std::move(told);
  if (of_kueue) {
    looking->ask_kueue_version(&Looking::ask_workload);
    return looking->next();
  }
  looking->asked(Teller::pod, typed(looking->space, "pod", looking->pod));
  looking->api->get(in_namespace("/api/v1", looking->space, "pods", looking->pod),
                    [looking](const Answer& answer) { looking->take_pod(answer); });
}

void PodDetails::end(const std::shared_ptr<Looking>& looking) {
  last_ = looking->told;
  last_.at = clock_();
  last_at_ = Steady::now();
  worker_.after(kGap, [this] {
    busy_ = false;
    if (const std::string id = std::exchange(waiting_, {}); !id.empty())
      look(id, waiting_of_kueue_, std::exchange(waiting_told_, nullptr));
  });
  looking->then(last_);
}

}  // namespace tessera::kubernetes
