#include "tui/screens/pages/gpu_processes.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "engine/insight/processes.hpp"
#include "engine/model/processes.hpp"
#include "engine/plan/effect/gpu_clients.hpp"
#include "engine/plan/effect/stack_clients.hpp"
#include "engine/slurmconf/slurm_setup.hpp"
#include "tui/screens/pages/boards.hpp"
#include "tui/screens/roles.hpp"

namespace tessera::tui {
namespace {

using insight::Standing;

constexpr std::size_t kMostShown = 64;

// Columns of the list; commands get what a wide page has to spare.
struct At {
  At(int width, bool with_use) : spare(std::clamp(width - 110, 0, 40)), use(with_use ? 6 : 0) {}
  int spare, use;
  int pid = 3, name = 13, memory = 38 + spare, of_gpu = 50 + spare, instance = 50 + spare + use,
      whose = 58 + spare + use;
};

// Where a path is too long, its program says more than its folder.
std::string command_text(const std::string& name, int width, bool ascii) {
  const std::size_t slash = name.rfind('/');
  const bool fits = name.size() <= static_cast<std::size_t>(std::max(0, width));
  return shorten(fits || slash == std::string::npos ? name : name.substr(slash + 1), width, ascii);
}

// Slurm's way to the nodes, as the site has set it; none: nobody asks them.
slurmconf::Reach reach_of(const UiState& state, const Cluster& cluster) {
  const auto found = state.abilities.find(cluster.name);
  if (found == state.abilities.end() || !found->second.slurm) return slurmconf::Reach::none;
  return found->second.slurm->reach;
}

std::string why_untold(const UiState& state, const GpuPlace& at) {
  if (auto why = insight::why_untold(*at.cluster, at.node->name)) return "not known: " + *why;
  if (auto why = insight::why_hidden(*at.cluster, at.node->name)) return "not known: " + *why;
  if (at.cluster->recorded) return "not known: the recording holds none";
  if (at.cluster->scheduler == Scheduler::kubernetes)
    return "not known: the sources of this cluster report figures of GPUs, and no processes";
  if (at.cluster->simulated) return "not known: the simulator tells no processes of this node";
  switch (reach_of(state, *at.cluster)) {
    case slurmconf::Reach::none:
      return "not known: no way to the node is set (slurm-runner), so that its driver is not asked";
    case slurmconf::Reach::srun:
      return "not known: srun would start a job for each question; slurm-runner: ssh asks without one";
    case slurmconf::Reach::ssh:
    case slurmconf::Reach::custom: break;
  }
  return "the node is being asked";
}

bool any_use(const GpuPlace& at) {
  return at.gpu->processes && std::any_of(at.gpu->processes->list.begin(), at.gpu->processes->list.end(),
                                          [](const GpuProcess& one) { return one.use.has_value(); });
}

std::string use_text(const GpuProcess& process) {
  return process.use ? fmt::format("{:>4.0f}%", process.use->value) : std::string("  n/a");
}

class Processes {
 public:
  Processes(FactPage& page, const UiContext& ui, const UiState& state, const GpuPlace& place)
      : page_(page), ui_(ui), state_(state), place_(place), at_(page.width(), any_use(place)) {}

  void add() {
    const auto& told = place_.gpu->processes;
    page_.heading("PROCESSES", told ? origin_text(*place_.cluster, told->origin, ui_.wall) : std::string());
    if (!told) return untold();
    if (auto why = insight::why_untold(*place_.cluster, place_.node->name))
      page_.fact("", "older, since now: " + *why, Role::warning);
    const auto no_openers = insight::why_no_openers(*place_.cluster, place_.node->name);
    if (told->list.empty())
      page_.fact(
          "",
          no_openers ? "the driver lists none" : "none computes on it, and none outside of jobs has it open",
          Role::dim);
    else
      list(*told);
    if (no_openers)
      page_.fact("", "which programs have it open and compute nothing is not known: " + *no_openers,
                 Role::dim);
  }

 private:
  static constexpr std::size_t kSpans = 5;  // of a line, before whose it is

  // Kubernetes tells which pods of its GPU stack run there, and these are known to open GPUs.
  void untold() {
    page_.fact("", why_untold(state_, place_), Role::dim);
    if (place_.cluster->scheduler != Scheduler::kubernetes) return;
    const std::vector<plan::StackClient> all = plan::stack_clients(*place_.node);
    for (const plan::StackClient& one : all) page_.fact("", to_text(one), Role::dim);
    if (!all.empty())
      page_.fact("source", origin_text(*place_.cluster, place_.node->origin, ui_.wall), Role::dim);
  }

  void list(const GpuProcesses& told) {
    heads();
    const std::vector<Served> all = served(told.list);
    for (std::size_t i = 0; i < std::min(all.size(), kMostShown); ++i) line(all[i]);
    if (all.size() > kMostShown)
      page_.fact("", fmt::format("and {} more", all.size() - kMostShown), Role::dim);
    clients();
    if (auto why = insight::why_no_owners(*place_.cluster, place_.node->name))
      page_.fact("", "whose they are is not known: " + *why, Role::dim);
  }

  void heads() {
    page_.add({{{"PID", Role::dim, at_.pid},
                {page_.told("command"), Role::dim, at_.name},
                {page_.told("memory"), Role::dim, at_.memory},
                {at_.use > 0 ? page_.told("use") : std::string(), Role::dim, at_.of_gpu},
                {"GI", Role::dim, at_.instance},
                {page_.told("whose"), Role::dim, at_.whose}},
               {}});
  }

  // What a run that changes this GPU does about those that are no job's.
  void clients() {
    const slurmconf::SlurmSetup* site = setup();
    for (const plan::GpuClient& one : plan::gpu_clients(*place_.node, {place_.gpu->index}, site))
      page_.fact("", to_text(one, site),
                 one.bounce == plan::Bounce::stopped ? Style(Role::dim) : Style(Role::warning));
  }
  const slurmconf::SlurmSetup* setup() const {
    const auto found = state_.abilities.find(place_.cluster->name);
    return found == state_.abilities.end() ? nullptr : found->second.slurm.get();
  }

  void line(const Served& one) {
    const GpuProcess& process = *one.process;
    const int indent = one.client ? 2 : 0;
    std::string name = process.name.empty() ? page_.told("not known") : process.name;
    DocLine line{{{fmt::format("{:>8}", process.pid), Role::text, at_.pid},
                  {command_text(name, at_.memory - at_.name - 1 - indent, state_.ascii),
                   Style(Role::text).with_bold(), at_.name + indent},
                  {process.memory ? fmt::format("{:>7} MiB", process.memory->value) : std::string("      -"),
                   Role::text, at_.memory},
                  {at_.use > 0 ? use_text(process) : std::string(), Role::text, at_.of_gpu},
                  {process.instance_id ? fmt::format("{}", *process.instance_id) : std::string("-"),
                   Role::dim, at_.instance}},
                 {}};
    whose(line, one);
    page_.add(std::move(line));
  }

  void whose(DocLine& line, const Served& one) {
    const GpuProcess& process = *one.process;
    const Standing standing = insight::standing_of(*place_.cluster, *place_.node, *place_.gpu, process);
    const auto say = [&](std::string_view words, Style style) {
      const bool first = line.spans.size() == kSpans;
      line.spans.push_back({(first ? "" : "  ") + page_.told(words), style, first ? at_.whose : 0});
    };
    if (is_of_work(process)) {
      const HolderText text = workload_text(ui_, *place_.cluster, process.workload);
      line.spans.push_back(
          {text.who.empty() ? process.workload.text : text.who, Style(Role::held), at_.whose});
      if (!text.who.empty()) line.spans.push_back({"  " + process.workload.text, Role::text});
    }
    if (is_mps_server(process)) say("MPS server", Role::dim);
    if (one.client && !one.server) say("client of one of the MPS servers", Role::dim);
    if (is_of_work(process)) {
      if (standing == Standing::elsewhere) say("does not hold this GPU", Role::warning);
      return;
    }
    if (standing == Standing::service && !is_mps_server(process))
      say(only_opens(process) ? "computes nothing" : "service", Role::dim);
    if (standing == Standing::no_work) say("of no job", Role::warning);
    if (standing == Standing::unknown) say("not known", Role::unknown);
  }

  FactPage& page_;
  const UiContext& ui_;
  const UiState& state_;
  const GpuPlace& place_;
  const At at_;
};

}  // namespace

void add_processes(FactPage& page, const UiContext& ui, const UiState& state, const GpuPlace& at) {
  Processes(page, ui, state, at).add();
}

}  // namespace tessera::tui
