// The driver's habits, as seen on real GPUs.
#include "backends/sim/gpu.hpp"

#include "tests/backends/sim/worlds.hpp"

namespace tessera::sim {
namespace {

class Driver : public ::testing::Test {
 protected:
  void SetUp() override {
    use("H100-80GB-SXM5");
    board.mode = MigMode::enabled;
    board.strategy = Strategy::mig;
  }
  void use(std::string_view key) {
    product = test::shared_catalogue()->by_key(key);
    ASSERT_NE(product, nullptr) << key;
  }
  Outcome create(std::initializer_list<std::string_view> names) {
    std::vector<Wanted> list;
    for (std::string_view name : names) list.push_back({profile(name), std::nullopt});
    return create_instances(board, *product, 0, list);
  }
  int profile(std::string_view name) {
    const mig::Profile* found = product->find(name);
    return found ? static_cast<int>(found - product->profiles.data()) : -1;
  }
  std::string layout() { return mig::to_text(*product, layout_of(board)); }
  // Where things went, in order of creation.
  std::vector<int> starts(const Outcome& outcome) {
    std::vector<int> all;
    for (int id : outcome.done) all.push_back(board.find(id)->start);
    return all;
  }

  const mig::Product* product = nullptr;
  Board board;
};

TEST_F(Driver, FillsAnEmptyBoardFromTheUpperHalf) {
  Outcome made = create({"1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb"});
  EXPECT_TRUE(made.ok());
  EXPECT_EQ(starts(made), (std::vector<int>{6, 4, 5, 0, 1, 2, 3}));
  EXPECT_EQ(made.done, (std::vector<int>{13, 11, 12, 7, 8, 9, 10}));
}

TEST_F(Driver, PutsTheFirstThirdIntoTheUpperHalf) {
  EXPECT_EQ(starts(create({"3g.40gb", "3g.40gb"})), (std::vector<int>{4, 0}));
}

TEST_F(Driver, FallsIntoTheFragmentationTrapWhenSmallOnesComeFirst) {
  Outcome made = create({"1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb"});  // -cgi 19,19,14,9
  EXPECT_EQ(made.refusal, Outcome::Refusal::insufficient);
  EXPECT_EQ(starts(made), (std::vector<int>{6, 4, 0}));
  ASSERT_GE(made.lines.size(), 2u);
  EXPECT_EQ(made.lines[made.lines.size() - 2],
            "Unable to create a GPU instance on GPU  0 using profile 9: Insufficient Resources");
  EXPECT_EQ(made.lines.back(), "Failed to create GPU instances: Insufficient Resources");
  EXPECT_EQ(board.instances.size(), 3u) << "what was made before the failure stays";
}

TEST_F(Driver, ReachesTheSameSetInTheOrderThatWorks) {
  Outcome made = create({"3g.40gb", "1g.10gb", "2g.20gb", "1g.10gb"});  // -cgi 9,19,14,19
  EXPECT_TRUE(made.ok());
  EXPECT_EQ(starts(made), (std::vector<int>{4, 0, 2, 1}));
}

TEST_F(Driver, PutsATwoBeforeOnesIntoTheUpperHalfToo) {
  EXPECT_EQ(starts(create({"2g.20gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb"})),
            (std::vector<int>{4, 6, 0, 1, 2, 3}));
}

TEST_F(Driver, TakesAnExplicitStartAndRefusesATakenOne) {
  std::vector<Wanted> first{{profile("2g.20gb"), 2}}, again{{profile("1g.10gb"), 3}};
  EXPECT_TRUE(create_instances(board, *product, 0, first).ok());
  EXPECT_EQ(create_instances(board, *product, 0, again).refusal, Outcome::Refusal::insufficient);
  EXPECT_EQ(layout(), "2g.20gb@2");
}

TEST_F(Driver, SaysItsOwnWordsWhenItCreates) {
  Outcome made = create({"3g.40gb"});
  EXPECT_EQ(made.lines.front(),
            "Successfully created GPU instance ID  2 on GPU  0 using profile MIG 3g.40gb (ID  9)");
  EXPECT_EQ(compute_name(*product, board.instances[0], board.instances[0].compute[0]), "3g.40gb");
  EXPECT_EQ(compute_name(*product, board.instances[0], Compute{1, 1}), "1c.3g.40gb");
}

TEST_F(Driver, CallsAnUnknownProfileAnInvalidArgument) {
  std::vector<Wanted> list{{99, std::nullopt}};
  EXPECT_EQ(create_instances(board, *product, 0, list).refusal, Outcome::Refusal::invalid);
}

TEST_F(Driver, KeepsTheMediaEngineInstanceSingle) {
  EXPECT_EQ(create({"1g.10gb+me", "1g.10gb+me"}).refusal, Outcome::Refusal::insufficient);
  EXPECT_EQ(board.instances.size(), 1u);
}

TEST_F(Driver, DoesNotDestroyWhatSomeoneHolds) {
  Outcome made = create({"3g.40gb", "3g.40gb"});
  board.find(2)->holds.push_back({1234, 1, Character::training});
  EXPECT_EQ(destroy_compute(board, *product, 0, made.done).refusal, Outcome::Refusal::in_use);
  EXPECT_EQ(board.instances.size(), 2u);
  std::vector<int> free_one{1}, held_one{2};
  EXPECT_TRUE(destroy_compute(board, *product, 0, free_one).ok());
  EXPECT_TRUE(destroy_instances(board, *product, 0, free_one).ok());
  Outcome refused = destroy_instances(board, *product, 0, held_one);
  EXPECT_EQ(refused.lines.front(),
            "Unable to destroy GPU instance ID  2 from GPU  0: In use by another client");
  EXPECT_EQ(layout(), "3g.40gb@4");
}

TEST_F(Driver, DoesNotDestroyAnInstanceBeforeItsComputeInstances) {
  Outcome made = create({"7g.80gb"});
  EXPECT_EQ(destroy_instances(board, *product, 0, made.done).refusal, Outcome::Refusal::in_use);
  EXPECT_TRUE(destroy_compute(board, *product, 0, made.done).ok());
  EXPECT_TRUE(destroy_instances(board, *product, 0, made.done).ok());
  EXPECT_TRUE(board.instances.empty());
}

TEST_F(Driver, CountsAProcessThatNoSchedulerKnows) {
  create({"7g.80gb"});
  board.instances.front().hidden = true;
  std::vector<int> id{0};
  EXPECT_EQ(destroy_compute(board, *product, 0, id).refusal, Outcome::Refusal::in_use);
  EXPECT_EQ(reset(board, 0).refusal, Outcome::Refusal::in_use);
}

TEST_F(Driver, WaitsForAResetBeforeAmpereChangesItsMode) {
  use("A100-40GB");
  board = {};
  EXPECT_TRUE(set_mode(board, *product, 3, true).ok());
  EXPECT_EQ(board.mode, MigMode::enable_pending);
  EXPECT_EQ(create({"1g.5gb"}).lines.front(), "No MIG-enabled devices found.");
  board.holds.push_back({1, 1, Character::batch});
  EXPECT_EQ(reset(board, 3).refusal, Outcome::Refusal::in_use);
  board.holds.clear();
  EXPECT_TRUE(reset(board, 3).ok());
  EXPECT_EQ(board.mode, MigMode::enabled);
  EXPECT_TRUE(create({"1g.5gb"}).ok());
}

TEST_F(Driver, TakesBackAPendingMode) {
  use("A100-40GB");
  board = {};
  set_mode(board, *product, 0, true);
  set_mode(board, *product, 0, false);
  EXPECT_EQ(board.mode, MigMode::disabled);
}

TEST_F(Driver, LeavesTheWayOfSharingAloneWhereTheModeIsSoAlready) {
  board = {};
  board.strategy = Strategy::mps;
  board.replicas = 4;
  board.holds.push_back({1, 3, Character::batch});
  EXPECT_TRUE(set_mode(board, *product, 0, false).ok());
  EXPECT_EQ(board.strategy, Strategy::mps);
  EXPECT_EQ(board.replicas, 4);
}

TEST_F(Driver, ChangesHopperAtOnceUnlessItIsUsed) {
  board = {};
  board.holds.push_back({1, 1, Character::batch});
  EXPECT_EQ(set_mode(board, *product, 0, true).refusal, Outcome::Refusal::in_use);
  board.holds.clear();
  EXPECT_TRUE(set_mode(board, *product, 0, true).ok());
  EXPECT_EQ(board.mode, MigMode::enabled);
  create({"1g.10gb"});
  EXPECT_EQ(set_mode(board, *product, 0, false).refusal, Outcome::Refusal::in_use);
}

TEST_F(Driver, LosesItsInstancesInAReboot) {
  create({"3g.40gb", "1g.10gb"});
  board.instances.front().holds.push_back({1, 1, Character::training});
  reboot(board, product);
  EXPECT_TRUE(board.instances.empty());
  EXPECT_EQ(board.mode, MigMode::disabled);
  EXPECT_EQ(board.strategy, Strategy::whole);

  use("A100-40GB");
  board = {};
  board.mode = MigMode::enabled;
  board.strategy = Strategy::mig;
  create({"3g.20gb"});
  reboot(board, product);
  EXPECT_TRUE(board.instances.empty());
  EXPECT_EQ(board.mode, MigMode::enabled) << "Ampere keeps its mode";
}

TEST_F(Driver, CutsABoardOfFourAndOneOfTwelveUnits) {
  use("A30-24GB");
  EXPECT_TRUE(create({"2g.12gb", "1g.6gb", "1g.6gb"}).ok());
  EXPECT_EQ(create({"1g.6gb"}).refusal, Outcome::Refusal::insufficient);
  use("RTX-PRO-6000-Blackwell-96GB");
  board.instances.clear();
  EXPECT_TRUE(create({"2g.48gb", "1g.24gb", "1g.24gb"}).ok());
  EXPECT_EQ(layout(), "2g.48gb@0,1g.24gb@6,1g.24gb@9");
}

TEST_F(Driver, NeverGivesTwoInstancesOneId) {
  for (const mig::Product& any : test::shared_catalogue()->products()) {
    if (!any.placements_known) continue;
    for (const mig::Layout& one : mig::enumerate(any, mig::Which::maximal)) {
      std::set<int> ids;
      for (const mig::Placed& placed : one) ids.insert(instance_id(any, placed.profile, placed.start));
      EXPECT_EQ(ids.size(), one.size()) << any.key.text << " " << mig::to_text(any, one);
    }
  }
}

}  // namespace
}  // namespace tessera::sim
