// What `tessera doctor --self` makes of a machine.
#include "tui/cli/self/self.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tui/version.hpp"

namespace tessera::cli {
namespace {

SelfFacts healthy() {
  SelfFacts facts;
  facts.kernel = "Linux 6.1.0";
  facts.terminal = facts.drawn_as = "xterm-256color";
  facts.utf8 = true;
  facts.locale = "C.UTF-8";
  for (const char* name : {"kubectl", "scontrol", "squeue", "sinfo", "sacct", "ssh", "srun"})
    facts.programs.emplace_back(name, "/usr/bin/" + std::string(name));
  facts.journals = "/home/kim/.local/state/tessera/runs";
  facts.now = TimePoint{Duration{(tui::commit_time() + 1) * 1000}};
  return facts;
}

SelfCheck check_of(const SelfFacts& facts, const std::string& name) {
  const std::vector<SelfCheck> checks = self_checks(facts);
  const auto it =
      std::find_if(checks.begin(), checks.end(), [&](const SelfCheck& one) { return one.name == name; });
  return it == checks.end() ? SelfCheck{} : *it;
}

TEST(SelfCheck, OfAHealthyMachineFindsNothing) {
  for (const SelfCheck& check : self_checks(healthy())) {
    EXPECT_EQ(check.severity, Severity::good) << check.name << ": " << check.found;
    EXPECT_EQ(check.hint, "") << check.name;
  }
}

TEST(SelfCheck, EveryFaultHasAWayOut) {
  SelfFacts facts = healthy();
  facts.drawn_as = "";
  facts.utf8 = false;
  for (auto& [name, path] : facts.programs) path.reset();
  facts.files = {{"/etc/tessera/config.yaml", "unknown setting", false, ""}};
  facts.journals_problem = "/home/kim/.local is no folder";
  facts.now = TimePoint{Duration{-1}};
  const std::vector<SelfCheck> checks = self_checks(facts);
  for (const SelfCheck& check : checks) {
    EXPECT_NE(check.severity, Severity::good) << check.name;
    EXPECT_NE(check.hint, "") << check.name;
  }
  EXPECT_EQ(checks.size(), 8u);
}

// A machine may well have one scheduler alone; half of one is a fault.
TEST(SelfCheck, OneSchedulerIsEnoughAndHalfOfSlurmIsNot) {
  SelfFacts facts = healthy();
  for (auto& [name, path] : facts.programs)
    if (name != "kubectl") path.reset();
  EXPECT_EQ(check_of(facts, "Slurm").severity, Severity::info);
  EXPECT_EQ(check_of(facts, "ssh").severity, Severity::info);
  for (auto& [name, path] : facts.programs)
    if (name == "scontrol") path = "/usr/bin/scontrol";
  EXPECT_EQ(check_of(facts, "Slurm").severity, Severity::warning);
  EXPECT_EQ(check_of(facts, "Slurm").found, "not in PATH: squeue, sinfo");
  EXPECT_EQ(check_of(facts, "ssh").severity, Severity::warning);
}

TEST(SelfCheck, NoControlCharacterOfTheEnvironmentIsPrinted) {
  SelfFacts facts = healthy();
  facts.terminal = "evil\x1b]0;title\x07";
  facts.drawn_as = "vt100";
  facts.guessed = true;
  facts.locale = "\x1b[2J";
  for (const SelfCheck& check : self_checks(facts))
    for (const char c : check.found) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << check.name;
}

}  // namespace
}  // namespace tessera::cli
