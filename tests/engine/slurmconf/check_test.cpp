#include "engine/slurmconf/check.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/slurmconf/counts.hpp"
#include "tests/support/build.hpp"

namespace tessera::slurmconf {
namespace {

SlurmSetup site(std::string conf, std::string gres = "", std::string cgroup = "ConstrainDevices=yes\n") {
  SlurmSetup site;
  site.major = 24, site.minor = 11;
  site.files = {{"/e/slurm.conf", std::move(conf)},
                {"/e/gres.conf", std::move(gres)},
                {"/e/cgroup.conf", std::move(cgroup)}};
  return site;
}

std::string told(const std::vector<Remark>& remarks) {
  std::string text;
  for (const Remark& remark : remarks)
    text += std::string(remark.grade == Remark::Grade::danger    ? "!"
                        : remark.grade == Remark::Grade::warning ? "?"
                                                                 : "i") +
            ' ' + remark.subject + ": " + remark.text + "\n";
  return text;
}
std::string found(const SlurmSetup& site) { return told(check(site, nullptr)); }

const std::string kTypes = "GresTypes=gpu,mps,shard\nTaskPlugin=task/cgroup,task/affinity\n";

TEST(SlurmconfCounts, ReadsEveryForm) {
  using C = GresCounts;
  EXPECT_EQ(counts_of("gpu:h100:8(S:0-1),mps:h100:200"), (C{{"gpu:h100", 8}, {"mps", 200}}));
  EXPECT_EQ(counts_of("gpu:a100_3g.20gb:2,gpu:1g.5gb:7,gpu:3g.20gb:1"),
            (C{{"gpu:3g.20gb", 3}, {"gpu:1g.5gb", 7}}));
  EXPECT_EQ(counts_of("gpu:8"), (C{{"gpu", 8}}));
  EXPECT_EQ(counts_of("gpu,gpu:h100"), (C{{"gpu", 1}, {"gpu:h100", 1}}));
  EXPECT_EQ(counts_of("bandwidth:lustre:no_consume:4K,gpu:0"), (C{{"bandwidth:lustre", 4096}}));
  EXPECT_EQ(counts_of("(null)"), C{});
  EXPECT_EQ(counts_of("gpu:h100:9999999999999999999,:3,,gpu:x:1Q"), C{});
  EXPECT_TRUE(alike(counts_of("gpu:8,shard:4"), counts_of("gpu:h100:8,shard:4")));
  EXPECT_FALSE(alike(counts_of("gpu:8,shard:4"), counts_of("gpu:h100:8")));
  EXPECT_FALSE(alike(counts_of("gpu:a100:8"), counts_of("gpu:h100:8")));
}

TEST(SlurmconfCheck, WhatIsRightIsLeftAlone) {
  EXPECT_EQ(
      found(site(kTypes + "NodeName=gpu[1-2] Gres=gpu:h100:8\nNodeName=m Gres=gpu:1g.10gb:7,gpu:3g.40gb:1\n"
                          "NodeName=s Gres=gpu:h100:2,mps:200\nNodeName=cpu\n",
                 "NodeName=gpu[1-2] Name=gpu Type=h100 File=/dev/nvidia[0-3]\n"
                 "NodeName=gpu[1-2] Name=gpu Type=h100 File=/dev/nvidia[4-7]\n"
                 "NodeName=m Name=gpu Type=1g.10gb File=/dev/nvidia-caps/nvidia-cap[1-7]\n"
                 "NodeName=m Name=gpu Type=3g.40gb MultipleFiles=/dev/nvidia1,/dev/nvidia-caps/nvidia-cap9\n"
                 "NodeName=s Name=gpu Type=h100 File=/dev/nvidia[0-1]\nNodeName=s Name=mps Count=200\n")),
      "");
}

TEST(SlurmconfCheck, LinesThatSlurmWouldNotRead) {
  EXPECT_EQ(found(site("Include gone.conf\nhello there\nNodeName=n[1-\n", "NodeName=x[ Name=gpu\n",
                       "ConstrainDevices\n")),
            "! /e/slurm.conf:1: Include gone.conf: the file /e/gone.conf was not read\n"
            "! /e/slurm.conf:2: is no Key=Value\n"
            "! /e/cgroup.conf:1: is no Key=Value\n"
            "! /e/slurm.conf:3: n[1-: a bracket does not close\n"
            "! /e/gres.conf:1: GresTypes does not list gpu\n"
            "! /e/gres.conf:1: x[: a bracket does not close\n");
}

// From 23.11 on a reconfigure has every slurmd read it: a node that runs with more becomes invalid.
TEST(SlurmconfCheck, DevicesThatAnotherAdminTookAwayAreMissedByTheNodesThatRunWithThem) {
  auto gpus = [](const char* name, std::size_t count) {
    Node node;
    node.name = NodeName(name);
    node.gpus.resize(count);
    for (Gpu& gpu : node.gpus) gpu.model = "h100";
    return node;
  };
  const std::vector<Node> running{gpus("n1", 4), gpus("n2", 4), gpus("n3", 4), gpus("n4", 4)};
  const Files files{{"/e/slurm.conf", "GresTypes=gpu\nNodeName=n[1-4] Gres=gpu:h100:4\n"},
                    {"/e/gres.conf",
                     "NodeName=n1 Name=gpu Type=h100 File=/dev/nvidia[0-3]\n"
                     "NodeName=n2 Name=gpu Type=h100 File=/dev/nvidia[0-1]\n"
                     "NodeName=n3 AutoDetect=nvml Name=gpu Type=h100\n"}};
  const std::vector<Difference> wanted{{"n2", "gpu:h100:2", "gpu:h100:4"}};
  EXPECT_EQ(short_of_devices(files, running), wanted);
}

TEST(SlurmconfCheck, NodesAndTypes) {
  EXPECT_EQ(found(site("GresTypes=gpu\nNodeName=a[1-3]\nNodeName=a2,b\nNodeName=c Gres= "
                       "Feature=x\nNodeName=d Gres=nic:2\n")),
            "! /e/slurm.conf:4: Gres= is empty and takes the next word: Feature=x\n"
            "! /e/slurm.conf:4: GresTypes does not list feature=x\n"
            "! /e/slurm.conf:5: GresTypes does not list nic\n"
            "! /e/slurm.conf:3: a2: defined before, at /e/slurm.conf:2\n");
  EXPECT_EQ(found(site(kTypes + "SelectType=select/linear\nNodeName=n[1-2] Gres=gpu:1,mps:100,shard:4\n",
                       "NodeName=n[1-2] Name=gpu File=/dev/nvidia0\n")),
            "! /e/slurm.conf:4: mps and shard on the same nodes\n"
            "! /e/slurm.conf:4: mps and shard need SelectType=select/cons_tres\n");
}

TEST(SlurmconfCheck, GresConfAgainstSlurmConf) {
  EXPECT_EQ(
      found(site(
          kTypes + "NodeName=n[1-4] Gres=gpu:h100:4\nNodeName=k Gres=gpu:2\n",
          "NodeName=n[1-2] Name=gpu Type=h100 File=/dev/nvidia[0-1]\n"
          "NodeName=n3 Name=gpu Type=h100 File=/dev/nvidia[0-7]\nNodeName=z Name=gpu File=/dev/nvidia0\n")),
      "! /e/slurm.conf:3: n[1-2]: has gpu:h100:4 here and gpu:h100:2 in gres.conf\n"
      "! /e/slurm.conf:3: n4: has gpu:h100:4 here and no File= in gres.conf\n"
      "! /e/slurm.conf:4: k: has gpu:2 here and no File= in gres.conf\n"
      "? /e/gres.conf:3: z: slurm.conf defines no such node\n"
      "i /e/slurm.conf:3: n3: has gpu:h100:4 here and gpu:h100:8 in gres.conf\n");
  EXPECT_EQ(
      found(site(kTypes + "NodeName=n Gres=gpu:2\nNodeName=m Gres=gpu:2\n",
                 "NodeName=n Name=gpu File=/dev/nvidia[0-1]\nNodeName=n Name=gpu File=/dev/nvidia1 Count=x\n"
                 "NodeName=m Name=gpu Count=2\nNodeName=n Name=nic File=/a MultipleFiles=/b\n")),
      "! /e/gres.conf:4: GresTypes does not list nic\n"
      "! /e/gres.conf:2: its Count= or File= cannot be read\n"
      "! /e/gres.conf:4: File= and MultipleFiles= on one line\n"
      "! /e/gres.conf:2: n: /dev/nvidia1 is listed twice\n"
      "! /e/gres.conf:3: m: a gpu line without File=\n");
}

// Each node may read a gres.conf of its own: then this one reports nothing about it.
TEST(SlurmconfCheck, ANodeThatRunsWithItsGpusReadsAnotherFile) {
  auto node = [](const char* name, Health health, int gpus) {
    Node node = test::node(name, {});
    node.health = health;
    for (int i = 0; i < gpus; ++i) node.gpus.push_back(test::gpu(i, Strategy::whole, {test::whole(i)}));
    return node;
  };
  std::vector<Node> running{node("n1", Health::ok, 2), node("n2", Health::invalid, 2),
                            node("n3", Health::drained, 2)};
  const std::string conf = kTypes + "NodeName=n[1-3] Gres=gpu:2\n";
  EXPECT_EQ(told(check(site(conf), &running)),
            "! /e/slurm.conf:3: n2: has gpu:2 here and no File= in gres.conf\n"
            "i /e/slurm.conf:3: n[1,3]: has gpu:2 here and no File= in the gres.conf here, yet it runs with "
            "them\n");
  EXPECT_EQ(told(check(site(conf, "NodeName=n2 Name=gpu File=/dev/nvidia[0-1]\n"), &running)),
            "? /e/slurm.conf:3: n[1,3]: has gpu:2 here and no File= in the gres.conf here, yet it runs with "
            "them\n");
}

TEST(SlurmconfCheck, DetectionCountsForItsNodesOnly) {
  const std::string nodes = kTypes + "NodeName=a,b Gres=gpu:h100:8\n";
  EXPECT_EQ(found(site(nodes, "AutoDetect=nvml\n")), "");
  EXPECT_EQ(found(site(nodes, "AutoDetect=nvml\nNodeName=b AutoDetect=off\n")),
            "! /e/slurm.conf:3: b: has gpu:h100:8 here and no File= in gres.conf\n");
  EXPECT_EQ(
      found(site(nodes, "NodeName=a AutoDetect=nvml\nNodeName=b Name=gpu Type=h100 File=/dev/nvidia[0-7]\n")),
      "");
  EXPECT_EQ(found(site(nodes, "Name=gpu Type=h100 File=/dev/nvidia[0-7]\n")), "");
}

TEST(SlurmconfCheck, InstancesNeedAWall) {
  const std::string node = "NodeName=m Gres=gpu:a100_1g.5gb:1\n";
  const std::string gres =
      "NodeName=m Name=gpu Type=a100_1g.5gb MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/nvidia-cap66\n";
  EXPECT_EQ(found(site(kTypes + node, gres)), "");
  EXPECT_EQ(found(site(kTypes + node, gres, "ConstrainDevices=no\n")),
            "? /e/slurm.conf:3: MIG instances are offered with ConstrainDevices=no\n");
  EXPECT_EQ(found(site(kTypes + node, gres, "")),
            "? /e/slurm.conf:3: MIG instances are offered without ConstrainDevices=yes\n");
  EXPECT_NE(found(site("GresTypes=gpu\n" + node, gres)).find("without task/cgroup"), std::string::npos);
}

TEST(SlurmconfCheck, AllowedDevicesAreHeldAgainstGresConfWhereSlurmReadsThem) {
  SlurmSetup old = site(
      kTypes + "NodeName=m Gres=gpu:1g.10gb:2\n",
      "# cut\nNodeName=m Name=gpu Type=1g.10gb MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/nvidia-cap66\n"
      "NodeName=m Name=gpu Type=1g.10gb MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/nvidia-cap75\n");
  old.major = 21, old.minor = 8;
  old.files.push_back({"/e/cgroup_allowed_devices_file.conf", "/dev/null\n/dev/nvidia*\n"});
  EXPECT_EQ(found(old),
            "i /e/gres.conf:2: /e/cgroup_allowed_devices_file.conf does not list "
            "/dev/nvidia-caps/nvidia-cap66 and 1 more devices of gres.conf\n");
  old.files[3].text += "/dev/nvidia-caps/nvidia-cap[0-9]*\n";
  EXPECT_EQ(found(old), "");
  old.files.pop_back();
  EXPECT_EQ(found(old), "") << "it need not be there";
  // Newer ones complain of the setting each time they start.
  old.files[2].text = "ConstrainDevices=yes\nAllowedDevicesFile=/e/allowed\n";
  EXPECT_EQ(found(old), "");
  old.major = 22, old.minor = 5;
  EXPECT_EQ(found(old), "i /e/cgroup.conf:2: AllowedDevicesFile= is read by no Slurm since 22.05\n");
}

Node running(const std::string& name, const std::string& model, int gpus,
             std::vector<std::string> state = {"IDLE"}) {
  Node node;
  node.name = NodeName(name);
  node.state = std::move(state);
  for (int i = 0; i < gpus; ++i) {
    node.gpus.push_back(test::gpu(i, Strategy::whole, {test::whole(i)}));
    node.gpus.back().model = model;
  }
  return node;
}

TEST(SlurmconfDifference, TellsWhatAReconfigureWouldChange) {
  Files files{{"/e/slurm.conf",
               "NodeName=a Gres=gpu:h100:2\nNodeName=b Gres=gpu:1g.10gb:2,nic:1\nNodeName=c\nNodeName=new "
               "Gres=gpu:1\n"}};
  Node cut = running("b", "h100", 0);
  cut.pool = {test::instance("1g.10gb", 0, 1, 0), test::instance("1g.10gb", 1, 1, 1)};
  auto same = difference(files, {running("a", "h100", 2), cut, running("c", "", 0),
                                 running("dyn", "h100", 1, {"IDLE", "DYNAMIC_NORM"})});
  ASSERT_TRUE(same);
  EXPECT_EQ(*same, (std::vector<Difference>{{"new", "gpu:1", "no such node"}}));
  cut.pool.pop_back();
  auto other =
      difference(files, {running("a", "h100", 3), cut, running("old", "x", 1), running("new", "h100", 1)});
  ASSERT_TRUE(other);
  EXPECT_EQ(*other, (std::vector<Difference>{{"a", "gpu:h100:2", "gpu:h100:3"},
                                             {"b", "gpu:1g.10gb:2", "gpu:1g.10gb:1"},
                                             {"c", "nothing", "no such node"},
                                             {"old", "no such node", "gpu:x:1"}}));
}

TEST(SlurmconfDifference, NodesThatSlurmHidesAreNotMissing) {
  auto told = difference({{"/e/slurm.conf",
                           "NodeName=DEFAULT State=CLOUD Gres=gpu:1\nNodeName=a\nNodeName=b State=UNKNOWN\n"
                           "NodeName=DEFAULT State=unknown\nNodeName=c\nNodeName=d State=FUTURE\n"}},
                         {running("a", "h100", 2)});
  ASSERT_TRUE(told);
  EXPECT_EQ(*told, (std::vector<Difference>{{"a", "gpu:1", "gpu:h100:2"},
                                            {"b", "gpu:1", "no such node"},
                                            {"c", "gpu:1", "no such node"}}));
}

TEST(SlurmconfDifference, RefusesToGuess) {
  EXPECT_FALSE(difference({{"/e/slurm.conf", "Include x\n"}}, {}));
  EXPECT_FALSE(difference({{"/e/slurm.conf", "what\n"}}, {}));
  EXPECT_FALSE(difference({{"/e/slurm.conf", "NodeName=a[\n"}}, {}));
}

TEST(SlurmconfCheck, WhatRunsIsHeldAgainstTheFiles) {
  SlurmSetup files =
      site(kTypes + "NodeName=a Gres=gpu:h100:1\n", "NodeName=a Name=gpu Type=h100 File=/dev/nvidia0\n");
  std::vector<Node> nodes{running("a", "h100", 2)};
  auto remarks = check(files, &nodes);
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_TRUE(remarks[0].is_node);
  EXPECT_EQ(remarks[0].subject, "a");
  EXPECT_EQ(remarks[0].text, "the files say gpu:h100:1, Slurm runs with gpu:h100:2");
  EXPECT_TRUE(remarks[0].hint.starts_with("scontrol reconfigure"));
  files.major = 22;
  EXPECT_TRUE(check(files, &nodes)[0].hint.starts_with("a restart of slurmctld"));
}

TEST(SlurmconfCheck, ManyFindingsEnd) {
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += "odd\n";
  auto remarks = check(site(lines), nullptr);
  ASSERT_EQ(remarks.size(), kMostRemarks + 1);
  EXPECT_EQ(remarks.back().text, "800 more findings in Slurm's files");
}

}  // namespace
}  // namespace tessera::slurmconf
