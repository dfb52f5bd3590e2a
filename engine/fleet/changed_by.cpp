#include "engine/fleet/changed_by.hpp"

#include <fmt/format.h>

#include "engine/plan/facts.hpp"
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

}  // namespace

std::string closed_sentence(const Node& node) {
  const std::string by = clean(node.reason_by, 100), why = clean(node.reason, 300);
  const std::string since = node.reason_at ? utc_text(*node.reason_at) : "?";
  if (by.empty()) return fmt::format("closed since {}, by whom is not told: {}", since, why);
  return fmt::format("closed by {}, since {}: {}", by, since, why);
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
    if (!layout_.empty() && layout != layout_) {
      // Whoever was at it has closed the node before, and may have opened it since.
      const Marked& then = marked.reason.empty() ? marked_ : marked;
      last_ = LayoutChange{seen_at_, at,         layout_, layout, clean(then.run, 100), clean(then.who, 100),
                           then.by,  then.reason};
    }
    layout_ = std::move(layout);
    seen_at_ = at;
  }
  marked_ = std::move(marked);
}

}  // namespace tessera::fleet
