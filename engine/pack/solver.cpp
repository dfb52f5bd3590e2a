#include "engine/pack/solver.hpp"

#include <CbcHeuristic.hpp>
#include <CbcModel.hpp>
#include <CglGomory.hpp>
#include <CglMixedIntegerRounding2.hpp>
#include <CoinError.hpp>
#include <OsiClpSolverInterface.hpp>
#include <algorithm>
#include <cmath>

namespace tessera::pack {
namespace {

std::int64_t rounded_up(double value) { return static_cast<std::int64_t>(std::ceil(value - 1e-6)); }

void load(const Program& program, std::span<const double> objective, OsiClpSolverInterface& solver) {
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

std::optional<Solution> search(OsiClpSolverInterface& solver, std::span<const double> objective,
                               int max_nodes) {
  solver.initialSolve();
  if (!solver.isProvenOptimal()) return std::nullopt;
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
  solution.lp = root.value;
  solution.bound = std::max(rounded_up(root.value), rounded_up(model.getBestPossibleObjValue()));
  if (model.isProvenOptimal()) solution.bound = solution.value;
  solution.proven = solution.bound >= solution.value;
  solution.prices = root.prices;
  return solution;
}

}  // namespace

// The solver reports broken input by an exception: here, and no further.
std::optional<Solution> minimise(const Program& program, std::span<const double> objective,
                                 int max_nodes) try {
  OsiClpSolverInterface solver;
  load(program, objective, solver);
  return search(solver, objective, max_nodes);
} catch (const CoinError&) {
  return std::nullopt;
}

std::optional<Relaxed> relax(const Program& program, std::span<const double> objective) try {
  OsiClpSolverInterface solver;
  load(program, objective, solver);
  solver.initialSolve();
  if (!solver.isProvenOptimal()) return std::nullopt;
  return relaxed(solver);
} catch (const CoinError&) {
  return std::nullopt;
}

}  // namespace tessera::pack
