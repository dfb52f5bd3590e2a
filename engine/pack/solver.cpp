#include "engine/pack/solver.hpp"

#include <CbcEventHandler.hpp>
#include <CbcHeuristic.hpp>
#include <CbcModel.hpp>
#include <CglGomory.hpp>
#include <CglMixedIntegerRounding2.hpp>
#include <ClpEventHandler.hpp>
#include <CoinError.hpp>
#include <OsiClpSolverInterface.hpp>
#include <algorithm>
#include <cmath>

#include "engine/pack/cover.hpp"

namespace tessera::pack {
namespace {

// How far from the relaxation's solution is searched.
struct Near {
  std::size_t others;  // columns that it does without
  double fewer;        // as much may be taken back of what it gives a column
  int nodes;
};
constexpr Near kNear[] = {{24, 0, 50}, {24, 1, 50}, {60, 1, 100}, {150, 2, 200}};

std::int64_t rounded_up(double value) { return static_cast<std::int64_t>(std::ceil(value - 1e-6)); }

// What the simplex method and the search ask now and then. Both copy what they are given; `stop` outlives
// them.
class StopsSimplex final : public ClpEventHandler {
 public:
  explicit StopsSimplex(const Stop& stop) : stop_(&stop) {}
  int event(Event) override { return (*stop_)() ? 0 : -1; }
  ClpEventHandler* clone() const override { return new StopsSimplex(*this); }

 private:
  const Stop* stop_;
};
class StopsSearch final : public CbcEventHandler {
 public:
  explicit StopsSearch(const Stop& stop) : stop_(&stop) {}
  CbcAction event(CbcEvent) override { return (*stop_)() ? CbcEventHandler::stop : noAction; }
  CbcEventHandler* clone() const override { return new StopsSearch(*this); }

 private:
  const Stop* stop_;
};

void load(const Program& program, std::span<const double> objective, const Stop& stop,
          OsiClpSolverInterface& solver) {
  if (stop) {
    const StopsSimplex stops(stop);
    solver.getModelPtr()->passInEventHandler(&stops);
  }
  solver.messageHandler()->setLogLevel(0);
  solver.getModelPtr()->setLogLevel(0);
  // Many columns and few rows: the dual simplex is done before the usual preparations are.
  solver.setHintParam(OsiDoPresolveInInitial, false, OsiHintDo);
  solver.setHintParam(OsiDoDualInInitial, true, OsiHintDo);
  std::vector<CoinBigIndex> starts{0};
  std::vector<int> rows;
  std::vector<double> values, lower(program.columns.size(), 0), upper;
  for (const Program::Column& column : program.columns) {
    for (const Program::Entry& entry : column.entries) {
      rows.push_back(entry.row);
      values.push_back(entry.value);
    }
    starts.push_back(static_cast<CoinBigIndex>(rows.size()));
    upper.push_back(column.upper);
  }
  std::vector<double> row_lower, row_upper;
  for (const Program::Row& row : program.rows) {
    row_lower.push_back(row.lower);
    row_upper.push_back(row.upper);
  }
  solver.loadProblem(static_cast<int>(program.columns.size()), static_cast<int>(program.rows.size()),
                     starts.data(), rows.data(), values.data(), lower.data(), upper.data(), objective.data(),
                     row_lower.data(), row_upper.data());
  for (std::size_t i = 0; i < program.columns.size(); ++i) solver.setInteger(static_cast<int>(i));
}

Relaxed relaxed(const OsiClpSolverInterface& solver) {
  const double* prices = solver.getRowPrice();
  return {solver.getObjValue(), {prices, prices + solver.getNumRows()}};
}

// Branch and bound, from a solved relaxation on.
std::optional<Solution> branch(const OsiClpSolverInterface& solver, std::span<const double> objective,
                               int max_nodes, const Stop& stop) {
  const Relaxed root = relaxed(solver);
  CbcModel model(solver);
  model.setLogLevel(0);
  model.messageHandler()->setLogLevel(0);
  model.solver()->messageHandler()->setLogLevel(0);
  CbcRounding rounding(model);
  model.addHeuristic(&rounding);
  CglGomory gomory;
  model.addCutGenerator(&gomory, -1, "Gomory");
  CglMixedIntegerRounding2 mixed;
  model.addCutGenerator(&mixed, -1, "MIR");
  model.setMaximumNodes(max_nodes);
  if (stop) {
    const StopsSearch stops(stop);
    model.passInEventHandler(&stops);
  }
  model.branchAndBound();
  const double* best = model.bestSolution();
  if (!best) return std::nullopt;
  Solution solution;
  double value = 0;
  for (std::size_t i = 0; i < objective.size(); ++i) {
    solution.values.push_back(std::llround(best[i]));
    value += objective[i] * static_cast<double>(solution.values.back());
  }
  solution.value = std::llround(value);
  solution.bound = std::max(rounded_up(root.value), rounded_up(model.getBestPossibleObjValue()));
  if (model.isProvenOptimal()) solution.bound = solution.value;
  solution.proven = solution.bound >= solution.value;
  solution.root = root;
  return solution;
}

// The columns that stand in the relaxation's solution and the cheapest others, each from what it has there.
std::vector<std::size_t> near_columns(const OsiClpSolverInterface& solver, std::size_t most) {
  const double *values = solver.getColSolution(), *costs = solver.getReducedCost();
  const double room = std::ceil(solver.getObjValue() - 1e-6) - solver.getObjValue() + 1e-6;
  std::vector<std::size_t> near, others;
  for (std::size_t i = 0; i < static_cast<std::size_t>(solver.getNumCols()); ++i)
    if (values[i] > 1e-9)
      near.push_back(i);
    else if (costs[i] <= room)
      others.push_back(i);
  std::stable_sort(others.begin(), others.end(),
                   [&](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
  others.resize(std::min(others.size(), most));
  near.insert(near.end(), others.begin(), others.end());
  std::sort(near.begin(), near.end());
  return near;
}

// What a column has at least, in whole numbers.
double kept(double value, const Near& near) { return std::max(0.0, std::floor(value + 1e-9) - near.fewer); }

// What is left of the program when these columns have at least what is kept of the relaxation's solution, and
// all others nothing.
Program near_program(const Program& program, const std::vector<std::size_t>& columns, const double* values,
                     const Near& how) {
  std::vector<double> given(program.rows.size(), 0);
  std::vector<int> number(program.rows.size(), -1);
  Program near;
  for (const std::size_t i : columns) {
    const double whole = kept(values[i], how);
    Program::Column& column =
        near.columns.emplace_back(Program::Column{program.columns[i].upper - whole, {}});
    for (const Program::Entry& entry : program.columns[i].entries) {
      const auto row = static_cast<std::size_t>(entry.row);
      given[row] += entry.value * whole;
      if (number[row] < 0)
        number[row] = static_cast<int>(near.rows.size()), near.rows.push_back(program.rows[row]);
      column.entries.push_back({number[row], entry.value});
    }
  }
  for (std::size_t row = 0; row < number.size(); ++row) {
    if (number[row] < 0) continue;
    Program::Row& left = near.rows[static_cast<std::size_t>(number[row])];
    if (left.lower > -kFree) left.lower -= given[row];
    if (left.upper < kFree) left.upper -= given[row];
  }
  return near;
}

// Nearly always a few columns of the relaxation lead to a solution that is as good as its bound allows: a
// program so small costs next to nothing. nullopt: they do not.
std::optional<Solution> search_near(const OsiClpSolverInterface& solver, const Program& program,
                                    std::span<const double> objective, const Near& how, const Stop& stop) {
  const double* values = solver.getColSolution();
  const std::vector<std::size_t> columns = near_columns(solver, how.others);
  std::vector<double> weights;
  Solution solution;
  solution.values.assign(program.columns.size(), 0);
  double value = 0;
  for (const std::size_t i : columns) {
    weights.push_back(objective[i]);
    solution.values[i] = std::llround(kept(values[i], how));
    value += objective[i] * static_cast<double>(solution.values[i]);
  }
  const Program left = near_program(program, columns, values, how);
  OsiClpSolverInterface small;
  load(left, weights, stop, small);
  small.initialSolve();
  if (!small.isProvenOptimal()) return std::nullopt;
  solution.bound = rounded_up(solver.getObjValue());
  if (none_costs_at_most(left, weights, {small.getReducedCost(), columns.size()}, small.getObjValue(),
                         static_cast<double>(solution.bound) - value))
    return std::nullopt;
  const auto rest = branch(small, weights, how.nodes, stop);
  // One below the bound would disprove it: the search decides then.
  if (!rest || std::llround(value) + rest->value != solution.bound) return std::nullopt;
  for (std::size_t i = 0; i < columns.size(); ++i) solution.values[columns[i]] += rest->values[i];
  solution.value = solution.bound;
  solution.proven = true;
  solution.root = relaxed(solver);
  return solution;
}

}  // namespace

// The solver reports broken input by an exception: here, and no further.
std::optional<Solution> minimise(const Program& program, std::span<const double> objective, int max_nodes,
                                 const Stop& stop) try {
  OsiClpSolverInterface solver;
  load(program, objective, stop, solver);
  solver.initialSolve();
  if (!solver.isProvenOptimal()) return std::nullopt;
  for (const Near& how : kNear) {
    if (auto near = search_near(solver, program, objective, how, stop)) return near;
    if (stop && stop()) return std::nullopt;
  }
  return branch(solver, objective, max_nodes, stop);
} catch (const CoinError&) {
  return std::nullopt;
}

std::optional<Relaxed> relax(const Program& program, std::span<const double> objective,
                             const Stop& stop) try {
  OsiClpSolverInterface solver;
  load(program, objective, stop, solver);
  solver.initialSolve();
  if (!solver.isProvenOptimal()) return std::nullopt;
  return relaxed(solver);
} catch (const CoinError&) {
  return std::nullopt;
}

struct Relaxation::Inside {
  OsiClpSolverInterface solver;
  bool begun = false;
};

Relaxation::Relaxation(const Program& program, std::span<const double> objective, const Stop& stop)
    : inside_(std::make_unique<Inside>()) {
  load(program, objective, stop, inside_->solver);
  inside_->solver.getModelPtr()->scaling(0);  // counts of a few instances are near enough to each other
}
Relaxation::~Relaxation() = default;

void Relaxation::limit(int row, double upper) { inside_->solver.getModelPtr()->setRowUpper(row, upper); }

void Relaxation::limit_column(int column, double upper) {
  inside_->solver.getModelPtr()->setColumnUpper(column, upper);
}

std::optional<double> Relaxation::value() try {
  ClpSimplex& simplex = *inside_->solver.getModelPtr();
  // Its work areas and factors are kept for the next time.
  constexpr int keep = 1, begin_with_kept = 2 | 4;
  simplex.dual(0, inside_->begun ? keep | begin_with_kept : keep);
  inside_->begun = true;
  if (!simplex.isProvenOptimal()) return std::nullopt;
  return simplex.objectiveValue();
} catch (const CoinError&) {
  return std::nullopt;
}

std::span<const double> Relaxation::prices() const {
  const ClpSimplex& simplex = *inside_->solver.getModelPtr();
  return {simplex.getRowPrice(), static_cast<std::size_t>(simplex.getNumRows())};
}

}  // namespace tessera::pack
