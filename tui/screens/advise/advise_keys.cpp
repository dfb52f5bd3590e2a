// The keys of the advice screen: what is asked, and the way to the plan.
#include <fmt/core.h>

#include <algorithm>

#include "engine/pack/cluster.hpp"
#include "engine/shell.hpp"
#include "engine/time.hpp"
#include "tui/screens/advise/advise.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/pack/narrow.hpp"
#include "tui/screens/plan/next_hours.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/usage_common.hpp"

namespace tessera::tui {
namespace {

constexpr Duration kDay{24LL * 3'600'000};

// A new edit is waited for again.
template <class Edit>
void edit_wish(UiState& state, Edit edit) {
  change_advise(state, [&](AdviseState& advise) {
    advise.stopped = false;
    edit(advise);
  });
}

void look_further(UiState& state) {
  edit_wish(state, [](AdviseState& advise) { advise.hours = next_hours(advise.hours); });
}

// None, the last day, 7 days, 30 days: the days are those of :usage, too, since they are read once for both.
void next_days(UiState& state, const UiContext& ui) {
  Duration& since = state.usage.since;
  edit_wish(state, [&](AdviseState& advise) {
    const bool last = advise.with_past && since >= 30 * kDay;
    if (!advise.with_past)
      since = kDay;
    else if (!last)
      since = since < 7 * kDay ? 7 * kDay : 30 * kDay;
    advise.with_past = !last;
  });
  state.usage.asked = state.advise->with_past && !state.past;
  say(state, ui, Severity::info,
      state.advise->with_past
          ? fmt::format("looking at {}", days_text(since))
          : std::string(state.past ? "only what waited then counts" : "only what waits now counts"));
}

// Whether the GPUs that an answer changes no longer stand as it has them.
bool has_moved(const UiState& state, const Cluster& cluster, const AdviseQuestion& asked,
               const advise::Answer& answer) {
  const std::optional<TimePoint> until =
      answer.ends_within ? std::optional(asked.then->now + *answer.ends_within) : std::nullopt;
  const pack::Problem now =
      pack::problem_of(cluster, answer.nodes, *asked.then->catalogue, capabilities_of(state, cluster), until)
          .problem;
  // Nodes may stand in another order by now.
  const auto same = [&](const pack::BoardPlan& plan) {
    const pack::Board& then = answer.problem.boards[plan.board];
    return std::any_of(now.boards.begin(), now.boards.end(), [&](const pack::Board& one) {
      return one.node == then.node && one.gpu == then.gpu && one.instances == then.instances &&
             one.whole == then.whole && now.products[one.product] == answer.problem.products[then.product];
    });
  };
  return now.mode != answer.problem.mode ||
         !std::all_of(answer.packed.boards.begin(), answer.packed.boards.end(), same);
}

void ask_again(UiState& state) {
  edit_wish(state, [](AdviseState& advise) { advise.again = true; });
}

}  // namespace

std::optional<std::size_t> place_of_answer(const UiState& state) {
  const AdviseState* advise = state.advise.get();
  if (!advise || !advise->answer || advise->answer->ids.empty()) return std::nullopt;
  const std::vector<std::string>& ids = advise->answer->ids;
  // A line of an answer has its id in front.
  const std::string cursor = state.top().cursor.substr(0, state.top().cursor.find('\x1f'));
  const auto found = std::find(ids.begin(), ids.end(), cursor);
  return found == ids.end() ? 0 : static_cast<std::size_t>(found - ids.begin());
}

const advise::Answer* answer_here(const UiState& state) {
  const auto place = place_of_answer(state);
  return place ? &state.advise->answer->advice->answers[*place] : nullptr;
}

std::string why_no_past_counts(const UiState& state, const UiContext& ui) {
  if (source_wanted(state.usage, state.past)) return "";
  const std::vector<usage::PastSource> sources = sources_here(state, ui);
  const Cluster* cluster = state.advise ? ui.model.find(state.advise->cluster) : nullptr;
  const bool of_slurm = cluster && cluster->scheduler == Scheduler::slurm;
  if (!state.past && of_slurm && !sources.empty())
    return "Slurm's accounting is asked on the screen of use: :usage";
  return state.no_past.empty() ? "no recording is opened" : state.no_past;
}

Effects show_advise(UiState& state, const UiContext& ui, Action) {
  show_over_cluster(state, ui, ScreenKind::advise, state.advise ? state.advise->cluster : ClusterName());
  return {};
}

std::string why_no_advise_edit(Action action, const UiState& state, const UiContext& ui) {
  if (state.top().kind != ScreenKind::advise || !state.advise) return "this works on the advice of :advise";
  if (action == Action::advise_cluster)
    return ui.model.clusters.size() > 1 ? "" : "there is no other cluster";
  if (!state.advise->refused.empty()) return state.advise->refused;
  if (action == Action::advise_days) {
    if (std::string why = why_no_past_counts(state, ui); !why.empty()) return why;
    if (!state.advise->only.partition.empty()) return "the past counts for the whole cluster: :on all first";
  }
  if (action == Action::advise_again && state.advise->working()) return "it is being worked out";
  return "";
}

Effects edit_advise(UiState& state, const UiContext& ui, Action action) {
  switch (action) {
    case Action::advise_again: ask_again(state); break;
    case Action::advise_hours: look_further(state); break;
    case Action::advise_days: next_days(state, ui); break;
    case Action::advise_only: ask_what_to_narrow(state); break;
    case Action::advise_cluster: next_cluster(state, ui); break;
    default: break;
  }
  return {};
}

std::optional<Error> narrow_advise_to(UiState& state, const UiContext& ui, const std::string& text) {
  if (std::string why = why_no_advise_edit(Action::advise_only, state, ui); !why.empty())
    return Error{why, "", ""};
  auto only = narrowed_by(*ui.model.find(state.advise->cluster), ui, text);
  if (!only) return only.error();
  edit_wish(state, [&](AdviseState& advise) { advise.only = std::move(*only); });
  return std::nullopt;
}

std::string why_no_open_on_advise(const UiState& state, const UiContext&) {
  if (!state.advise) return "this works on the advice of :advise";
  const AdviseState& advise = *state.advise;
  if (!advise.refused.empty()) return advise.refused;
  if (!advise.answer)
    return advise.stopped ? "stopped: it can be worked out again" : "it is being worked out";
  // Of other nodes, or of other hours, than are asked about now.
  const AdviseQuestion& asked = *advise.answer->question;
  if (asked.only != advise.only || asked.hours != advise.hours) return "it is being worked out";
  return answer_here(state) ? "" : "no re-cut helps: there is no plan to open";
}

Effects open_on_advise(UiState& state, const UiContext& ui) {
  const AdviseState& advise = *state.advise;
  const advise::Answer& answer = *answer_here(state);
  const Cluster* cluster = ui.model.find(advise.cluster);
  // A job may have started since: the GPUs that change must stand as the answer has them.
  if (!cluster || has_moved(state, *cluster, *advise.answer->question, answer)) {
    say(state, ui, Severity::warning, "the cluster has changed: the advice is being worked out again");
    ask_again(state);
    return {};
  }
  plan::Intent intent = pack::intent_of(answer.problem, answer.packed, advise.cluster);
  intent.words = "packed for a demand";
  if (const auto why_not = open_plan_for(state, ui, intent))
    say(state, ui, Severity::danger, to_line(*why_not));
  return {};
}

bool back_in_advise(UiState& state, const UiContext&) {
  if (!state.advise || !state.advise->working()) return false;
  change_advise(state, [](AdviseState& advise) {
    advise.stopped = true;
    advise.question = nullptr;
  });
  return true;
}

std::string copy_on_advise(const UiState& state, const UiContext&) {
  const advise::Answer* answer = answer_here(state);
  if (!answer) return "";
  const AdviseQuestion& asked = *state.advise->answer->question;
  // The plan's own command would be made of the live cluster.
  if (state.past)
    return fmt::format("tessera advise --at {} --cluster {} --hours {}{}", utc_text(asked.then->now),
                       shell_word(state.advise->cluster.text), asked.hours, flags_of(asked.only));
  return fmt::format("{} --cluster {} --plan", advise::pack_command(*answer),
                     shell_word(state.advise->cluster.text));
}

}  // namespace tessera::tui
