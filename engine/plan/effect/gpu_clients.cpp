#include "engine/plan/effect/gpu_clients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/model/processes.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/steps/steps.hpp"

namespace tessera::plan {
namespace {

// What units and containers of a program are called.
struct Called {
  std::string_view program, as;
};
constexpr std::array kCalled{Called{"nv-hostengine", "nvidia-dcgm"},
                             Called{"nv-hostengine", "dcgm"},
                             Called{"dcgm-exporter", "nvidia-dcgm-exporter"},
                             Called{"nvidia-cuda-mps-server", "nvidia-cuda-mps-control"},
                             Called{"nvidia-cuda-mps-server", "nvidia-mps"},
                             Called{"nvidia-cuda-mps-control", "nvidia-mps"},
                             Called{"Xorg", "display-manager"},
                             Called{"Xorg", "gdm"},
                             Called{"Xorg", "gdm3"},
                             Called{"Xorg", "lightdm"},
                             Called{"Xorg", "sddm"}};

// Tools that stop what their line names, and nothing else.
constexpr std::array<std::string_view, 5> kPlain{"systemctl", "service", "pkill", "killall", "docker"};

std::string_view base_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    std::string_view word = line.substr(0, end);
    if (word.ends_with(".service")) word.remove_suffix(8);
    if (!word.empty()) words.push_back(word);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

bool names(std::string_view word, std::string_view program) {
  return base_of(word) == program || std::any_of(kCalled.begin(), kCalled.end(), [&](const Called& one) {
           return one.program == program && one.as == word;
         });
}

}  // namespace

Bounce bounce_of(const GpuProcess& process, const slurmconf::SlurmSetup* site) {
  if (!site || site->stop_clients.empty()) return Bounce::not_so;
  const std::string_view program = program_of(process);
  bool all_plain = true;
  for (const std::string& line : site->stop_clients) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) continue;
    // Its first word is what runs, not what is stopped: python3 stop.py ends no other python3.
    if (!program.empty() && std::any_of(words.begin() + 1, words.end(),
                                        [&](std::string_view word) { return names(word, program); }))
      return Bounce::stopped;
    all_plain = all_plain && std::find(kPlain.begin(), kPlain.end(), base_of(words.front())) != kPlain.end();
  }
  return all_plain ? Bounce::not_so : Bounce::maybe;
}

std::string to_text(Bounce bounce, const slurmconf::SlurmSetup* site) {
  switch (bounce) {
    case Bounce::stopped:
      return site && !site->start_clients.empty()
                 ? "the run stops it and starts it again"
                 : "the run stops it, and slurm-start-clients is not set: nothing starts it again";
    case Bounce::maybe:
      return "the run stops what slurm-stop-clients stops: whether this is in it is not known";
    case Bounce::not_so: break;
  }
  return "stop it first, or the driver refuses (In use by another client)";
}

std::string called(const GpuProcess& process) {
  const std::string_view program = program_of(process);
  return program.empty() ? fmt::format("process {}", process.pid) : std::string(program);
}

std::string stranger_text(std::string_view who, std::string_view opened, std::string_view advice) {
  return fmt::format("{} has {} open and belongs to no job: {}", who, opened, advice);
}

std::vector<GpuClient> gpu_clients(const Node& node, const std::vector<GpuIndex>& gpus,
                                   const slurmconf::SlurmSetup* site) {
  std::vector<GpuClient> clients;
  for (GpuIndex index : gpus) {
    const Gpu* gpu = find_gpu(node, index);
    if (!gpu || !gpu->processes) continue;
    for (const GpuProcess& process : gpu->processes->list) {
      const bool by_name = is_none_by_name(process) && !is_of_work(process);
      if (!by_name && !is_of_none(process)) continue;  // a job's, or it is not told whose
      std::string program = called(process);
      auto same = std::find_if(clients.begin(), clients.end(),
                               [&](const GpuClient& one) { return one.program == program; });
      if (same == clients.end())
        same = clients.insert(clients.end(), {program, {}, bounce_of(process, site), false});
      same->computes = same->computes || !only_opens(process);
      if (same->gpus.empty() || same->gpus.back() != index) same->gpus.push_back(index);
    }
  }
  return clients;
}

std::string to_text(const GpuClient& client, const slurmconf::SlurmSetup* site) {
  const std::string gpus = boards_text(client.gpus);
  if (client.computes || client.bounce != Bounce::not_so)
    return stranger_text(client.program, gpus, to_text(client.bounce, site));
  return fmt::format(
      "{} has {} open, computes nothing and belongs to no job: stop it where the driver refuses (In use by "
      "another client)",
      client.program, gpus);
}

}  // namespace tessera::plan
