// What would help, the cheapest first.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>

#include "engine/hostlist.hpp"
#include "engine/insight/available.hpp"
#include "engine/mig/geometry.hpp"
#include "engine/mig/product_of.hpp"
#include "engine/mig/profile_name.hpp"
#include "engine/model/array_tasks.hpp"
#include "engine/model/kueue.hpp"
#include "engine/pack/naming.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/query/value.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/why/command.hpp"
#include "engine/why/details.hpp"
#include "engine/why/may_use.hpp"
#include "engine/why/reserved.hpp"
#include "engine/why/supply.hpp"

namespace tessera::why {
namespace {

constexpr std::size_t kMostPlans = 2;
constexpr std::size_t kMostLater = 32;  // plans that are made for times to come
constexpr std::size_t kMostUncut = 8;   // nodes whose whole GPUs are tried: each try is a plan of its GPUs

struct Case {
  const Cluster& cluster;
  const Workload& workload;
  const Site& site;
  Asked asked;
  std::vector<Remedy> all;
  std::optional<TimePoint> by_itself_at = std::nullopt;  // by time limits

  void add(Help help, std::string text, std::string command, Certainty certainty = Certainty::likely) {
    all.push_back({help, std::move(text), std::move(command), certainty});
  }
  bool slurm() const { return cluster.scheduler == Scheduler::slurm; }
};

// Slurm's own word on when it starts: the earliest time that was asked for, or what its last look worked out.
void expected(Case& of, Topic topic) {
  if (!of.workload.needs || !of.workload.needs->expected || *of.workload.needs->expected <= of.site.wall)
    return;
  const std::string at = time_of(*of.workload.needs->expected);
  if (topic == Topic::time && !of.workload.reason.starts_with("DeadLine"))
    of.add(Help::by_itself, fmt::format("it may start from {} on", at), "", Certainty::certain);
  if (topic == Topic::room || topic == Topic::priority)
    of.add(Help::by_itself, fmt::format("Slurm expects to start it at {}", at),
           command("squeue --start -j {}", job_argument(of.workload.id.text)));
}

void by_itself(Case& of, const std::vector<Candidates>& nodes, Topic topic) {
  if ((topic != Topic::room && topic != Topic::priority) || of.asked.each.empty()) return;
  const auto must = must_have(of.workload);
  if (!must) return;
  const auto enough = gather(of.asked, *must, offers_of(of.cluster, of.workload, of.site, nodes));
  if (!enough || !enough->last) return;
  of.by_itself_at = enough->last->at;
  of.add(Help::by_itself,
         fmt::format("its GPUs are free by {} at the latest, by the time limit of {} of {}; others may come "
                     "before it",
                     time_of(enough->last->at), name_of(*enough->last->last), enough->last->last->user),
         of.slurm() ? command("squeue --start -j {}", job_argument(of.workload.id.text)) : std::string());
}

// What has to stay on a GPU, and what may go. nullopt: that is not known, or it cannot be cut.
struct Stands {
  mig::Layout held, free;
  bool uncut = false;
};
std::optional<Stands> stands_on(const Case& of, const Node& node, const Gpu& gpu,
                                const mig::Product& product) {
  const insight::Sight sight = insight::sight_of(of.cluster, node);
  const auto is_free = [&](const Slice& slice) {
    return insight::availability(sight, slice) == insight::Availability::free;
  };
  Stands stands;
  stands.uncut = gpu.strategy == Strategy::whole;
  if (stands.uncut) {
    const bool free = plan::mode_of(gpu) == MigMode::disabled && gpu.slices.size() == 1 &&
                      gpu.slices[0].kind == SliceKind::whole_gpu && gpu.slices[0].capacity == 1 &&
                      is_free(gpu.slices[0]);
    return free ? std::optional(stands) : std::nullopt;
  }
  if (gpu.mig_mode != MigMode::enabled || !mig::observed_layout(product, gpu)) return std::nullopt;
  for (const Slice& slice : gpu.slices)
    (is_free(slice) ? stands.free : stands.held)
        .push_back({*product.index_of(slice.profile.view()), slice.placement->start});
  std::sort(stands.held.begin(), stands.held.end());
  return stands;
}

// A GPU with more instances for it, and as many of the other free ones as can be kept.
struct Recut {
  plan::BoardWish board;
  std::string words;
  std::int64_t more = 0;
  bool uncut = false;
};
std::optional<Recut> recut_of(const Stands& stands, const Gpu& gpu, const mig::Product& product, int profile,
                              std::int64_t most) {
  mig::Layout fixed = stands.held;  // and those like it that are there
  for (const mig::Placed& one : stands.free)
    if (one.profile == profile) fixed.push_back(one);
  std::sort(fixed.begin(), fixed.end());
  const std::size_t there = fixed.size() - stands.held.size();
  const int max = product.profiles[static_cast<std::size_t>(profile)].max;
  for (std::int64_t more = std::min<std::int64_t>(most, std::max(1, max)); more > 0; --more) {
    const std::vector<int> wanted(there + static_cast<std::size_t>(more), profile);
    auto layout = mig::place(product, std::span(wanted).first(static_cast<std::size_t>(more)), fixed);
    if (!layout) layout = mig::place(product, wanted, stands.held);
    if (!layout) continue;
    for (const mig::Placed& one : stands.free)
      if (one.profile != profile && mig::fits(product, *layout, one))
        layout->push_back(one), std::sort(layout->begin(), layout->end());
    return Recut{
        {gpu.index, plan::wish_of(product, *layout)}, mig::to_text(product, *layout), more, stands.uncut};
  }
  return std::nullopt;
}

// GPUs of one node that are cut for what is missing there: one of them where that suffices.
class Recuts {
 public:
  Recuts(Case& of, const Request& want, const sharing::ResourceName& name)
      : of_(of), want_(want), name_(name) {}

  // uncut: by GPUs that are free as a whole; false: by those that are cut.
  void on(const std::vector<const Node*>& nodes, bool uncut) {
    std::size_t looked = 0;
    for (const Node* node : nodes) {
      if (plans_ >= kMostPlans || (uncut && looked >= kMostUncut)) return;
      if (!may_serve(*node)) continue;
      const std::vector<Recut> all = recuts_of(*node, uncut);
      const std::int64_t missing = missing_on(*node);
      std::int64_t sum = 0;
      for (const Recut& one : all) sum += one.more;
      if (sum < missing) continue;
      ++looked;
      const bool alone = std::any_of(all.begin(), all.end(), [&](const Recut& one) {
        return one.more >= missing && offer(*node, {one});
      });
      if (alone) continue;
      std::vector<Recut> together;
      sum = 0;
      for (const Recut& one : all) {
        if (sum >= missing) break;
        together.push_back(one);
        sum += one.more;
      }
      if (together.size() > 1) offer(*node, together);
    }
  }
  bool found() const { return plans_ > 0; }

  // The one that can be made first once some of those who hold slices there have ended, where that is before
  // its GPUs are free as they are.
  void later(const std::vector<const Node*>& nodes) {
    std::optional<Freed> first;
    Node where;
    std::optional<Recut> made;
    std::size_t looked = 0, tried = 0;
    for (const Node* node : nodes) {
      if (!may_serve(*node)) continue;
      if (++looked > kMostUncut) break;
      Node then;
      std::optional<Recut> cut;
      const auto freed = first_freed(of_.cluster, *node, [&](const Node& without) {
        cut.reset();
        if (missing_on(without) <= 0) return true;
        cut = enough_on(without);
        // Where the whole node is closed for a cut, those on its other GPUs have to end, too.
        if (cut && (++tried > kMostLater || !disturbs_no_other(without, intent_of(without, {*cut}))))
          cut.reset();
        if (cut) then = without;
        return cut.has_value();
      });
      if (!freed || !cut || (first && first->at <= freed->at)) continue;
      first = freed, where = std::move(then), made = std::move(cut);
    }
    if (!first || (of_.by_itself_at && *of_.by_itself_at <= first->at)) return;
    of_.all.push_back({Help::recut_later, later_text(where, *made, *first), command_of(where, {*made}),
                       Certainty::likely, intent_of(where, {*made})});
  }

 private:
  // One GPU that is cut, or else one that is free as a whole, for all that is missing there.
  std::optional<Recut> enough_on(const Node& node) const {
    for (const bool uncut : {false, true})
      for (Recut& one : recuts_of(node, uncut))
        if (one.more >= missing_on(node)) return std::move(one);
    return std::nullopt;
  }
  // By the planner, on the node as it is then.
  bool disturbs_no_other(const Node& node, const plan::Intent& intent) const {
    Cluster then = around(of_.cluster);
    then.nodes.upsert(node);
    for (const WorkloadId& id : node.workloads)
      if (const Workload* one = of_.cluster.workloads.find(id)) then.workloads.upsert(*one);
    return disturbs_none(then, intent);
  }
  static std::string later_text(const Node& node, const Recut& cut, const Freed& freed) {
    return fmt::format(
        "cut GPU {} of {} into {} once {} of {} has ended, by its time limit at {}: that disturbs no other "
        "job or pod",
        cut.board.gpu->value, node.name.text, cut.words, name_of(*freed.last), freed.last->user,
        time_of(freed.at));
  }

  // The same slice serves a claim on one node, a resource of the device plugin on another one.
  bool may_serve(const Node& node) const {
    const pack::Naming asked = name_.claimed ? pack::Naming::claims : pack::Naming::profiles;
    return pack::naming_of(of_.cluster, node) == asked &&
           !has_gpus(of_.cluster, node, of_.workload, of_.site) &&
           only_gpus_may_fail(of_.cluster, node, of_.workload, of_.site);  // no cut mends its CPUs
  }
  std::int64_t missing_on(const Node& node) const {
    std::int64_t free = 0;
    for (const auto& [name, count] : stock_now(of_.cluster, node, *of_.site.catalogue).free.units)
      if (plan::answers(want_.resource, name, of_.cluster.scheduler))
        free += std::max<std::int64_t>(0, count);
    return want_.count - free;
  }
  std::vector<Recut> recuts_of(const Node& node, bool uncut) const {
    std::vector<Recut> all;
    const std::int64_t missing = missing_on(node);
    for (const Gpu& gpu : node.gpus) {
      const mig::Product* product = mig::product_of(gpu, *of_.site.catalogue);
      const auto profile = product ? product->index_of(name_.profile->text) : std::nullopt;
      const auto stands = profile ? stands_on(of_, node, gpu, *product) : std::nullopt;
      if (!stands || stands->uncut != uncut) continue;
      if (auto recut = recut_of(*stands, gpu, *product, *profile, missing)) all.push_back(std::move(*recut));
    }
    return all;
  }

  plan::Intent intent_of(const Node& node, const std::vector<Recut>& cut) const {
    plan::Intent intent;
    intent.cluster = of_.cluster.name, intent.nodes = {node.name};
    for (const Recut& one : cut) {
      intent.boards.push_back(one.board);
      intent.words += (intent.words.empty() ? "" : "; ") + one.words;
    }
    return intent;
  }
  // False: the planner refuses it, or it would disturb a job or pod.
  bool disturbs_none(const Cluster& cluster, const plan::Intent& intent) const {
    const plan::Means means = of_.site.means ? *of_.site.means : plan::presumed_capabilities(of_.cluster);
    const auto made =
        plan::make_plan(cluster, *of_.site.catalogue, intent, means, of_.site.rules, of_.site.wall);
    if (!made || made->nodes.empty() || !made->violations.empty()) return false;
    const plan::NodePlan& planned = made->nodes.front();
    return !planned.created.empty() && planned.blast_radius.empty();
  }
  bool offer(const Node& node, const std::vector<Recut>& cut) {
    const plan::Intent intent = intent_of(node, cut);
    if (!disturbs_none(of_.cluster, intent)) return false;
    ++plans_;
    of_.all.push_back({Help::recut, text_of(node, cut), command_of(node, cut), Certainty::likely, intent});
    return true;
  }
  static std::string text_of(const Node& node, const std::vector<Recut>& cut) {
    const Recut& first = cut.front();
    const int gpu = first.board.gpu->value;
    if (cut.size() > 1) {
      std::string gpus;
      for (const Recut& one : cut) gpus += fmt::format("{}{}", gpus.empty() ? "" : ",", one.board.gpu->value);
      return fmt::format("cut GPUs {} of {} for it: that disturbs no job or pod", gpus, node.name.text);
    }
    if (first.uncut)
      return fmt::format("cut GPU {} of {}, which is free as a whole, into {}: that disturbs no job or pod",
                         gpu, node.name.text, first.words);
    return fmt::format("cut GPU {} of {} into {}: that disturbs no job or pod", gpu, node.name.text,
                       first.words);
  }
  std::string command_of(const Node& node, const std::vector<Recut>& cut) const {
    const std::string& cluster = of_.cluster.name.text;
    if (cut.size() > 1)
      return command("tessera pack --cluster {} {}={} --node {} --plan", cluster, name_.profile->text,
                     std::to_string(want_.count), node.name.text);
    return command("tessera plan --cluster {} --node {} --gpu {} --layout {}", cluster, node.name.text,
                   std::to_string(cut.front().board.gpu->value), cut.front().words);
  }

  Case& of_;
  const Request& want_;
  const sharing::ResourceName& name_;
  std::size_t plans_ = 0;
};

// Re-cuts of GPUs of one node that disturb no work, by the planner. GPUs that are free as a whole are kept
// for who asks for them where others serve.
void recuts(Case& of, const std::vector<Candidates>& nodes, Topic topic) {
  if (topic == Topic::held || of.asked.nodes != 1 || of.asked.each.size() != 1) return;
  const Request& want = of.asked.each.front();
  const auto name = sharing::parse_resource(want.resource, of.cluster.scheduler);
  if (!name || !name->profile) return;
  Recuts found(of, want, *name);
  const auto room = nodes_with(of.cluster, nodes, Topic::room);
  found.on(room, false);
  if (found.found()) return;
  // Which nodes a pod's selector leaves it is not known before it was asked: no whole GPU is cut on a guess.
  const bool asked = of.site.against != nullptr && !of.site.against->empty();
  if (topic == Topic::selector && !asked) return;
  found.on(room, true);
  // Where nothing is cut for it yet, nothing that it asks for is offered.
  auto all = nodes_with(of.cluster, nodes, Topic::request);
  found.on(all, true);
  if (found.found()) return;
  all.insert(all.begin(), room.begin(), room.end());
  found.later(all);
}

// A smaller instance that it could start on now, where all else that it asks for is there. What needs the
// memory that it asks for does not run in less than half of it: such a hint would end in an error of CUDA.
void smaller(Case& of, Topic topic) {
  if (topic != Topic::room && topic != Topic::request) return;
  if (of.asked.each.size() != 1 || of.asked.nodes != 1) return;
  const auto name = sharing::parse_resource(of.asked.each.front().resource, of.cluster.scheduler);
  const auto wanted = name && name->profile ? mig::parse_profile(name->profile->text) : std::nullopt;
  if (!wanted) return;
  // By memory and compute slices: resource, node.
  std::map<std::pair<int, int>, std::pair<std::string, std::string>> found;
  Workload less = of.workload;
  for (const Node& node : of.cluster.nodes.all()) {
    if (!in_its_partition(node, of.workload, of.cluster.scheduler)) continue;
    for (const auto& [resource, count] : stock_now(of.cluster, node, *of.site.catalogue).free.units) {
      const auto other = sharing::parse_resource(resource, of.cluster.scheduler);
      const auto parts = other && other->profile ? mig::parse_profile(other->profile->text) : std::nullopt;
      if (count < of.asked.each.front().count || !parts) continue;
      const std::pair size(parts->gigabytes, parts->slices);
      if (parts->slices >= wanted->slices || found.contains(size)) continue;
      if (2 * parts->gigabytes < wanted->gigabytes) continue;
      less.requests = {{resource, of.asked.each.front().count}};
      if (look_at(of.cluster, node, less, of.site).fits) found.try_emplace(size, resource, node.name.text);
    }
  }
  if (!found.empty())
    of.add(Help::smaller,
           fmt::format("{} is free now on {}, if that is enough", found.rbegin()->second.first,
                       found.rbegin()->second.second),
           "");
}

bool starts_jobs(const Cluster& cluster, const std::string& partition) {
  return std::none_of(cluster.partitions.begin(), cluster.partitions.end(),
                      [&](const Partition& one) { return one.name == partition && starts_nothing(one); });
}

// Another partition in which as many nodes as it asks for have room now.
void elsewhere(Case& of, Topic topic) {
  if (!of.slurm() || (topic != Topic::room && topic != Topic::priority && topic != Topic::request)) return;
  const auto must = must_have(of.workload);
  if (of.asked.each.empty() || !must) return;
  std::map<std::string, std::vector<Offer>> by_partition;
  Workload moved = of.workload;
  moved.group.clear();  // which partition it is in is what is asked
  for (const Node& node : of.cluster.nodes.all()) {
    if (node.partitions.empty() || in_its_partition(node, of.workload, of.cluster.scheduler)) continue;
    if (!look_at(of.cluster, node, moved, of.site).fits) continue;
    for (const std::string& name : node.partitions) {
      std::vector<Offer>& offers = by_partition[name];
      offers.push_back({node.name});
      if (!starts_jobs(of.cluster, name) || !gather(of.asked, *must, offers)) continue;
      std::vector<std::string> nodes;
      for (const Offer& one : offers) nodes.push_back(one.node.text);
      of.add(Help::elsewhere,
             fmt::format("in the partition {} its GPUs are free now, on {}, if its owner may use it", name,
                         fold_for_reading(nodes)),
             command("scontrol update JobId={} Partition={}", job_argument(of.workload.id.text), name));
      return;
    }
  }
}

// A job that would still run when a reservation begins starts once its time limit ends it before. A minute is
// left for the scheduler.
void shorter(Case& of, const std::vector<Candidates>& nodes) {
  const auto wanted = static_cast<std::size_t>(std::max(1, of.workload.node_count));
  const std::size_t fits = nodes_that_fit(nodes);
  if (!of.slurm() || !of.workload.limit || fits >= wanted) return;
  const Reserved reserved(of.cluster, of.workload, of.site.wall);
  std::vector<std::pair<TimePoint, std::string>> until;
  for (const Node* node : nodes_with(of.cluster, nodes, Topic::reservation))
    if (auto against = reserved.against(*node); against && against->until)
      until.emplace_back(*against->until, against->by);
  if (until.size() < wanted - fits) return;
  std::sort(until.begin(), until.end(), std::greater<>());
  const auto& [begins, by] = until[wanted - fits - 1];
  const auto minutes = std::chrono::floor<std::chrono::minutes>(begins - of.site.wall).count() - 1;
  if (minutes < 1) return;
  of.add(Help::admin,
         fmt::format("lower its time limit to {} at most: it then ends before the reservation {} begins",
                     query::duration_text(minutes * 60), by),
         command("scontrol update JobId={} TimeLimit={}", job_argument(of.workload.id.text),
                 std::to_string(minutes)));
}

std::pair<std::string, std::string> pod_of(const Workload& workload) {
  const auto slash = workload.id.text.find('/');
  if (slash == std::string::npos) return {workload.group, workload.id.text};
  return {workload.id.text.substr(0, slash), workload.id.text.substr(slash + 1)};
}

// Of the queues that were asked for it, also where its pods are there and wait at a gate of Kueue's.
void raise_queues(Case& of) {
  if (of.site.details == nullptr) return;
  for (const Related& one : of.site.details->related)
    if (!one.makes_room.empty())
      of.add(Help::admin,
             fmt::format("raise the nominalQuota of the ClusterQueue {}, if that is wanted", one.name),
             one.makes_room);
}

// Its own Workload tells of each flavor that was tried; a deactivated one waits for a person.
void kueue_admin(Case& of, Topic topic, const std::string& space, const std::string& name) {
  if (topic == Topic::held)
    of.add(Help::admin, "activate it again, so that Kueue considers it",
           command("kubectl -n {} patch workloads.kueue.x-k8s.io {} --type=merge -p "
                   "'{{\"spec\":{{\"active\":true}}}}'",
                   space, name),
           Certainty::likely);
  of.add(Help::ask, "its Workload, as Kueue tells it",
         command("kubectl -n {} describe workloads.kueue.x-k8s.io {}", space, name), Certainty::certain);
  of.add(Help::ask, "the queues of its namespace",
         command("kubectl -n {} get localqueues.kueue.x-k8s.io", space), Certainty::certain);
}

// The kind of queue whose quota it is, by the words of its scheduler; empty: it is one of the namespace.
std::string_view queue_kind_in(std::string_view reason) {
  const auto has = [&](std::string_view words) { return reason.find(words) != std::string_view::npos; };
  if (has("queue resource quota insufficient")) return "queues.scheduling.volcano.sh";
  if (has("reached the allowable limit of") || has("workload is over quota"))
    return "queues.scheduling.run.ai";
  return {};
}

void kubernetes_admin(Case& of, Topic topic) {
  const auto [space, name] = pod_of(of.workload);
  raise_queues(of);
  if (waits_for_kueue(of.workload)) return kueue_admin(of, topic, space, name);
  switch (topic) {
    case Topic::gate:
      of.add(
          Help::ask, "which gates hold it",
          is_plain(space) && is_plain(name)
              ? fmt::format("kubectl -n {} get pod {} -o jsonpath='{{.spec.schedulingGates}}'", space, name)
              : std::string(),
          Certainty::certain);
      break;
    case Topic::storage:
      of.add(Help::ask, "its volume claims", command("kubectl -n {} get pvc", space), Certainty::certain);
      break;
    case Topic::claim:
      of.add(Help::ask, "its resource claims", command("kubectl -n {} get resourceclaims", space),
             Certainty::certain);
      break;
    case Topic::limit:
      if (const std::string_view queues = queue_kind_in(of.workload.reason); !queues.empty()) {
        of.add(Help::ask, "the queues, with their quotas", fmt::format("kubectl get {} -o yaml", queues),
               Certainty::certain);
        break;
      }
      of.add(Help::ask, "the quotas of its namespace", command("kubectl -n {} describe resourcequota", space),
             Certainty::certain);
      break;
    default:
      of.add(Help::ask, "its events, as the cluster tells them",
             command("kubectl -n {} describe pod {}", space, name), Certainty::certain);
      break;
  }
}

}  // namespace

bool is_plain(std::string_view text) {
  return !text.empty() && text.size() < 200 && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                  c == '-' || c == '_' || c == '/' || c == ':' || c == ',' || c == '@' || c == '+' ||
                  c == '=';
         });
}

std::string time_of(TimePoint at) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
  return query::to_text(query::Value(static_cast<std::int64_t>(seconds)), query::Format::time);
}

std::string name_of(const Workload& workload) {
  return std::string(kind_word(workload)) + " " + workload.id.text;
}

std::vector<Remedy> remedies(const Cluster& cluster, const Workload& workload, const Site& site,
                             const std::vector<Candidates>& nodes, const Meaning& meaning) {
  Case of{cluster, workload, site, asked_of(workload, cluster.scheduler), {}};
  expected(of, meaning.topic);
  std::vector<Remedy> of_limits = limit_remedies(cluster, workload, site);
  for (Remedy& one : of_limits)
    if (one.help == Help::by_itself) of.all.push_back(one);
  std::vector<Remedy> of_pod;
  if (!of.slurm()) of_pod = pod_remedies(cluster, workload, site, nodes);
  std::vector<Remedy> of_scheduler;
  if (of.slurm()) of_scheduler = slurm_remedies(cluster, workload, site, meaning.topic);
  for (Remedy& one : of_scheduler)
    if (one.help == Help::by_itself) of.all.push_back(one);
  by_itself(of, nodes, meaning.topic);
  const bool of_owner = of.slurm() && is_about_its_owner(workload.reason);
  if (!of_owner) recuts(of, nodes, meaning.topic), smaller(of, meaning.topic);
  for (Remedy& one : of_pod)
    if (one.help == Help::smaller) of.all.push_back(std::move(one));
  // Another partition may let in the account or the QOS that this one does not.
  if (!of_owner || slurm_code(workload.reason).ends_with("NotAllowed")) elsewhere(of, meaning.topic);
  shorter(of, nodes);
  for (Remedy& one : opening_remedies(cluster, workload, site, nodes)) of.all.push_back(std::move(one));
  for (Remedy& one : of_pod)
    if (one.help != Help::smaller) of.all.push_back(std::move(one));
  for (Remedy& one : of_limits)
    if (one.help != Help::by_itself) of.all.push_back(std::move(one));
  if (!of.slurm()) kubernetes_admin(of, meaning.topic);
  for (Remedy& one : of_scheduler)
    if (one.help != Help::by_itself) of.all.push_back(std::move(one));
  return std::move(of.all);
}

}  // namespace tessera::why
