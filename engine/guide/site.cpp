#include "engine/guide/site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "engine/sharing/amd.hpp"
#include "engine/text.hpp"

namespace tessera::guide {

namespace {

constexpr Duration kLong{24 * 3600 * 1000};  // work that runs for a day or more is batch work
constexpr std::array kInteractive{"jupyter", "notebook", "vscode", "rstudio"};

std::string count_text(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string time_text(Duration time) {
  const auto hours = time.count() / 3'600'000;
  return hours >= 48 ? fmt::format("{} d", hours / 24) : fmt::format("{} h", hours);
}

struct Work {
  std::size_t running = 0, waiting = 0, lasting = 0, interactive = 0;
  Duration longest{0};
};

Work work_of(const Cluster& cluster, TimePoint now) {
  Work work;
  for (const Workload& one : cluster.workloads.all()) {
    work.waiting += one.state == WorkloadState::pending;
    if (one.state != WorkloadState::running) continue;
    ++work.running;
    const bool hands_on = std::any_of(kInteractive.begin(), kInteractive.end(),
                                      [&](const char* word) { return contains_folded(one.name, word); });
    work.interactive += hands_on;
    if (!one.started) continue;
    const Duration ran = now - *one.started;
    work.longest = std::max(work.longest, ran);
    work.lasting += ran >= kLong && !hands_on;
  }
  return work;
}

std::string gpus_text(const Cluster& cluster) {
  std::map<Strategy, std::size_t> ways;
  std::size_t gpus = 0, pools = 0, amd = 0;
  for (const Node& node : cluster.nodes.all()) {
    pools += node.gpus.empty() && !node.pool.empty();
    for (const Gpu& gpu : node.gpus) {
      ++gpus;
      amd += sharing::amd::is_amd(gpu);
      if (gpu.strategy != Strategy::unknown || gpu.partition_mode.empty()) ++ways[gpu.strategy];
    }
  }
  std::string text = fmt::format("{} on {}", count_text(gpus, "GPU", "GPUs"),
                                 count_text(cluster.nodes.size(), "node", "nodes"));
  std::string sep = ": ";
  for (const auto& [way, count] : ways) {
    text += fmt::format("{}{} {}", sep, way == Strategy::unknown ? "not reported" : word(way), count);
    sep = ", ";
  }
  if (amd > 0) text += fmt::format("; {} of AMD, whose partition modes are shown, not planned", amd);
  const std::string nodes = count_text(pools, "node", "nodes");
  if (pools == 1) text += fmt::format("; {} reports slices only", nodes);
  if (pools > 1) text += fmt::format("; {} report slices only", nodes);
  return text;
}

}  // namespace

std::vector<SiteLine> site_lines(const Cluster& cluster, std::optional<sharing::Platform> told_by_site,
                                 TimePoint now) {
  std::vector<SiteLine> lines;
  const sharing::Recognised found = sharing::platform_of(cluster, told_by_site);
  lines.push_back({"scheduler", fmt::format("{} runs under {}{}", clean(cluster.name.text, 64),
                                            sharing::title(found.platform),
                                            found.evidence.empty() ? "" : " (" + found.evidence + ")")});
  if (!cluster.nodes.empty()) lines.push_back({"GPUs", gpus_text(cluster)});
  const Work work = work_of(cluster, now);
  if (work.running + work.waiting == 0) return lines;
  std::string text = fmt::format("{} run, {} wait", work.running, work.waiting);
  if (work.longest > Duration{0})
    text += fmt::format("; the longest has run for {}", time_text(work.longest));
  lines.push_back({"workloads", text});
  if (work.lasting > 0) {
    lines.push_back({"speaks for Slurm",
                     fmt::format("{} for a day or longer: training, batch, fair share",
                                 work.lasting == 1 ? std::string("1 workload has run")
                                                   : fmt::format("{} workloads have run", work.lasting))});
  }
  if (work.interactive > 0) {
    lines.push_back({"speaks for Kubernetes",
                     count_text(work.interactive, "interactive session", "interactive sessions") +
                         ", by their names: development, short experiments"});
  }
  return lines;
}

}  // namespace tessera::guide
