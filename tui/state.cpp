#include "tui/state.hpp"

namespace tessera::tui {

bool is_table(ScreenKind kind) {
  return kind == ScreenKind::nodes || kind == ScreenKind::gpus || kind == ScreenKind::slices ||
         kind == ScreenKind::workloads;
}

std::string_view word(ScreenKind kind) {
  switch (kind) {
    case ScreenKind::overview: return "overview";
    case ScreenKind::nodes: return "nodes";
    case ScreenKind::gpus: return "gpus";
    case ScreenKind::slices: return "slices";
    case ScreenKind::workloads: return "workloads";
    case ScreenKind::node: return "node";
    case ScreenKind::workload: return "workload";
    case ScreenKind::layout: return "layout";
    case ScreenKind::facts: return "source";
    case ScreenKind::log: return "events";
    case ScreenKind::help: return "help";
    case ScreenKind::about: return "about";
    case ScreenKind::plan: return "plan";
    case ScreenKind::messages: return "messages";
    case ScreenKind::run: return "run";
    case ScreenKind::journal: return "journal";
    case ScreenKind::guide: return "guide";
  }
  return "";
}

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
