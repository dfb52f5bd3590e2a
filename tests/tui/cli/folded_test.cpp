// At a terminal, what is the same of many nodes is one row; files and programs get a row for each.
#include "tui/cli/folded.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tui/cli/fake_runs.hpp"
#include "tests/tui/cli/fleet_lab.hpp"
#include "tui/cli/change/plan_text.hpp"
#include "tui/cli/doctor.hpp"
#include "tui/cli/help/help.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {
namespace {

constexpr Paper kTerminal{100, false, false}, kFile{};

Grid boards() {
  Grid grid;
  grid.heads = {{"node", "NODE", {}}, {"gpu", "GPU", {}}, {"create", "CREATE", {}}};
  for (const char* node : {"n1", "n2", "n3"})
    for (const char* gpu : {"0", "1", "3"}) grid.rows.push_back({node, gpu, "7g.80gb@0"});
  grid.rows.push_back({"n7", "0", "7g.80gb@0"});
  return grid;
}

TEST(FoldedRows, NodesAndGpusOfWhichTheSameIsToldAreOneRow) {
  const Grid grid = folded(boards(), "node", kTerminal, "gpu");
  const std::vector<std::vector<std::string>> wanted{{"n[1-3]", "0-1,3", "7g.80gb@0"},
                                                     {"n7", "0", "7g.80gb@0"}};
  EXPECT_EQ(grid.rows, wanted);
}

TEST(FoldedRows, AFileGetsARowForEach) {
  EXPECT_EQ(folded(boards(), "node", kFile, "gpu").rows, boards().rows);
}

TEST(FoldedRows, ARowThatDiffersInOneCellStaysAlone) {
  Grid grid = boards();
  grid.rows[4][2] = "3g.40gb@0";
  EXPECT_EQ(folded(grid, "node", kTerminal, "gpu").rows.size(), 4u);
}

TEST(FoldedRows, NamesThatDoNotFoldAreCountedWhereTheyHaveNoRoom) {
  EXPECT_EQ(names_text({"rack1-a", "rack7-b", "rack3-c"}, 32), "rack1-a,rack3-c,rack7-b");
  EXPECT_EQ(names_text({"rack1-a", "rack7-b", "rack3-c"}, 20), "rack1-a +2");
  EXPECT_EQ(names_text({"n1", "n1", "n2"}, 32), "n[1-2]") << "a node with two findings is one node";
  EXPECT_EQ(names_text({}, 32), "");
}

// Two pods of one prefix were one row of a narrow terminal, "nb-lee-… ×2".
TEST(FoldedRows, RowsThatDifferOnlyWhereTheyAreCutStayApart) {
  Grid grid;
  grid.heads = {{"kind", "KIND"}, {"workload", "JOB/POD"}, {"advice", "ADVICE"}};
  const std::string pod = "notebooks/" + std::string(70, 'n');
  grid.rows = {{"parked", "88110", std::string(60, 'x')},
               {"idle", pod + "-a1", "no use"},
               {"idle", pod + "-b2", "no use"},
               {"idle", pod + "-b2", "no use"}};
  const std::string text = to_table(grid, false, Paper{60, false, false});
  EXPECT_EQ(text.find("×3"), std::string::npos) << text;
  EXPECT_NE(text.find("×2"), std::string::npos) << "what is alike is one row: " << text;
}

// "data-…" told no namespace from another, beside figures that were whole.
TEST(FoldedRows, WhatIsSummedUpKeepsItsNameOnANarrowTerminal) {
  Grid grid;
  for (const char* key : {"name", "cluster", "gpu_hours", "slice_hours", "measured", "mean_use", "p95_use",
                          "memory_peak", "idle"})
    grid.heads.push_back({key, key});
  grid.rows = {{"data-science", "ml-platform", "6.07", "3.73", "5.46", "7%", "50%", "10.0 GiB", "1.00"},
               {"alice", "hpc", "15.82", "124.28", "14.40", "86%", "100%", "66.5 GiB", "2.00"}};
  EXPECT_NE(to_table(grid, true, Paper{80, false, false}).find("data-science"), std::string::npos);
}

// A terminal breaks lines anywhere, also within a time or a name.
TEST(FoldedRows, SentencesGoOnInALineOfTheirOwnAtATerminalAlone) {
  const std::string text = "  one two three\n  four\n";
  EXPECT_EQ(on_paper(text, Paper{10, false, false}), "  one two\n  three\n  four\n");
  EXPECT_EQ(on_paper(text, kFile), text);
}

// Names of clouds do not fold: a list of twenty nodes named one of them and "+19".
TEST(FoldedRows, NodesWhoseNamesHaveNoRoomTogetherKeepTheirRows) {
  Grid grid;
  grid.heads = {{"node", "NODE", {}}, {"free", "FREE", {}}};
  for (const char* node :
       {"gke-train-a100-4f2a-xk2p", "gke-train-a100-4f2a-b81q", "gke-train-a100-4f2a-zz01"})
    grid.rows.push_back({node, "8"});
  grid.rows.insert(grid.rows.begin() + 1, {"n1", "7"});
  EXPECT_EQ(folded(grid, "node", kTerminal, "gpu").rows, grid.rows);
}

// --- doctor

class DoctorAtATerminal : public testing::Test {
 protected:
  DoctorAtATerminal() {
    for (int i = 1; i <= 20; ++i) {
      Node node = test::node(fmt::format("n{:02}", i), {test::uncut(0, 0)});
      node.health = Health::drained;
      node.reason = "dimm";
      node.reason_at = test::at(-60 * i);
      nodes.push_back(std::move(node));
    }
  }

  std::string print(int columns, OutputFormat output = OutputFormat::table) {
    Options options;
    options.command = "doctor";
    options.output = output;
    options.timeout = Duration(1500);
    options.paper.columns = columns;
    test::Box box;
    auto open = [&](const Options&, const mig::Catalogue&) {
      Opening opening;
      opening.backends.push_back(std::make_unique<test::StandingBackend>(nodes, std::vector<Workload>{}));
      return opening;
    };
    int asked = 0;
    Joins joins{box, box, open, {}, [&] { return test::at(++asked); }, {}, false};
    std::ostringstream out, err;
    EXPECT_EQ(run_doctor(options, test::catalogue(), joins, Streams{out, err}), kFinding) << err.str();
    return out.str();
  }
  static std::ptrdiff_t lines_in(const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  }

  std::vector<Node> nodes;
};

TEST_F(DoctorAtATerminal, TwentyNodesWithOneFindingAreOneRow) {
  const std::string text = print(200);
  EXPECT_EQ(lines_in(text), 2) << text;
  EXPECT_NE(text.find("n[01-20]"), std::string::npos) << text;
  EXPECT_NE(text.find("drained, no workload on it: dimm "), std::string::npos)
      << "what all share, without an age\n"
      << text;
}

TEST_F(DoctorAtATerminal, WhereItIsNarrowTheyAreOneParagraph) {
  const std::string text = print(80);
  EXPECT_NE(text.find("warning  n[01-20]  hpc\n"), std::string::npos) << text;
  EXPECT_LE(lines_in(text), 5) << text;
}

TEST_F(DoctorAtATerminal, NodesWhoseNamesDoNotFoldAreAllNamedInTheParagraph) {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    nodes[i].name = NodeName(fmt::format("{}-gpu", static_cast<char>('a' + i)));
  const std::string text = print(80);
  EXPECT_NE(text.find("a-gpu +19"), std::string::npos) << text;
  for (const Node& node : nodes) EXPECT_NE(text.find(node.name.text), std::string::npos) << text;
}

TEST_F(DoctorAtATerminal, AnotherReasonIsARowOfItsOwnWithItsAge) {
  nodes[4].reason = "fan";
  const std::string text = print(200);
  EXPECT_EQ(lines_in(text), 3) << text;
  EXPECT_NE(text.find("n[01-04,06-20]"), std::string::npos) << text;
  EXPECT_NE(text.find("fan, 5 min ago"), std::string::npos) << text;
}

// The findings of the console are by cause, which leaves numbers out: a row here must not.
TEST_F(DoctorAtATerminal, ReasonsThatDifferInANumberStayTwoRows) {
  nodes[4].reason = "Xid 79";
  nodes[5].reason = "Xid 63";
  const std::string text = print(200);
  EXPECT_NE(text.find("Xid 79"), std::string::npos) << text;
  EXPECT_NE(text.find("Xid 63"), std::string::npos) << text;
}

TEST_F(DoctorAtATerminal, GpusOfOneNodeWithOneFindingAreNamedInItsRow) {
  Node cut = test::node("n1", {});
  for (int i : {0, 1, 3}) cut.gpus.push_back(test::gpu(i, Strategy::mig, {}));
  nodes = {cut};
  const std::string text = print(200);
  EXPECT_NE(text.find("GPU 0-1,3: MIG on, no slices"), std::string::npos) << text;
  EXPECT_EQ(lines_in(text), 2) << text;
}

TEST_F(DoctorAtATerminal, FilesAndProgramsGetEachOfThem) {
  EXPECT_EQ(lines_in(print(0)), 21);
  EXPECT_EQ(lines_in(print(200, OutputFormat::csv)), 21);
  const std::string json = print(200, OutputFormat::json);
  EXPECT_NE(json.find("\"n01\""), std::string::npos);
  EXPECT_NE(json.find("\"n20\""), std::string::npos);
  EXPECT_EQ(json, print(0, OutputFormat::json));
}

// --- plans

plan::Plan twenty_nodes() {
  plan::Plan plan;
  for (int i = 1; i <= 20; ++i) {
    plan::NodePlan one;
    one.node = NodeName(fmt::format("n{:02}", i));
    plan::Step step;
    step.title = "close " + one.node.text;
    step.commands = {"scontrol update NodeName=" + one.node.text + " State=DRAIN"};
    one.steps.push_back(step);
    plan.nodes.push_back(one);
  }
  return plan;
}

TEST(AlikeNodes, OfAPlanAreToldOnceWithTheStepsOfTheFirst) {
  const std::string page = preview(twenty_nodes(), 3);
  EXPECT_NE(page.find("\nn[01-20] (20 nodes)\n"), std::string::npos) << page;
  EXPECT_NE(page.find("STEPS on n01, and in the same way on all of n[01-20]\n"), std::string::npos) << page;
  EXPECT_NE(page.find("$ scontrol update NodeName=n01 State=DRAIN\n"), std::string::npos) << page;
  EXPECT_EQ(page.find("NodeName=n02"), std::string::npos) << page;
  EXPECT_EQ(page.find("The steps of the other nodes"), std::string::npos) << page;
}

TEST(AlikeNodes, BehindTheFirstAreALineWithHowManyTheyAre) {
  const std::string page = preview(twenty_nodes(), 0);
  EXPECT_NE(page.find("n[01-20] (20 nodes), each: 0 slices stay, 0 go, 0 are made; 0 disturbed; 1 steps\n"),
            std::string::npos)
      << page;
}

TEST(AlikeNodes, ANodeWithAnotherCommandIsToldByItself) {
  plan::Plan plan = twenty_nodes();
  plan.nodes[7].steps[0].commands = {"scontrol update NodeName=n09 State=DRAIN"};
  const std::string page = preview(plan, 3);
  EXPECT_NE(page.find("\nn[01-07,09-20] (19 nodes)\n"), std::string::npos) << page;
  EXPECT_NE(page.find("STEPS on n08\n"), std::string::npos) << page;
  EXPECT_NE(page.find("NodeName=n09"), std::string::npos) << page;
}

TEST(AlikeNodes, NodesThatAreCalledByNumbersAreNotTakenForAlikeByTheNumbersOfTheirPlans) {
  plan::Plan plan;
  for (const char* name : {"1", "2"}) {
    plan::NodePlan& one = plan.nodes.emplace_back();
    one.node = NodeName(name);
    one.steps.emplace_back().commands = {fmt::format("nvidia-smi mig -cgi {0}g.{0}0gb", name)};
  }
  const std::string page = preview(plan, 3);
  EXPECT_NE(page.find("-cgi 1g.10gb"), std::string::npos) << page;
  EXPECT_NE(page.find("-cgi 2g.20gb"), std::string::npos) << page;
}

// Eight GPUs that are cut alike were eight lines, each with its command below it.
TEST(PlanPreview, EqualStepsOnSeveralGpusAreOneLineWithTheCommandOfEach) {
  plan::Plan plan;
  plan::NodePlan& one = plan.nodes.emplace_back();
  one.node = NodeName("n1");
  one.steps.emplace_back().title = "close n1";
  for (int gpu = 0; gpu < 8; ++gpu) {
    plan::Step& step = one.steps.emplace_back();
    step.title = fmt::format("GPU {}: create 3g.40gb@4", gpu);
    step.commands = {fmt::format("nvidia-smi mig -i {} -cgi 3g.40gb -C", gpu)};
  }
  const std::string page = preview(plan, 3);
  EXPECT_NE(page.find("\n2-9  GPU 0-7: create 3g.40gb@4 "), std::string::npos) << page;
  EXPECT_EQ(page.find("GPU 1: create"), std::string::npos) << page;
  for (int gpu = 0; gpu < 8; ++gpu)
    EXPECT_NE(page.find(fmt::format("$ nvidia-smi mig -i {} -cgi", gpu)), std::string::npos) << page;
}

}  // namespace
}  // namespace tessera::cli
