// What is asked of the planner, and what its answer would do.
#include <fmt/core.h>

#include <algorithm>

#include "engine/insight/available.hpp"
#include "engine/pack/cluster.hpp"
#include "tui/change_kept.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/pack/pack.hpp"
#include "tui/screens/plan/next_hours.hpp"
#include "tui/screens/plan/plan.hpp"

namespace tessera::tui {
namespace {

// The GPUs of a large site are not read for every event.
constexpr std::size_t kManyNodes = 500;
constexpr Duration kManyEvery{5000};
// From here on the plan itself, which Enter makes, tells whom it disturbs.
constexpr int kMostPreviewed = 64;
constexpr std::size_t kMostPlayed = 300;

std::string why_refused(const UiState& state, const Cluster* cluster) {
  if (!cluster) return "that cluster is not open here";
  if (state.past) return "the past is shown, and nothing can be changed there";
  if (!cluster->loaded) return "the cluster is still being read";
  // An old list of jobs or pods makes an instance look free that is not.
  if (!insight::nodes_are_current(*cluster))
    return "the list of nodes is old: what stands there now is not known";
  if (!insight::work_is_current(*cluster))
    return "the list of jobs or pods is old: which instances are free is not known";
  return "";
}

std::shared_ptr<const PackBoards> read_boards(const UiState& state, const UiContext& ui,
                                              const Cluster& cluster) {
  std::vector<NodeName> nodes;
  for (const Node& node : cluster.nodes.all()) nodes.push_back(node.name);
  pack::ClusterProblem found =
      pack::problem_of(cluster, nodes, ui.catalogue, capabilities_of(state, cluster));
  return std::make_shared<const PackBoards>(PackBoards{std::move(found.problem), std::move(found.left_out)});
}

bool same_boards(const PackBoards& a, const PackBoards& b) {
  return a.problem.mode == b.problem.mode && a.problem.products == b.problem.products &&
         a.problem.boards == b.problem.boards && a.left_out == b.left_out;
}

bool is_due(const PackState& pack, const UiContext& ui, const Cluster& cluster) {
  if (!pack.boards || pack.revision == 0) return true;
  if (pack.revision == ui.model.revision + 1) return false;
  return cluster.nodes.size() < kManyNodes || ui.wall - pack.at >= kManyEvery;
}

void take_boards(PackState& pack, const UiState& state, const UiContext& ui, const Cluster& cluster) {
  std::shared_ptr<const PackBoards> now = read_boards(state, ui, cluster);
  // What has not changed stays the same value, so that nothing is asked again.
  if (!pack.boards || !same_boards(*pack.boards, *now)) pack.boards = std::move(now);
  pack.revision = ui.model.revision + 1;
  pack.at = ui.wall;
}

int idle_of(const pack::Problem& problem, const PackWant& want) {
  int idle = 0;
  for (const pack::Board& board : problem.boards) {
    const mig::Product* product = problem.products[board.product];
    if (want.product && want.product != product) continue;
    for (const pack::Instance& one : board.instances)
      if (!one.held && product->profiles[static_cast<std::size_t>(one.placed.profile)].name == want.profile)
        ++idle;
  }
  return idle;
}

// A line for each profile of the products that stand there, by name; lines that are there stay.
void list_profiles(PackState& pack) {
  for (const mig::Product* product : pack.boards->problem.products)
    for (const mig::Profile& profile : product->profiles)
      if (std::none_of(pack.wants.begin(), pack.wants.end(),
                       [&](const PackWant& want) { return want.profile == profile.name; }))
        pack.wants.push_back({profile.name, nullptr, 0, 0});
  for (PackWant& want : pack.wants) want.idle = idle_of(pack.boards->problem, want);
}

std::vector<pack::Demand> demand_of(const PackState& pack) {
  std::vector<pack::Demand> demand;
  const std::vector<const mig::Product*>& products = pack.boards->problem.products;
  for (const PackWant& want : pack.wants) {
    if (want.count == 0) continue;
    pack::Demand one{want.profile, std::nullopt, want.count};
    if (want.product)
      one.product = static_cast<std::size_t>(std::find(products.begin(), products.end(), want.product) -
                                             products.begin());
    demand.push_back(std::move(one));
  }
  return demand;
}

// A product may leave the cluster while it is asked for.
std::string why_not_asked(const PackState& pack) {
  const std::vector<const mig::Product*>& products = pack.boards->problem.products;
  for (const PackWant& want : pack.wants)
    if (want.count > 0 && want.product &&
        std::find(products.begin(), products.end(), want.product) == products.end())
      return fmt::format("no GPU that can be planned here is of {}", want.product->key.text);
  return "";
}

void ask(PackState& pack) {
  pack.trouble = why_not_asked(pack);
  if (!pack.trouble.empty()) {
    pack.question = nullptr, pack.answer = nullptr, pack.preview = {};
    return;
  }
  std::vector<pack::Demand> demand = demand_of(pack);
  if (demand.empty()) {
    pack.question = nullptr, pack.answer = nullptr, pack.preview = {};
    return;
  }
  const PackQuestion* asked = pack.question.get();
  if (asked && asked->boards == pack.boards && asked->problem.evict == pack.evict &&
      asked->problem.demand == demand)
    return;
  PackQuestion next{pack.boards, pack.boards->problem};
  next.problem.demand = std::move(demand);
  next.problem.evict = pack.evict;
  pack.question = std::make_shared<const PackQuestion>(std::move(next));
}

}  // namespace

void refresh_pack(UiState& state, Screen& screen, const UiContext& ui) {
  const Cluster* cluster = ui.model.find(screen.cluster);
  std::string why = why_refused(state, cluster);
  change_kept(state.pack, [&](PackState& pack) {
    if (pack.cluster != screen.cluster) pack = PackState{screen.cluster};
    pack.refused = std::move(why);
    if (!pack.refused.empty()) {
      pack.question = nullptr, pack.answer = nullptr, pack.preview = {}, pack.revision = 0;
      return;
    }
    const bool due = is_due(pack, ui, *cluster);
    if (due) take_boards(pack, state, ui, *cluster);
    list_profiles(pack);
    if (!pack.stopped) ask(pack);
  });
}

std::optional<TimePoint> pack_next_change(const UiState& state, const UiContext& ui) {
  if (!state.pack || !state.pack->boards || state.pack->revision == ui.model.revision + 1)
    return std::nullopt;
  return state.pack->at + kManyEvery;
}

bool boards_moved(UiState& state, const UiContext& ui) {
  const Cluster* cluster = ui.model.find(state.pack->cluster);
  if (!cluster) return true;
  change_kept(state.pack, [&](PackState& pack) { take_boards(pack, state, ui, *cluster); });
  const std::vector<pack::Board>& now = state.pack->boards->problem.boards;
  const pack::Problem& then = state.pack->answer->question->problem;
  // Both are in the order of the cluster's nodes.
  auto from = now.begin();
  for (const pack::BoardPlan& plan : state.pack->answer->answer->boards) {
    const pack::Board& board = then.boards[plan.board];
    from = std::find_if(from, now.end(), [&](const pack::Board& one) {
      return one.node == board.node && one.gpu == board.gpu;
    });
    if (from == now.end() || from->instances != board.instances ||
        state.pack->boards->problem.products[from->product] != then.products[board.product])
      return true;
  }
  return state.pack->boards->problem.mode != then.mode;
}

void take_answer(UiState& state, const UiContext& ui, const PackTold& told) {
  if (!state.pack || !told.what || told.what->question != state.pack->question) return;
  PackPreview preview;
  const Result<pack::Answer>& answer = told.what->answer;
  if (answer && !answer->boards.empty() && answer->nodes_touched <= kMostPreviewed) {
    plan::Intent intent =
        pack::intent_of(told.what->question->problem, *answer, ClusterName(state.pack->cluster));
    intent.options.way = state.pack->evict ? plan::Way::requeue : plan::Way::wait;
    if (Result<plan::Plan> plan = plan_for(state, ui, intent); plan) {
      preview.played = play_hours(ui, *plan, kMostPlayed);
      preview.plan = std::move(*plan);
    } else {
      preview.trouble = to_line(plan.error());
    }
  }
  change_kept(state.pack, [&](PackState& pack) {
    pack.answer = told.what;
    pack.preview = std::move(preview);
  });
}

}  // namespace tessera::tui
