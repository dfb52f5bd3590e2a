// Any bytes as a journal: an error or entries; what was read is written as it stood, can be replayed, and
// each of its steps can be judged. Lines without ties (version 1) are what bytes by chance come to.
#include <cstdint>
#include <cstdlib>

#include "engine/operators/operator_setup.hpp"
#include "engine/plan/allowed.hpp"
#include "engine/plan/run/run.hpp"
#include "engine/slurmconf/slurm_setup.hpp"

int fuzz_journal(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::plan;
  auto journal = parse_journal({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!journal) return 0;
  std::string text;
  Chain chain;
  for (Entry& entry : journal->entries) {
    if (auto* started = std::get_if<RunStarted>(&entry.what)) started->version = kJournalVersion;
    text += to_line(entry, chain);
  }
  auto again = parse_journal(text, "again");
  if (!again || again->entries.size() != journal->entries.size() || again->torn) std::abort();
  auto run = replay(*journal);
  if (!run) return 0;
  Means slurm = slurm_capabilities(), kubernetes = gpu_operator_capabilities();
  slurm.slurm = std::make_shared<const tessera::slurmconf::SlurmSetup>();
  kubernetes.gpu_operator = std::make_shared<const tessera::operators::OperatorSetup>();
  for (const auto& [node, plan] : run->plans)
    for (const Means& can : {Means(simulator_capabilities()), slurm, kubernetes})
      (void)why_not_allowed(plan, intent_of(run->started.plan.intent, node), can);
  return 0;
}
