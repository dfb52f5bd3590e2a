// The one meeting point of threads: bounded, coalescing, woken by an eventfd.
//
// A newer event about the same object replaces the older one where that one waits (a node, a workload, one
// source's figures of a node, a list, a source), so that a storm costs one draw. A list also removes the
// single objects of its kind that wait: it knows better. Beyond the bound a producer waits up to 100 ms for
// the reader; if none comes, news about single objects is dropped and counted until the reader is back. Lists
// and removals never are: a producer that sees the count grow posts its lists again. Threads: post from any
// thread; wake_fd and take from one reader.
#pragma once

#include <cstddef>
#include <memory>

#include "engine/port.hpp"

namespace tessera {

class Mailbox final : public EventSink, public EventSource {
 public:
  explicit Mailbox(std::size_t bound = 65536);
  ~Mailbox() override;
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  void post(Event event) override;
  int wake_fd() const override;
  std::vector<Event> take() override;

  std::size_t dropped() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera
