// One act of a run, done through the API: what is asked for, in which order, on what was read just before.
// Threads: the worker's.
#pragma once

#include <functional>

#include "backends/kubernetes/api.hpp"
#include "backends/kubernetes/node_facts.hpp"
#include "engine/plan/actuator.hpp"

namespace tessera::kubernetes {

// Where a deed happens. Copied into callbacks.
struct Place {
  Api* api = nullptr;
  std::shared_ptr<const operators::Site> site;
  std::function<void(const std::string& node, std::string access)> remember_access;
};

using Ended = std::function<void(Status)>;

void do_it(const Place& place, const plan::Order& order, Ended ended);

std::string node_target(const std::string& node);
std::string map_target(const std::string& ns, const std::string& map);  // empty map: the collection

}  // namespace tessera::kubernetes
