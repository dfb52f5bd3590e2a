// Which job or pod a person means by a name that is typed.
// Threads: pure functions of the model; what is found points into it.
#pragma once

#include <string>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/why/why.hpp"

namespace tessera::why {

struct Called {
  const Cluster* cluster = nullptr;
  const Workload* workload = nullptr;
};

// By id; a pod also without its namespace, tasks of an array also by their own numbers and by the array's,
// what Kueue has not admitted also by its job. Empty: there is none; several: the name is not enough.
std::vector<Called> works_called(const Model& model, const std::string& name);

// Work that has no pod because the API server refuses it: what says so, and who.
struct Refused {
  const Cluster* cluster = nullptr;
  const Remark* remark = nullptr;
  Source source = Source::none;
};
// "train", "ml/train", "Job ml/train"; a ReplicaSet also by its Deployment.
std::vector<Refused> refused_called(const Model& model, const std::string& name);
// As work that waits, and why.
Workload as_work(const Refused& refused);
Answer answer_of(const Refused& refused);

}  // namespace tessera::why
