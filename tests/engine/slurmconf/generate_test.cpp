#include "engine/slurmconf/generate.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/slurmconf/minors.hpp"

namespace tessera::slurmconf {
namespace {

using Strings = std::vector<std::string>;

// As the driver prints it: 15 possible GPU instances a GPU, 8 compute instances each.
std::string minors_text(int gpus) {
  std::string text = "config 1\nmonitor 2\n";
  int minor = 3;
  for (int gpu = 0; gpu < gpus; ++gpu)
    for (int gi = 0; gi < 15; ++gi)
      for (int ci = -1; ci < 8; ++ci)
        text += "gpu" + std::to_string(gpu) + "/gi" + std::to_string(gi) +
                (ci < 0 ? "" : "/ci" + std::to_string(ci)) + "/access " + std::to_string(minor++) + "\n";
  return text;
}

CutInstance cut(const char* profile, int start, int size) {
  return {ProfileName(profile), {start, size}, std::nullopt};
}

CutBoard whole(int gpu) {
  CutBoard board;
  board.gpu = GpuIndex{gpu};
  board.type = "h100";
  return board;
}
CutBoard mig(int gpu, std::vector<CutInstance> instances) {
  CutBoard board = whole(gpu);
  board.mig = true;
  board.units = 8;
  board.instances = std::move(instances);
  return board;
}

Wanted made(const CutNode& node, const SlurmSetup& site) {
  auto wanted = generate(node, site);
  EXPECT_TRUE(wanted) << to_line(wanted.error());
  return wanted ? *wanted : Wanted{};
}

TEST(SlurmconfMinors, ReadsWhatTheDriverPrints) {
  auto minors = Minors::parse(minors_text(2));
  ASSERT_TRUE(minors);
  EXPECT_EQ(minors->gpu_instance(0, 7), 66);
  EXPECT_EQ(minors->compute_instance(0, 7, 0), 67);
  EXPECT_EQ(minors->gpu_instance(1, 0), 138);
  EXPECT_EQ(minors->gpu_instance(2, 0), std::nullopt);
  for (const char* bad : {"gpu0/gi7 66", "gpux/gi1/access 3", "gpu0/gi1/access", "gpu0/gi1/access 3 4",
                          "hello", "gpu0/gi99999999999/access 3", "gpu-1/gi0/access 3"}) {
    auto read = Minors::parse(std::string("config 1\n") + bad);
    ASSERT_FALSE(read) << bad;
    EXPECT_NE(read.error().reason.find("line 2"), std::string::npos);
  }
}

TEST(SlurmconfMinors, UsualIdsAreThoseOfPublicListings) {
  // A100 40GB cut as 3-2-1-1, and the 1g of an H100: driver listings.
  EXPECT_EQ(usual_instance_id(8, {4, 4}), 2);
  EXPECT_EQ(usual_instance_id(8, {2, 2}), 4);
  EXPECT_EQ(usual_instance_id(8, {0, 1}), 7);
  EXPECT_EQ(usual_instance_id(8, {1, 1}), 8);
  EXPECT_EQ(usual_instance_id(8, {0, 8}), 0);
  EXPECT_EQ(usual_instance_id(4, {3, 1}), 6);  // A30
  EXPECT_EQ(usual_instance_id(8, {1, 2}), std::nullopt);
  EXPECT_EQ(usual_instance_id(0, {0, 1}), std::nullopt);
}

TEST(SlurmconfGenerate, InstancesGetTheirThreeFiles) {
  SlurmSetup site;
  site.mig_minors = minors_text(2);
  site.mig_prefix = "a100_";
  CutBoard cut_board = mig(1, {cut("1g.5gb", 0, 1), cut("3g.20gb", 4, 4)});
  cut_board.cores = "32-63";
  Wanted wanted = made({"n1", {whole(0), cut_board}}, site);
  EXPECT_EQ(wanted.gres, "gpu:h100:1,gpu:a100_1g.5gb:1,gpu:a100_3g.20gb:1");
  EXPECT_EQ(wanted.types, Strings{"gpu"});
  EXPECT_EQ(
      wanted.lines,
      (Strings{
          "NodeName=n1 Name=gpu Type=h100 File=/dev/nvidia0",
          "NodeName=n1 Name=gpu Type=a100_1g.5gb MultipleFiles=/dev/nvidia1,/dev/nvidia-caps/nvidia-cap201,"
          "/dev/nvidia-caps/nvidia-cap202 Cores=32-63",
          "NodeName=n1 Name=gpu Type=a100_3g.20gb MultipleFiles=/dev/nvidia1,/dev/nvidia-caps/nvidia-cap156,"
          "/dev/nvidia-caps/nvidia-cap157 Cores=32-63"}));
}

TEST(SlurmconfGenerate, TheDeviceFileAndTheDriversIdCountNotTheIndex) {
  SlurmSetup site;
  site.mig_minors = minors_text(4);
  CutBoard board = mig(0, {cut("1g.10gb", 0, 1)});
  board.minor = 3;
  board.instances[0].id = 9;
  const std::string line = made({"n", {board}}, site).lines.at(0);
  EXPECT_NE(line.find("/dev/nvidia3,/dev/nvidia-caps/nvidia-cap489,/dev/nvidia-caps/nvidia-cap490"),
            std::string::npos)
      << line;
}

TEST(SlurmconfGenerate, SimulatedFilesFollowTheirPattern) {
  SlurmSetup site;
  site.gpu_file = "/lab/{node}/nvidia{gpu}";
  site.instance_file = "/lab/{node}/cap{index}";
  Wanted wanted = made(
      {"m", {mig(0, {cut("1g.10gb", 0, 1), cut("1g.10gb", 1, 1), cut("3g.40gb", 4, 4)}), whole(1), whole(2)}},
      site);
  EXPECT_EQ(wanted.lines, (Strings{"NodeName=m Name=gpu Type=1g.10gb File=/lab/m/cap[0-1]",
                                   "NodeName=m Name=gpu Type=3g.40gb File=/lab/m/cap2",
                                   "NodeName=m Name=gpu Type=h100 File=/lab/m/nvidia[1-2]"}));
  site.instance_file = "/lab/gpu{gpu}gi{gi}";
  EXPECT_EQ(made({"m", {mig(0, {cut("3g.40gb", 4, 4)})}}, site).lines,
            Strings{"NodeName=m Name=gpu Type=3g.40gb File=/lab/gpu0gi2"});
}

TEST(SlurmconfGenerate, SharesAreSpreadOrNamedByBoard) {
  CutNode node{"n", {whole(0), whole(1)}};
  node.boards[0].mps = node.boards[1].mps = 100;
  Wanted even = made(node, {});
  EXPECT_EQ(even.gres, "gpu:h100:2,mps:200");
  EXPECT_EQ(even.types, (Strings{"gpu", "mps"}));
  EXPECT_EQ(even.lines, (Strings{"NodeName=n Name=gpu Type=h100 File=/dev/nvidia[0-1]",
                                 "NodeName=n Name=mps Count=200"}));
  node.boards[0].mps = 0;
  EXPECT_EQ(made(node, {}).lines.back(), "NodeName=n Name=mps Count=100 File=/dev/nvidia1");
  node.boards[1].mps = 0;
  node.boards[0].shards = node.boards[1].shards = 8;
  EXPECT_EQ(made(node, {}).gres, "gpu:h100:2,shard:16");
}

TEST(SlurmconfGenerate, DetectionNeedsNoFiles) {
  SlurmSetup site;
  site.autodetect = true;
  Wanted wanted = made({"n", {mig(0, {cut("1g.10gb", 0, 1)})}}, site);
  EXPECT_EQ(wanted.gres, "gpu:1g.10gb:1");
  EXPECT_EQ(wanted.lines, Strings{"NodeName=n AutoDetect=nvml"});
}

TEST(SlurmconfGenerate, RefusesWhatSlurmWouldHandOutWrong) {
  CutNode node{"n", {whole(0), whole(1)}};
  node.boards[0].mps = 100;
  node.boards[1].shards = 4;
  EXPECT_FALSE(generate(node, {}));
  node.boards[1].shards = 0;
  node.boards[0].mps = 50;
  EXPECT_FALSE(generate(node, {}));
  CutNode both{"n", {mig(0, {cut("1g.10gb", 0, 1)})}};
  auto unknown = generate(both, {});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().hint.find("mig-minors"), std::string::npos);
  both.boards[0].shards = 4;
  EXPECT_FALSE(generate(both, {}));
  both.boards[0].shards = 0;
  both.boards[0].units = 0;
  EXPECT_NE(generate(both, {}).error().hint.find("-lgi"), std::string::npos);
}

TEST(SlurmconfGenerate, WhatTheOldLinesSayIsTakenOver) {
  Files files{{"/e/slurm.conf", ""},
              {"/e/gres.conf",
               "NodeName=n[1-2] Name=gpu Type=h100 File=/dev/nvidia[0-1] Cores=0-31\n"
               "NodeName=n1 Name=gpu Type=1g.10gb Cores=32-63 "
               "MultipleFiles=/dev/nvidia2,/dev/nvidia-caps/nvidia-cap9\n"
               "NodeName=n2 Name=gpu Type=a100 File=/dev/nvidia3\n"}};
  CutNode node{"n1", {whole(0), mig(1, {}), whole(2), whole(3)}};
  for (CutBoard& board : node.boards) board.type.clear();
  node.boards[0].cores = "7";
  take_over(node, files, {});
  std::string told;
  for (const CutBoard& board : node.boards) told += board.type + '/' + board.cores + ' ';
  EXPECT_EQ(told, "h100/7 h100/0-31 /32-63 / ");
}

TEST(SlurmconfGenerate, CoresOfACutBoardAreFoundByTheSitesOwnFiles) {
  SlurmSetup site;
  site.gpu_file = "/x/{node}/g{gpu}";
  site.instance_file = "/x/{node}/g{gpu}i{gi}";
  Files files{{"/e/slurm.conf", ""},
              {"/e/gres.conf",
               "NodeName=n1 Name=gpu Type=1g.10gb File=/x/n1/g0i[7-13] Cores=0-31\n"
               "NodeName=n1 Name=gpu Type=h100 File=/x/n1/g1 Cores=32-63\n"
               "NodeName=n1 Name=gpu Type=1g.10gb File=/x/n1/g10i7 Cores=64-95\n"}};
  auto cores = [&](CutNode node) {
    take_over(node, files, site);
    std::string told;
    for (const CutBoard& board : node.boards) told += board.cores + ' ';
    return told;
  };
  EXPECT_EQ(cores({"n1", {mig(0, {}), mig(1, {}), mig(10, {})}}), "0-31 32-63 64-95 ");
  EXPECT_FALSE(loses_cores("n1", files, site));
  // A file that only counts tells no GPU: fine where all have the same, and only there.
  site.instance_file = "/x/{node}/i{index}";
  EXPECT_TRUE(loses_cores("n1", files, site));
  files[1].text =
      "NodeName=n1 Name=gpu Type=1g.10gb File=/x/n1/i[0-6] Cores=0-31\n"
      "NodeName=n1 Name=gpu Type=h100 File=/x/n1/g1 Cores=0-31\n";
  EXPECT_FALSE(loses_cores("n1", files, site));
  EXPECT_EQ(cores({"n1", {mig(0, {}), whole(1)}}), "0-31 0-31 ");
}

TEST(SlurmconfGenerate, AFileOfAllowedDevicesIsForOldSlurmOnly) {
  SlurmSetup site;
  site.mig_minors = minors_text(8);
  CutNode node{"n2", {whole(0), mig(1, {cut("1g.10gb", 0, 1)})}};
  EXPECT_EQ(made(node, site).devices, std::vector<std::string>()) << "which Slurm it is is not known";
  site.major = 22, site.minor = 5;
  EXPECT_EQ(made(node, site).devices, std::vector<std::string>());
  site.major = 21, site.minor = 8;
  const std::vector<std::string> devices = made(node, site).devices;
  ASSERT_EQ(devices.size(), 7u);
  EXPECT_EQ(devices[0], "/dev/nvidiactl");
  EXPECT_EQ(devices[3], "/dev/nvidia0");
  EXPECT_EQ(devices[4], "/dev/nvidia1");
  for (std::size_t i : {5u, 6u}) EXPECT_TRUE(devices[i].starts_with("/dev/nvidia-caps/nvidia-cap"));
}

TEST(SlurmconfGenerate, WhatIsMadeCanBeSet) {
  SlurmSetup site;
  site.mig_minors = minors_text(8);
  Files files{{"/e/slurm.conf", "GresTypes=gpu\nNodeName=n[1-2] Gres=gpu:h100:2\n"},
              {"/e/gres.conf", "NodeName=n[1-2] Name=gpu Type=h100 File=/dev/nvidia[0-1]\n"}};
  Wanted wanted = made({"n2", {whole(0), mig(1, {cut("1g.10gb", 0, 1), cut("1g.10gb", 1, 1)})}}, site);
  auto set = set_node(files, wanted);
  ASSERT_TRUE(set) << to_line(set.error());
  EXPECT_EQ(effective(*set)["n2"], "gpu:h100:1,gpu:1g.10gb:2");
  EXPECT_EQ(gres_lines_of(*set, "n2").size(), 3u);
  EXPECT_EQ(gres_lines_of(*set, "n1"), gres_lines_of(files, "n1"));
}

RC_GTEST_PROP(SlurmconfMinors, ADamagedTextIsReadOrRefusedWithItsLine, ()) {
  std::string text = minors_text(1);
  std::size_t at = *rc::gen::inRange<std::size_t>(0, text.size());
  if (*rc::gen::arbitrary<bool>()) text.resize(at);
  if (at < text.size()) text[at] = *rc::gen::element('\0', '/', '9', '-', '\n', 'x');
  auto minors = Minors::parse(text);
  if (!minors) RC_ASSERT(minors.error().reason.starts_with("line "));
}

}  // namespace
}  // namespace tessera::slurmconf
