// From flags to an intent.
#include "tui/cli/change/wish.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/engine/plan/boards.hpp"
#include "tests/support/zone.hpp"
#include "tui/cli/change/moment.hpp"

namespace tessera::cli {
namespace {

class Wishing : public testing::Test {
 protected:
  Wishing() {
    story.tell(NodesListed{{test::node("n1", {test::cut(0, {}), test::uncut(1, 1)}),
                            test::node("n2", {test::uncut(0, 0)}),
                            test::node("a1", {test::uncut(0, 0, "A30-24GB")})}});
    options.nodes = "n1";
    options.layout = "2x1g.10gb";
  }
  plan::Intent intent() {
    auto wished = read_wish(options, story.model, test::catalogue(), test::at(0));
    if (auto* refusal = std::get_if<Refusal>(&wished)) {
      ADD_FAILURE() << to_line(refusal->error);
      return {};
    }
    return std::get<Wished>(wished).intent;
  }
  Refusal refusal() {
    auto wished = read_wish(options, story.model, test::catalogue(), test::at(0));
    EXPECT_TRUE(std::holds_alternative<Refusal>(wished));
    return std::holds_alternative<Refusal>(wished) ? std::get<Refusal>(wished) : Refusal{};
  }

  test::Story story;
  Options options;
};

TEST_F(Wishing, ALayoutIsForEveryBoardOrForThoseThatAreNamed) {
  EXPECT_EQ(intent().boards.size(), 1u);
  EXPECT_FALSE(intent().boards[0].gpu);
  EXPECT_EQ(intent().words, "2 × 1g.10gb");
  options.gpus = {GpuIndex{0}, GpuIndex{1}};
  EXPECT_EQ(intent().boards.size(), 2u);
  EXPECT_EQ(intent().boards[1].gpu, GpuIndex{1});
}

TEST_F(Wishing, APresetMeansTheInstancesOfTheProduct) {
  options.layout.reset();
  options.preset = "all-balanced";
  ASSERT_EQ(intent().boards.size(), 1u);
  EXPECT_EQ(plan::to_text(intent().boards[0].wish), "2 × 1g.10gb + 2g.20gb + 3g.40gb");
  EXPECT_EQ(intent().words, "all-balanced");
  options.nodes = "a1";
  EXPECT_EQ(plan::to_text(intent().boards[0].wish), "2 × 1g.6gb + 2g.12gb");
  options.nodes = "n1,a1";
  EXPECT_EQ(refusal().code, 1);
}

// A name that is mistyped ended as a finding about the node.
TEST_F(Wishing, APresetThatNoGpuHasIsWrongUsage) {
  options.layout.reset();
  options.preset = "all-misspelt";
  EXPECT_EQ(refusal().code, 2);
  EXPECT_EQ(refusal().error.what, "no preset \"all-misspelt\"");
  options.preset = "all-1g.10gb";
  options.nodes = "a1";
  EXPECT_EQ(refusal().code, 1) << "that one there is, and an A30 cannot have it";
}

// Clusters stand in the model as they answered: from run to run their names were in another order.
TEST_F(Wishing, ClustersThatAreToldApartAreNamedInTheOrderOfTheirNames) {
  for (const char* name : {"zoo", "alpha"})
    reduce(story.model,
           Event{ClusterName(name), 0, test::at(0), NodesListed{{test::node("n1", {test::uncut(0, 0)})}}});
  EXPECT_EQ(refusal().error.reason, "these nodes are of several clusters: alpha, hpc, zoo");
}

TEST_F(Wishing, APresetForSomeGpusIsAboutNoOthers) {
  options.layout.reset();
  options.preset = "all-1g.10gb";
  options.gpus = {GpuIndex{1}};
  const plan::Intent one = intent();
  ASSERT_EQ(one.boards.size(), 1u);
  EXPECT_EQ(one.boards[0].gpu, GpuIndex{1});
}

TEST_F(Wishing, APresetIsOneOfThePlatformThatTheSiteNames) {
  options.layout.reset();
  reduce(story.model,
         Event{ClusterName("hpc"), 0, test::at(0), ClusterSeen{Scheduler::kubernetes, true, "", ""}});
  options.nodes = "n2";
  options.preset = "mixed-2-1g.10gb-1-3g.40gb";
  EXPECT_NE(refusal().error.reason.find("GPU operator offers no such layout"), std::string::npos);
  options.rules.platform = sharing::Platform::hyperpod_eks;
  EXPECT_EQ(plan::to_text(intent().boards[0].wish), "2 × 1g.10gb + 3g.40gb");
  options.rules.platform = sharing::Platform::fpt;
  options.preset = "all-1g.10gb.me";  // the operator's, not this platform's
  EXPECT_NE(refusal().error.reason.find("FPT"), std::string::npos) << to_line(refusal().error);
  // What a site says of its Kubernetes is not about its Slurm.
  reduce(story.model, Event{ClusterName("hpc"), 0, test::at(0), ClusterSeen{Scheduler::slurm, true, "", ""}});
  EXPECT_EQ(plan::to_text(intent().boards[0].wish), "1g.10gb+me");
}

TEST_F(Wishing, ReplicasOfWhatIsNotSharedAreRefusedAndNotLeftOut) {
  options.replicas = 3;
  EXPECT_TRUE(check_wish(options).ok());  // time-slices of each instance
  options.layout = "none";
  EXPECT_FALSE(check_wish(options).ok());
  options.layout.reset();
  options.strategy = "none";
  ASSERT_FALSE(check_wish(options).ok());
  EXPECT_NE(check_wish(options).error().reason.find("--replicas does not apply to whole GPU"),
            std::string::npos);
  options.strategy = "vgpu", options.vgpu = "A10-4Q";
  EXPECT_FALSE(check_wish(options).ok());
  options.strategy.clear(), options.vgpu.clear();
  options.preset = "all-disabled";
  EXPECT_NE(refusal().error.reason.find("all-disabled"), std::string::npos);
}

TEST_F(Wishing, SharingIsAStrategyWithReplicas) {
  options.layout.reset();
  options.strategy = "time-slicing";
  EXPECT_FALSE(check_wish(options));
  options.strategy = "mps";
  EXPECT_TRUE(check_wish(options)) << "which nodes they are is not known yet";
  // Slurm's are percent of a GPU, and cannot be chosen.
  EXPECT_EQ(plan::to_text(intent().boards[0].wish), "MPS");
  options.replicas = 100;
  EXPECT_EQ(plan::to_text(intent().boards[0].wish), "MPS");
  options.replicas = 4;
  EXPECT_NE(refusal().error.reason.find("Slurm hands MPS out in percent"), std::string::npos);
  EXPECT_EQ(refusal().code, 2);
  reduce(story.model,
         Event{ClusterName("hpc"), 0, test::at(0), ClusterSeen{Scheduler::kubernetes, true, "", ""}});
  EXPECT_TRUE(check_wish(options));
  EXPECT_EQ(plan::to_text(intent().boards[0].wish), "MPS, 4 clients");
  options.replicas.reset();
  EXPECT_EQ(refusal().code, 2);
  EXPECT_NE(refusal().error.reason.find("mps needs to know among how many"), std::string::npos);
  options.strategy = "none";
  options.replicas.reset();
  EXPECT_EQ(plan::to_text(intent().boards[0].wish), "whole GPU");
}

TEST_F(Wishing, AMisprintIsTakenForWhatIsMeantOnEachProduct) {
  story.tell(NodesListed{{test::node("n1", {test::cut(0, {}), test::uncut(1, 1)}),
                          test::node("h1", {test::uncut(0, 0, "H200-141GB")}), test::node("untold", {})}});
  ClusterSeen kubernetes;
  kubernetes.scheduler = Scheduler::kubernetes;
  story.tell(kubernetes);
  options.nodes = "h1";
  options.layout = "3x2g.25gb";
  EXPECT_EQ(plan::to_text(intent().boards[0].wish), "3 × 2g.35gb") << "no product has what FPT prints";
  options.rules.platform = sharing::Platform::fpt;
  EXPECT_EQ(plan::to_text(intent().boards[0].wish), "3 × 2g.35gb");
  auto wished = read_wish(options, story.model, test::catalogue(), test::at(0));
  ASSERT_TRUE(std::holds_alternative<Wished>(wished));
  ASSERT_EQ(std::get<Wished>(wished).notes.size(), 1u);
  EXPECT_NE(std::get<Wished>(wished).notes[0].find("2g.25gb is a misprint"), std::string::npos);
  options.layout = "4x1g.40gb";
  options.nodes = "h1,n1";
  EXPECT_NE(refusal().error.reason.find("means other instances"), std::string::npos);
  options.layout.reset();
  options.preset = "all-1g.40gb";
  options.nodes = "n1";
  EXPECT_EQ(plan::to_text(intent().boards[0].wish), "4 × 1g.20gb");
}

TEST_F(Wishing, APresetBehindTheFlagForLayoutsLeadsToItsOwnFlag) {
  options.layout = "all-1g.10gb";
  EXPECT_EQ(refusal().code, 2);
  EXPECT_NE(refusal().error.hint.find("--preset all-1g.10gb"), std::string::npos) << refusal().error.hint;
  options.layout = "1g.99gb,";
  EXPECT_EQ(refusal().error.hint.find("--preset"), std::string::npos);
}

TEST_F(Wishing, TheSwitchesOfTheDevicePluginGoWithTheWishOnlyWhenTheyAreSaid) {
  EXPECT_EQ(intent().switches.rename_shared, std::nullopt);
  options.switches.rename_shared = false, options.switches.refuse_several = true;
  EXPECT_EQ(intent().switches.rename_shared, false);
  EXPECT_EQ(intent().switches.refuse_several, true);
}

TEST_F(Wishing, NodesOfAllFormsAndNamesThatThereAreNot) {
  options.nodes = "n[1-2]";
  EXPECT_EQ(intent().nodes, (std::vector<NodeName>{NodeName("n1"), NodeName("n2")}));
  options.nodes = "node:n";
  EXPECT_EQ(intent().nodes.size(), 2u);
  options.nodes = "n3";
  EXPECT_EQ(refusal().code, 2);
  options.nodes = "n[1";
  EXPECT_EQ(refusal().code, 2);
  options.nodes = "colour=red";
  EXPECT_EQ(refusal().code, 2);
  options.nodes = "node=nobody";
  EXPECT_EQ(refusal().code, 1);
}

// Those that are known are not planned without the others.
TEST_F(Wishing, AListWithAnUnknownNameIsRefusedAsAWhole) {
  for (const char* nodes : {"n1,n7", "n[1-3]", "n7,n1"}) {
    options.nodes = nodes;
    EXPECT_NE(refusal().error.reason.find("there is no node"), std::string::npos) << nodes;
  }
}

TEST_F(Wishing, OneNameInTwoClustersAsksWhich) {
  reduce(story.model,
         Event{ClusterName("other"), 0, test::at(0), NodesListed{{test::node("n1", {test::uncut(0, 0)})}}});
  EXPECT_NE(refusal().error.hint.find("--cluster"), std::string::npos);
  options.cluster = "other";
  EXPECT_EQ(intent().cluster, ClusterName("other"));
}

TEST_F(Wishing, TimesMayBeWrittenInSeveralWays) {
  const TimePoint now = test::at(0);  // 2027-01-15 08:00:00 UTC
  setenv("TZ", "UTC-2", 1);           // two hours ahead of UTC
  tzset();
  auto after = [&](const char* text) -> std::optional<std::int64_t> {
    auto moment = parse_moment(text, now);
    if (!moment) return std::nullopt;
    return std::chrono::duration_cast<std::chrono::minutes>(*moment - now).count();
  };
  EXPECT_EQ(after("+2h"), 120);
  EXPECT_EQ(after("2027-01-15T09:30Z"), 90);
  EXPECT_EQ(after("2027-01-15T09:30:00Z"), 90);
  EXPECT_EQ(after("2027-01-15 11:30"), 90);
  EXPECT_EQ(after("11:30"), 90);
  EXPECT_EQ(after("09:30Z"), 90);
  EXPECT_EQ(after("09:30"), 24 * 60 - 30) << "the next such time is tomorrow";
  for (const char* bad : {"", "+", "+x", "soon", "25:00", "24:30", "24:00", "23:60", "2027-01-15T24:00Z",
                          "2027-02-30T00:00Z", "2027-01-15T09:30+02:00", "9:30"})
    EXPECT_EQ(after(bad), std::nullopt) << bad;
  unsetenv("TZ");
  tzset();
}

// "09:00" typed at noon on the day before the clocks go forward is 20 hours away, not 21.
TEST_F(Wishing, ATimeOfTomorrowKeepsItsHourWhenTheClocksChange) {
  setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
  tzset();
  using namespace std::chrono;
  const TimePoint spring =
      sys_days(2027y / March / 27) + 11h;  // 12:00 CET; at 02:00 the next night it is 03:00
  const TimePoint autumn = sys_days(2027y / October / 30) + 10h;  // 12:00 CEST
  EXPECT_EQ(parse_moment("09:00", spring), spring + 20h);
  EXPECT_EQ(parse_moment("09:00", autumn), autumn + 22h);
  EXPECT_EQ(parse_moment("09:00Z", spring), spring + 22h) << "UTC knows no such night";
  unsetenv("TZ");
  tzset();
}

// The day of the epoch is one of 1969 there, and "22:00" was no time.
TEST_F(Wishing, ATimeOfDayIsOneWestOfGreenwichToo) {
  const test::InZone new_york("EST5EDT,M3.2.0,M11.1.0");
  plan::ChangeOptions change;
  options.at = "22:00";
  Status set = set_time(change, options, test::at(0));  // 03:00 there
  ASSERT_TRUE(set) << to_line(set.error());
  EXPECT_EQ(*change.at, test::at(19 * 3600));
}

// "now" was no time at all, though it is one to every command that looks back.
TEST_F(Wishing, ATimeToLookAtIsNoneToActAndThoseWhoLookBackAreNamed) {
  plan::ChangeOptions change;
  for (const char* at : {"now", "yesterday 03:12", "-2h", "2001-02-03T03:12Z"}) {
    options.at = at;
    const Status set = set_time(change, options, test::at(0));
    ASSERT_FALSE(set) << at;
    EXPECT_NE(set.error().hint.find("tessera whatif --at"), std::string::npos) << to_line(set.error());
    EXPECT_FALSE(check_time(options, test::at(0))) << at;
  }
  options.sim = "demo";
  EXPECT_TRUE(check_time(options, test::at(0))) << "a simulated cluster may stand in 2001";
  options.at = "now";
  EXPECT_FALSE(check_time(options, test::at(0)));
}

// It was moved by an hour without a word: 02:30 became 03:30, or 01:30, as the C library likes.
TEST_F(Wishing, ATimeThatTheClocksLeaveOutIsRefusedWithTheReason) {
  const test::InZone berlin("CET-1CEST,M3.5.0,M10.5.0/3");
  using namespace std::chrono;
  const TimePoint noon = sys_days(2027y / March / 27) + 11h;
  plan::ChangeOptions change;
  for (const char* at : {"02:30", "2027-03-28T02:30", "2027-03-28 02:00:00"}) {
    options.at = at;
    Status set = set_time(change, options, noon);
    ASSERT_FALSE(set) << at;
    EXPECT_EQ(set.error().reason.find("--at: the clocks are set forward over "), 0u) << to_line(set.error());
  }
  for (const char* at : {"01:59", "03:00", "2027-03-28T03:30", "2027-03-28T01:30Z"}) {
    options.at = at;
    EXPECT_TRUE(set_time(change, options, noon)) << at;
  }
  EXPECT_EQ(parse_moment("02:30", noon + 24h), TimePoint(sys_days(2027y / March / 29) + 30min))
      << "that of today was left out, and is over: the next one is tomorrow's";
  EXPECT_EQ(parse_moment("2027-10-31T02:30", noon), TimePoint(sys_days(2027y / October / 31) + 30min))
      << "the first of the two, in summer time";
}

}  // namespace
}  // namespace tessera::cli
