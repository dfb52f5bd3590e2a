#include "tui/screens/frame/frame.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "engine/insight/recording_age.hpp"
#include "engine/query/local_time.hpp"
#include "engine/query/value.hpp"
#include "tui/language/wrap.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/frame/time_bar.hpp"
#include "tui/screens/plan/arm.hpp"
#include "tui/screens/plan/runs.hpp"
#include "tui/screens/roles.hpp"
#include "tui/screens/screens.hpp"
#include "tui/screens/waiting.hpp"
#include "tui/widgets/document.hpp"

namespace tessera::tui {
namespace {

struct Failing {
  const Cluster* cluster;
  Source source;
  const SourceHealth* health;
};

std::vector<Failing> failing_sources(const UiState& state, const UiContext& ui) {
  std::vector<Failing> failing;
  if (row_of(state).shows_failures) return failing;
  for (const Cluster* cluster : clusters_of(state.top(), ui.model))
    for (const auto& [source, health] : cluster->sources)
      if (health.failure) failing.push_back({cluster, source, &health});
  return failing;
}

// The clusters' own time where all of them share one, as a simulator's do: events and ages are told in it.
std::string clock_text(const std::vector<const Cluster*>& clusters, TimePoint wall) {
  TimePoint at = wall;
  const bool own = !clusters.empty() && std::all_of(clusters.begin(), clusters.end(), [](const Cluster* one) {
    return one->clock.has_value();
  });
  if (own) at = cluster_now(*clusters.front(), wall);
  return query::clock_text(at);
}

std::string crumb(const Screen& screen, bool many_clusters) {
  const ScreenRow& row = row_of(screen.kind);
  if (row.crumb == Crumb::subject) return screen.subject;
  std::string text(is_waiting_list(screen) ? "waiting" : row.word);
  if (row.crumb == Crumb::word_and_subject)
    return screen.subject.empty() ? text : text + " " + screen.subject;
  if (many_clusters && row.table && !screen.cluster.empty()) text += " of " + screen.cluster.text;
  return text;
}

std::string calls_text(const std::vector<const Cluster*>& clusters) {
  double calls = 0;
  for (const Cluster* cluster : clusters) calls += cluster->pace.calls_per_minute;
  return calls > 0 ? fmt::format("{:.0f} calls/min", calls) : std::string();
}

struct Piece {
  std::string text;
  Style style;
  bool kept = false;  // however narrow the terminal is
};

// The right end of the title, dearest last; what does not fit beside the breadcrumbs is left out from the
// front.
std::vector<Piece> title_pieces(const UiState& state, const UiContext& ui) {
  std::vector<const Cluster*> clusters = clusters_of(state.top(), ui.model);
  std::vector<Piece> pieces;
  if (clusters.size() > 1) pieces.push_back({fmt::format("{} clusters", clusters.size()), Role::dim});
  if (std::string calls = calls_text(clusters); !calls.empty()) pieces.push_back({calls, Role::dim});
  Freshness fresh = freshness(state, ui);
  if (state.past) {
    const auto at = moment_of(clusters, ui.wall);
    // Until a moment is told there is none: by the wall clock it would be now.
    const bool stands = !clusters.empty() && clusters.front()->clock;
    const std::string then = at       ? time_text(*at)
                             : stands ? time_text(cluster_now(*clusters.front(), ui.wall))
                                      : "";
    pieces.push_back({" PAST " + then + " ", Style(Role::danger).with_bold().with_reverse(), true});
  } else {
    pieces.push_back({fresh.text, fresh.role, true});
    pieces.push_back({clock_text(clusters, ui.wall), Role::title});
  }
  bool simulated = !clusters.empty() && std::all_of(clusters.begin(), clusters.end(),
                                                    [](const Cluster* c) { return c->simulated; });
  if (simulated) pieces.push_back({"SIMULATED", Role::warning, true});
  pieces.push_back(state.writable && !state.past ? Piece{"[RW]", Style(Role::read_write).with_bold(), true}
                                                 : Piece{"[RO]", Role::read_only, true});
  return pieces;
}

// The lines of the banner: a reason without its end is of no help, nor is a way out.
struct Banner {
  std::vector<std::string> reason;  // "hpc: scontrol show node has failed for 2 min: Unable to contact…"
  std::vector<std::string> below;   // "shown is the state of 3 min ago; is slurmctld running?"
  std::string old;                  // what of the latter tells how old the figures are

  int lines() const { return static_cast<int>(reason.size() + below.size()); }
};

constexpr std::string_view kBannerSign = "!! ";
constexpr int kBelowSign = 4;  // the column of the lines below the first one

std::string age_of(const Failing& failing, TimePoint at, TimePoint wall) {
  const auto passed = cluster_now(*failing.cluster, wall) - at;
  return query::duration_text(std::chrono::duration_cast<std::chrono::seconds>(passed).count());
}

// "scontrol show node failed" says nothing that the lead does not say.
Error without_lead(Error error, const std::string& asked) {
  if (error.what == asked + " failed" && !error.reason.empty()) error.what = std::exchange(error.reason, {});
  return error;
}

Banner banner_of(const Failing& failing, const UiContext& ui, const UiState& state, Size size) {
  const SourceHealth& health = *failing.health;
  // A recording is none of the cluster's sources: its reason says all.
  const bool recording = failing.source == Source::none;
  const std::string asked(word(failing.source));
  std::string lead = failing.cluster->name.text + ": ";
  if (!recording && health.failing_since)
    lead += told(state, fmt::format("{} has failed for {}", asked,
                                    age_of(failing, *health.failing_since, ui.wall))) +
            ": ";
  else if (!recording)
    lead += asked + ": ";
  const Error said = without_lead({health.failure->what, health.failure->reason, ""}, asked);
  Banner banner;
  banner.reason = wrap(lead + told(state, to_line(said)), size.columns - kBelowSign - 1);
  banner.old = told(state, recording        ? insight::recording_age(*failing.cluster, ui.wall)
                           : health.last_ok ? fmt::format("shown is the state of {} ago",
                                                          age_of(failing, *health.last_ok, ui.wall))
                                            : std::string("it has never answered"));
  const std::string& hint = health.failure->hint;
  banner.below =
      wrap(hint.empty() ? banner.old : banner.old + "; " + told(state, hint), size.columns - kBelowSign - 1);
  const int most = std::max(2, size.rows / 6);
  keep_lines(banner.below, static_cast<std::size_t>(std::max(1, most / 2)));
  keep_lines(banner.reason, static_cast<std::size_t>(most) - banner.below.size());
  return banner;
}

void draw_banner_line(Canvas& canvas, int y, int end, const Banner& banner, int line, bool ascii) {
  const int first_below = static_cast<int>(banner.reason.size());
  Pen pen(canvas, kBelowSign, y, end, ascii);
  if (line < first_below) {
    pen.put(banner.reason[static_cast<std::size_t>(line)], Role::danger);
    return;
  }
  std::string_view text = banner.below[static_cast<std::size_t>(line - first_below)];
  const std::size_t old = line == first_below ? std::min(banner.old.size(), text.size()) : 0;
  pen.put(text.substr(0, old), Role::warning).put(text.substr(old), Role::text);
}

std::string message_text(const UiState& state) {
  const std::string sign = state.message.severity == Severity::danger ? std::string(kBannerSign) : "";
  return sign + told(state, state.message.text);
}

// Over the last lines of the screen: a reason without its end, or without the way out, is of no help. Returns
// the line of the rule above it.
int draw_long_message(Canvas& canvas, int y, const std::string& text, Style style, bool ascii) {
  constexpr int kMostLines = 6;
  const int width = canvas.size().columns;
  // What stands behind a sign goes on below itself, and not below the sign.
  const bool danger = text.starts_with(kBannerSign);
  const int at = 2 + (danger ? static_cast<int>(kBannerSign.size()) : 0);
  const std::vector<std::string> lines =
      wrap(std::string_view(text).substr(danger ? kBannerSign.size() : 0), width - 2 - at);
  const int count = std::min(static_cast<int>(lines.size()), kMostLines);
  draw_rule(canvas, 0, y - count, width, ascii);
  for (int i = 0; i < count; ++i) {
    canvas.fill(0, y - count + 1 + i, width, 1, " ");
    if (danger && i == 0) canvas.put(2, y - count + 1, kBannerSign, style);
    Pen pen(canvas, at, y - count + 1 + i, width - 1, ascii);
    pen.put(lines[static_cast<std::size_t>(i)], style);
  }
  return y - count;
}

// What waits for one of a few keys, and must not be covered by a message.
std::string standing_text(const UiState& state) {
  if (state.leaving == Leaving::parking)
    return "parking what is under way; tessera leaves when it is at rest";
  if (state.leaving == Leaving::asked)
    return fmt::format("a run is under way: {} park and leave, {} stay", first_key(state, Action::leave_park),
                       first_key(state, Action::leave_stay));
  if (state.resuming)
    return fmt::format("resume: {} carry on, {} plan again, {} go back, {} leave it",
                       first_key(state, Action::resume_carry_on), first_key(state, Action::resume_replan),
                       first_key(state, Action::resume_back), first_key(state, Action::resume_leave));
  return state.arming && state.arming->armed ? armed_text(state) : std::string();
}

// Asked in vain so far: that it is still loading would be said for ever.
bool is_asked_in_vain(const Cluster& cluster) {
  return !cluster.loaded && !cluster.progress &&
         std::any_of(cluster.sources.begin(), cluster.sources.end(), [](const auto& source) {
           const auto& [which, health] = source;
           return (tells_nodes(which) || tells_work(which)) && health.failure && !health.last_ok;
         });
}

// Older than its own pace promises.
bool is_stale(const Cluster& cluster, Duration age) {
  return age > std::max<Duration>(Duration(15000), cluster.pace.interval * 5 / 2);
}

}  // namespace

bool message_is_boxed(const UiState& state) {
  const bool wrong =
      state.message.severity == Severity::danger || state.message.severity == Severity::warning;
  return wrong && !state.message.text.empty() && display_width(message_text(state)) + 4 > state.size.columns;
}

std::vector<const Cluster*> clusters_of(const Screen& screen, const Model& model) {
  std::vector<const Cluster*> clusters;
  for (const Cluster& cluster : model.clusters)
    if (screen.cluster.empty() || cluster.name == screen.cluster) clusters.push_back(&cluster);
  return clusters;
}

Frame frame_of(const UiState& state, const UiContext& ui, Size size) {
  Frame frame;
  const std::vector<Failing> failing = failing_sources(state, ui);
  const int banner = failing.empty() ? 0 : banner_of(failing.front(), ui, state, size).lines();
  frame.banner = {0, 2, size.columns, banner};
  frame.message_y = size.rows - 2;
  frame.footer_y = size.rows - 1;
  frame.body = {0, 2 + banner, size.columns, std::max(0, size.rows - 4 - banner)};
  return frame;
}

Freshness freshness(const UiState& state, const UiContext& ui) {
  const std::vector<const Cluster*> clusters = clusters_of(state.top(), ui.model);
  std::optional<Duration> oldest;
  const Cluster *silent = nullptr, *unread = nullptr;
  int stale = 0;
  Duration interval{0}, silent_for{0};
  for (const Cluster* cluster : clusters) {
    if (!cluster->loaded && !is_asked_in_vain(*cluster)) {
      if (!cluster->progress) return {"loading", Role::changing};
      const Progress& progress = *cluster->progress;
      if (progress.total && *progress.total > 0)
        return {fmt::format("loading {} {}%", progress.what, progress.done * 100 / *progress.total),
                Role::changing};
      if (progress.done == 0) return {"loading " + progress.what, Role::changing};
      return {fmt::format("loading {} {}", progress.what, progress.done), Role::changing};
    }
    interval = std::max(interval, cluster->pace.interval);
    const std::optional<Duration> age = data_age(*cluster, ui.wall);
    if (!cluster->loaded) unread = cluster;
    if (!age) continue;
    // One that answers may be older: it is asked less often.
    if (is_stale(*cluster, *age)) {
      ++stale, silent = cluster;
      silent_for = std::max(silent_for, *age);
    }
    oldest = oldest ? std::max(*oldest, *age) : *age;
  }
  if (!oldest) return {"no data", Role::warning};
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(stale > 0 ? silent_for : *oldest).count();
  if (stale > 0) {
    // One that is silent does not make the others old.
    const std::string whose = clusters.size() == 1 ? ""
                              : stale == 1         ? silent->name.text + " "
                                           : fmt::format("{} of {} clusters ", stale, clusters.size());
    return {whose + query::duration_text(seconds) + " old", Role::warning};
  }
  if (unread) return {"no data: " + unread->name.text, Role::warning};
  if (interval < Duration(2000)) return {"live", Role::dim};
  // While it is as fresh as the interval promises, the figure stands still and costs no bytes.
  auto promised = std::chrono::duration_cast<std::chrono::seconds>(interval).count();
  return {fmt::format("{}{} old", glyphs(state.ascii).at_most, query::duration_text(promised)), Role::dim};
}

namespace {

constexpr int kTitleStart = 1;
constexpr std::string_view kProgramName = "tessera";

// The title line of one width: the way here from the left, how fresh it all is from the right.
struct Title {
  std::vector<Piece> pieces;
  std::vector<std::string> crumbs;  // one for each screen of the stack
  std::size_t first = 0;            // those before it have no room
  int end = 0;                      // where the pieces begin
};

int crumbs_width(const Title& title, const std::string& sign) {
  int cells = 0;
  for (std::size_t i = title.first; i < title.crumbs.size(); ++i)
    cells += display_width(sign) + 2 + display_width(title.crumbs[i]);
  return cells;
}

Title title_of(const UiState& state, const UiContext& ui, int width) {
  const std::string sign(glyphs(state.ascii).crumb);
  Title title;
  const bool many = ui.model.clusters.size() > 1;
  for (const Screen& screen : state.stack) title.crumbs.push_back(crumb(screen, many));
  // The overview is where everything begins: it is named where nothing else is.
  title.first = state.stack.size() > 1 ? 1 : 0;
  title.pieces = title_pieces(state, ui);
  const int left = kTitleStart + display_width(kProgramName);
  auto needs = [&] {
    int cells = 1;
    for (const Piece& piece : title.pieces) cells += display_width(piece.text) + 2;
    return cells;
  };
  // How old the figures are is told on every screen.
  while (left + crumbs_width(title, sign) + 2 + needs() > width) {
    auto least =
        std::find_if(title.pieces.begin(), title.pieces.end(), [](const Piece& one) { return !one.kept; });
    if (least == title.pieces.end()) break;
    title.pieces.erase(least);
  }
  title.end = width - needs();
  // A path too long for the line keeps its end, which is where you are.
  while (left + crumbs_width(title, sign) > title.end && title.first + 1 < title.crumbs.size()) ++title.first;
  return title;
}

}  // namespace

std::optional<std::size_t> crumb_at(const UiState& state, const UiContext& ui, int x) {
  const std::string sign(glyphs(state.ascii).crumb);
  const Title title = title_of(state, ui, state.size.columns);
  int at = kTitleStart + display_width(kProgramName);
  if (x >= kTitleStart && x < at) return 0;
  for (std::size_t i = title.first; i < title.crumbs.size(); ++i) {
    at += display_width(sign) + 2;
    const int end = std::min(at + display_width(title.crumbs[i]), title.end);
    if (x >= at && x < end) return i;
    at = end;
  }
  return std::nullopt;
}

std::string title_text(const UiState& state, const UiContext& ui) {
  std::string text;
  for (const Piece& piece : title_pieces(state, ui)) text += piece.text + '\n';
  return text;
}

void draw_title(Canvas& canvas, const UiState& state, const UiContext& ui) {
  int width = canvas.size().columns;
  const Title title = title_of(state, ui, width);
  int end = width - 1;
  for (auto piece = title.pieces.rbegin(); piece != title.pieces.rend(); ++piece)
    end = put_right(canvas, end, 0, piece->text, piece->style) - 2;
  Pen pen(canvas, kTitleStart, 0, end, state.ascii);
  pen.put(kProgramName, Style(Role::accent).with_bold());
  std::string path;
  for (std::size_t i = title.first; i < title.crumbs.size(); ++i)
    path += fmt::format(" {} {}", glyphs(state.ascii).crumb, title.crumbs[i]);
  pen.put(path, Style(Role::title).with_bold());
  if (state.past)
    draw_time_bar(canvas, 1, state, ui);
  else
    draw_rule(canvas, 0, 1, width, state.ascii);
}

void draw_banner(Canvas& canvas, Rect area, const UiState& state, const UiContext& ui) {
  if (area.height == 0) return;
  std::vector<Failing> failing = failing_sources(state, ui);
  const Banner banner = banner_of(failing.front(), ui, state, canvas.size());
  canvas.put(area.x + 1, area.y, kBannerSign, Style(Role::danger).with_bold());
  for (int line = 0; line < std::min(area.height, banner.lines()); ++line) {
    int end = area.right() - 1;
    if (failing.size() > 1 && line + 1 == banner.lines())
      end = put_right(canvas, end, area.y + line,
                      " " + told(state, fmt::format("{} more: {} opens the overview", failing.size() - 1,
                                                    first_key(state, Action::show_overview))),
                      Role::danger);
    draw_banner_line(canvas, area.y + line, end, banner, line, state.ascii);
  }
}

void draw_message(Canvas& canvas, int y, const UiState& state, const std::string& where) {
  int width = canvas.size().columns;
  const Screen& screen = state.top();
  draw_rule(canvas, 0, y, width, state.ascii);
  int end = width - 2;
  std::string standing = told(state, standing_text(state));
  if (!where.empty() && standing.empty()) end = put_right(canvas, end, y, " " + where + " ", Role::dim) - 1;
  Pen pen(canvas, 1, y, end, state.ascii);
  if (!standing.empty()) {
    const bool armed = state.arming && state.arming->armed;
    pen.put(" " + standing + " ", Style(armed ? Role::danger : Role::warning).with_bold());
    return;
  }
  if (!state.message.text.empty()) {
    const Style style = Style(role_of(state.message.severity)).with_bold();
    const std::string text = message_text(state);
    if (message_is_boxed(state) || display_width(text) + 2 > pen.left()) {
      const int rule = draw_long_message(canvas, y, text, style, state.ascii);
      if (message_is_boxed(state))
        put_right(canvas, width - 2, rule,
                  " " + told(state, first_key(state, Action::back) + " closes this; 6 keeps it") + " ",
                  Role::dim);
    } else {
      pen.put(" " + text + " ", style);
    }
    return;
  }
  if (std::string run = under_way_text(state); !run.empty() && !row_of(state).shows_runs)
    pen.put(" " + told(state, run) + " ", Style(Role::changing).with_bold()).skip(1);
  if (!screen.filter_text.empty()) pen.put(" filter " + screen.filter_text + " ", Role::accent).skip(1);
  if (screen.only_mine) pen.put(" only " + state.me + " ", Role::accent).skip(1);
  if (!screen.range_from.empty())
    pen.put(" " + told(state, fmt::format("range: {} marks it", first_key(state, Action::mark_range))) + " ",
            Role::accent)
        .skip(1);
  if (!screen.marks.empty()) pen.put(fmt::format(" {} marked ", screen.marks.size()), Role::accent);
}

}  // namespace tessera::tui
