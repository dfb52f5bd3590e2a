#include "tui/screens/overview/overview_spare.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "engine/insight/available.hpp"
#include "engine/query/value.hpp"
#include "tui/language/wrap.hpp"
#include "tui/screens/cell_words.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/events.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/roles.hpp"
#include "tui/screens/users.hpp"

namespace tessera::tui {
namespace {

constexpr int kNarrowestBlock = 58;  // of a block
constexpr std::size_t kLatest = 14;

class Block {
 public:
  Block(Canvas& canvas, Rect area, const UiState& state) : canvas_(canvas), area_(area), state_(state) {}

  void heading(std::string_view text, Action way) {
    Pen pen(canvas_, area_.x, area_.y, area_.right(), state_.ascii);
    pen.put(told(state_, text), Style(Role::heading).with_bold());
    const std::string key = first_key(state_, way);
    if (!key.empty()) pen.skip(2).put(key, Role::key);
  }
  bool full() const { return line_ >= std::min(area_.height, kSpareLines); }
  // The next line; cells are put at columns counted from the left end of the block.
  void next() { ++line_; }
  void cell(int x, int width, std::string_view text, Style style, bool right = false) {
    width = std::min(width, area_.width - x);
    put_cell(canvas_, area_.x + x, area_.y + line_, width, text, style, state_.ascii, right);
  }
  int width() const { return area_.width; }
  // It ends where the block does: the next one has a sentence of its own beside it.
  void nothing(std::string_view text) {
    for (const std::string& part : wrap(told(state_, text), area_.width)) {
      if (full()) return;
      cell(0, area_.width, part, Role::dim);
      next();
    }
  }

 private:
  Canvas& canvas_;
  Rect area_;
  const UiState& state_;
  int line_ = 1;
};

// "2 running, 1 waiting, 1 of 2 idle"
std::string work_text(const insight::UserSum& sum, const UiState& state) {
  std::string text = told(state, fmt::format("{} running", sum.running));
  if (sum.suspended > 0) text += told(state, ", ") + told(state, fmt::format("{} suspended", sum.suspended));
  if (sum.waiting > 0) text += told(state, ", ") + told(state, fmt::format("{} waiting", sum.waiting));
  if (sum.idle > 0)
    text += told(state, ", ") + told(state, fmt::format("{} of {} idle", sum.idle, sum.measured));
  return text;
}

void draw_users(Block block, const UiContext& ui, const UiState& state) {
  block.heading(N_("WHO HOLDS MOST"), Action::show_users);
  const std::vector<insight::UserSum>& users = state.users.users;
  if (users.empty())
    block.nothing(none_text(ui, N_("No workload holds or waits for a GPU."),
                            N_("Of the clusters that answer, no workload holds or waits for a GPU.")));
  for (const insight::UserSum& sum : users) {
    if (block.full()) return;
    block.cell(0, 14, sum.user.empty() ? "?" : sum.user, Role::text);
    const std::string old = why_not_now(ui, state, sum.cluster);
    block.cell(15, 6, gpus_text(sum, state.ascii), old.empty() ? Role::held : Role::dim, true);
    block.cell(22, 5, "GPUs", Role::dim);
    block.cell(28, block.width() - 28, (old.empty() ? old : old + ": ") + work_text(sum, state),
               sum.idle > 0 && old.empty() ? Role::warning : Role::dim);
    block.next();
  }
}

constexpr int kAge = 11;  // cells of "23 h 59 min"

// Where the parts of a line begin. The reason is what is read to its end: names have no more than they need.
struct WaitingCells {
  int age, user, asks;
};
// Pods of one deployment differ in the end of their names alone.
WaitingCells cells_of(const std::vector<WaitingLong>& waiting, int width) {
  constexpr int kFewId = 16, kMostId = 26, kMostUser = 10, kWide = 60;
  int id = 5, user = 4;
  for (const WaitingLong& one : waiting) {
    id = std::max(id, std::min(display_width(one.id.text), width >= kWide ? kMostId : kFewId));
    user = std::max(user, std::min(display_width(one.user), kMostUser));
  }
  const int after_age = id + 2 + kAge + 2;
  return {id + 2, after_age, after_age + user + 2};
}

void draw_waiting(Block block, const UiContext& ui, const UiState& state) {
  block.heading(N_("WAITING LONGEST"), Action::show_waiting);
  if (state.overview.waiting.empty())
    block.nothing(none_text(ui, N_("Nothing waits for a GPU."),
                            N_("Of the clusters that answer, nothing waits for a GPU.")));
  const WaitingCells at = cells_of(state.overview.waiting, block.width());
  for (const WaitingLong& one : state.overview.waiting) {
    if (block.full()) return;
    const Cluster* cluster = ui.model.find(one.cluster);
    const std::string age = cluster ? query::duration_text(std::chrono::duration_cast<std::chrono::seconds>(
                                                               cluster_now(*cluster, ui.wall) - one.since)
                                                               .count())
                                    : std::string("?");
    block.cell(0, at.age - 2, one.id.text, Role::text);
    block.cell(at.age, kAge, age, Role::warning, true);
    block.cell(at.user, at.asks - at.user - 2, one.user, Role::dim);
    block.cell(at.asks, block.width() - at.asks, one.asks + "  " + one.reason, Role::dim);
    block.next();
  }
}

void draw_events(Block block, const UiContext& ui, const UiState& state) {
  block.heading(N_("LATEST EVENTS"), Action::show_events);
  if (ui.model.log.empty() && ui.model.work_log.empty())
    block.nothing(reads_events(ui.model) ? N_("Older events of this moment are being read.")
                                         : N_("Nothing has happened yet."));
  for (const EventLine& line : latest_events(ui, state, kLatest)) {
    if (block.full()) return;
    block.cell(0, 5, time_text(line.entry->at).substr(11, 5), Role::dim);
    block.cell(6, 12, line.subject, Role::text);
    block.cell(19, block.width() - 19, line.text, role_of(line.entry->severity));
    block.next();
  }
}

// "1 × 3g.40gb", "60 MPS percent"
std::string asked_for(const Model& model, std::span<const insight::Totals> totals, const Cluster& cluster,
                      const Request& asks) {
  const auto index = static_cast<std::size_t>(&cluster - model.clusters.data());
  const std::string unit =
      index < totals.size() ? insight::unit_asked_for(totals[index], asks.resource, cluster.scheduler) : "";
  if (!unit.empty()) return fmt::format("{} {}", asks.count, unit);
  return fmt::format("{} × {}", asks.count, short_cell("asks", asks.resource));
}

}  // namespace

std::vector<WaitingLong> waiting_longest(const Model& model, std::size_t most,
                                         std::span<const insight::Totals> totals) {
  std::vector<std::pair<const Cluster*, const Workload*>> all;
  for (const Cluster& cluster : model.clusters)
    for (const Workload& workload : cluster.workloads.all())
      if (workload.state == WorkloadState::pending && workload.submitted && !workload.requests.empty())
        all.emplace_back(&cluster, &workload);
  const std::size_t kept = std::min(most, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(),
                    [](const auto& a, const auto& b) {
                      return std::pair(*a.second->submitted, a.second->id) <
                             std::pair(*b.second->submitted, b.second->id);
                    });
  std::vector<WaitingLong> longest;
  for (std::size_t i = 0; i < kept; ++i) {
    const auto& [cluster, workload] = all[i];
    const Request& asks = workload->requests.front();
    longest.push_back({cluster->name, workload->id, workload->user, asked_for(model, totals, *cluster, asks),
                       workload->reason, *workload->submitted});
  }
  return longest;
}

void draw_spare(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state) {
  if (area.height < kSpareFrom) return;
  const int blocks = std::clamp((area.width - 1) / kNarrowestBlock, 1, 3), width = (area.width - 1) / blocks;
  const auto place = [&](int index) {
    return Block(canvas, {area.x + 1 + index * width, area.y, width - 2, area.height}, state);
  };
  draw_users(place(0), ui, state);
  if (blocks > 1) draw_waiting(place(1), ui, state);
  if (blocks > 2) draw_events(place(2), ui, state);
}

}  // namespace tessera::tui
