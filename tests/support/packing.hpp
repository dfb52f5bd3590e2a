// What the planner answers to a problem, and a problem as a file tells it: for tests that expect both.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "engine/pack/pack.hpp"
#include "engine/pack/read.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test::packing {

inline pack::Problem read(const std::string& text) {
  auto file = pack::read_boards(text, "test.yaml", catalogue());
  EXPECT_TRUE(file.ok()) << to_line(file.error());
  return file.ok() ? file->problem : pack::Problem{};
}

inline pack::Answer answer(const pack::Problem& problem) {
  auto packed = pack::pack(problem);
  EXPECT_TRUE(packed.ok()) << to_line(packed.error());
  return packed.ok() ? *packed : pack::Answer{};
}

}  // namespace tessera::test::packing
