// A cluster held against a fleet file: per node what is wanted, what is made on the hardware, what the
// scheduler hands out and what is held; and the intent that mends what drifts.
//
// What is not known is never "as wanted": a node whose GPUs are not reported, or that does not answer, is
// unknown. Threads: pure functions; a survey points into the fleet and the cluster that it was made of.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/fleet/fleet.hpp"
#include "engine/plan/planner.hpp"

namespace tessera::fleet {

enum class Standing : std::uint8_t {
  as_wanted,
  left_alone,  // no pool takes it, or its rule is as-is
  drifts,
  unknown,     // what is made there is not known now
  impossible,  // its GPUs cannot become that
};

struct BoardSurvey {
  GpuIndex gpu;
  Standing standing = Standing::as_wanted;
  plan::Wish wanted;
  std::optional<plan::BoardState> made;  // nullopt: not known
  int held = 0;                          // slices
  std::string why;                       // unknown, impossible
  enum class Wanted : std::uint8_t {
    told,
    no_preset,   // its product has no preset of that name
    no_product,  // which product it is, is not known
  };
  Wanted wanted_is = Wanted::told;  // else `wanted` says nothing
};

struct NodeSurvey {
  const Node* node = nullptr;
  const Pool* pool = nullptr;            // nullptr: none takes it
  const Exception* exception = nullptr;  // of that pool
  std::vector<const Pool*> also;         // pools below, whose conditions it meets, too
  // Whether the pool takes it is not told: its product is not known. Then it is unknown (taking.hpp).
  bool untold = false;
  Standing standing = Standing::left_alone;
  std::string why;  // unknown, impossible: about the node, or its first GPU of that kind
  // It drifts, and no plan changes it now: the reason, which may name it. Then `why` says both.
  std::optional<std::string> refused = std::nullopt;
  std::vector<BoardSurvey> boards;  // that are ruled; of a demand those that are to change
  // None of its GPUs is reported, and a plan makes all of them this: it drifts.
  std::optional<plan::Wish> of_all = std::nullopt;
  // What the scheduler would hand out by what is made there; empty: it does. nullopt: not known (offers.hpp).
  std::optional<std::string> should_offer;
  const Rule* rule() const { return exception ? &exception->rule : pool ? &pool->rule : nullptr; }
};

// What is wrong with a pool as a whole.
struct PoolNote {
  const Pool* pool = nullptr;
  // unknown, impossible; as_wanted: nothing of its nodes, but of what the file says of it; drifts: fleet run
  // leaves them as they are (passed_over.hpp).
  Standing standing = Standing::unknown;
  std::string text;
};

struct Survey {
  const Cluster* cluster = nullptr;
  std::vector<NodeSurvey> nodes;  // those with GPUs, and those that the file names
  std::vector<PoolNote> notes;
  std::size_t count(Standing standing) const;  // nodes
};

// What is known of the place that a survey is made for; all of it outlives the survey.
struct Place {
  const mig::Catalogue* catalogue = nullptr;
  const plan::Means* means = nullptr;
  const plan::SiteRules* rules = nullptr;  // of the site; what the file says of the cluster counts more
};

// only: these nodes alone; empty: all. What a demand asks of them is what it asks of them among all of their
// pool. Errors: the built-in tables of presets cannot be read.
Result<Survey> survey(const Fleet& fleet, const Cluster& cluster, const Place& place,
                      const std::vector<NodeName>& only = {});

// The site's rules with what the file says of this cluster.
plan::SiteRules rules_of(const Fleet& fleet, const ClusterName& cluster, plan::SiteRules site);

// One intent over every node that drifts; nullopt: none does. Those that are refused stand in it only where
// there is no other: one of them would keep all from being changed. words: what the plan is called. pool:
// only its nodes; nullptr: those of all pools. but: nodes that are left out.
std::optional<plan::Intent> intent_of(const Survey& survey, std::string words, plan::ChangeOptions options,
                                      const Pool* pool = nullptr, const std::set<NodeName>& but = {});

std::string_view word(Standing standing);  // "as-wanted" "left-alone" "drifts" "unknown" "impossible"

}  // namespace tessera::fleet
