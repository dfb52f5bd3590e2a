// The managed platform's rules, judged by what a plan itself would break: a state that is half done can be
// finished or left, and no run is refused for what others have left behind.
#include "engine/sharing/rules.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera {
namespace {

using namespace test;
using namespace test::operator_story;

struct Fpt : Kubernetes {
  std::vector<Node> workers;

  // One worker for each: "whole", or the layout of its only GPU.
  explicit Fpt(const std::vector<std::string>& layouts, bool answers = true) {
    site.strategy = "single";
    for (auto& [key, text] : site.plugin_configs)
      if (auto at = text.find("migStrategy: mixed"); at != std::string::npos)
        text.replace(at, 18, "migStrategy: single");
    int number = 0;
    for (const std::string& layout : layouts) {
      const std::string name = "n" + std::to_string(++number);
      Node node = test::node(name, {layout == "whole" ? uncut(0, 0) : seven()});
      node.allocatable.emplace();
      if (answers) (*node.allocatable)["nvidia.com/gpu"] = layout == "whole" ? 1 : 7;
      site.labels[name] = site.labels["n1"];
      site.node_config[name] = operators::mig_file(kStaticFile);
      if (layout != "whole") site.labels[name]["nvidia.com/mig.config"] = "all-1g.10gb";
      workers.push_back(std::move(node));
    }
    ClusterSeen seen;
    seen.scheduler = Scheduler::kubernetes;
    tell(seen);
    tell(NodesListed{workers});
  }
  static Gpu seven() {
    std::vector<Slice> slices;
    for (int i = 0; i < 7; ++i) slices.push_back(instance("1g.10gb", i, 1, i));
    return cut(0, std::move(slices));
  }
  plan::SiteRules rules() const {
    plan::SiteRules told;
    told.platform = sharing::Platform::fpt;
    return told;
  }
  // The rules that a plan for these workers breaks.
  std::string broken(const std::vector<std::string>& names, const plan::Intent& wish) {
    plan::Intent intent = wish;
    intent.nodes.clear();
    for (const std::string& name : names) intent.nodes.emplace_back(name);
    auto made = plan::make_plan(cluster(), catalogue(), intent, can(), rules(), at(0));
    EXPECT_TRUE(made.ok()) << (made ? "" : to_line(made.error()));
    std::string all;
    if (made)
      for (const plan::Notice& one : made->violations) all += one.rule + " ";
    if (made) last = *made;
    return all;
  }
  std::string notice(const std::string& rule) const {
    for (const plan::Notice& one : last.notices)
      if (one.rule == rule) return one.text;
    return "";
  }
  Plan last;
};

TEST(FptRules, OneWorkerIsNotCutWhileTheOthersStayWhole) {
  Fpt fpt({"whole", "whole"});
  EXPECT_EQ(fpt.broken({"n1"}, everywhere("7x1g.10gb")), "fpt-b ");
  EXPECT_NE(fpt.last.violations[0].text.find("n2 is \"none with operator\", n1 would be \"single\""),
            std::string::npos)
      << fpt.last.violations[0].text;
  EXPECT_EQ(fpt.broken({"n1", "n2"}, everywhere("7x1g.10gb")), "") << "together they may";
}

TEST(FptRules, AHalfDoneStateCanBeFinishedAndLeft) {
  Fpt fpt({"single", "whole", "whole"});
  EXPECT_EQ(fpt.broken({"n2"}, everywhere("7x1g.10gb")), "");
  EXPECT_EQ(fpt.broken({"n1"}, everywhere("none")), "");
  EXPECT_EQ(fpt.broken({"n2"}, everywhere("none")), "") << "nothing to do is nothing to refuse";
}

TEST(FptRules, TimeSlicesOfWholeGpusGoWhereAnOperatorAnswers) {
  Fpt fpt({"whole", "whole"});
  EXPECT_EQ(fpt.broken({"n1"}, sharing_everywhere(Strategy::time_slicing, 8)), "");
  EXPECT_EQ(fpt.broken({"n1"}, sharing_everywhere(Strategy::time_slicing, 49)), "fpt-d ");
  EXPECT_EQ(fpt.broken({"n1"}, sharing_everywhere(Strategy::mps, 48)), "");
}

// Two kinds of none: without an operator the platform offers nothing.
TEST(FptRules, NoneIsToldFromNoneWithOperatorByWhoAnswers) {
  Fpt fpt({"whole", "whole"});
  plan::Intent none = everywhere("none");
  none.words = "none";
  EXPECT_EQ(fpt.broken({"n1"}, none), "");
  EXPECT_NE(fpt.notice("none-with-operator").find("offers 0 GPUs until the admin deploys one"),
            std::string::npos);
  using sharing::MigStrategy;
  sharing::NodeShape bare;
  bare.boards = {{&h100(), false, {}, ""}};
  bare.sharing = {Strategy::time_slicing, 4, false, {}, {}};
  EXPECT_FALSE(sharing::fpt_time_slicing(bare).empty()) << "nothing is installed that could slice";
  bare.type = MigStrategy::none_with_operator;
  EXPECT_TRUE(sharing::fpt_time_slicing(bare).empty());
}

// Ordered as such, it is another type than none with operator: all workers together, or none of them.
TEST(FptRules, NoneIsATypeOfItsOwnOnceItIsOrdered) {
  Fpt fpt({"whole", "whole"});
  plan::Intent none = everywhere("none");
  none.words = "none";
  none.orders = plan::nothing_offered();
  EXPECT_EQ(fpt.broken({"n1"}, none), "fpt-b ");
  EXPECT_EQ(fpt.broken({"n1", "n2"}, none), "");
  EXPECT_EQ(fpt.notice("none-with-operator"), "") << "no operator answers there any more";
  EXPECT_NE(fpt.notice("offers-nothing").find("offers 0 GPUs until the admin deploys something"),
            std::string::npos);
}

TEST(FptRules, WhatOthersHaveBrokenIsToldAndNotRefused) {
  using sharing::Platform;
  sharing::NodeShape odd;
  odd.name = "n1";
  odd.strategy = sharing::MigStrategy::mixed;
  odd.boards = {{&h100(), true, {ProfileName("1g.10gb")}, ""}, {&h100(), true, {ProfileName("2g.20gb")}, ""}};
  const std::vector<sharing::NodeShape> was{odd};
  EXPECT_EQ(sharing::broken_by_change(Platform::fpt, was, was).standing.size(), 1u);
  EXPECT_TRUE(sharing::broken_by_change(Platform::fpt, was, was).broken.empty());
  std::vector<sharing::NodeShape> worse = was;
  worse[0].boards[0].instances = {ProfileName("3g.40gb")};
  EXPECT_FALSE(sharing::broken_by_change(Platform::fpt, was, worse).broken.empty());
  std::vector<sharing::NodeShape> mended = was;
  mended[0].boards[1] = mended[0].boards[0];
  EXPECT_TRUE(sharing::broken_by_change(Platform::fpt, was, mended).broken.empty());
}

}  // namespace
}  // namespace tessera
