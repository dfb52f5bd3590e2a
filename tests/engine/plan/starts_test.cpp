// Starts of slices where no plan can choose them: a wish for others changes nothing, and says so.
#include <gtest/gtest.h>

#include "engine/plan/notices.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::test::operator_story {
namespace {

std::string of_rule(const Plan& plan, const std::string& rule) {
  std::string all;
  for (const plan::Notice& one : plan.notices)
    if (one.rule == rule) all += one.text + "\n";
  return all;
}

TEST(Starts, OfSlicesThatAreThereStayAndThePlanSaysSo) {
  Kubernetes k;
  const Gpu stands = cut(0, {instance("3g.40gb", 4, 4, 0), instance("2g.20gb", 2, 2, 1),
                             instance("1g.10gb", 0, 1, 2), instance("1g.10gb", 1, 1, 3)});
  k.site.labels["n1"]["nvidia.com/mig.config"] = "all-balanced";
  Gpu beside = stands;
  beside.index = GpuIndex{1};
  k.boards({stands, beside});
  const auto wish = [](const char* layout) {
    plan::Intent intent = everywhere(layout);
    intent.boards[0].gpu = GpuIndex{0};
    return intent;
  };
  const std::string here = mig::to_text(h100(), *mig::observed_layout(h100(), stands));
  const Plan same = k.plan(wish(here.c_str()));
  EXPECT_FALSE(same.changes_anything());
  EXPECT_EQ(of_rule(same, "placement"), "");
  EXPECT_FALSE(plan::only_starts_differ(same));
  const Plan other = k.plan(wish("3g.40gb@4,2g.20gb@0,1g.10gb@2,1g.10gb@3"));
  EXPECT_FALSE(other.changes_anything());
  EXPECT_EQ(of_rule(other, "placement"),
            "GPU 0: slices of these profiles are there at other starts and stay as they are: " + here +
                ". No plan can choose starts here\n");
  EXPECT_TRUE(plan::only_starts_differ(other));
}

TEST(Starts, AreNotTakenForThoseThatWereRequestedWhereTheyAreNotReported) {
  Kubernetes k;
  k.site.labels["n1"]["nvidia.com/mig.config"] = "all-1g.10gb";
  Gpu stands = cut(0, {});
  for (int i = 0; i < 7; ++i) {
    stands.slices.push_back(instance("1g.10gb", 0, 0, i));
    stands.slices.back().placement.reset();
  }
  k.boards({stands});
  EXPECT_EQ(of_rule(k.plan(everywhere("7x1g.10gb")), "placement"), "");
  const Plan told =
      k.plan(everywhere("1g.10gb@0,1g.10gb@1,1g.10gb@2,1g.10gb@3,1g.10gb@4,1g.10gb@5,1g.10gb@6"));
  EXPECT_NE(of_rule(told, "placement").find("starts are not reported here"), std::string::npos);
}

}  // namespace
}  // namespace tessera::test::operator_story
