// A place where layouts are changed, plans about it, and journals of runs written by hand.
#pragma once

#include "engine/plan/planner.hpp"
#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"
#include "tui/screens/plan/plan.hpp"

namespace tessera::test {

inline Gpu sevenths(int index, int first_device) {
  std::vector<Slice> slices;
  for (int i = 0; i < 7; ++i) slices.push_back(instance("1g.10gb", i, 1, first_device + i));
  Gpu board = gpu(index, Strategy::mig, std::move(slices));
  board.mig_mode = MigMode::enabled;
  return board;
}

// n0031 with two GPUs in sevenths, on the second of which two people work; n0041 to n0045 are free.
inline Model change_place() {
  Model model;
  reduce(model,
         on("hpc", ClusterSeen{Scheduler::slurm, false, "slurm 22.05.8", "/etc/slurm/slurm.conf", "hpc-1"}));
  std::vector<Node> nodes;
  for (const char* name : {"n0031", "n0041", "n0042", "n0043", "n0044", "n0045"})
    nodes.push_back(node(name, {sevenths(0, 0), sevenths(1, 7)}));
  reduce(model, on("hpc", NodesListed{std::move(nodes)}));
  std::vector<Workload> work{named(running("88120", "alice", {holds("n0031", {{7}, {8}})}), "embed-3", -7800),
                             named(running("88131", "bob", {holds("n0031", {{9}})}), "notebook", -435600),
                             waiting("88140", "judy", "gpu:3g.40gb"),
                             waiting("88141", "judy", "gpu:3g.40gb")};
  work[0].restartable = true;
  work[1].restartable = false;
  reduce(model, on("hpc", WorkloadsListed{std::move(work)}));
  reduce(model, on("hpc", SourceReport{Source::slurm_nodes, std::nullopt, Duration(40)}));
  reduce(model, on("hpc", SourceReport{Source::slurm_jobs, std::nullopt, Duration(55)}));
  reduce(model, on("hpc", PaceReport{6, Duration(10000)}));
  reduce(model, on("hpc", Loaded{}));
  return model;
}

inline Session changing(tui::Size size = {80, 24}) {
  Session session(change_place(), size);
  session.state.writable = true;
  session.state.runs.available = true;
  session.state.runs.listed = true;
  session.state.abilities[ClusterName("hpc")] = plan::simulator_capabilities();
  return session;
}

inline plan::Plan plan_of(const Session& session, std::vector<std::string> nodes, std::optional<int> board,
                          const std::string& layout = "4g.40gb,3g.40gb", plan::ChangeOptions options = {},
                          const plan::Means& can = plan::simulator_capabilities()) {
  plan::Intent intent;
  intent.cluster = ClusterName("hpc");
  for (const std::string& name : nodes) intent.nodes.emplace_back(name);
  intent.words = layout;
  intent.options = options;
  std::optional<GpuIndex> gpu;
  if (board) gpu = GpuIndex{*board};
  intent.boards = {{gpu, plan::parse_layout_wish(layout).value()}};
  return plan::make_plan(*session.model.find(ClusterName("hpc")), session.catalogue, intent, can, {}, at(0))
      .value();
}

inline void open(Session& session, plan::Plan plan, std::string undoes = {}) {
  tui::open_plan(session.state, session.world(), std::move(plan), std::move(undoes));
  session.pass(Duration(0));
}

// A journal as it is written, line by line.
class Diary {
 public:
  explicit Diary(plan::Plan plan, std::string name = "20261121-1403-n0031", std::string undoes = {})
      : run(std::move(name)) {
    plan::RunStarted started;
    started.run = run, started.who = "alice", started.from = "login1", started.undoes = std::move(undoes);
    started.plan = std::move(plan);
    nodes = started.plan.nodes;
    add({}, std::move(started), 0);
  }
  Diary& add(const std::string& node, plan::RunEvent event, int seconds) {
    lines += plan::to_line(plan::Entry{++seq, at(seconds), NodeName(node), std::move(event)}, chain);
    return *this;
  }
  // Steps of the first node are done, one a second, up to this many.
  Diary& through(int steps, std::size_t node = 0) {
    const plan::NodePlan& plan = nodes[node];
    for (int i = done[plan.node]; i < steps; ++i) {
      const plan::Step& step = plan.steps[static_cast<std::size_t>(i)];
      int now = 1 + 2 * i;
      add(plan.node.text, plan::StepBegun{step.id, 1, step.action}, now);
      add(plan.node.text, plan::StepDone{step.id, false}, now + 1);
    }
    done[plan.node] = steps;
    return *this;
  }
  const plan::Step& step(std::size_t index, std::size_t node = 0) const { return nodes[node].steps[index]; }
  int count(std::size_t node = 0) const { return static_cast<int>(nodes[node].steps.size()); }
  RunTold told() const { return {run, lines, true}; }
  RunHead head(RunState state, bool here = true) const {
    RunHead head;
    head.run = run, head.state = state, head.here = here, head.who = "alice", head.from = "login1";
    head.cluster = ClusterName("hpc");
    for (const plan::NodePlan& node : nodes) head.nodes.push_back(node.node);
    head.words = "4g.40gb,3g.40gb", head.started = at(0), head.last = at(20);
    return head;
  }

  std::string run, lines;
  plan::Chain chain;
  std::vector<plan::NodePlan> nodes;
  std::int64_t seq = 0;
  std::map<NodeName, int> done;
};

}  // namespace tessera::test
