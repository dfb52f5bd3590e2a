// Programs that have GPUs open and belong to no job or pod: who they are, and what a run does about each. The
// driver refuses a change while one is there ("In use by another client").
//
// By what the driver lists, which is what computes or draws, and by who else has the device open
// (only_opens). Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/model/values.hpp"
#include "engine/slurmconf/slurm_setup.hpp"

namespace tessera::plan {

enum class Bounce : std::uint8_t {
  stopped,  // the site's command names it
  maybe,    // the site has a command, and what that stops is not told
  not_so,   // it stays
};
// site: nullptr: there is no command of a site's own.
Bounce bounce_of(const GpuProcess& process, const slurmconf::SlurmSetup* site);
// "the run stops it and starts it again", for whoever looks at the process.
std::string to_text(Bounce bounce, const slurmconf::SlurmSetup* site);

// "nv-hostengine"; where it has no name its number: "process 901".
std::string called(const GpuProcess& process);
// "nv-hostengine has GPU 0-1 open and belongs to no job: …". opened: its GPUs or their files.
std::string stranger_text(std::string_view who, std::string_view opened, std::string_view advice);

// One program on some GPUs.
struct GpuClient {
  std::string program;  // as called() says
  std::vector<GpuIndex> gpus;
  Bounce bounce = Bounce::not_so;
  bool computes = false;  // or draws: the driver lists it on one of them
};
// Of these GPUs, each program once.
std::vector<GpuClient> gpu_clients(const Node& node, const std::vector<GpuIndex>& gpus,
                                   const slurmconf::SlurmSetup* site);
// "nv-hostengine has GPU 0-1 open and belongs to no job: …"
std::string to_text(const GpuClient& client, const slurmconf::SlurmSetup* site);

}  // namespace tessera::plan
