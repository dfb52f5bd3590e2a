// `tessera guide`: from flags to a decision, as a page and as a document.
#include "tui/cli/guide/guide.hpp"

#include <gtest/gtest.h>

#include <bitset>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/json_check.hpp"
#include "tests/support/paths.hpp"
#include "tests/tui/cli/options_from.hpp"
#include "tui/cli/settings.hpp"
#include "tui/terminal/canvas.hpp"

namespace tessera::cli {
namespace {

using test::at;
using test::json_at;

const guide::Texts& texts() {
  static const auto built_in = *guide::Texts::built_in();
  return *built_in;
}

Options options_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "guide");
  return options_from(arguments);
}

// n1: an H100 that is cut, shared by two users, and an A10; n2: an H100.
class Guide : public testing::Test {
 protected:
  Guide() {
    Gpu a10 = test::gpu(1, Strategy::whole, {test::whole(1)});
    a10.model = "NVIDIA A10", a10.product = ProductKey("A10"), a10.memory = Mib{23028};
    Node n1 = test::node("n1", {test::gpu(0, Strategy::mig, {test::instance("1g.10gb", 0, 1, 0)}), a10});
    Node n2 = test::node("n2", {test::gpu(0, Strategy::whole, {test::whole(0)})});
    story_.tell(NodesListed{{n1, n2}});
    Workload docker = test::waiting("9", "carol", "gpu:1g.10gb");
    docker.name = "docker-run";
    docker.requests[0].count = 3;
    story_.tell(WorkloadsListed{{test::running("7", "alice", {test::holds("n1", {{0, 1}})}),
                                 test::running("8", "bob", {test::holds("n1", {{1, 1}})}), docker}});
  }
  Result<GuideSheet> ask(const std::vector<std::string>& arguments) {
    options = options_of(arguments);
    return ask_guide(options, story_.model, test::catalogue(), texts(), at(0));
  }
  std::string print(const std::vector<std::string>& arguments) {
    auto sheet = ask(arguments);
    return sheet ? print_guide(*sheet, options) : to_line(sheet.error());
  }
  Options options;
  test::Story story_;
};

// Whoever is about to share a node's GPUs is told first that it is out of use.
TEST_F(Guide, SaysThatANodeIsDrainedAndWhy) {
  Node n3 = test::node("n3", {test::gpu(0, Strategy::whole, {test::whole(0)})});
  n3.state = {"IDLE", "DRAIN"}, n3.health = Health::drained;
  n3.reason = "Xid 79", n3.reason_by = "ops";
  story_.tell(NodesListed{{n3}});
  for (const char* answers : {"Q2=yes", ""}) {
    std::vector<std::string> words{"--node", "n3"};
    if (*answers != '\0') words.insert(words.end(), {"--answer", answers});
    const std::string page = print(words);
    EXPECT_NE(page.find("n3 is drained and takes no workloads: Xid 79 (ops)"), std::string::npos)
        << "where the node is chosen as well as at a leaf:\n"
        << page;
  }
}

// A scope may hold nodes of both: what holds of the first one is not said of all.
TEST_F(Guide, NamesTheNodesThatAcksOwnPluginLooksAfter) {
  Node ours = test::node("n3", {test::gpu(0, Strategy::whole, {test::whole(0)})});
  Node theirs = test::node("n4", {test::gpu(0, Strategy::whole, {test::whole(0)})});
  theirs.features = {"ack.node.gpu.schedule=default"};
  ours.features = {"nvidia.com/gpu.present=true", "nvidia.com/mig.config=all-disabled"};
  ClusterSeen seen;
  seen.scheduler = Scheduler::kubernetes;
  story_.tell(seen);
  story_.tell(NodesListed{{theirs, ours}});
  for (const char* nodes : {"n4,n3", "n3,n4"})
    EXPECT_NE(
        print({"--node", nodes}).find("ACK's own plugin hands out the GPUs of n4 and no others of these"),
        std::string::npos)
        << print({"--node", nodes});
  EXPECT_EQ(print({"--node", "n3"}).find("ACK's own plugin"), std::string::npos);
}

TEST_F(Guide, KnowsTheGpusThatItsTableNamesFirst) {
  for (const char* product : {"M10", "M60"})
    EXPECT_NE(print({"--product", product, "--answer", "Q3=no,Q5=no"}).find(product), std::string::npos);
}

TEST_F(Guide, EveryCombinationOfAnswersEndsWhereTheFlowchartLeads) {
  for (unsigned bits = 0; bits < 32; ++bits) {
    const std::bitset<5> q(bits);
    std::vector<std::string> arguments;
    guide::Walk walk(texts().chart, {});
    for (std::size_t i = 0; i < 5; ++i) {
      const std::string label = "Q" + std::to_string(i + 1);
      arguments.push_back("--answer");
      arguments.push_back(label + (q[i] ? "=yes" : "=no"));
      walk.answer(label, q[i]);
    }
    const auto sheet = ask(arguments);
    ASSERT_TRUE(sheet.ok()) << to_line(sheet.error());
    EXPECT_EQ(sheet->groups.at(0).result.strategy, walk.leaf()->strategy) << q;
    const std::string json = print_guide(*sheet, [&] {
      Options as_json = options;
      as_json.output = OutputFormat::json;
      return as_json;
    }());
    EXPECT_EQ(json_at(json, "/strategy"), "\"" + std::string(word(walk.leaf()->strategy)) + "\"") << q;
    EXPECT_EQ(test::check_schema(test::schema_text("guide"), json), std::vector<std::string>{}) << q;
  }
}

TEST_F(Guide, AProductNeedsNoCluster) {
  story_.model = Model{};
  const std::string json = print({"--product", "H100-80GB-SXM5", "--answer", "Q2=yes", "-o", "json"});
  EXPECT_EQ(json_at(json, "/strategy"), "\"mig\"");
  EXPECT_EQ(json_at(json, "/path/0/question"), "\"Q1\"");
  EXPECT_EQ(json_at(json, "/path/0/answer"), "\"yes\"");
  EXPECT_EQ(json_at(json, "/path/0/source"), "\"catalogue\"");
  EXPECT_EQ(json_at(json, "/path/1/source"), "\"admin\"");
  EXPECT_NE(json_at(json, "/layouts/0/layout"), "missing");
  EXPECT_NE(json_at(json, "/advice/sbatch/0/text").find("--gres=gpu:"), std::string::npos);
  EXPECT_EQ(
      test::difference(json, print({"--product", "H100-80GB-SXM5", "--answer", "Q2=yes", "-o", "yaml"})), "");
}

TEST_F(Guide, NodesAreNamesRangesOrAFilterAsEverywhere) {
  auto boards = [&](const std::string& nodes) {
    auto sheet = ask({"--node", nodes});
    if (!sheet) return sheet.error().reason;
    std::string names;
    for (const GuideAnswer& one : sheet->groups) names += (names.empty() ? "" : "; ") + one.name;
    return names;
  };
  EXPECT_EQ(boards("n[1-2]"), boards("gpus>0"));
  EXPECT_EQ(boards("node=n2"), boards("n2"));
  EXPECT_EQ(boards("node=nobody"), "no node with GPUs matches the filter node=nobody");
  EXPECT_EQ(boards("colour=red").find("no node"), std::string::npos);  // the filter itself is wrong
  EXPECT_EQ(boards("n9"), "there is no node \"n9\"");
}

TEST_F(Guide, AMissingAnswerIsNamedWithItsFlag) {
  const std::string page = print({"--product", "H100-80GB-SXM5"});
  EXPECT_NE(page.find("give --answer Q2=yes or --answer Q2=no"), std::string::npos) << page;
  const std::string json = print({"--product", "H100-80GB-SXM5", "-o", "json"});
  EXPECT_EQ(json_at(json, "/strategy"), "null");
  EXPECT_EQ(json_at(json, "/needed/0/question"), "\"Q2\"");
  EXPECT_EQ(json_at(json, "/needed/0/flag"), "\"--answer Q2=yes|no\"");
  EXPECT_EQ(test::check_schema(test::schema_text("guide"), json), std::vector<std::string>{});
}

TEST_F(Guide, MixedNodesArePartedWithAWalkEach) {
  const std::string json = print({"--node", "n1,n2", "--answer", "Q3=no,Q5=no", "-o", "json"});
  EXPECT_EQ(test::check_schema(test::schema_text("guide"), json), std::vector<std::string>{}) << json;
  EXPECT_EQ(json_at(json, "/groups/0/product"), "\"H100-80GB-SXM5\"");
  EXPECT_EQ(json_at(json, "/groups/0/strategy"), "\"mig\"") << "two users share the node: likely isolation";
  EXPECT_EQ(json_at(json, "/groups/1/product"), "\"A10\"");
  EXPECT_EQ(json_at(json, "/groups/1/strategy"), "\"time-slicing\"");
}

TEST_F(Guide, OneBoardOfANodeIsOneGroup) {
  const std::string json = print({"--node", "n1", "--gpu", "0", "-o", "json"});
  EXPECT_EQ(json_at(json, "/product"), "\"H100-80GB-SXM5\"");
  EXPECT_EQ(json_at(json, "/strategy"), "\"mig\"");
}

TEST_F(Guide, HabitsOfTheWorkAreTold) {
  const std::string page = print({"--node", "n1"});
  EXPECT_NE(page.find("Docker"), std::string::npos) << page;
  EXPECT_NE(page.find("Enroot with Pyxis"), std::string::npos) << page;
  EXPECT_NE(page.find("asks for 3 MIG instances"), std::string::npos) << page;
}

TEST_F(Guide, AnUnknownNameIsRefusedWithTheNames) {
  EXPECT_NE(print({"--node", "n9"}).find("\"n9\""), std::string::npos);
  EXPECT_NE(print({"--product", "B9000"}).find("B9000"), std::string::npos);
  EXPECT_NE(print({"--answer", "Q9=yes"}).find("Q1 (mig-capable)"), std::string::npos);
  EXPECT_NE(print({"--node", "n1", "--product", "A10"}).find("exclude"), std::string::npos);
  EXPECT_NE(print({"--gpu", "0"}).find("--node"), std::string::npos);
}

TEST_F(Guide, SettingsOfTheSiteAnswer) {
  const auto sheet = ask({"--product", "A10", "--answer", "Q3=yes", "--licence", "yes"});
  ASSERT_TRUE(sheet.ok());
  EXPECT_EQ(sheet->groups[0].result.strategy, Strategy::vgpu);
  EXPECT_NE(sheet->groups[0].result.path.at(2).because.find("--licence"), std::string::npos);
  const auto kept_apart = ask({"--product", "H100-80GB-SXM5", "--isolation", "yes"});
  EXPECT_EQ(kept_apart->groups[0].result.strategy, Strategy::mig);
}

TEST_F(Guide, ThePlatformChangesWhatIsHandedOut) {
  const std::string json =
      print({"--product", "H100-80GB-SXM5", "--answer", "Q2=yes", "--platform", "fpt", "-o", "json"});
  EXPECT_EQ(json_at(json, "/platform"), "\"fpt\"");
  EXPECT_EQ(json_at(json, "/layouts/0/preset").substr(0, 5), "\"all-");
  EXPECT_NE(json_at(json, "/advice/pod/0/text").find("nvidia.com/"), std::string::npos);
}

TEST_F(Guide, UnderEachLayoutStandsTheWholeCommandThatPlansIt) {
  const std::string page = print({"--node", "n1", "--gpu", "0", "--answer", "Q2=yes"});
  EXPECT_NE(page.find("     tessera plan --cluster hpc --node n1 --gpu 0 --layout 7x1g.10gb\n"),
            std::string::npos)
      << page;
  const std::string both = print({"--node", "n[1-2]", "--answer", "Q2=no,Q5=no,Q3=no"});
  EXPECT_NE(both.find("tessera plan --cluster hpc --node n1 --gpu 1 --strategy shard --replicas 4"),
            std::string::npos)
      << both;
  const std::string nobodys =
      print({"--product", "A30-24GB", "--answer", "Q2=no,Q5=no", "--platform", "eks"});
  EXPECT_NE(nobodys.find("tessera plan --platform eks --node NODE --strategy time-slicing --replicas 2"),
            std::string::npos)
      << nobodys;
  const std::string json = print({"--node", "n1", "--gpu", "0", "--answer", "Q2=no,Q5=yes", "-o", "json"});
  EXPECT_EQ(json_at(json, "/layouts/0/commands/0"),
            "\"tessera plan --cluster hpc --node n1 --gpu 0 --strategy mps\"");
  EXPECT_EQ(json_at(json, "/ways/onward"), "\"plan\"");
}

TEST_F(Guide, APlatformWithoutMigSaysSoAndLeadsBack) {
  const std::string page =
      print({"--node", "n1", "--gpu", "0", "--answer", "Q2=yes", "--platform", "hyperpod-slurm"});
  EXPECT_NE(page.find("-> Answer Q2 with no: Q5 leads on to MPS"), std::string::npos) << page;
  EXPECT_EQ(page.find("Layouts, best first"), std::string::npos);
  EXPECT_EQ(page.find("To hand out"), std::string::npos);
}

TEST_F(Guide, InstancesThatAreHandedOutSeveralTimesAreOfferedWithTheirProduct) {
  const std::string json =
      print({"--product", "A30-24GB", "--answer", "Q2=yes", "--platform", "operator", "-o", "json"});
  int found = 0;
  for (int i = 0; json_at(json, "/layouts/" + std::to_string(i) + "/title") != "missing"; ++i) {
    const std::string at = "/layouts/" + std::to_string(i);
    if (json_at(json, at + "/title") != "\"2 × 2g.12gb, 4 time-slices each\"") continue;
    ++found;
    EXPECT_EQ(json_at(json, at + "/advertised/nvidia.com~1gpu"), "8");
    EXPECT_EQ(json_at(json, at + "/replicas"), "4");
    EXPECT_NE(json_at(json, at + "/commands/0").find("--layout 2x2g.12gb --replicas 4"), std::string::npos);
  }
  EXPECT_EQ(found, 1) << json;
}

TEST_F(Guide, PagesFitEightyColumns) {
  std::vector<std::string> pages;
  for (const char* q2 : {"Q2=yes", "Q2=no,Q5=yes", "Q2=no,Q5=no"})
    pages.push_back(print({"--node", "n1", "--gpu", "0", "--answer", q2}));
  pages.push_back(print({"--product", "A10", "--answer", "Q3=yes,Q4=yes"}));
  pages.push_back(print_tables(texts(), {}, at(0), options_of({"--compare"})));
  pages.push_back(print_tables(texts(), story_.model.clusters, at(0), options_of({"--scheduler"})));
  for (const std::string& page : pages) {
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
      // What is to be copied is never broken.
      if (line.starts_with("    ") && line.find("nvidia-") != std::string::npos) continue;
      if (line.starts_with("    ") && line.find("max_over_time") != std::string::npos) continue;
      if (line.starts_with("    ") && line.find("CUDA_MPS") != std::string::npos) continue;
      if (line.starts_with("    # ") || line.starts_with("     tessera plan ")) continue;
      EXPECT_LE(tui::display_width(line), 80) << line;
    }
  }
}

TEST_F(Guide, TheTablesAreThereForBothGuides) {
  const std::string four = print_tables(texts(), {}, at(0), options_of({"--compare"}));
  for (const char* name : {"MIG", "vGPU", "MPS", "Time-slicing", "Hopper"})
    EXPECT_NE(four.find(name), std::string::npos) << name;
  const std::string two = print_tables(texts(), story_.model.clusters, at(0), options_of({"--scheduler"}));
  for (const char* name : {"Kubernetes", "ParallelCluster", "What is known of hpc", "Enroot"})
    EXPECT_NE(two.find(name), std::string::npos) << name;
  const std::string json = print_tables(texts(), {}, at(0), options_of({"--compare", "-o", "json"}));
  EXPECT_EQ(json_at(json, "/tables/0/id"), "\"technologies\"");
}

TEST_F(Guide, TheTermsArePrintedAlone) {
  const std::string page = print_tables(texts(), {}, at(0), options_of({"--terms"}));
  for (const guide::Term& term : texts().glossary.terms())
    EXPECT_NE(page.find("  " + term.term + "\n"), std::string::npos) << term.term;
  EXPECT_EQ(page.find("Advice"), std::string::npos);
  const std::string json = print_tables(texts(), {}, at(0), options_of({"--terms", "-o", "json"}));
  EXPECT_EQ(json_at(json, "/terms/0/term"), "\"MIG\"");
}

TEST_F(Guide, PlainTextStaysPlain) {
  options = options_of({"--product", "H100-80GB-SXM5", "--answer", "Q2=yes", "--platform", "fpt"});
  options.ascii = true;
  const std::string page = print_guide(*ask_guide(options, {}, test::catalogue(), texts(), at(0)), options);
  for (char c : page) ASSERT_TRUE(c == '\n' || (c >= 32 && c < 127)) << static_cast<int>(c);
  EXPECT_NE(page.find("\nTo accept\n"), std::string::npos);
}

TEST(GuideFlags, AnAnswerIsYesOrNo) {
  auto parsed = parse_arguments({"guide", "--answer", "Q2=perhaps"});
  ASSERT_TRUE(parsed.ok());
  auto options = to_options(*parsed, *gather(*parsed, {}, {}));
  ASSERT_FALSE(options.ok());
  EXPECT_NE(options.error().hint.find("Q2=yes"), std::string::npos);
  parsed = parse_arguments({"guide", "--platform", "moon"});
  options = to_options(*parsed, *gather(*parsed, {}, {}));
  ASSERT_FALSE(options.ok());
  EXPECT_NE(options.error().hint.find("hyperpod-eks"), std::string::npos);
}

}  // namespace
}  // namespace tessera::cli
