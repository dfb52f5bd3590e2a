// What a shell makes of our words is asked of a shell.
#include "engine/shell.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>

#include "engine/plan/words/wording.hpp"

namespace tessera::test {
namespace {

std::string read_by_a_shell(const std::string& word) {
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("printf %s " + word).c_str(), "r"), pclose);
  std::string text;
  std::array<char, 256> buffer;
  while (std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe.get())) text.append(buffer.data(), n);
  return text;
}

TEST(Shell, AWordStaysOneWordWhateverIsInIt) {
  for (const char* text : {"h100-01", "", "two words", "it's \"quoted\"; exit 3", "$(exit 3)", "`exit 3`",
                           "a\\b", "!!", "*", "a\nb", "--flag=x;y", "日本"}) {
    EXPECT_EQ(read_by_a_shell(shell_word(text)), text);
    EXPECT_EQ(read_by_a_shell(shell_quoted(text)), text);
  }
  EXPECT_EQ(shell_word("team-ml/a_1:2,x@y"), "team-ml/a_1:2,x@y");
  EXPECT_EQ(shell_quoted("fans are loud"), "\"fans are loud\"");
}

std::string only_command(const plan::Action& action, plan::Dialect dialect, Scheduler scheduler) {
  const auto lines = plan::commands_for(action, NodeName("n1"), dialect, scheduler, nullptr);
  EXPECT_EQ(lines.size(), 1u);
  return lines.empty() ? "" : lines.front();
}

// Reasons and names that others wrote are in commands that an admin copies.
TEST(Shell, CommandsOfAPlanCarryNothingThatAShellWouldRun) {
  plan::CloseNode close;
  close.words = "it's \"ours\"; touch x";
  EXPECT_EQ(
      only_command(close, plan::Dialect::slurm, Scheduler::slurm),
      R"(scontrol update NodeName=n1 State=DRAIN Reason='tessera RUN WHO@HOST: it'\''s "ours"; touch x')");
  plan::Evict evict;
  evict.workload = WorkloadId("ns/p'; touch x; '");
  const std::string command = only_command(evict, plan::Dialect::gpu_operator, Scheduler::kubernetes);
  const std::string read = read_by_a_shell(command.substr(5, command.find(" | ") - 5));
  EXPECT_NE(read.find(R"("name":"p'; touch x; '")"), std::string::npos) << read;
}

}  // namespace
}  // namespace tessera::test
