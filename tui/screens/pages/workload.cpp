// One workload: all that is known about it, what it holds, and who else waits for the same.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/model/counts_text.hpp"
#include "engine/model/held_by.hpp"
#include "engine/model/kueue.hpp"
#include "engine/query/tables.hpp"
#include "engine/query/value.hpp"
#include "engine/sharing/units.hpp"
#include "engine/text.hpp"
#include "tui/screens/cell_words.hpp"
#include "tui/screens/column_ranks.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/pages/boards.hpp"
#include "tui/screens/pages/charts.hpp"
#include "tui/screens/pages/gpu_notes.hpp"
#include "tui/screens/pages/own_use.hpp"
#include "tui/screens/pages/why.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/roles.hpp"

namespace tessera::tui {
namespace {

std::string asked_text(const Workload& workload) {
  std::string text = requests_text(workload.requests);
  // What holds GPUs has asked for them, whatever its source tells of that.
  if (text.empty()) return holds_any(workload) ? "not reported" : "no GPU";
  if (workload.tasks <= 1) return text;
  return waits_for_kueue(workload)
             ? fmt::format("{}, {} times: pods that start together", text, workload.tasks)
             : fmt::format("{}, {} times: tasks that could start together", text, workload.tasks);
}

constexpr int kWithPipes = 100;  // on narrower screens the line would be cut; the GPU's page has them

// Of a slice that is the whole GPU the GPU's, where only that is told.
std::pair<std::optional<Percent>, std::optional<Percent>> pipes_of(const query::SliceRow& row) {
  std::pair pipes(row.slice->tensor, row.slice->memory_busy);
  if (!row.gpu || row.slice->kind != SliceKind::whole_gpu) return pipes;
  if (!pipes.first) pipes.first = row.gpu->telemetry.tensor;
  if (!pipes.second) pipes.second = row.gpu->telemetry.memory_busy;
  return pipes;
}

// Of what several share the figures are those of all: its own are told apart, or told to be unknown.
void add_use(DocLine& line, const FactPage& page, const UiContext& ui, const query::SliceRow& row,
             const WorkloadId& id) {
  const Slice& slice = *row.slice;
  const std::size_t holders = slice.holders.size();
  if (holders < 2) {
    if (slice.use)
      line.spans.push_back({"  " + page.told(fmt::format("use {:.0f}%", slice.use->value)), Role::text});
    return;
  }
  if (slice.use)
    line.spans.push_back(
        {"  " + page.told(fmt::format("use {:.0f}% by all {}", slice.use->value, holders)), Role::text});
  if (!add_own(line, page, ui, row, id))
    line.spans.push_back({"  " + page.told(N_("its own part is not known")), Role::unknown});
}

DocLine slice_line(const FactPage& page, const UiContext& ui, const query::SliceRow& row,
                   const WorkloadId& id) {
  const Slice& slice = *row.slice;
  std::string where = row.gpu ? fmt::format("GPU {}", row.gpu->index.value) : "GPU ?";
  DocLine line{{{row.node->name.text, Role::text, 3},
                {"  " + where, Role::text, 3 + kLabelWidth},
                {"  " + insight::slice_label(slice), Role::held}},
               query::row_id(row)};
  if (slice.placement)
    line.spans.push_back(
        {"  " + page.told(slice.placement->size == 1
                              ? fmt::format("slice {}", slice.placement->start)
                              : fmt::format("slices {}-{}", slice.placement->start,
                                            slice.placement->start + slice.placement->size - 1)),
         Role::dim});
  if (!slice.exact)
    line.spans.push_back({"  " + page.told("one of several, which one is not known"), Role::unknown});
  for (const Holder& holder : slice.holders)
    if (holder.workload == id && slice.capacity > 1)
      line.spans.push_back(
          {"  " + page.told(holder.share > 0 ? fmt::format("{} of {} shares", holder.share, slice.capacity)
                                             : "share unknown"),
           Role::dim});
  add_use(line, page, ui, row, id);
  if (page.width() < kWithPipes || slice.holders.size() > 1) return line;
  const auto& [tensor, bus] = pipes_of(row);
  if (tensor)
    line.spans.push_back({"  " + page.told(fmt::format("tensor {:.0f}%", tensor->value)), Role::dim});
  if (bus) line.spans.push_back({"  " + page.told(fmt::format("memory bus {:.0f}%", bus->value)), Role::dim});
  return line;
}

// All that a workload holds on a node. False: which slices is not reported.
bool add_slices(FactPage& page, const UiContext& ui, const Cluster& cluster, const Node& node,
                const WorkloadId& id) {
  std::size_t before = page.size();
  for (const Gpu& gpu : node.gpus)
    for (const Slice& slice : gpu.slices)
      if (is_held_by(slice, id)) page.add(slice_line(page, ui, {&cluster, &node, &gpu, &slice}, id));
  for (const Slice& slice : node.pool)
    if (is_held_by(slice, id)) page.add(slice_line(page, ui, {&cluster, &node, nullptr, &slice}, id));
  return page.size() > before;
}

void add_holdings(FactPage& page, const UiContext& ui, const Cluster& cluster, const Workload& workload) {
  page.heading("HOLDS");
  std::size_t before = page.size();
  // Two kinds of slices on one node are two allocations; the node's slices are listed once all the same, and
  // no id stands twice, or the cursor would not get past it.
  std::map<NodeName, bool> listed;
  for (const Allocation& allocation : workload.allocations) {
    const Node* node = cluster.nodes.find(allocation.node);
    if (!node) {
      page.add({{{allocation.node.text, Role::text, 3},
                 {"  " + page.told("not in the list of nodes"), Role::unknown}},
                {}});
      continue;
    }
    auto [visit, first] = listed.try_emplace(allocation.node, false);
    if (first) visit->second = add_slices(page, ui, cluster, *node, workload.id);
    if (visit->second) continue;
    std::string row = first ? query::row_id(query::NodeRow{&cluster, node}) : std::string();
    if (allocation.count == 0) {  // it runs there without having asked for a GPU
      const bool reaches = !workload.unasked.empty();
      page.add({{{node->name.text, Role::text, 3},
                 {"  " + page.told(reaches ? "may use any GPU there" : "no GPU"),
                  reaches ? Role::warning : Role::dim, 3 + kLabelWidth}},
                row});
      continue;
    }
    page.add({{{node->name.text, Role::text, 3},
               {fmt::format("  {} {}", sharing::units_text(workload, allocation.family, allocation.count),
                            allocation.type),
                Role::text, 3 + kLabelWidth},
               {"  " + page.told("which ones is not known"), Role::unknown}},
              std::move(row)});
  }
  if (before == page.size()) page.add({{{page.told("nothing"), Role::dim, 3}}, {}});
}

void add_waiting(FactPage& page, const UiContext& ui, const UiState& state, const Cluster& cluster,
                 const Workload& workload) {
  page.heading("ALSO WAITING, ASKING FOR THE SAME");
  const WaitingAlike others = waiting_with(ui, state, cluster, workload);
  for (const WorkloadId& id : others.first)
    if (const Workload* other = cluster.workloads.find(id))
      page.add({{{other->id.text, Role::text, 3},
                 {other->user + "  ", Role::text, 3 + kLabelWidth},
                 {short_cell("reason", other->reason), Role::dim}},
                query::row_id(query::WorkloadRow{&cluster, other})});
  if (others.count > others.first.size())
    page.add(
        {{{page.told(fmt::format("and {} more", others.count - others.first.size())), Role::dim, 3}}, {}});
  if (others.count == 0) page.add({{{page.told("no other"), Role::dim, 3}}, {}});
}

void add_times(FactPage& page, const Cluster& cluster, const Workload& workload, TimePoint wall) {
  auto when = [&](std::string_view label, const std::optional<TimePoint>& at) {
    const std::string name = page.told(label);
    if (at)
      page.data(name, time_text(*at) + "   " + page.told(ago_text(cluster, *at, wall)));
    else
      page.data(name, "n/a", Role::dim);
  };
  when(N_("submitted"), workload.submitted);
  if (workload.state == WorkloadState::pending && !workload.started)
    page.data(page.told(N_("started")), page.told(N_("not yet")), Role::dim);
  else
    when(N_("started"), workload.started);
  when(N_("ends"), workload.ends);
}

// The parts of the page, one below another or in two columns.
class WorkPage {
 public:
  WorkPage(const UiContext& ui, const UiState& state, const Cluster& cluster, const Workload& workload,
           int width)
      : ui_(ui),
        state_(state),
        cluster_(cluster),
        workload_(workload),
        answer_(why_of(ui, state, state.top())),
        page_(state, width) {}

  // What it is, how it stands, and of what waits why and what would help.
  WorkPage& state() {
    const bool in_id = repeats_id(workload_.id.text, workload_.name);  // of a pod
    page_.add({{{std::string(kind_word(workload_)) + " ", Role::dim, 1},
                {workload_.id.text, Style(Role::text).with_bold()},
                {in_id ? "" : "  " + workload_.name, Style(Role::text).with_bold()}},
               {}});
    page_.blank();
    std::string text(word(workload_.state));
    if (!workload_.state_word.empty() && lower(workload_.state_word) != text)
      text += " (" + workload_.state_word + ")";
    page_.data(page_.told("state"), text, Style(role_of(workload_.state)).with_bold());
    if (!workload_.reason.empty()) page_.data(page_.told("because"), workload_.reason, Role::warning);
    if (!answer_) return *this;
    page_.fact("asks for", asked_text(workload_));
    add_why(page_, state_, *answer_);
    return *this;
  }
  WorkPage& nodes() {
    if (answer_) add_candidates(page_, *answer_, state_.top(), cluster_, ui_.wall);
    return *this;
  }
  WorkPage& more_nodes() {
    if (answer_) add_more_candidates(page_, *answer_, state_.top());
    return *this;
  }
  WorkPage& about() {
    if (answer_) page_.heading("ABOUT IT");
    data(N_("user"), workload_.user);
    const bool job = workload_.kind == WorkloadKind::job;
    data(job ? N_("partition") : N_("namespace"), workload_.group);
    if (job) data(N_("account"), workload_.account);
    if (!answer_) page_.fact("asks for", asked_text(workload_));
    if (!workload_.unasked.empty()) page_.fact("uses unasked", workload_.unasked, Role::warning);
    add_times(page_, cluster_, workload_, ui_.wall);
    if (!workload_.restartable)
      page_.fact(N_("if killed"), "?", Role::unknown);
    else if (*workload_.restartable)
      page_.fact(N_("if killed"), "restarts");
    else
      page_.fact(N_("if killed"), "is lost", Role::warning);
    if (!workload_.comment.empty()) page_.data(page_.told("comment"), workload_.comment);
    page_.fact("source", origin_text(cluster_, workload_.origin, ui_.wall), Role::dim);
    return *this;
  }
  WorkPage& holds() {
    if (!answer_ || !workload_.allocations.empty()) add_holdings(page_, ui_, cluster_, workload_);
    return *this;
  }
  WorkPage& charts() {
    add_history(page_, ui_, {&cluster_, &workload_});
    return *this;
  }
  WorkPage& others() {
    if (workload_.state == WorkloadState::pending) add_waiting(page_, ui_, state_, cluster_, workload_);
    return *this;
  }
  Document take() { return page_.take(); }

 private:
  void data(std::string_view label, std::string_view text) {
    page_.data(page_.told(label), text.empty() ? "n/a" : text, text.empty() ? Style(Role::dim) : Style());
  }

  const UiContext& ui_;
  const UiState& state_;
  const Cluster& cluster_;
  const Workload& workload_;
  const std::shared_ptr<const why::Answer> answer_;
  FactPage page_;
};

std::optional<WorkPage> page_of(const UiContext& ui, const UiState& state, int width) {
  const Screen& screen = state.top();
  const Cluster* cluster = ui.model.find(screen.cluster);
  const Workload* workload = cluster ? cluster->workloads.find(WorkloadId(screen.subject)) : nullptr;
  if (!workload) return std::nullopt;
  return std::optional<WorkPage>(std::in_place, ui, state, *cluster, *workload, width);
}

}  // namespace

Document workload_document(const UiContext& ui, const UiState& state, int width) {
  const int side = side_column(width);
  std::optional<WorkPage> page = page_of(ui, state, side);
  if (!page) return {};
  if (side == width) return page->state().nodes().about().holds().charts().others().more_nodes().take();
  // Where the cursor rests stands left: what helps, or what it holds.
  return page->state().holds().others().take();
}

Document workload_side_document(const UiContext& ui, const UiState& state, int width) {
  const int side = side_column(width);
  if (side == width) return {};
  std::optional<WorkPage> page = page_of(ui, state, width - side);
  if (!page) return {};
  return page->nodes().about().charts().more_nodes().take();
}

namespace {

// What helps under the cursor; kept, since the page may be worked out again meanwhile.
std::optional<why::Remedy> remedy_here(const UiState& state, const UiContext& ui) {
  const std::shared_ptr<const why::Answer> answer = why_of(ui, state, state.top());
  const why::Remedy* remedy = answer ? remedy_under(*answer, state.top().cursor) : nullptr;
  return remedy ? std::optional(*remedy) : std::nullopt;
}

void plan_remedy(UiState& state, const UiContext& ui, const why::Remedy& remedy) {
  if (!remedy.intent) {
    say(state, ui, Severity::info,
        remedy.command.empty() ? "there is no plan and no command for that" : "press y to copy the command");
    return;
  }
  if (const auto why_not = open_plan_for(state, ui, *remedy.intent))
    say(state, ui, Severity::warning, to_line(*why_not));
}

}  // namespace

std::string copy_on_workload(const UiState& state, const UiContext& ui) {
  if (const auto remedy = remedy_here(state, ui)) return remedy->command;
  return state.top().subject;
}

Effects open_on_workload(UiState& state, const UiContext& ui) {
  const std::string id = state.top().cursor;
  if (const auto remedy = remedy_here(state, ui)) {
    plan_remedy(state, ui, *remedy);
    return {};
  }
  std::vector<std::string> parts = parts_of_id(id);
  if (parts.size() < 2) return {};
  ClusterName name(parts[0]);
  const Cluster* cluster = ui.model.find(name);
  if (!cluster) return {};
  if (parts.size() == 2 && cluster->workloads.find(WorkloadId(parts[1])))
    open_workload(state, name, parts[1]);
  else
    open_node(state, name, parts[1], parts.size() > 2 ? id : std::string());
  return {};
}

std::optional<Screen> facts_of_workload(const UiState& state, const UiContext&) {
  const Screen& screen = state.top();
  Screen facts;
  facts.about = ScreenKind::workload;
  facts.cluster = screen.cluster;
  facts.subject = screen.cluster.text + "\x1f" + screen.subject;
  return facts;
}

}  // namespace tessera::tui
