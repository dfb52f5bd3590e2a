#include "engine/plan/run/executor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/effect/observed.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/node_reboot.hpp"
#include "engine/plan/run/closing.hpp"
#include "engine/plan/steps/steps.hpp"
#include "engine/plan/words/operator_words.hpp"
#include "engine/plan/words/slurm_words.hpp"
#include "engine/time.hpp"

namespace tessera::plan {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kMaxRewinds = 8;
constexpr int kMaxBlind = 12;                // failed looks in a row, some four minutes
constexpr Duration kPatience = minutes(10);  // for a precondition that may come by itself
constexpr Duration kGap = seconds(60);       // beyond what was asked for, a gap is not waiting
constexpr Duration kLongestPause = seconds(30);

// For the time of a change, or to keep it closed.
bool closed_by_run(const NodeFacts& facts, std::string_view run) {
  if (facts.closed_as) return facts.closed_as->run == run;
  const auto kept = parse_closing(facts.closed_reason);
  return kept && kept->by.run == run;
}

// What stands now, for the admin who finds a parked run.
std::string place_text(const NodeFacts& facts, const NodePlan& plan, std::string_view run) {
  std::string text = facts.node.name.text;
  if (!facts.known) return text + " is not listed by the cluster";
  if (!facts.answering) return text + " does not answer";
  const bool ours = closed_by_run(facts, run);
  text += facts.closed ? (ours ? " stays closed by this run" : " is closed by someone else") : " is open";
  std::vector<std::pair<GpuIndex, std::string>> boards;
  for (const BoardState& board : plan.before) {
    const Gpu* gpu = find_gpu(facts.node, board.gpu);
    if (!gpu) continue;
    bool cut = mode_of(*gpu) == MigMode::enabled;
    boards.emplace_back(board.gpu, cut ? to_text(instances_of(*gpu)) : std::string(word(gpu->strategy)));
  }
  for (const auto& [gpus, stands] : boards_alike(boards)) text += fmt::format("; {}: {}", gpus, stands);
  auto clients = facts.words.find(std::string(slurm::key::kClients));
  if (reboot_of(facts.node) == "requested") text += "; Slurm reboots it once its jobs have ended";
  if (clients != facts.words.end() && clients->second == "stopped")
    text += "; the site's GPU clients are stopped there, and started when the run goes on or back";
  return text;
}

// The commands of a step that only looks are for another admin to run.
std::string late_text(const Step& step, const std::string& why) {
  constexpr Duration kShort = seconds(10);  // up to here no one waited for it
  std::string text =
      step.deadline < kShort ? why : fmt::format("after {} s {}", step.deadline.count() / 1000, why);
  if (!std::holds_alternative<LookOnly>(step.action)) return text;
  for (std::size_t i = 0; i < step.commands.size(); ++i)
    text += (i == 0 ? "; to do: " : "; then: ") + step.commands[i];
  return text;
}

void add_words(const Conditions& conditions, std::set<std::string>& words) {
  for (const Condition& condition : conditions)
    if (const auto* word = std::get_if<WordIs>(&condition)) words.insert(word->key);
}

std::set<std::string> words_of(const Step& step) {
  std::set<std::string> words;
  add_words(step.before, words);
  add_words(step.after, words);
  return words;
}

// Of an act that was begun only its effect is read; before the next attempt all is read again.
std::set<std::string> words_now(const Step& step, bool begun) {
  if (!begun || std::holds_alternative<LookOnly>(step.action)) return words_of(step);
  std::set<std::string> words;
  add_words(step.after, words);
  return words;
}

bool same(const Condition& left, const Condition& right) { return left == right; }

}  // namespace

Executor::Executor(NodePlan plan, ChangeOptions options, std::string run, bool back)
    : plan_(std::move(plan)), options_(options), run_(std::move(run)), back_(back) {}

void Executor::driven_by(std::string_view who, std::string_view from) {
  if (auto mark = parse_mark(to_text(RunMark{run_, std::string(who), std::string(from)})))
    drivers_.push_back(std::move(*mark));
}

// Of this run's name, but not set by anyone who has ever driven it.
bool Executor::is_anothers(const std::optional<RunMark>& mark) const {
  if (!mark || mark->run != run_ || drivers_.empty()) return false;
  auto shown = parse_mark(to_text(*mark));
  return !shown || std::none_of(drivers_.begin(), drivers_.end(), [&](const RunMark& driver) {
    return driver.who == shown->who && driver.from == shown->from;
  });
}

Turn Executor::next(const Result<NodeFacts>* fresh, TimePoint now) {
  journal_.clear();
  tick(now);
  std::optional<Result<NodeFacts>> apart;
  if (fresh && *fresh && (is_anothers((*fresh)->mark) || is_anothers((*fresh)->closed_as))) {
    apart = *fresh;
    for (std::optional<RunMark>* mark : {&(*apart)->mark, &(*apart)->closed_as})
      if (is_anothers(*mark)) (*mark)->run += " (of the same name)";
    fresh = &*apart;
  }
  for (;;) {
    std::optional<Next> todo = at_edge();
    if (!todo && !fresh) todo = Observe{pause_, ""};
    if (!todo && !*fresh) todo = blind(fresh->error());
    if (!todo && looks_again(**fresh)) todo = Observe{pause_, waiting_};
    if (!todo) {
      blind_ = 0;
      place_ = place_text(**fresh, plan_, run_);
      const bool others = (*fresh)->closed && !closed_by_run(**fresh, run_);
      left_closed_ = others ? closed_reason(**fresh) : "";
      todo = phase_ == Phase::ready ? prepare(**fresh) : watch(**fresh);
    }
    if (!todo) continue;
    if (auto* look = std::get_if<Observe>(&*todo)) {
      allowed_ = std::max(allowed_, look->after);
      look->words = asked_ = words_to_read();
    }
    return {std::exchange(journal_, {}), std::move(*todo)};
  }
}

// What needs no facts: the end, a stop, an admin's request, a question that waits.
std::optional<Next> Executor::at_edge() {
  if (finished_) return Finished{finished_->outcome, finished_->text};
  if (turned_) return TurnBack{turned_why_};
  if (stopped_) return Stopped{stopped_->why, stopped_->place};
  if (at_ >= plan_.steps.size()) return finish();
  if (phase_ == Phase::ready || std::holds_alternative<LookOnly>(current().action)) {
    if (demand_ && demand_->what == Demand::turn_back) {
      turned_ = true;
      turned_why_ = "an admin asked for it";
      return TurnBack{turned_why_};
    }
    if (demand_ && !demand_->why.empty()) return park(demand_->why);
    if (demand_) return park(demand_->what == Demand::pause ? "paused by an admin" : "cancelled by an admin");
  }
  if (question_) return Question{*question_, question_text_};
  return std::nullopt;
}

// At our own closing; and where the mark has to be set again after it, since another's closing may have taken
// the place of ours.
bool Executor::asks_about_closing() const {
  if (std::holds_alternative<CloseNode>(current().action)) return true;
  if (!std::holds_alternative<SetMark>(current().action)) return false;
  return std::any_of(plan_.steps.begin(), plan_.steps.begin() + static_cast<std::ptrdiff_t>(at_),
                     [](const Step& step) { return std::holds_alternative<CloseNode>(step.action); });
}

bool Executor::done(const NodeFacts& facts) const {
  if (std::holds_alternative<CloseNode>(current().action) && facts.closed && !go_on_closed_)
    return facts.closed_as && facts.closed_as->run == run_;
  return !first_unmet(current().after, facts, run_);
}

// Of this step and of those that one look may lead to: the looks that follow, and the act behind them. While
// it waits, this step's alone: what it waits for may take hours.
std::set<std::string> Executor::words_to_read() const {
  if (at_ >= plan_.steps.size()) return {};
  std::set<std::string> words = words_now(current(), phase_ == Phase::begun);
  auto only_looks = [&](std::size_t step) {
    return std::holds_alternative<LookOnly>(plan_.steps[step].action);
  };
  const bool waits = phase_ == Phase::begun && only_looks(at_);
  const bool acts = phase_ == Phase::ready && !only_looks(at_);
  if (waits || acts) return words;
  for (std::size_t i = at_ + 1; i < plan_.steps.size(); ++i) {
    words.merge(words_of(plan_.steps[i]));
    if (!only_looks(i)) break;
  }
  return words;
}

// The look came from an earlier step, or asked for less. One that has left out what it was asked for is not
// asked again: the condition says that it is not known.
bool Executor::looks_again(const NodeFacts& facts) const {
  const std::set<std::string> words = words_now(current(), phase_ == Phase::begun);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return facts.left_out.contains(word) && !asked_.contains(word);
  });
}

std::optional<Next> Executor::prepare(const NodeFacts& facts) {
  const Step& step = current();
  // By the cluster's clock, in which the time was given: a simulated one is not ours.
  if (step.not_before && facts.at < *step.not_before)
    return park(
        fmt::format("waits until {}; go on with: tessera resume {}", utc_text_ms(*step.not_before), run_),
        Until::time);
  if (done(facts)) {
    say(StepDone{step.id, true});
    return std::nullopt;
  }
  if (pause_.count() > 0) return Observe{pause_, waiting_};
  if (auto todo = check_before(facts)) return todo;
  if (phase_ != Phase::ready || &current() != &step) return std::nullopt;  // went back
  bool closed_by_us = facts.closed_as && facts.closed_as->run == run_;
  if (asks_about_closing() && facts.closed && !closed_by_us && !go_on_closed_)
    return ask(Ask::closed_by_other,
               fmt::format("{} is closed already by {}: {}. Go on under that? It stays closed afterwards.",
                           facts.node.name.text, facts.closed_by.empty() ? "someone else" : facts.closed_by,
                           closed_reason(facts)));
  if (auto todo = rest(facts)) return todo;
  return begin(facts);
}

// Where waiting for the scope to be free would begin: not in this process, if that was asked for.
std::optional<Next> Executor::rest(const NodeFacts& facts) {
  if (!options_.when_empty || !std::holds_alternative<LookOnly>(current().action)) return std::nullopt;
  for (const Condition& condition : current().after) {
    if (!is_for_work_to_end(condition)) continue;
    if (auto why = unmet(condition, facts, run_))
      return park(fmt::format("waits until {} is empty ({}); go on with: tessera resume {}", plan_.node.text,
                              *why, run_),
                  Until::empty);
  }
  return std::nullopt;
}

std::optional<Next> Executor::check_before(const NodeFacts& facts) {
  const Step& step = current();
  for (const Condition& condition : step.before) {
    auto why = unmet(condition, facts, run_);
    if (!why) continue;
    if (std::holds_alternative<NoForeignMark>(condition)) {
      if (break_mark_) continue;
      return ask(Ask::marked_by_other, *why + ". Break that lock and go on?");
    }
    if (auto earlier = provider(condition)) {
      if (rewinds_ >= kMaxRewinds) return fail("again and again: " + *why);
      say(WentBack{step.id, plan_.steps[*earlier].id, *why});
      return std::nullopt;
    }
    if (auto again = may_pass(condition) ? std::nullopt : to_redo(facts)) {
      say(WentBack{step.id, plan_.steps[*again].id, *why});
      return std::nullopt;
    }
    if (!may_pass(condition)) return fail(*why);
    if (waited_ >= kPatience) return fail(*why);
    return wait(std::max<Duration>(step.look_every, seconds(1)), *why);
  }
  return std::nullopt;
}

std::optional<Next> Executor::begin(const NodeFacts& facts) {
  const Step& step = current();
  std::optional<Action> left = narrow(step.action, facts, run_);
  if (auto* mark = left ? std::get_if<SetMark>(&*left) : nullptr) mark->break_lock |= break_mark_;
  say(StepBegun{step.id, attempts_ + 1, left.value_or(LookOnly{})});
  if (left) return Perform{std::move(*left), step.id, step.deadline};
  error_.emplace();
  return std::nullopt;
}

std::optional<Next> Executor::watch(const NodeFacts& facts) {
  const Step& step = current();
  if (done(facts)) {
    say(StepDone{step.id, false});
    return std::nullopt;
  }
  if (std::holds_alternative<LookOnly>(step.action)) {
    // A long wait keeps an eye on what it relies on.
    std::size_t here = at_;
    if (auto todo = check_before(facts)) return todo;
    if (at_ != here || phase_ == Phase::ready) return std::nullopt;
  }
  std::string why = first_unmet(step.after, facts, run_).value_or(Unmet{0, "its effect is not there"}).why;
  if (!facts.known) why = unmet(Answering{}, facts, run_).value_or(why);  // that it is away says more
  if (error_ && !error_->empty()) return again_or_fail(*error_);
  if (step.deadline.count() > 0 && waited_ >= step.deadline) return again_or_fail(late_text(step, why));
  return wait(step.look_every, why);
}

std::optional<Next> Executor::again_or_fail(std::string why) {
  const Step& step = current();
  if (attempts_ > step.retry.times) return fail(why);
  Duration pause = step.retry.first;
  for (int i = 1; i < attempts_ && pause < step.retry.longest; ++i) pause *= 2;
  pause = std::min(pause, step.retry.longest);
  say(Waiting{step.id, fmt::format("{}; attempt {} of {} in {} s", why, attempts_ + 1, step.retry.times + 1,
                                   pause.count() / 1000)});
  phase_ = Phase::ready;
  error_.reset();
  waited_ = Duration{0};
  pause_ = pause;
  return Observe{pause, why};
}

// The backend could not look. The node itself may be well.
std::optional<Next> Executor::blind(const Error& error) {
  if (++blind_ > kMaxBlind) return park("the cluster cannot be read: " + to_line(error));
  Duration pause = std::min<Duration>(kLongestPause, seconds(1) * (1 << std::min(blind_, 5)));
  return wait(pause, "the cluster cannot be read: " + error.reason);
}

Next Executor::fail(std::string why) {
  say(StepFailed{current().id, why});
  return turned_ ? Next(TurnBack{turned_why_}) : park(std::move(why));
}

Next Executor::park(std::string why, Until until) {
  Parked parked{std::move(why), place_.empty() ? "nothing was looked at yet" : place_, until};
  say(parked);
  return Stopped{parked.why, parked.place};
}

Next Executor::ask(Ask what, std::string text) {
  say(Asked{what, text});
  return Question{what, std::move(text)};
}

Next Executor::wait(Duration pause, std::string why) {
  if (why != waiting_ && at_ < plan_.steps.size()) say(Waiting{current().id, why});
  waiting_ = why;
  return Observe{pause, why};
}

Next Executor::finish() {
  NodeFinished end;
  end.outcome = back_ ? Outcome::recorded : Outcome::wanted;
  const std::string action = done_text(plan_);
  end.text = !action.empty() ? action
             : plan_.only_given_back
                 ? fmt::format("{}: given back as it stands, this run has changed nothing of its layout",
                               plan_.node.text)
                 : fmt::format("{}: {} layout, read back", plan_.node.text, back_ ? "recorded" : "wanted");
  if (!left_closed_.empty()) end.text += "; left closed, since that is not ours: " + left_closed_;
  say(end);
  return Finished{end.outcome, end.text};
}

std::optional<std::size_t> Executor::provider(const Condition& condition) const {
  for (std::size_t i = at_; i-- > 0;)
    for (const Condition& given : plan_.steps[i].after)
      if (same(given, condition)) return i;
  return std::nullopt;
}

// What a failed step has left behind (a label that says so) does not go by itself. Whoever resumes was told
// of it: the step whose effect it has spoilt is done again.
std::optional<std::size_t> Executor::to_redo(const NodeFacts& facts) const {
  if (!redo_) return std::nullopt;
  for (const Condition& condition : current().before)
    if (auto earlier = provider(condition); earlier && unmet(condition, facts, run_)) return earlier;
  return std::nullopt;
}

std::size_t Executor::index_of(const std::string& step) const {
  for (std::size_t i = 0; i < plan_.steps.size(); ++i)
    if (plan_.steps[i].id == step) return i;
  return plan_.steps.size();
}

// Only time spent waiting counts against a deadline: a clock that is set, a laptop that slept, or a
// process that was stopped must not make a step fail.
void Executor::tick(TimePoint now) {
  now_ = now;
  if (!last_) last_ = now;
  Duration gone = now - *last_;
  last_ = now;
  if (gone.count() < 0) say(ClockJumped{-gone});
  gone = std::clamp<Duration>(gone, Duration{0}, allowed_ + kGap);
  waited_ += gone;
  pause_ = std::max(Duration{0}, pause_ - gone);
  allowed_ = Duration{0};
}

void Executor::enter(std::size_t step) {
  at_ = step;
  redo_ = false;
  phase_ = Phase::ready;
  attempts_ = 0;
  error_.reset();
  waiting_.clear();
  waited_ = pause_ = Duration{0};
}

RunEvent Executor::performed(const Status& status) {
  // The step whose action this is; a backend that answers late meets an executor that has moved on.
  ActionReturned returned{at_ < plan_.steps.size() ? current().id : "",
                          status ? "" : to_line(status.error())};
  note(returned);
  return returned;
}

void Executor::say(RunEvent event) {
  note(event);
  journal_.push_back(std::move(event));
}

void Executor::note(const RunEvent& event) {
  if (!std::holds_alternative<Requested>(event) && !std::holds_alternative<Resumed>(event)) touched_ = true;
  if (const auto* begun = std::get_if<StepBegun>(&event)) {
    std::size_t step = index_of(begun->step);
    if (step != at_) enter(step);
    phase_ = Phase::begun;
    redo_ = false;
    attempts_ = begun->attempt;
    error_.reset();
    waited_ = pause_ = Duration{0};
  } else if (const auto* returned = std::get_if<ActionReturned>(&event)) {
    if (phase_ == Phase::begun) error_ = returned->error;
  } else if (const auto* done = std::get_if<StepDone>(&event)) {
    enter(index_of(done->step) + 1);
  } else if (const auto* failed = std::get_if<StepFailed>(&event)) {
    failed_ = failed->step;
    turned_ = options_.on_failure == OnFailure::undo && !back_;
    if (turned_) turned_why_ = failed->why;
  } else if (const auto* back = std::get_if<WentBack>(&event)) {
    enter(index_of(back->to));
    ++rewinds_;
  } else if (const auto* asked = std::get_if<Asked>(&event)) {
    question_ = asked->what;
    question_text_ = asked->text;
  } else if (const auto* answered = std::get_if<Answered>(&event)) {
    question_.reset();
    if (answered->what == Ask::closed_by_other) go_on_closed_ = answered->go_on;
    if (answered->what == Ask::marked_by_other) break_mark_ = answered->go_on;
    if (!answered->go_on) demand_ = Requested{Demand::cancel, answered->who, ""};
  } else if (const auto* requested = std::get_if<Requested>(&event)) {
    demand_ = *requested;
  } else if (const auto* parked = std::get_if<Parked>(&event)) {
    stopped_ = *parked;
    turned_ = false;
    demand_.reset();
  } else if (const auto* finished = std::get_if<NodeFinished>(&event)) {
    finished_ = *finished;
  } else if (std::holds_alternative<Resumed>(event)) {
    // What was under way when the last process went is looked at again: done, or done again.
    enter(std::min(at_, plan_.steps.size()));
    redo_ = !failed_.empty() && at_ < plan_.steps.size() && failed_ == current().id;
    failed_.clear();
    stopped_.reset();
    question_.reset();
    // A run that was about to go back, and was not parked since, goes back.
    if (demand_ && demand_->what != Demand::turn_back) demand_.reset();
    rewinds_ = blind_ = 0;
    last_.reset();
  }
}

}  // namespace tessera::plan
