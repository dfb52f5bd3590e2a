// One walk through the flowchart: a value that screens and the command line step forward and back.
//
// The admin's answers overrule what was known before. A prefilled answer that is sure enough is passed by
// itself; undo opens it again, so that it can be overruled.
// Threads: plain value; the flowchart is shared and immutable.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/guide/facts.hpp"
#include "engine/guide/flowchart.hpp"

namespace tessera::guide {

struct WalkStep {
  std::string question;  // id
  bool yes = false;
  bool by_admin = false;
  Answer known;  // what was prefilled, also where the admin overruled it
};

class Walk {
 public:
  // pass: prefilled answers at least this sure are taken without asking. A console asks about what is only
  // likely; the command line takes it.
  Walk(std::shared_ptr<const Flowchart> chart, Prefill known, Confidence pass = Confidence::certain);

  const Flowchart& chart() const { return *chart_; }
  // The way so far, from the start.
  const std::vector<WalkStep>& path() const { return path_; }
  // The question that waits; nullptr at a leaf.
  const Question* current() const;
  const Leaf* leaf() const;  // nullptr: not there yet
  // What was known about a question; unknown where nothing was.
  Answer known(std::string_view question) const;

  void answer(bool yes);                      // of the current question; at a leaf it does nothing
  bool answer(std::string_view q, bool yes);  // any question by id or label; false: there is none such
  bool undo();                                // the last step, whoever took it; false: at the start
  // New facts (a refresh): the admin's answers stay.
  void refresh(Prefill known);

  // Questions without which no leaf is reached, in the chart's order: the current one.
  // Others may follow, so `open` lists every unanswered question that can still come.
  std::vector<const Question*> open() const;

 private:
  void retrace();
  const Answer* sure(const std::string& question) const;

  std::shared_ptr<const Flowchart> chart_;
  Prefill known_;
  Confidence pass_;
  std::vector<std::pair<std::string, bool>> admin_;  // in the order in which they were given
  std::set<std::string> reopened_;                   // prefilled answers that undo has opened again
  std::vector<WalkStep> path_;
  std::string at_;  // id of the question or leaf where the path ends
};

}  // namespace tessera::guide
