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

// Instances that are shared are the device plugin's, too.
void add_labels(std::set<std::string_view>& labels, Strategy strategy, int replicas) {
  for (const std::string_view label : labels_of(strategy)) labels.insert(label);
  if (replicas > 1) labels.insert(operators::kPluginConfig);
}
void add_labels(std::set<std::string_view>& labels, const plan::BoardState& made) {
  add_labels(labels, made.mig ? Strategy::mig : made.strategy, made.replicas);
}

// Those by which what differs on a node is ordered: what is wanted there, and what is made.
std::set<std::string_view> labels_of(const NodeSurvey& node) {
  std::set<std::string_view> labels;
  bool boards = false;
  for (const BoardSurvey& board : node.boards) {
    if (board.standing != Standing::drifts) continue;
    boards = true;
    add_labels(labels, board.wanted.strategy, board.wanted.replicas);
    if (board.made) add_labels(labels, *board.made);
  }
  if (node.of_all) {
    add_labels(labels, Strategy::mig, 1);  // by which what does not fit there was ordered
    add_labels(labels, node.of_all->strategy, node.of_all->replicas);
    return labels;
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

// Without the driver's ids, which a reboot changes.
bool stands_alike(const plan::BoardState& a, const plan::BoardState& b) {
  return a.mig == b.mig && a.strategy == b.strategy && a.replicas == b.replicas && a.vgpu == b.vgpu &&
         plan::same_layout(a.instances, b.instances, true);
}

// Those by which it is ordered what stood on GPUs of a node and stands there now, where that is not the same.
std::set<std::string_view> labels_of(const std::vector<plan::BoardState>& before,
                                     const std::vector<plan::BoardState>& after) {
  std::set<std::string_view> labels;
  for (const plan::BoardState& now : after) {
    const plan::BoardState* then = plan::board_in(before, now.gpu);
    if (then && stands_alike(*then, now)) continue;
    std::set<std::string_view> own;
    add_labels(own, now);
    if (then) add_labels(own, *then);
    // Shares alone differ: the MIG manager has nothing to do with that.
    if (then && then->mig && now.mig && plan::same_layout(then->instances, now.instances, true))
      own.erase(operators::kMigConfig);
    labels.merge(own);
  }
  return labels;
}

// The last of those whose writers are told: what was written before had been carried out by then.
std::optional<LabelWrite> last_write(const Node& node, const std::set<std::string_view>& labels) {
  std::optional<LabelWrite> last;
  for (const std::string_view label : labels) {
    auto write = write_of(node, label);
    if (write && (!last || write->written > last->written)) last = std::move(write);
  }
  return last;
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
        from, to, change.before, change.after, change.label, change.ordered_by);
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
  if (std::string layout = layout_of(*node); !layout.empty()) {
    if (!since_) since_ = at;
    if (layout != layout_) note_change(*node, marked, std::move(layout), at);
    seen_at_ = at;
  }
  marked_ = std::move(marked);
}

void LayoutWatch::note_change(const Node& node, const Marked& marked, std::string layout, TimePoint at) {
  std::string brief = short_layout_of(node);
  std::vector<plan::BoardState> boards;
  for (const Gpu& gpu : node.gpus) boards.push_back(plan::state_of(gpu));
  if (!layout_.empty()) {
    // Whoever was at it has closed the node before, and may have opened it since.
    const Marked& then = marked.reason.empty() ? marked_ : marked;
    const bool starts_alone = brief == short_layout_;
    LayoutChange& change = last_.emplace();
    change.from = seen_at_, change.to = at;
    change.before = starts_alone ? layout_ : short_layout_, change.after = starts_alone ? layout : brief;
    change.run = clean(then.run, 100), change.who = clean(then.who, 100);
    change.closed_by = then.by, change.closed_for = then.reason;
    if (const auto write = last_write(node, labels_of(boards_, boards)))
      change.label = write->label, change.ordered_by = writer_text(write->by, write->written, {});
  }
  layout_ = std::move(layout), short_layout_ = std::move(brief), boards_ = std::move(boards);
}

}  // namespace tessera::fleet
