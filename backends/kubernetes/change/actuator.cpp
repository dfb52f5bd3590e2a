#include "backends/kubernetes/change/actuator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include "backends/kubernetes/change/node_facts.hpp"
#include "backends/kubernetes/change/site_reader.hpp"
#include "backends/kubernetes/change/start_action.hpp"
#include "backends/kubernetes/objects/parse.hpp"
#include "backends/owed.hpp"
#include "engine/operators/claimed_devices.hpp"
#include "engine/operators/labels.hpp"
#include "engine/plan/words/operator_words.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::size_t kMostLog = 16384;  // bytes, of its end
constexpr Duration kReadAgain = std::chrono::minutes(5);
constexpr Duration kReadSoon = std::chrono::seconds(20);  // where a part could not be read

template <class T>
std::shared_ptr<Owed<T>> owed(plan::Actuator::Told<T> told) {
  return std::make_shared<Owed<T>>(std::move(told), "the Kubernetes cluster");
}

Error not_open() {
  return {"the cluster is not open yet", "kubectl proxy has not been started", "try again"};
}

}  // namespace

struct KubernetesActuator::State : std::enable_shared_from_this<State> {
  State(Worker& w, ActuatorOptions wanted) : worker(w), options(std::move(wanted)) {}

  using Looked = std::shared_ptr<Owed<plan::NodeFacts>>;
  struct Looking {
    Look look;
    Looked told;
    std::size_t open = 0;
    std::optional<Error> failure;
  };

  void look(const NodeName& node, Looked told);
  void with_node(std::shared_ptr<Looking> looking, Answer told);
  void with_pods(Looking& looking, const Answer& told);
  void read_rule(const std::shared_ptr<Looking>& looking);
  void read_devices(const std::shared_ptr<Looking>& looking);
  void with_devices(const std::shared_ptr<Looking>& looking, const Answer& told);
  void with_policy(const std::shared_ptr<Looking>& looking, const Answer& told);
  void read_map(const std::shared_ptr<Looking>& looking, const std::string& name,
                std::optional<Json> Look::*where);
  void read_log(const std::shared_ptr<Looking>& looking);
  void one_less(const std::shared_ptr<Looking>& looking);
  void perform(const plan::Order& order, std::shared_ptr<Owed<Done>> told);
  void read_site(std::function<void()> then);
  void take_cluster_id(const Answer& told);
  void read_site_later();
  void publish(operators::OperatorSetup read);

  std::shared_ptr<const operators::OperatorSetup> known_site() const { return std::atomic_load(&site); }

  Worker& worker;
  ApiPtr api;  // nullptr: not connected yet
  const ActuatorOptions options;
  // Read from other threads, too: atomic_load, atomic_store.
  std::shared_ptr<const operators::OperatorSetup> site;
  std::shared_ptr<const std::string> cluster_id;

  // The worker's.
  Parser parser;
  std::map<std::string, Memory> memories;
  bool reads_again = false;
  std::map<std::string, std::string> kept_back;
  std::optional<Error> budgets_untold;
  std::map<std::string, operators::SlurmdPod> slurmd_pods;
};

// The node and its pods, then whatever the ClusterPolicy names; the log only where something has failed.
void KubernetesActuator::State::look(const NodeName& node, Looked told) {
  auto looking = std::make_shared<Looking>();
  looking->told = std::move(told);
  looking->look.at = options.clock();
  looking->look.cluster_time = looking->look.at;
  looking->look.name = node.text;
  api->get(node_target(node.text), [self = shared_from_this(), looking](Answer answer) {
    self->with_node(looking, std::move(answer));
  });
}

void KubernetesActuator::State::with_node(std::shared_ptr<Looking> looking, Answer told) {
  Look& look = looking->look;
  auto known = known_site();
  if (told.status == 404) {
    look.known = false;
    return looking->told->answer(
        facts_of(look, operators::OperatorSetup{}, options.catalogue, memories[look.name]));
  }
  if (!told.ok()) return looking->told->answer(told.error);
  if (told.date) look.cluster_time = *told.date;
  auto object = parser.object<NodeObject>(to_line(told.body));
  if (!object) return looking->told->answer(object.error());
  look.node = std::move(told.body);
  look.object = std::move(*object);
  looking->open = 1;
  std::string pods = "/api/v1/pods?fieldSelector=" + url_escape("spec.nodeName=" + look.name);
  api->get(pods, [self = shared_from_this(), looking](Answer answer) {
    self->with_pods(*looking, answer);
    self->one_less(looking);
  });
  if (known && !known->dra_api.empty()) read_devices(looking);
  if (!known || known->policy.empty()) return;
  ++looking->open;
  api->get("/apis/nvidia.com/v1/clusterpolicies/" + url_escape(known->policy),
           [self = shared_from_this(), looking](Answer answer) { self->with_policy(looking, answer); });
}

void KubernetesActuator::State::with_pods(Looking& looking, const Answer& told) {
  if (!told.ok()) {
    looking.failure = told.error;
    return;
  }
  auto page = parser.list<PodObject>(to_line(told.body));
  if (!page)
    looking.failure = page.error();
  else if (page->skipped > 0)
    looking.failure =
        Error{"cannot determine who uses " + looking.look.name,
              std::to_string(page->skipped) + " of its pods cannot be read: " + page->first_problem, ""};
  else
    looking.look.pods = std::move(page->items);
}

// Without a mark no run has made a rule.
void KubernetesActuator::State::read_rule(const std::shared_ptr<Looking>& looking) {
  const auto mark = read_mark(text_at(looking->look.node, {"metadata", "annotations", operators::kMark}));
  if (!mark) {
    looking->look.ruled = false;
    return;
  }
  ++looking->open;
  const std::string rule =
      fmt::format("/apis/{}/devicetaintrules/{}", known_site()->rules_api,
                  url_escape(operators::device_rule(mark->run, NodeName(looking->look.name))));
  api->get(rule, [self = shared_from_this(), looking](Answer answer) {
    if (answer.ok() || answer.status == 404)
      looking->look.ruled = answer.ok();
    else
      looking->failure = answer.error;
    self->one_less(looking);
  });
}

void KubernetesActuator::State::read_devices(const std::shared_ptr<Looking>& looking) {
  ++looking->open;
  const std::string slices = fmt::format("/apis/{}/resourceslices?fieldSelector={}", known_site()->dra_api,
                                         url_escape("spec.nodeName=" + looking->look.name));
  api->get(slices, [self = shared_from_this(), looking](Answer answer) {
    self->with_devices(looking, answer);
    self->one_less(looking);
  });
}

// Claims are of any namespace, and no server selects them by node: they are read where there are devices.
void KubernetesActuator::State::with_devices(const std::shared_ptr<Looking>& looking, const Answer& told) {
  auto untold = [](Looking& of, std::string why) {
    of.failure = Error{"cannot determine who uses " + of.look.name, std::move(why), ""};
  };
  if (!told.ok()) {
    looking->failure = told.error;
    return;
  }
  auto page = parser.list<ResourceSliceObject>(to_line(told.body));
  if (!page) {
    looking->failure = page.error();
    return;
  }
  if (page->skipped > 0 || !page->next.empty())
    return untold(*looking, "its ResourceSlices cannot be read: " + page->first_problem);
  looking->look.slices = std::move(page->items);
  looking->look.claims_read = true;
  if (!known_site()->rules_api.empty()) read_rule(looking);
  ++looking->open;
  api->list(
      fmt::format("/apis/{}/resourceclaims", known_site()->dra_api), false,
      [self = shared_from_this(), looking, untold](const Json& item) {
        auto claim = self->parser.object<ResourceClaimObject>(to_line(item));
        if (claim)
          looking->look.claims.push_back(std::move(*claim));
        else
          untold(*looking, "a ResourceClaim cannot be read: " + claim.error().reason);
      },
      [self = shared_from_this(), looking](const Answer& answer) {
        if (!answer.ok()) looking->failure = answer.error;
        self->one_less(looking);
      });
}

void KubernetesActuator::State::with_policy(const std::shared_ptr<Looking>& looking, const Answer& told) {
  Look& look = looking->look;
  if (!told.ok()) {
    looking->failure = told.error;
    return one_less(looking);
  }
  look.policy_read = true;
  look.mig_map = text_at(told.body, {"spec", "migManager", "config", "name"});
  look.plugin_map = text_at(told.body, {"spec", "devicePlugin", "config", "name"});
  if (!look.mig_map.empty()) read_map(looking, look.mig_map, &Look::mig_config_map);
  if (!look.plugin_map.empty()) read_map(looking, look.plugin_map, &Look::plugin_config_map);
  // One that was just made is not named there yet.
  std::string mig(operators::kOurMigMap), plugin(operators::kOurPluginMap);
  if (look.mig_map != mig) read_map(looking, mig, &Look::our_mig_map);
  if (look.plugin_map != plugin) read_map(looking, plugin, &Look::our_plugin_map);
  if (needs_log(look, memories[look.name])) read_log(looking);
  one_less(looking);
}

void KubernetesActuator::State::read_map(const std::shared_ptr<Looking>& looking, const std::string& name,
                                         std::optional<Json> Look::*where) {
  ++looking->open;
  api->get(map_target(known_site()->ns, name), [self = shared_from_this(), looking, where](Answer answer) {
    if (answer.ok())
      looking->look.*where = std::move(answer.body);
    else if (answer.status != 404)
      looking->failure = answer.error;
    self->one_less(looking);
  });
}

// Best effort: without the right to read logs the failure is told without its cause.
void KubernetesActuator::State::read_log(const std::shared_ptr<Looking>& looking) {
  ++looking->open;
  std::string ns = known_site()->ns;
  std::string pods =
      fmt::format("/api/v1/namespaces/{}/pods?labelSelector={}&fieldSelector={}", url_escape(ns),
                  url_escape("app=nvidia-mig-manager"), url_escape("spec.nodeName=" + looking->look.name));
  api->get(pods, [self = shared_from_this(), looking, ns](Answer answer) {
    const Json* items = at(answer.body, {"items"});
    if (!answer.ok() || !items || items->items.empty()) return self->one_less(looking);
    std::string pod = text_at(items->items.front(), {"metadata", "name"});
    self->api->read(
        fmt::format("/api/v1/namespaces/{}/pods/{}/log?tailLines=40", url_escape(ns), url_escape(pod)),
        [self, looking](Answer log) {
          if (log.ok())
            looking->look.log = log.text.substr(log.text.size() - std::min(log.text.size(), kMostLog));
          self->one_less(looking);
        });
  });
}

void KubernetesActuator::State::one_less(const std::shared_ptr<Looking>& looking) {
  if (--looking->open > 0) return;
  if (looking->failure) return looking->told->answer(*looking->failure);
  auto known = known_site();
  looking->told->answer(facts_of(looking->look, known ? *known : operators::OperatorSetup{},
                                 options.catalogue, memories[looking->look.name]));
}

void KubernetesActuator::State::perform(const plan::Order& order, std::shared_ptr<Owed<Done>> told) {
  Place place;
  place.api = api->for_at_most(order.deadline);
  place.site = known_site();
  place.catalogue = options.catalogue;
  place.clock = options.clock;
  place.remember_access = [weak = weak_from_this()](const std::string& node, std::string access) {
    if (auto self = weak.lock()) self->memories[node].access = std::move(access);
  };
  place.remember_refusal = [weak = weak_from_this()](const std::string& node, const std::string& pod,
                                                     std::string why) {
    auto self = weak.lock();
    if (!self) return;
    Memory& memory = self->memories[node];
    memory.refused[pod] = {std::move(why), memory.seen};
  };
  bool writes_maps = false, recovers = false;
  if (const auto* special = std::get_if<plan::Special>(&order.action)) {
    writes_maps = special->verb.starts_with("write-") || special->verb == plan::verbs::kPatchPolicy;
    recovers = special->verb == plan::verbs::kRecoverMig;
  }
  if (recovers)  // the manager begins again
    if (Memory& memory = memories[order.node.text]; memory.seen > TimePoint{})
      memory.pending_since = memory.seen;
  start_action(place, order, [self = shared_from_this(), told = std::move(told), writes_maps](Status status) {
    if (!status || !writes_maps) return told->answer(std::move(status));
    self->read_site([told] { told->answer(Done{}); });
  });
}

void KubernetesActuator::State::read_site(std::function<void()> then) {
  kubernetes::read_site(api, known_site(), options.clock(),
                        [self = shared_from_this(), then = std::move(then)](SitePtr read) {
                          // Known before anybody hears of it: who hears may plan at once.
                          self->publish(*read);
                          if (self->options.told) self->options.told(self->known_site());
                          self->read_site_later();
                          then();
                        });
}

void KubernetesActuator::State::publish(operators::OperatorSetup read) {
  read.kept_back = kept_back;
  read.slurmd_pods = slurmd_pods;
  if (budgets_untold)
    read.readings.failed(operators::SitePart::budgets, *budgets_untold);
  else
    read.readings.told(operators::SitePart::budgets, operators::Reading::Is::value, options.clock());
  std::atomic_store(&site, std::shared_ptr<const operators::OperatorSetup>(
                               std::make_shared<operators::OperatorSetup>(std::move(read))));
}

// One that was told stands until another one is told: a server that does not answer is the same cluster.
void KubernetesActuator::State::take_cluster_id(const Answer& told) {
  std::string uid = told.ok() ? clean(text_at(told.body, {"metadata", "uid"}), 100) : "";
  if (!uid.empty())
    std::atomic_store(&cluster_id, std::shared_ptr<const std::string>(std::make_shared<std::string>(uid)));
}

void KubernetesActuator::State::read_site_later() {
  if (std::exchange(reads_again, true)) return;
  auto known = known_site();
  worker.after(known && known->readings.any_failed() ? kReadSoon : kReadAgain, [weak = weak_from_this()] {
    auto self = weak.lock();
    if (!self) return;
    self->reads_again = false;
    self->read_site([] {});
  });
}

KubernetesActuator::KubernetesActuator(Worker& worker, ActuatorOptions options)
    : state_(std::make_shared<State>(worker, std::move(options))) {}
KubernetesActuator::~KubernetesActuator() = default;

plan::Means KubernetesActuator::means() const {
  plan::Means can = plan::gpu_operator_capabilities();
  can.gpu_operator = state_->known_site();
  return can;
}

std::string KubernetesActuator::cluster_id() const {
  auto known = std::atomic_load(&state_->cluster_id);
  return known ? *known : "";
}

void KubernetesActuator::observe(NodeName node, Told<plan::NodeFacts> told) {
  state_->worker.post(
      [state = state_, node = std::move(node), once = owed<plan::NodeFacts>(std::move(told))] {
        if (!state->api) return once->answer(not_open());
        state->look(node, once);
      });
}

void KubernetesActuator::perform(plan::Order order, Told<Done> told) {
  state_->worker.post([state = state_, order = std::move(order), once = owed<Done>(std::move(told))] {
    if (!state->api) return once->answer(not_open());
    state->perform(order, once);
  });
}

void KubernetesActuator::marks(Told<std::vector<plan::MarkedNode>> told) {
  state_->worker.post([state = state_, once = owed<std::vector<plan::MarkedNode>>(std::move(told))] {
    if (!state->api) return once->answer(not_open());
    auto marks = std::make_shared<std::vector<plan::MarkedNode>>();
    auto note = [marks](const Json& node) {
      if (auto mark = read_mark(text_at(node, {"metadata", "annotations", operators::kMark})))
        marks->push_back({NodeName(clean(text_at(node, {"metadata", "name"}), 253)), std::move(*mark)});
    };
    state->api->list("/api/v1/nodes", true, note, [once, marks](const Answer& answer) {
      if (!answer.ok()) return once->answer(answer.error);
      once->answer(std::move(*marks));
    });
  });
}

void KubernetesActuator::look_again() {
  if (state_->options.look_again) state_->worker.post(state_->options.look_again);
}

void KubernetesActuator::connect(HttpClient& client) {
  state_->api = std::make_shared<Api>(state_->worker, client);
}

void KubernetesActuator::read_site() {
  state_->read_site([] {});
}

void KubernetesActuator::read_cluster_id(std::function<void()> then) {
  state_->api->get("/api/v1/namespaces/kube-system", [state = state_, then = std::move(then)](Answer told) {
    state->take_cluster_id(told);
    then();
  });
}

void KubernetesActuator::set_pods(const std::map<std::string, std::string>& kept,
                                  const std::optional<Error>& untold,
                                  const std::map<std::string, operators::SlurmdPod>& slurmd) {
  const bool same = state_->kept_back == kept && state_->budgets_untold == untold;
  if (same && state_->slurmd_pods == slurmd) return;
  state_->kept_back = kept;
  state_->budgets_untold = untold;
  state_->slurmd_pods = slurmd;
  if (auto known = state_->known_site()) state_->publish(*known);
}

}  // namespace tessera::kubernetes
