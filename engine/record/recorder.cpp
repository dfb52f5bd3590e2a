#include "engine/record/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "engine/record/anonymous.hpp"
#include "engine/record/json_out.hpp"
#include "engine/record/levels.hpp"
#include "engine/record/measured_by.hpp"
#include "engine/record/step.hpp"
#include "engine/time.hpp"

namespace tessera::record {
namespace {

constexpr std::array<std::int64_t, kFigureCount> kSteps = {
    kUseStep, kMemoryStep, kTemperatureStep, kPowerStep, kBusyStep, kBusyStep, 1};
constexpr std::array<std::string_view, kFigureCount> kFigures = {
    "use", "memory", "temperature", "power", "tensor", "memory_busy", "licensed"};
constexpr std::size_t kUse = 0, kMemory = 1, kLicensed = 6;
constexpr Duration kSlow{1'200'000};  // between two rounds that tell heat, power and what is busy
// Figures that every round tells.
bool is_quick(std::size_t figure) { return figure <= kMemory || figure == kLicensed; }

using Row = std::array<std::optional<std::int64_t>, kFigureCount>;

bool is_percent(std::size_t figure) { return figure == kUse || figure == 4 || figure == 5; }
const Scale& scale_of(std::size_t figure) {
  if (figure == kLicensed) return kYesScale;
  return is_percent(figure) ? kUseScale : figure == 2 ? kTemperatureScale : kPowerScale;
}

// As the head tells it.
Duration whole_seconds(Duration every) { return std::chrono::floor<std::chrono::seconds>(every); }

// Rounded down: below 1 % is 0.
template <class Unit>
std::optional<std::int64_t> whole(const std::optional<Unit>& figure) {
  if (!figure) return std::nullopt;
  return static_cast<std::int64_t>(std::floor(figure->value));
}

bool moved(const std::optional<std::int64_t>& from, const std::optional<std::int64_t>& to,
           std::size_t which) {
  if (from.has_value() != to.has_value()) return true;
  if (!to) return false;
  if (is_percent(which) && (*to == 0) != (*from == 0)) return true;
  return std::abs(*to - *from) >= kSteps[which];
}

// The GPUs, then the slices of each.
std::vector<Row> lines_of(const Node& node) {
  std::vector<Row> lines;
  for (const Gpu& gpu : node.gpus) {
    const Telemetry& told = gpu.telemetry;
    lines.push_back({whole(told.use), whole(told.memory_used), whole(told.temperature), whole(told.power),
                     whole(told.tensor), whole(told.memory_busy), told.licensed});
  }
  for (const Gpu& gpu : node.gpus)
    for (const Slice& slice : gpu.slices)
      lines.push_back({whole(slice.use),
                       whole(slice.memory_used),
                       {},
                       {},
                       whole(slice.tensor),
                       whole(slice.memory_busy),
                       {}});
  return lines;
}

// "0" a GPU, "0.1" its second slice, in the order of lines_of().
std::vector<std::string> names_of(const Node& node) {
  std::vector<std::string> names;
  for (const Gpu& gpu : node.gpus) names.push_back(std::to_string(gpu.index.value));
  for (const Gpu& gpu : node.gpus)
    for (std::size_t i = 0; i < gpu.slices.size(); ++i)
      names.push_back(std::to_string(gpu.index.value) + "." + std::to_string(i));
  return names;
}

Origin newest(const Node& node) {
  Origin newest;
  auto see = [&](const Origin& origin) {
    if (origin.source != Source::none && (newest.source == Source::none || origin.at > newest.at))
      newest = origin;
  };
  for (const Gpu& gpu : node.gpus) {
    see(gpu.telemetry.origin);
    for (const Slice& slice : gpu.slices) see(slice.measured);
  }
  return newest;
}

// Without what reduce derives and without figures, which the fields leave out, and without the time of the
// last look, which is the source's.
Node bare(const Node& node, const std::string& salt) {
  Node copy = node;
  if (!salt.empty()) hash_names(copy, salt);
  return copy;
}

SharedNode shared_of(const Node& node, const std::string& salt) {
  SharedNode shared;
  shared.node.text = salt.empty() ? node.name.text : hashed(node.name.text, salt);
  for (const Gpu& gpu : node.gpus) {
    if (!gpu.own) continue;
    shared.gpus.push_back({gpu.index, gpu.own->origin.source, gpu.own->origin.at, gpu.own->list});
    if (!salt.empty())
      for (OwnUse& one : shared.gpus.back().uses) hash_names(one, salt);
  }
  return shared;
}

bool stands(const OwnUse& before, const OwnUse& now) {
  return before.workload == now.workload && before.instance_id == now.instance_id &&
         !moved(whole(before.use), whole(now.use), kUse) &&
         !moved(whole(before.memory_used), whole(now.memory_used), kMemory);
}

// Whether what was written still tells it. dated: the source whose figures tell in each round when it
// measured; what another one measured later is written again.
bool stands(const SharedNode& before, const SharedNode& now, Source dated) {
  return std::equal(before.gpus.begin(), before.gpus.end(), now.gpus.begin(), now.gpus.end(),
                    [&](const SharedGpu& a, const SharedGpu& b) {
                      return a.gpu == b.gpu && a.source == b.source &&
                             (b.source == dated || a.told == b.told) &&
                             std::equal(a.uses.begin(), a.uses.end(), b.uses.begin(), b.uses.end(),
                                        [](const OwnUse& x, const OwnUse& y) { return stands(x, y); });
                    });
}

// As the nodes are called in the recording, in the order in which letters tell of them.
std::vector<std::pair<std::string, const Node*>> by_written_name(const Cluster& cluster,
                                                                 const std::string& salt) {
  std::vector<std::pair<std::string, const Node*>> all;
  for (const Node& node : cluster.nodes.all())
    all.emplace_back(salt.empty() ? node.name.text : hashed(node.name.text, salt), &node);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

void Recorder::begin(std::string_view kind) {
  out_ += "{\"at\":";
  put_text(out_, utc_text(at_));
  out_ += ",\"kind\":";
  put_text(out_, kind);
}

// Whether that object reads otherwise than when it was written last; remembers it.
bool Recorder::changed(std::string_view group, const std::string& name, std::string text) {
  auto [of_group, fresh] = written_.try_emplace(std::string(group));
  std::string& before = of_group->second[name];
  if (before == text) return false;
  before = std::move(text);
  return true;
}

void Recorder::drop_gone(std::string_view group, std::string_view field,
                         const std::unordered_set<std::string>& there) {
  auto of_group = written_.find(group);
  if (of_group == written_.end()) return;
  for (auto it = of_group->second.begin(); it != of_group->second.end();) {
    if (there.contains(it->first)) {
      ++it;
      continue;
    }
    begin("gone");
    out_ += ",\"" + std::string(field) + "\":";
    put_text(out_, it->first);
    out_ += "}\n";
    it = of_group->second.erase(it);
  }
}

std::string Recorder::take(const Cluster& cluster, TimePoint wall, bool key) {
  out_.clear();
  const TimePoint before = std::exchange(at_, cluster_now(cluster, wall));
  follow_clock(before);
  if (key) {
    written_.clear();
    shared_.clear();
    forget_figures();
    head(cluster);
  }
  about(cluster);
  pace(cluster);
  sources(cluster);
  if (wanted_.salt.empty()) {
    keep_list("partitions", cluster.partitions);
    keep_list("reservations", cluster.reservations);
    keep_list("quotas", cluster.quotas);
    keep_list("daemons", cluster.daemons);
    for (const auto& [source, remarks] : cluster.remarks) {
      std::string text;
      put(text, remarks);
      if (!changed("remarks", std::string(word(source)), text)) continue;
      begin("remarks");
      out_ += ",\"source\":";
      put_text(out_, word(source));
      out_ += ",\"remarks\":" + text + "}\n";
    }
  }
  nodes(cluster);
  workloads(cluster);
  if (key) {
    begin("whole");
    out_ += "}\n";
  }
  processes(cluster);
  figures(cluster);
  own(cluster);
  if (key) idle(cluster);
  findings(cluster, wall);
  return std::move(out_);
}

void Recorder::follow_clock(TimePoint before) {
  new_day_ = std::chrono::floor<std::chrono::days>(before) != std::chrono::floor<std::chrono::days>(at_);
  if (at_ < before) {
    set_back_ = SetBack{set_back_ ? std::max(set_back_->from, before) : before, at_};
    new_day_ = true;  // what is written from here on is gone on with from there
    // Neither what was seen later nor what the recorder before told of it goes on from here.
    idle_.forget();
  } else if (set_back_ && at_ > set_back_->from) {
    set_back_.reset();
  }
}

void Recorder::head(const Cluster& cluster) {
  Head head{std::string(kFormat),  kVersion, wanted_.tessera, cluster.name.text, wanted_.every.count() / 1000,
            !wanted_.salt.empty(), 0,        wanted_.began};
  if (set_back_ && new_day_) head.set_back_from = set_back_->from, head.set_back_to = set_back_->to;
  if (head.hashed) head.cluster = hashed(head.cluster, wanted_.salt);
  begin("key");
  out_ += ",\"head\":";
  put(out_, head);
  out_ += "}\n";
}

void Recorder::about(const Cluster& cluster) {
  About about{cluster.scheduler, cluster.simulated, cluster.version,
              cluster.endpoint,  cluster.id,        cluster.licence};
  if (!wanted_.salt.empty()) about.endpoint = about.id = about.licence = "";
  std::string text;
  put(text, about);
  if (!changed("cluster", "", text)) return;
  begin("cluster");
  out_ += ",\"cluster\":" + text + "}\n";
}

template <class T>
void Recorder::keep_list(std::string_view kind, const T& list) {
  std::string text;
  put(text, list);
  if (!changed("list", std::string(kind), text)) return;
  begin(kind);
  out_ += ",\"" + std::string(kind) + "\":" + text + "}\n";
}

// Before the figures of its round, which count by it.
void Recorder::pace(const Cluster& cluster) {
  apart_ = far_apart(cluster.pace);
  if (apart_ == Duration{0} && !written_.contains("pace")) return;
  const std::string text = std::to_string(apart_ / std::chrono::seconds(1));
  if (!changed("pace", "", text)) return;
  begin("pace");
  out_ += ",\"apart_s\":" + text + "}\n";
}

Duration Recorder::longest() const { return longest_step(std::max(whole_seconds(wanted_.every), apart_)); }

// Told in each round: a source that answers is news, too.
void Recorder::sources(const Cluster& cluster) {
  std::vector<SourceState> states;
  for (const auto& [source, health] : cluster.sources) {
    SourceState state{source, health.last_ok, health.failure, health.note, health.incomplete, health.cost};
    if (!wanted_.salt.empty()) state.note.clear(), state.failure.reset();
    states.push_back(std::move(state));
  }
  begin("sources");
  out_ += ",\"sources\":";
  put(out_, states);
  out_ += "}\n";
}

void Recorder::nodes(const Cluster& cluster) {
  std::unordered_set<std::string> there;
  for (const Node& node : cluster.nodes.all()) {
    std::string text;
    const Node copy = bare(node, wanted_.salt);
    put(text, copy);
    there.insert(copy.name.text);
    if (!changed("nodes", copy.name.text, text)) continue;
    // Another layout may have other lines; when they were measured stays known.
    forget_figures(copy.name.text);
    idle_.lay_out(copy.name.text, copy);
    shared_.erase(copy.name.text);
    begin("node");
    out_ += ",\"node\":" + text + "}\n";
  }
  drop_gone("nodes", "node", there);
  idle_.keep(there);
  std::erase_if(shown_, [&](const auto& one) { return !there.contains(one.first); });
  std::erase_if(shared_, [&](const auto& one) { return !there.contains(one.first); });
}

void Recorder::workloads(const Cluster& cluster) {
  std::unordered_set<std::string> there;
  for (const Workload& workload : cluster.workloads.all()) {
    Workload copy = workload;
    if (!wanted_.salt.empty()) hash_names(copy, wanted_.salt);
    std::string text;
    put(text, copy);
    there.insert(copy.id.text);
    if (!changed("workloads", copy.id.text, text)) continue;
    begin("workload");
    out_ += ",\"workload\":" + text + "}\n";
  }
  drop_gone("workloads", "workload", there);
}

// A line of its own: who has a GPU open is told seldom, of few nodes, and at its own time.
void Recorder::processes(const Cluster& cluster) {
  std::unordered_set<std::string> there;
  for (const Node& node : cluster.nodes.all()) {
    OpenNode open;
    for (const Gpu& gpu : node.gpus) {
      if (!gpu.processes) continue;
      open.source = gpu.processes->origin.source, open.told = gpu.processes->origin.at;
      open.gpus.push_back({gpu.index, gpu.processes->list});
      if (!wanted_.salt.empty())
        for (GpuProcess& process : open.gpus.back().processes) hash_names(process, wanted_.salt);
    }
    open.node.text = wanted_.salt.empty() ? node.name.text : hashed(node.name.text, wanted_.salt);
    there.insert(open.node.text);
    const auto before = written_.find("processes");
    const bool told = before != written_.end() && before->second.contains(open.node.text);
    if (open.gpus.empty() && !told) continue;
    std::string text;
    put(text, open);
    if (!changed("processes", open.node.text, text)) continue;
    begin("processes");
    out_ += ",\"opened\":" + text + "}\n";
  }
  if (const auto before = written_.find("processes"); before != written_.end())
    std::erase_if(before->second, [&](const auto& one) { return !there.contains(one.first); });
}

// For people who search a recording: when it is looked at, findings are worked out again.
void Recorder::findings(const Cluster& cluster, TimePoint wall) {
  if (!wanted_.findings || !wanted_.salt.empty()) return;
  std::unordered_set<std::string> there;
  for (const insight::Finding& finding : wanted_.findings(cluster, wall)) {
    const std::string what = finding.cause.empty() ? finding.text : finding.cause;
    const std::string name = finding.subject + ": " + what;
    if (!there.insert(name).second) continue;
    if (!changed("findings", name, what)) continue;
    begin("finding");
    out_ += ",\"finding\":";
    put_text(out_, name);
    out_ += "}\n";
  }
  drop_gone("findings", "finding", there);
}

// Up to the place of a node among all of them.
void Recorder::Moved::go_to(std::size_t to) {
  for (std::string& one : letters) one.append(to - place, kNextNode);
  place = to;
}

// Memory in MiB by line, since it seldom moves; the others a letter for each line.
Recorder::Wrote Recorder::measure(const Node& node, const std::string& name, bool slow, Writes writes,
                                  Moved& into) {
  Shown& shown = shown_[name];
  const std::vector<Row> now = lines_of(node);
  const bool fresh = shown.lines.size() != now.size();
  if (fresh) shown.lines.assign(now.size(), Row{});
  std::array<std::string, kFigureCount> letters;
  std::string memory;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < now.size(); ++i)
    for (std::size_t which = 0; which < kFigures.size(); ++which) {
      std::optional<std::int64_t>& last = shown.lines[i][which];
      const std::optional<std::int64_t>& figure = now[i][which];
      // Heat, power and what is busy follow use: they are told less often, unless they come or go.
      const bool looked_at = is_quick(which) || slow || last.has_value() != figure.has_value();
      if (writes == Writes::moved && (!looked_at || !moved(last, figure, which))) continue;
      if (writes == Writes::differing && last == figure) continue;
      last = figure;
      if (which == kMemory) {
        if (names.empty()) names = names_of(node);
        put_field(memory, names[i], figure ? std::to_string(*figure) : "null");
        continue;
      }
      letters[which].resize(i, kUnmoved);
      letters[which] += figure ? scale_of(which).letter_of(*figure) : kNotAvailable;
    }
  for (std::size_t which = 0; which < kFigures.size(); ++which) into.letters[which] += letters[which];
  if (!memory.empty()) put_field(into.memory, name, "{" + memory + "}");
  const bool any = !memory.empty() || std::any_of(letters.begin(), letters.end(),
                                                  [](const std::string& one) { return !one.empty(); });
  return {std::move(letters[kUse]), any};
}

// The figures that were written last are measured no more: each is n/a from now on.
void Recorder::take_away(const Node& node, const std::string& name, std::size_t place) {
  const auto shown = shown_.find(name);
  if (shown == shown_.end() || shown->second.source == Source::none) return;
  Moved& moved = moved_[std::exchange(shown->second.source, Source::none)];
  moved.go_to(place);
  hear_idle(node, name, measure(node, name, true, Writes::all, moved), at_);
}

void Recorder::hear_idle(const Node& node, const std::string& name, const Wrote& wrote, TimePoint measured) {
  idle_.hear(name, node, wrote.use, wrote.any, measured, longest());
}

void Recorder::add_silent(std::string& silent, const std::string& name) {
  silent += (silent.empty() ? "" : ",");
  put_text(silent, name);
}

void Recorder::figures(const Cluster& cluster) {
  const bool slow = at_ - slow_at_ >= kSlow || at_ < slow_at_;
  if (slow) slow_at_ = at_;
  moved_.clear();
  std::map<Source, std::string>
      beside;  // nodes of which the other sources that measured them tell nothing either
  std::size_t before = 0;
  for (const auto& [name, node] : by_written_name(cluster, wanted_.salt)) {
    const std::size_t place = before++;
    const Origin origin = newest(*node);
    if (origin.source == Source::none) {
      take_away(*node, name, place);
      continue;
    }
    Shown& shown = shown_[name];
    Moved& moved = moved_[origin.source];
    // Of a node that was not written yet, what is older than a round is not of this one.
    const bool old = origin.at <= shown.measured.value_or(at_ - wanted_.every - Duration{1});
    const bool other = shown.source != Source::none && !measured_by(*node).contains(shown.source);
    if (old) {
      add_silent(moved.silent, name);
      for (Source source : measured_by(*node))
        if (source != origin.source) add_silent(beside[source], name);
      if (!shown.lines.empty() && !other && shown.source != Source::none) continue;
      put_field(moved.old, name, '"' + utc_text(origin.at) + '"');
    }
    shown.measured = origin.at;
    shown.source = origin.source;
    moved.go_to(place);
    const Wrote wrote = measure(*node, name, slow, other ? Writes::all : Writes::moved, moved);
    hear_idle(*node, name, wrote, old ? origin.at : at_);
  }
  for (auto& [source, moved] : moved_)
    if (const auto more = beside.find(source); more != beside.end())
      moved.silent += (moved.silent.empty() ? "" : ",") + more->second;
  put_moved(before);
}

// What each of those that share a GPU uses by itself: whole lists, since few GPUs have any.
void Recorder::own(const Cluster& cluster) {
  for (const Node& node : cluster.nodes.all()) {
    const bool any = std::any_of(node.gpus.begin(), node.gpus.end(), [](const Gpu& gpu) { return gpu.own; });
    if (!any && shared_.empty()) continue;
    SharedNode now = shared_of(node, wanted_.salt);
    const auto before = shared_.find(now.node.text);
    if (before == shared_.end() ? now.gpus.empty() : stands(before->second, now, newest(node).source))
      continue;
    begin("own");
    out_ += ",\"own\":";
    put(out_, now);
    out_ += "}\n";
    if (now.gpus.empty())
      shared_.erase(before);
    else
      shared_[now.node.text] = std::move(now);
  }
}

// In each key frame, also where none is idle: who reads it knows then that the others are not.
void Recorder::idle(const Cluster& cluster) {
  begin("idle");
  out_ += "," + idle_.told(by_written_name(cluster, wanted_.salt), at_, longest()) + "}\n";
}

void Recorder::put_moved(std::size_t nodes) {
  for (auto& [source, moved] : moved_) {
    begin("figures");
    out_ += ",\"source\":";
    put_text(out_, word(source));
    if (!moved.silent.empty()) out_ += ",\"silent\":[" + moved.silent + "]";
    if (!moved.old.empty()) out_ += ",\"measured\":{" + moved.old + "}";
    moved.go_to(nodes == 0 ? 0 : nodes - 1);
    for (std::size_t which = 0; which < kFigures.size(); ++which) {
      if (which == kMemory && !moved.memory.empty()) out_ += ",\"memory\":{" + moved.memory + "}";
      if (moved.letters[which].find_first_not_of('|') == std::string::npos) continue;
      out_ += ",\"" + std::string(kFigures[which]) + "\":\"" + moved.letters[which] + '"';
    }
    out_ += "}\n";
  }
}

void Recorder::forget_figures() {
  for (auto& [name, shown] : shown_) shown.lines.clear();
}
void Recorder::forget_figures(const std::string& node) {
  if (const auto shown = shown_.find(node); shown != shown_.end()) shown->second.lines.clear();
}

// Use or no use, memory, and whether there is a figure at all: what sums of usage and waste are made of.
bool Recorder::keeps_its_time(const Shown& shown, const Node& node) {
  const std::vector<Row> now = lines_of(node);
  if (shown.lines.size() != now.size()) return true;
  for (std::size_t i = 0; i < now.size(); ++i)
    for (std::size_t which = 0; which < kFigures.size(); ++which) {
      const std::optional<std::int64_t>&last = shown.lines[i][which], &figure = now[i][which];
      if (last.has_value() != figure.has_value()) return true;
      if ((which == kMemory || which == kLicensed) && last != figure) return true;
      if (which == kUse && figure && (*last == 0) != (*figure == 0)) return true;
    }
  return false;
}

std::string Recorder::figures_again(const std::map<std::string, Node>& nodes, TimePoint at, bool all,
                                    std::optional<TimePoint> stale_at) {
  out_.clear();
  at_ = at;
  moved_.clear();
  std::size_t before = 0;
  std::set<Source> tell;  // the others would say nothing
  for (const auto& [name, node] : nodes) {
    const std::size_t place = before++;
    const Origin origin = newest(node);
    Shown& shown = shown_[name];
    if (origin.source == Source::none) {
      tell.insert(shown.source);
      take_away(node, name, place);
      continue;
    }
    const bool other = shown.source != Source::none && !measured_by(node).contains(shown.source);
    const bool told = shown.source != Source::none && !shown.lines.empty() && !other;
    const bool good = !stale_at || shown.measured > *stale_at || origin.at <= shown.measured;
    const bool stands = told && (all ? origin.at <= shown.measured : good && !keeps_its_time(shown, node));
    Moved& moved = moved_[origin.source];
    if (stands || origin.at < at) add_silent(moved.silent, name);
    if (stands) continue;
    if (origin.at < at) put_field(moved.old, name, '"' + utc_text(origin.at) + '"');
    tell.insert(origin.source);
    shown.measured = origin.at;
    shown.source = origin.source;
    moved.go_to(place);
    measure(node, name, true, other ? Writes::all : Writes::differing, moved);
  }
  std::erase_if(moved_, [&](const auto& one) { return !tell.contains(one.first); });
  put_moved(before);
  return std::move(out_);
}

std::string Recorder::end_line() const {
  std::string out = "{\"at\":";
  put_text(out, utc_text(at_));
  return out + ",\"kind\":\"end\"}\n";
}

std::string Recorder::runs_line(TimePoint at, const RunLines& lines) const {
  if (!wanted_.salt.empty()) return {};
  std::string counts;
  for (const auto& [run, count] : lines) put_field(counts, run, std::to_string(count));
  std::string out = "{\"at\":";
  put_text(out, utc_text(at));
  return out + ",\"kind\":\"runs\",\"lines\":{" + counts + "}}\n";
}

std::string Recorder::run_line(TimePoint at, const std::string& run, std::string_view line) const {
  if (!wanted_.salt.empty()) return {};
  std::string out = "{\"at\":";
  put_text(out, utc_text(at));
  out += ",\"kind\":\"run\",\"run\":";
  put_text(out, run);
  out += ",\"line\":";
  put_text(out, line);
  out += "}\n";
  return out;
}

}  // namespace tessera::record
