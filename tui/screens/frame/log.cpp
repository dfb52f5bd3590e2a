// The events since tessera was started, newest first.
#include <fmt/core.h>

#include <algorithm>

#include "engine/text.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/roles.hpp"

namespace tessera::tui {
namespace {

// Every word must be somewhere in the entry; !word must not.
bool passes(const LogEntry& entry, const std::string& told,
            const std::vector<std::pair<bool, std::string>>& words) {
  for (const auto& [wanted, word] : words) {
    bool there = contains_folded(entry.text, word) || contains_folded(told, word) ||
                 contains_folded(entry.subject, word) || contains_folded(entry.cluster.text, word);
    if (there != wanted) return false;
  }
  return true;
}

// A text that is longer than its line goes on below: what was too long for the message line is read here.
void add_text(Document& document, DocLine line, const std::string& text, Role role, int width) {
  constexpr int kLeast = 30;
  int used = 1;
  for (const Span& span : line.spans) used += display_width(span.text);
  if (width - used < kLeast) used = width - kLeast;
  bool first = true;
  for (std::string& piece : wrap(text, width - used - 1)) {
    if (first)
      line.spans.push_back({std::move(piece), role});
    else
      line = {{{std::move(piece), role, used}}, {}};
    document.push_back(line);
    first = false;
  }
  if (first) document.push_back(std::move(line));
}

std::vector<std::pair<bool, std::string>> words_of(std::string_view filter) {
  std::vector<std::pair<bool, std::string>> words;
  std::string folded = lower(filter);
  std::size_t at = 0;
  while (at < folded.size()) {
    std::size_t end = std::min(folded.find(' ', at), folded.size());
    std::string word = folded.substr(at, end - at);
    bool wanted = !word.starts_with('!');
    if (!wanted) word.erase(0, 1);
    if (!word.empty()) words.emplace_back(wanted, word);
    at = end + 1;
  }
  return words;
}

}  // namespace

Document log_document(const UiContext& ui, const UiState& state, int width) {
  Document document;
  const Screen& screen = state.top();
  auto words = words_of(screen.filter_text);
  bool many = ui.model.clusters.size() > 1;
  bool dated = width >= 100;
  std::vector<const LogEntry*> entries;
  for (const LogEntry& entry : ui.model.log) entries.push_back(&entry);
  for (const LogEntry& entry : state.said) entries.push_back(&entry);
  std::stable_sort(entries.begin(), entries.end(),
                   [](const LogEntry* a, const LogEntry* b) { return a->at > b->at; });
  for (const LogEntry* entry : entries) {
    if (!screen.cluster.empty() && entry->cluster != screen.cluster) continue;
    const std::string text = told(state, entry->text);
    if (!passes(*entry, text, words)) continue;
    std::string time = time_text(entry->at);
    if (!dated && time.size() > 11) time = time.substr(11);
    DocLine line{
        {{std::move(time), Role::dim, 1},
         {fmt::format("  {} ", sign_of(entry->severity)), Style(role_of(entry->severity)).with_bold()}},
        {}};
    if (many && !entry->cluster.empty() && entry->subject != entry->cluster.text)
      line.spans.push_back({shorten(entry->cluster.text, 12, state.ascii) + "  ", Role::dim});
    line.spans.push_back({entry->subject, Style(Role::text).with_bold()});
    if (!entry->subject.empty()) line.spans.push_back({"  ", Role::text});
    add_text(document, std::move(line), text, role_of(entry->severity), width);
  }
  return document;
}

std::string_view why_no_events(const Screen& screen) {
  return screen.filter_text.empty() ? "Nothing has happened yet." : "No event matches the filter.";
}

}  // namespace tessera::tui
