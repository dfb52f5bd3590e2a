// What charts ask of a recording beside the moment that is shown: figures of nodes, and sums of the cluster,
// up to that moment. What a person asks for goes first: reading that is given up for it is asked for still.
// Since when lines are idle in that moment is told with it. Threads: ask() and the takes from any thread; the
// rest on the one that the recording belongs to.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/history/keeps_figures.hpp"
#include "engine/record/recording.hpp"

namespace tessera::record {

class LookBacks {
 public:
  using GoesOn = std::function<bool()>;

  // node: nullopt: the sums of the cluster. turn: counts what moved the moment until it was asked for.
  void ask(std::optional<NodeName> node, TimePoint since, int turn = 0);
  std::vector<history::KeptFigures> take_kept();
  std::vector<history::Sums> take_sums();

  // Since when lines are idle in the moment that is told from now on; nullopt: that is not known.
  void tell_idle(std::optional<std::vector<history::ToldIdle>> idle);
  std::optional<std::vector<history::ToldIdle>> take_idle();

  // What was asked for before that turn is of a moment that is shown no more.
  void forget_before(int turn);
  void forget() { forget_before(kEver); }
  // Reads all that is asked for, up to that round; sums: whether those are wanted, too. True: whoever asked
  // can take it. What cannot be read is a chart that begins here.
  bool read(Recording& recording, TimePoint to, bool sums, const GoesOn& goes_on);
  bool any() const;

 private:
  static constexpr int kEver = 2'147'483'647;
  struct Wanted {
    std::optional<NodeName> node;
    TimePoint since{};
    int turn = 0;
  };
  bool read_nodes(Recording& recording, const std::vector<Wanted>& wanted, TimePoint to,
                  const GoesOn& goes_on);
  bool read_sums(Recording& recording, const std::vector<Wanted>& wanted, TimePoint to,
                 const GoesOn& goes_on);

  mutable std::mutex mutex_;  // of all below
  std::vector<Wanted> wanted_;
  std::vector<history::KeptFigures> kept_;
  std::vector<history::Sums> sums_;
  std::optional<std::vector<history::ToldIdle>> idle_;
};

}  // namespace tessera::record
