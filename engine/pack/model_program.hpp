// The program of a model in numbers: its columns and rows, and what a solution of it says.
// Threads: plain values.
#pragma once

#include "engine/pack/model.hpp"

namespace tessera::pack {

// Columns: unmet of each row, nodes of each type, then the choices of each group. Rows: those of the demand,
// then one of each group.
class ModelProgram {
 public:
  // Both outlive this.
  ModelProgram(const Model& model, const Classes& classes);

  std::vector<double> objective(Cost cost) const;
  // From now on the cost is at most that.
  void limit(Cost cost, std::int64_t value);
  // The last limit holds no more.
  void take_back_limit();
  const Program& program() const { return program_; }
  void tell(const Solution& solution, Selection& selection) const;

 private:
  void add_rows();
  void add_unmet();
  void add_group(const Group& group);
  Program::Column& column(double upper) { return program_.columns.emplace_back(Program::Column{upper, {}}); }

  const Model* model_;
  const Classes* classes_;
  Program program_;
};

}  // namespace tessera::pack
