// What the pages of a plan say of all its nodes and jobs: made once for a plan, and not for each picture.
// Threads: pure functions but for the refreshing ones, which the UI thread calls.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tui/screens/plan/plan_words.hpp"
#include "tui/update.hpp"
#include "tui/widgets/document.hpp"

namespace tessera::tui {

struct PlanTexts {
  // What they are of, beside the plan: whoever replaces that drops them (PlanView::put).
  int width = 0;
  std::size_t node = 0;
  bool other_scheduler = false, ascii = false;
  std::shared_ptr<const whatif::Comparison> whatif;
  int hours = 0;
  WordsPtr words;
  std::vector<std::string> keys;

  Risk risk = Risk::low;
  std::string usual, disturbs;  // in English
  Document steps, rest;         // all below the first screen
};

// What the owners of disturbed work are told.
struct PlanLetters {
  int width = 0;
  Document lines;
};

// As they are kept with the plan on the table, else made.
std::shared_ptr<const PlanTexts> plan_texts(const UiContext& ui, const UiState& state, int width);
std::shared_ptr<const PlanLetters> plan_letters(const UiState& state, int width);
// Keeps them for the page on top, or the one below it. After every message.
void refresh_plan(UiState& state, Screen& screen, const UiContext& ui);
void refresh_letters(UiState& state, Screen& screen, const UiContext& ui);

// The lines of both (plan_page.cpp, plan_messages.cpp).
void put_lines(PlanTexts& texts, const UiContext& ui, const UiState& state);
Document letter_lines(const plan::Plan& plan, int width);

}  // namespace tessera::tui
