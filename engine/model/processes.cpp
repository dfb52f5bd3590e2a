#include "engine/model/processes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace tessera {
namespace {

constexpr std::string_view kMpsServer = "nvidia-cuda-mps-server";
constexpr std::string_view kSmi = "nvidia-smi";
constexpr std::array<std::string_view, 9> kServices = {kMpsServer,
                                                       "nvidia-cuda-mps-control",
                                                       "nvidia-persistenced",
                                                       "nv-hostengine",
                                                       "dcgm-exporter",
                                                       kSmi,
                                                       "nvidia-imex",
                                                       "Xorg",
                                                       "Xwayland"};

using Instance = std::optional<int>;

}  // namespace

std::string_view program_of(const GpuProcess& process) {
  std::string_view name = process.name;
  if (name.starts_with('[')) return {};
  // Of what only opens a GPU it is the file that runs, which may have spaces; the driver has arguments behind
  // it.
  if (!only_opens(process)) name = name.substr(0, name.find(' '));
  return name.substr(name.rfind('/') + 1);
}

bool is_mps_server(const GpuProcess& process) { return program_of(process) == kMpsServer; }

bool is_service(const GpuProcess& process) {
  return std::find(kServices.begin(), kServices.end(), program_of(process)) != kServices.end();
}

bool is_none_by_name(const GpuProcess& process) { return is_service(process) && program_of(process) != kSmi; }

bool make_up_use(double of_gpu, double told) {
  constexpr double kMostLeft = 10;
  const double left = of_gpu - told;
  return left <= 0 || (left <= kMostLeft && left < told);
}

std::vector<GpuProcess> in_order_of_mps(std::vector<DriverProcess> told) {
  std::set<Instance> with_server;
  for (const DriverProcess& one : told)
    if (is_mps_server(one.process)) with_server.insert(one.process.instance_id);
  // Servers first of all that goes through MPS.
  const auto place = [&](const DriverProcess& one) {
    const bool server = is_mps_server(one.process);
    const bool client = !server && one.mps_client && with_server.contains(one.process.instance_id);
    return std::tuple(server || client, one.process.instance_id, client, one.process.pid);
  };
  std::stable_sort(told.begin(), told.end(),
                   [&](const DriverProcess& a, const DriverProcess& b) { return place(a) < place(b); });
  std::vector<GpuProcess> all;
  all.reserve(told.size());
  for (DriverProcess& one : told) all.push_back(std::move(one.process));
  return all;
}

std::vector<Served> served(const std::vector<GpuProcess>& processes) {
  std::map<Instance, std::vector<const GpuProcess*>> servers;
  std::vector<Served> all;
  all.reserve(processes.size());
  for (const GpuProcess& one : processes) {
    std::vector<const GpuProcess*>& before = servers[one.instance_id];
    if (is_mps_server(one)) {
      before.push_back(&one);
      all.push_back({&one, false, nullptr});
    } else {
      all.push_back({&one, !before.empty(), before.size() == 1 ? before.front() : nullptr});
    }
  }
  return all;
}

}  // namespace tessera
