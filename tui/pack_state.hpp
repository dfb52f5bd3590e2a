// What the pack screen knows: the demand that is edited, the GPUs that it is asked of, the question that the
// planner works on and its last answer.
//
// Plain values that UiState holds as one constant value: a change makes a new one. Threads: owned by the UI
// thread; a question is read by the planner's thread, too, and never changes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/model/values.hpp"
#include "engine/pack/queue_demand.hpp"
#include "engine/plan/plan.hpp"
#include "engine/whatif/whatif.hpp"
#include "tui/narrowed.hpp"

namespace tessera::tui {

// A line of the table of demand.
struct PackWant {
  ProfileName profile;
  const mig::Product* product = nullptr;  // of the catalogue; nullptr: any that has the profile
  int count = 0;
  int idle = 0;  // that exist now and nobody holds
  friend bool operator==(const PackWant&, const PackWant&) = default;
};

// The GPUs of the cluster as they stood, without a demand.
struct PackBoards {
  pack::Problem problem;
  std::map<std::string, int> left_out;  // GPUs that no plan may change, by the reason
  // Instances and whole GPUs that nobody holds, by profile and product; nullptr: of which one is not known.
  std::map<std::pair<ProfileName, const mig::Product*>, int> idle;
  std::string unasked = {};  // of which nodes the scheduler alone tells what is made; empty: of none
};

struct PackQuestion {
  std::shared_ptr<const PackBoards> boards;
  std::vector<pack::Demand> demand;
  std::vector<const mig::Product*> products;  // of the boards, and of the demand
  bool evict = false;
  bool reads_queue = false;  // asked is what waits, and nothing is planned: partition narrows it
  std::string partition;
  std::shared_ptr<const ClusterThen> then;
  std::optional<TimePoint> until;  // work that ends by then counts as gone; nullopt: none does
  // reads_queue: that serves on these nodes, nullopt: both; else for which the demand asks, nullopt: for any.
  std::optional<pack::Naming> naming;
  // What is asked for instead of a demand, as PackState::queue. Of 10,000 nodes its sets are large: the
  // planner's thread makes the problem of them.
  std::shared_ptr<const pack::QueueDemand> queue = nullptr;
};

// What the change that is the answer would do.
struct PackPreview {
  std::optional<plan::Plan> plan;
  std::string trouble;  // why there is none
  std::shared_ptr<const whatif::Comparison> played;
};

struct PackAnswer {
  std::shared_ptr<const PackQuestion> question;
  std::shared_ptr<const pack::Problem> problem;  // the boards with the demand
  Result<pack::Answer> answer;
  PackPreview preview;
  bool whole = true;                       // false: what it would do is still being worked out
  std::optional<pack::QueueDemand> queue;  // where the question was what waits: nothing else is told then
  std::map<std::string, int> left_out;     // GPUs of nodes that no plan changes, beside those of the boards
};

struct PackState {
  ClusterName cluster;
  std::string refused;  // why nothing is planned here and now; empty: it is
  std::string typed;    // a demand that waits until the cluster is read; empty: none does
  std::vector<PackWant> wants;
  bool evict = false;
  std::optional<TimePoint> until;  // work that ends by then is waited for; nullopt: none is
  Narrowed only;
  bool takes_queue = false;           // the demand is to be what waits, which is still being read
  std::string trouble;                // why this demand cannot be asked of these GPUs; empty: it can
  std::optional<Duration> history;    // the demand is to be what was needed over it, which is being read
  bool of_history = false;            // `source` is of that, and not of what waits
  std::string source;                 // where the demand came from, where it was not typed
  std::vector<std::string> unserved;  // a line for each kind of what waits and no node could serve
  // What waits, where it may not use the same nodes: `wants` has the sums.
  std::shared_ptr<const pack::QueueDemand> queue;
  std::optional<pack::Naming> naming;  // for which that demand asks; nullopt: for any
  bool stopped = false;                // the person did not want to wait; an edit asks again
  std::shared_ptr<const PackBoards> boards;
  std::uint64_t revision = 0;  // the model's and one, of `boards`; 0: never
  TimePoint at{};
  std::shared_ptr<const PackQuestion> question;  // nullptr: nothing is asked for
  std::shared_ptr<const PackAnswer> answer;      // the last; old where it is of another question

  bool working() const { return question && (!answer || answer->question != question || !answer->whole); }
  // The answer is of this demand, though of GPUs that may have moved since.
  bool answered() const {
    if (!question || !answer || question->reads_queue) return false;
    const PackQuestion &now = *question, &then = *answer->question;
    return now.demand == then.demand && now.evict == then.evict && now.until == then.until &&
           now.products == then.products && now.queue == then.queue;
  }
};

}  // namespace tessera::tui
