#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "engine/whatif/whatif.hpp"

namespace tessera::whatif {
namespace {

// Less than that is no difference: a scheduler does not look every second.
constexpr Duration kSame = std::chrono::minutes(1);

struct Both {
  const Start *left = nullptr, *changed = nullptr;
};

Moved moved_of(const Both& both) {
  const Start& any = both.left ? *both.left : *both.changed;
  Moved moved{any.id, any.name, any.user, any.request, {}, {}};
  if (both.left) moved.left = both.left->at;
  if (both.changed) moved.changed = both.changed->at;
  return moved;
}

std::optional<double> thrown_away(const plan::Plan& plan) {
  if (plan.intent.options.way == plan::Way::wait) return 0;
  std::optional<double> hours = 0;
  for (const plan::NodePlan& node : plan.nodes)
    for (const plan::Disturbed& one : node.blast_radius)
      hours = hours && one.gpu_hours ? std::optional(*hours + *one.gpu_hours) : std::nullopt;
  return hours;
}

std::string span_text(Duration ahead) {
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(ahead).count();
  return minutes % 60 == 0 ? fmt::format("{} h", minutes / 60) : fmt::format("{} min", minutes);
}

}  // namespace

Comparison compare(const Question& question, const plan::Plan& plan) {
  const Player player(question);
  return compare(player, plan, player.unfold());
}

Comparison compare(const Player& player, const plan::Plan& plan, Future as_it_is) {
  const Question& question = player.question();
  Comparison answer;
  answer.from = question.now, answer.ahead = question.ahead;
  answer.left = std::move(as_it_is);
  answer.changed = player.unfold(&plan);
  // Tasks of an array have one id: the first that starts is held against the first.
  std::map<std::pair<WorkloadId, int>, Both> all;
  std::map<WorkloadId, int> left_of, changed_of;
  for (const Start& one : answer.left.starts) all[{one.id, left_of[one.id]++}].left = &one;
  for (const Start& one : answer.changed.starts) all[{one.id, changed_of[one.id]++}].changed = &one;
  for (const auto& [task, both] : all) {
    const TimePoint never = TimePoint::max();
    const TimePoint left = both.left ? both.left->at : never,
                    changed = both.changed ? both.changed->at : never;
    if (left == changed) continue;
    if (left != never && changed != never && (left > changed ? left - changed : changed - left) < kSame)
      continue;
    (changed < left ? answer.sooner : answer.later).push_back(moved_of(both));
  }
  const auto earlier = [](const Moved& a, const Moved& b) {
    return std::pair(a.changed.value_or(TimePoint::max()), a.id) <
           std::pair(b.changed.value_or(TimePoint::max()), b.id);
  };
  std::sort(answer.sooner.begin(), answer.sooner.end(), earlier);
  std::sort(answer.later.begin(), answer.later.end(), earlier);
  if (answer.left.unpriced == 0 && answer.changed.unpriced == 0)
    answer.gpu_hours = answer.changed.gpu_hours - answer.left.gpu_hours;
  answer.thrown_away = thrown_away(plan);
  answer.never_again = plan.never_again_count;
  return answer;
}

std::string headline(const Comparison& comparison) {
  const std::string span = span_text(comparison.ahead);
  if (!comparison.changed.changed)
    return fmt::format(
        "the plan is not done within {}: work that it waits for ends later, or it is not known when", span);
  const std::size_t later = comparison.later.size();
  const std::string sooner = comparison.sooner.size() == 1
                                 ? "1 starts sooner"
                                 : fmt::format("{} start sooner", comparison.sooner.size());
  if (!comparison.gpu_hours)
    return fmt::format("within {}: {}, {} later or not; GPU-hours not known", span, sooner, later);
  const double hours = *comparison.gpu_hours;
  if (hours >= 0.05)
    return fmt::format("within {}: {}, {} later or not; {:.1f} GPU-hours gained", span, sooner, later, hours);
  if (hours <= -0.05)
    return fmt::format("within {}: {}, {} later or not; {:.1f} GPU-hours lost", span, sooner, later, -hours);
  return fmt::format("within {}: {}, {} later or not; no GPU-hours gained or lost", span, sooner, later);
}

std::size_t not_played(const Comparison& comparison, const std::vector<WorkloadId>& ids) {
  std::set<std::string_view> played;
  for (const Start& start : comparison.left.starts) played.insert(start.id.text);
  for (const WorkloadId& id : comparison.left.waiting) played.insert(id.text);
  return static_cast<std::size_t>(
      std::count_if(ids.begin(), ids.end(), [&](const WorkloadId& id) { return !played.contains(id.text); }));
}

bool helps_none(const Comparison& comparison, const std::vector<WorkloadId>& ids) {
  return comparison.changed.changed && not_played(comparison, ids) == 0 &&
         std::none_of(comparison.sooner.begin(), comparison.sooner.end(), [&](const Moved& moved) {
           return std::find(ids.begin(), ids.end(), moved.id) != ids.end();
         });
}

}  // namespace tessera::whatif
