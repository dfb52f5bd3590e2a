// The processes that have a GPU open, on its page: clients of MPS under their server, and whose each is.
#include "engine/insight/processes.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/model/processes.hpp"
#include "engine/slurmconf/slurm_setup.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/json_check.hpp"
#include "tests/support/session.hpp"
#include "tests/tui/screens/change_places.hpp"
#include "tui/cli/json.hpp"

namespace tessera::test {
namespace {

GpuProcess process(std::int64_t pid, const char* name, std::int64_t memory, const char* work,
                   std::optional<int> instance = std::nullopt) {
  return {pid, name, instance, Mib{memory}, WorkloadId(work)};
}

// n0007 with what its driver lists: GPU 3 is shared by MPS, GPU 0 is cut.
Model opened_place() {
  Model model = small_place();
  GpuFigures cut, shared;
  cut.gpu = GpuIndex{0};
  cut.processes = {process(4001, "python3", 9'900, "88122", 7), process(4002, "miner", 30'000, "-", 9)};
  shared.gpu = GpuIndex{3};
  shared.processes = {process(501, "a.out", 310, ""), process(620, "nvidia-cuda-mps-server", 66, "-"),
                      process(585, "/opt/conda/envs/a-rather-long-one/bin/python3", 628, "88127"),
                      process(586, "python3", 1'000, "88126")};
  reduce(model, on("hpc", Measured{NodeName("n0007"), Source::nvidia_smi, at(-12), {cut, shared}}, -12));
  return model;
}

TEST(GpuProcesses, ClientsStandUnderTheirServerWithJobAndUser) {
  for (const tui::Size size : {tui::Size{80, 60}, tui::Size{120, 60}, tui::Size{200, 60}}) {
    Session session(opened_place(), size);
    session.press(":gpu n0007 3<enter>");
    if (std::getenv("TESSERA_SHOW")) std::printf("%s\n", session.screen().c_str());
    const std::string server = session.line_with("nvidia-cuda-mps"), client = session.line_with("585 ");
    EXPECT_NE(server.find("620"), std::string::npos);
    EXPECT_NE(server.find("MPS server"), std::string::npos) << server;
    EXPECT_NE(client.find("grace"), std::string::npos) << client;
    EXPECT_GT(client.find("python3"), server.find("nvidia-cuda-mps")) << client;
    EXPECT_NE(session.line_with("586 ").find("frank"), std::string::npos);
    EXPECT_NE(session.line_with("586 ").find("88126"), std::string::npos);
    EXPECT_NE(session.line_with("501 ").find("not known"), std::string::npos);
    EXPECT_NE(session.line_with("PROCESSES").find("nvidia-smi, 12 s ago"), std::string::npos);
  }
}

TEST(GpuProcesses, WhatARunDoesAboutThoseOfNoJobStandsBelowThem) {
  Session session(opened_place(), {120, 60});
  session.press(":gpu n0007 0<enter>");
  EXPECT_NE(session.line_with("miner has GPU 0 open").find("stop it first"), std::string::npos)
      << session.screen();
}

// Beside the list it told to stop by hand what slurm-stop-clients stops.
TEST(GpuProcesses, ThePageBesideTheListSaysTheSameOfThem) {
  Session session(opened_place(), {200, 90});
  auto site = std::make_shared<slurmconf::SlurmSetup>();
  site->stop_clients = {"pkill miner"};
  site->start_clients = {"miner"};
  plan::Means can = plan::simulator_capabilities();
  can.slurm = site;
  session.state.abilities[ClusterName("hpc")] = can;
  session.press("3/node=n0007<enter>g");
  EXPECT_TRUE(session.shows("miner has GPU 0 open")) << session.screen();
  EXPECT_TRUE(session.shows("starts it again")) << session.screen();
  EXPECT_FALSE(session.shows("stop it first")) << session.screen();
}

TEST(GpuProcesses, AProcessOfNoJobIsSaidSo) {
  Session session(opened_place(), {120, 60});
  session.press(":gpu n0007 0<enter>");
  EXPECT_NE(session.line_with("miner").find("of no job"), std::string::npos) << session.screen();
  EXPECT_EQ(session.line_with("4001").find("of no job"), std::string::npos) << session.screen();
}

TEST(GpuProcesses, NoneIsAnAnswerAndNotToldIsNone) {
  Session session(opened_place(), {120, 60});
  session.press(":gpu n0007 2<enter>");
  EXPECT_TRUE(session.shows("no way to the node is set")) << session.screen();
  GpuFigures empty;
  empty.gpu = GpuIndex{2};
  empty.processes.emplace();
  session.tell(on("hpc", Measured{NodeName("n0007"), Source::nvidia_smi, at(-1), {empty}}, -1));
  session.press(":gpu n0007 2<enter>");
  EXPECT_TRUE(session.shows("none outside of jobs has it open")) << session.screen();
}

// Programs that compute nothing are in no driver's list: "none has it open" stood there while
// nvidia-persistenced kept the GPU from a reset.
TEST(GpuProcesses, ProgramsThatOnlyHaveItOpenAreNamedAndNoOthersAreClaimed) {
  Session session(opened_place(), {120, 60});
  GpuFigures idle;
  idle.gpu = GpuIndex{2};
  idle.processes = {
      {640, "/usr/bin/nvidia-persistenced", std::nullopt, std::nullopt, WorkloadId(std::string(kOnlyOpens))}};
  session.tell(on("hpc", Measured{NodeName("n0007"), Source::nvidia_smi, at(-1), {idle}}, -1));
  session.press(":gpu n0007 2<enter>");
  EXPECT_NE(session.line_with("640").find("computes nothing"), std::string::npos) << session.screen();
  EXPECT_EQ(session.line_with("640").find("of no job"), std::string::npos);
  EXPECT_TRUE(session.shows("nvidia-persistenced has GPU 2 open, computes nothing")) << session.screen();
  idle.processes.emplace();
  session.tell(on("hpc", Measured{NodeName("n0007"), Source::nvidia_smi, at(0), {idle}}, 0));
  session.tell(on("hpc", RemarksListed{Source::nvidia_smi,
                                       {insight::untold_openers(NodeName("n0007"),
                                                                Error{"", "Permission denied", ""})}}));
  session.press(":gpu n0007 2<enter>");
  EXPECT_TRUE(session.shows("the driver lists none")) << session.screen();
  EXPECT_FALSE(session.shows("none outside of jobs has it open")) << "that is not known";
  EXPECT_TRUE(session.shows("compute nothing is not known: Permission denied")) << session.screen();
}

TEST(GpuProcesses, WhyTheyAreNotToldIsTheNodesOwnWord) {
  Session session(opened_place(), {160, 60});
  reduce(session.model,
         on("hpc", RemarksListed{Source::nvidia_smi,
                                 {insight::untold_processes(NodeName("n0007"),
                                                            Error{"cannot ask n0007", "timed out", ""})}}));
  session.press(":gpu n0007 2<enter>");
  EXPECT_TRUE(session.shows("not known: cannot ask n0007: timed out")) << session.screen();
  session.press(":gpu n0007 3<enter>");
  EXPECT_TRUE(session.shows("older, since now: cannot ask n0007: timed out")) << session.screen();
  EXPECT_NE(session.line_with("620").find("MPS server"), std::string::npos);
}

// A driver that is asked from a container lists none.
TEST(GpuProcesses, MemoryInUseBesideNoProcessIsSaidInPlaceOfNone) {
  Session session(opened_place(), {160, 60});
  reduce(
      session.model,
      on("hpc", RemarksListed{Source::nvidia_smi,
                              {insight::hidden_processes(NodeName("n0007"), {GpuIndex{1}, GpuIndex{2}})}}));
  session.press(":gpu n0007 2<enter>");
  EXPECT_TRUE(session.shows("not known: memory is in use where the driver lists no")) << session.screen();
  EXPECT_TRUE(session.shows("process: GPU 1, 2"));
  EXPECT_FALSE(session.shows("none outside of jobs has it open"));
}

// A cluster that is not Slurm, and a page that shows the past.
TEST(GpuProcesses, WhereNoSourceTellsThemThePageSaysSo) {
  Session session(two_places(), {120, 60});
  session.press(":gpu gpu-001 0<enter>");
  EXPECT_TRUE(session.shows("report figures of GPUs, and no processes")) << session.screen();
}

// "In use by another client" came without any name before it: the pods of the GPU stack are known to open
// GPUs.
TEST(GpuProcesses, OfKubernetesThePodsOfTheGpuStackThatOpenGpusAreNamed) {
  Model model = two_places();
  const Cluster* kubernetes = nullptr;
  for (const Cluster& one : model.clusters)
    if (one.scheduler == Scheduler::kubernetes) kubernetes = &one;
  ASSERT_NE(kubernetes, nullptr);
  Node there = *kubernetes->nodes.find(NodeName("gpu-001"));
  const auto shown = [&](std::vector<Component> parts) {
    there.components = std::move(parts);
    reduce(model, on(kubernetes->name.text.c_str(), NodeSeen{there}));
    Session session(model, {160, 60});
    session.press(":gpu gpu-001 0<enter>");
    return session.screen();
  };
  const Component manager{"MIG manager", Part::ready, ""}, plugin{"device plugin", Part::ready, ""},
      exporter{"DCGM exporter", Part::missing, "no pod here"}, dra{"DRA driver", Part::ready, ""};
  const std::string all = shown({manager, plugin, dra, exporter});
  for (const char* part :
       {"device plugin: runs on the node and likely has its GPUs",
        "the MIG manager stops it for a new layout", "DRA driver: runs on the node", "no run stops it"})
    EXPECT_NE(all.find(part), std::string::npos) << part << "\n" << all;
  EXPECT_EQ(all.find("DCGM exporter: runs"), std::string::npos) << "it does not run there";
  EXPECT_EQ(shown({plugin}).find("stops it for a new layout"), std::string::npos) << "who would do so?";
  EXPECT_EQ(shown({}).find("likely has its GPUs open"), std::string::npos);
}

TEST(GpuProcesses, JsonTellsThemAsTheSchemaPromises) {
  Model model = opened_place();
  const query::Context context{at(0), &catalogue()};
  const std::string text = cli::document(query::gpu_rows(model), context, cli::Markup::json);
  EXPECT_EQ(check_schema(schema_text("gpus"), text), std::vector<std::string>{});
  const auto json = nlohmann::json::parse(text);
  const nlohmann::json* shared = nullptr;
  for (const auto& one : json)
    if (one["node"] == "n0007" && one["index"] == 3) shared = &one;
  ASSERT_NE(shared, nullptr);
  const auto& list = (*shared)["processes"];
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0]["whose"], "unknown");
  EXPECT_EQ(list[1]["mps"], "server");
  EXPECT_EQ(list[1]["whose"], "service");
  EXPECT_EQ(list[2]["pid"], 585);
  EXPECT_EQ(list[2]["mps_server"], 620);
  EXPECT_EQ(list[2]["workload"], "88127");
  EXPECT_EQ(list[2]["whose"], "holder");
  EXPECT_EQ(list[3]["whose"], "elsewhere");
  for (const auto& one : json)
    if (one["node"] == "n0007" && one["index"] == 1) EXPECT_TRUE(one["processes"].is_null()) << "not told";
}

}  // namespace
}  // namespace tessera::test
