// What a run's screen shows: its steps as they go, its questions, its end.
#include "tui/screens/runs.hpp"

namespace tessera::tui {

Panes run_panes(const World&, const UiState& state, int) {
  Panes panes;
  if (const RunView* view = view_of(state, state.top().subject))
    for (const plan::Entry& entry : view->entries)
      panes.main.push_back({{{plan::to_sentence(entry.what), Role::text, 1}}, std::to_string(entry.seq)});
  return panes;
}

}  // namespace tessera::tui
