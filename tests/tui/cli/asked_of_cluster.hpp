// tessera pack asked of a cluster that stands there as a test gives it. Threads: one test.
#pragma once

#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/tui/cli/fake_runs.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/pack/pack.hpp"

namespace tessera::cli::pack_story {

// A GPU with an instance that is held and one that is free, a free one as a whole, and nodes that may not be
// planned.
struct AskedOfCluster {
  OutputFormat output = OutputFormat::table;
  std::vector<std::string> words;
  std::vector<Workload> work;  // beside alice's job
  Scheduler scheduler = Scheduler::slurm;
  std::string partition, nodes_in, at;
  std::optional<std::string> sim;  // its clock is another than the wall clock
  std::optional<TimePoint> ends;   // of alice's job
  std::string ends_within;
  bool for_queue = false, plan_it = false, apply_it = false;
  bool loads = true;
  std::string managed_by;          // a label of n1, which then has two whole GPUs that nothing holds
  std::optional<plan::Means> can;  // instead of the simulator's
  plan::SiteRules rules;
  Source source = Source::simulator;  // of what is made on the GPUs
  std::ostringstream out, err;

  int run() {
    Options options;
    options.command = "pack";
    options.rules = rules;
    options.output = output;
    options.words = words;
    options.for_queue = for_queue, options.plan_it = plan_it, options.apply_it = apply_it;
    options.partition = partition;
    options.at = at;
    options.sim = sim;
    options.ends_within = ends_within;
    options.timeout = Duration(1500);
    test::Box box;
    auto open = [&](const Options&, const mig::Catalogue&) {
      Gpu cut = test::gpu(0, Strategy::mig,
                          {test::instance("1g.10gb", 0, 1, 0), test::instance("2g.20gb", 4, 2, 1)});
      Gpu free = test::gpu(1, Strategy::whole, {test::whole(2)});
      Gpu busy = test::gpu(2, Strategy::whole, {test::whole(3)});
      for (Gpu* gpu : {&cut, &free, &busy})
        gpu->product = ProductKey("H100-80GB-SXM5"), gpu->origin.source = source;
      Node drained = test::node("n2", {free});
      drained.health = Health::drained;
      Node first = test::node("n1", {cut, free, busy});
      if (!nodes_in.empty()) first.partitions = {nodes_in};
      std::vector<Workload> all = work;
      if (!managed_by.empty()) {
        first.gpus = {free, busy};
        first.features = {managed_by};
        first.gpus[0].index = GpuIndex{0}, first.gpus[1].index = GpuIndex{1};
      }
      if (managed_by.empty()) {
        all.push_back(test::running("1", "alice", {test::holds("n1", {{0}, {3}})}));
        all.back().ends = ends;
      }
      Opening opening;
      auto backend = std::make_unique<test::StandingBackend>(std::vector<Node>{first, drained}, all);
      backend->loads = loads, backend->scheduler = scheduler;
      if (can) backend->can(*can);
      opening.backends.push_back(std::move(backend));
      return opening;
    };
    int asked = 0;  // a second goes by from one look at the clock to the next
    Joins joins{box, box, open, {}, [&] { return test::at(++asked); }, {}, false};
    return run_pack(options, test::catalogue(), joins, Streams{out, err});
  }
};

}  // namespace tessera::cli::pack_story
