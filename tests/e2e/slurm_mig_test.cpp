// Cutting the GPUs of a real Slurm's nodes: nvidia-smi is a stand-in, everything else is real.
#include <sys/stat.h>

#include <csignal>
#include <filesystem>

#include "engine/plan/slurm_config.hpp"
#include "tests/e2e/slurm_change_lab.hpp"
#include "tests/support/json_check.hpp"
#include "tests/support/paths.hpp"

namespace tessera::test {
namespace {

class SlurmMig : public SlurmChange {
 protected:
  static constexpr const char* kSevens = "gpu:1g.12gb:7,gpu:h100:7";  // GPU 0 cut, the others whole

  static void SetUpTestSuite() {
    SlurmChange::SetUpTestSuite();
    if (!lab_ || !lab_->trouble().empty()) return;
    const std::string folder = lab_->folder();
    for (int i = 0; i < 16; ++i)
      std::filesystem::create_symlink("/dev/null", folder + "/dev/mig" + std::to_string(i));
    std::filesystem::create_directory(folder + "/bin");
    std::filesystem::create_symlink(binary(), folder + "/bin/nvidia-smi");
    // A command on a "node": with that node's GPUs.
    std::ofstream(folder + "/on") << "#!/bin/bash\nnode=$1; shift\nexport TESSERA_GPUS=" << folder
                                  << "/gpus-$node.yaml PATH=" << folder << "/bin:$PATH\n"
                                  << "echo \"$node $*\" >> " << folder << "/log/on-nodes\nexec \"$@\"\n";
    ::chmod((folder + "/on").c_str(), 0755);
  }
  void SetUp() override {
    SlurmChange::SetUp();
    if (IsSkipped()) return;
    new_gpus("gpu01");
    new_gpus("gpu02");
  }
  void new_gpus(const std::string& node) {
    std::filesystem::remove(gpus(node));
    LabAnswer made =
        lab_->run({binary(), "sim", "nvidia-smi", "--state", gpus(node), "--new", "H100-NVL-94GB:8"});
    ASSERT_EQ(made.status, 0) << made.out;
  }
  static std::string gpus(const std::string& node) { return lab_->folder() + "/gpus-" + node + ".yaml"; }
  static std::string smi(const std::string& node, std::vector<std::string> words) {
    words.insert(words.begin(), {lab_->folder() + "/on", node, "nvidia-smi"});
    return lab_->run(words).out;
  }
  slurmconf::SiteSettings with_runner() const {
    slurmconf::SiteSettings all = said();
    all.runner = lab_->folder() + "/on {node}";
    all.devices += ",instance=" + lab_->folder() + "/dev/mig{index}";
    return all;
  }
  static std::string newest_run(const RunOptions& options) {
    Ran told = run_tessera({"journal", "-o", "json"}, options);
    std::string run = json_at(told.out, "/0/run");
    return run.size() > 2 ? run.substr(1, run.size() - 2) : "";
  }
  static plan::Wish layout(const std::string& text) { return plan::parse_layout_wish(text).value(); }
};

TEST_F(SlurmMig, CutToSevensToBalancedToWholeWhileNeighboursRun) {
  Running neighbour = run_on("gpu02", "gpu:h100:2");
  Admin admin(*lab_, with_runner(), folder());
  std::string sevens = admin.start(admin.plan("gpu01", layout("7x1g.12gb"), 0));
  EXPECT_EQ(admin.outcome(sevens), "wanted") << admin.journal(sevens);
  EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
  EXPECT_NE(smi("gpu01", {"-L"}).find("MIG 1g.12gb"), std::string::npos);
  Running user = run_on("gpu01", "gpu:1g.12gb:1");
  expect_untouched(neighbour);
  (void)lab_->run({"scancel", user.id});

  std::string balanced = admin.start(admin.plan("gpu01", layout("2x1g.12gb,2g.24gb,3g.47gb"), 0));
  EXPECT_EQ(admin.outcome(balanced), "wanted") << admin.journal(balanced);
  EXPECT_EQ(gres("gpu01"), "gpu:1g.12gb:2,gpu:2g.24gb:1,gpu:3g.47gb:1,gpu:h100:7") << record("gpu01");

  std::string back = admin.undo(sevens);  // to what that run found: whole GPUs
  EXPECT_EQ(admin.outcome(back), "recorded") << admin.journal(back);
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8") << record("gpu01");
  EXPECT_EQ(smi("gpu01", {"-L"}).find("MIG 1g"), std::string::npos);
  expect_untouched(neighbour);
}

// The whole program is killed in the middle; another one takes the run up from its journal.
TEST_F(SlurmMig, KilledAnywhereItIsTakenUpByTheCommandLine) {
  slurmconf::SiteSettings site = with_runner();
  RunOptions options;
  options.environment = {
      {"PATH", "/usr/bin:/bin"}, {"SLURM_CONF", lab_->conf()}, {"XDG_STATE_HOME", scratch_.path()}};
  options.deadline_seconds = 120;
  const std::vector<std::string> flags{"--write",
                                       "--yes",
                                       "--slurm-runner",
                                       site.runner,
                                       "--slurm-devices",
                                       site.devices,
                                       "--slurm-restart-controller",
                                       site.restart_controller,
                                       "--slurm-restart-node",
                                       site.restart_node};
  auto tessera = [&](std::vector<std::string> words, const RunOptions& how) {
    words.insert(words.end(), flags.begin(), flags.end());
    return run_tessera(words, how);
  };
  struct Blow {
    const char* at;  // what is told of the step before
    const char* layout;
    const char* gres;
  };
  for (const Blow& blow :
       {Blow{"gpu01/6:", "7x1g.12gb", "gpu:1g.12gb:7,gpu:h100:7"}, Blow{"gpu01/9:", "none", "gpu:h100:8"}}) {
    RunOptions killed = options;
    killed.signal_on_err = [&](const std::string& err) {
      return err.find(blow.at) == std::string::npos ? 0 : SIGKILL;
    };
    Ran ran = tessera({"apply", "-n", "gpu01", "--gpu", "0", "--layout", blow.layout}, killed);
    ASSERT_EQ(ran.code, 128 + SIGKILL) << ran.out << ran.err;
    EXPECT_NE(record("gpu01").find("Reason=tessera "), std::string::npos) << record("gpu01");
    Ran resumed = tessera({"resume", newest_run(options)}, options);
    EXPECT_EQ(resumed.code, 0) << resumed.out << resumed.err;
    EXPECT_EQ(gres("gpu01"), blow.gres) << record("gpu01");
  }
}

}  // namespace
}  // namespace tessera::test
