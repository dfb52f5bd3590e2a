#include "backends/record/reader.hpp"

#include <algorithm>
#include <utility>

#include "backends/record/by_name.hpp"
#include "backends/record/json_in.hpp"
#include "backends/record/node_line.hpp"
#include "backends/record/run_line.hpp"
#include "engine/model/telemetry.hpp"
#include "engine/model/tells_any.hpp"
#include "engine/record/levels.hpp"
#include "engine/record/measured_by.hpp"
#include "engine/record/step.hpp"
#include "engine/time.hpp"

namespace tessera::record {
namespace {

using Figures = std::vector<std::optional<std::int64_t>>;

// What is not reported stays as it is.
template <class Unit>
void lay(std::optional<Unit>& to, const Figures& figures, std::size_t place) {
  if (place >= figures.size()) return;
  to.reset();
  if (figures[place]) to = Unit{static_cast<decltype(Unit::value)>(*figures[place])};
}

// Of version 1.
void lay(Node& node, std::string_view name, const Figures& figures, const Origin& origin) {
  const Line line = find_line(node, name);
  if (!line.gpu) return;
  if (line.slice) {
    lay(line.slice->use, figures, 0);
    lay(line.slice->memory_used, figures, 1);
    line.slice->measured = origin;
    return;
  }
  lay(line.gpu->telemetry.use, figures, 0);
  lay(line.gpu->telemetry.memory_used, figures, 1);
  lay(line.gpu->telemetry.temperature, figures, 2);
  lay(line.gpu->telemetry.power, figures, 3);
  line.gpu->telemetry.origin = origin;
}

void lay_memory(Node& node, std::string_view name, std::optional<std::int64_t> figure, const Origin& origin) {
  const Line line = find_line(node, name);
  if (!line.gpu) return;
  std::optional<Mib>& to = line.slice ? line.slice->memory_used : line.gpu->telemetry.memory_used;
  to.reset();
  if (figure && *figure >= 0 && *figure <= kMostMib) to = Mib{*figure};
  (line.slice ? line.slice->measured : line.gpu->telemetry.origin) = origin;
}

// What that source measures of the node was measured at that time: what was not written did not move.
void write_date(Node& node, const Origin& origin) {
  for (Gpu& gpu : node.gpus) {
    if (gpu.telemetry.origin.source == origin.source) gpu.telemetry.origin.at = origin.at;
    if (gpu.own && gpu.own->origin.source == origin.source) gpu.own->origin.at = origin.at;
    for (Slice& slice : gpu.slices)
      if (slice.measured.source == origin.source) slice.measured.at = origin.at;
  }
}

bool measures(Source source, const Node& node) {
  return std::any_of(node.gpus.begin(), node.gpus.end(), [&](const Gpu& gpu) {
    return (gpu.telemetry.origin.source == source && tells_any(gpu.telemetry)) ||
           (gpu.own && gpu.own->origin.source == source) ||
           std::any_of(gpu.slices.begin(), gpu.slices.end(), [&](const Slice& slice) {
             return slice.measured.source == source && tells_any(slice);
           });
  });
}

// The place of a figure among those of a line that are told in letters.
std::optional<std::size_t> figure_of(std::string_view key) {
  if (key == "use") return 0;
  if (key == "temperature") return 2;
  if (key == "power") return 3;
  if (key == "tensor") return 4;
  if (key == "memory_busy") return 5;
  if (key == "licensed") return 6;
  return std::nullopt;
}

// What a letter says; nothing, or nothing that is known, is n/a.
template <class Unit>
void lay_letter(std::optional<Unit>& to, char letter, const Scale& scale) {
  to.reset();
  if (const auto value = scale.value_of(letter)) to = Unit{static_cast<decltype(Unit::value)>(*value)};
}

void lay_letter(Gpu& gpu, std::size_t figure, char letter) {
  Telemetry& told = gpu.telemetry;
  switch (figure) {
    case 0: return lay_letter(told.use, letter, kUseScale);
    case 2: return lay_letter(told.temperature, letter, kTemperatureScale);
    case 3: return lay_letter(told.power, letter, kPowerScale);
    case 4: return lay_letter(told.tensor, letter, kUseScale);
    case 5: return lay_letter(told.memory_busy, letter, kUseScale);
    default: break;
  }
  const auto value = kYesScale.value_of(letter);
  told.licensed = value && *value <= 1 ? std::optional(*value == 1) : std::nullopt;
}

void lay_letter(Slice& slice, std::size_t figure, char letter) {
  if (figure == 0) lay_letter(slice.use, letter, kUseScale);
  if (figure == 4) lay_letter(slice.tensor, letter, kUseScale);
  if (figure == 5) lay_letter(slice.memory_busy, letter, kUseScale);
}

// Of one figure: of the GPUs, then of the slices of each. A round has few of them, and of most nodes none at
// the slices.
void lay_letters(Node& node, std::size_t figure, std::string_view letters, const Origin& origin) {
  const std::size_t gpus = node.gpus.size();
  for (std::size_t line = 0; line < std::min(letters.size(), gpus); ++line) {
    if (letters[line] == kUnmoved) continue;
    node.gpus[line].telemetry.origin = origin;
    lay_letter(node.gpus[line], figure, letters[line]);
  }
  std::size_t line = gpus;
  for (std::size_t i = 0; i < gpus && line < letters.size(); ++i)
    for (Slice& slice : node.gpus[i].slices) {
      const char letter = line < letters.size() ? letters[line] : kUnmoved;
      ++line;
      if (letter == kUnmoved) continue;
      slice.measured = origin;
      lay_letter(slice, figure, letter);
    }
}

// What lies between the signs; as many as there are nodes, or the letters are those of others. Nothing at all
// is none.
std::optional<std::vector<std::string_view>> split_letters(std::string_view letters, std::size_t nodes) {
  std::vector<std::string_view> parts;
  if (letters.empty()) return parts;
  parts.reserve(nodes);
  for (;;) {
    const std::size_t end = letters.find(kNextNode);
    parts.push_back(letters.substr(0, end));
    if (end == std::string_view::npos) break;
    if (parts.size() == nodes) return std::nullopt;
    letters.remove_prefix(end + 1);
  }
  if (parts.size() != nodes) return std::nullopt;
  return parts;
}

bool makes_sense(const SourceCost& cost) {
  return cost.calls >= 0 && cost.bytes >= 0 && cost.over > Duration(0);
}

void read_figures(JsonValue& json, Figures& figures) {
  json.items([&](JsonValue& one) { figures.push_back(one.integer()); });
}

}  // namespace

std::optional<TimePoint> Reader::time_of(std::string_view line) {
  constexpr std::string_view kBegin = "{\"at\":\"";
  if (!line.starts_with(kBegin)) return std::nullopt;
  line.remove_prefix(kBegin.size());
  const std::size_t end = line.find('"');
  return end == std::string_view::npos ? std::nullopt : parse_utc(line.substr(0, end));
}

std::string_view Reader::kind_of(std::string_view line) {
  constexpr std::string_view kAt = "{\"at\":\"", kKind = "\",\"kind\":\"";
  if (!line.starts_with(kAt)) return {};
  const std::size_t end = line.find('"', kAt.size());
  if (end == std::string_view::npos || !line.substr(end).starts_with(kKind)) return {};
  line.remove_prefix(end + kKind.size());
  const std::size_t quote = line.find('"');
  return quote == std::string_view::npos ? std::string_view() : line.substr(0, quote);
}

bool Reader::is_of_nodes(std::string_view kind) {
  return kind == "key" || kind == "node" || kind == "gone" || kind == "whole" || kind == "figures";
}

void Reader::read(JsonValue& root, Seen& seen) {
  root.fields([&](std::string_view key, JsonValue& value) {
    const auto take = [&](auto& to) { get(value, to); };
    if (key == "at") return take(at_);
    if (key == "kind") return take(seen.kind);
    if (key == "head") return take(seen.head);
    if (key == "cluster") return take(seen.about);
    if (key == "node") return seen.kind == "gone" ? take(seen.gone_node) : take(seen.node);
    if (key == "workload") return seen.kind == "gone" ? take(seen.gone_workload) : take(seen.workload);
    if (key == "finding") return take(seen.finding);
    if (key == "source") return take(seen.source);
    if (key == "run") return take(seen.run);
    // A plan of many nodes is one line, which is parsed before anything of it is shown.
    if (key == "line") return static_cast<void>(seen.line = value.text().value_or(""));
    if (key == "lines" && seen.kind == "runs") return take(seen.run_lines);
    if (key == "silent")
      return value.items([&](JsonValue& one) {
        std::string node;
        get(one, node);
        seen.silent.insert(std::move(node));
      });
    if (key == "measured") return take(seen.measured);
    if (key == "partitions") return take(seen.partitions);
    if (key == "reservations") return take(seen.reservations);
    if (key == "quotas") return take(seen.quotas);
    if (key == "daemons") return take(seen.daemons);
    if (key == "remarks") return take(seen.remarks);
    if (key == "sources") return take(seen.sources);
    if (key == "apart_s") return take(seen.apart);
    if (key == "opened") return take(seen.opened);
    if (key == "own") return take(seen.own);
    if (key == "idle_s") return take(seen.idle);
    if (key == "away_s") return take(seen.away);
    if (key == "away_idle_s") return take(seen.away_idle);
    if (const auto which = figure_of(key); which && seen.kind == "figures") {
      // Of as many nodes as there are, and never shown.
      if (const auto letters = value.text()) seen.letters[*which] = *letters;
      return;
    }
    if (key == "memory" && seen.kind == "figures")
      value.fields([&](std::string_view node, JsonValue& lines) {
        auto& of_node = seen.memory[std::string(node)];
        lines.fields(
            [&](std::string_view line, JsonValue& figure) { of_node[std::string(line)] = figure.integer(); });
      });
    if (key == "nodes" && seen.kind == "figures")
      value.fields([&](std::string_view node, JsonValue& lines) {
        auto& of_node = seen.figures[std::string(node)];
        lines.fields([&](std::string_view line, JsonValue& figures) {
          read_figures(figures, of_node[std::string(line)]);
        });
      });
  });
}

Status Reader::take(std::string_view line, std::vector<Event>& events) {
  Seen seen;
  if (Status parsed = json_.read(line, [&](JsonValue& root) { read(root, seen); }); !parsed)
    return Error{"cannot read the recording", parsed.error().reason,
                 "the line begins " + clean(line.substr(0, 80), 100)};
  return act(seen, events);
}

void Reader::tell(std::vector<Event>& events, decltype(Event::what) what, std::optional<TimePoint> at) const {
  events.push_back({ClusterName(head_.cluster), 0, at.value_or(at_), std::move(what)});
}

Status Reader::act(Seen& seen, std::vector<Event>& events) {
  ended_ = seen.kind == "end";
  if (seen.kind == "key") {
    if (Status known = take_head(seen); !known) return known;
    begin(events);
  } else if (head_.format.empty()) {
    return Error{"cannot read the recording", "there is no head of a recording before its first line",
                 "tessera record writes them"};
  }
  if (seen.kind == "whole") finish(events);
  tell_cluster(seen, events);
  if (seen.node) take_node(std::move(*seen.node), events);
  if (seen.workload) {
    seen.workload->origin.at = at_;
    if (in_key_)
      key_workloads_.push_back(std::move(*seen.workload));
    else
      tell(events, WorkloadSeen{std::move(*seen.workload)});
  }
  if (!seen.finding.empty() && seen.kind == "finding") findings_.insert(seen.finding);
  if (!seen.finding.empty() && seen.kind == "gone") findings_.erase(seen.finding);
  if (!seen.gone_node.empty()) forget_node(seen.gone_node, events);
  if (!seen.gone_workload.empty()) tell(events, WorkloadGone{WorkloadId(seen.gone_workload)});
  if (seen.opened && seen.kind == "processes") take_opened(std::move(*seen.opened), events);
  if (seen.own && seen.kind == "own") take_own(std::move(*seen.own), events);
  if (seen.kind == "idle") begin_idle(seen);
  if (seen.kind == "runs") run_lines_ = std::move(seen.run_lines);
  if (seen.kind == "run" && !seen.run.empty()) take_run(seen);
  if (seen.kind == "figures") return measure(seen, events);
  return Done{};
}

Status Reader::take_head(const Seen& seen) {
  if (!seen.head || seen.head->format != kFormat)
    return Error{"cannot read the recording", "it does not begin with the head of a recording of tessera",
                 "tessera record writes them"};
  later_ = seen.head->version > kVersion;
  if (later_)
    return Error{"cannot read the recording",
                 "it is of version " + std::to_string(seen.head->version) +
                     ", and this tessera reads up to " + std::to_string(kVersion),
                 "tessera " + seen.head->tessera + " wrote it; use that one or a later one"};
  head_ = *seen.head;
  return Done{};
}

void Reader::tell_cluster(Seen& seen, std::vector<Event>& events) {
  if (seen.kind == "cluster") {
    tell(events, ClusterSeen{seen.about.scheduler, seen.about.simulated, seen.about.version,
                             seen.about.endpoint, seen.about.id});
    if (!seen.about.licence.empty()) tell(events, LicenceNamed{seen.about.licence});
  }
  if (seen.kind == "pace") {
    apart_ = std::min<Duration>(seen.apart, std::chrono::days(1));
    tell(events, PaceReport{0, Duration{0}, apart_});
  }
  if (seen.kind == "partitions") tell(events, PartitionsListed{std::move(seen.partitions)});
  if (seen.kind == "reservations") tell(events, ReservationsListed{std::move(seen.reservations)});
  if (seen.kind == "quotas") tell(events, QuotasListed{std::move(seen.quotas)});
  if (seen.kind == "daemons") tell(events, DaemonsSeen{std::move(seen.daemons)});
  if (seen.kind == "remarks") tell(events, RemarksListed{seen.source, std::move(seen.remarks)});
  if (seen.kind != "sources") return;
  for (SourceState& state : seen.sources) {
    if (state.ok) answered_[state.source] = *state.ok;
    if (state.cost && !makes_sense(*state.cost)) state.cost.reset();
    if (state.ok)
      tell(events, SourceReport{state.source, {}, {}, state.note, state.incomplete, state.cost}, state.ok);
    if (state.failure) tell(events, SourceReport{state.source, state.failure, {}, "", false, state.cost});
  }
}

void Reader::take_node(Node node, std::vector<Event>& events) {
  const auto [place, is_new] = nodes_.try_emplace(node.name.text);
  Node& kept = place->second;
  Beside& beside = beside_[node.name.text];
  if (is_new) rows_.clear();
  beside.dated = {};
  if (!beside.idle.since.empty()) lay_out_idle(beside.idle, keys_of(kept), keys_of(node));
  kept = std::move(node);
  kept.origin.at = at_;
  for (Gpu& gpu : kept.gpus) gpu.origin.at = at_;
  if (!in_key_) tell(events, NodeSeen{kept});
}

void Reader::forget_node(const std::string& name, std::vector<Event>& events) {
  nodes_.erase(name);
  beside_.erase(name);
  rows_.clear();
  opened_.erase(name);
  measured_.erase(name);
  tell(events, NodeGone{NodeName(name)});
}

void Reader::begin(std::vector<Event>& events) {
  in_key_ = true;
  for (const auto& [name, opened] : std::exchange(opened_, {}))
    tell(events, Measured{opened.node, opened.source, at_, {}});
  nodes_.clear();
  beside_.clear();
  rows_.clear();
  tells_idle_ = false;
  key_workloads_.clear();
  findings_.clear();
  run_lines_.reset();
  tell(events, ClockSet{at_, 0});
  if (std::exchange(apart_, Duration{0}) > Duration{0}) tell(events, PaceReport{});
}

void Reader::finish(std::vector<Event>& events) {
  in_key_ = false;
  NodesListed list;
  for (const auto& [name, node] : nodes_) list.nodes.push_back(node);
  tell(events, std::move(list));
  tell(events, WorkloadsListed{std::exchange(key_workloads_, {})});
  tell(events, Loaded{});
}

void Reader::date(Node& node, Dated& dated, const Origin& origin) const {
  if (!quiet_) return write_date(node, origin);
  // Before another source's figures are laid over them.
  if (dated.source != origin.source && dated.source != Source::none)
    write_date(node, {dated.source, dated.at});
  dated = {origin.source, origin.at};
}

void Reader::write(Node& node, Dated& dated) {
  if (dated.source != Source::none) write_date(node, {dated.source, dated.at});
  dated = {};
}

const std::vector<Reader::Row>& Reader::rows() {
  if (!rows_.empty()) return rows_;
  auto beside = beside_.begin();
  for (auto& [name, node] : nodes_) rows_.push_back({name, node, (beside++)->second});
  return rows_;
}

void Reader::write_dates() {
  for (const Row& row : rows()) write(row.node, row.beside.dated);
}

const Node* Reader::node(const std::string& written_name) {
  const auto found = nodes_.find(written_name);
  if (found == nodes_.end()) return nullptr;
  write(found->second, beside_[written_name].dated);
  return &found->second;
}

Status Reader::measure(Seen& seen, std::vector<Event>& events) {
  std::array<std::vector<std::string_view>, kFigureCount> letters;
  for (std::size_t which = 0; which < letters.size(); ++which) {
    auto parts = split_letters(seen.letters[which], nodes_.size());
    if (!parts)
      return Error{"cannot read the recording",
                   "the figures of " + utc_text(at_) + " do not match the nodes recorded before them", ""};
    letters[which] = std::move(*parts);
  }
  std::size_t place = 0;
  ByName olds(seen.measured);
  ByName silent(seen.silent);
  ByName figures_of(seen.figures);
  ByName memory_of(seen.memory);
  const Duration longest = longest_step(std::max(every(), apart_));
  for (const auto& [name, node, beside] : rows()) {
    const std::size_t here = place++;
    const auto* old = olds.find(name);
    if (!old && silent.find(name)) continue;
    const Origin origin{seen.source, old ? old->second : at_};
    const auto* told = figures_of.find(name);
    const auto* memory = memory_of.find(name);
    std::array<std::string_view, kFigureCount> own;
    for (std::size_t which = 0; which < own.size(); ++which)
      if (here < letters[which].size()) own[which] = letters[which][here];
    const bool lettered =
        std::any_of(own.begin(), own.end(), [](std::string_view one) { return !one.empty(); });
    if (told)
      for (const auto& [line, figures] : told->second) lay(node, line, figures, origin);
    if (memory)
      for (const auto& [line, figure] : memory->second) lay_memory(node, line, figure, origin);
    for (std::size_t which = 0; lettered && which < own.size(); ++which)
      lay_letters(node, which, own[which], origin);
    const bool any = told || memory || lettered;
    // Where it measures nothing of the node, the date is written to nothing.
    const bool looks = !quiet_ || tells_idle_;
    const bool measured = any || (looks && measures(seen.source, node));
    if (!measured && !quiet_) continue;
    if (measured) hear_idle(beside.idle, node, own[0].substr(0, lines_in(node)), any, origin.at, longest);
    date(node, beside.dated, origin);
    if (quiet_) continue;
    // The model keeps the figures of a source until it is told otherwise.
    std::set<Source> now = measured_by(node);
    for (Source source : measured_[name])
      if (!now.contains(source)) tell_opened(node, source, events);
    measured_[name] = std::move(now);
    tell_figures(node, events);
  }
  return Done{};
}

void Reader::take_run(const Seen& seen) {
  if (run_lines_) ++(*run_lines_)[seen.run];
  if (auto news = news_of(json_, seen.run, seen.line)) run_news_.emplace_back(at_, std::move(*news));
}

// Figures of that round may stand before it, or behind it as in a thinner day: what these say is the same.
void Reader::begin_idle(const Seen& seen) {
  tells_idle_ = true;
  write_dates();
  ByName idle_of(seen.idle);
  ByName away(seen.away);
  ByName away_idle_of(seen.away_idle);
  for (const auto& [name, node, beside] : rows()) {
    IdleLines& lines = beside.idle;
    lines = {measured_last(node), {}, lines.away};
    const auto* told = idle_of.find(name);
    const auto* told_away = away_idle_of.find(name);
    // It goes on from there where it is measured again soon.
    if (const auto* for_so_long = away.find(name); for_so_long && told_away)
      lines.measured = at_ - for_so_long->second, lines.away = true, told = told_away;
    if (!told) continue;
    for (const auto& [line_name, for_so_long] : told->second) {
      const Line line = find_line(node, line_name);
      if (!line.gpu) continue;
      const TimePoint since = at_ - for_so_long;
      tell_idle(lines, place_of(node, line), since);
      // One line with the GPU.
      if (line.slice || line.gpu->slices.size() != 1) continue;
      if (Slice& slice = line.gpu->slices.front(); slice.kind == SliceKind::whole_gpu)
        tell_idle(lines, place_of(node, {line.gpu, &slice}), since);
    }
  }
}

std::optional<std::vector<history::ToldIdle>> Reader::idle() const {
  if (!tells_idle_) return std::nullopt;
  std::vector<history::ToldIdle> all;
  for (const auto& [name, beside] : beside_)
    if (const auto node = nodes_.find(name);
        node != nodes_.end() && !beside.idle.since.empty() && !beside.idle.away)
      all.push_back(told_idle(beside.idle, node->second));
  return all;
}

void Reader::tell_figures(const Node& node, std::vector<Event>& events) const {
  Node copy;
  copy.name = node.name, copy.gpus = node.gpus;  // where they are; the rest of it is long
  for (Measured& measured : take_figures(copy)) {
    add_opened(measured);
    const TimePoint at = measured.at;
    tell(events, std::move(measured), at);
  }
}

// One source tells figures and processes together, and the model keeps what it told last as one: with the
// time of the processes, which figures of the recorder's rounds do not have.
void Reader::add_opened(Measured& measured) const {
  const auto found = opened_.find(measured.node.text);
  if (found == opened_.end() || found->second.source != measured.source) return;
  measured.at = found->second.told;
  for (const OpenGpu& open : found->second.gpus) {
    auto gpu = std::find_if(measured.gpus.begin(), measured.gpus.end(),
                            [&](const GpuFigures& one) { return one.gpu == open.gpu; });
    if (gpu == measured.gpus.end()) {
      gpu = measured.gpus.insert(gpu, GpuFigures{});
      gpu->gpu = open.gpu;
    }
    gpu->processes = open.processes;
  }
}

// Its processes alone, where it tells some; else nothing more.
void Reader::tell_opened(const Node& node, Source source, std::vector<Event>& events) const {
  Measured measured{node.name, source, at_, {}};
  add_opened(measured);
  const TimePoint at = measured.at;
  tell(events, std::move(measured), at);
}

void Reader::take_opened(OpenNode opened, std::vector<Event>& events) {
  const auto known = nodes_.find(opened.node.text);
  if (known == nodes_.end()) return;
  const auto before = opened_.find(opened.node.text);
  Source source = opened.source;
  if (!opened.gpus.empty()) {
    opened_[opened.node.text] = std::move(opened);
  } else {
    if (before == opened_.end()) return;
    source = before->second.source;
    opened_.erase(before);
  }
  Node copy = known->second;
  if (!quiet_)
    for (Measured& measured : take_figures(copy))
      if (measured.source == source) {
        add_opened(measured);
        const TimePoint at = measured.at;
        return tell(events, std::move(measured), at);
      }
  tell_opened(known->second, source, events);
}

void Reader::take_own(SharedNode own, std::vector<Event>& events) {
  const auto known = nodes_.find(own.node.text);
  if (known == nodes_.end()) return;
  Node& node = known->second;
  write(node, beside_[own.node.text].dated);
  const std::set<Source> before = told_by(node);
  for (Gpu& gpu : node.gpus) {
    gpu.own.reset();
    const auto told = std::find_if(own.gpus.begin(), own.gpus.end(),
                                   [&](const SharedGpu& one) { return one.gpu == gpu.index; });
    if (told == own.gpus.end() || told->uses.empty() || told->source == Source::none) continue;
    gpu.own = OwnUses{std::move(told->uses), {told->source, std::min(told->told, at_)}};
  }
  if (quiet_) return;
  const std::set<Source> now = told_by(node);
  for (Source source : before)
    if (!now.contains(source)) tell_opened(node, source, events);
  tell_figures(node, events);
}

void Reader::show(Cluster& cluster) {
  write_dates();
  for (const auto& [name, node] : nodes_) {
    Node* shown = cluster.nodes.change(node.name);
    if (!shown || shown->gpus.size() != node.gpus.size()) continue;
    for (std::size_t i = 0; i < node.gpus.size(); ++i) {
      const Gpu& from = node.gpus[i];
      Gpu& to = shown->gpus[i];
      // What has no figure has no source either.
      to.telemetry = tells_any(from.telemetry) ? from.telemetry : Telemetry{};
      to.own = from.own;
      for (std::size_t k = 0; k < from.slices.size() && k < to.slices.size(); ++k) {
        const Slice& slice = from.slices[k];
        to.slices[k].use = slice.use;
        to.slices[k].memory_used = slice.memory_used;
        to.slices[k].tensor = slice.tensor;
        to.slices[k].memory_busy = slice.memory_busy;
        to.slices[k].measured = tells_any(slice) ? slice.measured : Origin{};
      }
    }
  }
}

void Reader::figures_of_opened(std::vector<Event>& events) const {
  for (const auto& [name, opened] : opened_)
    if (const auto node = nodes_.find(name); node != nodes_.end()) tell_figures(node->second, events);
}

}  // namespace tessera::record
