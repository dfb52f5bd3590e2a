// The lines of two frames, one behind the other, that tell what happened from the one key frame to the other.
// Most of the text tells nothing of it: figures, and jobs, pods and nodes to which nothing happened, so that
// each key frame tells them once, and alike.
// Threads: a plain value.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/model/model.hpp"

namespace tessera::record {

class StoodStill {
 public:
  // before: the text of a frame; empty: all of the next one's is wanted. next: of the one behind it, up to
  // that time. Both outlive it. then: the nodes of `next`, as any moment of it has them.
  StoodStill(std::string_view before, std::string_view next, TimePoint until, const Nodes& then);

  using Lines = std::vector<std::string_view>;
  const Lines& before() const { return before_; }
  const Lines& next() const { return next_; }
  // Nodes of which the lines are left out, by name: of each what is told of it where something happens there.
  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  struct Told {
    std::string_view line{};   // without its time
    int before = 0, next = 0;  // 1: once, by the key frame, and alike
    bool stands() const { return before == 1 && next == 1; }
  };
  using ById = std::unordered_map<std::string_view, Told>;
  struct Seen {
    std::string_view line;
    const Told* told = nullptr;  // null: it is wanted, whatever it is about
  };
  struct About {
    std::string_view id, line;
    bool is_node = false, gone = false;
  };
  static std::optional<About> about(std::string_view line);
  Told& told_of(const About& about) { return (about.is_node ? of_nodes_ : of_work_)[about.id]; }
  std::vector<Seen> look_at(std::string_view before);
  std::vector<Seen> look_at(std::string_view next, TimePoint until);
  void find_nodes(const Nodes& then);

  ById of_work_, of_nodes_;
  bool backwards_ = false;  // a line is out of its order: nothing is left out
  Lines before_, next_;
  std::vector<Node> nodes_;
};

}  // namespace tessera::record
