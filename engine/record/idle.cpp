#include "engine/record/idle.hpp"

#include <algorithm>
#include <utility>

#include "engine/record/levels.hpp"
#include "engine/time.hpp"

namespace tessera::record {
namespace {

std::vector<history::Key> keys_of(const Node& node) {
  std::vector<history::Key> keys;
  for (const Gpu& gpu : node.gpus) keys.push_back(history::key_of(gpu));
  for (const Gpu& gpu : node.gpus)
    for (const Slice& slice : gpu.slices) keys.push_back(history::key_of(gpu, slice));
  return keys;
}

std::uint32_t since_of(const IdleLines& lines, std::size_t line) {
  return line < lines.since.size() ? lines.since[line] : 0;
}

}  // namespace

void follow_idle(IdleLines& lines, std::string_view letters, TimePoint at, Duration longest, bool came_back) {
  const std::uint32_t now = epoch_seconds(at);
  const Duration apart = at < lines.measured ? lines.measured - at : at - lines.measured;
  if (lines.measured != TimePoint{} && apart > longest)
    for (std::uint32_t& since : lines.since)
      if (since != 0) since = now;
  lines.measured = at;
  if (lines.since.size() < letters.size()) lines.since.resize(letters.size());
  for (std::size_t i = 0; i < lines.since.size(); ++i) {
    std::uint32_t& since = lines.since[i];
    if (i >= letters.size() || letters[i] == kUnmoved) {
      if (came_back) since = 0;
      continue;
    }
    if (letters[i] != kUseScale.letter_of(0))
      since = 0;
    else if (since == 0)
      since = now;
  }
}

void tell_idle(IdleLines& lines, std::size_t line, TimePoint since) {
  if (lines.since.size() <= line) lines.since.resize(line + 1);
  lines.since[line] = epoch_seconds(since);
}

void lay_out_idle(IdleLines& lines, const Node& before, const Node& now) {
  if (lines.since.empty()) return;
  const std::vector<history::Key> old = keys_of(before), keys = keys_of(now);
  if (old == keys) return;
  std::vector<std::uint32_t> since(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i)
    for (std::size_t k = 0; k < old.size() && since[i] == 0; ++k)
      if (old[k] == keys[i]) since[i] = since_of(lines, k);
  lines.since = std::move(since);
}

// A slice that is the GPU is one line with it: where the GPU does not tell, the slice does.
history::ToldIdle told_idle(const IdleLines& lines, const Node& node) {
  history::ToldIdle told{node.name, lines.measured, {}};
  const auto add = [&](history::Key key, std::uint32_t since) {
    if (since != 0) told.since.emplace_back(std::move(key), TimePoint(std::chrono::seconds(since)));
  };
  std::size_t board = 0, line = node.gpus.size();
  for (const Gpu& gpu : node.gpus) {
    std::uint32_t of_gpu = since_of(lines, board++);
    for (const Slice& slice : gpu.slices) {
      const std::uint32_t since = since_of(lines, line++);
      if (slice.kind != SliceKind::whole_gpu)
        add(history::key_of(gpu, slice), since);
      else if (!gpu.telemetry.use && gpu.slices.size() == 1)
        of_gpu = since;
    }
    add(history::key_of(gpu), of_gpu);
  }
  return told;
}

}  // namespace tessera::record
