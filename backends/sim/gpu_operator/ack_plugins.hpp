// ACK's device plugins on one simulated node: one for each mode of ack.node.gpu.schedule, and only that of
// the label's mode offers anything. A label that is taken off changes nothing; an unknown mode offers
// nothing.
//
// After ACK's documentation "Enable scheduling features" (March 2026); how long a change takes is ours.
// Threads: a plain object; used on one thread. The context outlives it.
#pragma once

#include <optional>
#include <string>

#include "backends/sim/gpu_operator/context.hpp"

namespace tessera::sim::kube {

// What such a node is labelled with before anybody chooses a mode.
Labels ack_labels(const NodeGroup& group);

class AckPlugins {
 public:
  AckPlugins(Context& context, std::string node);
  void label_is(const std::string& mode);

 private:
  void offer_nothing();
  void offer(const std::string& mode);
  void publish(std::int64_t whole, std::optional<std::int64_t> memory);

  Context& context_;
  std::string node_;
  std::uint32_t index_ = 0;
  std::optional<Agenda::Ticket> step_;  // the mode that is being entered
};

}  // namespace tessera::sim::kube
