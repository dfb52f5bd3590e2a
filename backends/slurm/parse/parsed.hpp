// What a parser gives back: everything that could be read, and what could not, with its place.
//
// One bad record never loses the others: partial data still shows, and `incomplete` says that it is partial.
// Threads: plain values.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::slurm {

struct Problem {
  int line = 0;  // of the text that was parsed, from 1
  std::string what;
  friend bool operator==(const Problem&, const Problem&) = default;
};

// Asked before each record: true ends the reading, of an answer that no one waits for any more.
using GivenUp = std::function<bool()>;

template <class Value>
struct Parsed {
  std::vector<Value> values;
  std::vector<Problem> problems;  // the first kMost of them
  std::size_t problem_count = 0;
  bool incomplete = false;  // a record, or a part of one, is not among the values
  bool given_up = false;    // what was read is no list then

  static constexpr std::size_t kMost = 20;

  // Room for as many records as a text of that length usually holds, so that they are not moved about.
  void expect(std::size_t bytes, std::size_t bytes_each) {
    values.reserve(std::min<std::size_t>(bytes / bytes_each + 1, 65536));
  }

  void complain(int line, std::string what) {
    incomplete = true;
    remark(line, std::move(what));
  }
  // Whether the reading ends before the record of that line.
  bool ends_before(int line, const GivenUp& asked) {
    if (!asked || !asked()) return false;
    given_up = true;
    complain(line, "the reading was given up here");
    return true;
  }
  // A problem by which nothing is lost.
  void remark(int line, std::string what) {
    ++problem_count;
    if (problems.size() < kMost) problems.push_back({line, std::move(what)});
  }
};

// What could not be read, for people; empty: nothing.
template <class Value>
std::string note_of(const Parsed<Value>& parsed) {
  if (parsed.problem_count == 0) return {};
  const Problem& first = parsed.problems.front();
  std::string note = "line " + std::to_string(first.line) + ": " + first.what;
  if (parsed.problem_count > 1)
    note += " (and " + std::to_string(parsed.problem_count - 1) + " more like it)";
  return note;
}

}  // namespace tessera::slurm
