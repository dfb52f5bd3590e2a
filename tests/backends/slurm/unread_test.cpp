// Files beside slurm.conf that slurmctld has not read: of them scontrol reports nothing.
#include "backends/slurm/change/unread.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "backends/slurm/parse/running.hpp"
#include "tests/backends/slurm/actuator_fixture.hpp"

namespace tessera::slurm {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kBooted{1'000'000'000ms};
const std::string kGres =
    "NodeName=n[1-2] Name=gpu File=/dev/nvidia[0-1]\nNodeName=n3 Name=gpu File=/dev/nvidia0\n";

slurmconf::Files site_files(const std::string& gres = kGres) {
  return {{"/e/slurm.conf", "ClusterName=hpc\nInclude nodes.conf\n"},
          {"/e/gres.conf", gres},
          {"/e/cgroup.conf", "ConstrainDevices=yes\n"},
          {"/e/nodes.conf", "NodeName=n[1-3] Gres=gpu:2\n"}};
}
std::string told_beside(const slurmconf::Files& now, const Beside& beside,
                        std::optional<TimePoint> booted = kBooted) {
  Unapplied all;
  all.beside = unread(now, beside, booted);
  EXPECT_EQ(all.none(), to_text(all, nullptr).empty());
  return to_text(all, nullptr);
}

TEST(SlurmUnread, OnlyWhatSlurmConfDoesNotIncludeIsBesideIt) {
  EXPECT_EQ(beside_slurm_conf(site_files()), (std::vector<std::string>{"/e/gres.conf", "/e/cgroup.conf"}));
}

TEST(SlurmUnread, WhatStoodAtTheStartIsReadAndWhatCameLaterIsNotKnown) {
  Beside beside;
  beside.changed = {{"/e/gres.conf", kBooted - 1h}, {"/e/cgroup.conf", kBooted + 900ms}};
  EXPECT_EQ(told_beside(site_files(), beside), "") << "BOOT_TIME has no fractions";
  beside.changed["/e/topology.conf"] = kBooted + 12min;
  EXPECT_EQ(told_beside(site_files(), beside),
            "/e/topology.conf was changed 12 min after slurmctld started; whether slurmctld has read it "
            "since is unknown");
  beside.changed = {{"/e/gres.conf", kBooted + 1s}};
  EXPECT_NE(told_beside(site_files(), beside).find("/e/gres.conf was changed right after"),
            std::string::npos);
  EXPECT_NE(told_beside(site_files(), beside, std::nullopt).find("when slurmctld started is unknown"),
            std::string::npos);
}

TEST(SlurmUnread, WithTheTextThatStoodThenTheNodesAreNamed) {
  Beside beside;
  beside.changed = {{"/e/gres.conf", kBooted + 1h}, {"/e/cgroup.conf", kBooted + 1h}};
  beside.read = {{"/e/gres.conf", kGres}, {"/e/cgroup.conf", "ConstrainDevices=no\n"}};
  EXPECT_EQ(told_beside(site_files("# a comment\n" + kGres), beside),
            "changed since slurmctld read it: cgroup.conf");
  beside.read["/e/cgroup.conf"] = "ConstrainDevices=yes\n";
  EXPECT_EQ(told_beside(site_files(), beside), "");
  // One node's lines leave the group, and mean the same for the other.
  const std::string cut =
      "NodeName=n2 Name=gpu File=/dev/nvidia[0-1]\nNodeName=n1 Name=gpu Type=1g "
      "File=/dev/nvidia[0-1]\nNodeName=n3 Name=gpu File=/dev/nvidia0 Cores=0-3\n";
  EXPECT_EQ(told_beside(site_files(cut), beside),
            "changed since slurmctld read it: gres.conf for node n1; gres.conf for node n3");
  beside.marked = {"n1"};
  EXPECT_EQ(told_beside(site_files(cut), beside), "changed since slurmctld read it: gres.conf for node n3");
  EXPECT_EQ(told_beside(site_files(kGres + "AutoDetect=nvml\n"), beside),
            "changed since slurmctld read it: gres.conf");
}

// Up to 21.08 a run adds its devices to the file that all nodes share.
TEST(SlurmUnread, OnlyARunMayAddDevices) {
  slurmconf::Files all = site_files();
  all.push_back({"/e/cgroup_allowed_devices_file.conf", "/dev/null\n/dev/nvidia0\n"});
  all[2].text += "AllowedDevicesFile=/e/cgroup_allowed_devices_file.conf\n";
  Beside beside;
  beside.changed = {{all.back().path, kBooted + 1h}};
  beside.read = {{all.back().path, "/dev/null\n"}};
  EXPECT_NE(told_beside(all, beside), "");
  beside.marked = {"n1"};
  EXPECT_EQ(told_beside(all, beside), "");
  beside.read = {{all.back().path, "/dev/null\n/dev/fuse\n"}};
  EXPECT_NE(told_beside(all, beside), "") << "no run takes a device away";
}

TEST(SlurmUnread, AnEarlierLookOrABackupShowsWhatStoodThen) {
  StoodThen stood;
  auto seen = [&](const std::string& gres, TimePoint changed, TimePoint booted,
                  const std::vector<Backup>& backups = {}) {
    return stood.hold(site_files(gres), {{"/e/gres.conf", changed}}, booted, backups);
  };
  EXPECT_TRUE(seen("old\n", kBooted - 1h, kBooted).read.empty()) << "it stands still";
  EXPECT_EQ(seen("new\n", kBooted + 1h, kBooted).read.at("/e/gres.conf"), "old\n");
  // Another start: what was seen before it says nothing.
  EXPECT_TRUE(seen("newer\n", kBooted + 3h, kBooted + 2h).read.empty());
  Backup one{"/e/gres.conf", "/e/gres.conf.before-R", "R", kBooted - 1h, kBooted + 1h, "kept\n"};
  Backup older = one, later = one;
  older.changed = kBooted - 3h, older.made = kBooted - 1h, older.text = "older\n";
  later.changed = kBooted + 1h, later.made = kBooted + 2h, later.text = "later\n";
  StoodThen fresh;
  auto beside = fresh.hold(site_files("x\n"), {{"/e/gres.conf", kBooted + 3h}}, kBooted, {later, older, one});
  EXPECT_EQ(beside.read.at("/e/gres.conf"), "kept\n");
  EXPECT_EQ(stood_at({older, later}, "/e/gres.conf", kBooted), nullptr);
  EXPECT_EQ(stood_at({one}, "/e/cgroup.conf", kBooted), nullptr);
}

// Two nodes of a batch write in turn, and slurmctld restarts for the first just before the second writes: no
// look comes between.
TEST(SlurmUnread, WhatThisProcessHasReplacedStoodUntilThen) {
  const std::map<std::string, TimePoint> first{{"/e/gres.conf", kBooted - 1min}};
  const TimePoint second = kBooted + 1s;
  StoodThen stood;
  stood.wrote(site_files("first\n"), site_files("second\n"), first);
  EXPECT_EQ(
      stood.hold(site_files("second\n"), {{"/e/gres.conf", second}}, kBooted, {}).read.at("/e/gres.conf"),
      "first\n");
  EXPECT_TRUE(stood.hold(site_files("bob's\n"), {{"/e/gres.conf", second}}, kBooted, {}).read.empty())
      << "a user has written since";
  EXPECT_TRUE(stood.hold(site_files("second\n"), {{"/e/gres.conf", second}}, kBooted - 2min, {}).read.empty())
      << "slurmctld started before the first";
}

TEST(SlurmUnread, AFileThatIsGoneIsNamed) {
  StoodThen stood;
  const std::map<std::string, TimePoint> both{{"/e/gres.conf", kBooted}, {"/e/topology.conf", kBooted}};
  EXPECT_EQ(told_beside(site_files(), stood.hold(site_files(), both, kBooted, {})), "");
  EXPECT_EQ(told_beside(site_files(), stood.hold(site_files(), {{"/e/gres.conf", kBooted}}, kBooted, {})),
            "changed since slurmctld read it: topology.conf (removed)");
}

// A copy may be given an earlier time (rsync -a, cp -p): that it was made now shows all the same.
TEST_F(SlurmActuatorTest, AFileThatWasGivenAnEarlierTimeIsSeen) {
  put("topology.conf", "SwitchName=s1 Nodes=n1\n");
  const timespec early[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (scratch_.path() + "/topology.conf").c_str(), early, 0), 0);
  EXPECT_EQ(word(look(), plan::slurm::key::kElsewhere), "");
  put("config", "SLURM_VERSION = 22.05.8\nHASH_VAL = Match\nBOOT_TIME = 2020-01-01T00:00:00\n");
  EXPECT_NE(word(look(), plan::slurm::key::kElsewhere).find("topology.conf was changed"), std::string::npos);
}

}  // namespace
}  // namespace tessera::slurm
