// Which clusters a kubeconfig names, and why one cannot be used.
#include "backends/kubernetes/kubeconfig.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/run_binary.hpp"

namespace tessera::kubernetes {
namespace {

constexpr const char* kConfig = R"(apiVersion: v1
kind: Config
current-context: b
clusters:
- {name: c1, cluster: {server: "https://one:6443"}}
- {name: c2, cluster: {server: "https://rancher/k8s/clusters/c-1"}}
contexts:
- {name: a, context: {cluster: c1, user: u}}
- {name: b, context: {cluster: c2, user: u}}
users: []
)";

TEST(Kubeconfig, ContextsAreChosenByNameOrAsTheFileSays) {
  test::Scratch folder;
  KubeconfigPlace place;
  place.given = folder.write("config", kConfig);
  auto config = read_kubeconfig(place);
  ASSERT_TRUE(config) << to_line(config.error());
  auto chosen = choose_contexts(*config, {});
  ASSERT_TRUE(chosen);
  ASSERT_EQ(chosen->size(), 1u);
  EXPECT_EQ(chosen->front().name, "b");
  EXPECT_EQ(chosen->front().server, "https://rancher/k8s/clusters/c-1");
  EXPECT_EQ(choose_contexts(*config, {"a", "b", "a"})->size(), 2u);
  auto wrong = choose_contexts(*config, {"c"});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().hint, "known: a, b");
}

TEST(Kubeconfig, NoTwoClustersAreShownUnderOneName) {
  Context prod{"prod", "c", ""}, wild{"prod\n", "c", ""};
  EXPECT_EQ(shown_name(prod, {}), "prod");
  EXPECT_EQ(shown_name(prod, {"hpc", "prod"}), "prod (kubernetes)");
  EXPECT_EQ(shown_name(prod, {"prod", "prod (kubernetes)"}), "prod (kubernetes 2)");
  EXPECT_EQ(shown_name(wild, {}).find('\n'), std::string::npos);
}

TEST(Kubeconfig, SeveralFilesAreMergedAndTheFirstCounts) {
  test::Scratch folder;
  std::string first = folder.write("one", "contexts:\n- {name: a, context: {cluster: c2}}\n");
  std::string second = folder.write("two", kConfig);
  KubeconfigPlace place;
  place.variable = first + ":" + folder.path() + "/absent::" + second;
  auto config = read_kubeconfig(place);
  ASSERT_TRUE(config) << to_line(config.error());
  EXPECT_EQ(config->current, "b");
  EXPECT_EQ(config->find("a")->server, "https://rancher/k8s/clusters/c-1");
}

TEST(Kubeconfig, AFifoIsRefusedAndNotWaitedFor) {
  test::Scratch folder;
  const std::string fifo = folder.path() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  KubeconfigPlace given, variable;
  given.given = fifo;
  variable.variable = fifo;
  for (const KubeconfigPlace& place : {given, variable}) {
    auto config = read_kubeconfig(place);
    ASSERT_FALSE(config);
    EXPECT_EQ(config.error().what, "cannot read the kubeconfig");
    EXPECT_EQ(config.error().reason, fifo + ": not a regular file");
  }
}

TEST(Kubeconfig, WhatCannotBeUsedIsAnErrorWithItsPlace) {
  test::Scratch folder;
  KubeconfigPlace place;
  place.given = folder.path() + "/absent";
  EXPECT_FALSE(read_kubeconfig(place));
  place.given = folder.write("bad", "contexts: [\n");
  auto bad = read_kubeconfig(place);
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().reason.find("bad:"), std::string::npos);
  place.given = folder.path();
  EXPECT_FALSE(read_kubeconfig(place));
  EXPECT_FALSE(read_kubeconfig({}));
  KubeconfigPlace pod;
  pod.service_account = true;
  ASSERT_TRUE(read_kubeconfig(pod));
  EXPECT_TRUE(read_kubeconfig(pod)->in_cluster);
}

}  // namespace
}  // namespace tessera::kubernetes
