// Watches a Slurm backend through a mailbox, as the console does, until something is so.
#pragma once

#include <chrono>
#include <functional>

#include "backends/mailbox.hpp"
#include "backends/slurm/backend.hpp"
#include "engine/model/reduce.hpp"
#include "tests/support/patience.hpp"
#include "tests/support/watch.hpp"

namespace tessera::test {

inline TimePoint wall_clock() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

class SlurmWatch {
 public:
  explicit SlurmWatch(slurm::SlurmOptions options) : backend_(with_clock(std::move(options))) {
    backend_.start(mailbox_);
  }

  // Takes events until `done`; false: not within the time.
  bool until(const std::function<bool(const Cluster&)>& done,
             std::chrono::milliseconds patience = test::kPatience) {
    return reduce_until(mailbox_, model_, backend_.name(), done, patience);
  }
  const Cluster& cluster() const { return *model_.find(backend_.name()); }
  slurm::SlurmBackend& backend() { return backend_; }

 private:
  static slurm::SlurmOptions with_clock(slurm::SlurmOptions options) {
    options.clock = wall_clock;
    return options;
  }
  Mailbox mailbox_;
  Model model_;
  slurm::SlurmBackend backend_;  // the last one made is the first to go: it posts to the mailbox
};

inline const SourceHealth* health(const Cluster& cluster, Source source) {
  auto found = cluster.sources.find(source);
  return found == cluster.sources.end() ? nullptr : &found->second;
}
inline bool fails(const Cluster& cluster, Source source) {
  const SourceHealth* state = health(cluster, source);
  return state && state->failure;
}

}  // namespace tessera::test
