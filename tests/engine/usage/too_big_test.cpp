// What is called too big was: by what its figures speak of, and by the memory that a smaller profile has.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <string>

#include "engine/usage/ledger.hpp"
#include "engine/usage/report.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {
namespace too_big_test {

// An H100 of which alice holds so much, alone, for two hours; its figures are those of the whole GPU.
std::string advice(Slice slice, int share, float use, std::int64_t memory) {
  Story story;
  slice.device = 0;
  const bool instance = slice.kind == SliceKind::gpu_instance;
  story.tell(NodesListed{{node("n1", {gpu(0, instance ? Strategy::mig : Strategy::mps, {slice})})}});
  const Family family = slice.kind == SliceKind::mps ? Family::mps : Family::gpu;
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, share}}, family)})}});
  story.tell(SourceReport{Source::slurm_nodes, {}, {}, "", false});
  story.tell(SourceReport{Source::slurm_jobs, {}, {}, "", false});
  story.tell(Loaded{});
  usage::Ledger ledger(catalogue());
  for (int minute = 0; minute <= 120; ++minute) {
    tessera::GpuFigures figures;
    figures.gpu = GpuIndex{0};
    SliceFigures told;
    told.profile = slice.profile;
    told.device = 0;
    told.use = Percent{use};
    told.memory_used = Mib{memory};
    figures.slices = {told};
    story.tell(Measured{NodeName("n1"), Source::dcgm, at(60 * minute), {figures}}, 60 * minute);
    ledger.see(story.cluster(), at(60 * minute));
  }
  EXPECT_EQ(ledger.holds().size(), 1u);
  for (const usage::Waste& one : usage::waste(ledger, catalogue()))
    if (one.kind == "too-big") return one.advice;
  return "";
}

TEST(TooBig, TheUseOfAShareIsThatOfTheWholeGpu) {
  const Slice half = shared(SliceKind::mps, 100, 0);
  EXPECT_EQ(advice(half, 50, 38, 1'000), "") << "40 % of a GPU are three compute slices";
  EXPECT_EQ(advice(half, 50, 8, 1'000), "1g.10gb would do: use stayed below 10 %, memory below 1000 MiB");
}

TEST(TooBig, AShareIsMeasuredAgainstTheMemoryOfTheProfileNotOfItsShare) {
  const Slice half = shared(SliceKind::mps, 100, 0);
  EXPECT_EQ(advice(half, 50, 8, 30'000), "") << "1g.10gb has 9984 MiB, 2g.20gb 20096";
  EXPECT_EQ(advice(half, 50, 8, 15'000), "1g.20gb would do: use stayed below 10 %, memory below 15000 MiB");
}

TEST(TooBig, TheAirHoldsAgainstTheMemoryThatTheProfileReallyHas) {
  const Slice half = instance("3g.40gb", 0, 4, 0);
  EXPECT_EQ(advice(half, 1, 10, 8'320), "1g.10gb would do: use stayed below 15 %, memory below 8320 MiB");
  // A quarter of 3g.40gb would be 10112 MiB.
  EXPECT_EQ(advice(half, 1, 10, 8'400), "1g.20gb would do: use stayed below 15 %, memory below 8400 MiB");
}

// A whole H100 that alice holds alone, a round a minute. use: n/a is not measured.
struct Watched {
  Story story;
  usage::Ledger ledger{catalogue()};
  int second = 0;

  Watched() {
    story.tell(NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)})})}});
    story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 1}})})}});
    story.tell(SourceReport{Source::slurm_nodes, {}, {}, "", false});
    story.tell(SourceReport{Source::slurm_jobs, {}, {}, "", false});
    story.tell(Loaded{});
    ledger.see(story.cluster(), at(0));
  }
  void pass(int minutes, std::optional<float> use, std::int64_t memory = 1'000) {
    for (int i = 0; i < minutes; ++i) {
      second += 60;
      tessera::GpuFigures figures;
      figures.gpu = GpuIndex{0};
      if (use) figures.figures.use = Percent{*use};
      figures.figures.memory_used = Mib{memory};
      story.tell(Measured{NodeName("n1"), Source::dcgm, at(second), {figures}}, second);
      ledger.see(story.cluster(), at(second));
    }
  }
  // Slice-hours, by kind.
  std::map<std::string, double> wasted() const {
    std::map<std::string, double> kinds;
    for (const usage::Waste& one : usage::waste(ledger, catalogue()))
      kinds[one.kind] += one.slice_hours.value_or(0);
    return kinds;
  }
};

TEST(TooBig, HoursThatAreIdleOrNotMeasuredAreNotTooBig) {
  Watched here;
  here.pass(59, 0);
  here.pass(60, 8);
  here.pass(60, std::nullopt);
  const auto wasted = here.wasted();
  EXPECT_NEAR(wasted.at("idle"), 8 * 59.0 / 60, 1e-9);
  EXPECT_NEAR(wasted.at("too-big"), 7, 1e-9)
      << "of eight memory slices 1g.10gb would have done, for one hour";
}

// Of 10,000 nodes a figure speaks for an hour: one look at a moment of little use is no advice.
TEST(TooBig, TwoFiguresAreNoAdviceHoweverManyHoursTheySpeakFor) {
  Watched here;
  here.story.tell(PaceReport{0, Duration{0}, std::chrono::minutes(42)});
  const auto pass = [&](int minutes) {
    here.pass(1, 8);
    for (int i = 1; i < minutes; ++i) here.ledger.see(here.story.cluster(), at(here.second += 60));
  };
  pass(42), pass(42);
  EXPECT_FALSE(here.wasted().contains("too-big"));
  for (int i = 0; i < 4; ++i) pass(42);
  EXPECT_TRUE(here.wasted().contains("too-big")) << "six figures have come by now";
}

TEST(TooBig, WhateverWasUsedTheWasteOfAHoldIsNoMoreThanItHeld) {
  bool all_kinds = false;
  for (unsigned seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    Watched here;
    for (int i = 0; i < 16; ++i) {
      const int minutes = 1 + static_cast<int>(random() % 30);
      const std::int64_t memory = random() % 6 == 0 ? 40'000 : 1'000;
      const std::optional<float> uses[] = {0.F, 0.F, 8.F, 16.F, std::nullopt};
      here.pass(minutes, uses[random() % 5], memory);
      if (random() % 6 == 0) here.second += 3'600;  // the recorder was off
    }
    ASSERT_EQ(here.ledger.holds().size(), 1U);
    const auto wasted = here.wasted();
    double sum = 0;
    for (const auto& [kind, hours] : wasted) sum += hours;
    EXPECT_LE(sum, here.ledger.holds()[0].slice_hours() + 1e-9) << seed;
    all_kinds = all_kinds || (wasted.contains("too-big") && wasted.contains("idle"));
  }
  EXPECT_TRUE(all_kinds) << "the rounds are about something";
}

}  // namespace too_big_test
}  // namespace tessera::test
