// Flowcharts and walks for the tests of the guide.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/guide/chart.hpp"
#include "engine/guide/handouts.hpp"
#include "tests/engine/sharing/sharing_build.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {

inline std::shared_ptr<const guide::Flowchart> flowchart() {
  static const auto chart = [] {
    Result<guide::Flowchart> read = guide::Flowchart::built_in();
    EXPECT_TRUE(read.ok()) << to_line(read.error());
    return std::make_shared<const guide::Flowchart>(std::move(read).value());
  }();
  return chart;
}

inline const guide::Handouts& handouts() {
  static const guide::Handouts all = [] {
    Result<guide::Handouts> read = guide::Handouts::built_in();
    EXPECT_TRUE(read.ok()) << to_line(read.error());
    return std::move(read).value();
  }();
  return all;
}

inline guide::Walk walk() { return guide::Walk(flowchart(), {}); }

}  // namespace tessera::test
