#include "engine/pack/unserved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "engine/pack/left_out.hpp"
#include "engine/pack/whole.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/why/may_use.hpp"

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
  Rooms(const Cluster& cluster, const Problem& problem) : problem_(problem) {
    std::map<NodeName, std::size_t> numbers;
    for (const Busy& one : problem.busy)
      if (const Node* node = cluster.nodes.find(one.node); node && takes_work(*node)) {
        numbers.emplace(one.node, all_.size());
        all_.push_back({node, {}, {}, {}});
        add_unknown(all_.back());
      }
    const auto room_of = [&](const NodeName& node) {
      const auto found = numbers.find(node);
      return found == numbers.end() ? nullptr : &all_[found->second];
    };
    for (const Board& board : problem.boards)
      if (Room* room = room_of(board.node)) room->boards.push_back(&board);
    for (const Spare& spare : problem.spare)
      if (Room* room = room_of(spare.node)) room->beside[{spare.profile, spare.product}] += spare.count;
  }
  std::vector<Room>& all() { return all_; }

  // Whether no node here has any of it: no GPU is changed for it then, and the planner tells why.
  bool has_none(const QueueWant& want) {
    const auto [at, fresh] = none_.try_emplace({want.profile, want.product}, true);
    if (fresh)
      at->second = std::all_of(all_.begin(), all_.end(), [&](Room& room) { return most(room, want) == 0; });
    return at->second;
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

  // Not known to be held is not held.
  static void add_unknown(Room& room) {
    const auto add = [&](const Slice& slice, bool amd) {
      const bool known = slice.holding == Holding::held || (slice.holding == Holding::free && slice.usable);
      if (known || slice.usable == false || slice.capacity != 1) return;
      if (slice.kind == SliceKind::gpu_instance)
        ++room.beside[{mig::canonical_profile(slice.profile.text).value_or(slice.profile), nullptr}];
      if (slice.kind == SliceKind::whole_gpu && !amd)
        ++room.beside[{ProfileName(std::string(kWhole)), nullptr}];
    };
    for (const Gpu& gpu : room.node->gpus)
      for (const Slice& slice : gpu.slices) add(slice, sharing::amd::is_amd(gpu));
    for (const Slice& slice : room.node->pool) add(slice, sharing::amd::is_amd(*room.node));
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
    if (problem_.evict) return held;
    for (const Instance& one : board.instances)
      if (one.held) held.push_back(one.placed);
    std::sort(held.begin(), held.end());
    return held;
  }

  int most_on(const Board& board, const QueueWant& want) {
    if (is_fixed(board) || !is_of(board, want)) return 0;
    if (is_whole(want.profile)) return board.whole || board.may_be_whole || board.whole_held ? 1 : 0;
    const std::optional<int> profile = product_of(board).index_of(want.profile.view());
    return profile ? most_on_one_(product_of(board), held_on(board), *profile) : 0;
  }

  int most(Room& room, const QueueWant& want) {
    const auto [at, fresh] = room.most.try_emplace({want.profile, want.product}, 0);
    if (!fresh) return at->second;
    for (const Board* board : room.boards) at->second += most_on(*board, want);
    return at->second += beside(room, want);
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
  std::vector<Room> all_;
  std::map<Key, bool> none_;
  MostOnOne most_on_one_;
};

// What it asks of each of its nodes. nullopt: how that is spread is not told.
struct Shape {
  int nodes = 1;
  std::vector<QueueWant> each;
};
std::optional<Shape> shape_of(const Workload& workload, const std::vector<QueueWant>& wants,
                              Scheduler scheduler) {
  Shape shape{1, wants};
  if (scheduler == Scheduler::kubernetes) return shape;
  if (workload.node_count == 0)
    return wants.size() == 1 && wants.front().count == 1 ? std::optional(shape) : std::nullopt;
  shape.nodes = workload.node_count;
  for (QueueWant& want : shape.each) {
    if (want.count % shape.nodes != 0) return std::nullopt;
    want.count /= shape.nodes;
  }
  return shape;
}

// Jobs with the same text have the same answer.
std::string text_of(const Workload& work, const Shape& shape, Scheduler scheduler) {
  std::string text = fmt::format("{}\n{}\n", work.group, shape.nodes);
  for (const QueueWant& want : shape.each)
    text +=
        fmt::format("{}*{}*{}\n", want.profile.text, want.product ? want.product->key.text : "", want.count);
  if (work.needs)
    text += work.needs->nodes + '\n' + work.needs->excluded + '\n' + work.needs->features + '\n';
  // Names the taints that repel it.
  if (scheduler == Scheduler::kubernetes) text += work.reason;
  return text;
}

bool has_nodes(Rooms& rooms, const Cluster& cluster, const Workload& work, const Shape& shape) {
  why::MayUse may_use(cluster, work);
  int found = 0;
  for (Room& room : rooms.all())
    // Whose a reservation is, is not told.
    if (rooms.gives(room, shape.each) && (may_use(*room.node) || !room.node->reservation.empty()) &&
        ++found >= shape.nodes)
      return true;
  return false;
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
      one.request += fmt::format("{}{} × {}", one.request.empty() ? "" : ", ", request.count / shape.nodes,
                                 request.resource);
  return one;
}

}  // namespace

void leave_out_unserved(QueueDemand& queue, const Cluster& cluster, const Problem& problem) {
  Rooms rooms(cluster, problem);
  std::map<std::string, bool> known;
  std::map<std::tuple<std::string, std::string, int>, int> counts;
  std::vector<QueueDemand::Waiting> served;
  for (QueueDemand::Waiting& one : queue.waiting) {
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
          fmt::format("not counted: {} jobs or pods; no {} nodes of partition {} can give {} each",
                      one.workloads, one.nodes, one.partition, one.request));
    else if (one.nodes > 1)
      lines.push_back(fmt::format(
          "not counted: {} jobs or pods; of the nodes that they may use here, no {} can give {} each",
          one.workloads, one.nodes, one.request));
    else if (!one.partition.empty())
      lines.push_back(fmt::format("not counted: {} jobs or pods; no node of partition {} can give {} at once",
                                  one.workloads, one.partition, one.request));
    else
      lines.push_back(
          fmt::format("not counted: {} jobs or pods; no node that they may use here can give {} at once",
                      one.workloads, one.request));
  }
  if (rest > 0)
    lines.push_back(fmt::format("not counted: {} more jobs or pods that no node can serve", rest));
  return lines;
}

}  // namespace tessera::pack
