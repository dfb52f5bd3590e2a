// Fleet files: what they can say, and what is refused, with its place and a way out.
#include "engine/fleet/reader.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "engine/text.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/paths.hpp"

namespace tessera::fleet {
namespace {

Result<Fleet> read(const std::string& text) { return read_fleet(text, "fleet.yaml", test::catalogue()); }

std::string refused(const std::string& text) {
  auto fleet = read(text);
  if (fleet) return "read";
  EXPECT_FALSE(fleet.error().hint.empty()) << to_line(fleet.error());
  return fleet.error().reason;
}

TEST(FleetFile, SaysByPoolsWhatNodesAreToBe) {
  auto fleet = read(R"(clusters:
  hpc: {platform: slurm}
pools:
- name: training
  cluster: hpc
  nodes: n[01-03]
  layout: none
  except: {n02: 7x1g.10gb, n03: as-is}
- name: notebooks
  partition: interactive
  product: NVIDIA H100 80GB HBM3
  gpus: {0-1: "3g.40gb,3g.40gb", 2: none}
- name: shared
  label: team=ml
  strategy: time-slicing
  replicas: 4
  rename_shared: true
- {name: rest, feature: nvl, preset: all-balanced}
- {name: pool, demand: {1g.10gb: 40, 3g.40gb: 10}}
)");
  ASSERT_TRUE(fleet) << to_line(fleet.error());
  ASSERT_EQ(fleet->pools.size(), 5u);
  EXPECT_EQ(fleet->clusters.at("hpc").platform, sharing::Platform::slurm);
  const Pool& training = fleet->pools[0];
  EXPECT_EQ(training.nodes, (std::set<std::string>{"n01", "n02", "n03"}));
  EXPECT_EQ(to_text(training.rule), "whole GPU");
  EXPECT_EQ(training.rule.line, 7);
  EXPECT_EQ(to_text(training.exceptions.at(0).rule), "7 × 1g.10gb");
  EXPECT_EQ(to_text(training.exceptions.at(1).rule), "as it is");
  EXPECT_EQ(fleet->pools[1].product, "H100-80GB-SXM5");
  EXPECT_EQ(to_text(fleet->pools[1].rule), "GPU 0: 2 × 3g.40gb; GPU 1: 2 × 3g.40gb; GPU 2: whole GPU");
  EXPECT_EQ(fleet->pools[2].feature, "team=ml");
  EXPECT_EQ(fleet->pools[2].rule.wish.switches.rename_shared, true);
  EXPECT_EQ(to_text(fleet->pools[3].rule), "all-balanced");
  EXPECT_EQ(to_text(fleet->pools[4].rule), ">=40 1g.10gb, >=10 3g.40gb");
}

// What docs/fleet.md shows as a whole file is one.
TEST(FleetFile, TheWholeFilesOfTheDocumentationAreRead) {
  std::ifstream in(test::source_dir() + "/docs/fleet.md");
  std::vector<std::string> files;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      inside = line == "```yaml";
      if (inside) files.emplace_back();
    } else if (inside) {
      files.back() += line + "\n";
    }
  }
  std::erase_if(files, [](const std::string& text) { return text.find("pools:") == text.npos; });
  ASSERT_EQ(files.size(), 2u) << "one for two schedulers, and one with windows";
  for (const std::string& text : files) {
    const auto read = read_fleet(text, "docs/fleet.md", test::catalogue());
    ASSERT_TRUE(read) << to_line(read.error());
  }
  const auto whole = read_fleet(files[0], "docs/fleet.md", test::catalogue());
  EXPECT_EQ(whole->pools.size(), 6u);
  EXPECT_EQ(whole->clusters.size(), 2u);
  EXPECT_EQ(read_fleet(files[1], "docs/fleet.md", test::catalogue())->pools.at(0).windows.size(), 3u);
}

TEST(FleetFile, ALayoutThatItsCommasCutOffIsToldToNeedQuotes) {
  const auto hint = [](const std::string& text) { return read(text).error().hint; };
  const char* quotes = "put a layout with commas in quotes: layout: '3g.40gb,3g.40gb'";
  EXPECT_EQ(hint("pools: [{name: a, layout: 3g.40gb,2g.20gb}]"), quotes);
  EXPECT_EQ(hint("pools: [{name: a, layout: none, windows: [{when: daily, layout: 3g.40gb,3g.40gb}]}]"),
            quotes);
  EXPECT_TRUE(hint("pools: [{name: a, layout: 3g.40gb, moon: }]").starts_with("one of: "));
  EXPECT_TRUE(read("pools: [{name: a, layout: '3g.40gb,2g.20gb'}]"));
}

TEST(FleetFile, ADemandMayBeForWholeGpus) {
  auto fleet = read("pools: [{name: a, demand: {whole: 3, 1g.10gb: 4}}]");
  ASSERT_TRUE(fleet) << to_line(fleet.error());
  EXPECT_EQ(to_text(fleet->pools[0].rule), ">=4 1g.10gb, >=3 whole");
}

// Found by a fuzzer: a key that no rule has was told before it was known, with its carriage returns.
TEST(FleetFile, NoRefusalPutsAControlCharacterOnATerminal) {
  for (const char* text :
       {"clusters: {hpc: {\"plat\\rform\": }}\npools: []",
        "clusters: {\"h\\epc\": {platform: slurm}}\npools: []", "\"po\\rols\": []",
        "pools: [{name: a, \"lay\\rout\": }]", "pools: [{name: a, demand: {\"1g\\r\": x}}]"}) {
    const std::string line = refused(text);
    EXPECT_FALSE(line.empty());
    EXPECT_EQ(clean(line, line.size()), line) << text;
  }
  EXPECT_NE(refused("clusters: {hpc: {moon: }}\npools: []").find("\"moon\" is not a key here"),
            std::string::npos);
}

TEST(FleetFile, ARefusalNamesLineAndColumn) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "it has no pools"},
      {"pools: []", "fleet.yaml:1:8: pools is a list of at least one pool"},
      {"pool: []", "fleet.yaml:1:7: \"pool\" is not a key here"},
      {"pools: [{layout: none}]", "fleet.yaml:1:9: the pool has no name"},
      {"pools: [{name: a}]", "fleet.yaml:1:9: the pool does not say what its nodes are to be"},
      {"pools: [{name: a, layout: none, preset: x}]", "fleet.yaml:1:9: that is said in two ways"},
      {"pools: [{name: a, preset: x, replicas: 2}]",
       "fleet.yaml:1:40: replicas belongs to layout or strategy"},
      {"pools: [{name: a, layout: 3q.4}]", "fleet.yaml:1:27: "},
      {"pools:\n- {name: a, layout: none}\n- {name: a, layout: none}\n",
       "fleet.yaml:3:10: two pools are called a"},
      {"pools: [{name: a, layout: none, nodes: 'n[1-'}]", "fleet.yaml:1:40: "},
      {"pools: [{name: a, layout: none, nodes: 'n1,n1'}]", "fleet.yaml:1:40: node n1 is named twice"},
      {"pools: [{name: a, layout: none, nodes: 'n[1-200001]'}]", "fleet.yaml:1:40: "},
      {"pools: [{name: a, layout: none, nodes: n1, except: {n2: none}}]",
       "fleet.yaml:1:57: node n2 is not among the nodes of the pool"},
      {"pools: [{name: a, layout: none, except: {n1: none, 'n[1-2]': none}}]",
       "fleet.yaml:1:62: node n1 is excepted twice"},
      {"pools: [{name: a, layout: none, product: Voodoo2}]",
       "fleet.yaml:1:42: the catalogue has no product Voodoo2"},
      {"pools: [{name: a, layout: 3g.40gb,2g.20gb}]", "fleet.yaml:1:42: \"2g.20gb\" is not a key here"},
      {"pools: [{name: a, demand: {half: 1}}]",
       "fleet.yaml:1:34: \"half\" is not the name of a MIG profile, or whole"},
      {"pools: [{name: a, demand: {1g.10gb: -1}}]",
       "fleet.yaml:1:37: the count is not a whole number from 0 to 1000000"},
      {"pools: [{name: a, demand: {1g.10gb: 1, 1g.10GB: 1}}]",
       "fleet.yaml:1:49: profile 1g.10gb stands twice"},
      {"pools: [{name: a, layout: none, label: ml}]", "fleet.yaml:1:40: a label is KEY=VALUE"},
      {"pools: [{name: \"a\\e[31m\", layout: none}]",
       "fleet.yaml:1:16: name is too long, or holds control characters"},
      {"clusters: {hpc: {platform: moon}}\npools: [{name: a, layout: none}]",
       "fleet.yaml:1:28: \"moon\" is not a platform"},
      {"pools: [{name: a, layout: none, evict: maybe}]", "fleet.yaml:1:40: evict is wait, requeue or cancel"},
      {"pools: [{name: a, layout: none, on_failure: no}]", "fleet.yaml:1:45: on_failure is stop or go-on"},
      {"pools: [{name: a, layout: none, on_failure: [stop]}]",
       "fleet.yaml:1:45: on_failure is stop or go-on"},
      {"pools: [{name: a, layout: none, on_failure: go-on}]",
       "fleet.yaml:1:45: on_failure: go-on needs a bound to the nodes that may fail"},
      {"pools: [{name: a, layout: none, budget: {max_nodes_at_once: 0}}]",
       "fleet.yaml:1:61: max_nodes_at_once is a whole number"},
      {"pools: [{name: a, layout: none, budget: {not_after: '06:00'}}]",
       "fleet.yaml:1:41: not_after belongs to windows, and the pool has none"},
      {"pools: [{name: a, layout: none, budget: {not_after: 6}}]",
       "fleet.yaml:1:53: not_after is a time of the day"},
      {"pools: [{name: a, layout: none", "fleet.yaml:"},
  };
  for (const auto& [text, place] : wrong)
    EXPECT_TRUE(refused(text).find(place) != std::string::npos) << text << " → " << refused(text);
}

}  // namespace
}  // namespace tessera::fleet
