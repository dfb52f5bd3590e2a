// What a parser gives back: everything that could be read, and what could not, with its place.
//
// One bad record never loses the others: partial data still shows.
// Threads: plain values.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tessera::slurm {

struct Problem {
  int line = 0;  // of the text that was parsed, from 1
  std::string what;
  friend bool operator==(const Problem&, const Problem&) = default;
};

template <class Value>
struct Parsed {
  std::vector<Value> values;
  std::vector<Problem> problems;  // the first kMost of them
  std::size_t problem_count = 0;

  static constexpr std::size_t kMost = 20;

  // Room for as many records as a text of that length usually holds, so that they are not moved about.
  void expect(std::size_t bytes, std::size_t bytes_each) {
    values.reserve(std::min<std::size_t>(bytes / bytes_each + 1, 65536));
  }

  void complain(int line, std::string what) {
    ++problem_count;
    if (problems.size() < kMost) problems.push_back({line, std::move(what)});
  }
};

}  // namespace tessera::slurm
