// What a line tells by the names of nodes, asked for in the order of these: thousands of nodes are asked
// about in each round, and looking each of them up takes a moment that someone waits for.
// Threads: a plain value.
#pragma once

#include <string>
#include <utility>

namespace tessera::record {

// All: a set of names, or a map by names.
template <class All>
class ByName {
 public:
  explicit ByName(const All& all) : at_(all.begin()), end_(all.end()) {}
  // Null: nothing is told of that one.
  const typename All::value_type* find(const std::string& name) {
    while (at_ != end_ && name_of(*at_) < name) ++at_;
    return at_ != end_ && name_of(*at_) == name ? &*at_ : nullptr;
  }

 private:
  static const std::string& name_of(const std::string& name) { return name; }
  template <class Told>
  static const std::string& name_of(const std::pair<const std::string, Told>& one) {
    return one.first;
  }
  typename All::const_iterator at_, end_;
};

}  // namespace tessera::record
