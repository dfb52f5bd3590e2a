// Who changed a node beside the runs of tessera: who has closed it, who wrote the labels that order its
// layout and its sharing (Kubernetes, by metadata.managedFields), and by the rounds of a recording when its
// layout changed and who was at it then. Threads: a value with one owner.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/fleet/survey.hpp"
#include "engine/model/model.hpp"
#include "engine/plan/plan.hpp"

namespace tessera::fleet {

struct LayoutChange {
  TimePoint from{}, to{};  // it came about between these two rounds
  // The layouts of its GPUs: "GPU 0-7: 7 × 1g.10gb", with starts where these alone differ.
  std::string before, after;
  std::string run, who;  // the run that had marked the node then; empty: none had, or it is not recorded
  std::string closed_by, closed_for;  // whoever had closed it then, by the scheduler's word; empty: not told
  // Of the labels that order what changed the one that was written last, and by whom; empty: not recorded.
  std::string label, ordered_by;
};

// How far back a recording is looked through for it.
inline constexpr Duration kLooksBack{7LL * 24 * 3'600'000};

// Who has closed a node, since when and why: one sentence.
std::string closed_sentence(const Node& node);

// Who wrote the label that orders the layout of a node last, and each other label that orders how its GPUs
// are shared: a sentence each. Empty: its scheduler keeps no such labels. A client names itself as it likes.
std::vector<std::string> order_sentences(const Cluster& cluster, const Node& node);
// The same of all nodes that drift and of which it is told, of the labels that order what drifts there: one
// sentence a label and writer.
std::vector<std::string> order_sentences(const Survey& survey);

class LayoutWatch {
 public:
  explicit LayoutWatch(NodeName node) : node_(std::move(node)) {}

  // One round after the other, oldest first. Rounds that do not tell the node's GPUs are passed over.
  void see(const Cluster& cluster, TimePoint at);
  const std::optional<LayoutChange>& last() const { return last_; }
  // The first round that told its GPUs; nullopt: none did.
  std::optional<TimePoint> since() const { return since_; }
  // What the rounds tell: one sentence.
  std::string sentence() const;

 private:
  struct Marked {
    std::string run, who, by, reason;
  };
  // Another layout than in the round before, or the first one.
  void note_change(const Node& node, const Marked& marked, std::string layout, TimePoint at);

  NodeName node_;
  std::optional<TimePoint> since_;
  TimePoint seen_at_{};
  std::string layout_, short_layout_;     // with starts, and without
  std::vector<plan::BoardState> boards_;  // what stood on its GPUs
  Marked marked_;                         // in the round before
  std::optional<LayoutChange> last_;
};

}  // namespace tessera::fleet
