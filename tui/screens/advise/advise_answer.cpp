// One answer of the advice screen in full: its GPUs before and after, who starts sooner, what it costs, and
// what that rests on.
#include <fmt/core.h>

#include <algorithm>

#include "engine/advise/limits_text.hpp"
#include "engine/pack/pack.hpp"
#include "engine/text.hpp"
#include "engine/usage/demand.hpp"
#include "tui/screens/advise/advise.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/pack/board_lines.hpp"
#include "tui/screens/starts.hpp"
#include "tui/screens/usage_common.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kMostBoards = 200, kMostNodes = 40, kMostStarts = 40;  // the plan lists all

std::string owners_of(const advise::NodeCost& cost) {
  std::vector<std::string> users;
  for (const plan::Disturbed& each : cost.whom) {
    const std::string user = each.user.empty() ? "?" : clean(each.user, 60);
    if (std::find(users.begin(), users.end(), user) == users.end()) users.push_back(user);
  }
  std::string names;
  for (std::size_t i = 0; i < users.size() && i < 8; ++i) names += (names.empty() ? "" : ", ") + users[i];
  return users.size() > 8 ? names + ", …" : names;
}

class AnswerPage {
 public:
  AnswerPage(const UiContext& ui, const UiState& state, const advise::Answer& answer, int width)
      : ui_(ui), state_(state), news_(*state.advise->answer), answer_(answer), width_(width) {}

  Document lines() {
    certificate();
    boards();
    starts(), costs(), offers(), past(), rests();
    return std::move(to_);
  }

 private:
  std::string told(const std::string& english) const { return tui::told(state_, english); }
  void fact(const std::string& label, const std::string& english, Style style = {}) {
    data(label, told(english), style);
  }
  void data(const std::string& label, const std::string& text, Style style = {}) {
    add_wrapped_fact(to_, label, text, width_, style);
  }
  template <class All, class Show>
  void each(const All& all, std::size_t most, const Show& show) {
    for (std::size_t i = 0; i < all.size() && i < most; ++i) show(all[i], i == 0);
    if (all.size() > most)
      fact("", fmt::format("and {} more: the plan lists all", all.size() - most), Role::dim);
  }
  std::string when(const std::optional<TimePoint>& at) const { return when_text(answer_.forecast, at); }

  void certificate() {
    for (const std::string& line : wrap(told(pack::certificate(answer_.problem, answer_.packed)), width_ - 3))
      to_.push_back({{{line, Style(Role::good).with_bold(), 1}}, {}});
  }

  void boards() {
    to_.push_back(board_heads());
    const auto& all = answer_.packed.boards;
    for (std::size_t i = 0; i < all.size() && i < kMostBoards; ++i)
      to_.push_back(board_line(ui_, state_, state_.advise->cluster, answer_.problem, all[i], false));
    if (all.size() > kMostBoards)
      fact("", fmt::format("and {} more: the plan lists all", all.size() - kMostBoards), Role::dim);
  }

  void starts() {
    fact(told("starts"), whatif::headline(answer_.forecast));
    fact("", fmt::format("waits get shorter by {:.1f} h in sum; the new layout is in place {}",
                         answer_.hours_sooner, when(answer_.forecast.changed.changed)));
    each(answer_.forecast.sooner, kMostStarts,
         [&](const whatif::Moved& one, bool) { start(one, Role::dim); });
    each(answer_.forecast.later, kMostStarts, [&](const whatif::Moved& one, bool first) {
      if (first) fact("", "later, or not within that time:", Role::warning);
      start(one, Role::warning);
    });
    if (answer_.forecast.never_again > 0)
      fact("", fmt::format("waiting workloads that would never start: {}", answer_.forecast.never_again),
           Role::danger);
  }
  void start(const whatif::Moved& one, Style style) { fact("", start_text(answer_.forecast, one), style); }

  void costs() {
    if (answer_.disturbed == 0)
      fact(told("costs"), "waits for no running job or pod", Role::good);
    else
      fact(told("costs"), fmt::format("waits for the end of running jobs or pods: {}", answer_.disturbed),
           Role::warning);
    std::vector<const advise::NodeCost*> closed;
    for (const advise::NodeCost& cost : answer_.costs)
      if (!cost.whom.empty()) closed.push_back(&cost);
    each(closed, kMostNodes, [&](const advise::NodeCost* cost, bool) {
      const std::string node = clean(cost->node.text, 100), owners = owners_of(*cost);
      const std::string until = cost->until ? time_text(*cost->until) : "?";
      fact("", cost->closed
                   ? fmt::format("{} is closed until {} for jobs or pods of: {}", node, until, owners)
                   : fmt::format("{} waits until {} for jobs or pods of: {}", node, until, owners));
    });
  }

  void offers() {
    std::string offers, gone;
    const std::string_view arrow = state_.ascii ? "->" : "→";
    for (const advise::Offer& offer : answer_.offers) {
      offers += fmt::format("{}{} {} {} {}", offers.empty() ? "" : ", ", offer.profile, offer.before, arrow,
                            offer.after);
      if (offer.after == 0) gone += (gone.empty() ? "" : ", ") + offer.profile;
    }
    data(told("then has"), offers);
    if (!gone.empty()) fact("", fmt::format("none is left of: {}", gone), Role::warning);
  }

  void past() {
    if (!news_.question->past) return;
    if (answer_.fitted && answer_.lost && !news_.advice->past.empty())
      fact(told("history"),
           fmt::format("of the past {:.1f} GPU-hours more would have fitted, {:.1f} no longer",
                       *answer_.fitted, *answer_.lost));
    else
      fact(told("history"), "how much more of the past would have fitted is not known", Role::unknown);
  }

  static std::string covered_text(usage::PastSource source, double hours) {
    switch (source) {
      case usage::PastSource::recording: return fmt::format("{:.1f} h of that time are recorded", hours);
      case usage::PastSource::prometheus:
        return fmt::format("{:.1f} h of that time are kept by Prometheus: what was held", hours);
      case usage::PastSource::accounting: break;
    }
    return "Slurm's accounting of that time: what was held";
  }

  void rests() {
    fact(told("based on"), advise::limits_text(news_.advice->known), Role::dim);
    if (const usage::Reckoning* read = news_.question->past.get()) {
      const usage::DemandOverTime& demand = read->demand.at(news_.question->then->cluster.name);
      const double hours = demand.hours();
      fact("", days_text(read->asked.since), Role::dim);
      fact("", covered_text(usage::source_of(*read), hours), Role::dim);
      if (const int more = demand.unplaced(); more > 0)
        fact("",
             read->accounting
                 ? fmt::format(
                       "up to {} more GPUs were held of which it is not told whether they were slices", more)
                 : fmt::format("up to {} more were held on slices that are not reported", more),
             Role::unknown);
    } else {
      fact("", "what waits now, and nothing of the past", Role::dim);
    }
    fact("", "A model, not a promise: docs/whatif.md has its error.", Role::dim);
  }

  const UiContext& ui_;
  const UiState& state_;
  const AdviseNews& news_;
  const advise::Answer& answer_;
  int width_;
  Document to_;
};

}  // namespace

Document answer_lines(const UiContext& ui, const UiState& state, std::size_t place, int width) {
  const AdviseNews& news = *state.advise->answer;
  Document lines = AnswerPage(ui, state, news.advice->answers[place], width).lines();
  // Each can hold the cursor, so that all of it can be read where it is longer than its pane.
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!lines[i].spans.empty()) lines[i].id = fmt::format("{}\x1f{}", news.ids[place], i);
  return lines;
}

}  // namespace tessera::tui
