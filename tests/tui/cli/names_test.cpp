// Names that completions offer: what the last listing told, in files that a shell can read.
#include "tui/cli/names.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/tui/cli/fake_runs.hpp"
#include "tui/cli/list.hpp"

namespace tessera::cli {
namespace {

class KeptNames : public testing::Test {
 protected:
  KeptNames() : folder(testing::TempDir() + "names_test." + std::to_string(getpid())) {
    story.tell(ClusterSeen{Scheduler::slurm, false, "", ""});
    story.tell(NodesListed{{test::node("n2", {}), test::node("n1", {}), test::node("$(reboot)", {}),
                            test::node("-rf", {}), test::node("a b", {})}});
    story.tell(WorkloadsListed{{test::running("1", "bob", {}), test::running("2", "alice", {}),
                                test::running("3", "bob", {}), test::running("4", "", {})}});
    story.tell(SourceReport{Source::slurm_nodes, {}, Duration(1)});
    story.tell(SourceReport{Source::slurm_jobs, {}, Duration(1)});
    story.tell(Loaded{});
  }
  ~KeptNames() override { std::filesystem::remove_all(folder); }
  std::string text(const std::string& name) const {
    std::ifstream file(folder + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  test::Story story;
  std::string folder;
};

TEST_F(KeptNames, AreThoseThatAShellNeedsNotQuoteEachOnce) {
  ASSERT_TRUE(keep_names(folder, story.cluster()));
  EXPECT_EQ(text("hpc.nodes"), "n1\nn2\n");
  EXPECT_EQ(text("hpc.users"), "alice\nbob\n");
}

TEST_F(KeptNames, StayWhereTheClusterDoesNotTellThemNow) {
  ASSERT_TRUE(keep_names(folder, story.cluster()));
  story.tell(NodesListed{});
  story.tell(
      SourceReport{Source::slurm_nodes, Error{"scontrol failed", "connection refused", ""}, Duration(1)});
  ASSERT_TRUE(keep_names(folder, story.cluster()));
  EXPECT_EQ(text("hpc.nodes"), "n1\nn2\n") << "an error is not an empty list";
}

TEST_F(KeptNames, LieInAFolderOfTheirOwnForSimulatedClusters) {
  EXPECT_EQ(names_folder("/c", "/home/a", false), "/c/tessera/names");
  EXPECT_EQ(names_folder("", "/home/a", true), "/home/a/.cache/tessera/simulated-names");
  EXPECT_EQ(names_folder("relative", "", false), "") << "then none are kept";
  EXPECT_TRUE(keep_names("", story.cluster()));
}

TEST_F(KeptNames, AFolderThatCannotBeWrittenIsAnErrorAndAListingIsPrintedAllTheSame) {
  std::ofstream(folder) << "a file";
  EXPECT_FALSE(keep_names(folder, story.cluster()));
  test::Box box;
  auto open = [](const Options&, const mig::Catalogue&) {
    Opening opening;
    opening.backends.push_back(std::make_unique<test::StandingBackend>(
        std::vector<Node>{test::node("n1", {test::uncut(0, 0)})}, std::vector<Workload>{}));
    return opening;
  };
  Joins joins{box, box, open, {}, [] { return test::at(0); }, {}, false};
  Options options;
  options.command = "nodes";
  std::ostringstream out, err;
  joins.names = [&](const Options&) { return folder; };
  EXPECT_EQ(run_list(options, test::catalogue(), joins, {out, err}), 0) << err.str();
  EXPECT_NE(out.str().find("n1"), std::string::npos);
  EXPECT_EQ(err.str(), "");
  std::filesystem::remove(folder);
  EXPECT_EQ(run_list(options, test::catalogue(), joins, {out, err}), 0);
  EXPECT_EQ(text("hpc.nodes"), "n1\n");
}

}  // namespace
}  // namespace tessera::cli
