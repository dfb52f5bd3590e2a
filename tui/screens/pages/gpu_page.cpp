#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "engine/insight/sharing_words.hpp"
#include "engine/query/tables.hpp"
#include "engine/sharing/amd.hpp"
#include "tui/screens/cell_words.hpp"
#include "tui/screens/pages/boards.hpp"
#include "tui/screens/pages/charts.hpp"
#include "tui/screens/pages/could_be.hpp"
#include "tui/screens/pages/gpu.hpp"
#include "tui/screens/pages/gpu_notes.hpp"
#include "tui/screens/pages/gpu_processes.hpp"
#include "tui/screens/pages/own_use.hpp"
#include "tui/screens/roles.hpp"

namespace tessera::tui {
namespace {

std::string slice_use_text(const Slice& slice) {
  return slice.use ? fmt::format("{:.0f}%", slice.use->value) : std::string("n/a");
}

// "GI 9, CI 0": as nvidia-smi counts them.
std::string ids_text(const Slice& slice) {
  if (!slice.instance_id) return "-";
  std::string text = fmt::format("GI {}", *slice.instance_id);
  for (const ComputeInstance& one : slice.compute) text += fmt::format(", CI {}", one.id);
  return text;
}

std::string start_text(const Slice& slice) {
  return slice.placement ? fmt::format("{}+{}", slice.placement->start, slice.placement->size) : "-";
}

// Columns of the list of slices, by the width that there is.
struct SliceColumns {
  int profile = 3, start = 16, ids = 22, use = 34, holder = 40;
};

class Page {
 public:
  Page(const UiContext& ui, const UiState& state, const GpuPlace& at, int width)
      : ui_(ui), state_(state), at_(at), page_(state, width) {}

  // Who has it and who wants it.
  Page& held() {
    head();
    slices();
    add_processes(page_, ui_, state_, at_);
    counts();
    add_could_be(page_, ui_, at_);
    add_wanted(page_, ui_, state_, at_, N_("waiting workloads that ask for what this GPU is or could be"));
    return *this;
  }
  // What it does and did, and what it is.
  Page& measured() {
    add_changes(page_, ui_, state_, at_);
    readings();
    add_history(page_, ui_, {at_.cluster, at_.node, at_.gpu}, nullptr);
    identity();
    return *this;
  }
  Document take() { return page_.take(); }

 private:
  void head() {
    const Gpu& gpu = *at_.gpu;
    const insight::Sight sight = insight::sight_of(*at_.cluster, *at_.node);
    DocLine line{{{gpu.model.empty() ? page_.told("GPU") : short_cell("model", gpu.model),
                   Style(Role::text).with_bold(), 1},
                  {"  " + sharing_word(*at_.node, gpu) + "  ", Role::text}},
                 {}};
    for (StripPart& part : strip_parts(query::strip(gpu, &ui_.catalogue, state_.ascii, sight)))
      line.spans.push_back({std::move(part.text), part.role});
    if (gpu.mig_mode &&
        (*gpu.mig_mode == MigMode::enable_pending || *gpu.mig_mode == MigMode::disable_pending))
      line.spans.push_back({"  " + page_.told("MIG mode change is pending"), Role::changing});
    const bool closed = sight.access == insight::Access::closed;
    if (closed) line.spans.push_back({"  " + page_.told("the node takes no new workloads"), Role::warning});
    page_.add(std::move(line));
    const std::string reserved = insight::reserved_words(*at_.node);
    if (closed && !at_.node->reason.empty())
      page_.data("closed", at_.node->reason, Role::warning);
    else if (closed && !reserved.empty())
      page_.fact("closed", reserved, Role::warning);
    if (sharing::amd::is_amd(gpu)) page_.fact("", std::string(sharing::amd::kNotPlanned), Role::dim);
  }

  // A GPU that AMD's tools partition, by its mode.
  static std::string sharing_word(const Node& node, const Gpu& gpu) {
    const std::string way(insight::sharing_word(node, gpu.strategy));
    if (gpu.partition_mode.empty()) return way;
    return gpu.strategy == Strategy::unknown ? gpu.partition_mode : way + " " + gpu.partition_mode;
  }

  void slices() {
    const SliceColumns at;
    page_.heading("SLICES");
    if (at_.gpu->slices.empty()) return page_.fact("", "MIG is on, no slices", Role::dim);
    DocLine titles{{{page_.told("profile"), Role::dim, at.profile},
                    {page_.told("start"), Role::dim, at.start},
                    {"GI, CI", Role::dim, at.ids}},
                   {}};
    put_right(titles, page_.told("use"), at.use, 4, Role::dim);
    titles.spans.push_back({page_.told("holder"), Role::dim, at.holder});
    page_.add(std::move(titles));
    for (const Slice& slice : at_.gpu->slices) slice_line(slice, at);
  }

  void slice_line(const Slice& slice, const SliceColumns& at) {
    const query::SliceRow row{at_.cluster, at_.node, at_.gpu, &slice};
    const std::string id = query::row_id(row);
    DocLine line{{{shorten(insight::slice_label(slice), at.start - at.profile - 1, state_.ascii),
                   Style(Role::text).with_bold(), at.profile},
                  {start_text(slice), Role::text, at.start},
                  {shorten(ids_text(slice), at.use - at.ids - 1, state_.ascii), Role::dim, at.ids},
                  {fmt::format("{:>4}", slice_use_text(slice)), Role::text, at.use}},
                 id};
    if (slice.holders.empty()) {
      const std::string state(
          insight::word(insight::availability(insight::sight_of(*at_.cluster, *at_.node), slice)));
      line.spans.push_back({page_.told(state), cell_role("state", state), at.holder});
      return page_.add(std::move(line));
    }
    holder_spans(line, slice, slice.holders.front(), at.holder);
    page_.add(std::move(line));
    for (std::size_t i = 1; i < slice.holders.size(); ++i) {
      DocLine more{{}, id + kShareMark + slice.holders[i].workload.text};
      holder_spans(more, slice, slice.holders[i], at.holder);
      page_.add(std::move(more));
    }
  }

  void holder_spans(DocLine& line, const Slice& slice, const Holder& holder, int at) {
    const HolderText text = workload_text(ui_, *at_.cluster, holder.workload);
    line.spans.push_back({text.who, Style(Role::held), at});
    line.spans.push_back({"  " + holder.workload.text, Role::text});
    if (text.what != holder.workload.text) line.spans.push_back({"  " + text.what, Role::dim});
    if (!text.since.empty()) line.spans.push_back({"  " + text.since, Role::dim});
    if (slice.capacity > 1 && holder.share > 0)
      line.spans.push_back(
          {"  " + page_.told(fmt::format("{} of {} shares", holder.share, slice.capacity)), Role::dim});
    if (slice.holders.size() > 1)
      add_own(line, page_, ui_, {at_.cluster, at_.node, at_.gpu, &slice}, holder.workload);
    if (!slice.exact)
      line.spans.push_back({"  " + page_.told("one of several, which one is not known"), Role::unknown});
  }

  struct Made {
    int here = 0, node = 0, held = 0;
    bool known = true;
  };

  // What stands of each kind, here and on the node, beside what the scheduler has to hand out.
  void counts() {
    std::map<std::string, Made> made;
    const auto add = [&](const Slice& slice, bool here) {
      Made& one = made[insight::slice_label(slice)];
      one.here += here;
      ++one.node;
      one.held += slice.holding == Holding::held;
      one.known = one.known && slice.holding != Holding::unknown;
    };
    for (const Gpu& gpu : at_.node->gpus)
      for (const Slice& slice : gpu.slices) add(slice, &gpu == at_.gpu);
    for (const Slice& slice : at_.node->pool) add(slice, false);
    page_.heading("MADE AND HELD", at_.node->name.text);
    constexpr int kHere = 20, kNode = 28, kHeld = 42;
    const std::string here = page_.told("here"), node = page_.told("on the node"),
                      held = page_.told("held there");
    page_.add({{{here, Role::dim, kHere}, {node, Role::dim, kNode}, {held, Role::dim, kHeld}}, {}});
    // Figures end where the words above them end.
    const auto figure = [](const std::string& text, const std::string& head, Style style, int x) {
      return Span{fmt::format("{:>{}}", text, std::max(4, display_width(head))), style, x};
    };
    for (const auto& [label, one] : made)
      page_.add({{{label, Role::text, 3},
                  figure(std::to_string(one.here), here, Style(Role::text).with_bold(), kHere),
                  figure(std::to_string(one.node), node, Role::text, kNode),
                  figure(one.known ? std::to_string(one.held) : "?", held,
                         one.known ? Role::text : Role::unknown, kHeld)},
                 {}});
    if (made.empty()) page_.fact("", "nothing", Role::dim);
    advertised();
  }

  void advertised() {
    if (!at_.node->allocatable) {
      const bool slurm = at_.cluster->scheduler == Scheduler::slurm;
      return page_.fact("advertised",
                        slurm ? "not available: Slurm counts by type and node, as above" : "not reported",
                        Role::dim);
    }
    std::string text;
    for (const auto& [resource, count] : *at_.node->allocatable)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", resource, count);
    page_.data(page_.told("advertised"), text.empty() ? page_.told("nothing") : text,
               text.empty() ? Style(Role::warning) : Style(Role::text));
  }

  void readings() {
    const Telemetry& told = at_.gpu->telemetry;
    page_.heading("READINGS", origin_text(*at_.cluster, told.origin, ui_.wall));
    page_.fact("use", told.use ? fmt::format("{:.0f}%", told.use->value) : "not available");
    std::string memory = told.memory_used ? fmt::format("{:.1f}", told.memory_used->value / 1024.0) : "?";
    memory += at_.gpu->memory ? fmt::format(" / {:.1f} GiB", at_.gpu->memory->value / 1024.0) : " GiB";
    page_.data(page_.told("memory"), memory);
    const auto share = [&](std::string_view name, const std::optional<Percent>& busy) {
      page_.data(page_.told(name), busy ? fmt::format("{:.0f}%", busy->value) : "n/a",
                 busy ? Style() : Style(Role::dim));
    };
    share(N_("tensor"), told.tensor);
    share(N_("memory bus"), told.memory_busy);
    if (told.temperature)
      page_.data(page_.told("temperature"), fmt::format("{:.0f} °C", told.temperature->value));
    if (told.power) page_.data(page_.told("power"), fmt::format("{:.0f} W", told.power->value));
  }

  void identity() {
    const Gpu& gpu = *at_.gpu;
    page_.heading("IDENTITY", origin_text(*at_.cluster, gpu.origin, ui_.wall));
    page_.data("UUID", gpu.uuid.empty() ? page_.told("not reported") : gpu.uuid,
               gpu.uuid.empty() ? Style(Role::dim) : Style());
    for (const Slice& slice : gpu.slices)
      if (!slice.uuid.empty()) page_.data(ids_text(slice), slice.uuid);
    if (gpu.product)
      page_.data(page_.told("product"), gpu.product->text);
    else
      page_.fact("product", "no single product of that name is known", Role::unknown);
    if (!at_.node->driver.empty()) page_.data(page_.told("driver"), at_.node->driver);
  }

  const UiContext& ui_;
  const UiState& state_;
  const GpuPlace& at_;
  FactPage page_;
};

}  // namespace

Document gpu_document(const UiContext& ui, const UiState& state, int width) {
  const GpuPlace at = gpu_on(state.top(), ui.model);
  if (!at.gpu) return {};
  const int side = side_column(width);
  if (side == width) return Page(ui, state, at, width).held().measured().take();
  return Page(ui, state, at, side).held().take();
}

Document gpu_side_document(const UiContext& ui, const UiState& state, int width) {
  const GpuPlace at = gpu_on(state.top(), ui.model);
  const int side = side_column(width);
  if (!at.gpu || side == width) return {};
  return Page(ui, state, at, width - side).measured().take();
}

}  // namespace tessera::tui
