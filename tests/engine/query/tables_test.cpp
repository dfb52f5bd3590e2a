// The tables: what a row shows, and ids that outlive a change.
#include "engine/query/tables.hpp"

#include <gtest/gtest.h>

#include <set>

#include "engine/insight/sharing_words.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

using namespace query;

template <class Row>
std::string cell(const Row& row, std::string_view key, const mig::Catalogue* catalogue = nullptr) {
  for (const Column<Row>& column : columns<Row>())
    if (column.key == key) return to_text(column.value(row, Context{at(0), catalogue}), column.format);
  return "no such column";
}

template <class Row>
void keys_are_unique_and_titled() {
  std::set<std::string_view> keys;
  for (const Column<Row>& column : columns<Row>()) {
    EXPECT_TRUE(keys.insert(column.key).second) << column.key;
    EXPECT_FALSE(column.title.empty());
    EXPECT_FALSE(column.help.empty());
  }
}

TEST(Tables, EveryColumnHasAKeyATitleAndASentence) {
  keys_are_unique_and_titled<NodeRow>();
  keys_are_unique_and_titled<GpuRow>();
  keys_are_unique_and_titled<SliceRow>();
  keys_are_unique_and_titled<WorkloadRow>();
}

TEST(Tables, ANodeThatTellsNothingShowsNoZeroWhereNothingIsKnown) {
  Story story;
  Node pooled = node("m1", {});
  pooled.pool = {instance("1g.10gb", 0, 1, 0)};
  story.tell(NodesListed{{pooled}});
  NodeRow row = node_rows(story.model).front();
  EXPECT_EQ(cell(row, "gpus"), "?") << "slices are told, GPUs are not";
  EXPECT_EQ(cell(row, "use"), "n/a");
  EXPECT_EQ(cell(row, "slices"), "1");
  EXPECT_EQ(cell(row, "sharing"), "mig");
}

TEST(Tables, HealthIsInTheWordsOfTheNodesScheduler) {
  for (const auto& [scheduler, word] :
       {std::pair(Scheduler::slurm, "draining"), std::pair(Scheduler::kubernetes, "cordoned")}) {
    Story story;
    story.tell(ClusterSeen{scheduler, false, "", ""});
    Node closed = node("n1", {});
    closed.health = Health::draining;
    story.tell(NodesListed{{closed}});
    EXPECT_EQ(cell(node_rows(story.model).front(), "health"), word);
  }
}

// They were called shards, which are Slurm's.
TEST(Tables, WhatHamiAndAckShareIsCalledByTheirNames) {
  for (const auto& [resource, word] : {std::pair("nvidia.com/gpu", "HAMi"),
                                       std::pair("aliyun.com/gpu-mem", "ACK"), std::pair("shard", "shard")}) {
    Story story;
    const bool slurm = std::string_view(resource) == "shard";
    story.tell(ClusterSeen{slurm ? Scheduler::slurm : Scheduler::kubernetes, false, "", ""});
    Node one = node("n1", {gpu(0, Strategy::shard, {shared(SliceKind::shard, 24, 0)})});
    one.allocatable = {{resource, 24}};
    story.tell(NodesListed{{one}});
    EXPECT_EQ(cell(node_rows(story.model).front(), "sharing"), word);
    EXPECT_EQ(cell(gpu_rows(story.model).front(), "sharing"), word);
    EXPECT_EQ(cell(slice_rows(story.model).front(), "profile"), word);
    EXPECT_EQ(insight::sharing_words(story.cluster(), insight::totals(story.cluster())),
              std::string(word) + " 1");
  }
}

TEST(Tables, ANodeShowsHowMuchOfEachGpuIsHeld) {
  const Slice small = instance("1g.10gb", 0, 1, 0), large = instance("4g.40gb", 4, 4, 1);
  const Node open = node("n1", {gpu(0, Strategy::mig, {small, large}), gpu(1, Strategy::whole, {whole(2)}),
                                gpu(2, Strategy::whole, {whole(3)})});
  Node closed = node("n2", {gpu(0, Strategy::whole, {whole(0)})});
  closed.health = Health::drained;
  Story story;
  story.tell(NodesListed{{open, closed}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 1}, {2, 1}})})}});
  EXPECT_EQ(cell(node_rows(story.model)[0], "boards"), "▂█·") << "one of five memory slices, all, nothing";
  EXPECT_EQ(cell(node_rows(story.model)[1], "boards"), "░") << "nothing, and not to be had";
}

TEST(Tables, ByGpuOfANodeThatIsNotKnownIsUnknownAndNotFree) {
  Node lost = node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::mig, {})});
  lost.health = Health::unknown;
  Story story;
  story.tell(NodesListed{{lost}});
  story.tell(WorkloadsListed{{}});
  EXPECT_EQ(cell(node_rows(story.model).front(), "boards"), "??");
}

// 4 of 32 shares were drawn as all of the GPU.
TEST(Tables, ByGpuOfASharedGpuIsThePartOfItThatIsHeld) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::mps, {shared(SliceKind::mps, 32, 0)}),
                                      gpu(1, Strategy::shard, {shared(SliceKind::shard, 4, 1)}),
                                      gpu(2, Strategy::shard, {shared(SliceKind::shard, 4, 2)})})}});
  story.tell(WorkloadsListed{{running("1", "ann", {holds("n1", {{0, 4}}, Family::mps)}),
                              running("2", "bob", {holds("n1", {{2, 4}}, Family::shard)})}});
  EXPECT_EQ(cell(node_rows(story.model).front(), "boards"), "▁·█");
}

// They were drawn as free, beside 0 under FREE.
TEST(Tables, ByGpuOfAMigGpuWithoutSlicesIsNotCutAndNotFree) {
  Node open = node("n1", {gpu(0, Strategy::mig, {}), gpu(1, Strategy::whole, {whole(1)})}), closed = open;
  closed.name = NodeName("n2"), closed.health = Health::drained;
  Story story;
  story.tell(NodesListed{{open, closed}});
  story.tell(WorkloadsListed{{}});
  EXPECT_EQ(cell(node_rows(story.model)[0], "boards"), "_·");
  EXPECT_EQ(cell(node_rows(story.model)[1], "boards"), "░░");
  EXPECT_EQ(cell(gpu_rows(story.model)[0], "strip"), "________");
}

TEST(Tables, ANodeOfUnlikeBoardsSaysSoUntilTheyAreAlike) {
  Gpu a, b;
  a.index = GpuIndex{0}, a.model = "A100", a.strategy = Strategy::mig;
  b.index = GpuIndex{1}, b.model = "A30", b.strategy = Strategy::whole;
  Story story;
  story.tell(NodesListed{{node("n1", {a, b})}});
  EXPECT_EQ(cell(node_rows(story.model).front(), "model"), "A100 +others");
  EXPECT_EQ(cell(node_rows(story.model).front(), "sharing"), "whole+mig");
  b.model = "A100", b.strategy = Strategy::mig;
  story.tell(NodesListed{{node("n1", {a, b})}});
  EXPECT_EQ(cell(node_rows(story.model).front(), "model"), "A100");
  EXPECT_EQ(cell(node_rows(story.model).front(), "sharing"), "mig");
}

// A drained node of eight slices read as one of which none is out of reach.
TEST(Tables, OutIsCountedOfOpenNodesAlone) {
  const Node open = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
  Node closed = open, lost = open;
  closed.name = NodeName("n2"), closed.health = Health::drained;
  lost.name = NodeName("n3"), lost.health = Health::unknown;
  Story story;
  story.tell(NodesListed{{open, closed, lost}});
  story.tell(WorkloadsListed{{}});
  EXPECT_EQ(cell(node_rows(story.model)[0], "out"), "0");
  EXPECT_EQ(cell(node_rows(story.model)[1], "out"), "n/a");
  EXPECT_EQ(cell(node_rows(story.model)[2], "out"), "?");
}

TEST(Tables, AReasonThatOutlivedTheDrainIsNotShown) {
  Node resumed = node("n1", {});
  resumed.reason = "fan failure";
  resumed.reason_by = "root";
  Story story;
  story.tell(NodesListed{{resumed}});
  EXPECT_EQ(cell(node_rows(story.model).front(), "reason"), "");
  resumed.health = Health::drained;
  story.tell(NodesListed{{resumed}});
  EXPECT_EQ(cell(node_rows(story.model).front(), "reason"), "fan failure [root]");
}

// Its slices are closed, and REASON is where a node tells why.
TEST(Tables, ANodeInAReservationHasThatAsItsReasonAndNothingFree) {
  Node reserved = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
  reserved.state = {"IDLE", "RESERVED"}, reserved.reservation = "course";
  Story story;
  story.tell(NodesListed{{reserved}});
  story.tell(WorkloadsListed{{}});
  const auto row = node_rows(story.model).front();
  EXPECT_EQ(cell(row, "reason"), "in the reservation course");
  EXPECT_EQ(cell(row, "free"), "0");
  EXPECT_EQ(cell(row, "out"), "n/a");
}

TEST(Tables, ASliceNamesItsHolderAndHowSureThatIs) {
  Story story;
  story.tell(
      NodesListed{{node("n1", {gpu(0, Strategy::mps, {shared(SliceKind::mps, 100, 0)}),
                               gpu(1, Strategy::whole, {whole(1)}), gpu(2, Strategy::whole, {whole(2)})})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 25}}, Family::mps)}),
                              running("2", "bob", {holds("n1", {{0, 50}}, Family::mps)}),
                              running("3", "carol", {holds_some("n1", "", 1)})}});
  std::vector<SliceRow> rows = slice_rows(story.model);
  EXPECT_EQ(cell(rows[0], "shares"), "75/100");
  EXPECT_EQ(cell(rows[0], "user"), "alice +1");
  EXPECT_EQ(cell(rows[0], "since"), "1 h 00 min");
  EXPECT_EQ(cell(rows[1], "user"), "carol?");
  EXPECT_EQ(cell(rows[1], "state"), "?");
}

// The list of GPUs held 0 of 1 of each, beside "carol?".
TEST(Tables, WhichOfTwoGpusIsHeldIsNotKnownAndSoNeitherHoldsNone) {
  Story story;
  story.tell(
      NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})})}});
  story.tell(WorkloadsListed{{}});
  EXPECT_EQ(cell(gpu_rows(story.model)[0], "held"), "0");
  story.tell(WorkloadsListed{{running("3", "carol", {holds_some("n1", "", 1)})}});
  for (const GpuRow& row : gpu_rows(story.model)) EXPECT_EQ(cell(row, "held"), "?");
  EXPECT_EQ(cell(node_rows(story.model).front(), "held"), "1");
}

TEST(Tables, AWaitingJobCountsFromItsSubmission) {
  Story story;
  story.tell(WorkloadsListed{{waiting("9", "bob", "gpu:h100")}});
  WorkloadRow row = workload_rows(story.model).front();
  EXPECT_EQ(cell(row, "since"), "10 min");
  EXPECT_EQ(cell(row, "asks"), "gpu:h100:1");
  EXPECT_EQ(cell(row, "reason"), "Resources");
}

TEST(Tables, WhatAWorkloadHoldsHasItsUnitAndUnlikeUnitsAreNotAddedUp) {
  auto held = [](std::vector<Allocation> allocations) {
    Story story;
    story.tell(NodesListed{{node("n1", {})}});
    story.tell(WorkloadsListed{{running("1", "alice", std::move(allocations))}});
    const query::WorkloadRow row{&story.cluster(), &story.cluster().workloads.all()[0]};
    for (const auto& column : query::columns<query::WorkloadRow>())
      if (column.key == "holds") return query::to_text(column.value(row, {}), column.format);
    return std::string();
  };
  EXPECT_EQ(held({}), "0");
  EXPECT_EQ(held({holds_some("n1", "h100", 2), holds_some("n2", "h100", 2)}), "4");
  EXPECT_EQ(held({holds_some("n1", "", 25, Family::mps)}), "25 mps");
  EXPECT_EQ(held({holds_some("n1", "h100", 1), holds_some("n1", "", 2, Family::shard)}), "1 gpu + 2 shard");
}

TEST(Tables, ASlicesIdFollowsItsPlaceNotItsPosition) {
  Story story;
  story.tell(NodesListed{
      {node("n1", {gpu(0, Strategy::mig, {instance("1g.10gb", 0, 1, 0), instance("3g.40gb", 4, 4, 1)})})}});
  std::string id = row_id(slice_rows(story.model)[1]);
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::mig, {instance("3g.40gb", 4, 4, 0)})})}});
  EXPECT_EQ(row_id(slice_rows(story.model)[0]), id);
}

TEST(Strip, ShowsSlicesInPlace) {
  Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  ASSERT_TRUE(catalogue.ok());
  Gpu board = gpu(0, Strategy::mig, {instance("1g.10gb", 0, 1, 0), instance("3g.40gb", 4, 4, 1)});
  board.slices[0].holding = Holding::held;
  board.slices[1].holding = Holding::held;
  EXPECT_EQ(strip(board, &*catalogue, false), "1___3━━━");
  board.slices[1].holding = Holding::free;
  EXPECT_EQ(strip(board, &*catalogue, false), "1___③───");
  EXPECT_EQ(strip(board, &*catalogue, true), "1___3---");
}

// On an H100 both take four memory slices, and they are not the same to have.
TEST(Strip, AFree3gDoesNotLookLikeAFree4g) {
  Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  ASSERT_TRUE(catalogue.ok());
  Gpu board = gpu(0, Strategy::mig, {instance("4g.40gb", 0, 4, 0), instance("3g.40gb", 4, 4, 1)});
  for (Slice& slice : board.slices) slice.holding = Holding::free;
  EXPECT_EQ(strip(board, &*catalogue, false), "④───③───");
  EXPECT_EQ(strip(board, &*catalogue, true), "4---3---");
  const insight::Sight closed{insight::Access::closed, true};
  EXPECT_EQ(strip(board, &*catalogue, false, closed), "▒4░░▒3░░");
  EXPECT_EQ(strip(board, &*catalogue, true, closed), ";4::;3::");
}

TEST(Strip, SlicesWhosePlacesAreNotReportedStandBySizeAndSaySo) {
  Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  ASSERT_TRUE(catalogue.ok());
  Gpu board = gpu(0, Strategy::mig,
                  {instance("1g.10gb", 0, 1, 0), instance("1g.10gb", 0, 1, 1), instance("2g.20gb", 0, 2, 2),
                   instance("3g.40gb", 0, 4, 3)});
  for (Slice& slice : board.slices) slice.placement.reset(), slice.holding = Holding::held;
  EXPECT_EQ(strip(board, &*catalogue, false), "3━━━2━11~");
  board.slices[0].holding = board.slices[2].holding = Holding::free;
  EXPECT_EQ(strip(board, &*catalogue, false), "3━━━②─1○~");
  EXPECT_EQ(strip(board, &*catalogue, true), "3===2-1o~");
  board.slices[1].holding = Holding::unknown;
  EXPECT_EQ(strip(board, &*catalogue, false), "3━━━②─?○~") << "only what is doubtful is shown so";
  board.slices.resize(1);
  EXPECT_EQ(strip(board, &*catalogue, false), "○_______~");
  board.slices.assign(9, board.slices[0]);
  EXPECT_EQ(strip(board, &*catalogue, false), "????????") << "more than the GPU has room for";
}

TEST(Strip, StrandedMemoryLooksDifferentFromFreeMemory) {
  Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  ASSERT_TRUE(catalogue.ok());
  // Seven 1g take all compute slices: the eighth memory slice is of no use to anyone.
  std::vector<Slice> slices;
  for (int i = 0; i < 7; ++i) slices.push_back(instance("1g.10gb", i, 1, i));
  for (Slice& slice : slices) slice.holding = Holding::held;
  EXPECT_EQ(strip(gpu(0, Strategy::mig, slices), &*catalogue, false), "1111111╳");
}

TEST(Strip, TwoInstancesSideBySideAreNotOneLargeOne) {
  Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  ASSERT_TRUE(catalogue.ok());
  auto shown = [&](std::vector<Slice> slices) {
    for (Slice& slice : slices) slice.holding = Holding::held;
    return strip(gpu(0, Strategy::mig, std::move(slices)), &*catalogue, false);
  };
  EXPECT_EQ(shown({instance("3g.40gb", 0, 4, 0), instance("3g.40gb", 4, 4, 1)}), "3━━━3━━━");
  EXPECT_EQ(shown({instance("7g.80gb", 0, 8, 0)}), "7━━━━━━━");
  EXPECT_EQ(shown({instance("1g.20gb", 0, 2, 0), instance("1g.10gb", 2, 1, 1), instance("1g.10gb", 3, 1, 2)}),
            "1━11____");
}

TEST(Strip, RoomOfAClosedNodeLooksUnlikeRoomThatCanBeHad) {
  const insight::Sight closed{insight::Access::closed, true}, silent{insight::Access::unknown, true};
  Gpu board = gpu(0, Strategy::whole, {whole(0)});
  board.slices[0].holding = Holding::free;
  EXPECT_EQ(strip(board, nullptr, false, closed), "░░░░░░░░");
  EXPECT_EQ(strip(board, nullptr, true, closed), "::::::::");
  EXPECT_EQ(strip(board, nullptr, false, silent), "????????");
  board.slices[0].holding = Holding::held;
  EXPECT_EQ(strip(board, nullptr, false, closed), "wwwwwwww");
}

TEST(Strip, InstancesOfAClosedNodeAreToldFromTheirNeighbours) {
  Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  ASSERT_TRUE(catalogue.ok());
  const insight::Sight closed{insight::Access::closed, true};
  const auto shown = [&](std::vector<Slice> slices, bool ascii = false) {
    for (Slice& slice : slices) slice.holding = Holding::free;
    Gpu board = gpu(0, Strategy::mig, std::move(slices));
    board.product = ProductKey("H100-80GB-SXM5");
    return strip(board, &*catalogue, ascii, closed);
  };
  EXPECT_EQ(shown({instance("3g.40gb", 0, 4, 0), instance("3g.40gb", 4, 4, 1)}), "▒3░░▒3░░");
  EXPECT_EQ(shown({instance("7g.80gb", 0, 8, 0)}), "▒7░░░░░░");
  EXPECT_EQ(shown({instance("1g.20gb", 0, 2, 0), instance("1g.10gb", 2, 1, 1), instance("1g.10gb", 3, 1, 2)}),
            "▒░▒▒░░░░");
  EXPECT_EQ(shown({instance("3g.40gb", 0, 4, 0), instance("3g.40gb", 4, 4, 1)}, true), ";3::;3::");
}

TEST(Strip, AnInstanceOfWhichNoSourceTellsIsNotDrawnAsHeld) {
  Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  ASSERT_TRUE(catalogue.ok());
  Gpu board = gpu(0, Strategy::mig, {instance("3g.40gb", 0, 4, 0)});
  EXPECT_EQ(strip(board, &*catalogue, false), "????____");
}

TEST(Strip, SharedBoardsShowHowMuchIsHeld) {
  Gpu board = gpu(0, Strategy::mps, {shared(SliceKind::mps, 100, 0)});
  board.slices[0].holding = Holding::held;
  board.slices[0].holders = {{WorkloadId("1"), 25}};
  EXPECT_EQ(strip(board, nullptr, false), "mm······");
  board.slices[0].holders = {{WorkloadId("1"), 1}};
  EXPECT_EQ(strip(board, nullptr, false), "m·······") << "one share of a hundred is still a holder";
  board.slices[0].holding = Holding::unknown;
  EXPECT_EQ(strip(board, nullptr, false), "????????");
}

TEST(Strip, AWholeGpuIsHeldOrFree) {
  Gpu board = gpu(0, Strategy::whole, {whole(0)});
  board.slices[0].holding = Holding::free;
  EXPECT_EQ(strip(board, nullptr, false), "········");
  board.slices[0].holding = Holding::held;
  EXPECT_EQ(strip(board, nullptr, false), "wwwwwwww");
}

}  // namespace
}  // namespace tessera::test
