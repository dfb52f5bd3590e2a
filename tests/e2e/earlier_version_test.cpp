// Journals, plan files and a world as tessera 0.1 and 0.2 wrote them (tests/fixtures/v*): read, taken up,
// undone.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/plan/run/chain.hpp"
#include "tests/e2e/change_lab.hpp"
#include "tests/e2e/kube_change_lab.hpp"
#include "tests/e2e/slurm_change_lab.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

std::string fixture(const std::string& name, const std::string& version = "v0.1") {
  return source_dir() + "/tests/fixtures/" + version + "/" + name;
}

// A folder of journals, as that version left it.
void keep_journals(const std::string& folder, const std::vector<std::string>& runs,
                   const std::string& version = "v0.1") {
  fs::create_directories(folder);
  ::chmod(folder.c_str(), 0700);
  for (const std::string& run : runs) {
    fs::copy_file(fixture(run + ".journal", version), folder + "/" + run + ".journal");
    ::chmod((folder + "/" + run + ".journal").c_str(), 0600);
  }
}

void replace(std::string& text, const std::string& there, const std::string& here) {
  for (auto at = text.find(there); at != std::string::npos; at = text.find(there, at + here.size()))
    text.replace(at, there.size(), here);
}

// As if the journal had been begun on the cluster of that identity.
void move(const std::string& journal, const std::string& there, const std::string& here) {
  std::istringstream lines(file_text(journal));
  std::ofstream moved(journal, std::ios::trunc);
  plan::Chain chain;
  for (std::string line; std::getline(lines, line);) {
    replace(line, there, here);
    moved << chain.tie(line.substr(0, line.rfind(",\"chain\":")) + "}") << "\n";
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

// n1 and n3 were cut by one run, each GPU in its own way; n2 is closed by one that waits for alice and bob.
class EarlierVersion02 : public testing::Test {
 protected:
  static constexpr const char* kDone = "20261123-2002-n1-p7xovk";
  static constexpr const char* kWaits = "20261123-2002-n2-d19km7";
  static constexpr const char* kIdentity =
      "simulated-simlab.yaml-10347980332071516211-1772442000000-595571c8b216db79";
  EarlierVersion02() {
    fs::copy_file(fixture("world", "v0.2"), folder_.path() + "/world");
    options_.environment["XDG_STATE_HOME"] = folder_.path() + "/state";
    // Of a simulated cluster the file that keeps it is part of the identity.
    identity_ = json_at(run({"plan", "-n", "n3", "--strategy", "mps", "-o", "json"}).out, "/cluster_id");
    identity_ = identity_.substr(1, identity_.size() - 2);
    const std::string journals = folder_.path() + "/state/tessera/simulated-runs";
    keep_journals(journals, {kDone, kWaits}, "v0.2");
    for (const char* run : {kDone, kWaits}) move(journals + "/" + run + ".journal", kIdentity, identity_);
  }
  Ran run(std::vector<std::string> words) {
    words.push_back("--sim-state=" + folder_.path() + "/world");
    return run_tessera(words, options_);
  }
  std::string health(const std::string& node) {
    return json_at(run({"nodes", "-o", "json", "--filter", "node=" + node}).out, "/0/health");
  }
  std::size_t slices(const std::string& node) {
    return json_size(run({"slices", "-o", "json", "--filter", "node=" + node}).out);
  }
  Scratch folder_;
  RunOptions options_;
  std::string identity_;
};

TEST_F(EarlierVersion02, ItsParkedRunIsTakenUpAndUndone) {
  Ran told = run({"journal", kWaits});
  EXPECT_NE(told.out.find("waits until n2 is empty"), std::string::npos) << told.out << told.err;
  ASSERT_EQ(run_simulator({"advance", "10d", "--sim-state=" + folder_.path() + "/world"}, options_).code, 0);
  Ran taken = run({"resume", kWaits, "--write", "--yes"});
  EXPECT_EQ(taken.code, 0) << taken.out << taken.err;
  EXPECT_EQ(health("n2"), "\"ok\"");
  Ran undone = run({"undo", kWaits, "--write", "--yes"});
  EXPECT_EQ(undone.code, 0) << undone.out << undone.err;
  EXPECT_EQ(slices("n2"), 7u);
}

TEST_F(EarlierVersion02, ItsNodeIsGivenBackAndItsRunOverTwoNodesIsUndone) {
  Ran back = run({"resume", kWaits, "--back", "--write", "--yes"});
  EXPECT_NE(back.out.find("recorded"), std::string::npos) << back.out << back.err;
  EXPECT_EQ(health("n2"), "\"ok\"");
  Ran undone = run({"undo", kDone, "--write", "--yes"});
  EXPECT_EQ(undone.code, 0) << undone.out << undone.err;
  EXPECT_EQ(slices("n1"), 5u);
  EXPECT_EQ(slices("n3"), 1u);
}

TEST_F(EarlierVersion02, ThePlanOfItsUndoIsAppliedAndAnotherClustersIsRefused) {
  std::string plan = file_text(fixture("sim-undo-plan.json", "v0.2"));
  replace(plan, kIdentity, identity_);
  Ran undone = run({"apply", folder_.write("undo.json", plan), "--write", "--yes"});
  EXPECT_EQ(undone.code, 0) << undone.out << undone.err;
  EXPECT_EQ(slices("n1"), 5u);
  EXPECT_EQ(slices("n3"), 1u);
  plan = file_text(fixture("sim-wishes-plan.json", "v0.2"));
  Ran refused = run({"apply", folder_.write("wishes.json", plan), "--write", "--yes"});
  EXPECT_EQ(refused.code, 1) << refused.out;
  EXPECT_NE(refused.err.find("it belongs to another cluster"), std::string::npos) << refused.err;
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

// t1 was shared in four by a run that has ended, by renamed shares; h1 is closed by one that waits for ann.
class EarlierVersion02OnKubernetes : public KubeChangeLab {
 protected:
  static constexpr const char* kEnded = "20261123-2002-t1-tu26nz";
  static constexpr const char* kParked = "20261123-2002-h1-7f5cg4";
  void left_parked() {
    keep_journals(folder_.path() + "/state/tessera/runs", {kEnded, kParked}, "v0.2");
    const std::string mark = std::string("tessera ") + kParked + " root@login1";
    kubectl({"cordon", "h1"});
    kubectl({"annotate", "node", "h1", "tessera/closed=" + mark + ": 7 × 1g.10gb",
             "tessera/run=" + mark + " 2026-11-23T20:02:31Z"});
  }
  Ran apply_file(const std::string& name) { return apply({fixture(name, "v0.2")}); }
};

TEST_F(EarlierVersion02OnKubernetes, ItsNodeIsGivenBack) {
  left_parked();
  Ran back = run({"resume", kParked, "--back", "--write", "--yes", "-o", "json"});
  EXPECT_EQ(json_at(back.out, "/outcome"), "\"recorded\"") << back.out << back.err;
  expect_given_back("h1");
}

TEST_F(EarlierVersion02OnKubernetes, ItsParkedRunIsTakenUpOnceItsNodeIsEmpty) {
  left_parked();
  kubectl({"delete", "pods", "--all", "--namespace", "training", "--wait=false"});
  Ran taken;
  for (int i = 0; i < 10 && json_at(taken.out, "/outcome") != "\"wanted\""; ++i)
    taken = run({"resume", kParked, "--write", "--yes", "-o", "json"});
  EXPECT_EQ(json_at(taken.out, "/outcome"), "\"wanted\"") << taken.out << taken.err;
  expect_given_back("h1");
}

TEST_F(EarlierVersion02OnKubernetes, ItsPlanForSingleGpusIsApplied) {
  Ran cut = apply_file("kube-wishes-plan.json");
  EXPECT_EQ(cut.code, 0) << cut.out << cut.err;
  EXPECT_EQ(offers("h2", "mig-1g\\.10gb"), "9");
}

TEST_F(EarlierVersion02OnKubernetes, ItsPlanIsAppliedWithItsSwitchesAndThatOfItsUndoTakesThemBack) {
  Ran shared = apply_file("kube-switches-plan.json");
  EXPECT_EQ(shared.code, 0) << shared.out << shared.err;
  EXPECT_EQ(offers("t1", "gpu\\.shared"), "16");
  Ran undone = apply_file("kube-undo-plan.json");
  EXPECT_EQ(undone.code, 0) << undone.out << undone.err;
  EXPECT_EQ(offers("t1", "gpu"), "4");
}

// On a Slurm 22.05: gpu01 was made MPS by a run that has ended; one that makes shards of gpu02 waits until it
// is empty, with the node drained.
class EarlierVersionOnSlurm : public SlurmChange {
 protected:
  static constexpr const char* kEnded = "20261123-0858-gpu01-mbn";
  static constexpr const char* kParked = "20261123-0858-gpu02-mbn";
  Ran tessera(const std::vector<std::string>& words) {
    return words.front() == "journal" ? run_here(words, std::nullopt) : run_here(words, said());
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

// The same two runs, which know the cluster by its identity: its name and where its controller is.
class EarlierVersion02OnSlurm : public EarlierVersionOnSlurm {
 protected:
  static constexpr const char* kEnded = "20261123-2001-gpu01-r8h1gx";
  static constexpr const char* kParked = "20261123-2001-gpu02-klfmvi";
  void left_parked() {
    const std::string folder = scratch_.path() + "/state/tessera/runs";
    keep_journals(folder, {kEnded, kParked}, "v0.2");
    for (const char* run : {kEnded, kParked})
      move(folder + "/" + run + ".journal", "lab@vm(127.0.0.1)", own_identity());
    drain("gpu02", std::string("tessera ") + kParked + " root@login1: 4 shards");
  }
  // As if the runs had been begun on this very controller.
  static std::string own_identity() {
    char host[256] = {};
    EXPECT_EQ(::gethostname(host, sizeof host - 1), 0);
    const std::string name(host);
    return "lab@" + name.substr(0, name.find('.')) + "(127.0.0.1)";
  }
};

TEST_F(EarlierVersion02OnSlurm, ItsParkedRunIsTakenUpAndUndone) {
  left_parked();
  Ran told = tessera({"journal", kParked});
  EXPECT_NE(told.out.find("waits until gpu02 is empty"), std::string::npos) << told.out << told.err;
  Ran taken = tessera({"resume", kParked, "--write", "--yes"});
  EXPECT_EQ(taken.code, 0) << taken.out << taken.err;
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8,shard:32") << record("gpu02");
  EXPECT_FALSE(is_drained());
  Ran undone = tessera({"undo", kParked, "--write", "--yes"});
  EXPECT_EQ(undone.code, 0) << undone.out << undone.err;
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8") << record("gpu02");
}

TEST_F(EarlierVersion02OnSlurm, ItsNodeIsGivenBackAndItsEndedRunIsUndone) {
  left_parked();
  Ran back = tessera({"resume", kParked, "--back", "--write", "--yes"});
  EXPECT_NE(back.out.find("recorded"), std::string::npos) << back.out << back.err;
  EXPECT_FALSE(is_drained());
  Ran shared = tessera({"apply", "--node", "gpu01", "--strategy", "mps", "--write", "--yes"});
  ASSERT_EQ(shared.code, 0) << shared.out << shared.err;
  Ran undone = tessera({"undo", kEnded, "--write", "--yes"});
  EXPECT_EQ(undone.code, 0) << undone.out << undone.err;
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8") << record("gpu01");
}

TEST_F(EarlierVersion02OnSlurm, ItsPlansAreReadAndRefusedForAnotherClustersFiles) {
  for (const char* file : {"slurm-wishes-plan.json", "slurm-undo-plan.json"}) {
    Ran applied = tessera({"apply", fixture(file, "v0.2"), "--write", "--yes"});
    EXPECT_EQ(applied.code, 1) << applied.out;
    EXPECT_NE(applied.err.find("the plan is refused"), std::string::npos) << applied.err;
  }
  EXPECT_FALSE(is_drained());
}

}  // namespace
}  // namespace tessera::test
