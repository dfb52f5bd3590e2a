// Which job or pod a person means by a name that is typed.
// Threads: pure functions of the model; what is found points into it.
#pragma once

#include <string>
#include <vector>

#include "engine/model/model.hpp"

namespace tessera::why {

struct Called {
  const Cluster* cluster = nullptr;
  const Workload* workload = nullptr;
};

// By id; a pod also without its namespace, tasks of an array also by their own numbers and by the array's,
// what Kueue has not admitted also by its job. Empty: there is none; several: the name is not enough.
std::vector<Called> works_called(const Model& model, const std::string& name);

}  // namespace tessera::why
