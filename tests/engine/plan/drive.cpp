#include "tests/engine/plan/drive.hpp"

#include "tests/engine/plan/expect_allowed.hpp"

namespace tessera::test {
namespace {

using namespace plan;

constexpr int kMostTurns = 3000;
constexpr int kPatientLooks = 25;  // then the work in the way ends by itself
constexpr int kMostStops = 6;

struct Killed {};

class Driver {
 public:
  Driver(Adversary& world, const mig::Catalogue& catalogue, const plan::Plan& plan, Kill kill, Policy policy)
      : world_(world), catalogue_(catalogue), kill_(kill), policy_(policy), name_(plan.nodes.at(0).node) {
    RunStarted started;
    started.run = "r1", started.who = "root", started.from = "login1", started.plan = plan;
    run_ = run_of(started);
    try {
      write({}, std::move(started));
    } catch (Killed) {
      restart();
    }
  }

  Ending run() {
    for (int turn = 0; turn < kMostTurns && ending_.problem.empty() && !ending_.ended; ++turn) {
      try {
        step();
      } catch (Killed) {
        restart();
      }
    }
    if (!ending_.ended && ending_.problem.empty()) ending_.problem = "does not come to an end";
    ending_.lines = lines_;
    ending_.journal = text_;
    return ending_;
  }

 private:
  Executor& executor() { return run_.nodes.at(name_); }

  // An event on paper; the process may die right after.
  void write(const NodeName& node, RunEvent event) {
    text_ += to_line(Entry{++lines_, world_.now, node, std::move(event)}, chain_);
    if (lines_ == kill_.after_line && !kill_.after_perform) die();
  }
  void enter(RunEvent event) {
    Entry entry{lines_ + 1, world_.now, name_, event};
    if (Status ok = note(run_, entry); !ok) ending_.problem = to_line(ok.error());
    write(name_, std::move(event));
  }
  void die() {
    kill_.after_line = -1;
    throw Killed{};
  }
  void restart() {
    if (kill_.torn) text_ += R"({"seq":99,"at":"20)";
    Result<Journal> journal = parse_journal(text_, "run.journal");
    if (!journal) {
      ending_.problem = to_line(journal.error());
      return;
    }
    text_.resize(journal->good_bytes);
    chain_ = journal->chain;
    lines_ = static_cast<int>(journal->entries.size());
    Result<Run> again = replay(*journal);
    if (!again) {
      ending_.problem = to_line(again.error());
      return;
    }
    run_ = std::move(*again);
    fresh_.reset();
    if (!executor().finished()) enter(Resumed{"root", "login2"});
  }

  void step() {
    Turn turn = executor().next(fresh_ ? &*fresh_ : nullptr, world_.now);
    fresh_.reset();
    for (const RunEvent& event : turn.journal) note_begun(run_, name_, event);
    for (RunEvent& event : turn.journal) write(name_, std::move(event));
    std::visit([&](auto& next) { follow(next); }, turn.next);
  }
  void follow(Perform& act) {
    Status status = world_.perform(act.action, RunMark{"r1", "root", "login1", world_.now});
    world_.now += std::chrono::milliseconds(300);
    if (lines_ == kill_.after_line && kill_.after_perform) die();
    write(name_, executor().performed(status));
  }
  void follow(Observe& look) {
    world_.now += look.after + std::chrono::milliseconds(20);
    if (!look.waiting_for.empty() && ++patience_ % kPatientLooks == 0) world_.let_all_work_end();
    fresh_ = world_.observe("r1");
  }
  void follow(Question& question) {
    // Another's closing may stand; another's lock is left alone until it is gone.
    bool go_on = question.what == Ask::closed_by_other;
    enter(Answered{question.what, go_on, "root"});
  }
  void follow(TurnBack&) { onward(true); }
  void follow(Stopped& stopped) {
    if (stopped.place.empty() || stopped.why.empty()) ending_.problem = "parked without saying where";
    if (++ending_.stops > kMostStops) {
      ending_.problem = "stops again and again: " + stopped.why;
      return;
    }
    world_.mend();
    if (policy_ == Policy::carry_on && ending_.stops == 1) {
      enter(Resumed{"root", "login1"});
      return;
    }
    onward(policy_ == Policy::go_back);
  }
  void follow(Finished& finished) {
    ending_.ended = true;
    ending_.outcome = finished.outcome;
    ending_.text = finished.text;
  }

  void onward(bool back) {
    Result<plan::Plan> next = plan_onward(run_, name_, world_.cluster(), catalogue_, {}, back, world_.now);
    if (!next) {
      ending_.problem = to_line(next.error());
      return;
    }
    // Asking for arms again is the room's business; here the admin rather lets the work end.
    if (!unnamed_harm(run_, *next, back).empty()) world_.let_all_work_end();
    expect_allowed(*next);
    enter(Replanned{std::move(*next), back, "root"});
  }

  Adversary& world_;
  const mig::Catalogue& catalogue_;
  Kill kill_;
  Policy policy_;
  NodeName name_;
  Run run_;
  std::optional<Result<NodeFacts>> fresh_;
  std::string text_;
  Chain chain_;
  int lines_ = 0;
  int patience_ = 0;
  Ending ending_;
};

}  // namespace

Ending drive(Adversary& world, const mig::Catalogue& catalogue, const plan::Plan& plan, Kill kill,
             Policy policy) {
  return Driver(world, catalogue, plan, kill, policy).run();
}

}  // namespace tessera::test
