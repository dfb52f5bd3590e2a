// The plans that are tried: for a demand and a set of nodes the fewest changes. Private to this room.
// Threads: pure functions.
#pragma once

#include <set>

#include "engine/advise/advise.hpp"

namespace tessera::advise {

// A profile, or "whole"; of one product where that is asked for.
using Kind = std::pair<std::string, const mig::Product*>;
using Kinds = std::map<Kind, int>;

// Slices and whole GPUs that are to be free at the same time, and the nodes on which they serve.
struct Wanted {
  Kinds kinds;
  std::vector<NodeName> nodes;
  std::vector<NodeName> only_whole = {};  // whose free whole GPUs serve, and whose slices have other names
};

struct Candidate {
  std::vector<pack::Demand> demand;
  std::vector<NodeName> nodes;
  std::optional<Duration> ends_within;
  pack::Problem problem;
  pack::Answer packed;
};

struct Candidates {
  std::vector<Candidate> list;  // no two alike; each changes something
  std::map<std::string, int> left_out;
  std::vector<std::string> reasons;  // of demand that no plan meets
  bool given_up = false;             // by Question::keep_on
};

Candidates candidates(const Question& question, const std::vector<Wanted>& wanted);

}  // namespace tessera::advise
