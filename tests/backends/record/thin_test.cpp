// A day with fewer figures says the same of all that happened, whatever happened, and is put in the place of
// the old one as a whole.
#include "backends/record/thin.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "backends/files.hpp"
#include "backends/record/recording.hpp"
#include "backends/record/tape.hpp"
#include "backends/record/zstd_stream.hpp"
#include "engine/model/telemetry.hpp"
#include "engine/record/recorder.hpp"
#include "engine/time.hpp"
#include "engine/usage/ledger.hpp"
#include "engine/usage/reckoning.hpp"
#include "engine/usage/report.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

constexpr int kDay = 86'400;
const record::ThinTo kTenMinutes{Duration{600'000}, "9.9", {}};

// Three nodes, of which a few things are otherwise in each round: work, layouts, sources that fall silent or
// tell less, nodes that come and go.
class Changing {
 public:
  // Some sites' figures are minutes old when a round is written.
  explicit Changing(unsigned seed) : random_(seed), late_(static_cast<int>(seed % 3) * 120) {
    story_.tell(ClusterSeen{Scheduler::slurm, false, "slurm 24.11", "", "hpc-1"});
    story_.tell(NodesListed{{whole_node("n1"), cut_node(2), whole_node("n3")}});
    story_.tell(WorkloadsListed{});
    story_.tell(SourceReport{Source::slurm_nodes, {}, {}, "", false});
    story_.tell(SourceReport{Source::slurm_jobs, {}, {}, "", false});
    story_.tell(Loaded{});
  }
  const Cluster& pass(int seconds) {
    story_.tell(SourceReport{Source::slurm_nodes, {}, {}, "", false}, seconds);
    for (const char* name : {"n1", "n2", "n3"}) happen_to(name, seconds);
    for (const char* name : {"n1", "n2", "n3"})
      if (pick(12) > 0) measure(name, seconds);
    return story_.cluster();
  }

 private:
  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  Node whole_node(const std::string& name) {
    return node(name, {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})});
  }
  Node cut_node(int halves) {
    std::vector<Slice> slices{instance(halves == 2 ? "3g.40gb" : "4g.40gb", 0, 4, 7)};
    if (halves == 2) slices.push_back(instance("3g.40gb", 4, 4, 8));
    return node("n2", {gpu(0, Strategy::mig, std::move(slices))});
  }
  void happen_to(const std::string& name, int seconds) {
    const std::string id = name + "-" + std::to_string(pick(3));
    if (pick(20) == 0)
      story_.tell(WorkloadSeen{running(id, "alice", {holds(name, {{pick(2), 1}})})}, seconds);
    if (pick(20) == 0) story_.tell(WorkloadGone{WorkloadId(id)}, seconds);
    if (pick(60) == 0) story_.tell(NodeGone{NodeName(name)}, seconds);
    if (pick(30) == 0)
      story_.tell(NodeSeen{name == "n2" ? cut_node(1 + pick(2)) : whole_node(name)}, seconds);
    if (pick(40) == 0)
      if (const Node* there = story_.cluster().nodes.find(NodeName(name))) {
        Node drained = *there;
        drained.reason = "reason " + std::to_string(seconds);
        story_.tell(NodeSeen{drained}, seconds);
      }
  }
  // Of one line: idle or busy for a while, its memory the same for a while.
  struct Doing {
    bool idle = false, silent = false;
    std::int64_t memory = 4'000;
  };
  template <class Figures>
  void fill(Figures& figures, Doing& doing) {
    if (pick(25) == 0) doing.idle = !doing.idle;
    if (pick(40) == 0) doing.silent = !doing.silent;
    if (pick(30) == 0) doing.memory = 600LL * pick(100);
    if (!doing.silent) figures.use = Percent{doing.idle ? 0.0F : static_cast<float>(1 + pick(100))};
    figures.memory_used = Mib{doing.memory};
  }
  void measure(const std::string& name, int seconds) {
    const Source source = pick(40) == 0 ? Source::nvidia_smi : Source::dcgm;
    if (source == Source::nvidia_smi)
      story_.tell(Measured{NodeName(name), Source::dcgm, at(seconds), {}}, seconds);
    if (source == Source::dcgm)
      story_.tell(Measured{NodeName(name), Source::nvidia_smi, at(seconds), {}}, seconds);
    if (pick(50) == 0) return;  // all that it told is gone
    std::vector<GpuFigures> all;
    for (int index = 0; index < 2; ++index) {
      GpuFigures figures;
      figures.gpu = GpuIndex{index};
      fill(figures.figures, doing_[name + std::to_string(index)]);
      figures.figures.temperature = Celsius{static_cast<float>(30 + pick(40))};
      figures.figures.power = Watts{static_cast<float>(100 + pick(600))};
      for (int device : {7, 8}) {
        SliceFigures slice;
        slice.profile = ProfileName("3g.40gb");
        slice.device = device;
        fill(slice, doing_[name + std::to_string(device)]);
        if (name == "n2") figures.slices.push_back(slice);
      }
      all.push_back(figures);
    }
    story_.tell(Measured{NodeName(name), source, at(seconds - late_), std::move(all)}, seconds);
  }

  std::mt19937 random_;
  int late_;  // seconds
  Story story_;
  std::map<std::string, Doing> doing_;
};

// So many rounds of it, a minute apart, written by a real recorder into that folder; the path of its file.
std::string record_into(const std::string& folder, unsigned seed, int rounds, int begin = 0) {
  Changing cluster(seed);
  record::Recorder recorder{record::Wanted{}};
  auto tape = record::open_tape(folder, ClusterName("hpc"), {});
  EXPECT_TRUE(tape.ok());
  for (int round = 0; round < rounds; ++round) {
    const int seconds = begin + 60 * round + static_cast<int>(seed + 7 * static_cast<unsigned>(round)) % 3;
    const Cluster& now = cluster.pass(seconds);
    const bool key = (*tape)->wants_key(at(seconds));
    EXPECT_TRUE((*tape)->write(recorder.take(now, at(seconds), key), at(seconds), key));
  }
  return folder + "/hpc/" + record::day_of(at(begin)) + std::string(record::kFileEnd);
}

std::string bytes_of(const std::string& path) {
  auto file = read_whole_file("", path, record::kLargestFile);
  return file && *file ? (*file)->text : "";
}

std::unique_ptr<record::Recording> open_file(const std::string& path) {
  auto all = record::open_recordings(path);
  EXPECT_TRUE(all.ok()) << (all ? "" : to_line(all.error()));
  return all ? std::move(all->front()) : nullptr;
}

// What is kept exactly of a figure: whether there is one, whether it is use, and memory.
std::vector<std::string> uses_of(const Node& node) {
  std::vector<std::string> all;
  const auto add = [&](const std::optional<Percent>& use, const std::optional<Mib>& memory) {
    all.push_back((!use             ? "n/a"
                   : use->value < 1 ? "idle"
                                    : "used") +
                  (memory ? " " + std::to_string(memory->value) : " n/a"));
  };
  for (const Gpu& gpu : node.gpus) {
    add(gpu.telemetry.use, gpu.telemetry.memory_used);
    for (const Slice& slice : gpu.slices) add(slice.use, slice.memory_used);
  }
  return all;
}

// Since when each line is idle in the moment that was looked at last, by node.
std::map<std::string, std::vector<std::pair<std::string, TimePoint>>> idle_in(const record::Recording& at) {
  std::map<std::string, std::vector<std::pair<std::string, TimePoint>>> all;
  const auto idle = at.idle();
  for (const history::ToldIdle& told : idle.value())
    for (const auto& [key, since] : told.since)
      all[told.node.text].emplace_back(
          std::to_string(key.gpu) + (key.whole ? "" : "." + std::to_string(key.device.value_or(-1))), since);
  return all;
}

struct Seen {
  TimePoint at{};
  std::vector<Node> whole, bare;  // with their figures, and without
  std::vector<Workload> work;
  std::set<std::string> findings;
  std::map<Source, std::optional<TimePoint>> sources;  // when each answered last
};
std::vector<Seen> all_of(record::Recording& recording) {
  std::vector<Seen> all;
  const Status read = recording.rounds({}, TimePoint::max(), [&](const record::Round& round) {
    Seen seen{round.at, round.cluster.nodes.copies(), {}, round.cluster.workloads.copies(), round.findings,
              {}};
    for (const auto& [source, health] : round.cluster.sources) seen.sources[source] = health.last_ok;
    for (Node node : seen.whole) {
      (void)take_figures(node);
      seen.bare.push_back(std::move(node));
    }
    all.push_back(std::move(seen));
    return true;
  });
  EXPECT_TRUE(read.ok()) << (read ? "" : to_line(read.error()));
  return all;
}

TEST(Thinned, ADayHoldsTheSameAtEveryMomentWhateverHappens) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Scratch folder;
    const std::string path = record_into(folder.path(), seed, 300);
    auto fewer = record::thinner(bytes_of(path), kTenMinutes);
    ASSERT_TRUE(fewer) << to_line(fewer.error());
    ASSERT_TRUE(*fewer);
    const std::string thin_path = folder.path() + "/thin/" + fs::path(path).filename().string();
    ASSERT_TRUE(replace_file("", thin_path, **fewer));
    auto before = open_file(path), after = open_file(thin_path);
    const std::vector<Seen> was = all_of(*before), is = all_of(*after);
    ASSERT_EQ(was.size(), is.size()) << "no round is lost, seed " << seed;
    std::map<NodeName, TimePoint> exact;  // when all figures of the node were told last as they had been
    for (std::size_t i = 0; i < was.size(); ++i) {
      const std::string when = "seed " + std::to_string(seed) + ", " + utc_text(was[i].at);
      ASSERT_EQ(was[i].at, is[i].at) << when;
      ASSERT_EQ(was[i].bare, is[i].bare) << when;
      ASSERT_EQ(was[i].work, is[i].work) << when;
      ASSERT_EQ(was[i].findings, is[i].findings) << when;
      ASSERT_EQ(was[i].sources, is[i].sources) << when;
      for (std::size_t n = 0; n < was[i].whole.size(); ++n) {
        const Node &then = was[i].whole[n], &now = is[i].whole[n];
        ASSERT_EQ(uses_of(then), uses_of(now)) << when << " " << then.name.text;
        auto [last, first] = exact.try_emplace(then.name, was[i].at);
        if (then == now) last->second = was[i].at;
        ASSERT_LE(was[i].at - last->second, kTenMinutes.every) << when << " " << then.name.text;
      }
      // A jump finds what going through finds.
      if (i % 17 != 0) continue;
      const auto jumped = after->at(was[i].at);
      ASSERT_TRUE(jumped);
      EXPECT_EQ(after->figures_every(), kTenMinutes.every);
      for (const Node& node : is[i].whole)
        EXPECT_EQ(uses_of(*jumped->clusters.front().nodes.find(node.name)), uses_of(node)) << when;
      ASSERT_TRUE(before->at(was[i].at));
      EXPECT_EQ(idle_in(*before), idle_in(*after)) << when;
    }
  }
}

TEST(Thinned, SumsOfUsageAndWasteStayButForTheMean) {
  for (unsigned seed = 20; seed <= 23; ++seed) {
    const Scratch folder;
    const std::string path = record_into(folder.path(), seed, 400);
    auto fewer = record::thinner(bytes_of(path), kTenMinutes);
    ASSERT_TRUE(fewer && *fewer);
    const std::string thin_path = folder.path() + "/thin/" + fs::path(path).filename().string();
    ASSERT_TRUE(replace_file("", thin_path, **fewer));
    const auto add_up = [&](usage::Ledger& ledger, const std::string& file) {
      EXPECT_TRUE(open_file(file)->rounds({}, TimePoint::max(), [&](const record::Round& round) {
        ledger.see(round.cluster, round.at);
        return true;
      }));
    };
    usage::Ledger was(catalogue(), {.idle_after = Duration{300'000}}),
        is(catalogue(), {.idle_after = Duration{300'000}});
    add_up(was, path), add_up(is, thin_path);
    EXPECT_EQ(was.hours(), is.hours());
    const auto holds = was.holds(), same = is.holds();
    ASSERT_EQ(holds.size(), same.size());
    double idle = 0;
    for (std::size_t i = 0; i < holds.size(); ++i) {
      EXPECT_EQ(holds[i].hours, same[i].hours) << seed;
      EXPECT_NEAR(holds[i].idle, same[i].idle, 1e-9) << seed << " " << holds[i].workload.text;
      EXPECT_EQ(holds[i].memory_peak, same[i].memory_peak) << seed;
      idle += holds[i].idle;
    }
    EXPECT_GT(idle, 0) << "there is something to compare";
  }
}

// Charts are filled from these: less is read for them, and the same is found.
TEST(RecordedFigures, AreThoseThatGoingThroughTheRoundsFinds) {
  for (unsigned seed = 40; seed < 44; ++seed) {
    const Scratch folder;
    const std::string path = record_into(folder.path(), seed, 280);
    const TimePoint from = at(60 * 70), to = at(60 * 200);
    std::map<std::string, std::vector<Measured>> expected;
    const auto add = [&](const Cluster& cluster) {
      for (Node node : cluster.nodes.all())
        for (Measured& one : take_figures(node)) {
          auto& all = expected[one.node.text];
          if (one.at >= from && (all.empty() || one.at > all.back().at)) all.push_back(one);
        }
    };
    ASSERT_TRUE(open_file(path)->rounds(from, to, [&](const record::Round& round) {
      add(round.cluster);
      return true;
    }));
    auto found = open_file(path)->figures({NodeName("n1"), NodeName("n2"), NodeName("n1"), NodeName("n3")},
                                          from, to, [] { return true; });
    ASSERT_TRUE(found) << to_line(found.error());
    ASSERT_EQ(found->size(), 3U);
    for (const history::KeptFigures& kept : *found) {
      EXPECT_GT(kept.rounds.size(), 20U);
      const std::vector<Measured>& all = expected[kept.node.text];
      EXPECT_TRUE(std::equal(kept.rounds.begin(), kept.rounds.end(), all.begin(), all.end(),
                             [](const Measured& a, const Measured& b) {
                               return a.node == b.node && a.source == b.source && a.at == b.at &&
                                      a.gpus == b.gpus;
                             }))
          << seed << " " << kept.node.text;
    }
    int asked = 0;
    const auto part = open_file(path)->figures({NodeName("n1")}, from, to, [&] { return ++asked < 80; });
    ASSERT_TRUE(part);
    EXPECT_LT(part->front().rounds.size(), expected["n1"].size()) << "whoever is waited for goes first";
  }
}

TEST(Thinned, OnceThinItStaysAsItIsAndALongerTimeMakesItThinner) {
  const Scratch folder;
  const std::string bytes = bytes_of(record_into(folder.path(), 3, 300));
  const auto two = record::thinner(bytes, {Duration{120'000}, "9.9", {}});
  ASSERT_TRUE(two && *two);
  const auto again = record::thinner(**two, {Duration{120'000}, "9.9", {}});
  ASSERT_TRUE(again);
  EXPECT_FALSE(*again);
  const auto less = record::thinner(**two, {Duration{60'000}, "9.9", {}});
  ASSERT_TRUE(less);
  EXPECT_FALSE(*less) << "what is gone does not come back";
  const auto ten = record::thinner(**two, kTenMinutes);
  ASSERT_TRUE(ten && *ten);
  EXPECT_LT((*ten)->size(), (*two)->size());
  EXPECT_LT((*two)->size(), bytes.size());
}

TEST(Thinned, WhatCannotBeReadOrIsNotAsTesseraWritesItIsLeftAlone) {
  EXPECT_FALSE(record::thinner(std::string(3000, '\x5a'), kTenMinutes));
  const auto packed = [](std::string_view text) {
    record::Compressor compressor;
    std::string bytes = compressor.begin(at(0));
    bytes += compressor.add(text);
    return bytes + compressor.end();
  };
  const std::string head =
      R"({"at":"2026-11-24T03:00:00Z","kind":"key","head":{"format":"tessera-recording","version":2,"cluster":"hpc"}})"
      "\n";
  for (const char* line : {"{\"kind\":\"node\",\"at\":\"2026-11-24T03:00:00Z\"}\n", "no JSON\n",
                           "{\"at\":\"2026-11-24T03:00:00Z\",\"kind\":\"figures\",\"use\":\"1|1|1\"}\n",
                           "{\"at\":\"2026-11-24T03:00:00Z\",\"kind\":\"node\",\"node\":{\n",
                           "{\"at\":\"24.11.2026\",\"kind\":\"weather\"}\n"})
    EXPECT_FALSE(record::thinner(packed(head + line), kTenMinutes)) << line;
  EXPECT_FALSE(record::thinner(packed(R"({"at":"2026-11-24T03:00:00Z","kind":"key","head":{"version":99}})"
                                      "\n"),
                               kTenMinutes));
  const auto kept = record::thinner(
      packed(head + "{\"at\":\"2026-11-24T03:00:00Z\",\"kind\":\"weather\",\"rain\":true}\n"), kTenMinutes);
  ASSERT_TRUE(kept && *kept);
  EXPECT_NE(record::text_of(**kept, record::frames_in(**kept)->front())->find("\"rain\":true"),
            std::string::npos)
      << "a kind of line that a later version adds";
  const auto nothing = record::thinner(packed(""), kTenMinutes);
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(*nothing);
}

TEST(Thinned, ADayWhoseRecorderWasKilledKeepsAllThatCanBeRead) {
  const Scratch folder;
  const std::string path = record_into(folder.path(), 5, 200);
  fs::resize_file(path, fs::file_size(path) - 3);
  const std::vector<Seen> was = all_of(*open_file(path));
  const auto fewer = record::thinner(bytes_of(path), kTenMinutes);
  ASSERT_TRUE(fewer && *fewer);
  ASSERT_TRUE(replace_file("", path, **fewer));
  const std::vector<Seen> is = all_of(*open_file(path));
  ASSERT_EQ(was.size(), is.size());
  EXPECT_EQ(was.back().work, is.back().work);
}

// Written by tessera before figures were letters.
TEST(Thinned, ADayOfVersion1BecomesOneOfTheNewestVersion) {
  const std::string old = source_dir() + "/tests/fixtures/recording-1";
  std::string file;
  for (const auto& entry : fs::recursive_directory_iterator(old))
    if (entry.path().string().ends_with(".zst")) file = entry.path().string();
  const Scratch folder;
  const auto fewer = record::thinner(bytes_of(file), kTenMinutes);
  ASSERT_TRUE(fewer && *fewer) << to_line(fewer.error());
  const std::string path = folder.path() + "/" + fs::path(file).filename().string();
  ASSERT_TRUE(replace_file("", path, **fewer));
  const std::vector<Seen> was = all_of(*open_file(file)), is = all_of(*open_file(path));
  ASSERT_EQ(was.size(), is.size());
  for (std::size_t i = 0; i < was.size(); ++i) {
    EXPECT_EQ(was[i].bare, is[i].bare);
    for (std::size_t n = 0; n < was[i].whole.size(); ++n)
      EXPECT_EQ(uses_of(was[i].whole[n]), uses_of(is[i].whole[n]));
  }
  const std::string text = *record::text_of(**fewer, record::frames_in(**fewer)->front());
  EXPECT_NE(text.find("\"version\":" + std::to_string(record::kVersion)), std::string::npos)
      << "a tessera that knows lists of numbers alone must refuse it";
  EXPECT_NE(text.find("\"tessera\":\"9.9\""), std::string::npos);
}

// The figures of a thinner day are told again in its last round: what ends that stays behind them.
TEST(Thinned, ARecorderThatWasEndedIsStillToldFromOneThatWasCutOff) {
  const Scratch folder;
  {
    Changing cluster(1);
    record::Wanted wanted;
    wanted.began = at(0);
    record::Recorder recorder{wanted};
    auto tape = record::open_tape(folder.path(), ClusterName("hpc"), {});
    ASSERT_TRUE(tape.ok());
    for (int round = 0; round < 30; ++round) {
      const TimePoint then = at(60 * round);
      const bool key = (*tape)->wants_key(then);
      ASSERT_TRUE((*tape)->write(recorder.take(cluster.pass(60 * round), then, key), then, key));
    }
    ASSERT_TRUE((*tape)->write(recorder.end_line(), recorder.at(), false));
  }
  const std::string path = folder.path() + "/hpc/" + record::day_of(at(0)) + std::string(record::kFileEnd);
  ASSERT_EQ(open_file(path)->stopped(), record::Stop::ended);
  const auto fewer = record::thinner(bytes_of(path), kTenMinutes);
  ASSERT_TRUE(fewer && *fewer);
  ASSERT_TRUE(replace_file("", path, **fewer));
  EXPECT_EQ(open_file(path)->stopped(), record::Stop::ended);
  const auto days = open_file(path)->days();
  ASSERT_TRUE(days);
  EXPECT_EQ(days->front().stop, record::Stop::ended);
}

class ThinningTape : public testing::Test {
 protected:
  // A recorder that writes one round at that time and then works on older days until all is done.
  std::vector<std::string> look_at(int seconds, std::int64_t bytes = 0) {
    record::Keep keep{Duration(90LL * kDay * 1000), bytes,
                      record::Thin{Duration(7LL * kDay * 1000), kTenMinutes.every}, "9.9"};
    auto tape = record::open_tape(folder_.path(), ClusterName("hpc"), keep);
    EXPECT_TRUE(tape.ok());
    record::Recorder recorder{record::Wanted{}};
    Changing cluster(1);
    EXPECT_TRUE((*tape)->write(recorder.take(cluster.pass(seconds), at(seconds), true), at(seconds), true));
    while ((*tape)->busy()) std::this_thread::yield();
    std::vector<std::string> troubles;
    while (const auto trouble = (*tape)->trouble()) troubles.push_back(to_line(*trouble));
    return troubles;
  }
  // Too young to be thinned: without it the pause may be a clock that was set (age_out.hpp).
  void record_a_day_between(int seconds) const { record_into(folder_.path(), 9, 1, seconds); }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_.path() + "/hpc"))
      all.push_back(entry.path().filename().string());
    std::sort(all.begin(), all.end());
    return all;
  }
  Scratch folder_;
};

TEST_F(ThinningTape, DaysBecomeThinnerOnceTheyAreOldEnoughAndTheOneThatIsWrittenNever) {
  const std::string old = record_into(folder_.path(), 1, 300, 0);
  const std::string young = record_into(folder_.path(), 2, 300, 3 * kDay);
  const std::string old_bytes = bytes_of(old), young_bytes = bytes_of(young);
  EXPECT_TRUE(look_at(4 * kDay).empty());
  EXPECT_EQ(bytes_of(old), old_bytes) << "it ended three days ago";
  EXPECT_TRUE(look_at(8 * kDay).empty());
  EXPECT_LT(bytes_of(old).size(), old_bytes.size());
  EXPECT_EQ(bytes_of(young), young_bytes);
  const std::string thin = bytes_of(old);
  EXPECT_TRUE(look_at(8 * kDay + 60).empty());
  EXPECT_EQ(bytes_of(old), thin);
  // A clock that is set back: the day that is written is older than the others.
  EXPECT_TRUE(look_at(3 * kDay + 80'000).empty());
  EXPECT_TRUE(bytes_of(young).starts_with(young_bytes));
  // A recording of which one day is thin is gone through as one.
  auto recording = open_file(folder_.path());
  int rounds = 0;
  EXPECT_TRUE(recording->rounds({}, TimePoint::max(), [&](const record::Round&) { return ++rounds > 0; }));
  EXPECT_GE(rounds, 600);
  std::vector<std::unique_ptr<record::Recording>> both;
  both.push_back(std::move(recording));
  const auto sums = usage::reckon(both, {Duration(90LL * kDay * 1000)}, catalogue());
  ASSERT_TRUE(sums);
  EXPECT_EQ(sums->figures_every, kTenMinutes.every) << "whoever reads the sums is told";
}

TEST_F(ThinningTape, ADayThatCannotBeReadIsToldOfAndTheOthersAreThinnedAllTheSame) {
  const std::string broken = record_into(folder_.path(), 1, 5, 0);
  const std::string fine = record_into(folder_.path(), 2, 300, kDay);
  ASSERT_TRUE(replace_file("", broken, std::string(5000, '\x5a')));
  const std::string before = bytes_of(fine);
  record_a_day_between(5 * kDay);
  const std::vector<std::string> troubles = look_at(9 * kDay);
  ASSERT_EQ(troubles.size(), 1U);
  EXPECT_NE(troubles.front().find(broken), std::string::npos) << troubles.front();
  EXPECT_EQ(bytes_of(broken), std::string(5000, '\x5a'));
  EXPECT_LT(bytes_of(fine).size(), before.size());
}

TEST_F(ThinningTape, AFullDiskLeavesTheDayAsItWas) {
  const std::string old = record_into(folder_.path(), 1, 300, 0);
  const std::string before = bytes_of(old);
  record_a_day_between(5 * kDay);
  rlimit room{};
  getrlimit(RLIMIT_FSIZE, &room);
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit tight = room;
  tight.rlim_cur = 4'000;
  setrlimit(RLIMIT_FSIZE, &tight);
  const std::vector<std::string> troubles = look_at(9 * kDay);
  setrlimit(RLIMIT_FSIZE, &room);
  std::signal(SIGXFSZ, handler);
  ASSERT_EQ(troubles.size(), 1U);
  EXPECT_NE(troubles.front().find("cannot thin the recording"), std::string::npos) << troubles.front();
  EXPECT_EQ(bytes_of(old), before);
  EXPECT_EQ(names().size(), 4U) << "three days and the lock";
}

TEST_F(ThinningTape, ThinnerDaysMakeRoomForMoreOfThem) {
  for (int day = 0; day < 3; ++day)
    record_into(folder_.path(), 1U + static_cast<unsigned>(day), 300, day * kDay);
  std::uintmax_t all = 0;
  for (const std::string& name : names()) all += fs::file_size(folder_.path() + "/hpc/" + name);
  record_a_day_between(6 * kDay);
  EXPECT_TRUE(look_at(10 * kDay, static_cast<std::int64_t>(all) * 3 / 4).empty());
  EXPECT_EQ(names().size(), 6U) << "three old days, the one between, the new one, the lock";
  EXPECT_TRUE(look_at(11 * kDay, 1).empty());
  EXPECT_EQ(names().size(), 2U) << "the day that is written stays";
}

// In the child: days are thinned until a signal that nothing catches ends it.
TEST_F(ThinningTape, AKillAtAnyPointLeavesTheOldDayOrTheNewOne) {
  const std::string path = record_into(folder_.path(), 7, 300, 0);
  const std::string old = bytes_of(path);
  const auto fewer = record::thinner(old, kTenMinutes);
  ASSERT_TRUE(fewer && *fewer);
  std::mt19937 random(4);
  int kept = 0, replaced = 0;
  for (int kill = 0; kill < 30; ++kill) {
    ASSERT_TRUE(replace_file("", path, old, 0640));
    const pid_t child = fork();
    if (child == 0) {
      const itimerval death{{0, 0}, {0, 1 + static_cast<int>(random() % 60'000)}};
      setitimer(ITIMER_REAL, &death, nullptr);
      for (;;) {
        const auto thin = record::thinner(old, kTenMinutes);
        if (!thin || !*thin || !replace_file("", path, **thin, 0640)) _exit(1);
      }
    }
    random.discard(1);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    const std::string now = bytes_of(path);
    ASSERT_TRUE(now == old || now == **fewer) << kill;
    ++(now == old ? kept : replaced);
  }
  EXPECT_TRUE(look_at(kDay).empty());
  for (const std::string& name : names())
    EXPECT_FALSE(name.starts_with(kUnfinished)) << "what a kill left is removed by the next recorder";
  EXPECT_GT(kept + replaced, 0);
}

}  // namespace
}  // namespace tessera::test
