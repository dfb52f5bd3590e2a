// What a recording says of the moment that is shown. Threads: pure functions.
#pragma once

#include <string_view>

#include "engine/model/model.hpp"

namespace tessera {

// Why a recording tells nothing of this moment: nothing was recorded then, or it cannot be read. nullptr: it
// tells the moment, or the cluster is no recording.
inline const Error* recording_failure(const Cluster& cluster) {
  const auto whole = cluster.sources.find(Source::none);
  return whole == cluster.sources.end() || !whole->second.failure ? nullptr : &*whole->second.failure;
}

// What fails there: one of the cluster's sources, or its recording, which is none of them.
inline std::string_view failing_word(Source source) {
  return source == Source::none ? std::string_view("recording") : word(source);
}

}  // namespace tessera
