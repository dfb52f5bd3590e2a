// The stand-in for nvidia-smi as a program on PATH, reached as a node is: the real binary under that name.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "backends/nvidia/commands.hpp"
#include "backends/nvidia/node_gpus.hpp"
#include "backends/nvidia/parse.hpp"
#include "backends/runner.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using nvidia::Argv;

class NvidiaSmiBinary : public testing::Test {
 protected:
  NvidiaSmiBinary() {
    char name[] = "/tmp/tsr-smibin-XXXXXX";
    here_ = mkdtemp(name);
    fs::create_directory(here_ / "bin");
    fs::create_symlink(test::simulator(), here_ / "bin" / "nvidia-smi");
    file_ = (here_ / "gpus.yaml").string();
    RunnerOptions options;
    options.reach = slurmconf::Reach::custom;
    options.custom = {"env", "PATH=" + (here_ / "bin").string() + ":/usr/bin:/bin", "TESSERA_GPUS=" + file_};
    worker_ = std::make_unique<Worker>();
    processes_ = std::make_unique<Processes>(*worker_);
    runner_ = std::make_unique<NodeRunner>(*processes_, options);
  }
  ~NvidiaSmiBinary() override {
    worker_->stop();
    fs::remove_all(here_);
  }

  void play(std::vector<std::string> words) {
    words.insert(words.begin(), {"nvidia-smi", "--state", file_});
    test::Ran ran = test::run_simulator(words);
    ASSERT_EQ(ran.code, 0) << ran.err;
  }
  std::future<Result<NodeAnswer>> start(Argv argv, Duration deadline = 60s) {
    auto promise = std::make_shared<std::promise<Result<NodeAnswer>>>();
    NodeCommand wanted;
    wanted.node = NodeName("gpu01");
    wanted.argv = std::move(argv);
    wanted.deadline = deadline;
    worker_->post([this, wanted, promise] {
      runner_->run(wanted, [promise](Result<NodeAnswer> answer) { promise->set_value(std::move(answer)); });
    });
    return promise->get_future();
  }
  std::string say(Argv argv) {
    auto answer = start(std::move(argv)).get();
    return answer ? answer->out : to_line(answer.error());
  }
  nvidia::Change change(Argv argv) {
    auto answer = start(std::move(argv)).get();
    if (!answer) return nvidia::parse_change("", to_line(answer.error()), 255);
    return nvidia::parse_change(answer->out, answer->err, answer->exit_code);
  }
  Result<nvidia::NodeGpus> look(const mig::Catalogue& catalogue) {
    return nvidia::node_gpus({say(nvidia::list_gpus()), say(nvidia::query()), say(nvidia::list_instances()),
                              say(nvidia::list_compute())},
                             &catalogue, TimePoint{});
  }

  fs::path here_;
  std::string file_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<Processes> processes_;
  std::unique_ptr<NodeRunner> runner_;
};

TEST_F(NvidiaSmiBinary, IsCutReadAndHeldThroughTheRunner) {
  auto catalogue = mig::Catalogue::built_in();
  ASSERT_TRUE(catalogue);
  play({"--new", "h100:2", "--devices", (here_ / "dev").string()});
  std::vector<GpuIndex> both{GpuIndex{0}, GpuIndex{1}};
  EXPECT_EQ(change(nvidia::set_mode(both, true)).switched.size(), 2u);
  const mig::Product* product = catalogue->by_key("H100-80GB-SXM5");
  std::vector<plan::InstanceAt> wanted{{ProfileName("3g.40gb"), {4, 4}, std::nullopt},
                                       {ProfileName("1g.10gb"), {0, 1}, std::nullopt}};
  EXPECT_EQ(change(nvidia::create(GpuIndex{1}, wanted, product, true)).created.size(), 4u);
  auto node = look(*catalogue);
  ASSERT_TRUE(node) << to_line(node.error());
  EXPECT_TRUE(node->gpus[0].slices.empty());
  ASSERT_EQ(node->gpus[1].slices.size(), 2u);
  EXPECT_EQ(node->gpus[1].slices[1].placement, (Placement{4, 4}));
  EXPECT_TRUE(fs::is_symlink(here_ / "dev" / "nvidia-caps" / "nvidia-cap156"));
  play({"--hold", "1", "2"});
  std::vector<int> ids{2};
  EXPECT_EQ(change(nvidia::destroy_compute(GpuIndex{1}, ids)).refusal, nvidia::Change::Refusal::in_use);
  node = look(*catalogue);
  ASSERT_TRUE(node) << to_line(node.error());
  EXPECT_EQ(node->gpus[1].slices[1].told_held, true);
  play({"--release", "1", "2"});
  EXPECT_EQ(change(nvidia::destroy_compute(GpuIndex{1}, ids)).destroyed.size(), 1u);
  EXPECT_EQ(change(nvidia::destroy_instances(GpuIndex{1}, ids)).destroyed.size(), 1u);
}

TEST_F(NvidiaSmiBinary, ManyAtOnceLoseNothing) {
  play({"--new", "h100:7"});
  std::vector<GpuIndex> all;
  for (int i = 0; i < 7; ++i) all.push_back(GpuIndex{i});
  ASSERT_EQ(change(nvidia::set_mode(all, true)).switched.size(), 7u);
  std::vector<std::future<Result<NodeAnswer>>> running;
  for (int i = 0; i < 7; ++i)
    running.push_back(start({"nvidia-smi", "mig", "-i", std::to_string(i), "-cgi", "19", "-C"}));
  for (auto& one : running) {
    auto answer = one.get();
    ASSERT_TRUE(answer) << to_line(answer.error());
    EXPECT_EQ(answer->exit_code, 0) << answer->out << answer->err;
  }
  auto rows = nvidia::parse_instances(say(nvidia::list_instances()));
  ASSERT_TRUE(rows) << to_line(rows.error());
  EXPECT_EQ(rows->size(), 7u);
}

TEST_F(NvidiaSmiBinary, AHangEndsAtTheDeadlineAndBlocksNoOtherCall) {
  play({"--new", "h100:1", "--fault", "hang verb=-q"});
  auto hung = start(nvidia::query(), 2s);
  // Whichever comes first counts the fault; the list is not concerned by it.
  EXPECT_NE(say(nvidia::list_gpus()).find("GPU 0: NVIDIA H100"), std::string::npos);
  auto answer = hung.get();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "no answer from gpu01");
  EXPECT_TRUE(nvidia::parse_query(say(nvidia::query())));
}

TEST_F(NvidiaSmiBinary, WithoutAFileItSaysSo) {
  auto answer = start(nvidia::list_gpus()).get();
  ASSERT_TRUE(answer) << to_line(answer.error());
  EXPECT_EQ(answer->exit_code, 255);
  EXPECT_NE(answer->err.find("no simulated GPUs"), std::string::npos);
  EXPECT_EQ(test::run_simulator({"nvidia-smi"}).code, 2);
}

}  // namespace
}  // namespace tessera
