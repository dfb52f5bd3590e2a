#include "engine/record/recorder.hpp"

#include <algorithm>
#include <cmath>

#include "engine/insight/attention.hpp"
#include "engine/record/anonymous.hpp"
#include "engine/record/json_out.hpp"

namespace tessera::record {
namespace {

constexpr std::array<std::int64_t, 4> kSteps = {kUseStep, kMemoryStep, kTemperatureStep, kPowerStep};
constexpr Duration kSlow{600'000};  // between two rounds that tell heat and power
constexpr std::size_t kFiguresOfSlice = 2, kFiguresOfGpu = 4;

using Quad = std::array<std::optional<std::int64_t>, 4>;

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
  if (which == 0 && (*to == 0) != (*from == 0)) return true;
  return std::abs(*to - *from) >= kSteps[which];
}

// How many figures of the quad are to be written: up to the last that moved. Takes those over.
std::size_t take_moved(Quad& from, const Quad& to, std::size_t looked_at) {
  std::size_t many = 0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const bool came_or_went = from[i].has_value() != to[i].has_value();
    if (came_or_went || (i < looked_at && moved(from[i], to[i], i))) many = i + 1;
  }
  std::copy_n(to.begin(), many, from.begin());
  return many;
}

void put(std::string& out, const Quad& quad, std::size_t many) {
  out += '[';
  for (std::size_t i = 0; i < many; ++i) {
    if (i > 0) out += ',';
    out += quad[i] ? std::to_string(*quad[i]) : "null";
  }
  out += ']';
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
  at_ = cluster_now(cluster, wall);
  if (key) {
    written_.clear();
    shown_.clear();
    head(cluster);
  }
  about(cluster);
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
  figures(cluster);
  findings(cluster, wall);
  return std::move(out_);
}

void Recorder::head(const Cluster& cluster) {
  Head head{std::string(kFormat), kVersion, wanted_.tessera, cluster.name.text, wanted_.every.count() / 1000,
            !wanted_.salt.empty()};
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

// Told in each round: a source that answers is news, too.
void Recorder::sources(const Cluster& cluster) {
  std::vector<SourceState> states;
  for (const auto& [source, health] : cluster.sources) {
    SourceState state{source, health.last_ok, health.failure, health.note, health.incomplete};
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
    shown_.erase(copy.name.text);  // another layout may have other lines
    begin("node");
    out_ += ",\"node\":" + text + "}\n";
  }
  drop_gone("nodes", "node", there);
  std::erase_if(shown_, [&](const auto& one) { return !there.contains(one.first); });
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

// For people who search a recording: when it is looked at, findings are worked out again.
void Recorder::findings(const Cluster& cluster, TimePoint wall) {
  if (!wanted_.catalogue || !wanted_.salt.empty()) return;
  std::unordered_set<std::string> there;
  for (const insight::Finding& finding : insight::attention(cluster, *wanted_.catalogue, wall)) {
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

void Recorder::figures(const Cluster& cluster) {
  const bool slow = at_ - slow_at_ >= kSlow || at_ < slow_at_;
  if (slow) slow_at_ = at_;
  std::map<Source, std::pair<std::string, std::string>> by_source;  // changed nodes; silent ones
  for (const Node& node : cluster.nodes.all()) {
    const Origin origin = newest(node);
    if (origin.source == Source::none) continue;
    const std::string name = wanted_.salt.empty() ? node.name.text : hashed(node.name.text, wanted_.salt);
    auto [it, fresh] = shown_.try_emplace(name);
    Shown& shown = it->second;
    auto& [changed, silent] = by_source[origin.source];
    if (!fresh && origin.at <= shown.measured) {
      silent += (silent.empty() ? "" : ",");
      put_text(silent, name);
      continue;
    }
    shown.measured = origin.at;
    std::string lines;
    auto see = [&](std::string line, const Quad& quad, std::size_t many) {
      auto [old, added] = shown.lines.try_emplace(std::move(line), quad);
      // Heat and power follow use: they are told less often, unless they come or go.
      if (!added) many = take_moved(old->second, quad, slow ? kFiguresOfGpu : kFiguresOfSlice);
      if (many == 0) return;
      lines += (lines.empty() ? "" : ",");
      put_text(lines, old->first);
      lines += ':';
      put(lines, quad, many);
    };
    for (const Gpu& gpu : node.gpus) {
      const std::string index = std::to_string(gpu.index.value);
      const Telemetry& told = gpu.telemetry;
      see(index, {whole(told.use), whole(told.memory_used), whole(told.temperature), whole(told.power)},
          kFiguresOfGpu);
      for (std::size_t i = 0; i < gpu.slices.size(); ++i) {
        const Slice& slice = gpu.slices[i];
        see(index + "." + std::to_string(i), {whole(slice.use), whole(slice.memory_used), {}, {}},
            kFiguresOfSlice);
      }
    }
    if (lines.empty()) continue;
    changed += (changed.empty() ? "" : ",");
    put_text(changed, name);
    changed += ":{" + lines + "}";
  }
  for (const auto& [source, parts] : by_source) {
    begin("figures");
    out_ += ",\"source\":";
    put_text(out_, word(source));
    if (!parts.second.empty()) out_ += ",\"silent\":[" + parts.second + "]";
    out_ += ",\"nodes\":{" + parts.first + "}}\n";
  }
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
