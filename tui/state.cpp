#include "tui/state.hpp"

namespace tessera::tui {

Status set_language(UiState& state, Language language) {
  auto words = Words::of(language);
  if (!words) return words.error();
  std::shared_ptr<const guide::Texts> guide_told;
  if (language != Language::en) {
    auto texts = state.guide_texts ? Result(state.guide_texts) : guide::Texts::built_in();
    if (!texts) return texts.error();
    auto other = (*texts)->in_language(word(language));
    if (!other) return other.error();
    guide_told = *other;
  }
  state.language = language;
  state.words = *words, state.guide_told = std::move(guide_told);
  return Done{};
}

std::string told(const UiState& state, std::string_view english) { return told(state.words, english); }

const guide::Texts& guide_words(const UiState& state) {
  return state.guide_told ? *state.guide_told : *state.top().guide.texts;
}

}  // namespace tessera::tui
