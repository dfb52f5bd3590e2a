#include "tui/plan_phrases.hpp"

#include <gtest/gtest.h>

namespace tessera::tui {
namespace {

std::vector<std::string> told(const std::vector<plan::Notice>& notices, bool several) {
  std::vector<std::string> lines;
  for (const NoticeLine& line : told_once(notices, several))
    lines.push_back(line.nodes + "|" + line.notice->text);
  return lines;
}

TEST(ToldOnce, WhatIsSaidOfSeveralNodesIsOneLine) {
  auto notice = [](const char* rule, const char* node, const char* text) {
    return plan::Notice{Severity::warning, rule, NodeName(node), text};
  };
  const std::vector<plan::Notice> all{
      notice("pool", "n1", "set the pool's label"), notice("cpus", "n1", "more CPUs than there are"),
      notice("pool", "n2", "set the pool's label"), notice("pool", "n3", "set another one"),
      notice("pool", "", "set the pool's label")};
  EXPECT_EQ(told(all, true),
            (std::vector<std::string>{"n[1-2]|set the pool's label", "n1|more CPUs than there are",
                                      "n3|set another one", "|set the pool's label"}));
  EXPECT_EQ(told({all[1]}, false), std::vector<std::string>{"|more CPUs than there are"});
}

}  // namespace
}  // namespace tessera::tui
