// What need not be read to tell what happened: work and nodes of which two key frames say the same, and
// nothing else.
#include "backends/record/stood_still.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

const std::string kThen = R"({"at":"2026-11-24T00:00:00Z",)", kBetween = R"({"at":"2026-11-24T01:00:00Z",)",
                  kNow = R"({"at":"2026-11-24T02:00:00Z",)", kLater = R"({"at":"2026-11-24T02:01:00Z",)";
// Of kNow.
const TimePoint kUntil =
    TimePoint(std::chrono::sys_days(std::chrono::year(2026) / 11 / 24)) + std::chrono::hours(2);

std::string job(const std::string& id, const std::string& state) {
  return R"("kind":"workload","workload":{"id":")" + id + R"(","state":")" + state + "\"}}\n";
}
std::string machine(const std::string& name, const std::string& health) {
  return R"("kind":"node","node":{"name":")" + name + R"(","health":")" + health + "\"}}\n";
}
std::string gone(const std::string& id) { return R"("kind":"gone","workload":")" + id + "\"}\n"; }
std::string gone_node(const std::string& name) { return R"("kind":"gone","node":")" + name + "\"}\n"; }

// Nodes that are there, each with eight GPUs of one model.
Nodes there(const std::vector<std::string>& names) {
  Nodes nodes;
  for (const std::string& name : names) {
    std::vector<Gpu> gpus;
    for (int i = 0; i < 8; ++i) gpus.push_back(gpu(i, Strategy::whole, {whole(i)}));
    nodes.upsert(node(name, std::move(gpus)));
  }
  return nodes;
}

// Whether that line is left out where it stands first in either text.
struct LeftOut {
  const record::StoodStill& still;
  bool operator()(std::string line) const {
    line.pop_back();
    const auto has = [&](const record::StoodStill::Lines& lines) {
      return std::find(lines.begin(), lines.end(), line) != lines.end();
    };
    return !has(still.before()) && !has(still.next());
  }
};

TEST(StoodStill, WorkThatBothKeyFramesTellAlikeAndNothingBetweenThem) {
  const std::string before = kThen + job("1", "running") + kThen + job("2", "running") + kThen +
                             job("3", "pending") + kThen + job("4", "running") + kThen +
                             job("5_[1-2]", "pending") + kThen + job("6", "running") + kThen +
                             R"("kind":"whole"})" + "\n" + kBetween + job("3", "running") + kBetween +
                             gone("4") + kBetween + job("4", "running") + kBetween + job("7", "running");
  const std::string next = kNow + job("1", "running") + kNow + job("2", "suspended") + kNow +
                           job("3", "running") + kNow + job("4", "running") + kNow +
                           job("5_[1-2]", "pending") + kNow + job("7", "running") + kLater +
                           job("1", "suspended");
  const record::StoodStill still(before, next, kUntil, {});
  const LeftOut is_left_out{still};
  EXPECT_TRUE(is_left_out(kThen + job("1", "running")));
  EXPECT_TRUE(is_left_out(kNow + job("1", "running"))) << "what comes later has not happened yet";
  EXPECT_FALSE(is_left_out(kThen + job("2", "running"))) << "it reads otherwise";
  EXPECT_FALSE(is_left_out(kThen + job("3", "pending"))) << "it was told in between";
  EXPECT_FALSE(is_left_out(kThen + job("4", "running"))) << "it went and came back";
  EXPECT_FALSE(is_left_out(kThen + job("5_[1-2]", "pending"))) << "tasks stand for each other";
  EXPECT_FALSE(is_left_out(kThen + job("6", "running"))) << "it is gone with the key frame";
  EXPECT_FALSE(is_left_out(kNow + job("7", "running"))) << "it is new";
}

TEST(StoodStill, LinesAreReadThatAreNotAsTesseraWritesThem) {
  const std::string odd[] = {"",
                             "{",
                             R"({"at":"2026)",
                             R"({"at":"2026-11-24T00:00:00Z")",
                             R"({"at":"2026-11-24T00:00:00Z","kind":"workload","workload":{"id":"1)",
                             R"({"at":"2026-11-24T00:00:00Z","kind":"workload","workload":{"user":"1"}})",
                             kThen + job("a\\\"b", "running"),
                             kThen + R"("kind":"node","node":{}})"};
  for (const std::string& line : odd) {
    const std::string text = line + "\n";
    const record::StoodStill still(text, text, kUntil, {});
    ASSERT_FALSE(still.before().empty()) << line;
    EXPECT_EQ(still.before().front(), line.substr(0, line.find('\n')));
  }
}

TEST(StoodStill, NodesThatBothKeyFramesTellAlikeStandForThemselvesInShort) {
  const std::string before = kThen + machine("a", "ok") + kThen + machine("b", "ok") + kThen +
                             machine("c", "ok") + kThen + machine("d", "ok") + kThen + machine("e", "ok") +
                             kThen + machine("f", "ok") + kBetween + machine("c", "down") + kBetween +
                             machine("c", "ok") + kBetween + gone_node("d");
  const std::string next = kNow + machine("a", "ok") + kNow + machine("b", "drained") + kNow +
                           machine("c", "ok") + kNow + machine("d", "ok") + kNow + machine("e", "ok") + kNow +
                           machine("f", "ok") + kLater + machine("e", "down");
  const record::StoodStill still(before, next, kUntil, there({"a", "b", "c", "d", "e"}));
  const LeftOut is_left_out{still};
  EXPECT_TRUE(is_left_out(kThen + machine("a", "ok")));
  EXPECT_TRUE(is_left_out(kNow + machine("a", "ok")));
  EXPECT_FALSE(is_left_out(kThen + machine("b", "ok"))) << "it reads otherwise";
  EXPECT_FALSE(is_left_out(kThen + machine("c", "ok"))) << "it went down and came back";
  EXPECT_FALSE(is_left_out(kThen + machine("d", "ok"))) << "it was gone for a while";
  EXPECT_FALSE(is_left_out(kThen + machine("e", "ok"))) << "a moment may have it as it was told later";
  EXPECT_FALSE(is_left_out(kThen + machine("f", "ok"))) << "the moment does not have it";
  ASSERT_EQ(still.nodes().size(), 1u);
  const Node &few = still.nodes().front(), all = there({"a"}).all().front();
  EXPECT_EQ(few.name, all.name);
  EXPECT_EQ(few.model, all.model);
  ASSERT_EQ(few.gpus.size(), 1u);
  EXPECT_EQ(few.gpus.front().model, all.gpus.front().model);
  EXPECT_EQ(few.gpus.front().product, all.gpus.front().product);
}

TEST(StoodStill, FiguresTellOfNoEvent) {
  const std::string figures = R"("kind":"figures","source":"DCGM exporter","use":"0"})"
                              "\n";
  const record::StoodStill still(kThen + job("1", "running") + kThen + figures,
                                 kNow + job("1", "running") + kNow + figures, kUntil, {});
  EXPECT_TRUE(still.before().empty());
  EXPECT_TRUE(still.next().empty());
}

TEST(StoodStill, WhereALineIsOutOfItsOrderNothingIsLeftOut) {
  const std::string before = kBetween + job("1", "running") + kThen + job("2", "running");
  const std::string next = kNow + job("1", "running") + kNow + job("2", "running");
  const record::StoodStill still(before, next, kUntil, {});
  EXPECT_EQ(still.before().size(), 2u) << "whoever reads it must see where it is damaged";
  EXPECT_EQ(still.next().size(), 2u);
}

}  // namespace
}  // namespace tessera::test
