// What a recording of the simulator comes to, held against what the simulated world itself knows: each kind
// of waste and each figure of use, looked at there every ten seconds by what the work does, and not by what
// is told of it; and rogues, of which the scenario says how long they are there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/record/recording.hpp"
#include "backends/record/tape.hpp"
#include "backends/sim/telemetry.hpp"
#include "engine/mig/geometry.hpp"
#include "engine/record/recorder.hpp"
#include "engine/usage/reckoning.hpp"
#include "tests/backends/sim/worlds.hpp"

namespace tessera::record {
namespace truth_test {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr Duration kLook = 10s, kRound = 1min;
constexpr double kLookHours = 10.0 / 3600;
constexpr double kParkedFrom = 0.3, kIdleBelow = 0.01, kIdleAfter = 0.25, kPercentile = 90;

constexpr std::string_view kWorld = R"(
clusters:
  - name: hpc
    scheduler: slurm
    users: [ana, ben, cem, dia, eli, fay]
    partitions: [{name: gpu, max_time: 7d}]
    nodes:
      - names: n1
        product: H100-80GB-SXM5
        gpus: 6
        partitions: [gpu]
        layouts: [whole, "1g.10gb@0,1g.10gb@1,2g.20gb@2,3g.40gb@4", "3g.40gb@0,3g.40gb@4", whole, "3g.40gb@0,1g.10gb@4,1g.10gb@5,1g.10gb@6", whole]
      - {names: n3, product: H100-80GB-SXM5, gpus: 4, partitions: [gpu]}
      - {names: n2, product: H100-80GB-SXM5, gpus: 2, partitions: [gpu], layouts: [whole, "4g.40gb@0"], hidden: [0]}
    jobs:
      - {user: ana, name: train, want: "gpu:h100:1", on: n1/gpu0, does: training, ran: 3h, runs: 2d}
      - {user: ben, name: left, want: "gpu:3g.40gb:1", on: n1/gpu2@0, does: waste, ran: 3h, runs: 2d}
      - {user: cem, name: desk, want: "gpu:3g.40gb:1", on: n1/gpu2@4, does: notebook, ran: 3h, runs: 2d}
      - {user: cem, name: wide-desk, want: "gpu:h100:1", on: n1/gpu3, does: notebook, ran: 3h, runs: 2d}
      - {user: cem, name: lab, want: "gpu:h100:1", on: n3/gpu0, does: notebook, ran: 3h, runs: 2d}
      - {user: cem, name: lab, want: "gpu:h100:1", on: n3/gpu1, does: notebook, ran: 3h, runs: 2d}
      - {user: cem, name: lab, want: "gpu:h100:1", on: n3/gpu2, does: notebook, ran: 3h, runs: 2d}
      - {user: dia, name: serve, want: "gpu:h100:1", on: n1/gpu5, does: inference, ran: 3h, runs: 2d}
      - {user: eli, name: short, want: "gpu:3g.40gb:1", on: n1/gpu1@4, does: waste, ran: 1h, runs: 3h}
      - {count: 14, users: [eli, fay], name: sweep, want: "gpu:1g.10gb:1", does: batch, runs: 90m}
      - {user: fay, name: kept-back, want: "gpu:3g.40gb:1", hold: JobHeldUser, hold_for: 9d, runs: 1h}
)";

// What a job did with one slice.
struct Did {
  std::string user;
  double part = 0;  // of the GPU, by compute slices
  int slices = 0;   // of its memory
  double memory_mib = 0;
  double hours = 0, use_hours = 0, idle = 0, parked = 0, longest = 0;
  std::vector<float> uses;
  float memory = 0;  // the most, of the slice's
  double stretch = 0;
  void look(const sim::Load& load) {
    hours += kLookHours;
    use_hours += static_cast<double>(load.use) * kLookHours;
    uses.push_back(load.use);
    memory = std::max(memory, load.memory);
    if (static_cast<double>(load.use) < kIdleBelow)
      stretch += kLookHours;
    else
      end_stretch();
  }
  void end_stretch() {
    longest = std::max(longest, stretch);
    if (stretch + 1e-9 >= kIdleAfter) (static_cast<double>(memory) >= kParkedFrom ? parked : idle) += stretch;
    stretch = 0;
  }
  // The use, 0 to 1, below which it stayed for that part of the time.
  double below(double part_of_time) {
    std::sort(uses.begin(), uses.end());
    const auto place = static_cast<std::size_t>(part_of_time * static_cast<double>(uses.size() - 1));
    return static_cast<double>(uses[place]);
  }
};

// The world as it is, read by whoever made it.
struct Truth {
  std::map<std::string, Did> work;  // by its id; each of these holds one slice
  std::map<std::string, double> waited;
  double stranded = 0;                       // slice-hours
  std::map<std::string, double> free_hours;  // by profile: in which one of them was free
  std::set<std::string> asked;               // as those that waited asked for it

  void look(const sim::World& world) {
    for (const auto& [id, job] : world.jobs) look(world, job);
    std::set<std::string> free;
    for (const sim::NodeState& node : world.nodes)
      for (const sim::Board& board : node.boards) look(*world.group(node).mig, board, free);
    for (const std::string& profile : free) free_hours[profile] += kLookHours;
  }
  void end() {
    for (auto& [id, did] : work) did.end_stretch();
  }

 private:
  void look(const sim::World& world, const sim::Job& job) {
    const std::string& user = world.spec().users[job.user].name;
    if (job.state == sim::JobState::pending) {
      waited[user] += kLookHours;
      asked.insert(sim::wanted_by(world, job).text);
    }
    for (const sim::Claim& claim : job.claims) {
      const sim::NodeState& node = world.nodes[claim.node];
      const mig::Product& product = *world.group(node).mig;
      const sim::Instance* instance = node.boards[claim.gpu].find(claim.instance);
      const mig::Profile* profile =
          instance ? &product.profiles[static_cast<std::size_t>(instance->profile)] : nullptr;
      Did& did = work[sim::workload_id(world, job).text];
      did.user = user;
      did.slices = profile ? profile->memory_slices : product.units;
      did.part = profile ? static_cast<double>(profile->compute_slices) / product.compute_slices : 1;
      did.memory_mib = profile && profile->memory ? static_cast<double>(profile->memory->value)
                                                  : world.group(node).memory_mib;
      did.look(sim::load_of(job.does, world.seed, job.id, world.now));
    }
  }
  void look(const mig::Product& product, const sim::Board& board, std::set<std::string>& free) {
    if (board.cut())
      stranded += mig::room(product, sim::layout_of(board)).stranded_memory_slices * kLookHours;
    if (!board.cut() && board.holds.empty() && !board.hidden) free.insert("whole");
    for (const sim::Instance& one : board.instances)
      if (one.holds.empty()) free.insert(product.profiles[static_cast<std::size_t>(one.profile)].name.text);
  }
};

// Ten hours of it, a round a minute.
class RecordingOfTheSimulator : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    char name[] = "/tmp/tessera-truth-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    sim::World world = sim::world_from(kWorld);
    truth_.emplace();
    auto tape = open_tape(name, ClusterName("hpc"), {});
    ASSERT_TRUE(tape) << to_line(tape.error());
    Recorder recorder{Wanted{kRound}};
    const TimePoint end = world.now + 10h;
    for (TimePoint next_round = world.now; world.now < end; world.advance(world.now + kLook)) {
      truth_->look(world);
      if (world.now < next_round) continue;
      next_round += kRound;
      Model model;
      for (Event& event : sim::snapshot(world, world.now, 0)) reduce(model, std::move(event));
      const bool key = (*tape)->wants_key(world.now);
      ASSERT_TRUE((*tape)->write(recorder.take(model.clusters.front(), world.now, key), world.now, key));
    }
    truth_->end();
    tape->reset();
    auto recordings = open_recordings(name);
    ASSERT_TRUE(recordings);
    usage::Span span{24h};
    span.limits.percentile = kPercentile;
    span.limits.unasked_after = 9h;
    auto sums = usage::reckon(*recordings, span, test::catalogue());
    ASSERT_TRUE(sums) << to_line(sums.error());
    sums_.emplace(std::move(*sums));
    fs::remove_all(name);
  }
  static void TearDownTestSuite() {
    sums_.reset();
    truth_.reset();
  }

  static const usage::Sum& sum_of(usage::By by, const std::string& name) {
    const std::vector<usage::Sum>& all = sums_->sums.at(by);
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const usage::Sum& one) { return one.name == name; });
    if (found != all.end()) return *found;
    static const usage::Sum none;
    ADD_FAILURE() << name << " is not told";
    return none;
  }
  // Hours of a kind of waste, by work.
  static std::map<std::string, double> told(const std::string& kind) {
    std::map<std::string, double> hours;
    for (const usage::Waste& one : sums_->waste)
      if (one.kind == kind) hours[one.workload] += one.hours.value_or(0);
    return hours;
  }

  static bool asked_for(const std::string& profile) {
    return std::any_of(truth_->asked.begin(), truth_->asked.end(),
                       [&](const std::string& text) { return text.starts_with("gpu:" + profile); });
  }

  inline static std::optional<Truth> truth_;
  inline static std::optional<usage::Reckoning> sums_;
};

constexpr double kTwoRounds = 2.0 / 60;

TEST_F(RecordingOfTheSimulator, HoldsWhatEachJobHeldAndUsed) {
  ASSERT_GE(truth_->work.size(), 12U);
  for (auto& [id, did] : truth_->work) {
    const usage::Sum& sum = sum_of(usage::By::workload, id);
    EXPECT_NEAR(sum.gpu_hours, did.hours * did.part, kTwoRounds * did.part) << id;
    EXPECT_NEAR(sum.slice_hours, did.hours * did.slices, kTwoRounds * did.slices) << id;
    EXPECT_NEAR(sum.measured, sum.gpu_hours, kTwoRounds * did.part) << id;
    ASSERT_TRUE(sum.mean_use && sum.p95_use && sum.memory_peak) << id;
    EXPECT_NEAR(*sum.mean_use, 100 * did.use_hours / did.hours, 3) << id;
    // Use is written again when it has moved by ten points, memory by 512 MiB (docs/time.md), and P95 is in
    // steps of five.
    EXPECT_GE(*sum.p95_use, 100 * did.below(0.93) - 10) << id;
    EXPECT_LE(*sum.p95_use, 100 * did.below(0.97) + 15) << id;
    EXPECT_NEAR(static_cast<double>(sum.memory_peak->value), static_cast<double>(did.memory) * did.memory_mib,
                512)
        << id;
  }
}

TEST_F(RecordingOfTheSimulator, HoldsHowLongEachUserWaited) {
  ASSERT_GE(truth_->waited.size(), 2U);
  for (const auto& [user, hours] : truth_->waited) {
    double begun = 0;  // of each that waited, a round may be missing at either end
    for (const auto& [id, did] : truth_->work) begun += did.user == user;
    EXPECT_GT(hours, 1) << user;
    EXPECT_NEAR(sum_of(usage::By::user, user).waited, hours, kTwoRounds * (begun + 1)) << user;
  }
}

TEST_F(RecordingOfTheSimulator, FindsWhatIsIdleAndWhatIsParkedAndNothingElse) {
  const std::map<std::string, double> idle = told("idle"), parked = told("parked");
  double seen_idle = 0, seen_parked = 0;
  for (const auto& [id, did] : truth_->work) {
    // A minute that begins or ends a stretch is seen once.
    const double loose = 0.02 + 0.1 * (did.idle + did.parked);
    EXPECT_NEAR(idle.contains(id) ? idle.at(id) : 0, did.idle, loose) << id;
    EXPECT_NEAR(parked.contains(id) ? parked.at(id) : 0, did.parked, loose) << id;
    seen_idle += did.idle, seen_parked += did.parked;
  }
  EXPECT_GT(seen_idle, 1);
  EXPECT_GT(seen_parked, 10);
  for (const auto& [id, hours] : idle) EXPECT_GT(truth_->work[id].longest, kIdleAfter - kTwoRounds) << id;
  for (const auto& [id, hours] : parked) EXPECT_GT(truth_->work[id].longest, kIdleAfter - kTwoRounds) << id;
}

// A smaller profile of the H100 that has so much room for what a job did; empty: none.
std::string fits(Did& did, double air) {
  const mig::Product& product = *test::catalogue().by_key("H100-80GB-SXM5");
  const mig::Profile* best = nullptr;
  for (const mig::Profile& profile : product.profiles)
    if (!profile.has_attribute() && profile.memory_slices < did.slices && profile.memory &&
        did.below(kPercentile / 100) * did.part * product.compute_slices * air <= profile.compute_slices &&
        static_cast<double>(did.memory) * did.memory_mib * air <=
            static_cast<double>(profile.memory->value) &&
        (!best || profile.memory_slices < best->memory_slices))
      best = &profile;
  return best ? best->name.text : "";
}

TEST_F(RecordingOfTheSimulator, CallsTooBigWhatASmallerProfileWouldHaveDoneFor) {
  std::set<std::string> told;
  for (const usage::Waste& one : sums_->waste) {
    if (one.kind != "too-big") continue;
    told.insert(one.workload);
    Did& did = truth_->work[one.workload];
    EXPECT_NE(fits(did, 1.1), "") << one.workload << ": " << one.advice;
    const double idle = did.idle + did.parked;
    EXPECT_NEAR(one.hours.value_or(0), did.hours - idle, kTwoRounds + 0.02 + 0.1 * idle)
        << one.workload << ": what was idle is counted as that";
    EXPECT_LT(one.slice_hours.value_or(0), one.hours.value_or(0) * did.slices) << one.workload;
  }
  std::size_t clear = 0;
  for (auto& [id, did] : truth_->work) {
    // With more air than is asked for, so that steps of five and a minute's samples decide nothing.
    if (did.hours < 1.1 || did.idle + did.parked > 0.4 * did.hours || fits(did, 1.4).empty()) continue;
    ++clear;
    EXPECT_TRUE(told.contains(id)) << id;
  }
  EXPECT_GE(clear, 1U) << "the world has none";
}

TEST_F(RecordingOfTheSimulator, FindsStrandedAndUnaskedSlicesAndTakesNoneForBothFreeAndInUse) {
  double stranded = 0;
  std::set<std::string> unasked;
  for (const usage::Waste& one : sums_->waste) {
    if (one.kind == "stranded") stranded += one.slice_hours.value_or(0);
    EXPECT_NE(one.kind, "rogue") << "the scheduler says that the GPU of n2 is in use: " << one.advice;
    if (one.kind == "unasked") unasked.insert(one.profile);
  }
  EXPECT_GT(truth_->stranded, 5);
  EXPECT_NEAR(stranded, truth_->stranded, truth_->stranded / 50);
  std::set<std::string> free;
  for (const auto& [profile, hours] : truth_->free_hours)
    if (hours > 9.9 && !asked_for(profile)) free.insert(profile);
  EXPECT_EQ(free, (std::set<std::string>{"2g.20gb", "4g.40gb", "whole"}));
  EXPECT_EQ(unasked, free);
}

// Rogue had no known answer: the simulator told a slice with such a process as one that the scheduler has in
// use.
class RecordingOfRogues : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tessera-rogues-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    sim::World world = sim::world_with_rogues();
    auto tape = open_tape(name, ClusterName("hpc"), {});
    ASSERT_TRUE(tape) << to_line(tape.error());
    Recorder recorder{Wanted{kRound}};
    const TimePoint end = world.now + 5h;
    for (; world.now <= end; world.advance(world.now + kRound)) {
      const Model model = sim::model_of(world);
      const bool key = (*tape)->wants_key(world.now);
      ASSERT_TRUE((*tape)->write(recorder.take(model.clusters.front(), world.now, key), world.now, key));
    }
    tape->reset();
    auto recordings = open_recordings(name);
    ASSERT_TRUE(recordings);
    auto sums = usage::reckon(*recordings, {24h}, test::catalogue());
    ASSERT_TRUE(sums) << to_line(sums.error());
    for (usage::Waste& one : sums->waste)
      if (one.kind == "rogue") rows_.push_back(std::move(one));
    fs::remove_all(name);
  }
  // The row that says so of a GPU.
  const usage::Waste& row(const std::string& advice) const {
    static const usage::Waste none;
    for (const usage::Waste& one : rows_)
      if (one.advice.find(advice) != std::string::npos) return one;
    ADD_FAILURE() << "no row says " << advice;
    return none;
  }
  std::vector<usage::Waste> rows_;
};

TEST_F(RecordingOfRogues, FindsTheSliceHoursOfWhatNoJobHoldsAndNamesTheProcess) {
  const usage::Waste& whole = row("(a.out) (GPU 0)");
  EXPECT_EQ(whole.profile, "whole");
  EXPECT_NEAR(whole.hours.value_or(0), 3, 1e-6);
  EXPECT_NEAR(whole.slice_hours.value_or(0), 3 * 8, 1e-6);
  EXPECT_NE(whole.advice.find("used by no job or pod that is known, up to 30 %"), std::string::npos)
      << whole.advice;
  const usage::Waste& cut = row("(a.out) (GPU 1)");
  EXPECT_EQ(cut.profile, "3g.40gb");
  EXPECT_NEAR(cut.hours.value_or(0), 1, 1e-6);
  EXPECT_NEAR(cut.slice_hours.value_or(0), 4, 1e-6);
}

TEST_F(RecordingOfRogues, FindsByItsProcessAloneWhatFiguresHaveSeenTooShortly) {
  const usage::Waste& brief = row("belongs to no job: GPU 3");
  EXPECT_NEAR(brief.hours.value_or(0), 5.0 / 60, 1e-6);
  EXPECT_NEAR(brief.slice_hours.value_or(0), 8 * 5.0 / 60, 1e-6);
}

TEST_F(RecordingOfRogues, CountsNothingWhereAJobHoldsTheGpuAndNoProcessOfAJob) {
  const usage::Waste& held = row("belongs to no job: GPU 2");
  EXPECT_NEAR(held.hours.value_or(0), 1, 1e-6);
  EXPECT_EQ(held.slice_hours, 0) << "they are ana's";
  EXPECT_NE(held.advice.find("while a job or pod held that slice"), std::string::npos) << held.advice;
  EXPECT_EQ(rows_.size(), 4U) << "python3 of ana's job is none";
}

}  // namespace truth_test
}  // namespace tessera::record
