// What was read of a frame, as a model, and how far its lines could be played into it.
// Threads: values of one thread. Internal to the reading of recordings.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/record/line_times.hpp"
#include "backends/record/parts.hpp"
#include "backends/record/reader.hpp"
#include "backends/record/sound.hpp"
#include "engine/error.hpp"
#include "engine/model/model.hpp"
#include "engine/model/units.hpp"

namespace tessera::record {

// How far a frame was played.
struct Played {
  std::optional<Error> damage{};        // what lies behind that
  std::optional<TimePoint> in_round{};  // ... within that round, of which only a part was played
  bool written_again = false;           // what followed is told by a later frame
};

// A round is about many nodes of which the next one is, too: where no one looks between them, they are linked
// once.
class FrameReading {
 public:
  FrameReading() { reader.be_quiet(); }
  // still: nodes, by name, of which the lines are left out. They are listed with those that are read.
  explicit FrameReading(std::vector<Node> still) : FrameReading() { still_ = std::move(still); }

  void take(std::vector<Event>& events);
  Model& catch_up();
  // What runs told since it was asked last, of what the model has caught up with.
  std::vector<RunNews> take_run_news() { return std::exchange(run_news_, {}); }

  Reader reader;

 private:
  // A node with eight GPUs in seven slices each is some 20 KB, anything else one or two: these bound what is
  // held twice.
  static constexpr std::size_t kNodesAtOnce = 512, kAtOnce = 4096;
  Model model_;
  std::vector<Node> still_;
  std::vector<Event> waiting_;
  std::size_t nodes_waiting_ = 0;
  std::vector<RunNews> run_news_;
};

// Lines of one frame, one behind the other.
class Playing {
 public:
  using Goes = std::function<bool(TimePoint)>;

  // goes: whether lines of that time are wanted; the first that are not end it.
  Playing(FrameReading& into, const Goes& goes) : into_(into), goes_(goes) {}
  // Whether more is wanted.
  bool take(std::string_view line);
  // Errors: a later version wrote it. sound: of the frame, which is one of that part.
  Result<Played> end(const DayPart& part, const Sound& sound) &&;

 private:
  FrameReading& into_;
  const Goes& goes_;
  LineTimes times_;
  std::optional<TimePoint> round_;
  std::optional<Error> wrong_;
  bool stopped_ = false;
  std::vector<Event> events_;
};

// All of a frame's lines, or those alone.
Result<Played> play(const DayPart& part, const Sound& sound, FrameReading& into, const Playing::Goes& goes);
Result<Played> play_some(const DayPart& part, const Sound& sound, const std::vector<std::string_view>& lines,
                         FrameReading& into, const Playing::Goes& goes);

}  // namespace tessera::record
