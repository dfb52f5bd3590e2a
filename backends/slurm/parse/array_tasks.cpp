#include "backends/slurm/parse/array_tasks.hpp"

#include <algorithm>

#include "engine/model/array_tasks.hpp"
#include "engine/number.hpp"

namespace tessera::slurm {

TaskSet read_tasks(std::string_view text) {
  TaskSet set;
  const std::size_t percent = std::min(text.find('%'), text.size());
  if (percent < text.size()) set.at_once = whole_number(text.substr(percent + 1), kMostTasks).value_or(0);
  text = text.substr(0, percent);
  int count = 0;
  while (!text.empty() && count < kMostTasks) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (const auto range = task_range(text.substr(0, comma)))
      count = std::min(count + range->count(), kMostTasks);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  set.count = std::max(count, 1);
  return set;
}

void WaitingArrays::add(const Workload& job, std::size_t place, std::string_view array,
                        std::string_view task) {
  if (job.state == WorkloadState::pending) {
    if (const TaskSet tasks = read_tasks(task); tasks.count > 1)
      waiting_.push_back({place, std::string(array), tasks});
  } else {
    ++under_way_[std::string(array)];
  }
}

void WaitingArrays::apply(std::vector<Workload>& jobs) const {
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
