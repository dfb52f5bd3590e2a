// The guide's page at a leaf: what it means, what must be accepted, which limits hold, layouts and texts.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "tui/language/words.hpp"
#include "tui/screens/guide/guide.hpp"

namespace tessera::tui {
namespace {

constexpr int kIndent = 3;

void add_text(Document& page, std::string_view text, int indent, int width, Style style = {}) {
  for (std::string& line : wrap(text, width - indent - 1))
    page.push_back({{{std::move(line), style, indent}}, {}});
}

void section(Document& page, std::string title, std::string aside = {}) {
  if (!page.empty()) page.push_back({});
  page.push_back(heading_line(std::move(title), std::move(aside)));
}

// A sentence behind a sign: "- ", "! ". The cursor can rest on it, so that a long page can be walked.
void item(Document& page, std::string_view sign, std::string_view text, int width, Style style) {
  bool first = true;
  for (std::string& line : wrap(text, width - kIndent - 4)) {
    DocLine entry;
    if (first) entry.spans.push_back({std::string(sign), style, kIndent});
    if (first) entry.id = std::string(kGuideNote) + std::string(text);
    entry.spans.push_back({std::move(line), Role::text, kIndent + 3});
    page.push_back(std::move(entry));
    first = false;
  }
}

void add_path(Document& page, const GuideGroup& group, const UiState& state, int width) {
  for (const guide::ResultStep& step : group.result.path) {
    const std::string from = told_facts(state.words, guide_reason(step));
    page.push_back({{{step.question, Role::dim, kIndent},
                     {step.yes ? "yes" : "no", Style(Role::accent), kIndent + 4},
                     {shorten(from, std::max(10, width - kIndent - 9)), Role::dim, kIndent + 8}},
                    {}});
  }
}

void add_limits(Document& page, const GuideGroup& group, const UiState& state, int width) {
  for (const sharing::Limit& limit : group.result.limits) {
    const bool broken = limit.kind == sharing::LimitKind::broken;
    const bool caution = limit.kind == sharing::LimitKind::caution;
    item(page,
         broken    ? "!!"
         : caution ? "!"
                   : "-",
         told(state, limit.text), width,
         broken    ? Role::danger
         : caution ? Role::warning
                   : Role::dim);
  }
}

// "112━3━━━" of the first GPU: a digit where an instance begins, a stranded slice as it is drawn
// everywhere.
std::string strip_of(const guide::Proposal& one, const mig::Product* product, bool ascii) {
  if (!product || one.boards.empty() || !one.boards.front().layout) return {};
  std::vector<std::string> slices(static_cast<std::size_t>(product->units),
                                  std::string(glyphs(ascii).stranded));
  for (const mig::Placed& placed : *one.boards.front().layout) {
    const mig::Profile& profile = product->profiles.at(static_cast<std::size_t>(placed.profile));
    for (int i = 0; i < profile.memory_slices; ++i) {
      const auto at = static_cast<std::size_t>(placed.start + i);
      if (at < slices.size())
        slices[at] = i == 0 ? std::to_string(profile.compute_slices) : ascii ? "=" : "━";
    }
  }
  std::string text;
  for (const std::string& one_slice : slices) text += one_slice;
  return text;
}

std::string effect_of(const guide::Proposal& one) {
  const std::size_t waiting = one.fit.size() + one.wait.size();
  std::string text =
      waiting == 0 ? "nothing waits" : fmt::format("starts {} of {} waiting", one.fit.size(), waiting);
  if (!one.ends.empty()) text += fmt::format(", {} must end or move", one.ends.size());
  const int stranded = one.stranded_memory + one.stranded_compute;
  if (stranded > 0) text += fmt::format(", {} stranded", stranded);
  return text;
}

std::string offer_of(const guide::Proposal& one) {
  std::string text;
  for (const auto& [resource, count] : one.advertised)
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, resource);
  return text;
}

std::string ids_text(const std::vector<WorkloadId>& ids) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(ids.size(), kShown); ++i) text += (i ? ", " : "") + ids[i].text;
  return ids.size() > kShown ? fmt::format("{} and {} more", text, ids.size() - kShown) : text;
}

// What the row under the cursor says below itself.
void add_detail(Document& page, const guide::Proposal& one, const UiState& state, int width) {
  constexpr int kDetailIndent = kIndent + 4;
  const auto add = [&](std::string_view text, Role role) {
    add_text(page, told(state, text), kDetailIndent, width, role);
  };
  if (std::string offer = offer_of(one); !offer.empty()) add("offers " + offer, Role::dim);
  if (!one.fit.empty()) add("starts " + ids_text(one.fit), Role::good);
  if (!one.wait.empty()) add("still waits " + ids_text(one.wait), Role::dim);
  if (!one.ends.empty()) add("must end or move " + ids_text(one.ends), Role::danger);
  if (!one.rehoused.empty()) add("a slice of this layout would hold " + ids_text(one.rehoused), Role::dim);
  constexpr std::size_t kNotes = 2;
  for (std::size_t i = 0; i < std::min(one.notes.size(), kNotes); ++i) add(one.notes[i], Role::warning);
  if (one.notes.size() > kNotes)
    add(fmt::format("and {} more like this", one.notes.size() - kNotes), Role::warning);
}

void add_layouts(Document& page, const UiContext& ui, const UiState& state, int width) {
  const GuideState& guide = state.top().guide;
  const GuideGroup& group = *guide.group();
  if (group.result.layouts.empty()) return;
  section(page, told(state, "LAYOUTS"),
          told(state, state.past ? N_("best first for what ran and waited then")
                                 : N_("best first for what runs and waits now")));
  const mig::Product* product = ui.catalogue.by_key(group.product.text);
  for (std::size_t i = 0; i < group.result.layouts.size(); ++i) {
    const guide::Proposal& one = group.result.layouts[i];
    const std::string strip = strip_of(one, product, state.ascii);
    DocLine row;
    row.id = std::string(kGuideLayout) + std::to_string(i);
    row.spans.push_back({std::to_string(i + 1), Role::dim, kIndent});
    if (!strip.empty()) row.spans.push_back({strip, Role::free, kIndent + 3});
    const int at = kIndent + 3 + (strip.empty() ? 0 : display_width(strip) + 2);
    std::string title = told(state, one.title) + (one.preset ? "  " + *one.preset : "");
    row.spans.push_back({title, Role::text, at});
    const std::string effect = told(state, effect_of(one));
    const bool beside = at + display_width(title) + display_width(effect) + 4 < width;
    if (beside) row.spans.push_back({effect, Role::dim, width - display_width(effect) - 2});
    page.push_back(std::move(row));
    if (!beside) add_text(page, effect, kIndent + 4, width, Role::dim);
    if (i == guide.chosen) add_detail(page, one, state, width);
  }
}

constexpr int kTypedAt = kIndent + 2;
int room_typed(int width) { return width - kTypedAt - 2; }

// Comments are broken for 80 columns of their own: where the page has fewer, what does not fit of a line goes
// to the front of the next one, and not on a line for itself. Up to the end of a sentence, since a command to
// copy may follow that one.
std::vector<std::string> flowed(std::string_view text, int room) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const std::size_t mark = lines[i].find("# ");
    if (mark == std::string::npos || lines[i].find_first_not_of(' ') != mark) continue;
    if (lines[i + 1].find_first_not_of(' ') != mark || lines[i + 1].compare(mark, 2, "# ") != 0) continue;
    if (lines[i].ends_with('.') || lines[i].ends_with(':') || display_width(lines[i]) <= room) continue;
    if (static_cast<int>(mark) + 4 >= room) continue;
    const std::vector<std::string> parts =
        wrap(std::string_view(lines[i]).substr(mark + 2), room - static_cast<int>(mark) - 2);
    std::string rest;
    for (std::size_t part = 1; part < parts.size(); ++part) rest += parts[part] + " ";
    lines[i] = lines[i].substr(0, mark + 2) + parts.front();
    lines[i + 1].insert(mark + 2, rest);
  }
  return lines;
}

// A line to type that is wider than the page goes on below, farther to the right; a comment is one there,
// too.
void add_typed(Document& page, std::string_view line, int width) {
  constexpr int kFarther = 2;
  const int room = room_typed(width);
  const std::size_t mark = std::min(line.find_first_not_of(' '), line.size());
  const std::string_view rest = line.substr(mark);
  const std::string_view lead = rest.substr(0, rest.starts_with("# ") ? 2 : 0);
  const int indent = static_cast<int>(mark);
  const int further = lead.empty() ? indent + kFarther : indent;
  if (display_width(line) <= room || further + kFarther >= room) {
    page.push_back({{{shorten(line, room), Role::input, kTypedAt}}, {}});
    return;
  }
  bool first = true;
  for (const std::string& one :
       wrap(rest.substr(lead.size()), room - further - static_cast<int>(lead.size()))) {
    const int at = std::exchange(first, false) ? indent : further;
    page.push_back({{{std::string(lead) + one, Role::input, kTypedAt + at}}, {}});
  }
}

void add_advice(Document& page, const UiState& state, int width) {
  const GuideState& guide = state.top().guide;
  const auto all = guide_advice(guide);
  if (all.empty()) return;
  section(page, told(state, "TO HAND OUT"), told(state, "y copies the one under the cursor"));
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string id = std::string(kGuideAdvice) + std::to_string(i);  // of the first line of its title
    for (std::string& line : wrap(told(state, all[i].title), width - kIndent - 1))
      page.push_back({{{std::move(line), Role::text, kIndent}}, std::exchange(id, {})});
    const std::string text = told_comments(state.words, all[i].text, width - kIndent - 4);
    for (const std::string& line : flowed(text, room_typed(width))) add_typed(page, line, width);
  }
}

}  // namespace

// In Japanese the sentence has its own end.
std::string guide_fits_text(const UiState& state, const std::string& fits) {
  return state.words ? told(state, "fits") + ": " + fits : "For " + fits + ".";
}

std::vector<guide::Advice> guide_advice(const GuideState& guide) {
  const GuideGroup* group = guide.group();
  if (!group || !group->result.strategy) return {};
  if (group->result.ways.onward == guide::Onward::elsewhere) return {};
  const auto& layouts = group->result.layouts;
  return guide::advice(guide.texts->handouts, *group->result.strategy, guide.platform,
                       guide.chosen < layouts.size() ? &layouts[guide.chosen] : nullptr,
                       {group->product.text, !group->gpus.empty()});
}

void add_guide_leaf(Document& page, const UiContext& ui, const UiState& state, int width) {
  const GuideState& guide = state.top().guide;
  const GuideGroup& group = *guide.group();
  const guide::Leaf& leaf = guide_leaf(state, *group.walk.leaf());
  page.push_back(heading_line(leaf.title, guide::plain(leaf.summary)));
  add_path(page, group, state, width);
  add_text(page, guide::plain(leaf.meaning), kIndent, width);
  add_text(page, guide_fits_text(state, guide::plain(leaf.fits)), kIndent, width, Role::dim);
  for (const std::string& one : group.result.ways.texts)
    add_text(page, told(state, one), kIndent, width, Role::warning);
  add_layouts(page, ui, state, width);
  section(page, told(state, "TO ACCEPT"));
  for (const std::string& one : guide::tradeoffs(leaf))
    item(page, "-", told(state, guide::plain(one)), width, Role::dim);
  section(page, told(state, "LIMITS HERE"),
          std::string(sharing::title(guide.platform)) +
              (guide.platform_from.empty() ? "" : ": " + told(state, guide.platform_from)));
  add_limits(page, group, state, width);
  add_advice(page, state, width);
}

}  // namespace tessera::tui
