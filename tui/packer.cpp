#include "tui/packer.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "engine/pack/pack.hpp"
#include "tui/screens/fleet/fleet.hpp"

namespace tessera::tui {

struct Packer::Work {
  std::mutex mutex;
  std::condition_variable news;
  std::shared_ptr<const void> asked;  // the last one
  std::function<Message()> next;      // works it out; empty: nobody needs to
  std::optional<Message> told;
  bool working = false, ending = false;
  int wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  std::thread thread;

  template <class Question>
  void ask(std::shared_ptr<const Question> question, Message (*answer)(std::shared_ptr<const Question>)) {
    const std::lock_guard lock(mutex);
    if (question == asked) return;
    asked = question;
    next = nullptr;
    if (!question) return;
    next = [question = std::move(question), answer] { return answer(question); };
    if (!thread.joinable()) thread = std::thread([this] { run(); });
    news.notify_one();
  }

  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      news.wait(lock, [this] { return ending || next; });
      if (ending) return;
      const std::function<Message()> work = std::exchange(next, nullptr);
      working = true;
      lock.unlock();
      Message answer = work();
      lock.lock();
      working = false;
      told = std::move(answer);
      const std::uint64_t one = 1;
      if (write(wake, &one, sizeof one) < 0) continue;  // it is readable already
    }
  }
};

Packer::Packer() : work_(std::make_unique<Work>()) {}

Packer::~Packer() {
  if (work_->thread.joinable()) {
    {
      const std::lock_guard lock(work_->mutex);
      work_->ending = true;
    }
    work_->news.notify_one();
    work_->thread.join();
  }
  close(work_->wake);
}

void Packer::follow(const UiState& state) {
  if (state.top().kind == ScreenKind::fleet && state.fleet && state.fleet->working())
    return ask(state.fleet->question);
  const bool shown = state.top().kind == ScreenKind::pack && state.pack && state.pack->working();
  ask(shown ? state.pack->question : nullptr);
}

void Packer::ask(std::shared_ptr<const PackQuestion> question) {
  work_->ask<PackQuestion>(std::move(question), [](std::shared_ptr<const PackQuestion> one) -> Message {
    return PackTold{answer_of(std::move(one))};
  });
}

void Packer::ask(std::shared_ptr<const FleetQuestion> question) {
  work_->ask<FleetQuestion>(std::move(question), [](std::shared_ptr<const FleetQuestion> one) -> Message {
    return FleetSeen{answer_of(std::move(one))};
  });
}

std::optional<Message> Packer::take() {
  const std::lock_guard lock(work_->mutex);
  std::uint64_t count = 0;
  if (read(work_->wake, &count, sizeof count) < 0) return std::nullopt;
  return std::exchange(work_->told, std::nullopt);
}

int Packer::wake_fd() const { return work_->wake; }

bool Packer::busy() const {
  const std::lock_guard lock(work_->mutex);
  return work_->working || work_->next || work_->told;
}

std::shared_ptr<const PackAnswer> answer_of(std::shared_ptr<const PackQuestion> question) {
  Result<pack::Answer> answer = pack::pack(question->problem);
  return std::make_shared<const PackAnswer>(PackAnswer{std::move(question), std::move(answer)});
}

}  // namespace tessera::tui
