#include "tui/screens/usage.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "engine/query/value.hpp"
#include "engine/usage/waits.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/in_view.hpp"
#include "tui/screens/roles.hpp"
#include "tui/screens/usage_common.hpp"

namespace tessera::tui {
namespace {

using usage::By;
using usage::PastSource;
using usage::Sum;

struct ByName {
  By by{};
  std::string_view head, word;
};
constexpr std::array<ByName, 6> kBys{{{By::user, "USER", "by user"},
                                      {By::account, "ACCOUNT", "by account"},
                                      {By::group, "PARTITION, NAMESPACE", "by partition or namespace"},
                                      {By::profile, "PROFILE", "by profile"},
                                      {By::node, "NODE", "by node"},
                                      {By::workload, "JOB, POD", "by job or pod"}}};

// Prometheus knows no users.
bool is_told(By by, const UsageState& usage) {
  return !usage.read || !usage.read->kept || (by != By::user && by != By::account);
}

const ByName& name_of(By by) {
  return *std::find_if(kBys.begin(), kBys.end(), [by](const ByName& one) { return one.by == by; });
}

std::string_view looking_at(PastSource source) {
  switch (source) {
    case PastSource::recording: return "looking at the recording";
    case PastSource::prometheus: return "looking at what Prometheus kept";
    case PastSource::accounting: break;
  }
  return "asking Slurm's accounting";
}

bool knows_held(const UiState& state, const Sum& sum) {
  return usage::knows_held(*state.usage.read, sum.cluster);
}

const std::vector<Sum>* sums_of(const UiState& state) {
  if (!state.usage.read) return nullptr;
  const auto found = state.usage.read->sums.find(by_shown(state));
  return found == state.usage.read->sums.end() ? nullptr : &found->second;
}

std::string id_of_sum(const Sum& sum) { return sum.cluster.text + '\x1f' + sum.name; }

std::string percent(const std::optional<double>& value) {
  return value ? fmt::format("{:.0f}%", *value) : std::string("n/a");
}

struct UsageColumns {
  int cluster = 0, held = 0, mean = 0, p95 = 0, idle = 0, waited = 0, memory = 0;
};
UsageColumns usage_columns(const UiContext& ui, int width) {
  UsageColumns at;
  int x = width >= 110 ? 30 : 22;
  if (ui.model.clusters.size() > 1) at.cluster = x, x += 12;
  at.held = x, at.mean = x + 10, at.p95 = x + 16, at.idle = x + 22, at.waited = x + 31;
  if (x + 52 < width) at.memory = x + 41;
  return at;
}

DocLine heading(const UiState& state, const UsageColumns& at) {
  DocLine line;
  line.spans.push_back({std::string(name_of(by_shown(state)).head), Role::heading, 1});
  if (at.cluster > 0) line.spans.push_back({"CLUSTER", Role::heading, at.cluster});
  put_right(line, "GPU-H", at.held, 9, Role::heading);
  put_right(line, "MEAN", at.mean, 5, Role::heading);
  put_right(line, "P95", at.p95, 5, Role::heading);
  put_right(line, "IDLE-H", at.idle, 8, Role::heading);
  put_right(line, "WAITED-H", at.waited, 9, Role::heading);
  if (at.memory > 0) put_right(line, "MEM PEAK", at.memory, 9, Role::heading);
  return line;
}

DocLine line_of(const Sum& sum, const UsageColumns& at, const UiState& state) {
  DocLine line;
  line.id = id_of_sum(sum);
  const int first = at.cluster > 0 ? at.cluster : at.held;
  line.spans.push_back({shorten(sum.name.empty() ? "n/a" : sum.name, first - 2, state.ascii),
                        sum.name.empty() ? Style(Role::dim) : Style(Role::text).with_bold(), 1});
  if (at.cluster > 0)
    line.spans.push_back({shorten(sum.cluster.text, 11, state.ascii), Role::dim, at.cluster});
  const auto held = knows_held(state, sum) ? usage::known_gpu_hours(sum) : std::nullopt;
  const bool idle = usage::knows_idle(sum) && knows_held(state, sum);
  put_right(line, held ? fmt::format("{:.1f}", *held) : "n/a", at.held, 9, held ? Role::text : Role::dim);
  put_right(line, percent(sum.mean_use), at.mean, 5, sum.mean_use ? Role::text : Role::dim);
  put_right(line, percent(sum.p95_use), at.p95, 5, sum.p95_use ? Role::text : Role::dim);
  const bool much = sum.idle > 0.5 * (sum.measured > 0 ? sum.measured : sum.gpu_hours);
  put_right(line, idle ? fmt::format("{:.1f}", sum.idle) : "n/a", at.idle, 8,
            !idle  ? Role::dim
            : much ? Role::warning
                   : Role::text);
  const bool waits = usage::tells_waiting(by_shown(state)) && !state.usage.read->kept;
  put_right(line, waits ? fmt::format("{:.1f}", sum.waited) : "n/a", at.waited, 9,
            waits && sum.waited > 0 ? Role::text : Role::dim);
  if (at.memory > 0)
    put_right(line, sum.memory_peak ? query::memory_text(sum.memory_peak->value) : "n/a", at.memory, 9,
              sum.memory_peak ? Role::text : Role::dim);
  return line;
}

// Of how much of the time there are figures, whatever the list says.
void add_covered(Document& foot, std::string_view name, const std::vector<Sum>& sums, const UiState& state,
                 int width) {
  if (const auto covered = usage::coverage(sums))
    add_wrapped_fact(foot, told(state, name),
                     told(state, fmt::format("{:.0f} % of held hours have use figures", *covered)), width,
                     *covered < 50 ? Role::warning : Role::dim);
}

void add_source(Document& foot, const UiState& state, int width) {
  bool first = true;
  for (const std::string& note : source_notes(state))
    add_wrapped_fact(foot, std::exchange(first, false) ? told(state, N_("source")) : "", note, width,
                     Role::dim);
}

// Of the row that is looked at, and of all of them.
void add_coverage(Document& foot, const Sum& sum, const std::vector<Sum>& sums, const UiState& state,
                  int width) {
  add_covered(foot, N_("figures"), {sum}, state, width);
  if (sums.size() > 1) add_covered(foot, N_("of all"), sums, state, width);
  if (const std::string gaps = gaps_text(state); !gaps.empty())
    add_wrapped_fact(foot, told(state, "gaps"), gaps, width, Role::warning);
  if (state.usage.read->unplaced > 1e-9)
    add_wrapped_fact(foot, "",
                     told(state, fmt::format("{:.1f} h were held on slices that are not reported",
                                             state.usage.read->unplaced)),
                     width, Role::unknown);
  add_source(foot, state, width);
  if (const double hours = usage::unvalued(sums); hours > 1e-9)
    add_wrapped_fact(
        foot, "",
        told(state,
             fmt::format("{:.1f} h were held on slices of which it is not known what part of a GPU they are",
                         hours)),
        width, Role::unknown);
}

// Accounting tells what was idle over the whole of a job, and of some without a figure.
std::string idle_text(const Sum& sum, const usage::Reckoning& read) {
  if (!usage::knows_idle(sum)) return "no figures of use";
  if (read.accounting) return fmt::format("{:.1f} GPU-hours of jobs that did not use them", sum.idle);
  return fmt::format("{:.1f} of {:.1f} GPU-hours with figures", sum.idle, sum.measured);
}

Document foot_for(const Sum& sum, const std::vector<Sum>& sums, const UiState& state, int width) {
  Document foot;
  foot.push_back(
      {{{sum.name.empty() ? told(state, "not reported") : sum.name, Style(Role::text).with_bold(), 1},
        {"  " + told(state, std::string(name_of(by_shown(state)).word)), Role::dim}},
       {}});
  if (!knows_held(state, sum)) {
    add_source(foot, state, width);
    return foot;
  }
  const std::vector<Sum> known = usage::known_as_held(*state.usage.read, sums);
  double all = 0;
  for (const Sum& one : known) all += one.gpu_hours;
  std::string held = fmt::format("{:.1f} GPU-hours, {:.1f} slice-hours", sum.gpu_hours, sum.slice_hours);
  if (all > 0) held += fmt::format("; {:.0f} % of all", 100 * sum.gpu_hours / all);
  add_wrapped_fact(foot, told(state, "hours"), told(state, held), width);
  add_wrapped_fact(foot, told(state, "idle"), told(state, idle_text(sum, *state.usage.read)), width,
                   usage::knows_idle(sum) ? Role::text : Role::unknown);
  add_coverage(foot, sum, known, state, width);
  return foot;
}

}  // namespace

By by_shown(const UiState& state) {
  return is_told(state.usage.by, state.usage) ? state.usage.by : By::workload;
}

const Sum* sum_here(const UiState& state) {
  const std::vector<Sum>* sums = sums_of(state);
  if (!sums || sums->empty()) return nullptr;
  const Sum* here = item_here(std::span<const Sum>(*sums), state.top(), id_of_sum);
  return here ? here : &sums->front();
}

Panes usage_panes(const UiContext& ui, const UiState& state, int width) {
  Panes panes;
  const std::vector<Sum>* sums = sums_of(state);
  if (!sums || sums->empty()) {
    panes.main = no_sums(ui, state, width);
    return panes;
  }
  const UsageColumns at = usage_columns(ui, width);
  panes.main = span_lines(state);
  panes.main.push_back(heading(state, at));
  const InView seen = in_view(state, panes.main.size() + sums->size());
  panes.main.reserve(panes.main.size() + sums->size());
  for (const Sum& sum : *sums)
    panes.main.push_back(seen.contains(panes.main.size()) ? line_of(sum, at, state)
                                                          : DocLine{{}, id_of_sum(sum)});
  if (const Sum* sum = sum_here(state)) panes.foot = foot_for(*sum, *sums, state, width);
  panes.foot_first = true;
  return panes;
}

void take_usage(UiState& state, const UiContext& ui, const UsageTold& told) {
  UsageState& usage = state.usage;
  if (!told.what.is_over()) {
    if (usage.part) usage.part = told.what.part;
    return;
  }
  usage.part.reset();
  usage.failure = told.what.failure;
  if (told.what.sums) usage.read = told.what.sums, usage.read_at = ui.wall;
}

Effects sum_up_by(UiState& state, const UiContext&, Action) {
  const auto at =
      std::find_if(kBys.begin(), kBys.end(), [&](const ByName& one) { return one.by == by_shown(state); });
  auto next = at;
  do next = next + 1 == kBys.end() ? kBys.begin() : next + 1;
  while (!is_told(next->by, state.usage));
  state.usage.by = next->by;
  state.top().cursor.clear();
  state.top().top = 0;
  return {};
}

std::string why_no_sums(Action, const UiState& state, const UiContext&) {
  if (state.top().kind != ScreenKind::usage) return "only usage is summed up: :usage";
  return state.usage.read ? "" : "nothing was read yet";
}

Effects choose_days(UiState& state, const UiContext& ui, Action) {
  constexpr Duration kDay{24LL * 3'600'000};
  Duration& since = state.usage.since;
  since = since < 7 * kDay ? 7 * kDay : since < 30 * kDay ? 30 * kDay : kDay;
  state.usage.asked = !state.past;
  say(state, ui, Severity::info, fmt::format("looking at {}", days_text(since)));
  return {};
}

std::string why_no_days(Action, const UiState& state, const UiContext&) {
  const UsageState& usage = state.usage;
  if (usage.read || usage.failure || usage.part || source_wanted(usage, state.past)) return "";
  return usage.sources.empty() ? "no recording is opened" : "nothing was read yet";
}

Effects choose_source(UiState& state, const UiContext& ui, Action) {
  const std::vector<PastSource> sources = sources_here(state, ui);
  const auto now = source_wanted(state.usage, state.past);
  const auto at = now ? std::find(sources.begin(), sources.end(), *now) : sources.end();
  state.usage.chosen = at == sources.end() || at + 1 == sources.end() ? sources.front() : *(at + 1);
  state.usage.asked = state.usage.wanted_again = true;
  say(state, ui, Severity::info, std::string(looking_at(*state.usage.chosen)));
  return {};
}

std::string why_no_source(Action, const UiState& state, const UiContext& ui) {
  if (state.past) return "in the past the recording alone counts";
  const std::vector<PastSource> sources = sources_here(state, ui);
  if (sources.size() > 1) return "";
  // It can be asked once more, too.
  if (!sources.empty() && sources.front() == PastSource::accounting) return "";
  return "there is no other source: a recording, `prometheus` in config.yaml or Slurm's accounting";
}

Effects open_on_usage(UiState& state, const UiContext&) {
  const Sum* sum = sum_here(state);
  if (!sum) return {};
  if (by_shown(state) == By::node) {
    open_node(state, sum->cluster, sum->name);
  } else if (by_shown(state) == By::workload) {
    open_workload(state, sum->cluster, sum->name);
  } else {
    Screen list;
    list.kind = ScreenKind::workloads;
    list.cluster = sum->cluster;
    set_filter(list, "user=" + sum->name);
    push(state, std::move(list));
  }
  return {};
}

std::string why_no_open_on_usage(const UiState& state, const UiContext& ui) {
  const Sum* sum = sum_here(state);
  if (!sum) return "nothing to open here";
  const Cluster* cluster = ui.model.find(sum->cluster);
  if (sum->name.empty() || !cluster) return "it is not told who that was";
  switch (by_shown(state)) {
    case By::user: return "";
    case By::node: return cluster->nodes.find(NodeName(sum->name)) ? "" : "the node is no longer listed";
    case By::workload:
      return cluster->workloads.find(WorkloadId(sum->name)) ? ""
                                                            : "it has ended: nothing more is known of it";
    case By::account:
    case By::group:
    case By::profile: break;
  }
  return "sum up by user, node or job to open one";
}

std::string copy_on_usage(const UiState& state, const UiContext&) {
  const Sum* sum = sum_here(state);
  return sum ? sum->name : "";
}

}  // namespace tessera::tui
