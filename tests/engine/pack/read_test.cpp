// GPUs and demand as a file: YAML and JSON alike, errors with their place.
#include "engine/pack/read.hpp"

#include <gtest/gtest.h>

#include "tests/support/catalogue.hpp"

namespace tessera::pack {
namespace {

std::string trouble(const std::string& text) {
  auto file = read_boards(text, "gpus.yaml", test::catalogue());
  return file.ok() ? "read" : file.error().reason;
}

constexpr const char* kGood = R"(
demand: {1g.10gb: 1}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5)";

TEST(PackFile, YamlAndJsonSayTheSame) {
  auto yaml = read_boards(R"(
mode: whole-node
evict: true
demand: {H100-80GB-SXM5: {MIG 1g.10gb: 2}}
boards:
- {node: n1, gpu: 2, product: H100, count: 3, instances: [{profile: 2g.20gb, start: 4, held: true}]}
)",
                          "a.yaml", test::catalogue());
  ASSERT_FALSE(yaml.ok()) << "H100 alone means several products";
  const std::string body =
      R"({"mode": "whole-node", "evict": true, "demand": {"H100-80GB-SXM5": {"1g.10gb": 2}}, "boards": [)"
      R"({"node": "n1", "gpu": 2, "product": "NVIDIA H100 80GB HBM3", "count": 3, )"
      R"("instances": [{"profile": "2g.20gb", "start": 4, "held": true}]}]})";
  auto json = read_boards(body, "a.json", test::catalogue());
  ASSERT_TRUE(json.ok()) << to_line(json.error());
  auto same = read_boards("# not JSON: a comment\n" + body, "a.yaml", test::catalogue());
  ASSERT_TRUE(same.ok()) << to_line(same.error());
  const Problem& problem = json->problem;
  EXPECT_EQ(problem.boards, same->problem.boards);
  EXPECT_EQ(problem.demand, same->problem.demand);
  ASSERT_EQ(problem.boards.size(), 3u);
  EXPECT_EQ(problem.boards[2].gpu, GpuIndex{4});
  EXPECT_TRUE(problem.evict);
  EXPECT_EQ(problem.mode, Mode::whole_node);
}

// It was taken for the product named last, of which there was none: what lies beyond an empty list was read.
TEST(PackFile, AProductWithoutANameIsRefused) {
  for (const char* profile : {"1g.10gb", "whole"})
    for (const std::string shape : {"{\"boards\": [], \"demand\": {\"\": {\"PROFILE\": 1}}}",
                                    "boards: []\ndemand: {'': {PROFILE: 1}}\n"}) {
      std::string text = shape;
      text.replace(text.find("PROFILE"), 7, profile);
      EXPECT_NE(trouble(text).find("unknown product \"\""), std::string::npos)
          << text << ": " << trouble(text);
    }
}

TEST(PackFile, ServicesHaveARateAndWhatOneInstanceGives) {
  const std::string boards = "boards: [{node: n1, gpu: 0, product: H100-80GB-SXM5}]\n";
  auto read = read_boards("services: {chat: {rate: 2.5, gives: {MIG 1g.10gb: 1, 2g.20gb: 0.5}}}\n" + boards,
                          "a.yaml", test::catalogue());
  ASSERT_TRUE(read.ok()) << to_line(read.error());
  EXPECT_EQ(
      read->services,
      (std::vector<Service>{{"chat", 2.5, {{ProfileName("1g.10gb"), 1}, {ProfileName("2g.20gb"), 0.5}}}}));
  auto json = read_boards(R"({"services": {"chat": {"rate": 2.5, "gives": {"1g.10gb": 1, "2g.20gb": 0.5}}}, )"
                          R"("boards": [{"node": "n1", "gpu": 0, "product": "H100-80GB-SXM5"}]})",
                          "a.json", test::catalogue());
  ASSERT_TRUE(json.ok()) << to_line(json.error());
  EXPECT_EQ(json->services, read->services);
  const auto wrong = [&](const std::string& services) {
    auto one = read_boards(boards + "services: " + services + "\n", "gpus.yaml", test::catalogue());
    return one.ok() ? "read" : one.error().reason;
  };
  EXPECT_EQ(wrong("{}"), "gpus.yaml:2: services: a map of names is needed");
  EXPECT_EQ(wrong("{a: {rate: 1}}"),
            "gpus.yaml:2: gives: the rate of one instance of each profile is missing");
  EXPECT_EQ(wrong("{a: {rate: 0, gives: {1g.10gb: 1}}}"),
            "gpus.yaml:2: rate: a number above 0 and up to 1000000000 is needed");
  EXPECT_EQ(wrong("{a: {rate: 1, gives: {1g.10gb: -1}}}"),
            "gpus.yaml:2: 1g.10gb: a number above 0 and up to 1000000000 is needed");
  EXPECT_EQ(wrong("{a: {rate: 1, gives: {big: 1}}}"),
            "gpus.yaml:2: \"big\" is not the name of a MIG profile");
  EXPECT_EQ(wrong("{a: {rate: 1, gives: {1g.10gb: 1, MIG 1g.10gb: 2}}}"),
            "gpus.yaml:2: 1g.10gb is listed twice");
  EXPECT_EQ(wrong("{a: {rate: 1e9, gives: {1g.10gb: 0.001}}}"),
            "gpus.yaml:2: 1g.10gb: more than 100000000 instances would be needed");
  EXPECT_EQ(wrong("{a: {rate: 1, gives: {1g.10gb: 1}}}\ndemand: {H100-80GB-SXM5: {1g.10gb: 1}}"),
            "gpus.yaml:2: 1g.10gb is asked for by product: leave the product out");
}

TEST(PackFile, ErrorsNameTheLineOfYaml) {
  const std::string good = kGood;
  EXPECT_EQ(trouble("boards: []\n"), "gpus.yaml:1: demand: a map of profiles is missing");
  EXPECT_EQ(
      trouble(good + ", color: red}\n"),
      "gpus.yaml:4: unknown key \"color\"; known are node, gpu, product, count, whole, held, instances");
  EXPECT_EQ(trouble(good + ", whole: true, instances: [{profile: 1g.10gb, start: 0}]}\n"),
            "gpus.yaml:4: whole: a GPU with instances is cut");
  EXPECT_EQ(trouble(good + ", instances: [{profile: 3g.40gb, start: 1}]}\n").substr(0, 29),
            "gpus.yaml:4: instances: 3g.40");
  EXPECT_EQ(trouble(good + ", instances: [{profile: 9g.1gb, start: 1}]}\n"),
            "gpus.yaml:4: H100-80GB-SXM5 has no profile \"9g.1gb\"");
  EXPECT_EQ(trouble(good + "}\n- {node: n1, gpu: 0, product: H100-80GB-SXM5}\n"),
            "gpus.yaml:5: GPU 0 of n1 is listed twice");
  EXPECT_EQ(trouble(good + ", count: 200001}\n"),
            "gpus.yaml:4: count: a whole number from 1 to 200000 is needed");
  EXPECT_EQ(trouble(good + ", count: 200000}\n- {node: n2, gpu: 0, product: H100-80GB-SXM5}\n"),
            "gpus.yaml:5: more than 200000 GPUs");
  EXPECT_EQ(trouble("demand: {1g.10gb: -1}\nboards: []\n"),
            "gpus.yaml:1: 1g.10gb: a whole number from 0 to 100000000 is needed");
  EXPECT_EQ(trouble("demand: {mps: 50}\nboards: []\n").substr(0, 28), "gpus.yaml:1: \"mps\": shares a");
  EXPECT_EQ(trouble("demand: {1g.10gb: 1, H100-80GB-SXM5: {1g.10gb: 1}}\nboards: []\n"),
            "gpus.yaml:1: 1g.10gb is listed twice");
  EXPECT_EQ(trouble("demand: {T4: {1g.10gb: 1}}\nboards: []\n").substr(0, 12), "gpus.yaml:1:");
}

TEST(PackFile, AGpuIsListedTwiceAlsoWhereOtherNodesStandBetween) {
  const std::string other = "- {node: n2, gpu: 0, product: H100-80GB-SXM5}\n";
  EXPECT_EQ(trouble(std::string(kGood) + "}\n" + other + "- {node: n1, gpu: 0, product: H100-80GB-SXM5}\n"),
            "gpus.yaml:6: GPU 0 of n1 is listed twice");
}

// All of them were told that the documentation has an example.
TEST(PackFile, AnErrorOfYamlSaysWhatToDoAsInAFleetFile) {
  const auto hint = [](std::string_view text) {
    return read_boards(text, "gpus.yaml", test::catalogue()).error().hint;
  };
  EXPECT_EQ(hint("demand: &a {}"), "write the value out: anchors and aliases are not read");
  EXPECT_EQ(hint("demand: \xff"), "save the file as UTF-8");
  EXPECT_EQ(hint("demand: 1"), "docs/planning.md has an example") << "its own errors";
}

TEST(PackFile, ErrorsNameTheItemOfJson) {
  EXPECT_EQ(trouble("{}"), "gpus.yaml: boards: a list of GPUs is missing") << "named once";
  EXPECT_EQ(trouble(R"({"boards": []})"), "gpus.yaml: demand: a map of profiles is missing");
  EXPECT_EQ(trouble(R"({"demand": {}, "boards": [{"node": "n\u001b[31m", "gpu": 0}]})"),
            "gpus.yaml: boards[0]: node is too long, or holds control characters")
      << "a name was said to be needed where one stands";
  EXPECT_EQ(trouble(R"({"demand": {}, "boards": [{"gpu": 0}]})"),
            "gpus.yaml: boards[0]: node: a name is needed");
  EXPECT_EQ(trouble(R"({"demand": {}, "boards": [{"node": "n1", "gpu": 0, "product": "H100-80GB-SXM5",)"
                    R"( "instances": [{"profile": "1g.10gb", "start": 99}]}]})"),
            "gpus.yaml: boards[0].instances[0]: start: a whole number from 0 to 16 is needed");
  EXPECT_EQ(trouble(R"({"demand": {"H100-80GB-SXM5": {"9g": -1}}, "boards": []})"),
            "gpus.yaml: demand.H100-80GB-SXM5.9g: \"9g\": not the name of a MIG profile, or whole");
  EXPECT_NE(trouble(R"({"demand": {"1g.10gb": 1}, "boards": [)"), "read") << "truncated";
}

// Plain text is read without a tree; one escape in it, and the tree reads all of it.
TEST(PackFile, TheSameIsReadWithATreeAndWithoutOne) {
  const auto both = [](const std::string& node) {
    return read_boards(
        R"({"demand": {"MIG 1g.10gb": 2, "whole": 1}, "evict": true, "boards": [)"
        R"({"node": ")" +
            node +
            R"(", "gpu": 0, "product": "H100-80GB-SXM5", "count": 2, "instances": [)"
            R"({"profile": "3g.40gb", "start": 4, "held": true}, {"profile": "1g.10gb", "start": 0}]},)"
            R"({"node": "n2", "gpu": 1, "product": "A30-24GB", "whole": true, "held": true}]})",
        "a.json", test::catalogue());
  };
  const auto plain = both("n1"), escaped = both(R"(\u006e1)");
  ASSERT_TRUE(plain.ok() && escaped.ok());
  EXPECT_EQ(plain->problem.boards, escaped->problem.boards);
  EXPECT_EQ(plain->problem.demand, escaped->problem.demand);
  EXPECT_EQ(plain->problem.boards.size(), 3u);
  EXPECT_TRUE(plain->problem.boards[2].whole_held);
  for (
      const char* more :
      {R"("gpu": -1)", R"("gpu": true)", R"("gpu": 0, "odd": 1)", R"("gpu": 0, "instances": {})",
       R"("gpu": 0, "instances": [{"profile": "1g.10gb"}])",
       R"("gpu": 0, "instances": [{"profile": "4g.40gb", "start": 0}, {"profile": "4g.40gb", "start": 0}])"}) {
    const std::string rest = std::string(R"(", "product": "H100-80GB-SXM5", )") + more + "}]}";
    const std::string wrong = trouble(R"({"demand": {}, "boards": [{"node": "n1)" + rest);
    EXPECT_EQ(wrong, trouble(R"({"demand": {}, "boards": [{"node": "\u006e1)" + rest));
    EXPECT_EQ(wrong.find("gpus.yaml: boards[0]"), 0u) << wrong;
  }
}

}  // namespace
}  // namespace tessera::pack
