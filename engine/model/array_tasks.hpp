// The tasks of a Slurm job array that wait. Slurm lists them as one line, "19_[5-9%2]", which has another
// name with each task that starts. Threads: pure functions of values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/model.hpp"

namespace tessera {

// "7", "5-9" or "0-8:2": a part of a list of tasks.
struct TaskRange {
  int first = 0, last = 0, step = 1;
  int count() const { return last < first ? 0 : (last - first) / step + 1; }
};
std::optional<TaskRange> task_range(std::string_view text);  // nullopt: none of these

// What Slurm calls the job of an id by: "19_[3-6%2]" → "19", "30+1" → "30". Looks into the text.
std::string_view job_number(std::string_view id);
// What scontrol and squeue take for it: no list of tasks, so all of an array that wait go by its number,
// "19". "19_4" and "30+1" stay as they are. Looks into the text.
std::string_view job_argument(std::string_view id);

struct ArrayTasks {
  std::string array;       // "19"
  std::vector<int> tasks;  // ascending
};
// "19_[5-7,9]"
WorkloadId id_of(const ArrayTasks& tasks);
// nullopt: the id is of no such line, or of one that Slurm has cut short ("19_[1,3,5,...]").
std::optional<ArrayTasks> array_tasks(std::string_view id);

// What one list of jobs tells of the tasks of arrays.
class ListedArrays {
 public:
  // Of a job that has ended, its state_word tells how.
  void add(const Workload& listed);
  // Of a line that is no longer listed: those of its tasks that nothing listed stands for, by how they ended;
  // how: Slurm's word, empty where it tells none.
  std::map<std::string, ArrayTasks> left_of(const ArrayTasks& before) const;

 private:
  struct Lines {
    std::vector<int> single;                                     // "19_4", however it fares
    std::vector<std::vector<int>> waiting;                       // "19_[5-9]"
    std::vector<std::pair<std::string, std::vector<int>>> left;  // the same, ended; and how
  };
  std::map<std::string, Lines, std::less<>> arrays_;
};

}  // namespace tessera
