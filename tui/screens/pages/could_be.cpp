#include "tui/screens/pages/could_be.hpp"

#include <fmt/core.h>

#include "engine/insight/on_demand.hpp"
#include "engine/operators/claimed_devices.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::tui {
namespace {

struct Columns {
  int profile = 3, together = 18, at = 26, blocked = 44;
};

std::string starts_text(const std::vector<int>& starts) {
  std::string text;
  for (const int start : starts) text += fmt::format("{}{}", text.empty() ? "" : ",", start);
  return text.empty() ? "-" : text;
}

// Places that the same work is in the way of stand together: "0: 3g.40gb@0 (team/q)".
std::string blocked_text(const FactPage& page, const Gpu& gpu, const mig::CouldBe& one) {
  std::vector<std::pair<std::string, std::vector<int>>> by;
  for (const mig::CouldBe::Blocked& place : one.blocked) {
    std::string who = insight::in_way_text(gpu, place);
    if (who.empty()) who = page.told("compute or engines are used up");
    if (by.empty() || by.back().first != who) by.emplace_back(std::move(who), std::vector<int>());
    by.back().second.push_back(place.start);
  }
  std::string text;
  for (const auto& [who, starts] : by)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", starts_text(starts), who);
  return text;
}

}  // namespace

void add_could_be(FactPage& page, const UiContext& ui, const GpuPlace& at) {
  if (!sharing::by_claims(*at.node)) return;
  using operators::DraWay;
  const DraWay way = operators::way_of(*at.node);
  if (way != DraWay::on_demand && way != DraWay::on_demand_dark) return;
  page.heading("COULD BE CUT", "by its DRA driver, as soon as a claim asks for it (dynamic MIG)");
  const auto all = insight::could_be(*at.node, *at.gpu, ui.catalogue);
  if (!all)
    return page.fact(
        "", "unknown: the counters of its driver are not all told, or say otherwise than the catalogue",
        Role::unknown);
  const Columns columns;
  page.add({{{page.told("profile"), Role::dim, columns.profile},
             {page.told("at once"), Role::dim, columns.together},
             {page.told("start"), Role::dim, columns.at},
             {page.told("in the way"), Role::dim, columns.blocked}},
            {}});
  const mig::Product& product = *ui.catalogue.by_key(at.gpu->product->text);
  for (auto one = all->rbegin(); one != all->rend(); ++one)
    page.add(
        {{{product.profiles[static_cast<std::size_t>(one->profile)].name.text, Role::text, columns.profile},
          {fmt::format("{:>4}", one->together),
           one->together > 0 ? Style(Role::free).with_bold() : Style(Role::dim), columns.together},
          {starts_text(one->free), Role::text, columns.at},
          {blocked_text(page, *at.gpu, *one), Role::dim, columns.blocked}},
         {}});
}

}  // namespace tessera::tui
