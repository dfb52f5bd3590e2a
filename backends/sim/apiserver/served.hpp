// The cluster behind an API server, as far as the server has to know it: objects, kinds, a clock, and what
// becomes of pods, which a cluster gives a life of their own.
// Threads: used on one thread.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "backends/sim/apiserver/kinds.hpp"
#include "backends/sim/apiserver/store.hpp"

namespace tessera::sim::kube {

class ServedCluster {
 public:
  virtual ~ServedCluster() = default;

  virtual ObjectStore& objects() = 0;
  virtual const Kinds& kinds() const = 0;
  virtual std::string_view version() const = 0;  // "kubernetes v1.32.2"
  virtual TimePoint now() const = 0;
  virtual std::uint64_t seed() const = 0;  // of names that the server makes up

  // After each request that may have changed something: what follows from that at once.
  virtual Status settle(Duration most = std::chrono::minutes(10)) = 0;

  // A pod that a user makes by hand.
  virtual Written create_pod(const Key& key, Json pod) = 0;
  // Ends a pod as DELETE does: terminating now, gone after at most `grace`; a controller's is replaced. uid:
  // empty: whichever.
  virtual Written delete_pod(const Key& key, std::optional<Duration> grace, std::string_view uid = {},
                             std::string_view expected = {}) = 0;
  // As POST .../eviction: 429 when a budget does not allow it.
  virtual Written evict_pod(const Key& key, std::optional<Duration> grace, std::string_view uid = {}) = 0;

 protected:
  ServedCluster() = default;
  ServedCluster(const ServedCluster&) = default;
  ServedCluster& operator=(const ServedCluster&) = default;
};

}  // namespace tessera::sim::kube
