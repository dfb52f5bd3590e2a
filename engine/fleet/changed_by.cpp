#include "engine/fleet/changed_by.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/fleet/left.hpp"
#include "engine/fleet/rows.hpp"
#include "engine/operators/labels.hpp"
#include "engine/operators/order_writer.hpp"
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

std::string order_sentence(const Result<plan::NodeFacts>& facts) {
  const std::string label(operators::kMigConfig);
  const auto unknown = [&](const std::string& why) {
    return fmt::format("who wrote the label {} last is not known: {}", label, clean(why, 300));
  };
  if (!facts) return unknown(to_line(facts.error()));
  const auto word = facts->words.find(std::string(operators::kMigConfigWriter));
  if (word == facts->words.end() || word->second.empty())
    return unknown("the node has no such label, or its managedFields do not tell");
  return fmt::format("the label {} was written last by {}", label, word->second);
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
      last_ = LayoutChange{seen_at_,
                           at,
                           starts_alone ? layout_ : short_layout_,
                           starts_alone ? layout : brief,
                           clean(then.run, 100),
                           clean(then.who, 100),
                           then.by,
                           then.reason,
                           node->order ? clean(node->order->by, 200) : ""};
    }
    short_layout_ = std::move(brief);
    layout_ = std::move(layout);
    seen_at_ = at;
  }
  marked_ = std::move(marked);
}

}  // namespace tessera::fleet
