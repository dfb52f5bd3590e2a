// Sizes and layouts chosen together: the published scenarios, and what is refused.
#include "engine/pack/sizing.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "engine/pack/pack.hpp"
#include "engine/pack/read.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/paths.hpp"

namespace tessera::pack {
namespace sizing_test {

FileProblem read(const std::string& text) {
  auto problem = read_boards(text, "test.yaml", test::catalogue());
  EXPECT_TRUE(problem.ok()) << to_line(problem.error());
  return problem.ok() ? *problem : FileProblem{};
}
FileProblem scenario(const std::string& kind, int number) {
  std::ifstream file(test::source_dir() + "/tests/fixtures/parvagpu/" + kind + "-" + std::to_string(number) +
                     ".yaml");
  std::stringstream text;
  text << file.rdbuf();
  return read(text.str());
}

// Whether what was chosen serves every rate, counted here once more.
void expect_served(const FileProblem& problem, const Sizes& sizes) {
  ASSERT_EQ(sizes.counts.size(), problem.services.size());
  for (std::size_t i = 0; i < problem.services.size(); ++i) {
    double rate = 0;
    for (std::size_t size = 0; size < problem.services[i].gives.size(); ++size)
      rate += sizes.counts[i][size] * problem.services[i].gives[size].rate;
    EXPECT_GE(rate, problem.services[i].rate * (1 - 1e-9)) << problem.services[i].name;
  }
}

constexpr int kFixed[] = {2, 3, 5, 7, 13, 16};
constexpr int kJoint[] = {2, 3, 5, 7, 12, 15};

TEST(PackSizes, ThePublishedInstancesOfParvaGpuNeedTheGpusThatItUses) {
  for (int i = 0; i < 6; ++i) {
    const Problem problem = scenario("instances", i + 1).problem;
    auto packed = pack(problem);
    ASSERT_TRUE(packed.ok()) << to_line(packed.error());
    EXPECT_EQ(certificate(problem, *packed), "touches " + std::to_string(kFixed[i]) +
                                                 " GPUs on 1 node; proven minimum " +
                                                 std::to_string(kFixed[i]));
  }
}

TEST(PackSizes, ChosenTogetherWithTheLayoutsTheyNeedFewerGpusThanParvaGpuUses) {
  for (int i = 0; i < 6; ++i) {
    const FileProblem problem = scenario("services", i + 1);
    auto sizes = choose_sizes(problem.problem, problem.services);
    ASSERT_TRUE(sizes.ok()) << to_line(sizes.error());
    EXPECT_EQ(sizes->gpus, kJoint[i]);
    EXPECT_EQ(sizes->gpus_at_least, kJoint[i]);
    expect_served(problem, *sizes);
    const Problem sized = with_sizes(problem.problem, problem.services, *sizes);
    auto packed = pack(sized);
    ASSERT_TRUE(packed.ok()) << to_line(packed.error());
    EXPECT_TRUE(packed->met());
    EXPECT_EQ(packed->gpus_touched, kJoint[i]) << certificate(sized, *packed);
  }
}

// A small instance runs on each of two GPUs, and the service needs one that is empty.
TEST(PackSizes, RunningInstancesAreMovedForThemOnlyWhereTheFileAllowsItAndNothingElseServes) {
  const auto sizes_of = [](const std::string& evict, const std::string& more) {
    FileProblem problem = read("evict: " + evict + R"(
services: {chat: {rate: 10, gives: {7g.80gb: 10}}}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 0, held: true}]}
- {node: n1, gpu: 1, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 6, held: true}]}
)" + more);
    Result<Sizes> sizes = choose_sizes(problem.problem, problem.services);
    if (sizes) {
      const auto packed = pack(with_sizes(problem.problem, problem.services, *sizes));
      EXPECT_TRUE(packed && packed->met());
      EXPECT_EQ(packed ? packed->evicted : -1, sizes->evicted);
    }
    return sizes;
  };
  EXPECT_FALSE(sizes_of("false", "").ok());
  const auto moved = sizes_of("true", "");
  ASSERT_TRUE(moved.ok()) << to_line(moved.error());
  EXPECT_EQ(moved->evicted, 1);
  EXPECT_EQ(moved->gpus, 2);
  const auto free = sizes_of("true", "- {node: n1, gpu: 2, product: H100-80GB-SXM5}\n");
  ASSERT_TRUE(free.ok()) << to_line(free.error());
  EXPECT_EQ(free->evicted, 0);
}

// 1.7 instances would do, three whole ones need a running one moved: that was not tried.
TEST(PackSizes, RunningInstancesAreMovedWhereOnlyPartsOfInstancesWouldServeWithoutThat) {
  const auto sizes_of = [](const std::string& evict) {
    const FileProblem problem = read("evict: " + evict + R"(
services: {chat: {rate: 12, gives: {3g.40gb: 10}}, search: {rate: 5, gives: {3g.40gb: 10}}}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5}
- {node: n1, gpu: 1, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 0, held: true}, {profile: 1g.10gb, start: 4, held: true}]}
)");
    return choose_sizes(problem.problem, problem.services);
  };
  EXPECT_FALSE(sizes_of("false").ok());
  const auto moved = sizes_of("true");
  ASSERT_TRUE(moved.ok()) << to_line(moved.error());
  EXPECT_EQ(moved->evicted, 1);
}

TEST(PackSizes, WhatMovingRunningInstancesDoesNotServeEitherIsRefused) {
  const FileProblem problem = read(R"(
evict: true
services: {chat: {rate: 10, gives: {7g.80gb: 10}}}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 0, held: true}]}
)");
  const auto sizes = choose_sizes(problem.problem, problem.services);
  ASSERT_FALSE(sizes.ok()) << "what runs would find no other place";
  EXPECT_NE(sizes.error().reason.find("even where running instances are moved"), std::string::npos);
}

TEST(PackSizes, WhatRunsStaysAndIdleInstancesServeFirst) {
  const FileProblem problem = read(R"(
demand: {1g.10gb: 1}
services: {chat: {rate: 10, gives: {1g.10gb: 4, 3g.40gb: 10}}}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 4g.40gb, start: 0, held: true},
    {profile: 1g.10gb, start: 4}, {profile: 1g.10gb, start: 5}, {profile: 1g.10gb, start: 6}]}
- {node: n1, gpu: 1, product: H100-80GB-SXM5, instances: [{profile: 7g.80gb, start: 0, held: true}]}
- {node: n1, gpu: 2, product: H100-80GB-SXM5}
)");
  auto sizes = choose_sizes(problem.problem, problem.services);
  ASSERT_TRUE(sizes.ok()) << to_line(sizes.error());
  // Of three idle small instances the demand takes one: two serve 8, and one GPU changes either way.
  EXPECT_EQ(sizes->gpus, 1);
  EXPECT_EQ(sizes->counts, (std::vector<std::vector<int>>{{0, 1}}));
  const Problem sized = with_sizes(problem.problem, problem.services, *sizes);
  EXPECT_EQ(sized.demand.size(), 2u);
  EXPECT_EQ(sized.demand[0].count, 1);
  EXPECT_EQ(sized.demand[1].count, 1);
}

TEST(PackSizes, AServiceThatTheseGpusCannotServeIsRefused) {
  const FileProblem problem = read(R"(
services: {chat: {rate: 100, gives: {7g.80gb: 40}}}
boards: [{node: n1, gpu: 0, product: H100-80GB-SXM5, count: 2}]
)");
  auto sizes = choose_sizes(problem.problem, problem.services);
  ASSERT_FALSE(sizes.ok());
  EXPECT_EQ(sizes.error().reason, "these GPUs cannot serve every service beside the demand");
  auto stopped = choose_sizes(problem.problem, problem.services, [] { return true; });
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().reason, "the search was given up");
}

}  // namespace sizing_test
}  // namespace tessera::pack
