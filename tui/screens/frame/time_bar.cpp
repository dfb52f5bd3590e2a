#include "tui/screens/frame/time_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "engine/query/local_time.hpp"
#include "engine/record/recording.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/widgets/paint.hpp"

namespace tessera::tui {
namespace {

constexpr Duration kDay{24 * 3'600'000LL};
constexpr int kShortest = 10;  // cells of the track

std::tm local(TimePoint at) {
  const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
  std::tm parts{};
  localtime_r(&seconds, &parts);
  return parts;
}

// "11-24 03:12", "03:12"
std::string label(TimePoint at, bool with_day) {
  constexpr std::size_t kMonth = 5, kDate = 6, kMinutes = 5, kZone = 19;
  const std::string text = query::local_text(at), minutes = text.substr(kMonth + kDate, kMinutes);
  return (with_day ? text.substr(kMonth, kDate) : "") + minutes + text.substr(kZone);
}

// What the line stands for: all that is recorded, or of a longer recording the day of this moment.
record::Covered window_of(const Recorded& recorded, TimePoint at) {
  if (recorded.to - recorded.from <= kDay) return {recorded.from, recorded.to};
  std::tm parts = local(at);
  parts.tm_hour = parts.tm_min = parts.tm_sec = 0, parts.tm_isdst = -1;
  const TimePoint begin{std::chrono::seconds(::mktime(&parts))};
  ++parts.tm_mday, parts.tm_hour = 0, parts.tm_isdst = -1;  // not always 24 hours later
  return {begin, TimePoint(std::chrono::seconds(::mktime(&parts)))};
}

std::string state_text(const UiState& state) {
  if (state.playing <= 0) return "stopped";
  return fmt::format("playing {:g}x", state.playing);
}

struct Track {
  int begin = 0, cells = 0;
  record::Covered window;
  int cell_of(TimePoint at) const {
    const auto whole = std::max<Duration::rep>(1, (window.to - window.from).count());
    const auto passed = std::clamp<Duration::rep>((at - window.from).count(), 0, whole);
    return begin + static_cast<int>(passed * (cells - 1) / whole);
  }
};

void draw_track(Canvas& canvas, int y, const Track& track, const Recorded& recorded, TimePoint at,
                bool ascii) {
  for (int x = track.begin; x < track.begin + track.cells; ++x)
    canvas.put(x, y, ascii ? "." : "·", Role::dim, x + 1);
  for (int x = track.cell_of(recorded.from); x <= track.cell_of(recorded.to); ++x)
    canvas.put(x, y, ascii ? "=" : "━", Role::dim, x + 1);
  const int here = track.cell_of(at);
  canvas.put(here, y, ascii ? "O" : "●", Style(Role::danger).with_bold(), here + 1);
}

// All that is recorded of any of them; what was found is said by the first that has something to say.
Recorded recorded_of(const std::vector<const Cluster*>& clusters) {
  std::optional<Recorded> all;
  for (const Cluster* one : clusters) {
    if (!one->recorded) continue;
    if (!all) all = one->recorded;
    all->from = std::min(all->from, one->recorded->from), all->to = std::max(all->to, one->recorded->to);
    if (all->found.empty()) all->found = one->recorded->found;
    // The moment is there, and its events are not yet.
    if (all->found.empty() && one->loaded && one->progress) all->found = "reading its events";
  }
  return all.value_or(Recorded{});
}

}  // namespace

std::optional<TimePoint> moment_of(const std::vector<const Cluster*>& clusters, TimePoint wall) {
  std::optional<TimePoint> at;
  for (const Cluster* one : clusters)
    if (one->recorded) at = std::max(at.value_or(TimePoint::min()), cluster_now(*one, wall));
  return at;
}

void draw_time_bar(Canvas& canvas, int y, const UiState& state, const UiContext& ui) {
  const int width = canvas.size().columns;
  const std::vector<const Cluster*> clusters = clusters_of(state.top(), ui.model);
  const std::optional<TimePoint> moment = moment_of(clusters, ui.wall);
  draw_rule(canvas, 0, y, width, state.ascii);
  if (!moment) return;
  const TimePoint at = *moment;
  const Recorded recorded = recorded_of(clusters);
  const record::Covered window = window_of(recorded, at);
  const std::string playing = " " + told(state, state_text(state)) + " ";
  const std::string found = recorded.found.empty() ? "" : told(state, recorded.found);
  std::string from, to;
  int fixed = 0, most = 0;
  // What happened is worth more than the day, which the title tells, too.
  for (const bool with_day : {true, false}) {
    from = " " + label(window.from, with_day) + " ", to = " " + label(window.to, with_day) + " ";
    fixed = display_width(from) + display_width(to) + display_width(playing);
    most = std::max(0, width - fixed - kShortest - 2);
    if (found.empty() || display_width(found) + 2 <= most) break;
  }
  const int words = found.empty() ? 0 : std::min(display_width(found) + 2, most);
  const Track track{1 + display_width(from), width - 2 - fixed - words, window};
  if (track.cells < kShortest) return;
  canvas.put(1, y, from, Role::text, width);
  draw_track(canvas, y, track, recorded, at, state.ascii);
  Pen pen(canvas, track.begin + track.cells, y, width - 1, state.ascii);
  pen.put(to, Role::text).put(playing, state.playing > 0 ? Role::changing : Role::dim);
  if (words > 2) pen.put(" " + shorten(found, words - 2, state.ascii) + " ", Style(Role::accent).with_bold());
}

}  // namespace tessera::tui
