// Pages one key away from the guide: the four ways side by side, Kubernetes or Slurm, terms, layouts.
#include <fmt/core.h>

#include <algorithm>

#include "engine/guide/findings.hpp"
#include "engine/guide/site.hpp"
#include "engine/model/reduce.hpp"
#include "tui/screens/guide/guide.hpp"
#include "tui/widgets/text_table.hpp"

namespace tessera::tui {
namespace {

void add_table(Document& page, const guide::Table& table, int width) {
  if (!page.empty()) page.push_back({});
  page.push_back(heading_line(table.title));
  const TextTable laid = lay_text_table(table.columns, table.rows, width - 3);
  for (const TextTable::Line& line : laid.lines) {
    DocLine entry;
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      if (line.cells[i].empty()) continue;
      const Style style = line.head ? Style(Role::heading) : i == 0 ? Style(Role::accent) : Style(Role::text);
      entry.spans.push_back({line.cells[i], style, 1 + laid.starts[i]});
    }
    page.push_back(std::move(entry));
  }
}

void add_wrapped(Document& page, const std::string& lead, std::string_view text, int at, int width,
                 Style lead_style) {
  // A label that is wider than its column has a line of its own: it would push the text over the edge.
  bool first = 1 + display_width(lead) < at;
  if (!first) page.push_back({{{lead, lead_style, 1}}, {}});
  for (std::string& line : wrap(text, width - at - 1)) {
    DocLine entry;
    if (first) entry.spans.push_back({lead, lead_style, 1});
    entry.spans.push_back({std::move(line), Role::text, at});
    page.push_back(std::move(entry));
    first = false;
  }
}

void add_named_table(Document& page, const guide::Texts& texts, std::string_view id, int width) {
  if (const guide::Table* table = texts.tables.find(id)) add_table(page, *table, width);
}

// The heads of a table that is made here, and not read from the guide's files.
guide::Table told_layouts(const UiState& state, const mig::Product& product) {
  guide::Table table = guide::layout_comparison(product);
  table.title = told(state, table.title);
  for (std::string& column : table.columns) column = told(state, column);
  return table;
}

void add_habits(Document& page, const UiContext& ui, const Cluster& cluster, const UiState& state,
                int width) {
  constexpr std::size_t kShown = 5;
  const auto found =
      guide::seen_here(cluster, ui.catalogue, sharing::platform_of(cluster, state.platform).platform);
  for (std::size_t i = 0; i < std::min(found.size(), kShown); ++i) {
    add_wrapped(page, "!", told(state, found[i].text), 4, width, Role::warning);
    add_wrapped(page, "", told(state, found[i].hint), 4, width, Role::dim);
  }
  if (found.size() > kShown)
    page.push_back(
        {{{told(state, fmt::format("and {} more like these", found.size() - kShown)), Role::dim, 4}}, {}});
}

void add_schedulers(Document& page, const UiContext& ui, const UiState& state, int width) {
  const guide::Texts& texts = guide_words(state);
  for (const Cluster& cluster : ui.model.clusters) {
    if (!state.top().cluster.empty() && cluster.name != state.top().cluster) continue;
    if (!page.empty()) page.push_back({});
    page.push_back(heading_line(told(state, "WHAT IS KNOWN OF " + cluster.name.text)));
    for (const guide::SiteLine& line :
         guide::site_lines(cluster, state.platform, cluster_now(cluster, ui.wall)))
      add_wrapped(page, told(state, line.about), told(state, line.text), 24, width, Role::dim);
    add_habits(page, ui, cluster, state, width);
  }
  add_named_table(page, texts, "schedulers", width);
  add_named_table(page, texts, "containers", width);
  add_named_table(page, texts, "orchestrators", width);
  page.push_back({});
  page.push_back(heading_line(told(state, "ADVICE")));
  for (const guide::Term& one : texts.tables.advice) add_wrapped(page, "-", one.text, 4, width, Role::dim);
}

// Terms of the text that is on the screen come first.
void add_terms(Document& page, const UiState& state, int width) {
  const guide::Texts& texts = guide_words(state);
  const GuideGroup& group = *state.top().guide.group();
  std::string shown;
  if (group.walk.current() != nullptr) {
    const guide::Question& question = guide_question(state, *group.walk.current());
    shown = question.ask + question.why;
  }
  if (group.walk.leaf() != nullptr) {
    const guide::Leaf& leaf = guide_leaf(state, *group.walk.leaf());
    shown = leaf.meaning + leaf.summary + leaf.fits + leaf.memory + leaf.errors + leaf.latency + leaf.price;
  }
  std::vector<const guide::Term*> here, others;
  for (const std::string& name : guide::terms_in(shown))
    if (const guide::Term* term = texts.glossary.find(name)) here.push_back(term);
  for (const guide::Term& term : texts.glossary.terms())
    if (std::find(here.begin(), here.end(), &term) == here.end()) others.push_back(&term);
  auto add = [&](const char* title, const std::vector<const guide::Term*>& terms) {
    if (terms.empty()) return;
    if (!page.empty()) page.push_back({});
    page.push_back(heading_line(told(state, title)));
    for (const guide::Term* term : terms)
      add_wrapped(page, term->term, guide::plain(term->text), 20, width, Role::accent);
  };
  add("TERMS OF THIS STEP", here);
  add(here.empty() ? "TERMS" : "OTHER TERMS", others);
}

}  // namespace

void add_guide_panel(Document& page, const UiContext& ui, const UiState& state, int width) {
  const GuideState& guide = state.top().guide;
  switch (guide.panel) {
    case GuidePanel::compare:
      add_named_table(page, guide_words(state), "technologies", width);
      add_named_table(page, guide_words(state), "architectures", width);
      return;
    case GuidePanel::schedulers: return add_schedulers(page, ui, state, width);
    case GuidePanel::terms: return add_terms(page, state, width);
    case GuidePanel::layouts:
      if (const mig::Product* product = ui.catalogue.by_key(guide.group()->product.text))
        add_table(page, told_layouts(state, *product), width);
      return;
    case GuidePanel::walk: return;
  }
}

}  // namespace tessera::tui
