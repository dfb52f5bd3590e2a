// The layout editor on the screen: where everything goes, the head, the lists, the preview.
#include <fmt/format.h>

#include <algorithm>

#include "tui/screens/empty.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/layout/layout_preview.hpp"

namespace tessera::tui {
namespace {

constexpr int kMapX = 6;             // cells for "now" and "want"
constexpr int kWidestUnit = 25;      // cells of a memory slice beyond which width adds nothing
constexpr int kPreviewBeside = 116;  // columns from which the preview stands beside the list
constexpr int kListWidth = 72;       // of the list then, at least: the preview has the rest
constexpr int kLeastPreview = 4;

std::string unit_text(plan::Unit unit) {
  switch (unit) {
    case plan::Unit::slice: return "slice by slice";
    case plan::Unit::gpu: return "GPU by GPU";
    case plan::Unit::node: return "the whole node is emptied";
  }
  return "?";
}

// What the edit is about: "GPU 1 of n0007", "8 GPUs of n0007, in view GPU 1".
std::string subject_text(const LayoutState& edit) {
  const BoardAt& board = edit.board();
  std::vector<BoardAt> targets = edit.targets();
  if (targets.size() == 1) return fmt::format("GPU {} of {}", board.gpu.value, board.node.text);
  if (!edit.each.empty())
    return fmt::format("{} GPUs, each by itself, in view {} GPU {}", targets.size(), board.node.text,
                       board.gpu.value);
  bool one_node =
      std::all_of(targets.begin(), targets.end(), [&](const BoardAt& one) { return one.node == board.node; });
  if (one_node)
    return fmt::format("{} GPUs of {}, in view GPU {}", targets.size(), board.node.text, board.gpu.value);
  std::vector<NodeName> nodes;
  for (const BoardAt& one : targets)
    if (std::find(nodes.begin(), nodes.end(), one.node) == nodes.end()) nodes.push_back(one.node);
  return fmt::format("{} GPUs on {} nodes, in view {} GPU {}", targets.size(), nodes.size(), board.node.text,
                     board.gpu.value);
}

// What has to be empty for this edit: a mode change and a reset take more along than a change of slices does.
// Empty: there is no such change, the preview says why.
std::string changes_text(const LayoutState& edit, const plan::Means& can) {
  if (edit.preview.error) return "";
  plan::Unit unit = std::max(can.instances, can.clears);
  if (edit.preview.plan)
    for (const plan::NodePlan& node : edit.preview.plan->nodes) {
      if (node.needs.mode_change) unit = std::max(unit, can.mode);
      if (node.needs.reset) unit = std::max(unit, can.reset);
    }
  return "changes: " + unit_text(unit);
}

void draw_head(Canvas& canvas, const LayoutPage& page, const UiState& state, const LayoutView& view) {
  const LayoutState& edit = *state.top().layout;
  plan::Means can = capabilities_of(state, *view.cluster);
  int end = canvas.size().columns - 1;
  const std::string unit = told(state, changes_text(edit, can));
  end = put_right(canvas, end, page.head_y, unit, Role::dim) - 2;
  Pen pen(canvas, 1, page.head_y, end, state.ascii);
  pen.put(told(state, subject_text(edit)), Style(Role::text).with_bold()).skip(3);
  std::string product = view.product ? view.product->key.text : view.gpu->model;
  pen.put(product.empty() ? "product ?" : product, Role::text).skip(3);
  if (view.gpu->mig_mode == MigMode::enable_pending || view.gpu->mig_mode == MigMode::disable_pending)
    pen.put(told(state, "MIG mode pending"), Role::changing).skip(3);
  if (edit.tried) {
    // Its words first: together with "tried:" they could be taken for another text.
    const std::string words =
        edit.tried->words.empty() ? text_of(*edit.tried, view.product) : edit.tried->words;
    const std::string text = told(state, fmt::format("tried: {}", told(state, words)));
    // "tr…" says nothing, and the list below has its cursor on what is tried.
    constexpr int kFewest = 12;
    if (display_width(text) <= pen.left() || pen.left() >= kFewest) pen.put(text, Role::accent);
  } else if (edit.touched) {
    pen.put(told(state, fmt::format("{} edit{}", edit.past.size(), edit.past.size() == 1 ? "" : "s")),
            Role::accent);
  }
}

struct ListColumn {
  int x, width;
};

class List {
 public:
  List(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state, const LayoutView& view)
      : canvas_(canvas), area_(area), ui_(ui), state_(state), view_(view), edit_(*state.top().layout) {}

  void draw() {
    bool presets = edit_.list == LayoutList::presets;
    int count = list_count(edit_, view_), rows = area_.height - 1;
    if (rows <= 0) return;
    presets ? preset_heading() : profile_heading();
    if (count == 0) {
      canvas_.put(area_.x + 1, area_.y + 1, told(state_, "no profiles: p lists the ways of sharing it"),
                  Role::dim, area_.right());
      return;
    }
    int top = list_top(edit_, rows, count);
    for (int i = 0; i < rows && top + i < count; ++i) row(top + i, area_.y + 1 + i, presets);
    const std::string more = fmt::format("  {} more", count - top - rows);
    if (top + rows < count) put_right(canvas_, area_.right() - 1, area_.y, more, Role::dim);
  }

 private:
  void cell(int y, ListColumn at, std::string_view text, Style style, bool right = false) {
    put_cell(canvas_, area_.x + at.x, y, std::min(at.width, area_.width - at.x - 1), text, style,
             state_.ascii, right);
  }

  static constexpr ListColumn kName{1, 15}, kFree{16, 4}, kCount{21, 8}, kMemory{30, 10}, kSlices{41, 7};
  static constexpr int kMoreCells = 9;  // "  12 more"
  ListColumn note() const { return {49, area_.width - 49}; }

  void profile_heading() {
    cell(area_.y, kName, "PROFILE", Role::heading);
    cell(area_.y, kFree, "FREE", Role::heading, true);
    cell(area_.y, kCount, "NOW→WANT", Role::heading, true);
    cell(area_.y, kMemory, "MEMORY", Role::heading, true);
    cell(area_.y, kSlices, "COMPUTE", Role::heading, true);
    const bool narrow = note().width < 4 + kMoreCells;  // it would stand against how many more there are
    if (!narrow) cell(area_.y, note(), "NOTE", Role::heading);
  }

  void preset_heading() {
    cell(area_.y, {1, 24}, "PRESET", Role::heading);
    cell(area_.y, {26, area_.width - 27}, "WHAT IT IS", Role::heading);
  }

  void row(int index, int y, bool presets) {
    bool selected = index == (presets ? edit_.preset : edit_.profile);
    presets ? preset_row(index, y, selected) : profile_row(index, y, selected);
    if (!selected) return;
    canvas_.mark_selected(area_.x + 1, y, area_.width - 2);
    canvas_.put(area_.x, y, glyphs(state_.ascii).pointer, Style(Role::accent).with_bold());
  }

  int free_now(const mig::Profile& profile) const {
    const insight::Sight sight = insight::sight_of(*view_.cluster, *view_.node);
    return static_cast<int>(
        std::count_if(view_.gpu->slices.begin(), view_.gpu->slices.end(), [&](const Slice& slice) {
          return slice.profile == profile.name &&
                 insight::availability(sight, slice) == insight::Availability::free;
        }));
  }

  // What the row says beside the figures: why not, where it would go, what it would waste.
  std::string note_text(int index, std::optional<int>& at) const {
    std::string why = why_no_room(ui_, view_, edit_, index, at);
    if (!at) return why;
    if (!mig::covers(*view_.product, {index, *at}, edit_.unit)) return fmt::format("goes to slice {}", *at);
    mig::Layout more = edit_.want.strategy == Strategy::mig ? edit_.want.layout : mig::Layout{};
    int before = mig::room(*view_.product, more).stranded_compute_slices;
    more.push_back({index, *at});
    int after = mig::room(*view_.product, more).stranded_compute_slices;
    if (after <= before) return {};
    return fmt::format("wastes {} compute slice{}", after - before, after - before == 1 ? "" : "s");
  }

  void profile_row(int index, int y, bool selected) {
    const mig::Profile& profile = view_.product->profiles[static_cast<std::size_t>(index)];
    std::optional<int> at;
    std::string text = told(state_, note_text(index, at));
    Style style = at ? Style(Role::text) : Style(Role::dim);
    if (selected) style = style.with_bold();
    int now = count_of(view_.now, index);
    int want = edit_.want.strategy == Strategy::mig ? count_of(edit_.want.layout, index) : 0;
    cell(y, kName, profile.name.text, style);
    int free = free_now(profile);
    cell(y, kFree, now > 0 ? std::to_string(free) : "-", free > 0 ? Style(Role::free) : Style(Role::dim),
         true);
    std::string count = now != want ? fmt::format("{}→{}", now, want) : now > 0 ? std::to_string(now) : "-";
    Role changed = want > now ? Role::created : want < now ? Role::destroyed : Role::dim;
    cell(y, kCount, count, changed, true);
    cell(y, kMemory, memory_text(profile), style, true);
    cell(y, kSlices, fmt::format("{}/{}", profile.compute_slices, view_.product->compute_slices), style,
         true);
    cell(y, note(), text, at ? Style(Role::dim) : Style(Role::warning));
  }

  static std::string memory_text(const mig::Profile& profile) {
    if (profile.display_gib) return fmt::format("{:.2f} GiB", *profile.display_gib);
    if (profile.memory) return fmt::format("{:.2f} GiB", static_cast<double>(profile.memory->value) / 1024);
    return "?";
  }

  void preset_row(int index, int y, bool selected) {
    const PresetChoice& choice = edit_.presets[static_cast<std::size_t>(index)];
    bool usable = choice.why_not.empty();
    Style style = usable ? Style(Role::text) : Style(Role::dim);
    if (selected) style = style.with_bold();
    cell(y, {1, 24}, choice.name, style);
    int end = area_.right() - 1;
    if (usable && !choice.from.empty() && area_.width >= 60)
      end = put_right(canvas_, end, y, choice.from, Role::dim) - 2;
    ListColumn text{26, end - area_.x - 26};
    cell(y, text, told(state_, usable ? choice.text : choice.why_not),
         usable ? Style(Role::dim) : Style(Role::warning));
  }

  Canvas& canvas_;
  Rect area_;
  const UiContext& ui_;
  const UiState& state_;
  const LayoutView& view_;
  const LayoutState& edit_;
};

}  // namespace

int list_count(const LayoutState& edit, const LayoutView& view) {
  if (edit.list == LayoutList::presets) return static_cast<int>(edit.presets.size());
  return view.cut ? static_cast<int>(view.product->profiles.size()) : 0;
}

int list_top(const LayoutState& edit, int rows, int count) {
  int at = edit.list == LayoutList::presets ? edit.preset : edit.profile;
  return std::clamp(at - rows / 2, 0, std::max(0, count - rows));
}

LayoutPage layout_page(const LayoutState& edit, const LayoutView& view, Rect body) {
  LayoutPage page;
  int y = page.head_y = body.y;
  ++y;
  page.text_lines = body.height >= 30 ? 2 : body.height >= 16 ? 1 : 0;
  int units = view.cut ? view.product->units : 8;
  int room = std::min(body.width - kMapX - 1, units * kWidestUnit + 1);
  page.map = {body.x + kMapX, 0, tile_row_width(units, room), 0};
  // A cursor that walks along slices means something where slices stand or can be cut at once.
  Strategy wanted = edit.shown().strategy;
  bool walks = view.cut && (wanted == Strategy::mig || wanted == Strategy::whole);
  if (walks && body.height >= 13) page.ruler_y = y++;
  page.now_y = y;
  y += 1 + page.text_lines;
  page.want_y = y;
  y += 1 + page.text_lines;
  if (walks) page.pointer_y = y++;
  if (body.height >= 26) ++y;
  Rect rest{body.x, y, body.width, std::max(0, body.bottom() - y)};
  int count = list_count(edit, view);
  if (body.width >= kPreviewBeside) {
    const int list = std::max(kListWidth, rest.width * 9 / 20);  // notes are sentences, and wide in Japanese
    page.list = {rest.x, rest.y, list, rest.height};
    page.preview = {rest.x + list + 1, rest.y, rest.width - list - 1, rest.height};
    return page;
  }
  int rows = std::clamp(count, 1, std::max(3, (rest.height - 1) / 2));
  rows = std::max(1, std::min(rows, rest.height - 1 - kLeastPreview));
  page.list = {rest.x, rest.y, rest.width, rows + 1};
  page.preview = rest.below(rows + 1);
  return page;
}

LayoutPage page_in_view(const UiState& state, const LayoutView& view, Rect body) {
  const LayoutState& edit = *state.top().layout;
  LayoutPage page = layout_page(edit, view, body);
  const int hidden = list_count(edit, view) - (page.list.height - 1);
  const bool below = page.preview.y > page.list.y;
  // With each preset that is tried the preview is another: the list would not keep still under the cursor.
  if (!below || hidden <= 0 || edit.list == LayoutList::presets) return page;
  const auto lines =
      static_cast<int>(preview_document(state, view, {page.preview.width, page.preview.height}).size());
  const int spare = std::clamp(page.preview.height - lines, 0, hidden);
  page.list.height += spare;
  page.preview = page.preview.below(spare);
  return page;
}

std::string draw_layout(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state) {
  std::optional<LayoutView> view = layout_view(ui, state.top());
  if (!view) {
    draw_gone(canvas, body, "This GPU", state);
    return {};
  }
  const LayoutState& edit = *state.top().layout;
  LayoutPage page = page_in_view(state, *view, body);
  draw_head(canvas, page, state, *view);
  draw_layout_maps(canvas, page, ui, edit, *view, state);
  List(canvas, page.list, ui, state, *view).draw();
  Document preview = preview_document(state, *view, {page.preview.width, page.preview.height});
  int lines = static_cast<int>(preview.size());
  int top = std::clamp(edit.scrolled, 0, std::max(0, lines - page.preview.height));
  draw_document(canvas, page.preview, preview, top, {}, state.ascii);
  if (lines <= page.preview.height) return {};
  return fmt::format("lines {}-{} of {}, {}", top + 1, std::min(lines, top + page.preview.height), lines,
                     first_key(state, Action::page_down));
}

}  // namespace tessera::tui
