// Every plan that tessera itself makes may be carried out: asked of each plan that a test of the builders
// makes.
#pragma once

#include <gtest/gtest.h>

#include "engine/plan/allowed.hpp"

namespace tessera::test {

inline void expect_allowed(const plan::Plan& plan) {
  for (const plan::NodePlan& node : plan.nodes) {
    auto why = plan::why_not_allowed(node, plan::intent_of(plan.intent, node.node), plan.means());
    EXPECT_FALSE(why) << *why;
  }
}

}  // namespace tessera::test
