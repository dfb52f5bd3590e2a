// What runs have kept on a config host: found there, given back byte for byte, and taken away when it is old.
#include <filesystem>

#include "backends/slurm/change/host_files.hpp"
#include "tests/backends/slurm/actuator_fixture.hpp"

namespace tessera::slurm {
namespace {

namespace verb = plan::slurm::verb;

class SlurmHostBackups : public SlurmActuatorTest {
 protected:
  SlurmHostBackups() {
    put("slurm.conf", "ClusterName=hpc\nGresTypes=gpu\nNodeName=n[1-2] Gres=gpu:2\n");
    put("gres.conf", "# both\nNodeName=n[1-2] Name=gpu File=/dev/nvidia[0-1]\n");
    put("node", std::string("NodeName=n1 Gres=gpu:2 CPUAlloc=0 CPUTot=64 State=IDLE+DRAIN ") + kOurs +
                    "\nNodeName=n2 Gres=gpu:2 CPUAlloc=0 CPUTot=64 State=IDLE\n");
  }
  Result<HostFiles::Found> read() {
    return answer<HostFiles::Found>([&](auto told) {
      worker_.post(
          [this, told] { files_.read(scratch_.path() + "/slurm.conf", AllowedDevices::unread, told); });
    });
  }
  void drop(TimePoint now) {
    EXPECT_TRUE(answer<Done>([&](auto told) {
      worker_.post([this, now, told] { files_.drop_old_backups(now, [told] { told(Done{}); }); });
    }));
  }
  std::size_t backups() const {
    std::size_t count = 0;
    for (const auto& file : std::filesystem::directory_iterator(scratch_.path()))
      count += file.path().filename().string().find(".before-") != std::string::npos;
    return count;
  }

  NodeRunner runner_{processes_, by_command()};
  HostFiles files_{runner_, NodeName("cfg")};
};

TEST_F(SlurmHostBackups, LinesThatNodesSharedAreJoinedAgain) {
  slurmconf::SlurmSettings far;
  far.files = "host:cfg";
  far.runner = scratch_.path() + "/on {node}";
  say(far);
  const std::string conf = text("slurm.conf"), gres = text("gres.conf");
  ASSERT_TRUE(special(verb::kWriteConfig, {{"gres", "gpu:2,mps:200"}}));
  EXPECT_NE(text("gres.conf"), gres);
  Status back = special(verb::kWriteConfig, {{"gres", "gpu:2"}});
  ASSERT_TRUE(back) << to_line(back.error());
  EXPECT_EQ(text("slurm.conf"), conf);
  EXPECT_EQ(text("gres.conf"), gres);
}

TEST_F(SlurmHostBackups, TextsAndTimesAreReadWithTheFiles) {
  put("gres.conf.before-20261101-0300-n1", "one\n");
  put("gres.conf.before-20261102-0300-n1", "");
  put("slurm.conf.before-20261102-0300-n1", "two\nlines\n");
  put("slurm.conf.before-upgrade", "theirs\n");
  put("topology.conf", "SwitchName=s1 Nodes=n1\n");
  auto found = read();
  ASSERT_TRUE(found) << to_line(found.error());
  std::map<std::string, std::string> texts;
  for (const Backup& one : found->backups)
    texts[one.at.substr(scratch_.path().size() + 1)] = one.text.value_or("not read");
  const std::map<std::string, std::string> wanted{{"gres.conf.before-20261101-0300-n1", "one\n"},
                                                  {"gres.conf.before-20261102-0300-n1", ""},
                                                  {"slurm.conf.before-20261102-0300-n1", "two\nlines\n"}};
  EXPECT_EQ(texts, wanted);
  for (const char* name : {"/gres.conf", "/topology.conf"})
    EXPECT_TRUE(found->changed.contains(scratch_.path() + name)) << name;
  EXPECT_FALSE(found->changed.contains(scratch_.path() + "/slurm.conf")) << "HASH_VAL tells of that";
  auto here = times_beside(found->files);
  for (const auto& [path, time] : found->changed)
    EXPECT_EQ(std::chrono::floor<std::chrono::seconds>(time),
              std::chrono::floor<std::chrono::seconds>(here.at(path)))
        << path;
}

TEST_F(SlurmHostBackups, OldOnesGoAndTheNewestEightStay) {
  for (int day = 10; day < 20; ++day) {
    put("slurm.conf.before-202611" + std::to_string(day) + "-0300-n1", "x\n");
    put("slurm.conf.before-" + std::to_string(day), "theirs\n");
  }
  auto found = read();
  ASSERT_TRUE(found) << to_line(found.error());
  const TimePoint now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  drop(now + std::chrono::days(29));
  EXPECT_EQ(backups(), 20u);
  drop(now + std::chrono::days(31));
  EXPECT_EQ(backups(), 18u);
  EXPECT_EQ(text("slurm.conf.before-20261111-0300-n1"), "");
  EXPECT_EQ(text("slurm.conf.before-20261112-0300-n1"), "x\n");
}

}  // namespace
}  // namespace tessera::slurm
