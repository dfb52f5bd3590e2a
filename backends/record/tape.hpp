// The files of a recorder: FOLDER/CLUSTER/2026-11-24.jsonl.zst, one for each day of UTC.
//
// Each round is written whole and can be read from then on. fsync: with each key frame, each five minutes and
// at the end, so that a machine that dies loses at most five minutes, and a recorder that is killed at most
// the round that it was writing. What a crash left half written is cut off when the file is opened again;
// what cannot be read for another reason is kept beside it and told (mend.hpp), and so is a damaged frame
// between others, which stays where it is. A lock (flock) on the cluster's folder keeps a second recorder
// out; it goes with its process. Days before the one that is written to are removed or made thinner as `Keep`
// has it (thinner.hpp). Threads: one.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/record/recording.hpp"

namespace tessera::record {

inline constexpr Duration kKeyEvery{7'200'000};  // between key frames: what a jump reads at most
inline constexpr Duration kSyncEvery{300'000};

// Makes the folder where it is missing. Errors: it cannot be written, or another recorder has it.
Result<std::unique_ptr<Tape>> open_tape(const std::string& folder, const ClusterName& cluster, Keep keep);

// The day of UTC, as files are named.
std::string day_of(TimePoint at);
inline constexpr std::size_t kLargestFile = std::size_t{1} << 30;

// The cluster's folder below the recorder's: its name; with '_' for what is no part of a file's name,
// and then with a digest of the name behind it.
std::string folder_name(const ClusterName& cluster);
inline constexpr std::string_view kFileEnd = ".jsonl.zst";
// Behind that: what could not be read of a day when it was gone on with. A number follows where there are
// more.
inline constexpr std::string_view kAsideEnd = ".broken";

}  // namespace tessera::record
