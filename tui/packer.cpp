#include "tui/packer.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "tui/screens/fleet/fleet.hpp"
#include "tui/screens/fleet/fleet_evidence.hpp"
#include "tui/screens/fleet/fleet_findings.hpp"
#include "tui/screens/large.hpp"
#include "tui/screens/waiting.hpp"

namespace tessera::tui {

namespace {

bool shows_demand(const Screen& screen) {
  return screen.kind == ScreenKind::overview || is_waiting_list(screen);
}

Duration since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begin);
}

}  // namespace

struct Packer::Work {
  struct Job {
    std::function<Message(const pack::Stop&, const Tell&)> work;
    std::shared_ptr<std::atomic<bool>> stopped = std::make_shared<std::atomic<bool>>(false);
  };

  std::mutex mutex;
  std::condition_variable news;
  std::shared_ptr<const void> asked;  // the last one
  bool asked_whole = true;            // with what journals and recordings say
  std::optional<Job> next;            // is worked out once the thread is free; nullopt: nothing is to be
  std::shared_ptr<std::atomic<bool>> running;  // of what is worked on; null: nothing is
  std::optional<Message> told;
  bool ending = false;
  FleetEvidenceReader evidence;  // the thread's own
  int wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  std::thread thread;

  explicit Work(FleetSources sources) : evidence(std::move(sources)) {}

  template <class Question, class Answer>
  void ask(std::shared_ptr<const Question> question, Answer answer, bool whole = true) {
    const std::lock_guard lock(mutex);
    if (question == asked && whole == asked_whole) return;
    asked = question;
    asked_whole = whole;
    next.reset();
    if (running) *running = true;
    if (!question) return;
    next = Job();
    next->work = [question = std::move(question), answer](const pack::Stop& stop, const Tell& tell) {
      return answer(question, stop, tell);
    };
    if (!thread.joinable()) thread = std::thread([this] { run(); });
    news.notify_one();
  }

  bool is_asked(const std::shared_ptr<const void>& question) {
    const std::lock_guard lock(mutex);
    return question == asked;
  }

  // What was given up is told to no one.
  void tell(Message message, const std::atomic<bool>& stopped) {
    if (stopped) return;
    told = std::move(message);
    const std::uint64_t one = 1;
    if (write(wake, &one, sizeof one) < 0) return;  // it is readable already
  }

  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      news.wait(lock, [this] { return ending || next; });
      if (ending) return;
      const Job job = std::move(*std::exchange(next, std::nullopt));
      running = job.stopped;
      lock.unlock();
      Message answer = job.work([&] { return job.stopped->load(); },
                                [&](Message message) {
                                  const std::lock_guard held(mutex);
                                  tell(std::move(message), *job.stopped);
                                });
      lock.lock();
      running.reset();
      tell(std::move(answer), *job.stopped);
    }
  }
};

Packer::Packer(FleetSources sources) : work_(std::make_unique<Work>(std::move(sources))) {}

Packer::~Packer() {
  if (work_->thread.joinable()) {
    {
      const std::lock_guard lock(work_->mutex);
      work_->ending = true;
      if (work_->running) *work_->running = true;
    }
    work_->news.notify_one();
    work_->thread.join();
  }
  close(work_->wake);
}

void Packer::follow(const UiState& state) {
  // The fleet file is asked about so often that what takes longer would never be done.
  if (shows_demand(state.top()) && state.large.demand && state.large.demand->working() &&
      work_->is_asked(state.large.demand->question))
    return;
  if (state.top().kind == ScreenKind::fleet && state.fleet && state.fleet->working())
    return ask(state.fleet->question);
  if (finds_in_fleet(state) && state.fleet->question && !state.fleet->answered())
    return ask(state.fleet->question, false);
  if (state.top().kind == ScreenKind::advise && state.advise && state.advise->working())
    return ask(state.advise->question);
  if (state.top().kind == ScreenKind::pack && state.pack && state.pack->working())
    return ask(state.pack->question);
  follow_large(state);
}

void Packer::follow_large(const UiState& state) {
  const LargeState& large = state.large;
  const ScreenKind kind = state.top().kind;
  if (shows_demand(state.top()) && large.demand && large.demand->working())
    return ask(large.demand->question);
  if (kind == ScreenKind::plan && state.plan && state.plan->asked_hours && state.plan->asked_hours->working())
    return ask(state.plan->asked_hours->question);
  if (kind == ScreenKind::layout && large.hours && large.hours->working()) return ask(large.hours->question);
  ask(large.why && large.why->working() ? large.why->question : nullptr);
}

void Packer::ask(std::shared_ptr<const PackQuestion> question) {
  work_->ask(std::move(question),
             [](const std::shared_ptr<const PackQuestion>& one, const pack::Stop& stop,
                const Tell& tell) -> Message { return PackTold{answer_of(one, stop, tell)}; });
}

void Packer::ask(std::shared_ptr<const AdviseQuestion> question) {
  work_->ask(std::move(question),
             [](const std::shared_ptr<const AdviseQuestion>& one, const pack::Stop& stop,
                const Tell& tell) -> Message { return AdviseTold{answer_of(one, stop, tell)}; });
}

void Packer::ask(std::shared_ptr<const DemandQuestion> question) { ask_large(std::move(question)); }
void Packer::ask(std::shared_ptr<const WhyQuestion> question) { ask_large(std::move(question)); }
void Packer::ask(std::shared_ptr<const HoursQuestion> question) { ask_large(std::move(question)); }

template <class Question>
void Packer::ask_large(std::shared_ptr<const Question> question) {
  work_->ask(std::move(question),
             [](const std::shared_ptr<const Question>& one, const pack::Stop& stop, const Tell&) -> Message {
               const auto begin = std::chrono::steady_clock::now();
               LargeTold told{answer_of(one, stop), {}};
               told.took = since(begin);
               return told;
             });
}

void Packer::ask(std::shared_ptr<const FleetQuestion> question, bool whole) {
  const auto answer = [&evidence = work_->evidence, whole](const std::shared_ptr<const FleetQuestion>& one,
                                                           const pack::Stop& stop,
                                                           const Tell& tell) -> Message {
    const auto journal = [&](const RunHead& head) { return evidence.journal_of(head); };
    auto found = answer_of(one, journal);
    return whole ? evidence.read(std::move(found), stop, tell) : FleetSeen{std::move(found), nullptr, false};
  };
  work_->ask(std::move(question), answer, whole);
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
  return work_->running || work_->next || work_->told;
}

}  // namespace tessera::tui
