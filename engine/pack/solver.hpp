// Integer programs, solved: the only file that knows the solver is solver.cpp.
//
// The search is bounded by nodes of its tree and not by seconds, so that the same program has the same
// solution on every machine. The solver prints nothing, starts no thread and installs no signal handler.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/pack/problem.hpp"

namespace tessera::pack {

// Columns are integers from 0 to `upper`; each row is a sum within its limits.
struct Program {
  struct Entry {
    int row = 0;
    double value = 0;
  };
  struct Column {
    double upper = 0;
    std::vector<Entry> entries;
  };
  struct Row {
    double lower = 0, upper = 0;  // kFree: no limit
  };
  std::vector<Column> columns;
  std::vector<Row> rows;
};
inline constexpr double kFree = 1e30;

struct Relaxed {
  double value = 0;
  std::vector<double> prices;  // of the rows
};

struct Solution {
  std::vector<std::int64_t> values;  // by column
  std::int64_t value = 0;            // of the objective
  std::int64_t bound = 0;            // no solution is below it
  bool proven = false;               // value is the optimum
  Relaxed root;                      // the linear relaxation
};

// Objective: a whole number for each column, to be made small. nullopt: no solution, none found in time, or
// given up.
std::optional<Solution> minimise(const Program& program, std::span<const double> objective, int max_nodes,
                                 const Stop& stop = {});
// The linear relaxation alone; nullopt: it has no solution, or was given up.
std::optional<Relaxed> relax(const Program& program, std::span<const double> objective,
                             const Stop& stop = {});

// The linear relaxation of one program, solved again and again as limits of its rows change: each time from
// the solution before, which takes a small part of the time.
class Relaxation {
 public:
  // objective: what is made small. stop outlives this.
  Relaxation(const Program& program, std::span<const double> objective, const Stop& stop);
  ~Relaxation();
  Relaxation(const Relaxation&) = delete;
  Relaxation& operator=(const Relaxation&) = delete;

  void limit(int row, double upper);
  void limit_column(int column, double upper);
  std::optional<double> value();  // nullopt: it has no solution, or was given up
  // Of the rows, as the value asked for last has them.
  std::span<const double> prices() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace tessera::pack
