// What work needs of a node beside GPUs (CPUs, memory, the node to itself), and what of that a node has free:
// the one rule for `why`, FITS, "will run" and what-if. What is not known stands in no one's way. Threads:
// values.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/model/model.hpp"

namespace tessera::why {

// Of each of its nodes. 0: it asks for none of it, or that is not told.
struct MachineNeed {
  std::int64_t cpus = 0;
  std::int64_t memory = 0;  // MiB
  bool alone = false;       // nothing else may run there

  // Whether whatever serves `other` serves this, too.
  bool is_within(const MachineNeed& other) const {
    return cpus <= other.cpus && memory <= other.memory && (!alone || other.alone);
  }
  friend auto operator<=>(const MachineNeed&, const MachineNeed&) = default;
};

// What was asked for beside GPUs and not served. Room only shrinks: who asks for as much is not served
// either.
class Unserved {
 public:
  bool covers(const MachineNeed& need) const {
    return std::any_of(all_.begin(), all_.end(), [&](const MachineNeed& one) { return one.is_within(need); });
  }
  void add(const MachineNeed& need) {
    std::erase_if(all_, [&](const MachineNeed& one) { return need.is_within(one); });
    all_.push_back(need);
  }

 private:
  std::vector<MachineNeed> all_;  // none within another
};

// Slurm may deal out unevenly what a job of several nodes asks for in all, and start one that names no number
// of nodes on more than one.
struct MachineNeeds {
  MachineNeed enough;        // with so much on each of its nodes it starts, however that is dealt out
  MachineNeed least;         // a node without so much is none of its nodes
  bool shares_cpus = false;  // with other jobs (Slurm's OverSubscribe): those that are held may serve it, too
};
MachineNeeds machine_needs(const Cluster& cluster, const Workload& workload);

enum class Lack : std::uint8_t { nothing, node_to_itself, cpus, memory };

class Machine {
 public:
  Machine() = default;  // of which nothing is known
  explicit Machine(const Node& node);

  // What is free; nullopt: not known.
  std::optional<std::int64_t> cpus() const { return cpus_.free(); }
  std::optional<std::int64_t> memory() const { return memory_.free(); }

  // The first that is short.
  Lack lacks(const MachineNeed& need) const;
  bool has(const MachineNeed& need) const { return lacks(need) == Lack::nothing; }
  // Whether it would have it with no work on it.
  bool is_large_enough(const MachineNeed& need) const {
    return need.cpus <= cpus_.all.value_or(need.cpus) && need.memory <= memory_.all.value_or(need.memory);
  }

  void take(const MachineNeed& need) { deal(need, 1); }
  void give_back(const MachineNeed& need) { deal(need, -1); }
  // One of those that were listed there before has ended. How much it held is not told: an even part of what
  // they hold together is taken for it, and all of it once the last has gone.
  void give_back_untold();
  bool is_taken() const { return users_ > 0; }

 private:
  struct Amount {
    std::optional<std::int64_t> all, held;
    std::int64_t taken = 0;  // by take()
    std::optional<std::int64_t> free() const {
      // Slurm hands out more than a node has where jobs share CPUs, or have those kept for the system.
      return all && held ? std::optional(std::max<std::int64_t>(0, *all - *held - taken)) : std::nullopt;
    }
    bool is_short_of(std::int64_t need) const {
      return need > 0 && all && held && *all - *held - taken < need;
    }
    // The rest is rounded up: who still runs holds something.
    void end_one_of(std::int64_t holders) {
      if (held) *held -= *held / holders;
    }
  };
  void deal(const MachineNeed& need, int sign);

  Amount cpus_, memory_;
  std::int64_t before_ = 0;    // who were listed there and have not ended
  int users_ = 0, alone_ = 0;  // of take(); those of them that want it to themselves
};

}  // namespace tessera::why
