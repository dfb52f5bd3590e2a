#include "backends/record/frame_reading.hpp"

#include <algorithm>
#include <variant>

#include "backends/record/each_line.hpp"
#include "engine/model/reduce_all.hpp"

namespace tessera::record {

namespace {

// Runs are news of no cluster's picture: their entries are made here.
void log_run(Model& model, const ClusterName& cluster, TimePoint at, const RunNews& news) {
  LogEntry entry{at, cluster, Severity::info, "run " + news.run, news.text, Happened::run, news.nodes};
  if (entry.nodes.size() > LogEntry::kMostNodes) entry.nodes.resize(LogEntry::kMostNodes);
  entry.number = model.told++;
  model.log.push_back(std::move(entry));
  if (model.log.size() > Model::kLogLimit) model.log.pop_front();
}

}  // namespace

void FrameReading::take(std::vector<Event>& events) {
  for (Event& event : events) {
    if (auto* list = std::get_if<NodesListed>(&event.what); list && !still_.empty()) {
      // As if all had been read: in their order.
      const auto read = static_cast<std::ptrdiff_t>(list->nodes.size());
      list->nodes.insert(list->nodes.end(), still_.begin(), still_.end());
      std::inplace_merge(list->nodes.begin(), list->nodes.begin() + read, list->nodes.end(),
                         [](const Node& a, const Node& b) { return a.name < b.name; });
    }
    nodes_waiting_ += std::holds_alternative<NodeSeen>(event.what) ? 1 : 0;
    waiting_.push_back(std::move(event));
  }
  if (nodes_waiting_ >= kNodesAtOnce || waiting_.size() >= kAtOnce) catch_up();
}

Model& FrameReading::catch_up() {
  reduce_all(model_, waiting_);
  waiting_.clear();
  nodes_waiting_ = 0;
  for (auto& [at, news] : reader.take_run_news()) {
    log_run(model_, ClusterName(reader.head().cluster), at, news);
    run_news_.push_back(std::move(news));
  }
  return model_;
}

bool Playing::take(std::string_view line) {
  const auto at = times_.of(line);
  // Times of a frame never run backwards.
  const bool back = at && round_ && *at < *round_;
  if (!back && at && !goes_(*at)) return stopped_ = true, false;
  if (at && !back) round_ = at;
  events_.clear();
  Status taken = back ? Status(Error{"cannot read the recording", "a line is out of its order", ""})
                      : into_.reader.take(line, events_);
  if (!taken) wrong_ = taken.error();
  into_.take(events_);
  return !wrong_;
}

Result<Played> Playing::end(const DayPart& part, const Sound& sound) && {
  if (wrong_ && into_.reader.is_of_later_version()) return cannot_read(part.path, *wrong_);
  Played played;
  if (stopped_) return played;
  played.damage = wrong_ ? wrong_ : sound.damage;
  if (played.damage) played.damage = cannot_read(part.path, *played.damage);
  if (wrong_) played.in_round = round_;
  played.written_again = sound.written_again;
  return played;
}

Result<Played> play(const DayPart& part, const Sound& sound, FrameReading& into, const Playing::Goes& goes) {
  Playing playing(into, goes);
  each_line(sound.text, [&](std::string_view line) { return playing.take(line); });
  return std::move(playing).end(part, sound);
}

Result<Played> play_some(const DayPart& part, const Sound& sound, const std::vector<std::string_view>& lines,
                         FrameReading& into, const Playing::Goes& goes) {
  Playing playing(into, goes);
  for (std::string_view line : lines)
    if (!playing.take(line)) break;
  return std::move(playing).end(part, sound);
}

}  // namespace tessera::record
