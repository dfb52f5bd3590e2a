// Which events a screen shows, and the words by which they are looked for. Threads: pure functions.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tui/update.hpp"

namespace tessera::tui {

// The texts of events in the reader's language. Tens of thousands may be looked through for a word: those
// that differ in names and numbers alone, which a translation takes over as they are, are translated once.
class ToldEvents {
 public:
  explicit ToldEvents(const UiState& state) : state_(state) {}
  // Of an event that differs from this one in names and numbers alone.
  const std::string& alike(const LogEntry& entry);
  std::string own(const LogEntry& entry) const;
  std::size_t translated() const { return told_.size(); }

 private:
  const UiState& state_;
  std::unordered_map<std::string, std::string> told_;  // by the text without these
};

// Words that must all be in an event; `!word` must not, `user=alice` is all of that part of it: cluster,
// node, user, pool, kind, job.
class EventFilter {
 public:
  explicit EventFilter(std::string_view text);
  // told: the texts as the reader reads them.
  bool passes(const LogEntry& entry, ToldEvents& told) const;
  bool empty() const { return words_.empty(); }

 private:
  struct Word {
    bool wanted = true;
    std::string part;  // empty: anywhere
    std::string text;
    bool foreign = false;            // not of ASCII alone: it may stand in the translation
    std::vector<std::string> names;  // letters and digits of ASCII in it
  };
  static bool is_in(const Word& word, const LogEntry& entry, ToldEvents& told);
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
