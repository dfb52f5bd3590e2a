// What the two sides of a machine say that cannot both hold (Slinky).
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/insight/both_sides.hpp"
#include "engine/model/bridged_nodes.hpp"
#include "engine/model/slinky.hpp"
#include "engine/query/value.hpp"
#include "engine/shell.hpp"

namespace tessera::insight {
namespace {

using slinky::Join;
using slinky::Joined;
using slinky::Side;

std::int64_t asked_for(const Workload& pod) {
  std::int64_t all = 0;
  for (const Request& request : pod.requests) all += request.count;
  return all;
}

bool is_closed(const Node& node) { return node.health == Health::draining || node.health == Health::drained; }

std::string gpus_text(std::int64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "GPU or slice" : "GPUs or slices");
}

class Sides {
 public:
  Sides(const Model& model, const Cluster& slurm) : model_(model), slurm_(slurm) {}

  std::vector<Finding> run() {
    const slinky::BridgedNodes bridged(model_);
    for (const Node& node : slurm_.nodes.all()) {
      if (node.host_pod) look(node, slinky::kubernetes_side(model_, node));
      if (const Side* side = bridged.of(node))
        bridged_[side->cluster->name.text].add(side->node->origin.source);  // its taint and its label say so
    }
    tell_shared();
    tell_bridged();
    tell_absent();
    std::stable_sort(found_.begin(), found_.end(), [](const Finding& a, const Finding& b) {
      if (a.severity != b.severity) return a.severity > b.severity;
      return query::natural_compare(a.subject, b.subject) < 0;
    });
    return std::move(found_);
  }

 private:
  void add(const Node& node, std::string cause, std::string follows, std::string text, std::string hint) {
    Finding finding{Severity::warning, slurm_.name,     node.name.text, true,
                    std::nullopt,      std::move(text), std::move(hint)};
    finding.cause = std::move(cause);
    finding.follows = std::move(follows);
    finding.source = node.origin.source;
    finding.commands = {"scontrol show node " + shell_word(node.name.text)};
    found_.push_back(std::move(finding));
  }

  void look(const Node& node, const Joined& joined) {
    const std::string pod = node.host_pod->workload().text;
    switch (joined.join) {
      case Join::none: return;
      case Join::unread: return;
      case Join::absent: return absent_.add(node.origin.source);
      case Join::joined: return compare(node, joined.side);
      case Join::gone:
        return add(node, "its pod is not found", "what Kubernetes knows of the machine is not shown",
                   fmt::format("its slurmd is said to run in pod {}, which no cluster of this console has on "
                               "a node with GPUs",
                               pod),
                   "kubectl get pod shows whether it waits; if it is of another cluster, open that one, too");
      case Join::another:
        return add(node, "its pod belongs to another node", "its GPUs are counted in both clusters",
                   fmt::format("its slurmd is said to run in pod {}, which does not run it", pod),
                   "slurm-operator corrects the node's Comment where it runs: kubectl get pods shows whether "
                   "it does");
      case Join::twice:
        return add(node, "two answer to the name of its pod", "its GPUs are counted in both clusters",
                   fmt::format("pod {} is found twice, or two Slurm nodes name it: none is joined", pod),
                   "open one Slurm cluster and its Kubernetes cluster alone: --context NAME");
    }
  }

  void compare(const Node& node, const Side& side) {
    shared_[side.cluster->name.text].add(node.origin.source);
    const std::int64_t asked = asked_for(*side.pod), told = node.counts.all;
    const std::string& pod = side.pod->id.text;
    if (told == 0 && asked > 0)
      add(node, "Slurm offers none of the pod's GPUs",
          "no job can have these GPUs, which the pod holds all the same",
          fmt::format("Slurm has no GPU there (Gres=(null)), and its pod {} holds {}", pod, gpus_text(asked)),
          "name Gres= in extraConf of its NodeSet, and AutoDetect= or File= in gres.conf");
    else if (told != asked && node.counts.shares == 0)
      add(node, "Slurm and the pod differ in GPUs", "a GPU may be handed out twice, or lie idle",
          fmt::format("Slurm hands out {} there, and its pod {} has asked Kubernetes for {}", gpus_text(told),
                      pod, asked == 0 ? "none" : gpus_text(asked)),
          "both schedulers may hand out the same GPU: let the NodeSet ask for what its Gres= names");
    if (is_closed(*side.node) && node.health == Health::ok)
      add(node, "cordoned, and open in Slurm", "jobs still start on a machine that is to be emptied",
          fmt::format("{} is cordoned in {}, and Slurm still starts jobs there", side.node->name.text,
                      side.cluster->name.text),
          "slurm-operator drains it in Slurm where it runs: kubectl get pods shows whether it does");
  }

  // Nodes for which the same holds, and who says so.
  struct Told {
    int nodes = 0;
    Source source = Source::none;
    void add(Source by) { ++nodes, source = by; }
  };
  void tell(const Told& told, std::string text, std::string hint, std::string follows) {
    found_.push_back(
        {Severity::info, slurm_.name, "", false, std::nullopt, std::move(text), std::move(hint)});
    found_.back().source = told.source;
    found_.back().follows = std::move(follows);
  }
  void tell_shared() {
    for (const auto& [cluster, told] : shared_)
      tell(told,
           told.nodes == 1
               ? fmt::format("1 of its nodes runs in a pod on {}, where its GPUs are counted", cluster)
               : fmt::format("{} of its nodes run in pods on {}, where their GPUs are counted", told.nodes,
                             cluster),
           "tessera nodes shows each machine once, with the states of both schedulers",
           "sums count each of these machines once");
  }
  void tell_bridged() {
    for (const auto& [cluster, told] : bridged_)
      tell(told,
           told.nodes == 1
               ? fmt::format("1 of its nodes is one of {} that slurm-bridge has, where its GPUs are counted",
                             cluster)
               : fmt::format("{} of its nodes are those of {} that slurm-bridge has, where their GPUs are "
                             "counted",
                             told.nodes, cluster),
           "layouts of such nodes are changed on the Kubernetes side",
           "sums count each of these machines once");
  }
  void tell_absent() {
    if (absent_.nodes == 0) return;
    tell(absent_,
         absent_.nodes == 1
             ? "1 of its nodes runs in a pod of a Kubernetes cluster that is not in this console"
             : fmt::format("{} of its nodes run in pods of a Kubernetes cluster that is not in this console",
                           absent_.nodes),
         "open it, too, with --context NAME: layouts of such nodes are changed there",
         "what Kubernetes knows of them is not shown, and their layouts are not changed here");
  }

  const Model& model_;
  const Cluster& slurm_;
  std::map<std::string, Told> shared_, bridged_;  // by the Kubernetes cluster
  Told absent_;
  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> sides_attention(const Model& model, const Cluster& slurm) {
  if (slurm.scheduler != Scheduler::slurm) return {};
  return Sides(model, slurm).run();
}

}  // namespace tessera::insight
