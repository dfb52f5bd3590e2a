// What would help a pod that its own words keep off nodes: a taint, a label, how much it asks for, a gate.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/why/command.hpp"
#include "engine/why/details.hpp"
#include "engine/why/may_use.hpp"
#include "engine/why/supply.hpp"

namespace tessera::why {
namespace {

using By = AgainstNode::By;

// Whether it would start there without what is told by these.
template <class Is>
bool fits_without(const Cluster& cluster, const Node& node, const Workload& workload, const Site& site,
                  Is&& is) {
  AgainstNodes rest;
  for (const AgainstNode& one : told_of(site.against, node.name))
    if (!is(one)) rest[node.name].push_back(one);
  Site without = site;
  without.against = &rest;
  return look_at(cluster, node, workload, without).fits;
}

bool is_taken(const std::vector<Candidates>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [](const Candidates& one) { return one.fits; });
}

bool repels(const std::string& taint, const Node& node, const Workload& workload, const Site& site) {
  if (names_taint(workload.reason, taint)) return true;
  const auto& told = told_of(site.against, node.name);
  return std::any_of(told.begin(), told.end(), [&](const AgainstNode& one) {
    return one.by == By::taint && one.certain && one.subject == taint;
  });
}

// Put there and taken away by a controller, which puts it back at once: what it stands for has to end.
bool is_of_controller(std::string_view taint) {
  constexpr std::string_view kTheirs[] = {"node.kubernetes.io/", "node.cloudprovider.kubernetes.io/",
                                          "karpenter.sh/", "ToBeDeletedByClusterAutoscaler",
                                          "DeletionCandidateOfClusterAutoscaler"};
  return std::any_of(std::begin(kTheirs), std::end(kTheirs),
                     [&](std::string_view begin) { return taint.starts_with(begin); });
}

// "team=x:NoExecute" → "team=x:NoExecute-"
std::optional<Remedy> untaint(const Cluster& cluster, const Workload& workload, const Site& site,
                              const std::vector<Candidates>& nodes) {
  for (const Node* node : nodes_with(cluster, nodes, Topic::taint)) {
    std::vector<std::string> told;
    Node without = *node;
    std::erase_if(without.taints, [&](const std::string& taint) {
      const bool does = repels(taint, *node, workload, site);
      if (does) told.push_back(taint);
      return does;
    });
    if (told.size() != 1 || is_of_controller(told.front())) continue;
    if (is_taken(nodes) && !names_taint(workload.reason, told.front())) continue;
    if (!look_at(cluster, without, workload, site).fits) continue;
    return Remedy{
        Help::admin,
        fmt::format("let it tolerate the taint {}, or take that off {}", told.front(), node->name.text),
        command("kubectl taint nodes {} {}-", node->name.text, told.front())};
  }
  return std::nullopt;
}

// A label that a person sets on nodes ("pool=a"), and that alone is missing.
std::optional<Remedy> label(const Cluster& cluster, const Workload& workload, const Site& site,
                            const std::vector<Candidates>& nodes) {
  if (is_taken(nodes)) return std::nullopt;
  for (const Node* node : nodes_with(cluster, nodes, Topic::selector)) {
    const auto is_selector = [](const AgainstNode& one) { return one.by == By::selector; };
    const auto& told = told_of(site.against, node->name);
    const auto found = std::find_if(told.begin(), told.end(), is_selector);
    if (found == told.end() || found->subject.empty() || !found->certain) continue;
    if (!fits_without(cluster, *node, workload, site, is_selector)) continue;
    const std::string key = found->subject.substr(0, found->subject.find('=') + 1);
    const bool other = std::any_of(node->features.begin(), node->features.end(),
                                   [&](const std::string& one) { return one.starts_with(key); });
    return Remedy{
        Help::admin,
        fmt::format("label {} as {}, if it is meant for such pods", node->name.text, found->subject),
        other ? command("kubectl label nodes {} {} --overwrite", node->name.text, found->subject)
              : command("kubectl label nodes {} {}", node->name.text, found->subject)};
  }
  return std::nullopt;
}

double amount(const std::string& text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() ? value : 0;
}

bool is_of_cpus(By by) { return by == By::all_cpus || by == By::cpus; }

// The same pod, asking for none of that: what the nodes have of it is compared, too, and not only told.
Workload without_asking(Workload workload, By by) {
  if (!workload.needs) return workload;
  NodeNeeds rest = *workload.needs;
  if (is_of_cpus(by))
    rest.cpus = rest.cpus_each = std::nullopt;
  else
    rest.memory = rest.memory_each = std::nullopt;
  workload.needs = std::move(rest);
  return workload;
}

// The node that could give most of what alone is too much there.
struct Less {
  const Node* node = nullptr;
  AgainstNode most;
};

// Where it asks for more CPUs or memory than any node that has its GPUs can give: as much as one could.
std::vector<Remedy> ask_for_less(const Cluster& cluster, const Workload& workload, const Site& site,
                                 const std::vector<Candidates>& nodes) {
  if (is_taken(nodes)) return {};
  Less cpus, memory;  // cores and MiB are held against their like alone
  for (const Topic topic : {Topic::room, Topic::request})
    for (const Node* node : nodes_with(cluster, nodes, topic))
      for (const AgainstNode& one : told_of(site.against, node->name)) {
        Less& best = is_of_cpus(one.by) ? cpus : memory;
        const bool of_machine = one.by >= By::all_cpus && one.by <= By::memory;
        if (!one.certain || !of_machine || amount(one.subject) <= amount(best.most.subject)) continue;
        if (!fits_without(cluster, *node, without_asking(workload, one.by), site,
                          [&](const AgainstNode& told) { return told.by == one.by; }))
          continue;
        best = {node, one};
      }
  std::vector<Remedy> all;
  if (cpus.node != nullptr)
    all.push_back({Help::smaller,
                   fmt::format("ask for at most {} CPUs, if that is enough: {} may have room for it then",
                               cpus.most.subject, cpus.node->name.text),
                   ""});
  if (memory.node != nullptr)
    all.push_back({Help::smaller,
                   fmt::format("ask for at most {} MiB of memory, if that is enough: {} may have room "
                               "for it then",
                               memory.most.subject, memory.node->name.text),
                   ""});
  return all;
}

// Gates that a queue opens when it is the pod's turn: past it no one is let by hand.
bool is_of_queue(std::string_view gate) {
  constexpr std::string_view kOfQueues[] = {"kueue.x-k8s.io/", "scheduling.volcano.sh/"};
  return std::any_of(std::begin(kOfQueues), std::end(kOfQueues),
                     [&](std::string_view begin) { return gate.starts_with(begin); });
}

// The one gate that holds it, where a person may take it away.
std::optional<Remedy> ungate(const Workload& workload, const Site& site) {
  const Related* gate = nullptr;
  if (site.details == nullptr) return std::nullopt;
  for (const Related& one : site.details->related) {
    if (one.source != Teller::pod || one.kind != "scheduling gate") continue;
    if (gate != nullptr) return std::nullopt;
    gate = &one;
  }
  if (gate == nullptr || is_of_queue(gate->name)) return std::nullopt;
  const auto slash = workload.id.text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const std::string space = workload.id.text.substr(0, slash), name = workload.id.text.substr(slash + 1);
  return Remedy{
      Help::admin, fmt::format("take the scheduling gate {} away, if what it waits for is there", gate->name),
      command(
          "kubectl -n {} patch pod {} --type=json -p '[{{\"op\":\"test\",\"path\":\"/spec/schedulingGates/0/"
          "name\",\"value\":\"{}\"}},{{\"op\":\"remove\",\"path\":\"/spec/schedulingGates/0\"}}]'",
          space, name, gate->name)};
}

}  // namespace

std::vector<Remedy> pod_remedies(const Cluster& cluster, const Workload& workload, const Site& site,
                                 const std::vector<Candidates>& nodes) {
  std::vector<Remedy> all = ask_for_less(cluster, workload, site, nodes);
  for (auto& one : {untaint(cluster, workload, site, nodes), label(cluster, workload, site, nodes),
                    ungate(workload, site)})
    if (one) all.push_back(*one);
  return all;
}

}  // namespace tessera::why
