#include "engine/history/history.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <type_traits>
#include <utility>

#include "engine/history/shown.hpp"
#include "engine/record/step.hpp"
#include "engine/time.hpp"

namespace tessera::history {
namespace {

constexpr std::uint8_t kNone = 255;         // nothing measured
constexpr float kUseSteps = 2;              // a percent
constexpr float kMemorySteps = 2.5F;        // a percent
constexpr std::int64_t kLongestStep = 254;  // seconds between two rows
constexpr std::size_t kKnown = 64;          // sets of lines that are looked through
constexpr std::size_t kGrowth = 4;          // rows at a time
constexpr Duration kBridged{3'600'000};     // a longer gap begins a new stretch
constexpr std::size_t kPerLine = 2;         // bytes
constexpr std::size_t kPromised = 360;  // rows of each node, where memory is scarce: an hour, one each 10 s
constexpr std::size_t kBeside = 16;     // one part in so many is for what stands beside the rows

// Bytes of a line on a watched node: heat and power are the GPU's.
constexpr std::size_t details_of(bool whole) { return whole ? 6 : 3; }

// Rounded down, so that what is below a threshold stays below it.
std::uint8_t steps(float value, float a_unit) {
  return static_cast<std::uint8_t>(std::clamp(std::floor(value * a_unit), 0.0F, 254.0F));
}

std::uint8_t use_byte(const std::optional<float>& use) { return use ? steps(*use, kUseSteps) : kNone; }

// 1/256 of a step of memory, on watched nodes: a page says it in tenths of GiB.
std::uint8_t memory_rest(const std::optional<float>& memory) {
  if (!memory) return kNone;
  const float in_steps = *memory * kMemorySteps;
  return static_cast<std::uint8_t>(std::clamp((in_steps - std::floor(in_steps)) * 256, 0.0F, 255.0F));
}
std::optional<float> memory_of(std::uint8_t byte, std::uint8_t rest) {
  if (byte == kNone) return std::nullopt;
  return (static_cast<float>(byte) + static_cast<float>(rest) / 256) / kMemorySteps;
}

// Two bytes, so that it is the watt that was told.
constexpr float kMostPower = 65'534;
void push_power(std::vector<std::uint8_t>& row, const std::optional<float>& watts) {
  const auto kept = static_cast<unsigned>(watts ? std::clamp(std::round(*watts), 0.0F, kMostPower) : 65'535);
  row.push_back(static_cast<std::uint8_t>(kept >> 8U));
  row.push_back(static_cast<std::uint8_t>(kept & 255U));
}
std::optional<float> power_of(const std::uint8_t* bytes) {
  if (bytes[0] == kNone && bytes[1] == kNone) return std::nullopt;
  return static_cast<float>(bytes[0] * 256 + bytes[1]);
}

std::optional<float> value_of(std::uint8_t byte, float a_unit) {
  if (byte == kNone) return std::nullopt;
  return static_cast<float>(byte) / a_unit;
}

// The lines of a node in their order, with what they show.
template <class Visit>
void each_line(const Node& node, Visit visit) {
  for (const Gpu& gpu : node.gpus) {
    visit(gpu, static_cast<const Slice*>(nullptr));
    // A slice that is the GPU is one line with it.
    for (const Slice& slice : gpu.slices)
      if (slice.kind != SliceKind::whole_gpu) visit(gpu, &slice);
  }
}

std::size_t index_of(const std::vector<Key>& keys, const Key& key) {
  return static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
}

std::vector<std::uint8_t> row_of(const Node& node, bool detailed, std::int64_t step) {
  std::vector<std::uint8_t> row{static_cast<std::uint8_t>(step)};
  each_line(node, [&](const Gpu& gpu, const Slice* slice) {
    const Sample told = sample_of(gpu, slice);
    row.push_back(use_byte(told.use));
    row.push_back(told.memory ? steps(*told.memory, kMemorySteps) : kNone);
    if (!detailed) return;
    row.push_back(memory_rest(told.memory));
    row.push_back(use_byte(told.tensor));
    row.push_back(use_byte(told.memory_bus));
    if (slice) return;
    row.push_back(told.temperature ? steps(*told.temperature, 1) : kNone);
    push_power(row, told.power);
  });
  return row;
}

bool is_measured(const Sample& sample) {
  return sample.use || sample.memory || sample.temperature || sample.power || sample.tensor ||
         sample.memory_bus;
}

bool is_idle(const Gpu& gpu, const Slice* slice) {
  const std::optional<float> use = sample_of(gpu, slice).use;
  return use && *use < kIdleBelow;
}

std::optional<TimePoint> since_in(const ToldIdle& told, const Key& key) {
  const auto found =
      std::find_if(told.since.begin(), told.since.end(), [&](const auto& one) { return one.first == key; });
  return found == told.since.end() ? std::nullopt : std::optional(found->second);
}

// Of a Stretch, whose rows are a ring.
template <class Ring>
const std::uint8_t* row_at(const Ring& stretch, std::size_t number) {
  const std::size_t all = stretch.rows.size(), place = (stretch.head + number) * stretch.width;
  return stretch.rows.data() + (place < all ? place : place - all);
}

// Seconds from the row before to this one; behind the newest none.
template <class Ring>
std::int64_t step_to(const Ring& stretch, std::size_t number) {
  return number * stretch.width < stretch.rows.size() ? row_at(stretch, number)[0] : 0;
}

// The first row that is not older, and its time. Looked for from the end on: each row of a list asks for the
// last minutes of hours.
template <class Ring>
std::pair<std::size_t, TimePoint> first_since(const Ring& stretch, TimePoint since) {
  const auto second = [](TimePoint time) { return std::chrono::floor<std::chrono::seconds>(time); };
  std::size_t number = stretch.size();
  if (number == 0) return {0, stretch.first};
  TimePoint at = stretch.first + (second(stretch.last) - second(stretch.first));
  if (at < since) return {number, at};
  for (--number; number > 0; --number) {
    const TimePoint before = at - std::chrono::seconds(step_to(stretch, number));
    if (before < since) break;
    at = before;
  }
  return {number, at};
}

// Where a line begins in each row of those lines, in bytes.
template <class Set>
std::size_t offset_of(const Set& lines, std::size_t index) {
  std::size_t offset = 1;
  for (std::size_t i = 0; i < index; ++i)
    offset += kPerLine + (lines.detailed ? details_of(lines.keys[i].whole) : 0);
  return offset;
}

// Whether use of that line was measured by its newest sample.
template <class Ring>
bool was_measured(const Ring& stretch, std::size_t index) {
  return stretch.size() > 0 && row_at(stretch, stretch.size() - 1)[offset_of(*stretch.lines, index)] != kNone;
}

// Every row that is not older, with its time.
template <class Ring, class Visit>
void each_row(const Ring& stretch, TimePoint since, Visit visit) {
  const std::size_t count = stretch.size();
  auto [i, at] = first_since(stretch, since);
  for (; i < count; at += std::chrono::seconds(step_to(stretch, ++i))) visit(at, row_at(stretch, i));
}

// Of one line of a row, as each_use() sees it.
struct UseBytes {
  std::size_t offset, figures;
};
template <class Set>
std::vector<UseBytes> use_bytes(const Set& lines, std::span<const Key> keys) {
  std::vector<UseBytes> all;
  for (const Key& key : keys)
    if (const std::size_t index = index_of(lines.keys, key); index < lines.keys.size())
      all.push_back({offset_of(lines, index), kPerLine + (lines.detailed ? details_of(key.whole) : 0)});
  return all;
}

}  // namespace

Duration longest_gap(const Cluster& cluster) { return record::longest_step(cluster.pace); }

History::History(std::size_t most_bytes) : most_bytes_(most_bytes) {}

std::string History::name_of(const ClusterName& cluster, const NodeName& node) {
  return cluster.text + '\x1f' + node.text;
}

std::size_t History::width_of(const Lines& lines) {
  std::size_t width = 1;
  for (const Key& key : lines.keys) width += kPerLine + (lines.detailed ? details_of(key.whole) : 0);
  return width;
}

const History::OfNode* History::find(const ClusterName& cluster, const NodeName& node) const {
  auto found = nodes_.find(name_of(cluster, node));
  return found == nodes_.end() ? nullptr : &found->second;
}

void History::watch(const ClusterName& cluster, const NodeName& node, bool watched) {
  const std::string name = name_of(cluster, node);
  if (!watched && !nodes_.contains(name)) return;
  OfNode& of = nodes_[name];
  discount(of);
  of.watched = watched;
  count(of);
}

void History::count(const OfNode& of) {
  if (of.stretches.empty()) return;
  widths_ += of.stretches.back().width;
  if (of.watched) watched_ += of.stretches.back().width;
}

void History::discount(const OfNode& of) {
  if (of.stretches.empty()) return;
  widths_ -= of.stretches.back().width;
  if (of.watched) watched_ -= of.stretches.back().width;
}

void History::forget(const std::string& name) {
  auto found = nodes_.find(name);
  if (found == nodes_.end()) return;
  for (const Stretch& stretch : found->second.stretches) bytes_ -= stretch.rows.size();
  discount(found->second);
  nodes_.erase(found);
}

void History::forget(const ClusterName& cluster) {
  const std::string begin = name_of(cluster, NodeName());
  std::vector<std::string> names;
  for (const auto& [name, of] : nodes_)
    if (name.starts_with(begin)) names.push_back(name);
  for (const std::string& name : names) forget(name);
  sums_.erase(cluster), sums_kept_.erase(cluster);
}

void History::take_told(const ClusterName& cluster, std::vector<ToldIdle> told) {
  auto& all = told_[cluster];
  all.clear();
  for (ToldIdle& one : told) {
    std::string name = one.node.text;
    all.insert_or_assign(std::move(name), std::move(one));
  }
}

const ToldIdle* History::find_told(const ClusterName& cluster, const NodeName& node) const {
  const auto all = told_.find(cluster);
  if (all == told_.end()) return nullptr;
  const auto found = all->second.find(node.text);
  return found == all->second.end() ? nullptr : &found->second;
}

void History::take(const Cluster& cluster, const NodeName& name) {
  const Node* node = cluster.nodes.find(name);
  if (!node) return forget(name_of(cluster.name, name));
  const Origin origin = measured_at(*node);
  if (origin.source == Source::none) return;
  OfNode& of = nodes_[name_of(cluster.name, name)];
  if (!of.stretches.empty() && origin.at <= of.stretches.back().last) return;
  Lines lines;
  lines.source = origin.source;
  lines.detailed = of.watched;
  each_line(*node, [&](const Gpu& gpu, const Slice* slice) {
    lines.keys.push_back(slice ? key_of(gpu, *slice) : key_of(gpu));
    lines.memory.push_back(gpu.memory ? gpu.memory->value : 0);
  });
  follow_idle(of, find_told(cluster.name, name), lines, origin.at, *node, longest_gap(cluster));
  if (of.stretches.empty() || *of.stretches.back().lines != lines ||
      origin.at - of.stretches.back().last > kBridged)
    begin(of, std::move(lines), origin.at);
  Stretch& stretch = of.stretches.back();
  const auto second = [](TimePoint time) { return std::chrono::floor<std::chrono::seconds>(time); };
  std::int64_t step = (second(origin.at) - second(stretch.last)).count();
  for (; step > kLongestStep; step -= kLongestStep) {
    std::vector<std::uint8_t> bridge(stretch.width, kNone);
    bridge[0] = static_cast<std::uint8_t>(kLongestStep);
    push(stretch, bridge, depth(of.watched));
  }
  push(stretch, row_of(*node, stretch.lines->detailed, step), depth(of.watched));
  stretch.last = origin.at;
  trim(of);
}

void History::take_before(const Cluster& cluster, const NodeName& name, const std::vector<Measured>& rounds) {
  const Node* node = cluster.nodes.find(name);
  if (!node) return;
  OfNode& of = nodes_[name_of(cluster.name, name)];
  const TimePoint until = of.stretches.empty() ? TimePoint::max() : of.stretches.front().first;
  // The past is taken as the present is, by a history of its own.
  History before(most_bytes_);
  before.watch(cluster.name, name, of.watched);
  Cluster then;
  then.name = cluster.name, then.pace = cluster.pace;
  for (const Measured& round : rounds) {
    if (round.at >= until) break;
    Node at_that_time = *node;
    show_figures(at_that_time, {{round.source, round}}, round.at);
    then.nodes.upsert(std::move(at_that_time));
    before.take(then, name);
  }
  OfNode& past = before.nodes_[name_of(cluster.name, name)];
  if (past.stretches.empty()) return;
  lengthen_idle(of, past, longest_gap(cluster));
  discount(of);
  for (Stretch& stretch : past.stretches) {
    straighten(stretch, stretch.size(), depth(of.watched));
    bytes_ += stretch.rows.size();
  }
  of.stretches.insert(of.stretches.begin(), std::make_move_iterator(past.stretches.begin()),
                      std::make_move_iterator(past.stretches.end()));
  count(of);
  trim(of);
}

void History::take_instead(const Cluster& cluster, const NodeName& name,
                           const std::vector<Measured>& rounds) {
  const std::string key = name_of(cluster.name, name);
  const auto known = nodes_.find(key);
  const bool watched = known != nodes_.end() && known->second.watched;
  forget(key);
  nodes_[key].watched = watched;
  take_before(cluster, name, rounds);
}

void History::Idle::set(std::size_t line, std::uint32_t since, bool begun) {
  words_[line] = since;
  std::uint32_t& bits = words_[size() + line / 32];
  const std::uint32_t bit = 1U << (line % 32);
  bits = begun ? bits | bit : bits & ~bit;
}

// A line that was idle from its first sample on was idle before it, too, if the past ends so.
void History::lengthen_idle(OfNode& of, const OfNode& past, Duration longest) {
  if (of.stretches.empty()) {
    of.idle = past.idle;
    return;
  }
  const TimePoint first = of.stretches.front().first;
  if (first - past.stretches.back().last > longest) return;
  const std::vector<Key>&keys = of.stretches.back().lines->keys, &before = past.stretches.back().lines->keys;
  for (std::size_t i = 0; i < of.idle.size(); ++i) {
    const std::size_t old = index_of(before, keys[i]);
    // `first` counts whole seconds from there on: a ring that has turned has lost their parts.
    const std::uint32_t since = of.idle.since(i), earlier = old < before.size() ? past.idle.since(old) : 0;
    const bool since_first = since != 0 && since <= epoch_seconds(first) + 1 && !of.idle.has_begun(i);
    if (!since_first || old >= before.size()) continue;
    if (earlier != 0)
      of.idle.set(i, earlier, past.idle.has_begun(old));
    else
      of.idle.set(i, since, was_measured(past.stretches.back(), old));
  }
}

void History::begin(OfNode& of, Lines lines, TimePoint at) {
  if (!of.stretches.empty()) straighten(of.stretches.back(), of.stretches.back().size(), depth(of.watched));
  discount(of);
  Stretch& stretch = of.stretches.emplace_back();
  stretch.width = width_of(lines);
  stretch.lines = shared(std::move(lines));
  stretch.first = stretch.last = at;
  count(of);
}

std::shared_ptr<const History::Lines> History::shared(Lines lines) {
  for (const auto& known : known_)
    if (*known == lines) return known;
  known_.push_front(std::make_shared<const Lines>(std::move(lines)));
  if (known_.size() > kKnown) known_.pop_back();
  return known_.front();
}

void History::drop_oldest(Stretch& from) {
  from.head = (from.head + 1) % from.size();
  from.first += std::chrono::seconds(from.rows[from.head * from.width]);
}

void History::push(Stretch& to, const std::vector<std::uint8_t>& row, std::size_t deepest) {
  if (to.size() >= deepest) {
    straighten(to, deepest, deepest);
    const std::size_t place = to.head * to.width;
    drop_oldest(to);
    std::copy(row.begin(), row.end(), to.rows.begin() + static_cast<std::ptrdiff_t>(place));
    return;
  }
  straighten(to, to.size(), deepest);  // it may grow again behind the newest
  if (to.rows.size() + to.width > to.rows.capacity())
    to.rows.reserve(std::min(to.size() + kGrowth, deepest) * to.width);
  to.rows.insert(to.rows.end(), row.begin(), row.end());
  bytes_ += to.width;
}

// Its newest `most` rows, the oldest first; one that is as deep as it may be stays a ring.
void History::straighten(Stretch& from, std::size_t most, std::size_t deepest) {
  while (from.size() > most) {
    std::rotate(from.rows.begin(), from.rows.begin() + static_cast<std::ptrdiff_t>(from.head * from.width),
                from.rows.end());
    const std::size_t over = from.size() - most;
    for (std::size_t i = 1; i <= over; ++i) from.first += std::chrono::seconds(from.rows[i * from.width]);
    from.rows.erase(from.rows.begin(), from.rows.begin() + static_cast<std::ptrdiff_t>(over * from.width));
    from.rows.shrink_to_fit();
    from.head = 0;
    bytes_ -= over * from.width;
  }
  if (from.head == 0 || most >= deepest) return;
  std::rotate(from.rows.begin(), from.rows.begin() + static_cast<std::ptrdiff_t>(from.head * from.width),
              from.rows.end());
  from.head = 0;
}

std::size_t History::depth(bool watched) const {
  if (widths_ == 0) return kDeepest;
  // Each node takes some bytes beside its rows: more than an hour is kept where these have their room.
  const std::size_t alike =
      std::max(std::min(kPromised, most_bytes_ / widths_), (most_bytes_ - most_bytes_ / kBeside) / widths_);
  const std::size_t on_screen = watched_ == 0 ? 0 : std::min(kAnHour, most_bytes_ / (2 * watched_));
  std::size_t rows = alike;
  // What is on screen has its hour, and the others share the rest.
  if (alike < on_screen)
    rows = watched ? on_screen
                   : std::min(alike, (most_bytes_ - on_screen * watched_) /
                                         std::max<std::size_t>(1, widths_ - watched_));
  return std::clamp<std::size_t>(rows, 2, kDeepest);
}

// The oldest stretches go once the newer ones are as deep as a node may be.
void History::trim(OfNode& of) {
  std::size_t rows = 0;
  for (const Stretch& stretch : of.stretches) rows += stretch.size();
  while (of.stretches.size() > 1) {
    Stretch& oldest = of.stretches.front();
    if (rows - oldest.size() < depth(of.watched) && bytes_ <= most_bytes_) return;
    rows -= oldest.size();
    bytes_ -= oldest.rows.size();
    of.stretches.erase(of.stretches.begin());
  }
}

// What nothing was seen of goes on from what was told of it.
void History::follow_idle(OfNode& of, const ToldIdle* told, const Lines& lines, TimePoint at,
                          const Node& node, Duration longest) {
  Idle idle(lines.keys.size());
  const Stretch* last = of.stretches.empty() ? nullptr : &of.stretches.back();
  const bool goes_on = last && at - last->last <= longest;
  const bool same = goes_on && last->lines->keys == lines.keys;
  const bool is_told = !last && told && told->at <= at && at - told->at <= longest;
  std::size_t place = 0;
  each_line(node, [&](const Gpu& gpu, const Slice* slice) {
    const std::size_t own = place++;
    if (!is_idle(gpu, slice)) return;
    idle.set(own, epoch_seconds(is_told ? since_in(*told, lines.keys[own]).value_or(at) : at), false);
    if (!goes_on) return;
    // A slice that stands among others than before is found by its key.
    const std::vector<Key>& keys = last->lines->keys;
    const std::size_t old = same ? own : index_of(keys, lines.keys[own]);
    if (old >= keys.size()) return;
    if (of.idle.since(old) != 0)
      idle.set(own, of.idle.since(old), of.idle.has_begun(old));
    else
      idle.set(own, idle.since(own), was_measured(*last, old));
  });
  of.idle = std::move(idle);
}

Line History::line(const ClusterName& cluster, const NodeName& node, const Key& key, TimePoint since) const {
  Line line;
  const OfNode* of = find(cluster, node);
  if (!of) return line;
  for (const Stretch& stretch : of->stretches) {
    const Lines& lines = *stretch.lines;
    const std::size_t index = index_of(lines.keys, key);
    if (index == lines.keys.size() || stretch.last < since) continue;
    line.source = lines.source;
    if (lines.memory[index] > 0) line.memory = Mib{lines.memory[index]};
    const std::size_t offset = offset_of(lines, index);
    each_row(stretch, since, [&](TimePoint at, const std::uint8_t* row) {
      const std::uint8_t* bytes = row + offset;
      Sample sample;
      sample.at = at;
      sample.use = value_of(bytes[0], kUseSteps);
      sample.memory = value_of(bytes[1], kMemorySteps);
      if (lines.detailed) {
        sample.memory = memory_of(bytes[1], bytes[2]);
        sample.tensor = value_of(bytes[3], kUseSteps);
        sample.memory_bus = value_of(bytes[4], kUseSteps);
      }
      if (lines.detailed && key.whole) {
        sample.temperature = value_of(bytes[5], 1);
        sample.power = power_of(bytes + 6);
      }
      if (is_measured(sample)) line.samples.push_back(sample);
    });
  }
  return line;
}

void History::each_use(const ClusterName& cluster, const NodeName& node, std::span<const Key> keys,
                       TimePoint since,
                       const std::function<void(TimePoint at, double sum, int measured)>& visit) const {
  const OfNode* of = find(cluster, node);
  if (!of) return;
  for (const Stretch& stretch : of->stretches) {
    if (stretch.last < since) continue;
    const std::vector<UseBytes> lines = use_bytes(*stretch.lines, keys);
    if (lines.empty()) continue;
    each_row(stretch, since, [&](TimePoint at, const std::uint8_t* row) {
      double sum = 0;
      int measured = 0;
      bool any = false;
      for (const UseBytes& line : lines) {
        const std::uint8_t* bytes = row + line.offset;
        any =
            any || std::any_of(bytes, bytes + line.figures, [](std::uint8_t byte) { return byte != kNone; });
        if (bytes[0] == kNone) continue;
        sum += static_cast<double>(bytes[0]);
        ++measured;
      }
      if (any) visit(at, sum / static_cast<double>(kUseSteps), measured);
    });
  }
}

std::optional<TimePoint> History::seen_idle(const ClusterName& cluster, const NodeName& node,
                                            const Key& key) const {
  const OfNode* of = find(cluster, node);
  if (!of || of->stretches.empty()) return std::nullopt;
  const std::size_t index = index_of(of->stretches.back().lines->keys, key);
  if (index >= of->idle.size() || of->idle.since(index) == 0) return std::nullopt;
  return TimePoint(std::chrono::seconds(of->idle.since(index)));
}

// Both are about one stretch where the samples that are idle reach back to what was told. That knows what was
// between two moments that were looked at, too. Precondition: the line is idle since `seen`.
std::optional<TimePoint> History::told_idle(const ClusterName& cluster, const NodeName& node, const Key& key,
                                            TimePoint seen) const {
  const ToldIdle* told = find_told(cluster, node);
  const auto since = told && seen <= told->at ? since_in(*told, key) : std::nullopt;
  const bool has_begun = since && *since <= find(cluster, node)->stretches.back().last;
  return has_begun ? since : std::nullopt;
}

std::optional<TimePoint> History::idle_since(const ClusterName& cluster, const NodeName& node,
                                             const Key& key) const {
  const auto seen = seen_idle(cluster, node, key);
  return seen ? told_idle(cluster, node, key, *seen).value_or(*seen) : seen;
}

bool History::is_told_idle(const ClusterName& cluster, const NodeName& node, const Key& key) const {
  const auto seen = seen_idle(cluster, node, key);
  return seen && told_idle(cluster, node, key, *seen);
}

bool History::may_be_idle_longer(const ClusterName& cluster, const NodeName& node, const Key& key) const {
  const auto seen = seen_idle(cluster, node, key);
  if (!seen || told_idle(cluster, node, key, *seen)) return false;
  const OfNode& of = *find(cluster, node);
  return !of.idle.has_begun(index_of(of.stretches.back().lines->keys, key));
}

std::vector<NodeName> nodes_measured_by(const Event& event) {
  return std::visit(
      [](const auto& what) {
        using What = std::decay_t<decltype(what)>;
        std::vector<NodeName> names;
        if constexpr (std::is_same_v<What, Measured>) names.push_back(what.node);
        if constexpr (std::is_same_v<What, NodeSeen>) names.push_back(what.node.name);
        if constexpr (std::is_same_v<What, NodeGone>) names.push_back(what.name);
        if constexpr (std::is_same_v<What, NodesListed>)
          for (const Node& node : what.nodes) names.push_back(node.name);
        return names;
      },
      event.what);
}

}  // namespace tessera::history
