// The command that advice prints, run as it stands: it makes the very plan of the answer, on both simulated
// schedulers, with and without a wait for running work.
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/json.hpp"
#include "tests/support/json_check.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera {
namespace {

using test::json_at;
using test::Ran;

class AdvisedCommand : public testing::TestWithParam<std::string> {
 protected:
  // As a person types it, with tessera on the PATH.
  Ran typed(const std::string& command) const {
    test::RunOptions options;
    options.program = "/bin/sh";
    options.environment = {{"PATH", bin_}};
    return test::run_tessera({"-c", command}, options);
  }
  // A text of a document, without its quotes.
  static std::string text_at(const std::string& document, const std::string& path) {
    const std::string quoted = json_at(document, path);
    auto read = parse_json(quoted, "test");
    return read ? read->text : "not a text: " + quoted;
  }

  void SetUp() override {
    bin_ = scratch.path() + "/bin";
    std::filesystem::create_directory(bin_);
    std::filesystem::create_symlink(test::binary(), bin_ + "/tessera");
    slurm_ = GetParam() == "slurm";
    const auto want = [&](const std::string& profile) {
      return slurm_ ? "\"gpu:" + profile + ":1\"" : "\"nvidia.com/mig-" + profile + ":1\"";
    };
    const std::string limit = slurm_ ? ", limit: 6h" : "";
    std::string text =
        "clusters:\n  - name: lab\n    scheduler: " + GetParam() + "\n    users: [ann:vision]\n";
    if (slurm_) text += "    version: slurm 24.11.5\n    partitions: [{name: gpu, max_time: 3d}]\n";
    text +=
        "    nodes:\n      - {names: \"lab[1-3]\", product: H100-80GB-SXM5, gpus: 2, cpus: 64, memory_gib: "
        "512, " +
        std::string(slurm_ ? "partitions: [gpu], " : "") + "layout: all-1g.10gb}\n    jobs:\n";
    for (const char* node : {"lab1", "lab2"})
      text += "      - {user: ann, name: held, want: " + want("1g.10gb") + ", on: " + node +
              ", does: training, ran: 1h, runs: 5h" + limit + "}\n";
    for (const char* profile : {"3g.40gb", "3g.40gb", "7g.80gb", "7g.80gb", "7g.80gb", "4g.40gb"})
      text += "      - {user: ann, name: waits, want: " + want(profile) +
              ", does: training, ran: 0h, runs: 5h" + limit + "}\n";
    scenario_ = scratch.write("place.yaml", text);
  }

  test::Scratch scratch;
  std::string bin_, scenario_;
  bool slurm_ = false;
};

TEST_P(AdvisedCommand, MakesThePlanOfItsAnswer) {
  const Ran advised =
      typed("tessera advise --sim=" + scenario_ + " --sim-state=" + scratch.path() + "/world -o json");
  ASSERT_EQ(advised.code, 0) << advised.err << advised.out;
  EXPECT_EQ(test::check_schema(test::schema_text("advise"), advised.out), std::vector<std::string>{});
  int answers = 0;
  for (; answers < 5; ++answers) {
    const std::string at = "/answers/" + std::to_string(answers);
    if (json_at(advised.out, at + "/command") == "missing") break;
    const std::string command = text_at(advised.out, at + "/command");
    SCOPED_TRACE(command);
    ASSERT_TRUE(command.ends_with(" --plan")) << command;
    const Ran planned = typed(command);
    ASSERT_EQ(planned.code, 0) << planned.err << planned.out;
    const std::string node = text_at(advised.out, at + "/nodes/0/node");
    EXPECT_NE(planned.out.find(node), std::string::npos) << planned.out;
    const Ran packed = typed(command.substr(0, command.size() - 7) + " -o json");
    ASSERT_EQ(packed.code, 0) << packed.err;
    EXPECT_EQ(text_at(packed.out, "/intent"), text_at(advised.out, at + "/intent"));
  }
  EXPECT_GE(answers, 1) << advised.out;
}

INSTANTIATE_TEST_SUITE_P(Simulators, AdvisedCommand, testing::Values("slurm", "kubernetes"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace tessera
