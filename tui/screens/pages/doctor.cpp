#include "tui/screens/pages/doctor.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "engine/insight/hardware.hpp"
#include "engine/insight/stopped_runs.hpp"
#include "engine/model/kueue.hpp"
#include "engine/query/tables.hpp"
#include "engine/query/value.hpp"
#include "engine/time.hpp"
#include "tui/screens/beside.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/empty.hpp"
#include "tui/screens/fleet/fleet_findings.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/plan/node_actions.hpp"
#include "tui/screens/plan/runs.hpp"
#include "tui/screens/roles.hpp"

namespace tessera::tui {
const insight::Cause* cause_here(const UiState& state) {
  const std::vector<insight::Cause>& causes = state.overview.causes;
  auto found = std::find_if(causes.begin(), causes.end(),
                            [&](const insight::Cause& one) { return one.id == state.top().cursor; });
  if (found != causes.end()) return &*found;
  return causes.empty() ? nullptr : &causes.front();
}

const RunHead* run_of(const UiState& state, const insight::Cause& cause) {
  const auto found = std::find_if(state.runs.heads.begin(), state.runs.heads.end(), [&](const RunHead& head) {
    return (head.state == RunState::parked || head.state == RunState::interrupted) &&
           insight::cause_id(insight::finding_of(head, "")) == cause.id;
  });
  return found == state.runs.heads.end() ? nullptr : &*found;
}

namespace {

constexpr Duration kNotedFor = std::chrono::hours(8);
constexpr Duration kWorthTelling = std::chrono::minutes(1);
constexpr std::size_t kNodesBeside = 60;    // a terminal has no more lines
constexpr std::size_t kNamed = 6;           // of those concerned, in the foot
constexpr std::size_t kCommandsShown = 3;   // y copies all of them
constexpr std::size_t kFilterBytes = 1000;  // the filter language takes no more
constexpr const char* kNoPlan = "no plan leads out of this: see what to do above";

// The job or pod that a finding of one alone is about; empty: it is about none, or that is gone.
std::string work_in(const insight::Cause& cause, const UiContext& ui) {
  if (cause.nodes || cause.whose.size() != 1) return {};
  const std::string& subject = cause.whose.front();
  const std::string kind = subject.substr(0, subject.find(' '));
  if (kind.size() == subject.size() || (kind != "job" && kind != "pod" && kind != kKueueKind)) return {};
  std::string id = subject.substr(kind.size() + 1);
  const Cluster* cluster = ui.model.find(cause.cluster);
  return cluster && cluster->workloads.find(WorkloadId(id)) ? id : std::string();
}

// What helps it, a cut among that, stands on its page.
bool waits(const std::string& id, const insight::Cause& cause, const UiContext& ui) {
  const Cluster* cluster = ui.model.find(cause.cluster);
  const Workload* work = cluster ? cluster->workloads.find(WorkloadId(id)) : nullptr;
  return work != nullptr && work->state == WorkloadState::pending;
}

std::string whose_text(const insight::Cause& cause, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, cause.whose.size()); ++i)
    text += (i > 0 ? ", " : "") + cause.whose[i];
  if (cause.whose.size() > most) text += fmt::format(" and {} more", cause.whose.size() - most);
  return text;
}

std::string short_whose(const insight::Cause& cause) {
  if (cause.whose.size() == 1) return cause.whose.front();
  return cause.nodes ? fmt::format("{} nodes", cause.whose.size()) : whose_text(cause, 1);
}

constexpr int kNarrow = 100;  // cells below which WHAT has those of the hours behind days

struct DoctorColumns {
  int sign = 1, cluster = 0, whose = 4, since = 0, text = 0;
  bool narrow = false;
};
std::string since_text(const UiContext& ui, const insight::Cause& cause) {
  if (cause.since && cause.cluster.empty()) return ago_text(*cause.since, ui.wall);  // of the fleet file
  const Cluster* cluster = ui.model.find(cause.cluster);
  return cause.since && cluster ? ago_text(*cluster, *cause.since, ui.wall) : "?";
}

// For how long it was seen, where since when it is so is not told: "12 min". Empty: that is told, or it has
// hardly been seen.
std::string seen_for(const UiContext& ui, const insight::Cause& cause) {
  const Cluster* cluster = ui.model.find(cause.cluster);
  if (cause.since || !cause.seen || !cluster) return {};
  const Duration seen = cluster_now(*cluster, ui.wall) - *cause.seen;
  return seen < kWorthTelling ? std::string() : query::duration_text(seen / std::chrono::seconds(1));
}

// "1 d 05 h"; where it is narrow "1 d": the foot has all of it. "≥12 min": so long it was seen.
std::string age_text(const UiContext& ui, const UiState& state, const insight::Cause& cause, bool narrow) {
  std::string text = since_text(ui, cause);
  if (const std::string seen = seen_for(ui, cause); !seen.empty()) text = (state.ascii ? ">=" : "≥") + seen;
  if (text.ends_with(" ago")) text.resize(text.size() - 4);
  const std::size_t unit = text.find(' ');
  if (narrow && unit != std::string::npos) text.resize(std::min(text.find(' ', unit + 1), text.size()));
  return text;
}

// Names have what they need, up to a part of the width: two pods of one namespace differ in their ends.
DoctorColumns columns_of(const UiContext& ui, const UiState& state, int width) {
  const int most = std::max(15, width / 5);
  const bool narrow = width < kNarrow;
  int cluster = 7, whose = 5, since = 5;
  for (const insight::Cause& cause : state.overview.causes) {
    cluster = std::max(cluster, std::min(display_width(cause.cluster.text), 15));
    whose = std::max(whose, std::min(display_width(told(state, short_whose(cause))), most));
    since = std::max(since, std::min(display_width(age_text(ui, state, cause, narrow)), 12));
  }
  DoctorColumns at;
  at.narrow = narrow;
  if (ui.model.clusters.size() > 1) at.cluster = 4, at.whose = 4 + cluster + 1;
  at.since = at.whose + whose + 1;
  at.text = at.since + since + 1;
  return at;
}

DocLine line_of(const insight::Cause& cause, const DoctorColumns& at, const UiContext& ui,
                const UiState& state) {
  const bool noted = insight::acknowledged_until(cause, state.acknowledged, ui.wall).has_value();
  const Style sign = noted ? Style(Role::dim) : Style(role_of(cause.severity)).with_bold();
  DocLine line{{{std::string(noted ? "-" : sign_of(cause.severity)), sign, at.sign}}, cause.id};
  if (at.cluster > 0)
    line.spans.push_back(
        {shorten(cause.cluster.text, at.whose - at.cluster - 1, state.ascii), Role::dim, at.cluster});
  line.spans.push_back({shorten(told(state, short_whose(cause)), at.since - at.whose - 1, state.ascii),
                        noted ? Style(Role::dim) : Style(Role::text).with_bold(), at.whose});
  line.spans.push_back({shorten(age_text(ui, state, cause, at.narrow), at.text - at.since - 1, state.ascii),
                        Role::dim, at.since});
  const Role role = noted                                ? Role::dim
                    : cause.severity == Severity::danger ? Role::danger
                    : cause.severity == Severity::info   ? Role::dim
                                                         : Role::text;
  line.spans.push_back({told(state, cause.text), role, at.text});
  return line;
}

// The same where what WHAT does not hold goes on in lines of its own.
Document whole_line_of(const insight::Cause& cause, const DoctorColumns& at, const UiContext& ui,
                       const UiState& state, int width) {
  Document lines{line_of(cause, at, ui, state)};
  Span& what = lines.front().spans.back();
  std::vector<std::string> parts = wrap(what.text, width - at.text - 1);
  const Style style = what.style;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (i == 0)
      what.text = parts[i];
    else
      lines.push_back({{{parts[i], style, at.text}}, {}});
  return lines;
}

// Of Slurm nodes whose trouble a reset of a GPU ends; opening them comes after that. nullptr: it is not so.
const Cluster* to_reset(const insight::Cause& cause, const UiContext& ui) {
  const Cluster* cluster = ui.model.find(cause.cluster);
  const bool slurm = cluster && cluster->scheduler == Scheduler::slurm;
  return slurm && cause.nodes && insight::reset_helps(cause.text) ? cluster : nullptr;
}

// Where it stands for several findings its text has the number of one: which GPU is to be typed then.
std::vector<GpuIndex> gpus_in(const insight::Cause& cause) {
  const auto resets = std::count_if(cause.commands.begin(), cause.commands.end(), [](const std::string& one) {
    return one.find("reset-gpu") != std::string::npos;
  });
  if (cause.whose.size() != 1 || resets != 1) return {};
  if (cause.gpu) return {*cause.gpu};
  const std::optional<int> gpu = insight::gpu_in(cause.text);
  return gpu ? std::vector{GpuIndex{*gpu}} : std::vector<GpuIndex>{};
}

std::vector<NodeName> nodes_of(const insight::Cause& cause) {
  return {cause.whose.begin(), cause.whose.end()};
}

// Kubernetes nodes some of which report no GPU: a layout for all of theirs can be planned, and none edited.
// nullptr: it is not so.
const Cluster* to_type_plan(const insight::Cause& cause, const UiContext& ui) {
  const Cluster* cluster = ui.model.find(cause.cluster);
  if (!cluster || cluster->scheduler != Scheduler::kubernetes) return nullptr;
  const bool untold = std::any_of(cause.whose.begin(), cause.whose.end(), [&](const std::string& name) {
    const Node* node = cluster->nodes.find(NodeName(name));
    return node && node->gpus.empty();
  });
  return untold ? cluster : nullptr;
}

// Why no plan restarts the device plugins of its nodes; empty: there is one.
std::string why_not_restarted(const insight::Cause& cause, const UiContext& ui, const UiState& state) {
  const Cluster* cluster = ui.model.find(cause.cluster);
  return cluster ? why_no_restart(state, ui, *cluster, nodes_of(cause)) : kNoPlan;
}

// What P does on it; empty: nothing.
std::string_view way_out_text(const insight::Cause& cause, const UiContext& ui, const UiState& state) {
  if (waits(work_in(cause, ui), cause, ui)) return N_("shows why it waits and what would help");
  if (to_reset(cause, ui))
    return gpus_in(cause).empty()
               ? N_("types the reset; which GPU is yours to type: it may be another one on each node")
               : N_("types the reset of this GPU; a plan comes before it");
  switch (cause.way_out) {
    case insight::WayOut::layout:
      return to_type_plan(cause, ui) ? N_("types the plan; the layout is yours to type")
                                     : N_("opens the layout editor for these nodes");
    case insight::WayOut::open: return N_("plans to open the nodes again");
    case insight::WayOut::restart:
      return why_not_restarted(cause, ui, state).empty()
                 ? N_("plans to restart the device plugin's pod on these nodes")
                 : std::string_view();
    case insight::WayOut::none: return {};
  }
  return {};
}

Document foot_for(const insight::Cause& cause, const UiContext& ui, const UiState& state, int width) {
  Document foot;
  for (std::string& line : wrap(told(state, cause.text), width - 3))
    foot.push_back({{{std::move(line), Style(role_of(cause.severity)).with_bold(), 1}}, {}});
  if (const auto until = insight::acknowledged_until(cause, state.acknowledged, ui.wall))
    foot.push_back(fact_line(told(state, "noted"), told(state, "until " + time_text(*until)), Role::dim));
  add_wrapped_fact(foot, told(state, "concerns"), told(state, whose_text(cause, kNamed)), width);
  if (cause.since) foot.push_back(fact_line(told(state, "since"), told(state, since_text(ui, cause))));
  if (const std::string seen = seen_for(ui, cause); !seen.empty())
    add_wrapped_fact(foot, told(state, "since"),
                     told(state, fmt::format("not reported; tessera has seen it for {}", seen)), width);
  std::string sources;
  for (Source source : cause.sources) sources += (sources.empty() ? "" : ", ") + std::string(word(source));
  if (!sources.empty()) add_wrapped_fact(foot, told(state, "source"), sources, width, Role::dim);
  if (!cause.follows.empty())
    add_wrapped_fact(foot, told(state, "follows"), told(state, cause.follows), width);
  if (const std::string_view way = way_out_text(cause, ui, state); !way.empty())
    add_wrapped_fact(foot, first_key(state, Action::finding_plan), told(state, way), width, Role::accent);
  if (!cause.hint.empty()) add_wrapped_fact(foot, told(state, "to do"), told(state, cause.hint), width);
  for (std::size_t i = 0; i < std::min(kCommandsShown, cause.commands.size()); ++i)
    foot.push_back(fact_line(i == 0 ? told(state, "commands") : "", cause.commands[i], Role::input));
  if (cause.commands.size() > kCommandsShown)
    foot.push_back(fact_line(
        "", told(state, fmt::format("and {} more", cause.commands.size() - kCommandsShown)), Role::dim));
  return foot;
}

// The findings, from the worst on in as many lines as their texts take while none is out of view, whichever
// of them the cursor is on; then one line each, since the foot has all of the one under the cursor.
void add_findings(Document& lines, const DoctorColumns& at, const UiContext& ui, const UiState& state,
                  int width) {
  constexpr std::size_t kMost = 20;   // more leave hardly room for a second line
  constexpr std::size_t kAround = 5;  // the title, the footer, and three rules
  const std::vector<insight::Cause>& causes = state.overview.causes;
  std::size_t foot = 0;
  if (causes.size() <= kMost)
    for (const insight::Cause& cause : causes)
      foot = std::max(foot, foot_for(cause, ui, state, width).size());
  const std::size_t taken = lines.size() + causes.size() + foot + kAround,
                    rows = static_cast<std::size_t>(std::max(state.size.rows, 0));
  std::size_t spare = causes.size() <= kMost && rows > taken ? rows - taken : 0;
  for (const insight::Cause& cause : causes) {
    Document whole = spare > 0 ? whole_line_of(cause, at, ui, state, width) : Document();
    if (whole.empty() || whole.size() - 1 > spare) {
      lines.push_back(line_of(cause, at, ui, state));
      continue;
    }
    spare -= whole.size() - 1;
    std::move(whole.begin(), whole.end(), std::back_inserter(lines));
  }
}

// "n0001 | n0002": the filter that shows these nodes; empty: it would be too long.
std::string filter_for(const insight::Cause& cause) {
  std::string text;
  for (const std::string& node : cause.whose) text += (text.empty() ? "node=" : " | node=") + node;
  return text.size() <= kFilterBytes ? text : std::string();
}

}  // namespace

void sink_acknowledged(UiState& state, TimePoint wall) {
  std::stable_partition(state.overview.causes.begin(), state.overview.causes.end(),
                        [&](const insight::Cause& cause) {
                          return !insight::acknowledged_until(cause, state.acknowledged, wall);
                        });
}

Effects acknowledge_here(UiState& state, const UiContext& ui, Action) {
  Effects effects;
  const insight::Cause* cause = cause_here(state);
  if (!cause) return effects;
  const bool noted = insight::acknowledged_until(*cause, state.acknowledged, ui.wall).has_value();
  insight::Acknowledgement one{cause->id, cause->whose, noted ? ui.wall : ui.wall + kNotedFor};
  state.acknowledged = insight::with(std::move(state.acknowledged), one, ui.wall);
  say(state, ui, Severity::info,
      noted ? "no longer acknowledged: the finding calls for attention again"
            : "noted for 8 hours; it calls for attention again where it concerns more");
  state.top().cursor = cause->id;
  sink_acknowledged(state, ui.wall);
  effects.acknowledge = std::move(one);
  return effects;
}

std::string why_no_acknowledge(Action, const UiState& state, const UiContext&) {
  return state.overview.causes.empty() ? "nothing needs attention" : "";
}

namespace {

// Without the number of a GPU the line says why it ends there.
void type_reset_of(UiState& state, const UiContext& ui, const Cluster& slurm, const insight::Cause& cause) {
  const std::vector<GpuIndex> gpus = gpus_in(cause);
  type_reset(state, ui, slurm, std::vector<NodeName>(cause.whose.begin(), cause.whose.end()), gpus);
  if (!gpus.empty()) return;
  state.input.error = cause.whose.size() > 1 ? N_("type the GPU: it may differ by node")
                                             : N_("type the GPU: the finding names none");
}

}  // namespace

Effects plan_way_out(UiState& state, const UiContext& ui, Action) {
  const insight::Cause* cause = cause_here(state);
  if (!cause) return {};
  const std::vector<NodeName> nodes = nodes_of(*cause);
  const bool layout = cause->way_out == insight::WayOut::layout;
  if (const std::string id = work_in(*cause, ui); waits(id, *cause, ui))
    open_workload(state, cause->cluster, id);
  else if (const Cluster* slurm = to_reset(*cause, ui))
    type_reset_of(state, ui, *slurm, *cause);
  else if (const Cluster* kube = layout ? to_type_plan(*cause, ui) : nullptr)
    type_plan(state, ui, *kube, nodes);
  else if (layout)
    open_layout(state, ui, cause->cluster, nodes, cause->gpu, std::nullopt);
  else if (const Cluster* cluster = ui.model.find(cause->cluster))
    (cause->way_out == insight::WayOut::restart ? plan_restart : plan_opening)(state, ui, *cluster, nodes);
  return {};
}

std::string why_no_way_out(Action, const UiState& state, const UiContext& ui) {
  const insight::Cause* cause = cause_here(state);
  if (!cause) return "nothing needs attention";
  if (waits(work_in(*cause, ui), *cause, ui)) return "";
  if (run_of(state, *cause)) return "Enter opens the run, where it is resumed or undone";
  if (cause->way_out == insight::WayOut::restart) return why_not_restarted(*cause, ui, state);
  return cause->way_out == insight::WayOut::none && !to_reset(*cause, ui) ? kNoPlan : "";
}

Panes doctor_panes(const UiContext& ui, const UiState& state, int width) {
  Panes panes;
  if (state.overview.causes.empty()) {
    NoFindings none = no_findings(ui, state);
    for (std::string& line : wrap(none.text, width - 2))
      panes.main.push_back({{{std::move(line), none.role, 1}}, {}});
    return panes;
  }
  const DoctorColumns at = columns_of(ui, state, width);
  DocLine heading;
  if (at.cluster > 0) heading.spans.push_back({"CLUSTER", Role::heading, at.cluster});
  heading.spans.push_back({"WHERE", Role::heading, at.whose});
  heading.spans.push_back({"SINCE", Role::heading, at.since});
  heading.spans.push_back({"WHAT", Role::heading, at.text});
  panes.main.push_back(std::move(heading));
  add_findings(panes.main, at, ui, state, width);
  if (const insight::Cause* cause = cause_here(state)) panes.foot = foot_for(*cause, ui, state, width);
  panes.foot_first = true;
  return panes;
}

std::optional<Screen> page_of_cause(const insight::Cause& cause, const UiContext& ui) {
  if (cause.nodes && cause.whose.size() != 1) return std::nullopt;
  if (!ui.model.find(cause.cluster)) return std::nullopt;  // of the fleet file
  Screen page;
  page.cluster = cause.cluster;
  if (const std::string id = work_in(cause, ui); !id.empty())
    page.kind = ScreenKind::workload, page.subject = id;
  else if (cause.nodes)
    page.kind = ScreenKind::node, page.subject = cause.whose.front();
  else
    page.kind = ScreenKind::facts, page.subject = cause.cluster.text;
  return page;
}

Document nodes_of_cause(const insight::Cause& cause, const UiContext& ui, const UiState& state, int width) {
  Document lines;
  if (const Cluster* cluster = ui.model.find(cause.cluster))
    add_nodes(lines, state, *cluster, cause.whose, width, kNodesBeside);
  return lines;
}

std::optional<Screen> page_beside_finding(const UiState& state, const UiContext& ui) {
  const insight::Cause* cause = cause_here(state);
  return cause ? page_of_cause(*cause, ui) : std::nullopt;
}

bool has_lines_beside_finding(const UiState& state, const UiContext& ui) {
  const insight::Cause* cause = cause_here(state);
  return cause && ui.model.find(cause->cluster);
}

Document lines_beside_finding(const UiContext& ui, const UiState& state, int width) {
  const insight::Cause* cause = cause_here(state);
  return cause ? nodes_of_cause(*cause, ui, state, width) : Document();
}

std::string cursor_on(const UiContext& ui, const ClusterName& name, const std::string& of,
                      const std::optional<GpuIndex>& index) {
  const Cluster* cluster = index ? ui.model.find(name) : nullptr;
  const Node* node = cluster ? cluster->nodes.find(NodeName(of)) : nullptr;
  if (!node) return {};
  for (const Gpu& gpu : node->gpus)
    if (gpu.index == *index)
      return gpu.slices.empty() ? query::row_id(query::GpuRow{cluster, node, &gpu})
                                : query::row_id(query::SliceRow{cluster, node, &gpu, &gpu.slices[0]});
  return {};
}

Effects open_cause(UiState& state, const UiContext& ui, const insight::Cause& cause) {
  if (is_of_fleet_file(state, cause)) return open_fleet_finding(state);
  if (const RunHead* run = run_of(state, cause)) {
    Effects effects;
    open_run(state, run->run, effects);
    return effects;
  }
  if (const std::string id = work_in(cause, ui); !id.empty()) {
    open_workload(state, cause.cluster, id);
  } else if (!cause.nodes) {
    Screen facts;
    facts.kind = ScreenKind::facts;
    facts.cluster = cause.cluster;
    facts.subject = cause.cluster.text;
    push(state, std::move(facts));
  } else if (cause.whose.size() == 1) {
    open_node(state, cause.cluster, cause.whose.front(),
              cursor_on(ui, cause.cluster, cause.whose.front(), cause.gpu));
  } else {
    Screen nodes;
    nodes.kind = ScreenKind::nodes;
    nodes.cluster = cause.cluster;
    set_filter(nodes, filter_for(cause));
    push(state, std::move(nodes));
  }
  return {};
}

Effects open_on_doctor(UiState& state, const UiContext& ui) {
  const insight::Cause* cause = cause_here(state);
  return cause ? open_cause(state, ui, *cause) : Effects();
}

std::string why_no_open_on_doctor(const UiState& state, const UiContext&) {
  return state.overview.causes.empty() ? "nothing needs attention" : "";
}

std::string copy_on_doctor(const UiState& state, const UiContext&) {
  const insight::Cause* cause = cause_here(state);
  if (!cause) return {};
  std::string text;
  for (const std::string& one : cause->commands.empty() ? cause->whose : cause->commands)
    text += (text.empty() ? "" : "\n") + one;
  return text;
}

}  // namespace tessera::tui
