#include "backends/figures/node_exporters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "backends/figures/apart.hpp"
#include "backends/figures/faults.hpp"
#include "backends/meter.hpp"
#include "backends/runner.hpp"
#include "engine/text.hpp"

namespace tessera::figures {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t kAtOnce = 8;
constexpr Duration kEach{250};       // one in so long
constexpr Duration kReported{5000};  // between two reports
constexpr std::size_t kNamedNodes = 3;

struct Asked {
  Steady::time_point due{};
  Steady::time_point answered{};
  std::optional<Error> failure;  // of its last answer
  std::optional<TimePoint> failing_since;
  bool viewed = false, under_way = false;
};

}  // namespace

struct NodeExporters::State : std::enable_shared_from_this<State> {
  State(Worker& w, Processes& p, SiteCommand c, NodeExporterCalls f)
      : worker(w), processes(p), command(std::move(c)), calls(std::move(f)) {}

  Worker& worker;
  Processes& processes;
  const SiteCommand command;
  NodeExporterCalls calls;
  NodeExporterPace pace;
  std::map<std::string, Asked> nodes;
  Faults faults;
  Apart apart;
  Meter meter{Steady::now(), std::chrono::minutes(1)};
  std::size_t under_way = 0, answered = 0;
  Duration latency{0};
  std::uint64_t timer = 0;
  Steady::time_point reported{};
  bool over = false;

  void step();
  void wake_after(Duration delay);
  void ask(const std::string& name, Asked& node);
  void heard(const std::string& name, Result<HttpResponse> result);
  void report();
};

void NodeExporters::State::wake_after(Duration delay) {
  if (timer != 0) worker.cancel(timer);
  timer = worker.after(delay, [weak = weak_from_this()] {
    auto self = weak.lock();
    if (!self || self->over) return;
    self->timer = 0;
    self->step();
  });
}

// The one that has waited longest; those on screen before all others.
void NodeExporters::State::step() {
  const auto now = Steady::now();
  apart.awake(now, kReported);
  auto next = nodes.end();
  std::optional<Steady::time_point> soonest;
  for (auto node = nodes.begin(); node != nodes.end(); ++node) {
    const Asked& one = node->second;
    if (one.under_way) continue;
    if (!soonest || one.due < *soonest) soonest = one.due;
    const auto rank = [](const Asked& asked) { return std::pair(!asked.viewed, asked.due); };
    if (one.due <= now && (next == nodes.end() || rank(one) < rank(next->second))) next = node;
  }
  if (next != nodes.end() && under_way < kAtOnce) ask(next->first, next->second);
  if (now - reported >= kReported) report();
  if (!soonest) return wake_after(kReported);
  wake_after(std::clamp(std::chrono::ceil<Duration>(*soonest - now), kEach, kReported));
}

void NodeExporters::State::ask(const std::string& name, Asked& node) {
  node.under_way = true;
  ++under_way;
  meter.called(Source::dcgm, Steady::now());
  ask_by_command(processes, command, name, "cannot ask the exporter",
                 [weak = weak_from_this(), name](Result<HttpResponse> result) {
                   auto self = weak.lock();
                   if (self && !self->over) self->heard(name, std::move(result));
                 });
}

void NodeExporters::State::heard(const std::string& name, Result<HttpResponse> result) {
  --under_way;
  if (result) meter.came(Source::dcgm, result->body.size(), Steady::now());
  auto found = nodes.find(name);
  if (found == nodes.end()) return;
  Asked& node = found->second;
  node.under_way = false;
  node.failure.reset();
  if (!result) {
    node.failure = result.error();
  } else if (auto readings = read_dcgm(result->body); !readings) {
    node.failure = readings.error();
  } else {
    ++answered;
    node.answered = Steady::now();
    apart.answered(name, node.answered);
    latency += result->took;
    readings->at = calls.clock();
    faults.keep(name, *readings);
    calls.told(NodeName(name), std::move(*readings));
  }
  if (node.failure) apart.failed(name);
  if (!node.failure)
    node.failing_since.reset();
  else if (!node.failing_since)
    node.failing_since = calls.clock();
  const Duration pause = node.failure  ? std::max(pace.silent, pace.others)
                         : node.viewed ? pace.viewed
                                       : pace.others;
  node.due = Steady::now() + pause;
}

// A source fails when no exporter answers; where some do not, a remark names them.
void NodeExporters::State::report() {
  reported = Steady::now();
  std::set<std::string> silent;
  std::optional<Error> first;
  std::optional<TimePoint> since;
  std::size_t well = 0;
  for (const auto& [name, node] : nodes) {
    if (node.failure) {
      silent.insert(name);
      if (!first) first = node.failure;
      if (node.failing_since) since = std::min(since.value_or(*node.failing_since), *node.failing_since);
    } else if (node.due > Steady::time_point{}) {
      ++well;
    }
  }
  SourceReport report{Source::dcgm, std::nullopt, Duration(0), ""};
  report.cost = meter.cost(Source::dcgm, reported);
  if (first && well == 0)
    report.failure = first;
  else if (answered == 0)
    return;
  else
    report.latency = latency / static_cast<std::int64_t>(answered);
  answered = 0;
  latency = Duration(0);
  std::vector<Remark> remarks;
  if (first) {
    remarks.push_back({Remark::Grade::info, "DCGM exporter", false,
                       fmt::format("use and memory of GPUs are unknown on {}: {}",
                                   some_of(silent, kNamedNodes), to_line({first->what, first->reason, ""})),
                       first->hint});
    // The text names those that are silent now, so that it would seem new with each that joins them.
    remarks.back().seen = since;
  }
  for (Remark& fault : faults.remarks()) remarks.push_back(std::move(fault));
  calls.report(std::move(report), std::move(remarks));
}

NodeExporters::NodeExporters(Worker& worker, Processes& processes, SiteCommand command,
                             NodeExporterCalls calls)
    : state_(std::make_shared<State>(worker, processes, std::move(command), std::move(calls))) {}

NodeExporters::~NodeExporters() {
  state_->over = true;
  if (state_->timer != 0) state_->worker.cancel(state_->timer);
}

void NodeExporters::set_nodes(const std::vector<NodeName>& nodes) {
  std::map<std::string, Asked> now;
  bool fresh = false;
  for (const NodeName& node : nodes) {
    // The name becomes part of a command's words.
    if (!is_host_name(node.text)) continue;
    auto before = state_->nodes.find(node.text);
    fresh |= before == state_->nodes.end();
    now.emplace(node.text, before == state_->nodes.end() ? Asked{} : before->second);
  }
  state_->nodes = std::move(now);
  const auto is_gone = [&](const std::string& node) { return !state_->nodes.contains(node); };
  state_->faults.forget(is_gone);
  state_->apart.forget(is_gone);
  if (fresh || state_->timer == 0) state_->step();
}

void NodeExporters::set_viewed(const std::vector<NodeName>& nodes) {
  bool sooner = false;
  for (auto& [name, node] : state_->nodes) {
    const bool viewed = std::find(nodes.begin(), nodes.end(), NodeName(name)) != nodes.end();
    if (viewed && !node.viewed && !node.failure) {
      // Going to and fro between pages asks no more often than staying on one.
      node.due = std::min(node.due, std::max(Steady::now(), node.answered + state_->pace.viewed));
      sooner = true;
    }
    node.viewed = viewed;
  }
  if (sooner) state_->step();
}

// By how long those that answer really wait: that may be more than the pace allows for.
Duration NodeExporters::round() const {
  const NodeExporterPace& pace = state_->pace;
  return std::max({pace.silent, pace.others,
                   std::min(kSlowestRound, kEach * static_cast<Duration::rep>(state_->nodes.size())),
                   std::min(pace.others + kSlowestRound, state_->apart.longest(Steady::now()))});
}

Duration NodeExporters::viewed_every() const { return state_->pace.viewed; }

void NodeExporters::set_pace(NodeExporterPace pace) { state_->pace = pace; }

}  // namespace tessera::figures
