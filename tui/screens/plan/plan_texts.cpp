#include "tui/screens/plan/plan_texts.hpp"

#include <memory>

#include "tui/plan_phrases.hpp"

namespace tessera::tui {
namespace {

bool are_of_now(const PlanTexts& kept, const UiState& state, int width) {
  const PlanView& view = *state.plan;
  return kept.width == width && kept.node == view.node && kept.other_scheduler == view.other_scheduler &&
         kept.ascii == state.ascii && kept.whatif == view.whatif && kept.hours == view.hours &&
         kept.words == state.words && kept.keys == state.keys;
}

PlanTexts texts_for(const UiContext& ui, const UiState& state, int width) {
  const PlanView& view = *state.plan;
  PlanTexts texts;
  texts.width = width, texts.node = view.node, texts.other_scheduler = view.other_scheduler;
  texts.ascii = state.ascii, texts.whatif = view.whatif, texts.hours = view.hours;
  texts.words = state.words, texts.keys = state.keys;
  texts.risk = risk_of(view.plan);
  texts.usual = usual_text(view.plan), texts.disturbs = disturbs_text(view.plan);
  put_lines(texts, ui, state);
  return texts;
}

}  // namespace

std::shared_ptr<const PlanTexts> plan_texts(const UiContext& ui, const UiState& state, int width) {
  const std::shared_ptr<const PlanTexts>& kept = state.plan->texts;
  if (kept && are_of_now(*kept, state, width)) return kept;
  return std::make_shared<const PlanTexts>(texts_for(ui, state, width));
}

std::shared_ptr<const PlanLetters> plan_letters(const UiState& state, int width) {
  const std::shared_ptr<const PlanLetters>& kept = state.plan->letters;
  if (kept && kept->width == width) return kept;
  return std::make_shared<const PlanLetters>(PlanLetters{width, letter_lines(state.plan->plan, width)});
}

void refresh_plan(UiState& state, Screen&, const UiContext& ui) {
  if (state.plan) state.plan->texts = plan_texts(ui, state, state.size.columns);
}

void refresh_letters(UiState& state, Screen&, const UiContext&) {
  if (state.plan) state.plan->letters = plan_letters(state, state.size.columns);
}

}  // namespace tessera::tui
