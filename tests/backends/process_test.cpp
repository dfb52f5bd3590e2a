#include "backends/process.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <sstream>

#include "tests/support/patience.hpp"

namespace tessera {
namespace {

using namespace std::chrono_literals;

// A worker with its processes, taken down in the right order.
class ProcessTest : public testing::Test {
 protected:
  ~ProcessTest() override { worker_.stop(); }

  std::future<Result<Outcome>> start(Command command) {
    auto promise = std::make_shared<std::promise<Result<Outcome>>>();
    auto future = promise->get_future();
    worker_.post([this, promise, command = std::move(command)] {
      processes_.run(command, [promise](Result<Outcome> result) { promise->set_value(std::move(result)); });
    });
    return future;
  }
  Result<Outcome> run(Command command) {
    auto future = start(std::move(command));
    if (future.wait_for(test::kPatience) != std::future_status::ready) return Error{"no answer", "", ""};
    return future.get();
  }
  // A program of several steps; only tests speak to a shell.
  static Command script(std::string text) {
    Command command;
    command.argv = {"sh", "-c", std::move(text)};
    return command;
  }

  Worker worker_;
  Processes processes_{worker_};
};

// True once no such process runs any more (a zombie that waits for init counts as gone).
bool ends(pid_t pid) {
  for (int i = 0; i < 500; ++i) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    if (text.empty() || text.find(") Z ") != std::string::npos) return true;
    std::promise<void>().get_future().wait_for(10ms);
  }
  return false;
}

TEST_F(ProcessTest, TellsOutputErrorsAndExitStatusApart) {
  auto result = run(script("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(result) << to_line(result.error());
  EXPECT_EQ(result->out, "out\n");
  EXPECT_EQ(result->err, "err\n");
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_EQ(result->signal, 0);
  EXPECT_FALSE(result->timed_out);
  EXPECT_FALSE(result->succeeded());
}

TEST_F(ProcessTest, ASignalIsNotAnExitStatus) {
  auto result = run(script("kill -TERM $$"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->signal, SIGTERM);
  EXPECT_EQ(result->exit_code, -1);
}

TEST_F(ProcessTest, AMissingProgramIsAnErrorWithAHint) {
  Command command;
  command.argv = {"no-such-program-here"};
  auto result = run(command);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "cannot run no-such-program-here");
  EXPECT_EQ(result.error().reason, "no such program");
  EXPECT_NE(result.error().hint.find("PATH"), std::string::npos);
  command.argv = {};
  EXPECT_FALSE(run(command));
  command.argv = {"/etc/passwd"};
  EXPECT_FALSE(run(command));
}

TEST_F(ProcessTest, AFileThatIsNoProgramIsAnError) {
  char name[] = "/tmp/tsr-XXXXXX";
  int fd = mkstemp(name);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(::write(fd, "\x7f garbage", 9), 9);
  ::fchmod(fd, 0755);
  ::close(fd);
  Command command;
  command.argv = {name};
  auto result = run(command);
  ::unlink(name);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, std::string("cannot run ") + name);
}

TEST_F(ProcessTest, InputReachesTheChildAndEnds) {
  Command command;
  command.argv = {"cat"};
  command.input = std::string(1 << 20, 'x') + "end";
  auto result = run(command);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out, command.input);
  command.input.clear();
  result = run(command);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out, "");
}

TEST_F(ProcessTest, AChildThatDoesNotReadItsInputIsNoHarm) {
  Command command;
  command.argv = {"true"};
  command.input = std::string(1 << 20, 'x');
  auto result = run(command);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_code, 0);
}

TEST_F(ProcessTest, TooMuchOutputEndsTheChild) {
  Command command;
  command.argv = {"yes"};
  command.output_limit = 100000;
  auto result = run(command);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->truncated);
  EXPECT_EQ(result->out.size(), 100000u);
  EXPECT_EQ(result->signal, SIGKILL);
}

TEST_F(ProcessTest, OutputOfExactlyTheLimitIsWhole) {
  Command command = script("printf 12345");
  command.output_limit = 5;
  auto result = run(command);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out, "12345");
  EXPECT_FALSE(result->truncated);
}

TEST_F(ProcessTest, ErrorsAreKeptToALimitWithoutStoppingTheChild) {
  auto result = run(script("head -c 300000 /dev/zero >&2; echo done"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->err.size(), 65536u);
  EXPECT_EQ(result->out, "done\n");
}

TEST_F(ProcessTest, TheDeadlineKillsGrandchildrenToo) {
  Command command = script("sleep 1000 & echo $!; sleep 1000");
  command.deadline = 2s;
  auto result = run(command);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->timed_out);
  EXPECT_EQ(result->signal, SIGKILL);
  EXPECT_LT(result->took, test::kPatience) << "the other sleeps on";
  EXPECT_TRUE(ends(std::stoi(result->out)));
}

TEST_F(ProcessTest, AGrandchildThatStaysBehindDoesNotHoldTheAnswer) {
  auto result = run(script("sleep 1000 & echo $!"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_code, 0);
  EXPECT_FALSE(result->timed_out);
  EXPECT_LT(result->took, test::kPatience) << "the other sleeps on";
  EXPECT_TRUE(ends(std::stoi(result->out)));
}

TEST_F(ProcessTest, OneThatFledIntoASessionOfItsOwnHoldsItToTheDeadlineOnly) {
  Command command = script("setsid sleep 1000 & echo $!");
  command.deadline = 2s;
  auto result = run(command);
  ASSERT_TRUE(result);
  const pid_t fled = std::atoi(result->out.c_str());
  ASSERT_GT(fled, 1) << result->out;
  EXPECT_EQ(result->exit_code, 0);
  EXPECT_LT(result->took, test::kPatience) << "the other sleeps on";
  ::kill(fled, SIGKILL);
}

// As a command does that restarts a daemon and is no daemon's parent any more.
TEST_F(ProcessTest, WhatItLeavesBehindStaysAndDoesNotHoldTheAnswer) {
  Command command = script("sleep 1000 > /dev/null 2>&1 & echo $!; sleep 1001 & echo $!; echo done >&2");
  command.leaves_others = true;
  command.deadline = test::kPatience;
  auto result = run(command);
  ASSERT_TRUE(result) << to_line(result.error());
  EXPECT_TRUE(result->succeeded());
  EXPECT_EQ(result->err, "done\n");
  EXPECT_LT(result->took, test::kPatience);
  std::istringstream pids(result->out);
  for (pid_t left = 0; pids >> left;) {
    EXPECT_EQ(::kill(left, 0), 0) << "it was to stay";
    ::kill(left, SIGKILL);
    EXPECT_TRUE(ends(left));
  }
}

TEST_F(ProcessTest, AtTheDeadlineOnlyTheCommandItselfEndsWhereOthersAreToStay) {
  Command command = script("sleep 1000 & echo $!; echo $$; while :; do sleep 0.05; done");
  command.leaves_others = true;
  command.deadline = 2s;
  auto result = run(command);
  ASSERT_TRUE(result) << to_line(result.error());
  EXPECT_TRUE(result->timed_out);
  EXPECT_FALSE(result->succeeded());
  pid_t left = 0, itself = 0;
  std::istringstream(result->out) >> left >> itself;
  ASSERT_GT(itself, 1) << result->out;
  EXPECT_TRUE(ends(itself));
  EXPECT_EQ(::kill(left, 0), 0) << "it was to stay";
  ::kill(left, SIGKILL);
}

TEST_F(ProcessTest, TheChildSeesNoStrayDescriptors) {
  int stray = ::open("/dev/null", O_RDONLY);  // on purpose without O_CLOEXEC
  int high = ::fcntl(stray, F_DUPFD, 200);
  Command command;
  command.argv = {"ls", "/proc/self/fd"};
  auto result = run(command);
  ::close(stray);
  ::close(high);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out, "0\n1\n2\n3\n");  // 3: the folder that ls reads
}

TEST_F(ProcessTest, TheChildHasDefaultSignals) {
  auto before = ::signal(SIGPIPE, SIG_IGN);
  // head ends after one line; yes must then die of SIGPIPE instead of complaining.
  auto result = run(script("grep -E '^Sig(Blk|Ign)' /proc/self/status"));
  ::signal(SIGPIPE, before);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_F(ProcessTest, TheEnvironmentIsOursWithChanges) {
  ::setenv("TESSERA_TEST_GONE", "1", 1);
  ::setenv("TESSERA_TEST_KEPT", "kept", 1);
  Command command = script("echo \"$TESSERA_TEST_GONE,$TESSERA_TEST_KEPT,$TESSERA_TEST_NEW\"");
  command.unset = {"TESSERA_TEST_GONE", "TESSERA_TEST_NEVER"};
  command.environment = {{"TESSERA_TEST_NEW", "a b"}};
  auto result = run(command);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out, ",kept,a b\n");
}

TEST_F(ProcessTest, ManyRunAtOnce) {
  std::vector<std::future<Result<Outcome>>> all;
  for (int i = 0; i < 20; ++i) all.push_back(start(script("echo " + std::to_string(i))));
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(all[static_cast<std::size_t>(i)].wait_for(test::kPatience), std::future_status::ready);
    auto result = all[static_cast<std::size_t>(i)].get();
    ASSERT_TRUE(result);
    EXPECT_EQ(result->out, std::to_string(i) + "\n");
  }
}

int open_descriptors() {
  int count = 0;
  DIR* folder = ::opendir("/proc/self/fd");
  while (::readdir(folder)) ++count;
  ::closedir(folder);
  return count;
}

// Some parents (and "trap '' CHLD") leave us with children that cannot be waited for.
TEST_F(ProcessTest, WithSigchldIgnoredNothingSucceedsUnseenAndNothingLeaks) {
  ASSERT_TRUE(run(script("true")));
  auto before = ::signal(SIGCHLD, SIG_IGN);
  int descriptors = open_descriptors();
  for (int i = 0; i < 3; ++i) {
    Command command = script("sleep 0.2; echo said");
    command.deadline = Duration(5000);
    auto result = run(command);
    ASSERT_TRUE(result) << to_line(result.error());
    EXPECT_EQ(result->out, "said\n");
    EXPECT_FALSE(result->succeeded());
    EXPECT_FALSE(result->timed_out);
  }
  ::signal(SIGCHLD, before);
  ASSERT_TRUE(run(script("true"))->succeeded());  // the last run's handlers have gone by then
  EXPECT_LE(open_descriptors(), descriptors);
}

TEST_F(ProcessTest, WithoutDescriptorsLeftItIsAnError) {
  if (::dlsym(RTLD_DEFAULT, "__ubsan_handle_dynamic_type_cache_miss"))
    GTEST_SKIP() << "UBSan opens a pipe of its own to look at an exception";
  ASSERT_TRUE(run(script("true"))->succeeded());
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  int lowest = ::dup(0);
  ::close(lowest);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(lowest);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  auto result = run(script("true"));
  ::setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "cannot run sh");
  EXPECT_TRUE(run(script("true"))->succeeded());
}

TEST(Processes, EndingTheWorkerEndsTheChildren) {
  char folder[] = "/tmp/tsr-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  std::string file = std::string(folder) + "/pid";
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  pid_t pid = 0;
  auto started = std::chrono::steady_clock::now();
  {
    Worker worker;
    Processes processes(worker);
    worker.post([&] {
      Command command;
      command.argv = {"sh", "-c", "echo $$ > " + file + "; exec sleep 1000"};
      command.deadline = Duration(1'000'000);
      processes.run(command, [](Result<Outcome>) { ADD_FAILURE() << "called back after the end"; });
    });
    std::ifstream(file) >> pid;  // opens when the child writes
    worker.stop();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - started, test::kPatience);
  EXPECT_GT(pid, 0);
  EXPECT_TRUE(ends(pid));
  ::unlink(file.c_str());
  ::rmdir(folder);
}

// Whatever changes something must not be cut off half-way: it finishes after us.
TEST(Processes, WhatDoesNotDieWithUsFinishes) {
  char folder[] = "/tmp/tsr-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  std::string to = std::string(folder) + "/to", from = std::string(folder) + "/from";
  ASSERT_EQ(::mkfifo(to.c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(from.c_str(), 0600), 0);
  int to_child = ::open(to.c_str(), O_RDWR | O_CLOEXEC),
      from_child = ::open(from.c_str(), O_RDWR | O_CLOEXEC);
  auto heard = [&](int patience) -> std::string {
    pollfd wait{from_child, POLLIN, 0};
    char text[64];
    if (::poll(&wait, 1, patience) != 1) return "nothing";
    return {text, static_cast<std::size_t>(std::max<ssize_t>(0, ::read(from_child, text, sizeof text)))};
  };
  {
    Worker worker;
    Processes processes(worker);
    worker.post([&] {
      Command command;
      command.argv = {"sh", "-c", "echo begun > " + from + "; read word < " + to + "; echo $word > " + from};
      command.dies_with_us = false;
      processes.run(command, [](Result<Outcome>) { ADD_FAILURE() << "called back after the end"; });
    });
    EXPECT_EQ(heard(20000), "begun\n");
    worker.stop();
  }
  ASSERT_EQ(::write(to_child, "ended\n", 6), 6);
  EXPECT_EQ(heard(10000), "ended\n");
  ::close(to_child);
  ::close(from_child);
  ::unlink(to.c_str());
  ::unlink(from.c_str());
  ::rmdir(folder);
}

TEST(Processes, ShellTextCanBePasted) {
  Command command;
  command.argv = {"scontrol", "update", "NodeName=gpu01", "Reason=fan's out; $HOME", ""};
  command.environment = {{"SLURM_CONF", "/etc/a b.conf"}};
  command.unset = {"SLURM_CLUSTERS"};
  EXPECT_EQ(to_shell_text(command),
            "env -u SLURM_CLUSTERS SLURM_CONF='/etc/a b.conf' scontrol update NodeName=gpu01 "
            "'Reason=fan'\\''s out; $HOME' ''");
}

TEST(Processes, ProgramsAreFoundInPathOrderAndNeverInTheCurrentFolder) {
  EXPECT_EQ(find_program("sh", "/nowhere::/bin:/usr/bin"), "/bin/sh");
  EXPECT_EQ(find_program("/bin/sh", ""), "/bin/sh");
  EXPECT_EQ(find_program("sh", "::."), std::nullopt);
  EXPECT_EQ(find_program("passwd", "/etc"), std::nullopt);
  EXPECT_EQ(find_program("", "/bin"), std::nullopt);
}

}  // namespace
}  // namespace tessera
