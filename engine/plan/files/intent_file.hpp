// A file that says how nodes are to be cut or shared, each node and GPU as it likes, for one plan of all of
// them:
//
//   nodes:
//     gpu01: 7x1g.12gb                        # every GPU of the node, as --layout takes it
//     gpu[02-04]: {layout: 3g.47gb, replicas: 2}
//     gpu05: {strategy: mps, replicas: 8}     # as --strategy and --replicas
//     gpu06:
//       0: 3g.47gb@4,2g.24gb@2
//       1-3: none
//     gpu07: {strategy: time-slicing, replicas: 4, rename_shared: true, refuse_several: false}
//
// rename_shared and refuse_several are the device plugin's switches, of the node as a whole.
// Threads: pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/plan/intent.hpp"

namespace tessera::plan {

struct WishedNodes {
  std::vector<NodeName> nodes;                     // in the file's order, each once
  std::vector<BoardWish> boards;                   // each with its node
  std::map<std::string, WishedSwitches> switches;  // of nodes that name one
};

// `file` is used in messages only. Errors: file:line of what cannot be read, a node or GPU that is
// named twice, a layout that cannot be read.
Result<WishedNodes> read_intent_file(std::string_view text, std::string_view file);

}  // namespace tessera::plan
