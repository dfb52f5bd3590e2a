// Who has GPUs of a node open, asked there once the driver has refused a change for it: a refusal names a GPU
// and no program. Threads: the worker's thread only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/nvidia/openers.hpp"
#include "backends/slurm/change/start_action.hpp"
#include "backends/slurm/parse/parse_pids.hpp"

namespace tessera::slurm {

// The driver's words for a GPU that a program has open.
bool is_in_use(const Error& refusal);

// "nv-hostengine (812) has GPU 0 open and belongs to no job: …; python3 (584) has GPU 0 open and is of job
// 7". gpus: those that the change was about; empty: all. minors: as the driver counts them; where they are
// not known for one of these GPUs, all device files count and are named. jobs: null: not told; whole: as
// is_of_no_job() has it.
std::string clients_text(const std::vector<nvidia::Opener>& openers, const JobPids* jobs, bool whole,
                         const std::vector<GpuIndex>& gpus, const BoardMinors& minors,
                         const slurmconf::SlurmSetup& said);

// Calls `then` once: where there is a refusal with it, and with who has a GPU open as its hint, where it is
// for that. Nothing is asked otherwise; the controller only where it says more of one of them.
void name_clients(Hands& hands, const plan::Order& order, const std::string& reservation,
                  std::optional<Error> refusal, std::function<void(Status)> then);

}  // namespace tessera::slurm
