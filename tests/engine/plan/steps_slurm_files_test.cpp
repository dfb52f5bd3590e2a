// The steps about Slurm's files: what they rely on, what they wait for, what they warn of.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/plan/boot_layout.hpp"
#include "engine/plan/run.hpp"
#include "engine/plan/slurm_config.hpp"
#include "engine/plan/slurm_words.hpp"
#include "engine/plan/undo.hpp"
#include "tests/engine/plan/boards.hpp"

namespace tessera::test {
namespace {

using plan::Step;
using slurmconf::Reach;
using slurmconf::Writer;

constexpr const char* kFilePlanSlurmConf =
    "ClusterName=hpc\nGresTypes=gpu\n"
    "NodeName=n[1-2] CPUs=64 Gres=gpu:h100:2 State=UNKNOWN\nPartitionName=all Nodes=n[1-2]\n";
constexpr const char* kFilePlanGresConf = "NodeName=n[1-2] Name=gpu Type=h100 File=/dev/nvidia[0-1]\n";

struct SlurmFilePlans : testing::Test {
  slurmconf::Site site;
  Node node = test::node("n1", {uncut(0, 0), uncut(1, 1)});
  std::vector<Workload> jobs;

  SlurmFilePlans() {
    site.major = 24, site.minor = 11;
    site.files = {{"/etc/slurm/slurm.conf", kFilePlanSlurmConf}, {"/etc/slurm/gres.conf", kFilePlanGresConf}};
    site.reach = Reach::ssh;
    site.gpu_file = "/dev/nvidia{gpu}";
    site.instance_file = "/dev/gi{gpu}-{gi}";
  }
  plan::Plan plan_for(const plan::Intent& intent, bool with_site = true) {
    Story story;
    story.tell(NodesListed{{node, test::node("n2", {uncut(0, 0), uncut(1, 1)})}});
    story.tell(WorkloadsListed{jobs});
    plan::Capabilities can = plan::slurm::capabilities_by(site.mig_tool);
    if (with_site) can.slurm = std::make_shared<const slurmconf::Site>(site);
    auto made = plan::make_plan(story.cluster(), catalogue(), intent, can, {}, at(0));
    EXPECT_TRUE(made.ok()) << (made ? "" : to_line(made.error()));
    return made.ok() ? *made : plan::Plan{};
  }
  std::vector<Step> steps(const plan::Intent& intent) {
    plan::Plan plan = plan_for(intent);
    EXPECT_EQ(plan.no_steps, "");
    return plan.nodes.empty() ? std::vector<Step>{} : plan.nodes[0].steps;
  }
  static std::string name(const Step& step) {
    if (const auto* own = std::get_if<plan::Special>(&step.action)) return own->verb;
    return std::string(word(step.action));
  }
  static std::string order(const std::vector<Step>& steps) {
    std::string text;
    for (const Step& step : steps) text += (text.empty() ? "" : " ") + name(step);
    return text;
  }
  static const Step& find(const std::vector<Step>& steps, const std::string& wanted) {
    auto it =
        std::find_if(steps.begin(), steps.end(), [&](const Step& step) { return name(step) == wanted; });
    EXPECT_NE(it, steps.end()) << wanted;
    static const Step none;
    return it == steps.end() ? none : *it;
  }
  static bool expects(const plan::Conditions& conditions, std::string_view key, const std::string& value) {
    return std::find(conditions.begin(), conditions.end(),
                     plan::Condition(plan::WordIs{std::string(key), value})) != conditions.end();
  }
  static std::string all_commands(const Step& step) {
    std::string text;
    for (const std::string& line : step.commands) text += line + "\n";
    return text;
  }
};

// Another's edit beside the run's own would be what the run has found, and nobody could tell them apart.
TEST_F(SlurmFilePlans, FilesAreNotWrittenBesideAnothersEdit) {
  EXPECT_TRUE(
      expects(find(steps(wants("7x1g.10gb")), "write-config").before, plan::slurm::key::kElsewhere, ""));
}

// Slurm 23.11 and later refuse a reconfigure that takes mps from an ended job which slurmctld still keeps.
TEST_F(SlurmFilePlans, BeforeSharesLeaveTheFilesEndedJobsAreWaitedFor) {
  for (Gpu& gpu : node.gpus) gpu.strategy = Strategy::mps, gpu.replicas = 100;
  site.files[0].text =
      "GresTypes=gpu,mps\nNodeName=n1 Gres=gpu:h100:2,mps:200\nNodeName=n2 Gres=gpu:h100:2\n";
  site.files[1].text += "NodeName=n1 Name=mps Count=200\n";
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
