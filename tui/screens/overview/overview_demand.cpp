#include "tui/screens/overview/overview_demand.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "engine/insight/available.hpp"
#include "engine/insight/shared_machines.hpp"
#include "engine/model/bridged.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/large.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kMostThings = 20000;  // GPUs and workloads; more would be felt at every change

// A job that stands for pods of another cluster wants what these want.
std::vector<why::Demand> demand_of(const Model& model, const Cluster& cluster,
                                   const mig::Catalogue& catalogue, const pack::Stop& stop) {
  std::vector<WorkloadId> told;
  for (const Workload& job : cluster.workloads.all())
    if (slinky::is_told_by_pods(model, cluster, job)) told.push_back(job.id);
  if (told.empty()) return why::demand(cluster, catalogue, stop);
  Cluster without = cluster;
  for (const WorkloadId& id : told) without.workloads.erase(id);
  return why::demand(without, catalogue, stop);
}

// Clusters that do not tell what is free now.
std::vector<ClusterName> clusters_untold(const Model& model) {
  std::vector<ClusterName> names;
  for (const Cluster& cluster : model.clusters)
    if (!insight::nodes_are_current(cluster) || !insight::work_is_current(cluster))
      names.push_back(cluster.name);
  return names;
}

// then: of which nothing was told when the demand was counted.
std::string untold_text(const Model& model, const std::vector<ClusterName>& then) {
  std::vector<ClusterName> names = clusters_untold(model);
  for (const ClusterName& one : then)
    if (model.find(one) && std::find(names.begin(), names.end(), one) == names.end()) names.push_back(one);
  std::string text;
  for (const ClusterName& one : names) text += (text.empty() ? "" : ", ") + one.text;
  return text;
}

// Rows of words: whose rows are not there or not whole, and where FREE of two rows speaks of the same GPUs.
std::vector<DemandRow> notes_on(const Model& model, const std::vector<ClusterName>& untold_then) {
  std::vector<DemandRow> notes;
  if (const std::string untold = untold_text(model, untold_then); !untold.empty())
    notes.emplace_back().demand.resource = "not known: " + untold;
  for (std::string& line : insight::shared_lines(insight::shared_machines(model)))
    notes.emplace_back().demand.resource = std::move(line);
  return notes;
}

bool is_large(const Model& model) {
  std::size_t things = 0;
  for (const Cluster& cluster : model.clusters) things += cluster.nodes.size() * 8 + cluster.workloads.size();
  return things > kMostThings;
}

std::vector<DemandRow> count_demand(const Model& model, const mig::Catalogue& catalogue,
                                    const pack::Stop& stop = {}) {
  std::vector<DemandRow> rows;
  for (const Cluster& cluster : model.clusters) {
    if (stop && stop()) break;
    // What waited when it answered last is not what waits now.
    if (!insight::work_is_current(cluster)) continue;
    for (why::Demand& demand : demand_of(model, cluster, catalogue, stop))
      rows.push_back({cluster.name, std::move(demand)});
  }
  // What has no room comes first: a table that is cut must not lose it.
  const auto key = [](const why::Demand& demand) {
    const bool unmet = demand.for_room > 0 && demand.fit_cut < demand.for_room - demand.unsure;
    return std::tuple(!unmet, -demand.wanted, -demand.free.value_or(0));
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const DemandRow& a, const DemandRow& b) { return key(a.demand) < key(b.demand); });
  return rows;
}

// Of clusters that have fallen silent since, nothing is said.
std::vector<DemandRow> counted_then(const DemandCounted& answer, const Model& model) {
  std::vector<DemandRow> rows;
  for (const DemandRow& row : answer.rows)
    if (const Cluster* cluster = model.find(row.cluster); cluster && insight::work_is_current(*cluster))
      rows.push_back(row);
  return rows;
}

// A table that is cut loses its last rows: what makes its numbers true is not one of them.
void put_before(std::vector<DemandRow>& rows, std::vector<DemandRow> notes) {
  rows.insert(rows.begin(), std::make_move_iterator(notes.begin()), std::make_move_iterator(notes.end()));
}

DemandRow note_of_age(TimePoint at) {
  DemandRow note;
  note.demand.resource =
      fmt::format("counted at {}: with so many GPUs, jobs and pods not at each change", time_text(at));
  return note;
}

}  // namespace

std::optional<DemandKnown> demand_known(const UiState& state, const UiContext& ui) {
  if (!is_large(ui.model)) return DemandKnown{count_demand(ui.model, ui.catalogue), {}, std::nullopt};
  const DemandCounted* then = state.large.demand ? state.large.demand->answer.get() : nullptr;
  if (!then) return std::nullopt;
  std::vector<DemandRow> rows = counted_then(*then, ui.model);
  // One that told nothing then has no rows; what it tells since is not counted yet.
  const std::vector<ClusterName> silent = clusters_untold(ui.model);
  const bool told_since =
      std::any_of(then->left_out.begin(), then->left_out.end(), [&](const ClusterName& name) {
        return ui.model.find(name) && std::find(silent.begin(), silent.end(), name) == silent.end();
      });
  if (rows.empty() && told_since) return std::nullopt;
  return DemandKnown{std::move(rows), then->left_out, then->question->at, then->question};
}

void show_demand(OverviewData& data, const UiState& state, const UiContext& ui) {
  std::optional<DemandKnown> known = demand_known(state, ui);
  data.demand_awaited = !known;
  data.demand.clear();
  if (!known || known->rows.empty()) return;
  data.demand = std::move(known->rows);
  put_before(data.demand, notes_on(ui.model, known->untold));
  if (known->at) put_before(data.demand, {note_of_age(*known->at)});
}

void refresh_demand(UiState& state, const UiContext& ui) {
  auto& asked = state.large.demand;
  if (!is_large(ui.model)) {
    asked = nullptr;
    return;
  }
  if (asked && !is_due_again(*asked, state, ui)) return;
  Model clusters;
  clusters.clusters = ui.model.clusters;
  const TimePoint now = cluster_now(ui.model.clusters.front(), ui.wall);
  // What was counted of another moment is not of this one.
  ask_large(asked, ui, DemandQuestion{std::move(clusters), &ui.catalogue, now}, !stands_in_past(state));
}

std::optional<TimePoint> demand_next_change(const UiState& state, const UiContext& ui) {
  const auto& asked = state.large.demand;
  if (!asked || asked->working() || asked->revision == ui.model.revision) return std::nullopt;
  return due_again(*asked);
}

std::shared_ptr<const DemandCounted> answer_of(std::shared_ptr<const DemandQuestion> question,
                                               const pack::Stop& stop) {
  DemandCounted counted{question, count_demand(question->model, *question->catalogue, stop),
                        clusters_untold(question->model)};
  return std::make_shared<const DemandCounted>(std::move(counted));
}

}  // namespace tessera::tui
