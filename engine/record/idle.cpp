#include "engine/record/idle.hpp"

#include <algorithm>
#include <utility>

#include "engine/record/levels.hpp"
#include "engine/record/measured_by.hpp"
#include "engine/time.hpp"

namespace tessera::record {
namespace {

std::uint32_t since_of(const IdleLines& lines, std::size_t line) {
  return line < lines.since.size() ? lines.since[line] : 0;
}

// Whether letters of use have just taken away the last figures of the node.
bool are_the_last(std::string_view letters, const Node& node) {
  return letters.starts_with(kNotAvailable) &&
         letters.find_first_not_of(kNotAvailable) == std::string_view::npos && measured_by(node).empty();
}

// came_back: before, the node was measured no more, so that a line that does not move now is not measured
// either.
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

}  // namespace

void hear_idle(IdleLines& lines, const Node& node, std::string_view letters, bool any, TimePoint at,
               Duration longest) {
  const bool was_away = std::exchange(lines.away, any ? are_the_last(letters, node) : lines.away);
  if (!lines.away) follow_idle(lines, letters, at, longest, was_away);
}

void tell_idle(IdleLines& lines, std::size_t line, TimePoint since) {
  if (lines.since.size() <= line) lines.since.resize(line + 1);
  lines.since[line] = epoch_seconds(since);
}

std::vector<history::Key> keys_of(const Node& node) {
  std::vector<history::Key> keys;
  for (const Gpu& gpu : node.gpus) keys.push_back(history::key_of(gpu));
  for (const Gpu& gpu : node.gpus)
    for (const Slice& slice : gpu.slices) keys.push_back(history::key_of(gpu, slice));
  return keys;
}

void lay_out_idle(IdleLines& lines, const std::vector<history::Key>& before,
                  const std::vector<history::Key>& now) {
  if (lines.since.empty() || before == now) return;
  std::vector<std::uint32_t> since(now.size());
  for (std::size_t i = 0; i < now.size(); ++i)
    for (std::size_t k = 0; k < before.size() && since[i] == 0; ++k)
      if (before[k] == now[i]) since[i] = since_of(lines, k);
  lines.since = std::move(since);
}

IdleLines as_told(const IdleLines& lines, const Node& node) {
  IdleLines told{lines.measured, {}, lines.away};
  if (lines.since.empty()) return told;
  std::size_t board = 0, line = node.gpus.size();
  for (const Gpu& gpu : node.gpus) line += gpu.slices.size();
  told.since.resize(line);
  line = node.gpus.size();
  for (const Gpu& gpu : node.gpus) {
    const bool is_one = gpu.slices.size() == 1 && gpu.slices.front().kind == SliceKind::whole_gpu;
    const std::uint32_t of_gpu = since_of(lines, is_one && !gpu.telemetry.use ? line : board);
    told.since[board++] = of_gpu;
    for (const Slice& slice : gpu.slices) {
      if (is_one || slice.kind != SliceKind::whole_gpu)
        told.since[line] = is_one ? of_gpu : since_of(lines, line);
      ++line;
    }
  }
  return told;
}

history::ToldIdle told_idle(const IdleLines& lines, const Node& node) {
  const IdleLines told = as_told(lines, node);
  history::ToldIdle idle{node.name, lines.measured, {}};
  const auto add = [&](history::Key key, std::size_t line) {
    if (const std::uint32_t since = since_of(told, line); since != 0)
      idle.since.emplace_back(std::move(key), TimePoint(std::chrono::seconds(since)));
  };
  std::size_t board = 0, line = node.gpus.size();
  for (const Gpu& gpu : node.gpus) {
    for (const Slice& slice : gpu.slices) {
      if (slice.kind != SliceKind::whole_gpu) add(history::key_of(gpu, slice), line);
      ++line;
    }
    add(history::key_of(gpu), board++);
  }
  return idle;
}

}  // namespace tessera::record
