// Slurm's files on the disk: read once, read again when they change, what is found in them, and when they are
// not ours to write.
#include "backends/slurm/change/conf_files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "backends/files.hpp"
#include "backends/slurm/change/backups.hpp"
#include "backends/slurm/change/node_files.hpp"
#include "backends/slurm/parse/parse_node.hpp"
#include "engine/hostlist.hpp"
#include "engine/slurmconf/meaning.hpp"
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

// ── writing ─────────────────────────────────────────────────────────────────────────────────────────────

std::string text_of(const std::string& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}
std::string path_of(int file) { return real_path("/proc/self/fd/" + std::to_string(file)); }

// A power cut after the rename would leave an empty file, or half of what the run has found.
TEST_F(SlurmConfFiles, TextAndBackupAreOnTheDiskBeforeTheyHaveTheirNames) {
  const std::string conf = real_path(scratch_.write("slurm.conf", "old\n"));
  std::map<std::string, std::string> synced;
  Disk disk;
  disk.sync = [&](int file) {
    synced[path_of(file)] = text_of(path_of(file));
    return ::fsync(file);
  };
  std::vector<std::string> names;
  disk.sync_folder = [&](const std::string& folder) {
    for (const auto& one : std::filesystem::directory_iterator(folder))
      names.push_back(one.path().filename().string());
    names.push_back(text_of(conf));
  };
  ASSERT_TRUE(write_conf_files({{conf, "old\n"}}, {{conf, "new\n"}}, "R1", disk));
  // Once with the backup's name before the file is replaced, once with the new text.
  ASSERT_EQ(names.size(), 6u) << "each new name is on the disk, too";
  EXPECT_EQ(names[2], "old\n");
  EXPECT_EQ(names[5], "new\n");
  const std::map<std::string, std::string> wanted{{conf + ".tessera-old", "old\n"},
                                                  {conf + ".tessera-new", "new\n"}};
  EXPECT_EQ(synced, wanted);
  EXPECT_EQ(text_of(conf), "new\n");
  EXPECT_EQ(text_of(backup_of(conf, "R1")), "old\n");
  // A disk that is full then leaves everything as it was.
  disk.sync = [](int) {
    errno = ENOSPC;
    return -1;
  };
  EXPECT_FALSE(write_conf_files({{conf, "new\n"}}, {{conf, "newer\n"}}, "R2", disk));
  EXPECT_EQ(text_of(conf), "new\n");
  EXPECT_NE(::access(backup_of(conf, "R2").c_str(), F_OK), 0) << "a backup is whole or not there";
  EXPECT_NE(::access((conf + ".tessera-old").c_str(), F_OK), 0);
}

// A run that writes a second time, because a step was tried again, has found what it found the first time.
TEST_F(SlurmConfFiles, TheBackupOfARunIsWhatItFoundHoweverOftenItWrites) {
  const std::string conf = real_path(scratch_.write("slurm.conf", "found\n"));
  ASSERT_TRUE(write_conf_files({{conf, "found\n"}}, {{conf, "first\n"}}, "R1"));
  ASSERT_TRUE(write_conf_files({{conf, "first\n"}}, {{conf, "second\n"}}, "R1"));
  EXPECT_EQ(text_of(conf), "second\n");
  EXPECT_EQ(text_of(backup_of(conf, "R1")), "found\n");
}

// Slurm's files may name passwords of its database: whoever could not read them must not read the new ones.
TEST_F(SlurmConfFiles, TheModeStaysWithTheFileAndItsBackup) {
  const std::string conf = real_path(scratch_.write("slurm.conf", "old\n"));
  auto mode = [](const std::string& path) {
    struct stat about {};
    return ::stat(path.c_str(), &about) == 0 ? about.st_mode & 07777 : 0;
  };
  for (mode_t one : {0640, 0664, 0600}) {
    ASSERT_EQ(::chmod(conf.c_str(), one), 0);
    const std::string run = "R" + std::to_string(one), before = text_of(conf);
    ASSERT_TRUE(write_conf_files({{conf, before}}, {{conf, run + "\n"}}, run));
    EXPECT_EQ(mode(conf), one);
    EXPECT_EQ(mode(backup_of(conf, run)), one);
  }
}

TEST_F(SlurmConfFiles, AnEditRightBeforeTheRenameIsSeen) {
  const std::string conf = scratch_.write("slurm.conf", "old\n");
  Disk disk;
  disk.sync = [&](int file) {
    if (path_of(file).ends_with(".tessera-new")) scratch_.write("slurm.conf", "theirs\n");
    return ::fsync(file);
  };
  Status refused = write_conf_files({{conf, "old\n"}}, {{conf, "new\n"}}, "R1", disk);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("edited in the meantime"), std::string::npos);
  EXPECT_EQ(text_of(conf), "theirs\n");
  EXPECT_NE(::access((conf + ".tessera-new").c_str(), F_OK), 0);
}

TEST_F(SlurmConfFiles, AFileThatIsCreatedMeanwhileIsNotOverwritten) {
  const std::string conf = scratch_.write("slurm.conf", "old\n"), gres = scratch_.path() + "/gres.conf";
  const std::vector<slurmconf::File> before{{conf, "old\n"}}, after{{conf, "new\n"}, {gres, "ours\n"}};
  scratch_.write("gres.conf", "theirs\n");
  Status refused = write_conf_files(before, after, "R1");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("created in the meantime"), std::string::npos);
  EXPECT_EQ(text_of(gres), "theirs\n");
  EXPECT_EQ(text_of(conf), "old\n") << "all is looked at before anything is written";
  ::unlink(gres.c_str());
  Disk disk;
  disk.sync = [&](int file) {
    if (path_of(file).ends_with("gres.conf.tessera-new")) scratch_.write("gres.conf", "late\n");
    return ::fsync(file);
  };
  EXPECT_FALSE(write_conf_files(before, after, "R1", disk));
  EXPECT_EQ(text_of(gres), "late\n");
}

TEST_F(SlurmConfFiles, AccessListsAndLabelsStayWithTheFileAndItsBackup) {
  const std::string conf = scratch_.write("slurm.conf", "old\n");
  // user::rw- user:33:r-- group::r-- mask::r-- other::---, as the kernel keeps it.
  const unsigned char acl[] = {2, 0,  0,    0,    1,    0,    6,  0, 0xff, 0xff, 0xff, 0xff, 2,    0,   4,
                               0, 33, 0,    0,    0,    4,    0,  4, 0,    0xff, 0xff, 0xff, 0xff, 16,  0,
                               4, 0,  0xff, 0xff, 0xff, 0xff, 32, 0, 0,    0,    0xff, 0xff, 0xff, 0xff};
  const bool lists = ::setxattr(conf.c_str(), "system.posix_acl_access", acl, sizeof acl, 0) == 0;
  const bool labels = ::setxattr(conf.c_str(), "user.label", "slurm_conf_t", 12, 0) == 0;
  if (!lists && !labels) GTEST_SKIP() << "this file system keeps neither";
  ASSERT_TRUE(write_conf_files({{conf, "old\n"}}, {{conf, "new\n"}}, "R1"));
  for (const std::string& path : {conf, backup_of(conf, "R1")}) {
    char value[256] = {};
    if (labels) {
      EXPECT_EQ(::getxattr(path.c_str(), "user.label", value, sizeof value), 12) << path;
    }
    if (lists) {
      ASSERT_EQ(::getxattr(path.c_str(), "system.posix_acl_access", value, sizeof value),
                static_cast<ssize_t>(sizeof acl))
          << path;
      EXPECT_EQ(std::memcmp(value, acl, sizeof acl), 0) << path;
    }
  }
}

TEST_F(SlurmConfFiles, OldBackupsGoAndTheLastOnesAndOthersFilesStay) {
  const std::string conf = scratch_.write("slurm.conf", "now\n");
  for (int day = 10; day < 20; ++day)
    scratch_.write("slurm.conf.before-202611" + std::to_string(day) + "-0300-n1", std::to_string(day) + "\n");
  for (const char* other : {"slurm.conf.before-upgrade", "slurm.conf.before-20261101", "gres.conf.before-x"})
    scratch_.write(other, "theirs\n");
  const std::vector<slurmconf::File> files{{conf, "now\n"}};
  auto count = [&] {
    return std::distance(std::filesystem::directory_iterator(scratch_.path()),
                         std::filesystem::directory_iterator());
  };
  const TimePoint now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  drop_old_backups(files, now + std::chrono::days(29));
  EXPECT_EQ(count(), 14);
  auto backups = backups_here(files);
  read_texts(backups, newest_runs(backups));
  auto found = found_by_runs(files, backups);
  ASSERT_EQ(found.size(), 8u);
  EXPECT_EQ(found.front().front().text, "19\n") << "the newest run first";
  drop_old_backups(files, now + std::chrono::days(31));
  EXPECT_EQ(count(), 12);
  EXPECT_NE(::access((conf + ".before-20261111-0300-n1").c_str(), F_OK), 0);
  EXPECT_EQ(::access((conf + ".before-20261112-0300-n1").c_str(), F_OK), 0);
}

// ── files that are none ─────────────────────────────────────────────────────────────────────────────────

TEST_F(SlurmConfFiles, AnIncludedFifoOrDeviceEndsInAnErrorAndDoesNotHang) {
  const std::string pipe = scratch_.path() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& name : {pipe, std::string("/dev/zero")}) {
    auto files = read_conf_files(scratch_.write("slurm.conf", "Include " + name + "\n"));
    ASSERT_FALSE(files) << name;
    EXPECT_NE(files.error().reason.find("not a regular file"), std::string::npos) << files.error().reason;
  }
  EXPECT_FALSE(read_conf_files(pipe));
}

// root reads /etc/shadow: nothing of it may be shown.
TEST_F(SlurmConfFiles, NoWordOfAnIncludedFileThatIsNoConfigurationIsShown) {
  scratch_.write("shadow", "root:$6$salt$secret:19000:0:99999:7:::\nKey=1 secret words\n");
  ASSERT_TRUE(watch_.changed(put("slurm.conf", "Include shadow\n")));
  std::string text;
  for (const Remark& one : remarks()) text += one.subject + ": " + one.text + " " + one.hint + "\n";
  EXPECT_NE(text.find("shadow:1: is no Key=Value"), std::string::npos) << text;
  EXPECT_NE(text.find("shadow:2: cannot be read behind Key="), std::string::npos) << text;
  EXPECT_EQ(text.find("secret"), std::string::npos) << text;
  EXPECT_EQ(text.find("root:"), std::string::npos) << text;
}

TEST_F(SlurmConfFiles, MillionsOfNodesAreAnErrorAndNotAFullMemory) {
  std::string lines;
  for (int i = 0; i < 200'001; ++i) lines += "NodeName=n" + std::to_string(i) + "\n";
  auto files = read_conf_files(put("slurm.conf", lines));
  ASSERT_FALSE(files);
  EXPECT_NE(files.error().reason.find("more than 200000 lines"), std::string::npos) << files.error().reason;
  lines.clear();
  for (char c = 'a'; c <= 'z'; ++c) lines += std::string("NodeName=") + c + "[1-65536]\n";
  files = read_conf_files(put("slurm.conf", lines));
  ASSERT_TRUE(files);
  auto all = slurmconf::meaning_of(*files);
  ASSERT_FALSE(all);
  EXPECT_NE(all.error().reason.find(":2: "), std::string::npos) << all.error().reason;
  EXPECT_NE(all.error().reason.find("too many hosts"), std::string::npos) << all.error().reason;
  std::size_t named = 0;
  for (const slurmconf::NodeLine& line : slurmconf::node_lines(slurmconf::read(*files)))
    named += line.names.size();
  EXPECT_LE(named, kMostHosts);
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
