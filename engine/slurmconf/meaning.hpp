// What slurm.conf means once Includes, DEFAULT lines, lists of hosts and NodeSets are resolved: two texts
// that mean the same have the same effect on a controller that reads them.
//
// Keys are in lower case and under one name where Slurm has several (Feature and Features); values are as
// written. Threads: plain values, pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/slurmconf/config.hpp"

namespace tessera::slurmconf {

using Keys = std::map<std::string, std::string>;

struct Meaning {
  // Settings in the order of reading: of one that may be given several times all count.
  std::vector<std::pair<std::string, std::string>> settings;
  Keys written;             // settings and keys of records as the files write them, for people
  std::vector<Keys> lines;  // NodeName lines, with what they have from DEFAULT lines
  struct Member {
    std::size_t line = 0, index = 0, of = 1;  // the index-th of so many nodes on that line
  };
  std::map<std::string, Member> nodes;
  std::map<std::string, Keys> partitions;  // with what they have from DEFAULT lines
  std::map<std::string, Keys> node_sets;
  std::vector<std::string> others;  // records of other kinds, keys and values one after the other

  // A node's value: where the line has a list with one entry for each of its nodes, its own entry.
  std::string of(const Member& node, const std::string& key) const;
  // The nodes of a partition; NodeSets and ALL resolved.
  std::set<std::string> nodes_of(const Keys& partition) const;
};

// Errors: a line or an Include that cannot be read, a node defined twice; what it means cannot be told then.
Result<Meaning> meaning_of(const Files& files);

// All that slurmctld reads as slurm.conf: the text with the Includes' texts behind their lines, and the value
// by which Slurm itself tells two such texts apart (HASH_VAL in `scontrol show config`; 22.05 to 24.11).
std::string text_as_read(const Files& files);
std::uint32_t hash_of(std::string_view text_as_read);

}  // namespace tessera::slurmconf
