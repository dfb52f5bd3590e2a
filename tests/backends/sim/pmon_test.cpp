// Processes and their use as the stand-in for nvidia-smi prints them, read through the parser of the real
// one.
#include <gtest/gtest.h>

#include "backends/nvidia/commands.hpp"
#include "backends/nvidia/parse.hpp"
#include "backends/sim/smi/smi.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/words.hpp"

namespace tessera::sim {
namespace {

using test::words;

Machine gpus_of(std::string_view spec) {
  return make_machine(spec, 580, test::catalogue(), "a node").value();
}

// As a node runs it: the name of the program goes first.
SmiAnswer process_use(Machine& machine) {
  const nvidia::Argv argv = nvidia::process_use();
  return answer(machine, {argv.begin() + 1, argv.end()});
}

// The stand-in refused it, so that the use of processes could be tried on no node without a GPU.
TEST(Pmon, PrintsWhatTheRealOneDoes) {
  Machine machine = gpus_of("h100:2");
  // As recorded on an H200 that nobody uses (tests/fixtures/nvidia-580/h200-more.txt).
  const std::string head =
      "# gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command \n"
      "# Idx           #    C/G      %      %      %      %      %      %    name \n";
  const SmiAnswer idle = answer(machine, words("pmon -i 0 -c 2"));
  const std::string none =
      "    0          -     -      -      -      -      -      -      -    -              \n";
  EXPECT_EQ(idle.out, head + none + none);
  machine.cards[1].board.hidden = true;
  const SmiAnswer used = process_use(machine);
  EXPECT_EQ(used.exit_code, 0);
  EXPECT_NE(
      used.out.find("    1       4100     C     87     15      -      -      -      -    python3        \n"),
      std::string::npos)
      << used.out;
  const auto read = nvidia::parse_process_use(used.out);
  ASSERT_TRUE(read) << to_line(read.error());
  EXPECT_EQ(*read, (nvidia::ProcessUse{{{1, 4100}, Percent{87}}}));
  EXPECT_TRUE(answer(machine, words("pmon")).hangs) << "without a count it goes on until it is stopped";
}

TEST(Pmon, WhatItRefusesIsAnErrorForItsReader) {
  Machine machine = gpus_of("h100:1");
  for (const char* wrong : {"pmon -i 7 -c 1", "pmon -i x -c 1"}) {
    const SmiAnswer said = answer(machine, words(wrong));
    EXPECT_EQ(said.exit_code, 6) << wrong;
    const auto read = nvidia::parse_process_use(said.out);
    ASSERT_FALSE(read) << "no processes were read, and not none";
    EXPECT_EQ(read.error().reason, "No devices were found");
  }
  EXPECT_EQ(answer(machine, words("pmon -c x")).exit_code, 2);
  machine.faults.push_back({SmiFault::unknown, "pmon", 1, 1, 0});
  const auto failed = nvidia::parse_process_use(process_use(machine).out);
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().reason.find("Unknown Error"), std::string::npos) << failed.error().reason;
}

}  // namespace
}  // namespace tessera::sim
