// Opening the layout editor, and finding again what it is about.
#include "tui/screens/layout/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/mig/product_of.hpp"
#include "engine/model/counts_text.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/query/tables.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/text.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/overview/overview.hpp"
#include "tui/screens/pages/doctor.hpp"
#include "tui/screens/pages/gpu.hpp"
#include "tui/screens/rows.hpp"

namespace tessera::tui {
namespace {

struct Subject {
  ClusterName cluster;
  std::vector<BoardAt> boards;
  bool all = false;
  std::size_t viewed = 0;
};

BoardAt board_at(const Node& node, const Gpu& gpu) {
  return {node.name, gpu.index, gpu.product.value_or(ProductKey())};
}

void add_boards(Subject& subject, const Node& node) {
  for (const Gpu& gpu : node.gpus) subject.boards.push_back(board_at(node, gpu));
}

std::string why_no_boards(const Node& node) {
  if (sharing::amd::is_amd(node)) return node.name.text + ": " + std::string(sharing::amd::kNotPlanned);
  if (!node.gpus.empty()) return {};
  return node.pool.empty()
             ? node.name.text + "'s GPUs are not reported"
             : node.name.text +
                   ": the scheduler counts its slices and does not report on which GPUs they are";
}

std::string product_name(const BoardAt& board) {
  return board.product.empty() ? "unknown GPUs" : board.product.text;
}

// GPUs of one product only, where the edit is for many.
std::string why_mixed(const Subject& subject) {
  std::map<std::string, int> products;
  for (const BoardAt& one : subject.boards) ++products[product_name(one)];
  if (products.size() < 2) return {};
  return counts_text(products) + ": one layout fits one product; filter with product= and mark again";
}

std::set<NodeName> nodes_of(const Subject& subject) {
  std::set<NodeName> names;
  for (const BoardAt& one : subject.boards) names.insert(one.node);
  return names;
}

Result<Subject> refusal(std::string why) { return Error{std::move(why), "", ""}; }

Result<Subject> whole_nodes(const Cluster& cluster, const std::vector<NodeName>& names) {
  Subject subject{cluster.name, {}, true, 0};
  for (const NodeName& name : names) {
    const Node* node = cluster.nodes.find(name);
    if (!node) return refusal(name.text + " is not in the list any more");
    if (std::string why = why_no_boards(*node); !why.empty()) return refusal(std::move(why));
    add_boards(subject, *node);
  }
  if (names.size() > 1)
    if (std::string why = why_mixed(subject); !why.empty()) return refusal(std::move(why));
  return subject;
}

Result<Subject> one_board(const Cluster& cluster, const NodeName& name, GpuIndex gpu) {
  Result<Subject> subject = whole_nodes(cluster, {name});
  if (!subject) return subject;
  subject->all = false;
  for (std::size_t i = 0; i < subject->boards.size(); ++i)
    if (subject->boards[i].gpu == gpu) {
      subject->viewed = i;
      return subject;
    }
  return refusal(fmt::format("{} has no GPU {}", name.text, gpu.value));
}

// The marked rows of a table of nodes or GPUs; slices stand for their GPUs.
Result<Subject> marked(const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  Subject subject;
  subject.all = true;
  std::vector<NodeName> nodes;
  for (const RowRef& ref : screen.derived.rows) {
    if (!screen.marks.contains(id_at(ui.model, screen.kind, ref))) continue;
    auto row = node_at(ui.model, ref);
    if (!row) continue;
    if (subject.cluster.empty()) subject.cluster = row->cluster->name;
    if (subject.cluster != row->cluster->name)
      return refusal("the marked rows are of several clusters: a plan is for one");
    if (screen.kind == ScreenKind::nodes) {
      nodes.push_back(row->node->name);
      continue;
    }
    auto gpu = gpu_at(ui.model, ref);
    if (!gpu || !gpu->gpu) return refusal("the GPU of a marked slice is not known");
    if (sharing::amd::is_amd(*gpu->gpu)) return refusal(why_no_boards(*gpu->node));
    BoardAt board = board_at(*gpu->node, *gpu->gpu);
    if (std::find(subject.boards.begin(), subject.boards.end(), board) == subject.boards.end())
      subject.boards.push_back(std::move(board));
  }
  if (!nodes.empty()) return whole_nodes(*ui.model.find(subject.cluster), nodes);
  if (subject.boards.empty()) return refusal("the marked rows are not in this table now");
  if (std::string why = why_mixed(subject); !why.empty()) return refusal(std::move(why));
  subject.all = subject.boards.size() > 1;
  return subject;
}

Result<Subject> under_cursor(const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  int at = cursor_row(ui.model, screen);
  if (at < 0) return refusal("there is no row whose layout could be edited");
  const RowRef& ref = screen.derived.rows[static_cast<std::size_t>(at)];
  auto row = node_at(ui.model, ref);
  if (!row) return refusal("that row is gone");
  if (screen.kind == ScreenKind::nodes) return whole_nodes(*row->cluster, {row->node->name});
  auto gpu = gpu_at(ui.model, ref);
  if (!gpu || !gpu->gpu) return refusal(why_no_boards(*row->node));
  return one_board(*row->cluster, row->node->name, gpu->gpu->index);
}

Result<Subject> on_node_page(const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  const Cluster* cluster = ui.model.find(screen.cluster);
  const Node* node = cluster ? cluster->nodes.find(NodeName(screen.subject)) : nullptr;
  if (!node) return refusal("this node is not in the list any more");
  for (const Gpu& gpu : node->gpus)
    if (screen.cursor.starts_with(query::row_id(query::GpuRow{cluster, node, &gpu}))) {
      // "GPU 1" begins like "GPU 10": what follows must be the end or the next part of the id.
      std::string id = query::row_id(query::GpuRow{cluster, node, &gpu});
      if (screen.cursor.size() > id.size() && screen.cursor[id.size()] != '\x1f') continue;
      return one_board(*cluster, node->name, gpu.index);
    }
  return whole_nodes(*cluster, {node->name});
}

// A finding about a node or a GPU is as good as its row.
Result<Subject> on_finding(const UiState& state, const UiContext& ui) {
  const auto node = node_under(state, state.top().cursor);
  const Cluster* cluster = node ? ui.model.find(node->first) : nullptr;
  if (!cluster)
    return refusal(
        "a layout is made for a node or a GPU: choose a node of the mosaic, or a finding that names one");
  const insight::Finding* finding = finding_at(state, state.top().cursor);
  if (finding && finding->gpu) return one_board(*cluster, node->second, *finding->gpu);
  return whole_nodes(*cluster, {node->second});
}

// The same of a cause that is about nodes.
Result<Subject> on_cause(const UiState& state, const UiContext& ui) {
  const insight::Cause* cause = cause_here(state);
  const Cluster* cluster = cause && cause->nodes ? ui.model.find(cause->cluster) : nullptr;
  if (!cluster) return refusal("a layout is made for a node or a GPU: choose a finding that names one");
  const std::vector<NodeName> nodes(cause->whose.begin(), cause->whose.end());
  if (nodes.size() == 1 && cause->gpu) return one_board(*cluster, nodes.front(), *cause->gpu);
  return whole_nodes(*cluster, nodes);
}

Result<Subject> subject_here(const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  bool rows = screen.kind == ScreenKind::nodes || screen.kind == ScreenKind::gpus ||
              screen.kind == ScreenKind::slices;
  if (screen.kind == ScreenKind::node) return on_node_page(state, ui);
  if (screen.kind == ScreenKind::gpu) {
    const GpuPlace at = gpu_on(screen, ui.model);
    return at.gpu ? one_board(*at.cluster, at.node->name, at.gpu->index) : refusal("this GPU is gone");
  }
  if (screen.kind == ScreenKind::overview) return on_finding(state, ui);
  if (screen.kind == ScreenKind::doctor) return on_cause(state, ui);
  if (!rows) return refusal("a layout is made on a row of nodes, GPUs or slices, or on a node's page");
  return screen.marks.empty() ? under_cursor(state, ui) : marked(state, ui);
}

void open(UiState& state, const UiContext& ui, Subject subject, const std::optional<plan::Wish>& start) {
  Screen screen;
  screen.kind = ScreenKind::layout;
  screen.cluster = subject.cluster;
  screen.layout.emplace();
  LayoutState& edit = *screen.layout;
  edit.boards = std::move(subject.boards);
  edit.viewed = subject.viewed;
  edit.all = subject.all;
  const BoardAt& board = edit.board();
  screen.subject = nodes_of({{}, edit.targets(), false, 0}).size() > 1
                       ? fmt::format("{} nodes", nodes_of({{}, edit.boards, false, 0}).size())
                       : board.node.text;
  push(state, std::move(screen));
  std::optional<LayoutView> view = layout_view(ui, state.top());
  if (!view) return;
  LayoutState& opened = *state.top().layout;
  start_over(opened, want_of(*view->gpu, view->product));
  if (start) {
    Result<Want> want = want_of(*start, *view->gpu, view->product);
    if (want)
      take(opened, std::move(*want));
    else
      say(state, ui, Severity::warning, to_line(want.error()));
  }
  refresh_layout(state, state.top(), ui);
}

}  // namespace

void open_layout(UiState& state, const UiContext& ui, const ClusterName& name, std::vector<NodeName> nodes,
                 std::optional<GpuIndex> gpu, std::optional<plan::Wish> start) {
  const Cluster* cluster = ui.model.find(name);
  if (!cluster || nodes.empty()) {
    say(state, ui, Severity::info, "there is no layout to edit");
    return;
  }
  Result<Subject> subject = gpu ? one_board(*cluster, nodes.front(), *gpu) : whole_nodes(*cluster, nodes);
  if (subject)
    open(state, ui, std::move(*subject), start);
  else
    say(state, ui, Severity::info, to_line(subject.error()));
}

void take_for_each(UiState& state, const UiContext& ui, const std::vector<plan::BoardWish>& wishes) {
  Screen& screen = state.top();
  const Cluster* cluster = ui.model.find(screen.cluster);
  if (screen.kind != ScreenKind::layout || !screen.layout || !cluster) return;
  LayoutState& edit = *screen.layout;
  std::vector<Want> each;
  for (const BoardAt& board : edit.boards) {
    const Node* node = cluster->nodes.find(board.node);
    const Gpu* gpu = node ? plan::find_gpu(*node, board.gpu) : nullptr;
    if (!gpu) return;
    const mig::Product* product = mig::product_of(*gpu, ui.catalogue);
    Want want = want_of(*gpu, product);
    for (const plan::BoardWish& one : wishes) {
      if (one.node != board.node || one.gpu != board.gpu) continue;
      Result<Want> wished = want_of(one.wish, *gpu, product);
      if (!wished) return say(state, ui, Severity::warning, to_line(wished.error()));
      want = std::move(*wished);
    }
    want.words = "a layout for each GPU";
    each.push_back(std::move(want));
  }
  take(edit, each[edit.viewed]);
  edit.each = std::move(each);
  refresh_layout(state, state.top(), ui);
}

void open_layout_here(UiState& state, const UiContext& ui) {
  Result<Subject> subject = subject_here(state, ui);
  if (subject)
    open(state, ui, std::move(*subject), std::nullopt);
  else
    say(state, ui, Severity::info, to_line(subject.error()));
}

std::vector<std::string> presets_here(const UiState& state, const UiContext& ui) {
  Screen screen = state.top().kind == ScreenKind::layout ? state.top() : Screen();
  if (!screen.layout) {
    Result<Subject> subject = subject_here(state, ui);
    if (!subject || subject->boards.empty()) return {};
    screen.cluster = subject->cluster;
    screen.layout.emplace().boards = std::move(subject->boards);
    screen.layout->viewed = subject->viewed;
  }
  const std::optional<LayoutView> view = layout_view(ui, screen);
  if (!view) return {};
  std::vector<std::string> names;
  for (PresetChoice& one : preset_choices(*view, capabilities_of(state, *view->cluster), state.platform))
    if (std::find(names.begin(), names.end(), one.name) == names.end()) names.push_back(std::move(one.name));
  return names;
}

std::optional<Error> take_named_preset(UiState& state, const UiContext& ui, const std::string& name) {
  if (state.top().kind != ScreenKind::layout) {
    if (std::string why = why_no_layout(state, ui); !why.empty()) return Error{std::move(why), "", ""};
    open_layout_here(state, ui);
  }
  const std::optional<LayoutView> view = layout_view(ui, state.top());
  if (!view) return Error{"there is no layout to edit", "", ""};
  LayoutState& edit = *state.top().layout;
  for (PresetChoice& one : preset_choices(*view, capabilities_of(state, *view->cluster), state.platform)) {
    if (lower(one.name) != lower(name)) continue;
    if (!one.why_not.empty()) return Error{one.name + ": " + one.why_not, "", ""};
    take(edit, std::move(one.want));
    edit.list = LayoutList::profiles;
    refresh_layout(state, state.top(), ui);
    return std::nullopt;
  }
  return Error{fmt::format("no preset of this GPU is called {}", name), "", "p lists them"};
}

std::string why_no_layout(const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  // The footer asks with every frame, and a set of many marks is long: opening says what is wrong with it.
  if (is_table(screen.kind) && !screen.marks.empty() && screen.kind != ScreenKind::workloads) return {};
  Result<Subject> subject = subject_here(state, ui);
  return subject ? std::string() : to_line(subject.error());
}

std::optional<LayoutView> layout_view(const UiContext& ui, const Screen& screen) {
  if (!screen.layout || screen.layout->boards.empty()) return std::nullopt;
  const BoardAt& board = screen.layout->board();
  LayoutView view;
  view.cluster = ui.model.find(screen.cluster);
  view.node = view.cluster ? view.cluster->nodes.find(board.node) : nullptr;
  view.gpu = view.node ? plan::find_gpu(*view.node, board.gpu) : nullptr;
  if (!view.gpu) return std::nullopt;
  view.product = mig::product_of(*view.gpu, ui.catalogue);
  view.cut = view.product && view.product->mig_capable && view.product->placements_known;
  if (view.cut && view.gpu->strategy == Strategy::mig)
    view.now = mig::observed_layout(*view.product, *view.gpu).value_or(mig::Layout{});
  return view;
}

plan::Means capabilities_of(const UiState& state, const Cluster& cluster) {
  auto known = state.abilities.find(cluster.name);
  if (known != state.abilities.end()) return known->second;
  return plan::presumed_capabilities(cluster);
}

}  // namespace tessera::tui
