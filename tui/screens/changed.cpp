#include "tui/screens/changed.hpp"

#include <algorithm>
#include <map>

#include "tui/screens/rows.hpp"
#include "tui/screens/screens.hpp"

namespace tessera::tui {
void remember_cells(UiState& state, const UiContext& ui) {
  CellMemory& cells = state.cells;
  std::erase_if(cells.changed, [&](const auto& cell) { return ui.wall - cell.second >= kChangedFor; });
  const ScreenRow& row = row_of(state);
  if (!row.cells) {
    cells = {};
    return;
  }
  CellTexts now = row.cells(state, ui);
  std::string scope = derive_key(state, state.top()) + '\n' + state.top().subject;
  if (cells.scope != scope) cells = {scope, {}, {}};
  for (const auto& [cell, text] : now) {
    auto known = cells.texts.find(cell);
    if (known != cells.texts.end() && known->second != text) cells.changed[cell] = ui.wall;
  }
  cells.texts = std::move(now);
}

bool has_changed(const UiState& state, const UiContext& ui, const std::string& id, int column) {
  if (state.cells.changed.empty()) return false;
  auto changed = state.cells.changed.find({id, column});
  return changed != state.cells.changed.end() && ui.wall - changed->second < kChangedFor;
}

Style changed_or(Style plain, const UiState& state, const UiContext& ui, const std::string& id, int column) {
  return has_changed(state, ui, id, column) ? Style(Role::changed).with_bold() : plain;
}

}  // namespace tessera::tui
