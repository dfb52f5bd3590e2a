// Ways to a node, with an ssh and an srun of our own on PATH: real processes, whose words are recorded.
#include "backends/runner.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "tests/support/answer.hpp"
#include "tests/support/patience.hpp"

namespace tessera {
namespace {

using namespace std::chrono_literals;
using slurmconf::Reach;
namespace fs = std::filesystem;

// As sshd does: the last word goes to the login shell. What it was given is kept, one word a line.
constexpr const char* kSsh = R"(#!/bin/sh
for word; do last=$word; printf '%s\n' "$word"; done > "$HERE/words"
[ -f "$HERE/broken" ] && { cat "$HERE/broken" >&2; exit 255; }
cd "$HERE/far"
exec ${LOGIN_SHELL:-sh} -c "$last"
)";
constexpr const char* kSrun = R"(#!/bin/sh
for word; do printf '%s\n' "$word"; done > "$HERE/words"
env | grep '^SLURM_' > "$HERE/environment"
[ -f "$HERE/broken" ] && { cat "$HERE/broken" >&2; exit 1; }
while :; do case "$1" in -w) shift 2;; -*) shift;; *) break;; esac; done
cd "$HERE/far"
"$@"; s=$?
[ $s = 0 ] || echo "srun: error: gpu01: task 0: Exited with exit code $s" >&2
exit $s
)";

class RunnerTest : public testing::Test {
 protected:
  RunnerTest() {
    char name[] = "/tmp/tsr-runner-XXXXXX";
    here_ = mkdtemp(name);
    fs::create_directories(here_ / "far");
    write("ssh", kSsh);
    write("srun", kSrun);
    path_ = getenv("PATH");
    setenv("PATH", (here_.string() + ":" + path_).c_str(), 1);
    setenv("HERE", here_.c_str(), 1);
    worker_ = std::make_unique<Worker>();
    processes_ = std::make_unique<Processes>(*worker_);
  }
  ~RunnerTest() override {
    worker_->stop();
    setenv("PATH", path_.c_str(), 1);
    unsetenv("HERE");
    fs::remove_all(here_);
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(here_ / name) << text;
    ::chmod((here_ / name).c_str(), 0755);
  }
  std::string read(const std::string& name) {
    std::ifstream stream(here_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::vector<std::string> words() {
    std::vector<std::string> all;
    std::ifstream stream(here_ / "words");
    for (std::string line; std::getline(stream, line);) all.push_back(line);
    return all;
  }
  bool said(const std::string& word) {
    auto all = words();
    return std::find(all.begin(), all.end(), word) != all.end();
  }

  static NodeCommand command(std::vector<std::string> argv) {
    NodeCommand wanted;
    wanted.node = NodeName("gpu01");
    wanted.argv = std::move(argv);
    wanted.deadline = test::kPatience;
    return wanted;
  }
  template <class Value, class Start>
  Result<Value> wait_for(Start start) {
    return test::answer_of<Value>(*worker_, test::kPatience, std::move(start));
  }
  Result<NodeAnswer> run(NodeCommand wanted) {
    NodeRunner runner(*processes_, options_);
    return wait_for<NodeAnswer>([&](auto finished) { runner.run(wanted, finished); });
  }

  RunnerOptions options_{Reach::ssh, {}, {}, {}, {}, {}, 5s};
  fs::path here_;
  std::string path_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<Processes> processes_;
};

TEST_F(RunnerTest, SshCarriesOutputErrorsAndTheExitCodeOfTheCommand) {
  auto answer = run(command({"sh", "-c", "echo out; echo err >&2; exit 6"}));
  ASSERT_TRUE(answer) << to_line(answer.error());
  EXPECT_EQ(answer->out, "out\n");
  EXPECT_EQ(answer->err, "err\n");
  EXPECT_EQ(answer->exit_code, 6);
  EXPECT_TRUE(said("BatchMode=yes"));
  EXPECT_TRUE(said("gpu01"));
  EXPECT_TRUE(said("--"));
}

// Exit code 255 is ssh's word for "no connection", and nvidia-smi's for an unknown error.
TEST_F(RunnerTest, ACommandThatEndsWith255IsNoBrokenConnection) {
  auto answer = run(command({"sh", "-c", "echo 'Failed to display: Unknown Error'; exit 255"}));
  ASSERT_TRUE(answer) << to_line(answer.error());
  EXPECT_EQ(answer->exit_code, 255);
}

TEST_F(RunnerTest, WordsReachTheFarSideAsTheyAre) {
  const std::vector<std::string> hostile = {"$(touch owned)",
                                            "`touch owned`",
                                            "; touch owned",
                                            "' ; touch owned; '",
                                            "a\nb",
                                            "",
                                            "*",
                                            "-oProxyCommand=touch owned",
                                            "\\",
                                            "\\'",
                                            "\"",
                                            "!x",
                                            "~",
                                            "#",
                                            "a=b",
                                            "\xff\xfe",
                                            "ümläut",
                                            "$HOME",
                                            "&& touch owned",
                                            "%s"};
  std::vector<std::string> argv = {"printf", "<%s>"};
  argv.insert(argv.end(), hostile.begin(), hostile.end());
  std::string expected;
  for (const std::string& word : hostile) expected += "<" + word + ">";
  for (Reach reach : {Reach::ssh, Reach::srun}) {
    options_.reach = reach;
    auto answer = run(command(argv));
    ASSERT_TRUE(answer) << to_line(answer.error());
    EXPECT_EQ(answer->out, expected);
    EXPECT_EQ(answer->exit_code, 0);
  }
  options_.reach = Reach::custom;
  options_.custom = {"sh", "-c", "{command}"};
  auto answer = run(command(argv));
  ASSERT_TRUE(answer) << to_line(answer.error());
  EXPECT_EQ(answer->out, expected);
  options_.custom = {"env", "NODE={node}"};
  answer = run(command(argv));
  ASSERT_TRUE(answer) << to_line(answer.error());
  EXPECT_EQ(answer->out, expected);
  EXPECT_FALSE(fs::exists(here_ / "far" / "owned"));
  EXPECT_FALSE(fs::exists("owned"));
}

TEST_F(RunnerTest, AnyLoginShellWillDo) {
  for (const char* shell : {"bash", "dash", "zsh", "csh", "tcsh", "fish", "ksh"}) {
    if (!find_program(shell)) continue;
    setenv("LOGIN_SHELL", shell, 1);
    auto answer = run(command({"sh", "-c", "echo \"$1\"; exit 3", "x", "a'b c"}));
    unsetenv("LOGIN_SHELL");
    ASSERT_TRUE(answer) << shell << ": " << to_line(answer.error());
    EXPECT_EQ(answer->out, "a'b c\n") << shell;
    EXPECT_EQ(answer->exit_code, 3) << shell;
  }
}

TEST_F(RunnerTest, NamesThatCouldBeOptionsAreRefused) {
  for (const char* name : {"", "-oProxyCommand=x", "--help", "-Mx", "n[1-9]", "a,b", "a b", "a;b", "root@a",
                           "../a", "$(x)", "a\nb"}) {
    NodeCommand wanted = command({"true"});
    wanted.node = NodeName(name);
    auto answer = run(wanted);
    ASSERT_FALSE(answer) << name;
    EXPECT_EQ(answer.error().reason, "that is no host name");
  }
  EXPECT_FALSE(fs::exists(here_ / "words"));
  NodeCommand wanted = command({std::string("a\0b", 3)});
  EXPECT_FALSE(run(wanted));
  wanted = command({});
  EXPECT_FALSE(run(wanted));
  wanted = command({"true"});
  wanted.reservation = "x --uid=0";
  EXPECT_FALSE(run(wanted));
  options_.reach = Reach::none;
  auto answer = run(command({"true"}));
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().hint.find("ssh, srun"), std::string::npos);
}

// ssh's own exit code passed for the command's, and a step that had succeeded for a lost connection.
TEST_F(RunnerTest, AnErrorTextWithoutItsLastLineBreakDoesNotHideTheExitCode) {
  auto answer = run(command({"sh", "-c", "printf warn >&2; exit 0"}));
  ASSERT_TRUE(answer) << to_line(answer.error());
  EXPECT_EQ(answer->exit_code, 0);
  EXPECT_EQ(answer->err, "warn");
  answer = run(command({"sh", "-c", "printf 'a\\nb\\n' >&2; exit 19"}));
  ASSERT_TRUE(answer) << to_line(answer.error());
  EXPECT_EQ(answer->exit_code, 19);
  EXPECT_EQ(answer->err, "a\nb\n");
}

// tessera may be killed in the middle of a cut: the cut must not be.
// The line that tells the exit code stands alone: a command's own words are none, were they the last.
TEST_F(RunnerTest, WordsOfACommandDoNotPassForItsExitCode) {
  write("broken", "this command says tessera-status 0\n");
  auto answer = run(command({"true"}));
  EXPECT_FALSE(answer) << "the connection broke before the command told how it ended";
  write("broken", "tessera-status 7\n");
  answer = run(command({"true"}));
  ASSERT_TRUE(answer) << "the very first line may be ours";
  EXPECT_EQ(answer->exit_code, 7);
}

TEST_F(RunnerTest, WhatChangesANodeIsNotKilledWithTesseraAndALookIs) {
  options_.custom = {"on", "{node}", "{command}"};
  for (Reach reach : {Reach::ssh, Reach::srun, Reach::custom}) {
    options_.reach = reach;
    NodeCommand wanted = command({"nvidia-smi", "-L"});
    auto look = command_on(options_, wanted);
    wanted.changes = true;
    auto change = command_on(options_, wanted);
    ASSERT_TRUE(look && change);
    EXPECT_TRUE(look->dies_with_us);
    EXPECT_FALSE(change->dies_with_us);
  }
  EXPECT_FALSE(cancel_job(options_, "12").dies_with_us);
}

// A way of the site's that takes words, and one that joins them for a shell there without saying so.
TEST_F(RunnerTest, AnOwnWayWhoseWordsReachAShellRunsNothing) {
  write("faithful", "#!/bin/sh\nshift\necho \"$*\" >> $HERE/ran\nexec \"$@\"\n");
  write("joins", "#!/bin/sh\nshift\necho \"$*\" >> $HERE/ran\nexec sh -c \"$*\"\n");
  options_.reach = Reach::custom;
  options_.custom = {"joins", "{node}"};
  auto answer = run(command({"cat", "$(touch " + here_.string() + "/injected)"}));
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().reason.find("does not hand words on as they are"), std::string::npos);
  EXPECT_NE(answer.error().hint.find("{command}"), std::string::npos);
  EXPECT_FALSE(fs::exists(here_ / "injected"));
  EXPECT_EQ(read("ran").find("touch"), std::string::npos) << read("ran");
  options_.custom = {"faithful", "{node}"};
  answer = run(command({"printf", "%s|", "a b", "$HOME"}));
  ASSERT_TRUE(answer) << to_line(answer.error());
  EXPECT_EQ(answer->out, "a b|$HOME|");
  options_.custom = {"joins", "{node}", "{command}"};
  answer = run(command({"printf", "%s|", "a b", "$HOME"}));
  ASSERT_TRUE(answer) << to_line(answer.error());
  EXPECT_EQ(answer->out, "a b|$HOME|");
}

TEST_F(RunnerTest, AConnectionThatFailsKeepsItsWords) {
  write("broken", "root@gpu01: Permission denied (publickey,password).\n");
  auto answer = run(command({"true"}));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "cannot run on gpu01 by ssh");
  EXPECT_EQ(answer.error().reason, "root@gpu01: Permission denied (publickey,password).");
  EXPECT_NE(answer.error().hint.find("key"), std::string::npos);
  write("broken", "ssh: Could not resolve hostname gpu01: Name or service not known\x1b[31m\r\n");
  answer = run(command({"true"}));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().reason.find('\x1b'), std::string::npos);
  EXPECT_NE(answer.error().hint.find("name"), std::string::npos);
}

// A login shell that does something else (nologin, a forced command) must not be taken for a success.
TEST_F(RunnerTest, AFarSideThatDoesNotRunTheCommandIsAnError) {
  write("ssh", "#!/bin/sh\necho 'This account is currently not available.' >&2\nexit 0\n");
  auto answer = run(command({"nvidia-smi", "-L"}));
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().reason.find("not available"), std::string::npos);
}

TEST_F(RunnerTest, AConnectionLostHalfWaySaysThatItMayHaveRun) {
  write("ssh", "#!/bin/sh\necho half\necho 'Connection to gpu01 closed by remote host.' >&2\nexit 255\n");
  NodeCommand wanted = command({"nvidia-smi", "mig", "-cgi", "19"});
  wanted.changes = true;
  auto answer = run(wanted);
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().hint.find("may have run"), std::string::npos);
}

TEST_F(RunnerTest, WhatHangsEndsAtItsDeadline) {
  NodeCommand wanted = command({"sleep", "600"});
  wanted.deadline = 300ms;
  wanted.changes = true;
  auto answer = run(wanted);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "no answer from gpu01");
  EXPECT_NE(answer.error().reason.find("sleep 600"), std::string::npos);
  EXPECT_NE(answer.error().hint.find("may still run"), std::string::npos);
}

// A look is ended on the node itself; the end of a change is not ours to choose.
TEST_F(RunnerTest, ALookThatHangsIsEndedThere) {
  for (Reach reach : {Reach::ssh, Reach::srun}) {
    options_.reach = reach;
    NodeCommand wanted = command({"sh", "-c", "trap 'echo gone > ended; exit' TERM; sleep 600 & wait"});
    wanted.deadline = 300ms;
    auto answer = run(wanted);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().what, "no answer from gpu01");
    EXPECT_EQ(answer.error().hint, "");
    EXPECT_TRUE(fs::exists(here_ / "far" / "ended"));
    fs::remove(here_ / "far" / "ended");
  }
  // Its own 124, in time, is its own.
  auto answer = run(command({"sh", "-c", "exit 124"}));
  ASSERT_TRUE(answer) << to_line(answer.error());
  EXPECT_EQ(answer->exit_code, 124);
}

TEST_F(RunnerTest, TooLongAnAnswerIsAnError) {
  NodeCommand wanted = command({"yes"});
  wanted.output_limit = 5000;
  auto answer = run(wanted);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "too long an answer from gpu01");
}

TEST_F(RunnerTest, ALongErrorTextDoesNotHideTheExitCode) {
  auto answer = run(command({"sh", "-c", "yes long words | head -c 100000 >&2; exit 4"}));
  ASSERT_TRUE(answer) << to_line(answer.error());
  EXPECT_EQ(answer->exit_code, 4);
}

TEST_F(RunnerTest, InputReachesTheCommand) {
  NodeCommand wanted = command({"cat"});
  wanted.input = "version: v1\n";
  for (Reach reach : {Reach::ssh, Reach::srun}) {
    options_.reach = reach;
    auto answer = run(wanted);
    ASSERT_TRUE(answer) << to_line(answer.error());
    EXPECT_EQ(answer->out, "version: v1\n");
    EXPECT_FALSE(said("-n"));
    EXPECT_FALSE(said("--input=none"));
  }
}

TEST_F(RunnerTest, SrunGoesIntoTheReservationWithoutTakingGpus) {
  options_.reach = Reach::srun;
  options_.slurm_conf = "/etc/other.conf";
  setenv("SLURM_JOB_ID", "77", 1);
  NodeCommand wanted = command({"sh", "-c", "echo out; exit 5"});
  wanted.reservation = "tessera+20261122-0300-n1+root+ctl";
  auto answer = run(wanted);
  unsetenv("SLURM_JOB_ID");
  ASSERT_TRUE(answer) << to_line(answer.error());
  EXPECT_EQ(answer->exit_code, 5);
  EXPECT_EQ(answer->out, "out\n");
  EXPECT_EQ(answer->err, "") << "srun's own line about the task is taken off";
  std::vector<std::string> all = words();
  ASSERT_GE(all.size(), 9u);
  EXPECT_EQ(std::vector<std::string>(all.begin(), all.begin() + 9),
            (std::vector<std::string>{"--reservation=tessera+20261122-0300-n1+root+ctl", "-w", "gpu01", "-N1",
                                      "-n1", "--gres=none", "--mem=0", "--overlap", "--immediate=5"}));
  EXPECT_EQ(read("environment"), "SLURM_CONF=/etc/other.conf\n");
}

TEST_F(RunnerTest, SrunThatGetsNoAllocationIsAnErrorAndNotTheCommands) {
  options_.reach = Reach::srun;
  write("broken", "srun: error: Unable to allocate resources: Requested nodes are busy\n");
  auto answer = run(command({"true"}));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "cannot run on gpu01 by srun");
  EXPECT_NE(answer.error().reason.find("Requested nodes are busy"), std::string::npos);
  EXPECT_NE(answer.error().hint.find("reserve"), std::string::npos);
  write("broken", "srun: Required node not available (down, drained or reserved)\n");
  answer = run(command({"true"}));
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().hint.find("drained node takes no srun"), std::string::npos);
}

// What changes something is not ended on the node by a deadline; its job is, since it would hold the node.
TEST_F(RunnerTest, AChangeBySrunThatIsLateLosesItsOwnJobOnly) {
  options_.reach = Reach::srun;
  write("squeue", "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$HERE/listed\"\necho 41\necho 42\n");
  write("scancel", "#!/bin/sh\necho \"$@\" >> \"$HERE/cancelled\"\n");
  NodeCommand wanted = command({"sleep", "600"});
  wanted.changes = true;
  wanted.deadline = 300ms;
  auto answer = run(wanted);
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().reason.find("its job 41 was cancelled"), std::string::npos)
      << to_line(answer.error());
  EXPECT_EQ(read("cancelled"), "41\n");
  std::string name;
  for (const std::string& word : words())
    if (word.starts_with("--job-name=")) name = word.substr(11);
  EXPECT_TRUE(name.starts_with("tessera-")) << name;
  EXPECT_NE(read("listed").find("-n\n" + name + "\n"), std::string::npos) << read("listed");
  // A list that is none ends nothing.
  write("squeue", "#!/bin/sh\necho 'all of them'\n");
  answer = run(wanted);
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().reason.find("scancel -n tessera-"), std::string::npos);
  EXPECT_EQ(read("cancelled"), "41\n");
  // One that ends in time is not looked for.
  fs::remove(here_ / "listed");
  wanted.argv = {"true"};
  wanted.deadline = test::kPatience;
  ASSERT_TRUE(run(wanted));
  EXPECT_FALSE(fs::exists(here_ / "listed"));
}

TEST_F(RunnerTest, AMissingSshIsSaidSo) {
  options_.reach = Reach::custom;
  options_.custom = {"no-such-runner", "{node}"};
  auto answer = run(command({"true"}));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "cannot run no-such-runner");
}

TEST_F(RunnerTest, ThePreflightTellsWhoAndWhere) {
  auto look = [&] {
    NodeRunner runner(*processes_, options_);
    return wait_for<Preflight>([&](auto looked) { runner.preflight(command({}), looked); });
  };
  auto found = look();
  ASSERT_TRUE(found) << to_line(found.error());
  EXPECT_EQ(found->uid, static_cast<int>(getuid()));
  EXPECT_FALSE(found->cgroup.empty());
  EXPECT_FALSE(found->job);
  options_.become = {"env", "-i", "sh", "-c", "echo 1000"};  // some other user there
  found = look();
  ASSERT_TRUE(found) << to_line(found.error());
  EXPECT_EQ(found->uid, 1000);
  write("broken", "ssh: connect to host gpu01 port 22: Connection refused\n");
  EXPECT_FALSE(look());
}

TEST(Preflight, ObjectsToJobsCgroupsAndToOthersThanRoot) {
  auto found = parse_preflight("0\n", "0::/system.slice/slurmstepd.scope/job_12/step_0/user/task_0\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->job, "12");
  auto said = objections(*found, NodeName("gpu01"));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].what, "on gpu01 commands run inside the cgroup of job 12");
  // Version 1, where the devices controller has a line of its own.
  found = parse_preflight("1000", "12:pids:/user.slice\n5:devices:/slurm/uid_1000/job_345/step_extern\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->job, "345");
  EXPECT_EQ(found->cgroup, "5:devices:/slurm/uid_1000/job_345/step_extern");
  EXPECT_EQ(objections(*found, NodeName("gpu01")).size(), 2u);
  // 26.05 names the folder by the job's SLUID.
  found = parse_preflight("0\n", "0::/system.slice/slurmstepd.scope/s6R5M83CDA3800/step_0/user/task_0\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->job, "s6R5M83CDA3800");
  found = parse_preflight("0\n", "0::/system.slice/gpu01_slurmstepd.scope/system\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->job, std::nullopt) << "slurmd's own";
  found = parse_preflight("0", "0::/user.slice/user-0.slice/session-4.scope");
  ASSERT_TRUE(found);
  EXPECT_TRUE(objections(*found, NodeName("gpu01")).empty());
  found = parse_preflight("0", "0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-2.scope");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->contained);
  said = objections(*found, NodeName("gpu01"));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].what, "on gpu01 commands run inside a container");
  EXPECT_FALSE(parse_preflight("root", "0::/"));
  EXPECT_FALSE(parse_preflight("0", ""));
  EXPECT_FALSE(parse_preflight("", "0::/"));
}

}  // namespace
}  // namespace tessera
