#include "tui/screens/pages/gpu.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "engine/query/tables.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/empty.hpp"
#include "tui/screens/node_names.hpp"
#include "tui/screens/pages/boards.hpp"
#include "tui/widgets/tiles.hpp"

namespace tessera::tui {
namespace {

constexpr std::string_view kBetween = " GPU ";
constexpr int kMargin = 2;       // cells left of the tiles
constexpr int kTileTexts = 3;    // lines below the bar: who, what, since
constexpr int kWidestUnit = 25;  // cells of a memory slice beyond which width adds nothing

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Board> board_on(const UiContext& ui, const GpuPlace& at) {
  const std::string id = query::row_id(query::GpuRow{at.cluster, at.node, at.gpu});
  for (Board& board : boards_of(ui, *at.cluster, *at.node))
    if (board.id == id) return std::move(board);
  return std::nullopt;
}

// The map keeps its lines; what is told below it scrolls.
struct Areas {
  Rect map, page;
};
Areas areas_of(const Board* board, Rect body) {
  const int lines = board && !board->tiles.empty() ? (board->ruled ? 1 : 0) + 1 + kTileTexts + 1 : 0;
  const int map = std::min(lines, body.height / 2);
  return {{body.x, body.y, body.width, map}, body.below(map)};
}

int map_width(const Board& board, int width) {
  const int units = static_cast<int>(board.units), most = width - kMargin - 1;
  return board.ruled ? tile_row_width(units, std::min(most, units * kWidestUnit + 1)) : most;
}

void draw_map(Canvas& canvas, Rect area, const Board& board, const std::string& cursor, bool ascii) {
  const int width = map_width(board, area.width);
  if (board.ruled) draw_ruler(canvas, area.x + kMargin, area.y, width, static_cast<int>(board.units));
  const int texts = std::clamp(area.height - (board.ruled ? 1 : 0) - 2, 0, kTileTexts);
  draw_tiles(canvas, area.x + kMargin, area.y + (board.ruled ? 1 : 0), width,
             TileRow{board.tiles, board.units, texts, cursor, ascii});
}

std::string draw_gpu_body(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state) {
  const Screen& screen = state.top();
  const GpuPlace at = gpu_on(screen, ui.model);
  if (!at.gpu) {
    draw_gone(canvas, body, screen.subject, state);
    return {};
  }
  const std::optional<Board> board = board_on(ui, at);
  const Areas areas = areas_of(board ? &*board : nullptr, body);
  const PageColumns page = page_columns(ui, state, body.width);
  const int total = page.lines();
  const int top = std::clamp(screen.top, 0, std::max(0, total - areas.page.height));
  draw_columns(canvas, areas.page, page, screen, state.ascii);
  if (areas.map.height > 0) {
    canvas.fill(areas.map.x, areas.map.y, areas.map.width, areas.map.height, " ");
    draw_map(canvas, areas.map, *board, screen.cursor, state.ascii);
  }
  return total > areas.page.height ? range_text("lines", top, areas.page.height, total) : std::string();
}

Rect page_area(const UiState& state, const UiContext& ui, Rect body) {
  const GpuPlace at = gpu_on(state.top(), ui.model);
  const std::optional<Board> board = at.gpu ? board_on(ui, at) : std::nullopt;
  return areas_of(board ? &*board : nullptr, body).page;
}

void move_gpu(UiState& state, const UiContext& ui, Rect body, Action action) {
  // Along the map from tile to tile, which are the first lines of the page.
  if (action == Action::cursor_left) action = Action::cursor_up;
  if (action == Action::cursor_right) action = Action::cursor_down;
  move_page(state, ui, page_area(state, ui, body), action);
}

// Which stop of the page a slice of the GPU is: slices come first, each with a stop for every holder.
// nullopt: it is none of them.
std::optional<int> stop_of_slice(const GpuPlace& at, const std::string& id) {
  int stop = 0;
  for (const Slice& slice : at.gpu->slices) {
    if (query::row_id(query::SliceRow{at.cluster, at.node, at.gpu, &slice}) == id) return stop;
    stop += std::max(1, static_cast<int>(slice.holders.size()));
  }
  return std::nullopt;
}

void settle_gpu(UiState& state, const UiContext& ui, Rect body) {
  Screen& screen = state.top();
  // Beside a list it rests on a slice with each picture: the page is not made twice for that.
  const GpuPlace at = gpu_on(screen, ui.model);
  if (const auto stop = at.gpu ? stop_of_slice(at, screen.cursor) : std::nullopt) {
    screen.cursor_at = *stop;
    return;
  }
  const LineStops stops = stops_in(gpu_document(ui, state, body.width));
  if (!stops.ids.empty()) rest_on(screen, stops, stop_at(stops, screen));
}

bool click_gpu(UiState& state, const UiContext& ui, Rect body, int x, int y) {
  const Rect page = page_area(state, ui, body);
  if (y >= page.y) return click_page(state, ui, page, x, y);
  const GpuPlace at = gpu_on(state.top(), ui.model);
  const std::optional<Board> board = at.gpu ? board_on(ui, at) : std::nullopt;
  if (!board) return false;
  const double unit = (x - body.x - kMargin) * board->units / std::max(1, map_width(*board, body.width) - 1);
  for (const Tile& tile : board->tiles)
    if (!tile.id.empty() && unit >= tile.from && unit < tile.to) {
      state.top().cursor = tile.id;
      return true;
    }
  return false;
}

}  // namespace

const Body kGpuBody{draw_gpu_body, move_gpu, settle_gpu, click_gpu};

std::string gpu_subject(const NodeName& node, GpuIndex gpu) {
  return fmt::format("{}{}{}", node.text, kBetween, gpu.value);
}

GpuPlace gpu_on(const Screen& screen, const Model& model) {
  GpuPlace at;
  const std::size_t between = screen.subject.rfind(kBetween);
  if (between == std::string::npos) return at;
  const std::optional<int> index = number(std::string_view(screen.subject).substr(between + kBetween.size()));
  at.cluster = model.find(screen.cluster);
  at.node = at.cluster ? at.cluster->nodes.find(NodeName(screen.subject.substr(0, between))) : nullptr;
  if (!at.node || !index) return at;
  for (const Gpu& gpu : at.node->gpus)
    if (gpu.index.value == *index) at.gpu = &gpu;
  return at;
}

std::optional<Error> open_named_gpu(UiState& state, const UiContext& ui, const std::string& text) {
  const std::size_t blank = text.rfind(' ');
  const std::optional<int> index =
      blank == std::string::npos ? std::nullopt : number(std::string_view(text).substr(blank + 1));
  if (!index) return Error{"gpu takes a node and the number of a GPU", "", "gpu n0007 2"};
  Result<NamedNodes> named = named_nodes(ui.model, std::string_view(text).substr(0, blank));
  if (!named) return named.error();
  if (named->nodes.size() > 1) return Error{"gpu takes a node and the number of a GPU", "", "gpu n0007 2"};
  const NodeName& node = named->nodes.front();
  Screen screen;
  screen.kind = ScreenKind::gpu;
  screen.cluster = named->cluster->name;
  screen.subject = gpu_subject(node, GpuIndex{*index});
  if (!gpu_on(screen, ui.model).gpu)
    return Error{fmt::format("{} has no GPU {}", node.text, *index), "GPUs are counted from 0", ""};
  push(state, std::move(screen));
  return std::nullopt;
}

Effects open_on_gpu(UiState& state, const UiContext& ui) {
  const GpuPlace at = gpu_on(state.top(), ui.model);
  if (!at.gpu) return {};
  const std::string cursor = state.top().cursor;
  const std::vector<std::string> parts = parts_of_id(cursor);
  // A line about waiting work names that work, one about a slice its holder.
  if (parts.size() == 2 && at.cluster->workloads.find(WorkloadId(parts[1])))
    open_workload(state, at.cluster->name, parts[1]);
  else if (auto holder = holder_of(*at.cluster, *at.node, cursor))
    open_workload(state, at.cluster->name, holder->text);
  else
    show_facts(state, ui);
  return {};
}

std::optional<Screen> facts_on_gpu(const UiState& state, const UiContext& ui) {
  const GpuPlace at = gpu_on(state.top(), ui.model);
  if (!at.gpu) return std::nullopt;
  Screen facts;
  facts.cluster = state.top().cluster;
  const bool slice = parts_of_id(state.top().cursor).size() > 2;
  facts.subject = slice ? state.top().cursor : query::row_id(query::GpuRow{at.cluster, at.node, at.gpu});
  return facts;
}

std::string copy_on_gpu(const UiState& state, const UiContext& ui) {
  const GpuPlace at = gpu_on(state.top(), ui.model);
  if (!at.gpu) return {};
  const std::vector<std::string> parts = parts_of_id(state.top().cursor);
  if (parts.size() == 2) return parts[1];
  if (auto holder = holder_of(*at.cluster, *at.node, state.top().cursor)) return holder->text;
  return at.gpu->uuid.empty() ? state.top().subject : at.gpu->uuid;
}

}  // namespace tessera::tui
