#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <fstream>
#include <iterator>

#include "engine/operators/mig_parted.hpp"
#include "engine/operators/plugin_config.hpp"
#include "tests/engine/plan/boards.hpp"
#include "tests/support/paths.hpp"

namespace tessera::test {
namespace {

using namespace operators;

std::string corpus(const std::string& name) {
  std::ifstream file(source_dir() + "/tests/fuzz/corpus/mig_parted/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
std::string site_text() { return corpus("site.yaml"); }

MigDocument parse(const std::string& text) {
  auto document = parse_mig_document(text, "config.yaml");
  EXPECT_TRUE(document.ok()) << (document ? "" : to_line(document.error()));
  return document ? *document : MigDocument{};
}
std::string refusal(const std::string& text) {
  auto document = parse_mig_document(text, "config.yaml");
  EXPECT_FALSE(document.ok()) << text;
  return document ? "" : document.error().reason;
}
const mig::Product* product(const char* key) {
  const mig::Product* found = catalogue().by_key(key);
  EXPECT_NE(found, nullptr) << key;
  return found;
}
BoardTarget target(const mig::Product& board, std::vector<std::string> profiles) {
  BoardTarget wanted{true, {}};
  for (const std::string& one : profiles) wanted.profiles.push_back(board.index_of(one).value());
  std::sort(wanted.profiles.begin(), wanted.profiles.end());
  return wanted;
}

TEST(MigParted, ReadsWhatTheMigManagerReads) {
  MigDocument document = parse(site_text());
  ASSERT_EQ(document.configs.size(), 3u);
  EXPECT_EQ(document.configs[2].name, "half");
  const MigConfig& all = *document.find("all-1g.10gb");
  EXPECT_EQ(all.rows.at(0).filters, (std::vector<std::string>{"0x233010DE", "0x233110DE"}));
  EXPECT_EQ(all.rows.at(0).counts.at("1g.10gb"), 7);
  EXPECT_FALSE(document.find("half")->rows.at(0).all);
  EXPECT_EQ(document.find("nothing"), nullptr);
}

TEST(MigParted, RefusesWhatTheMigManagerRefusesAndSaysWhere) {
  auto with = [](const std::string& rows) { return "version: v1\nmig-configs:\n  a:\n" + rows; };
  EXPECT_NE(refusal("mig-configs: {a: []}\n").find("missing 'version'"), std::string::npos);
  EXPECT_NE(refusal("version: v2\nmig-configs: {}\n").find("unknown version: v2"), std::string::npos);
  EXPECT_NE(refusal("version: v1\nmig-configs: {}\n").find("not empty"), std::string::npos);
  EXPECT_NE(refusal("version: v1\nextra: 1\nmig-configs: {a: [{devices: all, mig-enabled: false}]}\n")
                .find("unexpected field: extra"),
            std::string::npos);
  EXPECT_NE(refusal(with("    - devices: some\n      mig-enabled: false\n")).find("config.yaml:4"),
            std::string::npos);
  EXPECT_NE(refusal(with("    - devices: all\n      mig-enabled: true\n")).find("'mig-devices'"),
            std::string::npos);
  EXPECT_NE(refusal(with("    - devices: all\n      mig-enabled: false\n      mig-devices: {1g.5gb: 1}\n"))
                .find("included when 'mig-enabled' is false"),
            std::string::npos);
  EXPECT_NE(refusal(with("    - devices: all\n      mig-enabled: true\n      mig-devices: {1g.5gb: 0}\n"))
                .find("all counts"),
            std::string::npos);
  EXPECT_NE(refusal(with("    - devices: all\n      mig-enabled: true\n      mig-devices: {1g.5gb: -1}\n"))
                .find("from 0 to 64"),
            std::string::npos);
  EXPECT_NE(refusal(with("    - device-filter: H100\n      devices: all\n      mig-enabled: false\n"))
                .find("PCI ids"),
            std::string::npos);
  EXPECT_FALSE(parse_mig_document("version: v1\nmig-configs: &a\n  x: *a\n", "f").ok());
}

TEST(MigParted, EvaluatesRowsInOrderForTheBoardsOfANode) {
  const mig::Product* board = product("H100-80GB-SXM5");
  MigDocument document = parse(site_text());
  NodeBoards four(4, board);
  auto half = evaluate(*document.find("half"), four);
  ASSERT_TRUE(half.ok());
  EXPECT_EQ((*half)[1], target(*board, {"3g.40gb", "3g.40gb"}));
  EXPECT_EQ((*half)[2], BoardTarget{});
  // A node with a fifth GPU: nothing is said of it, so it stays as it is.
  EXPECT_EQ((*evaluate(*document.find("half"), NodeBoards(5, board)))[4], std::nullopt);
  // Another product than the filter's is left alone.
  EXPECT_EQ((*evaluate(*document.find("all-1g.10gb"), NodeBoards(1, product("A100-40GB"))))[0], std::nullopt);
  // A later row wins.
  MigDocument twice = parse(
      "version: v1\nmig-configs:\n  a:\n  - {devices: all, mig-enabled: false}\n"
      "  - {devices: [0], mig-enabled: true, mig-devices: {}}\n");
  EXPECT_EQ((*evaluate(twice.configs[0], NodeBoards(2, board)))[0], (BoardTarget{true, {}}));
}

TEST(MigParted, SaysWhyAnEntryFailsOnANode) {
  NodeBoards boards{product("H100-80GB-SXM5")};
  auto fails = [&](const std::string& devices) {
    MigDocument document =
        parse("version: v1\nmig-configs:\n  a:\n  - {devices: all, mig-enabled: true, mig-devices: {" +
              devices + "}}\n");
    auto wanted = evaluate(document.configs.at(0), boards);
    return wanted ? "" : wanted.error().reason;
  };
  EXPECT_EQ(fails("1g.10gb: 7"), "");
  EXPECT_NE(fails("1g.5gb: 7").find("not found on H100"), std::string::npos);
  EXPECT_NE(fails("7g.80gb: 1, 1g.10gb: 1").find("H100"), std::string::npos);
  EXPECT_NE(fails("1c.3g.40gb: 1"), "");
  EXPECT_FALSE(evaluate(MigConfig{"a", {{{}, true, {}, true, {{"1g.10gb", 1}}}}}, {nullptr}).ok());
}

TEST(MigParted, PrefersTheNameThatStandsThenTheOperatorsOwn) {
  const mig::Product* board = product("H100-80GB-SXM5");
  MigDocument document = parse(
      "version: v1\nmig-configs:\n"
      "  tessera-00000000:\n  - {devices: all, mig-enabled: true, mig-devices: {1g.10gb: 7}}\n"
      "  ours:\n  - {devices: all, mig-enabled: true, mig-devices: {1g.10gb: 7}}\n"
      "  all-1g.10gb:\n  - {devices: all, mig-enabled: true, mig-devices: {1g.10gb: 7}}\n");
  NodeTarget wanted(
      2, target(*board, {"1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb"}));
  NodeBoards boards(2, board);
  EXPECT_EQ(find_config(document, boards, wanted, ""), "all-1g.10gb");
  EXPECT_EQ(find_config(document, boards, wanted, "ours"), "ours");
  wanted[1] = BoardTarget{};
  EXPECT_EQ(find_config(document, boards, wanted, "ours"), std::nullopt);
}

TEST(MigParted, AddsAnEntryAtTheEndAndLeavesEverythingElseAlone) {
  const mig::Product* board = product("H100-80GB-SXM5");
  MigConfig entry = make_config(NodeBoards(2, board), NodeTarget(2, target(*board, {"3g.40gb", "4g.40gb"})));
  ASSERT_TRUE(entry.name.starts_with("tessera-"));
  std::string before = site_text();
  auto after = with_config(before, entry, "config.yaml");
  ASSERT_TRUE(after.ok()) << to_line(after.error());
  EXPECT_TRUE(after->starts_with(before));  // comments and all
  EXPECT_EQ(after->substr(before.size()),
            "  " + entry.name +
                ":\n    - devices: all\n      mig-enabled: true\n      mig-devices:\n"
                "        \"3g.40gb\": 1\n        \"4g.40gb\": 1\n");
  EXPECT_EQ(with_config(*after, entry, "config.yaml").value(), *after);  // twice is once
}

TEST(MigParted, FindsThePlaceInOddTexts) {
  MigConfig entry{"new", {{{}, true, {}, false, {}}}};
  for (const std::string& text : {
           std::string(
               "mig-configs:\n  a:\n  - {devices: all, mig-enabled: false}\n\n# the end\nversion: v1\n"),
           std::string(
               "version: v1\r\nmig-configs:\r\n    a:\r\n    - devices: all\r\n      mig-enabled: false\r\n"),
           std::string("version: v1\nmig-configs:\n  a:\n  - devices: [0,\n      1]\n    mig-enabled: false"),
           std::string("version: v1\nmig-configs:\n  a:\n  - devices: all\n    mig-enabled: true\n"
                       "    mig-devices: {\n      1g.5gb: 7\n    }\n"),
       }) {
    auto after = with_config(text, entry, "f");
    ASSERT_TRUE(after.ok()) << text << to_line(after.error());
    EXPECT_EQ(parse(*after).configs.back(), entry);
    EXPECT_EQ(after->find("\r\n") != std::string::npos, text.find("\r\n") != std::string::npos);
  }
  auto flow =
      with_config("{version: v1, mig-configs: {a: [{devices: all, mig-enabled: false}]}}", entry, "f");
  ASSERT_FALSE(flow.ok());
  EXPECT_NE(flow.error().hint.find("block"), std::string::npos);
}

TEST(MigParted, NeverGivesANameASecondMeaning) {
  MigRow other;
  other.enabled = true;
  auto taken = with_config(site_text(), {"half", {other}}, "f");
  ASSERT_FALSE(taken.ok());
  EXPECT_NE(taken.error().reason.find("half exists with different content"), std::string::npos);
}

// Any document that we can write, with comments strewn in: one more entry changes nothing else, line by line.
TEST(MigParted, AddingKeepsEveryLine) {
  rc::check([] {
    std::vector<MigConfig> configs;
    int many = *rc::gen::inRange(1, 6);
    for (int i = 0; i < many; ++i) {
      MigConfig config{"c" + std::to_string(i), {}};
      int rows = *rc::gen::inRange(1, 4);
      for (int r = 0; r < rows; ++r) {
        MigRow row;
        row.all = *rc::gen::arbitrary<bool>();
        if (!row.all) row.devices = *rc::gen::container<std::vector<int>>(3, rc::gen::inRange(0, 8));
        if (*rc::gen::arbitrary<bool>()) row.filters = {"0x233010DE"};
        row.enabled = *rc::gen::arbitrary<bool>();
        if (row.enabled && *rc::gen::arbitrary<bool>()) row.counts = {{"1g.10gb", *rc::gen::inRange(1, 8)}};
        config.rows.push_back(row);
      }
      configs.push_back(config);
    }
    std::string text;
    for (char c : document_of(configs)) {
      text += c;
      if (c == '\n' && *rc::gen::inRange(0, 4) == 0)
        text += *rc::gen::element<std::string>("# note\n", "\n", "      # deep\n");
    }
    MigConfig entry{"tessera-new", {{{}, true, {}, true, {{"2g.20gb", 3}}}}};
    auto after = with_config(text, entry, "f");
    RC_ASSERT(after.ok());
    std::string added = to_yaml(entry, 2);
    auto at = after->find(added);
    RC_ASSERT(at != std::string::npos);
    RC_ASSERT(after->substr(0, at) + after->substr(at + added.size()) == text);
    configs.push_back(entry);
    RC_ASSERT(parse_mig_document(*after, "f").value().configs == configs);
  });
}

TEST(MigParted, AContentHasOneNameAndNotAllBoardsNeedToBeAlike) {
  const mig::Product* board = product("H100-80GB-SXM5");
  NodeTarget wanted{target(*board, {"3g.40gb"}), target(*board, {"3g.40gb"})};
  MigConfig two = make_config(NodeBoards(2, board), wanted);
  wanted.push_back(wanted[0]);
  EXPECT_EQ(make_config(NodeBoards(3, board), wanted), two);  // the same layout on any number of GPUs
  wanted[1] = BoardTarget{};
  MigConfig odd = make_config(NodeBoards(3, board), wanted);
  EXPECT_NE(odd.name, two.name);
  EXPECT_EQ(odd.rows.at(0).devices, (std::vector<int>{0, 2}));
  EXPECT_TRUE(meets(*evaluate(odd, NodeBoards(3, board)), wanted, NodeBoards(3, board)));
}

// Whatever is wished for, the entry that is made for it evaluates to just that.
TEST(MigParted, AnEntryMeansWhatItWasMadeFor) {
  rc::check([] {
    const mig::Product& board = h100();
    std::vector<mig::Layout> layouts = mig::enumerate(board, mig::Which::undominated);
    NodeBoards boards(static_cast<std::size_t>(*rc::gen::inRange(1, 9)), &board);
    NodeTarget wanted;
    for (std::size_t i = 0; i < boards.size(); ++i) {
      BoardTarget one{*rc::gen::arbitrary<bool>(), {}};
      if (one.mig)
        for (const mig::Placed& placed : *rc::gen::elementOf(layouts)) one.profiles.push_back(placed.profile);
      std::sort(one.profiles.begin(), one.profiles.end());
      wanted.push_back(one);
    }
    MigConfig made = make_config(boards, wanted);
    auto again = parse_mig_document(document_of({made}), "f");
    RC_ASSERT(again.ok());
    RC_ASSERT(meets(*evaluate(again->configs.at(0), boards), wanted, boards));
  });
}

TEST(MigParted, AsksTheFleetWhatANewFileMeans) {
  MigDocument before = parse(site_text());
  MigDocument after = parse(
      "version: v1\nmig-configs:\n  all-disabled:\n  - {devices: all, mig-enabled: false}\n"
      "  half:\n  - {devices: all, mig-enabled: true, mig-devices: {3g.40gb: 2}}\n");
  const mig::Product* board = product("H100-80GB-SXM5");
  std::vector<FleetNode> fleet{{"n1", "all-disabled", NodeBoards(4, board), &before},
                               {"n2", "half", NodeBoards(4, board), &before},
                               {"n3", "all-1g.10gb", NodeBoards(4, board), &before},
                               {"n4", "", NodeBoards(4, board), &before},
                               {"n5", "never-was", NodeBoards(4, board), &before}};
  FleetAnswer answer = ask_fleet(fleet, after);
  ASSERT_EQ(answer.changes.size(), 1u);
  EXPECT_NE(answer.changes[0].find("n2: half"), std::string::npos);
  ASSERT_EQ(answer.fails.size(), 1u);
  EXPECT_NE(answer.fails[0].find("n3: selected mig-config not present"), std::string::npos);
  EXPECT_EQ(answer.same, 2);
  EXPECT_FALSE(answer.harmless());
}

TEST(PluginConfig, GivesADefaultAnotherSharingAndKeepsItsFlags) {
  std::string base =
      "# the fleet's default\nversion: v1\nflags:\n  migStrategy: mixed  # since May\n  plugin:\n    "
      "deviceListStrategy: "
      "[envvar]\nsharing:\n  timeSlicing:\n    resources:\n      - {name: gpu, replicas: 2}\n";
  PluginSharing wanted{Strategy::mps, false, {{"nvidia.com/gpu", 10}}};
  auto text = with_sharing(base, wanted, "default");
  ASSERT_TRUE(text.ok()) << to_line(text.error());
  EXPECT_NE(text->find("# since May"), std::string::npos);
  EXPECT_NE(text->find("deviceListStrategy: [envvar]"), std::string::npos);
  EXPECT_EQ(text->find("timeSlicing"), std::string::npos);
  auto read = parse_plugin_config(*text, "again");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->sharing, wanted);
  EXPECT_EQ(read->strategy, sharing::MigStrategy::mixed);
  // Back: nothing of a sharing stays.
  auto whole = with_sharing(*text, {}, "again");
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole->find("sharing"), std::string::npos);
  EXPECT_EQ(plugin_config_name(wanted, *text),
            plugin_config_name(wanted, *with_sharing(base, wanted, "default")));
  EXPECT_TRUE(plugin_config_name(wanted, *text).starts_with("tessera-mps10-"));
}

TEST(PluginConfig, SharingMayStandAnywhereInTheText) {
  auto text = with_sharing("sharing:\n  mps:\n    resources: [{name: gpu, replicas: 3}]\nversion: v1\n",
                           {Strategy::time_slicing, true, {{"nvidia.com/gpu", 4}}}, "f");
  ASSERT_TRUE(text.ok()) << to_line(text.error());
  EXPECT_EQ(*text,
            "version: v1\nsharing:\n  timeSlicing:\n    renameByDefault: true\n    resources:\n"
            "      - name: nvidia.com/gpu\n        replicas: 4\n");
  EXPECT_FALSE(
      with_sharing("{version: v1}", {Strategy::time_slicing, false, {{"nvidia.com/gpu", 4}}}, "f").ok());
  EXPECT_TRUE(with_sharing("", {Strategy::time_slicing, false, {{"nvidia.com/gpu", 4}}}, "f").ok());
}

TEST(PluginConfig, RefusesWhatThePluginRefuses) {
  auto reason = [](const std::string& sharing) {
    auto config = parse_plugin_config("version: v1\nsharing:\n" + sharing, "f");
    return config ? "" : config.error().reason;
  };
  EXPECT_NE(reason("  timeSlicing:\n    resources: []\n").find("no resources specified"), std::string::npos);
  EXPECT_NE(reason("  mps:\n    resources: [{name: gpu, replicas: 1}]\n").find("must be >= 2"),
            std::string::npos);
  EXPECT_NE(reason("  mps:\n    resources: [{replicas: 3}]\n").find("needs a name"), std::string::npos);
  EXPECT_FALSE(parse_plugin_config("version: v2\n", "f").ok());
  EXPECT_FALSE(parse_plugin_config("version: v1\nflags: {migStrategy: some}\n", "f").ok());
}

TEST(PluginConfig, KnowsTheLimits) {
  auto why = [](Strategy method, int replicas, bool mig, const char* capability) {
    return why_not_shared({method, false, {{"nvidia.com/gpu", replicas}}}, mig, capability).value_or("");
  };
  EXPECT_EQ(why(Strategy::mps, 48, false, "9.0"), "");
  EXPECT_NE(why(Strategy::mps, 49, false, "9.0").find("48 MPS clients"), std::string::npos);
  EXPECT_EQ(why(Strategy::mps, 16, false, "7.0"), "");
  EXPECT_NE(why(Strategy::mps, 17, false, "7.0").find("below compute capability 7.5"), std::string::npos);
  EXPECT_NE(why(Strategy::mps, 4, true, "9.0").find("MIG is on"), std::string::npos);
  EXPECT_EQ(why(Strategy::time_slicing, 100, true, "9.0"), "");
  EXPECT_NE(why(Strategy::time_slicing, 1, false, "9.0").find("2 or more"), std::string::npos);
}

}  // namespace
}  // namespace tessera::test
