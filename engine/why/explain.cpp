#include <fmt/format.h>

#include <algorithm>

#include "engine/insight/available.hpp"
#include "engine/model/het_job.hpp"
#include "engine/model/kueue.hpp"
#include "engine/query/value.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/slurm_time.hpp"
#include "engine/why/details.hpp"
#include "engine/why/may_use.hpp"
#include "engine/why/reserved.hpp"
#include "engine/why/supply.hpp"
#include "engine/why/why.hpp"

namespace tessera::why {
namespace {

constexpr std::size_t kMostComponents = 8;  // of a heterogeneous job, each looked at on all nodes

Statement statement_of(const Meaning& meaning, const Workload& workload) {
  if (meaning.known)
    return {meaning.text, meaning.topic == Topic::untold ? Certainty::unknown : Certainty::certain,
            workload.origin.source};
  return {fmt::format("the scheduler reports: {}", meaning.text), Certainty::unknown, workload.origin.source};
}

bool is_about_nodes(Topic topic) {
  return topic == Topic::room || topic == Topic::priority || topic == Topic::untold ||
         topic == Topic::unknown || topic == Topic::node || topic == Topic::request ||
         topic == Topic::taint || topic == Topic::selector;
}

// A claim whose devices are known by their class and profile: they are looked for on each node.
bool asks_for_devices(const Workload& workload) {
  return std::any_of(workload.requests.begin(), workload.requests.end(), [](const Request& one) {
    const auto name = sharing::parse_resource(one.resource, Scheduler::kubernetes);
    return name && name->claimed;
  });
}

// Parts of the message beyond the sentence, with their numbers of nodes.
void add_parts(Answer& answer, const Workload& workload) {
  const Unschedulable told = parse_unschedulable(workload.reason);
  for (const Part& part : told.parts) {
    const Statement said = statement_of(part.meaning, workload);
    if (!part.nodes)
      answer.more.push_back(said);
    else if (*part.nodes == 1)
      answer.more.push_back({fmt::format("1 node: {}", said.text), said.certainty, said.source});
    else
      answer.more.push_back(
          {fmt::format("{} nodes: {}", *part.nodes, said.text), said.certainty, said.source});
  }
}

// Kept by backfill for a job that comes first.
bool is_planned(const Node& node) {
  return std::find(node.state.begin(), node.state.end(), "PLANNED") != node.state.end();
}

// A maintenance that is to come is told of no node.
bool blames_nodes(std::string_view reason) {
  if (reason.find("maintenance") != std::string_view::npos) return false;
  return reason.starts_with("ReqNodeNotAvail") || reason.starts_with("Nodes required for job") ||
         reason.starts_with("Nodes_required_for_job");
}

// Slurm's reason is a word of its last look, and it calls nodes that are full not available, too. Whether it
// needs none of the nodes that are closed or reserved: enough others may take it, once they have room.
bool needs_no_closed_node(const Answer& answer, const Cluster& cluster, const Workload& workload) {
  const auto must = must_have(workload);
  if (!must) return false;
  std::vector<Offer> open;
  for (const Candidates& one : answer.nodes) {
    if ((!one.fits && one.topic != Topic::room) || one.what.certainty == Certainty::unknown) continue;
    for (const NodeName& name : one.nodes) {
      const Node* node = cluster.nodes.find(name);
      const bool kept = one.fits && node != nullptr && is_planned(*node);
      if (node != nullptr && !insight::is_reserved(*node) && !kept) open.push_back({name});
    }
  }
  return gather(asked_of(workload, cluster.scheduler), *must, open).has_value();
}

// Where the nodes are listed otherwise than Slurm's reason has it, the list leads.
void correct(Answer& answer, Meaning& said, const Cluster& cluster, const Workload& workload) {
  if (cluster.scheduler != Scheduler::slurm || !blames_nodes(workload.reason)) return;
  if (!needs_no_closed_node(answer, cluster, workload)) return;
  answer.more.push_back({fmt::format("Slurm's last look said: {}", answer.sentence.text), Certainty::certain,
                         answer.sentence.source});
  said.topic = answer.topic = Topic::room;
  const bool full = nodes_that_fit(answer.nodes) < static_cast<std::size_t>(std::max(1, workload.node_count));
  answer.sentence = {full
                         ? "enough of the nodes that it may use are open, and full: it starts by itself once "
                           "what it asks for is given back there, unless others come before it"
                         : "enough of the nodes that it may use are open and have room for it",
                     Certainty::likely, Source::inferred};
}

// Slurm's reason tells neither of the two times.
void add_time_limits(Answer& answer, const Cluster& cluster, const Workload& workload) {
  if (cluster.scheduler != Scheduler::slurm || slurm_code(workload.reason) != "PartitionTimeLimit") return;
  if (!workload.limit) return;
  const auto text = [](Duration time) { return query::duration_text(time / std::chrono::seconds(1)); };
  for (const std::string& name : partitions_of(workload))
    for (const Partition& one : cluster.partitions)
      if (const auto most = slurm_time_limit(one.max_time); most && one.name == name)
        answer.more.push_back({fmt::format("its time limit is {}, and the partition {} allows {}",
                                           text(*workload.limit), name, text(*most)),
                               Certainty::certain, Source::slurm_partitions});
}

// The other components of a heterogeneous job that wait, too.
std::vector<const Workload*> components_beside(const Cluster& cluster, const Workload& workload) {
  std::vector<const Workload*> others;
  const auto job = het_job_of(workload.id.text);
  if (cluster.scheduler != Scheduler::slurm || !job) return others;
  for (const Workload& one : cluster.workloads.all())
    if (one.id != workload.id && one.state == WorkloadState::pending && het_job_of(one.id.text) == job)
      others.push_back(&one);
  return others;
}

// Slurm starts all components together: one that finds no room holds the others up. True: there is such a
// one.
bool add_components(Answer& answer, const Cluster& cluster, const Workload& workload, const Site& site) {
  const std::vector<const Workload*> others = components_beside(cluster, workload);
  if (others.empty()) return false;
  std::string all, full;
  std::size_t looked = 0;
  for (const Workload* one : others) {
    if (++looked > kMostComponents) break;
    all += (all.empty() ? "" : ", ") + one->id.text;
    const auto wanted = static_cast<std::size_t>(asked_of(*one, cluster.scheduler).nodes);
    if (nodes_that_fit(look_at_all(cluster, *one, site)) < wanted)
      full += (full.empty() ? "" : ", ") + one->id.text;
  }
  answer.more.push_back({fmt::format("it starts together with the other components of its job: {}", all),
                         Certainty::certain, workload.origin.source});
  if (full.empty()) return false;
  answer.more.push_back({fmt::format("not enough nodes have room for these components: {}", full),
                         Certainty::likely, Source::inferred});
  return true;
}

// Where the model sees something else than the scheduler says.
void add_contradictions(Answer& answer, const Cluster& cluster, const Workload& workload) {
  const Asked asked = asked_of(workload, cluster.scheduler);
  const std::size_t fit = nodes_that_fit(answer.nodes);
  if (asked.each.empty() || fit < static_cast<std::size_t>(asked.nodes)) return;
  if (answer.topic != Topic::room && answer.topic != Topic::request) return;
  const bool compared = cluster.scheduler == Scheduler::slurm && workload.needs && workload.needs->cpus &&
                        workload.needs->memory;
  answer.more.push_back(
      {compared
           ? fmt::format(
                 "what it asks for is free on {} of the nodes: another condition keeps it waiting, or the "
                 "scheduler has not looked since",
                 fit)
           : fmt::format("its GPUs are free on {} of the nodes: CPUs, memory or another condition keeps "
                         "it waiting, or the scheduler has not looked since",
                         fit),
       Certainty::likely, Source::inferred});
}

std::vector<std::string> untold_of(const Cluster& cluster, const Workload& workload) {
  if (cluster.scheduler == Scheduler::slurm) {
    std::vector<std::string> untold;
    if (!workload.needs) {
      untold.emplace_back("its CPUs, memory, features and excluded nodes");
    } else if (!workload.needs->cpus || !workload.needs->memory) {
      untold.emplace_back("its CPUs and memory");
    }
    untold.emplace_back("its priority, and its place in the queue");
    untold.emplace_back("the limits of its QOS and association");
    return untold;
  }
  std::vector<std::string> untold{"its CPUs and memory", "its node selector, affinity and tolerations",
                                  "its priority class"};
  // What Kueue has not admitted is listed with its queue.
  if (!waits_for_kueue(workload)) untold.emplace_back("which queue admits it (Kueue, Volcano, KAI)");
  return untold;
}

// What the scheduler reports, before a node is looked at.
Answer reported(const Cluster& cluster, const Workload& workload) {
  Answer answer;
  answer.waits = workload.state == WorkloadState::pending;
  if (!answer.waits) return answer;
  const Meaning said = meaning(workload.reason, cluster.scheduler);
  answer.topic = said.topic;
  answer.sentence = statement_of(said, workload);
  if (cluster.scheduler == Scheduler::kubernetes) add_parts(answer, workload);
  if (answer.more.size() == 1 && answer.more.front().text == answer.sentence.text) answer.more.clear();
  return answer;
}

}  // namespace

std::string_view word(Certainty certainty) {
  switch (certainty) {
    case Certainty::certain: return "certain";
    case Certainty::likely: return "likely";
    case Certainty::unknown: break;
  }
  return "not known";
}

std::string_view word(Help help) {
  switch (help) {
    case Help::by_itself: return "by itself";
    case Help::recut: return "re-cut";
    case Help::recut_later: return "re-cut later";
    case Help::smaller: return "smaller";
    case Help::elsewhere: return "elsewhere";
    case Help::admin: return "admin";
    case Help::ask: break;
  }
  return "ask";
}

std::string_view said_by(const Statement& statement) {
  if (!statement.by.empty()) return statement.by;
  return statement.source == Source::none ? std::string_view() : word(statement.source);
}

Answer explain(const Cluster& cluster, const Workload& workload, const Site& asked_about) {
  Answer answer;
  const AgainstNodes against = against_nodes(asked_about.details);
  Site site = asked_about;
  site.against = &against;
  const Reserved reserved(cluster, workload, site.wall);
  site.reserved = &reserved;
  answer.waits = workload.state == WorkloadState::pending;
  if (!answer.waits || site.catalogue == nullptr) return answer;
  answer = reported(cluster, workload);
  Meaning said = meaning(workload.reason, cluster.scheduler);
  const bool of_owner = cluster.scheduler == Scheduler::slurm && is_about_its_owner(workload.reason);
  if ((is_about_nodes(said.topic) && !of_owner) || (said.topic == Topic::claim && asks_for_devices(workload)))
    answer.nodes = look_at_all(cluster, workload, site);
  add_time_limits(answer, cluster, workload);
  correct(answer, said, cluster, workload);
  if (!add_components(answer, cluster, workload, site)) add_contradictions(answer, cluster, workload);
  answer.depth = site.help ? Depth::help : Depth::nodes;
  if (site.help) answer.help = remedies(cluster, workload, site, answer.nodes, said);
  answer.untold = untold_of(cluster, workload);
  add_details(answer, workload, site.details);
  return answer;
}

Answer in_short(const Cluster& cluster, const Workload& workload) {
  Answer answer = reported(cluster, workload);
  if (answer.waits) answer.depth = Depth::reason;
  // Slurm calls nodes that are full not available, too, and only the nodes would tell.
  if (cluster.scheduler == Scheduler::slurm && blames_nodes(workload.reason) &&
      answer.sentence.certainty == Certainty::certain)
    answer.sentence.certainty = Certainty::likely;
  return answer;
}

}  // namespace tessera::why
