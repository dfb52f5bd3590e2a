// Flowcharts and walks for the tests of the guide.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/guide/chart/chart.hpp"
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

// The smallest tree that a site may put in the place of ours: one question, by that label.
inline std::string site_tree(const std::string& label) {
  return "title: T\nstart: q\n"
         "questions:\n  - {id: q, label: " +
         label +
         ", short: s, ask: a, why: w, yes: m, no: t}\n"
         "leaves:\n"
         "  - {id: m, strategy: mig, title: M, summary: s, meaning: m, fits: f, memory: m, errors: e, "
         "latency: "
         "l, price: p}\n"
         "  - {id: t, strategy: mps, title: T, summary: s, meaning: m, fits: f, memory: m, errors: e, "
         "latency: "
         "l, price: p}\n";
}

inline guide::Walk walk() { return guide::Walk(flowchart(), {}); }

}  // namespace tessera::test
