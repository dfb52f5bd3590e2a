#include "backends/sim/slurm_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "backends/sim/snapshot.hpp"
#include "backends/sim/step.hpp"
#include "engine/model/slinky.hpp"
#include "engine/text.hpp"

namespace tessera::sim {
namespace {

constexpr const char* kOperator = "slurm";                      // by whose hand in Slurm
constexpr const char* kNotThere = "its slurmd is not running";  // why a node is down without its pod
constexpr const char* kHeld = "its machine is closed: the NodeSet starts it once it is open";

std::string name_of_slurmd(const Job& job) {
  Workload pod;
  pod.kind = WorkloadKind::pod, pod.comment = job.comment;
  return slinky::slurm_node_of(pod).value_or("");
}

bool is_away(const NodeState& node) {
  return node.condition == Condition::down || node.condition == Condition::unknown;
}
bool is_closed(const NodeState& node) { return node.condition == Condition::drained || node.closing; }
std::string why_closed(const NodeState& node) { return node.closing ? node.closing->reason : node.reason; }

// "runs slurmd of n1: IDLE+DRAIN (why)"
struct Told {
  std::vector<std::string> states;
  std::string reason;
};
Told told_by(const Job& job) {
  Told told;
  const std::size_t colon = job.comment.find(": ");
  if (colon == std::string::npos) return told;
  std::string rest = job.comment.substr(colon + 2);
  if (const std::size_t open = rest.find(" ("); open != std::string::npos) {
    told.reason = rest.substr(open + 2, rest.size() - open - 3);
    rest.resize(open);
  }
  for (std::size_t at = 0; at < rest.size();) {
    const std::size_t end = std::min(rest.find('+', at), rest.size());
    told.states.push_back(rest.substr(at, end - at));
    at = end + 1;
  }
  return told;
}

// One machine: its node in Slurm, and in Kubernetes.
class Machine {
 public:
  Machine(WorldStep slurm, std::uint32_t node, WorldStep kubernetes, std::uint32_t machine, Job& pod)
      : slurm_(slurm), node_(node), kubernetes_(kubernetes), machine_(machine), pod_(pod) {}

  bool follow() {
    const bool away = is_away(kubernetes_machine());
    if (pod_.state == JobState::pending) start_pod(away);
    if (pod_.state != JobState::running || away)
      lose();
    else
      register_again(), drain_or_open();
    tell();
    return changed_;
  }

 private:
  NodeState& slurm_node() { return slurm_.world().nodes[node_]; }
  NodeState& kubernetes_machine() { return kubernetes_.world().nodes[machine_]; }

  void start_pod(bool away) {
    std::vector<Claim> claims;
    const bool open = !away && !is_closed(kubernetes_machine());
    const std::string hold = open ? "" : kHeld;
    if (open && kubernetes_.fit(machine_, wanted_by(kubernetes_.world(), pod_), claims)) {
      changed_ = true;
      return kubernetes_.start(pod_, std::move(claims));
    }
    const std::string why =
        !hold.empty() ? hold
                      : "its machine does not offer " + wanted_by(kubernetes_.world(), pod_).text + " enough";
    if (pod_.hold == why) return;
    // Its scheduler would place it anywhere: this pod belongs to its machine.
    pod_.hold = pod_.reason = why, pod_.eligible = TimePoint::max();
    kubernetes_.changed(pod_.id);
    changed_ = true;
  }
  void lose() {
    if (is_away(slurm_node())) return;
    slurm_.lose_node(node_, kNotThere, kOperator);
    changed_ = true;
  }
  // slurmd registers what it finds, whatever was configured.
  void register_again() {
    const NodeState& now = slurm_node();
    if (now.condition != Condition::down || now.reason != kNotThere) return;
    take_boards();
    slurm_.resume(node_);
    changed_ = true;
  }
  void take_boards() {
    const NodeState& from = kubernetes_machine();
    NodeState& to = slurm_node();
    const bool alike = kubernetes_.world().group(from).product == slurm_.world().group(to).product &&
                       from.boards.size() == to.boards.size();
    if (!alike) return;
    for (std::size_t gpu = 0; gpu < to.boards.size(); ++gpu) {
      Board board = from.boards[gpu];
      board.holds.clear();
      for (Instance& one : board.instances) one.holds.clear();
      board.strategy = board.cut() ? Strategy::mig : Strategy::whole;
      board.replicas = 1;
      to.boards[gpu] = std::move(board);
    }
    slurm_.recount(node_);
  }
  // A drain of another's is theirs.
  void drain_or_open() {
    const NodeState& now = slurm_node();
    const bool closed = is_closed(kubernetes_machine());
    if (closed && now.condition == Condition::up) {
      slurm_.close(node_, Condition::drained,
                   std::string(slinky::kOwnReason) + " " + clean(why_closed(kubernetes_machine()), 400),
                   kOperator, std::nullopt);
      changed_ = true;
    } else if (!closed && now.condition == Condition::drained && now.reason.starts_with(slinky::kOwnReason)) {
      slurm_.resume(node_);
      changed_ = true;
    }
  }
  // As its conditions would.
  void tell() {
    const std::string name = name_of_slurmd(pod_);
    Node node = node_value(slurm_.world(), node_, slurm_.world().now);
    const std::string comment =
        pod_.state == JobState::running
            ? slinky::pod_comment(name, node.state, is_closed(slurm_node()) ? node.reason : "")
            : slinky::pod_comment(name, {}, "");
    if (pod_.comment == comment) return;
    pod_.comment = comment;
    kubernetes_.changed(pod_.id);
    changed_ = true;
  }

  WorldStep slurm_;
  std::uint32_t node_;
  WorldStep kubernetes_;
  std::uint32_t machine_;
  Job& pod_;
  bool changed_ = false;
};

bool has_host_pods(const ClusterSpec& spec) {
  return std::any_of(spec.groups.begin(), spec.groups.end(),
                     [](const NodeGroup& group) { return !group.host_pods.empty(); });
}

bool follow_pair(World& slurm, Changes& of_slurm, World& kubernetes, Changes& of_kubernetes) {
  std::map<std::string, JobId> pods;
  for (const auto& [id, job] : kubernetes.jobs)
    if (const std::string name = name_of_slurmd(job); !name.empty()) pods.emplace(name, id);
  if (pods.empty()) return false;
  for (World* world : {&slurm, &kubernetes})
    if (!world->derived) derive(*world);
  bool any = false;
  for (std::uint32_t i = 0; i < slurm.nodes.size(); ++i) {
    if (slurm.group(slurm.nodes[i]).host_pods.empty()) continue;
    const auto pod = pods.find(slurm.node_name(i));
    const auto machine = find_node(kubernetes, clean(slurm.node_name(i), 253));
    if (pod == pods.end() || !machine) continue;
    Machine one(WorldStep(slurm, of_slurm), i, WorldStep(kubernetes, of_kubernetes), *machine,
                kubernetes.jobs.at(pod->second));
    any = one.follow() || any;
  }
  return any;
}

}  // namespace

bool runs_slurmds(const Scenario& scenario) {
  return scenario.clusters.size() > 1 &&
         std::any_of(scenario.clusters.begin(), scenario.clusters.end(), has_host_pods);
}

bool follow_slurmds(std::vector<World>& worlds, std::vector<Changes>& changes) {
  if (worlds.empty() || !runs_slurmds(*worlds.front().scenario)) return false;
  bool any = false;
  for (std::size_t s = 0; s < worlds.size(); ++s)
    for (std::size_t k = 0; k < worlds.size(); ++k) {
      const bool pair = worlds[s].spec().scheduler == Scheduler::slurm &&
                        worlds[k].spec().scheduler == Scheduler::kubernetes;
      if (pair && !worlds[s].failing() && !worlds[k].failing())
        any = follow_pair(worlds[s], changes[s], worlds[k], changes[k]) || any;
    }
  for (Changes& one : changes) one.tidy();
  return any;
}

const Job* slurmd_of(const World& world, std::uint32_t machine) {
  if (world.spec().scheduler != Scheduler::kubernetes || !runs_slurmds(*world.scenario)) return nullptr;
  for (const auto& [id, job] : world.jobs)
    if (name_of_slurmd(job) == world.node_name(machine)) return &job;
  return nullptr;
}

std::string why_slurm_uses(const World& world, std::uint32_t machine) {
  const Job* pod = slurmd_of(world, machine);
  if (!pod || pod->state != JobState::running) return "";
  const Told told = told_by(*pod);
  if (slinky::is_empty(told.states)) return "";
  return fmt::format("{} runs slurmd of {}, which is {} in Slurm", workload_id(world, *pod).text,
                     name_of_slurmd(*pod), fmt::join(told.states, "+"));
}

std::string why_slurmd_is_not_back(const World& world, std::uint32_t machine) {
  const Job* pod = slurmd_of(world, machine);
  if (!pod) return fmt::format("no pod that runs slurmd is on {}", clean(world.node_name(machine), 253));
  if (pod->state != JobState::running)
    return fmt::format("{} is not ready: {}", workload_id(world, *pod).text, clean(pod->reason, 300));
  const Told told = told_by(*pod);
  if (std::string state = slinky::why_not_up(told.states); !state.empty())
    return fmt::format("{} is {} in Slurm", name_of_slurmd(*pod), state);
  const bool drained = std::find(told.states.begin(), told.states.end(), "DRAIN") != told.states.end();
  if (drained && told.reason.starts_with(slinky::kOwnReason))
    return fmt::format("{} is still drained in Slurm: {}", name_of_slurmd(*pod), clean(told.reason, 300));
  return "";
}

void stop_slurmd(World& world, std::uint32_t machine, Changes& changes) {
  Job& pod = world.jobs.at(slurmd_of(world, machine)->id);
  if (pod.state != JobState::running) return;
  WorldStep step(world, changes);
  step.requeue(pod);
  pod.hold = pod.reason = kHeld, pod.eligible = TimePoint::max();
}

}  // namespace tessera::sim
