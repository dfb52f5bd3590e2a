// A real Slurm whose GPUs can be cut: each node has GPUs of its own, told and cut by stand-ins for
// nvidia-smi and nvidia-mig-parted, which commands on "a node" find first in PATH; links to /dev/null pass
// for the devices of GPUs and instances.
//
// Threads: as slurm_change_lab.hpp.
#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>

#include "tests/e2e/slurm_change_lab.hpp"
#include "tests/support/json_check.hpp"
#include "tests/support/paths.hpp"

namespace tessera::test {

class SlurmCut : public SlurmChange {
 protected:
  static constexpr const char* kSevens = "gpu:1g.12gb:7,gpu:h100:7";  // GPU 0 cut, the others whole

  static void SetUpTestSuite() {
    SlurmChange::SetUpTestSuite();
    if (!lab_ || !lab_->trouble().empty()) return;
    const std::string folder = lab_->folder();
    for (int gpu = 0; gpu < 8; ++gpu)
      for (int gi = 0; gi < 15; ++gi)
        std::filesystem::create_symlink("/dev/null",
                                        folder + "/dev/mig" + std::to_string(gpu) + "-" + std::to_string(gi));
    std::filesystem::create_directories(folder + "/bin/real");
    // By srun the node is known by its own daemon's word, else by the runner's. It is called hundreds of
    // times: that it leaks nothing is for its own tests to say.
    for (const std::string tool : {"nvidia-smi", "nvidia-mig-parted"}) {
      std::filesystem::create_symlink(simulator(), folder + "/bin/real/" + tool);
      script("bin/" + tool,
             "node=${SLURMD_NODENAME:-$LAB_NODE}\nexport ASAN_OPTIONS=detect_leaks=0 TESSERA_GPUS=" + folder +
                 "/gpus-$node.yaml\nexec " + folder + "/bin/real/" + tool + " \"$@\"\n");
    }
    // systemd of a node, as far as it matters: its units lie in a folder, and what is enabled is linked.
    script("bin/systemctl", "units=" + folder + "/units-$LAB_NODE\n[ -d $units ] || exit 127\n" +
                                R"(if [ ! -e $units/$2 ]; then echo "Unit $2 does not exist" >&2; exit 1; fi
case $1 in
  is-enabled) if [ -L $units/wanted/$2 ]; then echo enabled; else echo disabled; exit 1; fi;;
  enable) mkdir -p $units/wanted; ln -s ../$2 $units/wanted/$2;;
  disable) rm $units/wanted/$2;;
esac
)");
    script("on", "export LAB_NODE=$1 PATH=" + folder + "/bin:$PATH; shift\necho \"$LAB_NODE $*\" >> " +
                     folder + "/log/on-nodes\nexec \"$@\"\n");
  }
  static void script(const std::string& name, const std::string& text) {
    const std::string path = lab_->folder() + "/" + name;
    std::ofstream(path) << "#!/bin/bash\n" << text;
    ::chmod(path.c_str(), 0755);
  }
  void SetUp() override {
    SlurmChange::SetUp();
    if (IsSkipped()) return;
    new_gpus("gpu01");
    new_gpus("gpu02");
  }
  // As after a boot of a Hopper node: whole GPUs.
  static std::vector<std::string> fresh_gpus(const std::string& node) {
    return {simulator(), "nvidia-smi", "--state", gpus(node), "--new", "H100-NVL-94GB:8"};
  }
  void new_gpus(const std::string& node) {
    std::filesystem::remove(gpus(node));
    LabAnswer made = lab_->run(fresh_gpus(node));
    ASSERT_EQ(made.status, 0) << made.out;
  }
  static std::string gpus(const std::string& node) { return lab_->folder() + "/gpus-" + node + ".yaml"; }
  static std::string smi(const std::string& node, std::vector<std::string> words) {
    words.insert(words.begin(), {lab_->folder() + "/on", node, "nvidia-smi"});
    return lab_->run(words).out;
  }
  slurmconf::SlurmSettings with_runner() const {
    slurmconf::SlurmSettings all = said();
    all.runner = lab_->folder() + "/on {node}";
    all.devices += ",instance=" + lab_->folder() + "/dev/mig{gpu}-{gi}";
    return all;
  }
  // tessera itself, armed, as an admin would call it with these settings.
  static Ran tessera(const slurmconf::SlurmSettings& site, std::vector<std::string> words,
                     const RunOptions& options) {
    words.insert(words.end(), {"--write", "--yes", "--slurm-runner", site.runner, "--slurm-devices",
                               site.devices, "--slurm-restart-controller", site.restart_controller,
                               "--slurm-restart-node", site.restart_node});
    if (!site.mig_tool.empty()) words.insert(words.end(), {"--slurm-mig-tool", site.mig_tool});
    if (!site.stop_clients.empty())
      words.insert(words.end(),
                   {"--slurm-stop-clients", site.stop_clients, "--slurm-start-clients", site.start_clients});
    return run_tessera(words, options);
  }
  RunOptions command_line() const {
    RunOptions options;
    options.environment = {{"PATH", lab_->folder() + "/bin:/usr/bin:/bin"},
                           {"SLURM_CONF", lab_->conf()},
                           {"XDG_STATE_HOME", scratch_.path()}};
    return options;
  }
  static RunOptions killed_at(RunOptions options, const std::string& words) {
    options.signal_on_err = [words](const std::string& err) {
      return err.find(words) == std::string::npos ? 0 : SIGKILL;
    };
    return options;
  }
  static std::string newest_run(const RunOptions& options) {
    Ran told = run_tessera({"journal", "-o", "json"}, options);
    std::string run = json_at(told.out, "/0/run");
    return run.size() > 2 ? run.substr(1, run.size() - 2) : "";
  }
  static plan::Wish layout(const std::string& text) { return plan::parse_layout_wish(text).value(); }
};

// srun reaches a node only while it is not drained: a reservation holds it instead. The lab's srun is found
// first.
class SlurmCutBySrun : public SlurmCut {
 protected:
  void SetUp() override {
    SlurmCut::SetUp();
    if (IsSkipped()) return;
    path_ = ::getenv("PATH") ? ::getenv("PATH") : "";
    ::setenv("PATH", (lab_->folder() + "/bin:" + path_).c_str(), 1);
  }
  void TearDown() override {
    if (!path_.empty()) ::setenv("PATH", path_.c_str(), 1);
    SlurmCut::TearDown();
  }
  slurmconf::SlurmSettings by_srun() const {
    slurmconf::SlurmSettings all = with_runner();
    all.runner = "srun";
    return all;
  }
  static std::string reservations() { return lab_->run({"scontrol", "-o", "show", "reservation"}).out; }

 private:
  std::string path_;
};

}  // namespace tessera::test
