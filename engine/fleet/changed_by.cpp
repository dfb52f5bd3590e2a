#include "engine/fleet/changed_by.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/fleet/left.hpp"
#include "engine/fleet/rows.hpp"
#include "engine/hostlist.hpp"
#include "engine/operators/labels.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/record/difference.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::fleet {
namespace {

// Empty: it is not known now.
std::string layout_of(const Node& node) {
  if (node.health == Health::down || node.health == Health::unknown) return "";
  std::string text;
  for (const Gpu& gpu : node.gpus) {
    if (gpu.strategy == Strategy::unknown) return "";
    text += fmt::format("{}GPU {}: {}", text.empty() ? "" : "; ", gpu.index.value, record::layout_of(gpu));
  }
  return text;
}

// GPUs that are alike together: a node of eight in sevenths has 56 starts.
std::string short_layout_of(const Node& node) {
  std::vector<std::pair<std::string, std::vector<int>>> kinds;
  for (const Gpu& gpu : node.gpus) {
    std::string text = state_text(plan::state_of(gpu));
    const auto same =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) { return one.first == text; });
    if (same != kinds.end())
      same->second.push_back(gpu.index.value);
    else
      kinds.push_back({std::move(text), {gpu.index.value}});
  }
  std::string all;
  for (const auto& [text, gpus] : kinds)
    all += fmt::format("{}GPU {}: {}", all.empty() ? "" : "; ", gpus_text(gpus), text);
  return all;
}

bool is_writer_told(const Node& node) { return node.order && !node.order->by.empty(); }

// "kubectl-label, 2026-11-21T14:03:00Z"; of several nodes from the first time to the last.
std::string writer_text(const std::string& by, std::optional<TimePoint> from, std::optional<TimePoint> to) {
  std::string text = clean(by, 100);
  if (from) text += ", " + utc_text(*from);
  if (to && to != from) text += " – " + utc_text(*to);
  return text;
}

// The labels by which a way of sharing is ordered.
std::vector<std::string_view> labels_of(Strategy strategy) {
  switch (strategy) {
    case Strategy::mig: return {operators::kMigConfig};
    case Strategy::mps:
    case Strategy::time_slicing: return {operators::kPluginConfig};
    case Strategy::vgpu: return {operators::kVgpuConfig, operators::kWorkload};
    case Strategy::shard:
    case Strategy::whole:
    case Strategy::unknown: break;
  }
  return {};
}

// Those by which what differs on a node is ordered: what is wanted there, and what is made.
std::set<std::string_view> labels_of(const NodeSurvey& node) {
  std::set<std::string_view> labels;
  const auto add = [&](Strategy strategy) {
    for (const std::string_view label : labels_of(strategy)) labels.insert(label);
  };
  bool boards = false;
  for (const BoardSurvey& board : node.boards) {
    if (board.standing != Standing::drifts) continue;
    boards = true;
    add(board.wanted.strategy);
    if (board.made) add(board.made->mig ? Strategy::mig : board.made->strategy);
    // Instances that are shared, or are to be: the device plugin does that.
    if (board.wanted.replicas > 1 || (board.made && board.made->replicas > 1))
      labels.insert(operators::kPluginConfig);
  }
  // Its switches differ.
  if (!boards && node.standing == Standing::drifts) labels.insert(operators::kPluginConfig);
  return labels;
}

// nullopt: it is not told.
std::optional<LabelWrite> write_of(const Node& node, std::string_view label) {
  if (label == operators::kMigConfig)
    return is_writer_told(node)
               ? std::optional(LabelWrite{std::string(label), node.order->by, node.order->written})
               : std::nullopt;
  const auto known = std::find_if(node.writes.begin(), node.writes.end(),
                                  [&](const LabelWrite& one) { return one.label == label; });
  return known == node.writes.end() ? std::nullopt : std::optional(*known);
}

// Sentences as a whole: that is how they are translated.
std::string change_sentence(const LayoutChange& change) {
  const std::string from = utc_text(change.from), to = utc_text(change.to);
  if (!change.run.empty())
    return fmt::format(
        "its layout changed between {} and {}, as recorded: {} → {}; run {} of {} had marked it", from, to,
        change.before, change.after, change.run, change.who);
  if (!change.closed_by.empty())
    return fmt::format("its layout changed between {} and {}, as recorded: {} → {}; {} had closed it: {}",
                       from, to, change.before, change.after, change.closed_by, change.closed_for);
  if (!change.ordered_by.empty())
    return fmt::format(
        "its layout changed between {} and {}, as recorded: {} → {}; the label {} was written last by {}",
        from, to, change.before, change.after, operators::kMigConfig, change.ordered_by);
  return fmt::format(
      "its layout changed between {} and {}, as recorded: {} → {}; who did that is not recorded", from, to,
      change.before, change.after);
}

}  // namespace

std::string LayoutWatch::sentence() const {
  if (last_) return change_sentence(*last_);
  if (since_) return "its layout has not changed since " + utc_text(*since_) + ", as recorded";
  return "its GPUs are not in the recording of the last 7 days";
}

std::string closed_sentence(const Node& node) {
  const std::string by = clean(node.reason_by, 100), why = clean(node.reason, 300);
  const std::string since = node.reason_at ? utc_text(*node.reason_at) : "?";
  if (by.empty()) return fmt::format("closed since {}, by whom is not told: {}", since, why);
  return fmt::format("closed by {}, since {}: {}", by, since, why);
}

std::vector<std::string> order_sentences(const Cluster& cluster, const Node& node) {
  std::vector<std::string> sentences;
  const bool has_writers = cluster.scheduler == Scheduler::kubernetes && !cluster.simulated;
  const auto tell = [&](const LabelWrite& write) {
    sentences.push_back(fmt::format("the label {} was written last by {}", clean(write.label, 100),
                                    writer_text(write.by, write.written, {})));
  };
  if (const auto write = write_of(node, operators::kMigConfig))
    tell(*write);
  else if (has_writers)
    sentences.push_back(fmt::format("who wrote the label {} last is not known: {}", operators::kMigConfig,
                                    "the node has no such label, or its managedFields do not tell"));
  for (const LabelWrite& write : node.writes) tell(write);
  return sentences;
}

std::vector<std::string> order_sentences(const Survey& survey) {
  struct Writes {
    std::vector<std::string> nodes;
    std::optional<TimePoint> from, to;
  };
  std::map<std::pair<std::string, std::string>, Writes> all;  // by label and writer
  for (const NodeSurvey& one : survey.nodes)
    for (const std::string_view label : labels_of(one)) {
      const auto write = write_of(*one.node, label);
      if (!write) continue;
      Writes& writes = all[{write->label, write->by}];
      writes.nodes.push_back(one.node->name.text);
      const std::optional<TimePoint>& at = write->written;
      if (at && (!writes.from || *at < *writes.from)) writes.from = at;
      if (at && (!writes.to || *at > *writes.to)) writes.to = at;
    }
  std::vector<std::string> sentences;
  for (const auto& [write, writes] : all)
    sentences.push_back(fmt::format("{}: the label {} was written last by {}",
                                    clean(fold_for_reading(writes.nodes), 300), write.first,
                                    writer_text(write.second, writes.from, writes.to)));
  return sentences;
}

void LayoutWatch::see(const Cluster& cluster, TimePoint at) {
  const Node* node = cluster.nodes.find(node_);
  if (!node) return;
  Marked marked;
  if (plan::closed_by_flags(*node)) {
    marked.by = clean(node->reason_by, 100), marked.reason = clean(node->reason, 300);
    if (const auto mark = plan::parse_mark(node->reason)) marked.run = mark->run, marked.who = mark->who;
  }
  std::string layout = layout_of(*node);
  if (!layout.empty()) {
    if (!since_) since_ = at;
    std::string brief = layout == layout_ ? short_layout_ : short_layout_of(*node);
    if (!layout_.empty() && layout != layout_) {
      // Whoever was at it has closed the node before, and may have opened it since.
      const Marked& then = marked.reason.empty() ? marked_ : marked;
      const bool starts_alone = brief == short_layout_;
      last_ =
          LayoutChange{seen_at_,
                       at,
                       starts_alone ? layout_ : short_layout_,
                       starts_alone ? layout : brief,
                       clean(then.run, 100),
                       clean(then.who, 100),
                       then.by,
                       then.reason,
                       is_writer_told(*node) ? writer_text(node->order->by, node->order->written, {}) : ""};
    }
    short_layout_ = std::move(brief);
    layout_ = std::move(layout);
    seen_at_ = at;
  }
  marked_ = std::move(marked);
}

}  // namespace tessera::fleet
