// Journals, plan files and a world as tessera 0.1 wrote them (tests/fixtures/v0.1): read, taken up, undone.
#include <sys/stat.h>

#include <filesystem>

#include "tests/e2e/change_lab.hpp"
#include "tests/e2e/kube_change_lab.hpp"
#include "tests/e2e/slurm_change_lab.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

std::string fixture(const std::string& name) { return source_dir() + "/tests/fixtures/v0.1/" + name; }

// A folder of journals, as 0.1 left it.
void keep_journals(const std::string& folder, const std::vector<std::string>& runs) {
  fs::create_directories(folder);
  ::chmod(folder.c_str(), 0700);
  for (const std::string& run : runs) {
    fs::copy_file(fixture(run + ".journal"), folder + "/" + run + ".journal");
    ::chmod((folder + "/" + run + ".journal").c_str(), 0600);
  }
}

constexpr const char* kDone = "20261123-0519-n1-mbn";
constexpr const char* kWaits = "20261123-0519-n2-mbn";

// n1 was cut by a run that has ended; n2 is closed by one that waits for alice.
class EarlierVersion : public testing::Test {
 protected:
  EarlierVersion() {
    fs::copy_file(fixture("world"), folder_.path() + "/world");
    keep_journals(folder_.path() + "/state/tessera/simulated-runs", {kDone, kWaits});
    options_.environment["XDG_STATE_HOME"] = folder_.path() + "/state";
  }
  Ran run(std::vector<std::string> words) {
    words.push_back("--sim-state=" + folder_.path() + "/world");
    return run_tessera(words, options_);
  }
  std::string health(const std::string& node) {
    return json_at(run({"nodes", "-o", "json", "--filter", "node=" + node}).out, "/0/health");
  }
  Scratch folder_;
  RunOptions options_;
};

TEST_F(EarlierVersion, ItsJournalsAreReadAndAPlanOfItIsRefusedWithItsReason) {
  Ran told = run({"journal", kWaits});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_NE(told.out.find("waits until n2 is empty"), std::string::npos) << told.out;
  for (const char* file : {"sim-plan.json", "kube-plan.json"}) {
    Ran applied = run({"apply", fixture(file), "--write", "--yes"});
    EXPECT_NE(applied.code, 0) << applied.out << applied.err;
  }
  Ran applied = run({"apply", fixture("sim-plan.json"), "--write", "--yes"});
  EXPECT_NE(applied.err.find("it does not say which cluster called lab it belongs to"), std::string::npos)
      << applied.err;
}

TEST_F(EarlierVersion, ARunOfItIsTakenUpOnceAPersonHasNamedTheCluster) {
  Ran refused = run({"resume", kWaits, "--write", "--yes"});
  EXPECT_EQ(refused.code, 1) << refused.out << refused.err;
  EXPECT_NE(refused.err.find("confirm by its name: --cluster lab"), std::string::npos) << refused.err;
  ASSERT_EQ(run_simulator({"advance", "10h", "--sim-state=" + folder_.path() + "/world"}, options_).code, 0);
  Ran taken = run({"resume", kWaits, "--write", "--yes", "--cluster", "lab"});
  EXPECT_EQ(taken.code, 0) << taken.out << taken.err;
  EXPECT_NE(taken.out.find("wanted layout, read back"), std::string::npos) << taken.out;
  EXPECT_EQ(health("n2"), "\"ok\"");
}

TEST_F(EarlierVersion, ItsNodeIsGivenBackAndItsFinishedRunIsUndone) {
  Ran back = run({"resume", kWaits, "--back", "--write", "--yes", "--cluster", "lab"});
  EXPECT_NE(back.out.find("recorded"), std::string::npos) << back.out << back.err;
  EXPECT_EQ(health("n2"), "\"ok\"");
  Ran undone = run({"undo", kDone, "--write", "--yes", "--cluster", "lab"});
  EXPECT_EQ(undone.code, 0) << undone.out << undone.err;
  EXPECT_EQ(health("n1"), "\"ok\"");
}

class EarlierVersionOnKubernetes : public KubeChangeLab {};

TEST_F(EarlierVersionOnKubernetes, ItsNodeIsGivenBack) {
  keep_journals(folder_.path() + "/state/tessera/runs", {"20261123-0520-h1-mbn"});
  std::string cluster = json_at(run({"nodes", "-o", "json"}).out, "/0/cluster");
  cluster = cluster.substr(1, cluster.size() - 2);
  Ran back = run(
      {"resume", "20261123-0520-h1-mbn", "--back", "--write", "--yes", "-o", "json", "--cluster", cluster});
  EXPECT_EQ(json_at(back.out, "/outcome"), "\"recorded\"") << back.out << back.err;
  expect_given_back("h1");
}

// On a Slurm 22.05: gpu01 was made MPS by a run that has ended; one that makes shards of gpu02 waits until it
// is empty, with the node drained.
class EarlierVersionOnSlurm : public SlurmChange {
 protected:
  static constexpr const char* kEnded = "20261123-0858-gpu01-mbn";
  static constexpr const char* kParked = "20261123-0858-gpu02-mbn";
  Ran tessera(std::vector<std::string> words) {
    RunOptions options;
    options.environment = {{"PATH", std::getenv("PATH")},
                           {"HOME", scratch_.path()},
                           {"SLURM_CONF", lab_->conf()},
                           {"XDG_STATE_HOME", scratch_.path() + "/state"}};
    options.deadline_seconds = 120;
    const slurmconf::SiteSettings site = said();
    if (words.front() == "journal")
      words.insert(words.end(), {"--slurm-conf", lab_->conf()});
    else
      words.insert(words.end(),
                   {"--slurm-conf", lab_->conf(), "--slurm-restart-controller", site.restart_controller,
                    "--slurm-restart-node", site.restart_node, "--slurm-devices", site.devices});
    return run_tessera(words, options);
  }
  // As 0.1 left the node.
  void left_parked() {
    keep_journals(scratch_.path() + "/state/tessera/runs", {kEnded, kParked});
    drain("gpu02", std::string("tessera ") + kParked + " root@login1: 4 shards");
  }
  static bool is_drained() { return field(record("gpu02"), "State").find("DRAIN") != std::string::npos; }
};

TEST_F(EarlierVersionOnSlurm, ItsParkedRunIsTakenUpAndUndone) {
  left_parked();
  Ran told = tessera({"journal", kParked});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_NE(told.out.find("waits until gpu02 is empty"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("the journal calls "), std::string::npos)
      << "its titles were others: what is shown is worked out\n"
      << told.out;
  Ran unnamed = tessera({"resume", kParked, "--write", "--yes"});
  EXPECT_EQ(unnamed.code, 1) << unnamed.out;
  EXPECT_NE(unnamed.err.find("--cluster lab"), std::string::npos) << unnamed.err;
  EXPECT_TRUE(is_drained());
  Ran taken = tessera({"resume", kParked, "--write", "--yes", "--cluster", "lab"});
  EXPECT_EQ(taken.code, 0) << taken.out << taken.err;
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8,shard:32") << record("gpu02");
  EXPECT_FALSE(is_drained());
  Ran undone = tessera({"undo", kParked, "--write", "--yes", "--cluster", "lab"});
  EXPECT_EQ(undone.code, 0) << undone.out << undone.err;
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8") << record("gpu02");
}

TEST_F(EarlierVersionOnSlurm, ItsNodeIsGivenBack) {
  left_parked();
  Ran back = tessera({"resume", kParked, "--back", "--write", "--yes", "--cluster", "lab"});
  EXPECT_NE(back.out.find("recorded"), std::string::npos) << back.out << back.err;
  EXPECT_FALSE(is_drained());
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8") << record("gpu02");
}

TEST_F(EarlierVersionOnSlurm, ItsEndedRunIsUndoneAndAPlanOfItIsRefusedWithItsReason) {
  keep_journals(scratch_.path() + "/state/tessera/runs", {kEnded});
  Ran shared = tessera({"apply", "--node", "gpu01", "--strategy", "mps", "--write", "--yes"});
  ASSERT_EQ(shared.code, 0) << shared.out << shared.err;
  Ran undone = tessera({"undo", kEnded, "--write", "--yes", "--cluster", "lab"});
  EXPECT_EQ(undone.code, 0) << undone.out << undone.err;
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8") << record("gpu01");
  Ran applied = tessera({"apply", fixture("slurm-plan.json"), "--write", "--yes"});
  EXPECT_EQ(applied.code, 1) << applied.out;
  EXPECT_NE(applied.err.find("it does not say which cluster called lab it belongs to"), std::string::npos)
      << applied.err;
  applied = tessera({"apply", fixture("slurm-plan.json"), "--write", "--yes", "--cluster", "lab"});
  EXPECT_EQ(applied.code, 1) << applied.out;
  EXPECT_FALSE(is_drained());
}

}  // namespace
}  // namespace tessera::test
