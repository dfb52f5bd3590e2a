#include "engine/pack/model_program.hpp"

#include <algorithm>

namespace tessera::pack {
namespace {

double of(const Choice& choice, Cost cost) {
  switch (cost) {
    case Cost::gpus: return 1;
    case Cost::evicted: return choice.evicted;
    case Cost::destroyed: return choice.destroyed;
    case Cost::created: return choice.created;
    case Cost::unmet:
    case Cost::running:
    case Cost::nodes: break;
  }
  return 0;
}

}  // namespace

ModelProgram::ModelProgram(const Model& model, const Classes& classes) : model_(&model), classes_(&classes) {
  add_rows();
  add_unmet();
  for (const NodeType& type : model.types) column(static_cast<double>(type.nodes.size()));
  for (const Group& group : model.groups) add_group(group);
}

std::vector<double> ModelProgram::objective(Cost cost) const {
  std::vector<double> weights(program_.columns.size(), 0);
  const std::size_t rows = classes_->rows.size();
  if (cost == Cost::unmet) std::fill_n(weights.begin(), rows, 1);
  for (std::size_t i = 0; i < model_->types.size(); ++i) {
    if (cost == Cost::nodes) weights[rows + i] = 1;
    if (cost == Cost::running) weights[rows + i] = model_->types[i].running;
  }
  std::size_t at = rows + model_->types.size();
  for (const Group& group : model_->groups)
    for (const Choice& choice : classes_->classes[group.class_number].choices)
      weights[at++] = of(choice, cost);
  return weights;
}

void ModelProgram::limit(Cost cost, std::int64_t value) {
  const int row = static_cast<int>(program_.rows.size());
  program_.rows.push_back({-kFree, static_cast<double>(value)});
  const std::vector<double> weights = objective(cost);
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (weights[i] != 0) program_.columns[i].entries.push_back({row, weights[i]});
}

void ModelProgram::take_back_limit() {
  program_.rows.pop_back();
  const int row = static_cast<int>(program_.rows.size());
  for (Program::Column& column : program_.columns)
    if (!column.entries.empty() && column.entries.back().row == row) column.entries.pop_back();
}

void ModelProgram::tell(const Solution& solution, Selection& selection) const {
  auto at = solution.values.begin();
  auto take = [&](std::size_t count) {
    std::vector<std::int64_t> values(at, at + static_cast<std::ptrdiff_t>(count));
    at += static_cast<std::ptrdiff_t>(count);
    return values;
  };
  selection.unmet = take(classes_->rows.size());
  selection.nodes = take(model_->types.size());
  selection.used.clear();
  for (const Group& group : model_->groups)
    selection.used.push_back(take(classes_->classes[group.class_number].choices.size()));
}

void ModelProgram::add_rows() {
  for (const Row& row : classes_->rows)
    program_.rows.push_back({static_cast<double>(row.count - row.standing), kFree});
}

void ModelProgram::add_unmet() {
  double most = 0;
  for (const State& state : classes_->states) most += 8.0 * state.count;
  for (std::size_t i = 0; i < classes_->rows.size(); ++i)
    column(classes_->rows[i].count + most).entries.push_back({static_cast<int>(i), 1});
}

void ModelProgram::add_group(const Group& group) {
  const Class& kind = classes_->classes[group.class_number];
  const Universe& universe = classes_->universes[kind.product];
  const int row = static_cast<int>(program_.rows.size());
  double upper = group.count;
  if (group.type < 0) {
    program_.rows.push_back({-kFree, upper});
  } else {
    const std::size_t type = static_cast<std::size_t>(group.type);
    program_.rows.push_back({-kFree, 0});
    program_.columns[classes_->rows.size() + type].entries.push_back({row, -upper});
    upper *= static_cast<double>(model_->types[type].nodes.size());
  }
  for (const Choice& choice : kind.choices) {
    Program::Column& taken = column(upper);
    taken.entries.reserve(universe.rows.size() + 2);  // and one of a limit: thousands of columns grow once
    taken.entries.push_back({row, 1});
    for (std::size_t slot = 0; slot < universe.rows.size(); ++slot) {
      int more = worth_at(choice.worth, slot) - worth_at(kind.worth, slot);
      if (more != 0)
        taken.entries.push_back({static_cast<int>(universe.rows[slot]), static_cast<double>(more)});
    }
  }
}

}  // namespace tessera::pack
