#include "engine/pack/unserved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "engine/insight/available.hpp"
#include "engine/pack/by_nodes.hpp"
#include "engine/pack/left_out.hpp"
#include "engine/pack/whole.hpp"
#include "engine/sharing/amd.hpp"

namespace tessera::pack {
namespace {

using Key = std::pair<ProfileName, const mig::Product*>;

// What of a node could serve: its GPUs, and what is on none of them.
struct Room {
  const Node* node = nullptr;
  std::vector<const Board*> boards;
  std::map<Key, int> beside;  // product: nullptr: not known
  std::map<Key, int> most;    // what was asked of it before
};

std::string wants_text(const std::vector<QueueWant>& all) {
  std::string text;
  for (const QueueWant& want : all)
    text +=
        fmt::format("{}*{}*{}\n", want.profile.text, want.product ? want.product->key.text : "", want.count);
  return text;
}

// GPUs are cut alike by the hundred: each kind is worked out once.
class MostOnOne {
 public:
  int operator()(const mig::Product& product, const mig::Layout& held, int profile) {
    const auto [at, fresh] = known_.try_emplace({&product, held, profile}, 0);
    if (!fresh) return at->second;
    std::vector<int> wanted;
    do wanted.push_back(profile);
    while (mig::place(product, wanted, held));
    return at->second = static_cast<int>(wanted.size()) - 1;
  }

 private:
  std::map<std::tuple<const mig::Product*, mig::Layout, int>, int> known_;
};

class Rooms {
 public:
  Rooms(const Cluster& cluster, const Problem& problem, std::optional<TimePoint> until)
      : problem_(problem), is_free_(cluster, until) {
    for (const Busy& one : problem.busy) {
      const Node* node = cluster.nodes.find(one.node);
      if (node && takes_work(*node)) {
        numbers_.emplace(one.node, all_.size());
        all_.push_back({node, {}, {}, {}});
      } else if (node && may_come(*node)) {
        coming_.push_back(node);
      }
    }
    for (const Board& board : problem.boards)
      if (Room* room = room_of(board.node)) room->boards.push_back(&board);
    for (const Spare& spare : problem.spare)
      if (Room* room = room_of(spare.node)) room->beside[{spare.profile, spare.product}] += spare.count;
    for (Room& room : all_) add_unknown(room);
  }
  Room* room_of(const NodeName& node) {
    const auto found = numbers_.find(node);
    return found == numbers_.end() ? nullptr : &all_[found->second];
  }
  // Those of which it is not known what they could give, or that Slurm starts for work.
  const std::vector<const Node*>& coming() const { return coming_; }

  // Those that could give all of it, or of each kind at least one. Thousands of jobs ask for the same on
  // nodes that each of them names: worked out once.
  const std::vector<Room*>& that_give(const std::vector<QueueWant>& all, bool whole) {
    const auto [at, fresh] = that_give_.try_emplace(wants_text(all) + (whole ? "+" : ""));
    if (fresh)
      for (Room& room : all_)
        if (whole ? gives(room, all) : gives_some(room, all)) at->second.push_back(&room);
    return at->second;
  }

  // Whether no node here has any of it: no GPU is changed for it then, and the planner tells why.
  bool has_none(const QueueWant& want) {
    const auto [at, fresh] = none_.try_emplace({want.profile, want.product}, true);
    if (fresh)
      at->second = std::all_of(all_.begin(), all_.end(), [&](Room& room) { return most(room, want) == 0; });
    return at->second;
  }

  // How many of them it could give, whatever else it gives.
  int most(Room& room, const QueueWant& want) {
    const auto [at, fresh] = room.most.try_emplace({want.profile, want.product}, 0);
    if (!fresh) return at->second;
    for (const Board* board : room.boards) at->second += most_on(*board, want);
    return at->second += beside(room, want);
  }
  // At least one of each.
  bool gives_some(Room& room, const std::vector<QueueWant>& all) {
    return std::all_of(all.begin(), all.end(), [&](const QueueWant& want) { return most(room, want) > 0; });
  }
  bool gives(Room& room, const std::vector<QueueWant>& each) {
    return std::all_of(each.begin(), each.end(),
                       [&](const QueueWant& want) { return most(room, want) >= want.count; }) &&
           (each.size() < 2 || (gives_together(room, each, &memory_of, &mig::Product::units) &&
                                gives_together(room, each, &compute_of, &mig::Product::compute_slices)));
  }

 private:
  using Size = int (*)(const mig::Profile&);
  static int memory_of(const mig::Profile& profile) { return profile.memory_slices; }
  static int compute_of(const mig::Profile& profile) { return profile.compute_slices; }

  // Not known to be held is not held; nor is, on a GPU that is not planned, what is free by then.
  void add_unknown(Room& room) {
    std::set<int> planned;
    for (const Board* board : room.boards) planned.insert(board->gpu.value);
    const auto add = [&](const Slice& slice, bool amd, bool of_board) {
      const bool ends = !of_board && slice.holding == Holding::held && is_free_(slice);
      const bool known =
          !ends && (slice.holding == Holding::held || (slice.holding == Holding::free && slice.usable));
      if (known || slice.usable == false || slice.capacity != 1) return;
      if (slice.kind == SliceKind::gpu_instance)
        ++room.beside[{mig::canonical_profile(slice.profile.text).value_or(slice.profile), nullptr}];
      if (slice.kind == SliceKind::whole_gpu && !amd)
        ++room.beside[{ProfileName(std::string(kWhole)), nullptr}];
    };
    for (const Gpu& gpu : room.node->gpus)
      for (const Slice& slice : gpu.slices)
        add(slice, sharing::amd::is_amd(gpu), planned.contains(gpu.index.value));
    for (const Slice& slice : room.node->pool) add(slice, sharing::amd::is_amd(*room.node), false);
  }

  const mig::Product& product_of(const Board& board) const { return *problem_.products[board.product]; }
  bool is_of(const Board& board, const QueueWant& want) const {
    return !want.product || want.product == &product_of(board);
  }
  // Nothing of it may become something else.
  bool is_fixed(const Board& board) const { return board.whole_held && !problem_.evict; }

  static int beside(const Room& room, const QueueWant& want) {
    int count = 0;
    for (const auto& [key, more] : room.beside)
      if (key.first == want.profile && (!want.product || !key.second || want.product == key.second))
        count += more;
    return count;
  }

  mig::Layout held_on(const Board& board) const {
    mig::Layout held;
    for (const Instance& one : board.instances)
      if (one.held && (one.stays || !problem_.evict)) held.push_back(one.placed);
    std::sort(held.begin(), held.end());
    return held;
  }

  int most_on(const Board& board, const QueueWant& want) {
    if (is_fixed(board) || !is_of(board, want)) return 0;
    if (is_whole(want.profile)) return board.whole || board.may_be_whole || board.whole_held ? 1 : 0;
    const std::optional<int> profile = product_of(board).index_of(want.profile.view());
    return profile ? most_on_one_(product_of(board), held_on(board), *profile) : 0;
  }

  // How much of a GPU it takes at least; nullopt: of none here, or it is not published.
  std::optional<int> least_size(const Room& room, const QueueWant& want, Size size,
                                int mig::Product::*all) const {
    std::optional<int> least;
    for (const Board* board : room.boards) {
      const mig::Product& product = product_of(*board);
      const mig::Profile* profile = is_whole(want.profile) ? nullptr : product.find(want.profile.view());
      if (!is_of(*board, want) || (!profile && !is_whole(want.profile))) continue;
      const int one = profile ? size(*profile) : product.*all;
      least = std::min(least.value_or(one), one);
    }
    return least;
  }

  // Each kind alone has room: whether all together take more than there is.
  bool gives_together(const Room& room, const std::vector<QueueWant>& each, Size size,
                      int mig::Product::*all) const {
    std::int64_t taken = 0, there = 0;
    for (const QueueWant& want : each)
      taken += std::max<std::int64_t>(0, want.count - beside(room, want)) *
               least_size(room, want, size, all).value_or(0);
    for (const Board* board : room.boards) {
      const mig::Product& product = product_of(*board);
      if (product.*all <= 0) return true;
      if (is_fixed(*board)) continue;
      there += product.*all;
      for (const mig::Placed& one : held_on(*board))
        there -= size(product.profiles[static_cast<std::size_t>(one.profile)]);
    }
    return taken <= there;
  }

  const Problem& problem_;
  Free is_free_;
  std::vector<Room> all_;
  std::map<NodeName, std::size_t> numbers_;  // in all_
  std::vector<const Node*> coming_;
  std::map<Key, bool> none_;
  std::map<std::string, std::vector<Room*>> that_give_;
  MostOnOne most_on_one_;
};

// What it asks for on so many nodes at least, all together: how much on each is not told, where these are
// several. nullopt: nor is on how many.
struct Shape {
  int nodes = 1;
  std::vector<QueueWant> all;
};
std::optional<Shape> shape_of(const Workload& workload, const std::vector<QueueWant>& wants,
                              Scheduler scheduler) {
  Shape shape{1, wants};
  if (scheduler == Scheduler::kubernetes) return shape;
  if (workload.node_count == 0)
    return wants.size() == 1 && wants.front().count == 1 ? std::optional(shape) : std::nullopt;
  shape.nodes = workload.node_count;
  return shape;
}

// Jobs with the same text have the same answer.
std::string text_of(const Workload& work, const Shape& shape, Scheduler scheduler) {
  std::string text = fmt::format("{}\n{}\n{}", work.group, shape.nodes, wants_text(shape.all));
  if (work.needs)
    text += work.needs->nodes + '\n' + work.needs->excluded + '\n' + work.needs->features + '\n' +
            work.needs->reservation + '\n';
  // Names the taints that repel it.
  if (scheduler == Scheduler::kubernetes) text += work.reason;
  return text;
}

bool has_nodes(Rooms& rooms, const Cluster& cluster, const Workload& work, const Shape& shape) {
  Reach may(cluster, work);
  if (std::any_of(rooms.coming().begin(), rooms.coming().end(), [&](const Node* node) { return may(*node); }))
    return true;
  const bool one = shape.nodes == 1;
  int found = 0;
  std::vector<std::int64_t> sums(shape.all.size());
  const auto is_enough = [&](Room* room) {
    if (!may(*room->node)) return false;
    if (one) return true;
    ++found;
    bool all = found >= shape.nodes;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] += rooms.most(*room, shape.all[i]);
      all = all && sums[i] >= shape.all[i].count;
    }
    return all;
  };
  // Thousands of jobs may name a node each: the others are not looked at.
  if (const why::Named named = why::named_by(work); !named.nodes.empty())
    return std::any_of(named.nodes.begin(), named.nodes.end(), [&](const std::string& name) {
      Room* room = rooms.room_of(NodeName(name));
      return room && (one ? rooms.gives(*room, shape.all) : rooms.gives_some(*room, shape.all)) &&
             is_enough(room);
    });
  const std::vector<Room*>& able = rooms.that_give(shape.all, one);
  return std::any_of(able.begin(), able.end(), is_enough);
}

NoNode named(const Cluster& cluster, const Problem& problem, const Workload& work, const Shape& shape) {
  NoNode one;
  const bool selects =
      work.needs && !(work.needs->nodes + work.needs->excluded + work.needs->features).empty();
  const bool all = problem.busy.size() == cluster.nodes.size();
  if (cluster.scheduler != Scheduler::kubernetes && all && !selects) one.partition = work.group;
  one.nodes = shape.nodes;
  for (const Request& request : work.requests)
    if (request.count > 0)
      one.request +=
          fmt::format("{}{} × {}", one.request.empty() ? "" : ", ", request.count, request.resource);
  return one;
}

}  // namespace

void leave_out_unserved(QueueDemand& queue, const Cluster& cluster, const Problem& problem,
                        std::optional<TimePoint> until, const Stop& stop) {
  Rooms rooms(cluster, problem, until);
  std::map<std::string, bool> known;
  std::map<std::tuple<std::string, std::string, int>, int> counts;
  std::vector<QueueDemand::Waiting> served;
  for (QueueDemand::Waiting& one : queue.waiting) {
    if (stop && stop()) return;
    const Workload* work = cluster.workloads.find(one.id);
    const auto shape = work ? shape_of(*work, one.wants, cluster.scheduler) : std::nullopt;
    if (shape && !(one.wants.size() == 1 && rooms.has_none(one.wants.front()))) {
      const auto [at, fresh] = known.try_emplace(text_of(*work, *shape, cluster.scheduler), true);
      if (fresh) at->second = has_nodes(rooms, cluster, *work, *shape);
      if (!at->second) {
        const NoNode kind = named(cluster, problem, *work, *shape);
        ++counts[{kind.partition, kind.request, kind.nodes}];
        continue;
      }
    }
    served.push_back(std::move(one));
  }
  queue.waiting = std::move(served);
  for (const auto& [kind, count] : counts)
    queue.no_node.push_back({std::get<0>(kind), std::get<1>(kind), std::get<2>(kind), count});
  std::stable_sort(queue.no_node.begin(), queue.no_node.end(),
                   [](const NoNode& a, const NoNode& b) { return a.workloads > b.workloads; });
  sum_up(queue);
}

std::vector<std::string> unserved_text(const QueueDemand& queue) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> lines;
  int rest = 0;
  for (const NoNode& one : queue.no_node) {
    if (lines.size() >= kMost)
      rest += one.workloads;
    else if (one.nodes > 1 && !one.partition.empty())
      lines.push_back(
          fmt::format("not counted: {} jobs or pods; no {} nodes of partition {} could give {} together, "
                      "even with their GPUs changed",
                      one.workloads, one.nodes, one.partition, one.request));
    else if (one.nodes > 1)
      lines.push_back(
          fmt::format("not counted: {} jobs or pods; of the nodes that they may use here, no {} could give "
                      "{} together, even with their GPUs changed",
                      one.workloads, one.nodes, one.request));
    else if (!one.partition.empty())
      lines.push_back(
          fmt::format("not counted: {} jobs or pods; no node of partition {} could give {} now, even with "
                      "its GPUs changed",
                      one.workloads, one.partition, one.request));
    else
      lines.push_back(
          fmt::format("not counted: {} jobs or pods; no node that they may use here could give {} now, even "
                      "with its GPUs changed",
                      one.workloads, one.request));
  }
  if (rest > 0)
    lines.push_back(fmt::format("not counted: {} more jobs or pods that no node can serve", rest));
  for (std::string& line : reach_text(queue)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace tessera::pack
