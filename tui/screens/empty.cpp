#include "tui/screens/empty.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "engine/insight/available.hpp"
#include "engine/model/recorded.hpp"
#include "tui/language/wrap.hpp"
#include "tui/screens/fleet/fleet_findings.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/rows.hpp"
#include "tui/screens/screens.hpp"
#include "tui/screens/waiting.hpp"

namespace tessera::tui {
namespace {

// A headline and what to do, a little down from the top, so that it is not taken for a row.
class Page {
 public:
  Page(Canvas& canvas, Rect area, const UiState& state) : canvas_(canvas), area_(area), state_(state) {
    y_ = area.y + std::min(2, area.height / 4);
  }
  void say(const std::string& text, Style style = {}) {
    for (const std::string& line : wrap(told(state_, text), area_.width - 4)) {
      if (y_ >= area_.bottom()) return;
      Pen pen(canvas_, area_.x + 3, y_++, area_.right() - 1, state_.ascii);
      pen.put(line, style);
    }
  }
  void key(const std::string& key, const std::string& text) {
    if (y_ >= area_.bottom()) return;
    Pen pen(canvas_, area_.x + 3, y_++, area_.right() - 1, state_.ascii);
    pen.put(key, Role::key).to(area_.x + 17).skip(1).put(told(state_, text), Role::text);
  }
  void blank() { ++y_; }

 private:
  Canvas& canvas_;
  Rect area_;
  const UiState& state_;
  int y_;
};

// Why a recording does not tell of its moment; empty: it does.
std::string why_unrecorded(const Model& model, const Screen& screen) {
  for (const Cluster* cluster : clusters_of(screen, model)) {
    const auto recording = cluster->sources.find(Source::none);
    if (recording != cluster->sources.end() && recording->second.failure)
      return cluster->name.text + ": " + recording->second.failure->what;
  }
  return {};
}

// Why the lists do not tell what there is; empty: they do.
constexpr const char* kUnread = "the list of nodes could not be read";

std::string why_untold(const Model& model, const Screen& screen) {
  for (const Cluster* cluster : clusters_of(screen, model)) {
    const std::string lead = cluster->name.text + ": ";
    if (screen.kind == ScreenKind::workloads) {
      if (const auto why = work_untold(*cluster)) return lead + *why;
    } else if (!insight::nodes_are_current(*cluster)) {
      return lead + kUnread;
    }
  }
  return {};
}

}  // namespace

void draw_no_cluster(Canvas& canvas, Rect area, const UiState& state) {
  Page page(canvas, area, state);
  page.say("No cluster found.", Style(Role::text).with_bold());
  page.blank();
  page.say("tessera looks for the Slurm commands and slurm.conf on this machine,");
  page.say("and for a kubeconfig and kubectl.");
  page.say("Nothing was changed, and nothing is being asked.", Role::dim);
  page.blank();
  page.key("tessera --sim", "look around in a simulated cluster");
  page.key("--slurm-conf", "name a slurm.conf that is somewhere else");
  page.key("--kubeconfig", "name a kubeconfig that is somewhere else");
  page.key(first_key(state, Action::refresh), "look again");
  page.key(first_key(state, Action::quit), "leave");
}

NoFindings no_findings(const UiContext& ui, const UiState& state) {
  std::string silent;
  for (const Cluster& cluster : ui.model.clusters)
    if (!insight::nodes_are_current(cluster) || !insight::work_is_current(cluster))
      silent += (silent.empty() ? "" : ", ") + cluster.name.text;
  if (const std::string file = fleet_file_untold(state); !file.empty())
    silent += (silent.empty() ? "" : ", ") + file;
  if (silent.empty()) return {told(state, "Nothing needs attention."), Role::good};
  return {told(state, "Nothing found so far; not known: " + silent), Role::unknown};
}

bool is_loading(const UiState& state, const Model& model) {
  if (state.loading_left || model.clusters.empty()) return false;
  // As soon as one cluster can be looked at, the others load behind it. Of a large one the first nodes can
  // be, long before the last; sums over a part of it would mislead.
  const TableKind* table = row_of(state).table;
  const bool of_nodes = table && table->grows_while_loading;
  return std::none_of(model.clusters.begin(), model.clusters.end(), [&](const Cluster& cluster) {
    return cluster.loaded || (of_nodes && !cluster.nodes.empty());
  });
}

void draw_loading(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state) {
  Page page(canvas, area, state);
  page.say("Reading for the first time.", Style(Role::text).with_bold());
  page.blank();
  for (const Cluster& cluster : ui.model.clusters) {
    std::string line = fmt::format("{:<16} ", shorten(cluster.name.text, 16, state.ascii));
    if (!cluster.progress) {
      page.say(line + "asked, no answer yet", Role::dim);
    } else if (cluster.progress->total && *cluster.progress->total > 0) {
      double percent =
          100.0 * static_cast<double>(cluster.progress->done) / static_cast<double>(*cluster.progress->total);
      page.say(line + fmt::format("{} {:>3.0f}%  {} {} of {}", meter(percent, 20, state.ascii), percent,
                                  cluster.progress->what, cluster.progress->done, *cluster.progress->total),
               Role::changing);
    } else {
      const std::string done = cluster.progress->done > 0 ? fmt::format("{} ", cluster.progress->done) : "";
      page.say(line + done + cluster.progress->what, Role::changing);
    }
    for (const auto& [source, health] : cluster.sources)
      if (health.failure)
        page.say(fmt::format("  !! {}: {}", failing_word(source), to_line(*health.failure)), Role::danger);
  }
  page.blank();
  page.key(first_key(state, Action::back), "look at what is here already");
  page.key(first_key(state, Action::quit), "leave");
}

namespace {

bool asks_for_idle(const Screen& screen) {
  const auto idle = column_index(screen.kind, "idle");
  for (const std::vector<query::Term>& terms : screen.filter.any)
    for (const query::Term& term : terms)
      if (idle && term.column == *idle) return true;
  return false;
}

// Why a filter by IDLE may have left out what has been idle for long.
void say_idle(Page& page, const UiState& state, const Screen& screen) {
  if (state.past && screen.filter_text.find("idle") != std::string::npos)
    page.say("In a recording IDLE begins with the moments that were looked at: of what was before it is n/a.",
             Role::warning);
  if (!state.past && asks_for_idle(screen))
    page.say(
        "IDLE begins with the first sample that this console took: what may have been idle for longer does "
        "not match. In a recording it begins with the recorder (:at now).",
        Role::warning);
}

}  // namespace

void draw_empty_table(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state) {
  const Screen& screen = state.top();
  const TableKind& table = *row_of(screen.kind).table;
  Page page(canvas, area, state);
  if (is_waiting_list(screen) && screen.filter_text == kAllWaiting && !screen.only_mine) {
    page.say("Nothing waits for a GPU.", Style(Role::text).with_bold());
    page.blank();
    if (const std::string why = why_none_listed(ui.model, screen); !why.empty())
      page.say("Not everything is listed now: " + why, Role::warning);
    page.say(
        "Jobs and pods stand here from when they are submitted until they start, each with the reason in the "
        "scheduler's words; on one of them Enter shows what would help it.",
        Role::text);
    page.blank();
    page.key(first_key(state, Action::clear_filter), "show what runs, too");
    page.key(first_key(state, Action::show_users), "who holds and waits for how much");
    page.key(":free", "the slices that work could get now");
    page.key(first_key(state, Action::show_overview), "back to the overview");
    return;
  }
  if (screen.derived.total > 0) {
    page.say(fmt::format("0 of {} {} match.", screen.derived.total, table.things),
             Style(Role::text).with_bold());
    page.blank();
    say_idle(page, state, screen);
    if (!screen.filter_text.empty())
      page.key(first_key(state, Action::clear_filter), "clear the filter: " + screen.filter_text);
    if (screen.only_mine)
      page.key(first_key(state, Action::only_mine), "show those of every user, not only of " + state.me);
    return;
  }
  std::string untold = why_unrecorded(ui.model, screen);
  const bool loading = untold.empty() && freshness(state, ui).role == Role::changing;
  if (untold.empty() && !loading) untold = why_untold(ui.model, screen);
  // What is still being read is not an empty list.
  page.say(untold.empty() && !loading ? fmt::format("There are no {} here.", table.things)
                                      : fmt::format("Which {} there are is not known.", table.things),
           Style(Role::text).with_bold());
  page.blank();
  if (loading)
    page.say("They are still being read.", Role::changing);
  else if (!untold.empty())
    page.say(untold, Role::unknown);
  else
    page.say(std::string(table.none), Role::dim);
  page.blank();
  if (state.past)
    page.key(first_key(state, Action::time_on), "In a recording: to the next round.");
  else
    page.key(first_key(state, Action::refresh), "ask again now");
  page.key(first_key(state, Action::show_overview), "back to the overview");
}

void draw_gone(Canvas& canvas, Rect area, const std::string& what, const UiState& state) {
  Page page(canvas, area, state);
  page.say(what + " is gone.", Style(Role::text).with_bold());
  page.blank();
  page.say("The cluster does not list it any more.", Role::dim);
  page.blank();
  page.key(first_key(state, Action::back), "back");
  page.key(first_key(state, Action::show_events), "the events show when it went");
}

void draw_too_small(Canvas& canvas) {
  Size size = canvas.size();
  int y = std::max(0, size.rows / 2 - 2);
  auto line = [&](const std::string& text, Style style) {
    int x = std::max(0, (size.columns - display_width(text)) / 2);
    if (y < size.rows) canvas.put(x, y++, text, style);
  };
  line("tessera needs a little more room", Style(Role::text).with_bold());
  line(fmt::format("{} x {} cells, and this is {} x {}", kSmallest.columns, kSmallest.rows, size.columns,
                   size.rows),
       Role::text);
  line("make it larger, or q to leave", Role::dim);
}

}  // namespace tessera::tui
