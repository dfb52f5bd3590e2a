// What one node is to be, as files say it: a layout, a way of sharing, or one of these for each of its GPUs;
// beside it the device plugin's switches. Intent files and fleet files share these forms.
// Threads: pure functions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/plan/intent.hpp"
#include "engine/yaml.hpp"

namespace tessera::plan {

struct NodeWish {
  std::vector<BoardWish> boards;  // without nodes; one without a GPU is about all of them
  WishedSwitches switches;
  friend bool operator==(const NodeWish&, const NodeWish&) = default;
};

// Makes the file's own error of a place and a reason.
using WishError = std::function<Error(const Yaml& at, const std::string& why)>;

// "7x1g.12gb", {layout: 3g.47gb, replicas: 2}, {strategy: mps, replicas: 8}, {0: 3g.47gb, 1-3: none}
Result<NodeWish> read_node_wish(Yaml value, const WishError& bad);

// A wish as read_node_wish() takes it, on one line: "3g.40gb@4,2g.20gb@2", "{strategy: mps, replicas: 8}".
std::string file_text(const Wish& wish);

}  // namespace tessera::plan
