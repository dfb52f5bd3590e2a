// Forecasts held against the simulator: random worlds, their hours lived through, and how far a forecast was
// off. Threads: one test.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "backends/sim/random.hpp"
#include "engine/whatif/whatif.hpp"
#include "tests/backends/sim/worlds.hpp"

namespace tessera::sim {

inline constexpr TimePoint kFar{std::chrono::milliseconds(4'000'000'000'000)};

// No work is submitted, nothing breaks, what runs and what starts runs to its time limit or to that of its
// partition: what is left is the scheduler.
inline void hold_still(World& world) {
  for (Recurring& one : world.streams) one.next = kFar;
  for (Recurring& one : world.troubles) one.next = kFar;
  world.faults_done = world.spec().faults.size();
  for (auto& [id, job] : world.jobs) {
    const std::int32_t partition = wanted_by(world, job).partition;
    const Duration most =
        partition < 0 ? Duration(0) : world.spec().max_times[static_cast<std::size_t>(partition)];
    const bool slurm = world.spec().scheduler == Scheduler::slurm;
    job.runs = slurm && job.limit > Duration(0) ? job.limit
               : most.count() > 0               ? most
                                                : Duration(std::chrono::hours(24 * 30));
    if (job.state == JobState::running)
      job.ends = std::max(job.started + job.limit, world.now + std::chrono::minutes(1));
  }
  world.pass_at = world.now + std::chrono::seconds(1);
  derive(world);
}

// Starts by id, as they come to be.
inline void live(World& world, TimePoint until, std::map<std::string, TimePoint>& starts) {
  std::set<JobId> waits = world.derived ? world.derived->pending : std::set<JobId>();
  while (world.now < until) {
    world.advance(std::min(until, world.now + std::chrono::minutes(1)));
    for (const JobId id : std::vector<JobId>(waits.begin(), waits.end())) {
      const auto job = world.jobs.find(id);
      if (job != world.jobs.end() && job->second.state == JobState::pending) continue;
      waits.erase(id);
      if (job != world.jobs.end()) starts[workload_id(world, job->second).text] = job->second.started;
    }
  }
}

inline std::map<std::string, TimePoint> lived(World world, TimePoint until) {
  std::map<std::string, TimePoint> starts;
  live(world, until, starts);
  return starts;
}

struct ForecastError {
  int foretold = 0, started = 0;  // within the hours that are looked at
  int cases = 0, within = 0;      // work that waits for room; its start is right to within five minutes
  std::vector<double> minutes;    // too late, of those that were foretold and started
  std::string misses;

  void add(const whatif::Future& future, const std::map<std::string, TimePoint>& starts, TimePoint from,
           const std::string& where) {
    std::map<std::string, TimePoint> said;
    for (const whatif::Start& one : future.starts) said[one.id.text] = one.at;
    std::vector<std::string> all;
    for (const WorkloadId& id : future.waiting) all.push_back(id.text);
    for (const auto& [id, at] : said) all.push_back(id);
    for (const std::string& id : all) {
      const auto told = said.find(id);
      const auto true_start = starts.find(id);
      ++cases;
      foretold += told != said.end(), started += true_start != starts.end();
      const auto late = [](TimePoint a, TimePoint b) {
        return std::chrono::duration<double, std::ratio<60>>(a - b).count();
      };
      bool good = told == said.end() && true_start == starts.end();
      if (told != said.end() && true_start != starts.end()) {
        minutes.push_back(late(told->second, true_start->second));
        good = std::abs(minutes.back()) <= 6;
      }
      within += good;
      if (!good && misses.size() < 3000)
        misses += where + " " + id + ": said " +
                  (told == said.end() ? "never" : std::to_string(late(told->second, from))) + ", was " +
                  (true_start == starts.end() ? "never" : std::to_string(late(true_start->second, from))) +
                  "\n";
    }
  }
  double share() const { return 100.0 * within / std::max(1, cases); }
  double median() {
    if (minutes.empty()) return 0;
    std::sort(minutes.begin(), minutes.end());
    return minutes[minutes.size() / 2];
  }
  // Of those that were foretold and started: at the time that was said, or before.
  double in_time() const {
    const auto good = std::count_if(minutes.begin(), minutes.end(), [](double late) { return late >= -6; });
    return minutes.empty() ? 100 : 100.0 * static_cast<double>(good) / static_cast<double>(minutes.size());
  }
  void print(const char* what) {
    std::printf(
        "%s: %d cases, %d foretold, %d started: %.1f %% right to within 6 min; of %zu foretold and "
        "started %.1f %% no later than said, median %.0f min early\n%s",
        what, cases, foretold, started, share(), minutes.size(), in_time(), median(), misses.c_str());
  }
};

template <class Look>
void each_world(const Look& look) {
  for (std::uint64_t seed = 1; seed < 2000; ++seed)
    for (const char* scenario : {"demo", "slurm-h100", "kubernetes"})
      for (World& world : worlds_of(scenario, mix(seed))) {
        world.advance(world.start + std::chrono::hours(between(mix(~seed), 1, 30)));
        if (!look(world, std::string(scenario) + " seed " + std::to_string(seed))) return;
      }
}

}  // namespace tessera::sim
