// What the journal screen shows: every run that can be seen, and what can be done about it.
#include "tui/screens/runs.hpp"

namespace tessera::tui {

Panes journal_panes(const World&, const UiState& state, int) {
  Panes panes;
  for (const RunHead& head : state.runs.heads) panes.main.push_back({{{head.run, Role::text, 1}}, head.run});
  return panes;
}

}  // namespace tessera::tui
