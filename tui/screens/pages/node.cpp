#include "tui/screens/pages/node.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "engine/insight/available.hpp"
#include "engine/model/both_sides.hpp"
#include "engine/model/counts_text.hpp"
#include "engine/model/health_words.hpp"
#include "engine/query/cells.hpp"
#include "engine/query/cells_time.hpp"
#include "engine/query/value.hpp"
#include "tui/screens/changed.hpp"
#include "tui/screens/empty.hpp"
#include "tui/screens/pages/gpu_notes.hpp"
#include "tui/screens/roles.hpp"

namespace tessera::tui {
namespace {

constexpr int kTilesMargin = 2;        // cells left of the tiles
constexpr int kPoolTile = 14;          // cells of one tile of a pool, walls included
constexpr int kWidestUnitOfNode = 25;  // cells of a memory slice beyond which width adds nothing

int pool_lines(const Board& board, const NodePage& page) {
  int tiles = static_cast<int>(board.tiles.size());
  return (tiles + page.pool_columns - 1) / page.pool_columns * (1 + page.text_lines);
}

int board_lines(const Board& board, const NodePage& page) {
  return 1 + (board.pool ? pool_lines(board, page) : 1 + page.text_lines);
}

void place(NodePage& page, int gap) {
  page.tops.clear();
  page.heights.clear();
  page.total = 0;
  for (const Board& board : page.boards) {
    page.tops.push_back(page.total);
    page.heights.push_back(board_lines(board, page));
    page.total += page.heights.back() + gap;
  }
  if (page.total > 0) page.total -= gap;
}

bool has_trouble(const Node& node) { return node.health != Health::ok && node.health != Health::unknown; }

// What the GPUs depend on there: a line of its own where the scheduler tells it.
bool has_stack(const Node& node) { return node.order || !node.components.empty(); }

void draw_stack(Canvas& canvas, int x, int y, int end, const Cluster& cluster, const Node& node,
                const UiContext& ui, bool ascii) {
  Pen pen(canvas, x, y, end, ascii);
  if (node.order) {
    const LayoutOrder& order = *node.order;
    Role role = order.state == "success"  ? Role::text
                : order.state == "failed" ? Role::danger
                : order.state.empty()     ? Role::dim
                                          : Role::changing;
    pen.put("layout " + order.config, Role::text).skip(1);
    pen.put(order.state.empty() ? "not begun" : order.state, role);
    if (order.since && order.state != "success") {
      auto passed =
          std::chrono::duration_cast<std::chrono::seconds>(cluster_now(cluster, ui.wall) - *order.since);
      pen.put(" " + query::duration_text(std::max<std::int64_t>(0, passed.count())), Role::dim);
    }
    pen.skip(3);
  }
  int ready = 0;
  for (const Component& part : node.components) ready += part.state == Part::ready;
  if (ready > 0) pen.put(fmt::format("{} {} ready", ready, ready == 1 ? "part" : "parts"), Role::dim).skip(3);
  for (const Component& part : node.components) {
    if (part.state == Part::ready || pen.left() <= 4) continue;
    Role role = part.state == Part::paused ? Role::changing : Role::warning;
    pen.put(fmt::format("{} {}", part.name, word(part.state)), role).skip(3);
  }
}

std::string state_text(const Node& node) {
  std::string text;
  for (const std::string& flag : node.state) text += (text.empty() ? "" : "+") + flag;
  return text.empty() ? "state ?" : text;
}

std::string models_text(const Node& node) {
  std::vector<std::pair<std::string, int>> models;
  for (const Gpu& gpu : node.gpus) {
    std::string name = gpu.model.empty() ? "GPU" : gpu.model;
    if (models.empty() || models.back().first != name) models.emplace_back(name, 0);
    ++models.back().second;
  }
  std::string text = counts_text(models);
  if (text.empty())
    text = node.pool.empty() ? "no GPUs reported" : fmt::format("{} slices", node.pool.size());
  return text;
}

struct HeadFact {
  std::string text;
  Style style;
};

// "slurmd 22.05.8": a number alone would name nothing.
std::string agent_text(const Cluster& cluster, const Node& node) {
  const char* program = cluster.scheduler == Scheduler::slurm ? "slurmd " : "kubelet ";
  return node.agent.empty() || node.agent.starts_with(program) ? node.agent : program + node.agent;
}

// What is said of the node as a whole, most important first.
std::vector<HeadFact> head_facts(const Cluster& cluster, const Node& node, bool ascii) {
  std::vector<HeadFact> facts;
  auto add = [&](std::string text, Style style) {
    if (!text.empty()) facts.push_back({std::move(text), style});
  };
  std::string models = models_text(node);
  if (ascii)
    for (std::size_t at; (at = models.find("×")) != std::string::npos;) models.replace(at, 2, "x");
  add(std::move(models), Style(Role::text).with_bold());
  add(state_text(node), role_of(node.health));
  for (const slinky::OtherWords& other : slinky::other_words(node))
    add(fmt::format("{} on {}: {}", other.node, other.cluster, query::join(other.state, "+")),
        other.part == Part::ready ? Role::text : Role::warning);
  if (!node.driver.empty()) add("driver " + node.driver, Role::dim);
  if (insight::is_reserved(node))
    add(node.reservation.empty() ? "reserved" : "reserved " + node.reservation, Role::warning);
  if (!cluster.work_known)
    add("workloads not known", Role::warning);
  else
    add(fmt::format("{} workload{}", node.workloads.size(), node.workloads.size() == 1 ? "" : "s"),
        Role::dim);
  // GPUs tell it themselves where it is known whose shares are where.
  const SliceCounts& counts = node.counts;
  if (counts.shares_held && !counts.known())
    add(fmt::format("{} of {} shares held", *counts.shares_held, counts.shares), Role::text);
  if (node.cpus) add(fmt::format("{} CPUs", *node.cpus), Role::dim);
  add(agent_text(cluster, node), Role::dim);
  return facts;
}

constexpr int kFactGap = 3;

// The line of each fact at that width, uncut. None stands alone below others where it can have company.
std::vector<int> head_lines(const std::vector<HeadFact>& facts, int width) {
  std::vector<int> lines;
  int used = 0;
  for (const HeadFact& fact : facts) {
    const int cells = display_width(fact.text);
    const bool breaks = used > 0 && used + cells > width;
    if (breaks) used = 0;
    lines.push_back((lines.empty() ? 0 : lines.back()) + (breaks ? 1 : 0));
    used += cells + kFactGap;
  }
  const std::size_t count = lines.size();
  if (count < 3 || lines[count - 1] == lines[count - 2] || lines[count - 2] != lines[count - 3]) return lines;
  const int both = display_width(facts[count - 2].text) + kFactGap + display_width(facts[count - 1].text);
  if (both <= width) lines[count - 2] = lines[count - 1];
  return lines;
}

void draw_head(Canvas& canvas, Rect area, int lines, const Cluster& cluster, const Node& node,
               const UiContext& ui, const UiState& state) {
  int line = 0, used = 0;
  const int width = area.width - 2;
  const std::vector<HeadFact> facts = head_facts(cluster, node, state.ascii);
  const std::vector<int> line_of = head_lines(facts, width);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (line_of[i] > line && line + 1 < lines) ++line, used = 0;
    if (width - used <= 4) break;
    Pen pen(canvas, area.x + 1 + used, area.y + line, area.right() - 1, state.ascii);
    pen.put(facts[i].text, facts[i].style);
    used += display_width(facts[i].text) + kFactGap;
  }
  area = area.below(lines - 1);
  if (has_stack(node))
    draw_stack(canvas, area.x + 1, area.y + (has_trouble(node) ? 2 : 1), area.right() - 1, cluster, node, ui,
               state.ascii);
  if (!has_trouble(node)) return;
  Pen below(canvas, area.x + 1, area.y + 1, area.right() - 1, state.ascii);
  Role role = role_of(node.health);
  below.put(role == Role::danger ? "!! " : "!  ", Style(role).with_bold());
  const auto& flags = node.state;
  const bool silent = std::find(flags.begin(), flags.end(), "NOT_RESPONDING") != flags.end();
  below.put(silent ? told(state, "slurmd does not answer")
                   : std::string(health_word(node.health, cluster.scheduler)),
            role);
  if (!node.reason.empty() || !silent)
    below.put(": " + (node.reason.empty() ? told(state, "no reason given") : node.reason), role);
  if (!node.reason_by.empty()) below.put(" [" + node.reason_by + "]", Role::dim);
  if (node.reason_at) {
    auto passed = cluster_now(cluster, ui.wall) - *node.reason_at;
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(passed).count();
    below.put(" " + told(state, query::duration_text(seconds) + " ago"), Role::dim);
  }
}

constexpr int kFigures = 78;  // cells of a GPU's name, its readings and its trend

// The note ends where the tiles below it do, unless it would take room from the figures.
void draw_board_head(Canvas& canvas, Rect area, const Board& board, int tiles_end, bool selected,
                     const UiState& state) {
  const bool ascii = state.ascii;
  if (selected) canvas.put(area.x, area.y, glyphs(ascii).pointer, Style(Role::accent).with_bold());
  Style title = selected ? Style(Role::accent).with_bold() : Style(Role::text).with_bold();
  int end = area.right() - 1;
  if (!board.note.empty() && area.width >= 60) {
    const int least = area.x + kFigures + display_width(board.note);
    const int note_end = std::clamp(tiles_end, std::min(end, least), end);
    end = put_right(canvas, note_end, area.y, board.note, board.note_role) - 2;
  }
  Pen pen(canvas, area.x + 1, area.y, end, ascii);
  pen.put(board.title, title).to(area.x + 8).skip(1).put(board.strategy, Role::text);
  pen.to(area.x + 16).skip(2);
  if (board.pool) return;
  Role figures = board.readings_old ? Role::stale : Role::dim;
  if (board.use) {
    pen.put(meter(*board.use, area.width >= 110 ? 8 : 4, ascii), Role::held);
    pen.put(fmt::format("{:>4.0f}%", *board.use), board.readings_old ? Role::stale : Role::text).skip(2);
  } else {
    pen.put(told(state, N_("use n/a")), Role::dim).skip(2);
  }
  for (const std::string& reading : board.readings) {
    std::string text =
        ascii && reading.ends_with("°C") ? reading.substr(0, reading.size() - 3) + "C" : reading;
    if (display_width(text) <= pen.left()) pen.put(text, figures).skip(2);
  }
  if (!board.trend.empty() && display_width(board.trend) <= pen.left()) pen.put(board.trend, Role::held);
}

void draw_pool(Canvas& canvas, Rect area, const Board& board, const NodePage& page,
               const std::string& selected, bool ascii) {
  int per_row = page.pool_columns, line = 0;
  for (std::size_t first = 0; first < board.tiles.size(); first += static_cast<std::size_t>(per_row)) {
    TileRow row;
    std::size_t last = std::min(board.tiles.size(), first + static_cast<std::size_t>(per_row));
    row.tiles.assign(board.tiles.begin() + static_cast<std::ptrdiff_t>(first),
                     board.tiles.begin() + static_cast<std::ptrdiff_t>(last));
    row.units = static_cast<double>(last - first);
    for (std::size_t i = 0; i < row.tiles.size(); ++i) {
      row.tiles[i].from = static_cast<double>(i);
      row.tiles[i].to = static_cast<double>(i + 1);
    }
    row.text_lines = page.text_lines;
    row.selected = selected;
    row.ascii = ascii;
    int width = static_cast<int>(row.tiles.size()) * (kPoolTile - 1) + 1;
    draw_tiles(canvas, area.x, area.y + line, width, row);
    line += 1 + page.text_lines;
  }
}

void draw_board(Canvas& canvas, Rect area, const Board& board, const NodePage& page, bool selected,
                const UiState& state) {
  const Screen& screen = state.top();
  const bool ascii = state.ascii;
  draw_board_head(canvas, area, board, area.x + kTilesMargin + page.tiles_width, selected, state);
  Rect tiles{area.x + kTilesMargin, area.y + 1, page.tiles_width, area.height - 1};
  if (board.pool) {
    draw_pool(canvas, tiles, board, page, selected ? screen.cursor : "", ascii);
    return;
  }
  TileRow row{board.tiles, board.units, page.text_lines, selected ? screen.cursor : "", ascii};
  int width = board.ruled ? tile_row_width(static_cast<int>(board.units), tiles.width) : tiles.width;
  draw_tiles(canvas, tiles.x, tiles.y, width, row);
}

bool holds(const Board& board, const std::string& id) {
  if (board.id == id) return true;
  return std::any_of(board.tiles.begin(), board.tiles.end(),
                     [&](const Tile& tile) { return !tile.id.empty() && tile.id == id; });
}

void draw_boards(Canvas& canvas, Rect area, const NodePage& page, const UiState& state) {
  const Screen& screen = state.top();
  if (page.boards.empty()) {
    canvas.put(area.x + 1, area.y + 1, told(state, N_("The scheduler reports no GPUs on this node.")),
               Role::dim);
    return;
  }
  bool found = std::any_of(page.boards.begin(), page.boards.end(),
                           [&](const Board& board) { return holds(board, screen.cursor); });
  int top = std::clamp(screen.top, 0, std::max(0, page.total - area.height));
  for (std::size_t i = 0; i < page.boards.size(); ++i) {
    int y = page.tops[i] - top;
    if (y + page.heights[i] <= 0 || y >= area.height) continue;
    bool selected = found ? holds(page.boards[i], screen.cursor) : i == 0;
    draw_board(canvas, {area.x, area.y + y, area.width, page.heights[i]}, page.boards[i], page, selected,
               state);
  }
}

// Bars for the last ten minutes, where anything was measured more than once.
std::string trend_text(const UiContext& ui, const query::GpuRow& row, bool ascii) {
  const query::Value bars = query::trend(row, {ui.wall, &ui.catalogue, ui.history});
  const auto* text = std::get_if<std::string>(&bars);
  if (!text) return {};
  return ascii ? query::trend_in_ascii(*text) : *text;
}

}  // namespace

NodePage node_page(const UiContext& ui, const Cluster& cluster, const Node& node, int width, int height) {
  NodePage page;
  page.boards = boards_of(ui, cluster, node);
  page.head_lines = 1;
  page.head = 1 + has_trouble(node) + has_stack(node);
  int units = 8;
  for (const Board& board : page.boards)
    if (board.ruled) units = static_cast<int>(board.units), page.ruler = true;
  page.tiles_width = tile_row_width(units, std::min(width - kTilesMargin - 1, units * kWidestUnitOfNode + 1));
  page.pool_columns = std::max(1, (width - kTilesMargin - 2) / (kPoolTile - 1));
  int room = height - page.head - (page.ruler ? 1 : 0);
  // The richest picture in which every GPU is in view; else the tightest, which scrolls.
  for (auto [lines, gap] : {std::pair{3, 1}, {2, 1}, {2, 0}, {1, 1}, {1, 0}, {0, 0}}) {
    page.text_lines = lines;
    place(page, gap);
    if (page.total <= room) break;
  }
  // Lines that the GPUs leave go to the head, where its text would be cut.
  const int wanted = std::min(3, head_lines(head_facts(cluster, node, false), width - 2).back() + 1);
  const int more = std::clamp(room - page.total, 0, wanted - 1);
  page.head_lines += more;
  page.head += more;
  return page;
}

std::pair<int, int> lines_of(const NodePage& page, const std::string& id) {
  for (std::size_t i = 0; i < page.boards.size(); ++i)
    if (holds(page.boards[i], id)) return {page.tops[i], page.tops[i] + page.heights[i]};
  if (page.boards.empty()) return {0, 0};
  return {page.tops.front(), page.tops.front() + page.heights.front()};
}

namespace {

// The tile at a column of a line of tiles that begins at `left`.
std::string tile_at(const std::vector<Tile>& tiles, double units, int width, int column) {
  const double unit = column * units / std::max(1, width - 1);
  for (const Tile& tile : tiles)
    if (!tile.id.empty() && unit >= tile.from && unit < tile.to) return tile.id;
  return {};
}

std::string tile_of_pool(const Board& board, const NodePage& page, int line, int column) {
  const int row = line / (1 + page.text_lines), place = column / (kPoolTile - 1);
  if (place >= page.pool_columns) return {};
  const auto index = static_cast<std::size_t>(row * page.pool_columns + place);
  return index < board.tiles.size() ? board.tiles[index].id : std::string();
}

}  // namespace

std::string stop_at_point(const NodePage& page, Rect body, int top, int x, int y) {
  const int head = page.head + (page.ruler ? 1 : 0);
  if (y < body.y + head) return {};
  const auto stops = stops_of(page.boards);
  top = std::clamp(top, 0, std::max(0, page.total - (body.height - head)));
  for (std::size_t i = 0; i < page.boards.size(); ++i) {
    const Board& board = page.boards[i];
    const int line = y - body.y - head - (page.tops[i] - top), column = x - body.x - kTilesMargin;
    if (line < 0 || line >= page.heights[i]) continue;
    if (line == 0 || column < 0) return stops[i].front();
    const int width =
        board.ruled ? tile_row_width(static_cast<int>(board.units), page.tiles_width) : page.tiles_width;
    return board.pool ? tile_of_pool(board, page, line - 1, column)
                      : tile_at(board.tiles, board.units, width, column);
  }
  return {};
}

void draw_node(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state) {
  const Screen& screen = state.top();
  const Cluster* cluster = ui.model.find(screen.cluster);
  const Node* node = cluster ? cluster->nodes.find(NodeName(screen.subject)) : nullptr;
  if (!node) {
    draw_gone(canvas, area, "node " + screen.subject, state);
    return;
  }
  NodePage page = node_page(ui, *cluster, *node, area.width, area.height);
  for (const Gpu& gpu : node->gpus)
    for (Board& board : page.boards)
      if (board.id == query::row_id(query::GpuRow{cluster, node, &gpu}))
        board.trend = trend_text(ui, {cluster, node, &gpu}, state.ascii);
  for (Board& board : page.boards) {
    board.note = told(state, board.note);
    for (Tile& tile : board.tiles) tile.changed = has_changed(state, ui, tile.id, 0);
  }
  int head = page.head + (page.ruler ? 1 : 0);
  draw_boards(canvas, area.below(head), page, state);
  if (!node->gpus.empty())
    draw_node_notes(canvas, area.below(head + page.total + 1), ui, state, {cluster, node, &noted_gpu(*node)});
  // A GPU at the upper edge reaches into the head's lines: those are drawn last, over it.
  canvas.fill(area.x, area.y, area.width, head, " ");
  draw_head(canvas, area, page.head_lines, *cluster, *node, ui, state);
  auto ruled = std::find_if(page.boards.begin(), page.boards.end(), [](const Board& b) { return b.ruled; });
  if (ruled == page.boards.end()) return;
  int units = static_cast<int>(ruled->units);
  draw_ruler(canvas, area.x + kTilesMargin, area.y + page.head, tile_row_width(units, page.tiles_width),
             units);
}

}  // namespace tessera::tui
