#include "tui/screens/waiting.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "engine/insight/available.hpp"
#include "engine/insight/shared_machines.hpp"
#include "engine/insight/totals.hpp"
#include "engine/plan/effect/queue.hpp"
#include "engine/why/words.hpp"
#include "tui/language/wrap.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/overview/overview_demand.hpp"
#include "tui/screens/preview.hpp"
#include "tui/screens/rows.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kMostLines = 3;  // a narrow terminal is for the rows
constexpr int kPlainFrom = 110;        // columns of a list that has room for a sentence in a cell

bool shows(const Screen& screen, const ClusterName& cluster) {
  return screen.cluster.empty() || screen.cluster == cluster;
}

struct Sums {
  int all = 0;  // that are listed, whether or not their cluster answers; below only of those that do
  int waiting = 0, for_room = 0, now = 0, cut = 0, unsure = 0;
  bool shared = false;  // two resources fit in one cluster, and may need the same room
};

bool asks_for_gpus(const Workload& work) {
  return std::any_of(work.requests.begin(), work.requests.end(),
                     [](const Request& one) { return one.count > 0; });
}

// What waits there, and what is free for it.
bool answers(const Cluster& cluster) {
  return insight::nodes_are_current(cluster) && insight::work_is_current(cluster);
}

// Each job or pod once, whatever it asks for; Slurm's jobs without GPUs are in the list, too.
Sums count_waiting(const UiContext& ui, const Screen& screen) {
  Sums sums;
  for (const Cluster& cluster : ui.model.clusters) {
    if (!shows(screen, cluster.name)) continue;
    const bool current = answers(cluster);
    for (const Workload& work : cluster.workloads.all()) {
      if (work.state != WorkloadState::pending || !asks_for_gpus(work)) continue;
      ++sums.all;
      if (!current) continue;
      ++sums.waiting;
      sums.for_room += plan::waits_for_room(work, cluster.scheduler);
    }
  }
  return sums;
}

bool two_hand_out_the_same(const Model& model) {
  return !insight::shared_lines(insight::shared_machines(model)).empty();
}

// Each resource is played with all that is free, as if no other one took of it.
void add_fits(Sums& sums, const std::vector<DemandRow>& rows, const UiContext& ui, const Screen& screen) {
  std::set<ClusterName> fit;
  sums.shared = screen.cluster.empty() && two_hand_out_the_same(ui.model);
  for (const DemandRow& row : rows) {
    if (!shows(screen, row.cluster)) continue;
    if (!row.demand.free) continue;  // a note, or its nodes do not answer
    sums.now += row.demand.fit_now;
    sums.cut += row.demand.fit_cut;
    sums.unsure += row.demand.unsure;
    if (row.demand.fit_cut > 0) sums.shared |= !fit.insert(row.cluster).second;
  }
  sums.now = std::min(sums.now, sums.for_room);
  sums.cut = std::min(sums.cut, sums.for_room);
  sums.unsure = std::min(sums.unsure, sums.for_room - sums.cut);
}

// Of large clusters the count is of a moment ago. One that told nothing then has no rows, and what came since
// is in none: neither is known to fit nowhere.
bool is_untold(const DemandKnown& known, const UiContext& ui, const Screen& screen) {
  return std::any_of(known.untold.begin(), known.untold.end(), [&](const ClusterName& name) {
    const Cluster* cluster = ui.model.find(name);
    return cluster && shows(screen, name) && answers(*cluster);
  });
}

bool wants_room(const Workload& work, Scheduler scheduler) {
  return work.state == WorkloadState::pending && asks_for_gpus(work) && plan::waits_for_room(work, scheduler);
}

// Of those that wait for room. What was counted is asked, not when they were submitted: the lists that were
// counted were read before that, and what was requeued or released since was submitted long ago.
int came_since(const DemandKnown& known, const UiContext& ui, const Screen& screen) {
  int count = 0;
  if (!known.of) return count;
  for (const Cluster& cluster : ui.model.clusters) {
    const Cluster* then = known.of->model.find(cluster.name);
    if (!then || !shows(screen, cluster.name) || !answers(cluster)) continue;
    for (const Workload& work : cluster.workloads.all()) {
      if (!wants_room(work, cluster.scheduler)) continue;
      const Workload* counted = then->workloads.find(work.id);
      count += !counted || !wants_room(*counted, cluster.scheduler);
    }
  }
  return count;
}

// Empty: it is counted now.
std::string counted_text(const DemandKnown& known, int since) {
  if (!known.at) return {};
  if (since == 0) return fmt::format("Counted at {}.", time_text(*known.at));
  return fmt::format("As counted at {}, without {} that came later.", time_text(*known.at), since);
}

std::string begun(int waiting) {
  return fmt::format("{} {} for a GPU", waiting, waiting == 1 ? "waits" : "wait");
}

std::string fits(const Sums& sums, bool at_most, bool past) {
  if (past)
    return at_most ? fmt::format(": {} for room, of which at most {} would fit then", sums.for_room, sums.now)
                   : fmt::format(": {} for room, of which {} would fit then", sums.for_room, sums.now);
  return at_most ? fmt::format(": {} for room, of which at most {} would fit now", sums.for_room, sums.now)
                 : fmt::format(": {} for room, of which {} would fit now", sums.for_room, sums.now);
}

}  // namespace

bool is_waiting_list(const Screen& screen) {
  const auto state = screen.kind == ScreenKind::workloads ? column_index(screen.kind, "state") : std::nullopt;
  if (!state || screen.filter.any.size() != 1) return false;
  const std::vector<query::Term>& terms = screen.filter.any.front();
  return std::any_of(terms.begin(), terms.end(), [&](const query::Term& term) {
    return term.column == *state && term.op == query::Op::equals && !term.negated &&
           term.text == word(WorkloadState::pending);
  });
}

WaitingHead waiting_head(const UiState& state, const UiContext& ui, const Screen& screen) {
  // Of a part of what waits, it would tell of rows that are not there.
  if (screen.filter_text != kAllWaiting || screen.only_mine) return {};
  Sums sums = count_waiting(ui, screen);
  if (sums.all == 0) return {};
  const int waiting = sums.waiting;
  if (waiting == 0)
    return {begun(sums.all) + ". What is free is not known now, so what would start is not either."};
  const std::optional<DemandKnown> known = demand_known(state, ui);
  if (known && sums.for_room == 0)
    return {begun(waiting) + ": none of them for room, but for a release, a limit or a time."};
  const int since = known ? came_since(*known, ui, screen) : 0;
  if (!known || is_untold(*known, ui, screen) || since == sums.for_room)
    return {begun(waiting) + ". How many would start now is being counted."};
  add_fits(sums, known->rows, ui, screen);
  const bool most = sums.shared && waiting > 1;
  std::string text = begun(waiting) + fits(sums, most && sums.now > 0, state.past);
  if (sums.cut <= sums.now)
    text += ".";
  else
    text += most ? fmt::format(" and at most {} after a re-cut.", sums.cut)
                 : fmt::format(" and {} after a re-cut.", sums.cut);
  std::string unsure;
  if (sums.unsure > 0)
    unsure = fmt::format(
        "Whether {} of them would fit is not known: which nodes they may use, or whether "
        "enough CPUs and memory are free there, is not.",
        sums.unsure);
  return {std::move(text), std::move(unsure), counted_text(*known, since)};
}

std::string waiting_left_out(const UiContext& ui, const Screen& screen) {
  if (count_waiting(ui, screen).waiting == 0) return {};
  std::string names;
  for (const Cluster& cluster : ui.model.clusters)
    if (shows(screen, cluster.name) && !answers(cluster))
      names += (names.empty() ? "" : ", ") + cluster.name.text;
  if (names.empty()) return names;
  return fmt::format("Those of {} are not counted: what is free there is not known.", names);
}

std::string plain_reason(const UiState& state, const query::WorkloadRow& row) {
  const Workload& work = *row.workload;
  if (row.cluster->scheduler != Scheduler::slurm || work.state != WorkloadState::pending) return {};
  if (work.reason.empty()) return {};
  const why::Meaning meaning = why::slurm_meaning(work.reason);
  return meaning.known ? told(state, meaning.text) : std::string();
}

bool tells_reasons_plainly(const UiState& state, const Screen& screen) {
  return is_waiting_list(screen) && list_width(state) >= kPlainFrom;
}

std::vector<std::string> head_of(const UiState& state, int width) {
  const DerivedRows& derived = state.top().derived;
  if (derived.head.empty() || derived.rows.empty()) return {};
  std::string text = told(state, derived.head);
  if (!derived.head_unsure.empty()) text += " " + told(state, derived.head_unsure);
  if (!derived.head_then.empty()) text += " " + told(state, derived.head_then);
  if (!derived.head_left_out.empty()) text += " " + told(state, derived.head_left_out);
  std::vector<std::string> lines = wrap(text, width - 2);
  if (lines.size() > kMostLines) lines.resize(kMostLines);
  return lines;
}

std::string why_none_listed(const Model& model, const Screen& screen) {
  for (const Cluster& cluster : model.clusters)
    if (shows(screen, cluster.name))
      if (const auto why = work_untold(cluster)) return cluster.name.text + ": " + *why;
  return {};
}

}  // namespace tessera::tui
