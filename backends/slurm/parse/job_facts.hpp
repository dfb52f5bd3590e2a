// What `scontrol show job` has of a job that waits beside what the list of jobs keeps (parse_job.hpp).
// Threads: pure functions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/model/details.hpp"

namespace tessera::slurm {

// QOS and time limit of the first job in the text that waits; nullopt: none does, or it cannot be read.
std::optional<JobFacts> parse_job_facts(std::string_view text);

// Each job that the first one that waits depends on, as Slurm writes it: kind "Dependency", its name
// "afterok:12", its state "unfulfilled", its text "any" where one of them is enough. At most
// kMostDependencies; what cannot be read is left out.
inline constexpr std::size_t kMostDependencies = 8;
std::vector<Related> parse_dependencies(std::string_view text);

// The licences that the first job in the text that waits asks for, at most kMostLicences; how many of each
// there are is not told here. What cannot be read is left out.
inline constexpr std::size_t kMostLicences = 8;
std::vector<Licence> parse_licences_asked(std::string_view text);
// Fills in what `scontrol -o show licenses` tells of these.
void add_licences_free(std::vector<Licence>& licences, std::string_view text);

}  // namespace tessera::slurm
