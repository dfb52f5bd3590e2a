// What becomes of the work that waits, in the next hours: as things stand, and if a plan were applied now.
//
// A model of a scheduler, stated in docs/whatif.md: the higher priority comes first, then the longer wait;
// what runs ends at its time limit, what starts at its own or that of its partition; Slurm's backfill lets a
// job slip past only where that delays none of those before it that wait for room. GPUs, slices and shares
// are counted, and of a Slurm job CPUs and memory as far as they are listed (why/machine.hpp); limits and
// what others will submit are not known. Threads: pure functions of values.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/model/model.hpp"
#include "engine/plan/plan.hpp"

namespace tessera::whatif {

// From the last step of a change to the first start on what it made.
inline constexpr Duration kChangeTakes = std::chrono::minutes(5);
inline constexpr int kUsualHours = 24;             // ahead, where nobody has chosen
inline constexpr std::size_t kMostWaiting = 5000;  // that are looked at, first in line first
inline constexpr std::int64_t kMostLooks = 300;    // of the scheduler, over the whole time

struct Question {
  const Cluster* cluster = nullptr;
  const mig::Catalogue* catalogue = nullptr;
  TimePoint now{};  // by the cluster's clock
  Duration ahead = std::chrono::hours(kUsualHours);
  // Asked before each look of the scheduler but the first; true: give up. What is answered then ends too
  // early and is to be told to no one. Empty: it is played to its end.
  std::function<bool()> stop = {};
};

struct Start {
  WorkloadId id;
  std::string name, user;
  std::string request;  // "2 × gpu:3g.40gb"
  TimePoint at{};
  std::vector<NodeName> nodes;
};

struct Future {
  std::vector<Start> starts;         // in their order
  std::vector<WorkloadId> waiting;   // for room, still at the end
  double gpu_hours = 0;              // held until the end, by what runs and by what starts, in GPUs' worth
  int unpriced = 0;                  // workloads of which it is not known what part of a GPU they hold
  int endless = 0;                   // that run without a time limit: nothing of theirs is given back
  int left_out = 0;                  // that wait for something else than room, or behind kMostWaiting
  std::optional<TimePoint> changed;  // every node of the plan has its new layout; nullopt: not until the end
};
// plan: nullptr: nothing is changed.
Future unfold(const Question& question, const plan::Plan* plan = nullptr);

struct Stage;
// The same for several plans of one cluster, which is read once. The question's cluster and catalogue must
// outlive it.
class Player {
 public:
  explicit Player(const Question& question);
  Future unfold(const plan::Plan* plan = nullptr) const;
  const Question& question() const { return question_; }

 private:
  Question question_;
  std::shared_ptr<const Stage> stage_;  // nullptr: there is no cluster
};

// One job or pod whose start is another one with the plan. nullopt: it does not start until the end.
struct Moved {
  WorkloadId id;
  std::string name, user, request;
  std::optional<TimePoint> left, changed;  // if all is left as it is; with the plan
};

struct Comparison {
  TimePoint from{};
  Duration ahead{0};
  Future left, changed;
  std::vector<Moved> sooner, later;       // by the time of their start with the plan; later: and never
  std::optional<double> gpu_hours;        // gained by the plan, below 0: lost; nullopt: not known
  std::optional<double> thrown_away = 0;  // GPU-hours of work so far that the plan ends; nullopt: not known
  int never_again = 0;                    // waiting workloads that would match nothing any more
};
Comparison compare(const Question& question, const plan::Plan& plan);
// as_it_is: what unfold() answers without a plan, worked out once for several plans.
Comparison compare(const Player& player, const plan::Plan& plan, Future as_it_is);

// "3 start sooner, 1 later or not within 24 h; 12.5 GPU-hours gained"
std::string headline(const Comparison& comparison);
// Of these, how many were not played: whether they start is not known (kMostWaiting, what waits for more than
// room, parts of one job).
std::size_t not_played(const Comparison& comparison, const std::vector<WorkloadId>& ids);
// The plan is made in that time, and none of these, all of which were played, starts sooner with it.
bool helps_none(const Comparison& comparison, const std::vector<WorkloadId>& ids);

}  // namespace tessera::whatif
