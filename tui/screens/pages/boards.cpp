#include "tui/screens/pages/boards.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/insight/on_demand.hpp"
#include "engine/insight/sharing_words.hpp"
#include "engine/mig/geometry.hpp"
#include "engine/mig/product_of.hpp"
#include "engine/query/cells.hpp"
#include "engine/query/tables.hpp"

namespace tessera::tui {
namespace {

std::string since_text(const UiContext& ui, const Cluster& cluster, const Workload& workload) {
  if (!workload.started) return {};
  auto passed = cluster_now(cluster, ui.wall) - *workload.started;
  return query::duration_text(std::chrono::duration_cast<std::chrono::seconds>(passed).count());
}

std::string use_text(const Slice& slice) {
  return slice.use ? fmt::format("{:.0f}%", slice.use->value) : std::string();
}

constexpr const char* kNoName = "holder ?";  // held, and no source names by whom

// What is not known to be held: whether it can be had, in shape and word.
void show_rest(Tile& tile, const query::SliceRow& row) {
  const insight::Sight sight = insight::sight_of(*row.cluster, *row.node);
  switch (insight::remainder(sight, *row.slice)) {
    case insight::Availability::free:
      tile.kind = TileKind::free;
      tile.lines = {"free"};
      return;
    case insight::Availability::closed:
      tile.kind = TileKind::closed;
      tile.lines = {"closed"};
      // The node is not: the MPS of another of its GPUs is in use.
      if (sight.access == insight::Access::open && sight.mps_in_use && row.slice->kind == SliceKind::mps)
        tile.lines.push_back("MPS: one GPU at a time");
      return;
    case insight::Availability::held:
    case insight::Availability::unknown: break;
  }
  tile.kind = TileKind::unknown;
  const bool was_free = row.slice->holding == Holding::free && row.slice->usable == true;
  tile.lines = {was_free ? "was free" : "unknown"};
}

Tile tile_of(const UiContext& ui, const query::SliceRow& row) {
  const Slice& slice = *row.slice;
  Tile tile;
  tile.id = query::row_id(row);
  tile.label = insight::slice_label(slice);
  if (slice.holding != Holding::free) tile.use = use_text(slice);
  if (slice.holding == Holding::held) {
    tile.kind = TileKind::held;
    HolderText holder = holder_text(ui, *row.cluster, slice);
    tile.lines = {holder.who, holder.what, holder.since};
    if (tile.lines.front().empty()) tile.lines.front() = kNoName;
    return tile;
  }
  show_rest(tile, row);
  if (slice.holders.empty()) return tile;
  tile.lines = {query::holder_users(*row.cluster, slice), "or free"};
  return tile;
}

Tile gap(TileKind kind, int from, int to) {
  Tile tile;
  tile.kind = kind;
  tile.from = from;
  tile.to = to;
  tile.label = kind == TileKind::stranded ? "stranded" : kind == TileKind::room ? "not cut" : "unknown";
  return tile;
}

void lay_side_by_side(Board& board) {
  double at = 0;
  for (Tile& tile : board.tiles) {
    tile.from = at;
    tile.to = ++at;
  }
  board.units = std::max(1.0, at);
}

void fill_mig(Board& board, const UiContext& ui, const query::GpuRow& row) {
  const Gpu& gpu = *row.gpu;
  board.strategy = "MIG";
  const mig::Product* product = mig::product_of(gpu, ui.catalogue);
  bool placed = true;
  for (const Slice& slice : gpu.slices) {
    board.tiles.push_back(tile_of(ui, {row.cluster, row.node, &gpu, &slice}));
    placed = placed && slice.placement.has_value();
    if (!slice.placement) continue;
    board.tiles.back().from = slice.placement->start;
    board.tiles.back().to = slice.placement->start + slice.placement->size;
  }
  if (!placed || !product || product->units <= 0) {
    if (gpu.slices.empty()) board.tiles.push_back(gap(product ? TileKind::room : TileKind::unknown, 0, 1));
    lay_side_by_side(board);
    if (!placed) board.note = "starts of the slices are not reported", board.note_role = Role::unknown;
    return;
  }
  board.units = product->units;
  board.ruled = true;
  std::optional<mig::Layout> layout = mig::observed_layout(*product, gpu);
  if (!layout) {
    board.note = "slices differ from the catalogue's " + product->key.text;
    board.note_role = Role::warning;
    add_gaps(board, {}, false);
    return;
  }
  mig::Room room = mig::room(*product, *layout);
  add_gaps(board, room.stranded, true);
  if (room.largest)
    board.note = "fits " + product->profiles[static_cast<std::size_t>(*room.largest)].name.text;
  else if (room.free_memory_slices > 0)
    board.note = "no room for another slice", board.note_role = Role::stranded;
}

// A GPU that is shared in shares of one size: a tile for each holder, as wide as what it holds.
void fill_shared(Board& board, const UiContext& ui, const query::SliceRow& row) {
  const Slice& slice = *row.slice;
  std::string id = query::row_id(row);
  board.units = std::max(1, slice.capacity);
  double at = 0;
  if (slice.holding == Holding::unknown) {
    board.tiles.push_back(tile_of(ui, row));
    board.tiles.back().from = 0;
    board.tiles.back().to = board.units;
    return;
  }
  int told = 0, silent = 0;
  for (const Holder& holder : slice.holders) holder.share > 0 ? told += holder.share : ++silent;
  double rest = std::max(0.0, board.units - told);
  for (const Holder& holder : slice.holders) {
    Tile tile;
    tile.kind = TileKind::held;
    tile.id = id + kShareMark + holder.workload.text;
    tile.label = holder.share > 0 ? std::to_string(holder.share) : "?";
    HolderText text = workload_text(ui, *row.cluster, holder.workload);
    tile.lines = {text.who, text.what, text.since};
    tile.from = at;
    // A holder whose share is not reported takes an even part of what is left to tell.
    at += holder.share > 0 ? holder.share : rest / (silent + 1);
    tile.to = at = std::min(at, board.units);
    board.tiles.push_back(std::move(tile));
  }
  if (at < board.units) {
    Tile tile;
    tile.id = id;
    tile.label = silent > 0 ? "?" : fmt::format("{:.0f}", board.units - at);
    tile.from = at;
    tile.to = board.units;
    if (slice.holding == Holding::held && slice.holders.empty()) {
      tile.kind = TileKind::held;
      tile.lines = {kNoName};
    } else {
      show_rest(tile, row);
      if (silent > 0) tile.lines = {"free or held"};
    }
    board.tiles.push_back(std::move(tile));
  }
}

std::string sharing_title(const query::GpuRow& row) {
  const Gpu& gpu = *row.gpu;
  int capacity = 0, held = 0;
  bool known = true;
  for (const Slice& slice : gpu.slices) {
    const std::optional<int> rest = insight::unheld(slice, insight::work_is_current(*row.cluster));
    capacity += slice.capacity;
    held += slice.capacity - rest.value_or(0);
    known = known && rest;
  }
  std::string text(insight::sharing_word(*row.node, gpu.strategy));
  if (gpu.strategy == Strategy::mps) text = "MPS";
  if (gpu.strategy == Strategy::vgpu) text = "vGPU";
  if (gpu.strategy == Strategy::unknown && !gpu.partition_mode.empty())
    text = gpu.partition_mode;
  else if (gpu.strategy == Strategy::whole || gpu.strategy == Strategy::unknown)
    return text;
  if (capacity <= 1) return text;
  return fmt::format("{} {}/{}", text, known ? std::to_string(held) : "?", capacity);
}

void fill_readings(Board& board, const UiContext& ui, const query::GpuRow& row) {
  const Telemetry& telemetry = row.gpu->telemetry;
  if (telemetry.use) board.use = static_cast<double>(telemetry.use->value);
  if (telemetry.memory_used && row.gpu->memory)
    board.readings.push_back(fmt::format("{:.0f}/{:.0f} GiB",
                                         static_cast<double>(telemetry.memory_used->value) / 1024,
                                         static_cast<double>(row.gpu->memory->value) / 1024));
  if (telemetry.temperature) board.readings.push_back(fmt::format("{:.0f} °C", telemetry.temperature->value));
  if (telemetry.power) board.readings.push_back(fmt::format("{:.0f} W", telemetry.power->value));
  auto age = cluster_now(*row.cluster, ui.wall) - telemetry.origin.at;
  board.readings_old = telemetry.origin.source != Source::none && age > kFiguresFresh;
}

Board board_of(const UiContext& ui, const query::GpuRow& row) {
  const Gpu& gpu = *row.gpu;
  Board board;
  board.id = query::row_id(row);
  board.title = fmt::format("GPU {}", gpu.index.value);
  fill_readings(board, ui, row);
  if (gpu.strategy == Strategy::mig) {
    fill_mig(board, ui, row);
  } else {
    board.strategy = sharing_title(row);
    if (gpu.slices.size() == 1 && gpu.slices.front().capacity > 1) {
      fill_shared(board, ui, {row.cluster, row.node, &gpu, &gpu.slices.front()});
    } else {
      for (const Slice& slice : gpu.slices)
        board.tiles.push_back(tile_of(ui, {row.cluster, row.node, &gpu, &slice}));
      if (gpu.slices.empty()) board.tiles.push_back(gap(TileKind::unknown, 0, 1));
      lay_side_by_side(board);
    }
  }
  if (std::string could = insight::could_be_text(*row.node, gpu, ui.catalogue); !could.empty())
    board.note = std::move(could);
  if (gpu.mig_mode == MigMode::enable_pending || gpu.mig_mode == MigMode::disable_pending) {
    board.note = "MIG mode changes at the next reset";
    board.note_role = Role::changing;
  }
  return board;
}

// Slices whose GPU the scheduler does not tell, one GPU of tiles for each profile.
void add_pools(std::vector<Board>& boards, const UiContext& ui, const Cluster& cluster, const Node& node) {
  std::vector<std::string> order;
  std::map<std::string, Board> pools;
  for (const Slice& slice : node.pool) {
    std::string label = insight::slice_label(slice);
    auto [place, fresh] = pools.try_emplace(label);
    if (fresh) order.push_back(label);
    place->second.tiles.push_back(tile_of(ui, {&cluster, &node, nullptr, &slice}));
    if (slice.device) place->second.tiles.back().label = fmt::format("#{}", *slice.device);
  }
  for (const std::string& label : order) {
    Board& board = pools[label];
    auto is = [](TileKind kind) { return [kind](const Tile& tile) { return tile.kind == kind; }; };
    auto held = std::count_if(board.tiles.begin(), board.tiles.end(), is(TileKind::held));
    auto free = std::count_if(board.tiles.begin(), board.tiles.end(), is(TileKind::free));
    auto closed = std::count_if(board.tiles.begin(), board.tiles.end(), is(TileKind::closed));
    board.id = query::row_id(query::NodeRow{&cluster, &node}) + "\x1fpool\x1f" + label;
    board.title = label;
    if (free > 0 && closed > 0)
      board.strategy =
          fmt::format("{} slices, {} held, {} free, {} closed", board.tiles.size(), held, free, closed);
    else
      board.strategy = fmt::format("{} slices, {} held, {} {}", board.tiles.size(), held,
                                   closed > 0 ? closed : free, closed > 0 ? "closed" : "free");
    board.note = "which GPU is not reported";
    board.note_role = Role::dim;
    board.pool = true;
    boards.push_back(std::move(board));
  }
}

}  // namespace

void add_gaps(Board& board, const std::vector<Placement>& stranded, bool known) {
  std::vector<bool> taken(static_cast<std::size_t>(board.units), false), dead = taken;
  auto paint = [](std::vector<bool>& cells, int from, int to) {
    for (int i = std::max(0, from); i < to && i < static_cast<int>(cells.size()); ++i)
      cells[static_cast<std::size_t>(i)] = true;
  };
  for (const Tile& tile : board.tiles) paint(taken, static_cast<int>(tile.from), static_cast<int>(tile.to));
  for (const Placement& part : stranded) paint(dead, part.start, part.start + part.size);
  std::vector<Tile> gaps;
  for (int i = 0; i < static_cast<int>(taken.size());) {
    std::size_t at = static_cast<std::size_t>(i);
    int end = i + 1;
    auto same = [&](int j) {
      std::size_t next = static_cast<std::size_t>(j);
      return taken[next] == taken[at] && dead[next] == dead[at];
    };
    while (end < static_cast<int>(taken.size()) && same(end)) ++end;
    TileKind kind = !known ? TileKind::unknown : dead[at] ? TileKind::stranded : TileKind::room;
    if (!taken[at]) gaps.push_back(gap(kind, i, end));
    i = end;
  }
  board.tiles.insert(board.tiles.end(), gaps.begin(), gaps.end());
  std::sort(board.tiles.begin(), board.tiles.end(),
            [](const Tile& a, const Tile& b) { return a.from < b.from; });
}

HolderText workload_text(const UiContext& ui, const Cluster& cluster, const WorkloadId& id) {
  const Workload* workload = cluster.workloads.find(id);
  if (!workload) return {id.text, "not in the list", ""};
  HolderText text{workload->user, workload->name, since_text(ui, cluster, *workload)};
  if (text.who.empty()) text.who = id.text;
  if (text.what.empty()) text.what = id.text;
  return text;
}

HolderText holder_text(const UiContext& ui, const Cluster& cluster, const Slice& slice) {
  if (slice.holders.empty()) return {};
  HolderText text = workload_text(ui, cluster, slice.holders.front().workload);
  if (slice.holders.size() == 1) return text;
  std::set<std::string> users;
  for (const Holder& holder : slice.holders) {
    const Workload* workload = cluster.workloads.find(holder.workload);
    users.insert(workload && !workload->user.empty() ? workload->user : holder.workload.text);
  }
  if (slice.exact) {
    text.who = fmt::format("{} +{}", text.who, slice.holders.size() - 1);
  } else {
    text.who = users.size() == 1 ? *users.begin() : "one of";
    text.what.clear();
    for (const std::string& user : users) text.what += (text.what.empty() ? "" : ", ") + user;
    text.since.clear();
  }
  return text;
}

std::vector<Board> boards_of(const UiContext& ui, const Cluster& cluster, const Node& node) {
  std::vector<Board> boards;
  for (const Gpu& gpu : node.gpus) boards.push_back(board_of(ui, {&cluster, &node, &gpu}));
  add_pools(boards, ui, cluster, node);
  return boards;
}

std::vector<std::vector<std::string>> stops_of(const std::vector<Board>& boards) {
  std::vector<std::vector<std::string>> stops;
  for (const Board& board : boards) {
    stops.emplace_back();
    for (const Tile& tile : board.tiles)
      if (!tile.id.empty()) stops.back().push_back(tile.id);
    if (stops.back().empty()) stops.back().push_back(board.id);
  }
  return stops;
}

std::vector<std::string> parts_of_id(std::string_view id) {
  std::vector<std::string> parts(1);
  for (char c : id.substr(0, id.find(kShareMark))) {
    if (c == '\x1f')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

}  // namespace tessera::tui
