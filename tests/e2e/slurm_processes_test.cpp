// Whose the processes on a GPU are, as a real Slurm tells it on the node; nvidia-smi is a stand-in that lists
// a process of a real job.
#include "engine/insight/processes.hpp"
#include "engine/model/processes.hpp"
#include "tests/e2e/slurm_cut_lab.hpp"

namespace tessera::test {
namespace {

class SlurmProcesses : public SlurmCut {
 protected:
  void SetUp() override {
    SlurmCut::SetUp();
    if (IsSkipped()) return;
    const std::string folder = lab_->folder();
    script("bin/scontrol",
           "export SLURM_CONF=" + lab_->conf() + " PATH=${PATH#" + folder + "/bin:}\nexec scontrol \"$@\"\n");
    // The stand-in numbers its processes 4000 and up.
    script("bin/nvidia-smi", "set -o pipefail\nexport ASAN_OPTIONS=detect_leaks=0 TESSERA_GPUS=" + folder +
                                 "/gpus-$LAB_NODE.yaml\n" + folder +
                                 "/bin/real/nvidia-smi \"$@\" | sed \"s:<pid>4000<:<pid>$(cat " + folder +
                                 "/pid)<:\"\n");
  }
  // The first process that Slurm has started for it there; a job runs before it has one.
  static std::string process_of(const std::string& job, const std::string& node) {
    const std::vector<std::string> question{"scontrol", "listpids", job, node};
    EXPECT_TRUE(lab_->wait(question, [](const std::string& out) {
      const std::size_t line = out.find('\n') + 1;
      return line > 0 && line < out.size() && out[line] >= '0' && out[line] <= '9';
    }));
    const std::string told = lab_->run(question).out;
    const std::size_t line = told.find('\n') + 1;
    return told.substr(line, told.find(' ', line) - line);
  }
  static void hold(const std::string& node, const std::string& gpu) {
    EXPECT_EQ(lab_->run({simulator(), "nvidia-smi", "--state", gpus(node), "--hold", gpu}).status, 0);
  }
  slurm::SlurmOptions options() const {
    slurm::SlurmOptions options;
    options.conf = lab_->conf();
    options.catalogue = &catalogue();
    options.said = slurmconf::slurm_setup_of(with_runner()).value();
    return options;
  }
  static const Gpu* board(const Cluster& cluster, std::size_t index) {
    const Node* node = cluster.nodes.find(NodeName("gpu01"));
    return node && index < node->gpus.size() ? &node->gpus[index] : nullptr;
  }
};

TEST_F(SlurmProcesses, APageOfAGpuIsToldWhichJobHasItOpen) {
  const Running job = run_on("gpu01", "gpu:h100:1");
  const std::string pid = process_of(job.id, "gpu01");
  ASSERT_NE(pid.find_first_of("0123456789"), std::string::npos) << pid;
  std::ofstream(lab_->folder() + "/pid") << pid;
  hold("gpu01", "0");
  hold("gpu01", "1");
  SlurmWatch watch(options());
  ASSERT_TRUE(watch.until([](const Cluster& cluster) { return cluster.loaded; }));
  EXPECT_FALSE(board(watch.cluster(), 0)->processes) << "a node whose GPUs Slurm lists is not asked unasked";
  watch.backend().look_at_processes(NodeName("gpu01"));
  ASSERT_TRUE(watch.until([](const Cluster& cluster) { return board(cluster, 0)->processes.has_value(); }));
  const Cluster& cluster = watch.cluster();
  const auto& list = board(cluster, 0)->processes->list;
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(std::to_string(list[0].pid), pid);
  EXPECT_EQ(list[0].workload, WorkloadId(job.id));
  EXPECT_EQ(board(cluster, 0)->processes->origin.source, Source::nvidia_smi);
  const auto& stranger = board(cluster, 1)->processes->list;
  ASSERT_EQ(stranger.size(), 1u);
  EXPECT_EQ(stranger[0].workload, WorkloadId()) << "proctrack/linuxproc may lose a process: none is accused";
  EXPECT_TRUE(board(cluster, 7)->processes->list.empty()) << "told, and none";
  (void)lab_->run({"scancel", job.id});
}

// A later list of nodes, in which this look has no place, takes nothing away.
TEST_F(SlurmProcesses, WhatWasToldStaysWithItsTime) {
  std::ofstream(lab_->folder() + "/pid") << "4000";
  hold("gpu01", "0");
  SlurmWatch watch(options());
  ASSERT_TRUE(watch.until([](const Cluster& cluster) { return cluster.loaded; }));
  watch.backend().look_at_processes(NodeName("gpu01"));
  ASSERT_TRUE(watch.until([](const Cluster& cluster) { return board(cluster, 0)->processes.has_value(); }));
  EXPECT_EQ(insight::why_no_owners(watch.cluster(), NodeName("gpu01")), std::nullopt)
      << "no step runs there: that is an answer";
  const TimePoint told = board(watch.cluster(), 0)->processes->origin.at;
  const TimePoint asked = wall_clock();
  // Asked for again and again: a round under way may have begun before.
  bool seen = false;
  for (int i = 0; i < 80 && !seen; ++i) {
    watch.backend().refresh();
    seen = watch.until(
        [&](const Cluster& cluster) {
          const SourceHealth* nodes = health(cluster, Source::slurm_nodes);
          return nodes && nodes->last_ok >= asked;
        },
        std::chrono::milliseconds(500));
  }
  ASSERT_TRUE(seen);
  ASSERT_TRUE(board(watch.cluster(), 0)->processes);
  EXPECT_EQ(board(watch.cluster(), 0)->processes->origin.at, told);
  ASSERT_EQ(board(watch.cluster(), 0)->processes->list.size(), 1u);
}

// As in a container: the driver lists no process of another PID namespace.
TEST_F(SlurmProcesses, MemoryInUseBesideAnEmptyListIsNotTakenForNone) {
  const std::string folder = lab_->folder();
  script("bin/nvidia-smi", "set -o pipefail\nexport ASAN_OPTIONS=detect_leaks=0 TESSERA_GPUS=" + folder +
                               "/gpus-$LAB_NODE.yaml\n" + folder +
                               "/bin/real/nvidia-smi \"$@\" | sed '0,/<used>/s:<used>[0-9]*:<used>26122:'\n");
  SlurmWatch watch(options());
  ASSERT_TRUE(watch.until([](const Cluster& cluster) { return cluster.loaded; }));
  watch.backend().look_at_processes(NodeName("gpu01"));
  ASSERT_TRUE(watch.until(
      [](const Cluster& cluster) { return insight::why_hidden(cluster, NodeName("gpu01")).has_value(); }));
  ASSERT_TRUE(board(watch.cluster(), 1)->processes);
  EXPECT_TRUE(board(watch.cluster(), 1)->processes->list.empty());
  EXPECT_FALSE(board(watch.cluster(), 0)->processes);
  const auto why = insight::why_hidden(watch.cluster(), NodeName("gpu01"));
  EXPECT_EQ(*why, "memory is in use where the driver lists no process: GPU 0");
}

TEST_F(SlurmProcesses, ADriverThatFailsIsSaidAndNoAlarm) {
  script("bin/nvidia-smi",
         "echo 'NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.'\n"
         "exit 9\n");
  SlurmWatch watch(options());
  ASSERT_TRUE(watch.until([](const Cluster& cluster) { return cluster.loaded; }));
  watch.backend().look_at_processes(NodeName("gpu01"));
  ASSERT_TRUE(watch.until(
      [](const Cluster& cluster) { return insight::why_untold(cluster, NodeName("gpu01")).has_value(); }));
  EXPECT_NE(insight::why_untold(watch.cluster(), NodeName("gpu01"))->find("communicate"), std::string::npos);
  EXPECT_FALSE(board(watch.cluster(), 0)->processes);
  for (const Remark& one : watch.cluster().remarks.at(Source::nvidia_smi))
    if (one.subject == "gpu01") EXPECT_EQ(one.grade, Remark::Grade::info);
}

}  // namespace
}  // namespace tessera::test
