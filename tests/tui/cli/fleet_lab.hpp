// A cluster that stands there, a room of runs that answers by script, and tessera fleet on both.
// Threads: one test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "engine/json.hpp"
#include "tests/tui/cli/fake_runs.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/fleet/fleet.hpp"

namespace tessera::test {

// A window that opens four hours from at(0), a Friday at 8:00.
inline constexpr const char* kSoon = R"(pools:
- name: a
  nodes: "n[1-2]"
  layout: as-is
  budget: {lead: '06:00'}
  windows: [{when: 'Fri 12:00-20:00', layout: empty}]
- {name: b, layout: as-is}
)";

// n1 is cut into one slice that alice holds, n2 is whole, of n3 nothing is known now.
class FleetCommandLine : public testing::Test {
 protected:
  FleetCommandLine() : folder(testing::TempDir() + "fleet_test." + std::to_string(getpid())) {
    std::filesystem::create_directories(folder);
    options.command = "fleet";
    options.timeout = Duration(1500);
  }
  ~FleetCommandLine() override { std::filesystem::remove_all(folder); }

  std::string file(const std::string& text) {
    const std::string path = folder + "/fleet.yaml";
    std::ofstream(path) << text;
    return path;
  }

  int run(std::vector<std::string> words) {
    options.words = std::move(words);
    auto open = [&](const cli::Options&, const mig::Catalogue&) {
      Node down = node("n3", {uncut(0, 0)});
      if (some_unknown) down.health = Health::down;
      auto backend = stands ? stands()
                            : std::make_unique<StandingBackend>(
                                  std::vector<Node>{node("n1", {cut(0, {instance("1g.10gb", 6, 1, 0)})}),
                                                    node("n2", {uncut(0, 0)}), down},
                                  std::vector<Workload>{alices});
      backend->loads = loads;
      backend->unread = unread;
      backend->clock = clock;
      cli::Opening opening;
      opening.backends.push_back(std::move(backend));
      if (beside) opening.backends.push_back(beside());
      auto runs = std::make_unique<FakeRuns>(box, asked);
      runs->heads = heads;
      runs->journals = journals;
      runs->begun = begun_before;
      runs->on_start = [this](FakeRuns& room) {
        if (starts) return starts(room);
        for (const NodeName& node : asked.plan->intent.nodes)
          room.write(node.text, plan::NodeFinished{plan::Outcome::wanted, "as wanted"});
        room.write("", plan::RunFinished{plan::Outcome::wanted, "done"});
        if (on_started) on_started();
      };
      runs->on_resume = resumes;
      opening.runs = std::move(runs);
      return opening;
    };
    int seconds = 0;  // one goes by from one look at the clock to the next
    cli::Joins joins{box, box, open, {}, [&] { return at(later + ++seconds); }, {}, false};
    joins.user = user;
    if (recordings) joins.recordings = [this](const std::string&) { return recordings(); };
    out.str(""), err.str("");
    asked = {};
    return cli::run_fleet(options, catalogue(), joins, cli::Streams{out, err});
  }

  std::ptrdiff_t begun() const { return std::count(asked.what.begin(), asked.what.end(), "start"); }

  Box box;
  FakeRuns::Asked asked;
  std::vector<RunHead> heads;
  std::map<std::string, std::string> journals;
  int begun_before = 0;                                      // runs, before this call
  std::function<std::unique_ptr<StandingBackend>()> stands;  // another cluster
  std::function<std::unique_ptr<StandingBackend>()> beside;  // one more
  std::function<void()> on_started;
  std::function<Result<std::vector<std::unique_ptr<record::Recording>>>()> recordings;
  std::function<std::string()> user;       // who asks; empty: nobody knows
  std::function<void(FakeRuns&)> starts;   // instead of a run whose nodes are all done
  std::function<void(FakeRuns&)> resumes;  // what the room does then
  cli::Options options;
  std::optional<TimePoint> clock;  // of the cluster
  int later = 0;                   // seconds after at(0)
  std::string folder, unread;
  Workload alices = running("1", "alice", {holds("n1", {{0}})});
  bool loads = true, some_unknown = false;
  std::ostringstream out, err;
};

}  // namespace tessera::test
