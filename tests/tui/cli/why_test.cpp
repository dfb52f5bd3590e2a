// `tessera why`: the answer for people and for scripts, and what it ends with.
#include "tui/cli/why.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/json_check.hpp"
#include "tests/tui/cli/over_standing.hpp"
#include "tui/cli/command_table.hpp"

namespace tessera::cli::why_story {
namespace {

struct Asked {
  std::vector<std::string> words{"7"};
  OutputFormat output = OutputFormat::table;
  bool loads = true;
  std::string unread;
  std::vector<Remark> remarks{};
  std::ostringstream out, err;

  int run() {
    Options options;
    options.command = "why";
    options.words = words;
    options.output = output;
    options.timeout = Duration(1500);
    Workload waits = test::waiting("7", "alice", "gpu:3g.40gb");
    auto hpc = [&] {
      auto backend = std::make_unique<test::StandingBackend>(
          std::vector<Node>{test::node("n1", {test::uncut(0, 0)})},
          std::vector<Workload>{waits, test::running("8", "bob", {}),
                                test::waiting("19_[3-7:2,12%2]", "alice", "gpu"),
                                test::running("19_2", "alice", {})});
      backend->loads = loads;
      backend->unread = unread;
      backend->remarks = remarks;
      return backend;
    };
    return test::over_standing(run_why, options, hpc, out, err);
  }
};

TEST(WhyCommand, SaysWhyAndWhatWouldHelp) {
  Asked asked;
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  for (const char* part :
       {"hpc 7  alice  queued", "it waits for resources: what it asks for is not free (certain",
        "NODES\n  n1\n", "NOT KNOWN HERE"})
    EXPECT_NE(asked.out.str().find(part), std::string::npos) << part << "\n" << asked.out.str();
}

// squeue lists them as one, and sbatch told the array's number alone.
TEST(WhyCommand, TasksOfAnArrayThatWaitAreFoundByTheirNumbersAndTheArrays) {
  const auto found = [](const std::string& called) {
    Asked asked;
    asked.words = {called};
    if (asked.run() != kDone) return std::string("none");
    return asked.out.str().substr(4, asked.out.str().find("  ") - 4);
  };
  for (const char* called : {"19", "19_3", "19_5", "19_7", "19_12", "19_[3-7:2,12%2]"})
    EXPECT_EQ(found(called), "19_[3-7:2,12%2]") << called;
  EXPECT_EQ(found("19_2"), "19_2") << "one that runs has a line of its own";
  for (const char* called : {"19_4", "19_9", "19_1", "19_", "19_3x", "1", "9", "19_99999999999999", "190"})
    EXPECT_EQ(found(called), "none") << called;
}

TEST(WhyCommand, ItsDocumentIsAsItsSchemaSays) {
  for (const char* id : {"7", "8"}) {
    Asked asked;
    asked.words = {id};
    asked.output = OutputFormat::json;
    EXPECT_EQ(asked.run(), kDone) << asked.err.str();
    EXPECT_EQ(test::check_schema(test::schema_text("why"), asked.out.str()), std::vector<std::string>{})
        << asked.out.str();
    EXPECT_EQ(test::json_at(asked.out.str(), "/waits"), *id == '7' ? "true" : "false");
  }
}

TEST(WhyCommand, AThousandAnswersOfNodesAreNotAllPrinted) {
  Cluster cluster;
  cluster.name = ClusterName("hpc");
  why::Answer answer;
  answer.waits = true;
  for (int i = 0; i < 1000; ++i)
    answer.nodes.push_back(
        {{NodeName("n" + std::to_string(i))}, false, why::Topic::room, {"full " + std::to_string(i)}});
  Options options;
  const std::string text = why_text(cluster, test::waiting("7", "alice", "gpu"), answer, options);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 60) << text;
  EXPECT_NE(text.find("and 980 more; -o json lists all of them"), std::string::npos) << text;
  const Json all = why_json(cluster, test::waiting("7", "alice", "gpu"), answer);
  EXPECT_EQ(all.find("nodes")->items.size(), 1000u);
}

TEST(WhyCommand, RunningWorkDoesNotWait) {
  Asked asked;
  asked.words = {"8"};
  EXPECT_EQ(asked.run(), kDone);
  EXPECT_NE(asked.out.str().find("does not wait: running"), std::string::npos) << asked.out.str();
}

TEST(WhyCommand, AnUnknownNameIsRefusedWithTheWayToFindIt) {
  Asked asked;
  asked.words = {"nobody"};
  EXPECT_EQ(asked.run(), kUsage);
  EXPECT_NE(asked.err.str().find("tessera workloads --filter state=pending"), std::string::npos)
      << asked.err.str();
  asked.words.clear();
  EXPECT_EQ(asked.run(), kUsage);
}

// "no job or pod is called train": its pods are refused, so that there is none.
TEST(WhyCommand, WorkWhosePodsAQuotaRefusesIsToldTheQuotaWithBothNumbers) {
  const auto refused = [](const std::string& whose) {
    Remark one{
        Remark::Grade::warning, whose, false,
        "the API server refuses its pods: quota gpus allows 8 nvidia.com/gpu, 6 are used, and a pod asks "
        "for 4",
        ""};
    one.kind = Remark::Kind::refused;
    one.commands = {"kubectl -n ml describe resourcequota", "kubectl -n ml patch resourcequota gpus"};
    return one;
  };
  for (const char* called : {"train", "ml/train", "Job ml/train", "web", "ml/web", "web-5d9f"}) {
    Asked asked;
    asked.words = {called};
    asked.remarks = {refused("Job ml/train"), refused("ReplicaSet ml/web-5d9f")};
    EXPECT_EQ(asked.run(), kDone) << asked.err.str();
    for (const char* part :
         {"quota gpus allows 8 nvidia.com/gpu, 6 are used", "WHAT WOULD HELP",
          "kubectl -n ml describe resourcequota", "kubectl -n ml patch resourcequota gpus"})
      EXPECT_NE(asked.out.str().find(part), std::string::npos) << part << "\n" << asked.out.str();
  }
  Asked asked;
  asked.output = OutputFormat::json;
  asked.words = {"train"}, asked.remarks = {refused("Job ml/train")};
  EXPECT_EQ(asked.run(), kDone);
  EXPECT_EQ(test::check_schema(test::schema_text("why"), asked.out.str()), std::vector<std::string>{});
  EXPECT_EQ(test::json_at(asked.out.str(), "/topic"), "\"limit\"");
  Asked both;
  both.words = {"train"}, both.remarks = {refused("Job ml/train"), refused("Job bio/train")};
  EXPECT_EQ(both.run(), kUsage);
  EXPECT_NE(both.err.str().find("2 of them are called so"), std::string::npos) << both.err.str();
}

// "there is none" was said of a list that could not be read whole.
TEST(WhyCommand, ANameThatIsNotInHalfAListMayBeInTheOtherHalf) {
  Asked asked;
  asked.words = {"4711"};
  asked.unread = "line 3: the record of job 4711 is cut short";
  EXPECT_EQ(asked.run(), kUnknown);
  EXPECT_NE(asked.err.str().find("job 4711 is cut short"), std::string::npos) << asked.err.str();
}

TEST(WhyCommand, HalfAnAnswerIsNone) {
  Asked asked;
  asked.loads = false;
  EXPECT_EQ(asked.run(), kUnknown);
  EXPECT_EQ(asked.out.str(), "");
}

}  // namespace
}  // namespace tessera::cli::why_story
