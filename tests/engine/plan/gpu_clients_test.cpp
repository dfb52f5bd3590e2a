// Who has a GPU open beside jobs, told before the driver refuses.
#include "engine/plan/effect/gpu_clients.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/model/processes.hpp"
#include "tests/engine/plan/boards.hpp"

namespace tessera::test {
namespace {

using namespace plan;

GpuProcess process(std::string name, std::string work = "-") {
  GpuProcess one;
  one.pid = 585, one.name = std::move(name), one.workload = WorkloadId(work);
  return one;
}
Gpu open_by(int index, std::vector<GpuProcess> list) {
  Gpu board = cut(index, {});
  board.processes = GpuProcesses{std::move(list), {}};
  return board;
}
slurmconf::SlurmSetup stopping(std::vector<std::string> stop, std::vector<std::string> start) {
  slurmconf::SlurmSetup site;
  site.stop_clients = std::move(stop), site.start_clients = std::move(start);
  return site;
}

TEST(GpuClients, EachIsNamedOnceWithItsGpusAndWhatTheRunDoes) {
  const Node node = test::node(
      "n1", {open_by(0, {process("/usr/bin/nv-hostengine -n"), process("python3", "7")}),
             open_by(1, {process("/usr/bin/nv-hostengine -n"), process("miner"), process("a.out", "")})});
  const auto site = stopping({"systemctl stop nvidia-dcgm.service"}, {"systemctl start nvidia-dcgm"});
  const auto all = gpu_clients(node, {GpuIndex{0}, GpuIndex{1}}, &site);
  ASSERT_EQ(all.size(), 2u) << "a job's, and one whose owner is not told, are none";
  EXPECT_EQ(to_text(all[0], &site),
            "nv-hostengine has GPU 0-1 open and belongs to no job: the run stops it and starts it again");
  EXPECT_EQ(to_text(all[1], &site),
            "miner has GPU 1 open and belongs to no job: stop it first, or the driver refuses (In use by "
            "another client)");
  EXPECT_TRUE(gpu_clients(node, {}, &site).empty());
}

TEST(GpuClients, AMonitorThatComputesNothingIsNamedAndCalledNoDanger) {
  const std::string only(kOnlyOpens);
  const Node node =
      test::node("n1", {open_by(0, {process("/usr/bin/nvidia-persistenced", only)}),
                        open_by(1, {process("/opt/monitor", only), process("nv-hostengine", only)})});
  const auto site = stopping({"systemctl stop nvidia-dcgm"}, {"systemctl start nvidia-dcgm"});
  const auto all = gpu_clients(node, {GpuIndex{0}, GpuIndex{1}}, &site);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(to_text(all[0], &site),
            "nvidia-persistenced has GPU 0 open, computes nothing and belongs to no job: stop it where the "
            "driver refuses (In use by another client)");
  EXPECT_EQ(to_text(all[2], &site),
            "nv-hostengine has GPU 1 open and belongs to no job: the run stops it and starts it again");
  Story story;
  story.tell(NodesListed{{test::node("n1", {open_by(0, {process("/opt/monitor", only)})})}});
  const auto made =
      make_plan(story.cluster(), catalogue(), wants("7x1g.10gb"), simulator_capabilities(), {}, at(0));
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  for (const Notice& one : made->notices)
    if (one.rule == "gpu-clients") EXPECT_EQ(one.severity, Severity::info);
}

// "nvidia-smi --loop 5 &" in a job's script was called a program of no job.
TEST(GpuClients, AJobsOwnNvidiaSmiIsNoneAndOneOfNoJobIs) {
  const auto clients = [](const char* workload) {
    const Node node = test::node("n1", {open_by(0, {process("/usr/bin/nvidia-smi", workload)})});
    return gpu_clients(node, {GpuIndex{0}}, nullptr).size();
  };
  EXPECT_EQ(clients("7"), 0u);
  EXPECT_EQ(clients(""), 0u) << "it is not told whose it is";
  EXPECT_EQ(clients("-"), 1u);
  EXPECT_EQ(clients("="), 1u);
}

TEST(GpuClients, AProgramWhoseNameTheDriverCannotTellIsCalledByItsNumber) {
  const Node node = test::node("n1", {open_by(0, {process("[Not Found]"), process("")})});
  const auto all = gpu_clients(node, {GpuIndex{0}}, nullptr);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].program, "process 585");
}

TEST(GpuClients, WhatASitesCommandStopsIsReadFromItsWordsOnly) {
  const auto told = [](const char* program, std::vector<std::string> stop) {
    const auto site = stopping(std::move(stop), {"x"});
    return bounce_of(process(program), &site);
  };
  EXPECT_EQ(told("nv-hostengine", {"systemctl stop dcgm-exporter"}), Bounce::not_so) << "another program";
  EXPECT_EQ(told("dcgm-exporter", {"systemctl stop dcgm-exporter"}), Bounce::stopped);
  EXPECT_EQ(told("/usr/lib/xorg/Xorg", {"systemctl stop gdm3"}), Bounce::stopped);
  EXPECT_EQ(told("nvidia-persistenced", {"systemctl stop nvidia-dcgm nvidia-persistenced"}), Bounce::stopped);
  EXPECT_EQ(told("nvidia-persistenced", {"/usr/local/sbin/gpu-clients stop"}), Bounce::maybe);
  EXPECT_EQ(told("/usr/bin/python3 idle.py", {"python3 /opt/stop.py"}), Bounce::maybe) << "what runs it";
  EXPECT_EQ(told("nvidia-persistenced", {}), Bounce::not_so);
  EXPECT_EQ(bounce_of(process("nv-hostengine"), nullptr), Bounce::not_so);
  EXPECT_EQ(bounce_of(process(""), nullptr), Bounce::not_so);
  const auto only_stops = stopping({"systemctl stop nvidia-dcgm"}, {});
  EXPECT_NE(to_text(Bounce::stopped, &only_stops).find("nothing starts it again"), std::string::npos);
}

TEST(GpuClients, APlanNamesThemBeforeTheDriverRefuses) {
  Story story;
  story.tell(NodesListed{{test::node("n1", {open_by(0, {process("nv-hostengine")})})}});
  const auto made =
      make_plan(story.cluster(), catalogue(), wants("7x1g.10gb"), simulator_capabilities(), {}, at(0));
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  const auto found = std::find_if(made->notices.begin(), made->notices.end(),
                                  [](const Notice& one) { return one.rule == "gpu-clients"; });
  ASSERT_NE(found, made->notices.end());
  EXPECT_EQ(found->severity, Severity::warning);
  EXPECT_NE(found->text.find("nv-hostengine has GPU 0 open"), std::string::npos) << found->text;
}

}  // namespace
}  // namespace tessera::test
