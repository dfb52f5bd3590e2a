#include "engine/pack/cover.hpp"

#include <algorithm>
#include <span>

namespace tessera::pack {
namespace {

constexpr double kMostCost = 12;  // above, there is too much to try
constexpr int kMostTries = 300;
constexpr double kRounding = 1e-6;  // by which the relaxation may be off

class Cover {
 public:
  Cover(const Program& program, std::span<const double> weights, std::span<const double> reduced)
      : program_(program), weights_(weights), reduced_(reduced), closed_(program.columns.size(), false) {
    for (const Program::Column& column : program.columns) left_.push_back(column.upper);
    for (const Program::Row& row : program.rows) rows_.push_back(row.upper < kFree ? row.upper : -row.lower);
  }

  // What this search can be sure about.
  bool of_its_kind() const {
    for (const Program::Row& row : program_.rows)
      if ((row.upper < kFree) == (row.lower > -kFree)) return false;
    for (std::size_t i = 0; i < program_.columns.size(); ++i) {
      for (const Program::Entry& entry : program_.columns[i].entries)
        if (entry.value < 0 && at_most(entry.row)) return false;
      if (weights_[i] <= 0 && open(i)) return false;
    }
    return true;
  }

  // cost: that may still be spent. above: by how much the cost may be above the relaxation's.
  // true: no choice of these leads to a solution.
  bool none(double cost, double above) {
    if (++tries_ > kMostTries) return false;
    const std::optional<int> row = hardest(cost, above);
    if (!row) return hopeless_;
    std::vector<std::size_t> tried;
    bool none_here = true;
    for (std::size_t i = 0; i < left_.size() && none_here; ++i) {
      if (!affordable(i, cost, above) || value_in(i, *row) <= 0) continue;
      take(i, 1);
      none_here = none(cost - weights_[i], above - std::max(0.0, reduced_[i]));
      take(i, -1);
      // Whatever has it was tried.
      closed_[i] = true;
      tried.push_back(i);
    }
    for (const std::size_t i : tried) closed_[i] = false;
    return none_here;
  }

 private:
  bool at_most(int row) const { return program_.rows[static_cast<std::size_t>(row)].upper < kFree; }
  double value_in(std::size_t column, int row) const {
    for (const Program::Entry& entry : program_.columns[column].entries)
      if (entry.row == row) return entry.value;
    return 0;
  }
  // One more of the column may be taken.
  bool open(std::size_t column) const {
    if (closed_[column] || left_[column] < 1 - kRounding) return false;
    const auto& entries = program_.columns[column].entries;
    return std::none_of(entries.begin(), entries.end(), [&](const Program::Entry& entry) {
      return at_most(entry.row) && rows_[static_cast<std::size_t>(entry.row)] < entry.value - kRounding;
    });
  }
  bool affordable(std::size_t column, double cost, double above) const {
    return weights_[column] <= cost + kRounding && reduced_[column] <= above && open(column);
  }
  void take(std::size_t column, int by) {
    left_[column] -= by;
    for (const Program::Entry& entry : program_.columns[column].entries)
      rows_[static_cast<std::size_t>(entry.row)] += at_most(entry.row) ? -by * entry.value : by * entry.value;
  }

  // Of the rows that lack something that which the fewest columns serve. nullopt: none lacks anything, or
  // (hopeless_) one cannot be served for that cost.
  std::optional<int> hardest(double cost, double above) {
    std::vector<int> serve(rows_.size(), 0);
    std::vector<double> best(rows_.size(), 0);  // for a cost of one
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (!affordable(i, cost, above)) continue;
      for (const Program::Entry& entry : program_.columns[i].entries) {
        const auto row = static_cast<std::size_t>(entry.row);
        if (entry.value <= 0 || at_most(entry.row)) continue;
        ++serve[row];
        best[row] = std::max(best[row], entry.value / weights_[i]);
      }
    }
    std::optional<int> hardest;
    hopeless_ = false;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (at_most(static_cast<int>(row)) || rows_[row] > -kRounding) continue;
      hopeless_ = hopeless_ || best[row] * cost < -rows_[row] - kRounding;
      if (!hardest || serve[row] < serve[static_cast<std::size_t>(*hardest)]) hardest = static_cast<int>(row);
    }
    return hopeless_ ? std::nullopt : hardest;
  }

  const Program& program_;
  std::span<const double> weights_, reduced_;
  std::vector<double> left_;  // by column: that may still be taken
  std::vector<double>
      rows_;  // room below an upper limit; what is above a lower one (negative: it is lacking)
  std::vector<bool> closed_;
  bool hopeless_ = false;
  int tries_ = 0;
};

}  // namespace

bool none_costs_at_most(const Program& program, std::span<const double> weights,
                        std::span<const double> reduced, double relaxed, double most) {
  if (most > kMostCost) return false;
  if (most < relaxed - kRounding) return true;
  Cover cover(program, weights, reduced);
  return cover.of_its_kind() && cover.none(most, most - relaxed + kRounding);
}

}  // namespace tessera::pack
