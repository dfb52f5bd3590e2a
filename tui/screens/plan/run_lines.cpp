#include "tui/screens/plan/run_lines.hpp"

#include <fmt/core.h>

#include <map>

#include "engine/plan/run/leaves_closed.hpp"
#include "engine/plan/run/teller.hpp"
#include "engine/plan/words/as_run.hpp"
#include "tui/screens/plan/run_words.hpp"

namespace tessera::tui {
namespace {

// The step that an entry is about; empty: none.
struct StepOf {
  std::string operator()(const plan::StepBegun& e) const { return e.step; }
  std::string operator()(const plan::ActionReturned& e) const { return e.step; }
  std::string operator()(const plan::StepDone& e) const { return e.step; }
  std::string operator()(const plan::StepFailed& e) const { return e.step; }
  std::string operator()(const plan::WentBack& e) const { return e.to; }
  std::string operator()(const plan::Waiting& e) const { return e.step; }
  template <class Event>
  std::string operator()(const Event&) const {
    return {};
  }
};

Role role_of(const plan::RunEvent& event) {
  if (std::holds_alternative<plan::StepFailed>(event)) return Role::danger;
  if (std::holds_alternative<plan::Parked>(event) || std::holds_alternative<plan::Asked>(event) ||
      std::holds_alternative<plan::WentBack>(event))
    return Role::warning;
  if (std::holds_alternative<plan::Waiting>(event)) return Role::dim;
  return Role::text;
}

// Entries about one step share its line until it is done or has failed.
class Lines {
 public:
  void add(const plan::Entry& entry, std::string sentence) {
    sentence_ = std::move(sentence);
    at_ = entry.at;
    role_ = role_of(entry.what);
    std::visit(*this, entry.what);
  }
  std::vector<RunLine> take() { return std::move(lines_); }

  void operator()(const plan::StepBegun& event) {
    Open& open = open_step(event.step);
    open.head = sentence_;
    say(open, "under way", Role::text);
  }
  void operator()(const plan::ActionReturned& event) {
    if (event.error.empty()) return;  // what came of it is read back
    Open& open = open_step(event.step);
    say(open, event.error, Role::warning);
  }
  void operator()(const plan::Waiting& event) {
    Open& open = open_step(event.step);
    say(open, fmt::format("waits: {}", event.why), Role::dim);
  }
  void operator()(const plan::StepDone& event) {
    const auto found = open_.find(event.step);
    if (found == open_.end()) return put(event.step);
    const std::string took = seconds_text(at_ - found->second.began);
    say(found->second, fmt::format("done in {}", took), Role::text);
    open_.erase(found);
  }
  void operator()(const plan::StepFailed& event) {
    const auto found = open_.find(event.step);
    if (found == open_.end()) return put(event.step);
    const std::string took = seconds_text(at_ - found->second.began);
    say(found->second, fmt::format("failed after {}: {}", took, event.why), Role::danger);
    open_.erase(found);
  }
  void operator()(const plan::WentBack& event) {
    open_.erase(event.from);
    put(event.to);
  }
  // The steps of another plan have the same names, and a run that stands still takes no time for a step.
  void operator()(const plan::Replanned&) { put_between(); }
  void operator()(const plan::Parked&) { put_between(); }
  void operator()(const plan::Resumed&) { put_between(); }
  template <class Event>
  void operator()(const Event&) {
    put("");
  }

 private:
  struct Open {
    std::size_t line = 0;
    TimePoint began{};
    std::string head;
  };
  Open& open_step(const std::string& step) {
    auto [found, fresh] = open_.try_emplace(step);
    if (fresh) {
      found->second = {lines_.size(), at_, fmt::format("step {}", step)};
      put(step);
    }
    return found->second;
  }
  void say(const Open& open, std::string result, Role role) {
    lines_[open.line].text = open.head;
    lines_[open.line].result = std::move(result);
    lines_[open.line].role = role;
  }
  void put_between() {
    open_.clear();
    put("");
  }
  void put(const std::string& step) { lines_.push_back({step, at_, sentence_, "", role_}); }

  std::vector<RunLine> lines_;
  std::map<std::string, Open> open_;  // by the step's id
  std::string sentence_;
  TimePoint at_{};
  Role role_ = Role::text;
};

}  // namespace

std::vector<RunLine> run_lines(const RunView& view, const NodeName& node, bool all) {
  plan::Teller teller;
  Lines folded;
  std::vector<RunLine> each;
  for (const plan::Entry& entry : view.entries) {
    // Each frame, of a run on hundreds of nodes too: only what is shown is put into words.
    if (!entry.node.empty() && entry.node != node) continue;
    std::string sentence = teller.tell(entry);
    if (all)
      each.push_back(
          {std::visit(StepOf{}, entry.what), entry.at, std::move(sentence), "", role_of(entry.what)});
    else
      folded.add(entry, std::move(sentence));
  }
  return all ? each : folded.take();
}

std::vector<plan::Step> steps_as_run(const RunView& view, const NodeName& node) {
  return plan::steps_as_run(view.run.plans.at(node),
                            plan::run_leaves_closed(view.run.started.plan, view.entries, node));
}

}  // namespace tessera::tui
