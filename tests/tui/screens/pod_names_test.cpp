// The id of a pod ends with its name, so that a list of pods needs no column of names.
#include <gtest/gtest.h>

#include "tests/support/build.hpp"
#include "tests/support/session.hpp"

namespace tessera::test {
namespace {

Model listed(std::vector<Workload> work) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)})})}});
  story.tell(WorkloadsListed{{std::move(work)}});
  return story.model;
}

Workload pod_named(const std::string& id, const std::string& name) {
  Workload pod = running(id, "data-science", {});
  pod.kind = WorkloadKind::pod;
  pod.name = name;
  return pod;
}

// At 80 columns both were cut: "notebooks…  nb-anna-2…" stood there three times.
TEST(PodNames, StandInTheIdAloneWhichIsReadToItsEnd) {
  std::vector<Workload> pods;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "nb-anna-" + std::to_string(10000 + i);
    pods.push_back(pod_named("notebooks/" + name, name));
  }
  Session session(listed(pods), {80, 24});
  session.press("5");
  EXPECT_TRUE(session.shows("notebooks/nb-anna-10000")) << session.screen();
  EXPECT_FALSE(session.shows("NAME")) << session.screen();
}

TEST(PodNames, AJobAmongThemKeepsTheColumn) {
  Workload job = running("4711", "bob", {});
  job.name = "train";
  Session session(listed({pod_named("ml/serve", "serve"), job}), {80, 24});
  session.press("5");
  EXPECT_TRUE(session.shows("NAME")) << session.screen();
  EXPECT_TRUE(session.shows("train")) << session.screen();
}

}  // namespace
}  // namespace tessera::test
