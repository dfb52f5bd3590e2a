// Who was at the nodes of the fleet screen: journals and recordings, read beside the UI thread and beside the
// orders of people.
#include "tui/screens/fleet/fleet_evidence.hpp"

#include <gtest/gtest.h>

#include "tests/support/few_rounds.hpp"
#include "tests/tui/screens/fleet_places.hpp"
#include "tui/screens/fleet/fleet_findings.hpp"

namespace tessera::test {
namespace {

using tui::FleetSeen;

constexpr const char* kWhole = "pools: [{name: a, nodes: n0041, layout: none}, {name: b, layout: as-is}]";

// The newest run of n0041, its journal, and the screen on which n0041 drifts.
struct OneRun {
  Session session = changing({120, 40});
  Diary diary{plan_of(session, {"n0041"}, 0), "20261121-1403-n0041"};
  int read = 0;
  bool readable = true;
  std::vector<Node> recorded;
  Status end = Done{};
  int rounds = 0, opened = 0, line_at = 0;
  std::map<std::string, std::string> lines;  // journals of other runs
  tui::FleetEvidenceReader reader{sources()};

  explicit OneRun(RunState state = RunState::finished, const std::string& file = kWhole) {
    diary.add("n0041", plan::NodeFinished{plan::Outcome::wanted, "as wanted"}, 10);
    diary.add({}, plan::RunFinished{plan::Outcome::wanted, "done"}, 20);
    listed(state, 20);
    open_fleet(session, file);
  }
  tui::FleetSources sources() {
    tui::FleetSources all;
    all.journal = [this](const std::string& run) -> Result<plan::Run> {
      ++read;
      if (const auto other = lines.find(run); other != lines.end())
        return plan::replay(plan::parse_journal(other->second, "journal").value());
      EXPECT_EQ(run, diary.run);
      if (!readable) return Error{"cannot read the journal", "permission denied", ""};
      return plan::replay(plan::parse_journal(diary.lines, "journal").value());
    };
    all.recordings = [this]() -> Result<std::vector<std::unique_ptr<record::Recording>>> {
      ++opened;
      std::vector<std::unique_ptr<record::Recording>> one;
      one.push_back(std::make_unique<FewRounds>(recorded, end, &rounds));
      return one;
    };
    return all;
  }
  void listed(RunState state, int last) {
    RunHead head = diary.head(state, false);
    head.last = at(last);
    session.hear({RunsListed{{head}}});
  }
  // What the planner's thread tells of the question as it stands.
  FleetSeen answer(
      const pack::Stop& stop = [] { return false; }, const tui::Tell& tell = [](tui::Message) {}) {
    const auto journal = [this](const RunHead& head) { return reader.journal_of(head); };
    return reader.read(tui::answer_of(session.state.fleet->question, journal), stop, tell);
  }
  void hear(const FleetSeen& seen) { tui::update(session.state, session.world(), seen); }
  static Node n0041(std::vector<Gpu> gpus, const std::string& reason = "") {
    Node one = test::node("n0041", std::move(gpus));
    if (!reason.empty()) one.state = {"IDLE", "DRAIN"}, one.reason = reason, one.reason_by = "eve";
    return one;
  }
};

TEST(FleetEvidence, AChangeThatWasMadeByHandAfterARunIsNotTheRuns) {
  OneRun one;
  EXPECT_TRUE(one.session.shows("who changed it last is not known")) << one.session.screen();
  one.hear(one.answer());
  EXPECT_NE(
      one.session.line_with("last run").find("changed since by another: run 20261121-1403-n0041 of alice"),
      std::string::npos)
      << one.session.screen();
  EXPECT_NE(one.session.line_with("n0041 ").find("changed since"), std::string::npos) << one.session.screen();
}

// check, diff and explain told it, and the screen did not.
TEST(FleetEvidence, NodesThatMaxNodesAtOnceKeepsBackAreToldAndAreNoFinding) {
  const auto file = [](int most) {
    return "pools:\n- {name: a, nodes: 'n[0041-0042]', layout: none, budget: {max_nodes_at_once: " +
           std::to_string(most) + "}}\n- {name: b, layout: as-is}\n";
  };
  constexpr const char* kHeld = "pool a: fleet run begins no other node of it";
  OneRun full(RunState::parked, file(1));
  full.hear(full.answer());
  EXPECT_TRUE(full.session.shows(kHeld)) << full.session.screen();
  EXPECT_TRUE(tui::fleet_findings(full.session.state).empty()) << "it goes on by itself";
  OneRun room(RunState::parked, file(2));
  room.hear(room.answer());
  EXPECT_FALSE(room.session.shows(kHeld)) << room.session.screen();
}

TEST(FleetEvidence, AJournalIsReadOnceUntilItIsAnother) {
  OneRun one;
  (void)one.answer();
  (void)one.answer();
  EXPECT_EQ(one.read, 1);
  one.listed(RunState::finished, 90);
  (void)one.answer();
  EXPECT_EQ(one.read, 2);
}

TEST(FleetEvidence, AJournalThatCannotBeReadIsNotTriedAgainUntilItIsAnother) {
  OneRun one;
  one.readable = false;
  const FleetSeen seen = one.answer();
  ASSERT_EQ(seen.evidence->left.size(), 1u);
  EXPECT_EQ(seen.evidence->left.begin()->second.since, fleet::Since::untold);
  (void)one.answer();
  EXPECT_EQ(one.read, 1);
  one.readable = true;
  one.listed(RunState::finished, 90);
  EXPECT_EQ(one.answer().evidence->left.begin()->second.since, fleet::Since::changed);
}

TEST(FleetEvidence, ARunThatIsUnderWayIsReadAgainOnceItHasStopped) {
  OneRun one(RunState::running);
  one.hear(one.answer());
  one.listed(RunState::running, 90);
  one.hear(one.answer());
  EXPECT_EQ(one.read, 1);
  one.listed(RunState::finished, 120);
  one.hear(one.answer());
  EXPECT_EQ(one.read, 2);
}

// The table does not wait for files.
TEST(FleetEvidence, TheAnswerIsToldBeforeAnythingIsReadForIt) {
  OneRun one;
  std::vector<FleetSeen> told;
  const FleetSeen last = one.answer([] { return false; },
                                    [&](tui::Message message) {
                                      told.push_back(std::get<FleetSeen>(std::move(message)));
                                      EXPECT_EQ(one.read, static_cast<int>(told.size()) - 1);
                                    });
  ASSERT_EQ(told.size(), 2u) << "once before the journals, once before the recording";
  EXPECT_FALSE(told[0].all);
  EXPECT_TRUE(told[0].evidence->left.empty());
  EXPECT_EQ(told[1].evidence->left.size(), 1u);
  EXPECT_TRUE(last.all);
  one.hear(told[0]);
  EXPECT_TRUE(one.session.state.fleet->working()) << "the thread is not stopped";
  one.hear(last);
  EXPECT_FALSE(one.session.state.fleet->working());
}

// A resume may be refused long after it was ordered, while the screen reads the same journal.
TEST(FleetEvidence, TheScreenOrdersNoJournalAndSwallowsNoRefusalOfAnOrder) {
  OneRun one;
  for (int i = 0; i < 3; ++i) {
    const tui::Effects effects = tui::update(one.session.state, one.session.world(), tui::Tick{});
    EXPECT_TRUE(std::none_of(effects.orders.begin(), effects.orders.end(), [](const tui::RunOrder& order) {
      return std::holds_alternative<tui::ReadRun>(order);
    }));
  }
  one.session.hear({RunRefused{one.diary.run, {"cannot resume the run", "the cluster cannot be read", ""}}});
  EXPECT_NE(one.session.state.message.text.find("the cluster cannot be read"), std::string::npos)
      << one.session.state.message.text;
}

TEST(FleetEvidence, ARecordingNamesWhoWasAtANodeThatDrifts) {
  OneRun one;
  const std::vector<Gpu> cut{sevenths(0, 0), sevenths(1, 7)},
      whole{gpu(0, Strategy::whole, {test::whole(0)})};
  one.recorded = {one.n0041(whole), one.n0041(whole, "tessera 20270115-0701-n0041 eve@login1: night"),
                  one.n0041(cut)};
  one.hear(one.answer());
  EXPECT_TRUE(one.session.shows("; run 20270115-0701-n0041 of")) << one.session.screen();
}

// A simulated cluster has a time of its own, and a recorder writes that.
TEST(FleetEvidence, ARecordingIsLookedThroughByTheClockOfItsCluster) {
  OneRun one;
  one.recorded.assign(3, one.n0041({sevenths(0, 0)}));
  one.session.wall += std::chrono::hours(24 * 300);
  one.session.tell(on("hpc", ClockSet{one.session.wall, 1}));
  one.session.press("r");
  hear(one.session, told_of(kWhole, "2"));
  one.hear(one.answer());
  EXPECT_TRUE(one.session.shows("its layout has not changed since 2027-01-15T07:00:00Z"))
      << one.session.screen();
}

TEST(FleetEvidence, ARecordingThatCannotBeReadIsUnknownAndNoSilence) {
  OneRun one;
  one.end = Error{"cannot read the recording", "it is broken", ""};
  one.hear(one.answer());
  EXPECT_TRUE(one.session.shows("what a recording kept of it is not known")) << one.session.screen();
  EXPECT_TRUE(one.session.shows("it is broken")) << one.session.screen();
}

TEST(FleetEvidence, ReadingThatWasGivenUpGoesOnWhereItStopped) {
  OneRun one;
  one.recorded.assign(10, one.n0041({sevenths(0, 0)}));
  int looks = 0;
  const FleetSeen half = one.answer([&] { return one.rounds >= 5 && ++looks > 0; });
  EXPECT_TRUE(half.evidence->recorded.empty()) << "half a recording says nothing";
  EXPECT_EQ(one.rounds, 5);
  const FleetSeen whole = one.answer();
  EXPECT_EQ(whole.evidence->recorded.size(), 1u);
  EXPECT_EQ(one.rounds, 5 + 7) << "from the last round that was seen";
  (void)one.answer();
  EXPECT_EQ(one.opened, 2) << "and not again within a minute";
}

// Whether a run on n0045 that is parked so is named, with this file.
bool parked_is_named(OneRun& one, plan::RunEvent event, const std::string& words) {
  Diary told{plan_of(one.session, {"n0045"}, 0), "20261121-1500-n0045"};
  told.add("n0045", std::move(event), 30);
  one.lines[told.run] = told.lines;
  RunHead head = told.head(RunState::parked, false);
  head.words = words, head.last = at(one.line_at += 10);
  one.session.hear({RunsListed{{head}}});
  one.session.survey();
  one.hear(one.answer());
  return one.session.shows("parked; tessera resume") || one.session.shows("is parked and has not ended") ||
         one.session.shows("left parked: ");
}

std::string wanting(const std::string& layout) {
  return "pools: [{name: w, nodes: n0045, gpus: {0: '" + layout + "'}}, {name: b, layout: as-is}]";
}

TEST(FleetEvidence, ARunThatIsParkedForAPersonIsNamedWhereItsJournalSaysSo) {
  OneRun one(RunState::finished, wanting("4g.40gb,3g.40gb"));
  const plan::Parked failed{"step 3 failed", "n0045 is closed", plan::Until::someone};
  EXPECT_TRUE(parked_is_named(one, failed, "as fleet.yaml says")) << one.session.screen();
  EXPECT_FALSE(parked_is_named(one, plan::Parked{"in use", "n0045 is closed", plan::Until::empty},
                               "as fleet.yaml says"))
      << "it waits as planned\n"
      << one.session.screen();
  EXPECT_FALSE(parked_is_named(one, failed, "as /srv/other.yaml says")) << "a run of another file\n"
                                                                        << one.session.screen();
}

// No fleet run goes on with it, and the screen showed it as nothing at all.
TEST(FleetEvidence, ARunThatWaitsAndThatTheFileNoLongerWantsIsNamed) {
  OneRun one(RunState::finished, wanting("7x1g.10gb"));
  EXPECT_TRUE(parked_is_named(one, plan::Parked{"in use", "n0045 is closed", plan::Until::empty},
                              "as fleet.yaml says"))
      << one.session.screen();
  EXPECT_TRUE(one.session.shows("run 20261121-1500-n0045 of alice on n0045 is left parked: the fleet file"))
      << "as check says it\n"
      << one.session.screen();
  Node closed = node("n0045", {sevenths(0, 0), sevenths(1, 7)});
  closed.state = {"IDLE", "DRAIN"}, closed.health = Health::drained;
  closed.reason = "tessera 20261121-1500-n0045 alice@login1";
  one.session.tell(on("hpc", NodeSeen{closed}));
  one.session.survey();
  one.hear(one.answer());
  EXPECT_TRUE(
      one.session.shows("n0045: closed by run 20261121-1500-n0045 of alice, left parked: the fleet file"))
      << "what it holds, whyever it is left\n"
      << one.session.screen();
}

tui::FleetTold paused_since(const std::string& since) {
  tui::FleetTold told;
  told.path = "fleet.yaml", told.stamp = "1", told.paused = since;
  return told;
}

// check said "paused" alone; the screen handed out the order that the pause was to hold back.
TEST(FleetEvidence, WhileTheFileIsPausedThatAloneIsToldOfRunsThatWait) {
  OneRun one(RunState::finished, wanting("7x1g.10gb"));
  hear(one.session, paused_since("2027-01-15T08:00:00Z"));
  EXPECT_FALSE(parked_is_named(one, plan::Parked{"in use", "n0045 is closed", plan::Until::empty},
                               "as fleet.yaml says"))
      << one.session.screen();
  EXPECT_TRUE(one.session.shows("PAUSED")) << one.session.screen();
  hear(one.session, paused_since(""));
  EXPECT_TRUE(one.session.shows("left parked: ")) << one.session.screen();
  hear(one.session, paused_since("2027-01-15T08:00:00Z"));
  EXPECT_TRUE(parked_is_named(one, plan::Parked{"step 3 failed", "n0045 is closed", plan::Until::someone},
                              "as fleet.yaml says"))
      << "a person is needed all the same\n"
      << one.session.screen();
}

// fleet check named it, and the screen said that it waits as planned.
TEST(FleetEvidence, ANodeThatFailedInARunThatWasKilledKeepsTheOthersOfItsWindowFromGoingOn) {
  OneRun one(RunState::finished,
             "pools:\n- {name: w, nodes: 'n[0044-0045]', layout: 7x1g.10gb, budget: {lead: '06:00'}, "
             "windows: [{when: 'Fri 12:00-20:00', layout: '4g.40gb,3g.40gb'}]}\n"
             "- {name: b, layout: as-is}\n");
  const auto run_at = [&](const std::string& node, RunState state, plan::RunEvent event) {
    plan::Plan plan = plan_of(one.session, {node}, std::nullopt);
    plan.intent.words = "as /srv/fleet.yaml says from 2027-01-15T12:00:00Z";
    Diary told{std::move(plan), "20270115-0700-" + node};
    told.add(node, std::move(event), 30);
    one.lines[told.run] = told.lines;
    RunHead head = told.head(state, false);
    head.words = "as /srv/fleet.yaml says from 2027-01-15T12:00:00Z", head.last = at(30);
    return head;
  };
  const RunHead waits =
      run_at("n0045", RunState::parked, plan::Parked{"in use", "n0045 is closed", plan::Until::empty});
  const auto left_with = [&](std::vector<RunHead> others) {
    others.push_back(waits);
    one.session.hear({RunsListed{std::move(others)}});
    one.session.survey();
    return one.answer().evidence->parked;
  };
  using Left = std::map<std::string, std::string>;
  EXPECT_EQ(left_with({}), Left());
  EXPECT_EQ(left_with({run_at("n0044", RunState::interrupted,
                              plan::Parked{"step 3 failed", "n0044 is closed", plan::Until::someone})}),
            (Left{{waits.run,
                   "node n0044 has failed, or waits for a person, in run 20270115-0700-n0044 for the same "
                   "window, and on_failure of pool w is stop"}}));
}

// What stands on the screen comes from the watch: the cluster is asked nothing for it.
TEST(FleetEvidence, WhoWroteTheLabelOfANodeThatDriftsIsTold) {
  Model model;
  reduce(model, on("prod", ClusterSeen{Scheduler::kubernetes, false, "v1.33", "prod", "prod-1"}));
  Node k1 = test::node("k1", {gpu(0, Strategy::whole, {test::whole(0)})});
  k1.gpus[0].product = ProductKey("H100-80GB-SXM5");
  k1.order = LayoutOrder{"all-disabled", "success", {}, "kubectl-label", at(0)};
  reduce(model, on("prod", NodesListed{{k1}}));
  reduce(model, on("prod", SourceReport{Source::kubernetes_nodes, std::nullopt, Duration(40)}));
  reduce(model, on("prod", Loaded{}));
  Session session{std::move(model), {120, 40}};
  open_fleet(session, "pools: [{name: a, layout: empty}]");
  EXPECT_TRUE(session.shows(
      "the label nvidia.com/mig.config was written last by kubectl-label, 2027-01-15T08:00:00Z"))
      << session.screen();
  k1.order->by.clear();
  session.tell(on("prod", NodeSeen{k1}));
  session.survey();
  EXPECT_TRUE(session.shows("last is not known")) << session.screen();
}

TEST(FleetEvidence, WithoutJournalsAndRecordingsNothingIsReadAndTheAnswerIsWhole) {
  OneRun one;
  one.reader = tui::FleetEvidenceReader(tui::FleetSources{});
  int told = 0;
  const FleetSeen seen = one.answer([] { return false; }, [&](const tui::Message&) { ++told; });
  EXPECT_TRUE(seen.all);
  EXPECT_EQ(told, 0);
  EXPECT_TRUE(seen.evidence->left.empty() && seen.evidence->recorded.empty());
}

TEST(FleetScreen, TheRunThatChangedANodeLastIsNamed) {
  Session session = changing({120, 40});
  Diary diary(plan_of(session, {"n0041"}, 0), "20261121-1403-n0041");
  session.hear({RunsListed{{diary.head(RunState::finished, false)}}});
  open_fleet(session);
  EXPECT_NE(session.line_with("last run").find("20261121-1403-n0041 of alice"), std::string::npos);
  session.hear({RunsListed{{diary.head(RunState::parked, false)}}});
  session.survey();
  EXPECT_TRUE(session.shows("a run that has not ended is at it")) << session.screen();
}

// What stands there does not tell of it: the node is as wanted, and closed.
TEST(FleetScreen, ARunThatWasKilledIsNamedWithTheWayOutThoughItsNodeIsAsWanted) {
  Session session = changing({120, 40});
  Node closed = node("n0045", {sevenths(0, 0), sevenths(1, 7)});
  const Node open = closed;
  closed.state = {"IDLE", "DRAIN"}, closed.health = Health::drained;
  closed.reason = "tessera 20261121-1403-n0045 alice@login1";
  session.tell(on("hpc", NodeSeen{closed}));
  const Diary diary(plan_of(session, {"n0045"}, 0), "20261121-1403-n0045");
  const auto hear = [&](RunState state) {
    session.hear({RunsListed{{diary.head(state, false)}}});
    session.survey();
  };
  open_fleet(session);
  hear(RunState::interrupted);
  EXPECT_NE(session.line_with("n0045 ").find("as-wanted"), std::string::npos) << session.screen();
  EXPECT_TRUE(session.shows("n0045: closed by run 20261121-1403-n0045 of alice, interrupted; tessera resume"))
      << session.screen();
  session.tell(on("hpc", NodeSeen{open}));
  session.survey();
  EXPECT_TRUE(session.shows("run 20261121-1403-n0045 of alice on n0045 was interrupted and has not ended"))
      << session.screen();
  // It was named only where no run came after it.
  RunHead killed = diary.head(RunState::interrupted, false), newer = diary.head(RunState::finished, false);
  killed.words = "as /srv/fleet.yaml says", newer.run = "20261121-1500-n0045", newer.started = at(900);
  session.hear({RunsListed{{newer, killed}}});
  session.survey();
  EXPECT_TRUE(session.shows("run 20261121-1403-n0045 of alice on n0045 was interrupted")) << session.screen();
  hear(RunState::finished);
  EXPECT_FALSE(session.shows("interrupted")) << session.screen();
}

// It may be the one of the run that changed the node last.
TEST(FleetScreen, AJournalThatCannotBeReadIsNotNoRun) {
  Session session = changing({120, 40});
  RunHead broken;
  broken.run = "20261121-1403-n0041", broken.why = "line 3 does not follow the line before it";
  session.hear({RunsListed{{broken}}});
  open_fleet(session);
  EXPECT_TRUE(session.shows("not every run is known: line 3 does not follow")) << session.screen();
  EXPECT_FALSE(session.shows("no run of tessera")) << session.screen();
}

}  // namespace
}  // namespace tessera::test
