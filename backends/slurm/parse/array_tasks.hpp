// The tasks of job arrays that wait, of which Slurm lists all as one record: how many of them could start
// together. Threads: values; pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/model/values.hpp"

namespace tessera::slurm {

inline constexpr int kMostTasks = 4'000'001;  // slurm.conf's MaxArraySize ends there

// "1-4,7,9-20:2%3" (ArrayTaskId of scontrol).
struct TaskSet {
  int count = 1;
  int at_once = 0;  // so many of the array may be under way; 0: as many as there are
};
// What cannot be read, and a single number, are one task; of a list that scontrol cut short ("1,3,...") those
// that it names.
TaskSet read_tasks(std::string_view text);

// Sets Workload::tasks of the jobs that are added, once all are known.
class WaitingArrays {
 public:
  void add(const Workload& job, std::size_t place, std::string_view array, std::string_view task);
  void apply(std::vector<Workload>& jobs) const;

 private:
  struct Waiting {
    std::size_t place = 0;
    std::string array;
    TaskSet tasks;
  };
  std::vector<Waiting> waiting_;
  std::unordered_map<std::string, int> under_way_;  // by array
};

}  // namespace tessera::slurm
