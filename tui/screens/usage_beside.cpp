// What stands right of the lists of usage and waste on a wide terminal: the node, job or pod itself where it
// is still listed; else what its user holds now and wasted then, the text to its owner, or what is asked for.
#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/text.hpp"
#include "engine/usage/untold.hpp"
#include "tui/screens/beside.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/overview/overview_demand.hpp"
#include "tui/screens/roles.hpp"
#include "tui/screens/usage.hpp"
#include "tui/screens/usage_common.hpp"

namespace tessera::tui {
namespace {

using usage::By;
using usage::Sum;
using usage::Waste;

constexpr std::size_t kMostRows = 20;

std::optional<Screen> page_of_listed(const Cluster* cluster, const std::string& node,
                                     const std::string& work) {
  if (!cluster) return std::nullopt;
  Screen page;
  page.cluster = cluster->name;
  if (!work.empty() && cluster->workloads.find(WorkloadId(work)))
    page.kind = ScreenKind::workload, page.subject = work;
  else if (!node.empty() && cluster->nodes.find(NodeName(node)))
    page.kind = ScreenKind::node, page.subject = node;
  else
    return std::nullopt;
  return page;
}

bool is_of(const Waste& waste, const Sum& sum, By by) {
  if (waste.cluster != sum.cluster) return false;
  switch (by) {
    case By::user: return waste.user == sum.name && !waste.workload.empty();
    case By::account: return waste.account == sum.name && !waste.workload.empty();
    case By::group: return waste.group == sum.name && !waste.workload.empty();
    case By::profile: return waste.profile == sum.name;
    case By::node: return waste.node == sum.name;
    case By::workload: return waste.workload == sum.name;
  }
  return false;
}

void add_note(FactPage& page, std::string_view text, Role role) {
  page.add({{{page.told(text), role, 1}}, {}});
}

const std::string& wasted_where(const Waste& one) { return one.workload.empty() ? one.node : one.workload; }

// Where the parts of a line of waste begin. Names that differ in their ends are told in full as far as that
// leaves room for what is said of them.
struct WastedBeside {
  int profile = 0, what = 0;
};
WastedBeside wasted_columns_beside(const std::vector<const Waste*>& shown, int begin, int width) {
  constexpr int kLeastName = 19, kLeastProfile = 7, kLeastWhat = 22;
  int name = kLeastName, profile = kLeastProfile;
  for (const Waste* one : shown) {
    name = std::max(name, display_width(wasted_where(*one)));
    profile = std::max(profile, display_width(one->profile));
  }
  profile = std::min(profile, std::max(kLeastProfile, width / 4));
  name = std::clamp(width - begin - profile - 2 - kLeastWhat, kLeastName, name);
  return {begin + name + 1, begin + name + 1 + profile + 1};
}

void add_wasted(FactPage& page, const UiState& state, const Sum& sum) {
  constexpr int kKind = 1, kHours = 11, kWork = 22;
  page.heading("WASTED IN THAT TIME", "in slice-hours");
  std::size_t rows = 0;
  std::vector<const Waste*> shown;
  for (const Waste& one : state.usage.read->waste)
    if (is_of(one, sum, by_shown(state)) && ++rows <= kMostRows) shown.push_back(&one);
  const WastedBeside at = wasted_columns_beside(shown, kWork, page.width());
  for (const Waste* one : shown) {
    const auto cell = [&](const std::string& text, int x, int end) {
      return Span{shorten(text, end - x - 1, page.ascii()), Role::text, x};
    };
    DocLine line{{{one->kind, Style(Role::text).with_bold(), kKind}}, {}};
    put_right(line, one->slice_hours ? fmt::format("{:.1f}", *one->slice_hours) : "n/a", kHours, 9,
              one->slice_hours ? Role::warning : Role::dim);
    line.spans.push_back(cell(wasted_where(*one), kWork, at.profile));
    line.spans.push_back(cell(one->profile, at.profile, at.what));
    // What it says to do is told to its end.
    for (const std::string& part : page.wrapped(page.told(one->advice), at.what)) {
      line.spans.push_back({part, Role::dim, at.what});
      page.add(std::exchange(line, DocLine{}));
    }
    if (!line.spans.empty()) page.add(std::move(line));
  }
  if (rows > kMostRows) add_note(page, fmt::format("and {} more", rows - kMostRows), Role::dim);
  if (rows > 0) return;
  const usage::Reckoning& read = *state.usage.read;
  if (read.waste_refused || usage::is_unmeasured(read, sum.cluster))
    add_note(page, "not known", Role::unknown);
  else
    add_note(page, "nothing, as far as there are figures", Role::dim);
}

void add_held_now(FactPage& page, const UiContext& ui, const UiState& state, const Sum& sum) {
  const Cluster* cluster = ui.model.find(sum.cluster);
  if (!cluster) return;
  page.heading(state.past ? "HELD AND WANTED THEN" : "HELD AND WANTED NOW");
  const std::vector<insight::UserSum>& users = state.users.users;
  const auto user = std::find_if(users.begin(), users.end(), [&](const insight::UserSum& one) {
    return one.cluster == sum.cluster && one.user == sum.name;
  });
  if (user == users.end())
    return work_untold(*cluster) ? add_note(page, "not known", Role::unknown)
                                 : add_note(page, "nothing", Role::dim);
  for (DocLine& line : work_of_user(ui, state, *user, page.width())) page.add(std::move(line));
}

void add_letter(FactPage& page, const UiState& state, const std::string& owner) {
  page.heading("TEXT TO THIS OWNER", fmt::format("{} copies it", first_key(state, Action::usage_letter)));
  const std::string letter = letter_begin(state, owner, static_cast<std::size_t>(state.size.rows));
  for (const std::string_view line : lines_in(letter))
    for (const std::string& part : page.wrapped(line, 1)) page.add({{{part, Role::text, 1}}, {}});
}

// What stands free for nothing is best held against what is asked for now.
void add_demand(FactPage& page, const UiState& state, const ClusterName& cluster) {
  constexpr int kWhat = 1, kFree = 24, kCould = 31, kWanted = 45, kFits = 54;
  page.heading(state.past ? "FREE AND WANTED THEN" : "FREE AND WANTED NOW", cluster.text);
  DocLine head{{{"RESOURCE", Role::heading, kWhat}}, {}};
  put_right(head, "FREE", kFree, 5, Role::heading);
  put_right(head, "COULD BE CUT", kCould, 12, Role::heading);
  put_right(head, "WANTED", kWanted, 7, Role::heading);
  head.spans.push_back({"FITS", Role::heading, kFits});
  page.add(std::move(head));
  std::size_t rows = 0;
  for (const DemandRow& row : state.overview.demand) {
    if (row.cluster != cluster || ++rows > kMostRows) continue;
    const why::Demand& one = row.demand;
    DocLine line{{{shorten(one.resource, kFree - kWhat - 1, page.ascii()), Role::text, kWhat}}, {}};
    put_right(line, one.free ? std::to_string(*one.free) : "?", kFree, 5,
              one.free ? Role::free : Role::unknown);
    put_right(line, one.free ? std::to_string(one.could) : "?", kCould, 12,
              !one.free       ? Role::unknown
              : one.could > 0 ? Role::text
                              : Role::dim);
    put_right(line, std::to_string(one.wanted), kWanted, 7, one.wanted > 0 ? Role::warning : Role::dim);
    line.spans.push_back(
        {shorten(fits_text(one, state), page.width() - kFits - 1, page.ascii()), Role::dim, kFits});
    page.add(std::move(line));
  }
  if (rows > kMostRows) add_note(page, fmt::format("and {} more", rows - kMostRows), Role::dim);
  if (rows == 0) add_note(page, "not known", Role::unknown);
}

}  // namespace

std::optional<Screen> page_beside_usage(const UiState& state, const UiContext& ui) {
  const Sum* sum = sum_here(state);
  if (!sum || sum->name.empty()) return std::nullopt;
  return page_of_listed(ui.model.find(sum->cluster), by_shown(state) == By::node ? sum->name : "",
                        by_shown(state) == By::workload ? sum->name : "");
}

bool has_lines_beside_usage(const UiState& state, const UiContext&) { return sum_here(state) != nullptr; }

Document lines_beside_usage(const UiContext& ui, const UiState& state, int width) {
  const Sum* sum = sum_here(state);
  if (!sum) return {};
  FactPage page(state, width);
  if (by_shown(state) == By::user && !sum->name.empty()) add_held_now(page, ui, state, *sum);
  add_wasted(page, state, *sum);
  return page.take();
}

std::optional<Screen> page_beside_waste(const UiState& state, const UiContext& ui) {
  const Waste* waste = waste_here(state);
  if (!waste) return std::nullopt;
  return page_of_listed(ui.model.find(waste->cluster), waste->node, waste->workload);
}

bool has_lines_beside_waste(const UiState& state, const UiContext&) { return waste_here(state) != nullptr; }

Document lines_beside_waste(const UiContext&, const UiState& state, int width) {
  const Waste* waste = waste_here(state);
  if (!waste) return {};
  FactPage page(state, width);
  if (waste->user.empty())
    add_demand(page, state, waste->cluster);
  else
    add_letter(page, state, waste->user);
  return page.take();
}

}  // namespace tessera::tui
