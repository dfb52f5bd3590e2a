// What need not be read to tell what happened: work of which two key frames say the same, and nothing else.
#include "backends/record/stood_still.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tessera::test {
namespace {

const std::string kThen = R"({"at":"2026-11-24T00:00:00Z",)", kBetween = R"({"at":"2026-11-24T01:00:00Z",)",
                  kNow = R"({"at":"2026-11-24T02:00:00Z",)", kLater = R"({"at":"2026-11-24T02:01:00Z",)";

std::string job(const std::string& id, const std::string& state) {
  return R"("kind":"workload","workload":{"id":")" + id + R"(","state":")" + state + "\"}}\n";
}
std::string gone(const std::string& id) { return R"("kind":"gone","workload":")" + id + "\"}\n"; }

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
  const record::StoodStill still(before, next);
  EXPECT_TRUE(still.is_about(kThen + job("1", "running")));
  EXPECT_TRUE(still.is_about(kNow + job("1", "running"))) << "what comes later has not happened yet";
  EXPECT_FALSE(still.is_about(kThen + job("2", "running"))) << "it reads otherwise";
  EXPECT_FALSE(still.is_about(kThen + job("3", "pending"))) << "it was told in between";
  EXPECT_FALSE(still.is_about(kThen + job("4", "running"))) << "it went and came back";
  EXPECT_FALSE(still.is_about(kThen + job("5_[1-2]", "pending"))) << "tasks stand for each other";
  EXPECT_FALSE(still.is_about(kThen + job("6", "running"))) << "it is gone with the key frame";
  EXPECT_FALSE(still.is_about(kNow + job("7", "running"))) << "it is new";
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
    const record::StoodStill still(line + "\n", line + "\n");
    EXPECT_FALSE(still.is_about(line)) << line;
  }
}

}  // namespace
}  // namespace tessera::test
