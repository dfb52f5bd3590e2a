// A ledger of later rounds put behind one of earlier rounds: wherever rounds are cut in two, both together
// have added up what one ledger does that saw all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/model/processes.hpp"
#include "engine/usage/demand.hpp"
#include "engine/usage/ledger.hpp"
#include "engine/usage/report.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::usage {
namespace {

using test::at;

struct OneRound {
  Cluster cluster;
  int second = 0;
  Duration longest{};
};

constexpr Duration kThreeMinutes{180'000};

Limits short_limits() {
  Limits limits;
  limits.idle_after = limits.rogue_after = kThreeMinutes;
  limits.unasked_after = kThreeMinutes;
  return limits;
}

// Two nodes, on which work comes and goes and which are used or not: a minute apart, now and then a gap.
class Days {
 public:
  explicit Days(unsigned seed) : random_(seed) {
    story_.tell(ClusterSeen{Scheduler::slurm, false, "slurm 24.11", "", "hpc-1"});
    story_.tell(NodesListed{{test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)}),
                                               test::gpu(1, Strategy::whole, {test::whole(1)})}),
                             test::node("n2", {test::gpu(0, Strategy::mig,
                                                         {test::instance("3g.40gb", 0, 4, 0),
                                                          test::instance("3g.40gb", 4, 4, 1)})})}});
    story_.tell(WorkloadsListed{});
    story_.tell(Loaded{});
  }
  std::vector<OneRound> rounds(int count) {
    std::vector<OneRound> all;
    int second = 0;
    for (int i = 0; i < count; ++i) {
      second += one_in(12) ? 1'800 : 60;
      go_on(second);
      all.push_back({story_.cluster(), second, one_in(15) ? Duration{0} : kLongestRound});
    }
    return all;
  }

 private:
  bool one_in(int many) { return random_() % static_cast<unsigned>(many) == 0; }
  void go_on(int second) {
    for (int gpu : {0, 1}) {
      const std::string id = std::to_string(10 + gpu);
      if (one_in(8)) story_.tell(WorkloadGone{WorkloadId(id)}, second);
      if (one_in(6))
        story_.tell(
            WorkloadSeen{test::running(id, gpu == 0 ? "alice" : "bob", {test::holds("n1", {{gpu, 1}})})},
            second);
    }
    if (one_in(10))
      story_.tell(WorkloadSeen{test::running("20", "carol", {test::holds("n2", {{0, 1}})})}, second);
    if (one_in(10)) story_.tell(WorkloadGone{WorkloadId("20")}, second);
    if (one_in(20)) story_.tell(WorkloadSeen{test::waiting("30", "dave", "gpu:3g.40gb")}, second);
    if (one_in(5)) story_.tell(WorkloadGone{WorkloadId("30")}, second);
    const bool told = !one_in(9);
    const std::optional<Error> failed = told ? std::nullopt : std::optional(Error{"no answer", "", ""});
    story_.tell(SourceReport{Source::slurm_nodes, failed, {}, "", false, {}}, second);
    story_.tell(SourceReport{Source::slurm_jobs, {}, {}, "", false, {}}, second);
    if (one_in(7)) return;  // nothing is measured
    std::vector<GpuFigures> figures(2);
    for (int gpu : {0, 1}) {
      GpuFigures& one = figures[static_cast<std::size_t>(gpu)];
      one.gpu = GpuIndex{gpu};
      one.figures.use = Percent{one_in(4) ? 60.F : 0.F};
      one.figures.memory_used = Mib{one_in(2) ? 500 : 60'000};
      if (one_in(3)) one.processes = std::vector<GpuProcess>{process(4710), process(one_in(2) ? 4711 : 4712)};
    }
    story_.tell(Measured{NodeName("n1"), Source::dcgm, at(second), figures}, second);
  }
  static GpuProcess process(std::int64_t pid) {
    GpuProcess process;
    process.pid = pid;
    process.name = "python";
    process.memory = Mib{1'000};
    process.workload = WorkloadId(std::string(kNoWorkload));
    return process;
  }

  std::mt19937 random_;
  test::Story story_;
};

struct BothSums {
  std::unique_ptr<Ledger> ledger = std::make_unique<Ledger>(test::catalogue(), short_limits());
  DemandOverTime demand{};
  void see(const OneRound& round) {
    ledger->see(round.cluster, at(round.second), round.longest);
    demand.see(round.cluster, at(round.second), ledger->held(), round.longest);
  }
  void go_on_with(BothSums later) {
    ledger->go_on_with(std::move(*later.ledger));
    demand.go_on_with(later.demand);
  }
};

// Rounds [from, to].
BothSums seen(const std::vector<OneRound>& rounds, std::size_t from, std::size_t to) {
  BothSums sums;
  for (std::size_t i = from; i <= to; ++i) sums.see(rounds[i]);
  return sums;
}

void expect_same_holds(const Ledger& whole, const Ledger& joined) {
  const auto one = whole.holds(), other = joined.holds();
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    SCOPED_TRACE(one[i].user + " " + one[i].profile);
    EXPECT_EQ(one[i].workload, other[i].workload);
    EXPECT_NEAR(one[i].hours, other[i].hours, 1e-9);
    EXPECT_NEAR(one[i].measured, other[i].measured, 1e-9);
    EXPECT_NEAR(one[i].before_first, other[i].before_first, 1e-9);
    EXPECT_NEAR(one[i].use, other[i].use, 1e-6);
    EXPECT_NEAR(one[i].idle, other[i].idle, 1e-9);
    EXPECT_NEAR(one[i].parked, other[i].parked, 1e-9);
    EXPECT_EQ(one[i].memory_peak, other[i].memory_peak);
    EXPECT_EQ(one[i].figures, other[i].figures);
  }
}

void expect_same_free(const Ledger& whole, const Ledger& joined) {
  const auto spare = whole.spare(), spare_too = joined.spare();
  ASSERT_EQ(spare.size(), spare_too.size());
  for (std::size_t i = 0; i < spare.size(); ++i) {
    SCOPED_TRACE(spare[i].profile);
    EXPECT_NEAR(spare[i].since, spare_too[i].since, 1e-9);
    EXPECT_NEAR(spare[i].slice_hours, spare_too[i].slice_hours, 1e-9);
    EXPECT_NEAR(spare[i].hours, spare_too[i].hours, 1e-9);
  }
  const auto rogues = whole.rogues(), rogues_too = joined.rogues();
  ASSERT_EQ(rogues.size(), rogues_too.size());
  for (std::size_t i = 0; i < rogues.size(); ++i) {
    EXPECT_NEAR(rogues[i].hours, rogues_too[i].hours, 1e-9);
    EXPECT_EQ(rogues[i].use, rogues_too[i].use);
    EXPECT_EQ(rogues[i].memory, rogues_too[i].memory);
  }
  const auto processes = whole.rogue_processes(), processes_too = joined.rogue_processes();
  ASSERT_EQ(processes.size(), processes_too.size());
  for (std::size_t i = 0; i < processes.size(); ++i)
    EXPECT_NEAR(processes[i].hours, processes_too[i].hours, 1e-9);
  const auto hours = whole.rogue_hours(), hours_too = joined.rogue_hours();
  ASSERT_EQ(hours.size(), hours_too.size());
  for (const auto& [place, one] : hours) EXPECT_NEAR(one, hours_too.at(place), 1e-9) << place;
}

void expect_same_rest(const BothSums& whole, const BothSums& joined) {
  EXPECT_EQ(whole.ledger->rounds(), joined.ledger->rounds());
  EXPECT_NEAR(whole.ledger->hours(), joined.ledger->hours(), 1e-9);
  EXPECT_EQ(whole.ledger->held(), joined.ledger->held());
  EXPECT_EQ(whole.ledger->free_measured(), joined.ledger->free_measured());
  const auto waited = whole.ledger->waited(), waited_too = joined.ledger->waited();
  ASSERT_EQ(waited.size(), waited_too.size());
  for (std::size_t i = 0; i < waited.size(); ++i) EXPECT_NEAR(waited[i].hours, waited_too[i].hours, 1e-9);
  for (const auto& [cluster, hours] : whole.ledger->known())
    EXPECT_NEAR(hours, joined.ledger->known().at(cluster), 1e-9);
  EXPECT_EQ(whole.demand.rounds(), joined.demand.rounds());
  EXPECT_NEAR(whole.demand.hours(), joined.demand.hours(), 1e-9);
  const auto peaks = whole.demand.peaks(), peaks_too = joined.demand.peaks();
  ASSERT_EQ(peaks.size(), peaks_too.size());
  for (std::size_t i = 0; i < peaks.size(); ++i) {
    EXPECT_EQ(peaks[i].peak, peaks_too[i].peak);
    EXPECT_EQ(peaks[i].at, peaks_too[i].at);
    EXPECT_NEAR(peaks[i].mean, peaks_too[i].mean, 1e-9);
  }
}

void expect_same(const BothSums& whole, const BothSums& joined) {
  expect_same_holds(*whole.ledger, *joined.ledger);
  expect_same_free(*whole.ledger, *joined.ledger);
  expect_same_rest(whole, joined);
}

TEST(JoinedLedgers, WhatGoesOnOverACutIsAsLongAsItWas) {
  constexpr std::size_t kRounds = 40;
  double idle = 0, rogue = 0, listed = 0, spare = 0;
  for (unsigned seed = 0; seed < 5; ++seed) {
    const std::vector<OneRound> rounds = Days(seed).rounds(kRounds);
    const BothSums whole = seen(rounds, 0, kRounds - 1);
    for (const Hold& hold : whole.ledger->holds()) idle += hold.idle;
    for (const Rogue& one : whole.ledger->rogues()) rogue += one.hours;
    for (const auto& [place, hours] : whole.ledger->rogue_hours()) listed += hours;
    for (const Spare& one : whole.ledger->spare()) spare += one.since;
    for (std::size_t cut = 0; cut < kRounds; ++cut) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", cut at round " + std::to_string(cut));
      BothSums joined = seen(rounds, 0, cut);
      joined.go_on_with(seen(rounds, cut, kRounds - 1));
      expect_same(whole, joined);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(idle, 0) << "the rounds are about something";
  EXPECT_GT(rogue, 0);
  EXPECT_GT(listed, 0);
  EXPECT_GT(spare, 0);
}

// Of 4,800 nodes a figure speaks for half an hour: a cut between two rounds makes no second one of it.
TEST(JoinedLedgers, OneFigureThatSpeaksOverACutIsStillOneAlone) {
  test::Story story;
  story.tell(NodesListed{{test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})})}});
  story.tell(WorkloadsListed{{test::running("1", "alice", {test::holds("n1", {{0, 1}})})}});
  story.tell(PaceReport{0, Duration{0}, std::chrono::minutes(20)});
  story.tell(Loaded{});
  std::vector<OneRound> rounds;
  const auto pass = [&](int minutes, std::optional<float> use) {
    for (int i = 0; i < minutes; ++i) {
      const int second = 60 * (static_cast<int>(rounds.size()) + 1);
      GpuFigures figures;
      figures.gpu = GpuIndex{0};
      if (use && i == 0) {
        figures.figures.use = Percent{*use};
        story.tell(Measured{NodeName("n1"), Source::dcgm, test::at(second), {figures}}, second);
      }
      rounds.push_back({story.cluster(), second, kLongestRound});
    }
  };
  const auto idle = [&] {
    std::vector<double> all;
    for (std::size_t cut = 0; cut < rounds.size(); ++cut) {
      BothSums joined = seen(rounds, 0, cut);
      joined.go_on_with(seen(rounds, cut, rounds.size() - 1));
      expect_same(seen(rounds, 0, rounds.size() - 1), joined);
      all.push_back(joined.ledger->holds().at(0).idle);
    }
    return *std::max_element(all.begin(), all.end());
  };
  pass(20, 0);
  EXPECT_EQ(idle(), 0);
  pass(20, 0);
  EXPECT_GT(idle(), 0.5) << "a second one has come";
}

TEST(JoinedLedgers, ManyPiecesAreAsOne) {
  constexpr std::size_t kRounds = 60;
  for (unsigned seed = 100; seed < 112; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<OneRound> rounds = Days(seed).rounds(kRounds);
    BothSums joined = seen(rounds, 0, 7);
    std::size_t from = 7;
    for (const std::size_t to : {9U, 10U, 23U, 24U, 40U, 59U}) {
      joined.go_on_with(seen(rounds, from, to));
      from = to;
    }
    expect_same(seen(rounds, 0, kRounds - 1), joined);
  }
}

TEST(JoinedLedgers, AnotherClusterIsNoSeam) {
  const std::vector<OneRound> rounds = Days(7).rounds(20);
  BothSums joined = seen(rounds, 0, 19), other;
  for (OneRound round : rounds) {
    round.cluster.name = ClusterName("lab");
    other.see(round);
  }
  const int before = joined.ledger->rounds();
  const double hours = joined.ledger->hours();
  const std::size_t holds = joined.ledger->holds().size();
  joined.go_on_with(std::move(other));
  EXPECT_EQ(joined.ledger->rounds(), 2 * before);
  EXPECT_NEAR(joined.ledger->hours(), hours, 1e-9)
      << "what several are recorded for together is no more time";
  EXPECT_EQ(joined.ledger->holds().size(), 2 * holds);
}

}  // namespace
}  // namespace tessera::usage
