#include "engine/pack/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "engine/hostlist.hpp"
#include "engine/mig/product_of.hpp"
#include "engine/number.hpp"
#include "engine/pack/by_nodes.hpp"
#include "engine/pack/left_out.hpp"
#include "engine/pack/whole.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/text.hpp"

namespace tessera::pack {
namespace {

void pass_by(Problem& problem, const NodeName& node, const mig::Product* product) {
  std::vector<PassedBy>& all = problem.passed_by;
  const auto same = [&](const PassedBy& one) { return one.node == node && one.product == product; };
  // GPUs of a node stand together.
  if (all.empty() || !same(all.back())) all.push_back({node, product, 0});
  ++all.back().gpus;
}

// Which of these nodes running work may use where it is moved. Of a pod no more is told than where it runs,
// and of a Slurm job its partition: of several that it was submitted to, the one in which it runs.
class FindHomes {
 public:
  FindHomes(const Cluster& cluster, const std::set<NodeName>& nodes) : cluster_(cluster), nodes_(nodes) {}

  Homes operator()(const Slice& slice) {
    if (cluster_.scheduler != Scheduler::slurm || !slice.exact || slice.holders.size() != 1) return {};
    const Workload* work = cluster_.workloads.find(slice.holders.front().workload);
    if (!work) return {};
    const auto [at, fresh] = known_.try_emplace(why::reach_of(*work, cluster_.scheduler));
    if (fresh) at->second = open_to(*work);
    return at->second;
  }

 private:
  Homes open_to(const Workload& work) const {
    Reach reach(cluster_, work);
    std::set<NodeName> open;
    for (const NodeName& name : nodes_)
      if (const Node* node = cluster_.nodes.find(name); node && reach(*node)) open.insert(name);
    if (open.size() == nodes_.size()) return {};
    for (const auto& [reach_text, homes] : known_)
      if (homes.nodes && *homes.nodes == open) return homes;
    return {std::make_shared<const std::set<NodeName>>(std::move(open))};
  }

  const Cluster& cluster_;
  const std::set<NodeName>& nodes_;
  std::map<std::string, Homes> known_;
};

Board board_of(const Look& look, const Gpu& gpu, const mig::Product& product, std::size_t number,
               FindHomes& homes) {
  Board board{look.node.name, gpu.index, number, {}};
  if (gpu.strategy == Strategy::whole) {
    board.whole = std::all_of(gpu.slices.begin(), gpu.slices.end(), look.is_free);
    board.whole_held = !board.whole;
    if (board.whole_held && look.evict && gpu.slices.size() == 1) board.homes = homes(gpu.slices.front());
    return board;
  }
  if (!mig::observed_layout(product, gpu)) {
    board.placed = false;
    const mig::Layout anywhere = layout_anywhere(product, gpu).value_or(mig::Layout());
    for (const mig::Placed& any : anywhere) board.instances.push_back({any, false});
    return board;
  }
  for (const Slice& slice : gpu.slices) {
    const bool held = !look.is_free(slice);
    const bool stays = held && look.evict && !may_be_moved(look, slice);
    board.instances.push_back({{*product.index_of(slice.profile.view()), slice.placement->start},
                               held,
                               stays,
                               held && look.evict && !stays ? homes(slice) : Homes{}});
  }
  return board;
}

// What is idle on the node, and no board tells: on GPUs that are left out, in the pool, and what is known by
// its number alone.
class Spares {
 public:
  Spares(const Node& node, const mig::Catalogue& catalogue, const Free& is_free)
      : node_(node), catalogue_(catalogue), is_free_(is_free) {
    for (const UnheldKind& open : node.open_kinds)
      if (open.kind == SliceKind::gpu_instance && open.capacity == 1) add(open.profile, open.units);
    for (const Slice& slice : node.pool) count(slice, sharing::amd::is_amd(node));
  }
  void add_left_out(const Gpu& gpu) {
    if (is_pending(gpu)) return;
    for (const Slice& slice : gpu.slices) count(slice, sharing::amd::is_amd(gpu));
  }
  // Of these every instance is told by itself; those that are free by the end of their work were open before.
  void add_planned(const Gpu& gpu) {
    for (const Slice& slice : gpu.slices)
      if (slice.holding == Holding::unknown && is_free_(slice)) add(slice.profile, -1);
  }
  void into(std::vector<Spare>& all, bool only_whole) const {
    for (const auto& [profile, count] : counts_)
      if (count > 0 && (!only_whole || is_whole(profile)))
        all.push_back({node_.name, profile, product_of(profile), count});
  }

 private:
  // Who asks for a whole GPU here gets none of AMD's.
  void count(const Slice& slice, bool amd) {
    if (slice.capacity != 1 || slice.usable != true || slice.holding != Holding::free) return;
    if (slice.kind == SliceKind::gpu_instance) add(slice.profile, 1);
    if (slice.kind == SliceKind::whole_gpu && !amd) ++counts_[ProfileName(std::string(kWhole))];
  }
  void add(const ProfileName& profile, int count) {
    counts_[mig::canonical_profile(profile.text).value_or(profile)] += count;
  }
  const mig::Product* product_of(const ProfileName& profile) const {
    const mig::Product* only = nullptr;
    for (const Gpu& gpu : node_.gpus) {
      const mig::Product* one = mig::product_of(gpu, catalogue_);
      if (!one) return nullptr;
      if (!is_whole(profile) && !one->find(profile.text)) continue;
      if (only && only != one) return nullptr;
      only = one;
    }
    return only;
  }

  const Node& node_;
  const mig::Catalogue& catalogue_;
  const Free& is_free_;
  std::map<ProfileName, int> counts_;
};

// The fewest GPUs on which the instances of the pool can stand.
int gpus_of_pool(const Node& node, const mig::Catalogue& catalogue) {
  std::map<std::string, std::pair<int, double>> kinds;  // count, part of a GPU
  for (const Slice& slice : node.pool)
    if (slice.kind == SliceKind::gpu_instance) ++kinds[slice.profile.text].first;
  double sum = 0;
  for (auto& [name, kind] : kinds) {
    for (const mig::Product& product : catalogue.products())
      if (const mig::Profile* profile = product.find(name); profile && product.units > 0) {
        kind.second = static_cast<double>(profile->memory_slices) / product.units;
        break;
      }
    sum += kind.first * kind.second;
  }
  return kinds.empty() ? 0 : std::max(1, static_cast<int>(std::ceil(sum - 1e-9)));
}

}  // namespace

ClusterProblem problem_of(const Cluster& cluster, std::span<const NodeName> nodes,
                          const mig::Catalogue& catalogue, const plan::Capabilities& can,
                          std::optional<TimePoint> until, std::optional<Naming> asked,
                          const std::map<NodeName, std::string>* refused, bool evict) {
  ClusterProblem found;
  const Free is_free(cluster, until);
  found.problem.mode =
      can.instances == plan::Unit::node || can.needs_closing ? Mode::whole_node : Mode::in_place;
  const std::set<NodeName> wanted(nodes.begin(), nodes.end());
  FindHomes homes(cluster, wanted);
  for (const Node& node : cluster.nodes.all()) {
    if (!wanted.contains(node.name)) continue;
    const Look look{cluster, node, can, found.problem.mode, is_free, evict};
    const Naming naming = naming_of(cluster, node);
    const std::string other = asked ? why_named_otherwise(naming, *asked) : std::string();
    Spares spares(node, catalogue, is_free);
    for (const Gpu& gpu : node.gpus) {
      const mig::Product* product = mig::product_of(gpu, catalogue);
      std::string why = why_left_out(look, gpu, product);
      if (why.empty()) why = other;
      if (why.empty() && refused && refused->contains(node.name)) why = refused->at(node.name);
      if (!why.empty()) {
        ++found.left_out[why];
        spares.add_left_out(gpu);
        if (product) pass_by(found.problem, node.name, product);
        continue;
      }
      spares.add_planned(gpu);
      Board board = board_of(look, gpu, *product, number_in(found.problem.products, product), homes);
      board.resets_others = resets_others(look, gpu, *product);
      board.may_be_whole = may_be_whole(look, gpu, *product);
      found.problem.boards.push_back(std::move(board));
    }
    // A whole GPU has the same name under both strategies of the device plugin.
    const bool serves = other.empty() || (naming == Naming::gpus && asked == Naming::profiles);
    if (serves && takes_work(node) && keeps_free(look)) spares.into(found.problem.spare, !other.empty());
    found.problem.busy.push_back({node.name, running_on(look)});
    if (!node.pool.empty() && sharing::amd::is_amd(node))
      found.left_out["of AMD, whose partition modes are shown, not planned"] += 1;
    else if (const int least = gpus_of_pool(node, catalogue); least > 0)
      found.left_out["with instances whose placement is not known"] += least;
  }
  return found;
}

std::size_t number_in(std::vector<const mig::Product*>& products, const mig::Product* product) {
  auto at = std::find(products.begin(), products.end(), product);
  if (at == products.end()) at = products.insert(at, product);
  return static_cast<std::size_t>(at - products.begin());
}

std::string left_out_text(int count, const std::string& why) {
  return count == 1 ? fmt::format("left out: {} GPU {}", count, why)
                    : fmt::format("left out: {} GPUs {}", count, why);
}

Problem part_of(const Problem& all, std::span<const NodeName> nodes) {
  const std::set<NodeName> wanted(nodes.begin(), nodes.end());
  Problem part;
  part.mode = all.mode, part.evict = all.evict;
  for (const Board& board : all.boards) {
    if (!wanted.contains(board.node)) continue;
    part.boards.push_back(board);
    part.boards.back().product = number_in(part.products, all.products[board.product]);
  }
  for (const Spare& one : all.spare)
    if (wanted.contains(one.node)) part.spare.push_back(one);
  for (const Busy& one : all.busy)
    if (wanted.contains(one.node)) part.busy.push_back(one);
  for (const PassedBy& one : all.passed_by)
    if (wanted.contains(one.node)) part.passed_by.push_back(one);
  return part;
}

namespace {

bool is_passed(const Problem& problem, const mig::Product* product) {
  return std::any_of(problem.passed_by.begin(), problem.passed_by.end(),
                     [&](const PassedBy& one) { return one.product == product; });
}

bool is_here(const Problem& problem, const mig::Product* product) {
  return std::find(problem.products.begin(), problem.products.end(), product) != problem.products.end();
}

// By any of its names; by a type of Slurm's (h100) those of it that are here.
std::vector<const mig::Product*> products_meant(const Problem& problem, const mig::Catalogue& catalogue,
                                                std::string_view text) {
  if (const mig::Product* product = catalogue.by_any(text)) return {product};
  std::vector<const mig::Product*> meant = catalogue.by_slurm_type(text, {});
  std::erase_if(meant,
                [&](const mig::Product* one) { return !is_here(problem, one) && !is_passed(problem, one); });
  return meant;
}

std::string one_of_them(const std::vector<const mig::Product*>& meant) {
  std::vector<std::string> keys;
  for (const mig::Product* product : meant) keys.push_back(product->key.text);
  return fmt::format("it may be any of {}: name one", fmt::join(keys, ", "));
}

// What is asked for is of no product that is here: those that are.
std::string none_of_it(const Problem& problem) {
  std::set<std::string> keys;
  for (const mig::Product* product : problem.products) keys.insert(product->key.text);
  for (const PassedBy& one : problem.passed_by)
    if (one.product) keys.insert(one.product->key.text);
  if (keys.empty()) return "no product of these GPUs is known";
  return fmt::format("none of these GPUs is of that product; they are of {}", fmt::join(keys, ", "));
}

}  // namespace

Result<std::vector<Demand>> read_demand(std::span<const std::string> words, Problem& problem,
                                        const mig::Catalogue& catalogue) {
  std::vector<Demand> demand;
  for (const std::string& word : words) {
    auto cannot = [&](const std::string& why) {
      return Error{"cannot read the demand", "\"" + clean(word, 100) + "\": " + why, "write 3g.40gb=10"};
    };
    const std::size_t equals = word.rfind('='), colon = word.rfind(':', equals);
    if (equals == std::string::npos) return cannot("not PROFILE=COUNT");
    const auto count = whole_number<int>(std::string_view(word).substr(equals + 1), kMostWanted);
    if (!count) return cannot(fmt::format("the count is not a whole number from 0 to {}", kMostWanted));
    const std::size_t begin = colon == std::string::npos ? 0 : colon + 1;
    const auto profile = wanted_name(word.substr(begin, equals - begin));
    if (!profile) return cannot(why_not_wanted(word.substr(0, equals)));
    Demand wanted{*profile, std::nullopt, *count};
    if (colon != std::string::npos) {
      const auto meant = products_meant(problem, catalogue, word.substr(0, colon));
      if (meant.size() > 1) return cannot(one_of_them(meant));
      const mig::Product* product = meant.empty() ? nullptr : meant.front();
      const bool passed = product && is_passed(problem, product), here = product && is_here(problem, product);
      if (passed && !here && !is_whole(*profile)) return cannot("no GPU of that product may be planned now");
      if (!passed && !here) return cannot(none_of_it(problem));
      wanted.product = number_in(problem.products, product);
    }
    for (const Demand& other : demand)
      if (other.profile == wanted.profile &&
          (!other.product || !wanted.product || other.product == wanted.product))
        return cannot("that profile is listed twice");
    demand.push_back(std::move(wanted));
  }
  return demand;
}

std::string word_of(const Demand& demand, const std::vector<const mig::Product*>& products) {
  return (demand.product ? products[*demand.product]->key.text + ":" : "") + demand.profile.text;
}

std::string unmet_text(const Problem& problem, const Answer& answer, std::size_t demand) {
  const Demand& one = problem.demand[demand];
  const std::string word = word_of(one, problem.products);
  if (!one.pool || problem.pools[*one.pool].empty())
    return fmt::format("unmet: {} of {} {}", answer.unmet[demand], one.count, word);
  std::vector<std::string> names;
  for (const NodeName& node : problem.pools[*one.pool]) names.push_back(node.text);
  return fmt::format("unmet: {} of {} {} on {}", answer.unmet[demand], one.count, word,
                     fold_for_reading(std::move(names)));
}

mig::Layout layout_after(const BoardPlan& plan) {
  mig::Layout layout = plan.keep;
  layout.insert(layout.end(), plan.create.begin(), plan.create.end());
  std::sort(layout.begin(), layout.end());
  return layout;
}

plan::Way way_of(const Answer& answer, plan::Way allowed) {
  return answer.evicted > 0 ? allowed : plan::Way::wait;
}

plan::Intent intent_of(const Problem& problem, const Answer& answer, const ClusterName& cluster) {
  plan::Intent intent;
  intent.cluster = cluster;
  std::set<NodeName> seen;
  for (const BoardPlan& plan : answer.boards) {
    const Board& board = problem.boards[plan.board];
    if (seen.insert(board.node).second) intent.nodes.push_back(board.node);
    intent.boards.push_back(
        {board.gpu,
         plan.to_whole ? plan::Wish() : plan::wish_of(*problem.products[board.product], layout_after(plan)),
         board.node});
  }
  return intent;
}

std::string intent_text(const Problem& problem, const Answer& answer) {
  std::map<NodeName, std::string> nodes;
  for (const BoardPlan& plan : answer.boards) {
    const Board& board = problem.boards[plan.board];
    const mig::Layout layout = layout_after(plan);
    nodes[board.node] += fmt::format(
        "    {}: {}\n", board.gpu.value,
        plan.to_whole ? std::string(kWhole) : mig::to_text(*problem.products[board.product], layout));
  }
  if (nodes.empty()) return "";
  std::string text = "nodes:\n";
  for (const auto& [node, gpus] : nodes) text += fmt::format("  {}:\n{}", node.text, gpus);
  return text;
}

}  // namespace tessera::pack
