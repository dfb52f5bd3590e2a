// What asking a real Slurm costs: each command that is run there is one call of its source, and what it
// printed are its bytes.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "backends/slurm/commands.hpp"
#include "engine/insight/costs.hpp"
#include "tests/e2e/slurm_watch.hpp"
#include "tests/support/run_binary.hpp"
#include "tests/support/slurm_lab.hpp"

namespace tessera::test {
namespace {

class SlurmCosts : public testing::Test {
 protected:
  void SetUp() override {
    if (!SlurmLab::possible())
      GTEST_SKIP() << "needs root and Debian's slurmctld, slurmd, slurm-client and munge";
    lab_ = std::make_unique<SlurmLab>();
    ASSERT_EQ(lab_->trouble(), "");
    for (const char* name : {"scontrol", "sacctmgr", "sprio"}) stand_in(name);
  }

  // Notes how it was called and how much the real one printed, and is the real one otherwise.
  void stand_in(const std::string& name) {
    const std::string path = scratch_.write(
        "bin/" + name, "#!/bin/sh\nt=$(mktemp -d)\n" + name +
                           " \"$@\" >$t/out 2>$t/err\ncode=$?\necho \"$(cat $t/out $t/err | wc -c) " + name +
                           " $*\" >>" + log() + "\ncat $t/out\ncat $t/err >&2\nrm -r $t\nexit $code\n");
    ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
  }
  std::string log() const { return scratch_.path() + "/calls"; }

  struct Noted {
    std::map<Source, SourceCost> by_source;
    std::int64_t calls = 0;
  };
  Noted noted() const {
    Noted all;
    std::ifstream file(log());
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::int64_t bytes = 0;
      words >> bytes;
      Command command;
      for (std::string word; words >> word;) command.argv.push_back(word);
      if (command.argv.back() == "--version") continue;  // asks no daemon
      SourceCost& of = all.by_source[slurm::source_asked(command)];
      ++of.calls, ++all.calls;
      of.bytes += bytes;
    }
    return all;
  }

  Scratch scratch_;
  std::unique_ptr<SlurmLab> lab_;
};

TEST_F(SlurmCosts, CallsAreTheCommandsThatWereRunAndBytesWhatTheyPrinted) {
  lab_->submit({"-J", "work", "-w", "gpu01", "--gres=gpu:h100:1", "-t", "60"});
  slurm::SlurmOptions options;
  options.conf = lab_->conf();
  options.bin = scratch_.path() + "/bin";
  options.interval = Duration(3600 * 1000);
  SlurmWatch watch(options);
  const auto at_rest = [&](const Cluster& cluster) {
    // Told with the pace at the end of a round, when nothing is under way.
    const auto nodes = health(cluster, Source::slurm_nodes);
    return cluster.loaded && nodes && nodes->cost && cluster.pace.calls_per_minute > 0 &&
           noted().calls == std::llround(cluster.pace.calls_per_minute *
                                         static_cast<double>(nodes->cost->over.count()) / 60'000.0);
  };
  ASSERT_TRUE(watch.until(at_rest));
  for (int round = 0; round < 2; ++round) {
    const Noted told = noted();
    const Cluster& cluster = watch.cluster();
    double sum = 0;
    for (Source source : {Source::slurm_nodes, Source::slurm_jobs, Source::slurm_ping,
                          Source::slurm_partitions, Source::slurm_reservations}) {
      const SourceHealth* state = health(cluster, source);
      ASSERT_TRUE(state && state->cost) << word(source);
      const auto there = told.by_source.find(source);
      ASSERT_NE(there, told.by_source.end()) << word(source);
      EXPECT_EQ(state->cost->calls, there->second.calls) << word(source);
      EXPECT_EQ(state->cost->bytes, there->second.bytes) << word(source);
      EXPECT_GT(state->cost->bytes, 0) << word(source);
      sum += insight::rate_of(state->cost)->calls;
    }
    EXPECT_NEAR(sum, cluster.pace.calls_per_minute, 0.01) << "no call is nobody's";
    EXPECT_EQ(insight::calls_of_others(cluster), 0);
    if (round > 0) break;
    watch.backend().refresh();
    const std::int64_t before = told.calls;
    ASSERT_TRUE(watch.until([&](const Cluster& now) { return noted().calls > before && at_rest(now); }));
  }
}

TEST_F(SlurmCosts, ACostThatIsToldAgainMakesNoAnswerNewer) {
  slurm::SlurmOptions options;
  options.conf = lab_->conf();
  options.interval = Duration(3600 * 1000);
  SlurmWatch watch(options);
  ASSERT_TRUE(watch.until([](const Cluster& cluster) { return cluster.loaded; }));
  const auto answered = health(watch.cluster(), Source::slurm_nodes)->last_ok;
  const auto before = health(watch.cluster(), Source::slurm_nodes)->cost;
  watch.backend().set_pace(Pace::idle);
  ASSERT_TRUE(watch.until([&](const Cluster& cluster) {
    return cluster.pace.interval == Duration(3600 * 1000) && health(cluster, Source::slurm_nodes)->cost;
  }));
  EXPECT_EQ(health(watch.cluster(), Source::slurm_nodes)->last_ok, answered);
  EXPECT_EQ(health(watch.cluster(), Source::slurm_nodes)->cost->calls, before->calls);
}

}  // namespace
}  // namespace tessera::test
