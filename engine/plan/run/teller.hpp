// A journal told line by line, as `tessera apply`, `resume` and `journal` print it.
// Threads: a plain value.
#pragma once

#include <map>
#include <string>

#include "engine/plan/run/journal.hpp"

namespace tessera::plan {

class Teller {
 public:
  // The next line of the journal. A step that begins is called by its title in the node's plan of that
  // moment: what its action is called says little.
  std::string tell(const Entry& entry);

 private:
  void keep(const NodePlan& plan);
  std::map<NodeName, std::map<std::string, std::string>> titles_;  // by step
};

}  // namespace tessera::plan
