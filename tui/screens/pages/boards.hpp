// A node's GPUs as GPUs of tiles: what is held, free, stranded or not reported, and by whom.
// Threads: pure functions; nothing returned points into the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tui/update.hpp"
#include "tui/widgets/tiles.hpp"

namespace tessera::tui {

struct Board {
  std::string id;        // row id of the GPU; the pool: row id of the node
  std::string title;     // "GPU 0", "1g.10gb"
  std::string strategy;  // "MIG", "whole", "shard 3 of 8 held"
  std::string note;      // "largest that fits 2g.20gb", "MIG mode change is pending"
  Role note_role = Role::free;
  std::optional<double> use;
  std::vector<std::string> readings;  // "61 of 80 GiB", "64 °C", "412 W"
  bool readings_old = false;
  std::string trend;  // how its use went in the last ten minutes; empty: not known
  std::vector<Tile> tiles;
  double units = 1;
  bool ruled = false;  // units are memory slices: a ruler above means something
  bool pool = false;   // tiles of slices whose GPU is not reported: side by side, wrapped
};

std::vector<Board> boards_of(const UiContext& ui, const Cluster& cluster, const Node& node);

// Adds what lies between the instances of a GPU ruled by memory slices, split into room and stranded
// units; `known` false: into what is not reported.
void add_gaps(Board& board, const std::vector<Placement>& stranded, bool known);

// What the cursor can rest on, GPU by GPU; a GPU without tiles to select offers itself.
std::vector<std::vector<std::string>> stops_of(const std::vector<Board>& boards);

// "alice", "alice +1", "one of alice, bob" and what they run.
struct HolderText {
  std::string who;
  std::string what;
  std::string since;
};
HolderText holder_text(const UiContext& ui, const Cluster& cluster, const Slice& slice);
HolderText workload_text(const UiContext& ui, const Cluster& cluster, const WorkloadId& id);

// Tiles that share one slice carry the workload's id behind this, so that each can be opened.
inline constexpr char kShareMark = '\x1e';
// "cluster\x1fnode\x1fgpu\x1fplace": the parts of a row's id; of a share those of its slice.
std::vector<std::string> parts_of_id(std::string_view id);

}  // namespace tessera::tui
