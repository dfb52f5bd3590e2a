// The last hour of what a workload holds, and of the slices of a GPU: each figure with one line a slice,
// below one time axis.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "engine/insight/worth.hpp"
#include "engine/query/cells_time.hpp"
#include "tui/screens/pages/chart_parts.hpp"
#include "tui/screens/pages/charts.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kMostSlices = 16;  // of one workload
constexpr double kGib = 1024;
constexpr int kGap = 2, kFewestCells = 8, kMostCells = 60, kLeastName = 10, kRoomy = 100;
constexpr int kWords = 40;  // "now 59.9 GiB, mean 59.9 GiB, peak 59.9 GiB"

// One slice that it holds: what was measured since it began, for before that others used it.
struct Held {
  query::SliceRow row;
  std::string name;    // "gpu-3 GPU 0 1g.10gb"
  history::Line line;  // of the slice
  history::Line gpu;   // of the GPU that it is on
};

history::Line since_begin(const UiContext& ui, const query::WorkloadRow& row, const query::SliceRow& held,
                          const Slice* slice) {
  history::Line line = line_of(ui, {row.cluster, held.node, held.gpu}, slice);
  if (const auto& began = row.workload->started)
    std::erase_if(line.samples, [&](const history::Sample& sample) { return sample.at <= *began; });
  return line;
}

std::string gpu_name(const query::SliceRow& row) {
  return fmt::format("{} GPU {}", row.node->name.text, row.gpu->index.value);
}

std::vector<Held> held_by(const UiContext& ui, const query::WorkloadRow& row) {
  std::vector<Held> all;
  for (const query::SliceRow& slice : query::slices_held(row)) {
    if (!slice.gpu) continue;
    all.push_back({slice, gpu_name(slice) + " " + insight::slice_label(*slice.slice),
                   since_begin(ui, row, slice, slice.slice), since_begin(ui, row, slice, nullptr)});
  }
  return all;
}

// Samples in GiB, and as high as the slice has memory.
Chart memory_chart(const UiContext& ui, const Held& held, TimePoint now) {
  Chart chart = chart_of(held.line, history::Figure::memory, now);
  const double gpu = held.line.memory ? static_cast<double>(held.line.memory->value) / kGib : 0;
  for (history::Sample& sample : chart.samples)
    if (gpu <= 0)
      sample.memory.reset();
    else if (sample.memory)
      sample.memory = static_cast<float>(static_cast<double>(*sample.memory) / 100 * gpu);
  const auto all = insight::memory_of(*held.row.gpu, *held.row.slice, ui.catalogue);
  chart.top = static_cast<float>(all ? static_cast<double>(all->value) / kGib : gpu);
  chart.decimals = 1;
  return chart;
}

// Whose use it is, where it is not that of one alone; else empty.
std::string sharers(const FactPage& page, const Slice& slice) {
  const std::size_t all = slice.holders.size();
  if (all < 2) return "";
  return page.told(slice.kind == SliceKind::gpu_instance
                       ? fmt::format("of the GPU instance, shared by {}", all)
                       : fmt::format("of the GPU, shared by {}", all));
}

// Lines of one figure, drawn to one scale.
class Figures {
 public:
  Figures(FactPage& page, const std::vector<Held>& all, std::string_view unit, Role role)
      : page_(page), unit_(unit), role_(role) {
    for (const Held& one : all) longest_name_ = std::max(longest_name_, display_width(one.name));
  }

  void line(std::string name, Chart chart, std::string whose = {}) {
    any_ = any_ || history::summary_of(chart.samples, chart.figure).last.has_value();
    lines_.push_back({std::move(name), std::move(whose), std::move(chart)});
  }
  bool any() const { return any_; }  // of what was measured of none there is no section
  void draw(std::string_view name, std::string_view aside, int alone, bool own_top) {
    if (own_top)
      for (Line& line : lines_) line.chart.top = highest();
    if (lines_.size() == 1) return one(name, aside, alone);
    rows(name, aside);
  }
  // Also of one slice alone, with its name.
  void rows(std::string_view name, std::string_view aside) {
    page_.add({{{page_.told(name), Role::dim, 3}, {"  " + page_.told(aside), Role::dim}}, {}});
    const TimePoint from = earliest();
    for (Line& line : lines_) {
      line.chart.from = from;
      row(line);
    }
    Chart axis = chart_of({}, history::Figure::any, lines_.front().chart.to, from);
    page_.add({{{axis_line(axis, cells()), Role::dim, name_end() + kGap}}, {}});
  }

 private:
  struct Line {
    std::string name, whose;
    Chart chart;
  };

  void one(std::string_view name, std::string_view aside, int lines) {
    Line& line = lines_.front();
    const std::string_view unit = unit_ == " GiB" ? "G" : unit_.substr(unit_.find_first_not_of(' '));
    line.chart.top_text = fmt::format("{:.0f}{}", line.chart.top, unit);
    add_chart(page_, name, line.chart, unit_, lines, role_,
              line.whose.empty() ? page_.told(aside) : line.whose);
  }

  void row(const Line& line) {
    const auto& chart = line.chart;
    page_.add({{{shorten(line.name, name_width(), page_.ascii()), Role::text, 3},
                {spark_line(chart, cells(), page_.ascii()), role_, name_end() + kGap},
                {page_.told(chart_words(chart, unit_)), Role::text, name_end() + kGap + cells() + kGap}},
               {}});
    if (!line.whose.empty()) page_.add({{{line.whose, Role::warning, name_end() + kGap}}, {}});
  }

  float highest() const {
    float top = 1;
    for (const Line& line : lines_)
      top = std::max(top, history::summary_of(line.chart.samples, line.chart.figure).peak.value_or(1));
    return top;
  }
  TimePoint earliest() const {
    return std::min_element(lines_.begin(), lines_.end(),
                            [](const Line& a, const Line& b) { return a.chart.from < b.chart.from; })
        ->chart.from;
  }
  int name_width() const { return std::min(longest_name_, std::max(kLeastName, page_.width() / 3)); }
  int name_end() const { return 3 + name_width(); }
  // Where there is room, pictures of all figures stand below one another.
  int cells() const {
    int words = page_.width() >= kRoomy ? kWords : 0;
    for (const Line& line : lines_)
      words = std::max(words, display_width(page_.told(chart_words(line.chart, unit_))));
    return std::clamp(page_.width() - name_end() - words - 2 * kGap - 1, kFewestCells, kMostCells);
  }

  FactPage& page_;
  std::string_view unit_;
  Role role_;
  std::vector<Line> lines_;
  bool any_ = false;
  int longest_name_ = kLeastName;
};

void add_use(FactPage& page, const std::vector<Held>& all, TimePoint now) {
  Figures use(page, all, "%", Role::held);
  for (const Held& one : all)
    use.line(one.name, chart_of(one.line, history::Figure::use, now), sharers(page, *one.row.slice));
  if (!use.any()) return page.fact("use", "n/a", Role::dim);
  use.draw("use", "", kUseLines, false);
}

void add_memory(FactPage& page, const UiContext& ui, const std::vector<Held>& all, TimePoint now) {
  Figures memory(page, all, " GiB", Role::text);
  for (const Held& one : all)
    memory.line(one.name, memory_chart(ui, one, now), sharers(page, *one.row.slice));
  if (memory.any()) memory.draw("memory", "", kOtherLines, false);
}

// Of each GPU once: a slice has neither heat nor power of its own.
void add_of_gpus(FactPage& page, const std::vector<Held>& all, TimePoint now, std::string_view name,
                 history::Figure figure, std::string_view unit, bool own_top) {
  Figures figures(page, all, unit, Role::text);
  std::set<const Gpu*> seen;
  bool parts = false;
  for (const Held& one : all) {
    if (!seen.insert(one.row.gpu).second) continue;
    figures.line(gpu_name(one.row), chart_of(one.gpu, figure, now));
    parts = parts || one.row.slice->kind != SliceKind::whole_gpu;
  }
  if (figures.any()) figures.draw(name, parts ? N_("of the whole GPU") : "", kOtherLines, own_top);
}

// "1g.10gb 0+1": those of one profile are told apart by where they begin.
std::string name_on_gpu(const Slice& slice) {
  std::string name(insight::slice_label(slice));
  if (slice.placement) return name + fmt::format(" {}+{}", slice.placement->start, slice.placement->size);
  return slice.instance_id ? name + fmt::format(" GI {}", *slice.instance_id) : name;
}

// What shares a whole GPU has the GPU's own figures.
std::vector<Held> instances_of(const UiContext& ui, const query::GpuRow& row) {
  std::vector<Held> all;
  for (const Slice& slice : row.gpu->slices)
    if (slice.kind == SliceKind::gpu_instance && all.size() < kMostSlices)
      all.push_back(
          {{row.cluster, row.node, row.gpu, &slice}, name_on_gpu(slice), line_of(ui, row, &slice), {}});
  return all;
}

}  // namespace

std::vector<history::Line> lines_of_slices(const UiContext& ui, const query::GpuRow& row) {
  std::vector<history::Line> lines;
  for (Held& one : instances_of(ui, row))
    if (!one.line.samples.empty()) lines.push_back(std::move(one.line));
  return lines;
}

void add_slices(FactPage& page, const UiContext& ui, const query::GpuRow& row, TimePoint now) {
  const std::vector<Held> all = instances_of(ui, row);
  Figures use(page, all, "%", Role::held), memory(page, all, " GiB", Role::text);
  for (const Held& one : all) {
    const std::string whose = sharers(page, *one.row.slice);
    use.line(one.name, chart_of(one.line, history::Figure::use, now), whose);
    memory.line(one.name, memory_chart(ui, one, now), whose);
  }
  if (use.any()) use.rows("use", N_("of each slice"));
  if (memory.any()) memory.rows("memory", N_("of each slice"));
}

void add_history(FactPage& page, const UiContext& ui, const query::WorkloadRow& row) {
  std::vector<Held> all = held_by(ui, row);
  const std::size_t more = all.size() > kMostSlices ? all.size() - kMostSlices : 0;
  if (more > 0) all.resize(kMostSlices);
  const TimePoint now = cluster_now(*row.cluster, ui.wall);
  std::vector<history::Line> lines;
  std::vector<NamedLine> named;
  for (const Held& one : all)
    if (!one.line.samples.empty()) lines.push_back(one.line), named.push_back({one.name, one.line});
  if (lines.empty()) return;
  page.heading("LAST HOUR", axis_text(page, lines));
  add_gaps(page, named, now);
  add_idle(page, query::idle(row, {ui.wall, &ui.catalogue, ui.history}));
  add_use(page, all, now);
  add_memory(page, ui, all, now);
  add_of_gpus(page, all, now, N_("temperature"), history::Figure::temperature, " °C", false);
  add_of_gpus(page, all, now, N_("power"), history::Figure::power, " W", true);
  if (more > 0) page.add({{{page.told(fmt::format("and {} more", more)), Role::dim, 3}}, {}});
}

}  // namespace tessera::tui
