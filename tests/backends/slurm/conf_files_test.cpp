// Slurm's files on the disk: read once, read again when they change, what is found in them, and when they are
// not ours to write.
#include "backends/slurm/conf_files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "backends/slurm/node_files.hpp"
#include "backends/slurm/parse_node.hpp"
#include "tests/backends/slurm/fixtures.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::slurm {
namespace {

class SlurmConfFiles : public testing::Test {
 protected:
  // Another size each time: two writes within one tick of the file system's clock look alike otherwise.
  std::string put(const std::string& name, std::string text) {
    text += "#" + std::string(++written_, '.') + "\n";
    return scratch_.write(name, text);
  }
  std::vector<Remark> remarks(const std::vector<Node>* nodes = nullptr) {
    return file_remarks(watch_.files(), with_version({}, "24.11.5"), nodes);
  }
  test::Scratch scratch_;
  std::size_t written_ = 0;
  ConfWatch watch_;
};

TEST_F(SlurmConfFiles, AreReadAgainOnlyWhenOneOfThemHasChanged) {
  const std::string conf = put("slurm.conf", "ClusterName=hpc\nInclude nodes.conf\n");
  EXPECT_TRUE(watch_.changed(conf));
  ASSERT_TRUE(watch_.files());
  EXPECT_EQ(watch_.files()->size(), 1u);
  EXPECT_FALSE(watch_.changed(conf));
  put("nodes.conf", "NodeName=n1 Gres=gpu:2\n");  // it was not there before
  EXPECT_TRUE(watch_.changed(conf));
  EXPECT_EQ(watch_.files()->size(), 2u);
  EXPECT_FALSE(watch_.changed(conf));
  put("gres.conf", "NodeName=n1 Name=gpu File=/dev/nvidia[0-1]\n");
  EXPECT_TRUE(watch_.changed(conf));
  put("nodes.conf", "NodeName=n1 Gres=gpu:1\n");
  EXPECT_TRUE(watch_.changed(conf));
  EXPECT_FALSE(watch_.changed(conf));
  std::filesystem::remove(conf);
  EXPECT_TRUE(watch_.changed(conf));
  EXPECT_FALSE(watch_.files());
  EXPECT_FALSE(watch_.changed(conf));
}

TEST_F(SlurmConfFiles, TheFileOfAllowedDevicesIsReadWhereSlurmReadsIt) {
  const std::string conf = put("slurm.conf", "ClusterName=hpc\n");
  put("cgroup_allowed_devices_file.conf", "/dev/null\n");
  auto of = [](const char* version) { return allowed_devices_of(with_version({}, version)); };
  EXPECT_TRUE(watch_.changed(conf, of("22.05.8")));
  EXPECT_EQ(watch_.files()->size(), 1u);
  EXPECT_TRUE(watch_.changed(conf, of("21.08.5")));
  ASSERT_EQ(watch_.files()->size(), 2u);
  EXPECT_FALSE(watch_.changed(conf, of("21.08.5")));
  put("cgroup_allowed_devices_file.conf", "/dev/zero\n");
  EXPECT_TRUE(watch_.changed(conf, of("21.08.5")));
  put("cgroup.conf", "AllowedDevicesFile=devices\n");
  put("devices", "/dev/null\n");
  EXPECT_TRUE(watch_.changed(conf, of("21.08.5")));
  ASSERT_EQ(watch_.files()->size(), 3u);
  EXPECT_TRUE(watch_.files()->back().path.ends_with("/devices"));
  put("cgroup.conf", "AllowedDevicesFile=/dev/null\n");
  EXPECT_TRUE(watch_.changed(conf, of("21.08.5")));
  ASSERT_TRUE(watch_.files());
  EXPECT_EQ(watch_.files()->size(), 2u);
}

TEST_F(SlurmConfFiles, WhatIsWrongInThemHasItsPlaceAndAWayOut) {
  const std::string conf =
      put("slurm.conf", "ClusterName=hpc\nGresTypes=gpu\n\nNodeName=n[1-2] Gres=gpu:4,mps:400\n");
  put("gres.conf", "NodeName=n[1-2] Name=gpu File=/dev/nvidia[0-2]\n");
  ASSERT_TRUE(watch_.changed(conf));
  std::string text;
  for (const Remark& one : remarks()) {
    text += one.subject + ": " + one.text + "\n";
    EXPECT_FALSE(one.hint.empty()) << one.text;
  }
  EXPECT_NE(text.find("/slurm.conf:4: GresTypes does not list mps"), std::string::npos) << text;
  EXPECT_NE(text.find("/slurm.conf:4: n[1-2]: has gpu:4 here and gpu:3 in gres.conf"), std::string::npos)
      << text;
}

TEST_F(SlurmConfFiles, ThatTheyCannotBeReadIsARemarkAndNoAlarm) {
  watch_.changed(scratch_.path() + "/slurm.conf");
  auto told = remarks();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].grade, Remark::Grade::info);
  EXPECT_NE(told[0].text.find("no such file"), std::string::npos) << told[0].text;
}

TEST_F(SlurmConfFiles, ManyIncludesAreNotFollowedForEver) {
  std::string text;
  for (int i = 0; i < 1100; ++i) {
    text += "Include i" + std::to_string(i) + "\n";
    scratch_.write("i" + std::to_string(i), "");
  }
  auto files = read_conf_files(put("slurm.conf", text));
  ASSERT_FALSE(files);
  EXPECT_NE(files.error().reason.find("1,000"), std::string::npos);
}

TEST_F(SlurmConfFiles, ACopyThatSlurmdKeepsIsNotWritten) {
  put("spool/conf-cache/slurm.conf", "ClusterName=hpc\nNodeName=n1\n");
  const std::string conf = scratch_.path() + "/run/slurm.conf";
  std::filesystem::create_symlink(scratch_.path() + "/spool/conf-cache", scratch_.path() + "/run");
  auto files = read_conf_files(conf);
  ASSERT_TRUE(files);
  EXPECT_NE(why_not_writable(*files).find("copy that slurmd keeps"), std::string::npos);
  ASSERT_TRUE(watch_.changed(conf));
  auto told = remarks();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].grade, Remark::Grade::info);
  EXPECT_TRUE(is_cache("/run/slurm/conf/slurm.conf"));
  EXPECT_FALSE(is_cache(put("slurm.conf", "")));
}

TEST(SlurmGresStamp, FollowsGresAndNothingElse) {
  const std::string nodes = recording("22.05", "node");
  const std::uint64_t stamp = gres_stamp(nodes);
  auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = nodes;
    std::size_t at = other.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return gres_stamp(other.replace(at, from.size(), to)) != stamp;
  };
  EXPECT_TRUE(changed(" Gres=gpu:h100:8", " Gres=gpu:h100:7"));
  EXPECT_TRUE(changed("NodeName=gpu01", "NodeName=gpu09"));
  EXPECT_FALSE(changed("CPULoad=", "CPULoad=9"));
  EXPECT_FALSE(changed(" GresUsed=", " GresUsed=x"));
  gres_stamp("\n\n Gres=");
}

}  // namespace
}  // namespace tessera::slurm
