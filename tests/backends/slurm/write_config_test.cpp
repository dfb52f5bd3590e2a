// Slurm's files in the hands of runs: by one at a time, whoever else is there, here and on a config host.
#include "backends/slurm/host_files.hpp"
#include "tests/backends/slurm/actuator_fixture.hpp"

namespace tessera::slurm {
namespace {

using namespace std::chrono_literals;
namespace key = plan::slurm::key;
namespace verb = plan::slurm::verb;

TEST_F(SlurmActuatorTest, FilesThatAnotherRunIsWritingAreWaitedForAndItsRunIsNamed) {
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  const std::string lock = lock_of(scratch_.path() + "/slurm.conf");
  ASSERT_EQ(::symlink(kTheirs, lock.c_str()), 0);
  const plan::Special write{std::string(verb::kWriteConfig), {{"gres", "gpu:2,mps:200"}}};
  Status refused = perform(write, 1s);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find(kTheirs), std::string::npos) << to_line(refused.error());
  EXPECT_NE(refused.error().hint.find("rm " + lock), std::string::npos) << to_line(refused.error());
  EXPECT_EQ(word(look(), key::kConfig), "gpu:2");
  EXPECT_EQ(lock_conf_files(scratch_.path() + "/slurm.conf", plan::to_text(kOurMark)).value(), kTheirs);

  // It lets go while we wait; what it has written meanwhile stays.
  auto promise = std::make_shared<std::promise<Status>>();
  auto written = promise->get_future();
  actuator().perform({NodeName("n1"), write, kOurMark, "n1/1", 60s},
                     [promise](Status told) { promise->set_value(std::move(told)); });
  put("slurm.conf", "ClusterName=hpc\nGresTypes=gpu\n# theirs\nNodeName=n1 Gres=gpu:2\n");
  unlock_conf_files(scratch_.path() + "/slurm.conf", kTheirs);
  ASSERT_EQ(written.wait_for(30s), std::future_status::ready);
  Status told = written.get();
  ASSERT_TRUE(told) << to_line(told.error());
  EXPECT_EQ(word(look(), key::kConfig), "gpu:2,mps:200");
  auto files = read_conf_files(scratch_.path() + "/slurm.conf");
  ASSERT_TRUE(files);
  EXPECT_NE(files->front().text.find("# theirs"), std::string::npos);
  struct stat about {};
  EXPECT_NE(::lstat(lock.c_str(), &about), 0) << "nothing is left behind";
}

TEST_F(SlurmActuatorTest, ALockThatThisRunLeftBehindIsItsOwn) {
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  const std::string lock = lock_of(scratch_.path() + "/slurm.conf");
  ASSERT_EQ(::symlink("tessera 20261122-0300-n1 ann@login", lock.c_str()), 0);  // drove it before
  ASSERT_TRUE(special(verb::kWriteConfig, {{"gres", "gpu:2,mps:200"}}));
  struct stat about {};
  EXPECT_NE(::lstat(lock.c_str(), &about), 0);
}

// A run that has written waits for nobody else's node that a run holds: both would wait for ever. What stands
// in the files for a node that works is another matter.
TEST_F(SlurmActuatorTest, AnEditOfAnotherRunsEmptyNodeIsNoReasonToWait) {
  put("slurm.conf", "ClusterName=hpc\nGresTypes=gpu\nNodeName=n[1-2] Gres=gpu:2\n");
  actuator();
  auto elsewhere = [&](const std::string& other) {
    put("node",
        "NodeName=n1 Gres=gpu:2 CPUAlloc=0 CPUTot=64 State=IDLE\nNodeName=n2 Gres=gpu:4 " + other + "\n");
    return word(look(), key::kElsewhere);
  };
  const std::string theirs = std::string("Reason=") + kTheirs + ": his [bob@2026-11-22T02:00:00]";
  EXPECT_EQ(elsewhere("CPUAlloc=0 CPUTot=64 State=IDLE+DRAIN " + theirs), "");
  EXPECT_EQ(elsewhere("CPUAlloc=8 CPUTot=64 State=MIXED+DRAIN " + theirs),
            "n2 runs with gpu:4, and the files say gpu:2 (changed by run 20261122-0200-n2 of bob)");
  for (const std::string& other :
       {"CPUAlloc=0 CPUTot=64 State=IDLE+DRAIN+COMPLETING " + theirs, "CPUTot=64 State=IDLE+DRAIN " + theirs,
        // 24.11: the reason outlives the drain
        "CPUAlloc=0 CPUTot=64 State=IDLE " + theirs,
        std::string("CPUAlloc=0 CPUTot=64 State=IDLE+DRAIN Reason=fan broken")})
    EXPECT_NE(elsewhere(other).find("n2 runs with gpu:4"), std::string::npos) << other;
}

// Nodes of one batch: each looks only when the one before it has written.
TEST_F(SlurmActuatorTest, StepsOfOneRunWriteOneAfterTheOther) {
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  std::vector<std::future<Status>> told;
  for (const char* gres : {"gpu:2,mps:200", "gpu:2,shard:8", "gpu:2,mps:200", "gpu:2,shard:4"}) {
    auto promise = std::make_shared<std::promise<Status>>();
    told.push_back(promise->get_future());
    plan::Special write{std::string(verb::kWriteConfig), {{"gres", gres}}};
    actuator().perform({NodeName("n1"), write, kOurMark, "n1/1", 60s},
                       [promise](Status done) { promise->set_value(std::move(done)); });
  }
  for (std::future<Status>& one : told) {
    ASSERT_EQ(one.wait_for(30s), std::future_status::ready);
    Status done = one.get();
    EXPECT_TRUE(done) << to_line(done.error());
  }
  EXPECT_EQ(word(look(), key::kConfig), "gpu:2,shard:4");
}

class SlurmHostFiles : public SlurmActuatorTest {
 protected:
  RunnerOptions by_command() const {
    RunnerOptions wanted;
    wanted.reach = slurmconf::Reach::custom;
    wanted.custom = {scratch_.path() + "/on", "{node}"};
    return wanted;
  }
  Result<HostFiles::Found> read() {
    return answer<HostFiles::Found>(
        [&](auto told) { worker_.post([this, told] { files_.read(conf_, told); }); });
  }
  Status write(const std::vector<slurmconf::File>& before, const std::vector<slurmconf::File>& after) {
    return answer<Done>(
        [&](auto told) { worker_.post([=, this] { files_.write(before, after, "R1", told); }); });
  }
  std::string text(const std::string& name) const {
    std::ifstream stream(scratch_.path() + "/" + name);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static int count(const std::string& all, const std::string& part) {
    int times = 0;
    for (std::size_t at = all.find(part); at != std::string::npos; at = all.find(part, at + 1)) ++times;
    return times;
  }

  NodeRunner runner_{processes_, by_command()};
  HostFiles files_{runner_, NodeName("cfg")};
  const std::string conf_ = scratch_.path() + "/slurm.conf";
};

TEST_F(SlurmHostFiles, AreReadOnceAndThenOnlyAskedForTheirTimes) {
  put("slurm.conf", "ClusterName=hpc\nInclude more.conf\n");
  auto found = read();
  ASSERT_TRUE(found) << to_line(found.error());
  ASSERT_EQ(found->files.size(), 2u) << "more.conf and cgroup.conf are not there";
  EXPECT_EQ(found->files[1].text, "NodeName=n1 Name=gpu File=/dev/nvidia[0-1]\n");
  EXPECT_EQ(found->cannot_write, "");
  int cats = count(log(), "cfg cat ");
  ASSERT_TRUE(read());
  EXPECT_EQ(count(log(), "cfg cat "), cats);
  put("more.conf", "NodeName=n1\n");
  found = read();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->files.size(), 3u);
}

TEST_F(SlurmHostFiles, AreWrittenInOneStepWithABackupAndTheirMode) {
  ::chmod(conf_.c_str(), 0640);
  const std::string real = scratch_.path() + "/git/gres.conf";
  put("git/gres.conf", "NodeName=n1 Name=gpu File=/dev/nvidia[0-1]\n");
  ::unlink((scratch_.path() + "/gres.conf").c_str());
  ASSERT_EQ(::symlink(real.c_str(), (scratch_.path() + "/gres.conf").c_str()), 0);
  auto found = read();
  ASSERT_TRUE(found) << to_line(found.error());
  std::vector<slurmconf::File> after = found->files;
  const std::string old = after[0].text;
  after[0].text = "ClusterName=hpc\n# $(id) 'quoted' \"and\" more\n";
  after[1].text += "NodeName=n1 Name=mps Count=200\n";
  after.push_back({scratch_.path() + "/new.conf", "# new\n"});
  Status written = write(found->files, after);
  ASSERT_TRUE(written) << to_line(written.error());
  EXPECT_EQ(text("slurm.conf"), after[0].text);
  EXPECT_EQ(text("slurm.conf.before-R1"), old);
  EXPECT_EQ(text("git/gres.conf"), after[1].text);
  EXPECT_EQ(text("new.conf"), "# new\n");
  struct stat about {};
  ASSERT_EQ(::stat(conf_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0640u);
  ASSERT_EQ(::lstat((scratch_.path() + "/gres.conf").c_str(), &about), 0);
  EXPECT_TRUE(S_ISLNK(about.st_mode)) << "the link stays, what it leads to is changed";
  EXPECT_NE(::access((conf_ + ".tessera-new").c_str(), F_OK), 0);
  // A second write of the run keeps what the run has found.
  std::vector<slurmconf::File> again = after;
  again[0].text += "# twice\n";
  ASSERT_TRUE(write(after, again));
  EXPECT_EQ(text("slurm.conf.before-R1"), old);
  EXPECT_EQ(text("slurm.conf"), again[0].text);
}

TEST_F(SlurmHostFiles, WhatSomebodyEditsMeanwhileIsNotTouched) {
  auto found = read();
  ASSERT_TRUE(found);
  std::vector<slurmconf::File> after = found->files;
  after[0].text = "ClusterName=other\n";
  put("slurm.conf", "ClusterName=theirs\n");
  Status refused = write(found->files, after);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("somebody has edited it"), std::string::npos);
  EXPECT_EQ(text("slurm.conf"), "ClusterName=theirs\n");
  // Between the first look and the last one, too.
  put("slurm.conf", found->files[0].text);
  put("far", "case \"$2\" in sync) echo '# late' >> " + conf_ + ";; esac\n");
  refused = write(found->files, after);
  ASSERT_FALSE(refused);
  EXPECT_EQ(text("slurm.conf"), found->files[0].text + "# late\n");
}

TEST_F(SlurmHostFiles, AreLockedByTheSameLinkAsByWhomeverIsThere) {
  const std::string mark = plan::to_text(kOurMark);
  auto lock = [&](const std::string& whose) {
    return answer<std::string>(
        [&](auto told) { worker_.post([this, told, whose] { files_.lock(conf_, whose, told); }); });
  };
  auto unlock = [&](const std::string& whose) {
    return answer<Done>([&](auto told) {
      worker_.post([this, told, whose] { files_.unlock(conf_, whose, [told] { told(Done{}); }); });
    });
  };
  EXPECT_EQ(lock(mark).value(), "");
  EXPECT_EQ(lock(mark).value(), "") << "the same run, taken up";
  EXPECT_EQ(lock(kTheirs).value(), mark);
  EXPECT_EQ(lock_conf_files(conf_, kTheirs).value(), mark);
  ASSERT_TRUE(unlock(kTheirs));
  EXPECT_EQ(lock(kTheirs).value(), mark) << "only its own is given back";
  ASSERT_TRUE(unlock(mark));
  EXPECT_EQ(lock_conf_files(conf_, kTheirs).value(), "");
  EXPECT_EQ(lock(mark).value(), kTheirs);
  put("far", "echo 'no route' >&2; exit 255\n");
  auto away = lock(mark);
  ASSERT_FALSE(away);
  EXPECT_EQ(away.error().reason, "no route");
}

TEST_F(SlurmHostFiles, AHostThatIsAwayAndHalfATransferAreErrors) {
  auto found = read();
  ASSERT_TRUE(found);
  std::vector<slurmconf::File> after = found->files;
  after[0].text = "ClusterName=other\n" + std::string(100000, '#') + "\n";
  put("far", "case \"$2\" in tee) head -c 100 > \"$4\"; head -c 100 \"$4\"; exit 0;; esac\n");
  Status refused = write(found->files, after);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("not all of it"), std::string::npos) << to_line(refused.error());
  EXPECT_EQ(text("slurm.conf"), found->files[0].text);
  put("far", "echo 'no route' >&2; exit 255\n");
  EXPECT_FALSE(write(found->files, after));
  HostFiles fresh(runner_, NodeName("cfg"));
  auto away =
      answer<HostFiles::Found>([&](auto told) { worker_.post([&, told] { fresh.read(conf_, told); }); });
  ASSERT_FALSE(away);
  EXPECT_EQ(away.error().what, "cannot read Slurm's files on cfg");
  EXPECT_EQ(away.error().reason, "no route");
}

TEST_F(SlurmHostFiles, WhatCannotBeWrittenThereIsSaidBeforeAnythingIsDone) {
  put("far", "case \"$*\" in *find*) echo " + conf_ + "; exit 0;; esac\n");
  auto found = read();
  ASSERT_TRUE(found);
  EXPECT_NE(found->cannot_write.find("cannot be written"), std::string::npos);
}

}  // namespace
}  // namespace tessera::slurm
