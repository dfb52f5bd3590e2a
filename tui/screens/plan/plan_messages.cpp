// What a plan would tell those whom it disturbs, to read and to copy.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <memory>

#include "engine/plan/run/run.hpp"
#include "tui/screens/in_view.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/plan/plan_texts.hpp"

namespace tessera::tui {

std::string messages_text(const UiState& state, const UiContext&) {
  std::string text;
  if (!state.plan) return text;
  for (const plan::Message& message : plan::messages(state.plan->plan))
    text += (text.empty() ? "" : "\n") + fmt::format("To: {}\n\n{}", message.user, message.text);
  return text;
}

Document messages_document(const UiContext&, const UiState& state, int width) {
  Document document;
  if (!state.plan) return document;
  const std::shared_ptr<const PlanLetters> letters = plan_letters(state, width);
  const InView seen = in_view(state, letters->lines.size());
  document.resize(letters->lines.size());
  for (std::size_t i = seen.first; i < std::min(seen.end, document.size()); ++i)
    document[i] = letters->lines[i];
  return document;
}

Document letter_lines(const plan::Plan& plan, int width) {
  Document document;
  for (const plan::Message& message : plan::messages(plan)) {
    if (!document.empty()) document.push_back({});
    document.push_back(heading_line("TO " + message.user));
    std::string_view rest = message.text;
    while (!rest.empty()) {
      std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      for (std::string& piece : wrap(line, width - 4))
        document.push_back({{{std::move(piece), Role::text, 3}}, {}});
    }
  }
  return document;
}

}  // namespace tessera::tui
