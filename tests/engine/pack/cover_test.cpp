// Small programs disproved by trying: held against every solution there is.
#include "engine/pack/cover.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

namespace tessera::pack {
namespace cover_test {

// Two demands; three groups of GPUs, each of which takes one of two choices that give some of both, or less
// than none.
Program random_program(std::mt19937& random) {
  const auto number = [&](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random) * 1.0;
  };
  Program program;
  for (int demand = 0; demand < 2; ++demand) program.rows.push_back({number(0, 9), kFree});
  for (int group = 0; group < 3; ++group) {
    const double gpus = number(1, 3);
    program.rows.push_back({-kFree, gpus});
    for (int choice = 0; choice < 2; ++choice)
      program.columns.push_back({gpus, {{0, number(-1, 3)}, {1, number(0, 3)}, {2 + group, 1}}});
  }
  return program;
}

// The lowest cost of all solutions; each column costs what is in weights.
std::optional<double> cheapest(const Program& program, const std::vector<double>& weights) {
  std::vector<int> taken(program.columns.size(), 0);
  std::optional<double> best;
  while (true) {
    std::vector<double> sums(program.rows.size(), 0);
    double cost = 0;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      cost += weights[i] * taken[i];
      for (const Program::Entry& entry : program.columns[i].entries)
        sums[static_cast<std::size_t>(entry.row)] += entry.value * taken[i];
    }
    bool holds = true;
    for (std::size_t row = 0; row < sums.size(); ++row)
      holds = holds && sums[row] >= program.rows[row].lower && sums[row] <= program.rows[row].upper;
    if (holds && (!best || cost < *best)) best = cost;
    std::size_t next = 0;
    while (next < taken.size() && taken[next] == program.columns[next].upper) taken[next++] = 0;
    if (next == taken.size()) return best;
    ++taken[next];
  }
}

TEST(PackCover, WhatItRulesOutHasNoSolutionAndWhatHasNoneIsRuledOut) {
  std::mt19937 random(3);
  int ruled_out = 0, kept = 0;
  for (int run = 0; run < 100; ++run) {
    const Program program = random_program(random);
    const std::vector<double> weights(program.columns.size(), 1), reduced(program.columns.size(), 0);
    const auto best = cheapest(program, weights);
    for (double most = 0; most <= 6; ++most) {
      const bool none = none_costs_at_most(program, weights, reduced, 0, most);
      EXPECT_EQ(none, !best || *best > most) << run << " " << most;
      ++(none ? ruled_out : kept);
    }
  }
  EXPECT_GT(ruled_out, 50);
  EXPECT_GT(kept, 50);
}

// Reduced costs narrow the search and must rule out nothing that has a solution.
TEST(PackCover, ReducedCostsOfTheRelaxationRuleOutNoSolution) {
  std::mt19937 random(4);
  for (int run = 0; run < 100; ++run) {
    const Program program = random_program(random);
    const std::vector<double> weights(program.columns.size(), 1);
    const auto relaxed = relax(program, weights);
    if (!relaxed) continue;
    std::vector<double> reduced = weights;
    for (std::size_t i = 0; i < reduced.size(); ++i)
      for (const Program::Entry& entry : program.columns[i].entries)
        reduced[i] -= entry.value * relaxed->prices[static_cast<std::size_t>(entry.row)];
    const auto best = cheapest(program, weights);
    for (double most = 0; most <= 6; ++most)
      EXPECT_EQ(none_costs_at_most(program, weights, reduced, relaxed->value, most), !best || *best > most)
          << run << " " << most;
  }
}

// An unmet demand costs nothing here: a solution may have as much of it as it likes.
TEST(PackCover, AColumnThatCostsNothingLeavesItOpen) {
  Program program;
  program.rows = {{3, kFree}};
  program.columns = {{5, {{0, 1}}}, {1, {{0, 1}}}};
  const std::vector<double> weights{0, 1}, reduced{0, 1};
  EXPECT_FALSE(none_costs_at_most(program, weights, reduced, 0, 1));
  program.rows.push_back({-kFree, 0});
  program.columns[0].entries.push_back({1, 1});
  EXPECT_TRUE(none_costs_at_most(program, weights, reduced, 0, 1)) << "none of it may be taken";
}

}  // namespace cover_test
}  // namespace tessera::pack
