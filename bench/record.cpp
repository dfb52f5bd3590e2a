// A recorded day of 1,000 nodes of 8 GPUs, a round a minute, 20 jobs a day for each node: how large its file
// is, what the recorder needs for a round with its findings, how long a jump takes, and how long reading all
// of it for usage. TESSERA_BENCH_NODES and TESSERA_BENCH_ROUNDS are for other sizes, of which 10000 and 240
// have aims, too; TESSERA_BENCH_PIPES=0 is without pipes.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "backends/files.hpp"
#include "backends/record/recording.hpp"
#include "backends/record/tape.hpp"
#include "backends/record/thin.hpp"
#include "backends/sim/random.hpp"
#include "backends/sim/telemetry.hpp"
#include "bench/aims.hpp"
#include "engine/model/reduce.hpp"
#include "engine/record/recorder.hpp"
#include "engine/usage/reckoning.hpp"
#include "tui/cli/doctor.hpp"

namespace {

using namespace tessera;
namespace fs = std::filesystem;

int from_environment(const char* name, int standard) {
  const char* text = std::getenv(name);
  return text ? std::max(0, std::atoi(text)) : standard;
}

const int kNodes = std::max(1, from_environment("TESSERA_BENCH_NODES", 1'000));
const int kRounds = std::max(1, from_environment("TESSERA_BENCH_ROUNDS", 1'440));
// Tensor pipes and memory interfaces, as exporters tell them by default; 0: as one does that lacks them.
const bool kPipes = from_environment("TESSERA_BENCH_PIPES", 1) > 0;
constexpr int kGpus = 8, kADay = 1'440;
const int kJobsADay = 20 * kNodes;
constexpr std::uint64_t kSeed = 7;
const TimePoint kBegin(std::chrono::seconds(1'795'478'400));  // a midnight

struct Job {
  std::uint64_t id = 0;
  int node = 0, gpu = 0;
  int ends = 0;  // round
  sim::Character does{};
};

std::string node_name(int n) { return "gpu" + std::to_string(10'000 + n).substr(1); }

Model first() {
  Model model;
  NodesListed list;
  for (int n = 0; n < kNodes; ++n) {
    Node node;
    node.name = NodeName(node_name(n));
    node.state = {"MIXED"};
    node.health = Health::ok;
    node.partitions = {"gpu"};
    node.cpus = 128;
    node.memory = Mib{2'000'000};
    node.driver = "550.90.07";
    node.agent = "24.11.5";
    node.origin = {Source::slurm_nodes, kBegin};
    for (int g = 0; g < kGpus; ++g) {
      Gpu gpu;
      gpu.index = GpuIndex{g};
      gpu.model = "NVIDIA H100 80GB HBM3";
      gpu.product = ProductKey("H100-80GB-SXM5");
      gpu.memory = Mib{81'559};
      gpu.strategy = Strategy::whole;
      std::uint64_t id = sim::draw(kSeed, static_cast<std::uint64_t>(n * kGpus + g), 1, 2);
      gpu.uuid = "GPU-" + std::to_string(id) + "-" + std::to_string(id * 3);
      gpu.slices.emplace_back().device = g;
      node.gpus.push_back(std::move(gpu));
    }
    list.nodes.push_back(std::move(node));
  }
  reduce(model,
         {ClusterName("hpc"), 1, kBegin, ClusterSeen{Scheduler::slurm, false, "slurm 24.11.5", "", "hpc"}});
  reduce(model, {ClusterName("hpc"), 1, kBegin, std::move(list)});
  reduce(model, {ClusterName("hpc"), 1, kBegin, WorkloadsListed{}});
  reduce(model, {ClusterName("hpc"), 1, kBegin, Loaded{}});
  return model;
}

class Day {
 public:
  Day() : model_(first()), jobs_(static_cast<std::size_t>(kNodes * kGpus)) {}

  // Jobs that end and begin, and what the exporters measure.
  void pass(int round) {
    const TimePoint at = kBegin + Duration(60'000LL * round);
    // As many as run at any time: each ends after a time of its own.
    for (int slot = 0; slot < kNodes * kGpus; ++slot) {
      Job& job = jobs_[static_cast<std::size_t>(slot)];
      if (round < job.ends) continue;
      if (job.id != 0) tell(WorkloadGone{WorkloadId(std::to_string(job.id))}, at);
      start(job, slot, round, at);
    }
    for (int n = 0; n < kNodes; ++n) measure(n, at);
    tell(SourceReport{Source::slurm_nodes, {}, {}, "", false}, at);
    tell(SourceReport{Source::slurm_jobs, {}, {}, "", false}, at);
  }
  const Cluster& cluster() const { return model_.clusters.front(); }
  const Model& model() const { return model_; }

 private:
  // The simulator's pipes follow use closely; those of real work have noise of their own.
  static Percent restless(float part, const Job& job, std::uint64_t lane, TimePoint at) {
    const auto minute = static_cast<std::uint64_t>(at.time_since_epoch() / std::chrono::minutes(1));
    const float noise = sim::unit(sim::draw(kSeed, job.id, lane, minute));
    return Percent{std::min(100.0F, part * (70 + 60 * noise))};
  }
  template <class What>
  void tell(What what, TimePoint at) {
    reduce(model_, {ClusterName("hpc"), 1, at, std::move(what)});
  }
  void start(Job& job, int slot, int round, TimePoint at) {
    job.id = ++next_;
    job.node = slot / kGpus, job.gpu = slot % kGpus;
    const float luck = sim::unit(sim::draw(kSeed, job.id, 3, 4));
    job.does = luck < 0.6F   ? sim::Character::training
               : luck < 0.8F ? sim::Character::inference
               : luck < 0.9F ? sim::Character::batch
                             : sim::Character::waste;
    // In the mean as long as that 20,000 of them begin in a day.
    const double mean = 1.0 * kNodes * kGpus * kADay / kJobsADay;
    const double part = static_cast<double>(sim::unit(sim::draw(kSeed, job.id, 5, 6)));
    job.ends = round + 1 + static_cast<int>(2 * mean * part * (round == 0 ? part : 1.0));
    Workload workload;
    workload.id = WorkloadId(std::to_string(job.id));
    workload.name = "train-" + std::to_string(job.id % 97);
    workload.user = "user" + std::to_string(job.id * 31 % 200);
    workload.group = "gpu";
    workload.account = "acc" + std::to_string(job.id * 31 % 200 % 40);
    workload.state = WorkloadState::running;
    workload.state_word = "RUNNING";
    workload.requests = {{"gpu", 1}};
    workload.started = at;
    workload.submitted = at - Duration(600'000);
    workload.ends = at + Duration(86'400'000);
    workload.node_count = 1;
    Allocation held;
    held.node = NodeName(node_name(job.node));
    held.count = 1;
    held.devices = {{job.gpu, 1}};
    workload.allocations = {held};
    workload.origin = {Source::slurm_jobs, at};
    tell(WorkloadSeen{std::move(workload)}, at);
  }
  void measure(int n, TimePoint at) {
    Measured told{NodeName(node_name(n)), Source::dcgm, at, {}};
    for (int g = 0; g < kGpus; ++g) {
      const Job& job = jobs_[static_cast<std::size_t>(n * kGpus + g)];
      const sim::Load load = sim::load_of(job.does, kSeed, job.id, at);
      GpuFigures figures;
      figures.gpu = GpuIndex{g};
      figures.figures.use = Percent{load.use * 100};
      figures.figures.memory_used = Mib{static_cast<std::int64_t>(load.memory * 81'559)};
      figures.figures.temperature = Celsius{30 + 38 * load.use};
      figures.figures.power = Watts{70 + 630 * load.use * 0.95F};
      if (kPipes) {
        figures.figures.tensor = restless(load.tensor, job, 11, at);
        figures.figures.memory_busy = restless(load.bus, job, 12, at);
      }
      told.gpus.push_back(std::move(figures));
    }
    tell(std::move(told), at);
  }

  Model model_;
  std::vector<Job> jobs_;
  std::uint64_t next_ = 0;
};

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

const std::string& folder() {
  static const std::string made = [] {
    char name[] = "/tmp/tessera-bench-XXXXXX";
    return std::string(mkdtemp(name));
  }();
  return made;
}

void a_day(benchmark::State& state) {
  Day day;
  auto tape = record::open_tape(folder(), ClusterName("hpc"), {});
  if (!tape) return state.SkipWithError("no tape");
  auto catalogue = mig::Catalogue::built_in();
  if (!catalogue) return state.SkipWithError("no catalogue");
  record::Wanted wanted;
  double finding = 0;  // seconds of that which findings took
  wanted.findings = [&](const Cluster& cluster, TimePoint wall) {
    const double before = processor_seconds();
    auto found = cli::doctor_findings(day.model(), cluster, *catalogue, {}, wall);
    finding += processor_seconds() - before;
    return found;
  };
  record::Recorder recorder{std::move(wanted)};
  std::size_t text = 0;
  double busy = 0;  // seconds of processor time
  for (auto _ : state)
    for (int round = 0; round < kRounds; ++round) {
      state.PauseTiming();
      day.pass(round);
      state.ResumeTiming();
      const double before = processor_seconds();
      const TimePoint at = kBegin + Duration(60'000LL * round);
      const bool key = (*tape)->wants_key(at);
      const std::string lines = recorder.take(day.cluster(), at, key);
      text += lines.size();
      if (!(*tape)->write(lines, at, key)) return state.SkipWithError("cannot write");
      busy += processor_seconds() - before;
    }
  tape->reset();
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder()))
    if (entry.is_regular_file()) bytes += entry.file_size();
  state.counters["file_MB"] = static_cast<double>(bytes) / 1e6;
  state.counters["day_MB"] = static_cast<double>(bytes) / 1e6 * kADay / kRounds;
  state.counters["text_MB"] = static_cast<double>(text) / 1e6;
  state.counters["core_percent"] = 100 * busy / (60.0 * kRounds);
  state.counters["findings_percent"] = 100 * finding / (60.0 * kRounds);
  struct rusage used {};
  getrusage(RUSAGE_SELF, &used);
  state.counters["peak_MB"] = static_cast<double>(used.ru_maxrss) / 1e3;
}
BENCHMARK(a_day)->Unit(benchmark::kSecond)->Iterations(1);

enum class Jump : std::uint8_t { moment, with_events };

Result<Model> jump(record::Recording& recording, TimePoint to, Jump how) {
  return how == Jump::moment ? recording.moment(to) : recording.at(to);
}

void jumps(benchmark::State& state, Jump how) {
  auto opened = record::open_recordings(folder());
  if (!opened) return state.SkipWithError("nothing recorded");
  int round = 1'017;
  for (auto _ : state) {
    round = (round * 31 + 7) % kRounds;
    auto model = jump(*opened->front(), kBegin + Duration(60'000LL * round), how);
    if (!model) return state.SkipWithError("cannot jump");
    benchmark::DoNotOptimize(model->clusters.front().nodes.size());
  }
}
// Until the moment is shown; the console reads behind it what happened before, and commands wait for both.
void a_jump(benchmark::State& state) { jumps(state, Jump::moment); }
BENCHMARK(a_jump)->Unit(benchmark::kMillisecond)->Iterations(20);
void a_jump_with_its_events(benchmark::State& state) { jumps(state, Jump::with_events); }
BENCHMARK(a_jump_with_its_events)->Unit(benchmark::kMillisecond)->Iterations(20);

// Where a jump is dearest: in a recording that was just opened, before a key frame (two hours of rounds) and
// an hour behind one (an hour of rounds, and what happened in the two hours before).
void dearest_of_jumps(benchmark::State& state, Jump how) {
  double most = 0;
  for (auto _ : state)
    for (int frame = 120; frame + 119 < kRounds; frame += 240)
      for (int minute : {1, 59, 119}) {
        state.PauseTiming();
        auto opened = record::open_recordings(folder());
        if (!opened) return state.SkipWithError("nothing recorded");
        state.ResumeTiming();
        const double before = processor_seconds();
        auto model = jump(*opened->front(), kBegin + Duration(60'000LL * (frame + minute)), how);
        if (!model) return state.SkipWithError("cannot jump");
        most = std::max(most, processor_seconds() - before);
      }
  state.counters["most_ms"] = 1e3 * most;
}
void the_dearest_jump(benchmark::State& state) { dearest_of_jumps(state, Jump::moment); }
BENCHMARK(the_dearest_jump)->Unit(benchmark::kMillisecond)->Iterations(1);
void the_dearest_with_its_events(benchmark::State& state) { dearest_of_jumps(state, Jump::with_events); }
BENCHMARK(the_dearest_with_its_events)->Unit(benchmark::kMillisecond)->Iterations(1);

// What `tessera usage` and `waste` do: each round is read and added up.
void reading_the_day_for_usage(benchmark::State& state) {
  auto opened = record::open_recordings(folder());
  auto catalogue = mig::Catalogue::built_in();
  if (!opened || !catalogue) return state.SkipWithError("nothing recorded");
  for (auto _ : state) {
    auto sums = usage::reckon(*opened, {}, *catalogue);
    if (!sums) return state.SkipWithError("cannot be read");
    benchmark::DoNotOptimize(sums->hours);
  }
}
BENCHMARK(reading_the_day_for_usage)->Unit(benchmark::kSecond)->Iterations(1);

// What `tessera record --thin` does of a day; runs last, so that the others see the day as it was written.
void thinning_the_day(benchmark::State& state) {
  std::string path;
  for (const auto& entry : fs::recursive_directory_iterator(folder()))
    if (entry.path().string().ends_with(record::kFileEnd)) path = entry.path().string();
  auto file = read_whole_file("", path, record::kLargestFile);
  if (!file || !*file) return state.SkipWithError("nothing recorded");
  std::size_t size = 0;
  for (auto _ : state) {
    auto thin = record::thinner((*file)->text, {record::kThinnest, "bench", {}});
    if (!thin || !*thin) return state.SkipWithError("cannot be thinned");
    size = (*thin)->size();
  }
  state.counters["before_MB"] = static_cast<double>((*file)->text.size()) / 1e6;
  state.counters["after_MB"] = static_cast<double>(size) / 1e6;
}
BENCHMARK(thinning_the_day)->Unit(benchmark::kSecond)->Iterations(1);

// What a chart of one node asks for when a moment is gone to.
void an_hour_of_a_node(benchmark::State& state) {
  auto opened = record::open_recordings(folder());
  if (!opened) return state.SkipWithError("nothing recorded");
  int round = 1'017;
  for (auto _ : state) {
    round = std::max(60, (round * 31 + 7) % kRounds);
    const TimePoint to = kBegin + Duration(60'000LL * round);
    auto found = opened->front()->figures({NodeName(node_name(kNodes / 2))}, to - Duration(3'600'000), to,
                                          [] { return true; });
    if (!found) return state.SkipWithError("cannot be read");
    benchmark::DoNotOptimize(found->size());
  }
}
BENCHMARK(an_hour_of_a_node)->Unit(benchmark::kMillisecond)->Iterations(20);

void opening(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(record::open_recordings(folder()).ok());
}
BENCHMARK(opening)->Unit(benchmark::kMillisecond)->Iterations(5);

// Of a day of 1,000 nodes, and of four hours of 10,000, which are to be usable (docs/time.md says why so).
std::vector<bench::Aim> aims_of_this_size() {
  if (kNodes == 1'000 && kRounds == kADay && kPipes)
    return {{"a_day", "file_MB", 10, "MB"},
            {"a_day", "core_percent", 2, "%"},
            {"a_day", "peak_MB", 150, "MB"},
            {"a_jump", "", 200},
            {"the_dearest_jump", "most_ms", 200, "ms"},
            {"the_dearest_with_its_events", "most_ms", 200, "ms", false, 240}};
  if (kNodes == 10'000 && kRounds == 240 && kPipes)
    return {{"a_day", "day_MB", 100, "MB"},
            {"a_day", "core_percent", 10, "%"},
            {"a_day", "peak_MB", 600, "MB"},
            {"a_jump", "", 2'000},
            {"the_dearest_jump", "most_ms", 3'000, "ms"}};
  return {};
}
[[maybe_unused]] const bool kAimed = bench::aim(aims_of_this_size());

}  // namespace
