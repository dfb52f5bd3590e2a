// Events that a test or a bench posts itself, as a mailbox hands them out.
// Threads: one.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "engine/port.hpp"

namespace tessera::test {

class EventQueue final : public EventSource {
 public:
  EventQueue() : fd_(eventfd(0, EFD_NONBLOCK)) {}
  ~EventQueue() override { close(fd_); }
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;
  void post(Event event) {
    waiting_.push_back(std::move(event));
    eventfd_write(fd_, 1);
  }
  int wake_fd() const override { return fd_; }
  std::vector<Event> take() override {
    eventfd_t value = 0;
    eventfd_read(fd_, &value);
    return std::exchange(waiting_, {});
  }

 private:
  int fd_;
  std::vector<Event> waiting_;
};

}  // namespace tessera::test
