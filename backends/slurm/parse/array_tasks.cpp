#include "backends/slurm/parse/array_tasks.hpp"

#include <algorithm>
#include <optional>

#include "engine/number.hpp"

namespace tessera::slurm {
namespace {

std::optional<int> number_of(std::string_view text) { return whole_number(text, kMostTasks); }

// "7", "1-4", "9-20:2"; 0: none of these.
int tasks_in(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return number_of(text) ? 1 : 0;
  const std::size_t colon = std::min(text.find(':', dash), text.size());
  const auto first = number_of(text.substr(0, dash));
  const auto last = number_of(text.substr(dash + 1, colon - dash - 1));
  const auto step = colon == text.size() ? std::optional(1) : number_of(text.substr(colon + 1));
  if (!first || !last || !step || *step < 1 || *last < *first) return 0;
  return (*last - *first) / *step + 1;
}

}  // namespace

TaskSet read_tasks(std::string_view text) {
  TaskSet set;
  const std::size_t percent = std::min(text.find('%'), text.size());
  if (percent < text.size()) set.at_once = number_of(text.substr(percent + 1)).value_or(0);
  text = text.substr(0, percent);
  int count = 0;
  while (!text.empty() && count < kMostTasks) {
    const std::size_t comma = std::min(text.find(','), text.size());
    count = std::min(count + tasks_in(text.substr(0, comma)), kMostTasks);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  set.count = std::max(count, 1);
  return set;
}

void ArrayTasks::add(const Workload& job, std::size_t place, std::string_view array, std::string_view task) {
  if (job.state == WorkloadState::pending) {
    if (const TaskSet tasks = read_tasks(task); tasks.count > 1)
      waiting_.push_back({place, std::string(array), tasks});
  } else {
    ++under_way_[std::string(array)];
  }
}

void ArrayTasks::apply(std::vector<Workload>& jobs) const {
  for (const Waiting& one : waiting_) {
    int tasks = one.tasks.count;
    if (one.tasks.at_once > 0) {
      const auto under_way = under_way_.find(one.array);
      const int left = one.tasks.at_once - (under_way == under_way_.end() ? 0 : under_way->second);
      tasks = std::clamp(left, 1, tasks);
    }
    jobs[one.place].tasks = tasks;
  }
}

}  // namespace tessera::slurm
