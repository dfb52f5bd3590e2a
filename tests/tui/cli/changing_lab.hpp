// A cluster that stands there, a room of runs that answers by script, and the commands that change something
// on both. Threads: one test.
#pragma once

#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/json_check.hpp"
#include "tests/tui/cli/fake_runs.hpp"
#include "tui/cli/change/change.hpp"
#include "tui/cli/change/journal.hpp"
#include "tui/cli/change/planning.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/doctor.hpp"

namespace tessera::cli {

using test::FakeRuns;
using test::json_at;

class Changing : public testing::Test {
 protected:
  Changing() {
    options.write = options.yes = true;
    options.output = OutputFormat::json;
    options.nodes = "n1";
    options.layout = "7g.80gb";
  }

  // Which command, on a cluster of n1 (cut, no work there) and n2.
  int run(const std::string& command) {
    options.command = command;
    auto open = [&](const Options&, const mig::Catalogue&) {
      Opening opening;
      auto backend = std::make_unique<test::StandingBackend>(nodes, work);
      backend->unread = unread;
      opening.backends.push_back(std::move(backend));
      auto runs = std::make_unique<FakeRuns>(box, asked);
      runs->heads = heads;
      runs->journals = journals;
      if (script) script(*runs);
      opening.runs = std::move(runs);
      return opening;
    };
    Joins joins{box, box, open, {}, [] { return test::at(0); }, {}, false};
    Streams streams{out, err, -1, in_fd, in_fd >= 0};
    out.str("");
    err.str("");
    asked = {};
    if (command == "apply") return run_apply(options, test::catalogue(), joins, streams);
    if (command == "undo") return run_undo(options, test::catalogue(), joins, streams);
    if (command == "resume") return run_resume(options, test::catalogue(), joins, streams);
    if (command == "doctor") return run_doctor(options, test::catalogue(), joins, streams);
    if (command == "plan") return run_plan(options, test::catalogue(), joins, streams);
    return run_journal(options, test::catalogue(), joins, streams);
  }
  bool said(const std::string& part) const { return err.str().find(part) != std::string::npos; }

  // A run of one node as its journal tells it, up to `end`.
  void keep(const std::string& id, std::vector<plan::RunEvent> end, RunState state) {
    plan::Intent intent = test::wants("7g.80gb");
    test::Story story;
    story.tell(ClusterSeen{Scheduler::slurm, true, "", "", "hpc-1"});
    story.tell(NodesListed{nodes});
    plan::RunStarted started;
    started.run = id, started.who = "root", started.from = "login1";
    started.plan = plan::make_plan(story.cluster(), test::catalogue(), intent, plan::simulator_capabilities(),
                                   {}, test::at(0))
                       .value();
    plan::Chain chain;
    std::string text = plan::to_line(plan::Entry{1, test::at(0), {}, started}, chain);
    std::int64_t seq = 1;
    for (plan::RunEvent& event : end) {
      bool whole = std::holds_alternative<plan::RunFinished>(event);
      text += plan::to_line(plan::Entry{++seq, test::at(0), NodeName(whole ? "" : "n1"), std::move(event)},
                            chain);
    }
    journals[id] = text;
    RunHead head;
    head.run = id, head.state = state, head.who = "root", head.from = "login1", head.words = "7g.80gb";
    head.cluster = ClusterName("hpc"), head.nodes = {NodeName("n1")}, head.started = test::at(0);
    head.why = state == RunState::finished ? "1 done" : "paused by an admin";
    heads.push_back(head);
  }

  static void finish(FakeRuns& runs, plan::Outcome outcome) {
    runs.write("n1", plan::NodeFinished{outcome, "n1: as it is"});
    runs.write("", plan::RunFinished{outcome, "1 done"});
  }

  Options options;
  std::vector<Node> nodes{
      test::node("n1", {test::cut(0, {test::instance("1g.10gb", 0, 1, 0)})}),
      test::node("n2", {test::uncut(0, 0)}),
  };
  std::vector<Workload> work;
  std::vector<RunHead> heads;
  std::map<std::string, std::string> journals;
  std::function<void(FakeRuns&)> script;
  test::Box box;
  FakeRuns::Asked asked;
  std::ostringstream out, err;
  int in_fd = -1;  // where a person types; -1: no one is there
  std::string unread;
};

}  // namespace tessera::cli
