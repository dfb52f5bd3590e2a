// A node reached by the real ssh and sshd: the daemon runs for each connection behind ssh's own ProxyCommand,
// so that no port is opened. bootstrap unpacks Debian's package below build/: installed, it would listen.
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <future>

#include "backends/runner.hpp"
#include "tests/e2e/slurm_cut_lab.hpp"
#include "tests/support/patience.hpp"

namespace tessera::test {
namespace {

using namespace std::chrono_literals;

// The unpacked package, else one that is installed.
std::string daemon_path() {
  std::string unpacked = source_dir() + "/build/sshd/usr/sbin/sshd";
  return ::access(unpacked.c_str(), X_OK) == 0 ? unpacked : "/usr/sbin/sshd";
}

// sshd separates its privileges by an account of its own, which only the installed package creates: where
// there is none, the daemon sees a /etc/passwd that has it.
std::string daemon_command(const std::string& folder) {
  if (::getpwnam("sshd") != nullptr) return daemon_path();
  std::ofstream(folder + "/passwd") << file_text("/etc/passwd")
                                    << "sshd:x:64999:65534::/run/sshd:/usr/sbin/nologin\n";
  std::ofstream(folder + "/sshd") << "#!/bin/sh\nexec unshare -m sh -c 'mount --bind " << folder
                                  << "/passwd /etc/passwd && exec \"$0\" \"$@\"' " << daemon_path()
                                  << " \"$@\"\n";
  ::chmod((folder + "/sshd").c_str(), 0755);
  return folder + "/sshd";
}

// Files for the two in a folder: keys, what each of them is told, and a `ssh` for PATH.
class RealSsh {
 public:
  static bool possible() { return ::geteuid() == 0 && ::access(daemon_path().c_str(), X_OK) == 0; }
  explicit RealSsh(const std::string& folder) : folder_(folder) {
    std::filesystem::create_directories("/run/sshd");  // it locks itself into that; empty
    std::filesystem::create_directories(folder + "/bin");
    RunOptions keys;
    keys.program = "/usr/bin/ssh-keygen";
    for (const std::string key : {"host", "other", "key"})
      (void)run_tessera({"-q", "-t", "ed25519", "-N", "", "-f", folder + "/" + key}, keys);
    let_in(true);
    know_host("host");
    // SHLVL: bash, called by sshd, reads ~/.bashrc, which may take a second and is the machine's. In another
    // shell it does not.
    write("sshd-gpu01",
          "HostKey " + folder + "/host\nAuthorizedKeysFile " + folder +
              "/authorized\nStrictModes no\nUsePAM no\nPidFile none\nSetEnv SHLVL=2 LAB_NODE=gpu01 PATH=" +
              folder + "/bin:/usr/bin:/bin\n");
    write("ssh_config", "Host gpu*\n  ProxyCommand " + daemon_command(folder) + " -i -f " + folder +
                            "/sshd-%h -E " + log() + "\n  User root\n  IdentityFile " + folder +
                            "/key\n  IdentitiesOnly yes\n  StrictHostKeyChecking yes\n  UserKnownHostsFile " +
                            folder + "/known\n  GlobalKnownHostsFile none\n");
    write("bin/ssh", "#!/bin/sh\nexec /usr/bin/ssh -F " + folder + "/ssh_config \"$@\"\n");
    ::chmod((folder + "/bin/ssh").c_str(), 0755);
  }
  void let_in(bool yes) const { write("authorized", yes ? file_text(folder_ + "/key.pub") : std::string()); }
  void know_host(const std::string& key) const {
    write("known", "gpu01 " + file_text(folder_ + "/" + key + ".pub"));
  }
  std::string log() const { return folder_ + "/sshd.log"; }

 private:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }
  std::string folder_;
};

class SlurmSsh : public SlurmCut {
 protected:
  static void SetUpTestSuite() {
    if (RealSsh::possible()) SlurmCut::SetUpTestSuite();
  }
  void SetUp() override {
    if (!RealSsh::possible()) GTEST_SKIP() << "needs root, and sshd as ./bootstrap test unpacks it";
    SlurmCut::SetUp();
  }
};

TEST_F(SlurmSsh, CutsOverAKillAndComesBackWhileNeighboursRun) {
  RealSsh ssh(lab_->folder());
  Running neighbour = run_on("gpu02", "gpu:h100:2");
  slurmconf::SlurmSettings site = with_runner();
  site.runner = "ssh";
  RunOptions options = command_line();
  Ran ran = tessera(site, {"apply", "-n", "gpu01", "--gpu", "0", "--layout", "7x1g.12gb"},
                    killed_at(options, "gpu01/6:"));
  ASSERT_EQ(ran.code, 128 + SIGKILL) << ran.out << ran.err;
  const std::string run = newest_run(options);
  Ran resumed = tessera(site, {"resume", run}, options);
  ASSERT_EQ(resumed.code, 0) << resumed.out << resumed.err;
  EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
  EXPECT_NE(file_text(ssh.log()).find("Accepted publickey for root"), std::string::npos);
  Ran back = tessera(site, {"undo", run}, options);
  EXPECT_EQ(back.code, 0) << back.out << back.err;
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8") << record("gpu01");
  expect_untouched(neighbour);
}

class RunnerBySsh : public testing::Test {
 protected:
  void SetUp() override {
    if (!RealSsh::possible()) GTEST_SKIP() << "needs root, and sshd as ./bootstrap test unpacks it";
    ssh_.emplace(scratch_.path());
    path_ = getenv("PATH");
    setenv("PATH", (scratch_.path() + "/bin:" + path_).c_str(), 1);
  }
  void TearDown() override {
    if (!path_.empty()) setenv("PATH", path_.c_str(), 1);
  }
  static Result<NodeAnswer> run(std::vector<std::string> argv, Duration deadline = 20s) {
    NodeCommand wanted;
    wanted.node = NodeName("gpu01");
    wanted.argv = std::move(argv);
    wanted.deadline = deadline;
    RunnerOptions options;
    options.reach = slurmconf::Reach::ssh;
    std::promise<Result<NodeAnswer>> promise;
    auto future = promise.get_future();
    Worker worker;
    Processes processes(worker);
    NodeRunner runner(processes, options);
    worker.post([&] {
      runner.run(wanted, [&](Result<NodeAnswer> answer) { promise.set_value(std::move(answer)); });
    });
    bool told = future.wait_for(test::kPatience) == std::future_status::ready;
    worker.stop();
    return told ? future.get() : Result<NodeAnswer>(Error{"no answer in the test's time", "", ""});
  }
  Scratch scratch_;
  std::optional<RealSsh> ssh_;
  std::string path_;
};

TEST_F(RunnerBySsh, WordsAndExitCodesComeThroughAsTheyAre) {
  auto answer = run({"printf", "<%s>", "$(id)", "a b", "", "'", "\n", "*", "`id`", "\\"});
  ASSERT_TRUE(answer) << to_line(answer.error());
  EXPECT_EQ(answer->out, "<$(id)><a b><><'><\n><*><`id`><\\>");
  // 255 is ssh's own word for "no connection", and nvidia-smi's for an unknown error.
  answer = run({"sh", "-c", "echo out; echo err >&2; exit 255"});
  ASSERT_TRUE(answer) << to_line(answer.error());
  EXPECT_EQ(answer->exit_code, 255);
  EXPECT_EQ(answer->out, "out\n");
  EXPECT_EQ(answer->err, "err\n");
}

TEST_F(RunnerBySsh, AHangingLookIsEndedOnTheNodeToo) {
  auto answer = run({"sleep", "601.7"}, 2s);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "no answer from gpu01");
  RunOptions look;
  look.program = "/usr/bin/pgrep";
  std::string left = "not looked yet";
  for (int tries = 0; tries < 200 && !left.empty(); ++tries)
    left = run_tessera({"-f", "^sleep 601.7"}, look).out;
  EXPECT_EQ(left, "");
}

// It was a login for each command: some fourteen for a step.
TEST_F(RunnerBySsh, CommandsShareOneLoginAndItIsClosedWithTheirOwner) {
  RunnerOptions options;
  options.reach = slurmconf::Reach::ssh;
  Worker worker;
  Processes processes(worker);
  std::filesystem::create_directories(scratch_.path() + "/run");
  SshConnections connections(processes, {scratch_.path() + "/run"}, "");
  NodeRunner runner(processes, options, &connections);
  auto there = [&](std::vector<std::string> argv) {
    NodeCommand wanted;
    wanted.node = NodeName("gpu01");
    wanted.argv = std::move(argv);
    std::promise<Result<NodeAnswer>> promise;
    worker.post(
        [&] { runner.run(wanted, [&](Result<NodeAnswer> told) { promise.set_value(std::move(told)); }); });
    return promise.get_future().get();
  };
  for (int i = 0; i < 5; ++i) {
    auto answer = there({"sh", "-c", "echo out; echo err >&2; exit 255"});
    ASSERT_TRUE(answer) << to_line(answer.error());
    EXPECT_EQ(answer->exit_code, 255);
    EXPECT_EQ(answer->out, "out\n");
    EXPECT_EQ(answer->err, "err\n");
  }
  EXPECT_EQ(connections.why_not(), "");
  const std::string log = file_text(ssh_->log());
  std::size_t logins = 0;
  for (std::size_t at = log.find("Accepted publickey"); at != std::string::npos;
       at = log.find("Accepted publickey", at + 1))
    ++logins;
  EXPECT_EQ(logins, 1u) << log;
  RunOptions look;
  look.program = "/usr/bin/pgrep";
  EXPECT_NE(run_tessera({"-f", "ssh: " + scratch_.path() + "/run/.*mux"}, look).out, "") << "it stays open";
  std::promise<void> closed;
  worker.post([&] { connections.close([&] { closed.set_value(); }); });
  closed.get_future().wait();
  std::string left = "not looked yet";
  for (int tries = 0; tries < 200 && !left.empty(); ++tries)
    left = run_tessera({"-f", "ssh: " + scratch_.path() + "/run/.*mux"}, look).out;
  EXPECT_EQ(left, "");
  worker.stop();
}

// What ssh says of a host that is another, and of one that lets no one in, reaches the admin.
TEST_F(RunnerBySsh, AHostThatIsAnotherOrRefusesTheLoginIsReportedInSshsWords) {
  ssh_->know_host("other");
  auto answer = run({"true"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "cannot run on gpu01 by ssh");
  EXPECT_NE(answer.error().reason.find("Host key verification failed"), std::string::npos)
      << to_line(answer.error());
  ssh_->know_host("host");
  ssh_->let_in(false);
  answer = run({"true"});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().reason.find("Permission denied"), std::string::npos) << to_line(answer.error());
  EXPECT_FALSE(answer.error().hint.empty());
}

}  // namespace
}  // namespace tessera::test
