// Processes that have a GPU open: whose they are, and which of them reach it through an MPS server.
//
// GpuProcess::workload has four answers: empty where it is not told, a job or pod, kNoWorkload where the
// scheduler told of all processes that are its own and this one was not among them, and kOnlyOpens where
// besides the driver does not list it: it has the GPU open and computes nothing. In a list the clients of
// MPS stand behind the servers of their GPU instance (in_order_of_mps), so that whoever keeps the list keeps
// that too. Threads: pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "engine/model/values.hpp"

namespace tessera {

// No job and no pod can be called that.
inline constexpr std::string_view kNoWorkload = "-";

inline constexpr std::string_view kOnlyOpens = "=";

inline bool only_opens(const GpuProcess& process) { return process.workload.view() == kOnlyOpens; }
// The scheduler tells its own processes, and this is none of them.
inline bool is_of_none(const GpuProcess& process) {
  return process.workload.view() == kNoWorkload || only_opens(process);
}
// It is told which job or pod it belongs to.
inline bool is_of_work(const GpuProcess& process) {
  return !process.workload.empty() && !is_of_none(process);
}

// "/usr/bin/python3 train.py" → "python3"; empty: the driver does not tell it, or prints why ("[Not Found]").
std::string_view program_of(const GpuProcess& process);
// nvidia-cuda-mps-server: it has the GPU open for its clients.
bool is_mps_server(const GpuProcess& process);
// A service of the driver or of whoever watches the GPUs (MPS, persistence, DCGM, a display): it belongs to
// no job, and no work runs in it.
bool is_service(const GpuProcess& process);
// Such a service that no job runs beside its work, as jobs do nvidia-smi (--loop): its name alone tells that
// it belongs to none, unless a scheduler says otherwise.
bool is_none_by_name(const GpuProcess& process);

// What is told of some of those on a GPU makes up its use, in percent: less is left than samples of it are
// apart, and less than is told. Of a low use (9 %, of which 0 are told) all may be another's.
bool make_up_use(double of_gpu, double told);

struct DriverProcess {
  GpuProcess process;
  bool mps_client = false;  // the driver says so (type "M+C")
};
// By GPU instance and number; those that are clients of a server in the same instance behind it. A client
// whose server is not listed stands where others do.
std::vector<GpuProcess> in_order_of_mps(std::vector<DriverProcess> told);

// One process of such a list.
struct Served {
  const GpuProcess* process = nullptr;  // never null
  bool client = false;                  // of MPS
  const GpuProcess* server = nullptr;   // of a client; null: there are several, and it is not told which
};
std::vector<Served> served(const std::vector<GpuProcess>& processes);

}  // namespace tessera
