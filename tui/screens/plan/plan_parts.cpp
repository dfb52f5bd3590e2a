#include "tui/screens/plan/plan_parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "tui/screens/frame/frame.hpp"
#include "tui/screens/plan/plan_stops.hpp"
#include "tui/terminal/utf8.hpp"

namespace tessera::tui {
namespace {

constexpr int kLeastNames = 16, kMostNames = 40;  // cells of a node's name

int lines_of(const PlanPart& part) {
  std::size_t lines = part.heading ? 1 : 0;
  for (const PlanEntry& entry : part.entries) lines += entry.lines.size();
  return static_cast<int>(lines + part.later.lines);
}

// Lines for each of those that want so many: what one does not need goes to the others.
std::vector<int> shares_of(const std::vector<int>& wanted, int room) {
  std::vector<int> given(wanted.size(), 0);
  for (bool any = true; any && room > 0;) {
    any = false;
    for (std::size_t i = 0; i < wanted.size() && room > 0; ++i)
      if (given[i] < wanted[i]) ++given[i], --room, any = true;
  }
  return given;
}

class First {
 public:
  First(const UiState& state, bool tight) : state_(state) { first.tight = tight; }

  // most: lines that it has room for.
  void put(PlanPart part, int most) {
    const bool folds = !part.id.empty() && lines_of(part) > most;
    const bool unfolded = folds && state_.top().unfolded.contains(part.id);
    int used = 0;
    if (part.heading) {
      if (!first.tight && !first.lines.empty()) first.lines.push_back({});
      first.lines.push_back(std::move(*part.heading)), ++used;
    }
    std::size_t at = 0;
    const auto took = [&](Document& lines) {
      const int more = static_cast<int>(lines.size());
      if (folds && !unfolded && at > 0 && used + more >= most) return false;  // a line tells what is left out
      std::move(lines.begin(), lines.end(), std::back_inserter(first.lines));
      used += more, ++at;
      return true;
    };
    const std::size_t there = part.entries.size(), all = there + part.later.count;
    while (at < there && took(part.entries[at].lines)) {
    }
    for (bool more = at == there; more && at < all;) {
      Document lines = part.later.make(at - there);
      more = took(lines);
    }
    std::size_t left = all - std::max(at, there);
    for (; at < there; ++at) left += part.entries[at].things;
    if (left > 0) more_line(part.id, told(state_, fmt::format("and {} more", left)) + "  ", "shows them");
    if (unfolded) more_line(part.id, "", "shows the first ones only");
  }

  PlanFirst first;

 private:
  void more_line(const std::string& id, std::string count, std::string_view does) {
    DocLine line{{{std::move(count), Role::dim, 3}}, id};
    line.spans.push_back({first_key(state_, Action::open), Role::key});
    line.spans.push_back({" " + told(state_, does), Role::dim});
    first.lines.push_back(std::move(line));
  }

  const UiState& state_;
};

}  // namespace

PlanFirst first_of(const UiState& state, std::vector<PlanPart> parts, int room, int below) {
  std::vector<int> wanted;
  int all = below, blanks = below > 0 ? 1 : 0;
  for (const PlanPart& part : parts) {
    const int lines = lines_of(part);
    all += lines;
    if (part.heading) ++blanks;
    if (part.id.empty()) room -= lines, all -= lines;
    wanted.push_back(part.id.empty() ? 0 : lines);
  }
  wanted.push_back(below);
  const bool tight = all + blanks > room;
  const std::vector<int> shares = tight ? shares_of(wanted, room) : wanted;
  First screen(state, tight);
  for (std::size_t i = 0; i < parts.size(); ++i) screen.put(std::move(parts[i]), shares[i]);
  return std::move(screen.first);
}

void add_nodes(Document& lines, const UiState& state) {
  const PlanView& view = *state.plan;
  std::vector<std::string> steps;
  int names = kLeastNames, texts = 0;
  for (const plan::NodePlan& node : view.plan.nodes) {
    names = std::max(names, display_width(node.node.text));
    steps.push_back(
        told(state, fmt::format("{} {}", node.steps.size(), node.steps.size() == 1 ? "step" : "steps")));
    texts = std::max(texts, display_width(steps.back()));
  }
  const int at = 3 + std::min(names, kMostNames) + 2, behind = at + texts + 2;
  for (std::size_t i = 0; i < view.plan.nodes.size(); ++i) {
    const plan::NodePlan& node = view.plan.nodes[i];
    const bool free = node.blast_radius.empty();
    const Style style = i == view.node ? Style(Role::accent).with_bold() : Style(Role::text);
    lines.push_back({{{shorten(node.node.text, kMostNames, state.ascii), style, 3},
                      {steps[i], Role::text, at},
                      {told(state, free ? std::string("disturbs no workload")
                                        : fmt::format("disturbs {}", node.blast_radius.size())),
                       free ? Role::dim : Role::warning, behind}},
                     id_of('d', std::to_string(i))});
  }
}

// A preset or a layout is data, and one word; what tessera says is not.
std::string asked_text(const UiState& state, const plan::Intent& intent) {
  const bool says = intent.words.find(' ') != std::string::npos;
  return says ? told(state, intent.words) : intent.words;
}

}  // namespace tessera::tui
