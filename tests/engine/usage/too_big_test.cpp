// What is called too big was: by what its figures speak of, and by the memory that a smaller profile has.
#include <gtest/gtest.h>

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

}  // namespace too_big_test
}  // namespace tessera::test
