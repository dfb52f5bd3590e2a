// A run is told in the same words while it is followed and when its journal is read later.
#include "engine/plan/run/teller.hpp"

#include <gtest/gtest.h>

namespace tessera::plan {
namespace {

Plan plan_with(const char* title) {
  Plan plan;
  NodePlan node;
  node.node = NodeName("n1");
  Step step;
  step.id = "n1/1";
  step.title = title;
  node.steps = {step};
  plan.nodes = {node};
  return plan;
}

Entry about(const char* node, RunEvent what) {
  Entry entry;
  entry.node = NodeName(node);
  entry.what = std::move(what);
  return entry;
}

TEST(Teller, AStepIsCalledByItsTitleInThePlanOfThatMoment) {
  Teller teller;
  RunStarted started;
  started.plan = plan_with("GPU 0: MIG on");
  teller.tell(about("", started));
  EXPECT_EQ(teller.tell(about("n1", StepBegun{"n1/1", 1, LookOnly{}})), "step n1/1: GPU 0: MIG on");
  Replanned back;
  back.plan = plan_with("GPU 0: MIG off");
  teller.tell(about("n1", back));
  EXPECT_EQ(teller.tell(about("n1", StepBegun{"n1/1", 2, LookOnly{}})),
            "step n1/1: GPU 0: MIG off, attempt 2");
}

TEST(Teller, WhatNoPlanNamesIsCalledByItsAction) {
  Teller teller;
  EXPECT_EQ(teller.tell(about("n2", StepBegun{"n2/1", 1, LookOnly{}})), "step n2/1: looks");
  EXPECT_EQ(teller.tell(about("n2", StepDone{"n2/1", true})), "step n2/1: already done");
}

}  // namespace
}  // namespace tessera::plan
