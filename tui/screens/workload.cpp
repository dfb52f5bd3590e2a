// One workload: all that is known about it, what it holds, and who else waits for the same.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "engine/query/tables.hpp"
#include "engine/text.hpp"
#include "tui/screens/boards.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/roles.hpp"

namespace tessera::tui {
namespace {

std::string asked_text(const Workload& workload) {
  std::string text;
  for (const Request& request : workload.requests)
    text += fmt::format("{}{} × {}", text.empty() ? "" : ", ", request.count, request.resource);
  return text.empty() ? "no GPU" : text;
}

bool holds(const Slice& slice, const WorkloadId& id) {
  return std::any_of(slice.holders.begin(), slice.holders.end(),
                     [&](const Holder& holder) { return holder.workload == id; });
}

DocLine slice_line(const query::SliceRow& row, const WorkloadId& id) {
  const Slice& slice = *row.slice;
  std::string where = row.gpu ? fmt::format("GPU {}", row.gpu->index.value) : "GPU ?";
  DocLine line{{{row.node->name.text, Role::text, 3},
                {"  " + where, Role::text, 3 + kLabelWidth},
                {"  " + insight::slice_label(slice), Role::held}},
               query::row_id(row)};
  if (slice.placement)
    line.spans.push_back({slice.placement->size == 1
                              ? fmt::format("  slice {}", slice.placement->start)
                              : fmt::format("  slices {}-{}", slice.placement->start,
                                            slice.placement->start + slice.placement->size - 1),
                          Role::dim});
  if (!slice.exact) line.spans.push_back({"  one of several, which one is not known", Role::unknown});
  for (const Holder& holder : slice.holders)
    if (holder.workload == id && slice.capacity > 1)
      line.spans.push_back({holder.share > 0 ? fmt::format("  {} of {} shares", holder.share, slice.capacity)
                                             : "  share unknown",
                            Role::dim});
  if (slice.use) line.spans.push_back({fmt::format("  use {:.0f}%", slice.use->value), Role::text});
  return line;
}

// All that a workload holds on a node. False: it is not told.
bool add_slices(Document& document, const Cluster& cluster, const Node& node, const WorkloadId& id) {
  std::size_t before = document.size();
  for (const Gpu& gpu : node.gpus)
    for (const Slice& slice : gpu.slices)
      if (holds(slice, id)) document.push_back(slice_line({&cluster, &node, &gpu, &slice}, id));
  for (const Slice& slice : node.pool)
    if (holds(slice, id)) document.push_back(slice_line({&cluster, &node, nullptr, &slice}, id));
  return document.size() > before;
}

void add_holdings(Document& document, const Cluster& cluster, const Workload& workload) {
  document.push_back({});
  document.push_back(heading_line("HOLDS"));
  std::size_t before = document.size();
  // Two kinds of slices on one node are two allocations; the node's slices are listed once all the same, and
  // no id stands twice, or the cursor would not get past it.
  std::map<NodeName, bool> listed;
  for (const Allocation& allocation : workload.allocations) {
    const Node* node = cluster.nodes.find(allocation.node);
    if (!node) {
      document.push_back(
          {{{allocation.node.text, Role::text, 3}, {"  not in the list of nodes", Role::unknown}}, {}});
      continue;
    }
    auto [visit, first] = listed.try_emplace(allocation.node, false);
    if (first) visit->second = add_slices(document, cluster, *node, workload.id);
    if (visit->second) continue;
    std::string row = first ? query::row_id(query::NodeRow{&cluster, node}) : std::string();
    if (allocation.count == 0) {  // it runs there without having asked for a GPU
      const bool reaches = !workload.unasked.empty();
      document.push_back({{{node->name.text, Role::text, 3},
                           {reaches ? "  may use any GPU there" : "  no GPU",
                            reaches ? Role::warning : Role::dim, 3 + kLabelWidth}},
                          row});
      continue;
    }
    document.push_back(
        {{{node->name.text, Role::text, 3},
          {fmt::format("  {} × {} {}", allocation.count, word(allocation.family), allocation.type),
           Role::text, 3 + kLabelWidth},
          {"  which ones is not known", Role::unknown}},
         std::move(row)});
  }
  if (before == document.size()) document.push_back({{{"nothing", Role::dim, 3}}, {}});
}

void add_waiting(Document& document, const Cluster& cluster, const Workload& workload) {
  document.push_back({});
  document.push_back(heading_line("ALSO WAITING FOR THE SAME"));
  std::vector<const Workload*> others;
  for (const Workload& other : cluster.workloads.all()) {
    if (other.state != WorkloadState::pending || other.id == workload.id) continue;
    bool same = std::any_of(other.requests.begin(), other.requests.end(), [&](const Request& request) {
      return std::any_of(workload.requests.begin(), workload.requests.end(),
                         [&](const Request& own) { return own.resource == request.resource; });
    });
    if (same) others.push_back(&other);
  }
  std::sort(others.begin(), others.end(), [](const Workload* a, const Workload* b) {
    return std::pair(a->submitted.value_or(TimePoint::max()), a->id) <
           std::pair(b->submitted.value_or(TimePoint::max()), b->id);
  });
  constexpr std::size_t kShown = 8;
  for (std::size_t i = 0; i < std::min(others.size(), kShown); ++i)
    document.push_back({{{others[i]->id.text, Role::text, 3},
                         {others[i]->user + "  ", Role::text, 3 + kLabelWidth},
                         {others[i]->reason, Role::dim}},
                        query::row_id(query::WorkloadRow{&cluster, others[i]})});
  if (others.size() > kShown)
    document.push_back({{{fmt::format("and {} more", others.size() - kShown), Role::dim, 3}}, {}});
  if (others.empty()) document.push_back({{{"nobody", Role::dim, 3}}, {}});
}

void add_times(Document& document, const Cluster& cluster, const Workload& workload, TimePoint wall) {
  auto when = [&](const char* label, const std::optional<TimePoint>& at) {
    document.push_back(at ? fact_line(label, time_text(*at) + "   " + ago_text(cluster, *at, wall))
                          : fact_line(label, "n/a", Role::dim));
  };
  when("submitted", workload.submitted);
  when("started", workload.started);
  when("ends", workload.ends);
}

}  // namespace

Document workload_document(const World& world, const UiState& state, int width) {
  Document document;
  const Screen& screen = state.top();
  const Cluster* cluster = world.model.find(screen.cluster);
  const Workload* workload = cluster ? cluster->workloads.find(WorkloadId(screen.subject)) : nullptr;
  if (!workload) return document;
  document.push_back({{{std::string(word(workload->kind)) + " ", Role::dim, 1},
                       {workload->id.text, Style(Role::text).with_bold()},
                       {"  " + workload->name, Style(Role::text).with_bold()}},
                      {}});
  document.push_back({});
  auto told = [&](const char* label, const std::string& text) {
    if (text.empty())
      document.push_back(fact_line(label, "n/a", Role::dim));
    else
      add_wrapped_fact(document, label, text, width);
  };
  std::string state_text(word(workload->state));
  if (!workload->state_word.empty() && lower(workload->state_word) != state_text)
    state_text += " (" + workload->state_word + ")";
  document.push_back(fact_line("state", state_text, Style(role_of(workload->state)).with_bold()));
  if (!workload->reason.empty())
    add_wrapped_fact(document, "because", workload->reason, width, Role::warning);
  told("user", workload->user);
  told(workload->kind == WorkloadKind::job ? "partition" : "namespace", workload->group);
  if (workload->kind == WorkloadKind::job) told("account", workload->account);
  told("asks for", asked_text(*workload));
  if (!workload->unasked.empty())
    add_wrapped_fact(document, "uses unasked", workload->unasked, width, Role::warning);
  add_times(document, *cluster, *workload, world.wall);
  document.push_back(!workload->restartable   ? fact_line("if killed", "?", Role::unknown)
                     : *workload->restartable ? fact_line("if killed", "restarts")
                                              : fact_line("if killed", "is lost", Role::warning));
  if (!workload->comment.empty()) add_wrapped_fact(document, "comment", workload->comment, width);
  document.push_back(fact_line("source", origin_text(*cluster, workload->origin, world.wall), Role::dim));
  add_holdings(document, *cluster, *workload);
  if (workload->state == WorkloadState::pending) add_waiting(document, *cluster, *workload);
  return document;
}

Effects open_on_workload(UiState& state, const World& world) {
  const std::string id = state.top().cursor;
  std::vector<std::string> parts = parts_of_id(id);
  if (parts.size() < 2) return {};
  ClusterName name(parts[0]);
  const Cluster* cluster = world.model.find(name);
  if (!cluster) return {};
  if (parts.size() == 2 && cluster->workloads.find(WorkloadId(parts[1])))
    open_workload(state, name, parts[1]);
  else
    open_node(state, name, parts[1], parts.size() > 2 ? id : std::string());
  return {};
}

std::optional<Screen> facts_of_workload(const UiState& state, const World&) {
  const Screen& screen = state.top();
  Screen facts;
  facts.about = ScreenKind::workload;
  facts.cluster = screen.cluster;
  facts.subject = screen.cluster.text + "\x1f" + screen.subject;
  return facts;
}

}  // namespace tessera::tui
