// What the screens of usage and of waste share: how the reading fares, and what there is without one.
// Threads: the UI thread; pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/usage/report.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/screens.hpp"

namespace tessera::tui {

// Above the list: which time was read, how much of it is recorded, and what is read now.
Document span_lines(const UiState& state);
// By what is summed up, as far as the source tells it.
usage::By by_shown(const UiState& state);
// Under the cursor; null: there is no line.
const usage::Sum* sum_here(const UiState& state);
const usage::Waste* waste_here(const UiState& state);
// What the command writes to that owner; empty: nothing of theirs was wasted.
std::string letter_to(const UiState& state, const std::string& owner);
// Its first lines, of so many rows: what can be seen of it.
std::string letter_begin(const UiState& state, const std::string& owner, std::size_t rows);
// Of which times nothing is recorded, in the language of the console; empty: there are none.
std::string gaps_text(const UiState& state);
// What Prometheus or the accounting tells of itself, sentence by sentence, in the language of the console.
std::vector<std::string> source_notes(const UiState& state);
// Which sources there are for these clusters: an accounting is Slurm's.
std::vector<usage::PastSource> sources_here(const UiState& state, const UiContext& ui);
// That another source can be read here, and by which key; nothing where there is none.
void add_other_source(FactPage& page, const UiState& state, const UiContext& ui);
// Why there is no list, and what to do about it.
Document no_sums(const UiContext& ui, const UiState& state, int width);
std::string days_text(Duration since);  // "the last 7 days"
// "asking Prometheus: 40 %", of a reading that is under way.
std::string reading_text(const UsageState& usage);

}  // namespace tessera::tui
