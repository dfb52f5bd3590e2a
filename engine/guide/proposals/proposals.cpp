// Layouts for MIG: which multiset of instances serves those who wait and keeps those who run.
#include "engine/guide/proposals/proposals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "engine/guide/demand.hpp"
#include "engine/guide/proposals/offers.hpp"
#include "engine/guide/proposals/proposals_turns.hpp"
#include "engine/sharing/presets.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::guide {

namespace {

constexpr std::size_t kTailored = 64;  // GPUs; beyond, one layout for all is what can be looked after

using Multiset = std::vector<int>;  // profiles, ascending

struct HeldInstance {
  mig::Placed placed;
  std::vector<WorkloadId> holders;
};

// A GPU as it is: what must not be moved, and who uses it whole.
struct Board {
  NodeName node;
  std::optional<GpuIndex> gpu;
  std::vector<HeldInstance> held;
  std::map<int, std::int64_t> free;  // free instances, by profile: they are on offer already
  std::vector<std::pair<WorkloadId, std::optional<Mib>>> whole;  // with the memory that is measured
  bool unclear = false;  // held by someone unknown, or an instance whose place is not reported

  mig::Layout layout() const {
    mig::Layout all;
    for (const HeldInstance& one : held) all.push_back(one.placed);
    std::sort(all.begin(), all.end());
    return all;
  }
};

std::vector<WorkloadId> holders_of(const Slice& slice) {
  std::vector<WorkloadId> ids;
  for (const Holder& holder : slice.holders) ids.push_back(holder.workload);
  return ids;
}

void add_slice(Board& board, const mig::Product& product, const Gpu& gpu, const Slice& slice) {
  const auto profile =
      slice.kind == SliceKind::gpu_instance ? product.index_of(slice.profile.text) : std::nullopt;
  if (slice.holding == Holding::free) {
    if (profile) ++board.free[*profile];
    return;
  }
  if (profile && slice.placement) {
    board.held.push_back({{*profile, slice.placement->start}, holders_of(slice)});
    return;
  }
  // Unknown counts as held: no work is planned away on a guess.
  if (slice.holders.empty()) board.unclear = true;
  const bool alone = slice.holders.size() == 1;
  for (const WorkloadId& id : holders_of(slice)) {
    auto memory = slice.memory_used ? slice.memory_used : alone ? gpu.telemetry.memory_used : std::nullopt;
    board.whole.emplace_back(id, memory);
  }
}

std::vector<Board> boards_of(const Scope& scope, const mig::Product& product) {
  std::vector<Board> boards;
  for (const Gpu* gpu : scope.boards) {
    Board board;
    board.gpu = gpu->index;
    for (const Node* node : scope.nodes) {
      const bool here =
          !node->gpus.empty() && gpu >= node->gpus.data() && gpu < node->gpus.data() + node->gpus.size();
      if (here) board.node = node->name;
    }
    for (const Slice& slice : gpu->slices) add_slice(board, product, *gpu, slice);
    boards.push_back(std::move(board));
  }
  if (boards.empty()) boards.emplace_back();
  return boards;
}

// A candidate on one GPU.
struct Fit {
  bool possible = false;
  bool open = false;  // one more instance would still have room: another candidate holds more
  mig::Layout layout;
  std::vector<std::size_t> kept;  // indices into Board::held
  int stranded_memory = 0;
  int stranded_compute = 0;
};

// What no instance uses, where the platform fills it with no other.
void strand_the_rest(Fit& fit, const mig::Product& product) {
  int compute = product.compute_slices, memory = product.units;
  for (const mig::Placed& placed : fit.layout) {
    const mig::Profile& profile = product.profiles.at(static_cast<std::size_t>(placed.profile));
    compute -= profile.compute_slices, memory -= profile.memory_slices;
  }
  fit.stranded_compute = std::max(compute, 0);
  fit.stranded_memory = std::max(memory, 0);
}

// listed: a platform takes only the layouts that it lists, so that nothing else goes into the rest.
Fit fit_on(const mig::Product& product, const Multiset& wanted, const Board& board, bool listed) {
  Fit fit;
  Multiset rest = wanted;
  mig::Layout kept;
  for (std::size_t i = 0; i < board.held.size(); ++i) {
    const auto found = std::find(rest.begin(), rest.end(), board.held[i].placed.profile);
    if (found == rest.end()) continue;
    rest.erase(found);
    kept.push_back(board.held[i].placed);
    fit.kept.push_back(i);
  }
  std::sort(kept.begin(), kept.end());
  std::optional<mig::Layout> placed = mig::place(product, rest, kept);
  if (!placed && !kept.empty()) {
    fit.kept.clear();
    placed = mig::place(product, wanted);
  }
  if (!placed) return fit;
  fit.possible = true;
  fit.layout = std::move(*placed);
  const mig::Room room = mig::room(product, fit.layout);
  fit.open = room.largest.has_value();
  fit.stranded_memory = room.stranded_memory_slices;
  fit.stranded_compute = room.stranded_compute_slices;
  if (listed) strand_the_rest(fit, product);
  return fit;
}

// GPUs that look alike are worked out once.
class Fits {
 public:
  Fits(const mig::Product& product, bool listed) : product_(product), listed_(listed) {}
  const Fit& of(const Multiset& wanted, const Board& board) {
    const auto key = std::pair(wanted, board.layout());
    auto found = cache_.find(key);
    if (found == cache_.end()) found = cache_.emplace(key, fit_on(product_, wanted, board, listed_)).first;
    return found->second;
  }

 private:
  const mig::Product& product_;
  bool listed_;
  std::map<std::pair<Multiset, mig::Layout>, Fit> cache_;
};

std::vector<Multiset> candidates(const mig::Product& product) {
  std::set<Multiset> all;
  for (const mig::Layout& layout : mig::enumerate(product, mig::Which::maximal)) {
    Multiset one;
    for (const mig::Placed& placed : layout) one.push_back(placed.profile);
    std::sort(one.begin(), one.end());
    all.insert(std::move(one));
  }
  return {all.begin(), all.end()};
}

const mig::Profile& at(const mig::Product& product, int index) {
  return product.profiles.at(static_cast<std::size_t>(index));
}

std::string wish_of(const mig::Product& product, const Multiset& one) {
  std::vector<std::string> names;
  for (auto it = one.rbegin(); it != one.rend(); ++it) names.push_back(at(product, *it).name.text);
  return fmt::format("{}", fmt::join(names, ","));
}

void add_board(Proposal& proposal, Offer& offer, const mig::Product& product, const Board& board,
               const Fit& fit) {
  Multiset profiles;
  for (const mig::Placed& placed : fit.layout) profiles.push_back(placed.profile);
  std::sort(profiles.begin(), profiles.end());
  BoardProposal one{
      board.node, board.gpu, fit.layout, wish_of(product, profiles), static_cast<int>(fit.kept.size()), {}};
  std::map<int, std::int64_t> parts;
  for (const mig::Placed& placed : fit.layout) ++parts[placed.profile];
  for (std::size_t i = 0; i < board.held.size(); ++i) {
    if (std::find(fit.kept.begin(), fit.kept.end(), i) != fit.kept.end()) {
      --parts[board.held[i].placed.profile];
    } else {
      one.ends.insert(one.ends.end(), board.held[i].holders.begin(), board.held[i].holders.end());
    }
  }
  for (const auto& [profile, count] : parts) {
    const auto there = board.free.find(profile);
    offer.parts[profile] +=
        std::max<std::int64_t>(0, count - (there == board.free.end() ? 0 : there->second));
  }
  for (const auto& [id, memory] : board.whole) one.ends.push_back(id);
  for (const mig::Placed& placed : fit.layout) {
    if (at(product, placed.profile).name.empty()) continue;
    ++proposal.advertised[at(product, placed.profile).name.text];
  }
  if (board.unclear) proposal.notes.push_back("an unknown client holds a slice of these GPUs");
  proposal.stranded_memory += fit.stranded_memory;
  proposal.stranded_compute += fit.stranded_compute;
  proposal.ends.insert(proposal.ends.end(), one.ends.begin(), one.ends.end());
  proposal.boards.push_back(std::move(one));
}

template <class T>
void make_unique(std::vector<T>& all) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

// Those who must leave a whole GPU, put into the smallest part that holds the memory they are seen to use.
void rehouse(Proposal& proposal, Offer& offer, const mig::Product& product,
             const std::vector<Board>& boards) {
  for (const Board& board : boards) {
    for (const auto& [id, memory] : board.whole) {
      if (!memory) continue;
      std::optional<int> best;
      for (const auto& [profile, count] : offer.parts) {
        const auto size = at(product, profile).memory;
        if (count < 1 || !size || size->value < memory->value) continue;
        if (!best || size->value < at(product, *best).memory->value) best = profile;
      }
      if (!best) continue;
      --offer.parts[*best];
      proposal.rehoused.push_back(id);
    }
  }
}

struct NamedLayout {
  Multiset profiles;
  std::string name;
  std::string note;
};

struct Ask {
  const Scope& scope;
  const mig::Product& product;
  sharing::Platform platform;
  std::vector<Board> boards;
  plan::Queue queue;
  std::vector<Demand> waiting;
  std::vector<NamedLayout> offered;  // a managed platform's own layouts; empty: any
};

std::vector<NamedLayout> of_one_profile(const mig::Product& product, sharing::Platform platform) {
  std::vector<NamedLayout> all;
  for (auto&& [profiles, name] : layouts_of_one_profile(product, platform))
    all.push_back({std::move(profiles), std::move(name), {}});
  return all;
}

// A managed platform with tables of its own takes nothing else; nor does what has one profile for all.
std::vector<NamedLayout> offered_by(const Scope& scope, const mig::Product& product,
                                    sharing::Platform platform) {
  std::vector<NamedLayout> all;
  if (takes_one_profile(scope, platform)) return of_one_profile(product, platform);
  const auto tables = sharing::built_in_presets();
  if (platform != sharing::Platform::fpt || !tables) return all;
  for (const sharing::Preset& preset : sharing::presets(product, platform, *tables)) {
    if (!preset.mig) continue;
    all.push_back({preset.profiles, preset.name, preset.note});
    std::sort(all.back().profiles.begin(), all.back().profiles.end());
  }
  return all;
}

std::optional<std::string> name_of(const Ask& q, const Multiset& one) {
  for (const NamedLayout& layout : q.offered) {
    if (layout.profiles == one) return layout.name;
  }
  if (!q.offered.empty()) return std::nullopt;
  std::optional<std::string> name = sharing::operator_name(q.product, one);
  if (!name && q.platform == sharing::Platform::hyperpod_eks) name = sharing::hyperpod_name(q.product, one);
  return name;
}

bool uniform(const std::vector<Multiset>& choice) {
  return std::all_of(choice.begin(), choice.end(), [&](const Multiset& one) {
    return !one.empty() && one.front() == one.back() && one.front() == choice.front().front();
  });
}

std::optional<Proposal> build(const Ask& q, Fits& fits, const std::vector<Multiset>& choice) {
  Proposal proposal;
  Offer offer;
  for (std::size_t i = 0; i < q.boards.size(); ++i) {
    const Fit& fit = fits.of(choice[i], q.boards[i]);
    if (!fit.possible) return std::nullopt;
    add_board(proposal, offer, q.product, q.boards[i], fit);
  }
  const Scheduler scheduler = sharing::scheduler_of(q.platform);
  const auto named = scheduler == Scheduler::kubernetes ? strategy_of(q.scope) : std::nullopt;
  offer.single = scheduler == Scheduler::kubernetes && uniform(choice) &&
                 named.value_or(sharing::MigStrategy::single) == sharing::MigStrategy::single;
  for (const Demand& demand : q.waiting) {
    (grant(offer, demand) ? proposal.fit : proposal.wait).push_back(demand.workload);
  }
  make_unique(proposal.ends);
  make_unique(proposal.notes);
  rehouse(proposal, offer, q.product, q.boards);
  proposal.sizes = static_cast<int>(proposal.advertised.size());  // by profile, so far
  const bool alike =
      std::all_of(choice.begin(), choice.end(), [&](const auto& one) { return one == choice[0]; });
  if (alike) {
    proposal.title = title_of(q.product, choice[0]);
    proposal.layout = wish_of(q.product, choice[0]);
    proposal.preset = name_of(q, choice[0]);
    for (const NamedLayout& layout : q.offered)
      if (layout.profiles == choice[0] && !layout.note.empty()) proposal.notes.push_back(layout.note);
  } else {
    proposal.title = "a layout for each GPU";
  }
  return proposal;
}

// What people feel: who must go without a new place, who gets in, who must move.
auto service(const Proposal& one) {
  return std::tuple(one.ends.size() - one.rehoused.size(), -static_cast<std::ptrdiff_t>(one.fit.size()),
                    one.ends.size());
}

// A single instance for each GPU does not share it: it comes after those that do.
bool shares_none(const Proposal& one) {
  return std::all_of(one.boards.begin(), one.boards.end(),
                     [](const BoardProposal& board) { return board.layout && board.layout->size() < 2; });
}

auto rank(const Proposal& one) {
  return std::tuple(service(one), shares_none(one), one.stranded_memory + one.stranded_compute, -one.sizes,
                    one.preset ? 0 : 1, one.title);
}

// GPU by GPU the layout that serves most of what still waits, without ending anyone who could stay.
std::vector<Multiset> tailored(const Ask& q, Fits& fits, const std::vector<Multiset>& all,
                               const Multiset& otherwise) {
  std::vector<Demand> open = q.waiting;
  std::vector<Multiset> choice;
  for (const Board& board : q.boards) {
    std::tuple<std::size_t, std::ptrdiff_t, int> best_score{};
    const Multiset* best = nullptr;
    std::vector<Demand> best_rest;
    for (const Multiset& one : all) {
      const Fit& fit = fits.of(one, board);
      if (!fit.possible) continue;
      Proposal alone;
      Offer offer;
      add_board(alone, offer, q.product, board, fit);
      std::vector<Demand> rest;
      for (const Demand& demand : open) {
        if (!grant(offer, demand)) rest.push_back(demand);
      }
      const bool usual = one == otherwise;
      const std::tuple score{alone.ends.size(), static_cast<std::ptrdiff_t>(rest.size()),
                             2 * (fit.stranded_memory + fit.stranded_compute) + (usual ? 0 : 1)};
      if (best != nullptr && !(score < best_score)) continue;
      best = &one;
      best_score = score;
      best_rest = std::move(rest);
    }
    if (best == nullptr) return {};
    choice.push_back(*best);
    open = std::move(best_rest);
  }
  return choice;
}

// Those that a plan could make; where it could make none of them it says why.
void keep_best(std::vector<Proposal>& sorted, const Scope& scope) {
  std::vector<Proposal> best;
  for (const Proposal& one : sorted)
    if (best.size() < kProposals && can_be_made(one, scope)) best.push_back(one);
  if (!best.empty()) sorted = std::move(best);
  if (sorted.size() > kProposals) sorted.resize(kProposals);
}

}  // namespace

std::string title_of(const mig::Product& product, std::vector<int> profiles) {
  std::sort(profiles.begin(), profiles.end(), [&](int left, int right) {
    const auto key = [&](int i) {
      return std::tuple(-at(product, i).compute_slices, -at(product, i).memory_slices, i);
    };
    return key(left) < key(right);
  });
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < profiles.size();) {
    const std::size_t first = i;
    while (i < profiles.size() && profiles[i] == profiles[first]) ++i;
    parts.push_back(fmt::format("{} × {}", i - first, at(product, profiles[first]).name.text));
  }
  return fmt::format("{}", fmt::join(parts, " + "));
}

std::vector<Proposal> propose_layouts(const Scope& scope, sharing::Platform platform, bool one_profile) {
  if (scope.product == nullptr || !scope.product->mig_capable || !scope.product->placements_known) return {};
  const mig::Product& product = *scope.product;
  Ask q{scope, product, platform, boards_of(scope, product), {}, {}, offered_by(scope, product, platform)};
  if (platform == sharing::Platform::fpt && q.offered.empty()) return {};
  const bool listed = !q.offered.empty();
  if (one_profile && q.offered.empty()) q.offered = of_one_profile(product, platform);
  if (one_profile) std::erase_if(q.offered, [](const auto& one) { return !uniform({one.profiles}); });
  if (scope.cluster != nullptr && scope.catalogue != nullptr)
    q.queue = plan::queue_of(*scope.cluster, *scope.catalogue);
  q.waiting = demands(q.queue, &product);
  Fits fits(product, listed);
  std::vector<Multiset> all;
  for (const NamedLayout& layout : q.offered) all.push_back(layout.profiles);
  if (all.empty()) all = candidates(product);
  std::vector<Proposal> proposals;
  std::vector<Multiset> made;
  for (const Multiset& one : all) {
    const bool open = std::all_of(q.boards.begin(), q.boards.end(),
                                  [&](const Board& board) { return fits.of(one, board).open; });
    if (open && q.offered.empty()) continue;
    if (auto proposal = build(q, fits, std::vector<Multiset>(q.boards.size(), one))) {
      proposals.push_back(std::move(*proposal));
      made.push_back(one);
    }
  }
  const auto better = [](const Proposal& left, const Proposal& right) { return rank(left) < rank(right); };
  const bool each = q.offered.empty() && q.boards.size() > 1 && q.boards.size() <= kTailored;
  if (each && !proposals.empty()) {
    const auto best = static_cast<std::size_t>(std::min_element(proposals.begin(), proposals.end(), better) -
                                               proposals.begin());
    const std::vector<Multiset> choice = tailored(q, fits, all, made[best]);
    if (!choice.empty()) {
      auto proposal = build(q, fits, choice);
      if (proposal && proposal->layout.empty() && service(*proposal) < service(proposals[best])) {
        proposals.push_back(std::move(*proposal));
      }
    }
  }
  std::sort(proposals.begin(), proposals.end(), better);
  keep_best(proposals, scope);
  for (Proposal& one : proposals) {
    tell_offer(one, scope, platform);
    count_starts(one, scope, q.queue);
  }
  std::sort(proposals.begin(), proposals.end(), better);
  if (scope.cluster != nullptr && scope.boards.empty()) {
    for (Proposal& one : proposals) one.notes.push_back("the GPUs are not reported: shown for one empty GPU");
  }
  return proposals;
}

}  // namespace tessera::guide
