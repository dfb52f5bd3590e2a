#include "backends/runs/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/plan/allowed.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/run/one_first.hpp"
#include "engine/text.hpp"

namespace tessera::runs {

using plan::Demand;
using plan::Onward;
using plan::RunEvent;

namespace {

constexpr int kMostFailedLooks = 12;
constexpr Duration kLookAgain = std::chrono::seconds(10);

Error cleaned(Error error) { return {clean(error.what), clean(error.reason), clean(error.hint)}; }

std::string joined(const std::vector<std::string>& texts, std::size_t most) {
  std::string all;
  for (std::size_t i = 0; i < texts.size() && i < most; ++i) all += (i > 0 ? ", " : "") + texts[i];
  if (texts.size() > most) all += fmt::format(" and {} more", texts.size() - most);
  return all;
}

constexpr std::size_t kHarmListed = 5;
// No person asks for it: the journal says why it goes back.
constexpr std::string_view kOver = "what it was begun for is over";

}  // namespace

Driver::Driver(Around around, JournalFile file, plan::Run run, std::int64_t lines, plan::Chain chain,
               TimePoint started)
    : around_(std::move(around)),
      file_(std::move(file)),
      path_(file_->path()),
      run_(std::move(run)),
      unsure_(run_.unanswered),
      lines_(lines),
      chain_(std::move(chain)),
      started_(started),
      last_(started) {}

Status Driver::open(plan::RunStarted started) {
  started_ = last_ = now();
  Status written = file_->append(to_line(plan::Entry{++lines_, started_, {}, std::move(started)}, chain_));
  if (!written) file_->discard();
  return written;
}

void Driver::begin() { next_nodes(); }

// A journal that cannot be written ends it: what was announced nowhere must not be done.
bool Driver::write(const NodeName& node, std::vector<RunEvent> events) {
  if (events.empty()) return true;
  // Counted once they are there: whatever is thrown before leaves no gap behind.
  std::string lines;
  std::int64_t count = lines_;
  plan::Chain chain = chain_;
  const TimePoint at = now();
  for (RunEvent& event : events) lines += to_line(plan::Entry{++count, at, node, std::move(event)}, chain);
  if (Status written = file_->append(lines); !written) {
    end(written.error());
    return false;
  }
  lines_ = count, chain_ = std::move(chain), last_ = at;
  around_.told(lines);
  around_.changed();
  return true;
}

bool Driver::enter(const NodeName& node, RunEvent event) {
  // The events that are entered here are about nodes of the run, which is all that note() asks for.
  (void)plan::note(run_, plan::Entry{lines_ + 1, now(), node, event});
  return write(node, {std::move(event)});
}

void Driver::end(std::optional<Error> error) {
  hands_.clear();
  taking_up_.reset();
  file_.reset();
  around_.over(std::move(error));
}

template <class T>
std::function<void(Result<T>)> Driver::back_to(const NodeName& node,
                                               void (Driver::*then)(const NodeName&, Result<T>)) {
  std::uint64_t at = turns_;
  if (auto hand = hands_.find(node); hand != hands_.end()) at = hand->second.turn = ++turns_;
  // Holds the worker, not the room: an answer that comes when the room is gone finds a worker that has
  // stopped.
  return [worker = around_.worker, self = weak_from_this(), node, then, at](Result<T> told) {
    worker->post([self, node, then, at, told = std::move(told)]() mutable {
      std::shared_ptr<Driver> driver = self.lock();
      if (!driver) return;
      auto hand = driver->hands_.find(node);
      if (hand == driver->hands_.end() || hand->second.turn != at) return;
      driver->guard(node, [&] {
        if (!told) told = cleaned(told.error());
        (*driver.*then)(node, std::move(told));
      });
    });
  };
}

void Driver::after(const NodeName& node, Duration delay, void (Driver::*then)(const NodeName&)) {
  std::uint64_t at = hands_.at(node).turn = ++turns_;
  around_.options->later(*around_.worker, delay, [self = weak_from_this(), node, then, at] {
    std::shared_ptr<Driver> driver = self.lock();
    if (!driver) return;
    auto hand = driver->hands_.find(node);
    if (hand != driver->hands_.end() && hand->second.turn == at)
      driver->guard(node, [&] { (*driver.*then)(node); });
  });
}

template <class Task>
void Driver::guard(const NodeName& node, Task task) {
  std::string fault;
  try {
    return task();
  } catch (const std::exception& thrown) {
    fault = thrown.what();
  }
  // Whatever was under way for this node is not waited for any more.
  if (taking_up_)
    return end(Error{"the run was not resumed", "an error inside tessera: " + fault, "please report it"});
  if (file_ && hands_.contains(node)) stop_here(node, "an error inside tessera: " + clean(fault, 200));
}

// ── one node ──────────────────────────────────────────────────────────────────────────────────────────

void Driver::turn(const NodeName& node) {
  Hand& hand = hands_.at(node);
  hand.turn = ++turns_;  // whatever was asked for before is not waited for any more
  auto [turn, held_back] = plan::next_turn(run_, node, hand.fresh ? &*hand.fresh : nullptr, now());
  hand.fresh.reset();
  if (held_back) held_.push_back(node);
  for (const RunEvent& event : turn.journal) note_begun(run_, node, event);
  if (!write(node, std::move(turn.journal))) return;
  std::visit([&](auto& next) { follow(node, hand, next); }, turn.next);
}

void Driver::follow(const NodeName& node, Hand& hand, plan::Perform& act) {
  hand.doing = Doing::acting;
  if (auto why = why_not_allowed(node, act)) return stop_here(node, std::move(*why));
  plan::RunMark mark{run_.started.run, around_.options->who, around_.options->from, started_};
  plan::Order order{node,         std::move(act.action), std::move(mark), std::move(act.step),
                    act.deadline, unsure_.contains(node)};
  around_.actuator->perform(std::move(order), back_to<Done>(node, &Driver::performed));
}

// What a journal says is held against what is set up here, each time before it is done.
std::optional<std::string> Driver::why_not_allowed(const NodeName& node, const plan::Perform& act) const {
  const plan::NodePlan& plan = run_.plans.at(node);
  for (plan::Step step : plan.steps) {
    if (step.id != act.step) continue;
    step.action = act.action;  // what is left of it
    plan::ChangeOptions allowed = run_.started.plan.intent.options;
    allowed.break_lock |= run_.nodes.at(node).breaks_mark();  // what was asked and answered since
    return plan::why_not_allowed(step, plan, allowed, around_.actuator->means());
  }
  return "step " + clean(act.step, 100) + " is not one of its plan";
}

void Driver::performed(const NodeName& node, Result<Done> status) {
  if (status) unsure_.erase(node);
  if (!write(node, {run_.nodes.at(node).performed(status)})) return;
  turn(node);
}

void Driver::follow(const NodeName& node, Hand& hand, plan::Observe& observe) {
  hand.doing = Doing::waiting;
  hand.words = std::move(observe.words);
  if (observe.after.count() > 0)
    after(node, observe.after, &Driver::look);
  else
    look(node);
}

void Driver::look(const NodeName& node) {
  Hand& hand = hands_.at(node);
  hand.doing = Doing::looking;
  around_.actuator->observe_for(node, hand.words, back_to<plan::NodeFacts>(node, &Driver::looked));
}

void Driver::looked(const NodeName& node, Result<plan::NodeFacts> facts) {
  hands_.at(node).fresh = std::move(facts);
  turn(node);
}

void Driver::follow(const NodeName& /*node*/, Hand& hand, plan::Question& /*question*/) {
  hand.doing = Doing::asking;  // it stands in the journal; whoever is there answers
}

void Driver::follow(const NodeName& node, Hand& hand, plan::TurnBack& /*back*/) {
  hand.doing = Doing::going_back;
  hand.failed_looks = 0;
  look_to_go_back(node);
}

void Driver::follow(const NodeName& node, Hand& /*hand*/, plan::Stopped& /*stopped*/) { drop(node); }
void Driver::follow(const NodeName& node, Hand& /*hand*/, plan::Finished& /*finished*/) { drop(node); }

void Driver::look_to_go_back(const NodeName& node) {
  around_.actuator->observe(node, back_to<plan::NodeFacts>(node, &Driver::go_back));
}

void Driver::go_back(const NodeName& node, Result<plan::NodeFacts> facts) {
  if (!facts) {
    if (++hands_.at(node).failed_looks > kMostFailedLooks)
      return stop_here(node, "cannot plan the way back: " + facts.error().reason);
    return after(node, kLookAgain, &Driver::look_to_go_back);
  }
  Result<plan::Plan> back = plan_from(node, *facts, true);
  if (!back) return stop_here(node, "cannot plan the way back: " + back.error().reason);
  // The way back waits for all work. Yet the admin has not agreed to wait for work that the run never named.
  std::vector<std::string> harm = unnamed_harm(run_, *back, true);
  if (!harm.empty())
    return stop_here(node, "going back would disturb what the run never named: " + joined(harm, kHarmListed));
  if (enter(node, plan::Replanned{std::move(*back), true, around_.options->who})) turn(node);
}

// Where the executor itself does not know how to stop.
void Driver::stop_here(const NodeName& node, std::string why) {
  std::string place = run_.nodes.at(node).place();
  if (place.empty()) place = "nothing was looked at yet";
  if (enter(node, plan::Parked{std::move(why), std::move(place)})) drop(node);
}

// The node is at rest. What follows is not begun from inside a turn.
void Driver::drop(const NodeName& node) {
  hands_.erase(node);
  if (!hands_.empty()) return;
  around_.worker->post([self = weak_from_this()] {
    if (auto driver = self.lock(); driver && driver->file_ && driver->hands_.empty()) driver->next_nodes();
  });
}

// Whether any of those that are held back were woken. Precondition: nothing is under way.
bool Driver::wake_held() {
  if (held_.empty() || !plan::others_follow(run_)) return false;
  const std::vector<NodeName> on = std::exchange(held_, {});
  for (const NodeName& node : on)
    if (!enter(node, plan::Resumed{around_.options->who, around_.options->from})) return true;
  drive(on);
  return true;
}

void Driver::drive(const std::vector<NodeName>& nodes) {
  for (const NodeName& node : nodes) hands_[node];
  for (const NodeName& node : nodes)
    if (hands_.contains(node)) guard(node, [&] { turn(node); });  // an earlier one may have ended all of it
}

// Precondition: nothing is under way.
void Driver::next_nodes() {
  if (wake_held()) return;
  std::vector<NodeName> begin = nodes_to_begin(run_);
  if (begin.empty()) {
    auto finished = run_.finished ? std::nullopt : end_of(run_);
    if (finished && !enter({}, std::move(*finished))) return;
    return end(std::nullopt);
  }
  drive(begin);
}

// ── taking up ─────────────────────────────────────────────────────────────────────────────────────────

void Driver::take_up(const plan::Resuming& how) {
  const Onward onward = how.onward;
  taking_up_ = TakingUp{onward, how.accept_harm, how.by_timer, {}, {}, {}};
  if (onward == Onward::carry_on) return take_up_planned();
  for (const auto& [node, executor] : run_.nodes)
    if (executor.touched() && !executor.finished()) taking_up_->to_look.push_back(node);
  if (taking_up_->to_look.empty() && how.by_timer && onward == Onward::back && run_.paused)
    return end_between_nodes();
  if (taking_up_->to_look.empty())
    return end(Error{"cannot resume the run", "no node of it is under way",
                     onward == Onward::back ? "tessera undo reverts what is done" : "carry on instead"});
  look_to_plan();
}

// It was paused between two nodes, and no timer begins the others any more: there is nothing to give back.
void Driver::end_between_nodes() {
  taking_up_.reset();
  const std::string& who = around_.options->who;
  if (!enter({}, plan::Resumed{who, around_.options->from}) ||
      !enter({}, plan::Requested{Demand::turn_back, who, std::string(kOver)}))
    return;
  const plan::Summary now = summary(run_);
  if (enter({}, plan::RunFinished{now.done.empty() ? plan::Outcome::recorded : plan::Outcome::partial,
                                  to_text(now)}))
    end(std::nullopt);
}

void Driver::look_to_plan() {
  std::vector<NodeName> nodes = taking_up_->to_look;
  for (const NodeName& node : nodes) {
    hands_[node].doing = Doing::looking;
    around_.actuator->observe(node, back_to<plan::NodeFacts>(node, &Driver::planned));
  }
}

void Driver::planned(const NodeName& node, Result<plan::NodeFacts> facts) {
  if (!facts) return end(facts.error());
  Result<plan::Plan> onward = plan_from(node, *facts, taking_up_->onward == Onward::back);
  if (!onward) return end(onward.error());
  for (std::string& one : unnamed_harm(run_, *onward, taking_up_->onward == Onward::back))
    taking_up_->harm.push_back(std::move(one));
  taking_up_->plans.emplace(node, std::move(*onward));
  hands_.erase(node);
  if (!hands_.empty()) return;
  if (!taking_up_->harm.empty() && !taking_up_->accept_harm)
    return end(Error{std::string(plan::kUnnamedHarm), joined(taking_up_->harm, kHarmListed),
                     "accept that, or wait until it has left"});
  take_up_planned();
}

void Driver::take_up_planned() {
  TakingUp taken = std::move(*taking_up_);
  taking_up_.reset();
  if (!enter({}, plan::Resumed{around_.options->who, around_.options->from})) return;
  if (taken.by_timer && taken.onward == Onward::back &&
      !enter({}, plan::Requested{Demand::turn_back, around_.options->who, std::string(kOver)}))
    return;
  for (auto& [node, onward] : taken.plans)
    if (!enter(node, plan::Replanned{std::move(onward), taken.onward == Onward::back, around_.options->who}))
      return;
  std::vector<NodeName> running = summary(run_).running;
  if (running.empty()) return next_nodes();
  drive(running);
}

Result<plan::Plan> Driver::plan_from(const NodeName& node, const plan::NodeFacts& facts, bool back) const {
  if (!facts.known)
    return Error{"cannot plan on", node.text + " is not listed by the cluster", "wait until it is back"};
  if (auto unseen = plan::why_no_plan(facts)) return *unseen;
  Cluster cluster;
  cluster.name = run_.started.plan.intent.cluster;
  cluster.id = run_.started.plan.cluster_id;
  cluster.scheduler = run_.started.plan.scheduler;
  cluster.nodes.upsert(facts.node);
  for (const Workload& one : facts.workloads) cluster.workloads.upsert(one);
  plan::Means can = around_.actuator->means();
  return plan_onward(run_, node, cluster, *around_.options->catalogue, around_.options->rules, back, now(),
                     &can, &facts.words);
}

// ── what admins want ──────────────────────────────────────────────────────────────────────────────────

Status Driver::demand(const NodeName& node, Demand what, const std::string& why) {
  if (!node.empty() && !run_.nodes.contains(node))
    return Error{"cannot do that", "the run does not change " + node.text, "tessera journal shows its nodes"};
  if (taking_up_) {  // nothing is written yet: it stays as it was
    end(Error{"the run was not resumed", why.empty() ? "stopped by an admin" : why, "resume it again"});
    return Done{};
  }
  if (!enter(node, plan::Requested{what, around_.options->who, why})) return Done{};
  std::vector<NodeName> concerned;
  for (const auto& [name, hand] : hands_)
    if (node.empty() || node == name) concerned.push_back(name);
  for (const NodeName& name : concerned) {
    auto hand = hands_.find(name);
    if (hand == hands_.end()) continue;
    if (node.empty() && run_.paused && !run_.nodes.at(name).touched())
      drop(name);  // nothing was written about it: it stays untouched
    else if (hand->second.doing == Doing::waiting || hand->second.doing == Doing::asking)
      turn(name);
    else if (hand->second.doing == Doing::going_back && what != Demand::turn_back)
      stop_here(name, (why.empty() ? "stopped by an admin" : why) + "; it was about to roll back");
  }
  return Done{};
}

Status Driver::answer(const NodeName& node, plan::Ask what, bool go_on) {
  auto hand = hands_.find(node);
  auto executor = run_.nodes.find(node);
  if (hand == hands_.end() || hand->second.doing != Doing::asking || executor == run_.nodes.end() ||
      executor->second.asked() != what)
    return Error{"cannot take that answer", node.text + " asks no such question now",
                 "look at the run again"};
  if (enter(node, plan::Answered{what, go_on, around_.options->who})) turn(node);
  return Done{};
}

}  // namespace tessera::runs
