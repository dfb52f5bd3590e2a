// What is asked for the advice screen, when, and what was told: the answers themselves are worked out on the
// planner's thread.
#include "engine/digest.hpp"
#include "engine/pack/cluster.hpp"
#include "tui/packer.hpp"
#include "tui/screens/advise/advise.hpp"
#include "tui/screens/large.hpp"
#include "tui/screens/pack/narrow.hpp"

namespace tessera::tui {
namespace {

// What came after a moment of the past is no history of it, nor is what ended before it stood there.
bool ends_here(const UiState& state, const UiContext& ui, const ClusterName& name,
               const usage::Reckoning& read) {
  if (!state.past) return true;
  const Cluster* cluster = ui.model.find(name);
  return cluster && !state.usage.part && read.to <= cluster_now(*cluster, ui.wall);
}

// Of this cluster, for the days that are wanted; null: it is not to count, or not read yet.
std::shared_ptr<const usage::Reckoning> past_of(const UiState& state, const UiContext& ui,
                                                const AdviseState& advise) {
  const auto& read = state.usage.read;
  const auto source = source_wanted(state.usage, state.past);
  const bool counts = advise.with_past && advise.only.partition.empty() && source &&
                      is_read(state.usage, *source) && read->asked.since == state.usage.since &&
                      read->demand.contains(advise.cluster);
  return counts && ends_here(state, ui, advise.cluster, *read) ? read : nullptr;
}

TimePoint due_at(const AdviseState& advise) {
  return due_again(advise.told_at, advise.told_at - advise.asked_at);
}

bool is_due(const AdviseState& advise, const UiState& state, const UiContext& ui) {
  if (!advise.question || advise.again) return true;
  const AdviseQuestion& asked = *advise.question;
  if (asked.hours != advise.hours || asked.only != advise.only || asked.past != past_of(state, ui, advise))
    return true;
  if (stands_in_past(state)) return advise.revision != ui.model.revision + 1;
  // One at a time: on a busy cluster no answer would ever be of the last one.
  if (advise.working() || advise.revision == ui.model.revision + 1) return false;
  return ui.wall >= due_at(advise);
}

std::shared_ptr<const AdviseQuestion> question_of(const AdviseState& advise, const UiState& state,
                                                  const UiContext& ui, const Cluster& cluster) {
  return std::make_shared<const AdviseQuestion>(AdviseQuestion{then_of(state, ui, cluster),
                                                               nodes_of(cluster, advise.only), advise.only,
                                                               advise.hours, past_of(state, ui, advise)});
}

}  // namespace

bool advice_reads_past(const UiState& state) {
  return state.advise && state.advise->refused.empty() && state.advise->with_past &&
         state.advise->only.partition.empty();
}

void refresh_advise(UiState& state, Screen& screen, const UiContext& ui) {
  const Cluster* cluster = ui.model.find(screen.cluster);
  std::string why = why_not_planned(state, cluster);
  change_advise(state, [&](AdviseState& advise) {
    if (advise.cluster != screen.cluster) {
      AdviseState other;
      other.cluster = screen.cluster, other.hours = advise.hours, other.with_past = advise.with_past;
      advise = std::move(other);
    }
    advise.refused = std::move(why);
    if (!advise.refused.empty()) {
      advise.question = nullptr, advise.answer = nullptr, advise.revision = 0;
      return;
    }
    if (advise.stopped || !is_due(advise, state, ui)) return;
    advise.question = question_of(advise, state, ui, *cluster);
    advise.progress = {};
    advise.again = false;
    advise.revision = ui.model.revision + 1;
    advise.asked_at = ui.wall;
  });
}

std::optional<TimePoint> advise_next_change(const UiState& state, const UiContext& ui) {
  if (!state.advise || !state.advise->question || state.advise->working() ||
      state.advise->revision == ui.model.revision + 1)
    return std::nullopt;
  return due_at(*state.advise);
}

void take_advice(UiState& state, const UiContext& ui, const AdviseTold& told) {
  if (!state.advise || !told.what || told.what->question != state.advise->question) return;
  if (told.what->advice && told.what->advice->given_up) return;
  change_advise(state, [&](AdviseState& advise) {
    advise.progress = told.what->progress;
    if (!told.what->advice) return;
    advise.answer = told.what;
    advise.told_at = ui.wall;
  });
}

std::shared_ptr<const AdviseNews> answer_of(std::shared_ptr<const AdviseQuestion> question,
                                            const pack::Stop& stop, const Tell& tell) {
  const AdviseQuestion& asked = *question;
  const ClusterThen& then = *asked.then;
  advise::Question full{&then.cluster, then.catalogue,       then.can, then.rules,
                        asked.nodes,   asked.only.partition, then.now, std::chrono::hours(asked.hours)};
  if (asked.past) full.past = &asked.past->demand.at(then.cluster.name);
  std::optional<advise::Progress> last;
  full.keep_on = [&](const advise::Progress& now) {
    if (stop && stop()) return false;
    if (tell && last != now)
      tell(AdviseTold{std::make_shared<const AdviseNews>(AdviseNews{question, now, {}, {}})});
    last = now;
    return true;
  };
  AdviseNews news{question, {}, advise::advise(full), {}};
  news.progress = last.value_or(advise::Progress{});
  for (const advise::Answer& one : news.advice->answers)
    news.ids.push_back("a" + digest(pack::intent_text(one.problem, one.packed)));
  return std::make_shared<const AdviseNews>(std::move(news));
}

}  // namespace tessera::tui
