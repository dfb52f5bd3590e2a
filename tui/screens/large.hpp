// When what is worked out of large clusters on the planner's thread is asked for, and what becomes of its
// answers. Threads: the UI thread, but for answer_of().
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "engine/pack/problem.hpp"
#include "tui/change_kept.hpp"
#include "tui/screens/pack/narrow.hpp"
#include "tui/update.hpp"

namespace tessera::tui {

// On a busy cluster something moves with every look: not every answer is worth another one. What takes long
// is not worked out without a pause.
constexpr Duration kAskedEvery{15'000};
inline TimePoint due_again(TimePoint told_at, Duration took) {
  constexpr Duration kAtMost{300'000};
  constexpr int kPauses = 10;
  return told_at + std::clamp(kPauses * took, kAskedEvery, kAtMost);
}

template <class Question, class Answer>
TimePoint due_again(const AskedLarge<Question, Answer>& asked) {
  // Its screen was left before the answer, which is of then.
  if (asked.told_at - asked.asked_at > asked.took + kAskedEvery) return asked.told_at;
  return due_again(asked.told_at, asked.took);
}

// The same question, of the cluster as it stands now.
template <class Question, class Answer>
bool is_due_again(const AskedLarge<Question, Answer>& asked, const UiState& state, const UiContext& ui) {
  if (asked.revision == ui.model.revision) return false;
  if (stands_in_past(state)) return true;
  // One at a time: on a busy cluster no answer would ever be of the last one.
  return !asked.working() && (ui.wall >= due_again(asked) || ui.wall < asked.told_at);
}

// keeps: what was told before is of the same thing, and shown until the answer is there.
template <class Question, class Answer>
void ask_large(std::shared_ptr<const AskedLarge<Question, Answer>>& asked, const UiContext& ui,
               Question question, bool keeps) {
  change_kept(asked, [&](AskedLarge<Question, Answer>& next) {
    if (!keeps) next.answer = nullptr;
    next.question = std::make_shared<const Question>(std::move(question));
    next.revision = ui.model.revision;
    next.asked_at = ui.wall;
  });
}

// False: it is no answer to what is asked now.
template <class Question, class Answer>
bool take_large(std::shared_ptr<const AskedLarge<Question, Answer>>& asked, const UiContext& ui,
                const std::shared_ptr<const Answer>& told, Duration took) {
  if (!asked || !told || told->question != asked->question) return false;
  change_kept(asked, [&](AskedLarge<Question, Answer>& next) {
    next.answer = told;
    next.told_at = ui.wall;
    next.took = took;
  });
  return true;
}
void take_large(UiState& state, const UiContext& ui, const LargeTold& told);

// The answers themselves, on whichever thread. stop: true gives up; what is missing then is told to no one.
std::shared_ptr<const DemandCounted> answer_of(std::shared_ptr<const DemandQuestion> question,
                                               const pack::Stop& stop = {});
std::shared_ptr<const WhyFound> answer_of(std::shared_ptr<const WhyQuestion> question,
                                          const pack::Stop& stop = {});
std::shared_ptr<const HoursPlayed> answer_of(std::shared_ptr<const HoursQuestion> question,
                                             const pack::Stop& stop = {});

}  // namespace tessera::tui
