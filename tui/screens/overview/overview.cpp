#include "tui/screens/overview/overview.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "engine/guide/findings.hpp"
#include "engine/insight/available.hpp"
#include "engine/insight/both_sides.hpp"
#include "engine/insight/free_kinds.hpp"
#include "engine/insight/sharing_words.hpp"
#include "engine/insight/stopped_runs.hpp"
#include "tui/language/wrap.hpp"
#include "tui/screens/cell_words.hpp"
#include "tui/screens/changed.hpp"
#include "tui/screens/empty.hpp"
#include "tui/screens/overview/overview_demand.hpp"
#include "tui/screens/overview/overview_spare.hpp"
#include "tui/screens/overview/overview_trend.hpp"
#include "tui/screens/preview.hpp"
#include "tui/screens/roles.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kWaitingKept = 20;
constexpr int kPinned = 3;   // the hint, what is free, what waits
constexpr int kRoomy = 118;  // from here on the sharing stands in the cluster's own line
constexpr int kTall = 30;    // fewer lines are for what needs attention and for the mosaic

// Columns of the cluster table, from the left; 0: there is no room for this one.
struct ClusterColumns {
  int name, scheduler, nodes, gpus, bar, bar_width, used, free, pending, needs, sharing;
};
ClusterColumns cluster_columns(int width) {
  if (width >= 150) return {1, 18, 32, 39, 49, 16, 71, 79, 88, 98, 107};
  if (width >= kRoomy) return {1, 15, 27, 34, 43, 7, 56, 62, 71, 80, 88};
  if (width >= 79) return {1, 15, 27, 34, 43, 7, 0, 56, 65, 74, 0};
  return {1, 0, 15, 21, 29, 5, 0, 39, 46, 53, 0};
}

std::string_view sharing_text(const UiState& state, std::size_t index) {
  const std::vector<std::string>& sharing = state.overview.sharing;
  return index < sharing.size() && !sharing[index].empty() ? std::string_view(sharing[index]) : "n/a";
}

void draw_heading(Canvas& canvas, Rect area, int y) {
  ClusterColumns at = cluster_columns(area.width);
  canvas.put(area.x + at.name, y, "CLUSTER", Role::heading);
  if (at.scheduler) canvas.put(area.x + at.scheduler, y, "SCHEDULER", Role::heading);
  put_right(canvas, area.x + at.nodes + 5, y, "NODES", Role::heading);
  put_right(canvas, area.x + at.gpus + 6, y, "GPUS", Role::heading);
  canvas.put(area.x + at.bar, y, "SLICES HELD", Role::heading);
  if (at.used) put_right(canvas, area.x + at.used + 5, y, "USED", Role::heading);
  put_right(canvas, area.x + at.free + 6, y, "FREE", Role::heading);
  put_right(canvas, area.x + at.pending + 7, y, "WAITING", Role::heading);
  if (at.sharing) canvas.put(area.x + at.sharing, y, "SHARING", Role::heading);
  put_right(canvas, area.x + at.needs + 5, y, "!", Role::heading);
}

bool is_noted(const UiState& state, const insight::Cause& cause) {
  return insight::acknowledged_until(cause, state.acknowledged, state.overview.at).has_value();
}

// What is only to be known, such as a node that is closed for a run, is listed and needs no attention; nor
// does what was acknowledged.
bool calls(const UiState& state, const insight::Cause& cause, Severity at_least) {
  return cause.severity >= at_least && !is_noted(state, cause);
}

int needs_of(const UiState& state, const Cluster& cluster, Severity at_least) {
  return static_cast<int>(std::count_if(
      state.overview.causes.begin(), state.overview.causes.end(), [&](const insight::Cause& cause) {
        return cause.cluster == cluster.name && calls(state, cause, at_least);
      }));
}

void draw_cluster(Canvas& canvas, Rect area, int y, const UiContext& ui, const UiState& state,
                  std::size_t index, bool selected) {
  if (index >= ui.model.clusters.size() || index >= state.overview.totals.size()) return;
  const Cluster& cluster = ui.model.clusters[index];
  const insight::Totals& totals = state.overview.totals[index];
  ClusterColumns at = cluster_columns(area.width);
  Style plain = selected ? Style(Role::text).with_bold() : Style(Role::text);
  int name_end = at.scheduler ? at.scheduler : at.nodes;
  put_cell(canvas, area.x + at.name, y, name_end - at.name - 1, cluster.name.text, plain, state.ascii);
  const bool named = cluster.loaded || !cluster.version.empty() || !cluster.nodes.empty();
  if (at.scheduler)
    put_cell(canvas, area.x + at.scheduler, y, at.nodes - at.scheduler - 1,
             named ? word(cluster.scheduler) : glyphs(state.ascii).unknown, named ? Role::dim : Role::unknown,
             state.ascii);
  if (!cluster.loaded && cluster.nodes.empty()) {
    canvas.put(area.x + at.nodes + 4, y, "? not read yet", Role::unknown);
    return;
  }
  // Of a moment of which it has recorded nothing, none is not 0.
  if (cluster.recorded && cluster.nodes.empty() && !insight::nodes_are_current(cluster)) {
    canvas.put(area.x + at.nodes + 4, y, "? " + told(state, "not known"), Role::unknown);
    return;
  }
  auto count = [&](OverviewCell cell, int right, int number, Style style) {
    if (index < state.overview.cluster_ids.size())
      style = changed_or(style, state, ui, state.overview.cluster_ids[index], static_cast<int>(cell));
    put_right(canvas, area.x + right, y, std::to_string(number), style);
  };
  // What was held and waited when it answered last is not what does so now; of one that never answered not
  // even the nodes are known.
  const std::string unknown(glyphs(state.ascii).unknown);
  if (cluster.nodes.empty() && !insight::nodes_are_current(cluster)) {
    put_right(canvas, area.x + at.nodes + 5, y, unknown, Role::unknown);
    put_right(canvas, area.x + at.gpus + 6, y, unknown, Role::unknown);
  } else {
    count(OverviewCell::nodes, at.nodes + 5, totals.nodes, plain);
    count(OverviewCell::gpus, at.gpus + 6, totals.gpus, plain);
  }
  if (!totals.free) {
    put_right(canvas, area.x + at.bar + at.bar_width + 5, y, unknown, Role::unknown);
  } else if (totals.slices > 0) {
    double percent = 100.0 * totals.held / totals.slices;
    canvas.put(area.x + at.bar, y, meter(percent, at.bar_width, state.ascii), Role::held);
    put_right(canvas, area.x + at.bar + at.bar_width + 5, y, fmt::format("{:.0f}%", percent), plain);
  } else {
    canvas.put(area.x + at.bar, y, "n/a", Role::dim);
  }
  if (at.used)
    put_right(canvas, area.x + at.used + 5, y,
              !totals.free          ? unknown
              : totals.measured > 0 ? fmt::format("{:.0f}%", totals.used / totals.measured)
                                    : "n/a",
              !totals.free          ? Style(Role::unknown)
              : totals.measured > 0 ? plain
                                    : Style(Role::dim));
  const std::optional<insight::FreeKinds> free = insight::free_kinds(totals);
  if (free && free->shares.empty() && free->slices.size() <= 1)
    count(OverviewCell::free, at.free + 6, free->slices.empty() ? 0 : free->slices.begin()->second,
          Style(free->slices.empty() ? Role::dim : Role::free));
  else if (free)  // numbers of several kinds are none together: they stand in a line of their own
    put_right(canvas, area.x + at.free + 6, y, free->slices.empty() ? "shares" : "mixed", Role::free);
  else
    put_right(canvas, area.x + at.free + 6, y, unknown, Role::unknown);
  if (insight::work_is_current(cluster))
    count(OverviewCell::pending, at.pending + 7, totals.pending,
          Style(totals.pending > 0 ? Role::text : Role::dim));
  else
    put_right(canvas, area.x + at.pending + 7, y, unknown, Role::unknown);
  int dangers = needs_of(state, cluster, Severity::danger),
      needs = needs_of(state, cluster, Severity::warning);
  if (needs > 0)
    put_right(canvas, area.x + at.needs + 5, y, fmt::format("{}{}", dangers > 0 ? "!!" : "! ", needs),
              Style(dangers > 0 ? Role::danger : Role::warning).with_bold());
  else
    put_right(canvas, area.x + at.needs + 5, y, "ok", Role::good);
  if (at.sharing)
    put_cell(canvas, area.x + at.sharing, y, area.width - at.sharing - 1, sharing_text(state, index),
             Role::text, state.ascii);
}

constexpr int kHintBeside = 150;  // columns from which each finding has its way out beside it

// Where the parts of a finding's line begin, and how many cells they have.
struct FindingCells {
  int subject_at = 0, subject = 0;
  int text_at = 0, text = 0;
  int hint_at = 0, hint = 0;  // 0: what to do stands below
  bool cut = false;           // what to do about one of them is longer than that
};
// What findings are about has the cells that it needs, up to here: the ends of pods' names tell them apart.
// What one of text and way out does not need is the other's.
FindingCells finding_cells(const UiState& state, const UiContext& ui, int width) {
  constexpr std::size_t kLooked = 100;
  const bool beside = width >= kHintBeside;
  const int least = beside ? 22 : 14, most = beside ? 36 : width >= kRoomy ? 24 : least;
  FindingCells cells;
  cells.subject = least;
  int text = 0, hint = 0;
  for (std::size_t i = 0; i < std::min(kLooked, state.overview.findings.size()); ++i) {
    const insight::Finding& one = state.overview.findings[i];
    cells.subject = std::max(cells.subject, std::min(display_width(told(state, one.subject)), most));
    if (!beside) continue;
    text = std::max(text, display_width(told(state, one.text)));
    hint = std::max(hint, display_width(told(state, one.hint)));
  }
  cells.subject_at = ui.model.clusters.size() > 1 ? 16 : 4;
  cells.text_at = cells.subject_at + cells.subject + 1;
  cells.text = width - 1 - cells.text_at;
  if (!beside) return cells;
  const int both = cells.text - 2;
  cells.text = std::min(std::max(both * 3 / 5, both - hint), text);
  cells.hint_at = cells.text_at + cells.text + 2, cells.hint = both - cells.text;
  cells.cut = hint > cells.hint;
  return cells;
}

void draw_finding(Canvas& canvas, Rect area, int y, const UiState& state, const insight::Finding& finding,
                  bool noted, bool selected, const FindingCells& cells) {
  const Style sign = noted ? Style(Role::dim) : Style(role_of(finding.severity)).with_bold();
  canvas.put(area.x + 1, y, noted ? "- " : sign_of(finding.severity), sign);
  const auto cell = [&](int at, int width, std::string_view what, Style style) {
    put_cell(canvas, area.x + at, y, width, what, style, state.ascii);
  };
  if (cells.subject_at > 4) cell(4, 11, finding.cluster.text, Role::dim);
  cell(cells.subject_at, cells.subject, told(state, finding.subject),
       selected ? Style(Role::text).with_bold() : Style(noted ? Role::dim : Role::text));
  Style text = noted || finding.severity == Severity::info ? Style(Role::dim)
               : finding.severity == Severity::danger      ? Style(Role::danger)
                                                           : Style(Role::text);
  // Without a way out the text has its room, too.
  const int room = cells.hint > 0 && finding.hint.empty() ? cells.text + 2 + cells.hint : cells.text;
  cell(cells.text_at, room, told(state, finding.text), selected ? text.with_bold() : text);
  if (cells.hint > 0) cell(cells.hint_at, cells.hint, told(state, finding.hint), Role::dim);
}

std::ptrdiff_t needing_attention(const UiState& state) {
  return std::count_if(state.overview.causes.begin(), state.overview.causes.end(),
                       [&](const auto& cause) { return calls(state, cause, Severity::warning); });
}

void draw_line(Canvas& canvas, Rect area, int y, const UiContext& ui, const UiState& state,
               const OverviewLine& line, bool selected, const FindingCells& cells) {
  switch (line.kind) {
    case OverviewLine::Kind::heading: draw_heading(canvas, area, y); break;
    case OverviewLine::Kind::cluster: draw_cluster(canvas, area, y, ui, state, line.index, selected); break;
    case OverviewLine::Kind::sharing:
      if (line.index < std::min(state.overview.totals.size(), ui.model.clusters.size())) {
        Pen pen(canvas, area.x + 3, y, area.right() - 1, state.ascii);
        pen.put(told(state, "shared as") + "  ", Role::dim).put(sharing_text(state, line.index), Role::text);
      }
      break;
    case OverviewLine::Kind::trend:
      if (line.index < ui.model.clusters.size())
        draw_trend(canvas, area, y, ui, state, ui.model.clusters[line.index]);
      break;
    case OverviewLine::Kind::attention: {
      Pen pen(canvas, area.x + 1, y, area.right() - 1, state.ascii);
      pen.put(told(state, "NEEDS ATTENTION"), Style(Role::heading).with_bold());
      pen.put(fmt::format("  {}", needing_attention(state)), Role::dim);
      break;
    }
    case OverviewLine::Kind::finding:
      draw_finding(canvas, area, y, state, state.overview.findings[line.index], line.noted, selected, cells);
      break;
    case OverviewLine::Kind::calm: {
      const NoFindings none = no_findings(ui, state);
      put_cell(canvas, area.x + 1, y, area.width - 2, none.text, none.role, state.ascii);
      break;
    }
    case OverviewLine::Kind::blank: break;
  }
  if (!selected) return;
  canvas.mark_selected(area.x + 1, y, area.width - 1);
  canvas.put(area.x, y, glyphs(state.ascii).pointer, Style(Role::accent).with_bold());
}

// "1g.10gb 131", "h100 55 by 6 jobs".
struct Figure {
  std::string name;
  std::int64_t number = 0;
  std::string aside;
};

void add_figures(std::vector<Figure>& figures, const std::map<std::string, int>& more) {
  std::vector<Figure> sorted;
  for (const auto& [name, number] : more)
    if (number > 0) sorted.push_back({name, number, ""});
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Figure& a, const Figure& b) { return a.number > b.number; });
  figures.insert(figures.end(), sorted.begin(), sorted.end());
}

// Clusters whose current list of jobs or pods is not there.
std::string clusters_untold(const UiContext& ui) {
  std::string names;
  for (const Cluster& cluster : ui.model.clusters)
    if (!insight::work_is_current(cluster)) names += (names.empty() ? "" : ", ") + cluster.name.text;
  return names;
}

// "FREE NOW   1g.10gb 131   whole 41": as many as fit.
void draw_figures(Canvas& canvas, Rect area, int y, std::string_view title,
                  const std::vector<Figure>& figures, Role role, std::string_view none, bool ascii) {
  Pen pen(canvas, area.x + 1, y, area.right() - 1, ascii);
  pen.put(title, Style(Role::heading).with_bold()).to(area.x + 12);
  if (figures.empty()) pen.put(none, Role::dim);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Figure& one = figures[i];
    const std::string number = std::to_string(one.number);
    const int needs = display_width(one.name) + 1 + display_width(number) + display_width(one.aside) + 3;
    // That there are more is said in any case: there is room for it behind each one but the last.
    const std::size_t more = figures.size() - i - 1;
    const int rest = more > 0 ? display_width(fmt::format("+{}", more)) : 0;
    if (needs + rest > pen.left() && i > 0) {
      pen.put(fmt::format("+{}", figures.size() - i), Role::dim);
      return;
    }
    pen.put(one.name, Role::dim).skip(1).put(number, Style(role).with_bold());
    pen.put(one.aside, Role::dim).skip(3);
  }
}

// Slices first, then what is handed out in shares: the two are counted in different units.
void draw_free(Canvas& canvas, Rect area, int y, const UiContext& ui, const UiState& state) {
  std::map<std::string, int> slices, shares;
  std::string silent;
  for (std::size_t i = 0; i < state.overview.totals.size(); ++i) {
    const insight::Totals& totals = state.overview.totals[i];
    for (const auto& [label, number] : totals.free_by_profile) slices[label] += number;
    for (const auto& [label, number] : totals.free_shares) shares[label] += number;
    if (!totals.free && i < ui.model.clusters.size())
      silent += (silent.empty() ? "" : ", ") + ui.model.clusters[i].name.text;
  }
  std::vector<Figure> figures;
  add_figures(figures, slices);
  add_figures(figures, shares);
  int end = area.right() - 1;
  if (!silent.empty())
    end = put_right(canvas, end, y, told(state, "not known: " + silent), Role::unknown) - 2;
  const std::string none = silent.empty() ? told(state, "nothing") : "";
  draw_figures(canvas, {area.x, area.y, end + 1 - area.x, area.height}, y,
               told(state, state.past ? N_("FREE THEN") : N_("FREE NOW")), figures, Role::free, none,
               state.ascii);
}

// Units that are asked for, and by how many: 55 GPUs may be 6 jobs.
void draw_waiting(Canvas& canvas, Rect area, int y, const UiContext& ui, const UiState& state) {
  std::vector<Figure> figures;
  const std::string silent = clusters_untold(ui);
  for (std::size_t i = 0; i < state.overview.totals.size() && i < ui.model.clusters.size(); ++i) {
    if (!insight::work_is_current(ui.model.clusters[i])) continue;
    const bool slurm = ui.model.clusters[i].scheduler == Scheduler::slurm;
    for (const auto& [resource, waiting] : state.overview.totals[i].waiting_by_request) {
      std::string unit =
          insight::unit_asked_for(state.overview.totals[i], resource, ui.model.clusters[i].scheduler);
      const char* noun =
          slurm ? (waiting.workloads == 1 ? "job" : "jobs") : (waiting.workloads == 1 ? "pod" : "pods");
      figures.push_back({unit.empty() ? short_cell("asks", resource) : std::move(unit), waiting.units,
                         " " + told(state, fmt::format("by {} {}", waiting.workloads, noun))});
    }
  }
  std::stable_sort(figures.begin(), figures.end(),
                   [](const Figure& a, const Figure& b) { return a.number > b.number; });
  int end = area.right() - 1;
  if (!silent.empty())
    end = put_right(canvas, end, y, told(state, "not known: " + silent), Role::unknown) - 2;
  draw_figures(canvas, {area.x, area.y, end + 1 - area.x, area.height}, y, told(state, N_("WAITING")),
               figures, Role::warning, silent.empty() ? told(state, "nothing") : "", state.ascii);
}

// The first of a cause's findings, for all of them.
insight::Finding standing_for(const insight::Cause& cause, insight::Finding first, int findings) {
  if (findings == 1) return first;
  first.gpu.reset();
  first.severity = cause.severity;
  first.text = cause.text;
  first.hint = cause.hint;
  first.is_node = cause.nodes && cause.whose.size() == 1;
  if (cause.whose.size() > 1)
    first.subject = cause.nodes ? fmt::format("{} nodes", cause.whose.size())
                                : fmt::format("{} +{}", cause.whose.front(), cause.whose.size() - 1);
  return first;
}

void add_findings(OverviewData& data, const std::vector<insight::Finding>& findings) {
  data.causes = insight::causes_of(findings);
  std::map<std::string, std::pair<const insight::Finding*, int>> by_cause;
  for (const insight::Finding& finding : findings)
    ++by_cause.try_emplace(insight::cause_id(finding), &finding, 0).first->second.second;
  for (const insight::Cause& cause : data.causes) {
    const auto& [first, count] = by_cause.at(cause.id);
    data.finding_of.emplace(cause.id, data.findings.size());
    data.finding_ids.push_back("f\x1f" + cause.id);
    data.findings.push_back(standing_for(cause, *first, count));
  }
}

// The table of demand with so many lines at the bottom, the blocks above it, and the page of what the cursor
// is on between both.
void draw_above_demand(Canvas& canvas, Rect area, int table, const UiContext& ui, const UiState& state) {
  const Rect rest{area.x, area.y, area.width, area.height - (table > 0 ? table + 1 : 0)};
  draw_spare(canvas, rest, ui, state);
  draw_page_below(canvas, rest.below(kSpareLines), ui, state);
  draw_demand(canvas, {area.x, area.bottom() - table, area.width, table}, ui, state);
}

constexpr int kMostHint = 3;    // lines
constexpr int kTallSpare = 10;  // lines of which one is no loss to the blocks and the table

// How many lines what to do about a finding has in all, and how many of them beyond the first one of what is
// pinned. They do not depend on which finding that is: what stands above must not move with the cursor.
struct HintLines {
  int all = 0, more = 0;
};
HintLines hint_lines(Rect spare, const FindingCells& cells) {
  const int tall = spare.height >= kTallSpare ? 1 : 0;
  if (spare.width >= kHintBeside) return cells.cut ? HintLines{tall, tall} : HintLines{};
  const bool blank = spare.width < kRoomy && spare.height < kSpareFrom;
  const int more = blank ? std::clamp(kMostHint - 1, 0, spare.height) : tall;
  return {1 + more, more};
}

// What to do about the finding under the cursor, at the bottom of the area, where it is not read beside the
// finding; what does not fit is cut.
void draw_hint(Canvas& canvas, Rect area, const UiState& state, const FindingCells& cells) {
  const insight::Finding* finding = finding_at(state, state.top().cursor);
  if (!finding || finding->hint.empty() || area.height < 1) return;
  if (cells.hint > 0 && display_width(told(state, finding->hint)) <= cells.hint) return;
  const std::string label = told(state, "to do");
  std::vector<std::string> lines = wrap(label + "  " + told(state, finding->hint), area.width - 2);
  keep_lines(lines, static_cast<std::size_t>(area.height));
  const int count = static_cast<int>(lines.size());
  for (int i = 0; i < count; ++i) {
    const std::string_view text = lines[static_cast<std::size_t>(i)];
    const std::size_t lead = i == 0 ? std::min(label.size(), text.size()) : 0;
    Pen pen(canvas, area.x + 1, area.bottom() - count + i, area.right() - 1, state.ascii);
    pen.put(text.substr(0, lead), Role::accent).put(text.substr(lead), Role::text);
  }
}

}  // namespace

OverviewData work_out_overview(const UiContext& ui, bool ascii, std::span<const RunHead> runs,
                               const std::string& journal_key, std::optional<sharing::Platform> platform,
                               const std::vector<insight::Finding>& of_fleet) {
  OverviewData data;
  std::vector<insight::Finding> findings;
  for (const Cluster& cluster : ui.model.clusters) {
    data.cluster_ids.push_back("c\x1f" + cluster.name.text);
    data.totals.push_back(insight::totals(ui.model, cluster));
    data.sharing.push_back(insight::sharing_words(cluster, data.totals.back()));
    for (insight::Finding& finding : guide::all_findings(ui.model, cluster, ui.catalogue, platform, ui.wall))
      findings.push_back(std::move(finding));
  }
  for (insight::Finding& finding : insight::stopped_runs(
           runs, ui.model, journal_key + " opens the journal, where it is resumed or undone"))
    findings.push_back(std::move(finding));
  findings.insert(findings.end(), of_fleet.begin(), of_fleet.end());
  add_findings(data, findings);
  data.groups = node_groups(ui.model);
  if (data.groups.empty()) data.mosaic = mosaic_nodes(ui, ascii);
  data.waiting = waiting_longest(ui.model, kWaitingKept, data.totals);
  data.valid = true;
  data.revision = ui.model.revision;
  data.at = ui.wall;
  return data;
}

const insight::Finding* finding_at(const UiState& state, const std::string& id) {
  const std::vector<std::string>& ids = state.overview.finding_ids;
  auto found = std::find(ids.begin(), ids.end(), id);
  return found == ids.end() ? nullptr
                            : &state.overview.findings[static_cast<std::size_t>(found - ids.begin())];
}

std::optional<std::pair<ClusterName, NodeName>> node_under(const UiState& state, const std::string& id) {
  if (const Strips* node = tiles_under(state, id)) return std::pair(node->cluster, NodeName(node->name));
  const insight::Finding* finding = finding_at(state, id);
  if (!finding || !finding->is_node) return std::nullopt;
  return std::pair(finding->cluster, NodeName(finding->subject));
}

std::optional<std::size_t> cluster_under(const UiState& state, const std::string& id) {
  const std::vector<std::string>& ids = state.overview.cluster_ids;
  auto found = std::find(ids.begin(), ids.end(), id);
  if (found == ids.end()) return std::nullopt;
  return static_cast<std::size_t>(found - ids.begin());
}

std::vector<OverviewLine> overview_lines(const UiState& state, int width) {
  using Kind = OverviewLine::Kind;
  std::vector<OverviewLine> lines{{Kind::heading, 0, {}}};
  for (std::size_t i = 0; i < state.overview.cluster_ids.size(); ++i) {
    lines.push_back({Kind::cluster, i, state.overview.cluster_ids[i]});
    // Of a cluster that has not answered there is nothing to say below its line.
    if (i >= state.overview.totals.size()) continue;
    if (const insight::Totals& totals = state.overview.totals[i]; totals.nodes == 0 && !totals.free) continue;
    if (width < kRoomy && state.size.rows >= kTall) lines.push_back({Kind::sharing, i, {}});
    if (width >= kTrendsFrom) lines.push_back({Kind::trend, i, {}});
  }
  lines.push_back({Kind::blank, 0, {}});
  lines.push_back({needing_attention(state) == 0 ? Kind::calm : Kind::attention, 0, {}});
  for (const insight::Cause& cause : state.overview.causes)
    if (const auto at = state.overview.finding_of.find(cause.id); at != state.overview.finding_of.end())
      lines.push_back(
          {Kind::finding, at->second, state.overview.finding_ids[at->second], is_noted(state, cause)});
  return lines;
}

int overview_scroll_height(int height) { return std::max(0, height - kPinned); }

Rect mosaic_area(const UiState& state, Rect body) {
  const int height = overview_scroll_height(body.height);
  const int used = static_cast<int>(overview_lines(state, body.width).size()) + 1;
  return {body.x, body.y + used, body.width, std::max(0, height - used)};
}

void draw_overview(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state) {
  std::vector<OverviewLine> lines = overview_lines(state, area.width);
  int height = overview_scroll_height(area.height);
  const Screen& screen = state.top();
  const FindingCells cells = finding_cells(state, ui, area.width);
  bool drawn_cursor = false;
  const int top = std::clamp(screen.top, 0, std::max(0, static_cast<int>(lines.size()) - height));
  for (int i = 0; i < height && top + i < static_cast<int>(lines.size()); ++i) {
    const OverviewLine& line = lines[static_cast<std::size_t>(top + i)];
    bool selected = !line.id.empty() && !drawn_cursor && (screen.cursor.empty() || line.id == screen.cursor);
    drawn_cursor = drawn_cursor || selected;
    draw_line(canvas, area, area.y + i, ui, state, line, selected, cells);
  }
  const Rect mosaic = mosaic_area(state, area);
  draw_mosaic(canvas, mosaic, ui, state);
  const Rect below = mosaic.below(mosaic_lines(state, mosaic) + 1);
  const HintLines hint = hint_lines(below, cells);
  const int pinned = area.y + height;
  const Rect spare{below.x, below.y, below.width, below.height - hint.more};
  // The whole table says the same as the two lines at the bottom, and more.
  const int top_of_all = std::min(below.y, pinned);
  const int end_of_all = pinned + kPinned - hint.all;
  const Rect all{below.x, top_of_all, below.width, end_of_all - top_of_all};
  if (says_all_demand(state, all)) {
    draw_above_demand(canvas, all, demand_lines(state, all), ui, state);
    draw_hint(canvas, {area.x, end_of_all, area.width, hint.all}, state, cells);
    return;
  }
  draw_hint(canvas, {area.x, pinned - hint.more, area.width, hint.all}, state, cells);
  draw_above_demand(canvas, spare, demand_lines(state, spare), ui, state);
  draw_free(canvas, area, area.y + height + 1, ui, state);
  draw_waiting(canvas, area, area.y + height + 2, ui, state);
}

}  // namespace tessera::tui
