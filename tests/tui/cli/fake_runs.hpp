// A room of runs for stories about the command line: it answers by script, at once.
// Threads: one test.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <sstream>

#include "engine/model/reduce.hpp"
#include "engine/plan/run/actuator.hpp"
#include "engine/plan/run/run.hpp"
#include "tests/engine/plan/boards.hpp"
#include "tui/cli/run.hpp"

namespace tessera::test {

// Both ends of the mailbox on one thread.
class Box final : public EventSource, public EventSink {
 public:
  Box() : fd_(eventfd(0, EFD_NONBLOCK)) {}
  ~Box() override { close(fd_); }
  int wake_fd() const override { return fd_; }
  void post(Event event) override {
    waiting_.push_back(std::move(event));
    eventfd_write(fd_, 1);
  }
  std::vector<Event> take() override {
    eventfd_t count = 0;
    eventfd_read(fd_, &count);
    return std::exchange(waiting_, {});
  }
  template <class News>
  void tell(News news) {
    post(Event{{}, 0, at(0), std::move(news)});
  }

 private:
  int fd_;
  std::vector<Event> waiting_;
};

class NoActuator final : public plan::Actuator {
 public:
  plan::Means means() const override { return can; }
  std::string cluster_id() const override { return "hpc-1"; }
  void observe(NodeName, Told<plan::NodeFacts>) override {}
  void perform(plan::Order, Told<Done>) override {}
  void marks(Told<std::vector<plan::MarkedNode>>) override {}
  void look_again() override {}

  plan::Means can = plan::simulator_capabilities();
};

// A cluster "hpc" that stands there as it was given.
class StandingBackend final : public Backend {
 public:
  explicit StandingBackend(std::vector<Node> nodes, std::vector<Workload> work)
      : nodes_(std::move(nodes)), work_(std::move(work)) {}
  ClusterName name() const override { return ClusterName(called); }
  void start(EventSink& sink) override {
    auto post = [&](auto what) { sink.post(Event{name(), 0, at(0), std::move(what)}); };
    post(ClusterSeen{scheduler, true, "simulated", "test", id});
    post(NodesListed{nodes_});
    post(WorkloadsListed{work_});
    post(SourceReport{Source::simulator, failure, Duration(1), unread, !unread.empty(), cost});
    if (!remarks.empty()) post(RemarksListed{Source::simulator, remarks});
    if (clock) post(ClockSet{at(0) - (*clock - at(0)), 1});
    if (!loads) return;
    post(Loaded{});
  }
  void set_pace(Pace) override {}
  void refresh() override {}
  plan::Actuator* actuator() override { return &actuator_; }
  void can(plan::Means means) { actuator_.can = std::move(means); }

  std::string called = "hpc";
  std::string id = "hpc-1";
  Scheduler scheduler = Scheduler::slurm;
  std::optional<TimePoint> clock;  // its own, at at(0) of this machine's
  std::optional<Error> failure;    // of the only source
  std::string unread;              // what of its nodes and work could not be read
  std::vector<Remark> remarks;
  bool loads = true;
  std::optional<SourceCost> cost;

 private:
  std::vector<Node> nodes_;
  std::vector<Workload> work_;
  NoActuator actuator_;
};

// What the room was asked, and its journal line by line.
class FakeRuns final : public plan::Runs {
 public:
  struct Asked {
    std::vector<std::string> what;  // "start", "resume back r1", "answer n1 yes" ...
    std::optional<plan::Plan> plan;
    std::map<std::string, int> read;  // by run, how often its journal was asked for
  };
  FakeRuns(Box& box, Asked& asked) : box_(box), asked_(asked) {}

  std::vector<RunHead> heads;
  std::map<std::string, std::string> journals;
  int begun = 0;  // the next run is called r1, where it is 0
  std::function<void(FakeRuns&)> on_start, on_resume, on_answer, on_demand, on_park;

  void list() override { box_.tell(RunsListed{heads}); }
  void read(const std::string& run) override {
    ++asked_.read[run];
    if (journals.contains(run))
      box_.tell(RunTold{run, journals[run], true});
    else
      box_.tell(RunRefused{run, {"cannot read the journal", "it is gone", ""}});
  }
  void start(plan::Plan plan, std::string undoes) override {
    note(undoes.empty() ? "start" : "start, undoes " + undoes);
    asked_.plan = plan;
    run_ = "r" + std::to_string(++begun);
    next_ = 1, chain_ = {};
    plan::RunStarted started;
    started.run = run_, started.who = "root", started.from = "login1", started.undoes = std::move(undoes);
    started.plan = std::move(plan);
    write({}, std::move(started));
    if (on_start) on_start(*this);
  }
  void resume(const std::string& run, const plan::Resuming& how) override {
    constexpr const char* kWords[] = {"on", "replan", "back"};
    note(std::string("resume ") + kWords[static_cast<int>(how.onward)] + (how.accept_harm ? " harm " : " ") +
         run + (how.same_cluster ? ", the cluster is confirmed" : ""));
    how_ = how;
    run_ = run;
    auto read = plan::parse_journal(journals[run], run);
    next_ = read ? static_cast<std::int64_t>(read->entries.size()) + 1 : 1;
    chain_ = read ? read->chain : plan::Chain();
    box_.tell(RunTold{run, journals[run], true});
    if (on_resume) on_resume(*this);
  }
  void demand(const std::string&, const NodeName& node, plan::Demand what, const std::string& why) override {
    note("demand " + node.text + " " + std::string(word(what)) + (why.empty() ? "" : ": " + why));
    if (on_demand) on_demand(*this);
  }
  void answer(const std::string&, const NodeName& node, plan::Ask, bool go_on) override {
    note("answer " + node.text + (go_on ? " yes" : " no"));
    if (on_answer) on_answer(*this);
  }
  void park_all(const std::string& why) override {
    note("park: " + why);
    if (on_park) on_park(*this);
    box_.tell(RunsAtRest{});
  }

  // Writes a line of the current run's journal and tells it.
  void write(const std::string& node, plan::RunEvent event) {
    std::string line = plan::to_line(plan::Entry{next_++, at(0), NodeName(node), std::move(event)}, chain_);
    bool first = journals[run_].empty();
    journals[run_] += line;
    box_.tell(RunTold{run_, line, first});
  }
  const std::string& run() const { return run_; }  // the current one
  void refuse(Error error) { box_.tell(RunRefused{run_, std::move(error)}); }

 private:
  void note(std::string what) { asked_.what.push_back(std::move(what)); }

  Box& box_;
  Asked& asked_;
  std::string run_;
  std::int64_t next_ = 1;
  plan::Chain chain_;
  plan::Resuming how_;
};

}  // namespace tessera::test
