// What the list commands print of a model that is there, held against the schemas that are promised.
#include "tui/cli/list.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/json_check.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/two_schedulers.hpp"
#include "tui/cli/table_text.hpp"
#include "tui/terminal/canvas.hpp"

namespace tessera::cli {
namespace {

using test::at;
using test::json_at;

// n1: a cut GPU on which alice runs, a whole one, and one of which little is known.
class List : public testing::Test {
 protected:
  List() {
    Node n1 =
        test::node("n1", {test::gpu(0, Strategy::mig,
                                    {test::instance("1g.10gb", 0, 1, 0), test::instance("3g.40gb", 4, 4, 1)}),
                          test::gpu(1, Strategy::whole, {test::whole(2)})});
    n1.gpus[0].mig_mode = MigMode::enabled;
    n1.origin = n1.gpus[0].origin = {Source::simulator, at(0)};
    n1.reason = "fan, \"left\"\none";
    Node n2 = test::node("n2", {});
    n2.health = Health::unknown;
    Gpu unknown;
    unknown.slices = {Slice{}};
    n2.gpus = {unknown};
    story_.tell(NodesListed{{n1, n2}});
    Workload pod = test::running("ml/llama", "alice", {test::holds("n1", {{1, 1}})});
    pod.kind = WorkloadKind::pod;
    pod.group = "ml";
    Workload job = test::waiting("17", "bob", "gpu:h100");
    job.group = "batch";
    story_.tell(WorkloadsListed{{pod, job}});
  }

  std::string print(const std::string& command, OutputFormat output = OutputFormat::json) {
    options.command = command;
    options.output = output;
    auto text = print_list(options, story_.model, {at(0), &test::catalogue()});
    return text ? *text : to_line(text.error());
  }

  Options options;
  test::Story story_;
};

TEST_F(List, AFilterByWhatOneLookDoesNotKnowIsRefusedWithTheReason) {
  for (const char* filter : {"idle>1h", "alice | idle>1h", "!idle<1h"}) {
    options.filter = filter;
    for (const char* command : {"gpus", "slices", "workloads"})
      EXPECT_NE(print(command).find("cannot filter: \"idle\" is not known"), std::string::npos)
          << print(command);
  }
  options.filter = "idle>1h";
  EXPECT_NE(print("slices").find("--at now reads it from a recording"), std::string::npos) << print("slices");
  options.filter = "trend=x";
  EXPECT_EQ(print("nodes").find("--at now"), std::string::npos) << "no recording tells that to a command";
  EXPECT_NE(print("nodes").find("\"trend\" is not known"), std::string::npos) << print("nodes");
  options.filter = "";
  options.sort = {"-idle"};
  EXPECT_NE(print("workloads").find("cannot sort: \"idle\" is not known"), std::string::npos);
  options.sort = {"-since"};
  EXPECT_NE(print("workloads").find("ml/llama"), std::string::npos);
}

// "IDLE" of Slurm and "Ready" of Kubernetes went from the list where the console keeps them.
TEST(ListOfTwoSchedulers, AMachineKeepsTheWordsOfBothWhereTheTerminalIsNarrow) {
  Model model = test::two_schedulers();
  Node drained = test::node("worker-of-the-east-hall-07", {test::gpu(0, Strategy::whole, {test::whole(0)})});
  drained.health = Health::drained;
  drained.reason = "GPU 5 fell off the bus twice (Xid 79), RMA ticket 4711 is open";
  drained.state = {"IDLE", "DRAIN"};
  reduce(model, Event{ClusterName("hpc"), 0, at(0), NodeSeen{drained}});
  Options options;
  options.command = "nodes";
  options.output = OutputFormat::table;
  options.paper.columns = 110;
  const auto text = print_list(options, model, {at(0), &test::catalogue()});
  ASSERT_TRUE(text) << to_line(text.error());
  EXPECT_NE(text->find("STATE"), std::string::npos) << *text;
}

// A pod's id ends with its name; at 80 columns both were cut.
TEST_F(List, PodsAloneNeedNoColumnOfNamesOnATerminal) {
  Workload pod = test::running("ml/llama-7f9c", "alice", {});
  pod.name = "llama-7f9c";
  story_.tell(WorkloadsListed{{pod}});
  options.paper.columns = 80;
  EXPECT_EQ(print("workloads", OutputFormat::table).find("NAME"), std::string::npos);
  EXPECT_NE(print("workloads", OutputFormat::csv).find("ml/llama-7f9c,alice,llama-7f9c"), std::string::npos);
  Workload job = test::waiting("17", "bob", "gpu:h100");
  job.name = "train";
  story_.tell(WorkloadsListed{{pod, job}});
  EXPECT_NE(print("workloads", OutputFormat::table).find("NAME"), std::string::npos);
}

TEST_F(List, EveryDocumentKeepsItsSchemaAndSaysTheSameInYaml) {
  for (const char* command : {"nodes", "gpus", "slices", "workloads"}) {
    std::string json = print(command);
    EXPECT_EQ(test::check_schema(test::schema_text(command), json), std::vector<std::string>{}) << command;
    EXPECT_EQ(test::difference(json, print(command, OutputFormat::yaml)), "") << command;
  }
}

TEST_F(List, TheSchemasRefuseWhatIsNotPromised) {
  EXPECT_FALSE(test::check_schema(test::schema_text("slices"), R"([{"cluster":"a"}])").empty());
  EXPECT_FALSE(test::check_schema(test::schema_text("gpus"), "{}").empty());
  std::string json = print("gpus");
  json.replace(json.find("\"mig\""), 5, "\"gim\"");
  EXPECT_FALSE(test::check_schema(test::schema_text("gpus"), json).empty());
}

TEST_F(List, ACutBoardTellsWhatStillFits) {
  std::string json = print("gpus");
  EXPECT_EQ(json_at(json, "/0/product"), "\"H100-80GB-SXM5\"");
  EXPECT_EQ(json_at(json, "/0/mig/mode"), "\"enabled\"");
  EXPECT_EQ(json_at(json, "/0/free/memory_slices"), "3");
  EXPECT_EQ(json_at(json, "/0/free/largest_profile"), "\"2g.20gb\"");
  EXPECT_EQ(json_at(json, "/0/observed_at"), "\"2027-01-15T08:00:00Z\"");
}

TEST_F(List, UnknownIsNullAndNeverZero) {
  std::string json = print("gpus");
  for (const char* field : {"/2/product", "/2/memory_mib", "/2/mig/mode", "/2/sharing/strategy", "/2/uuid",
                            "/2/free/memory_slices", "/2/telemetry/use_percent", "/2/observed_at"}) {
    EXPECT_EQ(json_at(json, field), "null") << field;
  }
  EXPECT_EQ(json_at(print("nodes"), "/1/health"), "null");
}

TEST_F(List, ASliceNamesWhoHoldsIt) {
  std::string json = print("slices");
  EXPECT_EQ(json_at(json, "/1/state"), "\"held\"");
  EXPECT_EQ(json_at(json, "/1/start"), "4");
  EXPECT_EQ(json_at(json, "/1/holders/0/kind"), "\"pod\"");
  EXPECT_EQ(json_at(json, "/1/holders/0/user"), "\"alice\"");
  EXPECT_EQ(json_at(json, "/1/holders/0/namespace"), "\"ml\"");
  EXPECT_EQ(json_at(json, "/0/state"), "\"free\"");
  EXPECT_EQ(json_at(json, "/0/holders"), "[]");
}

TEST_F(List, AWorkloadTellsWhereItRunsAndWhyItWaits) {
  std::string json = print("workloads");
  EXPECT_EQ(json_at(json, "/1/namespace"), "\"ml\"");
  EXPECT_EQ(json_at(json, "/1/allocations/0/gpu"), "0");
  EXPECT_EQ(json_at(json, "/1/allocations/0/slice"), "\"3g.40gb\"");
  EXPECT_EQ(json_at(json, "/0/partition"), "\"batch\"");
  EXPECT_EQ(json_at(json, "/0/reason"), "\"Resources\"");
  EXPECT_EQ(json_at(json, "/0/requests/gpu:h100"), "1");
  EXPECT_EQ(json_at(json, "/0/namespace"), "missing");
}

TEST_F(List, FilterSortAndColumnsAreThoseOfTheConsole) {
  options.filter = "user=alice";
  EXPECT_EQ(test::json_size(print("slices")), 1u);
  options.filter = "";
  options.sort = {"-node"};
  options.columns = {"node", "gpu"};
  EXPECT_EQ(print("gpus", OutputFormat::csv), "node,gpu\nn2,0\nn1,0\nn1,1\n");
  options.headers = false;
  EXPECT_EQ(print("gpus", OutputFormat::csv), "n2,0\nn1,0\nn1,1\n");
}

TEST_F(List, UnknownColumnsAreErrorsThatListTheKnownOnes) {
  options.columns = {"colour"};
  EXPECT_NE(print("gpus").find("strip"), std::string::npos);
  options.columns = {};
  options.sort = {"colour"};
  EXPECT_NE(print("gpus").find("colour"), std::string::npos);
  options.sort = {};
  options.filter = "colour=red";
  EXPECT_NE(print("gpus").find("colour"), std::string::npos);
}

TEST_F(List, TablesLineUpAndEndWithoutBlanks) {
  options.columns = {"node", "gpu", "sharing"};
  EXPECT_EQ(print("gpus", OutputFormat::table),
            "NODE  GPU  SHARING\n"
            "n1      0  mig\n"
            "n1      1  whole\n"
            "n2      0  ?\n");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST_F(List, ANarrowTerminalGetsTheColumnsThatGoFirstAndNoLineBreaks) {
  const std::string whole = print("workloads", OutputFormat::table);
  for (const int columns : {40, 60, 80, 100, 120, 300}) {
    options.paper = {columns, false, false};
    for (const char* command : {"nodes", "gpus", "slices", "workloads"}) {
      const std::string text = print(command, OutputFormat::table);
      for (const std::string& line : lines_of(text))
        EXPECT_LE(tui::display_width(line), columns) << command << "\n" << text;
    }
  }
  EXPECT_EQ(print("workloads", OutputFormat::table), whole) << "there is room for all of it";
  options.paper.columns = 60;
  EXPECT_EQ(print("workloads", OutputFormat::table).find("ACCOUNT"), std::string::npos);
  EXPECT_NE(print("nodes", OutputFormat::table).find("HEALTH"), std::string::npos);
  EXPECT_GT(tui::display_width(lines_of(print("workloads", OutputFormat::wide))[0]), 60) << "asked for whole";
  options.columns = {"id",     "name",  "user",  "group", "account", "state",
                     "reason", "nodes", "holds", "wants", "restarts"};
  EXPECT_GT(tui::display_width(lines_of(print("workloads", OutputFormat::table))[0]), 60)
      << "asked for by name";
}

// Three nodes that are alike but for their names, and one that is not.
class ListOfAlike : public List {
 protected:
  ListOfAlike() {
    std::vector<Node> nodes;
    for (const char* name : {"down-01", "down-02", "down-03", "up-01"}) {
      Node one = test::node(name, {test::gpu(0, Strategy::whole, {test::whole(0)}),
                                   test::gpu(1, Strategy::whole, {test::whole(1)})});
      for (Gpu& gpu : one.gpus) gpu.model = "NVIDIA H100 80GB HBM3";
      if (one.name.text != "up-01") one.health = Health::down, one.reason = "a long reason of the scheduler";
      nodes.push_back(one);
    }
    story_.tell(NodesListed{nodes});
    story_.tell(WorkloadsListed{{}});
  }
};

TEST_F(ListOfAlike, ATerminalGetsNodesAndGpusThatTellTheSameAsOneRowAFileEachOfThem) {
  EXPECT_EQ(lines_of(print("gpus", OutputFormat::table)).size(), 9U);
  EXPECT_EQ(lines_of(print("nodes", OutputFormat::table)).size(), 5U);
  options.paper = {120, false, false};
  const std::vector<std::string> gpus = lines_of(print("gpus", OutputFormat::table));
  ASSERT_EQ(gpus.size(), 3U) << print("gpus", OutputFormat::table);
  EXPECT_NE(gpus[1].find("down-[01-03]"), std::string::npos) << gpus[1];
  EXPECT_NE(gpus[1].find("0-1"), std::string::npos) << gpus[1];
  EXPECT_NE(gpus[2].find("up-01"), std::string::npos) << gpus[2];
  EXPECT_EQ(lines_of(print("nodes", OutputFormat::table)).size(), 3U) << print("nodes", OutputFormat::table);
  EXPECT_EQ(lines_of(print("gpus", OutputFormat::csv)).size(), 9U);
  EXPECT_EQ(lines_of(print("gpus", OutputFormat::wide)).size(), 9U) << "asked for whole";
}

TEST_F(ListOfAlike, ANarrowTerminalGetsModelsWithoutTheirMakersNameAsTheConsoleDoes) {
  EXPECT_NE(print("gpus", OutputFormat::table).find("NVIDIA H100 80GB HBM3"), std::string::npos);
  options.paper = {80, false, false};
  const std::string text = print("gpus", OutputFormat::table);
  EXPECT_EQ(text.find("NVIDIA"), std::string::npos) << text;
  EXPECT_NE(text.find("H100 80GB"), std::string::npos) << text;
}

TEST_F(ListOfAlike, ANarrowTerminalKeepsTheColumnsThatTheConsoleKeeps) {
  story_.tell(WorkloadsListed{{test::running("1", "alice", {test::holds("up-01", {{1, 1}})})}});
  options.paper = {80, false, false};
  const auto keys = [&](const char* command) { return lines_of(print(command, OutputFormat::table))[0]; };
  EXPECT_NE(keys("nodes").find("FREE"), std::string::npos) << keys("nodes");
  EXPECT_NE(keys("nodes").find("REASON"), std::string::npos) << keys("nodes");
  EXPECT_EQ(keys("nodes").find("MODEL"), std::string::npos) << keys("nodes");
  EXPECT_NE(keys("gpus").find("HELD BY"), std::string::npos) << keys("gpus");
}

TEST_F(List, ColoursAreForTerminalsAndForTables) {
  EXPECT_EQ(print("nodes", OutputFormat::table).find('\x1b'), std::string::npos);
  options.paper = {200, true, false};
  const std::string text = print("nodes", OutputFormat::table);
  EXPECT_NE(text.find("\x1b[32mok\x1b[0m"), std::string::npos) << text;
  EXPECT_NE(text.find("\x1b[1mNODE\x1b[0m"), std::string::npos) << text;
  for (OutputFormat format : {OutputFormat::json, OutputFormat::yaml, OutputFormat::csv})
    EXPECT_EQ(print("nodes", format).find('\x1b'), std::string::npos);
  // Without its colours it is the table of a file, blank for blank.
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b')
      i = text.find('m', i);
    else
      plain += text[i];
  }
  options.paper = {};
  EXPECT_EQ(plain, print("nodes", OutputFormat::table));
}

TEST_F(List, ATerminalGetsRowsThatLookAlikeAsOneAFileGetsEachOfThem) {
  Grid grid;
  grid.heads = {{"a", "A", {}}, {"b", "B", {}}};
  grid.rows = {{"n1", "closed"}, {"n1", "closed"}, {"n1", "closed"}, {"n1", "free"}, {"n1", "closed"}};
  EXPECT_EQ(to_table(grid, true, {80, false, false}), "A   B\nn1  closed  ×3\nn1  free\nn1  closed\n");
  EXPECT_EQ(to_table(grid, false, {80, false, true}), "n1  closed  x3\nn1  free\nn1  closed\n");
  EXPECT_EQ(to_table(grid, false, {80, true, false}).find("×3") != std::string::npos, true);
  EXPECT_EQ(to_table(grid, false, {11, false, false}), to_table(grid, false)) << "no room to say how many";
  EXPECT_EQ(lines_of(to_table(grid, false)).size(), 5U);
}

TEST_F(List, CsvQuotesWhatWouldBreakIt) {
  Grid grid;
  grid.heads = {{"a", "A", {}}, {"b", "B", {}}};
  grid.rows = {{"x,y", "say \"hi\"\nthere"}};
  EXPECT_EQ(to_csv(grid, true), "a,b\n\"x,y\",\"say \"\"hi\"\"\nthere\"\n");
}

TEST_F(List, WideCharactersKeepTheColumnsStraight) {
  Grid grid;
  grid.heads = {{"a", "A", {}}, {"b", "B", {}}};
  grid.rows = {{"日本", "1"}, {"x", "2"}};
  EXPECT_EQ(to_table(grid, true), "A     B\n日本  1\nx     2\n");
}

TEST_F(List, RawCellsAreBareNumbersAndUnknownIsEmpty) {
  using query::Format;
  EXPECT_EQ(raw_text(std::int64_t{81559}, Format::mib), "81559");
  EXPECT_EQ(raw_text(12.5, Format::percent), "12.5");
  EXPECT_EQ(raw_text(12.0, Format::percent), "12");
  EXPECT_EQ(raw_text(query::Unknown{}, Format::count), "");
  EXPECT_EQ(raw_text(query::NotTold{}, Format::count), "");
  EXPECT_EQ(raw_text(std::int64_t{0}, Format::time), "1970-01-01T00:00:00Z");
}

// A cell that is a lower bound was empty for a script, and an empty IDLE is one that is in use.
TEST_F(List, EachKindOfCellHasItsRawTextAndALowerBoundIsNotEmpty) {
  const std::vector<query::Value> cells = {
      query::Unknown{}, query::NotTold{}, std::string("n1"), std::int64_t{720}, 0.0, query::AtLeast(720)};
  const std::vector<std::string> texts = {"", "", "n1", "720", "0", ">=720"};
  ASSERT_EQ(cells.size(), std::variant_size_v<query::Value>) << "a new kind needs its text";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    ASSERT_EQ(cells[i].index(), i) << "each kind once";
    EXPECT_EQ(raw_text(cells[i], query::Format::duration), texts[i]) << i;
  }
}

TEST_F(List, AsciiStripsHaveNoOtherMarks) {
  options.ascii = true;
  options.columns = {"strip"};
  for (char c : print("gpus", OutputFormat::table)) EXPECT_TRUE(static_cast<unsigned char>(c) < 0x80);
}

TEST_F(List, WatchedJsonIsOneDocumentALine) {
  options.watch = true;
  std::string json = print("gpus");
  EXPECT_EQ(json.find('\n'), json.size() - 1);
}

}  // namespace
}  // namespace tessera::cli
