#include "tui/source_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/insight/costs.hpp"

namespace tessera::tui {
namespace {

std::vector<std::string> accounting_words(const usage::Reckoning& read) {
  std::vector<std::string> all;
  if (std::count(read.figures_by.begin(), read.figures_by.end(), "slurm") > 0)
    all.emplace_back("Slurm itself tells which whole GPUs were never used");
  double untyped = 0;
  for (const usage::Sum& sum : read.sums.at(usage::By::profile))
    if (sum.name == "untyped") untyped += sum.gpu_hours;
  if (untyped > 0)
    all.push_back(fmt::format("{:.1f} GPU-hours have no type: slices among them count as GPUs", untyped));
  if (read.accounting->unread > 0)
    all.push_back(fmt::format("{} of its lines could not be read", read.accounting->unread));
  return all;
}

}  // namespace

std::vector<std::string> kept_words(const usage::KeptTold& kept) {
  std::vector<std::string> all;
  for (const ClusterName& cluster : kept.nameless)
    if (kept.names_work)
      all.push_back(
          fmt::format("the series of {} name no pod or job: what was held there is not known", cluster.text));
  if (kept.names_work && kept.unnamed > 0)
    all.push_back(fmt::format("for {:.1f} h of GPUs and slices no pod or job is named", kept.unnamed));
  if (kept.shared > 0)
    all.push_back(
        fmt::format("{:.1f} h of instances that several pods or jobs share are not counted", kept.shared));
  if (kept.strange > 0) all.push_back(fmt::format("{} series are of nodes that are not known", kept.strange));
  if (kept.skipped > 0)
    all.push_back(fmt::format("{} series could not be read: {}", kept.skipped, kept.problem));
  all.push_back(fmt::format("Prometheus was asked by {} requests in {:.1f} s: {}", kept.cost.commands,
                            seconds_of(kept.cost),
                            insight::bytes_text(static_cast<double>(kept.cost.bytes))));
  return all;
}

std::vector<std::string> source_words(const usage::Reckoning& read) {
  if (read.accounting) return accounting_words(read);
  if (!read.kept) return {};
  std::vector<std::string> all = kept_words(*read.kept);
  if (!read.kept->names_work)
    all.insert(all.begin(), "its series name no pod or job: what was held is not known");
  return all;
}

}  // namespace tessera::tui
