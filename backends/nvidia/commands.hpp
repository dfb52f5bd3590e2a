// The argument vectors with which one node's GPUs are asked and changed: nvidia-smi and nvidia-mig-parted.
//
// Values in, words out; who runs them is backends/runner. Verbs and options as `nvidia-smi mig -h` of R535
// and R570 has them; mig-parted v0.15.0. GPUs are named by index, profiles by the driver's number where
// known. Threads: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/plan/action.hpp"

namespace tessera::nvidia {

using Argv = std::vector<std::string>;

// Reading. The first four together make a NodeAnswers.
Argv list_gpus();       // -L
Argv query();           // -q -x
Argv list_instances();  // mig -lgi
Argv list_compute();    // mig -lci
Argv process_use();     // pmon -c 1: one sample
Argv read_minors();     // cat /proc/driver/nvidia-caps/mig-minors

// Creates GPU instances in the order of the list, each with its full-width compute instance.
// at_places appends ":start" to each profile: the form stands in the help text of newer drivers (read on
// 580.159.04; -cgi: "an optional placement specifier"), but we have not seen it run: UNVERIFIED. Without it
// the order decides where they go (engine/plan/effect/creation.hpp). What stands afterwards must be read back
// in both cases.
Argv create(GpuIndex gpu, std::span<const plan::InstanceAt> instances, const mig::Product* product,
            bool at_places);
// A compute instance of full width inside an instance that has none.
Argv create_compute(GpuIndex gpu, int instance);
// Compute instances go first. `instances` must not be empty: without -gi the verb would mean all of the
// GPU.
Argv destroy_compute(GpuIndex gpu, std::span<const int> instances);
Argv destroy_instances(GpuIndex gpu, std::span<const int> instances);
Argv set_mode(std::span<const GpuIndex> gpus, bool mig);
Argv reset(std::span<const GpuIndex> gpus);

// nvidia-mig-parted, where the site has it. The configuration comes through stdin; -c is its name in there.
Argv parted_apply(const std::string& config);
Argv parted_export();

// Commands that change GPUs and still run there, with their process numbers (pgrep; 0: some, 1: none).
Argv find_changes();

}  // namespace tessera::nvidia
