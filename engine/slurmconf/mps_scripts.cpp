// The texts of generate.hpp's mps_scripts. gres.html (Slurm 24.11), MPS Management: Slurm hands out shares
// but starts no daemon; CUDA_MPS_ACTIVE_THREAD_PERCENTAGE is set for jobs with gres/mps, in their Prolog too.
#include "engine/slurmconf/generate.hpp"

namespace tessera::slurmconf {
namespace {

constexpr std::string_view kProlog = R"sh(#!/bin/bash
# Slurm Prolog (as root, on the node): one MPS control daemon for all jobs with gres/mps.
# It serves one user at a time: the next user's programs wait until the last one's have ended.
# Anything but 0 from here drains the node.
[ -n "$CUDA_MPS_ACTIVE_THREAD_PERCENTAGE" ] || exit 0
unset CUDA_VISIBLE_DEVICES CUDA_MPS_ACTIVE_THREAD_PERCENTAGE
export CUDA_MPS_PIPE_DIRECTORY={folder}/pipe CUDA_MPS_LOG_DIRECTORY={folder}/log
mkdir -p "$CUDA_MPS_PIPE_DIRECTORY" "$CUDA_MPS_LOG_DIRECTORY" {folder}/jobs || exit 1
exec 9>{folder}/lock || exit 1
flock -w 30 9 || exit 1
: > "{folder}/jobs/$SLURM_JOB_ID"
echo get_server_list | timeout 5 nvidia-cuda-mps-control >/dev/null 2>&1 && exit 0
nvidia-cuda-mps-control -d 9>&-
)sh";

constexpr std::string_view kTaskProlog = R"sh(#!/bin/bash
# Slurm TaskProlog: what it prints as "export ..." goes into the task's environment.
[ -n "$CUDA_MPS_ACTIVE_THREAD_PERCENTAGE" ] || exit 0
echo "export CUDA_MPS_PIPE_DIRECTORY={folder}/pipe"
echo "export CUDA_MPS_LOG_DIRECTORY={folder}/log"
)sh";

constexpr std::string_view kEpilog = R"sh(#!/bin/bash
# Slurm Epilog (as root, on the node): ends the MPS control daemon after the last job that needed it.
[ -e "{folder}/jobs/$SLURM_JOB_ID" ] || exit 0
exec 9>{folder}/lock || exit 1
flock -w 30 9 || exit 1
rm -f "{folder}/jobs/$SLURM_JOB_ID"
[ -z "$(ls -A {folder}/jobs)" ] || exit 0
export CUDA_MPS_PIPE_DIRECTORY={folder}/pipe CUDA_MPS_LOG_DIRECTORY={folder}/log
echo quit | timeout 10 nvidia-cuda-mps-control >/dev/null 2>&1
exit 0
)sh";

constexpr std::string_view kJob = R"sh(#!/bin/bash
# In a batch script of a job that has whole GPUs of its own: several of its programs share them through a
# daemon that is only this job's, and ends with it.
mps=$(mktemp -d "${TMPDIR:-/tmp}/mps-$SLURM_JOB_ID.XXXXXX") || exit 1
export CUDA_MPS_PIPE_DIRECTORY=$mps/pipe CUDA_MPS_LOG_DIRECTORY=$mps/log
mkdir "$CUDA_MPS_PIPE_DIRECTORY" "$CUDA_MPS_LOG_DIRECTORY" || exit 1
trap 'echo quit | timeout 10 nvidia-cuda-mps-control >/dev/null 2>&1; rm -rf -- "$mps"' EXIT
nvidia-cuda-mps-control -d || exit 1
"$@"
)sh";

std::string filled(std::string_view script, std::string_view folder) {
  constexpr std::string_view kMark = "{folder}";
  std::string text;
  for (std::size_t at = script.find(kMark); at != std::string_view::npos; at = script.find(kMark)) {
    text += script.substr(0, at);
    text += folder;
    script.remove_prefix(at + kMark.size());
  }
  text += script;
  return text;
}

}  // namespace

MpsScripts mps_scripts(std::string_view folder) {
  return {filled(kProlog, folder), filled(kTaskProlog, folder), filled(kEpilog, folder), std::string(kJob)};
}

}  // namespace tessera::slurmconf
