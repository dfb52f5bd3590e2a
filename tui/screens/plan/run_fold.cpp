#include "tui/screens/plan/run_fold.hpp"

namespace tessera::tui {
namespace {

using namespace plan;

// Steps with their times, questions and stops: what Run does not keep, since no decision needs it.
struct Fold {
  RunView& view;
  const Entry& entry;

  StepProgress& at(const std::string& step) { return view.steps[step]; }

  void operator()(const RunStarted&) {}
  void operator()(const Replanned& event) {
    // The new plan has steps of its own under the same names.
    std::string prefix = entry.node.text + "/";
    std::erase_if(view.steps, [&](const auto& step) { return step.first.starts_with(prefix); });
    view.questions.erase(entry.node);
    view.parked.erase(entry.node);
    if (event.back) view.turned.insert(entry.node);
  }
  void operator()(const Resumed&) {
    if (entry.node.empty()) {
      view.parked.clear();
      view.questions.clear();
    }
    view.parked.erase(entry.node);
    view.questions.erase(entry.node);
  }
  void operator()(const StepBegun& event) {
    StepProgress& step = at(event.step);
    if (step.stage != StepProgress::Stage::begun) step.begun = entry.at;
    step.stage = StepProgress::Stage::begun;
    step.attempts = event.attempt;
    step.why.clear();
    step.ended.reset();
  }
  void operator()(const ActionReturned& event) {
    if (!event.error.empty()) at(event.step).why = event.error;
  }
  void operator()(const StepDone& event) {
    StepProgress& step = at(event.step);
    step.stage = StepProgress::Stage::done;
    step.already = event.already;
    step.ended = entry.at;
    step.why.clear();
  }
  void operator()(const StepFailed& event) {
    StepProgress& step = at(event.step);
    step.stage = StepProgress::Stage::failed;
    step.ended = entry.at;
    step.why = event.why;
  }
  void operator()(const WentBack& event) {
    // Everything from there on has to be seen again.
    bool from = false;
    for (const Step& step : view.run.plans.at(entry.node).steps) {
      from = from || step.id == event.to;
      if (from) view.steps.erase(step.id);
    }
    at(event.to).why = event.why;
  }
  void operator()(const Waiting& event) {
    StepProgress& step = at(event.step);
    step.why = event.why;
    if (!step.begun) step.begun = entry.at;
    if (step.stage == StepProgress::Stage::todo) step.stage = StepProgress::Stage::begun;
  }
  void operator()(const Asked& event) { view.questions[entry.node] = event; }
  void operator()(const Answered&) { view.questions.erase(entry.node); }
  void operator()(const Requested&) {}
  void operator()(const ClockJumped&) {}
  void operator()(const Parked& event) { view.parked[entry.node] = event; }
  void operator()(const NodeFinished&) { view.parked.erase(entry.node); }
  void operator()(const RunFinished&) {}
};

std::optional<Error> add_entry(RunView& view, Entry entry) {
  if (const auto* started = std::get_if<RunStarted>(&entry.what)) {
    if (!view.entries.empty())
      return Error{"cannot follow the journal", "it starts a second time", "open it again"};
    view.run = run_of(*started);
  } else if (view.entries.empty()) {
    return Error{"cannot follow the journal", "its first line is missing", "open it again"};
  }
  if (Status ok = note(view.run, entry); !ok) return ok.error();
  if (entry.node.empty() || view.run.plans.contains(entry.node)) {
    Fold fold{view, entry};
    std::visit(fold, entry.what);
  }
  view.entries.push_back(std::move(entry));
  return std::nullopt;
}

}  // namespace

void add_lines(RunView& view, std::string_view lines, std::string_view file) {
  while (!lines.empty() && !view.trouble) {
    std::size_t end = lines.find('\n');
    if (end == std::string_view::npos) return;  // the end of it was not written, or not reported, yet
    Result<Entry> entry = parse_line(lines.substr(0, end), file, view.entries.size() + 1, view.chain);
    lines.remove_prefix(end + 1);
    view.trouble = entry ? add_entry(view, std::move(*entry)) : std::optional<Error>(entry.error());
  }
}

}  // namespace tessera::tui
