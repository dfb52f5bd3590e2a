// Slurm's files in the hands of runs: by one at a time, whoever else is there, here and on a config host.
#include <sys/wait.h>

#include <filesystem>
#include <sstream>

#include "backends/slurm/change/host_files.hpp"
#include "engine/plan/basis.hpp"
#include "tests/backends/slurm/actuator_fixture.hpp"
#include "tests/support/patience.hpp"

namespace tessera::slurm {
namespace {

using namespace std::chrono_literals;
namespace key = plan::slurm::key;
namespace verb = plan::slurm::verb;

// Whose lock it is; empty: ours.
std::string holder(const Result<std::optional<ConfLock>>& lock) {
  return !lock ? to_line(lock.error()) : *lock ? (*lock)->mark : "";
}

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
  EXPECT_EQ(holder(lock_conf_files(scratch_.path() + "/slurm.conf", plan::to_text(kOurMark))), kTheirs);

  // It lets go while we wait; what it has written meanwhile stays.
  auto promise = std::make_shared<std::promise<Status>>();
  auto written = promise->get_future();
  actuator().perform({NodeName("n1"), write, kOurMark, "n1/1", 60s},
                     [promise](Status told) { promise->set_value(std::move(told)); });
  put("slurm.conf", "ClusterName=hpc\nGresTypes=gpu\n# theirs\nNodeName=n1 Gres=gpu:2\n");
  unlock_conf_files(scratch_.path() + "/slurm.conf", kTheirs);
  ASSERT_EQ(written.wait_for(test::kPatience), std::future_status::ready);
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

TEST_F(SlurmActuatorTest, TheFileOfAllowedDevicesIsWrittenWithTheOthersWhereSlurmReadsIt) {
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  put("cgroup_allowed_devices_file.conf", "/dev/null\n/dev/nvidia*\n");
  const std::string devices = scratch_.path() + "/cgroup_allowed_devices_file.conf";
  auto text = [&] {
    std::ifstream stream(devices);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  ASSERT_TRUE(special(verb::kWriteConfig, {{"gres", "gpu:2,mps:200"}}));
  EXPECT_EQ(text(), "/dev/null\n/dev/nvidia*\n") << "22.05 does not read it";
  put("config",
      "SLURM_VERSION = 21.08.5\nHASH_VAL = Match\nSlurmUser = slurm(64030)\nAuthType = auth/munge\n");
  put("cgroup_allowed_devices_file.conf", "/dev/null\n/dev/nvidia[0-9]\n");
  ASSERT_TRUE(special(verb::kWriteConfig, {{"gres", "gpu:2"}}));
  EXPECT_EQ(text(), "/dev/null\n/dev/nvidia[0-9]\n/dev/nvidiactl\n/dev/nvidia-uvm\n/dev/nvidia-uvm-tools\n");
  EXPECT_EQ(word(look(), key::kConfig), "gpu:2");
}

// A run that has written waits for no other node that a run holds: both would wait for ever. What stands
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
    ASSERT_EQ(one.wait_for(test::kPatience), std::future_status::ready);
    Status done = one.get();
    EXPECT_TRUE(done) << to_line(done.error());
  }
  EXPECT_EQ(word(look(), key::kConfig), "gpu:2,shard:4");
}

class SlurmHostFiles : public SlurmActuatorTest {
 protected:
  Result<HostFiles::Found> read() {
    return answer<HostFiles::Found>(
        [&](auto told) { worker_.post([this, told] { files_.read(conf_, devices_, told); }); });
  }
  Status write(const std::vector<slurmconf::File>& before, const std::vector<slurmconf::File>& after) {
    return answer<Done>(
        [&](auto told) { worker_.post([=, this] { files_.write(before, after, "R1", told); }); });
  }
  static int count(const std::string& all, const std::string& part) {
    int times = 0;
    for (std::size_t at = all.find(part); at != std::string::npos; at = all.find(part, at + 1)) ++times;
    return times;
  }

  NodeRunner runner_{processes_, by_command()};
  HostFiles files_{runner_, NodeName("cfg")};
  AllowedDevices devices_ = AllowedDevices::unread;
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

// A plan that is looked at meanwhile may still be begun.
TEST_F(SlurmHostFiles, ThatAreReadAgainAndSayTheSameLeaveTheSiteAsItWas) {
  slurmconf::SlurmSettings far;
  far.files = "host:cfg";
  far.runner = scratch_.path() + "/on {node}";
  say(far);
  auto read_again = [&] {
    ASSERT_TRUE(answer<Done>([&](auto told) {
      worker_.post([this, told] {
        actuator().read_host_files("22.05.8", conf_,
                                   [told](const Result<std::vector<slurmconf::File>>& found, const auto&) {
                                     told(found ? Status(Done{}) : Status(found.error()));
                                   });
      });
    }));
  };
  actuator();
  read_again();
  Node unlike;
  unlike.name = NodeName("n1");
  std::promise<void> held;
  worker_.post([&] {
    actuator().hold_against({unlike});
    held.set_value();
  });
  held.get_future().wait();
  const plan::Means planned = actuator().means();
  ASSERT_TRUE(planned.slurm);
  ASSERT_EQ(planned.slurm->unapplied, std::vector<std::string>{"n1"});
  read_again();
  auto changed = [&] {
    return plan::what_changed(plan::basis_of(planned, {}, plan::Outside::none),
                              plan::basis_of(actuator().means(), {}, plan::Outside::none));
  };
  EXPECT_EQ(changed(), std::vector<std::string>{});
  put("slurm.conf", "ClusterName=hpc\nGresTypes=gpu,mps\nNodeName=n1 Gres=gpu:2\n");
  read_again();
  ASSERT_EQ(changed().size(), 1u);
  EXPECT_NE(changed()[0].find("slurm.conf was edited"), std::string::npos) << changed()[0];
}

TEST_F(SlurmHostFiles, TheFileOfAllowedDevicesIsOneOfThemWhereSlurmReadsIt) {
  put("cgroup_allowed_devices_file.conf", "/dev/null\n");
  auto found = read();
  ASSERT_TRUE(found) << to_line(found.error());
  EXPECT_EQ(found->files.size(), 2u);
  devices_ = AllowedDevices::read;
  found = read();
  ASSERT_TRUE(found) << to_line(found.error());
  ASSERT_EQ(found->files.size(), 3u);
  EXPECT_EQ(found->files[2].text, "/dev/null\n");
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

TEST_F(SlurmHostFiles, WhatAUserEditsMeanwhileIsNotTouched) {
  auto found = read();
  ASSERT_TRUE(found);
  std::vector<slurmconf::File> after = found->files;
  after[0].text = "ClusterName=other\n";
  put("slurm.conf", "ClusterName=theirs\n");
  Status refused = write(found->files, after);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("it was edited in the meantime"), std::string::npos);
  EXPECT_EQ(text("slurm.conf"), "ClusterName=theirs\n");
  // Between the first look and the last one, too.
  put("slurm.conf", found->files[0].text);
  put("far", "case \"$*\" in *sync*.tessera-new) echo '# late' >> " + conf_ + ";; esac\n");
  refused = write(found->files, after);
  ASSERT_FALSE(refused);
  EXPECT_EQ(text("slurm.conf"), found->files[0].text + "# late\n");
}

// Absent at the look: nothing reports what it says, so it is not replaced.
TEST_F(SlurmHostFiles, AFileThatIsCreatedMeanwhileIsNotOverwritten) {
  auto found = read();
  ASSERT_TRUE(found);
  std::vector<slurmconf::File> after = found->files;
  after.push_back({scratch_.path() + "/new.conf", "# ours\n"});
  put("new.conf", "# theirs\n");
  Status refused = write(found->files, after);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("created in the meantime"), std::string::npos);
  EXPECT_EQ(text("new.conf"), "# theirs\n");
  ::unlink((scratch_.path() + "/new.conf").c_str());
  put("far", "case \"$2\" in sync) echo '# late' > " + scratch_.path() + "/new.conf;; esac\n");
  refused = write(found->files, after);
  ASSERT_FALSE(refused);
  EXPECT_EQ(text("new.conf"), "# late\n");
}

TEST_F(SlurmHostFiles, ABackupIsOnTheDiskBeforeItHasItsName) {
  auto found = read();
  ASSERT_TRUE(found);
  std::vector<slurmconf::File> after = found->files;
  after[0].text += "# more\n";
  ASSERT_TRUE(write(found->files, after));
  std::size_t copied = log().find("cfg sync -- " + conf_ + ".tessera-old");
  std::size_t named = log().find("cfg mv -f -T -- " + conf_ + ".tessera-old " + conf_ + ".before-R1");
  ASSERT_NE(copied, std::string::npos) << log();
  EXPECT_LT(copied, named) << log();
}

TEST_F(SlurmHostFiles, WhatIsNotWantedAnyMoreIsNotWritten) {
  auto found = read();
  ASSERT_TRUE(found);
  std::vector<slurmconf::File> after = found->files;
  after[0].text += "# late\n";
  Status refused = answer<Done>([&](auto told) {
    worker_.post([&, told] { files_.write(found->files, after, "R1", told, [] { return false; }); });
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(text("slurm.conf"), found->files[0].text);
}

TEST_F(SlurmHostFiles, AreLockedByTheSameLinkAsByWhomeverIsThere) {
  const std::string mark = plan::to_text(kOurMark);
  using Lock = std::optional<ConfLock>;
  auto lock = [&](const std::string& whose) {
    return answer<Lock>(
        [&](auto told) { worker_.post([this, told, whose] { files_.lock(conf_, whose, told); }); });
  };
  auto unlock = [&](const std::string& whose) {
    return answer<Done>([&](auto told) {
      worker_.post([this, told, whose] { files_.unlock(conf_, whose, [told] { told(Done{}); }); });
    });
  };
  EXPECT_EQ(holder(lock(mark)), "");
  EXPECT_EQ(holder(lock(mark)), "") << "the same run, taken up";
  EXPECT_EQ(holder(lock(kTheirs)), mark);
  EXPECT_EQ(holder(lock_conf_files(conf_, kTheirs)), mark);
  ASSERT_TRUE(unlock(kTheirs));
  EXPECT_EQ(holder(lock(kTheirs)), mark) << "only its own is given back";
  ASSERT_TRUE(unlock(mark));
  EXPECT_EQ(holder(lock_conf_files(conf_, kTheirs)), "");
  EXPECT_EQ(holder(lock(mark)), kTheirs);
  EXPECT_EQ(lock(mark).value()->maker, ConfLock::Maker::lives) << "this very process";
  put("far", "echo 'no route' >&2; exit 255\n");
  auto away = lock(mark);
  ASSERT_FALSE(away);
  EXPECT_EQ(away.error().reason, "no route");
}

// As for one that lies here.
TEST_F(SlurmHostFiles, ALockWithoutAHolderIsNamedWithTheHost) {
  const TimePoint now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  auto seen = [&](TimePoint when) {
    return answer<std::optional<Remark>>([&](auto told) {
      worker_.post([this, told, when] {
        files_.look_at_lock(conf_, when, [told](std::optional<Remark> remark) { told(std::move(remark)); });
      });
    });
  };
  auto none = seen(now);
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->has_value());
  EXPECT_EQ(holder(lock_conf_files(conf_, kTheirs)), "");
  EXPECT_FALSE(seen(now).value().has_value()) << "at work";
  // From when the lock stood: a second that passed before it was made would make it younger than that.
  const TimePoint later =
      std::chrono::floor<Duration>(std::chrono::system_clock::now()) + std::chrono::hours(3);
  auto old = seen(later);
  ASSERT_TRUE(old && *old);
  EXPECT_EQ((*old)->subject, "cfg:" + conf_ + ".tessera-lock");
  EXPECT_NE((*old)->text.find("3 h 00 min old"), std::string::npos) << (*old)->text;
  // By a user on that host, whose processes are not seen from here.
  ::unlink((conf_ + ".tessera-lock").c_str());
  ASSERT_EQ(::symlink((std::string(kTheirs) + ": process 7 1 elsewhere/1").c_str(),
                      (conf_ + ".tessera-lock").c_str()),
            0);
  old = seen(later);
  ASSERT_TRUE(old && *old);
  EXPECT_NE((*old)->hint.find("on cfg: rm " + conf_ + ".tessera-lock"), std::string::npos) << (*old)->hint;
  put("far", "echo 'no route' >&2; exit 255\n");
  EXPECT_FALSE(seen(later).value().has_value());
}

// Made by a process of this machine that is no more, by one that lives, or by a user elsewhere.
class SlurmConfLock : public SlurmActuatorTest {
 protected:
  void made_by(const std::string& text) {
    ::unlink(lock_.c_str());
    ASSERT_EQ(::symlink(text.c_str(), lock_.c_str()), 0);
  }
  // As lock_text() of a process that has ended meanwhile.
  static std::string by_the_dead(const std::string& mark) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string text = lock_text(mark);
      (void)!::write(ends[1], text.data(), text.size());
      ::_exit(0);
    }
    ::close(ends[1]);
    char text[1000];
    const ssize_t size = ::read(ends[0], text, sizeof text);
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return {text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }
  const std::string conf_ = scratch_.path() + "/slurm.conf", lock_ = lock_of(conf_);
  const plan::Special write_{std::string(verb::kWriteConfig), {{"gres", "gpu:2,mps:200"}}};
};

TEST_F(SlurmConfLock, WhoseMakerHasDiedIsToldAtOnceWithTheWayOutAndNeverTaken) {
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  const std::string dead = by_the_dead(kTheirs);
  made_by(dead);
  const auto began = std::chrono::steady_clock::now();
  Status refused = perform(write_, 2 * test::kPatience);
  ASSERT_FALSE(refused);
  EXPECT_LT(std::chrono::steady_clock::now() - began, test::kPatience) << "no run waits for a dead one";
  EXPECT_NE(refused.error().reason.find(std::string(kTheirs) + " has died while it was writing them"),
            std::string::npos)
      << to_line(refused.error());
  EXPECT_NE(refused.error().reason.find(" s old)"), std::string::npos);
  EXPECT_NE(refused.error().hint.find("tessera resume 20261122-0200-n2"), std::string::npos)
      << to_line(refused.error());
  EXPECT_NE(refused.error().hint.find("rm " + lock_), std::string::npos);
  EXPECT_EQ(std::filesystem::read_symlink(lock_), dead) << "it is for an admin to remove";
  auto found = lock_remark(conf_, std::chrono::floor<Duration>(std::chrono::system_clock::now()));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->subject, lock_);
  EXPECT_NE(found->text.find("has died"), std::string::npos);
  ::unlink(lock_.c_str());
  EXPECT_TRUE(perform(write_, 60s));
}

TEST_F(SlurmConfLock, OfTheSameRunIsTakenOverFromTheDeadAndNotFromTheLiving) {
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  const std::string mark = plan::to_text(kOurMark);
  made_by(by_the_dead(mark));
  EXPECT_EQ(holder(lock_conf_files(conf_, mark)), "");
  EXPECT_EQ(std::filesystem::read_symlink(lock_), lock_text(mark)) << "now it says who is at it";
  unlock_conf_files(conf_, mark);
  EXPECT_FALSE(conf_lock(conf_));
  // A run of the same name, driven by a process that lives: our parent.
  std::string living = lock_text(mark);
  const std::string parent = std::to_string(::getppid());
  std::ifstream stat("/proc/" + parent + "/stat");
  std::string fields((std::istreambuf_iterator<char>(stat)), {}), started;
  std::istringstream words(fields.substr(fields.rfind(") ") + 2));
  for (int field = 3; field <= 22; ++field) words >> started;
  const std::size_t at = living.find(": process ") + 10;
  const std::string before = living.substr(0, at), realm = living.substr(living.rfind(' '));
  living = before + parent + " " + started + realm;
  made_by(living);
  auto held = lock_conf_files(conf_, mark);
  ASSERT_TRUE(held);
  ASSERT_TRUE(*held);
  EXPECT_EQ((*held)->maker, ConfLock::Maker::lives);
  unlock_conf_files(conf_, mark);
  EXPECT_TRUE(conf_lock(conf_)) << "it is not ours to give back";
  const TimePoint now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  EXPECT_FALSE(lock_remark(conf_, now)) << "it is at work";
  const auto long_held = lock_remark(conf_, now + std::chrono::hours(3));
  ASSERT_TRUE(long_held);
  EXPECT_TRUE(long_held->since) << "by the time of its file";
  // The number has been given to another process since.
  made_by(before + parent + " 1" + realm);
  EXPECT_EQ(conf_lock(conf_)->maker, ConfLock::Maker::gone);
}

TEST_F(SlurmConfLock, WhatIsMadeElsewhereOrByAnUnknownProcessIsCalledNeither) {
  const std::string other = lock_text(kTheirs);
  for (const std::string& text :
       {other.substr(0, other.rfind(' ')) + " 0f0f/4026531836", std::string(kTheirs), std::string("x"),
        std::string(kTheirs) + ": process 99999999999999 1 x", std::string(kTheirs) + ": process -1",
        std::string(kTheirs) + ": process 1", std::string(kTheirs) + ": process 1 ",
        std::string("\x1b[2J")}) {
    ConfLock lock = read_lock(text);
    EXPECT_EQ(lock.maker, ConfLock::Maker::unknown) << text;
    EXPECT_EQ(lock.mark.find('\x1b'), std::string::npos);
    made_by(text);
    const TimePoint now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
    EXPECT_FALSE(lock_remark(conf_, now)) << text;
    auto old = lock_remark(conf_, now + std::chrono::hours(3));
    ASSERT_TRUE(old) << text;
    EXPECT_NE(old->text.find("3 h 00 min old"), std::string::npos) << old->text;
    EXPECT_NE(old->hint.find("whether it lives is to be seen"), std::string::npos) << old->hint;
  }
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
  auto away = answer<HostFiles::Found>(
      [&](auto told) { worker_.post([&, told] { fresh.read(conf_, devices_, told); }); });
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
