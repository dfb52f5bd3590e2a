// What Prometheus kept of all nodes over some days, as rounds (engine/usage/kept_use.hpp).
//
// Asked for in pieces, one after the other, each small enough to be held: how many series there are is asked
// first. Between two pieces it waits for as long as the last one took, so that a server never spends more
// than half of its time on this. Threads: blocks the calling thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backends/figures/prometheus_queries.hpp"
#include "backends/http_client.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/usage/kept_use.hpp"

namespace tessera::figures {

// Whose past, and until when.
struct PastOf {
  ClusterName cluster;
  const mig::Catalogue* catalogue = nullptr;  // outlives what is opened; never null
  TimePoint until{};
  std::function<bool()> stopped{};  // whoever asked has given up; empty: never
};

struct PastRoundsOptions {
  PastOf of;
  Scheduler scheduler = Scheduler::slurm;
  // A path below the server's root; an answer with any status is a response.
  std::function<Result<HttpResponse>(const std::string& path)> ask;
  NodeOfSeries node_of;
  std::function<void(Duration)> rest{};  // waits so long; empty: the thread sleeps, unless it is stopped
};

std::unique_ptr<usage::KeptUse> past_rounds(PastRoundsOptions options);

}  // namespace tessera::figures
