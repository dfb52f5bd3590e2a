// The steps about Slurm's files: what they rely on, what they wait for, what they warn of.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/plan/files/boot_layout.hpp"
#include "engine/plan/run/run.hpp"
#include "engine/plan/run/undo.hpp"
#include "engine/plan/steps/slurm_config.hpp"
#include "engine/plan/words/slurm_words.hpp"
#include "tests/engine/plan/slurm_plans.hpp"

namespace tessera::test {
namespace {

using plan::Step;
using slurmconf::Reach;
using slurmconf::Writer;

struct SlurmFilePlans : SlurmPlans {};

// Another's edit beside the run's own would be what the run has found, and they could not be told apart.
TEST_F(SlurmFilePlans, FilesAreNotWrittenBesideAnothersEdit) {
  EXPECT_TRUE(
      expects(find(steps(wants("7x1g.10gb")), "write-config").before, plan::slurm::key::kElsewhere, ""));
}

// Slurm 23.11 and later refuse a reconfigure that takes mps from an ended job which slurmctld still keeps.
TEST_F(SlurmFilePlans, BeforeSharesLeaveTheFilesEndedJobsAreWaitedFor) {
  struct Shared {
    Strategy strategy;
    int replicas;
    const char *kind, *count;
  };
  for (const Shared& one :
       {Shared{Strategy::mps, 100, "mps", "200"}, Shared{Strategy::shard, 4, "shard", "8"}}) {
    SCOPED_TRACE(one.kind);
    const std::string kind = one.kind, count = one.count;
    for (Gpu& gpu : node.gpus) gpu.strategy = one.strategy, gpu.replicas = one.replicas;
    site.major = 24, site.minor = 11;
    site.files[0].text = "GresTypes=gpu," + kind + "\nNodeName=n1 Gres=gpu:h100:2," + kind + ":" + count +
                         "\nNodeName=n2 Gres=gpu:h100:2\n";
    site.files[1].text = kGresConf + ("NodeName=n1 Name=" + kind + " Count=" + count + "\n");
    plan::Intent whole = wants("7x1g.10gb");
    whole.boards[0].gpu.reset();
    whole.boards[0].wish = {};
    whole.boards[0].wish.strategy = Strategy::whole;
    auto waits = [&] {
      const std::vector<Step> all = steps(whole);
      for (std::size_t i = 0; i < all.size(); ++i)
        if (expects(all[i].after, plan::slurm::key::kForgotten, ""))
          return i + 1 < all.size() && name(all[i + 1]) == "write-config";
      return false;
    };
    EXPECT_TRUE(waits());
    site.major = 22, site.minor = 5;
    EXPECT_FALSE(waits()) << "a restart of slurmctld is not refused";
  }
}

TEST_F(SlurmFilePlans, ADrainThatNvsentinelTakesForAFailureIsWarnedOf) {
  auto warned = [this] {
    for (const plan::Notice& one : plan_for(wants("7x1g.10gb")).notices)
      if (one.text.find("nvsentinel.dgxc.nvidia.com/managed=false") != std::string::npos) return true;
    return false;
  };
  EXPECT_FALSE(warned());
  site.in_pods = {"n1"};
  EXPECT_TRUE(warned());
}

}  // namespace
}  // namespace tessera::test
