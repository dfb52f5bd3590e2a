// Ties each line of a journal to all lines before it: a line ends with a digest of itself and of the tie
// before, so that a line that was changed, left out or put elsewhere is found, and is named.
//
// It finds accidents: a bad disk, an editor, a copy that went wrong. Who changes a journal on purpose can tie
// it again; docs/reliability.md says what holds then. Threads: plain values, pure functions.
#pragma once

#include <string>
#include <string_view>

namespace tessera::plan {

class Chain {
 public:
  // `line`: one JSON map, without its newline. Returned with its tie as the last field.
  std::string tie(std::string line);
  // Whether a line is as it was tied, and follows the lines before it. Then the chain goes on from it; else
  // it stays where it was.
  bool holds(std::string_view line);
  // A line of version 1, which carries no tie: the first line that does is tied to it all the same.
  void pass(std::string_view line);

  static bool is_tied(std::string_view line);
  // One line was: then all that follow must be.
  bool must_be_tied() const { return tied_; }
  // Where the chain stands: the digest of all lines so far.
  const std::string& last() const { return last_; }
  friend bool operator==(const Chain&, const Chain&) = default;

 private:
  std::string last_;
  bool tied_ = false;
};

}  // namespace tessera::plan
