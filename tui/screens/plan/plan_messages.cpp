// What a plan would tell those whom it disturbs, to read and to copy.
#include <fmt/core.h>

#include <algorithm>

#include "engine/plan/run/run.hpp"
#include "tui/screens/in_view.hpp"
#include "tui/screens/plan/plan.hpp"

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
  const InView seen = in_view(state, 0);  // how many lines there are is known at the end
  for (const plan::Message& message : plan::messages(state.plan->plan)) {
    if (!document.empty()) document.push_back({});
    document.push_back(seen.contains(document.size()) ? heading_line("TO " + message.user) : DocLine());
    std::string_view rest = message.text;
    while (!rest.empty()) {
      std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      for (std::string& piece : wrap(line, width - 4))
        document.push_back(seen.contains(document.size()) ? DocLine{{{std::move(piece), Role::text, 3}}, {}}
                                                          : DocLine());
    }
  }
  return document;
}

}  // namespace tessera::tui
