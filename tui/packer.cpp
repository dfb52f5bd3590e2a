#include "tui/packer.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "engine/pack/pack.hpp"

namespace tessera::tui {

struct Packer::Work {
  std::mutex mutex;
  std::condition_variable news;
  std::shared_ptr<const PackQuestion> asked, next;  // the last one; and while nobody works on it
  std::shared_ptr<const PackAnswer> told;
  bool working = false, ending = false;
  int wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  std::thread thread;

  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      news.wait(lock, [this] { return ending || next; });
      if (ending) return;
      std::shared_ptr<const PackQuestion> question = std::exchange(next, nullptr);
      working = true;
      lock.unlock();
      std::shared_ptr<const PackAnswer> answer = answer_of(std::move(question));
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
  const bool shown = state.top().kind == ScreenKind::pack && state.pack && state.pack->working();
  ask(shown ? state.pack->question : nullptr);
}

void Packer::ask(std::shared_ptr<const PackQuestion> question) {
  const std::lock_guard lock(work_->mutex);
  if (question == work_->asked) return;
  work_->asked = question;
  work_->next = std::move(question);
  if (!work_->next) return;
  if (!work_->thread.joinable()) work_->thread = std::thread([work = work_.get()] { work->run(); });
  work_->news.notify_one();
}

std::shared_ptr<const PackAnswer> Packer::take() {
  const std::lock_guard lock(work_->mutex);
  std::uint64_t count = 0;
  if (read(work_->wake, &count, sizeof count) < 0) return nullptr;
  return std::exchange(work_->told, nullptr);
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
