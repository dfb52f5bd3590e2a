// What is asked of the planner, and what its answer would do.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "engine/fleet/offers.hpp"
#include "engine/pack/cluster.hpp"
#include "engine/pack/whole.hpp"
#include "tui/change_kept.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/pack/narrow.hpp"
#include "tui/screens/pack/pack.hpp"

namespace tessera::tui {
namespace {

constexpr Duration kCopied{10'000};  // for so long a copy of the cluster is not old

// The GPUs of a large site are not read for every event.
constexpr std::size_t kManyNodes = 500;
constexpr Duration kManyEvery{5000};

// Counted once: the table is listed with every event.
std::map<std::pair<ProfileName, const mig::Product*>, int> idle_in(const pack::Problem& problem) {
  std::map<std::pair<ProfileName, const mig::Product*>, int> idle;
  for (const pack::Spare& spare : problem.spare) idle[{spare.profile, spare.product}] += spare.count;
  for (const pack::Board& board : problem.boards) {
    const mig::Product* product = problem.products[board.product];
    if (board.whole) ++idle[{ProfileName(std::string(pack::kWhole)), product}];
    for (const pack::Instance& one : board.instances)
      if (!one.held) ++idle[{product->profiles[static_cast<std::size_t>(one.placed.profile)].name, product}];
  }
  return idle;
}

// The homes that stand in a problem, each once.
template <class Problem, class Each>
void each_homes(Problem& problem, Each each) {
  for (auto& board : problem.boards) {
    if (board.homes.nodes) each(board.homes);
    for (auto& instance : board.instances)
      if (instance.homes.nodes) each(instance.homes);
  }
}

// Sets of nodes that are equal to some of before become these, so that comparing both problems compares each
// set once, and not once for each instance.
void keep_homes(pack::Problem& problem, const pack::Problem& before) {
  using Nodes = std::shared_ptr<const std::set<NodeName>>;
  std::set<Nodes> known;
  each_homes(before, [&](const pack::Homes& homes) { known.insert(homes.nodes); });
  std::map<Nodes, Nodes> kept;
  each_homes(problem, [&](pack::Homes& homes) {
    const auto [at, fresh] = kept.try_emplace(homes.nodes, homes.nodes);
    if (fresh)
      for (const Nodes& one : known)
        if (*one == *homes.nodes) at->second = one;
    homes.nodes = at->second;
  });
}

std::shared_ptr<const PackBoards> read_boards(const UiState& state, const UiContext& ui,
                                              const Cluster& cluster, const PackState& pack) {
  const std::vector<NodeName> nodes = nodes_of(cluster, pack.only);
  pack::ClusterProblem found = pack::problem_of(cluster, nodes, ui.catalogue, capabilities_of(state, cluster),
                                                pack.until, pack.naming, nullptr, pack.evict);
  if (pack.boards) keep_homes(found.problem, pack.boards->problem);
  auto idle = idle_in(found.problem);
  return std::make_shared<const PackBoards>(PackBoards{std::move(found.problem), std::move(found.left_out),
                                                       std::move(idle), fleet::unasked_text(cluster, nodes)});
}

bool same_boards(const PackBoards& a, const PackBoards& b) {
  return a.problem.mode == b.problem.mode && a.problem.products == b.problem.products &&
         a.problem.boards == b.problem.boards && a.problem.spare == b.problem.spare &&
         a.problem.busy == b.problem.busy && a.left_out == b.left_out && a.unasked == b.unasked;
}

bool is_due(const PackState& pack, const UiState& state, const UiContext& ui, const Cluster& cluster) {
  if (!pack.boards || pack.revision == 0) return true;
  if (pack.revision == ui.model.revision + 1) return false;
  if (stands_in_past(state)) return true;
  return cluster.nodes.size() < kManyNodes || ui.wall - pack.at >= kManyEvery;
}

void take_boards(PackState& pack, const UiState& state, const UiContext& ui, const Cluster& cluster) {
  std::shared_ptr<const PackBoards> now = read_boards(state, ui, cluster, pack);
  // What has not changed stays the same value, so that nothing is asked again.
  if (!pack.boards || !same_boards(*pack.boards, *now)) pack.boards = std::move(now);
  pack.revision = ui.model.revision + 1;
  pack.at = ui.wall;
}

int idle_of(const PackBoards& boards, const PackWant& want) {
  int idle = 0;
  for (const auto& [kind, count] : boards.idle)
    if (kind.first == want.profile && (!want.product || want.product == kind.second)) idle += count;
  return idle;
}

// A line for each profile of the products that stand there, by name; lines that are there stay.
void list_profiles(PackState& pack) {
  for (const mig::Product* product : pack.boards->problem.products)
    for (const mig::Profile& profile : product->profiles)
      if (std::none_of(pack.wants.begin(), pack.wants.end(),
                       [&](const PackWant& want) { return want.profile == profile.name; }))
        pack.wants.push_back({profile.name, nullptr, 0, 0});
  const bool has_whole = std::any_of(pack.wants.begin(), pack.wants.end(),
                                     [](const PackWant& want) { return pack::is_whole(want.profile); });
  if (!has_whole && !pack.boards->problem.products.empty())
    pack.wants.push_back({ProfileName(std::string(pack::kWhole)), nullptr, 0, 0});
  for (PackWant& want : pack.wants) want.idle = idle_of(*pack.boards, want);
}

// products: of what is asked for, too. Whole GPUs of one that no plan may change may be asked for: they are
// unmet.
std::vector<pack::Demand> demand_of(const PackState& pack, std::vector<const mig::Product*>& products) {
  std::vector<pack::Demand> demand;
  for (const PackWant& want : pack.wants) {
    if (want.count == 0) continue;
    pack::Demand one{want.profile, std::nullopt, want.count};
    if (want.product) one.product = pack::number_in(products, want.product);
    demand.push_back(std::move(one));
  }
  return demand;
}

void put_demand_of(const PackState& pack, PackQuestion& next) {
  next.naming = pack.naming;
  if (pack.queue)
    next.queue = pack.queue;
  else
    next.demand = demand_of(pack, next.products);
}

// A product may leave the cluster while it is asked for, and time goes on.
std::string why_not_asked(const PackState& pack, TimePoint now) {
  if (pack.until && *pack.until <= now)
    return "the time by which work was to end is over: :pack by TIME takes another one, :pack by never none";
  const std::vector<const mig::Product*>& products = pack.boards->problem.products;
  for (const PackWant& want : pack.wants)
    if (want.count > 0 && want.product && !pack::is_whole(want.profile) &&
        std::find(products.begin(), products.end(), want.product) == products.end())
      return fmt::format("no GPU that can be planned here is of {}", want.product->key.text);
  return "";
}

// moved: another moment of a recording is shown, and an answer of the one before tells nothing of it.
void ask(PackState& pack, const UiState& state, const UiContext& ui, const Cluster& cluster, bool moved) {
  pack.trouble = why_not_asked(pack, cluster_now(cluster, ui.wall));
  PackQuestion next{pack.boards, {}, pack.boards->problem.products, pack.evict, pack.takes_queue, {}, nullptr,
                    pack.until,  {}};
  next.reads_queue = next.reads_queue && pack.trouble.empty();
  if (next.reads_queue)
    next.partition = pack.only.partition,
    next.naming = pack::naming_on(cluster, nodes_of(cluster, pack.only));
  else if (pack.trouble.empty())
    put_demand_of(pack, next);
  if (!next.reads_queue && next.demand.empty() && !next.queue) {
    pack.question = nullptr, pack.answer = nullptr;
    return;
  }
  const PackQuestion* asked = pack.question.get();
  if (asked && !moved && asked->boards == next.boards && asked->evict == next.evict &&
      asked->until == next.until && asked->demand == next.demand && asked->products == next.products &&
      asked->queue == next.queue && asked->reads_queue == next.reads_queue &&
      asked->partition == next.partition)
    return;
  // Edits in quick succession share a copy of the cluster; who holds what moves on without its GPUs. What
  // waits is that of now.
  const bool same = asked && !moved && !next.reads_queue && asked->boards == pack.boards && asked->then &&
                    std::chrono::abs(Duration(cluster_now(cluster, ui.wall) - asked->then->now)) < kCopied;
  next.then = same ? asked->then : then_of(state, ui, cluster);
  pack.question = std::make_shared<const PackQuestion>(std::move(next));
}

}  // namespace

void refresh_pack(UiState& state, Screen& screen, const UiContext& ui) {
  const Cluster* cluster = ui.model.find(screen.cluster);
  std::string why = why_not_planned(state, cluster);
  std::optional<Error> error;
  bool typed = false, moved = false;
  change_kept(state.pack, [&](PackState& pack) {
    if (pack.cluster != screen.cluster) pack = PackState{screen.cluster};
    pack.refused = std::move(why);
    if (!pack.refused.empty()) {
      pack.question = nullptr, pack.answer = nullptr, pack.revision = 0;
      return;
    }
    const bool due = is_due(pack, state, ui, *cluster);
    if (due) take_boards(pack, state, ui, *cluster);
    list_profiles(pack);
    typed = !pack.typed.empty();
    if (typed) error = take_typed(pack, ui);
    moved = due && stands_in_past(state);
  });
  if (error) say(state, ui, Severity::danger, to_line(*error));
  if (!state.pack->refused.empty()) return;
  if (typed && !error) request_past(state);
  // Before the planner is asked: the next refresh may be long in coming.
  take_history(state, ui);
  change_kept(state.pack, [&](PackState& pack) {
    // Which GPUs can be planned depends on what was typed, and on where the demand came from.
    if (pack.revision == 0) take_boards(pack, state, ui, *cluster), list_profiles(pack);
    if (!pack.stopped) ask(pack, state, ui, *cluster, moved);
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
  const pack::Problem& then = *state.pack->answer->problem;
  // Both are in the order of the cluster's nodes.
  auto from = now.begin();
  for (const pack::BoardPlan& plan : state.pack->answer->answer->boards) {
    const pack::Board& board = then.boards[plan.board];
    from = std::find_if(from, now.end(), [&](const pack::Board& one) {
      return one.node == board.node && one.gpu == board.gpu;
    });
    if (from == now.end() || from->instances != board.instances || from->whole != board.whole ||
        from->whole_held != board.whole_held ||
        state.pack->boards->problem.products[from->product] != then.products[board.product])
      return true;
  }
  return state.pack->boards->problem.mode != then.mode;
}

void take_answer(UiState& state, const UiContext& ui, const PackTold& told) {
  if (!state.pack || !told.what || told.what->question != state.pack->question) return;
  if (told.what->queue) return take_queue(state, ui, *told.what->queue);
  change_kept(state.pack, [&](PackState& pack) { pack.answer = told.what; });
}

}  // namespace tessera::tui
