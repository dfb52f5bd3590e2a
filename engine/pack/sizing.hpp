// Sizes and layouts chosen together: how many instances of which profile serve each service, so that as few
// GPUs as possible change. Threads: pure functions.
#pragma once

#include "engine/pack/problem.hpp"

namespace tessera::pack {

// Something that asks for a rate (requests, tokens, frames a second), and may take instances of several
// profiles: how many of which is chosen together with the layouts.
struct Service {
  struct Gives {
    ProfileName profile;
    double rate = 0;  // of one instance
    friend bool operator==(const Gives&, const Gives&) = default;
  };
  std::string name;
  double rate = 0;
  std::vector<Gives> gives;
  friend bool operator==(const Service&, const Service&) = default;
};
using Services = std::vector<Service>;

struct Sizes {
  std::vector<std::vector<int>> counts;  // by service and by what its instances may be
  int evicted = 0;                       // running instances that lose their place for them
  int gpus = 0;                          // that change with these sizes
  int gpus_at_least = 0;                 // with any sizes
};

// Running instances are moved only where the problem allows it and nothing else serves, and as few as can be.
// Precondition: there are services. Errors: these GPUs cannot serve them all beside the demand, none were
// found, or given up.
Result<Sizes> choose_sizes(const Problem& problem, const Services& services, const Stop& stop = {});

// The problem with what the services need as a part of its demand.
Problem with_sizes(Problem problem, const Services& services, const Sizes& sizes);

}  // namespace tessera::pack
