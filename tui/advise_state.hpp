// What the advice screen knows: what is asked, the question that is worked on, and the last answers.
//
// Plain values that UiState holds as one constant value: a change makes a new one. Threads: owned by the UI
// thread; a question is read by the planner's thread, too, and never changes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/advise/advise.hpp"
#include "engine/usage/reckoning.hpp"
#include "tui/narrowed.hpp"

namespace tessera::tui {

struct AdviseQuestion {
  std::shared_ptr<const ClusterThen> then;
  std::vector<NodeName> nodes;                   // that may be changed
  Narrowed only;                                 // as they were narrowed
  int hours = 24;                                // ahead
  std::shared_ptr<const usage::Reckoning> past;  // null: only what waits counts
};

struct AdviseNews {
  std::shared_ptr<const AdviseQuestion> question;
  advise::Progress progress;
  std::optional<advise::Advice> advice;  // nullopt: it gets on
  std::vector<std::string> ids;          // of its answers: the same layouts have the same one
};

struct AdviseState {
  ClusterName cluster;
  std::string refused;  // why nothing is advised here and now; empty: it is
  int hours = 24;
  bool with_past = true;  // where there is a recording
  Narrowed only;
  bool stopped = false;        // the person did not want to wait; an edit asks again
  bool again = false;          // asked for once more
  std::uint64_t revision = 0;  // the model's and one, of `question`; 0: never
  TimePoint asked_at{}, told_at{};
  std::shared_ptr<const AdviseQuestion> question;  // nullptr: nothing is asked for
  std::shared_ptr<const AdviseNews> answer;        // the last; old where it is of another question
  advise::Progress progress;                       // of `question`

  bool working() const { return question && (!answer || answer->question != question); }
};

}  // namespace tessera::tui
