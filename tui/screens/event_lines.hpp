// Which events a screen shows, and the words by which they are looked for. Threads: pure functions.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "tui/update.hpp"

namespace tessera::tui {

// Words that must all be in an event; `!word` must not, `user=alice` is all of that part of it: cluster,
// node, user, pool, kind, job.
class EventFilter {
 public:
  explicit EventFilter(std::string_view text);
  // told: its text as the reader reads it.
  bool passes(const LogEntry& entry, std::string_view told) const;
  bool empty() const { return words_.empty(); }
  // Whether a word may stand in the translation alone: to translate all events for each key is too much work.
  bool asks_for_told() const;

 private:
  struct Word {
    bool wanted = true;
    std::string part;  // empty: anywhere
    std::string text;
  };
  static bool is_in(const Word& word, const LogEntry& entry, std::string_view told);
  std::vector<Word> words_;
};

// What the state itself knows of: changes made with tessera, and what the console had to say.
std::deque<LogEntry> own_events(const UiState& state, const UiContext& ui);
// Those of both logs and `own` that belong on the screen, newest first; at most `most`, and how many there
// are.
struct EventsFound {
  std::vector<const LogEntry*> entries;
  std::size_t all = 0;
};
EventsFound find_events(const UiContext& ui, const UiState& state, const Screen& screen,
                        const std::deque<LogEntry>& own, std::size_t most);

// What happened on one node, newest first.
std::vector<const LogEntry*> newest_on(const Model& model, const ClusterName& cluster, const NodeName& node,
                                       std::size_t most);

}  // namespace tessera::tui
