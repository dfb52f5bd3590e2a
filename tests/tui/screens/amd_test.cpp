// GPUs of AMD in the console and in documents: their mode is seen, and nothing offers to change them.
#include "engine/sharing/amd.hpp"

#include <gtest/gtest.h>

#include "engine/guide/facts.hpp"
#include "engine/guide/site.hpp"
#include "engine/insight/sharing_words.hpp"
#include "engine/pack/cluster.hpp"
#include "engine/plan/capabilities.hpp"
#include "engine/plan/planner.hpp"
#include "engine/query/tables.hpp"
#include "engine/record/recorder.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/json_check.hpp"
#include "tests/support/paths.hpp"
#include "tui/cli/list.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/pages/gpu.hpp"
#include "tui/update.hpp"

namespace tessera::test {
namespace {

// n1: a GPU in eight partitions and one that is whole; n2: devices of which it is not known what they are.
class AmdSeen : public testing::Test {
 protected:
  AmdSeen() {
    Gpu cut = gpu(0, Strategy::unknown, {}), one = gpu(1, Strategy::whole, {whole(8)});
    Slice part;
    part.kind = SliceKind::gpu_instance;
    part.profile = ProfileName("CPX/NPS4");
    cut.slices.assign(8, part);
    for (Gpu* each : {&cut, &one}) each->model = "AMD Instinct MI300X", each->product.reset();
    cut.partition_mode = "CPX/NPS4", one.partition_mode = "SPX/NPS1";
    Node unclear = node("n2", {});
    unclear.model = "AMD Instinct MI308X";
    part.profile = ProfileName(std::string(sharing::amd::kUntold));
    unclear.pool.assign(4, part);
    story_.tell(NodesListed{{node("n1", {cut, one}), unclear}});
    story_.tell(WorkloadsListed{{}});
    story_.tell(SourceReport{Source::slurm_nodes, {}, {}, "", false});
    story_.tell(SourceReport{Source::slurm_jobs, {}, {}, "", false});
    story_.tell(Loaded{});
  }
  std::string print(const std::string& command) {
    cli::Options options;
    options.command = command;
    options.output = cli::OutputFormat::json;
    auto text = cli::print_list(options, story_.model, {at(0), &catalogue()});
    EXPECT_TRUE(text.ok());
    return text ? *text : "";
  }
  tui::UiState page_of(int index) const {
    tui::UiState state;
    state.top().kind = tui::ScreenKind::gpu;
    state.top().cluster = story_.cluster().name;
    state.top().subject = tui::gpu_subject(NodeName("n1"), GpuIndex{index});
    return state;
  }
  const Cluster& cluster() const { return story_.cluster(); }
  Story story_;
};

// The front page and the table of clusters called them "unknown 5".
TEST_F(AmdSeen, TheSharingOfTheClusterIsToldByPartitionModes) {
  const insight::Totals sums = insight::totals(cluster());
  EXPECT_EQ(sums.gpus_by_strategy.at(Strategy::unknown), 5);
  const std::string words = insight::sharing_words(cluster(), sums);
  for (const char* part : {"CPX/NPS4 1", "GPU or partition 4", "whole 1"})
    EXPECT_NE(words.find(part), std::string::npos) << words;
  EXPECT_EQ(words.find("unknown"), std::string::npos) << words;
  insight::Totals joined = sums;  // as where another cluster counts some of its machines
  joined.gpus_by_strategy[Strategy::unknown] = 2;
  EXPECT_NE(insight::sharing_words(cluster(), joined).find("unknown 2"), std::string::npos)
      << "which modes are left is not known";
}

TEST_F(AmdSeen, DocumentsTellTheModeAndKeepTheirSchemas) {
  const std::string gpus = print("gpus"), slices = print("slices");
  EXPECT_EQ(check_schema(schema_text("gpus"), gpus), std::vector<std::string>{});
  EXPECT_EQ(check_schema(schema_text("slices"), slices), std::vector<std::string>{});
  EXPECT_EQ(json_at(gpus, "/0/partition_mode"), "\"CPX/NPS4\"");
  EXPECT_EQ(json_at(gpus, "/0/sharing/strategy"), "null");
  EXPECT_EQ(json_at(gpus, "/1/partition_mode"), "\"SPX/NPS1\"");
  EXPECT_EQ(json_at(gpus, "/1/sharing/strategy"), "\"whole\"");
  EXPECT_EQ(json_at(slices, "/0/kind"), "\"partition\"");
  EXPECT_EQ(json_at(slices, "/8/kind"), "\"whole\"");
  EXPECT_EQ(json_at(slices, "/9/kind"), "\"partition\"");
  EXPECT_EQ(json_at(slices, "/9/profile"), "\"GPU or partition\"");
}

TEST_F(AmdSeen, ARecordingKeepsTheMode) {
  record::Recorder recorder{record::Wanted{}};
  const std::string lines = recorder.take(cluster(), at(0), true);
  EXPECT_NE(lines.find(R"("partition_mode":"CPX/NPS4")"), std::string::npos) << lines;
}

TEST_F(AmdSeen, TablesAndSumsCountNoGpuTwice) {
  const insight::Totals totals = insight::totals(cluster());
  EXPECT_EQ(totals.gpus, 2) << "neither the partitions nor what is not known";
  EXPECT_FALSE(totals.gpus_by_strategy.contains(Strategy::mig));
  for (const auto& row : query::node_rows(story_.model, {}))
    if (row.node->name == NodeName("n1")) EXPECT_EQ(row.node->counts.all, 9);
}

TEST_F(AmdSeen, ThePageOfAGpuSaysItsModeAndThatItIsNotPlanned) {
  const tui::UiContext ui{story_.model, catalogue(), at(0)};
  std::string text;
  for (const tui::DocLine& line : tui::gpu_document(ui, page_of(0), 100))
    for (const auto& span : line.spans) text += span.text + "\n";
  EXPECT_NE(text.find("CPX/NPS4"), std::string::npos);
  EXPECT_NE(text.find("shown, not planned"), std::string::npos);
}

TEST_F(AmdSeen, NeitherEditorNorGuideOpensOnIt) {
  const tui::UiContext ui{story_.model, catalogue(), at(0)};
  for (int index : {0, 1}) {
    const tui::UiState state = page_of(index);
    EXPECT_NE(tui::why_no_layout(state, ui).find("shown, not planned"), std::string::npos);
    EXPECT_NE(tui::why_disabled(tui::Action::guide_open, state, ui).find("shown, not planned"),
              std::string::npos);
  }
  EXPECT_TRUE(
      guide::split(cluster(), {{NodeName("n1"), std::nullopt}, {NodeName("n2"), std::nullopt}}, catalogue())
          .empty());
  std::string site;
  for (const guide::SiteLine& line : guide::site_lines(cluster(), std::nullopt, at(0)))
    site += line.text + "\n";
  EXPECT_NE(site.find("2 of AMD, whose partition modes are shown, not planned"), std::string::npos) << site;
}

// On Slurm the type is all that tells the maker.
TEST_F(AmdSeen, OnSlurmEveryPlanIsRefusedToo) {
  Gpu one = gpu(0, Strategy::whole, {whole(0)});
  one.model = "mi300x", one.product.reset();
  story_.tell(NodeSeen{node("n3", {one})});
  for (const char* name : {"n1", "n2", "n3"})
    for (Strategy way : {Strategy::whole, Strategy::mig, Strategy::mps, Strategy::shard, Strategy::vgpu}) {
      plan::Intent intent;
      intent.nodes = {NodeName(name)};
      plan::Wish wish;
      wish.strategy = way, wish.replicas = 4;
      intent.boards = {{std::nullopt, wish}};
      const auto plan =
          plan::make_plan(cluster(), catalogue(), intent, plan::presumed_capabilities(cluster()), {}, at(0));
      ASSERT_FALSE(plan.ok()) << name;
      EXPECT_EQ(plan.error().reason, "it has GPUs of AMD: AMD partition modes are shown, not planned")
          << name;
      EXPECT_NE(plan.error().hint.find("amd-smi set"), std::string::npos);
    }
}

TEST_F(AmdSeen, ThePackLeavesThemOutAndSaysSo) {
  const std::vector<NodeName> all = {NodeName("n1"), NodeName("n2")};
  const pack::ClusterProblem problem =
      pack::problem_of(cluster(), all, catalogue(), plan::presumed_capabilities(cluster()), std::nullopt);
  EXPECT_TRUE(problem.problem.boards.empty());
  EXPECT_EQ(problem.left_out.size(), 1u);
  EXPECT_EQ(problem.left_out.begin()->first, "of AMD, whose partition modes are shown, not planned");
}

}  // namespace
}  // namespace tessera::test
