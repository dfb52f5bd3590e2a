// Jobs and pods to which nothing happened from one key frame to the next: both have the same line of them,
// and none lies in between. Who asks what happened need not read these, which most of the text is about.
// Threads: a plain value.
#pragma once

#include <string_view>
#include <unordered_map>

namespace tessera::record {

class StoodStill {
 public:
  // before: the text of a frame; next: of the one behind it, of which the first round is looked at. Both
  // outlive it.
  StoodStill(std::string_view before, std::string_view next);
  // Whether the line, of one of the two, is about one of them.
  bool is_about(std::string_view line) const;

 private:
  struct Told {
    std::string_view line{};   // without its time
    int before = 0, next = 0;  // 1: once, by the key frame, and alike
    bool stands() const { return before == 1 && next == 1; }
  };
  std::unordered_map<std::string_view, Told> work_;  // by id
};

}  // namespace tessera::record
