// A small simulated cluster in a folder of its own, on which the real binary plans, applies and undoes.
//
//   n1  GPU 0 all-balanced, GPU 1 whole, no work there
//   n2  GPU 0 all-1g.10gb of which alice and bob hold one each; bob's would not start again
//   n3  GPU 0 whole, no work there
// Threads: one test at a time; several labs may stand side by side.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/support/json_check.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::test {

using Words = std::vector<std::string>;

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class ChangeLab : public testing::Test {
 protected:
  static constexpr const char* kScenario = R"(start: 2026-03-02T09:00:00Z
clusters:
  - name: lab
    scheduler: slurm
    users: [alice, bob]
    partitions: [{name: gpu}]
    nodes:
      - {names: n1, product: H100-80GB-SXM5, gpus: 2, layouts: [all-balanced, whole], partitions: [gpu]}
      - {names: n2, product: H100-80GB-SXM5, gpus: 1, layout: all-1g.10gb, partitions: [gpu]}
      - {names: n3, product: H100-80GB-SXM5, gpus: 1, layout: whole, partitions: [gpu]}
    jobs:
      - {name: train, user: alice, want: "gpu:1g.10gb:1", on: n2/gpu0@0, ran: 2h, runs: 9h}
      - {name: notebook, user: bob, want: "gpu:1g.10gb:1", on: n2/gpu0@1, ran: 1d, runs: 4d, restartable: false}
)";

  explicit ChangeLab(const char* scenario = kScenario) {
    options_.environment["XDG_STATE_HOME"] = folder_.path() + "/state";
    Ran made = run_tessera({"nodes", "--sim=" + folder_.write("lab.yaml", scenario), state()}, options_);
    EXPECT_EQ(made.code, 0) << made.err;
  }

  std::string state() const { return "--sim-state=" + folder_.path() + "/world"; }
  Ran run(Words words) {
    words.push_back(state());
    return run_tessera(words, options_);
  }
  // Precondition of a story: it must work.
  Ran must(Words words) {
    Ran ran = run(words);
    EXPECT_EQ(ran.code, 0) << words.front() << ": " << ran.out << ran.err;
    return ran;
  }
  // tessera-sim on the same world.
  Ran try_sim(Words words) {
    words.push_back(state());
    return run_simulator(words, options_);
  }
  Ran sim(Words words) {
    Ran ran = try_sim(words);
    EXPECT_EQ(ran.code, 0) << words.front() << ": " << ran.out << ran.err;
    return ran;
  }
  // Armed by word, told as JSON.
  Ran apply(Words words) {
    words.insert(words.begin(), "apply");
    words.insert(words.end(), {"--write", "--yes", "-o", "json"});
    return run(words);
  }
  std::string keep_plan(Words words) {
    words.insert(words.begin(), "plan");
    words.insert(words.end(), {"-o", "json"});
    return folder_.write("plan.json", must(words).out);
  }
  std::string journal() { return must({"journal", "-o", "json"}).out; }
  std::string newest_run() { return text_at(journal(), "/0/run"); }
  // "1g.10gb@0 1g.10gb@1 2g.20gb@2": what stands on a GPU.
  std::string board(const std::string& node, int gpu) {
    std::string filter = "node=" + node + " gpu=" + std::to_string(gpu);
    std::string json = must({"slices", "-o", "json", "--filter", filter, "--sort=start"}).out;
    std::string text;
    for (std::size_t i = 0; i < json_size(json); ++i) {
      std::string at = "/" + std::to_string(i);
      std::string profile = text_at(json, at + "/profile");
      text += (text.empty() ? "" : " ") + (profile == "null" ? text_at(json, at + "/kind") : profile);
      if (std::string start = json_at(json, at + "/start"); start != "null") text += "@" + start;
    }
    return text;
  }
  std::string health(const std::string& node) {
    return text_at(must({"nodes", "-o", "json", "--filter", "node=" + node}).out, "/0/health");
  }
  // Nothing held twice, no layout that cannot be.
  void expect_sound() { EXPECT_EQ(try_sim({"check"}).code, 0); }

  Scratch folder_;
  RunOptions options_;
};

// As the driver cuts an empty GPU of n1 by that preset.
inline constexpr const char* kBalanced = "2g.20gb@0 1g.10gb@2 1g.10gb@3 3g.40gb@4";

}  // namespace tessera::test
