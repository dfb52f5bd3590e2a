// What a reconfigure or a new start of slurmctld would make true: files held against what it runs with.
//
// Left out is what nodes have of gpu, mps and shard: difference() (check.hpp) counts that by device. Against
// a running controller only what a file states is compared, in the forms that Slurm 22.05 to 24.11 gives the
// values; what it shows nowhere is found by hash_of() (meaning.hpp) alone. Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/slurmconf/meaning.hpp"

namespace tessera::slurmconf {

// As `scontrol show` tells it: keys in lower case.
struct Running {
  std::map<std::string, Keys> nodes, partitions;
  Keys settings;
};

struct Pending {
  enum class Of { setting, node, partition, other };
  Of of = Of::setting;
  std::string name;  // of the node or partition
  std::string key;   // as the files write it; empty: all of it comes or goes
  std::string now;   // empty: it has none, or is not there
  std::string then;
  friend bool operator==(const Pending&, const Pending&) = default;
};
// "partition shared goes", "node shard01 RealMemory 2000 -> 50", "SelectTypeParameters CR_CORE -> CR_CPU"
std::string to_text(const Pending& change);

// What changes for a controller that runs with `running` and reads a configuration of that meaning. Nodes of
// which `running` has no record are left out (see difference()), and so are dynamic ones.
std::vector<Pending> changes(const Running& running, const Meaning& files);
// What changes for one that has read the first text and reads the second.
std::vector<Pending> changes(const Meaning& read, const Meaning& files);

// Whether a value means what Slurm shows, whatever the way of writing: case, order, units, times, defaults in
// words.
bool same_value(const std::string& written, const std::string& shown);

}  // namespace tessera::slurmconf
