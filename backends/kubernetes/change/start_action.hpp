// One act of a run, done through the API: what is asked for, in which order, on what was read just before.
// Threads: the worker's.
#pragma once

#include <functional>

#include "backends/kubernetes/api.hpp"
#include "backends/kubernetes/change/node_facts.hpp"
#include "engine/plan/run/actuator.hpp"

namespace tessera::kubernetes {

// Where a deed happens. Copied into callbacks.
struct Place {
  ApiPtr api;  // with the order's own deadline
  std::shared_ptr<const operators::OperatorSetup> site;
  const mig::Catalogue* catalogue = nullptr;
  std::function<TimePoint()> clock;
  std::function<void(const std::string& node, std::string access)> remember_access;
  // An eviction that asking again will not bring about.
  std::function<void(const std::string& node, const std::string& pod, std::string why)> remember_refusal;
};

using Ended = std::function<void(Status)>;

void start_action(const Place& place, const plan::Order& order, Ended ended);

// The end of an act whose last answer this is.
void answer(const Ended& ended, Answer told);

std::string node_target(const std::string& node);
std::string map_target(const std::string& ns, const std::string& map);  // empty map: the collection

}  // namespace tessera::kubernetes
