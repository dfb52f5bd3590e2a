#include "engine/record/kept_idle.hpp"

#include <algorithm>

#include "engine/record/json_out.hpp"
#include "engine/time.hpp"

namespace tessera::record {
namespace {

constexpr std::size_t kKnown = 32;

std::string seconds_before(TimePoint at, std::uint32_t since) {
  return std::to_string(std::int64_t{epoch_seconds(at)} - std::int64_t{since});
}

// "0" a GPU, "0.1" its second slice, with how long each was idle then. lines: as_told().
std::string by_line(const IdleLines& lines, const Node& node, TimePoint at) {
  std::string all;
  if (lines.since.empty()) return all;
  std::size_t board = 0, line = node.gpus.size();
  for (const Gpu& gpu : node.gpus) {
    const std::string name = std::to_string(gpu.index.value);
    if (lines.since[board] != 0) put_field(all, name, seconds_before(at, lines.since[board]));
    ++board;
    for (std::size_t i = 0; i < gpu.slices.size(); ++i, ++line)
      if (gpu.slices[i].kind != SliceKind::whole_gpu && lines.since[line] != 0)
        put_field(all, name + "." + std::to_string(i), seconds_before(at, lines.since[line]));
  }
  return all;
}

}  // namespace

void KeptIdle::take_told(std::vector<history::ToldIdle> told) {
  told_.clear();
  for (history::ToldIdle& one : told) {
    std::string name = one.node.text;
    told_.insert_or_assign(std::move(name), std::move(one));
  }
}

void KeptIdle::forget() {
  for (auto& [name, of] : nodes_) of.lines = {};
  told_.clear();
}

std::shared_ptr<const KeptIdle::Keys> KeptIdle::shared(Keys keys) {
  for (const auto& known : known_)
    if (*known == keys) return known;
  known_.push_front(std::make_shared<const Keys>(std::move(keys)));
  if (known_.size() > kKnown) known_.pop_back();
  return known_.front();
}

void KeptIdle::lay_out(const std::string& name, const Node& node) {
  OfNode& of = nodes_[name];
  const auto before = std::exchange(of.keys, shared(keys_of(node)));
  if (before && before != of.keys) lay_out_idle(of.lines, *before, *of.keys);
  const auto told = told_.find(name);
  if (told == told_.end()) return;
  // Until it is measured here it is as one that was not measured for a while.
  of.lines = {told->second.at, {}, true};
  for (const auto& [key, since] : told->second.since)
    for (std::size_t line = 0; line < of.keys->size(); ++line)
      if ((*of.keys)[line] == key) tell_idle(of.lines, line, since);
}

void KeptIdle::keep(const std::unordered_set<std::string>& there) {
  std::erase_if(nodes_, [&](const auto& one) { return !there.contains(one.first); });
  told_.clear();
}

void KeptIdle::hear(const std::string& name, const Node& node, std::string_view letters, bool any,
                    TimePoint at, Duration longest) {
  // As it is written: rounds and dates tell their second.
  hear_idle(nodes_[name].lines, node, letters, any, std::chrono::floor<std::chrono::seconds>(at), longest);
}

std::string KeptIdle::told(const std::vector<std::pair<std::string, const Node*>>& nodes, TimePoint at,
                           Duration longest) {
  std::string idle, away, away_idle;
  for (const auto& [name, node] : nodes) {
    IdleLines& lines = nodes_[name].lines;
    lines = as_told(lines, *node);
    if (lines.away && at - lines.measured > longest) lines.since.clear();
    const std::string told = by_line(lines, *node, at);
    if (told.empty()) continue;
    put_field(lines.away ? away_idle : idle, name, "{" + told + "}");
    if (lines.away) put_field(away, name, seconds_before(at, epoch_seconds(lines.measured)));
  }
  std::string fields = "\"idle_s\":{" + idle + "}";
  if (!away.empty()) fields += ",\"away_s\":{" + away + "},\"away_idle_s\":{" + away_idle + "}";
  return fields;
}

}  // namespace tessera::record
