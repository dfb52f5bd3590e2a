// A site's files together, in the order in which Slurm reads their lines, and the nodes that they define.
//
// The files come as SlurmSetup::files: slurm.conf first; gres.conf, cgroup.conf and others are known by their
// names; what an Include names is looked for beside slurm.conf (INCLUDE MODIFIERS in slurm.conf(5): %c is the
// cluster's name in lower case). Threads: plain values, pure functions.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/slurmconf/document.hpp"

namespace tessera::slurmconf {

using Files = std::vector<File>;

struct Place {
  std::size_t document = 0, line = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

// An Include that could not be followed.
struct Lost {
  Place at;
  std::string why;
};

struct Config {
  std::vector<Document> documents;  // in the order of the files
  // Lines with content, Includes replaced by what they name.
  std::vector<Place> slurm, gres, cgroup;
  std::vector<Lost> lost;

  const Line& line(Place at) const { return documents[at.document].lines[at.line]; }
  std::string where(Place at) const;  // "/etc/slurm/slurm.conf:12"
  // The last value of a setting; nullptr: not set.
  const Pair* setting(const std::vector<Place>& lines, std::string_view key) const;
};

// Includes deeper than this are not followed.
constexpr int kMostIncludes = 16;

Config read(const Files& files);

// The place of gres.conf among the files, by name; nullopt: it is not there.
std::optional<std::size_t> file_named(const Files& files, std::string_view name);

// A NodeName line.
struct NodeLine {
  Place at;
  std::vector<std::string> names;  // none: its list cannot be read (`problem` says why)
  const Pair* own = nullptr;       // its Gres=; nullptr: none
  std::string gres;                // what counts: its own, else that of the DEFAULT lines before it
  std::string inherited;           // that of the DEFAULT lines
  bool may_hide = false;           // State=FUTURE or CLOUD: slurmctld need not show it
  std::string problem;
};

// NodeName lines but DEFAULT, in order. Pointers are into `config`. All of them together name 100,000 nodes
// at most (kMostHosts; Slurm itself takes 65,533): a line with more has a problem.
std::vector<NodeLine> node_lines(const Config& config);

// A line of gres.conf about a resource, or about AutoDetect alone.
struct GresLine {
  Place at;
  bool named = false;              // it has NodeName=
  std::vector<std::string> nodes;  // of NodeName=; unnamed: every node that reads the file
  std::string name;                // Name=, in lower case; empty: AutoDetect alone
  std::string content;  // "name=gpu type=h100 file=/dev/nvidia0": all but NodeName, keys in lower case
  std::string problem;  // its list cannot be read
};
std::vector<GresLine> gres_lines(const Config& config);

// What gres.conf says of each node, line by line; under an empty name what it says of all that read it.
std::map<std::string, std::vector<std::string>> devices_of_nodes(const Files& files);

// gpu, mps, shard, or AutoDetect alone: what tessera writes. Other resources are left alone.
bool is_ours(const GresLine& line);

// What the files as they are give each node: the text of its Gres=, empty where there is none.
std::map<std::string, std::string> effective(const Files& files);

}  // namespace tessera::slurmconf
