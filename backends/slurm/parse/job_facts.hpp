// What `scontrol show job` has of a job that waits beside what the list of jobs keeps (parse_job.hpp).
// Threads: pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "engine/model/details.hpp"

namespace tessera::slurm {

// QOS and time limit of the first job in the text that waits; nullopt: none does, or it cannot be read.
std::optional<JobFacts> parse_job_facts(std::string_view text);

}  // namespace tessera::slurm
