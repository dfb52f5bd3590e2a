// Answers the questions of the pack screen and of the fleet screen beside the UI thread, so that keys never
// wait for the solver.
//
// One question at a time: a newer one takes the place of one that waits, and the answer to a question that
// was replaced is dropped by who reads it. Threads: made and used by the UI thread; has one of its own from
// the first question on, which ends with it.
#pragma once

#include <memory>

#include "tui/pack_state.hpp"
#include "tui/state.hpp"
#include "tui/update.hpp"

namespace tessera::tui {

class Packer {
 public:
  Packer();
  ~Packer();  // waits for the question that is worked on
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  // The question of the screen that is shown, while it waits for the answer; else none.
  void follow(const UiState& state);
  // nullptr: none any more. The same question again is no other one.
  void ask(std::shared_ptr<const PackQuestion> question);
  void ask(std::shared_ptr<const FleetQuestion> question);
  // PackTold or FleetSeen, once it was answered; nullopt: nothing was since.
  std::optional<Message> take();
  // Readable once there is something to take.
  int wake_fd() const;
  bool busy() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

// The answer itself, on whichever thread.
std::shared_ptr<const PackAnswer> answer_of(std::shared_ptr<const PackQuestion> question);

}  // namespace tessera::tui
