#include "engine/plan/permit.hpp"

#include <gtest/gtest.h>

#include "engine/operators/fleet.hpp"
#include "engine/plan/basis.hpp"
#include "engine/plan/files/plan_file.hpp"
#include "engine/slurmconf/slurm_setup.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::test {
namespace permit_test {

using namespace plan;
using operator_story::everywhere;
using operator_story::kStaticFile;
using operator_story::Kubernetes;

plan::Means read_anew(const slurmconf::SlurmSetup& site) {
  plan::Means can = plan::slurm_capabilities();
  can.slurm = std::make_shared<const slurmconf::SlurmSetup>(site);
  return can;
}

std::string said(const std::vector<std::string>& changed) {
  std::string all;
  for (const std::string& one : changed) all += (all.empty() ? "" : "; ") + one;
  return all;
}
void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

Basis basis(const plan::Means& can) { return basis_of(can, {NodeName("n1")}, plan::Outside::each); }

// A console reads again and again; a plan that is looked at meanwhile stays good.
TEST(Basis, OfASlurmSiteIsTheSameWhileItsFilesAndSettingsAre) {
  slurmconf::SlurmSetup site;
  site.files = {{"/etc/slurm/slurm.conf", "ClusterName=hpc\n"}};
  const Basis planned = basis(read_anew(site));
  EXPECT_EQ(said(what_changed(planned, basis(read_anew(site)))), "");
  auto differs = [&](auto change, const std::string& words) {
    slurmconf::SlurmSetup other = site;
    change(other);
    EXPECT_EQ(said(what_changed(planned, basis(read_anew(other)))), words);
  };
  differs([](slurmconf::SlurmSetup& other) { other.files[0].text += "GresTypes=gpu\n"; },
          "/etc/slurm/slurm.conf was edited");
  differs(
      [](slurmconf::SlurmSetup& other) {
        other.files.push_back({"/etc/slurm/gres.conf", ""});
      },
      "/etc/slurm/gres.conf was not read then");
  differs([](slurmconf::SlurmSetup& other) { other.boot_file = "/etc/mig.yaml"; },
          "setting slurm-boot-file differs");
  differs(
      [](slurmconf::SlurmSetup& other) {
        other.restart_node = {"ssh", "{node}"};
      },
      "setting slurm-restart-node differs");
  differs([](slurmconf::SlurmSetup& other) { other.unapplied = {"gpu07"}; },
          "which nodes Slurm runs otherwise than its files say changed");
  using Words = std::vector<std::string>;
  for (auto& [name, words] :
       {std::pair("slurm-stop-clients", &slurmconf::SlurmSetup::stop_clients),
        std::pair("slurm-start-clients", &slurmconf::SlurmSetup::start_clients),
        std::pair("slurm-restart-controller", &slurmconf::SlurmSetup::restart_controller),
        std::pair("slurm-runner", &slurmconf::SlurmSetup::runner)})
    differs([field = words](slurmconf::SlurmSetup& other) { other.*field = Words{"other"}; },
            std::string("setting ") + name + " differs");
  differs([](slurmconf::SlurmSetup& other) { other.boot_unit = "other.service"; },
          "setting slurm-boot-unit differs");
  differs([](slurmconf::SlurmSetup& other) { other.mig_tool = slurmconf::MigTool::mig_parted; },
          "setting slurm-mig-tool differs");
  differs([](slurmconf::SlurmSetup& other) { other.config_host = "ctl2"; }, "setting slurm-files differs");
  differs([](slurmconf::SlurmSetup& other) { other.instance_file = "/dev/other"; },
          "setting slurm-devices differs");
}

TEST(Basis, OfAnOperatorsSiteIsTheSameWhileItsMapsAndOrdersAre) {
  Kubernetes k;
  k.site.mig_config = operators::mig_file(kStaticFile);
  k.site.node_config["n1"] = operators::mig_file(kStaticFile);
  const Basis planned = basis(k.can());
  k.site.mig_config = operators::mig_file(kStaticFile);
  k.site.kept_back["serving/rank"] = "its budget";
  k.site.labels["n1"]["nvidia.com/mig.config.state"] = "pending";
  EXPECT_EQ(said(what_changed(planned, basis(k.can()))), "") << "a run looks at both again";

  auto differs = [&](auto change, const std::string& words) {
    operators::OperatorSetup site = k.site;
    change(site);
    plan::Means can = k.can();
    can.gpu_operator = std::make_shared<const operators::OperatorSetup>(site);
    expect_part(said(what_changed(planned, basis(can))), words);
  };
  const std::string longer = std::string(kStaticFile) + "# edited\n";
  differs([&](operators::OperatorSetup& site) { site.mig_config = operators::mig_file(longer); },
          "the MIG manager's configuration");
  differs([&](operators::OperatorSetup& site) { site.mig_config = nullptr; },
          "the MIG manager's configuration");
  differs([&](operators::OperatorSetup& site) { site.node_config["n1"] = operators::mig_file(longer); },
          "the MIG manager's file on n1 changed");
  differs([&](operators::OperatorSetup& site) { site.node_config["n2"] = operators::mig_file(kStaticFile); },
          "the MIG manager's file on n2 (outside the plan) was not reported then");
  differs([&](operators::OperatorSetup& site) { site.labels["n1"]["nvidia.com/mig.config"] = "all-1g.10gb"; },
          "the GPU labels of n1");
  differs([&](operators::OperatorSetup& site) { site.labels["n9"]["nvidia.com/mig.config"] = "all-1g.10gb"; },
          "the GPU labels of n9 (outside the plan) were not reported then");
  differs([&](operators::OperatorSetup& site) { site.strategy = "single"; }, "ClusterPolicy changed");
  differs([&](operators::OperatorSetup& site) { site.plugin_configs["default"] += "# edited\n"; },
          "the device plugin's configuration");
}

// A file keeps digests, not what they are of: the plan that is read back is held against what is read now.
TEST(Permit, APlanFromAFileMayBeginWhileNothingHasChangedAndSaysWhatHas) {
  Kubernetes k;
  k.site.mig_config = operators::mig_file(kStaticFile);
  plan::Plan plan = k.plan(everywhere("7x1g.10gb"));
  plan.cluster_id = "uid-1";
  auto read = parse_plan(to_document(plan), "plan.json");
  ASSERT_TRUE(read.ok()) << to_line(read.error());
  EXPECT_EQ(why_not_begun(*read, "uid-1", k.can()), std::nullopt);
  k.site.strategy = "single";
  auto why = why_not_begun(*read, "uid-1", k.can());
  ASSERT_TRUE(why);
  expect_part(why->reason, "ClusterPolicy changed");
  why = why_not_begun(*read, "uid-2", k.can());
  ASSERT_TRUE(why);
  expect_part(why->reason, "another cluster that is called");
  why = why_not_begun(*read, "", k.can());
  ASSERT_TRUE(why);
  expect_part(why->reason, "does not report its identity");
}

// Two admins work on nodes that have nothing to do with each other.
TEST(Permit, OtherNodesHoldAPlanBackOnlyWhereItWritesWhatTheyRead) {
  Kubernetes k;
  auto kept = [&](const plan::Plan& made) {
    plan::Plan plan = made;
    plan.cluster_id = "uid-1";
    return parse_plan(to_document(plan), "plan.json").value();
  };
  auto refused = [&](const plan::Plan& plan) {
    auto why = why_not_begun(plan, "uid-1", k.can());
    return why ? why->reason : std::string();
  };
  const plan::Plan own = kept(k.plan(everywhere("7x1g.10gb")));
  ASSERT_EQ(outside_of(own), Outside::none) << "the node has that layout by a name already";
  const plan::Plan shared = kept(k.plan(everywhere("3g.40gb,2g.20gb,1g.10gb")));
  ASSERT_EQ(outside_of(shared), Outside::each) << "a layout that no file names is written to one for all";
  k.site.labels["n9"]["nvidia.com/mig.config"] = "all-1g.10gb";
  EXPECT_EQ(refused(own), "");
  EXPECT_EQ(refused(shared),
            "since it was made: the GPU labels of n9 (outside the plan) were not reported then");
  k.site.labels["n1"].clear();
  expect_part(refused(own), "the GPU labels of n1 changed");
  k.site.labels.clear();
  expect_part(refused(own), "the GPU labels of n1 are no longer reported");
}

// Older files have one digest for all other nodes: it is held against the same, and not waved through.
TEST(Permit, AFileOfAnOlderVersionIsStillHeldAgainstAllOtherNodes) {
  Kubernetes k;
  k.site.labels["n9"]["nvidia.com/mig.config"] = "all-1g.10gb";
  plan::Plan old = k.plan(everywhere("7x1g.10gb"));
  old.made_from = basis_of(k.can(), old.intent.nodes, Outside::together);
  old.setup.gpu_operator = nullptr;
  EXPECT_EQ(why_not_begun(old, "", k.can()), std::nullopt);
  k.site.labels["n9"]["nvidia.com/mig.config"] = "all-disabled";
  auto why = why_not_begun(old, "", k.can());
  ASSERT_TRUE(why);
  EXPECT_EQ(why->reason, "since it was made: the GPU labels of a node outside the plan changed");
}

TEST(Permit, AStepThatWasEditedIsRefusedWithWhatDiffers) {
  Kubernetes k;
  const plan::Plan now = k.plan(everywhere("7x1g.10gb"));
  auto refused = [&](auto edit) {
    plan::Plan read = now;
    edit(read.nodes.at(0).steps.at(0));
    auto why = why_not_as_made(read, now);
    return why ? why->reason : std::string();
  };
  const std::string title = now.nodes.at(0).steps.at(0).title;
  expect_part(refused([](plan::Step& step) { step.title = "look"; }), "tessera makes \"" + title + "\"");
  auto* special = std::get_if<Special>(&now.nodes.at(0).steps.at(0).action);
  ASSERT_TRUE(special) << title;
  expect_part(refused([](plan::Step& step) { std::get<Special>(step.action).arguments["more"] = "x"; }),
              "more of its action would not be there");
  expect_part(refused([](plan::Step& step) { step.action = LookOnly{}; }),
              "its action is look-only, and would be " + special->verb);
  expect_part(refused([](plan::Step& step) { step.commands.push_back("kubectl delete node n1"); }),
              "its command \"kubectl delete node n1\" is one too many");
  expect_part(refused([](plan::Step& step) { step.before.push_back(Answering{}); }),
              "what has to hold before it differs");
  expect_part(refused([](plan::Step& step) { step.deadline += Duration(1000); }),
              "how long it is waited for");
}

TEST(Permit, APlanThatBreaksARuleOrWasMadeForAnotherBackendDoesNotBegin) {
  Kubernetes k;
  plan::Plan plan = k.plan(everywhere("7x1g.10gb"));
  ASSERT_EQ(why_not_begun(plan, "", k.can()), std::nullopt);
  plan::Plan broken = plan;
  broken.violations.push_back({Severity::danger, "fpt-a", {}, "one strategy for all GPUs"});
  auto why = why_not_begun(broken, "", k.can());
  ASSERT_TRUE(why);
  EXPECT_EQ(why->reason, "fpt-a: one strategy for all GPUs");
  plan::Means other = k.can();
  other.chooses_placement = !other.chooses_placement;
  why = why_not_begun(plan, "", other);
  ASSERT_TRUE(why);
  expect_part(why->reason, "made for another backend");
  // What an older tessera wrote reports nothing of what it was made from.
  plan::Plan old = plan;
  old.setup.gpu_operator = nullptr;
  why = why_not_begun(old, "", k.can());
  ASSERT_TRUE(why);
  expect_part(why->reason, "an older tessera wrote it");
}

// What is carried out is what the file says: all of it, no more and no less than tessera makes of it now.
TEST(Permit, AFileWithAStepLessOrMoreThanTesseraMakesIsRefused) {
  Kubernetes k;
  const plan::Plan now = k.plan(everywhere("7x1g.10gb"));
  ASSERT_EQ(why_not_as_made(now, now), std::nullopt);
  plan::Plan less = now;
  less.nodes.at(0).steps.pop_back();
  auto why = why_not_as_made(less, now);
  ASSERT_TRUE(why);
  expect_part(why->reason, "steps on n1 where tessera makes");
  plan::Plan more = now;
  more.nodes.at(0).steps.push_back(more.nodes.at(0).steps.back());
  ASSERT_TRUE(why_not_as_made(more, now));
}

TEST(Permit, AFileThatSendsAwayWorkThatHasLeftSinceIsCarriedOutWithoutThat) {
  Story story;
  story.tell(
      NodesListed{{node("n1", {cut(0, {instance("3g.40gb", 0, 4, 0), instance("3g.40gb", 4, 4, 1)})})}});
  const Workload stays = running("7", "alice", {holds("n1", {{0, 1}})});
  story.tell(WorkloadsListed{{stays, running("8", "bob", {holds("n1", {{1, 1}})})}});
  plan::Intent intent = wants("7x1g.10gb");
  intent.options.way = Way::requeue;
  const auto made = [&] {
    return make_plan(story.cluster(), catalogue(), intent, simulator_capabilities(), {}, at(0)).value();
  };
  const plan::Plan read = made();
  story.tell(WorkloadsListed{{stays}});
  const plan::Plan now = made();
  ASSERT_GT(read.nodes.at(0).steps.size(), now.nodes.at(0).steps.size());
  const auto why = why_not_as_made(read, now);
  EXPECT_EQ(why, std::nullopt) << to_line(*why);
}

TEST(Permit, AFileThatNamesAWorkloadWithoutTheSlicesThatItLosesIsRefused) {
  Story story;
  story.tell(NodesListed{{node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)}), uncut(1, 1)})}});
  story.tell(WorkloadsListed{{running("7", "alice", {holds("n1", {{0, 1}})})}});
  const plan::Plan now =
      make_plan(story.cluster(), catalogue(), wants("7x1g.10gb"), simulator_capabilities(), {}, at(0))
          .value();
  ASSERT_EQ(why_not_as_made(now, now), std::nullopt);
  plan::Plan read = now;
  ASSERT_FALSE(read.nodes.at(0).blast_radius.at(0).slices.empty());
  read.nodes.at(0).blast_radius.at(0).slices.clear();
  auto why = why_not_as_made(read, now);
  ASSERT_TRUE(why);
  expect_part(why->reason, "it disturbs 7 on n1, which the file does not name");
}

// The names of the fleet's labels mean other layouts in the new file: that is asked again when it is written.
TEST(Permit, ASharedFileThatWouldCutOtherNodesAgainIsNotWritten) {
  Kubernetes k;
  k.site.labels["n2"] = k.site.labels["n1"];
  k.site.labels["n2"]["nvidia.com/mig.config"] = "all-1g.10gb";
  k.site.node_config["n2"] = operators::mig_file(kStaticFile);
  auto write = [&](const std::string& text) {
    return operators::SharedWrite{
        true, "n1", "tessera-mig", "", operators::parse_mig_document(text, "f").value(), {}};
  };
  EXPECT_EQ(operators::why_not_shared(k.site, write(kStaticFile), &catalogue()), std::nullopt);
  std::string other = kStaticFile;
  other.replace(other.find("\"1g.10gb\": 7"), 12, "\"1g.10gb\": 6");
  auto why = operators::why_not_shared(k.site, write(other), &catalogue());
  ASSERT_TRUE(why);
  expect_part(*why, "other nodes would change or fail");
}

}  // namespace permit_test
}  // namespace tessera::test
