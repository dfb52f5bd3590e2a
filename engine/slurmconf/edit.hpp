// Pure edits of a site's files: each takes all of them and gives all of them back, changed where it must be.
//
// Whatever an edit is not about stays byte for byte. An edit that finds its wish fulfilled changes nothing.
// Show an edit with unified_diff(before, after) (diff.hpp). Errors name file and line, and the way out.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/slurmconf/config.hpp"

namespace tessera::slurmconf {

// Everything that the files are to say about one node's GPUs (made by generate.hpp, or by hand).
struct Wanted {
  std::string node;
  std::string gres;                       // of slurm.conf: "gpu:1g.10gb:7,gpu:3g.40gb:2"; empty: no GRES
  std::vector<std::string> types;         // that GresTypes must hold: {"gpu", "mps"}
  std::vector<std::string> lines;         // of gres.conf, with or without NodeName=, in order
  std::vector<std::string> devices = {};  // that the file of allowed devices must list, where there is one
};

// All edits that bring the files to `wanted`: set_gres, add_gres_types, set_gres_lines, allow_devices.
Result<Files> set_node(const Files& files, const Wanted& wanted);

// Sets the node's Gres= in slurm.conf. A node that shares its line with others gets its own right behind it:
// the same text, with only its own name, host name, address and port, and the new Gres=. DEFAULT lines go on
// counting for both. Nodes are never folded back.
// Errors: the node has no line (a dynamic node), has two, or shares one whose lists do not match.
Result<Files> set_gres(const Files& files, std::string_view node, std::string_view gres);

// Adds what is missing to GresTypes; takes nothing away.
Result<Files> add_gres_types(const Files& files, const std::vector<std::string>& types);

// Makes these the node's lines about gpu, mps and shard in gres.conf; other resources stay. A node that
// shares lines with others is taken out of them. Where AutoDetect is on for all nodes and the lines say
// nothing about it, the first gets AutoDetect=off (gres.conf(5): what is written is otherwise held against
// what is detected, which does not work for MIG). Makes gres.conf where there is none. Errors: lines about
// GPUs without NodeName=, since they count for every node.
Result<Files> set_gres_lines(const Files& files, std::string_view node,
                             const std::vector<std::string>& lines);

// The node's own lines about gpu, mps and shard as set_gres_lines would take them back, without NodeName.
std::vector<std::string> gres_lines_of(const Files& files, std::string_view node);

}  // namespace tessera::slurmconf
