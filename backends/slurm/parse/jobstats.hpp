// What jobstats keeps of a finished job in its AdminComment: "JS1:", then JSON in gzip in base64. Of each GPU
// the mean use and the peak of memory over the whole of the job. Threads: pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "engine/usage/past_jobs.hpp"

namespace tessera::slurm {

inline constexpr std::size_t kMostSummary = 1u << 20;  // bytes, packed or unpacked

// Empty: the comment is another text, says that there are no figures ("JS1:Short", "JS1:None"), or is not
// exactly what jobstats writes: a part of a summary that cannot be read is none. Where a GPU has no use (one
// that is cut into slices has none), it is unknown.
std::vector<usage::GpuFigures> read_jobstats(std::string_view comment);
// The same from what is packed in it.
std::vector<usage::GpuFigures> read_jobstats_json(std::string_view text);

}  // namespace tessera::slurm
