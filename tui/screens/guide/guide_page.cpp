// The guide's page of lines at a question: what is asked, what is known about it, and how one came here.
#include <fmt/core.h>

#include <algorithm>

#include "tui/screens/documents.hpp"
#include "tui/screens/guide/guide.hpp"

namespace tessera::tui {
namespace {

constexpr int kPageIndent = 5;  // behind "Q2"
constexpr int kReply = 13;      // "perhaps yes"

Style style_of(guide::Confidence confidence) {
  switch (confidence) {
    case guide::Confidence::certain: return Role::good;
    case guide::Confidence::likely: return Role::accent;
    default: return Role::dim;
  }
}

std::string reply_word(const guide::Answer& answer) {
  if (answer.reply == guide::Reply::unknown) return "not known";
  const std::string reply(guide::word(answer.reply));
  switch (answer.confidence) {
    case guide::Confidence::certain: return "surely " + reply;
    case guide::Confidence::likely: return "likely " + reply;
    default: return "perhaps " + reply;
  }
}

// "scontrol show job, 40 s ago"; a site's own settings have no source.
std::string from_text(const guide::Fact& fact, const Cluster* cluster, TimePoint wall) {
  if (fact.origin.source == Source::none) return {};
  if (cluster && fact.origin.at != TimePoint{}) return origin_text(*cluster, fact.origin, wall);
  return "source: " + std::string(word(fact.origin.source));
}

void add_page_text(Document& page, std::string_view text, int indent, int width, Style style) {
  for (std::string& line : wrap(text, width - indent - 1))
    page.push_back({{{std::move(line), style, indent}}, {}});
}

// How one came to this question.
void add_way_here(Document& page, const GuideGroup& group, const UiState& state, int width) {
  if (group.result.path.empty()) return;
  page.push_back({});
  for (const guide::ResultStep& step : group.result.path) {
    const std::string from = told_facts(state.words, guide_reason(step));
    bool head = true;
    for (std::string& line : wrap(from, width - kPageIndent - 5)) {
      DocLine entry;
      if (head)
        entry.spans = {{step.question, Role::dim, 1}, {step.yes ? "yes" : "no", Role::dim, kPageIndent}};
      entry.spans.push_back({std::move(line), Role::dim, kPageIndent + 4});
      page.push_back(std::move(entry));
      head = false;
    }
  }
}

void add_question(Document& page, const UiContext& ui, const UiState& state, int width) {
  const Screen& screen = state.top();
  const GuideGroup& group = *screen.guide.group();
  const guide::Question& question = guide_question(state, *group.walk.current());
  bool first = true;
  for (std::string& line : wrap(guide::plain(question.ask), width - kPageIndent - 1)) {
    DocLine entry;
    if (first) entry.spans.push_back({question.label, Style(Role::accent).with_bold(), 1});
    entry.spans.push_back({std::move(line), Style(Role::text).with_bold(), kPageIndent});
    page.push_back(std::move(entry));
    first = false;
  }
  add_guide_known(page, group.walk.known(question.id), ui, state, kPageIndent, width);
  // Before a leaf: what is to be known of the nodes whatever is chosen. No stops for the cursor: y is an
  // answer.
  for (const sharing::Limit& limit : group.result.limits)
    add_page_text(page, "! " + told(state, limit.text), kPageIndent, width, Role::warning);
  if (guide_shows_why(state)) {
    const std::string label = told(state, "why");
    page.push_back({{{label, Role::dim, 1}}, {}});
    Document why;
    add_page_text(why, guide::plain(question.why), std::max(kPageIndent, 2 + display_width(label)), width,
                  Role::text);
    page.back().spans.push_back(why.front().spans.front());
    page.insert(page.end(), why.begin() + 1, why.end());
  }
  add_way_here(page, group, state, width);
  // Below the chart there is no room for it, and the chart names where the answers lead.
  if (state.size.columns >= kGuideBesideFrom) add_guide_ahead(page, ui, state, width);
}

}  // namespace

// The reply stands to the left of its first fact.
void add_guide_known(Document& page, const guide::Answer& answer, const UiContext& ui, const UiState& state,
                     int indent, int width) {
  const Cluster* cluster = ui.model.find(state.top().cluster);
  const int column = indent + kReply;
  const Span reply{told(state, reply_word(answer)), style_of(answer.confidence), indent};
  if (answer.facts.empty()) {
    page.push_back({{reply, {told(state, "nothing seen here answers this"), Role::dim, column}}, {}});
    return;
  }
  bool first = true;
  for (const guide::Fact& fact : answer.facts) {
    for (std::string& line : wrap(told(state, fact.text), width - column - 1)) {
      DocLine entry;
      if (first) entry.spans.push_back(reply);
      entry.spans.push_back({std::move(line), Role::text, column});
      page.push_back(std::move(entry));
      first = false;
    }
    if (std::string from = from_text(fact, cluster, ui.wall); !from.empty())
      add_page_text(page, told(state, from), column, width, Role::dim);
  }
}

std::string guide_reason(const guide::ResultStep& step) {
  if (step.source == "admin") return "your answer";
  const std::size_t colon = step.because.find(": ");
  return colon == std::string::npos ? step.because : step.because.substr(colon + 2);
}

const guide::Question& guide_question(const UiState& state, const guide::Question& english) {
  const guide::Question* known = guide_words(state).chart->question(english.id);
  return known ? *known : english;
}

const guide::Leaf& guide_leaf(const UiState& state, const guide::Leaf& english) {
  const guide::Leaf* known = guide_words(state).chart->leaf(english.id);
  return known ? *known : english;
}

bool guide_shows_why(const UiState& state) {
  constexpr int kRoomy = 36;  // rows of a terminal
  return state.top().guide.why.value_or(state.size.rows >= kRoomy);
}

Document guide_document(const UiContext& ui, const UiState& state, int width) {
  Document page;
  const GuideState& guide = state.top().guide;
  const GuideGroup* group = guide.group();
  if (!group) return page;
  if (guide.panel != GuidePanel::walk)
    add_guide_panel(page, ui, state, width);
  else if (group->walk.current())
    add_question(page, ui, state, width);
  else
    add_guide_leaf(page, ui, state, width);
  return page;
}

}  // namespace tessera::tui
