// What a recorder has written of the clusters that are looked at live: the door to their past.
// Threads: the one that owns the model; reading is done on threads of the backends that it opens.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/port.hpp"
#include "engine/usage/reckoning.hpp"

namespace tessera::record {

// Where the unit that `tessera config record-unit` prints lets a recorder write.
inline constexpr std::string_view kUsualFolder = "/var/lib/tessera/recording";

// What else knows the past of these clusters; empty: it does not. Each is called on a thread of the
// archive's, and asks keep_on now and then whether anyone still waits for it.
struct Elsewhere {
  using Read = std::function<Result<usage::Reckoning>(Duration since, const usage::KeepOn& keep_on)>;
  Read prometheus, accounting;
};

class Archive {
 public:
  virtual ~Archive() = default;

  // A backend for each cluster, which is a Player and begins at that time. They tell events() once they are
  // started with sink(). A cluster of which nothing is recorded fails as a source does. Errors: nothing is
  // recorded of any of them.
  virtual Result<std::vector<BackendPtr>> open(const std::vector<ClusterName>& clusters, TimePoint at) = 0;
  virtual EventSink& sink() = 0;
  virtual EventSource& events() = 0;

  // Where sums can be read from, the best first; the accounting, which is asked on request alone, last.
  virtual std::vector<usage::PastSource> sources() const = 0;
  // Reads what is known of these clusters there through and adds it up. One at a time: what was under way
  // before is given up. events() wakes as it gets on, with an event of no cluster. until: as if no more were
  // recorded; nullopt: all of it, and of another source than a recording always. Precondition: source is one
  // of sources().
  virtual void add_up(const std::vector<ClusterName>& clusters, Duration since,
                      std::optional<TimePoint> until, const mig::Catalogue& catalogue,
                      usage::PastSource source) = 0;
  virtual void give_up() = 0;
  struct AddingUp {
    double part = 0;  // that is done, 0 to 1
    std::shared_ptr<const usage::Reckoning> sums;
    std::optional<Error> failure;
    bool is_over() const { return sums || failure; }
  };
  // How it fares; nullopt: nothing is added up, or its end was told already.
  virtual std::optional<AddingUp> added_up() = 0;
};

}  // namespace tessera::record
