// Plans in words, for the plan and run screens.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/plan/plan.hpp"
#include "tui/plan_phrases.hpp"

namespace tessera::tui {

// What reading back has to show: "GPU 0: 3g.40gb@4 stands", "free of work".
std::string seen_text(const plan::Condition& condition);
std::string seen_text(const plan::Conditions& conditions);
// "closing the node, a GPU reset"; "nothing but the change itself"
std::string needs_text(const plan::Needs& needs);
// "GPU 0 1g.10gb@0 1g.10gb@1", one line a GPU
std::vector<std::string> slices_text(const std::vector<plan::SlicePlan>& slices);
// "30 s", "2 min", "-" for as long as it takes
std::string deadline_text(Duration deadline);

// The GPUs that change, as they are and as they will be, in eight characters each, with the way of sharing
// behind them where it changes; GPUs alike together. live tells how many shares are held; may be null.
struct StripChange {
  std::string gpus;  // "GPU 0-3"
  std::string before, after;
};
std::vector<StripChange> strip_changes(const plan::NodePlan& node, const Node* live,
                                       const mig::Catalogue& catalogue, bool ascii);

// The same during a run: as the cluster reports them now, and as they will be.
std::vector<StripChange> live_strips(const plan::NodePlan& node, const Node& live,
                                     const mig::Catalogue& catalogue, bool ascii);

// Where the parts of a line about a disturbed workload begin. Where ids repeat the names, as those of pods
// do, they have the cells of both, and others that are free.
struct DisturbedCells {
  int id = 13;               // cells; it begins at 3
  int user = 17, name = 27;  // name 0: it has no column
  int since = 42, fate = 54, extent = 80;
};
DisturbedCells disturbed_cells(const plan::Plan& plan, int width);

// How much may go wrong for others: nothing is touched, someone waits or restarts, someone's work ends.
enum class Risk : std::uint8_t { low, medium, high };
Risk risk_of(const plan::Plan& plan);
std::string_view word(Risk risk);
// "about 25 s", "about 4 min, and the wait for jobs"
std::string usual_text(const plan::Plan& plan);

// Whether any owner is known who is told of it: whether plan::messages() has one, without writing them all.
bool tells_owners(const plan::Plan& plan);

// "wait until it ends", "requeue it", "end it"
std::string_view way_text(plan::Way way, Scheduler scheduler);

}  // namespace tessera::tui
