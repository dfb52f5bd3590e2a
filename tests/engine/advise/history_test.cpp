// What would have fitted of the past, against figures that were worked out by hand.
#include "engine/advise/history.hpp"

#include <gtest/gtest.h>

#include "engine/advise/advise.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::advise {
namespace {

using test::at;

// Node n1: GPU 0 whole and free; GPU 1 cut into two 3g.40gb. A round each ten minutes.
class AdviseHistory : public testing::Test {
 protected:
  AdviseHistory() {
    Gpu whole = test::gpu(0, Strategy::whole, {test::whole(0)});
    whole.mig_mode = MigMode::disabled;
    story_.tell(ClusterSeen{Scheduler::slurm, false, "", ""});
    story_.tell(NodesListed{{test::node("n1", {whole, test::gpu(1, Strategy::mig,
                                                                {test::instance("3g.40gb", 0, 4, 1),
                                                                 test::instance("3g.40gb", 4, 4, 2)})})}});
    story_.tell(SourceReport{Source::slurm_nodes, {}, Duration{5}});
    story_.tell(SourceReport{Source::slurm_jobs, {}, Duration{5}});
    story_.tell(Loaded{});
    round(0);
  }
  // So many wait for that resource; the round stands for ten minutes.
  void round(int waiting, const std::string& resource = "gpu:3g.40gb") {
    std::vector<Workload> work;
    for (int i = 0; i < waiting; ++i) work.push_back(test::waiting(std::to_string(i), "bob", resource));
    story_.tell(WorkloadsListed{work}, 600 * rounds_);
    past_.see(story_.cluster(), at(600 * rounds_++));
  }
  History history() { return History(past_, story_.cluster(), test::catalogue()); }
  static const PastProfile& of(const History& history, const std::string& profile) {
    static const PastProfile kNone;
    for (const PastProfile& one : history.profiles())
      if (one.profile == profile) return one;
    ADD_FAILURE() << "nothing is told of " << profile;
    return kNone;
  }

  test::Story story_;
  usage::DemandOverTime past_;
  int rounds_ = 0;
};

TEST_F(AdviseHistory, WhatHadNoRoomIsCountedRoundByRoundAndNotByPeaks) {
  round(5), round(1), round(3);
  const History all = history();
  EXPECT_EQ(of(all, "3g.40gb").peak, 5);
  EXPECT_EQ(of(all, "3g.40gb").has, 2);
  // Three and one too few for ten minutes each, 3/7 of a GPU each.
  EXPECT_NEAR(*of(all, "3g.40gb").without_room, 4 * 3.0 / 7 / 6, 1e-9);
  EXPECT_NEAR(*all.fitted("3g.40gb", 2), (2 + 1 + 2) * 3.0 / 7 / 6, 1e-9);
  EXPECT_NEAR(*all.fitted("3g.40gb", 4), (4 + 1 + 3) * 3.0 / 7 / 6, 1e-9);
}

TEST_F(AdviseHistory, InNinetyFivePercentOfTheHoursNoMoreWereNeededThanP95) {
  for (int i = 0; i < 38; ++i) round(1);
  round(9), round(4);
  EXPECT_EQ(of(history(), "3g.40gb").p95, 1) << "the two rounds are 5 % of forty";
  round(4);
  EXPECT_EQ(of(history(), "3g.40gb").p95, 4);
  for (int i = 0; i < 3; ++i) round(0);
  EXPECT_EQ(of(history(), "3g.40gb").p95, 4) << "hours in which none was needed count";
}

TEST_F(AdviseHistory, OfAProfileThatNoGpuHereHasItIsNotKnown) {
  round(1, "gpu:9g.10gb");
  EXPECT_EQ(of(history(), "9g.10gb").without_room, std::nullopt);
  EXPECT_EQ(history().fitted("9g.10gb", 1), std::nullopt);
}

TEST_F(AdviseHistory, ThePastAloneGivesAnAnswerWithWhatItGainsAndLoses) {
  round(4), round(4), round(1, "gpu:h100");
  round(0);
  Question question{
      &story_.cluster(), &test::catalogue(), plan::simulator_capabilities(), {}, {NodeName("n1")}, "", at(0)};
  EXPECT_TRUE(advise(question).answers.empty()) << "nothing waits now";
  question.past = &past_;
  const Advice advice = advise(question);
  ASSERT_EQ(advice.answers.size(), 1u);
  EXPECT_NEAR(advice.answers[0].fitted.value_or(-1), 2 * 2 * 3.0 / 7 / 6, 1e-9);
  EXPECT_NEAR(advice.answers[0].lost.value_or(-1), 1.0 / 6, 1e-9);
  EXPECT_EQ(words_of(advice.answers[0]), std::vector<std::string>{"3g.40gb=4"});
}

TEST_F(AdviseHistory, AnAnswerThatLosesMoreOfThePastThanItGainsIsNone) {
  round(4), round(2, "gpu:h100");
  round(0);
  for (int i = 0; i < 3; ++i) round(1, "gpu:h100");
  round(0);
  Question question{
      &story_.cluster(), &test::catalogue(), plan::simulator_capabilities(), {}, {NodeName("n1")}, "", at(0)};
  question.past = &past_;
  EXPECT_TRUE(advise(question).answers.empty());
}

}  // namespace
}  // namespace tessera::advise
