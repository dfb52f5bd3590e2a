#include "backends/mailbox.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <type_traits>
#include <unordered_map>

namespace tessera {
namespace {

// What an event is about. Events with equal subjects replace each other.
enum class Kind : char {
  node,
  workload,
  figures,
  source,
  remarks,
  other,  // one subject a type of event
  each,   // replaces nothing and is replaced by nothing
};

struct About {
  Kind kind = Kind::other;
  bool list = false;       // replaces every single object of its kind
  bool droppable = false;  // may be lost when the reader is late: its producer posts a list then
  std::string_view id;
  std::string_view teller;  // of figures: two sources may tell of one node
};

About about(const Event& event) {
  return std::visit(
      [&](const auto& what) -> About {
        using What = std::decay_t<decltype(what)>;
        if constexpr (std::is_same_v<What, NodesListed>)
          return {Kind::node, true, false, {}};
        else if constexpr (std::is_same_v<What, NodeSeen>)
          return {Kind::node, false, true, what.node.name.view()};
        else if constexpr (std::is_same_v<What, NodeGone>)
          return {Kind::node, false, false, what.name.view()};
        else if constexpr (std::is_same_v<What, WorkloadsListed>)
          return {Kind::workload, true, false, {}};
        else if constexpr (std::is_same_v<What, WorkloadSeen>)
          return {Kind::workload, false, true, what.workload.id.view()};
        else if constexpr (std::is_same_v<What, WorkloadGone>)
          return {Kind::workload, false, false, what.id.view()};
        else if constexpr (std::is_same_v<What, Measured>)
          return {Kind::figures, false, true, what.node.view(), word(what.source)};
        else if constexpr (std::is_same_v<What, SourceReport>)
          return {Kind::source, false, false, word(what.source)};
        else if constexpr (std::is_same_v<What, RemarksListed>)
          return {Kind::remarks, false, false, word(what.source)};
        else if constexpr (std::is_same_v<What, RunTold> || std::is_same_v<What, RunRefused>)
          return {Kind::each, false, false, {}};
        else
          return {Kind::other, false, false, {}};
      },
      event.what);
}

// One string that equal subjects share. The variant's index tells apart what has no id of its own.
std::string subject(const Event& event, const About& about) {
  std::string key = event.cluster.text;
  key += '\0';
  key += std::to_string(event.generation);
  key += '\0';
  key += about.kind == Kind::other ? static_cast<char>('A' + event.what.index())
                                   : static_cast<char>('a' + static_cast<int>(about.kind));
  key += about.list ? 'l' : 's';
  key += about.id;
  if (!about.teller.empty()) key += '\0' + std::string(about.teller);
  return key;
}

constexpr auto kRoomPatience = std::chrono::milliseconds(100);

}  // namespace

struct Mailbox::State {
  explicit State(std::size_t most) : bound(most), fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~State() {
    if (fd >= 0) close(fd);
  }

  // A place in the queue; emptied when a later list made it pointless.
  struct Place {
    std::optional<Event> event;
    std::string key;
  };

  const std::size_t bound;
  const int fd;
  mutable std::mutex mutex;
  std::condition_variable room;
  std::vector<Place> places;
  std::unordered_map<std::string, std::size_t> index;
  std::size_t waiting = 0;  // places that hold an event
  std::size_t dropped = 0;
  bool reader_away = false;  // a sender waited in vain; none waits again until the next take

  void forget_singles(const Event& list, Kind kind) {
    for (Place& place : places) {
      if (!place.event || place.event->cluster != list.cluster || place.event->generation != list.generation)
        continue;
      About old = about(*place.event);
      if (old.kind != kind || old.list) continue;
      index.erase(place.key);
      place.event.reset();
      --waiting;
    }
  }

  void append(std::string key, Event event) {
    index.emplace(key, places.size());
    places.push_back({std::move(event), std::move(key)});
    ++waiting;
  }

  void wake() const {
    std::uint64_t one = 1;
    // The counter can only be full when it is readable anyway.
    [[maybe_unused]] ssize_t written = ::write(fd, &one, sizeof one);
  }
};

Mailbox::Mailbox(std::size_t bound) : state_(std::make_unique<State>(bound)) {}
Mailbox::~Mailbox() = default;

void Mailbox::post(Event event) {
  State& state = *state_;
  About what = about(event);
  std::string key = subject(event, what);
  std::unique_lock lock(state.mutex);
  if (what.list) state.forget_singles(event, what.kind);
  if (what.kind == Kind::each) {
    state.places.push_back({std::move(event), {}});
    ++state.waiting;
    lock.unlock();
    return state.wake();
  }
  if (auto old = state.index.find(key); old != state.index.end()) {
    state.places[old->second].event = std::move(event);
    return;
  }
  if (what.droppable && state.waiting >= state.bound) {
    if (!state.reader_away &&
        !state.room.wait_for(lock, kRoomPatience, [&] { return state.waiting < state.bound; }))
      state.reader_away = true;
    if (state.waiting >= state.bound) {
      ++state.dropped;
      return;
    }
    // Another producer may have told the same while this one waited.
    if (auto old = state.index.find(key); old != state.index.end()) {
      state.places[old->second].event = std::move(event);
      return;
    }
  }
  state.append(std::move(key), std::move(event));
  state.wake();
}

int Mailbox::wake_fd() const { return state_->fd; }

std::vector<Event> Mailbox::take() {
  State& state = *state_;
  std::vector<State::Place> places;
  std::size_t waiting = 0;
  {
    std::lock_guard lock(state.mutex);
    std::uint64_t count = 0;
    [[maybe_unused]] ssize_t got = ::read(state.fd, &count, sizeof count);
    places.swap(state.places);
    state.index.clear();
    waiting = std::exchange(state.waiting, 0);
    state.reader_away = false;
  }
  state.room.notify_all();
  std::vector<Event> events;
  events.reserve(waiting);
  for (State::Place& place : places)
    if (place.event) events.push_back(std::move(*place.event));
  return events;
}

std::size_t Mailbox::dropped() const {
  std::lock_guard lock(state_->mutex);
  return state_->dropped;
}

}  // namespace tessera
