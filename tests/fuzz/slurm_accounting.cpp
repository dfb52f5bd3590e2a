// Jobs of the past as sacct prints them: clean text, within bounds.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/slurm/parse/parse_accounting.hpp"
#include "engine/text.hpp"
#include "engine/usage/past_sums.hpp"

int fuzz_slurm_accounting(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  slurm::AccountingAnswer answer = slurm::parse_accounting(text);
  for (const usage::PastJob& job : answer.jobs) {
    if (clean(job.user) != job.user || clean(job.nodes) != job.nodes || job.id.text.empty()) std::abort();
    for (const auto& [type, count] : job.gpus)
      if (clean(type) != type || count <= 0 || count > 1'000'000) std::abort();
  }
  static const mig::Catalogue catalogue;
  usage::Ledger ledger(catalogue);
  usage::PastJobs past;
  past.to = TimePoint(std::chrono::seconds(2'000'000'000));
  past.jobs.assign(answer.jobs.begin(), answer.jobs.end());
  usage::add(ledger, past, catalogue);
  for (const usage::Hold& hold : ledger.holds())
    if (!(hold.gpu_hours() >= 0)) std::abort();
  const slurm::AccountingRules rules = slurm::parse_accounting_rules(text);
  if (clean(rules.slurm_user) != rules.slurm_user) std::abort();
  return 0;
}
