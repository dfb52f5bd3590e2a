#include "engine/pack/model.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>

#include "engine/pack/model_program.hpp"

namespace tessera::pack {
namespace {

class Passes {
 public:
  Passes(const Model& model, const Classes& classes, int max_nodes, const Stop& stop)
      : builder_(model, classes), max_nodes_(max_nodes), stop_(stop) {
    // Until something is found nothing changes, and what stands is all that serves.
    for (const Row& row : classes.rows)
      selection_.unmet.push_back(std::max<std::int64_t>(0, std::int64_t{row.count} - row.standing));
    selection_.nodes.assign(model.types.size(), 0);
    for (const Group& group : model.groups)
      selection_.used.emplace_back(classes.classes[group.class_number].choices.size(), 0);
  }

  Selection run(std::span<const Cost> costs) {
    for (std::size_t i = 0; i < costs.size(); ++i)
      if (!one(costs[i], i + 1 < costs.size() ? std::optional(costs[i + 1]) : std::nullopt)) break;
    return std::move(selection_);
  }

 private:
  bool one(Cost cost, std::optional<Cost> next) {
    // Nearly always all of the demand can be met: that is tried before the least that is left is searched
    // for.
    if (cost == Cost::unmet && next) {
      builder_.limit(cost, 0);
      if (minimise_next(*next)) {
        selection_.passes.insert(selection_.passes.begin(), Pass{cost, 0, 0, true, {}});
        done_ = next;
        return true;
      }
      builder_.take_back_limit();
    }
    if (done_ == cost) return true;
    return minimise_next(cost);
  }

  bool minimise_next(Cost cost) {
    const std::vector<double> objective = builder_.objective(cost);
    auto solution = minimise(builder_.program(), objective, max_nodes_, stop_);
    if (!solution) return false;
    builder_.tell(*solution, selection_);
    selection_.passes.push_back(
        {cost, solution->value, solution->bound, solution->proven, std::move(solution->root)});
    builder_.limit(cost, solution->value);
    return true;
  }

  ModelProgram builder_;
  int max_nodes_;
  const Stop& stop_;
  Selection selection_;
  std::optional<Cost> done_;
};

}  // namespace

Nodes nodes_of(const Problem& problem) {
  Nodes nodes;
  std::unordered_map<NodeName, std::size_t> known;
  std::size_t node = 0;
  for (std::size_t i = 0; i < problem.boards.size(); ++i) {
    const Board& board = problem.boards[i];
    // GPUs of a node nearly always stand together.
    if (i == 0 || board.node != problem.boards[i - 1].node) {
      const auto [at, fresh] = known.try_emplace(board.node, nodes.boards.size());
      if (fresh) {
        nodes.boards.emplace_back();
        nodes.running.push_back(0);
      }
      node = at->second;
    }
    nodes.boards[node].push_back(i);
    for (const Instance& instance : board.instances) nodes.running[node] += instance.held ? 1 : 0;
    nodes.running[node] += board.whole_held ? 1 : 0;
  }
  for (const Busy& busy : problem.busy)
    if (const auto at = known.find(busy.node); at != known.end()) nodes.running[at->second] = busy.running;
  return nodes;
}

Model by_class(const Classes& classes, const Nodes& nodes, const std::vector<bool>& allowed) {
  std::vector<int> counts(classes.classes.size(), 0);
  for (std::size_t node = 0; node < nodes.boards.size(); ++node)
    if (allowed[node])
      for (std::size_t board : nodes.boards[node])
        ++counts[classes.states[classes.state_of[board]].class_number];
  Model model;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0 && !classes.classes[i].choices.empty()) model.groups.push_back({i, counts[i], -1});
  return model;
}

std::optional<Model> by_node_type(const Classes& classes, const Problem& problem, const Nodes& nodes,
                                  std::size_t most) {
  using Key = std::pair<std::map<std::size_t, int>, int>;
  std::map<Key, std::size_t> known;
  Model model;
  std::size_t size = 0;
  for (std::size_t node = 0; node < nodes.boards.size(); ++node) {
    Key key;
    for (std::size_t board : nodes.boards[node]) {
      std::size_t kind = classes.states[classes.state_of[board]].class_number;
      if (!classes.classes[kind].choices.empty()) ++key.first[kind];
    }
    if (key.first.empty()) continue;
    if (problem.mode == Mode::whole_node) key.second = nodes.running[node];
    auto [at, fresh] = known.try_emplace(key, model.types.size());
    if (fresh) {
      ++size;
      for (const auto& [kind, count] : key.first) {
        model.groups.push_back({kind, count, static_cast<int>(at->second)});
        size += classes.classes[kind].choices.size();
      }
      if (size > most) return std::nullopt;
      model.types.push_back({{}, key.second});
    }
    model.types[at->second].nodes.push_back(node);
  }
  return model;
}

const Pass* Selection::pass(Cost cost) const {
  for (const Pass& one : passes)
    if (one.cost == cost) return &one;
  return nullptr;
}

Selection select(const Model& model, const Classes& classes, std::span<const Cost> costs, int max_nodes,
                 const Stop& stop) {
  return Passes(model, classes, max_nodes, stop).run(costs);
}

UnmetOn::UnmetOn(const Classes& classes, const Nodes& nodes, const Stop& stop)
    : classes_(classes),
      nodes_(nodes),
      asked_(nodes.boards.size(), true),
      counts_(classes.classes.size(), 0),
      rows_(classes.classes.size(), -1),
      columns_(classes.classes.size(), 0) {
  const Model model = by_class(classes, nodes, asked_);
  // The groups' rows and columns stand behind those of the demand.
  int column = static_cast<int>(classes.rows.size());
  for (std::size_t i = 0; i < model.groups.size(); ++i) {
    const std::size_t kind = model.groups[i].class_number;
    counts_[kind] = model.groups[i].count;
    rows_[kind] = static_cast<int>(classes.rows.size() + i);
    columns_[kind] = column;
    column += static_cast<int>(classes.classes[kind].choices.size());
  }
  const ModelProgram builder(model, classes);
  relaxation_ = std::make_unique<Relaxation>(builder.program(), builder.objective(Cost::unmet), stop);
}

double UnmetOn::operator()(const std::vector<bool>& some) {
  for (std::size_t node = 0; node < some.size(); ++node)
    if (some[node] != asked_[node]) count(node, some[node] ? 1 : -1);
  asked_ = some;
  return relaxation_->value().value_or(kFree);
}

std::vector<double> UnmetOn::prices() const {
  const std::span<const double> all = relaxation_->prices();
  std::vector<double> prices;
  for (std::size_t row = 0; row < classes_.rows.size(); ++row)
    prices.push_back(std::clamp(all[row], 0.0, 1.0));
  return prices;
}

void UnmetOn::count(std::size_t node, int by) {
  for (const std::size_t board : nodes_.boards[node]) {
    const std::size_t kind = classes_.states[classes_.state_of[board]].class_number;
    if (rows_[kind] < 0) continue;
    const bool any = counts_[kind] > 0;
    counts_[kind] += by;
    relaxation_->limit(rows_[kind], counts_[kind]);
    if (any == (counts_[kind] > 0)) continue;
    // Choices that no GPU can take would be tried one after the other.
    for (std::size_t i = 0; i < classes_.classes[kind].choices.size(); ++i)
      relaxation_->limit_column(columns_[kind] + static_cast<int>(i), any ? 0 : classes_.classes[kind].count);
  }
}

std::optional<Relaxed> relaxed_gpus(const Model& by_class, const Classes& classes, std::int64_t unmet,
                                    std::optional<std::int64_t> evicted, const Stop& stop) {
  ModelProgram builder(by_class, classes);
  builder.limit(Cost::unmet, unmet);
  if (evicted) builder.limit(Cost::evicted, *evicted);
  return relax(builder.program(), builder.objective(Cost::gpus), stop);
}

}  // namespace tessera::pack
