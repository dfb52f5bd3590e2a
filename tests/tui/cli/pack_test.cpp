// tessera pack: the offline form, as a page and as a document, and when it refuses.
#include "tui/cli/pack/pack.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/json_check.hpp"
#include "tests/tui/cli/fake_runs.hpp"
#include "tui/cli/command_table.hpp"

namespace tessera::cli::pack_story {
namespace {

struct Asked {
  OutputFormat output = OutputFormat::table;
  std::string file;
  std::ostringstream out, err;

  int run(const std::string& text) {
    Options options;
    options.command = "pack";
    options.output = output;
    options.boards_file = file;
    if (file.empty()) {
      options.boards_file = testing::TempDir() + "/pack_test.yaml";
      std::ofstream(options.boards_file) << text;
    }
    test::Box box;
    auto open = [](const Options&, const mig::Catalogue&) {
      ADD_FAILURE() << "a cluster is asked";
      return Opening();
    };
    Joins joins{box, box, open, {}, [] { return test::at(0); }, {}, false};
    return run_pack(options, test::catalogue(), joins, Streams{out, err});
  }
};

constexpr const char* kOne = R"(
demand: {3g.40gb: 1, 1g.10gb: 2}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 6, held: true}]}
- {node: n1, gpu: 1, product: H100-80GB-SXM5, count: 4}
)";

TEST(PackCommand, ListsTheGpusAndSaysWhatIsProven) {
  Asked asked;
  EXPECT_EQ(asked.run(kOne), kDone) << asked.err.str();
  EXPECT_EQ(asked.out.str(),
            "NODE  GPU  KEEP       DESTROY  CREATE, IN THIS ORDER\n"
            "n1      0  1g.10gb@6  -        3g.40gb@0,1g.10gb@4,1g.10gb@5\n"
            "\n"
            "touches 1 GPU on 1 node; proven minimum 1\n");
}

TEST(PackCommand, KeepsItsSchema) {
  for (const char* mode : {"in-place", "whole-node"}) {
    Asked asked;
    asked.output = OutputFormat::json;
    EXPECT_EQ(asked.run("evict: true\nmode: " + std::string(mode) + kOne), kDone) << asked.err.str();
    EXPECT_EQ(test::check_schema(test::schema_text("pack"), asked.out.str()), std::vector<std::string>{});
  }
}

TEST(PackCommand, UnmetDemandIsAFindingWithItsReason) {
  Asked asked;
  EXPECT_EQ(asked.run("demand: {7g.80gb: 2}\nboards: [{node: n1, gpu: 0, product: H100-80GB-SXM5}]\n"),
            kFinding);
  EXPECT_NE(
      asked.out.str().find("unmet: 1 of 2 7g.80gb: running instances leave room for 1 of 2 on 1 GPUs\n"),
      std::string::npos)
      << asked.out.str();
}

TEST(PackCommand, RefusesWhatItCannotRead) {
  Asked missing;
  missing.file = "/nonexistent/gpus.yaml";
  EXPECT_EQ(missing.run(""), kUsage);
  EXPECT_NE(missing.err.str().find("there is no file /nonexistent/gpus.yaml"), std::string::npos);
  Asked broken;
  EXPECT_EQ(broken.run("demand: {1g.10gb: x}\nboards: []\n"), kUsage);
  EXPECT_EQ(broken.out.str(), "");
  EXPECT_NE(broken.err.str().find("pack_test.yaml:1: "), std::string::npos) << broken.err.str();
  Asked csv;
  csv.output = OutputFormat::csv;
  EXPECT_EQ(csv.run(kOne), kUsage);
}

}  // namespace
}  // namespace tessera::cli::pack_story
