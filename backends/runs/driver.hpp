// Drives one run: asks the executor of each node what is next, writes that down, has it done.
//
// Every line is on the disk before what it announces is asked for. When the journal cannot be written, the
// run stops where it is and acts no more. An exception parks its node. Answers of an actuator that come after
// a node has moved on are dropped. Threads: the room's worker only; actuators answer on their own thread and
// are posted back.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/runs/room.hpp"
#include "backends/runs/store.hpp"
#include "engine/plan/run/run.hpp"

namespace tessera::runs {

// What a driver needs of the room. The functions are called on the worker.
struct Around {
  std::shared_ptr<Worker> worker;  // lives on in answers that are under way when the room goes
  plan::Actuator* actuator = nullptr;
  const RunsOptions* options = nullptr;
  std::function<void(const std::string& lines)> told;  // was just written
  std::function<void()> changed;                       // the run's head may be another one
  // Nothing is under way any more, and the lock is free. error: why the run was not resumed, or why it
  // stopped without a word in its journal.
  std::function<void(std::optional<Error> error)> over;
};

class Driver : public std::enable_shared_from_this<Driver> {
 public:
  // lines, chain: of the file.
  Driver(Around around, JournalFile file, plan::Run run, std::int64_t lines, plan::Chain chain,
         TimePoint started);

  // A new run: its first line is written, nothing else yet.
  Status open(plan::RunStarted started);
  void begin();
  void take_up(const plan::Resuming& how);

  // node empty: for all. why: of a pause; empty: an admin wants it so.
  Status demand(const NodeName& node, plan::Demand what, const std::string& why);
  Status answer(const NodeName& node, plan::Ask what, bool go_on);

  // All its nodes are at rest, and what follows from that is about to be done.
  bool settles() const { return file_ && hands_.empty(); }
  const plan::Run& run() const { return run_; }
  TimePoint started() const { return started_; }
  TimePoint last() const { return last_; }
  const std::string& path() const { return path_; }
  const plan::Chain& chain() const { return chain_; }  // after the last line

 private:
  enum class Doing : std::uint8_t { waiting, looking, acting, asking, going_back };
  // A node that is driven now. Answers carry the turn for which they were asked.
  struct Hand {
    Doing doing = Doing::waiting;
    std::uint64_t turn = 0;
    int failed_looks = 0;
    std::set<std::string> words;  // that the next look is for
    std::optional<Result<plan::NodeFacts>> fresh;
  };
  // Taking up with a new plan: first all of them are looked at.
  struct TakingUp {
    plan::Onward onward = plan::Onward::replan;
    bool accept_harm = false;
    bool by_timer = false;
    std::vector<NodeName> to_look;
    std::map<NodeName, plan::Plan> plans;
    std::vector<std::string> harm;
  };

  void turn(const NodeName& node);
  void follow(const NodeName& node, Hand& hand, plan::Perform& act);
  void follow(const NodeName& node, Hand& hand, plan::Observe& look);
  void follow(const NodeName& node, Hand& hand, plan::Question& question);
  void follow(const NodeName& node, Hand& hand, plan::TurnBack& back);
  void follow(const NodeName& node, Hand& hand, plan::Stopped& stopped);
  void follow(const NodeName& node, Hand& hand, plan::Finished& finished);
  void performed(const NodeName& node, Result<Done> status);
  void look(const NodeName& node);
  void looked(const NodeName& node, Result<plan::NodeFacts> facts);
  void look_to_go_back(const NodeName& node);
  void go_back(const NodeName& node, Result<plan::NodeFacts> facts);
  std::optional<std::string> why_not_allowed(const NodeName& node, const plan::Perform& act) const;
  void stop_here(const NodeName& node, std::string why);
  // Does one task of a node; an exception parks the node.
  template <class Task>
  void guard(const NodeName& node, Task task);
  void drop(const NodeName& node);
  void next_nodes();
  bool wake_held();
  void drive(const std::vector<NodeName>& nodes);

  void look_to_plan();
  void end_between_nodes();
  void planned(const NodeName& node, Result<plan::NodeFacts> facts);
  void take_up_planned();
  Result<plan::Plan> plan_from(const NodeName& node, const plan::NodeFacts& facts, bool back) const;

  // Runs `then` on the worker if the node is still at that turn.
  template <class T>
  std::function<void(Result<T>)> back_to(const NodeName& node,
                                         void (Driver::*then)(const NodeName&, Result<T>));
  void after(const NodeName& node, Duration delay, void (Driver::*then)(const NodeName&));
  bool enter(const NodeName& node, plan::RunEvent event);
  bool write(const NodeName& node, std::vector<plan::RunEvent> events);
  void end(std::optional<Error> error);
  TimePoint now() const { return around_.options->wall(); }

  Around around_;
  std::optional<JournalFile> file_;  // while it is driven
  std::string path_;
  plan::Run run_;
  std::vector<NodeName> held_;  // that are parked until the first one is done
  std::set<NodeName> unsure_;   // nodes where an earlier process has begun what told no success
  std::int64_t lines_ = 0;
  plan::Chain chain_;
  TimePoint started_{};
  TimePoint last_{};
  std::map<NodeName, Hand> hands_;
  std::optional<TakingUp> taking_up_;
  std::uint64_t turns_ = 0;
};

}  // namespace tessera::runs
