#include "engine/fleet/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "engine/hostlist.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/text.hpp"

namespace tessera::fleet {

plan::Wish wish_of(const plan::BoardState& state) {
  plan::Wish wish;
  wish.strategy = state.mig ? Strategy::mig : state.strategy;
  wish.replicas = state.replicas;
  wish.vgpu = state.vgpu;
  for (const plan::InstanceAt& one : state.instances)
    wish.instances.push_back({one.profile, one.placed() ? std::optional(one.at.start) : std::nullopt});
  return wish;
}

std::string made_text(const BoardSurvey& board) {
  if (!board.made) return "?";
  if (board.made->mig && board.made->instances.empty()) return "empty";
  return plan::to_text(wish_of(*board.made));
}

std::string instances_text(const Node& node) {
  std::map<std::string, int> counts;
  const auto count = [&](const std::vector<Slice>& slices) {
    for (const Slice& slice : slices)
      if (slice.kind == SliceKind::gpu_instance) ++counts[slice.profile.text];
  };
  for (const Gpu& gpu : node.gpus) count(gpu.slices);
  count(node.pool);
  std::string text;
  for (const auto& [profile, number] : counts)
    text += fmt::format("{}{} × {}", text.empty() ? "" : ", ", number, clean(profile, 60));
  return text.empty() ? "none" : text;
}

std::string offered_text(const Node& node) {
  if (!node.allocatable) return "n/a";
  std::string text;
  for (const auto& [resource, count] : *node.allocatable)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", clean(resource, 100), count);
  return text.empty() ? "nothing" : text;
}

std::string gpus_text(const std::vector<int>& gpus) {
  std::vector<std::string> names;
  for (int gpu : gpus) names.push_back("g" + std::to_string(gpu));
  std::string text = fold_hosts(names);
  std::erase_if(text, [](char c) { return c == 'g' || c == '[' || c == ']'; });
  return text;
}

namespace {

// Without the driver's ids, which differ from GPU to GPU. Texts last: they cost most.
bool alike(const BoardSurvey& a, const BoardSurvey& b) {
  if (!a.made || !b.made) return !a.made && !b.made;
  return wish_of(*a.made) == wish_of(*b.made) || made_text(a) == made_text(b);
}

}  // namespace

bool mode_pends(const NodeSurvey& node, const BoardSurvey& board) {
  const Gpu* gpu = plan::find_gpu(*node.node, board.gpu);
  return gpu && (gpu->mig_mode == MigMode::enable_pending || gpu->mig_mode == MigMode::disable_pending);
}

std::vector<BoardRow> rows_of(const NodeSurvey& node) {
  std::vector<BoardRow> rows;
  for (const BoardSurvey& board : node.boards) {
    auto same = std::find_if(rows.begin(), rows.end(), [&](const BoardRow& row) {
      return row.board->standing == board.standing && row.board->wanted == board.wanted &&
             mode_pends(node, *row.board) == mode_pends(node, board) && alike(*row.board, board);
    });
    if (same == rows.end()) same = rows.insert(rows.end(), BoardRow{{}, &board, 0});
    same->gpus.push_back(board.gpu.value);
    same->held += board.held;
  }
  return rows;
}

Standing standing_of(const NodeSurvey& node, const BoardRow& row) {
  // Of a node whose switches differ no GPU does.
  const bool explained = std::any_of(node.boards.begin(), node.boards.end(),
                                     [&](const BoardSurvey& one) { return one.standing == node.standing; });
  return row.board && explained ? row.board->standing : node.standing;
}

LastRuns::LastRuns(const std::vector<RunHead>& runs) {
  for (const RunHead& run : runs)
    for (const NodeName& node : run.nodes) {
      const RunHead*& last = by_node_[{run.cluster, node}];
      if (!last || run.started > last->started) last = &run;
    }
}

const RunHead* LastRuns::of(const Survey& survey, const NodeSurvey& node) const {
  const auto found = by_node_.find({survey.cluster->name, node.node->name});
  return found == by_node_.end() ? nullptr : found->second;
}

const Rule& rule_of(const Due& due) { return due.phase.window ? due.phase.window->rule : due.pool->rule; }

std::string clock_text(const LocalTime& at) {
  constexpr const char* kDays[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
  const std::chrono::year_month_day date(at.day);
  return fmt::format("{} {:04}-{:02}-{:02} {:02}:{:02}",
                     kDays[std::chrono::weekday(at.day).iso_encoding() - 1], static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), at.minutes / 60,
                     at.minutes % 60);
}

}  // namespace tessera::fleet
