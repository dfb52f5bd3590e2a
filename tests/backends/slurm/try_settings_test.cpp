// What `tessera init` tries of a site's answers, on stand-ins for the way to a node.
#include "backends/slurm/change/try_settings.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/run_binary.hpp"

namespace tessera::slurm {
namespace try_settings_test {

// A site's own way to its nodes, which leads to this machine: `id` says `uid` there.
struct Site {
  test::Scratch folder;
  SlurmOptions options;

  Site(const std::string& uid, const std::string& more = "") {
    program("bin/id", "echo " + uid);
    program(
        "bin/cat",
        "[ \"$1\" = /proc/self/cgroup ] && exec echo 0::/system.slice/sshd.service\nexec /bin/cat \"$@\"");
    const std::string way =
        program("way", "shift\n" + more + "PATH=" + folder.path() + "/bin:$PATH exec \"$@\"");
    options.said.reach = slurmconf::Reach::custom;
    options.said.runner = {way, "{node}"};
    options.conf = folder.write("slurm.conf", "ClusterName=c\nNodeName=n1 Gres=gpu:1\n");
  }

  std::string program(const std::string& name, const std::string& text) const {
    const std::string file = folder.write(name, "#!/bin/sh\n" + text + "\n");
    ::chmod(file.c_str(), 0755);
    return file;
  }
};

TEST(TrySettings, TellsAsWhomCommandsRunOnTheNode) {
  Site site("0");
  const auto came = try_runner(site.options, NodeName("n1"));
  ASSERT_TRUE(came) << to_line(came.error());
  EXPECT_EQ(*came, "root on n1, by id -u");
}

TEST(TrySettings, RefusesAWayThatDoesNotLeadToRoot) {
  Site site("1000");
  const auto came = try_runner(site.options, NodeName("n1"));
  ASSERT_FALSE(came);
  EXPECT_NE(came.error().what.find("as user 1000, not as root"), std::string::npos) << to_line(came.error());
}

TEST(TrySettings, RepeatsWhatTheWayItselfSays) {
  Site site("0", "echo 'Permission denied (publickey).' >&2; exit 255\n");
  const auto came = try_runner(site.options, NodeName("n1"));
  ASSERT_FALSE(came);
  EXPECT_NE(to_line(came.error()).find("Permission denied"), std::string::npos) << to_line(came.error());
}

// A job in the queue would be a change.
TEST(TrySettings, StartsNoJobBySrun) {
  SlurmOptions options;
  options.said.reach = slurmconf::Reach::srun;
  const auto came = try_runner(options, NodeName("n1"));
  ASSERT_TRUE(came);
  EXPECT_EQ(came->find("not tried"), 0u) << *came;
}

TEST(TrySettings, TellsWhetherTheFilesCanBeWrittenAndWritesNothing) {
  Site site("0");
  struct stat before {
  }, after{};
  ASSERT_EQ(::stat(site.options.conf.c_str(), &before), 0);
  const auto here = try_files(site.options);
  ASSERT_TRUE(here) << to_line(here.error());
  EXPECT_NE(here->find(site.options.conf), std::string::npos);
  site.options.said.writer = slurmconf::Writer::host;
  site.options.said.config_host = "conf1";
  const auto there = try_files(site.options);
  ASSERT_TRUE(there) << to_line(there.error());
  EXPECT_NE(there->find("on conf1 can be written"), std::string::npos) << *there;
  ASSERT_EQ(::stat(site.options.conf.c_str(), &after), 0);
  EXPECT_EQ(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST(TrySettings, AFileThatIsNotThereIsNoFileThatCanBeWritten) {
  Site site("0");
  site.options.conf += ".not-there";
  EXPECT_FALSE(try_files(site.options));
  site.options.said.writer = slurmconf::Writer::host;
  site.options.said.config_host = "conf1";
  EXPECT_FALSE(try_files(site.options));
  site.options.said.writer = slurmconf::Writer::site;
  EXPECT_TRUE(try_files(site.options)) << "nothing is written by tessera";
}

}  // namespace try_settings_test
}  // namespace tessera::slurm
