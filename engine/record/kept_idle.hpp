// Since when the lines of a recorder's nodes are idle: followed by what it writes of each round, and told in
// its key frames. Nodes have their written names. Threads: a value of one thread.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/record/idle.hpp"

namespace tessera::record {

class KeptIdle {
 public:
  // By the recorder before; it counts for nodes that are laid out before the next keep().
  void take_told(std::vector<history::ToldIdle> told);
  void forget();  // all of it: the clock was set back

  // The node is a new one, or reads otherwise than before.
  void lay_out(const std::string& name, const Node& node);
  // The others are gone.
  void keep(const std::unordered_set<std::string>& there);
  // As hear_idle().
  void hear(const std::string& name, const Node& node, std::string_view letters, bool any, TimePoint at,
            Duration longest);

  // The fields of a key frame's line. What it tells counts for this, too: who reads it knows no more.
  std::string told(const std::vector<std::pair<std::string, const Node*>>& nodes, TimePoint at,
                   Duration longest);

 private:
  using Keys = std::vector<history::Key>;
  struct OfNode {
    IdleLines lines;
    std::shared_ptr<const Keys> keys;  // null: not laid out yet
  };
  std::shared_ptr<const Keys> shared(Keys keys);

  std::unordered_map<std::string, OfNode> nodes_;
  std::map<std::string, history::ToldIdle> told_;
  std::deque<std::shared_ptr<const Keys>> known_;  // most nodes are alike; used last
};

}  // namespace tessera::record
