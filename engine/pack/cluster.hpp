// Makes a packing problem of what is known of a cluster now, and wishes for its nodes of the answer.
// Threads: pure functions.
#pragma once

#include <map>
#include <optional>
#include <span>

#include "engine/model/model.hpp"
#include "engine/pack/naming.hpp"
#include "engine/pack/problem.hpp"
#include "engine/plan/capabilities.hpp"
#include "engine/plan/intent.hpp"

namespace tessera::pack {

struct ClusterProblem {
  Problem problem;                      // without a demand
  std::map<std::string, int> left_out;  // GPUs that no plan may change, by the reason
};

// "left out: 1 GPU held as a whole, or not known to be free"
std::string left_out_text(int count, const std::string& why);

// Only GPUs of which everything is known: on a node that takes work, cut by MIG or free as a whole. An
// instance that is not known to be free is not touched, and serves where the scheduler tells how many like it
// are free; until: one whose holders all end by then, by their time limits, counts as free, and so does a
// whole GPU: a plan waits for them. asked: the names for which the demand asks; nodes with other names for
// their slices serve none of it and are left out, but for free whole GPUs that have the name of any. refused:
// nodes that no plan changes; nullptr: none are known (engine/pack/refused.hpp). evict: what runs may be
// moved where it can start again: of GPUs that are held as a whole, and of instances of a node that stays
// open, where their holder holds nothing else.
ClusterProblem problem_of(const Cluster& cluster, std::span<const NodeName> nodes,
                          const mig::Catalogue& catalogue, const plan::Capabilities& can,
                          std::optional<TimePoint> until = std::nullopt,
                          std::optional<Naming> asked = std::nullopt,
                          const std::map<NodeName, std::string>* refused = nullptr, bool evict = false);

// The product's number among those of a problem, which has it from now on.
std::size_t number_in(std::vector<const mig::Product*>& products, const mig::Product* product);

// What problem_of() answers for these of its nodes alone, without reading the cluster again. Without a
// demand.
Problem part_of(const Problem& all, std::span<const NodeName> nodes);

// "3g.40gb=10", "H100-80GB-SXM5:3g.40gb=10" or "whole=4", each a word. Whole GPUs may be of a product of
// which no GPU may be changed: the problem then has it, and they are unmet. Errors name the word.
Result<std::vector<Demand>> read_demand(std::span<const std::string> words, Problem& problem,
                                        const mig::Catalogue& catalogue);
// "3g.40gb", "H100-80GB-SXM5:whole": what a demand is called, in its word and where it is unmet. products:
// to which its own is an index.
std::string word_of(const Demand& demand, const std::vector<const mig::Product*>& products);

// "unmet: 1 of 2 3g.40gb", with the nodes where it can be met on these alone: "… on n[1-4]".
std::string unmet_text(const Problem& problem, const Answer& answer, std::size_t demand);

// What a GPU has afterwards, sorted by start.
mig::Layout layout_after(const BoardPlan& plan);

// The nodes that change, and what each of their GPUs is to be; without words and options.
plan::Intent intent_of(const Problem& problem, const Answer& answer, const ClusterName& cluster);

// The gentlest way that makes the answer: where nothing loses its place, work in the way is waited for,
// whatever else is allowed.
plan::Way way_of(const Answer& answer, plan::Way allowed);

// The layouts that the GPUs are to have, as an intent file has them (engine/plan/files/intent_file.hpp);
// empty: nothing changes.
std::string intent_text(const Problem& problem, const Answer& answer);

}  // namespace tessera::pack
