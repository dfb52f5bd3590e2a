#include "backends/runs/heads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/text.hpp"

namespace tessera::runs {
namespace {

// "why" and "place" of the nodes that are parked; the node is named where there are several of the run.
void add_stops(const plan::Run& run, RunHead& head) {
  constexpr std::size_t kMost = 3;
  std::size_t shown = 0;
  for (const plan::NodePlan& plan : run.started.plan.nodes) {
    const auto& stopped = run.nodes.at(plan.node).stopped();
    if (!stopped || run.nodes.at(plan.node).finished()) continue;
    if (++shown > kMost) continue;
    std::string name = run.nodes.size() > 1 ? plan.node.text + ": " : "";
    head.why += (head.why.empty() ? "" : "; ") + name + stopped->why;
    head.place += (head.place.empty() ? "" : "; ") + stopped->place;
  }
  if (shown > kMost) head.why += fmt::format("; and {} more nodes", shown - kMost);
}

std::string asks_text(const plan::Run& run) {
  std::string text;
  for (const auto& [node, executor] : run.nodes)
    if (executor.asked() && !executor.stopped() && !executor.finished())
      text += (text.empty() ? "waits for an answer about " : ", ") + node.text;
  return text;
}

RunState state_of(const plan::Run& run, bool driven) {
  if (driven) return RunState::running;
  if (run.finished) return RunState::finished;
  plan::Summary nodes = summary(run);
  bool at_rest = run.paused || !nodes.failed.empty() || !nodes.waiting.empty();
  return nodes.running.empty() && at_rest ? RunState::parked : RunState::interrupted;
}

bool waits_as_planned(const plan::Run& run) {
  const plan::Summary nodes = summary(run);
  return !run.paused && nodes.failed.empty() && !nodes.waiting.empty();
}

}  // namespace

RunHead head_of(const plan::Run& run, TimePoint started, TimePoint last, bool driven) {
  RunHead head;
  const plan::RunStarted& first = run.started;
  head.run = first.run, head.who = first.who, head.from = first.from, head.undoes = first.undoes;
  head.cluster = first.plan.intent.cluster, head.cluster_id = first.plan.cluster_id;
  head.words = first.plan.intent.words;
  for (const plan::NodePlan& plan : first.plan.nodes) head.nodes.push_back(plan.node);
  head.started = started, head.last = last;
  head.progress = to_text(summary(run));
  head.state = state_of(run, driven);
  switch (head.state) {
    case RunState::running: head.why = asks_text(run); break;
    case RunState::parked:
      add_stops(run, head);
      head.waits = waits_as_planned(run);
      if (head.why.empty()) head.why = run.paused_why;
      if (head.why.empty()) head.why = "paused by an admin, between two nodes";
      break;
    case RunState::interrupted:
      head.why = "its tessera is gone; resume looks at what was under way and carries on, or goes back";
      add_stops(run, head);
      break;
    case RunState::finished:
      head.outcome = word(run.finished->outcome);
      head.why = run.finished->text;
      break;
    default: break;
  }
  return head;
}

RunHead head_of(const plan::Journal& journal, bool driven) {
  TimePoint started = journal.entries.front().at, last = journal.entries.back().at;
  const auto& first = std::get<plan::RunStarted>(journal.entries.front().what);
  Result<plan::Run> run = plan::replay(journal);
  if (run) return head_of(*run, started, last, driven);
  // What it was about still reads: whoever plans leaves these nodes alone.
  RunHead head = unreadable(first.run, run.error());
  head.cluster = first.plan.intent.cluster;
  head.nodes = first.plan.intent.nodes;
  return head;
}

RunHead unreadable(const std::string& run, const Error& error) {
  RunHead head;
  head.run = clean(run, 100);
  head.state = RunState::unreadable;
  head.why = clean(error.reason);
  return head;
}

std::vector<RunHead> heads_of(const Marked& marked, const std::set<std::string>& known) {
  std::map<std::string, RunHead> heads;
  for (const plan::MarkedNode& one : marked.nodes) {
    if (known.contains(one.mark.run)) continue;
    RunHead& head = heads[one.mark.run];
    head.run = clean(one.mark.run, 100);
    head.state = RunState::marked;
    head.who = clean(one.mark.who, 100), head.from = clean(one.mark.from, 100);
    head.cluster = marked.cluster;
    head.nodes.push_back(one.node);
    if (head.nodes.size() == 1 || one.mark.since < head.started) head.started = one.mark.since;
    head.last = head.started;
    head.why = fmt::format("its journal is with {} on {}", head.who, head.from);
  }
  std::vector<RunHead> all;
  for (auto& [run, head] : heads) all.push_back(std::move(head));
  return all;
}

void sort_heads(std::vector<RunHead>& heads) {
  std::stable_sort(heads.begin(), heads.end(), [](const RunHead& left, const RunHead& right) {
    return std::tie(right.started, right.run) < std::tie(left.started, left.run);
  });
}

}  // namespace tessera::runs
