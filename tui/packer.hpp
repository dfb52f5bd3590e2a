// Answers the questions of the pack, the advice and the fleet screen, of the findings of the fleet file and
// about large clusters, beside the UI thread, so that keys never wait for them.
//
// One question at a time: a newer one takes the place of one that waits, and what is worked on for one that
// was replaced is given up. Threads: made and used by the UI thread; has one of its own from the first
// question on, which ends with it.
#pragma once

#include <functional>
#include <memory>

#include "engine/pack/problem.hpp"
#include "tui/advise_state.hpp"
#include "tui/fleet_state.hpp"
#include "tui/pack_state.hpp"
#include "tui/state.hpp"
#include "tui/update.hpp"

namespace tessera::tui {

class Packer {
 public:
  explicit Packer(FleetSources sources = {});
  ~Packer();  // gives up what is worked on
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  // The question of the screen that is shown, while it waits for the answer; else none.
  void follow(const UiState& state);
  // nullptr: none any more. The same question again is no other one.
  void ask(std::shared_ptr<const PackQuestion> question);
  void ask(std::shared_ptr<const AdviseQuestion> question);
  void ask(std::shared_ptr<const DemandQuestion> question);
  void ask(std::shared_ptr<const WhyQuestion> question);
  void ask(std::shared_ptr<const HoursQuestion> question);
  // whole: with what journals and recordings say of each node; findings go without.
  void ask(std::shared_ptr<const FleetQuestion> question, bool whole = true);
  // PackTold, AdviseTold, LargeTold or FleetSeen: an answer, or how far one has come; nullopt: nothing was
  // told since.
  std::optional<Message> take();
  // Readable once there is something to take.
  int wake_fd() const;
  bool busy() const;

 private:
  void follow_large(const UiState& state);
  template <class Question>
  void ask_large(std::shared_ptr<const Question> question);

  struct Work;
  std::unique_ptr<Work> work_;
};

// The answers themselves, on whichever thread. tell: what is known on the way there; stop: true gives up.
using Tell = std::function<void(Message)>;
std::shared_ptr<const PackAnswer> answer_of(std::shared_ptr<const PackQuestion> question,
                                            const pack::Stop& stop = {}, const Tell& tell = {});
std::shared_ptr<const AdviseNews> answer_of(std::shared_ptr<const AdviseQuestion> question,
                                            const pack::Stop& stop = {}, const Tell& tell = {});

}  // namespace tessera::tui
