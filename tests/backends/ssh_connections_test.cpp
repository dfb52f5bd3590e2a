// One ssh connection to each node, with an ssh of the test's own on PATH that writes down how it was called.
#include "backends/ssh_connections.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "backends/runner.hpp"
#include "tests/support/patience.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera {
namespace {

using namespace std::chrono_literals;

// As ssh with a configuration: -G prints it, -O speaks to a connection, and the rest runs its last word. It
// makes the socket of a shared connection as a plain file.
constexpr const char* kShareSsh = R"(#!/bin/sh
for word; do
  last=$word
  case $word in ControlPath=*) path=${word#ControlPath=};; esac
done
case $1 in
  -G) echo "asked $last" >> "$HERE/log"; cat "$HERE/settings"; exit $(cat "$HERE/settings-code");;
  -O) echo "$2 $last" >> "$HERE/log"; rm -f "$path"; exit 0;;
esac
echo "run ${path:+shared}" >> "$HERE/log"
if [ -n "$path" ]; then
  if [ -e "$HERE/no-socket" ]; then
    echo "unix_listener: cannot bind to path $path.abc: No space left on device" >&2; exit 255; fi
  : > "$path"
fi
if [ -e "$HERE/lost" ]; then echo "Connection to gpu01 timed out" >&2; exit 255; fi
exec sh -c "$last"
)";

class SshConnectionsTest : public testing::Test {
 protected:
  SshConnectionsTest() {
    ::chmod(scratch_.write("ssh", kShareSsh).c_str(), 0755);
    settings("user root\ncontrolmaster false\n");
    path_ = getenv("PATH");
    setenv("PATH", (scratch_.path() + ":" + path_).c_str(), 1);
    setenv("HERE", scratch_.path().c_str(), 1);
    std::filesystem::create_directory(scratch_.path() + "/run");
    connections_.emplace(processes_, std::vector<std::string>{scratch_.path() + "/run"}, "");
    RunnerOptions by_ssh;
    by_ssh.reach = slurmconf::Reach::ssh;
    runner_.emplace(processes_, by_ssh, &*connections_);
  }
  ~SshConnectionsTest() override {
    worker_.stop();
    setenv("PATH", path_.c_str(), 1);
    unsetenv("HERE");
  }
  void settings(const std::string& text, int code = 0) {
    scratch_.write("settings", text);
    scratch_.write("settings-code", std::to_string(code));
  }
  Result<NodeAnswer> run(const std::string& node = "gpu01", bool changes = false) {
    NodeCommand wanted;
    wanted.node = NodeName(node);
    wanted.argv = {"echo", "there"};
    wanted.changes = changes;
    auto promise = std::make_shared<std::promise<Result<NodeAnswer>>>();
    auto future = promise->get_future();
    worker_.post([&, promise, wanted] {
      runner_->run(wanted, [promise](Result<NodeAnswer> told) { promise->set_value(std::move(told)); });
    });
    if (future.wait_for(test::kPatience) != std::future_status::ready) return Error{"no answer", "", ""};
    return future.get();
  }
  void close() {
    std::promise<void> closed;
    worker_.post([&] { connections_->close([&] { closed.set_value(); }); });
    closed.get_future().wait();
  }
  std::string log() const {
    std::ifstream stream(scratch_.path() + "/log");
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::size_t files_in_folder() const {
    namespace fs = std::filesystem;
    std::size_t count = 0;
    for (const fs::path& folder : fs::directory_iterator(scratch_.path() + "/run"))
      for (const fs::path& file : fs::directory_iterator(folder)) count += file.filename() != "lock";
    return count;
  }

  test::Scratch scratch_;
  std::string path_;
  Worker worker_;
  Processes processes_{worker_};
  std::optional<SshConnections> connections_;
  std::optional<NodeRunner> runner_;
};

TEST_F(SshConnectionsTest, CommandsToANodeShareAConnectionThatIsClosedAtTheEnd) {
  for (int i = 0; i < 3; ++i) {
    auto answer = run();
    ASSERT_TRUE(answer) << to_line(answer.error());
    EXPECT_EQ(answer->out, "there\n");
  }
  ASSERT_TRUE(run("gpu02"));
  EXPECT_EQ(log(), "asked gpu01\nrun shared\nrun shared\nrun shared\nasked gpu02\nrun shared\n");
  EXPECT_EQ(files_in_folder(), 2u) << "a socket for each node";
  close();
  EXPECT_NE(log().find("exit gpu01\n"), std::string::npos) << log();
  EXPECT_NE(log().find("exit gpu02\n"), std::string::npos) << log();
  EXPECT_EQ(files_in_folder(), 0u);
  EXPECT_EQ(connections_->why_not(), "");
}

TEST_F(SshConnectionsTest, AUsersOwnControlPathIsLeftAlone) {
  settings("user root\ncontrolmaster auto\ncontrolpath /root/.ssh/%C\n");
  ASSERT_TRUE(run());
  ASSERT_TRUE(run());
  EXPECT_EQ(log(), "asked gpu01\nrun \nrun \n");
  close();
  EXPECT_EQ(log().find("exit"), std::string::npos) << "what is not ours is not closed";
}

// The command itself then says what is wrong with it.
TEST_F(SshConnectionsTest, AConfigurationThatSshCannotReadIsLeftAlone) {
  settings("/root/.ssh/config: line 1: Bad configuration option: x\n", 255);
  ASSERT_TRUE(run());
  EXPECT_EQ(log(), "asked gpu01\nrun \n");
}

TEST_F(SshConnectionsTest, WhereSshCannotMakeTheSocketTheCommandRunsWithoutAndThatIsNoted) {
  scratch_.write("no-socket", "");
  for (bool changes : {true, false}) {
    auto answer = run("gpu01", changes);
    ASSERT_TRUE(answer) << to_line(answer.error());
    EXPECT_EQ(answer->out, "there\n");
  }
  EXPECT_EQ(log(), "asked gpu01\nrun shared\nrun \nrun \n") << "tried once, and never again";
  EXPECT_NE(connections_->why_not().find("No space left on device"), std::string::npos)
      << connections_->why_not();
}

TEST_F(SshConnectionsTest, WithoutASafeFolderEveryCommandGetsAConnectionOfItsOwn) {
  std::filesystem::remove_all(scratch_.path() + "/run");
  auto answer = run();
  ASSERT_TRUE(answer) << to_line(answer.error());
  EXPECT_EQ(log(), "asked gpu01\nrun \n");
  EXPECT_NE(connections_->why_not().find("cannot make a private folder"), std::string::npos)
      << connections_->why_not();
  std::filesystem::create_directory(scratch_.path() + "/run");  // for the end of the test
}

// A socket's name has 107 letters at most, ssh's own while it makes it included.
TEST_F(SshConnectionsTest, AFolderWithTooLongANameIsNotUsed) {
  const std::string base = scratch_.path() + "/" + std::string(80 - scratch_.path().size(), 'x');
  std::filesystem::create_directory(base);
  connections_.emplace(processes_, std::vector<std::string>{base}, "");
  ASSERT_TRUE(run());
  EXPECT_EQ(log(), "asked gpu01\nrun \n");
  EXPECT_NE(connections_->why_not().find("too long"), std::string::npos) << connections_->why_not();
}

// A node that rebooted: what was open leads nowhere, and is not waited for again.
TEST_F(SshConnectionsTest, AfterALostConnectionTheNextCommandOpensANewOne) {
  ASSERT_TRUE(run());
  scratch_.write("lost", "");
  auto answer = run();
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().reason.find("timed out"), std::string::npos) << to_line(answer.error());
  std::filesystem::remove(scratch_.path() + "/lost");
  ASSERT_TRUE(run());
  EXPECT_NE(log().find("stop gpu01\n"), std::string::npos) << log();
  EXPECT_EQ(connections_->why_not(), "");
}

}  // namespace
}  // namespace tessera
