// What would help, the cheapest first.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/hostlist.hpp"
#include "engine/insight/available.hpp"
#include "engine/mig/geometry.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/query/value.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/text.hpp"
#include "engine/why/details.hpp"
#include "engine/why/may_use.hpp"
#include "engine/why/supply.hpp"

namespace tessera::why {
namespace {

constexpr std::size_t kMostPlans = 2;

template <class... Parts>
std::string command(fmt::format_string<const Parts&...> form, const Parts&... parts) {
  if (!(is_plain(parts) && ...)) return {};
  return fmt::format(form, parts...);
}

struct Case {
  const Cluster& cluster;
  const Workload& workload;
  const Site& site;
  Asked asked;
  std::vector<Remedy> all;

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
           command("squeue --start -j {}", of.workload.id.text));
}

void by_itself(Case& of, const std::vector<Candidates>& nodes, Topic topic) {
  if ((topic != Topic::room && topic != Topic::priority) || of.asked.each.empty()) return;
  const auto must = must_have(of.workload);
  if (!must) return;
  const auto enough = gather(of.asked, *must, offers_of(of.cluster, of.workload, of.site, nodes));
  if (!enough || !enough->last) return;
  of.add(Help::by_itself,
         fmt::format("its GPUs are free by {} at the latest, by the time limit of {} of {}; others may come "
                     "before it",
                     time_of(enough->last->at), name_of(*enough->last->last), enough->last->last->user),
         of.slurm() ? command("squeue --start -j {}", of.workload.id.text) : std::string());
}

// The layout of a GPU with one more instance for it, as many of the free ones kept as can be.
std::optional<mig::Layout> recut_of(const Case& of, const Node& node, const Gpu& gpu,
                                    const mig::Product& product, int profile) {
  const insight::Sight sight = insight::sight_of(of.cluster, node);
  mig::Layout held, free;
  for (const Slice& slice : gpu.slices) {
    const auto kind = product.index_of(slice.profile.text);
    if (!kind || !slice.placement) return std::nullopt;
    const bool open = insight::availability(sight, slice) == insight::Availability::free;
    (open ? free : held).push_back({*kind, slice.placement->start});
  }
  std::sort(held.begin(), held.end());
  const int wanted[] = {profile};
  auto layout = mig::place(product, wanted, held);
  if (!layout) return std::nullopt;
  for (const mig::Placed& one : free)
    if (mig::fits(product, *layout, one)) layout->push_back(one), std::sort(layout->begin(), layout->end());
  return layout;
}

// Re-cuts of one GPU of one node that disturb no work, by the planner.
void recuts(Case& of, const std::vector<Candidates>& nodes, Topic topic) {
  if (topic == Topic::held || of.asked.nodes != 1 || of.asked.each.size() != 1) return;
  const Request& want = of.asked.each.front();
  const auto name = sharing::parse_resource(want.resource, of.cluster.scheduler);
  if (!name || !name->profile || want.count != 1) return;
  const plan::Means means = of.site.means ? *of.site.means : plan::presumed_capabilities(of.cluster);
  std::size_t plans = 0;
  for (const Node* node : nodes_with(of.cluster, nodes, Topic::room)) {
    if (has_gpus(of.cluster, *node, of.workload, of.site)) continue;
    if (!only_gpus_may_fail(of.cluster, *node, of.workload)) continue;  // no cut mends its CPUs
    for (const Gpu& gpu : node->gpus) {
      if (plans >= kMostPlans) return;
      const mig::Product* product = gpu.product ? of.site.catalogue->by_key(gpu.product->text) : nullptr;
      const auto profile = product ? product->index_of(name->profile->text) : std::nullopt;
      if (!profile || gpu.mig_mode != MigMode::enabled || !mig::observed_layout(*product, gpu)) continue;
      const auto layout = recut_of(of, *node, gpu, *product, *profile);
      if (!layout) continue;
      plan::Intent intent;
      intent.cluster = of.cluster.name, intent.nodes = {node->name};
      intent.boards = {{gpu.index, plan::wish_of(*product, *layout)}};
      intent.words = mig::to_text(*product, *layout);
      const auto made =
          plan::make_plan(of.cluster, *of.site.catalogue, intent, means, of.site.rules, of.site.wall);
      if (!made || made->nodes.empty() || !made->violations.empty()) continue;
      const plan::NodePlan& planned = made->nodes.front();
      if (planned.created.empty() || !planned.blast_radius.empty()) continue;
      ++plans;
      of.all.push_back(
          {Help::recut,
           fmt::format("cut GPU {} of {} into {}: that disturbs no job or pod", gpu.index.value,
                       node->name.text, intent.words),
           command("tessera plan --cluster {} --node {} --gpu {} --layout {}", of.cluster.name.text,
                   node->name.text, std::to_string(gpu.index.value), intent.words),
           Certainty::likely, intent});
      break;  // one GPU of a node is enough
    }
  }
}

// "3g.40gb" → 40
int gigabytes(const ProfileName& profile) {
  const auto dot = profile.text.find('.');
  return dot == std::string::npos ? 0 : std::atoi(profile.text.c_str() + dot + 1);
}

// A smaller instance that it could start on now, where all else that it asks for is there. What needs the
// memory that it asks for does not run in less than half of it: such a hint would end in an error of CUDA.
void smaller(Case& of, Topic topic) {
  if (topic != Topic::room && topic != Topic::request) return;
  if (of.asked.each.size() != 1 || of.asked.nodes != 1) return;
  const auto name = sharing::parse_resource(of.asked.each.front().resource, of.cluster.scheduler);
  if (!name || !name->profile) return;
  const auto slices = [](const ProfileName& profile) { return std::atoi(profile.text.c_str()); };
  // By memory and compute slices: resource, node.
  std::map<std::pair<int, int>, std::pair<std::string, std::string>> found;
  Workload less = of.workload;
  for (const Node& node : of.cluster.nodes.all()) {
    if (!in_its_partition(node, of.workload, of.cluster.scheduler)) continue;
    for (const auto& [resource, count] : stock_now(of.cluster, node, *of.site.catalogue).free.units) {
      const auto other = sharing::parse_resource(resource, of.cluster.scheduler);
      if (count < of.asked.each.front().count || !other || !other->profile) continue;
      const std::pair size(gigabytes(*other->profile), slices(*other->profile));
      if (size.second >= slices(*name->profile) || found.contains(size)) continue;
      if (2 * size.first < gigabytes(*name->profile)) continue;
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
                         fold_hosts(nodes)),
             command("scontrol update JobId={} Partition={}", of.workload.id.text, name));
      return;
    }
  }
}

// "team=x:NoExecute" → "team=x:NoExecute-"
void untaint(Case& of, const std::vector<Candidates>& nodes) {
  for (const Node* node : nodes_with(of.cluster, nodes, Topic::taint)) {
    std::vector<std::string> told;
    Node without = *node;
    std::erase_if(without.taints, [&](const std::string& taint) {
      const bool repels = of.workload.reason.find("{" + as_told(taint)) != std::string::npos;
      if (repels) told.push_back(taint);
      return repels;
    });
    if (told.size() != 1 || !look_at(of.cluster, without, of.workload, of.site).fits) continue;
    of.add(Help::admin,
           fmt::format("let it tolerate the taint {}, or take that off {}", told.front(), node->name.text),
           command("kubectl taint nodes {} {}-", node->name.text, told.front()));
    return;
  }
}

std::pair<std::string, std::string> pod_of(const Workload& workload) {
  const auto slash = workload.id.text.find('/');
  if (slash == std::string::npos) return {workload.group, workload.id.text};
  return {workload.id.text.substr(0, slash), workload.id.text.substr(slash + 1)};
}

void kubernetes_admin(Case& of, Topic topic) {
  const auto [space, name] = pod_of(of.workload);
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
  return (workload.kind == WorkloadKind::pod ? "pod " : "job ") + workload.id.text;
}

std::vector<Remedy> remedies(const Cluster& cluster, const Workload& workload, const Site& site,
                             const std::vector<Candidates>& nodes, const Meaning& meaning) {
  Case of{cluster, workload, site, asked_of(workload, cluster.scheduler), {}};
  expected(of, meaning.topic);
  std::vector<Remedy> of_limits = limit_remedies(cluster, workload, site);
  for (Remedy& one : of_limits)
    if (one.help == Help::by_itself) of.all.push_back(one);
  std::vector<Remedy> of_scheduler;
  if (of.slurm()) of_scheduler = slurm_remedies(cluster, workload, site, meaning.topic);
  for (Remedy& one : of_scheduler)
    if (one.help == Help::by_itself) of.all.push_back(one);
  by_itself(of, nodes, meaning.topic);
  const bool of_owner = of.slurm() && is_about_its_owner(workload.reason);
  if (!of_owner) recuts(of, nodes, meaning.topic), smaller(of, meaning.topic);
  // Another partition may let in the account or the QOS that this one does not.
  if (!of_owner || workload.reason.find("NotAllowed") != std::string::npos) elsewhere(of, meaning.topic);
  for (Remedy& one : opening_remedies(cluster, workload, site, nodes)) of.all.push_back(std::move(one));
  untaint(of, nodes);
  for (Remedy& one : of_limits)
    if (one.help != Help::by_itself) of.all.push_back(std::move(one));
  if (!of.slurm()) kubernetes_admin(of, meaning.topic);
  for (Remedy& one : of_scheduler)
    if (one.help != Help::by_itself) of.all.push_back(std::move(one));
  return std::move(of.all);
}

}  // namespace tessera::why
