// Which nodes to re-cut: a few answers along the trade-off between what waits and what a change touches, each
// with its forecast, its cost, and the demand by which `tessera pack` makes the same plan.
//
// Every answer is a plan of the packing planner that ends no running work but may wait for it, played by
// engine/whatif. Answers than which another one is at least as good in every figure are dropped
// (docs/planning.md). Threads: pure functions.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/advise/history.hpp"
#include "engine/pack/problem.hpp"
#include "engine/pack/queue_demand.hpp"
#include "engine/plan/planner.hpp"
#include "engine/whatif/whatif.hpp"

namespace tessera::advise {

inline constexpr std::size_t kMostAnswers = 5;

// How far a question has come.
struct Progress {
  enum class Stage : std::uint8_t { looking, planning, playing };
  Stage stage = Stage::looking;
  int done = 0, of = 0;  // plans; planning: it is not known how many there will be, and `of` stays 0
  friend bool operator==(const Progress&, const Progress&) = default;
};
// Called again and again, also within the search for a plan; false: give up.
using KeepOn = std::function<bool(const Progress&)>;

struct Question {
  const Cluster* cluster = nullptr;
  const mig::Catalogue* catalogue = nullptr;
  plan::Means can;
  plan::SiteRules rules;
  std::vector<NodeName> nodes;  // that may be changed
  std::string partition;        // only what waits in it; empty: all
  TimePoint now{};              // by the cluster's clock
  Duration ahead = std::chrono::hours(24);
  const usage::DemandOverTime* past = nullptr;  // of this cluster; nullptr: only what waits now counts
  KeepOn keep_on = {};
};

// What a node that changes is closed for.
struct NodeCost {
  NodeName node;
  bool closed = false;             // until it is changed, no new work starts there
  std::optional<TimePoint> until;  // the last one in the way reaches its time limit; nullopt: one has none
  std::vector<plan::Disturbed> whom;
};

// How many of a profile the whole cluster has, held or not; "whole": GPUs that are not cut.
struct Offer {
  std::string profile;
  int before = 0, after = 0;
};

struct Answer {
  std::vector<pack::Demand> demand;  // of `tessera pack` on `nodes`, which makes the same plan
  std::vector<NodeName> nodes;
  std::optional<Duration> ends_within;  // what ends by then counts as gone: the plan waits for it
  pack::Problem problem;
  pack::Answer packed;
  plan::Plan plan;
  whatif::Comparison forecast;
  double hours_sooner = 0;  // by which waits are shorter in sum, later starts subtracted; ends with the time
  std::vector<NodeCost> costs;
  int disturbed = 0;          // running jobs and pods for whose end the plan waits
  std::vector<Offer> offers;  // profiles of which there are more or fewer
  // GPU-hours of what was needed in the past that fit only with it, and that fit no longer; nullopt: it is
  // not known what part of a GPU one of these profiles is.
  std::optional<double> fitted = 0, lost = 0;
};

// What the forecast rests on.
struct Known {
  int running = 0, running_with_limit = 0;
  int waiting = 0, waiting_with_limit = 0;  // for room
};

struct Advice {
  pack::QueueDemand queue;
  whatif::Future left;                  // if nothing is changed
  std::vector<PastProfile> past;        // by profile; empty: none was asked for, or nothing was needed
  std::map<std::string, int> left_out;  // GPUs that no plan may change, by the reason
  std::string unasked;  // of which nodes the scheduler alone tells what is made; empty: of none
  Known known;
  std::vector<Answer> answers;       // the fewest disturbed first, then the fewest nodes
  int tried = 0, dropped = 0;        // plans; of these, that are not worth telling
  std::vector<std::string> reasons;  // why part of the demand is not met, or there is no answer at all
  bool given_up = false;             // before it was done: there is no answer in it
};

Advice advise(const Question& question);

// "PROFILE=COUNT" or "PRODUCT:PROFILE=COUNT" for each of its demand: the words of `tessera pack`.
std::vector<std::string> words_of(const Answer& answer);
// "tessera pack 3g.40gb=2 --node n1 --ends-within 6h": what makes the same plan, without what says where the
// cluster is.
std::string pack_command(const Answer& answer);

}  // namespace tessera::advise
