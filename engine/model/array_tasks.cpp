#include "engine/model/array_tasks.hpp"

#include <algorithm>

#include "engine/number.hpp"

namespace tessera {
namespace {

constexpr std::size_t kMostTasks = 100'000;  // of one line
constexpr int kLargest = 10'000'000;

bool add_range(std::string_view text, std::vector<int>& tasks) {
  const std::optional<TaskRange> range = task_range(text);
  if (!range) return false;
  for (int task = range->first; task <= range->last; task += range->step) {
    if (tasks.size() >= kMostTasks) return false;
    tasks.push_back(task);
  }
  return true;
}

bool is_in(const std::vector<int>& sorted, int task) {
  return std::binary_search(sorted.begin(), sorted.end(), task);
}

}  // namespace

std::optional<TaskRange> task_range(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto step = colon == std::string_view::npos ? 1 : whole_number<int>(text.substr(colon + 1), kLargest);
  text = text.substr(0, colon);
  const std::size_t dash = text.find('-');
  const auto first = whole_number<int>(text.substr(0, dash), kLargest);
  const auto last =
      dash == std::string_view::npos ? first : whole_number<int>(text.substr(dash + 1), kLargest);
  if (!first || !last || !step || *step < 1) return std::nullopt;
  return TaskRange{*first, *last, *step};
}

std::string_view job_number(std::string_view id) {
  return id.substr(0, std::min(id.find_first_not_of("0123456789"), id.size()));
}

std::string_view job_argument(std::string_view id) {
  const std::string_view number = job_number(id);
  return !number.empty() && id.substr(number.size()).starts_with("_[") ? number : id;
}

WorkloadId id_of(const ArrayTasks& all) {
  std::string text = all.array + "_[";
  for (std::size_t i = 0; i < all.tasks.size();) {
    std::size_t end = i + 1;
    while (end < all.tasks.size() && all.tasks[end] == all.tasks[end - 1] + 1) ++end;
    text += (i == 0 ? "" : ",") + std::to_string(all.tasks[i]);
    if (end - i > 1) text += "-" + std::to_string(all.tasks[end - 1]);
    i = end;
  }
  return WorkloadId(text + "]");
}

std::optional<ArrayTasks> array_tasks(std::string_view id) {
  const std::size_t open = id.find("_[");
  if (open == std::string_view::npos || !id.ends_with(']')) return std::nullopt;
  ArrayTasks all{std::string(id.substr(0, open)), {}};
  std::string_view list = id.substr(open + 2, id.size() - open - 3);
  list = list.substr(0, list.find_first_of("%;"));  // how many run at once, and what else Slurm remarks
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    if (!add_range(list.substr(0, end), all.tasks)) return std::nullopt;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  if (all.tasks.empty()) return std::nullopt;
  std::sort(all.tasks.begin(), all.tasks.end());
  return all;
}

void ListedArrays::add(const Workload& listed) {
  const std::string_view id = listed.id.view();
  const std::size_t mark = id.find('_');
  if (mark == std::string_view::npos) return;
  Lines& lines = arrays_[std::string(id.substr(0, mark))];
  if (const auto task = whole_number<int>(id.substr(mark + 1), kLargest)) {
    lines.single.push_back(*task);
    return;
  }
  std::optional<ArrayTasks> several = array_tasks(id);
  if (!several) return;
  if (listed.state == WorkloadState::ended)
    lines.left.emplace_back(listed.state_word, std::move(several->tasks));
  else
    lines.waiting.push_back(std::move(several->tasks));
}

std::map<std::string, ArrayTasks> ListedArrays::left_of(const ArrayTasks& before) const {
  const auto found = arrays_.find(before.array);
  const Lines lines = found == arrays_.end() ? Lines() : found->second;
  std::vector<int> single = lines.single;
  std::sort(single.begin(), single.end());
  std::map<std::string, ArrayTasks> left;
  for (const int task : before.tasks) {
    const auto waits = [&](const std::vector<int>& tasks) { return is_in(tasks, task); };
    if (is_in(single, task) || std::any_of(lines.waiting.begin(), lines.waiting.end(), waits)) continue;
    const auto ended = std::find_if(lines.left.begin(), lines.left.end(),
                                    [&](const auto& line) { return is_in(line.second, task); });
    const std::string how = ended == lines.left.end() ? std::string() : ended->first;
    left.try_emplace(how, ArrayTasks{before.array, {}}).first->second.tasks.push_back(task);
  }
  return left;
}

}  // namespace tessera
