// What a tall overview shows below the mosaic.
#include "tui/screens/overview/overview_spare.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include "engine/insight/attention.hpp"
#include "engine/query/filter.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/session.hpp"
#include "tests/support/two_schedulers.hpp"
#include "tests/tui/screens/places.hpp"
#include "tui/packer.hpp"
#include "tui/screens/large.hpp"
#include "tui/screens/overview/mosaic.hpp"
#include "tui/screens/overview/overview.hpp"
#include "tui/screens/overview/overview_body.hpp"
#include "tui/screens/overview/overview_demand.hpp"
#include "tui/screens/users.hpp"

namespace tessera::test {
namespace {

TEST(OverviewSpare, ATallTerminalShowsWhoHoldsMostWhoWaitsLongestAndWhatHappened) {
  Session session(two_places(), {200, 60});
  EXPECT_TRUE(session.shows("WHO HOLDS MOST")) << session.screen();
  EXPECT_TRUE(session.shows("WAITING LONGEST")) << session.screen();
  EXPECT_TRUE(session.shows("LATEST EVENTS")) << session.screen();
  EXPECT_NE(session.line_with("frank").find("1.0 GPUs"), std::string::npos) << "a whole GPU";
  EXPECT_NE(session.line_with("88140").find("1 × 3g.40gb"), std::string::npos);
}

// "slurm", "Nothing needs attention", "FREE NOW nothing": of a cluster that had not answered yet.
TEST(OverviewSpare, AClusterThatIsNotReadYetIsCalledNeitherSlurmsNorCalmNorFull) {
  Model model;
  model.clusters.emplace_back().name = ClusterName("train-a");
  Session session(std::move(model), {80, 24});
  session.press("<esc>");
  EXPECT_NE(session.line_with("not read yet").find("train-a"), std::string::npos) << session.screen();
  EXPECT_EQ(session.line_with("not read yet").find("slurm"), std::string::npos) << session.screen();
  EXPECT_TRUE(session.shows("Nothing found so far; not known: train-a")) << session.screen();
  EXPECT_NE(session.line_with("FREE NOW").find("not known: train-a"), std::string::npos) << session.screen();
  EXPECT_NE(session.line_with("WAITING  ").find("not known: train-a"), std::string::npos) << session.screen();
  EXPECT_FALSE(session.shows("No workload holds")) << session.screen();
  session.press("7");
  EXPECT_TRUE(session.shows("Nothing found so far; not known: train-a")) << session.screen();
}

TEST(OverviewSpare, TheTitleDoesNotSayForEverThatAClusterLoadsWhichCannotBeRead) {
  Model model = two_places();
  const auto nodes = [](std::optional<Error> failure) {
    return on("prod", SourceReport{Source::kubernetes_nodes, std::move(failure), Duration(5)});
  };
  reduce(model, on("prod", ClusterSeen{Scheduler::kubernetes, false, "", ""}));
  reduce(model, nodes(Error{"cannot list nodes", "no route to host", ""}));
  Session session(std::move(model), {120, 40});
  const auto title = [&] { return session.screen().substr(0, session.screen().find('\n')); };
  EXPECT_NE(title().find("no data: prod"), std::string::npos) << title();
  EXPECT_EQ(title().find("loading"), std::string::npos) << title();
  session.tell(nodes(std::nullopt));
  EXPECT_NE(title().find("loading"), std::string::npos) << "it answers, and is read\n" << title();
}

// It stood there with 0 nodes and 0 GPUs.
TEST(OverviewSpare, TheNodesOfAClusterThatNeverAnsweredAreNotKnown) {
  Model model;
  reduce(model, on("hpc", ClusterSeen{Scheduler::slurm, false, "slurm 24.11", "/etc/slurm/slurm.conf", ""}));
  for (Source source : {Source::slurm_nodes, Source::slurm_jobs})
    reduce(model, on("hpc", SourceReport{source, Error{"slurmctld does not answer", "", ""}}));
  reduce(model, on("hpc", Loaded{}));
  Session session(std::move(model), {80, 24});
  const std::string row = session.line_with("slurm  ");
  EXPECT_EQ(row.find('0'), std::string::npos) << session.screen();
  EXPECT_NE(row.find("?       ?"), std::string::npos) << session.screen();
  session.resize({120, 40});
  EXPECT_FALSE(session.shows("not sampled yet")) << "a second line, which tells nothing\n"
                                                 << session.screen();
}

TEST(OverviewSpare, ATallTerminalSetsWhatIsWantedAgainstWhatIsFree) {
  Session session(two_places(), {200, 60});
  ASSERT_TRUE(session.shows("COULD BE CUT")) << session.screen();
  EXPECT_FALSE(session.shows("FREE NOW")) << "the table says it already";
  const std::string row = session.line_with("none of 2 fits");
  EXPECT_NE(row.find("gpu:3g.40gb"), std::string::npos) << session.screen();
  EXPECT_NE(row.find("2 jobs"), std::string::npos) << session.screen();
}

// A pane of tmux can be one column wide for a moment: the console ended with a division by zero.
TEST(OverviewSpare, ATerminalOfOneColumnIsOutlived) {
  Session session(two_places(), {1, 50});
  session.press("jk<tab>j1");
  session.resize({200, 60});
  EXPECT_TRUE(session.shows("MOSAIC")) << session.screen();
}

// WANTED 9 stood beside FREE 2 of which the other scheduler's row had the same two.
TEST(OverviewSpare, GpusThatTwoSchedulersHandOutAreSaidToStandInBothRowsOfTheDemand) {
  const auto rows = [](int of_pod) {
    return Session(two_schedulers(of_pod), {200, 60}).state.overview.demand;
  };
  const auto shared = rows(1);
  ASSERT_FALSE(shared.empty());
  EXPECT_EQ(shared.front().demand.resource,
            "m1: hpc and prod hand out the same GPUs, and 1 free slice stands in the rows of both");
  EXPECT_TRUE(shared.front().cluster.text.empty());
  for (const tui::DemandRow& row : rows(2)) EXPECT_FALSE(row.cluster.text.empty()) << row.demand.resource;
}

// It stood there with the first three of its rows, and what else was free stood nowhere.
TEST(OverviewSpare, ATableThatIsCutLeavesTheLineOfWhatIsFree) {
  Session low(two_places(), {120, 26});
  EXPECT_TRUE(low.shows("FREE NOW")) << low.screen();
  EXPECT_TRUE(low.shows("COULD BE CUT")) << low.screen();
  EXPECT_TRUE(low.shows(" more")) << low.screen();
  EXPECT_NE(low.line_with("none of 2 fits").find("gpu:3g.40gb"), std::string::npos)
      << "what has no room first";
}

// Below 118 columns there was no table, however much room was left.
TEST(OverviewSpare, ANarrowTerminalHasTheDemandInShortNamesAboveTheLinesOfWhatIsFree) {
  Session session(two_places(), {80, 40});
  EXPECT_TRUE(session.shows("COULD BE CUT")) << session.screen();
  EXPECT_TRUE(session.shows("FREE NOW")) << session.screen();
  const std::string row = session.line_with("none of 2 fits");
  EXPECT_NE(row.find(" 3g.40gb "), std::string::npos) << session.screen();
  EXPECT_EQ(row.find("jobs"), std::string::npos) << "there is no room for it: " << row;
}

TEST(OverviewSpare, TheSmallestTerminalHasTheDemandWhereItsListsLeaveRoom) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)})})}});
  story.tell(WorkloadsListed{{waiting("17", "alice", "gpu:h100")}});
  story.tell(Loaded{});
  Session session(story.model, {80, 24});
  EXPECT_TRUE(session.shows("COULD BE CUT")) << session.screen();
  EXPECT_TRUE(session.shows("FREE NOW")) << session.screen();
}

// Two numbers of it were cut in the middle, where a half of them says something else.
TEST(OverviewSpare, WhatFitsIsToldWholeInTheNarrowTable) {
  tui::UiState state;
  const auto text = [&](int for_room, int now, int cut, int unsure) {
    why::Demand demand;
    demand.workloads = for_room + 1, demand.free = 1;
    demand.for_room = for_room, demand.fit_now = now, demand.fit_cut = cut, demand.unsure = unsure;
    const std::string said = tui::fits_text(demand, state, true);
    EXPECT_LE(said.size(), 21u) << said;
    return said;
  };
  EXPECT_EQ(text(34, 12, 20, 0), "12 of 34 fit, 20 cut");
  EXPECT_EQ(text(34, 0, 20, 0), "20 of 34 after a cut");
  EXPECT_EQ(text(34, 0, 34, 0), "fits after a re-cut");
  EXPECT_EQ(text(34, 0, 0, 0), "none of 34 fits");
  EXPECT_EQ(text(34, 12, 12, 22), "12 fit, 22 not known");
  EXPECT_EQ(text(4, 0, 0, 4), "not known");
  EXPECT_EQ(text(0, 0, 0, 0), "not for room alone");
}

// Of a large site the table was missing: the planner's thread counts it, and the screen says so meanwhile.
TEST(OverviewSpare, TheDemandOfALargeSiteIsCountedBesideTheKeys) {
  Session session(large_places(), {120, 40});
  EXPECT_TRUE(session.shows("is being counted: with so many GPUs")) << session.screen();
  EXPECT_FALSE(session.shows("COULD BE CUT")) << session.screen();
  EXPECT_TRUE(session.shows("FREE NOW")) << session.screen();
  session.work_out();
  EXPECT_FALSE(session.shows("is being counted")) << session.screen();
  EXPECT_TRUE(session.shows("COULD BE CUT")) << session.screen();
  EXPECT_TRUE(session.shows("counted at ")) << "it is not of this moment\n" << session.screen();
}

TEST(OverviewSpare, TheDemandOfALargeSiteIsCountedAgainAfterAPause) {
  Session session(large_places(), {120, 40});
  session.work_out();
  const auto first = session.state.large.demand->question;
  session.tell(on("hpc", WorkloadsListed{}));
  EXPECT_EQ(session.state.large.demand->question, first) << "not at each change";
  session.pass(Duration{15'000});
  EXPECT_NE(session.state.large.demand->question, first);
  EXPECT_TRUE(session.shows("COULD BE CUT")) << "what was counted before stays\n" << session.screen();
  // An answer to what is asked no more is none.
  const auto told = session.state.large.demand->answer;
  tui::update(session.state, session.world(), tui::LargeTold{tui::answer_of(first), {}});
  EXPECT_EQ(session.state.large.demand->answer, told);
}

// Nothing was shown of it, as if nothing were free there and nothing waited.
TEST(OverviewSpare, AClusterThatAnswersOnlyAfterTheCountIsNotLeftOutInSilence) {
  Model model = large_places();
  std::erase_if(model.clusters, [](const Cluster& one) { return one.name.text != "hpc"; });
  reduce(model, on("hpc", SourceReport{Source::slurm_jobs, Error{"no answer", "timed out", ""}, {}}));
  Session session(std::move(model), {120, 40});
  session.work_out();
  session.tell(on("hpc", SourceReport{Source::slurm_jobs, std::nullopt, Duration(5)}));
  session.pass(Duration{6'000});
  EXPECT_TRUE(session.shows("is being counted: with so many GPUs")) << session.screen();
  session.pass(Duration{15'000}).work_out();
  EXPECT_TRUE(session.shows("COULD BE CUT")) << session.screen();
}

// Keys are answered while the planner's thread counts; what is asked of the fleet file comes behind it.
TEST(OverviewSpare, ThePlannersThreadCountsTheDemandOfTheOverviewAlone) {
  Session session(large_places(), {120, 40});
  tui::Packer packer;
  const auto count = [&]() -> std::shared_ptr<const tui::DemandCounted> {
    pollfd ready{packer.wake_fd(), POLLIN, 0};
    if (poll(&ready, 1, 60'000) != 1) return nullptr;
    const auto told = packer.take();
    if (!told || !std::holds_alternative<tui::LargeTold>(*told)) return nullptr;
    tui::update(session.state, session.world(), *told);
    const auto* counted =
        std::get_if<std::shared_ptr<const tui::DemandCounted>>(&std::get<tui::LargeTold>(*told).what);
    return counted ? *counted : nullptr;
  };
  session.press("2");
  packer.follow(session.state);
  EXPECT_FALSE(packer.busy()) << "the list of nodes needs none of it";
  session.press("1");
  packer.follow(session.state);
  ASSERT_TRUE(packer.busy());
  packer.follow(session.state);  // the same question again is no other one
  const auto counted = count();
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->question, session.state.large.demand->question);
  EXPECT_TRUE(session.shows("COULD BE CUT")) << session.screen();
  packer.follow(session.state);
  EXPECT_FALSE(packer.busy()) << "answered";
}

// Of a large site the waiting list said that how many would start is not worked out.
TEST(OverviewSpare, TheWaitingListOfALargeSiteTellsWhatWasCounted) {
  Session session(large_places(), {200, 40});
  session.press("w");
  EXPECT_TRUE(session.shows("How many would start now is being counted.")) << session.screen();
  session.work_out();
  EXPECT_FALSE(session.shows("is being counted")) << session.screen();
  EXPECT_TRUE(session.shows("Counted at ")) << session.screen();
}

// What waited when a cluster answered last is not what waits now.
TEST(OverviewSpare, OfAClusterThatFellSilentNoCountedDemandIsShown) {
  Session session(large_places(), {120, 40});
  session.work_out();
  const auto rows_of = [&](std::string_view name) {
    const auto& rows = session.state.overview.demand;
    return std::count_if(rows.begin(), rows.end(),
                         [&](const tui::DemandRow& row) { return row.cluster.text == name; });
  };
  ASSERT_GT(rows_of("hpc"), 0);
  Event silent =
      on("hpc", SourceReport{Source::slurm_jobs, Error{"no answer", "timed out", ""}, {}, "", false});
  session.tell(std::move(silent));
  session.pass(Duration{1'000});
  EXPECT_EQ(rows_of("hpc"), 0) << session.screen();
}

// Two thirds of a tall terminal stood empty, and how old the figures are stood on a page of its own.
TEST(OverviewSpare, AWideTerminalHasThePageOfWhatTheCursorIsOnBelow) {
  Session session(two_places(), {200, 60});
  EXPECT_TRUE(session.shows("polling load")) << "the sources of the cluster\n" << session.screen();
  session.press("<tab>j");
  EXPECT_FALSE(session.shows("polling load")) << session.screen();
  EXPECT_TRUE(session.shows("0/80 GiB")) << "the node of the finding\n" << session.screen();
  EXPECT_TRUE(session.shows("─ n0012 ─")) << session.screen();
  for (const tui::Size size : {tui::Size{200, 30}, {159, 60}, {80, 24}})
    EXPECT_FALSE(Session(two_places(), size).shows("polling load")) << size.columns << "x" << size.rows;
}

TEST(OverviewSpare, BelowAFindingOfSeveralNodesStandsHowEachOfThemIs) {
  Session session(two_places(), {200, 60});
  for (const char* name : {"n0101", "n0102"}) {
    Node closed = drained_node();
    closed.name = NodeName(name);
    closed.reason = "rack 4 is being moved";
    session.tell(on("hpc", NodeSeen{closed}));
  }
  session.press("<tab>");
  for (int i = 0; i < 5 && !session.shows("HEALTH"); ++i) session.press("j");
  EXPECT_TRUE(session.shows("HEALTH")) << session.screen();
}

TEST(OverviewSpare, TheMosaicBeginsWithTheNodesInTrouble) {
  Model model = two_places();
  std::vector<Node> some;
  for (int i = 0; i < 3; ++i)
    some.push_back(node("a" + std::to_string(i), {gpu(0, Strategy::whole, {whole(0)})}));
  some.back().health = Health::down;
  reduce(model, on("hpc", NodesListed{some}));
  const auto shown = tui::mosaic_nodes({model, catalogue(), at(0)}, false);
  EXPECT_EQ(shown.front().name, "a2");
  EXPECT_EQ(shown[1].name, "a0");
}

// gpu10 came before gpu2: the tables count the digits of a name as a number.
TEST(OverviewSpare, TheNodesOfTheMosaicAndTheFindingsComeInTheOrderOfTheTables) {
  Model model = two_places();
  std::vector<Node> some;
  for (const char* name : {"gpu10", "gpu2", "gpu1"}) {
    some.push_back(node(name, {gpu(0, Strategy::whole, {whole(0)})}));
    some.back().health = Health::down;
  }
  reduce(model, on("hpc", NodesListed{some}));
  const auto shown = tui::mosaic_nodes({model, catalogue(), at(0)}, false);
  ASSERT_GE(shown.size(), 3U);
  EXPECT_EQ(shown[0].name + shown[1].name + shown[2].name, "gpu1gpu2gpu10");
  std::string found;
  for (const insight::Finding& one : insight::attention(*model.find(ClusterName("hpc")), catalogue(), at(0)))
    if (one.is_node && found.find(one.subject + " ") == std::string::npos) found += one.subject + " ";
  EXPECT_EQ(found, "gpu1 gpu2 gpu10 ");
}

// "○" and "v" stood in the tiles, and no word beside them said what they are.
TEST(OverviewSpare, TheLegendOfTheMosaicHasEachSignOfTheTiles) {
  Model model = two_places();
  EXPECT_NE(Session(model, {120, 40}).line_with("MOSAIC").find("○"), std::string::npos);
  EXPECT_EQ(Session(model, {120, 40}).line_with("MOSAIC").find("s v"), std::string::npos)
      << "few sites have a GPU of vGPUs";
  Gpu virtual_one = gpu(0, Strategy::vgpu, {whole(0)});
  reduce(model, on("hpc", NodesListed{{node("a1", {virtual_one})}}));
  reduce(model, on("hpc", WorkloadsListed{{running("7", "alice", {holds("a1", {{0, 1}})})}}));
  Session session(model, {120, 40});
  EXPECT_NE(session.line_with("MOSAIC").find("s v"), std::string::npos) << session.screen();
}

// It said "No workload holds or waits for a GPU." beside 10,382 that wait, until something changed.
TEST(OverviewSpare, OfAHugeClusterTheUsersFollowThoughAListOfRunsHadTheSumsWorkedOut) {
  Model model = two_places();
  std::vector<Node> many;
  for (int i = 0; i < 2600; ++i) many.push_back(node("a" + std::to_string(10000 + i), {}));
  reduce(model, on("hpc", NodesListed{many}));
  Session session(model, {200, 60});
  session.tell(on("hpc", WorkloadSeen{waiting("99001", "late-user", "gpu:h100")}));
  session.hear({RunsListed{}});
  ASSERT_EQ(session.state.overview.revision, session.model.revision);
  ASSERT_NE(session.state.users.revision, session.model.revision) << "users are not summed at each event";
  const auto next = tui::overview_next_change(session.state, session.world());
  ASSERT_TRUE(next) << "what is shown would stay until the cluster changes";
  session.pass(std::chrono::duration_cast<Duration>(*next - session.wall));
  EXPECT_EQ(session.state.users.revision, session.model.revision);
}

// At 80 columns the tiles of two nodes of fourteen were all that it showed.
TEST(OverviewSpare, WhereTilesLeaveNoRoomForAllNodesEachGpuIsOneSign) {
  Model model = two_places();
  std::vector<Node> some;
  for (int i = 0; i < 9; ++i) {
    std::vector<Gpu> gpus;
    for (int one = 0; one < 8; ++one) gpus.push_back(gpu(one, Strategy::whole, {whole(0)}));
    some.push_back(node("b" + std::to_string(i), std::move(gpus)));
  }
  some[4].health = Health::drained;
  reduce(model, on("hpc", NodesListed{some}));
  Session narrow(model, {80, 24});
  EXPECT_TRUE(narrow.shows("one sign per GPU")) << narrow.screen();
  EXPECT_NE(narrow.line_with("b4 ").find("░░░░░░░░"), std::string::npos) << narrow.screen();
  EXPECT_TRUE(narrow.shows("b8")) << narrow.screen();
  Session wide(model, {200, 60});
  EXPECT_FALSE(wide.shows("one sign per GPU")) << wide.screen();
}

Model many_nodes() {
  Model model = two_places();
  std::vector<Node> many;
  for (int i = 0; i < 300; ++i) {
    many.push_back(node("a" + std::to_string(1000 + i), {gpu(0, Strategy::whole, {whole(0)})}));
    many.back().gpus.front().model = i < 200 ? "h100" : "a30";
  }
  many.back().health = Health::down;
  many.back().reason = "psu", many[298].health = Health::down, many[298].reason = "psu";
  reduce(model, on("hpc", NodesListed{many}));
  return model;
}

// A wall of tiles of 52 of 10,000 nodes said nothing.
TEST(OverviewSpare, MoreNodesThanTilesCanShowAreGroupsThatOpenTheirNodes) {
  Session session(many_nodes(), {120, 40});
  EXPECT_FALSE(session.shows("tiles")) << session.screen();
  const std::string fine = session.line_with("h100"), troubled = session.line_with("a30");
  EXPECT_NE(fine.find("200"), std::string::npos) << fine;
  EXPECT_NE(troubled.find("2 not ok"), std::string::npos) << troubled;
  EXPECT_LT(session.screen().find("a30"), session.screen().find("h100")) << "trouble first";
  session.press("<tab><tab>");
  EXPECT_TRUE(tui::group_under(session.state, session.state.top().cursor)) << session.screen();
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::nodes);
  EXPECT_TRUE(session.shows("a1200")) << session.screen();
  EXPECT_FALSE(session.shows("a1000")) << session.screen();
}

// "h100" opened the nodes with "h100 nvl", too.
TEST(OverviewSpare, AGroupOpensTheNodesThatItCounts) {
  Model model = two_places();
  std::vector<Node> many;
  for (int i = 0; i < 300; ++i) {
    many.push_back(node("a" + std::to_string(1000 + i), {gpu(0, Strategy::whole, {whole(0)})}));
    many.back().gpus.front().model = i < 200 ? "h100" : "h100 nvl";
  }
  many.front().gpus.push_back(gpu(1, Strategy::whole, {whole(1)}));  // another model beside the first
  reduce(model, on("hpc", NodesListed{many}));
  for (const tui::NodeGroup& group : tui::node_groups(model)) {
    const auto filter = query::parse_filter<query::NodeRow>(group.filter);
    ASSERT_TRUE(filter) << group.filter;
    int opened = 0;
    for (const query::NodeRow& row : query::node_rows(model))
      opened += row.cluster->name == group.cluster && query::passes(*filter, row, query::Context{});
    EXPECT_EQ(opened, group.nodes) << group.name << ": " << group.filter;
  }
}

// 130 nodes with two GPUs that are shared by MPS: of the first one a job has most of one GPU.
Model many_shared_nodes(float use) {
  Model model = two_places();
  std::vector<Node> many;
  for (int i = 0; i < 130; ++i) {
    many.push_back(node("a" + std::to_string(1000 + i),
                        {gpu(0, Strategy::mps, {shared(SliceKind::mps, 100, 0)}),
                         measured(gpu(1, Strategy::whole, {whole(1)}), use, 1, 40, 100)}));
    for (Gpu& one : many.back().gpus) one.model = "h100";
  }
  many.front().gpus[1] = gpu(1, Strategy::mps, {shared(SliceKind::mps, 100, 1)});
  many.front().gpus[1].model = "h100";
  reduce(model, on("hpc", NodesListed{many}));
  reduce(model, on("hpc", WorkloadsListed{{running("1", "alice", {holds("a1000", {{0, 95}}, Family::mps)}),
                                           running("2", "bob", {holds("a1001", {{1, 1}})})}}));
  return model;
}

tui::NodeGroup group_of(const Model& model, const std::string& name) {
  for (const tui::NodeGroup& group : tui::node_groups(model))
    if (group.cluster.text == "hpc" && group.name == name) return group;
  return {};
}

// A bar showed the MPS of the second GPU as free, which no job could have, and a GPU with 5 % left as full.
TEST(OverviewSpare, AGroupCountsAsFreeWhatCanBeHadAndNoMpsOfAnotherGpu) {
  const tui::NodeGroup group = group_of(many_shared_nodes(80), "h100");
  EXPECT_EQ(group.slices, 260);
  EXPECT_EQ(group.held, 2);
  EXPECT_EQ(group.in_part, 1) << "5 % of that GPU's MPS can be had";
  EXPECT_EQ(group.free, 257) << "all but what is held, and the MPS beside it";
  EXPECT_EQ(group.unknown, 0);
}

TEST(OverviewSpare, TheBarOfAGroupIsShadedByUseAndItsSignsAreExplained) {
  EXPECT_EQ(group_of(many_shared_nodes(80), "h100").busy, 1) << "bob's; of alice's GPU no use is told";
  EXPECT_EQ(group_of(many_shared_nodes(80), "h100").idle, 0);
  EXPECT_EQ(group_of(many_shared_nodes(1), "h100").idle, 1);
  EXPECT_EQ(group_of(many_shared_nodes(20), "h100").busy, 0);
  Session session(many_shared_nodes(80), {120, 40});
  const std::string legend = session.line_with("held in part");
  EXPECT_NE(legend.find("busy"), std::string::npos) << session.screen();
  EXPECT_NE(legend.find("closed"), std::string::npos) << legend;
  EXPECT_EQ(legend.find("idle"), std::string::npos) << "there is none\n" << legend;
}

// Of a cluster whose jobs cannot be listed a group said that 0 % is held and 0 % free.
TEST(OverviewSpare, AGroupOfWhichNothingIsToldHasNoPercentages) {
  Model model = many_shared_nodes(80);
  reduce(model,
         on("hpc", SourceReport{Source::slurm_jobs, Error{"cannot list jobs", "refused", ""}, Duration(5)}));
  const tui::NodeGroup group = group_of(model, "h100");
  EXPECT_EQ(group.unknown, group.slices);
  Session session(std::move(model), {120, 40});
  const std::string line = session.line_with("h100  ");
  EXPECT_NE(line.find("130"), std::string::npos) << session.screen();
  EXPECT_EQ(line.find("%"), std::string::npos) << line;
}

TEST(OverviewSpare, TwoNodesThatAreDownForOneReasonAreOneLineThatOpensBoth) {
  Session session(many_nodes(), {120, 40});
  EXPECT_NE(session.line_with("psu").find("2 nodes"), std::string::npos) << session.screen();
  session.press("<tab>");
  for (int i = 0; i < 5 && session.state.top().cursor.find("psu") == std::string::npos; ++i)
    session.press("j");
  session.press("<enter>");
  EXPECT_TRUE(session.shows("a1298")) << session.screen();
  EXPECT_TRUE(session.shows("a1299")) << session.screen();
  EXPECT_FALSE(session.shows("a1297")) << session.screen();
}

TEST(OverviewSpare, TheCursorGoesThroughTheMosaicAndOpensANode) {
  Session session(two_places(), {120, 40});
  session.press("<tab><tab>");
  EXPECT_TRUE(tui::tiles_under(session.state, session.state.top().cursor)) << session.screen();
  const std::string first = session.state.top().cursor;
  session.press("j");
  const tui::Strips* node = tui::tiles_under(session.state, session.state.top().cursor);
  ASSERT_TRUE(node) << session.screen();
  EXPECT_NE(session.state.top().cursor, first);
  const std::string name = node->name;
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::node);
  EXPECT_EQ(session.state.top().subject, name);
}

TEST(OverviewSpare, ASmallTerminalKeepsItsLinesForTheLists) {
  Session session(two_places(), {80, 24});
  EXPECT_FALSE(session.shows("WHO HOLDS MOST")) << session.screen();
}

// "serving/whisper…" stood there three times, and "nvidia.com/mig-2g.20gb.shar…" beside blanks.
TEST(OverviewSpare, AWideTerminalTellsPodsOfOneDeploymentAndResourcesApart) {
  Model model = two_places();
  Workload one = waiting("serving/whisper-big-m77zn", "speech", "nvidia.com/mig-2g.20gb.shared"), other = one;
  other.id = WorkloadId("serving/whisper-big-x88yb");
  reduce(model, on("train-a", WorkloadsListed{{one, other}}));
  Session session(model, {200, 60});
  EXPECT_TRUE(session.shows("serving/whisper-big-m77zn ") && session.shows("serving/whisper-big-x88yb "))
      << session.screen();
  EXPECT_TRUE(session.shows("nvidia.com/mig-2g.20gb.shared ")) << session.screen();
}

// Longer names pushed what is said of them out of its column.
TEST(OverviewSpare, WhatIsSaidOfComponentsBeginsInOneColumn) {
  Model model = two_places();
  reduce(model, on("hpc", DaemonsSeen{{{"gpu-operator", "a", true, "v26.3.0"},
                                       {"nvidia-device-plugin", "b", true, "17 of 18 ready"}}}));
  Session session(model, {120, 40});
  session.press("1i");
  const std::string first = session.line_with("up on a"), second = session.line_with("up on b");
  EXPECT_EQ(first.find("up on"), second.find("up on")) << session.screen();
}

// "mps 60" and "60 × mps": of what, was to be guessed.
TEST(OverviewSpare, MpsThatIsWaitedForHasItsUnitAtEachWidth) {
  Model model = small_place();
  Workload held = waiting("7", "zoe", "mps");
  held.requests = {{"mps", 60}};
  const Node shares = node("n1", {gpu(0, Strategy::mps, {shared(SliceKind::mps, 100, 0)})});
  reduce(model, on("hpc", NodesListed{{shares}}));
  reduce(model, on("hpc", WorkloadsListed{{held}}));
  Session narrow(model, {80, 24}), wide(model, {200, 60});
  EXPECT_NE(narrow.line_with("WAITING  ").find("MPS percent 60 by 1 job"), std::string::npos)
      << narrow.screen();
  EXPECT_TRUE(wide.shows("60 MPS percent")) << wide.screen();
  EXPECT_TRUE(wide.shows("MPS percent   ")) << "the table of demand\n" << wide.screen();
}

// Accounts were names at the foot of each user: what an account holds all together was to be added by hand.
TEST(UsersScreen, AKeyHasARowForEachAccountAndEnterShowsItsWork) {
  Session session(two_places(), {120, 40});
  session.press("8b");
  const std::string heading = session.line_with("RUNNING"), physics = session.line_with("physics");
  EXPECT_NE(heading.find("ACCOUNT"), std::string::npos) << session.screen();
  EXPECT_NE(physics.find("≥"), std::string::npos) << "of one job it is not known how much it holds\n"
                                                  << physics;
  EXPECT_NE(physics.find(" 10 "), std::string::npos) << "all who run\n" << physics;
  EXPECT_NE(session.line_with("   users").find("alice, bob"), std::string::npos) << session.screen();
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::workloads);
  EXPECT_TRUE(session.shows("88120")) << session.screen();
  EXPECT_FALSE(session.shows("88140")) << "it has no account\n" << session.screen();
  session.press("<esc>b");
  EXPECT_NE(session.line_with("RUNNING").find("USER"), std::string::npos) << session.screen();
  EXPECT_TRUE(session.shows("heidi")) << session.screen();
}

// A node with "!!" among the findings had "!" in the mosaic, as one that is drained.
TEST(OverviewMosaic, ABrokenNodeHasTheSignThatFindingsHaveForIt) {
  Model model = two_places();
  Node down = drained_node();
  down.name = NodeName("a-node-12345");  // twelve cells: none is taken from it
  down.health = Health::down;
  reduce(model, on("hpc", NodeSeen{down}));
  const std::string screen = Session(model, {120, 40}).screen();
  EXPECT_NE(screen.find(" n0031      !! "), std::string::npos) << screen;
  EXPECT_NE(screen.find(" n0012       ! "), std::string::npos) << screen;
  EXPECT_NE(screen.find(" a-node-12345!!"), std::string::npos) << screen;
}

// "≥0.0" stood beside whole GPUs that are held: one percent of another by MPS was all that is known.
TEST(OverviewSpare, WhatIsHeldIsNotSaidToBeNothingWhereItIsLittleOrNotKnown) {
  insight::UserSum sum;
  EXPECT_EQ(tui::gpus_text(sum, false), "0.0");
  sum.gpus = 0.01;
  EXPECT_EQ(tui::gpus_text(sum, false), "<0.1");
  sum.unknown = 1;
  EXPECT_EQ(tui::gpus_text(sum, false), "?");
  sum.gpus = 1.01;
  EXPECT_EQ(tui::gpus_text(sum, false), "≥1.0");
  EXPECT_EQ(tui::gpus_text(sum, true), ">=1.0");
}

TEST(OverviewSpare, TheLongestWaitStandsFirstAndOthersAreLeftOut) {
  Model model = two_places();
  Workload old = waiting("7", "zoe", "gpu:h100"), without = waiting("8", "zoe", "gpu:h100"),
           cpu = waiting("9", "zoe", "x");
  old.submitted = at(-90000);
  without.submitted.reset();
  cpu.requests.clear();
  reduce(model, on("hpc", WorkloadsListed{{waiting("6", "ann", "gpu:h100"), old, without, cpu}}));
  const auto longest = tui::waiting_longest(model, 10);
  ASSERT_EQ(longest.size(), 2U);
  EXPECT_EQ(longest[0].id.text, "7");
  EXPECT_EQ(tui::waiting_longest(model, 1).size(), 1U);
}

}  // namespace
}  // namespace tessera::test
