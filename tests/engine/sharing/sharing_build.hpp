// Nodes with GPUs of a product, for the tests of sharing.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/sharing/shape.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {

inline const mig::Product& product(const std::string& key) {
  const mig::Product* found = catalogue().by_key(key);
  if (found == nullptr) throw std::runtime_error("the catalogue lacks " + key);
  return *found;
}

inline sharing::BoardShape whole_board(const std::string& key, const std::string& type = {}) {
  sharing::BoardShape board;
  board.product = &product(key);
  board.slurm_type = type;
  return board;
}

inline sharing::BoardShape cut_board(const std::string& key, const std::vector<std::string>& instances) {
  sharing::BoardShape board;
  board.product = &product(key);
  board.mig = true;
  for (const std::string& name : instances) board.instances.emplace_back(name);
  return board;
}

inline sharing::NodeShape shape(std::vector<sharing::BoardShape> boards) {
  sharing::NodeShape node;
  node.name = "worker-1";
  node.boards = std::move(boards);
  node.strategy = sharing::natural_strategy(node);
  return node;
}

inline sharing::NodeShape shared_by(sharing::NodeShape node, Strategy method, int replicas) {
  node.sharing.method = method;
  node.sharing.replicas = replicas;
  return node;
}

}  // namespace tessera::test
