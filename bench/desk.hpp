// A console over the large cluster without loop and terminal: the state, what a person does to it, and what
// the planner and the room of the runs tell it. For benches of pictures. Threads: one.
#pragma once

#include <string>
#include <utility>

#include "bench/large.hpp"
#include "engine/fleet/reader.hpp"
#include "engine/history/history.hpp"
#include "engine/plan/planner.hpp"
#include "tui/packer.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/fleet/fleet.hpp"
#include "tui/screens/large.hpp"
#include "tui/update.hpp"
#include "tui/view.hpp"

namespace tessera::bench {

inline constexpr tui::Size kWide{200, 60};

// The cluster of bench/large.hpp as its sources tell of it, ten minutes of what was measured there every ten
// seconds, and two thousand jobs that have begun since.
struct LargePlace {
  mig::Catalogue catalogue = mig::Catalogue::built_in().value();
  Model model = large_model();
  history::History history;

  LargePlace() {
    reduce(model, event(SourceReport{Source::slurm_nodes, std::nullopt, Duration{40}}));
    reduce(model, event(SourceReport{Source::slurm_jobs, std::nullopt, Duration{55}}));
    for (int i = 0; i < 20'000; i += 10) begin(i + 9);
    for (int seconds = -600; seconds <= 0; seconds += 10) measure(seconds);
  }

 private:
  // One that waited.
  void begin(int number) {
    Workload job = bench_workload(number, 10'000);
    job.state = WorkloadState::running, job.state_word = "RUNNING", job.reason.clear();
    job.started = at(0);
    reduce(model, event(WorkloadSeen{std::move(job)}));
  }
  void measure(int seconds) {
    Cluster& cluster = model.clusters.front();
    cluster.nodes.change_each([&](Node& node) {
      for (Gpu& gpu : node.gpus) {
        gpu.telemetry.use = Percent{static_cast<float>((600 + seconds + 13 * gpu.index.value) % 100)};
        gpu.telemetry.origin = {Source::nvidia_smi, at(seconds)};
      }
      history.take(cluster, node.name);
    });
  }
};

class Desk {
 public:
  explicit Desk(const LargePlace& place) : place_(place) {
    state.size = kWide;
    state.me = "user007";
    state.writable = state.runs.available = state.runs.listed = true;
    state.abilities[ClusterName("hpc")] = plan::simulator_capabilities();
    tell(tui::ModelChanged{});
  }

  tui::UiContext ui() const { return {place_.model, place_.catalogue, at(0), &place_.history}; }
  const Cluster& cluster() const { return place_.model.clusters.front(); }
  void tell(const tui::Message& message) { tui::update(state, ui(), message); }
  void act(tui::Action action) { tell(tui::ActionMessage{action}); }
  // What is typed behind `:`.
  void command(const std::string& text) {
    act(tui::Action::palette);
    tell(tui::Paste{text});
    act(tui::Action::input_accept);
  }

  // What the planner answers.
  void pack() { tell(tui::PackTold{tui::answer_of(state.pack->question)}); }
  void advise() { tell(tui::AdviseTold{tui::answer_of(state.advise->question)}); }
  // What it works out of large clusters for what is on the screen now.
  void work_out() {
    const tui::LargeState asked = state.large;
    const auto of_plan = state.plan ? state.plan->asked_hours : nullptr;
    const auto answer = [this](const auto& one) {
      if (one && one->working()) tell(tui::LargeTold{tui::answer_of(one->question), {}});
    };
    answer(asked.demand), answer(asked.why), answer(asked.hours), answer(of_plan);
  }
  // The fleet file, as the loop reads it, and the cluster held against it.
  void survey(const std::string& text) {
    command("fleet fleet.yaml");
    tui::FleetFile file;
    file.stamp = "1";
    file.fleet = fleet::read_fleet(text, "fleet.yaml", place_.catalogue).value();
    tell(tui::FleetTold{"fleet.yaml", "1", "", std::make_shared<const tui::FleetFile>(std::move(file)), {}});
    tell(tui::FleetSeen{tui::answer_of(state.fleet->question), nullptr, true});
  }

  tui::UiState state;

 private:
  const LargePlace& place_;
};

}  // namespace tessera::bench
